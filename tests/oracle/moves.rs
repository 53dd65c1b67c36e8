//! Which moves are legal.

use std::collections::BTreeSet;

use super::board::{Board, DIRECTIONS, Man, Square, step};
use super::variants::{KingMoves, Rules};

/// All legal moves of the player whose turn it is; repetition is left out.
pub fn legal_moves(rules: &Rules, board: &Board) -> BTreeSet<(Square, Square)> {
    let mut moves = BTreeSet::new();
    for (&from, &man) in &board.men {
        if man.side() == board.to_move {
            for to in destinations(rules, board, from, man) {
                moves.insert((from, to));
            }
        }
    }
    moves
}

/// "A player may move a piece as far as desired along a row or column"; it "may not jump over nor
/// land on another".
fn destinations(rules: &Rules, board: &Board, from: Square, man: Man) -> Vec<Square> {
    let mut found = Vec::new();
    for direction in DIRECTIONS {
        let mut square = step(from, direction);
        let mut distance = 1;
        while board.contains(square) && board.is_empty(square) && distance <= longest_move(rules, board, man) {
            // An empty square that he may not rest on (the centre) he may still cross.
            if may_rest(rules, board, man, square) {
                found.push(square);
            }
            square = step(square, direction);
            distance += 1;
        }
    }
    found
}

/// Magpie's king moves one square; everybody else as far as there is room.
fn longest_move(rules: &Rules, board: &Board, man: Man) -> i32 {
    if man == Man::King && rules.king_moves == KingMoves::OneSquare { 1 } else { board.size }
}

/// Only the king may rest on the centre and on the corners, where the game marks them.
fn may_rest(rules: &Rules, board: &Board, man: Man, square: Square) -> bool {
    let reserved_centre = rules.centre_for_king_only && square == board.centre();
    let reserved_corner = rules.corners_for_king_only && board.is_corner(square);
    man == Man::King || !(reserved_centre || reserved_corner)
}
