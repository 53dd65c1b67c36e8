//! Points in time and lengths of time, in whole seconds.

use serde::{Deserialize, Serialize};
use std::ops::{Add, Sub};

/// A point in time: seconds since the start of 1970, in UTC.
///
/// ```
/// use ratatosk::game::{Seconds, Timestamp};
///
/// let moved = Timestamp(1_794_772_800);
/// let deadline = moved + Seconds::days(3);
/// assert_eq!(deadline - Seconds::HOUR, Timestamp(1_794_772_800 + 71 * 60 * 60));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

/// A length of time in seconds.
///
/// ```
/// use ratatosk::game::Seconds;
///
/// assert_eq!(Seconds::days(1), Seconds(24 * 60 * 60));
/// assert!(Seconds::HOUR < Seconds::days(1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Seconds(pub i64);

impl Seconds {
    /// One hour.
    pub const HOUR: Self = Self(60 * 60);

    /// Returns the length of a number of days of 24 hours.
    #[must_use]
    pub const fn days(days: i64) -> Self {
        Self(days * 24 * 60 * 60)
    }
}

/// Saturates: no stored number can make the sum wrap around.
impl Add<Seconds> for Timestamp {
    type Output = Self;
    fn add(self, seconds: Seconds) -> Self {
        Self(self.0.saturating_add(seconds.0))
    }
}

/// Saturates: no stored number can make the difference wrap around.
impl Sub<Seconds> for Timestamp {
    type Output = Self;
    fn sub(self, seconds: Seconds) -> Self {
        Self(self.0.saturating_sub(seconds.0))
    }
}
