//! The machine's clock and a coin toss, which the rest of the program takes as arguments.

use crate::game::Timestamp;
use std::hash::{BuildHasher, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the time by the machine's clock.
pub(super) fn system_time() -> Timestamp {
    // A clock before 1970 is wrong anyway, so it counts as 1970.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}

/// Tosses a coin.
pub(super) fn coin_toss() -> bool {
    // Each state has random keys, which is random enough to decide who begins.
    RandomState::new().hash_one(0u8).is_multiple_of(2)
}
