//! The machine's clock and a coin toss, which the rest of the program takes as arguments.

use crate::game::Timestamp;
use std::hash::{BuildHasher, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the time by the machine's clock.
pub(super) fn system_time() -> Timestamp {
    // Before 1970 the clock is plainly wrong; zero is as good as any other wrong time.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}

/// Tosses a coin.
pub(super) fn coin_toss() -> bool {
    // Each state has random keys, and deciding who begins needs no better randomness.
    RandomState::new().hash_one(0u8).is_multiple_of(2)
}
