//! How the bot is doing: numbers for a line in the log now and then, and for its signs of life.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Counts since the last hour was told, and since the start.
#[derive(Default)]
pub(super) struct Metrics {
    hour: Counters,
    start: Counters,
    slowest: AtomicU64,
    /// The slowest answer of the hour that was told last.
    former_slowest: AtomicU64,
    /// The kinds of events that could not be read.
    strange: Mutex<HashSet<String>>,
}

#[derive(Default)]
struct Counters {
    answers: AtomicU64,
    unread: AtomicU64,
}

/// Numbers of a time.
pub(super) struct Counts {
    pub(super) answers: u64,
    pub(super) slowest_ms: u64,
    /// Events that could not be read.
    pub(super) unread: u64,
}

impl Metrics {
    pub(super) fn answered(&self, took: Duration) {
        let took = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        for counters in [&self.hour, &self.start] {
            counters.answers.fetch_add(1, Ordering::Relaxed);
        }
        self.slowest.fetch_max(took, Ordering::Relaxed);
    }

    /// Notes an event that could not be read; tells whether it is the first of its kind.
    pub(super) fn unread(&self, kind: &str) -> bool {
        for counters in [&self.hour, &self.start] {
            counters.unread.fetch_add(1, Ordering::Relaxed);
        }
        let mut strange = self.strange.lock().unwrap_or_else(PoisonError::into_inner);
        !strange.contains(kind) && strange.insert(kind.to_owned())
    }

    /// Gives the numbers of the hour and begins a new one.
    pub(super) fn take(&self) -> Counts {
        let take = |count: &AtomicU64| count.swap(0, Ordering::Relaxed);
        let Counters { answers, unread } = &self.hour;
        let hour = Counts { answers: take(answers), slowest_ms: take(&self.slowest), unread: take(unread) };
        self.former_slowest.store(hour.slowest_ms, Ordering::Relaxed);
        hour
    }

    /// Gives the numbers since the start, but of the slowest answers that of this hour and the one before: what was slow
    /// once, months ago, is of no interest.
    pub(super) fn so_far(&self) -> Counts {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let slowest_ms = get(&self.slowest).max(get(&self.former_slowest));
        Counts { answers: get(&self.start.answers), slowest_ms, unread: get(&self.start.unread) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_begins_anew_and_the_whole_goes_on() {
        let metrics = Metrics::default();
        metrics.answered(Duration::from_millis(90));
        metrics.answered(Duration::from_millis(5));
        assert!(metrics.unread("SOMETHING_NEW"));
        let hour = metrics.take();
        assert_eq!((hour.answers, hour.slowest_ms, hour.unread), (2, 90, 1));
        metrics.answered(Duration::from_millis(7));
        let so_far = metrics.so_far();
        assert_eq!((so_far.answers, so_far.slowest_ms, so_far.unread), (3, 90, 1));
        let hour = metrics.take();
        assert_eq!((hour.answers, hour.slowest_ms, hour.unread), (1, 7, 0));
        assert_eq!(metrics.so_far().slowest_ms, 7);
    }

    #[test]
    fn the_first_event_of_a_kind_that_cannot_be_read_is_known() {
        let metrics = Metrics::default();
        let told = ["NEW", "NEW", "NEWER", "NEW"].map(|kind| metrics.unread(kind));
        assert_eq!((told, metrics.so_far().unread), ([true, false, true, false], 4));
    }
}
