//! The referee of repetition: who could have done something else, with the reasons.
//!
//! Two of the old leaflets let "the aggressive player" lose who keeps a repetition going, "the one who has some choice
//! in whether to repeat the pattern or not". Here is what that means, move by move, so that it is decided the same
//! way every time:
//!
//! 1. A *way out* for a side, at one of its turns, is a legal move other than the one it played that leads to a
//!    position which does not stand in the record, and after which the opponent cannot force a win within three plies.
//!    A move that wins or draws at once is a way out.
//! 2. A side's *freedom* is the smallest share, over its turns in the cycle, of its other legal moves that are ways
//!    out. Who is hunted has little freedom, who hunts has much.
//! 3. Nobody has any freedom: nobody is the aggressor.
//! 4. One has less than half of the other's: the freer side is the aggressor.
//! 5. Otherwise the side whose move completed the repetition is.

use super::apply::{Outcome, Played};
use super::moves::Move;
use super::piece::Side;
use super::position::Position;
use super::rulebook::Rulebook;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::Range;

/// A position that comes about for the third time or more, and what follows from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recurrence {
    /// After how many plies the position stood on the board each time, this time included; 0 is the start.
    pub occurrences: Vec<usize>,
    /// What follows.
    pub consequence: Consequence,
    /// Who could have done something else, under rules that ask.
    pub verdict: Option<Verdict>,
}

/// What follows from a third occurrence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Consequence {
    /// The game is drawn.
    Draw,
    /// This side loses.
    Loss(Side),
    /// The move may not be played: its player is the one who has to do something else.
    Refused,
    /// The game goes on: it is the opponent who has to do something else.
    GoesOn,
}

/// Who could have stopped a repetition, and how that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The plies from the previous occurrence to this one; ply 0 is the first of the game.
    pub cycle: Range<usize>,
    /// Who completed the repetition.
    pub completed_by: Side,
    /// What the attackers could have done instead.
    pub attackers: Freedom,
    /// What the king's side could have done instead.
    pub defenders: Freedom,
    /// The side that could have stopped it, if there is one.
    pub aggressor: Option<Side>,
    /// By which rule it was found.
    pub basis: Basis,
}

/// By which rule an aggressor was found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Basis {
    /// Neither side could have done anything else.
    NobodyFree,
    /// One side had less than half of the other's freedom.
    OneMuchFreer,
    /// Both could have done something else, so it is the one who completed the repetition.
    CompletedIt,
}

/// How free a side was at the turn of the cycle at which it was the least free.
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
    /// Compares two freedoms, the second one multiplied, as exact fractions.
    fn compare(&self, times: u64, other: &Self) -> Ordering {
        // With no other legal move, no way out either: 0 of 1 is the same share.
        let parts = |freedom: &Self| (u64::from(freedom.ways_out), u64::from(freedom.others.max(1)));
        let ((mine, of_mine), (others, of_others)) = (parts(self), parts(other));
        (times * mine * of_others).cmp(&(others * of_mine))
    }
}

impl Verdict {
    /// Gives the freedom of a side.
    #[must_use]
    pub const fn freedom(&self, side: Side) -> &Freedom {
        match side {
            Side::Attackers => &self.attackers,
            Side::Defenders => &self.defenders,
        }
    }
}

/// Judges the cycle at the end of `plies`, which begin at `start`.
pub(super) fn judge(book: &Rulebook, start: &Position, plies: &[Played], cycle: Range<usize>) -> Verdict {
    let before = |turn: usize| if turn == 0 { start } else { &plies[turn - 1].position };
    let record: HashSet<Position> = plies.iter().map(|ply| ply.position).chain([*start]).collect();
    let freedom_of = |side: Side| {
        let turns = cycle.clone().filter(|turn| before(*turn).to_move() == side);
        let freedoms = turns.map(|turn| freedom_at(book, before(turn), plies[turn].mv, turn, &record));
        // The first of equals is kept.
        freedoms.reduce(|least, next| if next.compare(1, &least) == Ordering::Less { next } else { least })
    };
    // A cycle brings the turn back to the same side, so both sides have a turn in it.
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

fn freedom_at(book: &Rulebook, position: &Position, chosen: Move, turn: usize, record: &HashSet<Position>) -> Freedom {
    let mut freedom = Freedom { ways_out: 0, others: 0, turn, example: None };
    for mv in book.legal_moves(position).filter(|mv| *mv != chosen) {
        freedom.others += 1;
        if is_way_out(book, position, mv, record) {
            freedom.ways_out += 1;
            freedom.example.get_or_insert(mv);
        }
    }
    freedom
}

fn is_way_out(book: &Rulebook, position: &Position, mv: Move, record: &HashSet<Position>) -> bool {
    let played = book.apply(position, mv);
    match played.outcome {
        Some(outcome) => outcome.winner != Some(played.position.to_move()),
        None => !record.contains(&played.position) && !forces_win(book, &played.position),
    }
}

/// Tells whether the player whose turn it is can win with this move or, whatever the answer, with the next one.
fn forces_win(book: &Rulebook, position: &Position) -> bool {
    wins_at_once(book, position)
        || book.legal_moves(position).any(|mv| {
            let threat = book.apply(position, mv);
            threat.outcome.is_none()
                && book.legal_moves(&threat.position).all(|answer| {
                    let answered = book.apply(&threat.position, answer);
                    answered.outcome.is_none() && wins_at_once(book, &answered.position)
                })
        })
}

/// Tells whether the player whose turn it is has a move that wins.
fn wins_at_once(book: &Rulebook, position: &Position) -> bool {
    let wins = |outcome: Outcome| outcome.winner == Some(position.to_move());
    book.may_win(position) && book.legal_moves(position).any(|mv| book.apply(position, mv).outcome.is_some_and(wins))
}

#[cfg(test)]
mod tests {
    use super::super::random::walk;
    use super::*;

    /// `may_win` only ever spares work.
    #[test]
    fn nothing_that_wins_is_passed_over() {
        let (mut won, mut spared) = (0, 0);
        for (book, position) in walk(40_000) {
            let wins = |mv| book.apply(&position, mv).outcome.is_some_and(|o| o.winner == Some(position.to_move()));
            let truly = book.legal_moves(&position).any(wins);
            assert_eq!(wins_at_once(&book, &position), truly, "{position:?}");
            won += u32::from(truly);
            spared += u32::from(!book.may_win(&position));
        }
        assert!(won > 1_000, "only {won} of the positions could be won");
        assert!(spared > 1_000, "only {spared} of the positions were spared");
    }
}
