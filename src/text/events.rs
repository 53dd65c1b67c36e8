//! Posts about a game: what happened, and whose turn it is.

use super::Markup;
use super::endings::ended;
use super::labels::{offer, side, takes};
use crate::game::{Game, GameEvent, OfferKind, Pace};
use crate::rules::{Played, Side};

/// Returns a post: what happened, whose turn it is, and the deadline.
#[must_use]
pub fn post(game: &Game, events: &[GameEvent], markup: &dyn Markup) -> String {
    let mut lines = vec![markup.bold(&title(game))];
    lines.extend(events.iter().map(|event| tell(game, event, game.record.plies().len(), markup)));
    if !events
        .iter()
        .any(|event| matches!(event, GameEvent::Ended { .. } | GameEvent::Reminder { .. } | GameEvent::TimeUp { .. }))
    {
        lines.extend(turn(game, events, markup));
    }
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

/// Returns a post about events of a game that has moved on since. Returns nothing if the events no longer matter.
///
/// `plies` is how many plies the game had after the events. `gone` is the move, as text, if it was taken back since.
#[must_use]
pub fn late_post(
    game: &Game,
    events: &[GameEvent],
    plies: usize,
    gone: Option<&str>,
    markup: &dyn Markup,
) -> Option<String> {
    let told = events.iter().filter(|event| !matches!(event, GameEvent::Reminder { .. } | GameEvent::TimeUp { .. }));
    let tell = |event: &GameEvent| match (event, gone) {
        (GameEvent::Moved { ply }, Some(gone)) => taken_back(game, *ply, gone, markup),
        _ => tell(game, event, plies, markup),
    };
    let mut lines: Vec<String> = told.map(tell).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return None;
    }
    lines.insert(0, markup.bold(&title(game)));
    lines.push(String::from("(This comes late: the game has moved on since.)"));
    Some(lines.join("\n"))
}

/// Says that a game continues here because its channel was deleted, and whose turn it is.
#[must_use]
pub fn relocated(game: &Game, markup: &dyn Markup) -> String {
    let [attackers, defenders] = Side::BOTH.map(|side| markup.player(game.terms.players.of(side)));
    let here = format!("The game of {attackers} and {defenders} goes on here: the place where it was played is gone.");
    let mut lines = vec![markup.bold(&title(game)), here];
    lines.extend(turn(game, &[], markup));
    lines.join("\n")
}

fn taken_back(game: &Game, ply: usize, gone: &str, markup: &dyn Markup) -> String {
    let who = markup.player(game.terms.players.of(game.record.side_of_ply(ply)));
    format!("{who} played {}, which was taken back since.", markup.bold(gone))
}

/// Returns the title of a game: "Brandubh #42".
fn title(game: &Game) -> String {
    format!("{} {}", game.terms.variant.name, game.id)
}

/// Says whose turn it is, the deadline, and which offers are open, except those that `events` announces. Returns nothing
/// once the game is over.
fn turn(game: &Game, events: &[GameEvent], markup: &dyn Markup) -> Option<String> {
    let to_move = game.to_move()?;
    let who = markup.player(game.terms.players.of(to_move));
    let limit = match game.terms.pace {
        Pace::NONE => String::new(),
        _ => format!("; deadline {}", markup.time(game.clock.deadline)),
    };
    let words = &game.terms.variant.words;
    let mut line = format!("{who} to move for {}{limit}.", side(to_move, words));
    match game.record.occurrences() {
        0 | 1 => {}
        2 => line += " This position has occurred twice.",
        times => line += &format!(" This position has occurred {times} times."),
    }
    for kind in [OfferKind::Draw, OfferKind::Takeback] {
        if let Some(by) =
            game.offers.offered_by(kind).filter(|by| !events.contains(&GameEvent::Offered { kind, by: *by }))
        {
            line += &format!(" {}", open_offer(game, kind, by, markup));
        }
    }
    Some(line)
}

/// Says that an offer is open.
fn open_offer(game: &Game, kind: OfferKind, by: Side, markup: &dyn Markup) -> String {
    let by = markup.player(game.terms.players.of(by));
    match kind {
        OfferKind::Draw => format!("{by} offers a draw."),
        OfferKind::Takeback => format!("{by} would like to take a move back."),
        OfferKind::Rematch => format!("{by} offers a rematch."),
    }
}

/// Describes one event, after which there were `plies` plies.
fn tell(game: &Game, event: &GameEvent, plies: usize, markup: &dyn Markup) -> String {
    let name = |of: Side| markup.player(game.terms.players.of(of));
    match event {
        GameEvent::Began => began(game, markup),
        GameEvent::Moved { ply } => {
            game.record.plies().get(*ply).map_or_else(String::new, |played| moved(game, played, markup))
        }
        GameEvent::Offered { kind, by } => match kind {
            OfferKind::Draw => format!("{} offers a draw to {}.", name(*by), name(by.opponent())),
            OfferKind::Takeback => {
                // On the asking side's own turn, the opponent's last move is taken back too.
                let what = if game.record.side_of_ply(plies) == *by { "the last two moves" } else { "the last move" };
                format!("{} would like to take {what} back; {} can grant it.", name(*by), name(by.opponent()))
            }
            OfferKind::Rematch => {
                format!("{} offers {} a rematch with the sides swapped.", name(*by), name(by.opponent()))
            }
        },
        GameEvent::Declined { kind, by } => format!("{} has declined {}.", name(*by), offer(*kind)),
        // Only a takeback withdraws a draw offer, because the position has changed.
        GameEvent::Withdrawn { kind: OfferKind::Draw, by } => {
            format!("{}'s offer of a draw stands no longer; it can be made again.", name(*by))
        }
        GameEvent::Withdrawn { kind, by } => format!("{} has withdrawn {}.", name(*by), offer(*kind)),
        GameEvent::TookBack { plies, by } => {
            let what = if *plies == 1 { "one move was" } else { "two moves were" };
            format!("As {} asked, {what} taken back.", name(*by))
        }
        GameEvent::TimeGiven { .. } => game
            .to_move()
            .map_or_else(String::new, |late| format!("{} gives {} more time.", name(late.opponent()), name(late))),
        GameEvent::Reminder { player, deadline } => {
            let who = markup.player(*player);
            match game.terms.pace {
                Pace::NONE => format!("{who}, this game will be closed {} if nobody moves.", markup.time(*deadline)),
                _ => format!("{who}, it is your turn, and your time is up {}.", markup.time(*deadline)),
            }
        }
        GameEvent::TimeUp { late } => format!(
            "{}'s time is up. {} can claim the win, give more time or offer a draw; until then {} can still move.",
            name(*late),
            name(late.opponent()),
            name(*late)
        ),
        GameEvent::Ended { result } => ended(game, *result, markup),
    }
}

fn began(game: &Game, markup: &dyn Markup) -> String {
    let words = &game.terms.variant.words;
    let players = game.terms.players;
    format!(
        "{} has {}, {} has {}.",
        markup.player(players.attackers),
        side(Side::Attackers, words),
        markup.player(players.defenders),
        side(Side::Defenders, words)
    )
}

/// Describes a move and its captures.
#[must_use]
pub fn moved(game: &Game, played: &Played, markup: &dyn Markup) -> String {
    let words = &game.terms.variant.words;
    let who = markup.player(game.terms.players.of(played.piece.side()));
    let took = takes(played, words).replacen("takes", " and took", 1);
    format!("{who} played {}{took}.", markup.bold(&played.mv.to_string()))
}

/// Describes the state of a game: title, players, last move, turn or ending.
#[must_use]
pub fn status(game: &Game, markup: &dyn Markup) -> String {
    let mut lines = vec![markup.bold(&title(game)), began(game, markup)];
    lines.extend(game.record.plies().last().map(|played| moved(game, played, markup)));
    lines.extend(game.result.map(|result| ended(game, result, markup)));
    lines.extend(turn(game, &[], markup));
    let rematch = game.offers.offered_by(OfferKind::Rematch);
    lines.extend(rematch.map(|by| open_offer(game, OfferKind::Rematch, by, markup)));
    lines.join("\n")
}

/// Describes a position in the history of a game, with the moves around it.
#[must_use]
pub fn history(game: &Game, at: usize, markup: &dyn Markup) -> String {
    let plies = game.record.plies();
    let mut lines = vec![markup.bold(&title(game)), began(game, markup)];
    lines.push(match (at, plies.len()) {
        (0, 0) => String::from("Nobody has moved yet."),
        (0, 1) => String::from("At the start; 1 move follows."),
        (0, all) => format!("At the start; {all} moves follow."),
        (at, all) => format!("After move {at} of {all}."),
    });
    // All moves if they fit into a message, otherwise those around; the attached record has the rest.
    const MOST: usize = 120;
    const AROUND: usize = 30;
    let (from, to) = if plies.len() <= MOST { (0, plies.len()) } else { (at.saturating_sub(AROUND), at + AROUND) };
    let to = to.min(plies.len());
    let mut moves: Vec<String> = Vec::new();
    moves.extend((from > 0).then(|| String::from("…")));
    // `to` is at most the number of plies.
    moves.extend((from..to).map(|n| {
        let written = format!("{}. {}", n + 1, plies[n]);
        if n + 1 == at { markup.bold(&written) } else { written }
    }));
    moves.extend((to < plies.len()).then(|| String::from("…")));
    lines.push(moves.join(" "));
    if at == plies.len() {
        lines.extend(game.result.map(|result| ended(game, result, markup)));
        lines.extend(turn(game, &[], markup));
    }
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}
