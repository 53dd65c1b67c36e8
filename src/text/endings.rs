//! How a game ended: who won, why, and by which rule.

use super::Markup;
use super::labels::side;
use super::repetition::{freedoms, ordinal};
use super::rules_page;
use crate::game::{Clock, Game, GameId, GameResult, GameTerms};
use crate::rules::rules::RepetitionRule;
use crate::rules::variants::Words;
use crate::rules::{Basis, Outcome, Repetition, Side};

/// Says how a game ended: who won, why, and by which rule.
#[must_use]
pub fn ended(game: &Game, result: GameResult, markup: &dyn Markup) -> String {
    let words = &game.terms.variant.words;
    let repetition = match result {
        GameResult::OnBoard(Outcome::Repetition { .. }) => game.record.last_repetition(),
        _ => None,
    };
    let name = |of: Side| markup.player(game.terms.players.of(of));
    let why = why(game, result, repetition.as_ref(), markup);
    let (attackers, defenders) = (name(Side::Attackers), name(Side::Defenders));
    let headline = match result.winner() {
        Some(winner) => {
            let (winner, loser) = (format!("{} wins with {}", name(winner), side(winner, words)), winner.opponent());
            format!("{winner} against {}: {why}.", name(loser))
        }
        None if result.counts() => format!("The game is drawn between {attackers} and {defenders}: {why}."),
        None => format!("The game of {attackers} and {defenders} ends without a result: {why}."),
    };
    let mut lines = vec![markup.bold(&headline)];
    // The reasons that were also shown before the move was made.
    let verdict = repetition.as_ref().and_then(|repetition| repetition.verdict.as_ref());
    lines.extend(verdict.map(|verdict| freedoms(verdict, words)));
    lines.push(format!("The rule: {}", rule(result, &game.terms)));
    lines.join("\n")
}

/// Returns the reason of an ending, as a part of a sentence.
fn why(game: &Game, result: GameResult, repetition: Option<&Repetition>, markup: &dyn Markup) -> String {
    let words = &game.terms.variant.words;
    let name = |of: Side| markup.player(game.terms.players.of(of));
    let loser = result.winner().map(|winner| name(winner.opponent())).unwrap_or_default();
    match result {
        GameResult::OnBoard(Outcome::KingCaptured) => format!("the {} is taken", words.king),
        GameResult::OnBoard(Outcome::KingEscaped) => format!("the {} has escaped", words.king),
        GameResult::OnBoard(Outcome::Encirclement) => {
            format!("the {} and all {} are encircled", words.king, words.defenders)
        }
        GameResult::OnBoard(Outcome::NoMoves { .. }) => {
            format!("{} has no legal move", name(game.record.position().to_move()))
        }
        GameResult::OnBoard(Outcome::Repetition { .. }) => {
            let times = ordinal(repetition.map_or(3, |repetition| repetition.occurrences.len()));
            let verdict = repetition.and_then(|repetition| repetition.verdict.as_ref());
            let whose = match verdict.map(|verdict| verdict.basis) {
                None => String::new(),
                Some(Basis::NobodyFree) => String::from(", and neither could have ended the repetition"),
                Some(Basis::OneMuchFreer) => format!(", and {loser} could have ended the repetition more easily"),
                Some(Basis::CompletedIt) => {
                    format!("; both could have ended the repetition, and {loser} completed it")
                }
            };
            format!("the position came about for the {times} time{whose}")
        }
        GameResult::Resigned { .. } => format!("{loser} resigns"),
        GameResult::Agreed => String::from("both agreed"),
        GameResult::Time { .. } => format!("{loser}'s time ran out"),
        GameResult::Aborted => String::from("it was called off before both had moved"),
        GameResult::NeverBegan => String::from("time ran out before both had moved"),
        GameResult::Idle => String::from("nobody has moved for a long time"),
        GameResult::Moderated => String::from("a moderator ended it"),
    }
}

/// Returns the rule by which a game ended: one of its own, or one that all games share.
fn rule(result: GameResult, terms: &GameTerms) -> String {
    let words = &terms.variant.words;
    match result {
        GameResult::OnBoard(Outcome::KingCaptured) => rules_page::capture_wins(words),
        GameResult::OnBoard(Outcome::KingEscaped) => rules_page::escape_wins(terms.rules.goal, words),
        GameResult::OnBoard(Outcome::Encirclement) => rules_page::encirclement_wins(words),
        GameResult::OnBoard(Outcome::NoMoves { .. }) => String::from(rules_page::no_moves(terms.rules.no_moves)),
        GameResult::OnBoard(Outcome::Repetition { aggressor: None })
            if terms.rules.repetition != RepetitionRule::Draws =>
        {
            String::from("A repetition that neither player could have ended is drawn.")
        }
        GameResult::OnBoard(Outcome::Repetition { .. }) => {
            String::from(rules_page::third_occurrence(terms.rules.repetition))
        }
        GameResult::Resigned { .. } => String::from("Whoever resigns loses."),
        GameResult::Agreed => String::from(rules_page::AGREED_DRAW),
        GameResult::Time { .. } => String::from(
            "When a player's time is up, the opponent can claim the win; if nobody does anything, it comes by itself.",
        ),
        GameResult::Aborted => String::from("While not both have moved, either player can call the game off."),
        GameResult::NeverBegan => String::from("Nobody wins on time while not both have moved."),
        GameResult::Idle => {
            let days = Clock::IDLE.0 / (24 * 60 * 60);
            format!("A game without a limit of time is closed when nobody has moved for {days} days.")
        }
        GameResult::Moderated => String::from("Whoever manages the server can end a game, with a reason."),
    }
}

/// Confirms to a moderator that a game was ended.
#[must_use]
pub fn ended_by_moderator(game: GameId) -> String {
    format!("Game {game} is over without a result. Both players are told, with your reason.")
}

/// Shows a moderator's reason to the players.
#[must_use]
pub fn moderator_reason(reason: &str, markup: &dyn Markup) -> String {
    format!("The reason: {}", markup.escape(reason))
}

/// Says how a game ended on the board, as a part of a sentence: "the thieves won by taking the leprechaun".
#[must_use]
pub fn outcome(outcome: Outcome, words: &Words) -> String {
    let king = words.king;
    let how = match outcome {
        Outcome::KingCaptured => format!("by taking the {king}"),
        Outcome::KingEscaped => format!("because the {king} has escaped"),
        Outcome::Encirclement => format!("by encircling the {king} and all {}", words.defenders),
        Outcome::NoMoves { .. } => String::from("because a player could not move"),
        Outcome::Repetition { aggressor: None } => String::from("because a position came about for the third time"),
        Outcome::Repetition { aggressor: Some(aggressor) } => {
            format!("because {} kept a repetition going that they could have ended", side(aggressor, words))
        }
    };
    match outcome.winner() {
        Some(winner) => format!("{} won {how}", side(winner, words)),
        None => format!("it was drawn {how}"),
    }
}
