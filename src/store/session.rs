//! The read snapshot of a request: everything read through a session comes from one read transaction.
//!
//! Queries live beside the tables they read (`games`, `challenges`, `players` …) as methods of [`Session`].

use super::Store;
use super::error::StoreError;
use super::read_pool::PooledConnection;
use super::record_cache::RecordCache;
use rusqlite::Connection;

/// A read snapshot. It ends when it is dropped.
///
/// A session holds one of a few connections, so it should not outlive the request that opened it.
pub struct Session<'s> {
    connection: PooledConnection<'s>,
    cache: Option<&'s RecordCache>,
}

impl Store {
    /// Begins a read snapshot.
    ///
    /// # Errors
    /// Fails if the file cannot be opened for reading, or the store was closed.
    pub fn session(&self) -> Result<Session<'_>, StoreError> {
        let connection = self.inner.readers.lend()?;
        connection.begin()?;
        Ok(Session { connection, cache: self.inner.cache.as_ref() })
    }
}

impl<'s> Session<'s> {
    /// Returns the connection; begins a new snapshot if the last one was ended.
    pub(super) fn db(&self) -> Result<&Connection, StoreError> {
        let db = self.connection.get()?;
        if db.is_autocommit() {
            self.connection.begin()?;
        }
        Ok(db)
    }

    /// Ends the snapshot; a later query begins a new one. Call it before waiting for a commit: while a snapshot is open,
    /// the write-ahead log cannot be started over.
    pub fn end_snapshot(&self) -> Result<(), StoreError> {
        let db = self.connection.get()?;
        if !db.is_autocommit() {
            db.prepare_cached("COMMIT")?.execute([])?;
        }
        Ok(())
    }

    /// Returns the cache of records. A store that was opened for reading only has none.
    pub(super) const fn cache(&self) -> Option<&'s RecordCache> {
        self.cache
    }
}
