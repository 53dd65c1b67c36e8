//! Does what is due: reminders, lost time, expired challenges. Everything comes from rows, nothing from memory.

use crate::app::App;
use crate::game::{Clock, Moment, Span};
use crate::store::{OwedId, StoreError};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tracing::{error, info};

/// How often it is looked at the latest: the machine's clock may have been set.
const ROUND: Duration = Duration::from_secs(15);
/// How often what was done long ago is forgotten.
const SWEEP: Duration = Duration::from_secs(60 * 60);
/// How long requests and delivered messages are kept; Discord forgets an interaction after fifteen minutes.
const KEPT: Span = Span::days(2);

/// The clock on the wall, and when the bot came back.
pub struct Timer {
    wake: Notify,
    started: Instant,
}

impl Timer {
    /// Starts the hour in which nobody loses on time.
    #[must_use]
    pub fn start() -> Self {
        Self { wake: Notify::new(), started: Instant::now() }
    }

    /// Has the timer look at once.
    pub fn nudge(&self) {
        self.wake.notify_one();
    }

    /// Tells when the hour of grace ends, as the machine's clock stands now. It is measured by a clock that nobody sets.
    #[must_use]
    pub fn grace_ends(&self, now: Moment) -> Moment {
        let passed = i64::try_from(self.started.elapsed().as_secs()).unwrap_or(i64::MAX);
        now + Span((Clock::GRACE.0 - passed).max(0))
    }

    /// Does what is due whenever something is, for ever; `owes` is told which messages are owed because of it.
    pub async fn run(&self, app: Arc<App>, owes: impl Fn(&[OwedId]) + Send) {
        let mut swept: Option<Instant> = None;
        loop {
            let grace_ends = self.grace_ends(app.now());
            let sweep = swept.is_none_or(|last| last.elapsed() >= SWEEP);
            let doing = Arc::clone(&app);
            let done = tokio::task::spawn_blocking(move || look(&doing, grace_ends, sweep)).await;
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

fn look(app: &App, grace_ends: Moment, sweep: bool) -> Result<(Vec<OwedId>, Option<Moment>), StoreError> {
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
