//! Why a command failed: its message and its exit code.

use super::exit;
use crate::config::ConfigError;
use crate::discord::StopReason;
use crate::store::{self, StoreError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Why a command failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// The command line is wrong.
    Usage(String),
    /// Reading or writing failed.
    Io(io::Error),
    /// The database cannot be read or written.
    Store(StoreError),
    /// The same, with the path of the database.
    Database(PathBuf, StoreError),
    /// `check` has found errors in the database.
    Damaged(String),
    /// The configuration is wrong.
    Misconfigured(Vec<ConfigError>),
    /// The bot has stopped by itself.
    BotStopped(StopReason),
    /// `health` has found that the bot is not running or not connected.
    Unhealthy(String),
    /// There is no such game or player to export.
    NotFound(String),
    /// The terminal did not understand a line or could not carry it out, and has said so already.
    LineFailed,
    /// The reader of the terminal's output has closed it, and nobody is left to tell.
    ScriptCutOff,
    /// The database does not exist.
    NoDatabase(PathBuf),
    /// The failure is in the log already.
    Logged(Box<Self>),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<StopReason> for Failure {
    fn from(stopped: StopReason) -> Self {
        match stopped {
            StopReason::Store(error) => Self::Store(error),
            stopped => Self::BotStopped(stopped),
        }
    }
}

impl From<Vec<ConfigError>> for Failure {
    fn from(errors: Vec<ConfigError>) -> Self {
        Self::Misconfigured(errors)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Failure {
    /// Returns a function that adds the path of the database to an error.
    pub(super) fn of_database(path: &Path) -> impl Fn(StoreError) -> Self {
        move |error| Self::Database(path.to_owned(), error)
    }

    /// Returns the message, line by line.
    pub(super) fn lines(&self) -> Vec<String> {
        match self {
            Self::LineFailed | Self::ScriptCutOff | Self::Logged(_) => Vec::new(),
            _ if self.is_broken_pipe() => Vec::new(),
            Self::Usage(message) | Self::Damaged(message) | Self::Unhealthy(message) | Self::NotFound(message) => {
                vec![message.clone()]
            }
            Self::NoDatabase(path) => vec![format!(
                "there is no database {}; `ratatosk serve` or `ratatosk terminal` creates one, or name it with --database FILE",
                path.display()
            )],
            Self::Io(error) => vec![error.to_string()],
            Self::Store(error) => vec![error.to_string()],
            Self::Database(path, error) => vec![with_path(path, error)],
            Self::BotStopped(stopped) => vec![stopped.to_string()],
            Self::Misconfigured(errors) => errors.iter().map(ToString::to_string).collect(),
        }
    }

    /// Returns the exit code.
    pub(super) fn code(&self) -> u8 {
        match self {
            _ if self.is_broken_pipe() => exit::SUCCESS,
            Self::Usage(_) => exit::USAGE,
            Self::Io(_) | Self::Unhealthy(_) | Self::NotFound(_) | Self::LineFailed | Self::ScriptCutOff => {
                exit::FAILED
            }
            Self::Logged(failure) => failure.code(),
            Self::Damaged(_) | Self::NoDatabase(_) => exit::DATABASE_ERROR,
            Self::Misconfigured(_) => exit::MISCONFIGURED,
            Self::Store(error) | Self::Database(_, error) => store_exit_code(error),
            Self::BotStopped(stopped) => match stopped {
                StopReason::TokenRefused => exit::TOKEN_REFUSED,
                StopReason::NotReached(_) => exit::UNREACHABLE,
                StopReason::Misconfigured(_) => exit::MISCONFIGURED,
                StopReason::Store(error) => store_exit_code(error),
                StopReason::Failed(_) => exit::FAILED,
            },
        }
    }

    /// Returns whether the reader of our output has closed it, as in `ratatosk rules moves york | head`: no failure.
    fn is_broken_pipe(&self) -> bool {
        match self {
            Self::Io(error) => error.kind() == ErrorKind::BrokenPipe,
            Self::Store(StoreError::Output { kind, .. }) | Self::Database(_, StoreError::Output { kind, .. }) => {
                *kind == ErrorKind::BrokenPipe
            }
            _ => false,
        }
    }
}

/// Writes an error about a database with its path, which some errors name themselves.
fn with_path(path: &Path, error: &StoreError) -> String {
    let (path, text) = (path.display().to_string(), error.to_string());
    let is_about_output =
        matches!(error, StoreError::Output { .. } | StoreError::Exists(_) | StoreError::CopyFailed(_));
    if is_about_output || text.contains(&path) { text } else { format!("{path}: {text}") }
}

const fn store_exit_code(error: &StoreError) -> u8 {
    match error.kind() {
        store::ErrorKind::Locked => exit::IN_USE,
        store::ErrorKind::Copy => exit::FAILED,
        store::ErrorKind::Unusable => exit::DATABASE_ERROR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_store_exits_with_database_error() {
        let failure = Failure::from(StopReason::Store(StoreError::Stopped));
        assert_eq!(failure.code(), exit::DATABASE_ERROR);
    }
}
