//! Configuration errors, each with the file and line, the variable or the option that it is about.

use std::fmt;
use std::path::PathBuf;

/// Where a value comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    Default,
    /// The configuration file.
    File {
        path: PathBuf,
        /// The line, if it is about one.
        line: Option<usize>,
    },
    /// An environment variable.
    Variable(&'static str),
    /// An option on the command line.
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

/// A value that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigError {
    /// Where the value comes from.
    pub origin: Origin,
    /// The key, if the value is in the file.
    pub key: Option<String>,
    /// What is wrong with it, and what would be right.
    pub problem: String,
}

impl ConfigError {
    /// Creates an error about a key.
    pub(super) fn new(key: &str, origin: Origin, problem: String) -> Self {
        // A variable or option is named by the origin.
        let key = matches!(origin, Origin::File { .. }).then(|| key.to_owned());
        Self { origin, key, problem }
    }
}

impl std::error::Error for ConfigError {}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, key, problem } = self;
        match key {
            Some(key) => write!(f, "{origin}: {key}: {problem}"),
            None => write!(f, "{origin}: {problem}"),
        }
    }
}
