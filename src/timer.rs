//! Does what is due: reminders, lost time, expired challenges. Everything comes from rows, nothing from memory.

use crate::app::App;
use crate::game::{Clock, Moment, Span};
use crate::store::StoreError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tracing::{error, info, warn};

/// How often it is looked at the latest: the machine's clock may have been set.
const ROUND: Duration = Duration::from_secs(15);
/// How far the machine's clock may run away from the time that has passed. More means that it was set, or that the
/// machine has slept: then the bot was away, as far as the players can tell.
const JUMP: Span = Span(5 * 60);
/// How often what was done long ago is forgotten.
const SWEEP: Duration = Duration::from_secs(60 * 60);
/// How long requests and delivered messages are kept; Discord forgets an interaction after fifteen minutes.
const KEPT: Span = Span::days(2);

/// The clock on the wall, and when the bot came back.
pub struct Timer {
    wake: Notify,
    /// When the hour began in which nobody loses on time.
    grace: Mutex<Instant>,
}

impl Timer {
    /// Starts the hour in which nobody loses on time.
    #[must_use]
    pub fn start() -> Self {
        Self { wake: Notify::new(), grace: Mutex::new(Instant::now()) }
    }

    /// Has the timer look at once.
    pub fn nudge(&self) {
        self.wake.notify_one();
    }

    /// Tells when the hour of grace ends, as the machine's clock stands now. It is measured by a clock that nobody sets.
    #[must_use]
    pub fn grace_ends(&self, now: Moment) -> Moment {
        let began = *self.grace.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = i64::try_from(began.elapsed().as_secs()).unwrap_or(i64::MAX);
        now + Span((Clock::GRACE.0 - passed).max(0))
    }

    /// Starts the hour again if the clock has jumped ahead since it was last looked at, by a clock that nobody sets.
    fn notice_jump(&self, last: (Moment, Instant), now: (Moment, Instant)) {
        let passed = i64::try_from(now.1.saturating_duration_since(last.1).as_secs()).unwrap_or(i64::MAX);
        if now.0 > last.0 + Span(passed) + JUMP {
            warn!(
                seconds = now.0.0.saturating_sub(last.0.0),
                "the clock has jumped ahead; nobody loses on time for an hour"
            );
            *self.grace.lock().unwrap_or_else(PoisonError::into_inner) = now.1;
        }
    }

    /// Does what is due whenever something is, for ever; `owes` is called when messages are owed because of it.
    pub async fn run(&self, app: Arc<App>, owes: impl Fn() + Send) {
        let mut swept: Option<Instant> = None;
        let mut looked = (app.now(), Instant::now());
        loop {
            let now = (app.now(), Instant::now());
            self.notice_jump(std::mem::replace(&mut looked, now), now);
            let grace_ends = self.grace_ends(app.now());
            let sweep = swept.is_none_or(|last| last.elapsed() >= SWEEP);
            let doing = Arc::clone(&app);
            let done = tokio::task::spawn_blocking(move || look(&doing, grace_ends, sweep)).await;
            let pause = match done {
                Ok(Ok((owed, next))) => {
                    if sweep {
                        swept = Some(Instant::now());
                    }
                    if owed > 0 {
                        owes();
                    }
                    pause(app.now(), next)
                }
                Ok(Err(problem)) => {
                    error!(%problem, "what is due cannot be done now");
                    ROUND
                }
                Err(_) => {
                    error!("looking at what is due broke off");
                    ROUND
                }
            };
            let _ = tokio::time::timeout(pause, self.wake.notified()).await;
        }
    }
}

fn look(app: &App, grace_ends: Moment, sweep: bool) -> Result<(usize, Option<Moment>), StoreError> {
    let owed = app.do_what_is_due(grace_ends)?;
    if sweep {
        let forgotten = app.store().forget_requests_before(app.now() - KEPT)?;
        if forgotten > 0 {
            info!(forgotten, "old requests and delivered messages forgotten");
        }
    }
    Ok((owed, app.store().next_wake()?))
}

fn pause(now: Moment, next: Option<Moment>) -> Duration {
    let seconds = next.map_or(i64::MAX, |next| next.0.saturating_sub(now.0));
    Duration::from_secs(u64::try_from(seconds).unwrap_or(0).max(1)).min(ROUND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_jumps_ahead_brings_an_hour_of_grace() {
        let timer = Timer::start();
        let (moment, instant) = (Moment(1_800_000_000), Instant::now());
        let later = instant + Duration::from_secs(2 * 60 * 60);
        *timer.grace.lock().unwrap_or_else(PoisonError::into_inner) -= Duration::from_secs(2 * 60 * 60);
        assert_eq!(timer.grace_ends(moment), moment, "the hour is over");
        timer.notice_jump((moment, instant), (moment + Span(2 * 60 * 60 + 20), later));
        timer.notice_jump((moment, instant), (moment - Span::days(30), later));
        assert_eq!(timer.grace_ends(moment), moment, "time passes, a clock is set back: nobody is hurried");
        timer.notice_jump((moment, instant), (moment + Span::days(3), instant));
        assert!(timer.grace_ends(moment) > moment + Span(3_500), "the machine has slept for three days");
    }
}
