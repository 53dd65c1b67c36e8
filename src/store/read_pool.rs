//! Pool of read connections: a few, opened on demand and kept.

use super::error::StoreError;
use super::file::{connect_inspector, connect_reader};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How many connections can be in use at once.
const MOST: usize = 8;

/// Hands out read connections.
pub(super) struct ReadPool {
    path: PathBuf,
    pool: Mutex<Pool>,
    returned: Condvar,
    transactions: AtomicU64,
}

#[derive(Default)]
struct Pool {
    idle: Vec<Connection>,
    lent: usize,
    closed: bool,
}

impl ReadPool {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, pool: Mutex::default(), returned: Condvar::new(), transactions: AtomicU64::new(0) }
    }

    /// Begins a read transaction: everything read through it comes from the same moment.
    pub(super) fn begin(&self) -> Result<ReadTransaction<'_>, StoreError> {
        let connection = self.lend()?;
        connection.get()?.prepare_cached("BEGIN")?.execute([])?;
        self.transactions.fetch_add(1, Ordering::Relaxed);
        Ok(ReadTransaction { connection })
    }

    /// Counts the read transactions so far.
    pub(super) fn transactions(&self) -> u64 {
        self.transactions.load(Ordering::Relaxed)
    }

    /// Runs a query about the file as a whole on a connection of its own.
    pub(super) fn inspect<T>(
        &self,
        question: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        question(&connect_inspector(&self.path)?)
    }

    /// Lends a connection that does its own transactions.
    pub(super) fn lend(&self) -> Result<PooledConnection<'_>, StoreError> {
        let mut pool = self.pool();
        while pool.idle.is_empty() && pool.lent >= MOST && !pool.closed {
            pool = self.returned.wait(pool).unwrap_or_else(PoisonError::into_inner);
        }
        if pool.closed {
            return Err(StoreError::Stopped);
        }
        let idle = pool.idle.pop();
        pool.lent += 1;
        drop(pool);
        // From here on a failure gives the place back, because the guard is dropped.
        let mut lent = PooledConnection { owner: self, connection: idle };
        if lent.connection.is_none() {
            lent.connection = Some(connect_reader(&self.path)?);
        }
        Ok(lent)
    }

    /// Closes idle connections now, and the others when they are returned.
    pub(super) fn close(&self) {
        let mut pool = self.pool();
        pool.closed = true;
        pool.idle.clear();
        self.returned.notify_all();
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that is returned to the pool when it is dropped.
pub(super) struct PooledConnection<'p> {
    owner: &'p ReadPool,
    connection: Option<Connection>,
}

impl PooledConnection<'_> {
    pub(super) fn get(&self) -> Result<&Connection, StoreError> {
        self.connection.as_ref().ok_or(StoreError::Stopped)
    }
}

impl Drop for PooledConnection<'_> {
    fn drop(&mut self) {
        let mut pool = self.owner.pool();
        pool.lent -= 1;
        if !pool.closed {
            pool.idle.extend(self.connection.take());
        }
        self.owner.returned.notify_one();
    }
}

/// A read transaction that ends when it is dropped.
pub(super) struct ReadTransaction<'p> {
    connection: PooledConnection<'p>,
}

impl ReadTransaction<'_> {
    pub(super) fn db(&self) -> Result<&Connection, StoreError> {
        self.connection.get()
    }
}

impl Drop for ReadTransaction<'_> {
    fn drop(&mut self) {
        let Ok(db) = self.connection.get() else { return };
        let ended = db.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([]));
        if ended.is_err() && !db.is_autocommit() && db.execute_batch("ROLLBACK").is_err() {
            // A connection that stays inside a transaction would show the past to the next reader.
            self.connection.connection = None;
        }
    }
}
