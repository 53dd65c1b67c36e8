//! What is set wrongly, and where.

use std::fmt;
use std::path::PathBuf;

/// Where a setting comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Nobody has set it.
    Default,
    /// It stands in the file.
    File {
        /// Which file.
        path: PathBuf,
        /// In which line, if it is about one.
        line: Option<usize>,
    },
    /// A variable of the environment.
    Variable(&'static str),
    /// A flag on the command line.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line: None } => write!(f, "{}", path.display()),
            Self::File { path, line: Some(line) } => write!(f, "{}, line {line}", path.display()),
            Self::Variable(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// Something that is set wrongly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigError {
    /// Where it is set.
    pub origin: Origin,
    /// Which key, where it is about one of the file.
    pub key: Option<String>,
    /// What is wrong with it, and what would be right.
    pub problem: String,
}

impl ConfigError {
    /// Notes a fault of a setting, wherever it comes from.
    pub(super) fn of(key: &str, origin: Origin, problem: String) -> Self {
        // A variable says by its own name which key it is.
        let key = matches!(origin, Origin::File { .. }).then(|| key.to_owned());
        Self { origin, key, problem }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, key, problem } = self;
        match key {
            Some(key) => write!(f, "{origin}: {key}: {problem}"),
            None => write!(f, "{origin}: {problem}"),
        }
    }
}
