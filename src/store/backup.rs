//! Consistent copies of a database, also while it is written to.

use super::Store;
use super::error::StoreError;
use super::file::{beside, connect_reader, create_folder};
use super::migrate::schema;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

impl Store {
    /// Copies a database as it is at this moment, also beside a running bot. Nothing is overwritten.
    pub fn backup(from: &Path, to: &Path) -> Result<(), StoreError> {
        if !from.exists() {
            return Err(StoreError::Missing(from.to_owned()));
        }
        if to.exists() {
            return Err(StoreError::Exists(to.to_owned()));
        }
        let source = connect_reader(from)?;
        if schema(&source, from)? == 0 {
            return Err(StoreError::NotOurs(from.to_owned()));
        }
        create_folder(to).map_err(StoreError::of_copy)?;
        let unfinished = beside(to, &format!(".{}.unfinished", std::process::id()));
        let copied = write_copy(&source, &unfinished).and_then(|()| publish(&unfinished, to));
        if copied.is_err() {
            // What is left of it is of no use; if it cannot be removed, the first error still says more.
            let _ = fs::remove_file(&unfinished);
        }
        copied.map_err(StoreError::of_copy)
    }
}

/// Puts a copy beside the database that a connection has open, in place of an earlier one of the same name.
pub(super) fn copy_beside(source: &Connection, database: &Path, suffix: &str) -> Result<(), StoreError> {
    let (copy, unfinished) = (beside(database, suffix), beside(database, &format!("{suffix}.unfinished")));
    // Left behind by a process that was killed.
    let _ = fs::remove_file(&unfinished);
    write_copy(source, &unfinished)?;
    fs::rename(&unfinished, &copy).map_err(|error| StoreError::of_file(&copy, &error))?;
    sync_folder(&copy)
}

/// Writes a copy to a new file and sees it to the disk.
fn write_copy(source: &Connection, to: &Path) -> Result<(), StoreError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(to).map_err(|error| StoreError::of_file(to, &error))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut copy = Connection::open_with_flags(to, flags)?;
    // Nobody sees the copy before it is whole, so that it needs no journal.
    copy.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")?;
    // All pages in one step are one snapshot; in a log of its own the writer goes on meanwhile.
    let step = Backup::new(source, &mut copy)?.step(-1)?;
    if step != StepResult::Done {
        return Err(StoreError::Busy(String::from("no copy could be made")));
    }
    // One file, whole in itself, that can also be read where nothing can be written.
    copy.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
    copy.close().map_err(|(_, error)| error)?;
    file.sync_all().map_err(|error| StoreError::of_file(to, &error))
}

/// Gives a finished copy its name, unless something has that name by now.
fn publish(unfinished: &Path, to: &Path) -> Result<(), StoreError> {
    // A link, unlike a renaming, never replaces what is there. Some file systems have none.
    match fs::hard_link(unfinished, to) {
        Ok(()) => fs::remove_file(unfinished).map_err(|error| StoreError::of_file(unfinished, &error))?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(StoreError::Exists(to.to_owned())),
        Err(_) if to.exists() => return Err(StoreError::Exists(to.to_owned())),
        Err(_) => fs::rename(unfinished, to).map_err(|error| StoreError::of_file(to, &error))?,
    }
    sync_folder(to)
}

/// Sees the name of a file to the disk.
fn sync_folder(path: &Path) -> Result<(), StoreError> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| StoreError::of_file(folder, &error))
}
