//! Pool of read connections: a few, opened on demand and kept.

use super::error::StoreError;
use super::file::{connect_inspector, connect_reader};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many idle connections are kept. There is no limit on connections in use: callers that hold one while they need
/// another would deadlock.
const MAX_IDLE: usize = 4;

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

    #[cfg(test)]
    pub(super) fn idle(&self) -> usize {
        self.pool().idle.len()
    }

    /// Runs a query about the whole file on a connection of its own (see [`connect_inspector`]).
    pub(super) fn inspect<T>(&self, query: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        query(&connect_inspector(&self.path)?)
    }

    /// Begins a read transaction on an idle connection, or on a new one if none is idle. Return it with [`Self::end`],
    /// or drop it, which closes it.
    pub(super) fn begin(&self) -> Result<Connection, StoreError> {
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
        connection.prepare_cached("BEGIN")?.execute([])?;
        self.transactions.fetch_add(1, Ordering::Relaxed);
        Ok(connection)
    }

    /// Ends a read transaction and keeps its connection for the next one. If ending fails, the connection is closed: the
    /// next reader would see the old snapshot.
    pub(super) fn end(&self, connection: Connection) {
        let ended = connection.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([]));
        if ended.is_err() && !connection.is_autocommit() {
            return;
        }
        let mut pool = self.pool();
        if !pool.closed && pool.idle.len() < MAX_IDLE {
            pool.idle.push(connection);
        }
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
