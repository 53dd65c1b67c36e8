//! One writer: a lock file beside the database, held for as long as the store is open.

use super::error::StoreError;
use super::file::{beside, create_private};
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

/// A lock that is held; the system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a database. The lock file stays where it is afterwards: removing it would let two others have
    /// a lock each.
    pub(super) fn take(database: &Path) -> Result<Self, StoreError> {
        let path = beside(database, ".lock");
        let mut file = create_private(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // Where a locked file cannot be read there is just no number.
                let _ = file.read_to_string(&mut holder);
                return Err(StoreError::Locked { path, holder: holder.trim().parse().ok() });
            }
            Err(TryLockError::Error(error)) => {
                return Err(StoreError::Io(format!("{} cannot be locked: {error}", path.display())));
            }
        }
        // The number is only there to be shown; a full disk must not keep the store from opening.
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(Self { _file: file })
    }
}
