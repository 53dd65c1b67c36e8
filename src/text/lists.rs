//! Lists of games, and the rows of game menus.

use super::Markup;
use crate::game::{GameId, GameResult, OfferKind, Offers, Pace, PlayerId, Players, Timestamp};
use crate::rules::{Side, Variant};

/// A game in a list.
#[derive(Clone, Copy, Debug)]
pub struct GameSummary {
    pub id: GameId,
    pub variant: &'static Variant,
    pub players: Players,
    /// The player whose games are listed.
    pub player: PlayerId,
    /// The player who reads the list.
    pub reader: PlayerId,
    /// The number of moves so far.
    pub plies: usize,
    /// The side to move; `None` once the game is over.
    pub to_move: Option<Side>,
    /// How long a move may take.
    pub pace: Pace,
    /// The deadline of the next move.
    pub deadline: Timestamp,
    /// Whether the time is up, so that the win can be claimed.
    pub time_is_up: bool,
    /// The offers of both players.
    pub offers: Offers,
    /// The result, once the game is over.
    pub result: Option<GameResult>,
}

/// Returns the label of a game in a list.
#[must_use]
pub fn game_label(id: GameId, variant: &Variant) -> String {
    format!("{id} {}", variant.name)
}

/// Returns the state of a game in a list: the opponent, whose turn it is, the deadline.
#[must_use]
pub fn game_detail(game: &GameSummary, markup: &dyn Markup) -> String {
    let name = |side: Side| markup.player(game.players.of(side));
    let against = match game.players.side_of(game.player) {
        Some(side) => format!("against {}", name(side.opponent())),
        None => format!("{} against {}", name(Side::Attackers), name(Side::Defenders)),
    };
    let state = match (game.result, game.to_move) {
        (Some(result), _) => match result.winner() {
            Some(winner) if game.players.of(winner) == game.player => String::from("won"),
            Some(_) if game.players.side_of(game.player).is_some() => String::from("lost"),
            Some(winner) => format!("{} won", name(winner)),
            None if result.counts() => String::from("drawn"),
            None => String::from("no result"),
        },
        (None, Some(side)) => {
            let whose = if game.players.of(side) == game.reader {
                String::from("your turn")
            } else {
                format!("{}'s turn", name(side))
            };
            let waits = game.players.of(side.opponent()) == game.reader;
            let until = match game.pace {
                Pace::NONE => String::new(),
                _ if game.time_is_up && waits => String::from(", time is up: you can claim the win"),
                _ if game.time_is_up => String::from(", time is up"),
                _ => format!(", deadline {}", markup.time(game.deadline)),
            };
            format!("{whose}{until}")
        }
        (None, None) => String::new(),
    };
    let moves = match (game.result, game.plies) {
        (None, plies) => format!("move {}", plies + 1),
        (Some(_), 1) => String::from("1 move"),
        (Some(_), plies) => format!("{plies} moves"),
    };
    format!("{against}, {moves}, {state}{}", offered(game, markup))
}

/// Lists the open offers of a game.
fn offered(game: &GameSummary, markup: &dyn Markup) -> String {
    let tell = |kind: OfferKind| {
        let by = game.players.of(game.offers.offered_by(kind)?);
        Some(match (by == game.reader, kind) {
            (true, OfferKind::Takeback) => String::from(", you ask for a takeback"),
            (true, _) => format!(", you offer a {}", kind.id()),
            (false, OfferKind::Takeback) => format!(", {} asks for a takeback", markup.player(by)),
            (false, _) => format!(", {} offers a {}", markup.player(by), kind.id()),
        })
    };
    OfferKind::ALL.into_iter().filter_map(tell).collect()
}

/// Says that challenges wait for the reader's answer; nothing if there are none.
#[must_use]
pub fn challenges_to_answer(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => String::from("\nA challenge waits for your answer: `/challenges` shows it."),
        _ => format!("\n{count} challenges wait for your answer: `/challenges` shows them."),
    }
}

/// Says how many rows cannot be read; nothing if all can.
#[must_use]
pub fn unreadable(count: usize, noun: &str) -> String {
    let (these, them) = match count {
        0 => return String::new(),
        1 => (format!("One more {noun}"), "it"),
        _ => (format!("{count} more {noun}s"), "them"),
    };
    format!(
        "\n{these} cannot be read. Nothing of {them} is lost; whoever runs the bot finds out more with `ratatosk check`."
    )
}

/// Says how to start a game, in a server or in a direct message.
#[must_use]
pub const fn how_to_start(in_server: bool) -> &'static str {
    if in_server { "`/challenge` begins one." } else { "Games begin in a server." }
}

/// Lists a player's games. `own` means that the reader is that player, who is told how to start a game if there is none.
#[must_use]
pub fn games(
    whose: PlayerId,
    own: bool,
    begin: &str,
    running: &[GameSummary],
    finished: &[GameSummary],
    markup: &dyn Markup,
) -> String {
    let line = |game: &GameSummary| format!("- {}: {}", game_label(game.id, game.variant), game_detail(game, markup));
    let (you, has) = if own { (String::from("You"), "have") } else { (markup.player(whose), "has") };
    let mut lines = Vec::new();
    if running.is_empty() {
        let hint = if own { format!(" {begin}") } else { String::new() };
        lines.push(format!("{you} {has} no running game here.{hint}"));
    } else {
        let noun = if running.len() == 1 { "running game" } else { "running games" };
        lines.push(format!("{you} {has} {} {noun}:", running.len()));
        lines.extend(running.iter().take(LISTED).map(line));
        if running.len() > LISTED {
            lines.push(format!("… and {} more.", running.len() - LISTED));
        }
    }
    if !finished.is_empty() {
        lines.push(String::from("Finished last:"));
        lines.extend(finished.iter().map(line));
    }
    lines.join("\n")
}

/// The number of games in one message; the menu below it has room for 25.
pub(super) const LISTED: usize = 15;
