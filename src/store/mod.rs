//! The database: SQLite behind one writer thread and a few read connections.
//!
//! | question | file |
//! |---|---|
//! | What is in the file? | `migrations/`, `migrate` |
//! | How is it opened, and by whom? | `file`, `lock` |
//! | Who writes, and when is it on the disk? | `writer` |
//! | When is the write-ahead log copied back? | `checkpoint` |
//! | What does one change write? | [`commit`](Store::commit) |
//! | How does a request read? | [`Session`], `read_pool` |
//! | Which games need not be replayed? | `record_cache` |
//! | What is read? | `games`, `challenges`, `players`, `places`, `outbox`, `posts`, `settings`, `notes`, `heartbeat` |
//! | How do rows become values? | `row`, `query` |
//! | Which statements are there? | `sql` |
//! | Is everything sound? How much is there, and how does it get out? | `check`, `stats`, `backup`, `export` |
//! | What can go wrong? | [`StoreError`] |
//!
//! Every call may wait for the disk, so callers are on threads that may block. A decision comes in as one [`Commit`];
//! [`Store::commit`] returns when it is on the disk, or says why nothing of it was written.

mod backup;
mod challenges;
mod check;
mod checkpoint;
mod commit;
mod error;
mod export;
mod file;
mod games;
mod heartbeat;
mod lock;
mod migrate;
mod notes;
mod outbox;
mod places;
mod players;
mod posts;
mod query;
mod read_pool;
mod record_cache;
mod row;
mod session;
mod settings;
mod sql;
mod stats;
mod writer;

pub use check::CheckFinding;
pub use commit::{About, Commit, Committed, Effect, Pending, RequestId};
pub use error::{BadRow, CommitError, ErrorKind, StoreError};
pub use export::{Export, Visitor};
pub use games::GameRow;
pub use heartbeat::{ConnectionState, Heartbeat};
pub use lock::LockHolder;
pub use outbox::{Delivery, HandledRequest, OutboxId, OutboxMessage};
pub use posts::StalePost;
pub use query::Listing;
pub use session::Session;
pub use stats::Stats;

use lock::Lock;
use read_pool::ReadPool;
use record_cache::RecordCache;
use rusqlite::Connection;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use writer::Writer;

/// The file with everything that happened. Clones share it.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    readers: Arc<ReadPool>,
    /// None where the file was only opened for reading.
    cache: Option<RecordCache>,
    /// None where the file was only opened for reading.
    writer: Option<Writer>,
    lock: Mutex<Option<Lock>>,
}

/// How a store is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// How many pages of 4 KB the file may have, as if the disk were full then.
    pub page_limit: Option<u32>,
}

impl Store {
    /// Opens a file, takes its lock, and brings it up to date after a copy was put beside it; a missing one is made.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, Options::default())
    }

    /// Opens a file as [`Store::open`] does, with limits.
    pub fn open_with(path: &Path, options: Options) -> Result<Self, StoreError> {
        file::create_folder(path)?;
        let lock = Lock::take(path)?;
        // Before SQLite has it open: closing a second handle would take SQLite's own locks away.
        drop(file::create_private(path)?);
        let mut db = file::connect_writer(path).map_err(StoreError::while_opening)?;
        migrate::migrate(&mut db, path, migrate::MIGRATIONS).map_err(StoreError::while_opening)?;
        if let Some(pages) = options.page_limit {
            db.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))?;
        }
        let readers = Arc::new(ReadPool::new(path.to_owned()));
        let writer = Some(Writer::start(db, Arc::clone(&readers))?);
        let inner = Inner { readers, cache: Some(RecordCache::default()), writer, lock: Mutex::new(Some(lock)) };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Opens a file for reading only, also beside a running bot.
    pub fn open_beside(path: &Path) -> Result<Self, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing(path.to_owned()));
        }
        let readers = Arc::new(ReadPool::new(path.to_owned()));
        let known = migrate::newest_schema(migrate::MIGRATIONS);
        let schema = readers.lend().and_then(|connection| migrate::schema(connection.get()?, path));
        match schema.map_err(StoreError::while_opening)? {
            found if found > known => return Err(StoreError::NewerSchema { found, known }),
            found if found < known => return Err(StoreError::OlderSchema { found, known }),
            _ => {}
        }
        let inner = Inner { readers, cache: None, writer: None, lock: Mutex::new(None) };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Finds out who has a file open for writing, without disturbing him.
    #[must_use]
    pub fn holder(path: &Path) -> LockHolder {
        Lock::holder(path)
    }

    /// Finishes what waits to be written, copies the log back into the file and lets go of the lock. Clones of this
    /// store can do nothing afterwards.
    pub fn close(self) -> Result<(), StoreError> {
        self.inner.close()
    }

    fn read<T>(&self, question: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        question(self.session()?.db()?)
    }

    /// Has something written, and waits until it is on the disk.
    fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, CommitError> + Send + 'static,
    ) -> Result<T, CommitError> {
        self.inner.writer.as_ref().ok_or_else(StoreError::read_only)?.run(work)
    }

    /// Has something written that can be neither stale nor repeated.
    fn keep<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.write(|db| work(db).map_err(CommitError::Store)).map_err(never_stale)
    }
}

impl Store {
    /// Writes something that nobody waits for, together with the next commit; `then` is called once it is on the disk,
    /// or with what went wrong.
    fn keep_later<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
        then: impl FnOnce(Result<T, StoreError>) + Send + 'static,
    ) {
        let Some(writer) = &self.inner.writer else { return then(Err(StoreError::read_only())) };
        writer.run_later(|db| work(db).map_err(CommitError::Store), |outcome| then(outcome.map_err(never_stale)));
    }

    /// Counts what the store has done since it was opened.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let commits = self.inner.writer.as_ref().map_or(0, Writer::commits);
        Counters { read_transactions: self.inner.readers.transactions(), commits }
    }
}

/// What the store has done since it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counters {
    /// Read snapshots.
    pub read_transactions: u64,
    /// Commits, each of which waits for the disk once.
    pub commits: u64,
}

/// Unwraps the error of a job that can be neither stale nor repeated.
fn never_stale(error: CommitError) -> StoreError {
    match error {
        CommitError::Store(error) => error,
        // Such a job gives no other error.
        CommitError::Stale | CommitError::Repeated => StoreError::Refused(error.to_string()),
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("writes", &self.inner.writer.is_some()).finish_non_exhaustive()
    }
}

impl Inner {
    fn close(&self) -> Result<(), StoreError> {
        self.readers.close();
        let stopped = self.writer.as_ref().map_or(Ok(()), Writer::stop);
        // Only now: nobody else may write before the thread has ended.
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner).take());
        stopped
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Whoever wants to know how it went calls `close`.
        let _ = self.close();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;

    #[test]
    fn after_a_panic_in_the_writer_thread_reads_fail_as_well() {
        let folder = std::env::temp_dir().join(format!("ratatosk-panic-{}", std::process::id()));
        let store = Store::open(&folder.join("games.db")).unwrap();
        assert!(store.session().unwrap().stats().is_ok());
        let written = store.write(|_| -> Result<(), CommitError> { panic!("a bug that this test made") });
        assert_eq!(written, Err(CommitError::Store(StoreError::Stopped)));
        // Returns once the thread has ended.
        assert_eq!(store.inner.writer.as_ref().unwrap().stop(), Err(StoreError::Stopped));
        assert_eq!(store.session().err(), Some(StoreError::Stopped));
        let beside = Store::open_beside(&folder.join("games.db")).unwrap();
        assert!(beside.session().unwrap().stats().is_ok(), "another reader of the file goes on");
        drop((store, beside));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
