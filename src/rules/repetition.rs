//! Judges repetition: which side could have avoided it, and why.
//!
//! Two of the old leaflets say that the player who keeps a repetition going, "the aggressive player", loses: "the one who
//! has some choice in whether to repeat the pattern or not". This is what that means, move by move, so that it is decided
//! the same way every time:
//!
//! 1. A *way out* for a side, at one of its turns, is a legal move other than the one it played that leads to a
//!    position which is not in the record, and after which the opponent cannot force a win within three plies.
//!    A move that wins or draws at once is a way out.
//! 2. A side's *freedom* is the smallest share, over its turns in the cycle, of its other legal moves that are ways
//!    out. A side that is hunted has little freedom, and one that hunts has much.
//! 3. If neither side has any freedom, there is no aggressor.
//! 4. If one has less than half of the other's, the freer side is the aggressor.
//! 5. Otherwise the side whose move completed the repetition is.
//!
//! ```
//! use ratatosk::rules::{Consequence, Side, Variant};
//!
//! // Both sides move to and fro, though they could do anything else.
//! let variant = Variant::find("brandubh").unwrap();
//! let mut game = variant.new_record(variant.default_layout());
//! for typed in ["d1-c1", "d3-c3", "c1-d1", "c3-d3", "d1-c1", "d3-c3", "c1-d1"] {
//!     game.play_typed(typed)?;
//! }
//! let third = game.try_typed("c3-d3")?;
//! let repetition = third.repetition().unwrap();
//! assert_eq!(repetition.occurrences, [0, 4, 8]);
//! assert_eq!(repetition.consequence, Consequence::Loss(Side::Defenders));
//! # Ok::<(), ratatosk::rules::IllegalMove>(())
//! ```

use super::apply::Outcome;
use super::moves::Move;
use super::piece::Side;
use super::position::Position;
use super::record::Record;
use super::rulebook::Rulebook;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::Range;

/// The third or a later occurrence of a position, and what follows from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repetition {
    /// The numbers of plies after which the position was on the board, this time included; 0 is the start.
    pub occurrences: Vec<usize>,
    pub consequence: Consequence,
    /// Which side could have avoided it, under rules for which that matters.
    pub verdict: Option<Verdict>,
}

/// What follows from a third occurrence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Consequence {
    /// The game is drawn.
    Draw,
    Loss(Side),
    /// The move may not be played: its side is the one that has to vary.
    Refused,
    /// The game goes on: the other side has to vary.
    GoesOn,
}

/// Which side could have avoided a repetition, and how that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The plies from the previous occurrence to this one; ply 0 is the first of the game.
    pub cycle: Range<usize>,
    /// The side that completed the repetition.
    pub completed_by: Side,
    /// What the attackers could have done instead.
    pub attackers: Freedom,
    /// What the king's side could have done instead.
    pub defenders: Freedom,
    /// The side that could have avoided it, if there is one.
    pub aggressor: Option<Side>,
    /// The rule by which it was found.
    pub basis: Basis,
}

/// The rule by which an aggressor was found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Basis {
    /// Neither side could have avoided it.
    NobodyFree,
    /// One side had less than half of the other's freedom.
    OneMuchFreer,
    /// Both could have avoided it, so it is the one that completed the repetition.
    CompletedIt,
}

/// How free a side was at the turn in the cycle where it was least free.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Freedom {
    /// How many of its other moves were ways out.
    pub ways_out: u32,
    /// How many legal moves it had besides the one that it played.
    pub others: u32,
    /// Which ply of the game this was, counted from 0.
    pub turn: usize,
    /// One of the ways out.
    pub example: Option<Move>,
}

impl Freedom {
    /// Compares `times` times this freedom with the other one, as exact fractions.
    fn compare(&self, times: u64, other: &Self) -> Ordering {
        // With no other legal move, no way out either: 0 of 1 is the same share.
        let parts = |freedom: &Self| (u64::from(freedom.ways_out), u64::from(freedom.others.max(1)));
        let ((mine, of_mine), (others, of_others)) = (parts(self), parts(other));
        (times * mine * of_others).cmp(&(others * of_mine))
    }
}

impl Verdict {
    /// Returns the freedom of a side.
    #[must_use]
    pub const fn freedom(&self, side: Side) -> &Freedom {
        match side {
            Side::Attackers => &self.attackers,
            Side::Defenders => &self.defenders,
        }
    }
}

/// Judges the cycle at the end of a game.
pub(super) fn judge(game: &Record, cycle: Range<usize>) -> Verdict {
    let rulebook = game.rulebook();
    let before = |turn: usize| game.position_after(turn);
    // Turns of the cycle are plies of the game, so indexing them cannot fail.
    let seen: HashSet<Position> = game.plies().iter().map(|ply| ply.position).chain([*game.start_position()]).collect();
    let freedom_of = |side: Side| {
        let turns = cycle.clone().filter(|turn| before(*turn).to_move() == side);
        let freedoms = turns.map(|turn| freedom_at(rulebook, before(turn), game.plies()[turn].mv, turn, &seen));
        // Of equal ones, the first is kept.
        freedoms.reduce(|least, next| if next.compare(1, &least) == Ordering::Less { next } else { least })
    };
    // A cycle ends with the same side to move as it begins, so both sides have a turn in it.
    let nothing = Freedom { ways_out: 0, others: 0, turn: cycle.start, example: None };
    let attackers = freedom_of(Side::Attackers).unwrap_or(nothing);
    let defenders = freedom_of(Side::Defenders).unwrap_or(nothing);
    let completed_by = before(cycle.end).to_move().opponent();
    let (aggressor, basis) = if attackers.ways_out == 0 && defenders.ways_out == 0 {
        (None, Basis::NobodyFree)
    } else if attackers.compare(2, &defenders) == Ordering::Less {
        (Some(Side::Defenders), Basis::OneMuchFreer)
    } else if defenders.compare(2, &attackers) == Ordering::Less {
        (Some(Side::Attackers), Basis::OneMuchFreer)
    } else {
        (Some(completed_by), Basis::CompletedIt)
    };
    Verdict { cycle, completed_by, attackers, defenders, aggressor, basis }
}

fn freedom_at(
    rulebook: &Rulebook,
    position: &Position,
    chosen: Move,
    turn: usize,
    seen: &HashSet<Position>,
) -> Freedom {
    let mut freedom = Freedom { ways_out: 0, others: 0, turn, example: None };
    for mv in rulebook.legal_moves(position).filter(|mv| *mv != chosen) {
        freedom.others += 1;
        if is_way_out(rulebook, position, mv, seen) {
            freedom.ways_out += 1;
            freedom.example.get_or_insert(mv);
        }
    }
    freedom
}

fn is_way_out(rulebook: &Rulebook, position: &Position, mv: Move, seen: &HashSet<Position>) -> bool {
    let played = rulebook.apply(position, mv);
    match played.outcome {
        Some(outcome) => outcome.winner() != Some(played.position.to_move()),
        None => !seen.contains(&played.position) && !forces_win(rulebook, &played.position),
    }
}

/// Returns whether the side to move can win with its next move or, whatever the answer, with the one after it.
fn forces_win(rulebook: &Rulebook, position: &Position) -> bool {
    wins_at_once(rulebook, position)
        || rulebook.legal_moves(position).any(|mv| {
            let threat = rulebook.apply(position, mv);
            threat.outcome.is_none()
                && rulebook.legal_moves(&threat.position).all(|answer| {
                    let answered = rulebook.apply(&threat.position, answer);
                    answered.outcome.is_none() && wins_at_once(rulebook, &answered.position)
                })
        })
}

/// Returns whether the side to move has a winning move.
fn wins_at_once(rulebook: &Rulebook, position: &Position) -> bool {
    let wins = |outcome: Outcome| outcome.winner() == Some(position.to_move());
    rulebook.may_win(position)
        && rulebook.legal_moves(position).any(|mv| rulebook.apply(position, mv).outcome.is_some_and(wins))
}

#[cfg(test)]
mod tests {
    use super::super::random::walk;
    use super::*;

    /// Checks that `may_win`, which only saves work, leaves out no winning move.
    #[test]
    fn no_winning_move_is_missed() {
        let (mut won, mut spared) = (0, 0);
        for (rulebook, position) in walk(40_000) {
            let wins =
                |mv| rulebook.apply(&position, mv).outcome.is_some_and(|o| o.winner() == Some(position.to_move()));
            let truly = rulebook.legal_moves(&position).any(wins);
            assert_eq!(wins_at_once(&rulebook, &position), truly, "{position:?}");
            won += u32::from(truly);
            spared += u32::from(!rulebook.may_win(&position));
        }
        assert!(won > 1_000, "only {won} of the positions could be won");
        assert!(spared > 1_000, "only {spared} of the positions were spared");
    }
}
