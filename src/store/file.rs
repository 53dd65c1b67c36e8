//! The database file: how it is created and how connections to it are made.

use super::error::StoreError;
use super::lock::{Lock, LockHolder};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The application id in the header of every database of ratatosk: `Rtsk`.
pub(super) const APPLICATION_ID: i32 = 0x5274_736B;

/// How long a connection waits for another one's lock.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// How many prepared statements a connection keeps. The writer and the readers use fewer each.
const STATEMENT_CACHE: usize = 64;

/// Returns the path of a file beside the database: its path with a suffix.
pub(super) fn with_suffix(database: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(suffix);
    name.into()
}

/// Opens a file for reading and writing. If it is missing, creates it with access for its owner only.
pub(super) fn create_private(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| StoreError::from_io(path, &error))
}

/// Checks that there is a file to read.
pub(super) fn check_exists(path: &Path) -> Result<(), StoreError> {
    check_not_folder(path)?;
    if path.exists() { Ok(()) } else { Err(StoreError::Missing(path.to_owned())) }
}

/// Checks that a path is not a folder: SQLite's own error would not say so.
pub(super) fn check_not_folder(path: &Path) -> Result<(), StoreError> {
    if path.is_dir() {
        return Err(StoreError::Io(format!("{} is a folder; name a file", path.display())));
    }
    Ok(())
}

/// Creates the folder of a file if it is missing.
pub(super) fn create_folder(path: &Path) -> Result<(), StoreError> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.exists() => {
            fs::create_dir_all(folder).map_err(|error| StoreError::from_io(folder, &error))
        }
        _ => Ok(()),
    }
}

/// Opens the connection that writes, without changing anything in the file yet.
pub(super) fn connect_unchanged(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = connect(path, flags)?;
    if db.is_readonly("main")? {
        return Err(StoreError::ReadOnly(path.display().to_string()));
    }
    // Otherwise closing the connection would copy back and delete the log that another process has left.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(db)
}

/// Prepares a connection for writing, and the file, which keeps a write-ahead log from now on.
pub(super) fn prepare_for_writing(db: &Connection, path: &Path) -> Result<(), StoreError> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    let mode: String = db.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if !mode.eq_ignore_ascii_case("wal") {
        let problem = format!("the file system of {} does not support SQLite's write-ahead log", path.display());
        return Err(StoreError::Io(problem));
    }
    // `synchronous`: a commit is on the disk before it is answered. `wal_autocheckpoint`: the writer decides when the log
    // is copied back (see `checkpoint`). `cache_size`: half of the default, which costs a move no measurable time.
    // `journal_size_limit`: a log that grew during a long backup is truncated when it is started over.
    db.execute_batch("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -1024")?;
    db.query_row("PRAGMA journal_size_limit = 67108864", [], |_| Ok(()))?;
    Ok(())
}

/// Opens the connection that writes to a file which is known to be ours.
pub(super) fn connect_writer(path: &Path) -> Result<Connection, StoreError> {
    let db = connect_unchanged(path)?;
    prepare_for_writing(&db, path)?;
    Ok(db)
}

/// Checks that a file is as long as its header says. SQLite does not: it reads the missing part of a last page as zeros.
pub(super) fn check_length(db: &Connection, path: &Path) -> Result<(), StoreError> {
    let number = |pragma: &str| db.query_row(pragma, [], |row| row.get::<_, u64>(0));
    let expected = number("PRAGMA page_count")? * number("PRAGMA page_size")?;
    let real = fs::canonicalize(path).map_err(|error| StoreError::from_io(path, &error))?;
    // The missing pages may be in the log. Another process copies them back before it empties the log, so the log's
    // length has to be read first.
    let has_log = log_length(path).is_some_and(|length| length > 0);
    let length = fs::metadata(&real).map_err(|error| StoreError::from_io(path, &error))?.len();
    if length < expected && !has_log {
        return Err(StoreError::Damaged(format!("it should have {expected} bytes and has {length}")));
    }
    Ok(())
}

const READ_ONLY: OpenFlags = OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// Opens a connection that only reads.
pub(super) fn connect_reader(path: &Path) -> Result<Connection, StoreError> {
    let mut db = connect(path, READ_ONLY)?;
    // In WAL mode even a reader creates files beside the database, which fails in a read-only folder and on a full disk.
    if let Some(error) = read_error(&db) {
        if !can_open_immutable(log_length(path), || Lock::holder(path)) {
            return Err(unreadable_log_error(path, error));
        }
        db = connect(&immutable_uri(path), READ_ONLY | OpenFlags::SQLITE_OPEN_URI)?;
    }
    // The cache is small because many connections may be open at once. A request reads only a few pages, and the system
    // caches the file.
    db.execute_batch("PRAGMA query_only = ON; PRAGMA cache_size = -256")?;
    Ok(db)
}

/// Opens a connection for `PRAGMA integrity_check`. It writes nothing, but is opened for writing if possible: on a
/// read-only connection SQLite does not check the constraints of the tables.
pub(super) fn connect_inspector(path: &Path) -> Result<Connection, StoreError> {
    match connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX) {
        Ok(db) if read_error(&db).is_none() && !db.is_readonly("main")? => {
            // Otherwise closing the connection would copy back and delete the log that a killed process has left.
            db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            db.execute_batch("PRAGMA query_only = ON")?;
            Ok(db)
        }
        _ => connect_reader(path),
    }
}

/// Returns why SQLite cannot create the files that it needs for reading, if it cannot. Other errors are found later.
fn read_error(db: &Connection) -> Option<StoreError> {
    let error = db.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())).err()?;
    let cannot_open = error.sqlite_error_code() == Some(ErrorCode::CannotOpen);
    let error = StoreError::from(error);
    (cannot_open || matches!(error, StoreError::ReadOnly(_) | StoreError::Full(_))).then_some(error)
}

/// Returns the error for a database whose write-ahead log cannot be read.
fn unreadable_log_error(path: &Path, error: StoreError) -> StoreError {
    let problem = format!("{}: the last changes are in its write-ahead log, which cannot be read", path.display());
    match error {
        StoreError::Full(_) => StoreError::Full(format!("{problem} on a full disk")),
        StoreError::ReadOnly(_) => StoreError::ReadOnly(format!("{problem} in a folder where no file can be created")),
        // This also happens if too many files are open.
        StoreError::Io(cause) => StoreError::Io(format!("{problem} without its index ({cause})")),
        other => other,
    }
}

/// Returns whether a file can be opened as immutable, by the length of its write-ahead log: everything is in the file,
/// and nothing writes to it.
fn can_open_immutable(log: Option<u64>, holder: impl FnOnce() -> LockHolder) -> bool {
    match log {
        // A process that writes has a log.
        None => true,
        // An attempt to read on a full disk leaves an empty one.
        Some(0) => holder() == LockHolder::Nobody,
        Some(_) => false,
    }
}

/// Returns the length of the write-ahead log of a database, if there is one.
fn log_length(path: &Path) -> Option<u64> {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    fs::metadata(with_suffix(&real, "-wal")).ok().map(|log| log.len())
}

/// Returns the URI by which SQLite opens a file as one that does not change.
fn immutable_uri(path: &Path) -> PathBuf {
    let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{path}?immutable=1").into()
}

/// Opens a connection with the settings that all connections share.
pub(super) fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let db = Connection::open_with_flags(path, flags).map_err(|error| cannot_open(path, &error))?;
    db.busy_timeout(BUSY_TIMEOUT)?;
    db.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    // Makes query plans depend on the statement alone. By default, SQLite plans a cached statement again for each new
    // set of values.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    db.execute_batch("PRAGMA foreign_keys = ON")?;
    Ok(db)
}

/// Returns the error for a file that SQLite cannot open. SQLite's own text names the file, but not the reason.
fn cannot_open(path: &Path, error: &rusqlite::Error) -> StoreError {
    match fs::metadata(path).map(|_| File::open(path)) {
        Err(reason) | Ok(Err(reason)) => {
            let advice = match reason.kind() {
                ErrorKind::PermissionDenied => "; check its owner and permissions, or run this as its owner",
                _ => "",
            };
            StoreError::Io(format!("{}: {reason}{advice}", path.display()))
        }
        Ok(Ok(file)) => {
            // The file stays open, because closing any handle of a file drops all POSIX locks that the process has on
            // it.
            std::mem::forget(file);
            StoreError::Io(error.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_ignored_only_if_it_is_empty_and_nobody_writes() {
        let ignored = |log, holder| can_open_immutable(log, || holder);
        assert!(ignored(None, LockHolder::Nobody) && ignored(None, LockHolder::Unknown));
        assert!(ignored(Some(0), LockHolder::Nobody));
        assert!(!ignored(Some(0), LockHolder::Process(7)) && !ignored(Some(0), LockHolder::Unknown));
        assert!(!ignored(Some(4152), LockHolder::Nobody));
    }
}
