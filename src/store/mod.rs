//! The database: SQLite behind one writer thread and a few read connections.
//!
//! | question | file |
//! |---|---|
//! | What is in the file? | `migrations/`, `migrate`, `schema` |
//! | How is it opened, and which process may write? | `file`, `lock` |
//! | Who writes, and when is it on the disk? | `writer` |
//! | When is the write-ahead log copied back? | `checkpoint` |
//! | What does one change write? | [`commit`](Store::commit) |
//! | How does a request read? | [`Session`], `read_pool` |
//! | Which games need not be replayed? | `record_cache` |
//! | What can be read, and written apart from a commit? | `games`, `challenges`, `players`, `places`, `outbox`, `posts`, `settings`, `notes`, `heartbeat` |
//! | How do rows become values? | `row`, `query` |
//! | Which SQL statements are there? | `sql` |
//! | Is the file sound, how much is in it, and how is it copied or exported? | `check`, `stats`, `backup`, `export` |
//! | What can go wrong? | [`StoreError`] |
//!
//! Every call may wait for the disk, so callers run on threads that may block. A decision is written as one [`Commit`]:
//! [`Store::commit`] returns when all of it is on the disk, or says why nothing of it was written.
//!
//! # Errors
//!
//! Every fallible function returns a [`StoreError`] if the file cannot be read or written:
//!
//! - [`StoreError::BadRow`] if a stored value makes no sense. A list leaves such rows out and counts them ([`Listing`]).
//! - [`StoreError::Stopped`] after the store was closed or its writer thread has died. The program has to end then.
//! - [`StoreError::ReadOnly`] from everything that writes, on a store of [`Store::open_read_only`].

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
mod schema;
mod session;
mod settings;
mod sql;
mod stats;
mod writer;

pub use check::{CheckFinding, CheckReport};
pub use commit::{Commit, Committed, Effect, NewBody, PendingMessage, RequestId};
pub use error::{BadRow, CommitError, ErrorKind, StoreError};
pub use export::{ExportFilter, Visitor};
pub use games::GameRow;
pub use heartbeat::{ConnectionState, Heartbeat};
pub use lock::LockHolder;
pub use migrate::Migration;
pub use outbox::{Delivery, HandledRequest, OutboxId, OutboxMessage, Revision, UnreadableMessage};
pub use posts::{PostId, StalePost};
pub use query::Listing;
pub use schema::SchemaPart;
pub use session::Session;
pub use stats::Stats;

use lock::Lock;
use read_pool::ReadPool;
use record_cache::RecordCache;
use rusqlite::Connection;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use writer::{Deferral, Writer};

/// An open database. Clones share it.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    readers: Arc<ReadPool>,
    /// `None` if the file was opened for reading only.
    cache: Option<RecordCache>,
    /// `None` if the file was opened for reading only.
    writer: Option<Writer>,
    lock: Mutex<Option<Lock>>,
    migration: Option<Migration>,
    recreated: Vec<SchemaPart>,
}

/// How a store is opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StoreOptions {
    /// How many pages of 4 KB the file may have at most. Beyond that, writes fail as on a full disk.
    pub page_limit: Option<u32>,
}

/// What the store has done since it was opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counters {
    /// Read snapshots.
    pub read_transactions: u64,
    /// Commits, each of which waits for the disk once.
    pub commits: u64,
}

impl Store {
    /// Opens a file for reading and writing, and locks it. Creates it if it is missing; an older schema is migrated,
    /// after a copy was put beside the file. Missing indexes are recreated.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if another process has it open, [`StoreError::NewerSchema`], [`StoreError::NotOurs`] or
    /// [`StoreError::Altered`] if this version cannot use it, and [`StoreError::Migration`] if it could not be migrated;
    /// then it is unchanged.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, StoreOptions::default())
    }

    /// Opens a file as [`Store::open`] does, with options.
    ///
    /// # Errors
    /// The same as [`Store::open`].
    pub fn open_with(path: &Path, options: StoreOptions) -> Result<Self, StoreError> {
        file::check_not_folder(path)?;
        file::create_folder(path)?;
        let lock = Lock::take(path)?;
        // Before SQLite opens the file: closing any handle of a file drops all POSIX locks that the process has on it.
        drop(file::create_private(path)?);
        let mut db = file::connect_unchanged(path)?;
        // A file that is refused stays as it is.
        migrate::known_schema(&db, path, migrate::MIGRATIONS)?;
        file::prepare_for_writing(&db, path)?;
        let recreated = migrate::repair(&mut db, path, migrate::MIGRATIONS)?;
        let migration = migrate::migrate(&mut db, path, migrate::MIGRATIONS)?;
        if let Some(pages) = options.page_limit {
            db.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))?;
        }
        let readers = Arc::new(ReadPool::new(path.to_owned()));
        let writer = Some(Writer::start(db, Arc::clone(&readers))?);
        let (cache, lock) = (Some(RecordCache::default()), Mutex::new(Some(lock)));
        Ok(Self { inner: Arc::new(Inner { readers, cache, writer, lock, migration, recreated }) })
    }

    /// Opens a file for reading only, even while a bot has it open.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if there is no file, [`StoreError::Empty`] if it is empty, [`StoreError::OlderSchema`]
    /// or [`StoreError::NewerSchema`] unless it has the schema of this version, [`StoreError::NotOurs`] if another
    /// program has written it, and [`StoreError::Altered`] if another program has removed tables or columns.
    pub fn open_read_only(path: &Path) -> Result<Self, StoreError> {
        let (store, found) =
            Self::open_read_only_with(path, |db| migrate::known_schema(db, path, migrate::MIGRATIONS))?;
        let known = migrate::newest_schema(migrate::MIGRATIONS);
        match found {
            0 => Err(StoreError::Empty(path.to_owned())),
            found if found < known => Err(StoreError::OlderSchema { found, known }),
            _ => Ok(store),
        }
    }

    /// Opens a file for reading only; also returns the schema that the function `schema` reads.
    fn open_read_only_with(
        path: &Path,
        schema: impl FnOnce(&Connection) -> Result<u32, StoreError>,
    ) -> Result<(Self, u32), StoreError> {
        file::check_exists(path)?;
        let readers = Arc::new(ReadPool::new(path.to_owned()));
        let found = readers.begin().and_then(|connection| schema(&connection))?;
        let inner = Inner {
            readers,
            cache: None,
            writer: None,
            lock: Mutex::new(None),
            migration: None,
            recreated: Vec::new(),
        };
        Ok((Self { inner: Arc::new(inner) }, found))
    }

    /// Returns the migration that was made when the file was opened, if it had an older schema.
    #[must_use]
    pub fn migration(&self) -> Option<&Migration> {
        self.inner.migration.as_ref()
    }

    /// Returns the indexes that were missing when the file was opened, and were recreated.
    #[must_use]
    pub fn recreated(&self) -> &[SchemaPart] {
        &self.inner.recreated
    }

    /// Returns the real cause of a request's error: a query also fails if another program has changed the tables since
    /// the file was opened, which is not a bug.
    #[must_use]
    pub fn explain(&self, error: StoreError) -> StoreError {
        match error {
            StoreError::Bug(_) => self.read(|db| Ok(schema::explain(db, error.clone()))).unwrap_or(error),
            other => other,
        }
    }

    /// Returns which process has a file open for writing.
    #[must_use]
    pub fn lock_holder(path: &Path) -> LockHolder {
        Lock::holder(path)
    }

    /// Writes what still waits to be written, copies the write-ahead log back into the file and releases the lock.
    /// Afterwards, clones of this store fail with [`StoreError::Stopped`].
    ///
    /// # Errors
    /// [`StoreError::Stopped`] if the writer thread has died. The lock is released anyway.
    pub fn close(self) -> Result<(), StoreError> {
        self.inner.close()
    }

    /// Returns what the store has done since it was opened.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let commits = self.inner.writer.as_ref().map_or(0, Writer::commits);
        Counters { read_transactions: self.inner.readers.transactions(), commits }
    }

    /// Runs a query in a snapshot of its own.
    fn read<T>(&self, query: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        query(&*self.session()?.db()?)
    }

    fn writer(&self) -> Result<&Writer, StoreError> {
        self.inner.writer.as_ref().ok_or_else(StoreError::read_only)
    }

    /// Writes something that can be neither stale nor repeated, and returns once it is on the disk.
    fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer()?.run(|db| work(db).map_err(CommitError::Store)).map_err(CommitError::into_store_error)
    }

    /// Writes something together with the next commit, without waiting for it. `then` is called on the writer thread once
    /// it is on the disk, or with the error.
    fn write_later<T: Send + 'static>(
        &self,
        deferral: Deferral,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
        then: impl FnOnce(Result<T, StoreError>) + Send + 'static,
    ) {
        match self.writer() {
            Ok(writer) => writer.run_later(
                deferral,
                |db| work(db).map_err(CommitError::Store),
                |outcome| then(outcome.map_err(CommitError::into_store_error)),
            ),
            Err(error) => then(Err(error)),
        }
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
        // After the writer thread has ended: the next process may write as soon as the lock is free.
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner).take());
        stopped
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // A caller who needs the result calls `close`.
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
        let written = store.write(|_| -> Result<(), StoreError> { panic!("a bug that this test made") });
        assert_eq!(written, Err(StoreError::Stopped));
        // Returns once the thread has ended.
        assert_eq!(store.inner.writer.as_ref().unwrap().stop(), Err(StoreError::Stopped));
        assert_eq!(store.session().err(), Some(StoreError::Stopped));
        let beside = Store::open_read_only(&folder.join("games.db")).unwrap();
        assert!(beside.session().unwrap().stats().is_ok(), "another reader of the file goes on");
        drop((store, beside));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
