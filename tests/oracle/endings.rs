//! What happens when a move is played, and is the game over?

use std::collections::BTreeSet;

use super::board::{Board, Side, Square, neighbours};
use super::captures::pieces_taken;
use super::king::captured_king;
use super::moves::legal_moves;
use super::variants::{Goal, NoLegalMove, Rules};

/// Why a game is over. (Repetition is in `repetition.rs`.)
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The attackers have captured the king.
    KingCaptured,
    /// The king stands on a corner or on the edge, as his game asks.
    KingEscaped,
    /// The attackers stand all around the king's side.
    Encirclement,
    /// The side to move has no legal move.
    NoMoves,
}

/// A move and its effects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    /// The position after the move, without the captured pieces.
    pub board: Board,
    /// The squares of the captured pieces, the king included.
    pub captures: BTreeSet<Square>,
    /// If the game is over: the winner (`None` if it is drawn) and why.
    pub ending: Option<(Option<Side>, Reason)>,
}

/// Plays a move of the list of legal moves. "Order after a move: take men, then king taken, king
/// escaped, encirclement, repetition, next player cannot move." Repetition is ignored here.
pub fn play_legal_move(rules: &Rules, board: &Board, from: Square, to: Square) -> Played {
    let mover = board.to_move;
    let mut after = board.clone();
    let piece = after.pieces.remove(&from).unwrap();
    after.pieces.insert(to, piece);
    after.to_move = mover.opponent();

    let mut captures = pieces_taken(rules, &after, to);
    for square in &captures {
        after.pieces.remove(square);
    }
    let taken_king = captured_king(rules, &after, to);
    if let Some(king) = taken_king {
        after.pieces.remove(&king);
        captures.insert(king);
    }

    let ending = if taken_king.is_some() {
        Some((Some(Side::Attackers), Reason::KingCaptured))
    } else if king_has_escaped(rules, &after) {
        Some((Some(Side::Defenders), Reason::KingEscaped))
    } else if mover == Side::Attackers && is_encircled(rules, &after) {
        Some((Some(Side::Attackers), Reason::Encirclement))
    } else if legal_moves(rules, &after).is_empty() {
        Some((winner_without_a_legal_move(rules, &after), Reason::NoMoves))
    } else {
        None
    };
    Played { board: after, captures, ending }
}

/// "The king's side wins the game when the king reaches" a corner, or the edge. This looks
/// at the king's square, not at the move: a king who stood there before has won, too.
pub fn king_has_escaped(rules: &Rules, board: &Board) -> bool {
    match (board.king(), rules.goal) {
        (None, _) => false,
        (Some(king), Goal::Corner) => board.is_corner(king),
        (Some(king), Goal::Edge) => board.is_edge(king),
    }
}

/// "If the attackers surround the king and ALL remaining defenders, then they win": "no man of the
/// king's side, king included, is connected to an edge square through squares that hold no
/// attacker".
fn is_encircled(rules: &Rules, board: &Board) -> bool {
    let reached = squares_connected_to_the_edge(board);
    rules.encirclement_wins
        && board
            .pieces
            .iter()
            .filter(|(_, piece)| piece.side() == Side::Defenders)
            .all(|(square, _)| !reached.contains(square))
}

/// A flood from all edge squares, over the four neighbours, that only attackers stop; "empty throne
/// and corners let through; a man on an edge square is connected".
fn squares_connected_to_the_edge(board: &Board) -> BTreeSet<Square> {
    let every_square = (0..board.size).flat_map(|file| (0..board.size).map(move |rank| (file, rank)));
    let mut to_visit: Vec<Square> = every_square.filter(|&square| board.is_edge(square)).collect();
    let mut reached = BTreeSet::new();
    while let Some(square) = to_visit.pop() {
        if board.contains(square) && !board.is_attacker(square) && reached.insert(square) {
            to_visit.extend(neighbours(square));
        }
    }
    reached
}

/// "Either player will lose the game if unable to move on his or her own turn"; in Fetlar "the game
/// is drawn".
fn winner_without_a_legal_move(rules: &Rules, board: &Board) -> Option<Side> {
    match rules.no_legal_move {
        NoLegalMove::MoverLoses => Some(board.to_move.opponent()),
        NoLegalMove::Draw => None,
    }
}
