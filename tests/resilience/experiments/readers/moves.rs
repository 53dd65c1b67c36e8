//! Moves, squares and positions: what is read as a move is legal, and what is read as a position is written as it was
//! read.

use ratatosk::rules::{Move, Position, Rulebook, Side, VARIANTS, notation};

/// Reads a text in every variant.
pub fn read(text: &str) {
    for variant in VARIANTS {
        let (rulebook, start) = (variant.rulebook(), variant.start_position(variant.default_layout()));
        read_in(&rulebook, &start, text);
        if let Ok(position) = rulebook.read_position(text, Side::Attackers) {
            assert_eq!(rulebook.read_position(&rulebook.write_position(&position), Side::Attackers), Ok(position));
        }
    }
}

/// Reads a move, and returns it if it is one.
pub fn read_in(rulebook: &Rulebook, position: &Position, text: &str) -> Option<Move> {
    if let Ok(square) = notation::read_square(rulebook, text) {
        assert!(rulebook.board().contains(square), "{square} is not on the board");
        assert_eq!(notation::read_square(rulebook, &square.to_string()), Ok(square));
    }
    let read = notation::read_move(rulebook, position, text).ok()?;
    assert!(rulebook.is_legal(position, read), "{read} is not legal");
    Some(read)
}
