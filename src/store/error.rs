//! Errors of the store. Their texts are for operators: what happened, and what to do.

use crate::game::{CannotBegin, ChallengeId, GameId};
use rusqlite::{ErrorCode, ffi};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why something could not be read from the file or written to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StoreError {
    /// Another process has the file open for writing.
    Locked {
        /// The lock file.
        path: PathBuf,
        /// The id of the process, if the lock file says it.
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
    /// The file could not be migrated to the schema of this program; it is unchanged.
    Migration {
        /// The schema that could not be reached.
        to: u32,
        /// What went wrong.
        problem: String,
    },
    /// The file is the database of another program.
    NotOurs(PathBuf),
    /// The file is empty.
    Empty(PathBuf),
    /// There is no such file.
    Missing(PathBuf),
    /// The file to be created already exists, and is not overwritten.
    Exists(PathBuf),
    /// A copy of the file could not be written.
    CopyFailed(String),
    /// The file is damaged.
    Damaged(String),
    /// The file does not have the tables and columns of its schema: another program has changed it.
    Altered(String),
    /// Another program has removed an index while the file was open. The next start makes it again.
    LacksIndex(String),
    /// The file cannot be written to.
    ReadOnly(String),
    /// The disk is full.
    Full(String),
    /// Another program kept the file locked for longer than the busy timeout.
    Busy(String),
    /// The file could not be read or written for another reason.
    Io(String),
    /// A stored value makes no sense.
    BadRow(Box<BadRow>),
    /// A value that was to be written was refused, by a constraint of the database or by a check of this program.
    Refused(String),
    /// An SQL statement does not fit the database: a bug in this program.
    Bug(String),
    /// The visitor of an export could not write a game.
    Output {
        /// The kind of the visitor's error.
        kind: io::ErrorKind,
        problem: String,
    },
    /// The store was closed, or its writer thread has died.
    Stopped,
}

/// A stored value that makes no sense.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadRow {
    pub table: &'static str,
    /// The id of the row; in `moves`, the id of the game.
    pub row: u64,
    /// The column.
    pub column: &'static str,
    pub problem: String,
}

impl BadRow {
    /// Returns the game that cannot be read because of it, if it is about one.
    #[must_use]
    pub fn game(&self) -> Option<GameId> {
        matches!(self.table, "games" | "moves").then_some(GameId(self.row))
    }

    /// Returns the challenge that cannot be read because of it, if it is about one.
    #[must_use]
    pub fn challenge(&self) -> Option<ChallengeId> {
        (self.table == "challenges").then_some(ChallengeId(self.row))
    }
}

/// What an error means for the program as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// Another process has the file open. Nothing is wrong with it.
    Locked,
    /// A copy or an export of the file was not made. Nothing is wrong with the file itself.
    Copy,
    /// The file cannot be used.
    Unusable,
}

impl StoreError {
    /// Returns what the error means for the program as a whole.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::Locked { .. } => ErrorKind::Locked,
            Self::Exists(_) | Self::CopyFailed(_) | Self::Output { .. } => ErrorKind::Copy,
            Self::NewerSchema { .. }
            | Self::OlderSchema { .. }
            | Self::Migration { .. }
            | Self::NotOurs(_)
            | Self::Empty(_)
            | Self::Missing(_)
            | Self::Damaged(_)
            | Self::Altered(_)
            | Self::LacksIndex(_)
            | Self::ReadOnly(_)
            | Self::Full(_)
            | Self::Busy(_)
            | Self::Io(_)
            | Self::BadRow(_)
            | Self::Refused(_)
            | Self::Bug(_)
            | Self::Stopped => ErrorKind::Unusable,
        }
    }

    /// Returns whether every later request fails in the same way until the program is restarted.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        matches!(self, Self::Stopped | Self::Altered(_) | Self::LacksIndex(_) | Self::Damaged(_))
    }

    /// Returns the error for a call of the operating system about a file.
    pub(super) fn from_io(path: &Path, error: &io::Error) -> Self {
        let problem = format!("{}: {error}", path.display());
        match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly(problem),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full(problem),
            io::ErrorKind::AlreadyExists => Self::Exists(path.to_owned()),
            _ => Self::Io(problem),
        }
    }

    /// Returns the error for a copy that could not be written. Making a copy only reads the database, so an error about
    /// writing is one about the copy.
    pub(super) fn about_copy(self) -> Self {
        match self {
            Self::ReadOnly(problem) | Self::Full(problem) | Self::Io(problem) => Self::CopyFailed(problem),
            other => other,
        }
    }

    /// Returns the error for a write to a store that was opened for reading only.
    pub(super) fn read_only() -> Self {
        Self::ReadOnly(String::from("it was opened for reading only"))
    }

    pub(super) fn bad_row(table: &'static str, row: u64, column: &'static str, problem: impl fmt::Display) -> Self {
        BadRow { table, row, column, problem: problem.to_string() }.into()
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Locked { path, holder } => write_locked(f, path, *holder),
            Self::NewerSchema { found, known } => write_newer_schema(f, *found, *known),
            Self::OlderSchema { found, known } => write_older_schema(f, *found, *known),
            Self::Migration { to, problem } => write!(
                f,
                "the database could not be migrated to schema {to} and is unchanged: {problem}; please report this"
            ),
            Self::NotOurs(path) => {
                write!(f, "{} is a database of another program: choose another file", path.display())
            }
            Self::Empty(path) => write!(
                f,
                "{} is empty: `ratatosk serve` or `ratatosk terminal` makes a database of it; if there were games in it, \
                 restore a backup",
                path.display()
            ),
            Self::Missing(path) => write!(f, "there is no database at {}", path.display()),
            Self::Exists(path) => {
                write!(f, "{} already exists and is not overwritten: choose another name", path.display())
            }
            Self::CopyFailed(problem) => write!(
                f,
                "the copy cannot be written ({problem}): check the free space on the disk and the permissions of the folder"
            ),
            Self::Damaged(problem) => write!(f, "the database is damaged ({problem}): restore a backup"),
            Self::Altered(problem) => {
                write!(f, "the database is not as ratatosk made it ({problem}): something else changed it; restore a backup")
            }
            Self::LacksIndex(index) => {
                write!(f, "the database lacks {index}: something else removed it; restart ratatosk, which makes it again")
            }
            Self::ReadOnly(problem) => write!(
                f,
                "the database cannot be written to ({problem}): check the owner and permissions of the file and its folder"
            ),
            Self::Full(problem) => {
                write!(f, "there is no room for the database to grow ({problem}): free some space on the disk")
            }
            Self::Busy(problem) => write!(
                f,
                "another program kept the database locked for too long ({problem}): close that program or try again"
            ),
            Self::Io(problem) => write!(f, "the database cannot be used: {problem}"),
            Self::BadRow(bad) => bad.fmt(f),
            Self::Refused(problem) => write!(f, "this cannot be stored: {problem}; please report this"),
            Self::Bug(problem) => write!(
                f,
                "a query failed ({problem}): this is a bug in ratatosk, please report it; no data is affected"
            ),
            Self::Output { problem, .. } => write!(f, "the games could not be written ({problem}): check where the output goes"),
            Self::Stopped => f.write_str(
                "the database is closed, or its writer thread has ended: if the log shows a panic, please report it; then \
                 restart ratatosk",
            ),
        }
    }
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, row, column, problem } = self;
        match *table {
            // A move has no id of its own.
            "moves" => write!(f, "the moves of game #{row} make no sense: {column}: {problem}"),
            _ => write!(f, "row {row} of {table} makes no sense: {column}: {problem}"),
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

fn write_newer_schema(f: &mut fmt::Formatter<'_>, found: u32, known: u32) -> fmt::Result {
    write!(
        f,
        "the database has schema {found}, and this version of ratatosk knows schemas up to {known}: it was written by a \
         newer version; run that one"
    )
}

fn write_older_schema(f: &mut fmt::Formatter<'_>, found: u32, known: u32) -> fmt::Result {
    write!(
        f,
        "the database has schema {found}, and this version of ratatosk needs schema {known}: open it once with `ratatosk \
         serve` or `ratatosk terminal`, which migrates it"
    )
}

impl std::error::Error for StoreError {}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let problem = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged(problem),
            // For a header that makes no sense, SQLite has only this text; its code is that of a wrong statement.
            Some(ErrorCode::Unknown) if problem == "unsupported file format" => Self::Damaged(problem),
            // The statement is wrong, or a value has another type than the code expects.
            Some(ErrorCode::Unknown | ErrorCode::ApiMisuse | ErrorCode::ParameterOutOfRange) | None => {
                Self::Bug(problem)
            }
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly(problem),
            Some(ErrorCode::DiskFull) => Self::Full(problem),
            // The index of the write-ahead log could not grow.
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

impl From<BadRow> for StoreError {
    fn from(bad: BadRow) -> Self {
        Self::BadRow(Box::new(bad))
    }
}

impl From<CannotBegin> for StoreError {
    fn from(why: CannotBegin) -> Self {
        Self::Refused(why.to_string())
    }
}

/// Why a decision was not written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CommitError {
    /// What the decision relies on has changed since it was read. Read again and decide again.
    Stale,
    /// The same request was handled before; [`Session::handled_request`](super::Session::handled_request) returns what
    /// it did.
    Repeated,
    /// The store failed.
    Store(StoreError),
}

impl fmt::Display for CommitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stale => f.write_str("the game or challenge has changed since it was read"),
            Self::Repeated => f.write_str("the request was handled before"),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CommitError {}

impl CommitError {
    /// Returns the error of a job that can be neither stale nor repeated.
    pub(super) fn into_store_error(self) -> StoreError {
        match self {
            Self::Store(error) => error,
            Self::Stale | Self::Repeated => StoreError::Bug(self.to_string()),
        }
    }
}

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
    fn a_statement_that_does_not_fit_the_database_is_a_bug() {
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
    fn only_what_sqlite_reports_as_corruption_is_damage() {
        let sqlite = |code| rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        for code in [ffi::SQLITE_CORRUPT, ffi::SQLITE_NOTADB] {
            assert!(matches!(StoreError::from(sqlite(code)), StoreError::Damaged(_)), "{code}");
        }
        let unsupported = Some(String::from("unsupported file format"));
        let unsupported = rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_ERROR), unsupported);
        assert!(matches!(StoreError::from(unsupported), StoreError::Damaged(_)));
        for code in [ffi::SQLITE_ERROR, ffi::SQLITE_MISUSE, ffi::SQLITE_RANGE, ffi::SQLITE_IOERR, ffi::SQLITE_FULL] {
            assert!(!matches!(StoreError::from(sqlite(code)), StoreError::Damaged(_)), "{code}");
        }
    }
}
