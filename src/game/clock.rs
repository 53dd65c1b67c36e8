//! How long a player may think, and what is due when.

use super::time::{Seconds, Timestamp};

/// How many days a player has for a move, or no limit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pace {
    days: Option<u8>,
}

impl Pace {
    /// Every pace that can be chosen.
    pub const ALL: [Self; 7] =
        [Self::of(1), Self::of(2), Self::of(3), Self::of(5), Self::of(7), Self::of(14), Self { days: None }];

    /// No limit.
    pub const NONE: Self = Self { days: None };

    const fn of(days: u8) -> Self {
        Self { days: Some(days) }
    }

    /// Makes a pace of so many days, if it is one that can be chosen; no days mean no limit.
    #[must_use]
    pub fn from_days(days: Option<u8>) -> Option<Self> {
        Self::ALL.into_iter().find(|pace| pace.days == days)
    }

    /// Tells how many days a move may take.
    #[must_use]
    pub const fn days(self) -> Option<u8> {
        self.days
    }

    /// How long nobody needs to move before something happens.
    fn allowance(self) -> Seconds {
        self.days.map_or(Clock::IDLE, |days| Seconds::days(days.into()))
    }

    /// The longest that anybody can have left: a whole pace, and another that the opponent has given.
    #[must_use]
    pub fn most_left(self) -> Seconds {
        Seconds(2 * self.allowance().0)
    }

    /// How long before the end of it a player is reminded.
    fn notice(self) -> Seconds {
        self.days.map_or(Clock::IDLE_NOTICE, |days| Seconds(Seconds::days(days.into()).0 / 4))
    }
}

impl Default for Pace {
    fn default() -> Self {
        Self::of(3)
    }
}

/// The clock of a running game. Only the player whose turn it is uses up time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// How long a move may take.
    pub pace: Pace,
    /// When the time is up; without a pace, when the game is closed because nobody moves.
    pub deadline: Timestamp,
    /// Whether the player was reminded.
    pub reminded: bool,
    /// When the opponent was told that the time is up.
    pub flagged: Option<Timestamp>,
}

/// What is due.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Due {
    /// The player is reminded.
    Reminder,
    /// The opponent is told that the time is up.
    Flag,
    /// The opponent wins on time without having claimed it.
    Win,
    /// Nobody has moved for so long that the game is closed.
    Closing,
}

impl Clock {
    /// How long a game without a pace may stand still.
    pub const IDLE: Seconds = Seconds::days(90);
    /// How long before that the player is reminded.
    pub const IDLE_NOTICE: Seconds = Seconds::days(7);
    /// How long nobody is flagged after the bot has come back.
    pub const GRACE: Seconds = Seconds::HOUR;

    /// Starts a clock for a new turn.
    #[must_use]
    pub fn start(pace: Pace, now: Timestamp) -> Self {
        Self { pace, deadline: now + pace.allowance(), reminded: false, flagged: None }
    }

    /// Gives the player one more pace.
    #[must_use]
    pub fn extended(self, now: Timestamp) -> Self {
        Self { deadline: self.deadline.max(now) + self.pace.allowance(), reminded: false, flagged: None, ..self }
    }

    /// Notes that the player was reminded. A game without a pace is not closed sooner than a week after that.
    #[must_use]
    pub fn with_reminder(self, now: Timestamp) -> Self {
        let deadline = match self.pace.days() {
            Some(_) => self.deadline,
            None => self.deadline.max(now + Self::IDLE_NOTICE),
        };
        Self { reminded: true, deadline, ..self }
    }

    /// Tells whether the player has more than a whole pace left, so that he needs no more.
    #[must_use]
    pub fn has_plenty(&self, now: Timestamp) -> bool {
        self.deadline > now + self.pace.allowance()
    }

    /// Tells when something will be due next.
    #[must_use]
    pub fn next_due(&self) -> Timestamp {
        match self.flagged {
            // A whole pace for the opponent to claim, from when he was told.
            Some(told) => told + self.pace.allowance(),
            None if self.reminded => self.deadline,
            None => self.deadline - self.pace.notice(),
        }
    }

    /// Tells what is due, where nobody is flagged before `grace_ends`.
    #[must_use]
    pub fn due(&self, now: Timestamp, grace_ends: Timestamp) -> Option<Due> {
        if now < self.next_due() {
            return None;
        }
        let time_is_up = now >= self.deadline && now >= grace_ends;
        match (self.flagged, self.pace.days()) {
            (Some(_), _) => (now >= grace_ends).then_some(Due::Win),
            (None, Some(_)) if time_is_up => Some(Due::Flag),
            (None, None) if time_is_up && self.reminded => Some(Due::Closing),
            (None, None) => (!self.reminded).then_some(Due::Reminder),
            // In the grace after a restart a time that is over is no longer worth a reminder.
            (None, Some(_)) => (!self.reminded && now < self.deadline).then_some(Due::Reminder),
        }
    }
}
