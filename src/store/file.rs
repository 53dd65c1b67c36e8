//! The database file: how it is created and how connections to it are made.

use super::error::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The number in the header of every file of ours: `Rtsk`.
pub(super) const APPLICATION_ID: i32 = 0x5274_736B;

/// How long a connection waits for another one before it gives up.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// How many prepared statements a connection keeps: all that there are.
const STATEMENTS: usize = 64;

/// Gives the path of a file beside the database: its name with something added.
pub(super) fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(suffix);
    name.into()
}

/// Opens a file for reading and writing, making it readable by its owner only if it is new.
pub(super) fn create_private(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| StoreError::of_file(path, &error))
}

/// Makes the folder of a file, if it is missing.
pub(super) fn create_folder(path: &Path) -> Result<(), StoreError> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.exists() => {
            fs::create_dir_all(folder).map_err(|error| StoreError::of_file(folder, &error))
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
        return Err(StoreError::Io(format!("the file system under {} has no shared memory", path.display())));
    }
    // A commit is on the disk before it is answered. The writer decides when to copy the log back into the file (see
    // `checkpoint`); a log that grew beyond its limit, because a backup took long, is cut off when it is started over.
    db.execute_batch("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0")?;
    db.query_row("PRAGMA journal_size_limit = 67108864", [], |_| Ok(()))?;
    Ok(db)
}

/// Finds out whether a file is as long as it says. SQLite itself would take what is missing of its last page for zeros.
pub(super) fn is_whole(db: &Connection, path: &Path) -> Result<(), StoreError> {
    let number = |pragma: &str| db.query_row(pragma, [], |row| row.get::<_, u64>(0));
    let said = number("PRAGMA page_count")? * number("PRAGMA page_size")?;
    let real = fs::canonicalize(path).map_err(|error| StoreError::of_file(path, &error))?;
    // What is missing may stand in the log. Another process copies that back before it empties it, so that it is looked
    // at in this order.
    let logged = fs::metadata(beside(&real, "-wal")).is_ok_and(|log| log.len() > 0);
    let there = fs::metadata(&real).map_err(|error| StoreError::of_file(path, &error))?.len();
    if there < said && !logged {
        return Err(StoreError::Damaged(format!("it should have {said} bytes and has {there}")));
    }
    Ok(())
}

const READ_ONLY: OpenFlags = OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// Opens a connection that only reads.
pub(super) fn connect_reader(path: &Path) -> Result<Connection, StoreError> {
    let mut db = connect(path, READ_ONLY)?;
    // Even a reader keeps files beside the database. In a folder where nothing can be made it can do without them if
    // nobody writes, and whoever writes has a log there.
    if !can_be_read(&db) && !beside(path, "-wal").exists() {
        let still = connect(&unchanging(path), READ_ONLY | OpenFlags::SQLITE_OPEN_URI)?;
        if can_be_read(&still) {
            db = still;
        }
    }
    db.execute_batch("PRAGMA query_only = ON")?;
    Ok(db)
}

/// Opens a connection that looks whether all is sound. It writes nothing, but it could: one that cannot is not told what
/// the tables check by themselves.
pub(super) fn connect_inspector(path: &Path) -> Result<Connection, StoreError> {
    match connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX) {
        Ok(db) if can_be_read(&db) && !db.is_readonly("main")? => {
            // The log that a process has left stays for the one that opens the file next.
            db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            db.execute_batch("PRAGMA query_only = ON")?;
            Ok(db)
        }
        _ => connect_reader(path),
    }
}

/// Tells whether the file can be read at all; what stands in it is looked at later.
fn can_be_read(db: &Connection) -> bool {
    let looked = db.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    let code = looked.err().and_then(|error| error.sqlite_error_code());
    !matches!(code, Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied))
}

/// Names a file to SQLite as one that nobody changes.
fn unchanging(path: &Path) -> PathBuf {
    let mut name = OsString::from("file:");
    for part in path.as_os_str().to_string_lossy().chars() {
        match part {
            '%' => name.push("%25"),
            '?' => name.push("%3f"),
            '#' => name.push("%23"),
            other => name.push(other.encode_utf8(&mut [0; 4])),
        }
    }
    name.push("?immutable=1");
    name.into()
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let db = Connection::open_with_flags(path, flags)
        .map_err(|error| StoreError::Io(format!("{} cannot be opened: {error}", path.display())))?;
    db.busy_timeout(PATIENCE)?;
    db.set_prepared_statement_cache_capacity(STATEMENTS);
    db.execute_batch("PRAGMA foreign_keys = ON")?;
    Ok(db)
}
