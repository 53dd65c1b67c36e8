//! Does what is due: reminders, lost time, expired challenges. Everything comes from rows, nothing from memory.

use crate::app::App;
use crate::game::{Clock, Seconds, Timestamp};
use crate::store::{OutboxId, StoreError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tracing::{error, info, warn};

/// How often it is looked at the latest: the machine's clock may have been set.
const ROUND: Duration = Duration::from_secs(15);
/// How far the machine's clock may run away from the time that has passed. More means that it was set, or that the
/// machine has slept: then the bot was away, as far as the players can tell.
const JUMP: Seconds = Seconds(5 * 60);
/// How long the bot may be out of reach before that counts as being away.
const ABSENCE: Duration = Duration::from_secs(5 * 60);
/// How often what was done long ago is forgotten, and clocks that were set wrongly are set right.
const SWEEP: Duration = Duration::from_secs(60 * 60);
/// How long requests and delivered messages are kept; Discord forgets an interaction after fifteen minutes.
const KEPT: Seconds = Seconds::days(2);

/// The clock on the wall, and when the bot came back.
pub struct Timer {
    wake: Notify,
    presence: Mutex<Presence>,
}

/// Whether players can reach the bot.
struct Presence {
    /// When the hour began in which nobody loses on time.
    grace: Instant,
    /// Since when nobody can reach it, if so.
    away: Option<Instant>,
}

impl Timer {
    /// Starts the hour in which nobody loses on time.
    #[must_use]
    pub fn start() -> Self {
        let now = Instant::now();
        Self { wake: Notify::new(), presence: Mutex::new(Presence { grace: now, away: Some(now) }) }
    }

    fn presence(&self) -> MutexGuard<'_, Presence> {
        self.presence.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that players cannot reach the bot: if that lasts, nobody loses on time.
    pub fn out_of_reach(&self) {
        self.presence().away.get_or_insert_with(Instant::now);
    }

    /// Notes that players can reach the bot. If they could not for long, they have an hour now.
    pub fn in_reach(&self) {
        let mut presence = self.presence();
        if presence.away.take().is_some_and(|since| since.elapsed() > ABSENCE) {
            info!("players can reach the bot again; nobody loses on time for an hour");
            presence.grace = Instant::now();
        }
    }

    /// Has the timer look at once.
    pub fn nudge(&self) {
        self.wake.notify_one();
    }

    /// Tells when the hour of grace ends, as the machine's clock stands now. It is measured by a clock that nobody sets.
    #[must_use]
    pub fn grace_ends(&self, now: Timestamp) -> Timestamp {
        let presence = self.presence();
        let passed = match presence.away {
            Some(since) if since.elapsed() > ABSENCE => 0,
            _ => i64::try_from(presence.grace.elapsed().as_secs()).unwrap_or(i64::MAX),
        };
        now + Seconds((Clock::GRACE.0 - passed).max(0))
    }

    /// Tells whether the clock was set since it was last looked at, by a clock that nobody sets. If it has jumped ahead,
    /// the hour starts again.
    fn notice_jump(&self, last: (Timestamp, Instant), now: (Timestamp, Instant)) -> bool {
        let passed = i64::try_from(now.1.saturating_duration_since(last.1).as_secs()).unwrap_or(i64::MAX);
        if now.0 > last.0 + Seconds(passed) + JUMP {
            warn!(
                seconds = now.0.0.saturating_sub(last.0.0),
                "the clock has jumped ahead; nobody loses on time for an hour"
            );
            self.presence().grace = now.1;
            return true;
        }
        now.0 + JUMP < last.0 + Seconds(passed)
    }

    /// Does what is due whenever something is; `owes` is told which messages are owed because of it. Returns the error of
    /// a store that has stopped, after which nothing can be done any more.
    pub async fn run(&self, app: Arc<App>, owes: impl Fn(&[OutboxId]) + Send) -> StoreError {
        let mut swept: Option<Instant> = None;
        // A machine may begin with a clock that is years behind, until somebody tells it the time.
        let mut steady_since = Instant::now();
        let mut looked = (app.now(), Instant::now());
        loop {
            let now = (app.now(), Instant::now());
            if self.notice_jump(std::mem::replace(&mut looked, now), now) {
                steady_since = now.1;
            }
            let grace_ends = self.grace_ends(app.now());
            let sweep = swept.is_none_or(|last| last.elapsed() >= SWEEP);
            let trusted = steady_since.elapsed() >= SWEEP;
            let doing = Arc::clone(&app);
            let done = tokio::task::spawn_blocking(move || look(&doing, grace_ends, sweep, trusted)).await;
            let pause = match done {
                Ok(Ok((owed, next))) => {
                    if sweep {
                        swept = Some(Instant::now());
                    }
                    if !owed.is_empty() {
                        owes(&owed);
                    }
                    pause(app.now(), next)
                }
                Ok(Err(stopped @ StoreError::StopReason)) => return stopped,
                Ok(Err(error)) => {
                    error!(%error, "due deadlines cannot be handled, retrying in {} s", ROUND.as_secs());
                    ROUND
                }
                Err(_) => {
                    error!("handling due deadlines panicked, retrying in {} s", ROUND.as_secs());
                    ROUND
                }
            };
            let _ = tokio::time::timeout(pause, self.wake.notified()).await;
        }
    }
}

/// Does what is due, and now and then cleans up; deadlines are set right only by a clock that can be trusted.
fn look(
    app: &App,
    grace_ends: Timestamp,
    sweep: bool,
    trusted: bool,
) -> Result<(Vec<OutboxId>, Option<Timestamp>), StoreError> {
    if sweep && trusted {
        let set_right = app.store().set_clocks_right(app.now())?;
        if set_right > 0 {
            warn!(set_right, "the machine's clock was ahead; deadlines that came of it are set right");
        }
    }
    if sweep {
        let forgotten = app.store().forget_requests_before(app.now() - KEPT)?;
        if forgotten > 0 {
            info!(forgotten, "old requests and delivered messages forgotten");
        }
    }
    let owed = app.do_what_is_due(grace_ends)?;
    Ok((owed, app.store().next_wake()?))
}

fn pause(now: Timestamp, next: Option<Timestamp>) -> Duration {
    let seconds = next.map_or(i64::MAX, |next| next.0.saturating_sub(now.0));
    Duration::from_secs(u64::try_from(seconds).unwrap_or(0).max(1)).min(ROUND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_jumps_ahead_brings_an_hour_of_grace() {
        let timer = Timer::start();
        let (moment, instant) = (Timestamp(1_800_000_000), Instant::now());
        let later = instant + Duration::from_secs(2 * 60 * 60);
        timer.in_reach();
        timer.presence().grace -= Duration::from_secs(2 * 60 * 60);
        assert_eq!(timer.grace_ends(moment), moment, "the hour is over");
        assert!(!timer.notice_jump((moment, instant), (moment + Seconds(2 * 60 * 60 + 20), later)));
        assert!(timer.notice_jump((moment, instant), (moment - Seconds::days(30), later)));
        assert_eq!(timer.grace_ends(moment), moment, "time passes, a clock is set back: nobody is hurried");
        assert!(timer.notice_jump((moment, instant), (moment + Seconds::days(3), instant)));
        assert!(timer.grace_ends(moment) > moment + Seconds(3_500), "the machine has slept for three days");
    }

    #[test]
    fn nobody_loses_on_time_while_the_bot_cannot_be_reached_and_in_the_hour_after_that() {
        let timer = Timer::start();
        let (moment, hours) = (Timestamp(1_800_000_000), Duration::from_secs(6 * 60 * 60));
        timer.in_reach();
        timer.presence().grace -= hours;
        timer.out_of_reach();
        assert_eq!(timer.grace_ends(moment), moment, "a connection may be lost for a moment");
        timer.in_reach();
        assert_eq!(timer.grace_ends(moment), moment);
        timer.out_of_reach();
        timer.presence().away = Some(Instant::now() - hours);
        timer.out_of_reach();
        assert_eq!(timer.grace_ends(moment), moment + Seconds::HOUR, "it is away for six hours");
        timer.in_reach();
        timer.in_reach();
        assert!(timer.grace_ends(moment) > moment + Seconds(3_500), "and is back");
    }
}
