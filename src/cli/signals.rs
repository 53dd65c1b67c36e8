//! The signals that ask the program to stop.

use std::io;

/// Listens for the signals as soon as it is created, so that none is missed.
#[cfg(unix)]
pub(super) struct StopSignals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl StopSignals {
    pub(super) fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// Waits for one of the signals.
    pub(super) async fn received(mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(not(unix))]
pub(super) struct StopSignals;

#[cfg(not(unix))]
impl StopSignals {
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self)
    }

    /// Waits for Ctrl-C.
    pub(super) async fn received(self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
