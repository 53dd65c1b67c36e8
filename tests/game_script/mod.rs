//! Plays a game over days: Ann has the attackers, Bo the king's side, Eve does not play. The test sets the time.
#![allow(dead_code, reason = "each test uses its own part")]

use ratatosk::game::{
    Action, Change, ChannelId, Game, GameEvent, GameId, GameResult, OfferKind, Pace, Place, PlayerId, Players, Refusal,
    Seconds, ServerId, Start, Timestamp,
};
use ratatosk::rules::{Move, Square, Variant};

/// Has the attackers.
pub(crate) const ANN: PlayerId = PlayerId(1);
/// Has the king's side.
pub(crate) const BO: PlayerId = PlayerId(2);
/// Is not in the game.
pub(crate) const EVE: PlayerId = PlayerId(3);

/// When every game starts.
pub(crate) const DAWN: Timestamp = Timestamp(1_800_000_000);
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

/// One second less.
pub(crate) const fn just_under(span: Seconds) -> Seconds {
    Seconds(span.0 - 1)
}

/// Makes a pace of so many days, or none for 0.
#[track_caller]
pub(crate) fn pace(days: u8) -> Pace {
    Pace::from_days((days > 0).then_some(days)).unwrap()
}

/// Understands a move like `d1-c1` without looking at any board.
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
    Action::Move { mv: squares(typed), confirmed: false }
}

/// Makes the action of a move by somebody who knows that it repeats.
#[track_caller]
pub(crate) fn play_knowing(typed: &str) -> Action {
    Action::Move { mv: squares(typed), confirmed: true }
}

/// What a new game between Ann and Bo needs.
#[track_caller]
pub(crate) fn start(variant: &str, pace: Pace) -> Start {
    let variant = Variant::find(variant).unwrap();
    Start {
        variant,
        layout: variant.usual_layout(),
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
    /// Until when nobody is flagged, because the bot has just come back.
    pub(crate) grace_ends: Timestamp,
    /// The game that began because of the last action.
    pub(crate) rematch: Option<Start>,
}

impl GameScript {
    /// Ann and Bo begin a game with so many days a move, or without a limit for 0.
    #[track_caller]
    pub(crate) fn begins(variant: &str, days_a_move: u8) -> Self {
        Self::of(start(variant, pace(days_a_move)))
    }

    /// A game begins.
    #[track_caller]
    pub(crate) fn of(start: Start) -> Self {
        let game = Game::begin(GameId(42), start, DAWN).unwrap();
        Self { game, now: DAWN, grace_ends: DAWN, rematch: None }
    }

    /// Ann and Bo begin a game of brandubh, three days a move, and both make a move.
    #[track_caller]
    pub(crate) fn under_way() -> Self {
        let mut tale = Self::begins("brandubh", 3);
        tale.moves("d1-c1 d3-e3");
        tale
    }

    /// Time passes, and the bot looks at nothing.
    pub(crate) fn after(&mut self, span: Seconds) -> &mut Self {
        self.now = self.now + span;
        self
    }

    /// Somebody sets the clock back.
    pub(crate) fn clock_set_back(&mut self, span: Seconds) -> &mut Self {
        self.now = self.now - span;
        self
    }

    /// Time passes while the bot is down, and then it comes back.
    pub(crate) fn after_being_down_for(&mut self, span: Seconds) -> &mut Self {
        self.after(span);
        self.grace_ends = self.now + HOUR;
        self
    }

    /// A player does something that is allowed; gives what there is to tell.
    #[track_caller]
    pub(crate) fn does(&mut self, player: PlayerId, action: Action) -> Vec<GameEvent> {
        match self.game.act(player, action, self.now) {
            Ok(change) => self.take(change),
            Err(refusal) => panic!("{player:?} may not {action:?}: {refusal:?}"),
        }
    }

    /// A player wants something that is not allowed; gives the reason. Nothing has changed then.
    #[track_caller]
    pub(crate) fn may_not(&self, player: PlayerId, action: Action) -> Refusal {
        match self.game.act(player, action, self.now) {
            Ok(change) => panic!("{player:?} may {action:?}: {:?}", change.events),
            Err(refusal) => refusal,
        }
    }

    /// Several moves by whoever's turn it is, all at this moment, none of them at a third occurrence.
    #[track_caller]
    pub(crate) fn moves(&mut self, moves: &str) -> &mut Self {
        for typed in moves.split_whitespace() {
            self.does(self.to_move(), play(typed));
        }
        self
    }

    /// The bot looks whether anything is due, and something is.
    #[track_caller]
    pub(crate) fn time_tells(&mut self) -> Vec<GameEvent> {
        let change = self.game.tick(self.now, self.grace_ends);
        let change = change.unwrap_or_else(|| panic!("nothing is due: {:?} at {:?}", self.game.clock, self.now));
        self.take(change)
    }

    /// The bot looks whether anything is due, and nothing is.
    #[track_caller]
    pub(crate) fn nothing_is_due(&mut self) -> &mut Self {
        if let Some(change) = self.game.tick(self.now, self.grace_ends) {
            panic!("this is due: {:?}", change.events);
        }
        self
    }

    /// Time passes second by second as far as the bot is concerned: it looks whenever something may be due.
    #[track_caller]
    pub(crate) fn awaits(&mut self, span: Seconds) -> Vec<GameEvent> {
        let end = self.now + span;
        let mut news = Vec::new();
        while self.game.result.is_none() && self.game.clock.next_due().max(self.now) <= end {
            self.now = self.game.clock.next_due().max(self.now);
            let Some(change) = self.game.tick(self.now, self.grace_ends) else { break };
            news.extend(self.take(change));
        }
        self.now = end;
        news
    }

    #[track_caller]
    pub(crate) fn to_move(&self) -> PlayerId {
        self.game.player_to_move().unwrap()
    }

    #[track_caller]
    pub(crate) fn result(&self) -> GameResult {
        self.game.result.unwrap()
    }

    /// The moves that stand, as they are written.
    pub(crate) fn written(&self) -> String {
        let moves: Vec<String> = self.game.record.plies().iter().map(|ply| ply.mv.to_string()).collect();
        moves.join(" ")
    }

    /// How long the player whose turn it is may still think.
    pub(crate) fn time_left(&self) -> Seconds {
        Seconds(self.game.clock.deadline.0 - self.now.0)
    }

    /// Checks what holds for every change, and goes on from it.
    #[track_caller]
    fn take(&mut self, change: Change) -> Vec<GameEvent> {
        let (before, after) = (&self.game, &change.game);
        if matches!(change.events[..], [GameEvent::Reminder { .. }]) {
            assert_eq!((after.version, after.changed), (before.version, before.changed), "the board stays as it is");
        } else {
            assert_eq!(after.version, before.version + 1, "the version grows by one");
            assert_eq!(after.changed, before.changed.max(self.now), "time does not run backwards");
        }
        assert_eq!((after.id, after.began, after.start.rules), (before.id, before.began, before.start.rules));
        assert!(before.result.is_none() || after.result == before.result, "a result stays");
        assert!(!change.events.is_empty() || change.rematch.is_some(), "there is something to tell");
        self.game = change.game;
        self.rematch = change.rematch;
        change.events
    }
}
