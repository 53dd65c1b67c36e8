//! Questions to a player before something is done: which game, which piece, which square, are you sure.

use super::labels::takes;
use super::sanitize::quoted;
use crate::game::Game;
use crate::rules::{Played, Square};

/// Asks which of several games is meant. Repeats the move that was typed.
#[must_use]
pub fn which_game(count: usize, typed: Option<&str>) -> String {
    let kept = typed.map_or_else(String::new, |typed| format!(" with {}", quoted(typed)));
    format!("You have {count} games here. Which one do you mean{kept}?{}", some_not_listed(count))
}

/// Asks which of several games to show, those of other players included.
#[must_use]
pub fn which_game_to_view(count: usize) -> String {
    format!("There are {count} games here. Which one do you mean?{}", some_not_listed(count))
}

const fn some_not_listed(count: usize) -> &'static str {
    if count > 25 { " Those that are not listed can be named with `game`." } else { "" }
}

/// Says that nothing was done.
#[must_use]
pub fn cancelled() -> String {
    String::from("Nothing was done.")
}

/// Asks which piece to move.
#[must_use]
pub fn choose_piece(game: &Game) -> String {
    format!("Game {}: who moves? You can also type `/move` with a move.", game.id)
}

/// Asks where to move a piece.
#[must_use]
pub fn choose_square(game: &Game, from: Square) -> String {
    format!("Game {}: where does the {} go?", game.id, piece_on(game, from))
}

/// Returns the title of the menu of squares.
#[must_use]
pub fn square_menu_title(game: &Game, from: Square) -> String {
    format!("Where does the {} go?", piece_on(game, from))
}

fn piece_on(game: &Game, square: Square) -> String {
    let words = &game.terms.variant.words;
    let piece = game.record.position().at(square).map_or("man", |piece| words.piece(piece));
    format!("{piece} on {square}")
}

/// Describes a move before it is made.
#[must_use]
pub fn preview(game: &Game, played: &Played) -> String {
    let takes = takes(played, &game.terms.variant.words);
    let takes = if takes.is_empty() { String::new() } else { format!(": {takes}") };
    format!("Game {}: this is what {played} looks like{takes}. Nothing is played yet.", game.id)
}

/// Asks a player to confirm a resignation.
#[must_use]
pub fn confirm_resign(game: &Game) -> String {
    format!("Do you really want to give up game {} ({})?", game.id, game.terms.variant.name)
}
