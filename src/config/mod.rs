//! Configuration: a file, then environment variables, then command line options. All errors are reported at once.
//!
//! | question | file |
//! |---|---|
//! | Which keys are there? | [`keys`] |
//! | What is in the file, and in which line? | `file` |
//! | How is a value parsed? | `value` |
//! | Are the address of Discord and the token well formed? | `endpoint`, `token` |
//! | What is wrong, and where? | `error` |
//! | What does an example file look like? | `example` |

mod endpoint;
mod error;
mod example;
mod file;
pub mod keys;
mod secret;
mod token;
mod value;

pub use error::{ConfigError, Origin};
pub use example::example;
pub use secret::Secret;
pub use token::redact_tokens;

use keys::{KEYS, Key, TOKEN_VARIABLE, closest};
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tracing::level_filters::LevelFilter;
use value::{RawValue, Value};

/// The environment variable with the path of the configuration file.
pub const FILE_VARIABLE: &str = "RATATOSK_CONFIG";

/// The configuration.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// The bot's token, if there is one. It is checked only for [`Purpose::Bot`].
    pub token: Option<Secret>,
    pub token_file: Option<PathBuf>,
    /// The database; the default one if none is configured.
    pub database: Option<PathBuf>,
    /// How Discord is reached.
    pub discord: Endpoint,
    pub log: LogConfig,
    /// The automatic backups.
    pub backup: BackupConfig,
}

/// How Discord is reached.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Endpoint {
    /// A base address instead of Discord's, such as `http://127.0.0.1:8080`.
    pub api: Option<String>,
    /// Whether the token may be sent unencrypted to another machine.
    pub allow_plain_http: bool,
    /// An address to connect to instead of what the name resolves to.
    pub resolve: Option<SocketAddr>,
    /// A file with additional certificates to trust.
    pub ca: Option<PathBuf>,
}

/// What is logged, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogConfig {
    /// The lowest level that is written.
    pub level: LevelFilter,
    pub format: LogFormat,
}

/// The format of the log: one line per event in both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

impl Default for LogConfig {
    fn default() -> Self {
        Self { level: LevelFilter::INFO, format: LogFormat::Text }
    }
}

/// The automatic backups.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackupConfig {
    /// The time between two backups; without it no backups are made.
    pub every: Option<Duration>,
    pub keep: usize,
    /// The folder; `backups` beside the database if none is configured.
    pub folder: Option<PathBuf>,
}

impl Default for BackupConfig {
    fn default() -> Self {
        Self { every: Some(Duration::from_secs(24 * 60 * 60)), keep: 7, folder: None }
    }
}

/// What the configuration is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// The bot: the token must be well formed.
    Bot,
    /// Everything but Discord: the token need not be readable.
    WithoutDiscord,
}

/// Where the configuration comes from.
#[derive(Clone, Default)]
pub struct Sources {
    /// The value of `--config`.
    pub file: Option<PathBuf>,
    /// The value of `--database`.
    pub database: Option<PathBuf>,
    /// The environment variables.
    pub variables: Vec<(OsString, OsString)>,
}

/// The configuration, and where each value comes from.
#[derive(Debug)]
pub struct LoadedConfig {
    /// The configuration.
    pub config: Config,
    /// The file that was read.
    pub file: Option<PathBuf>,
    /// Where each value comes from, in the order of [`KEYS`].
    pub origins: Vec<Origin>,
    /// What is allowed, but probably a mistake.
    pub warnings: Vec<String>,
}

impl Sources {
    /// Combines the command line options with the environment of this process.
    #[must_use]
    pub fn from_env(file: Option<PathBuf>, database: Option<PathBuf>) -> Self {
        Self { file, database, variables: std::env::vars_os().collect() }
    }

    /// Returns an environment variable. An empty one counts as not set.
    fn variable(&self, name: &str) -> Option<&OsStr> {
        let found = self.variables.iter().find(|(variable, _)| variable == name);
        found.map(|(_, value)| value.as_os_str()).filter(|value| !value.to_string_lossy().trim().is_empty())
    }

    /// Returns the path of the file to read: one that was named, or the default one if it exists.
    fn find_file(&self) -> Option<PathBuf> {
        let named = self.file.clone().or_else(|| self.variable(FILE_VARIABLE).map(PathBuf::from));
        // A file that may not be accessed is not missing; reading it will report that.
        let exists = |path: &PathBuf| match path.try_exists() {
            Ok(exists) => exists,
            Err(error) => error.kind() == ErrorKind::PermissionDenied,
        };
        named.or_else(|| self.default_file().filter(exists))
    }

    /// Returns the path that is used if no file was named.
    fn default_file(&self) -> Option<PathBuf> {
        Some(self.user_folder("XDG_CONFIG_HOME", ".config")?.join("config.toml"))
    }

    /// Returns the program's folder for data of the user.
    #[must_use]
    pub fn data_folder(&self) -> Option<PathBuf> {
        self.user_folder("XDG_DATA_HOME", ".local/share")
    }

    /// Returns the program's folder: within the folder that `variable` names, or within `in_home` in the user's home.
    /// Windows and macOS have one place for configuration and data.
    fn user_folder(&self, variable: &str, in_home: &str) -> Option<PathBuf> {
        let absolute = |name| self.variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let base = if cfg!(windows) {
            absolute("APPDATA")
        } else if cfg!(target_os = "macos") {
            absolute("HOME").map(|home| home.join("Library/Application Support"))
        } else {
            absolute(variable).or_else(|| absolute("HOME").map(|home| home.join(in_home)))
        };
        base.map(|base| base.join("ratatosk"))
    }
}

impl LoadedConfig {
    /// Reads the configuration.
    ///
    /// # Errors
    ///
    /// Returns everything that is wrong, by line.
    pub fn read(sources: &Sources, purpose: Purpose) -> Result<Self, Vec<ConfigError>> {
        let file = sources.find_file();
        let path = file.clone().unwrap_or_default();
        let mut reading = ConfigReader::of(sources, file.as_deref());
        reading.check_api();
        let mut warnings = Vec::new();
        if purpose == Purpose::Bot {
            reading.check_ca();
            if matches!(reading.origin("discord.token"), Origin::File { .. }) {
                warnings.extend(warn_if_world_readable(&path));
            }
            warnings.extend(reading.find_token().as_deref().and_then(warn_if_world_readable));
            warnings.extend(sources.variables.iter().filter_map(|(name, _)| unknown_variable(&name.to_string_lossy())));
        }
        let ConfigReader { config, origins, mut errors } = reading;
        errors.sort_by_key(|error| match error.origin {
            Origin::File { line, .. } => line.unwrap_or_default(),
            _ => usize::MAX,
        });
        if errors.is_empty() { Ok(Self { config, file, origins, warnings }) } else { Err(errors) }
    }

    /// Returns how to log, with the default for what is wrong or missing: errors are reported in that format, too.
    #[must_use]
    pub fn log_despite_errors(sources: &Sources) -> LogConfig {
        ConfigReader::of(sources, sources.find_file().as_deref()).config.log
    }

    /// Returns whether a token is configured, valid or not, so that `ratatosk` without a command runs the bot.
    #[must_use]
    pub const fn has_token(&self) -> bool {
        self.config.token.is_some() || self.config.token_file.is_some()
    }

    /// Returns every key with its value and where it comes from. The token is not shown.
    pub fn lines(&self) -> impl Iterator<Item = (&'static str, String, &Origin)> {
        KEYS.iter().zip(&self.origins).map(|(key, origin)| (key.name, (key.show)(&self.config), origin))
    }
}

/// A configuration that is being read.
struct ConfigReader {
    config: Config,
    origins: Vec<Origin>,
    errors: Vec<ConfigError>,
}

impl ConfigReader {
    /// Reads every value from the file, the environment and the command line.
    fn of(sources: &Sources, file: Option<&Path>) -> Self {
        let contents = file.map(file::read).unwrap_or_default();
        let mut reading = Self::new(contents.errors);
        let path = file.unwrap_or(Path::new(""));
        for entry in contents.entries {
            let origin = Origin::File { path: path.to_owned(), line: Some(entry.line) };
            reading.set(entry.key, RawValue { value: entry.value, folder: path.parent() }, origin);
        }
        for key in KEYS {
            if let Some(value) = sources.variable(key.variable) {
                reading.set_untyped(key, value, Origin::Variable(key.variable));
            }
        }
        if let (Some(path), Some(key)) = (&sources.database, Key::find("database")) {
            reading.set_untyped(key, path.as_os_str(), Origin::Flag("--database"));
        }
        reading
    }

    fn new(errors: Vec<ConfigError>) -> Self {
        Self { config: Config::default(), origins: vec![Origin::Default; KEYS.len()], errors }
    }

    fn set_untyped(&mut self, key: &Key, value: &OsStr, origin: Origin) {
        self.set(key, RawValue { value: Value::Untyped(value.to_owned()), folder: None }, origin);
    }

    fn set(&mut self, key: &Key, given: RawValue<'_>, origin: Origin) {
        if let Err(problem) = (key.set)(&mut self.config, &given) {
            self.errors.push(ConfigError::new(key.name, origin, problem));
        } else {
            self.set_origin(key.name, origin);
        }
    }

    fn set_origin(&mut self, name: &str, origin: Origin) {
        if let Some(index) = KEYS.iter().position(|key| key.name == name) {
            self.origins[index] = origin;
        }
    }

    fn origin(&self, name: &str) -> Origin {
        let index = KEYS.iter().position(|key| key.name == name);
        index.map_or(Origin::Default, |index| self.origins[index].clone())
    }

    fn error(&mut self, name: &str, problem: String) {
        self.errors.push(ConfigError::new(name, self.origin(name), problem));
    }

    fn check_api(&mut self) {
        let Some(address) = &self.config.discord.api else { return };
        if let Err(problem) = endpoint::check_encryption(address, self.config.discord.allow_plain_http) {
            self.error("discord.api", problem);
        }
    }

    fn check_ca(&mut self) {
        if let Some(Err(problem)) = self.config.discord.ca.as_deref().map(endpoint::check_certificates) {
            self.error("discord.ca", problem);
        }
    }

    /// Chooses the token: the variable, then the token file, then the key. Returns the token file if it was used.
    fn find_token(&mut self) -> Option<PathBuf> {
        let in_variable = self.origin("discord.token") == Origin::Variable(TOKEN_VARIABLE);
        let file = self.config.token_file.clone().filter(|_| !in_variable);
        let (name, found) = match (&file, &self.config.token) {
            (Some(file), _) => ("discord.token_file", token::read_file(file)),
            (None, Some(token)) => ("discord.token", token::parse(token.expose())),
            (None, None) => return None,
        };
        match found {
            Ok(token) => {
                self.config.token = Some(token);
                self.set_origin("discord.token", self.origin(name));
                file
            }
            Err(problem) => {
                self.error(name, problem);
                None
            }
        }
    }
}

/// Warns about a file with the token that every user of the machine can read.
fn warn_if_world_readable(file: &Path) -> Option<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // A file that a group can read is fine: systemd passes secrets that way.
        let readable = std::fs::metadata(file).is_ok_and(|about| about.permissions().mode() & 0o004 != 0);
        let path = file.display();
        readable.then(|| {
            format!("{path} contains the token and every user of this machine can read it; run: chmod 600 {path}")
        })
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        None
    }
}

/// Warns about a variable that has our prefix but is unknown.
fn unknown_variable(name: &str) -> Option<String> {
    let known = || KEYS.iter().map(|key| key.variable).chain([FILE_VARIABLE]);
    let own = name.strip_prefix("RATATOSK_").filter(|_| known().all(|variable| variable != name))?;
    // The common prefix would make all names similar.
    let meant = closest(own, known().map(|variable| variable.strip_prefix("RATATOSK_").unwrap_or(variable)));
    let meant = meant.and_then(|meant| known().find(|variable| variable.ends_with(meant)));
    let hint = meant.map_or_else(
        || String::from("; `ratatosk example-config` lists the known ones"),
        |variable| format!("; did you mean {variable}?"),
    );
    Some(format!("the variable {name} is unknown{hint}"))
}

#[cfg(test)]
mod tests;
