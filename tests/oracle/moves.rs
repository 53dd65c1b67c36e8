//! Which moves are legal.

use std::collections::BTreeSet;

use super::board::{Board, DIRECTIONS, Piece, Square, step};
use super::variants::{KingMoves, Rules};

/// All legal moves of the side to move, ignoring repetition.
pub fn legal_moves(rules: &Rules, board: &Board) -> BTreeSet<(Square, Square)> {
    let mut moves = BTreeSet::new();
    for (&from, &piece) in &board.pieces {
        if piece.side() == board.to_move {
            for to in destinations(rules, board, from, piece) {
                moves.insert((from, to));
            }
        }
    }
    moves
}

/// "A player may move a piece as far as desired along a row or column"; it "may not jump over nor
/// land on another".
fn destinations(rules: &Rules, board: &Board, from: Square, piece: Piece) -> Vec<Square> {
    let mut found = Vec::new();
    for direction in DIRECTIONS {
        let mut square = step(from, direction);
        let mut distance = 1;
        while board.contains(square) && board.is_empty(square) && distance <= longest_move(rules, board, piece) {
            // A piece may cross an empty square on which it may not rest (the centre).
            if may_rest(rules, board, piece, square) {
                found.push(square);
            }
            square = step(square, direction);
            distance += 1;
        }
    }
    found
}

/// Magpie's king moves one square; every other piece as far as there is room.
fn longest_move(rules: &Rules, board: &Board, piece: Piece) -> i32 {
    if piece == Piece::King && rules.king_moves == KingMoves::OneSquare { 1 } else { board.size }
}

/// Only the king may rest on the centre and on the corners, where the game marks them.
fn may_rest(rules: &Rules, board: &Board, piece: Piece, square: Square) -> bool {
    let reserved_centre = rules.centre_for_king_only && square == board.centre();
    let reserved_corner = rules.corners_for_king_only && board.is_corner(square);
    piece == Piece::King || !(reserved_centre || reserved_corner)
}
