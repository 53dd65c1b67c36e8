//! One writer: a lock file beside the database, held for as long as the store is open.

use super::error::StoreError;
use super::file::{beside, create_private};
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// How often a lock is tried, and how long is waited in between: whoever looks at it has it for a moment.
const TRIES: u32 = 5;
const BETWEEN: Duration = Duration::from_millis(20);

/// Who has a database open for writing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LockHolder {
    /// Nobody: whoever had it has ended.
    Nobody,
    /// The process with this number.
    Process(u32),
    /// That cannot be found out here.
    Unknown,
}

/// A lock that is held; the system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a database. The lock file stays where it is afterwards: removing it would let two others have
    /// a lock each.
    pub(super) fn take(database: &Path) -> Result<Self, StoreError> {
        let path = name(database);
        let mut file = create_private(&path)?;
        match try_often(|| file.try_lock()) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = written_in(&mut file);
                return Err(StoreError::Locked { path, holder });
            }
            Err(TryLockError::Error(error)) => {
                return Err(StoreError::Io(format!("{} cannot be locked: {error}", path.display())));
            }
        }
        // The number is only there to be shown; a full disk must not keep the store from opening.
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(Self { _file: file })
    }

    /// Finds out who has the lock, and leaves it to him.
    pub(super) fn holder(database: &Path) -> LockHolder {
        let mut file = match File::open(name(database)) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return LockHolder::Nobody,
            Err(_) => return LockHolder::Unknown,
        };
        // Shared, so that two who look do not take each other for the holder.
        match file.try_lock_shared() {
            Ok(()) => LockHolder::Nobody,
            Err(TryLockError::WouldBlock) => written_in(&mut file).map_or(LockHolder::Unknown, LockHolder::Process),
            Err(TryLockError::Error(_)) => LockHolder::Unknown,
        }
    }
}

/// Names the lock file of a database: one, by whichever link the database is reached.
fn name(database: &Path) -> PathBuf {
    let real = fs::canonicalize(database).unwrap_or_else(|_| database.to_owned());
    beside(&real, ".lock")
}

fn try_often(lock: impl Fn() -> Result<(), TryLockError>) -> Result<(), TryLockError> {
    for _ in 1..TRIES {
        match lock() {
            Err(TryLockError::WouldBlock) => sleep(BETWEEN),
            done => return done,
        }
    }
    lock()
}

/// Reads the number of the process that has a lock. Where a locked file cannot be read there is just none.
fn written_in(file: &mut File) -> Option<u32> {
    let mut holder = String::new();
    let _ = file.read_to_string(&mut holder);
    holder.trim().parse().ok()
}
