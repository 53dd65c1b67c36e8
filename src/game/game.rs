//! A game over days: the record of its moves, its clock, its offers and its result.

use super::action::{Action, Change, ClockChange};
use super::clock::{Clock, Due, Pace};
use super::event::GameEvent;
use super::ids::{GameId, Place, PlayerId, Players};
use super::offers::{OfferKind, Offers};
use super::refusal::Refusal;
use super::result::GameResult;
use super::time::Timestamp;
use crate::rules::rules::UnplayableRules;
use crate::rules::setup::BadSetup;
use crate::rules::{Candidate, Layout, Move, Record, Rulebook, Rules, Side, Variant};
use std::sync::Arc;

/// Everything that a new game needs.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Which game.
    pub variant: &'static Variant,
    /// How the men are set up.
    pub layout: &'static Layout,
    /// The rules that it is played by, for good: a variant that is corrected later does not change it.
    pub rules: Rules,
    /// Who plays.
    pub players: Players,
    /// How long a move may take.
    pub pace: Pace,
    /// Where it is played.
    pub place: Place,
}

impl Start {
    /// How many games a player may have running.
    pub const MOST_RUNNING: u32 = 50;
}

/// A game.
#[derive(Clone, Debug)]
pub struct Game {
    /// Its number.
    pub id: GameId,
    /// Grows by one with every change.
    pub version: u64,
    /// What it began with.
    pub start: Start,
    /// The moves.
    pub record: Record,
    /// When it began.
    pub began: Timestamp,
    /// When it last changed.
    pub changed: Timestamp,
    /// How long the player whose turn it is may think.
    pub clock: Clock,
    /// What the players have offered each other.
    pub offers: Offers,
    /// How it ended, if it did.
    pub result: Option<GameResult>,
}

/// Why a game cannot begin: its stored rules or layout make no game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CannotBegin {
    /// The rules.
    Rules(UnplayableRules),
    /// The layout.
    Layout(BadSetup),
}

impl Start {
    /// Puts the men on the board as the layout says.
    pub fn record(&self) -> Result<Record, CannotBegin> {
        self.record_from(self.layout.start)
    }

    /// Puts the men on the board as they stood when the game began, whatever the layout says by now.
    pub fn record_from(&self, first_position: &str) -> Result<Record, CannotBegin> {
        let book = Rulebook::new(self.rules).map_err(CannotBegin::Rules)?;
        let start = book.read_position(first_position, self.rules.first).map_err(CannotBegin::Layout)?;
        Ok(Record::new(Arc::new(book), start))
    }
}

impl Game {
    /// Begins a game.
    pub fn begin(id: GameId, start: Start, now: Timestamp) -> Result<Self, CannotBegin> {
        Ok(Self {
            id,
            version: 0,
            record: start.record()?,
            began: now,
            changed: now,
            clock: Clock::start(start.pace, now),
            offers: Offers::default(),
            result: None,
            start,
        })
    }

    /// Tells whose turn it is, while the game goes on.
    #[must_use]
    pub fn to_move(&self) -> Option<Side> {
        self.result.is_none().then(|| self.record.position().to_move())
    }

    /// Tells which player's turn it is, while the game goes on.
    #[must_use]
    pub fn player_to_move(&self) -> Option<PlayerId> {
        self.to_move().map(|side| self.start.players.of(side))
    }

    /// Tells whether both sides have moved.
    #[must_use]
    pub fn both_have_moved(&self) -> bool {
        self.record.plies().len() >= 2
    }

    /// Tells how many plies a takeback for this side would take back, if it can have one.
    #[must_use]
    pub fn takeback_plies(&self, side: Side) -> Option<usize> {
        // On the asker's own turn the opponent's answer goes, too.
        let plies = if self.record.position().to_move() == side { 2 } else { 1 };
        (self.record.plies().len() >= plies).then_some(plies)
    }

    /// Does what a player wants, or says why not.
    pub fn act(&self, player: PlayerId, action: Action, now: Timestamp) -> Result<Change, Refusal> {
        let side = self.start.players.side_of(player).ok_or(Refusal::NotYourGame)?;
        let about_rematch = |kind| matches!(kind, OfferKind::Rematch);
        match (action, self.result) {
            (Action::Offer(kind) | Action::Accept(kind) | Action::Decline(kind), None) if about_rematch(kind) => {
                Err(Refusal::NotOver)
            }
            (Action::Offer(kind) | Action::Accept(kind) | Action::Decline(kind), Some(_)) if about_rematch(kind) => {
                self.offer(side, action, now)
            }
            (_, Some(result)) => Err(Refusal::Over(result)),
            (Action::Move { mv, confirmed }, None) => self.play(side, mv, confirmed, now),
            (Action::Resign, None) => {
                let mut change = self.change(now);
                change.end(GameResult::Resigned { winner: side.opponent() });
                Ok(change)
            }
            (Action::Offer(_) | Action::Accept(_) | Action::Decline(_), None) => self.offer(side, action, now),
            (Action::Abort, None) => {
                if self.both_have_moved() {
                    return Err(Refusal::TooLateToAbort);
                }
                let mut change = self.change(now);
                change.end(GameResult::Aborted);
                Ok(change)
            }
            (Action::ClaimTime, None) => {
                self.check_opponent_is_thinking(side)?;
                match self.clock.flagged {
                    Some(_) => {}
                    None if now >= self.clock.deadline => return Err(Refusal::ClaimOpensSoon),
                    None => return Err(Refusal::TimeNotUp { deadline: self.clock.deadline }),
                }
                let mut change = self.change(now);
                change.clock = ClockChange::ReliesOn(self.clock);
                change.end(GameResult::Time { winner: side });
                Ok(change)
            }
            (Action::GiveTime, None) => {
                self.check_opponent_is_thinking(side)?;
                if self.clock.has_plenty(now.max(self.changed)) {
                    return Err(Refusal::PlentyOfTime);
                }
                let mut change = self.change(now);
                change.set_clock(self.clock.extended(change.game.changed));
                change.events.push(GameEvent::TimeGiven { deadline: change.game.clock.deadline });
                Ok(change)
            }
        }
    }

    /// Does what time does, if anything is due. Nobody is flagged before `grace_ends`.
    #[must_use]
    pub fn tick(&self, now: Timestamp, grace_ends: Timestamp) -> Option<Change> {
        let late = self.to_move()?;
        let due = self.clock.due(now, grace_ends)?;
        let mut change = self.change(now);
        change.clock = ClockChange::ReliesOn(self.clock);
        match due {
            Due::Reminder => {
                // The version stays, so that the buttons that were posted before still work.
                change.game = self.clone();
                change.set_clock(self.clock.with_reminder(now));
                let player = self.start.players.of(late);
                change.events.push(GameEvent::Reminder { player, deadline: change.game.clock.deadline });
            }
            Due::Flag if !self.both_have_moved() => change.end(GameResult::NeverBegan),
            Due::Flag => {
                change.set_clock(Clock { flagged: Some(change.game.changed), ..self.clock });
                change.events.push(GameEvent::TimeUp { late });
            }
            Due::Win => change.end(GameResult::Time { winner: late.opponent() }),
            Due::Closing => change.end(GameResult::Idle),
        }
        Some(change)
    }

    /// Ends the game without a result, as a moderator may.
    pub fn moderate(&self, now: Timestamp) -> Result<Change, Refusal> {
        if let Some(result) = self.result {
            return Err(Refusal::Over(result));
        }
        let mut change = self.change(now);
        change.end(GameResult::Moderated);
        Ok(change)
    }

    /// Moves the game to another place. While it goes on, the player to move gets the whole time again, because nobody
    /// could reach it where it was.
    #[must_use]
    pub fn relocate(&self, place: Place, now: Timestamp) -> Change {
        let mut change = self.change(now);
        change.game.changed = self.changed;
        change.game.start.place = place;
        if self.result.is_none() {
            change.set_clock(Clock::start(self.start.pace, now.max(self.changed)));
        }
        change
    }

    fn change(&self, now: Timestamp) -> Change {
        // A clock that was set back must not make time run backwards in a game.
        let changed = now.max(self.changed);
        let game = Self { version: self.version + 1, changed, ..self.clone() };
        Change { game, events: Vec::new(), rematch: None, clock: ClockChange::None }
    }

    fn check_opponent_is_thinking(&self, side: Side) -> Result<(), Refusal> {
        if self.start.pace == Pace::NONE {
            return Err(Refusal::NoClock);
        }
        if self.to_move() == Some(side) {
            return Err(Refusal::YourOwnTime);
        }
        Ok(())
    }

    /// Plays a move that was read from the record of this game: like [`Action::Move`], but it is not applied again.
    ///
    /// # Errors
    /// Says why the player cannot make the move now, or that it has to be confirmed.
    pub fn play_candidate(
        &self,
        player: PlayerId,
        candidate: Candidate,
        confirmed: bool,
        now: Timestamp,
    ) -> Result<Change, Refusal> {
        if !candidate.follows(&self.record) {
            return self.act(player, Action::Move { mv: candidate.mv(), confirmed }, now);
        }
        let side = self.start.players.side_of(player).ok_or(Refusal::NotYourGame)?;
        match self.result {
            Some(result) => Err(Refusal::Over(result)),
            None if self.to_move() != Some(side) => Err(Refusal::NotYourTurn),
            None => self.played(side, candidate, confirmed, now),
        }
    }

    fn play(&self, side: Side, mv: Move, confirmed: bool, now: Timestamp) -> Result<Change, Refusal> {
        if self.to_move() != Some(side) {
            return Err(Refusal::NotYourTurn);
        }
        self.played(side, self.record.try_move(mv)?, confirmed, now)
    }

    fn played(&self, side: Side, candidate: Candidate, confirmed: bool, now: Timestamp) -> Result<Change, Refusal> {
        if let (Some(recurrence), false) = (candidate.recurrence(), confirmed) {
            return Err(Refusal::Confirm(Box::new(recurrence.clone())));
        }
        let mut change = self.change(now);
        let game = &mut change.game;
        let outcome = candidate.played().outcome;
        game.record = candidate.into_record();
        let plies = game.record.plies().len();
        change.events.push(GameEvent::Moved { ply: plies - 1 });
        // Moving answers what the opponent has offered, and takes back what the mover has asked for.
        for kind in [OfferKind::Draw, OfferKind::Takeback] {
            if game.offers.standing(kind) == Some(side.opponent()) {
                game.offers.refuse(kind, plies);
                change.events.push(GameEvent::Declined { kind, by: side });
            }
        }
        if game.offers.standing(OfferKind::Takeback) == Some(side) {
            game.offers.clear(OfferKind::Takeback);
            change.events.push(GameEvent::Withdrawn { kind: OfferKind::Takeback, by: side });
        }
        let clock = Clock::start(self.start.pace, game.changed);
        change.set_clock(clock);
        if let Some(outcome) = outcome {
            change.end(GameResult::OnBoard(outcome));
        }
        Ok(change)
    }

    /// Makes, accepts or refuses an offer.
    fn offer(&self, side: Side, action: Action, now: Timestamp) -> Result<Change, Refusal> {
        let mut change = self.change(now);
        let (Action::Offer(kind) | Action::Accept(kind) | Action::Decline(kind)) = action else { return Ok(change) };
        let plies = self.record.plies().len();
        match (action, self.offers.standing(kind)) {
            (Action::Offer(_) | Action::Accept(_), Some(by)) if by != side => change.accept(kind, by),
            (Action::Decline(_), Some(by)) if by != side => {
                change.game.offers.refuse(kind, plies);
                change.events.push(GameEvent::Declined { kind, by: side });
            }
            (Action::Offer(_), Some(_)) => return Err(Refusal::AlreadyOffered(kind)),
            (Action::Accept(_) | Action::Decline(_), Some(_)) => return Err(Refusal::OwnOffer(kind)),
            (Action::Offer(_), None) => {
                if kind == OfferKind::Rematch && self.offers.rematched() {
                    return Err(Refusal::Rematched);
                }
                if self.offers.too_soon(kind, side, plies) {
                    return Err(Refusal::TooSoon(kind));
                }
                if kind == OfferKind::Takeback && self.takeback_plies(side).is_none() {
                    return Err(Refusal::NothingToTakeBack);
                }
                change.game.offers.make(kind, side);
                change.events.push(GameEvent::Offered { kind, by: side });
            }
            _ => return Err(Refusal::NothingOffered(kind)),
        }
        Ok(change)
    }
}

impl Change {
    /// Replaces the clock of the game.
    fn set_clock(&mut self, clock: Clock) {
        self.clock = ClockChange::Replaces(self.game.clock);
        self.game.clock = clock;
    }

    /// Ends the game. The only place that does, whatever the cause.
    fn end(&mut self, result: GameResult) {
        self.game.result = Some(result);
        self.game.offers.clear(OfferKind::Draw);
        self.game.offers.clear(OfferKind::Takeback);
        self.events.push(GameEvent::Ended { result });
    }

    /// Does what was offered by a side.
    fn accept(&mut self, kind: OfferKind, by: Side) {
        let game = &mut self.game;
        game.offers.clear(kind);
        match kind {
            OfferKind::Draw => self.end(GameResult::Agreed),
            OfferKind::Takeback => {
                // The offer could only be made with such moves on the board, and ends with the next move.
                let plies = game.takeback_plies(by).unwrap_or(0);
                game.record.take_back(plies);
                game.offers.take_back_to(game.record.plies().len());
                let draw_offered_by = game.offers.standing(OfferKind::Draw);
                game.offers.clear(OfferKind::Draw);
                let clock = Clock::start(game.start.pace, game.changed);
                self.set_clock(clock);
                self.events.push(GameEvent::TookBack { plies, by });
                // The draw was offered in a position that is gone.
                if let Some(by) = draw_offered_by {
                    self.events.push(GameEvent::Withdrawn { kind: OfferKind::Draw, by });
                }
            }
            OfferKind::Rematch => {
                game.offers.note_rematch();
                let start = game.start;
                self.rematch = Some(Start { players: start.players.swapped(), rules: start.variant.rules, ..start });
            }
        }
    }
}
