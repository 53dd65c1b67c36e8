//! Writes heartbeats to the database for `ratatosk status` and `ratatosk health`: every minute, and when the connection
//! comes or goes.

use super::app_handle::{AppError, AppHandle};
use super::metrics::Metrics;
use crate::game::Timestamp;
use crate::store::{self, ConnectionState};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tracing::error;

const INTERVAL: Duration = Duration::from_secs(60);

/// Writes heartbeats.
pub(super) struct HeartbeatWriter {
    app: AppHandle,
    metrics: Arc<Metrics>,
    started: Timestamp,
}

impl HeartbeatWriter {
    pub(super) fn new(app: AppHandle, metrics: Arc<Metrics>) -> Self {
        let started = app.now();
        Self { app, metrics, started }
    }

    /// Writes heartbeats until the watchdog is gone.
    pub(super) async fn run(self: Arc<Self>, mut state: watch::Receiver<ConnectionState>) {
        loop {
            if let Ok(Err(_)) = tokio::time::timeout(INTERVAL, state.changed()).await {
                return;
            }
            let current = *state.borrow_and_update();
            if let Err(error) = self.write(current).await {
                error!(%error, "heartbeat cannot be written, retrying in {} s", INTERVAL.as_secs());
            }
        }
    }

    /// Writes the heartbeat of a bot that starts; [`Self::run`] writes the next one.
    pub(super) async fn write_first(&self) {
        if let Err(error) = self.write(ConnectionState::Disconnected).await {
            error!(%error, "first heartbeat cannot be written, `ratatosk status` shows an older one until the next");
        }
    }

    /// Writes the heartbeat of a bot that ends.
    pub(super) async fn write_last(&self, state: ConnectionState) {
        if let Err(error) = self.write(state).await {
            error!(%error, "last heartbeat cannot be written, `ratatosk status` shows an older one");
        }
    }

    async fn write(&self, state: ConnectionState) -> Result<(), AppError> {
        let (counts, started) = (self.metrics.since_start(), self.started);
        let written = self.app.run(move |app| {
            app.store().write_heartbeat(store::Heartbeat {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                process: std::process::id(),
                started,
                beat: app.now(),
                state,
                answers: counts.answers,
                slowest_ms: counts.slowest_ms,
                unknown_events: counts.unknown_events,
            })
        });
        written.await
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::discord::app_handle::tests::TestApp;
    use crate::discord::test_log::collect_lines;

    #[tokio::test]
    async fn the_log_does_not_say_that_the_last_heartbeat_is_retried() {
        let test = TestApp::new();
        let heartbeat = HeartbeatWriter::new(test.handle.clone(), Arc::default());
        let (lines, logging) = collect_lines();
        test.handle.app().store().clone().close().unwrap();
        heartbeat.write_last(ConnectionState::Stopped).await;
        drop(logging);
        assert_eq!(*lines.lock().unwrap(), ["last heartbeat cannot be written, `ratatosk status` shows an older one"]);
    }
}
