//! The lock file beside the database: only one process at a time has a store open for writing.

use super::error::StoreError;
use super::file::{create_private, with_suffix};
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// How often to try to take the lock, and how long to wait in between. Another process that calls [`Lock::holder`] has
/// it for a moment.
const ATTEMPTS: u32 = 5;
const RETRY_DELAY: Duration = Duration::from_millis(20);

/// Who has a database open for writing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LockHolder {
    /// No process.
    Nobody,
    Process(u32),
    /// A process whose id is unknown, or the lock cannot be checked.
    Unknown,
}

/// A lock that is held until it is dropped. The system releases it when the process ends, even if it is killed.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a database. The lock file is never removed: a process that opened it before its removal and
    /// one that creates it again would each get a lock.
    pub(super) fn take(database: &Path) -> Result<Self, StoreError> {
        let path = lock_path(database);
        let mut file = create_private(&path)?;
        match retry(|| file.try_lock()) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = read_process_id(&mut file);
                return Err(StoreError::Locked { path, holder });
            }
            Err(TryLockError::Error(error)) => {
                return Err(StoreError::Io(format!("{} cannot be locked: {error}", path.display())));
            }
        }
        // The process id is only shown in messages, so a full disk is no reason not to open the store.
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(Self { _file: file })
    }

    /// Returns which process has the lock of a database, without keeping it.
    pub(super) fn holder(database: &Path) -> LockHolder {
        let mut file = match File::open(lock_path(database)) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return LockHolder::Nobody,
            Err(_) => return LockHolder::Unknown,
        };
        // A shared lock, so that two processes that check at the same time do not take each other for the holder.
        match file.try_lock_shared() {
            Ok(()) => LockHolder::Nobody,
            Err(TryLockError::WouldBlock) => {
                read_process_id(&mut file).map_or(LockHolder::Unknown, LockHolder::Process)
            }
            Err(TryLockError::Error(_)) => LockHolder::Unknown,
        }
    }
}

/// Returns the path of the lock file of a database. Symbolic links to the same database have the same lock file.
fn lock_path(database: &Path) -> PathBuf {
    let real = fs::canonicalize(database).unwrap_or_else(|_| database.to_owned());
    with_suffix(&real, ".lock")
}

fn retry(lock: impl Fn() -> Result<(), TryLockError>) -> Result<(), TryLockError> {
    for _ in 1..ATTEMPTS {
        match lock() {
            Err(TryLockError::WouldBlock) => sleep(RETRY_DELAY),
            result => return result,
        }
    }
    lock()
}

/// Reads the id of the process that has a lock. On some systems a locked file cannot be read.
fn read_process_id(file: &mut File) -> Option<u32> {
    let mut id = String::new();
    file.read_to_string(&mut id).ok()?;
    id.trim().parse().ok()
}
