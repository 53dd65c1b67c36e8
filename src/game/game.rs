//! A game: its moves, its clock, its offers and its result.

use super::action::Action;
use super::change::{Change, ClockChange};
use super::clock::{Clock, Due, Pace};
use super::event::GameEvent;
use super::ids::{GameId, Place, PlayerId};
use super::offers::{OfferKind, Offers};
use super::refusal::Refusal;
use super::result::GameResult;
use super::terms::{CannotBegin, GameTerms};
use super::time::Timestamp;
use crate::rules::{Candidate, Record, Side};

/// A game.
#[derive(Clone, Debug)]
pub struct Game {
    pub id: GameId,
    /// Increases by one with every change, unless only the clock changes.
    pub version: u64,
    pub terms: GameTerms,
    pub record: Record,
    pub began: Timestamp,
    pub changed: Timestamp,
    /// The clock of the player to move.
    pub clock: Clock,
    /// What the players have offered each other.
    pub offers: Offers,
    /// How it ended, if it did.
    pub result: Option<GameResult>,
}

impl Game {
    /// Begins a game.
    ///
    /// # Errors
    /// Says why the rules or the layout cannot be played.
    pub fn begin(id: GameId, terms: GameTerms, now: Timestamp) -> Result<Self, CannotBegin> {
        Ok(Self {
            id,
            version: 0,
            record: terms.record()?,
            began: now,
            changed: now,
            clock: Clock::start(terms.pace, now),
            offers: Offers::default(),
            result: None,
            terms,
        })
    }

    /// Returns the side to move; `None` if the game is over.
    #[must_use]
    pub fn to_move(&self) -> Option<Side> {
        self.result.is_none().then(|| self.record.position().to_move())
    }

    /// Returns the player to move; `None` if the game is over.
    #[must_use]
    pub fn player_to_move(&self) -> Option<PlayerId> {
        self.to_move().map(|side| self.terms.players.of(side))
    }

    /// Returns whether both sides have moved.
    #[must_use]
    pub fn both_have_moved(&self) -> bool {
        self.record.plies().len() >= 2
    }

    /// Returns how many plies a takeback for this side removes; `None` if there are too few.
    pub(super) fn takeback_plies(&self, side: Side) -> Option<usize> {
        // On the asking side's own turn, the opponent's last move is taken back too.
        let plies = if self.record.position().to_move() == side { 2 } else { 1 };
        (self.record.plies().len() >= plies).then_some(plies)
    }

    /// Carries out an action of a player.
    ///
    /// # Errors
    /// Says why the player cannot do it now.
    ///
    /// ```
    /// use ratatosk::game::{Action, Game, GameEvent, OfferKind, Refusal, Timestamp};
    /// # use ratatosk::game::{ChannelId, GameId, Pace, Place, PlayerId, Players, GameTerms};
    /// # let variant = ratatosk::rules::Variant::find("brandubh").unwrap();
    /// # let (ann, bo) = (PlayerId(1), PlayerId(2));
    /// # let terms = GameTerms {
    /// #     variant,
    /// #     layout: variant.default_layout(),
    /// #     rules: variant.rules,
    /// #     players: Players { attackers: ann, defenders: bo },
    /// #     pace: Pace::default(),
    /// #     place: Place { server: None, channel: ChannelId(1), thread: None },
    /// # };
    /// # let game = Game::begin(GameId(1), terms, Timestamp(0)).unwrap();
    /// let offered = game.act(ann, Action::Offer(OfferKind::Draw), Timestamp(60))?.game;
    /// let refusal = offered.act(ann, Action::Accept(OfferKind::Draw), Timestamp(90)).unwrap_err();
    /// assert_eq!(refusal, Refusal::OwnOffer(OfferKind::Draw));
    /// let agreed = offered.act(bo, Action::Accept(OfferKind::Draw), Timestamp(120))?;
    /// assert!(matches!(agreed.events[..], [GameEvent::Ended { .. }]));
    /// assert!(agreed.game.result.is_some());
    /// # Ok::<(), Refusal>(())
    /// ```
    pub fn act(&self, player: PlayerId, action: Action, now: Timestamp) -> Result<Change, Refusal> {
        let side = self.terms.players.side_of(player).ok_or(Refusal::NotYourGame)?;
        let about_rematch = matches!(
            action,
            Action::Offer(OfferKind::Rematch)
                | Action::Accept(OfferKind::Rematch)
                | Action::Decline(OfferKind::Rematch)
        );
        match self.result {
            None if about_rematch => return Err(Refusal::NotOver),
            Some(result) if !about_rematch => return Err(Refusal::Over(result)),
            _ => {}
        }
        match action {
            Action::Move { written, confirmed } => {
                self.play(self.check_turn(player)?, self.record.try_move(written)?, confirmed, now)
            }
            Action::Resign => Ok(self.ended(GameResult::Resigned { winner: side.opponent() }, now)),
            Action::Offer(kind) => self.offer(side, kind, now),
            Action::Accept(kind) => self.accept(side, kind, now),
            Action::Decline(kind) => self.decline(side, kind, now),
            Action::Abort if self.both_have_moved() => Err(Refusal::TooLateToAbort),
            Action::Abort => Ok(self.ended(GameResult::Aborted, now)),
            Action::ClaimTime => self.claim_time(side, now),
            Action::GiveTime => self.give_time(side, now),
        }
    }

    /// Returns what happens because time has passed, if anything is due: a reminder, or the end of the game.
    ///
    /// Nobody loses on time before `grace_ends`, so that players can move first after the bot was stopped for long.
    #[must_use]
    pub fn tick(&self, now: Timestamp, grace_ends: Timestamp) -> Option<Change> {
        let late = self.to_move()?;
        let due = self.clock.due(now, grace_ends)?;
        let mut change = match due {
            Due::Reminder => self.change_clock(self.clock.with_reminder(now)),
            Due::Flag | Due::Win | Due::Closing => {
                Change { clock: ClockChange::ReliesOn(self.clock), ..self.begin_change(now) }
            }
        };
        match due {
            Due::Reminder => {
                let player = self.terms.players.of(late);
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

    /// Ends the game without a result, on behalf of a moderator.
    ///
    /// # Errors
    /// Says that the game is over.
    pub fn moderate(&self, now: Timestamp) -> Result<Change, Refusal> {
        if let Some(result) = self.result {
            return Err(Refusal::Over(result));
        }
        Ok(self.ended(GameResult::Moderated, now))
    }

    /// Moves the game to another place. The clock of a running game starts again, because nobody could move where it was.
    #[must_use]
    pub fn relocate(&self, place: Place, now: Timestamp) -> Change {
        let mut change = self.begin_change(now);
        change.game.changed = self.changed;
        change.relocate_to(place);
        if self.result.is_none() {
            change.set_clock(self.clock.restarted(now.max(self.changed)));
        }
        change
    }

    /// Gives the player to move the whole time again, without a new version of the game.
    #[must_use]
    pub fn restart_clock(&self, now: Timestamp) -> Change {
        self.change_clock(self.clock.restarted(now.max(self.changed)))
    }

    /// Returns a change that replaces the clock and nothing else.
    fn change_clock(&self, clock: Clock) -> Change {
        let (game, before) = (Self { clock, ..self.clone() }, ClockChange::ReplacesOnly(self.clock));
        Change { game, events: Vec::new(), rematch: None, clock: before, relocated: false }
    }

    /// Returns the next version of the game as a change to which nothing has happened yet.
    fn begin_change(&self, now: Timestamp) -> Change {
        // A clock that was set back must not make time run backwards in a game.
        let changed = now.max(self.changed);
        let game = Self { version: self.version + 1, changed, ..self.clone() };
        Change { game, events: Vec::new(), rematch: None, clock: ClockChange::Untouched, relocated: false }
    }

    fn ended(&self, result: GameResult, now: Timestamp) -> Change {
        let mut change = self.begin_change(now);
        change.end(result);
        change
    }

    fn claim_time(&self, side: Side, now: Timestamp) -> Result<Change, Refusal> {
        self.check_opponent_is_thinking(side)?;
        match self.clock.flagged {
            Some(_) => {}
            None if now >= self.clock.deadline => return Err(Refusal::ClaimOpensSoon),
            None => return Err(Refusal::TimeNotUp { deadline: self.clock.deadline }),
        }
        let mut change = self.ended(GameResult::Time { winner: side }, now);
        change.clock = ClockChange::ReliesOn(self.clock);
        Ok(change)
    }

    fn give_time(&self, side: Side, now: Timestamp) -> Result<Change, Refusal> {
        self.check_opponent_is_thinking(side)?;
        if self.clock.has_plenty(now.max(self.changed)) {
            return Err(Refusal::PlentyOfTime);
        }
        let mut change = self.begin_change(now);
        change.set_clock(self.clock.extended(change.game.changed));
        change.events.push(GameEvent::TimeGiven { deadline: change.game.clock.deadline });
        Ok(change)
    }

    fn check_opponent_is_thinking(&self, side: Side) -> Result<(), Refusal> {
        if self.terms.pace == Pace::NONE {
            return Err(Refusal::NoClock);
        }
        if self.to_move() == Some(side) {
            return Err(Refusal::YourOwnTime);
        }
        Ok(())
    }

    /// Returns the side of a player who may move now.
    ///
    /// # Errors
    /// Says that the player is not in this game, that it is over, or that it is the opponent's turn.
    pub fn check_turn(&self, player: PlayerId) -> Result<Side, Refusal> {
        let side = self.terms.players.side_of(player).ok_or(Refusal::NotYourGame)?;
        match self.result {
            Some(result) => Err(Refusal::Over(result)),
            None if self.to_move() != Some(side) => Err(Refusal::NotYourTurn),
            None => Ok(side),
        }
    }

    fn play(&self, side: Side, candidate: Candidate, confirmed: bool, now: Timestamp) -> Result<Change, Refusal> {
        if let (Some(repetition), false) = (candidate.repetition(), confirmed) {
            return Err(Refusal::Confirm { mv: candidate.mv(), repetition: Box::new(repetition.clone()) });
        }
        let mut change = self.begin_change(now);
        let game = &mut change.game;
        let outcome = candidate.played().outcome;
        game.record = candidate.into_record();
        let plies = game.record.plies().len();
        // The record ends with the move that was just made.
        change.events.push(GameEvent::Moved { ply: plies - 1 });
        // A move declines the opponent's offers, and withdraws the mover's request for a takeback.
        for kind in [OfferKind::Draw, OfferKind::Takeback] {
            if game.offers.offered_by(kind) == Some(side.opponent()) {
                game.offers.decline(kind, plies);
                change.events.push(GameEvent::Declined { kind, by: side });
            }
        }
        if game.offers.offered_by(OfferKind::Takeback) == Some(side) {
            game.offers.clear(OfferKind::Takeback);
            change.events.push(GameEvent::Withdrawn { kind: OfferKind::Takeback, by: side });
        }
        let clock = Clock::start(self.terms.pace, game.changed);
        change.set_clock(clock);
        if let Some(outcome) = outcome {
            change.end(GameResult::OnBoard(outcome));
        }
        Ok(change)
    }

    /// Makes an offer, or accepts the opponent's offer of the same kind.
    fn offer(&self, side: Side, kind: OfferKind, now: Timestamp) -> Result<Change, Refusal> {
        match self.offers.offered_by(kind) {
            Some(by) if by == side => return Err(Refusal::AlreadyOffered(kind)),
            Some(_) => return self.accept(side, kind, now),
            None => {}
        }
        if kind == OfferKind::Rematch && self.offers.rematched() {
            return Err(Refusal::Rematched);
        }
        if self.offers.too_soon(kind, side, self.record.plies().len()) {
            return Err(Refusal::TooSoon(kind));
        }
        if kind == OfferKind::Takeback && self.takeback_plies(side).is_none() {
            return Err(Refusal::NothingToTakeBack);
        }
        let mut change = self.begin_change(now);
        change.game.offers.make(kind, side);
        change.events.push(GameEvent::Offered { kind, by: side });
        Ok(change)
    }

    fn accept(&self, side: Side, kind: OfferKind, now: Timestamp) -> Result<Change, Refusal> {
        self.check_offered_to(side, kind)?;
        let mut change = self.begin_change(now);
        change.accept(kind, side.opponent());
        Ok(change)
    }

    fn decline(&self, side: Side, kind: OfferKind, now: Timestamp) -> Result<Change, Refusal> {
        self.check_offered_to(side, kind)?;
        let mut change = self.begin_change(now);
        change.game.offers.decline(kind, self.record.plies().len());
        change.events.push(GameEvent::Declined { kind, by: side });
        Ok(change)
    }

    /// Checks that this side can answer an offer.
    fn check_offered_to(&self, side: Side, kind: OfferKind) -> Result<(), Refusal> {
        match self.offers.offered_by(kind) {
            None => Err(Refusal::NothingOffered(kind)),
            Some(by) if by == side => Err(Refusal::OwnOffer(kind)),
            Some(_) => Ok(()),
        }
    }
}
