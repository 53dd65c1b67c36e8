//! What can go wrong with the file, in sentences that say what to do.

use crate::game::game::CannotBegin;
use rusqlite::{ErrorCode, ffi};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why something could not be read from the file or written to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StoreError {
    /// Another process has the file.
    Locked {
        /// The lock file.
        path: PathBuf,
        /// The number of the process, if it has said so.
        holder: Option<u32>,
    },
    /// The file was written by a newer version of this program.
    NewerSchema {
        /// The schema of the file.
        found: u32,
        /// The newest schema that this program knows.
        known: u32,
    },
    /// The file was written by an older version of this program, and was opened for reading only.
    OlderSchema {
        /// The schema of the file.
        found: u32,
        /// The schema that this program needs.
        known: u32,
    },
    /// The file could not be brought to the schema of this program; it is as it was before.
    Migration {
        /// The schema that could not be reached.
        to: u32,
        /// What went wrong.
        problem: String,
    },
    /// The file belongs to another program.
    NotOurs(PathBuf),
    /// There is no such file.
    Missing(PathBuf),
    /// There is such a file already, and it is not overwritten.
    Exists(PathBuf),
    /// A copy of the file cannot be written.
    NoCopy(String),
    /// The file is damaged.
    Damaged(String),
    /// The file cannot be written to.
    ReadOnly(String),
    /// The disk is full.
    Full(String),
    /// Somebody else held the file for too long.
    Busy(String),
    /// The file could not be read or written for another reason.
    Io(String),
    /// A stored value makes no sense.
    BadRow(Box<BadRow>),
    /// What should have been written makes no sense, and was not.
    Refused(String),
    /// A statement does not fit the database, which is this program's own mistake.
    Bug(String),
    /// The one who was given the games could not take one.
    Output {
        /// What kind of error it was.
        kind: io::ErrorKind,
        /// What it said.
        problem: String,
    },
    /// The store was closed, or its writer has died.
    Stopped,
}

/// A stored value that makes no sense.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadRow {
    /// The table.
    pub table: &'static str,
    /// The number of the row, or of the game that it belongs to.
    pub row: u64,
    /// The column.
    pub column: &'static str,
    /// What is wrong with it.
    pub problem: String,
}

/// What an error means for the program as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// Another process has the file: nothing is wrong with it.
    Taken,
    /// A copy of the file was not made: nothing is wrong with the file itself.
    Copy,
    /// The file cannot be used, or not now.
    Unusable,
}

impl StoreError {
    /// Tells what the error means for the program as a whole.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::Locked { .. } => ErrorKind::Taken,
            Self::Exists(_) | Self::NoCopy(_) => ErrorKind::Copy,
            _ => ErrorKind::Unusable,
        }
    }

    /// Says what the system said about a file.
    pub(super) fn of_file(path: &Path, error: &io::Error) -> Self {
        let problem = format!("{}: {error}", path.display());
        match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly(problem),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full(problem),
            io::ErrorKind::AlreadyExists => Self::Exists(path.to_owned()),
            _ => Self::Io(problem),
        }
    }

    /// Says of the copy what was said of the file: whoever makes one only reads the file.
    pub(super) fn of_copy(self) -> Self {
        match self {
            Self::ReadOnly(problem) | Self::Full(problem) | Self::Io(problem) => Self::NoCopy(problem),
            other => other,
        }
    }

    /// Says of a file that is being opened what was said of a statement: these statements fit every sound database, so
    /// that one that fails is the fault of the file.
    pub(super) fn while_opening(self) -> Self {
        match self {
            Self::Bug(problem) => Self::Damaged(problem),
            other => other,
        }
    }

    /// Says that the file was opened for reading only.
    pub(super) fn read_only() -> Self {
        Self::ReadOnly(String::from("it was opened for reading only"))
    }

    pub(super) fn bad_row(table: &'static str, row: u64, column: &'static str, problem: impl fmt::Display) -> Self {
        Self::BadRow(Box::new(BadRow { table, row, column, problem: problem.to_string() }))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Locked { path, holder } => write_locked(f, path, *holder),
            Self::NewerSchema { found, known } => write!(
                f,
                "the database has schema {found}, and this version of ratatosk knows schemas up to {known}: it was \
                 written by a newer version; run that one"
            ),
            Self::OlderSchema { found, known } => write!(
                f,
                "the database has schema {found}, and this version of ratatosk needs schema {known}: start the bot or \
                 the table on it once, which brings it up to date"
            ),
            Self::Migration { to, problem } => write!(
                f,
                "the database could not be brought to schema {to} and is as it was before: {problem}; please report this"
            ),
            Self::NotOurs(path) => {
                write!(f, "{} is a database, but not one of ratatosk: choose another file", path.display())
            }
            Self::Missing(path) => write!(f, "there is no database at {}", path.display()),
            Self::Exists(path) => {
                write!(f, "{} is there already and is not overwritten: choose another name", path.display())
            }
            Self::NoCopy(problem) => {
                write!(f, "the copy cannot be written ({problem}): see whether there is room and who owns the folder")
            }
            Self::Damaged(problem) => {
                write!(f, "the database is damaged ({problem}): put a backup in its place")
            }
            Self::ReadOnly(problem) => {
                write!(f, "the database cannot be written to ({problem}): check who owns the file and its folder")
            }
            Self::Full(problem) => {
                write!(f, "there is no room for the database to grow ({problem}): make some room on the disk")
            }
            Self::Busy(problem) => {
                write!(f, "another program held the database for too long ({problem}): try again")
            }
            Self::Io(problem) => write!(f, "the database cannot be used: {problem}"),
            Self::BadRow(bad) => {
                let BadRow { table, row, column, problem } = &**bad;
                write!(f, "row {row} of {table} makes no sense: {column}: {problem}")
            }
            Self::Refused(problem) => write!(f, "this cannot be stored: {problem}; please report this"),
            Self::Bug(problem) => {
                write!(
                    f,
                    "a query failed ({problem}): this is a bug in ratatosk, please report it; no data is affected"
                )
            }
            Self::Output { problem, .. } => write!(f, "the games could not be written: {problem}"),
            Self::Stopped => f.write_str("the database is closed, or its writer thread has ended"),
        }
    }
}

fn write_locked(f: &mut fmt::Formatter<'_>, lock: &Path, holder: Option<u32>) -> fmt::Result {
    f.write_str("another ratatosk has this database open")?;
    if let Some(holder) = holder {
        write!(f, " (process {holder})")?;
    }
    write!(f, ": stop that one first, or choose another file; its lock is {}", lock.display())
}

impl std::error::Error for StoreError {}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let problem = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged(problem),
            // SQLite did not understand the statement, or a value has another type than the code expects.
            Some(ErrorCode::Unknown | ErrorCode::ApiMisuse | ErrorCode::ParameterOutOfRange) | None => {
                Self::Bug(problem)
            }
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly(problem),
            Some(ErrorCode::DiskFull) => Self::Full(problem),
            // The index of the log could not be made larger, which is how a full disk shows there.
            Some(ErrorCode::SystemIoFailure) if extended_code(&error) == Some(ffi::SQLITE_IOERR_SHMSIZE) => {
                Self::Full(problem)
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
                Self::Busy(problem)
            }
            Some(ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch | ErrorCode::TooBig) => {
                Self::Refused(problem)
            }
            Some(ErrorCode::SystemIoFailure) => {
                Self::Io(format!("{problem} ({})", extended_code(&error).unwrap_or_default()))
            }
            _ => Self::Io(problem),
        }
    }
}

fn extended_code(error: &rusqlite::Error) -> Option<i32> {
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => Some(failure.extended_code),
        _ => None,
    }
}

impl From<CannotBegin> for StoreError {
    fn from(why: CannotBegin) -> Self {
        Self::Refused(match why {
            CannotBegin::Rules(why) => why.to_string(),
            CannotBegin::Layout(why) => why.to_string(),
        })
    }
}

/// Why a change was not saved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CommitError {
    /// Somebody else was quicker: what was decided is about something that is no longer so.
    Stale,
    /// The same request was handled before; its row tells what it did.
    Repeated,
    /// The file could not be written.
    Store(StoreError),
}

impl fmt::Display for CommitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stale => f.write_str("something else happened first"),
            Self::Repeated => f.write_str("this was done before"),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CommitError {}

impl From<StoreError> for CommitError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<rusqlite::Error> for CommitError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use rusqlite::Connection;

    #[test]
    fn a_wrong_statement_is_a_bug_and_not_damage() {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch("CREATE TABLE numbers (n INTEGER) STRICT; INSERT INTO numbers VALUES (1)").unwrap();
        let missing = db.prepare("SELECT nothing FROM numbers").map(drop).unwrap_err();
        let mistyped = db.query_row("SELECT n FROM numbers", [], |row| row.get::<_, String>(0)).unwrap_err();
        let parameters = db.execute("DELETE FROM numbers WHERE n = ?1", [1, 2]).unwrap_err();
        for error in [missing, mistyped, parameters] {
            let error = StoreError::from(error);
            assert!(matches!(error, StoreError::Bug(_)), "{error:?}");
            assert!(!error.to_string().contains("backup"), "{error}");
        }
    }

    #[test]
    fn only_corruption_reported_by_sqlite_is_damage() {
        let sqlite = |code| rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        for code in [ffi::SQLITE_CORRUPT, ffi::SQLITE_NOTADB] {
            assert!(matches!(StoreError::from(sqlite(code)), StoreError::Damaged(_)), "{code}");
        }
        for code in [ffi::SQLITE_ERROR, ffi::SQLITE_MISUSE, ffi::SQLITE_RANGE, ffi::SQLITE_IOERR, ffi::SQLITE_FULL] {
            assert!(!matches!(StoreError::from(sqlite(code)), StoreError::Damaged(_)), "{code}");
        }
    }
}
