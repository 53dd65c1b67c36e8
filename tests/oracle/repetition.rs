//! Who is the aggressor when a position occurs for the third time?

use std::cmp::Ordering;

use super::board::{Board, Side, Square};
use super::endings::play_legal_move;
use super::moves::legal_moves;
use super::variants::Rules;

/// How free a side was in the cycle, at the turn where it was least free.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Freedom {
    /// How many of the other legal moves are ways out.
    pub ways_out: u64,
    /// How many legal moves there are besides the one that was played.
    pub others: u64,
    /// The turn: how many moves had been played in the game before it. On ties, the first.
    pub turn: usize,
}

/// Which rule decided: the numbers are those of the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub enum Basis {
    /// 3. Both freedoms are 0: there is no aggressor.
    NobodyFree,
    /// 4. One freedom is less than half of the other: the freer side is the aggressor.
    OneMuchFreer,
    /// 5. Otherwise the side whose move completed the third occurrence is.
    CompletedIt,
}

/// The referee's decision and its reasons.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// After how many moves the position stood on the board; 0 is the start of the game.
    pub occurrences: Vec<usize>,
    /// The attackers' freedom.
    pub attackers: Freedom,
    /// The freedom of the king's side.
    pub defenders: Freedom,
    /// Who could have stopped it.
    pub aggressor: Option<Side>,
    /// Which rule decided.
    pub basis: Basis,
}

/// Judges a repetition. `boards[0]` is the start and `moves[i]` leads from `boards[i]` to
/// `boards[i + 1]`; the last board is the third or a later occurrence of its position.
///
/// # Panics
/// If the last position has not stood on the board before.
pub fn judge(rules: &Rules, boards: &[Board], moves: &[(Square, Square)]) -> Verdict {
    assert_eq!(boards.len(), moves.len() + 1);
    let occurrences = occurrences_of_the_last_position(boards);
    let cycle = cycle(&occurrences);
    let attackers = freedom(rules, boards, moves, &cycle, Side::Attackers);
    let defenders = freedom(rules, boards, moves, &cycle, Side::Defenders);
    let completed_by = boards[boards.len() - 2].to_move;

    let (aggressor, basis) = aggressor(attackers, defenders, completed_by);
    Verdict { occurrences, attackers, defenders, aggressor, basis }
}

/// Rules 3, 4 and 5, in this order.
fn aggressor(attackers: Freedom, defenders: Freedom, completed_by: Side) -> (Option<Side>, Basis) {
    if is_zero(attackers) && is_zero(defenders) {
        (None, Basis::NobodyFree)
    } else if is_less_than_half(attackers, defenders) {
        (Some(Side::Defenders), Basis::OneMuchFreer)
    } else if is_less_than_half(defenders, attackers) {
        (Some(Side::Attackers), Basis::OneMuchFreer)
    } else {
        (Some(completed_by), Basis::CompletedIt)
    }
}

/// "A position is the men on the board and whose turn it is. The first position counts as its first
/// occurrence."
fn occurrences_of_the_last_position(boards: &[Board]) -> Vec<usize> {
    let last = &boards[boards.len() - 1];
    (0..boards.len()).filter(|&ply| boards[ply] == *last).collect()
}

/// "The cycle is the moves from the previous occurrence to this one."
fn cycle(occurrences: &[usize]) -> std::ops::Range<usize> {
    assert!(occurrences.len() >= 2, "the last position has not stood on the board before");
    occurrences[occurrences.len() - 2]..occurrences[occurrences.len() - 1]
}

/// "A side's freedom is the smallest share, over its turns in the cycle, of its other legal moves
/// that are ways out."
fn freedom(
    rules: &Rules,
    boards: &[Board],
    moves: &[(Square, Square)],
    cycle: &std::ops::Range<usize>,
    side: Side,
) -> Freedom {
    let mut smallest: Option<Freedom> = None;
    for turn in cycle.clone().filter(|&turn| boards[turn].to_move == side) {
        let here = freedom_at(rules, boards, moves, turn);
        if smallest.is_none_or(|so_far| compare(here, so_far) == Ordering::Less) {
            smallest = Some(here);
        }
    }
    smallest.expect("both sides move in a cycle")
}

/// The share at one turn. The record is the whole game, "up to and with the repetition".
fn freedom_at(rules: &Rules, boards: &[Board], moves: &[(Square, Square)], turn: usize) -> Freedom {
    let mut others = legal_moves(rules, &boards[turn]);
    others.remove(&moves[turn]);
    let ways_out = others.iter().filter(|&&other| is_way_out(rules, &boards[turn], other, boards));
    Freedom { ways_out: ways_out.count() as u64, others: others.len() as u64, turn }
}

/// The share as a numerator and a denominator; "0 where there is no other legal move".
fn share(freedom: Freedom) -> (u64, u64) {
    if freedom.others == 0 { (0, 1) } else { (freedom.ways_out, freedom.others) }
}

/// The freedom is 0.
fn is_zero(freedom: Freedom) -> bool {
    share(freedom).0 == 0
}

/// "Freedoms are compared as exact fractions."
fn compare(one: Freedom, other: Freedom) -> Ordering {
    let (a, b) = share(one);
    let (c, d) = share(other);
    (a * d).cmp(&(c * b))
}

/// "One freedom is less than half of the other."
fn is_less_than_half(one: Freedom, other: Freedom) -> bool {
    let (a, b) = share(one);
    let (c, d) = share(other);
    2 * a * d < c * b
}

/// A way out is a legal move "that leads to a position which does not stand in the record of this
/// game (up to and with the repetition), and after which the opponent cannot force a win within
/// three plies". "A move that wins or draws at once is a way out."
///
/// The caller leaves out the move that was played.
pub fn is_way_out(rules: &Rules, board: &Board, mv: (Square, Square), record: &[Board]) -> bool {
    let played = play_legal_move(rules, board, mv.0, mv.1);
    match played.ending {
        Some((winner, _)) => winner != Some(board.to_move.opponent()),
        None => !record.contains(&played.board) && !can_force_a_win(rules, &played.board),
    }
}

/// The player to move can force a win within three plies: he has a "winning move at once", or a
/// "move after which every reply allows one". "The look-ahead leaves repetition out."
fn can_force_a_win(rules: &Rules, board: &Board) -> bool {
    can_win_at_once(rules, board) || can_win_with_the_second_move(rules, board)
}

/// The player to move has a winning move.
fn can_win_at_once(rules: &Rules, board: &Board) -> bool {
    legal_moves(rules, board).into_iter().any(|(from, to)| {
        let ending = play_legal_move(rules, board, from, to).ending;
        matches!(ending, Some((Some(winner), _)) if winner == board.to_move)
    })
}

/// The player to move has a move after which every reply allows a winning move.
fn can_win_with_the_second_move(rules: &Rules, board: &Board) -> bool {
    legal_moves(rules, board).into_iter().any(|(from, to)| {
        let played = play_legal_move(rules, board, from, to);
        played.ending.is_none() && every_reply_allows_a_win(rules, &played.board)
    })
}

/// Whatever the player to move answers, his opponent can win at once; "a reply that wins or draws
/// does not" allow it.
fn every_reply_allows_a_win(rules: &Rules, board: &Board) -> bool {
    legal_moves(rules, board).into_iter().all(|(from, to)| {
        let played = play_legal_move(rules, board, from, to);
        match played.ending {
            Some((winner, _)) => winner == Some(board.to_move.opponent()),
            None => can_win_at_once(rules, &played.board),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(attackers: (u64, u64), defenders: (u64, u64)) -> (Option<Side>, Basis) {
        let freedom = |(ways_out, others)| Freedom { ways_out, others, turn: 0 };
        aggressor(freedom(attackers), freedom(defenders), Side::Attackers)
    }

    #[test]
    fn nobody_is_the_aggressor_when_both_freedoms_are_zero() {
        assert_eq!(decide((0, 5), (0, 9)), (None, Basis::NobodyFree));
        assert_eq!(decide((0, 0), (0, 9)), (None, Basis::NobodyFree));
        assert_eq!(decide((0, 0), (0, 0)), (None, Basis::NobodyFree));
    }

    #[test]
    fn the_much_freer_side_is_the_aggressor() {
        let attackers = (Some(Side::Attackers), Basis::OneMuchFreer);
        let defenders = (Some(Side::Defenders), Basis::OneMuchFreer);
        assert_eq!(decide((1, 99), (0, 9)), attackers);
        assert_eq!(decide((1, 99), (0, 0)), attackers);
        assert_eq!(decide((0, 99), (1, 9)), defenders);
        assert_eq!(decide((1, 3), (67, 100)), defenders);
        assert_eq!(decide((67, 100), (1, 3)), attackers);
    }

    #[test]
    fn otherwise_the_side_that_completed_the_repetition_is_the_aggressor() {
        let completed = (Some(Side::Attackers), Basis::CompletedIt);
        assert_eq!(decide((1, 3), (2, 3)), completed); // exactly half is not less than half
        assert_eq!(decide((1, 3), (4, 6)), completed);
        assert_eq!(decide((2, 3), (1, 3)), completed);
        assert_eq!(decide((7, 9), (7, 9)), completed);
    }
}
