//! Pool of read connections: a few, opened on demand and kept.

use super::error::StoreError;
use super::file::{connect_inspector, connect_reader};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many idle connections are kept. There is no limit on connections in use: callers that hold one while they need
/// another would deadlock.
const MAX_IDLE: usize = 8;

/// Hands out read connections.
pub(super) struct ReadPool {
    path: PathBuf,
    pool: Mutex<Pool>,
    transactions: AtomicU64,
}

#[derive(Default)]
struct Pool {
    idle: Vec<Connection>,
    closed: bool,
}

impl ReadPool {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, pool: Mutex::default(), transactions: AtomicU64::new(0) }
    }

    /// Returns the number of read transactions so far.
    pub(super) fn transactions(&self) -> u64 {
        self.transactions.load(Ordering::Relaxed)
    }

    /// Runs a query about the whole file on a connection of its own (see [`connect_inspector`]).
    pub(super) fn inspect<T>(&self, query: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        query(&connect_inspector(&self.path)?)
    }

    /// Lends a connection outside of a transaction; opens one if none is idle.
    pub(super) fn lend(&self) -> Result<PooledConnection<'_>, StoreError> {
        let mut pool = self.pool();
        if pool.closed {
            return Err(StoreError::Stopped);
        }
        let idle = pool.idle.pop();
        drop(pool);
        let connection = match idle {
            Some(connection) => connection,
            None => connect_reader(&self.path)?,
        };
        Ok(PooledConnection { owner: self, connection: Some(connection) })
    }

    /// Closes idle connections now, and the others when they are returned.
    pub(super) fn close(&self) {
        let mut pool = self.pool();
        pool.closed = true;
        pool.idle.clear();
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

    /// Begins a read transaction.
    pub(super) fn begin(&self) -> Result<(), StoreError> {
        self.get()?.prepare_cached("BEGIN")?.execute([])?;
        self.owner.transactions.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Ends a read transaction, if one is open. If that fails, the connection is not used again: the next reader would see
    /// the old snapshot.
    pub(super) fn end(&mut self) {
        let Some(db) = self.connection.as_ref().filter(|db| !db.is_autocommit()) else { return };
        let ended = db.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([]));
        if ended.is_err() && !db.is_autocommit() && db.execute_batch("ROLLBACK").is_err() {
            self.connection = None;
        }
    }
}

impl Drop for PooledConnection<'_> {
    fn drop(&mut self) {
        self.end();
        let mut pool = self.owner.pool();
        if !pool.closed && pool.idle.len() < MAX_IDLE {
            pool.idle.extend(self.connection.take());
        }
    }
}
