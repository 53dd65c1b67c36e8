//! Consistent copies of a database, even while it is being written to.

use super::Store;
use super::error::StoreError;
use super::file::{check_exists, connect_reader, create_folder, with_suffix};
use super::migrate::{MIGRATIONS, schema};
use super::schema::{SchemaPart, missing_parts};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

impl Store {
    /// Copies a database to a new file, even while a bot has it open. The copy is one snapshot.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if there is no database, [`StoreError::Exists`] if there is a file at `to`, and
    /// [`StoreError::CopyFailed`] if the copy cannot be written. After an error, no part of the copy is left.
    pub fn backup(from: &Path, to: &Path) -> Result<(), StoreError> {
        check_exists(from)?;
        if to.exists() {
            return Err(StoreError::Exists(to.to_owned()));
        }
        let source = connect_reader(from)?;
        if schema(&source, from)? == 0 {
            return Err(StoreError::Empty(from.to_owned()));
        }
        create_folder(to).map_err(StoreError::about_copy)?;
        let unfinished = with_suffix(to, &format!(".{}.unfinished", std::process::id()));
        let copied = write_copy(&source, &unfinished).and_then(|()| publish(&unfinished, to));
        if copied.is_err() {
            // The first error is the one to report.
            let _ = fs::remove_file(&unfinished);
        }
        copied.map_err(StoreError::about_copy)
    }

    /// Returns which parts of its schema a file lacks. The parts of a newer schema are unknown, so none is missing.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or is not a database of this program.
    pub fn missing_parts(path: &Path) -> Result<Vec<SchemaPart>, StoreError> {
        let db = connect_reader(path)?;
        let found = schema(&db, path)?;
        MIGRATIONS.get(..found as usize).map_or(Ok(Vec::new()), |applied| missing_parts(&db, applied))
    }
}

/// Copies the database of a connection to a new file beside it, and returns its path: that of the database with the
/// suffix and `.bak`, or `.2.bak` and so on if there is such a file.
pub(super) fn copy_beside(source: &Connection, database: &Path, suffix: &str) -> Result<PathBuf, StoreError> {
    let unfinished = with_suffix(database, &format!("{suffix}.unfinished"));
    // A process that was killed may have left an unfinished copy.
    let _ = fs::remove_file(&unfinished);
    write_copy(source, &unfinished)?;
    let mut copy = with_suffix(database, &format!("{suffix}.bak"));
    let mut number = 2;
    while fs::symlink_metadata(&copy).is_ok() {
        copy = with_suffix(database, &format!("{suffix}.{number}.bak"));
        number += 1;
    }
    publish(&unfinished, &copy)?;
    Ok(copy)
}

/// Writes a copy to a new file, and returns once it is on the disk.
fn write_copy(source: &Connection, to: &Path) -> Result<(), StoreError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(to).map_err(|error| StoreError::from_io(to, &error))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut copy = Connection::open_with_flags(to, flags)?;
    // An unfinished copy is deleted, so it needs no journal.
    copy.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")?;
    // Copying all pages in one step makes the copy one snapshot. In WAL mode, the writer does not wait for it.
    let step = Backup::new(source, &mut copy)?.step(-1)?;
    if step != StepResult::Done {
        return Err(StoreError::Busy(String::from("while it was copied")));
    }
    // Without WAL mode the copy is a single file, which can also be read in a read-only folder.
    copy.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
    copy.close().map_err(|(_, error)| error)?;
    file.sync_all().map_err(|error| StoreError::from_io(to, &error))
}

/// Renames a finished copy, unless there is a file with that name by now.
fn publish(unfinished: &Path, to: &Path) -> Result<(), StoreError> {
    // Unlike renaming, linking never replaces an existing file. Some file systems have no hard links.
    match fs::hard_link(unfinished, to) {
        Ok(()) => fs::remove_file(unfinished).map_err(|error| StoreError::from_io(unfinished, &error))?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(StoreError::Exists(to.to_owned())),
        Err(_) if to.exists() => return Err(StoreError::Exists(to.to_owned())),
        Err(_) => fs::rename(unfinished, to).map_err(|error| StoreError::from_io(to, &error))?,
    }
    sync_folder(to)
}

/// Writes the folder of a file to the disk, so that the file's name survives a power failure.
fn sync_folder(path: &Path) -> Result<(), StoreError> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| StoreError::from_io(folder, &error))
}
