//! The file that loses nothing: SQLite behind one thread that writes and a few connections that read.
//!
//! | question | file |
//! |---|---|
//! | IncomingKind stands in the file? | `migrations/`, `migrate` |
//! | How is it opened, and by whom? | `file`, `lock` |
//! | Who writes, and when is it on the disk? | `writer` |
//! | IncomingKind does one change write? | `commit` |
//! | Which games need not be replayed? | `record_cache` |
//! | IncomingKind is read? | `games`, `challenges`, `players`, `places`, `outbox`, `posts`, `settings`, `heartbeat` |
//! | How do rows become values? | `row`, `query` |
//! | Which statements are there? | `sql` |
//! | Is everything sound? How much is there, and how does it get out? | `check`, `stats`, `backup`, `export` |
//! | IncomingKind can go wrong? | [`StoreError`] |
//!
//! Everything here waits for the disk: it is called from threads that may wait. What is decided elsewhere comes in as
//! one [`Commit`]; [`Store::commit`] comes back when it is on the disk, or says why nothing of it was done.

mod backup;
mod challenges;
mod check;
mod commit;
mod error;
mod export;
mod file;
mod games;
mod heartbeat;
mod lock;
mod migrate;
mod outbox;
mod places;
mod players;
mod posts;
mod query;
mod read_pool;
mod record_cache;
mod row;
mod settings;
mod sql;
mod stats;
mod writer;

pub use check::CheckFinding;
pub use commit::{About, Commit, Committed, Done, Effect, RequestId};
pub use error::{BadRow, CommitError, ErrorKind, StoreError};
pub use export::{Export, Visitor};
pub use games::GameRow;
pub use heartbeat::{ConnectionState, Heartbeat};
pub use lock::LockHolder;
pub use outbox::{OutboxId, OutboxMessage};
pub use posts::Post;
pub use query::Listing;
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
    readers: ReadPool,
    /// None where the file was only opened for reading.
    recent: Option<RecordCache>,
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
        let mut db = file::connect_writer(path)?;
        migrate::migrate(&mut db, path, migrate::MIGRATIONS)?;
        if let Some(pages) = options.page_limit {
            db.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))?;
        }
        let (readers, writer) = (ReadPool::new(path.to_owned()), Some(Writer::start(db)?));
        let inner = Inner { readers, recent: Some(RecordCache::default()), writer, lock: Mutex::new(Some(lock)) };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Opens a file for reading only, also beside a running bot.
    pub fn open_beside(path: &Path) -> Result<Self, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing(path.to_owned()));
        }
        let readers = ReadPool::new(path.to_owned());
        let known = migrate::newest(migrate::MIGRATIONS);
        match migrate::schema(readers.lend()?.connection()?, path)? {
            found if found > known => return Err(StoreError::NewerSchema { found, known }),
            found if found < known => return Err(StoreError::OlderSchema { found, known }),
            _ => {}
        }
        let inner = Inner { readers, recent: None, writer: None, lock: Mutex::new(None) };
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
        self.inner.readers.read(question)
    }

    /// Has something written, and waits until it is on the disk.
    fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, CommitError> + Send + 'static,
    ) -> Result<T, CommitError> {
        let opened_for_reading = || StoreError::ReadOnly(String::from("it was opened for reading only"));
        self.inner.writer.as_ref().ok_or_else(opened_for_reading)?.run(work)
    }

    /// Has something written that can be neither stale nor repeated.
    fn keep<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.write(|db| work(db).map_err(CommitError::Store)).map_err(|error| match error {
            CommitError::Store(error) => error,
            // The work above gives no other error.
            CommitError::Stale | CommitError::Repeated(_) => StoreError::Refused(error.to_string()),
        })
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
