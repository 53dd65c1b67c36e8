//! The app, called from async code. Everything in it waits for the disk, so it runs on threads that may block.

use crate::app::App;
use crate::game::Timestamp;
use crate::store::StoreError;
use std::fmt;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Runs the app's work, and reports a store that has stopped to the function that runs the bot.
#[derive(Clone)]
pub(super) struct AppHandle {
    app: Arc<App>,
    store_stopped: mpsc::Sender<StoreError>,
}

/// Why the app's work failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum AppError {
    Store(StoreError),
    /// The work panicked: a bug. The panic itself is logged where it happens.
    Panicked,
}

impl std::error::Error for AppError {}

impl fmt::Display for AppError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => error.fmt(f),
            Self::Panicked => f.write_str("the work panicked"),
        }
    }
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl AppHandle {
    /// Returns the handle, and the receiver for the error of a store that has stopped.
    pub(super) fn new(app: Arc<App>) -> (Self, mpsc::Receiver<StoreError>) {
        // Only the first error matters: the bot stops then.
        let (store_stopped, stopped) = mpsc::channel(1);
        (Self { app, store_stopped }, stopped)
    }

    /// Returns the app itself, for code that may block.
    pub(super) fn app(&self) -> &App {
        &self.app
    }

    pub(super) fn shared_app(&self) -> Arc<App> {
        Arc::clone(&self.app)
    }

    pub(super) fn now(&self) -> Timestamp {
        self.app.now()
    }

    /// Runs work on a thread that may block.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&App) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, AppError> {
        let app = Arc::clone(&self.app);
        match tokio::task::spawn_blocking(move || work(&app)).await {
            Ok(result) => Ok(self.report_if_final(result)?),
            Err(error) if error.is_panic() => Err(AppError::Panicked),
            // The runtime shut down before the work began, and will drop the caller, too.
            Err(_) => std::future::pending().await,
        }
    }

    /// Returns the result with the real cause of its error. If that is final, tells the bot to stop, because nothing
    /// can be saved any more. After a failed query this may block, because it reads the file to find the cause.
    pub(super) fn report_if_final<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        let result = result.map_err(|error| self.app.store().explain(error));
        if let Err(error) = &result
            && error.is_final()
        {
            // If the channel is full, an error was reported already; if it is closed, the bot has ended.
            let _ = self.store_stopped.try_send(error.clone());
        }
        result
    }
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;
    use crate::store::Store;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// An app with a database of its own, which is deleted afterwards.
    pub(in crate::discord) struct TestApp {
        pub(in crate::discord) handle: AppHandle,
        pub(in crate::discord) stopped: mpsc::Receiver<StoreError>,
        folder: PathBuf,
    }

    impl TestApp {
        pub(in crate::discord) fn new() -> Self {
            static COUNT: AtomicU32 = AtomicU32::new(0);
            let name = format!("ratatosk-unit-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
            let folder = std::env::temp_dir().join(name);
            std::fs::create_dir_all(&folder).unwrap();
            let store = Store::open(&folder.join("games.db")).unwrap();
            let app = App::new(store, || Timestamp(1_800_000_000), || true);
            let (handle, stopped) = AppHandle::new(Arc::new(app));
            Self { handle, stopped, folder }
        }
    }

    impl Drop for TestApp {
        fn drop(&mut self) {
            let _ = self.handle.app().store().clone().close();
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }

    #[tokio::test]
    async fn a_panic_is_not_reported_as_a_store_error() {
        let mut test = TestApp::new();
        let result = test.handle.run(|_| -> Result<(), StoreError> { panic!("a bug") }).await;
        assert_eq!(result, Err(AppError::Panicked));
        assert!(!AppError::Panicked.to_string().contains("database"), "it is not the database's fault");
        assert!(test.stopped.try_recv().is_err(), "and the bot goes on");
    }

    #[tokio::test]
    async fn a_store_that_has_stopped_is_reported() {
        let mut test = TestApp::new();
        let written = test.handle.run(|app| app.store().write_note("name", "note")).await;
        assert_eq!(written, Ok(()));
        assert!(test.stopped.try_recv().is_err());
        test.handle.app().store().clone().close().unwrap();
        let written = test.handle.run(|app| app.store().write_note("name", "note")).await;
        assert_eq!(written, Err(AppError::Store(StoreError::Stopped)));
        assert_eq!(test.stopped.try_recv(), Ok(StoreError::Stopped));
    }
}
