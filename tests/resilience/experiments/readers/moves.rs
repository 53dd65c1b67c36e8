//! Moves, squares and positions: what is read as a move is legal, and what is read as a position is written as it was read.

use ratatosk::rules::{Move, Position, Rulebook, Side, VARIANTS, notation};

/// Reads a text in every variant.
pub fn read(text: &str) {
    for variant in VARIANTS {
        let (book, start) = (variant.book(), variant.start(variant.usual_layout()));
        read_in(&book, &start, text);
        if let Ok(position) = book.read_position(text, Side::Attackers) {
            assert_eq!(book.read_position(&book.write_position(&position), Side::Attackers), Ok(position));
        }
    }
}

/// Reads a move, and returns it if it is one.
pub fn read_in(book: &Rulebook, position: &Position, text: &str) -> Option<Move> {
    if let Ok(square) = notation::read_square(book, text) {
        assert!(book.board().contains(square), "{square} is not on the board");
        assert_eq!(notation::read_square(book, &square.to_string()), Ok(square));
    }
    let read = notation::read_move(book, position, text).ok()?;
    assert!(book.is_legal(position, read), "{read} is not legal");
    Some(read)
}
