//! The record of a game: every move from the start, and everything that depends on more than the position.

use super::apply::{Outcome, Played};
use super::illegal_move::IllegalMove;
use super::moves::Move;
use super::notation::{self, WrittenMove};
use super::piece::Side;
use super::plies::Plies;
use super::position::Position;
use super::repetition::{Consequence, Repetition, Verdict, judge};
use super::rulebook::Rulebook;
use super::rules::RepetitionRule;
use std::sync::Arc;

/// A game from its start to now, under its rules.
///
/// Cheap to clone: copies share the rules and the moves.
///
/// ```
/// use ratatosk::rules::{IllegalMove, Variant};
///
/// let variant = Variant::find("brandubh").unwrap();
/// let mut game = variant.new_record(variant.default_layout());
///
/// let played = game.play_typed("d1-b1")?;
/// assert!(played.all_captures().is_empty());
///
/// // An illegal move says why, and changes nothing.
/// assert!(matches!(game.play_typed("d4-d6"), Err(IllegalMove::InTheWay { .. })));
/// assert_eq!(game.plies().len(), 1);
/// # Ok::<(), IllegalMove>(())
/// ```
#[derive(Clone, Debug)]
pub struct Record {
    rulebook: Arc<Rulebook>,
    start: Position,
    plies: Plies,
}

/// A legal move, applied but not yet played: what it does, and the game after it.
///
/// Made by [`Record::try_typed`] and [`Record::try_move`], so that a move is applied once, whether it is only shown to
/// the player or played in the end.
///
/// ```
/// use ratatosk::rules::Variant;
///
/// let variant = Variant::find("brandubh").unwrap();
/// let game = variant.new_record(variant.default_layout());
/// let candidate = game.try_typed("d1 to c1")?;
/// assert_eq!(candidate.played().to_string(), "d1-c1");
/// assert!(candidate.repetition().is_none());
/// assert_eq!(candidate.into_record().plies().len(), 1);
/// assert!(game.plies().is_empty());
/// # Ok::<(), ratatosk::rules::IllegalMove>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    played: Played,
    repetition: Option<Repetition>,
    record: Record,
}

impl Candidate {
    /// Returns the move.
    #[must_use]
    pub const fn mv(&self) -> Move {
        self.played.mv
    }

    /// Returns the move with everything that it does.
    #[must_use]
    pub const fn played(&self) -> &Played {
        &self.played
    }

    /// Returns what the move repeats for the third time or more, if it does, and what follows from that.
    #[must_use]
    pub const fn repetition(&self) -> Option<&Repetition> {
        self.repetition.as_ref()
    }

    /// Returns the game after the move.
    #[must_use]
    pub fn into_record(self) -> Record {
        self.record
    }
}

impl Record {
    /// Begins a game.
    #[must_use]
    pub fn new(rulebook: Arc<Rulebook>, start: Position) -> Self {
        Self { rulebook, start, plies: Plies::default() }
    }

    /// Returns the rules of the game.
    #[must_use]
    pub fn rulebook(&self) -> &Arc<Rulebook> {
        &self.rulebook
    }

    /// Returns the first position.
    #[must_use]
    pub const fn start_position(&self) -> &Position {
        &self.start
    }

    /// Returns the moves that were made.
    #[must_use]
    pub const fn plies(&self) -> &Plies {
        &self.plies
    }

    /// Returns the position on the board.
    #[must_use]
    pub fn position(&self) -> &Position {
        self.plies.last().map_or(&self.start, |last| &last.position)
    }

    /// Returns the side that makes a ply, counted from 0, whether or not it has been played yet.
    #[must_use]
    pub const fn side_of_ply(&self, ply: usize) -> Side {
        let first = self.start.to_move();
        if ply.is_multiple_of(2) { first } else { first.opponent() }
    }

    /// Returns how the game ended on the board, if it did.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.plies.last().and_then(|ply| ply.outcome)
    }

    /// Returns how often the position on the board has occurred: once if it is new.
    #[must_use]
    pub fn occurrences(&self) -> usize {
        self.occurrences_of(self.position()).len()
    }

    /// Reads a typed move without applying it. If the text is not a move, the error has an example that can be played
    /// now.
    ///
    /// See [`notation::read_move`] for what can be typed.
    ///
    /// # Errors
    /// Says that the text is not a move, or which square is not on the board.
    pub fn read_move(&self, typed: &str) -> Result<WrittenMove, IllegalMove> {
        let written = notation::read_written(&self.rulebook, typed);
        // The example must be a move that would not be refused because of repetition.
        written.map_err(|error| error.with_example(|| self.playable_moves().next()))
    }

    /// Reads a typed move and applies it to a copy of the game.
    ///
    /// # Errors
    /// Says why the text is not a move, or why the move cannot be played.
    pub fn try_typed(&self, typed: &str) -> Result<Candidate, IllegalMove> {
        self.check_not_over()?;
        self.try_move(self.read_move(typed)?)
    }

    /// Applies a move to a copy of the game.
    ///
    /// # Errors
    /// Says why the move cannot be played, or that it does not do what its text says.
    pub fn try_move(&self, mv: impl Into<WrittenMove>) -> Result<Candidate, IllegalMove> {
        let (played, repetition) = self.apply(mv.into())?;
        let mut record = self.clone();
        record.plies.push(played);
        Ok(Candidate { played, repetition, record })
    }

    /// Plays a move.
    ///
    /// # Errors
    /// Says why the move cannot be played, or that it does not do what its text says; then nothing has changed.
    pub fn play(&mut self, mv: impl Into<WrittenMove>) -> Result<&Played, IllegalMove> {
        let (played, _) = self.apply(mv.into())?;
        self.plies.push(played);
        // A move was just pushed.
        Ok(&self.plies[self.plies.len() - 1])
    }

    /// Reads a typed move and plays it.
    ///
    /// # Errors
    /// Says why the text is not a move, or why the move cannot be played; then nothing has changed.
    pub fn play_typed(&mut self, typed: &str) -> Result<&Played, IllegalMove> {
        self.check_not_over()?;
        self.play(self.read_move(typed)?)
    }

    /// Returns what the last move repeated for the third time or more, if it did.
    #[must_use]
    pub fn last_repetition(&self) -> Option<Repetition> {
        let last = *self.plies.last()?;
        let mut before = self.clone();
        before.take_back(1);
        // A move that ends the game repeats nothing, so the outcome by repetition must not be part of it.
        before.repetition_by(last.without_repetition())
    }

    /// Judges which side could have avoided the repetition that a move would complete, even if that does not matter
    /// under the rules.
    ///
    /// Returns the occurrences of the position and the verdict, or nothing if the move completes no repetition.
    ///
    /// # Errors
    /// Says why the move cannot be played.
    pub fn judge_repetition(&self, mv: Move) -> Result<Option<(Vec<usize>, Verdict)>, IllegalMove> {
        let played = self.rulebook.play(self.position(), mv)?;
        let judged = |occurrences: Vec<usize>| {
            let verdict = self.verdict(played, &occurrences);
            (occurrences, verdict)
        };
        Ok(self.third_occurrence(&played).map(judged))
    }

    /// Returns the moves that can be played now, without those that would be refused because of repetition.
    pub fn playable_moves(&self) -> impl Iterator<Item = Move> {
        let over = self.outcome().is_some();
        self.rulebook.legal_moves(self.position()).filter(move |mv| !over && !self.would_be_refused(*mv))
    }

    /// Removes the last moves.
    pub fn take_back(&mut self, plies: usize) {
        self.plies.truncate(self.plies.len().saturating_sub(plies));
    }

    fn check_not_over(&self) -> Result<(), IllegalMove> {
        self.outcome().map_or(Ok(()), |outcome| Err(IllegalMove::GameOver(outcome)))
    }

    /// Applies a move to the position on the board, and judges what it repeats.
    fn apply(&self, mv: WrittenMove) -> Result<(Played, Option<Repetition>), IllegalMove> {
        self.check_not_over()?;
        let mut played = notation::apply_written(&self.rulebook, self.position(), mv)?;
        let repetition = self.repetition_by(played);
        if let Some(repetition) = &repetition {
            played.outcome = match repetition.consequence {
                Consequence::Refused => return Err(IllegalMove::MustVary(Box::new(repetition.clone()))),
                Consequence::GoesOn => None,
                Consequence::Draw => Some(Outcome::Repetition { aggressor: None }),
                Consequence::Loss(aggressor) => Some(Outcome::Repetition { aggressor: Some(aggressor) }),
            };
        }
        Ok((played, repetition))
    }

    fn would_be_refused(&self, mv: Move) -> bool {
        let refusing = self.rulebook.rules().repetition == RepetitionRule::AggressorMustVary;
        let repetition = || self.repetition_by(self.rulebook.apply(self.position(), mv));
        refusing && repetition().is_some_and(|repetition| repetition.consequence == Consequence::Refused)
    }

    /// Returns the position after a number of plies, which the game must have.
    pub(super) fn position_after(&self, plies: usize) -> &Position {
        plies.checked_sub(1).map_or(&self.start, |last| &self.plies[last].position)
    }

    /// Returns the numbers of plies after which a position was on the board, in order.
    fn occurrences_of(&self, position: &Position) -> Vec<usize> {
        let mut found = Vec::new();
        for (ply, played) in self.plies.iter().enumerate().rev() {
            if played.position == *position {
                found.push(ply + 1);
            }
            // Captured pieces never return, so no position from before a capture can occur again.
            if !played.captures.is_empty() {
                found.reverse();
                return found;
            }
        }
        if self.start == *position {
            found.push(0);
        }
        found.reverse();
        found
    }

    /// Returns the numbers of plies after which the position that a move leads to has occurred, the move included, if
    /// there are three or more.
    fn third_occurrence(&self, played: &Played) -> Option<Vec<usize>> {
        if !played.captures.is_empty() {
            return None;
        }
        let mut occurrences = self.occurrences_of(&played.position);
        occurrences.push(self.plies.len() + 1);
        (occurrences.len() >= 3).then_some(occurrences)
    }

    /// Judges which side could have avoided the repetition that a move would complete.
    fn verdict(&self, played: Played, occurrences: &[usize]) -> Verdict {
        let mut completed = self.clone();
        completed.plies.push(played);
        // There are at least three: see `third_occurrence`.
        let cycle = occurrences[occurrences.len() - 2]..completed.plies.len();
        judge(&completed, cycle)
    }

    /// Returns what follows from the repetition that a move would complete, if it would.
    fn repetition_by(&self, played: Played) -> Option<Repetition> {
        let policy = self.rulebook.rules().repetition;
        if policy == RepetitionRule::Allowed || played.outcome.is_some() {
            return None;
        }
        let occurrences = self.third_occurrence(&played)?;
        let needs_verdict = matches!(policy, RepetitionRule::AggressorLoses | RepetitionRule::AggressorMustVary);
        let verdict = needs_verdict.then(|| self.verdict(played, &occurrences));
        let consequence = match (policy, verdict.as_ref().and_then(|verdict| verdict.aggressor)) {
            (RepetitionRule::AggressorLoses, Some(aggressor)) => Consequence::Loss(aggressor),
            (RepetitionRule::AggressorMustVary, Some(aggressor)) if aggressor == played.piece.side() => {
                Consequence::Refused
            }
            (RepetitionRule::AggressorMustVary, Some(_)) => Consequence::GoesOn,
            (_, _) => Consequence::Draw,
        };
        Some(Repetition { occurrences, consequence, verdict })
    }
}

/// Two records are the same game if they have the same rules, the same start and the same moves.
impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        self.rulebook.rules() == other.rulebook.rules() && self.start == other.start && self.plies == other.plies
    }
}

impl Eq for Record {}
