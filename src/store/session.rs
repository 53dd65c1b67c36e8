//! The read snapshot of a request: everything read through a session comes from one read transaction.
//!
//! Queries live beside the tables they read (`games`, `challenges`, `players` …) as methods of [`Session`].

use super::Store;
use super::error::StoreError;
use super::record_cache::RecordCache;
use rusqlite::Connection;
use std::cell::{Ref, RefCell};

/// A read snapshot. It ends when it is dropped.
///
/// A session holds a connection and keeps the write-ahead log from being started over, so it should not outlive the
/// request that opened it.
pub struct Session<'s> {
    store: &'s Store,
    /// `None` after [`Self::end_snapshot`], until the next query.
    connection: RefCell<Option<Connection>>,
}

impl Store {
    /// Begins a read snapshot.
    ///
    /// # Errors
    /// Fails if the file cannot be opened for reading, or the store was closed.
    pub fn session(&self) -> Result<Session<'_>, StoreError> {
        let snapshot = self.inner.readers.begin()?;
        Ok(Session { store: self, connection: RefCell::new(Some(snapshot)) })
    }
}

impl<'s> Session<'s> {
    /// Returns the connection; begins a new snapshot if the last one was ended.
    pub(super) fn db(&self) -> Result<Ref<'_, Connection>, StoreError> {
        if self.connection.borrow().is_none() {
            let snapshot = self.store.inner.readers.begin()?;
            self.connection.replace(Some(snapshot));
        }
        Ref::filter_map(self.connection.borrow(), Option::as_ref).map_err(|_| StoreError::Stopped)
    }

    /// Ends the snapshot; a later query begins a new one. Call it before waiting for a commit, so that the write-ahead
    /// log can be started over and another request can use the connection.
    pub fn end_snapshot(&self) {
        if let Some(snapshot) = self.connection.take() {
            self.store.inner.readers.end(snapshot);
        }
    }

    /// Returns the cache of records. A store that was opened for reading only has none.
    pub(super) fn cache(&self) -> Option<&'s RecordCache> {
        self.store.inner.cache.as_ref()
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.end_snapshot();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_session_lends_its_connection_while_a_commit_is_waited_for() {
        let folder = std::env::temp_dir().join(format!("ratatosk-session-{}", std::process::id()));
        let store = Store::open(&folder.join("games.db")).unwrap();
        let idle = || store.inner.readers.idle();
        let waiting = store.session().unwrap();
        waiting.stats().unwrap();
        waiting.end_snapshot();
        assert_eq!(idle(), 1, "it is free for another request");
        let other = store.session().unwrap();
        assert_eq!(idle(), 0, "which uses it");
        waiting.stats().unwrap();
        drop((waiting, other));
        assert_eq!(idle(), 2, "what is read later is read from a new snapshot");
        drop(store);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
