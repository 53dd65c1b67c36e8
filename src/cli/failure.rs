//! Why a command stopped: what is said about it, and the exit code.

use super::exit;
use crate::config::ConfigError;
use crate::discord::StopReason;
use crate::store::{self, StoreError};
use std::io::{self, ErrorKind};
use std::path::PathBuf;

/// Why a command stopped.
#[derive(Debug)]
pub(super) enum Failure {
    /// The command line makes no sense.
    Usage(String),
    /// Reading or writing failed.
    Io(io::Error),
    /// The games cannot be read or written.
    Store(StoreError),
    /// The games are not sound.
    Damaged(String),
    /// Something is set wrongly.
    Misconfigured(Vec<ConfigError>),
    /// The bot cannot go on.
    StopReason(StopReason),
    /// The bot is not well, which is what was asked.
    NotWell(String),
    /// What was asked for is not there.
    NothingFound(String),
    /// A line at the table was not understood, as was said there.
    NotUnderstood,
    /// There is no database where one is looked for.
    NoDatabase(PathBuf),
    /// The bot cannot go on, as its log says.
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
            stopped => Self::StopReason(stopped),
        }
    }
}

impl From<Vec<ConfigError>> for Failure {
    fn from(faults: Vec<ConfigError>) -> Self {
        Self::Misconfigured(faults)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Failure {
    /// Says what there is to say, line by line.
    pub(super) fn lines(&self) -> Vec<String> {
        match self {
            Self::NotUnderstood | Self::Logged(_) => Vec::new(),
            // Whoever reads our output has seen enough, as in `ratatosk rules moves york | head`.
            _ if self.has_seen_enough() => Vec::new(),
            Self::Usage(said) | Self::Damaged(said) | Self::NotWell(said) | Self::NothingFound(said) => {
                vec![said.clone()]
            }
            Self::NoDatabase(path) => vec![format!(
                "there is no database {}; the bot or the table makes one, or say where it is with --database FILE",
                path.display()
            )],
            Self::Io(error) => vec![error.to_string()],
            Self::Store(error) => vec![error.to_string()],
            Self::StopReason(stopped) => vec![stopped.to_string()],
            Self::Misconfigured(faults) => faults.iter().map(ToString::to_string).collect(),
        }
    }

    /// Gives the exit code.
    pub(super) fn code(&self) -> u8 {
        match self {
            _ if self.has_seen_enough() => exit::DONE,
            Self::Usage(_) => exit::USAGE,
            Self::Io(_) | Self::NotWell(_) | Self::NothingFound(_) | Self::NotUnderstood => exit::FAILED,
            Self::Logged(failure) => failure.code(),
            Self::Damaged(_) | Self::NoDatabase(_) => exit::CANNOT_READ_OR_WRITE,
            Self::Misconfigured(_) => exit::MISCONFIGURED,
            Self::Store(error) => of_store(error),
            Self::StopReason(stopped) => match stopped {
                StopReason::TokenRefused => exit::TOKEN_REFUSED,
                StopReason::NotReached(_) => exit::UNREACHABLE,
                StopReason::Misconfigured(_) => exit::MISCONFIGURED,
                StopReason::Store(error) => of_store(error),
                StopReason::Failed(_) => exit::FAILED,
            },
        }
    }

    fn has_seen_enough(&self) -> bool {
        match self {
            Self::Io(error) => error.kind() == ErrorKind::BrokenPipe,
            Self::Store(StoreError::Output { kind, .. }) => *kind == ErrorKind::BrokenPipe,
            _ => false,
        }
    }
}

const fn of_store(error: &StoreError) -> u8 {
    match error.kind() {
        store::ErrorKind::Taken => exit::IN_USE,
        store::ErrorKind::Copy => exit::FAILED,
        store::ErrorKind::Unusable => exit::CANNOT_READ_OR_WRITE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bot_whose_store_has_stopped_exits_as_one_that_cannot_write() {
        let failure = Failure::from(StopReason::Store(StoreError::StopReason));
        assert_eq!(failure.code(), exit::CANNOT_READ_OR_WRITE);
    }
}
