//! How the bot is doing: numbers for a line in the log now and then.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Counts since the last look.
#[derive(Default)]
pub(super) struct Pulse {
    answers: AtomicU64,
    slowest: AtomicU64,
    /// Events that could not be read.
    pub(super) unread: AtomicU64,
}

/// The numbers of one hour.
pub(super) struct Hour {
    pub(super) answers: u64,
    pub(super) slowest_ms: u64,
    pub(super) unread: u64,
}

impl Pulse {
    pub(super) fn answered(&self, took: Duration) {
        self.answers.fetch_add(1, Ordering::Relaxed);
        self.slowest.fetch_max(u64::try_from(took.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Gives the numbers and begins anew.
    pub(super) fn take(&self) -> Hour {
        let take = |count: &AtomicU64| count.swap(0, Ordering::Relaxed);
        Hour { answers: take(&self.answers), slowest_ms: take(&self.slowest), unread: take(&self.unread) }
    }
}
