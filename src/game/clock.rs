//! The clock of a game: how long a move may take, and when a reminder or the end is due.

use super::time::{Seconds, Timestamp};

/// How many days a player has for a move, or no limit.
///
/// ```
/// use ratatosk::game::Pace;
///
/// assert_eq!(Pace::from_days(Some(7)).and_then(Pace::days), Some(7));
/// assert_eq!(Pace::from_days(None), Some(Pace::NONE));
/// assert_eq!(Pace::from_days(Some(4)), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pace {
    days: Option<u8>,
}

impl Pace {
    /// Every pace that can be chosen.
    pub const ALL: [Self; 7] =
        [Self::of(1), Self::of(2), Self::of(3), Self::of(5), Self::of(7), Self::of(14), Self::NONE];

    /// No limit.
    pub const NONE: Self = Self { days: None };

    const fn of(days: u8) -> Self {
        Self { days: Some(days) }
    }

    /// Returns the pace with this many days, if it is one that can be chosen. `None` means no limit.
    #[must_use]
    pub fn from_days(days: Option<u8>) -> Option<Self> {
        Self::ALL.into_iter().find(|pace| pace.days == days)
    }

    /// Returns how many days a move may take; `None` if there is no limit.
    #[must_use]
    pub const fn days(self) -> Option<u8> {
        self.days
    }

    /// Returns the id in commands: `3`, or `none`.
    #[must_use]
    pub fn id(self) -> String {
        self.days.map_or_else(|| String::from("none"), |days| days.to_string())
    }

    /// Finds a pace by its id in commands.
    #[must_use]
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pace| pace.id() == id)
    }

    /// Returns how long a turn lasts. Without a limit, the game is closed after this time.
    fn allowance(self) -> Seconds {
        self.days.map_or(Clock::IDLE, |days| Seconds::days(days.into()))
    }

    /// Returns the most time that a player can have left: that of a whole move, and as much again from the opponent.
    #[must_use]
    pub fn max_time_left(self) -> Seconds {
        Seconds(2 * self.allowance().0)
    }

    /// Returns how long before the deadline a player is reminded.
    fn reminder_lead(self) -> Seconds {
        self.days.map_or(Clock::IDLE_REMINDER_LEAD, |days| Seconds(Seconds::days(days.into()).0 / 4))
    }
}

impl Default for Pace {
    fn default() -> Self {
        Self::of(3)
    }
}

/// The clock of a running game. It runs for the player to move.
///
/// ```
/// use ratatosk::game::{Clock, Pace, Seconds, Timestamp};
///
/// let clock = Clock::start(Pace::default(), Timestamp(0));
/// assert_eq!(clock.deadline, Timestamp(0) + Seconds::days(3));
/// assert!(clock.next_due() < clock.deadline, "a reminder comes first");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// How long a move may take.
    pub pace: Pace,
    /// When the time is up. Without a limit, when the game is closed because nobody moves.
    pub deadline: Timestamp,
    /// Whether the player to move was reminded.
    pub reminded: bool,
    /// When the players were told that the time is up; `None` if they were not yet.
    pub flagged: Option<Timestamp>,
}

/// What is due when time has passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Due {
    /// To remind the player to move.
    Reminder,
    /// To announce that the time is up, so that the opponent can claim the win.
    Flag,
    /// To end the game: the opponent wins on time without having claimed it.
    Win,
    /// To close a game without a limit, because nobody has moved for a long time.
    Closing,
}

impl Clock {
    /// How long a game without a limit stays open when nobody moves.
    pub const IDLE: Seconds = Seconds::days(90);
    /// How long before that the player to move is reminded.
    const IDLE_REMINDER_LEAD: Seconds = Seconds::days(7);
    /// How long nobody loses on time after the bot was stopped or out of reach, so that players can move first.
    pub const GRACE: Seconds = Seconds::HOUR;

    /// Starts a clock for a new turn.
    #[must_use]
    pub fn start(pace: Pace, now: Timestamp) -> Self {
        Self { pace, deadline: now + pace.allowance(), reminded: false, flagged: None }
    }

    /// Gives the player to move the whole time again; no less than what was left.
    #[must_use]
    pub fn restarted(self, now: Timestamp) -> Self {
        let fresh = Self::start(self.pace, now);
        Self { deadline: fresh.deadline.max(self.deadline), ..fresh }
    }

    /// Returns the clock with the time of one more move.
    #[must_use]
    pub(super) fn extended(self, now: Timestamp) -> Self {
        Self { deadline: self.deadline.max(now) + self.pace.allowance(), reminded: false, flagged: None, ..self }
    }

    /// Returns the clock after a reminder. A game without a limit is not closed sooner than a week after it.
    #[must_use]
    pub(super) fn with_reminder(self, now: Timestamp) -> Self {
        let deadline = match self.pace.days() {
            Some(_) => self.deadline,
            None => self.deadline.max(now + Self::IDLE_REMINDER_LEAD),
        };
        Self { reminded: true, deadline, ..self }
    }

    /// Returns whether the player has more time left than a whole move may take.
    #[must_use]
    pub(super) fn has_plenty(&self, now: Timestamp) -> bool {
        self.deadline > now + self.pace.allowance()
    }

    /// Returns when the next thing is due: a reminder, or what follows the deadline.
    #[must_use]
    pub fn next_due(&self) -> Timestamp {
        match self.flagged {
            // The opponent has the time of a whole move to claim the win.
            Some(flagged) => flagged + self.pace.allowance(),
            None if self.reminded => self.deadline,
            None => self.deadline - self.pace.reminder_lead(),
        }
    }

    /// Returns what is due, if anything is. Nobody loses on time before `grace_ends`.
    #[must_use]
    pub(super) fn due(&self, now: Timestamp, grace_ends: Timestamp) -> Option<Due> {
        if now < self.next_due() {
            return None;
        }
        let time_is_up = now >= self.deadline && now >= grace_ends;
        match (self.flagged, self.pace.days()) {
            (Some(_), _) => (now >= grace_ends).then_some(Due::Win),
            (None, Some(_)) if time_is_up => Some(Due::Flag),
            (None, None) if time_is_up && self.reminded => Some(Due::Closing),
            (None, None) => (!self.reminded).then_some(Due::Reminder),
            // During the grace period after a start, a reminder that the deadline has passed would be pointless.
            (None, Some(_)) => (!self.reminded && now < self.deadline).then_some(Due::Reminder),
        }
    }
}
