//! Counters for the hourly log line and the heartbeat.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Counts since the last hourly log line, and since the start.
#[derive(Default)]
pub(super) struct Metrics {
    hour: AtomicCounts,
    start: AtomicCounts,
    /// The slowest answer of this hour, in milliseconds.
    slowest: AtomicU64,
    /// The slowest answer of the hour before.
    previous_slowest: AtomicU64,
    /// The types of gateway events that could not be parsed.
    unknown_types: Mutex<HashSet<String>>,
}

#[derive(Default)]
struct AtomicCounts {
    answers: AtomicU64,
    unknown_events: AtomicU64,
}

/// The counts of a period.
pub(super) struct Counts {
    pub(super) answers: u64,
    pub(super) slowest_ms: u64,
    /// Gateway events that could not be parsed.
    pub(super) unknown_events: u64,
}

impl Metrics {
    /// Counts an answer.
    pub(super) fn count_answer(&self, took: Duration) {
        let took = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        for counters in [&self.hour, &self.start] {
            counters.answers.fetch_add(1, Ordering::Relaxed);
        }
        self.slowest.fetch_max(took, Ordering::Relaxed);
    }

    /// Counts a gateway event that could not be parsed; returns whether it is the first of its type.
    pub(super) fn count_unknown_event(&self, kind: &str) -> bool {
        for counters in [&self.hour, &self.start] {
            counters.unknown_events.fetch_add(1, Ordering::Relaxed);
        }
        let mut known = self.unknown_types.lock().unwrap_or_else(PoisonError::into_inner);
        !known.contains(kind) && known.insert(kind.to_owned())
    }

    /// Returns the counts of the hour and starts a new one.
    pub(super) fn take_hour(&self) -> Counts {
        let take = |count: &AtomicU64| count.swap(0, Ordering::Relaxed);
        let AtomicCounts { answers, unknown_events } = &self.hour;
        let (answers, unknown_events) = (take(answers), take(unknown_events));
        let hour = Counts { answers, slowest_ms: take(&self.slowest), unknown_events };
        self.previous_slowest.store(hour.slowest_ms, Ordering::Relaxed);
        hour
    }

    /// Returns the counts since the start. The slowest answer covers only this hour and the previous one, because a
    /// slow answer months ago says nothing about now.
    pub(super) fn since_start(&self) -> Counts {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let slowest_ms = get(&self.slowest).max(get(&self.previous_slowest));
        Counts { answers: get(&self.start.answers), slowest_ms, unknown_events: get(&self.start.unknown_events) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hourly_numbers_start_again_and_the_totals_go_on() {
        let metrics = Metrics::default();
        metrics.count_answer(Duration::from_millis(90));
        metrics.count_answer(Duration::from_millis(5));
        assert!(metrics.count_unknown_event("SOMETHING_NEW"));
        let hour = metrics.take_hour();
        assert_eq!((hour.answers, hour.slowest_ms, hour.unknown_events), (2, 90, 1));
        metrics.count_answer(Duration::from_millis(7));
        let total = metrics.since_start();
        assert_eq!((total.answers, total.slowest_ms, total.unknown_events), (3, 90, 1));
        let hour = metrics.take_hour();
        assert_eq!((hour.answers, hour.slowest_ms, hour.unknown_events), (1, 7, 0));
        assert_eq!(metrics.since_start().slowest_ms, 7);
    }

    #[test]
    fn only_the_first_unknown_event_of_a_type_is_new() {
        let metrics = Metrics::default();
        let first = ["NEW", "NEW", "NEWER", "NEW"].map(|kind| metrics.count_unknown_event(kind));
        assert_eq!((first, metrics.since_start().unknown_events), ([true, false, true, false], 4));
    }
}
