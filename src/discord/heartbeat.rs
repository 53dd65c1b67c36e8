//! Writes heartbeats to the database for `ratatosk status` and `ratatosk health`: every minute, and when the connection
//! comes or goes.

use super::app_handle::AppHandle;
use super::metrics::Metrics;
use crate::game::Timestamp;
use crate::store::{self, ConnectionState};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tracing::error;

const INTERVAL: Duration = Duration::from_secs(60);

/// Writes heartbeats.
pub(super) struct Heartbeat {
    app: AppHandle,
    metrics: Arc<Metrics>,
    started: Timestamp,
}

impl Heartbeat {
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
            self.write(current).await;
        }
    }

    /// Writes one heartbeat.
    pub(super) async fn write(&self, state: ConnectionState) {
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
        if let Err(error) = written.await {
            error!(%error, "heartbeat cannot be written, retrying in {} s", INTERVAL.as_secs());
        }
    }
}
