//! Is the king captured?

use super::board::{Board, Square, neighbours, opposite};
use super::endings::king_has_escaped;
use super::variants::{KingInDanger, KingOnTheEdge, Rules};

/// The king's square, if the attacker that has just moved to `to` has captured him.
///
/// "The king is never taken by his own side's move; whoever takes him, the man that moved is one of
/// the two, three or four that do it."
///
/// `board` is the position after the move, with the captured pieces already removed.
pub fn captured_king(rules: &Rules, board: &Board, to: Square) -> Option<Square> {
    let king = board.king()?;
    let mover_takes_part = board.is_attacker(to) && neighbours(king).contains(&to);
    (mover_takes_part && is_surrounded(rules, board, king, to)).then_some(king)
}

/// Which row of the table applies to the square that the king stands on.
fn is_surrounded(rules: &Rules, board: &Board, king: Square, to: Square) -> bool {
    if king_has_escaped(rules, board) {
        // Only where play goes on after the king's win.
        false
    } else if board.is_edge(king) {
        match rules.king_on_the_edge {
            KingOnTheEdge::EdgeAndCornerCountAsSides => on_four_sides_edge_and_corner_counting(board, king),
            KingOnTheEdge::TwoAlongTheEdge => {
                on_two_opposite_sides(board, king, to) || against_a_corner(board, king, to)
            }
            KingOnTheEdge::HasWon | KingOnTheEdge::CannotBeTaken => false,
        }
    } else if king == board.centre() {
        is_in_danger(rules.king_on_the_centre, board, king, to)
    } else if is_beside_the_empty_centre(board, king) {
        is_in_danger(rules.king_beside_the_empty_centre, board, king, to)
    } else {
        is_in_danger(rules.king_in_the_open, board, king, to)
    }
}

fn is_in_danger(danger: KingInDanger, board: &Board, king: Square, to: Square) -> bool {
    match danger {
        KingInDanger::TwoOppositeSides => on_two_opposite_sides(board, king, to),
        KingInDanger::FourAttackers => by_four_attackers(board, king),
        KingInDanger::ThreeAttackersAndCentre => by_three_attackers_and_the_centre(board, king),
    }
}

/// The king stands next to the centre, which is empty.
fn is_beside_the_empty_centre(board: &Board, king: Square) -> bool {
    neighbours(king).contains(&board.centre()) && board.is_empty(board.centre())
}

/// "The king is captured like any other piece": he stands between the attacker that moved and
/// another one.
fn on_two_opposite_sides(board: &Board, king: Square, to: Square) -> bool {
    board.is_attacker(opposite(to, king))
}

/// Brandubh, beside a corner: "1 attacker + corner"; the attacker is the one that moved.
fn against_a_corner(board: &Board, king: Square, to: Square) -> bool {
    board.is_corner(opposite(to, king))
}

/// "Surrounding him on all four sides by attackers."
fn by_four_attackers(board: &Board, king: Square) -> bool {
    neighbours(king).into_iter().all(|side| board.is_attacker(side))
}

/// "If on a square next to the throne, the attackers must occupy the three remaining squares around
/// him."
fn by_three_attackers_and_the_centre(board: &Board, king: Square) -> bool {
    neighbours(king).into_iter().all(|side| side == board.centre() || board.is_attacker(side))
}

/// Magpie: "on all four sides by thieves, marked squares or the board edge".
fn on_four_sides_edge_and_corner_counting(board: &Board, king: Square) -> bool {
    neighbours(king).into_iter().all(|side| board.is_attacker(side) || !board.contains(side) || board.is_corner(side))
}
