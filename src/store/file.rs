//! The database file: how it is created and how connections to it are made.

use super::error::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
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

/// Creates the folder of a file if it is missing.
pub(super) fn create_folder(path: &Path) -> Result<(), StoreError> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.exists() => {
            fs::create_dir_all(folder).map_err(|error| StoreError::from_io(folder, &error))
        }
        _ => Ok(()),
    }
}

/// Opens the connection that writes.
pub(super) fn connect_writer(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = connect(path, flags)?;
    if db.is_readonly("main")? {
        return Err(StoreError::ReadOnly(path.display().to_string()));
    }
    let mode: String = db.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if !mode.eq_ignore_ascii_case("wal") {
        let problem = format!("the file system of {} does not support SQLite's write-ahead log", path.display());
        return Err(StoreError::Io(problem));
    }
    // `synchronous`: a commit is on the disk before it is answered. `wal_autocheckpoint`: the writer decides when the log
    // is copied back (see `checkpoint`). `journal_size_limit`: a log that grew during a long backup is truncated when it
    // is started over.
    db.execute_batch("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0")?;
    db.query_row("PRAGMA journal_size_limit = 67108864", [], |_| Ok(()))?;
    Ok(db)
}

/// Checks that a file is as long as its header says. SQLite does not: it reads the missing part of a last page as zeros.
pub(super) fn check_length(db: &Connection, path: &Path) -> Result<(), StoreError> {
    let number = |pragma: &str| db.query_row(pragma, [], |row| row.get::<_, u64>(0));
    let expected = number("PRAGMA page_count")? * number("PRAGMA page_size")?;
    let real = fs::canonicalize(path).map_err(|error| StoreError::from_io(path, &error))?;
    // The missing pages may be in the log. Another process copies them back before it empties the log, so the log's
    // length has to be read first.
    let has_log = fs::metadata(with_suffix(&real, "-wal")).is_ok_and(|log| log.len() > 0);
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
    // In WAL mode even a reader creates files beside the database, which fails in a read-only folder. Without a log
    // nothing writes to the file, and SQLite can open it as immutable, which needs no such files.
    if !is_readable(&db) && !with_suffix(path, "-wal").exists() {
        let immutable = connect(&immutable_uri(path), READ_ONLY | OpenFlags::SQLITE_OPEN_URI)?;
        if is_readable(&immutable) {
            db = immutable;
        }
    }
    // Many connections may be open at once, and each keeps its cache: a request reads only a few pages, and the system
    // caches the file.
    db.execute_batch("PRAGMA query_only = ON; PRAGMA cache_size = -256")?;
    Ok(db)
}

/// Opens a connection for `PRAGMA integrity_check`. It writes nothing, but is opened for writing if possible: on a
/// read-only connection SQLite does not check the constraints of the tables.
pub(super) fn connect_inspector(path: &Path) -> Result<Connection, StoreError> {
    match connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX) {
        Ok(db) if is_readable(&db) && !db.is_readonly("main")? => {
            // Otherwise closing the connection would copy back and delete the log that a killed process has left.
            db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            db.execute_batch("PRAGMA query_only = ON")?;
            Ok(db)
        }
        _ => connect_reader(path),
    }
}

/// Returns whether the file can be opened and read. Damage is found later.
fn is_readable(db: &Connection) -> bool {
    let read = db.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    let code = read.err().and_then(|error| error.sqlite_error_code());
    !matches!(code, Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied))
}

/// Returns the URI by which SQLite opens a file as one that does not change.
fn immutable_uri(path: &Path) -> PathBuf {
    let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{path}?immutable=1").into()
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let db = Connection::open_with_flags(path, flags)
        .map_err(|error| StoreError::Io(format!("{} cannot be opened: {error}", path.display())))?;
    db.busy_timeout(BUSY_TIMEOUT)?;
    db.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    db.execute_batch("PRAGMA foreign_keys = ON")?;
    Ok(db)
}
