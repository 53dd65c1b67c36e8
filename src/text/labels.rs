//! Names inside a sentence: of sides, squares, pieces and offers, and of players without a name.

use crate::game::{Game, OfferKind, Pace};
use crate::rules::variants::Words;
use crate::rules::{Played, Side, Square, SquareSet};

/// Returns the name of an offer: "the draw".
#[must_use]
pub const fn offer(kind: OfferKind) -> &'static str {
    match kind {
        OfferKind::Draw => "the draw",
        OfferKind::Takeback => "the takeback",
        OfferKind::Rematch => "the rematch",
    }
}

/// Returns a pace in words: "3 days a move".
#[must_use]
pub fn pace(pace: Pace) -> String {
    match pace.days() {
        None => String::from("No limit of time"),
        Some(1) => String::from("1 day a move"),
        Some(days) => format!("{days} days a move"),
    }
}

/// Returns a square and its piece: "d1 thief".
#[must_use]
pub fn piece_at(game: &Game, square: Square) -> String {
    let words = &game.terms.variant.words;
    game.record
        .position()
        .at(square)
        .map_or_else(|| square.to_string(), |piece| format!("{square} {}", words.piece(piece)))
}

/// Returns what a move captures and whether it ends the game; nothing if it does neither.
#[must_use]
pub fn move_effect(played: &Played, words: &Words) -> String {
    let end = played.outcome.map(|outcome| match outcome.winner() {
        Some(winner) if winner == played.piece.side() => "wins the game",
        Some(_) => "loses the game",
        None => "draws the game",
    });
    let mut parts = vec![takes(played, words)];
    parts.extend(end.map(String::from));
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

/// Returns the name of a player who was forgotten.
#[must_use]
pub const fn former_player() -> &'static str {
    "a former player"
}

/// Lists squares: `d5`, `d5 and e4`, `d5, e4 and f5`.
#[must_use]
pub fn squares(set: SquareSet) -> String {
    let names: Vec<String> = set.into_iter().map(|square: Square| square.to_string()).collect();
    list(&names, "and")
}

/// Joins items: `a`, `a and b`, `a, b and c`.
pub(super) fn list(items: &[String], conjunction: &str) -> String {
    match items {
        [] => String::from("nothing"),
        [one] => one.clone(),
        [most @ .., last] => format!("{} {conjunction} {last}", most.join(", ")),
    }
}

/// Returns the name of a side: "the thieves", "the leprechaun's side".
#[must_use]
pub fn side(side: Side, words: &Words) -> String {
    match side {
        Side::Attackers => format!("the {}", words.attackers),
        Side::Defenders => format!("the {}'s side", words.king),
    }
}

/// Returns what a move captures: "takes the thief on d5"; nothing if it captures nothing.
#[must_use]
pub fn takes(played: &Played, words: &Words) -> String {
    let victims = match (played.piece.side(), played.captures.len()) {
        (_, 0) => None,
        (Side::Attackers, 1) => Some(words.defender),
        (Side::Attackers, _) => Some(words.defenders),
        (Side::Defenders, 1) => Some(words.attacker),
        (Side::Defenders, _) => Some(words.attackers),
    };
    let mut taken = Vec::new();
    taken.extend(victims.map(|victims| format!("the {victims} on {}", squares(played.captures))));
    taken.extend(played.captured_king.map(|square| format!("the {} on {square}", words.king)));
    if taken.is_empty() { String::new() } else { format!("takes {}", taken.join(" and ")) }
}

/// Returns the name of a player whose name is unknown.
#[must_use]
pub const fn somebody() -> &'static str {
    "somebody"
}

/// Capitalises the first letter.
#[must_use]
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Puts "a" or "an" before a word.
pub(super) fn with_article(word: &str) -> String {
    let article = if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {word}")
}
