//! The timer: handles reminders, deadlines and expired challenges when they are due. It reads them from the database, so
//! that a restart loses nothing.

use crate::app::App;
use crate::game::{Clock, Seconds, Timestamp};
use crate::store::{OutboxId, StoreError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tracing::{error, info, warn};

/// The longest time between two checks; the machine's clock may have been set in between.
const MAX_PAUSE: Duration = Duration::from_secs(15);
/// How far the machine's clock may differ from the time that has passed. More means that it was set or that the machine
/// was asleep, in which case players could not reach the bot.
const MAX_CLOCK_DRIFT: Seconds = Seconds(5 * 60);
/// How long the bot may be unreachable before players get a grace period.
const MAX_OUTAGE: Duration = Duration::from_secs(5 * 60);
/// How often old rows are deleted, and deadlines corrected that were set while the machine's clock was ahead.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(60 * 60);
/// How long requests and delivered messages are kept. Discord accepts answers to an interaction for fifteen minutes.
const RETENTION: Seconds = Seconds::days(2);

/// Wakes up when something is due, and knows how long nobody can lose on time.
pub struct Timer {
    wake: Notify,
    reachability: Mutex<Reachability>,
}

/// Whether players can reach the bot.
struct Reachability {
    /// The start of the hour in which nobody loses on time.
    grace_began: Instant,
    /// Since when players cannot reach the bot, if they cannot.
    unreachable_since: Option<Instant>,
}

impl Timer {
    /// Creates a timer; the hour in which nobody loses on time starts now.
    #[must_use]
    pub fn new(now: Instant) -> Self {
        Self {
            wake: Notify::new(),
            reachability: Mutex::new(Reachability { grace_began: now, unreachable_since: Some(now) }),
        }
    }

    fn reachability(&self) -> MutexGuard<'_, Reachability> {
        self.reachability.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that players cannot reach the bot. If that lasts, nobody loses on time.
    pub fn mark_unreachable(&self) {
        self.reachability().unreachable_since.get_or_insert_with(Instant::now);
    }

    /// Records that players can reach the bot. After a long absence nobody loses on time for an hour.
    pub fn mark_reachable(&self) {
        let mut reachability = self.reachability();
        if reachability.unreachable_since.take().is_some_and(|since| since.elapsed() > MAX_OUTAGE) {
            info!("players can reach the bot again; nobody loses on time for an hour");
            reachability.grace_began = Instant::now();
        }
    }

    /// Makes the timer check at once.
    pub fn wake(&self) {
        self.wake.notify_one();
    }

    /// Returns when the grace period ends, by the machine's clock. Its length is measured by a monotonic clock.
    #[must_use]
    pub fn grace_ends(&self, now: Timestamp) -> Timestamp {
        let reachability = self.reachability();
        let passed = match reachability.unreachable_since {
            Some(since) if since.elapsed() > MAX_OUTAGE => 0,
            _ => i64::try_from(reachability.grace_began.elapsed().as_secs()).unwrap_or(i64::MAX),
        };
        now + Seconds((Clock::GRACE.0 - passed).max(0))
    }

    /// Returns whether the machine's clock was set since the last check, compared with a monotonic clock. If it has
    /// jumped ahead, the grace period starts again.
    fn detect_jump(&self, last: (Timestamp, Instant), now: (Timestamp, Instant)) -> bool {
        let passed = i64::try_from(now.1.saturating_duration_since(last.1).as_secs()).unwrap_or(i64::MAX);
        if now.0 > last.0 + Seconds(passed) + MAX_CLOCK_DRIFT {
            warn!(
                seconds = now.0.0.saturating_sub(last.0.0),
                "the machine's clock has jumped ahead; nobody loses on time for an hour"
            );
            self.reachability().grace_began = now.1;
            return true;
        }
        now.0 + MAX_CLOCK_DRIFT < last.0 + Seconds(passed)
    }

    /// Handles what is due, forever; `new_messages` is called with the messages that it adds to the outbox. Returns only
    /// if the store cannot be used any more, with its error.
    pub async fn run(&self, app: Arc<App>, new_messages: impl Fn(&[OutboxId]) + Send) -> StoreError {
        let mut last_upkeep: Option<Instant> = None;
        // A machine may start with a clock that is years behind, until it is synchronised.
        let mut steady_since = Instant::now();
        let mut last_check = (app.now(), Instant::now());
        loop {
            let now = (app.now(), Instant::now());
            if self.detect_jump(std::mem::replace(&mut last_check, now), now) {
                steady_since = now.1;
            }
            let grace_ends = self.grace_ends(app.now());
            let upkeep = last_upkeep.is_none_or(|last| last.elapsed() >= UPKEEP_INTERVAL);
            let clock_is_trusted = steady_since.elapsed() >= UPKEEP_INTERVAL;
            let handling = Arc::clone(&app);
            let done = tokio::task::spawn_blocking(move || {
                let done = handle_due(&handling, grace_ends, upkeep, clock_is_trusted);
                done.map_err(|error| handling.store().explain(error))
            });
            let done = done.await;
            let pause = match done {
                Ok(Ok((messages, next))) => {
                    if upkeep {
                        last_upkeep = Some(Instant::now());
                    }
                    if !messages.is_empty() {
                        new_messages(&messages);
                    }
                    pause(app.now(), next)
                }
                Ok(Err(error)) if error.is_final() => return error,
                Ok(Err(error)) => {
                    error!(%error, "due deadlines cannot be handled, retrying in {} s", MAX_PAUSE.as_secs());
                    MAX_PAUSE
                }
                Err(_) => {
                    error!("handling due deadlines panicked, retrying in {} s", MAX_PAUSE.as_secs());
                    MAX_PAUSE
                }
            };
            let _ = tokio::time::timeout(pause, self.wake.notified()).await;
        }
    }
}

/// Handles what is due. If `upkeep` is set, also deletes old rows and, if the machine's clock can be trusted, corrects
/// deadlines. Returns the new outbox messages, and when something is due next.
fn handle_due(
    app: &App,
    grace_ends: Timestamp,
    upkeep: bool,
    clock_is_trusted: bool,
) -> Result<(Vec<OutboxId>, Option<Timestamp>), StoreError> {
    if upkeep && clock_is_trusted {
        let deadlines = app.store().correct_clocks(app.now())?;
        if deadlines > 0 {
            warn!(deadlines, "corrected deadlines that were set while the machine's clock was ahead");
        }
    }
    if upkeep {
        let rows = app.store().prune_before(app.now() - RETENTION)?;
        if rows > 0 {
            info!(rows, "old requests and delivered messages deleted");
        }
    }
    let messages = app.handle_due(grace_ends)?.into_iter().map(|message| message.id).collect();
    Ok((messages, app.store().session()?.next_wake()?))
}

fn pause(now: Timestamp, next: Option<Timestamp>) -> Duration {
    let seconds = next.map_or(i64::MAX, |next| next.0.saturating_sub(now.0));
    Duration::from_secs(u64::try_from(seconds).unwrap_or(0).max(1)).min(MAX_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_jumps_ahead_starts_a_grace_period() {
        let timer = Timer::new(Instant::now());
        let (moment, instant) = (Timestamp(1_800_000_000), Instant::now());
        let later = instant + Duration::from_secs(2 * 60 * 60);
        timer.mark_reachable();
        timer.reachability().grace_began -= Duration::from_secs(2 * 60 * 60);
        assert_eq!(timer.grace_ends(moment), moment, "the grace period is over");
        assert!(!timer.detect_jump((moment, instant), (moment + Seconds(2 * 60 * 60 + 20), later)));
        assert!(timer.detect_jump((moment, instant), (moment - Seconds::days(30), later)));
        assert_eq!(timer.grace_ends(moment), moment, "neither passing time nor a clock set back starts one");
        assert!(timer.detect_jump((moment, instant), (moment + Seconds::days(3), instant)));
        assert!(timer.grace_ends(moment) > moment + Seconds(3_500), "the machine was asleep for three days");
    }

    #[test]
    fn nobody_loses_on_time_while_the_bot_is_unreachable_and_for_an_hour_after() {
        let timer = Timer::new(Instant::now());
        let (moment, hours) = (Timestamp(1_800_000_000), Duration::from_secs(6 * 60 * 60));
        timer.mark_reachable();
        timer.reachability().grace_began -= hours;
        timer.mark_unreachable();
        assert_eq!(timer.grace_ends(moment), moment, "a short interruption does not count");
        timer.mark_reachable();
        assert_eq!(timer.grace_ends(moment), moment);
        timer.mark_unreachable();
        timer.reachability().unreachable_since = Some(Instant::now() - hours);
        timer.mark_unreachable();
        assert_eq!(timer.grace_ends(moment), moment + Seconds::HOUR, "unreachable for six hours");
        timer.mark_reachable();
        timer.mark_reachable();
        assert!(timer.grace_ends(moment) > moment + Seconds(3_500), "reachable again");
    }
}
