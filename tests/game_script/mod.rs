//! Plays a game over days: Ann has the attackers, Bo the king's side, Eve does not play. The test sets the time.
#![allow(dead_code, reason = "each test uses its own part")]

use ratatosk::game::{
    Action, Change, ChannelId, Game, GameEvent, GameId, GameResult, GameTerms, OfferKind, Pace, Place, PlayerId,
    Players, Refusal, Seconds, ServerId, Timestamp,
};
use ratatosk::rules::{Move, Square, Variant};

/// Has the attackers.
pub(crate) const ANN: PlayerId = PlayerId(1);
/// Has the king's side.
pub(crate) const BO: PlayerId = PlayerId(2);
/// Is not in the game.
pub(crate) const EVE: PlayerId = PlayerId(3);

/// When every game starts.
pub(crate) const START_TIME: Timestamp = Timestamp(1_800_000_000);
pub(crate) const SECOND: Seconds = Seconds(1);
pub(crate) const MINUTE: Seconds = Seconds(60);
pub(crate) const HOUR: Seconds = Seconds::HOUR;
pub(crate) const DAY: Seconds = Seconds::days(1);

pub(crate) const OFFER_DRAW: Action = Action::Offer(OfferKind::Draw);
pub(crate) const ACCEPT_DRAW: Action = Action::Accept(OfferKind::Draw);
pub(crate) const DECLINE_DRAW: Action = Action::Decline(OfferKind::Draw);
pub(crate) const ASK_TAKEBACK: Action = Action::Offer(OfferKind::Takeback);
pub(crate) const GRANT_TAKEBACK: Action = Action::Accept(OfferKind::Takeback);
pub(crate) const REFUSE_TAKEBACK: Action = Action::Decline(OfferKind::Takeback);
pub(crate) const OFFER_REMATCH: Action = Action::Offer(OfferKind::Rematch);
pub(crate) const ACCEPT_REMATCH: Action = Action::Accept(OfferKind::Rematch);
pub(crate) const DECLINE_REMATCH: Action = Action::Decline(OfferKind::Rematch);

pub(crate) const PLACE: Place =
    Place { server: Some(ServerId(10)), channel: ChannelId(20), thread: Some(ChannelId(30)) };

/// Makes a length of several days.
pub(crate) const fn days(days: i64) -> Seconds {
    Seconds::days(days)
}

/// Makes a length of several hours.
pub(crate) const fn hours(hours: i64) -> Seconds {
    Seconds(hours * HOUR.0)
}

/// Returns one second less.
pub(crate) const fn just_under(span: Seconds) -> Seconds {
    Seconds(span.0 - 1)
}

/// Makes a pace of `days` a move, or none for 0.
#[track_caller]
pub(crate) fn pace(days: u8) -> Pace {
    Pace::from_days((days > 0).then_some(days)).unwrap()
}

/// Parses a move like `d1-c1` without a board.
#[track_caller]
pub(crate) fn squares(typed: &str) -> Move {
    let square = |name: &str| {
        let (file, rank) = (name.as_bytes()[0] - b'a', name[1..].parse::<u8>().unwrap() - 1);
        Square::new(file, rank).unwrap()
    };
    let (from, to) = typed.split_once('-').unwrap();
    Move { from: square(from), to: square(to) }
}

/// Makes the action of a move like `d1-c1`.
#[track_caller]
pub(crate) fn play(typed: &str) -> Action {
    Action::Move { written: squares(typed).into(), confirmed: false }
}

/// Makes the action of a move that is confirmed although it repeats a position.
#[track_caller]
pub(crate) fn play_confirmed(typed: &str) -> Action {
    Action::Move { written: squares(typed).into(), confirmed: true }
}

/// Makes the start of a game between Ann and Bo.
#[track_caller]
pub(crate) fn start(variant: &str, pace: Pace) -> GameTerms {
    let variant = Variant::find(variant).unwrap();
    GameTerms {
        variant,
        layout: variant.default_layout(),
        rules: variant.rules,
        players: Players { attackers: ANN, defenders: BO },
        pace,
        place: PLACE,
    }
}

/// A game, and what time it is.
pub(crate) struct GameScript {
    pub(crate) game: Game,
    pub(crate) now: Timestamp,
    /// Until when nobody is flagged, because the bot has just started.
    pub(crate) grace_ends: Timestamp,
    /// The rematch that the last action started.
    pub(crate) rematch: Option<GameTerms>,
}

impl GameScript {
    /// Begins a game of Ann and Bo with `days_a_move`, or without a limit for 0.
    #[track_caller]
    pub(crate) fn begin(variant: &str, days_a_move: u8) -> Self {
        Self::new(start(variant, pace(days_a_move)))
    }

    /// Begins a game.
    #[track_caller]
    pub(crate) fn new(start: GameTerms) -> Self {
        let game = Game::begin(GameId(42), start, START_TIME).unwrap();
        Self { game, now: START_TIME, grace_ends: START_TIME, rematch: None }
    }

    /// Begins a game of brandubh with three days a move, in which both have moved.
    #[track_caller]
    pub(crate) fn under_way() -> Self {
        let mut script = Self::begin("brandubh", 3);
        script.moves("d1-c1 d3-e3");
        script
    }

    /// Lets time pass without checking deadlines.
    pub(crate) fn advance(&mut self, span: Seconds) -> &mut Self {
        self.now = self.now + span;
        self
    }

    /// Sets the clock back.
    pub(crate) fn set_clock_back(&mut self, span: Seconds) -> &mut Self {
        self.now = self.now - span;
        self
    }

    /// Lets time pass while the bot is down, and starts it again.
    pub(crate) fn be_down_for(&mut self, span: Seconds) -> &mut Self {
        self.advance(span);
        self.grace_ends = self.now + HOUR;
        self
    }

    /// Acts as a player, which must be allowed; returns the events.
    #[track_caller]
    pub(crate) fn act(&mut self, player: PlayerId, action: Action) -> Vec<GameEvent> {
        match self.game.act(player, action, self.now) {
            Ok(change) => self.take(change),
            Err(refusal) => panic!("{player:?} may not {action:?}: {refusal:?}"),
        }
    }

    /// Tries to act as a player, which must be refused; returns the reason.
    #[track_caller]
    pub(crate) fn refused(&self, player: PlayerId, action: Action) -> Refusal {
        match self.game.act(player, action, self.now) {
            Ok(change) => panic!("{player:?} may {action:?}: {:?}", change.events),
            Err(refusal) => refusal,
        }
    }

    /// Plays several moves, each by the player to move and none of them a third occurrence.
    #[track_caller]
    pub(crate) fn moves(&mut self, moves: &str) -> &mut Self {
        for typed in moves.split_whitespace() {
            self.act(self.to_move(), play(typed));
        }
        self
    }

    /// Checks the deadline, at which something must be due; returns the events.
    #[track_caller]
    pub(crate) fn tick(&mut self) -> Vec<GameEvent> {
        let change = self.game.tick(self.now, self.grace_ends);
        let change = change.unwrap_or_else(|| panic!("nothing is due: {:?} at {:?}", self.game.clock, self.now));
        self.take(change)
    }

    /// Checks the deadline, at which nothing must be due.
    #[track_caller]
    pub(crate) fn assert_nothing_due(&mut self) -> &mut Self {
        if let Some(change) = self.game.tick(self.now, self.grace_ends) {
            panic!("this is due: {:?}", change.events);
        }
        self
    }

    /// Lets time pass and checks each deadline on the way; returns the events.
    #[track_caller]
    pub(crate) fn run_for(&mut self, span: Seconds) -> Vec<GameEvent> {
        let end = self.now + span;
        let mut events = Vec::new();
        while self.game.result.is_none() && self.game.clock.next_due().max(self.now) <= end {
            self.now = self.game.clock.next_due().max(self.now);
            let Some(change) = self.game.tick(self.now, self.grace_ends) else { break };
            events.extend(self.take(change));
        }
        self.now = end;
        events
    }

    #[track_caller]
    pub(crate) fn to_move(&self) -> PlayerId {
        self.game.player_to_move().unwrap()
    }

    #[track_caller]
    pub(crate) fn result(&self) -> GameResult {
        self.game.result.unwrap()
    }

    /// Returns the moves of the game in notation.
    pub(crate) fn written(&self) -> String {
        let moves: Vec<String> = self.game.record.plies().iter().map(|ply| ply.mv.to_string()).collect();
        moves.join(" ")
    }

    /// Returns how much time the player to move has left.
    pub(crate) fn time_left(&self) -> Seconds {
        Seconds(self.game.clock.deadline.0 - self.now.0)
    }

    /// Checks what holds for every change, and continues from it.
    #[track_caller]
    fn take(&mut self, change: Change) -> Vec<GameEvent> {
        let (before, after) = (&self.game, &change.game);
        if matches!(change.events[..], [GameEvent::Reminder { .. }]) {
            assert_eq!((after.version, after.changed), (before.version, before.changed), "the board stays as it is");
        } else {
            assert_eq!(after.version, before.version + 1, "the version grows by one");
            assert_eq!(after.changed, before.changed.max(self.now), "time does not run backwards");
        }
        assert_eq!((after.id, after.began, after.terms.rules), (before.id, before.began, before.terms.rules));
        assert!(before.result.is_none() || after.result == before.result, "a result stays");
        assert!(!change.events.is_empty() || change.rematch.is_some(), "there is something to tell");
        self.game = change.game;
        self.rematch = change.rematch;
        change.events
    }
}
