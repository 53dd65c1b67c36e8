//! The connections that read: a few, opened when they are needed and kept.

use super::error::StoreError;
use super::file::{connect_inspector, connect_reader};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How many can read at once.
const MOST: usize = 8;

/// The connections that read.
pub(super) struct ReadPool {
    path: PathBuf,
    shelf: Mutex<Pool>,
    returned: Condvar,
}

#[derive(Default)]
struct Pool {
    idle: Vec<Connection>,
    lent: usize,
    closed: bool,
}

impl ReadPool {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, shelf: Mutex::default(), returned: Condvar::new() }
    }

    /// Reads something, all of it from the same moment.
    pub(super) fn read<T>(&self, question: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let loan = self.lend()?;
        let db = loan.connection()?;
        db.prepare_cached("BEGIN")?.execute([])?;
        let answer = question(db);
        let ended = db.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([]));
        if ended.is_err() && !db.is_autocommit() {
            db.execute_batch("ROLLBACK")?;
        }
        answer
    }

    /// Asks something of the file as a whole.
    pub(super) fn inspect<T>(
        &self,
        question: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        question(&connect_inspector(&self.path)?)
    }

    /// Lends a connection that does its own transactions.
    pub(super) fn lend(&self) -> Result<PooledConnection<'_>, StoreError> {
        let mut shelf = self.shelf();
        while shelf.idle.is_empty() && shelf.lent >= MOST && !shelf.closed {
            shelf = self.returned.wait(shelf).unwrap_or_else(PoisonError::into_inner);
        }
        if shelf.closed {
            return Err(StoreError::StopReason);
        }
        let idle = shelf.idle.pop();
        shelf.lent += 1;
        drop(shelf);
        let mut loan = PooledConnection { readers: self, connection: idle };
        if loan.connection.is_none() {
            loan.connection = Some(connect_reader(&self.path)?);
        }
        Ok(loan)
    }

    /// Closes the connections that nobody uses, and the others when they come back.
    pub(super) fn close(&self) {
        let mut shelf = self.shelf();
        shelf.closed = true;
        shelf.idle.clear();
        self.returned.notify_all();
    }

    fn shelf(&self) -> MutexGuard<'_, Pool> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that goes back when it is no longer needed.
pub(super) struct PooledConnection<'r> {
    readers: &'r ReadPool,
    connection: Option<Connection>,
}

impl PooledConnection<'_> {
    pub(super) fn connection(&self) -> Result<&Connection, StoreError> {
        self.connection.as_ref().ok_or(StoreError::StopReason)
    }
}

impl Drop for PooledConnection<'_> {
    fn drop(&mut self) {
        let mut shelf = self.readers.shelf();
        shelf.lent -= 1;
        if !shelf.closed {
            shelf.idle.extend(self.connection.take());
        }
        self.readers.returned.notify_one();
    }
}
