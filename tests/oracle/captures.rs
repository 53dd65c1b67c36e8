//! Which pieces a move captures. (The king is in `king.rs`.)

use std::collections::BTreeSet;

use super::board::{Board, DIRECTIONS, Piece, Side, Square, neighbours, opposite, step};
use super::variants::{Hostile, Rules};

/// "A man is taken when an enemy moves so that he stands between two enemies on a row or column, or
/// between one and a hostile square. The moving piece is one of the two. Up to three are taken at
/// once, each against its own partner; two in a row are not taken."
///
/// `board` is the position with the moving piece already on `to`, and nothing removed yet.
pub fn pieces_taken(rules: &Rules, board: &Board, to: Square) -> BTreeSet<Square> {
    DIRECTIONS
        .into_iter()
        .map(|direction| step(to, direction))
        .filter(|&victim| is_taken_by(rules, board, victim, to))
        .collect()
}

/// The piece on `victim` is captured by the piece that has just moved to `to`, beside it.
fn is_taken_by(rules: &Rules, board: &Board, victim: Square, to: Square) -> bool {
    let Some(piece) = board.piece(victim) else {
        return false;
    };
    let far_side = opposite(to, victim);
    piece != Piece::King
        && is_capturing_enemy(rules, board, to, piece.side())
        && (is_capturing_enemy(rules, board, far_side, piece.side())
            || is_hostile_square(rules, board, far_side, piece.side())
            || is_besieged_king(rules, board, far_side, victim, piece))
}

/// On the square is an enemy of `side` that takes part in captures. In Sea Battle and York the
/// king does not: "The king cannot take part in capturing attackers."
fn is_capturing_enemy(rules: &Rules, board: &Board, square: Square, side: Side) -> bool {
    match board.piece(square) {
        None => false,
        Some(Piece::King) => side == Side::Attackers && rules.king_helps_to_capture,
        Some(piece) => piece.side() != side,
    }
}

/// "Restricted squares are hostile, which means they can replace one of the two pieces taking part
/// in a capture."
fn is_hostile_square(rules: &Rules, board: &Board, square: Square, to_pieces_of: Side) -> bool {
    let hostile = if square == board.centre() {
        match to_pieces_of {
            Side::Attackers => rules.centre_hostile_to_attackers,
            Side::Defenders => rules.centre_hostile_to_defenders,
        }
    } else if board.is_corner(square) {
        rules.corners_hostile_to_pieces
    } else {
        Hostile::Never
    };
    match hostile {
        Hostile::Never => false,
        Hostile::WhenEmpty => board.is_empty(square),
        Hostile::Always => true,
    }
}

/// York only: "The king in his castle, attackers on three sides of him and a defender on the
/// fourth: an attacker that moves to that defender's far side takes him against the king."
fn is_besieged_king(rules: &Rules, board: &Board, castle: Square, victim: Square, piece: Piece) -> bool {
    rules.defender_taken_against_besieged_king
        && piece == Piece::Defender
        && castle == board.centre()
        && board.piece(castle) == Some(Piece::King)
        && neighbours(castle).into_iter().filter(|&side| side != victim).all(|side| board.is_attacker(side))
}
