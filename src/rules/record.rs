//! The record of a game: every move from the start, and with it what depends on more than the position.

use super::apply::{Outcome, Played, Reason};
use super::moves::Move;
use super::notation;
use super::piece::Side;
use super::position::Position;
use super::refusal::IllegalMove;
use super::repetition::{Consequence, Recurrence, Verdict, judge};
use super::rulebook::Rulebook;
use super::rules::Repetition;
use std::sync::Arc;

/// A game from its start to now, under its rules.
#[derive(Clone, Debug)]
pub struct Record {
    book: Arc<Rulebook>,
    start: Position,
    plies: Vec<Played>,
}

impl Record {
    /// Begins a game.
    #[must_use]
    pub const fn new(book: Arc<Rulebook>, start: Position) -> Self {
        Self { book, start, plies: Vec::new() }
    }

    /// Gives the rules of the game.
    #[must_use]
    pub fn book(&self) -> &Arc<Rulebook> {
        &self.book
    }

    /// Gives the first position.
    #[must_use]
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// Gives the moves that were made.
    #[must_use]
    pub fn plies(&self) -> &[Played] {
        &self.plies
    }

    /// Gives the position on the board.
    #[must_use]
    pub fn position(&self) -> &Position {
        self.position_after(self.plies.len())
    }

    /// Tells how the game ended on the board, if it did.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.plies.last().and_then(|ply| ply.outcome)
    }

    /// Tells how often the position on the board has occurred: once if it is new.
    #[must_use]
    pub fn occurrences(&self) -> usize {
        self.occurrences_of(self.position()).count()
    }

    /// Understands a typed move, or says why it cannot be played; repetition is left out.
    pub fn read(&self, typed: &str) -> Result<Move, IllegalMove> {
        self.check_not_over()?;
        notation::read_move(&self.book, self.position(), typed).map_err(|refusal| match refusal {
            // The example must be a move that would not be refused.
            IllegalMove::NotUnderstood { .. } => IllegalMove::NotUnderstood { example: self.offered_moves().next() },
            other => other,
        })
    }

    /// Plays a move, or says why it cannot be played; then nothing has changed.
    pub fn play(&mut self, mv: Move) -> Result<&Played, IllegalMove> {
        self.check_not_over()?;
        let mut played = self.book.play(self.position(), mv)?;
        if let Some(recurrence) = self.recurrence(played) {
            let ends = |aggressor: Option<Side>| {
                let winner = aggressor.map(Side::opponent);
                Some(Outcome { winner, reason: Reason::Repetition { aggressor } })
            };
            played.outcome = match recurrence.consequence {
                Consequence::Refused => return Err(IllegalMove::MustVary(Box::new(recurrence))),
                Consequence::GoesOn => None,
                Consequence::Draw => ends(None),
                Consequence::Loss(aggressor) => ends(Some(aggressor)),
            };
        }
        self.plies.push(played);
        Ok(&self.plies[self.plies.len() - 1])
    }

    /// Tells whether a legal move would bring a position about for the third time or more, and what would follow.
    pub fn what_if(&self, mv: Move) -> Result<Option<Recurrence>, IllegalMove> {
        self.check_not_over()?;
        let played = self.book.play(self.position(), mv)?;
        Ok(self.recurrence(played))
    }

    /// Tells what the last move brought about for the third time or more, if it did.
    #[must_use]
    pub fn last_recurrence(&self) -> Option<Recurrence> {
        let (last, earlier) = self.plies.split_last()?;
        let before = Self { book: Arc::clone(&self.book), start: self.start, plies: earlier.to_vec() };
        // How it ended is what is asked for, so that it must not be known.
        before.recurrence(Played { outcome: None, ..*last })
    }

    /// Finds who could have stopped the repetition that a legal move would complete, whatever the rules make of it.
    pub fn judge_if(&self, mv: Move) -> Result<Option<(Vec<usize>, Verdict)>, IllegalMove> {
        let played = self.book.play(self.position(), mv)?;
        let judged = |occurrences: Vec<usize>| {
            let verdict = self.verdict(played, &occurrences);
            (occurrences, verdict)
        };
        Ok(self.third_occurrence(&played).map(judged))
    }

    /// Gives the moves that can be played now, without those that would be refused because of repetition.
    pub fn offered_moves(&self) -> impl Iterator<Item = Move> {
        let over = self.outcome().is_some();
        self.book.legal_moves(self.position()).filter(move |mv| !over && !self.would_be_refused(*mv))
    }

    /// Takes the last moves back; they leave the record.
    pub fn take_back(&mut self, plies: usize) {
        self.plies.truncate(self.plies.len().saturating_sub(plies));
    }

    fn check_not_over(&self) -> Result<(), IllegalMove> {
        self.outcome().map_or(Ok(()), |outcome| Err(IllegalMove::GameOver(outcome)))
    }

    fn would_be_refused(&self, mv: Move) -> bool {
        let refusing = self.book.rules().repetition == Repetition::AggressorMustVary;
        let recurrence = || self.recurrence(self.book.apply(self.position(), mv));
        refusing && recurrence().is_some_and(|recurrence| recurrence.consequence == Consequence::Refused)
    }

    fn position_after(&self, plies: usize) -> &Position {
        plies.checked_sub(1).map_or(&self.start, |last| &self.plies[last].position)
    }

    /// Gives the numbers of plies after which a position stood on the board.
    fn occurrences_of(&self, position: &Position) -> impl Iterator<Item = usize> {
        (0..=self.plies.len()).filter(move |plies| self.position_after(*plies) == position)
    }

    /// Gives the plies after which the position that comes of a move stood or would stand, if they are three or more.
    fn third_occurrence(&self, played: &Played) -> Option<Vec<usize>> {
        let mut earlier = self.occurrences_of(&played.position);
        let (first, second) = (earlier.next()?, earlier.next()?);
        let mut occurrences = vec![first, second];
        occurrences.extend(earlier);
        occurrences.push(self.plies.len() + 1);
        Some(occurrences)
    }

    /// Finds who could have stopped the repetition that a move would complete.
    fn verdict(&self, played: Played, occurrences: &[usize]) -> Verdict {
        let mut plies = self.plies.clone();
        plies.push(played);
        let cycle = occurrences[occurrences.len() - 2]..plies.len();
        judge(&self.book, &self.start, &plies, cycle)
    }

    /// Tells what follows from the repetition that a move would complete, if it would.
    fn recurrence(&self, played: Played) -> Option<Recurrence> {
        let policy = self.book.rules().repetition;
        if policy == Repetition::Allowed || played.outcome.is_some() {
            return None;
        }
        let occurrences = self.third_occurrence(&played)?;
        let needs_verdict = matches!(policy, Repetition::AggressorLoses | Repetition::AggressorMustVary);
        let verdict = needs_verdict.then(|| self.verdict(played, &occurrences));
        let consequence = match (policy, verdict.as_ref().and_then(|verdict| verdict.aggressor)) {
            (Repetition::AggressorLoses, Some(aggressor)) => Consequence::Loss(aggressor),
            (Repetition::AggressorMustVary, Some(aggressor)) if aggressor == played.piece.side() => {
                Consequence::Refused
            }
            (Repetition::AggressorMustVary, Some(_)) => Consequence::GoesOn,
            (_, _) => Consequence::Draw,
        };
        Some(Recurrence { occurrences, consequence, verdict })
    }
}

/// Two records are the same game if they have the same rules, the same start and the same moves.
impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        self.book.rules() == other.book.rules() && self.start == other.start && self.plies == other.plies
    }
}

impl Eq for Record {}

/// Tells which side made a ply, counted from 0, when `first` began.
#[must_use]
pub const fn side_of_ply(first: Side, ply: usize) -> Side {
    if ply.is_multiple_of(2) { first } else { first.opponent() }
}
