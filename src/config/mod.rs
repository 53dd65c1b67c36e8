//! What whoever runs the bot has set: a file, then variables of the environment, then flags. Every fault is told at once.
//!
//! | question | file |
//! |---|---|
//! | What can be set? | [`keys`], one list |
//! | What stands in the file, and in which line? | `file` |
//! | What does a value mean? | `value` |
//! | Is the way to Discord a good one? Can this be a token? | `endpoint`, `token` |
//! | What is wrong, and where? | [`ConfigError`] |
//! | What does a file to begin with look like? | [`example`] |

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

use keys::{KEYS, Key, TOKEN, meant};
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tracing::level_filters::LevelFilter;
use value::{Given, Value};

/// The variable that names the file.
pub const FILE: &str = "RATATOSK_CONFIG";

/// Everything that can be set.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// The bot's token, if there is one. It was looked at only if it is for the bot.
    pub token: Option<Secret>,
    /// A file with the token.
    pub token_file: Option<PathBuf>,
    /// The file with the games; the usual one if none is named.
    pub database: Option<PathBuf>,
    /// How Discord is reached.
    pub discord: Endpoint,
    /// What is written about what happens.
    pub log: Log,
    /// The copies that are made by themselves.
    pub backup: Backups,
}

/// How Discord is reached.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Endpoint {
    /// Another base address than Discord's, such as `http://127.0.0.1:8080`.
    pub api: Option<String>,
    /// Whether the token may travel in the open.
    pub allow_plain_http: bool,
    /// An address to use instead of the one that the name has.
    pub resolve: Option<SocketAddr>,
    /// A file with a certificate to trust besides the usual ones.
    pub ca: Option<PathBuf>,
}

/// What is written about what happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Log {
    /// How much.
    pub level: LevelFilter,
    /// In which form.
    pub format: LogFormat,
}

/// The form of the log: one line an event either way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

impl Default for Log {
    fn default() -> Self {
        Self { level: LevelFilter::INFO, format: LogFormat::Text }
    }
}

/// The copies that are made by themselves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Backups {
    /// How often; none: never.
    pub every: Option<Duration>,
    /// How many are kept.
    pub keep: usize,
    /// Where; beside the database if nobody says.
    pub folder: Option<PathBuf>,
}

impl Default for Backups {
    fn default() -> Self {
        Self { every: Some(Duration::from_secs(24 * 60 * 60)), keep: 7, folder: None }
    }
}

/// What the settings are wanted for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// For Discord: the token has to be right.
    Bot,
    /// For the games alone: whoever looks after them need not be able to read the token.
    Games,
}

/// Where settings come from.
#[derive(Clone, Default)]
pub struct Sources {
    /// The file that the command line names.
    pub file: Option<PathBuf>,
    /// The database that the command line names.
    pub database: Option<PathBuf>,
    /// The variables of the environment.
    pub variables: Vec<(OsString, OsString)>,
}

/// Settings, and where each comes from.
#[derive(Debug)]
pub struct Loaded {
    /// What is set.
    pub config: Config,
    /// The file that was read.
    pub file: Option<PathBuf>,
    /// Where each value comes from, in the order of [`KEYS`].
    pub origins: Vec<Origin>,
    /// What is not wrong, but should be looked at.
    pub warnings: Vec<String>,
}

impl Sources {
    /// Takes the variables of the environment beside what the command line says.
    #[must_use]
    pub fn here(file: Option<PathBuf>, database: Option<PathBuf>) -> Self {
        Self { file, database, variables: std::env::vars_os().collect() }
    }

    /// Gives a variable. What is set to nothing is not set.
    fn variable(&self, name: &str) -> Option<&OsStr> {
        let found = self.variables.iter().find(|(variable, _)| variable == name);
        found.map(|(_, value)| value.as_os_str()).filter(|value| !value.to_string_lossy().trim().is_empty())
    }

    /// Finds the file: one that is named has to be there, the usual one may be missing.
    fn find_file(&self) -> Option<PathBuf> {
        let named = self.file.clone().or_else(|| self.variable(FILE).map(PathBuf::from));
        // What may not be looked at is not taken for missing; reading it then says so.
        let there = |path: &PathBuf| match path.try_exists() {
            Ok(there) => there,
            Err(error) => error.kind() == ErrorKind::PermissionDenied,
        };
        named.or_else(|| self.usual_file().filter(there))
    }

    /// Tells where the file is looked for if nobody names one.
    #[must_use]
    pub fn usual_file(&self) -> Option<PathBuf> {
        let absolute = |name| self.variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let base = if cfg!(windows) {
            absolute("APPDATA")
        } else if cfg!(target_os = "macos") {
            absolute("HOME").map(|home| home.join("Library/Application Support"))
        } else {
            absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|home| home.join(".config")))
        };
        base.map(|base| base.join("ratatosk").join("config.toml"))
    }
}

impl Loaded {
    /// Reads all settings, or tells every fault.
    pub fn read(sources: &Sources, purpose: Purpose) -> Result<Self, Vec<ConfigError>> {
        let file = sources.find_file();
        let contents = file.as_deref().map(file::read).unwrap_or_default();
        let mut reading = Reading::new(contents.faults);
        let path = file.clone().unwrap_or_default();
        let folder = path.parent();
        for entry in contents.entries {
            let origin = Origin::File { path: path.clone(), line: Some(entry.line) };
            reading.set(entry.key, Given { value: entry.value, folder }, origin);
        }
        for key in KEYS {
            if let Some(value) = sources.variable(key.variable) {
                reading.set_typed(key, value, Origin::Variable(key.variable));
            }
        }
        if let (Some(path), Some(key)) = (&sources.database, Key::find("database")) {
            reading.set_typed(key, path.as_os_str(), Origin::Flag("--database"));
        }
        reading.check_api();
        let mut warnings = Vec::new();
        if purpose == Purpose::Bot {
            reading.check_ca();
            if matches!(reading.origin("discord.token"), Origin::File { .. }) {
                warnings.extend(others_read_token(&path));
            }
            warnings.extend(reading.find_token().as_deref().and_then(others_read_token));
            warnings.extend(sources.variables.iter().filter_map(|(name, _)| unknown_variable(&name.to_string_lossy())));
        }
        let Reading { config, origins, mut faults } = reading;
        faults.sort_by_key(|fault| match fault.origin {
            Origin::File { line, .. } => line.unwrap_or_default(),
            _ => usize::MAX,
        });
        if faults.is_empty() { Ok(Self { config, file, origins, warnings }) } else { Err(faults) }
    }

    /// Tells whether somebody has set a token, right or wrong, so that plain `ratatosk` is the bot.
    #[must_use]
    pub const fn has_token(&self) -> bool {
        self.config.token.is_some() || self.config.token_file.is_some()
    }

    /// Lists what is in force: the key, its value, and where it comes from. The token is not shown.
    pub fn lines(&self) -> impl Iterator<Item = (&'static str, String, &Origin)> {
        KEYS.iter().zip(&self.origins).map(|(key, origin)| (key.name, (key.show)(&self.config), origin))
    }
}

/// Settings on the way.
struct Reading {
    config: Config,
    origins: Vec<Origin>,
    faults: Vec<ConfigError>,
}

impl Reading {
    fn new(faults: Vec<ConfigError>) -> Self {
        Self { config: Config::default(), origins: vec![Origin::Default; KEYS.len()], faults }
    }

    fn set_typed(&mut self, key: &Key, value: &OsStr, origin: Origin) {
        self.set(key, Given { value: Value::Typed(value.to_owned()), folder: None }, origin);
    }

    fn set(&mut self, key: &Key, given: Given<'_>, origin: Origin) {
        if let Err(problem) = (key.set)(&mut self.config, &given) {
            self.faults.push(ConfigError::of(key.name, origin, problem));
        } else {
            self.comes_from(key.name, origin);
        }
    }

    fn comes_from(&mut self, name: &str, origin: Origin) {
        if let Some(place) = KEYS.iter().position(|key| key.name == name) {
            self.origins[place] = origin;
        }
    }

    fn origin(&self, name: &str) -> Origin {
        let place = KEYS.iter().position(|key| key.name == name);
        place.map_or(Origin::Default, |place| self.origins[place].clone())
    }

    fn fault(&mut self, name: &str, problem: String) {
        self.faults.push(ConfigError::of(name, self.origin(name), problem));
    }

    fn check_api(&mut self) {
        let Some(address) = &self.config.discord.api else { return };
        if let Err(problem) = endpoint::check_open(address, self.config.discord.allow_plain_http) {
            self.fault("discord.api", problem);
        }
    }

    fn check_ca(&mut self) {
        if let Some(Err(problem)) = self.config.discord.ca.as_deref().map(endpoint::check_certificates) {
            self.fault("discord.ca", problem);
        }
    }

    /// Chooses the token: the variable, then the file with it, then the key. Gives the file if it came from there.
    fn find_token(&mut self) -> Option<PathBuf> {
        let in_variable = self.origin("discord.token") == Origin::Variable(TOKEN);
        let file = self.config.token_file.clone().filter(|_| !in_variable);
        let (name, found) = match (&file, &self.config.token) {
            (Some(file), _) => ("discord.token_file", token::read_file(file)),
            (None, Some(token)) => ("discord.token", token::check(token.expose())),
            (None, None) => return None,
        };
        match found {
            Ok(token) => {
                self.config.token = Some(token);
                self.comes_from("discord.token", self.origin(name));
                file
            }
            Err(problem) => {
                self.fault(name, problem);
                None
            }
        }
    }
}

/// Warns of a file with a token that every user of the machine can read.
fn others_read_token(file: &Path) -> Option<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Not of one for a group: so systemd passes a secret on.
        let readable = std::fs::metadata(file).is_ok_and(|about| about.permissions().mode() & 0o004 != 0);
        let path = file.display();
        readable.then(|| {
            format!("{path} has the token in it and everybody on this machine can read it; run: chmod 600 {path}")
        })
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        None
    }
}

/// Warns of a variable that looks like ours and is not.
fn unknown_variable(name: &str) -> Option<String> {
    let known = || KEYS.iter().map(|key| key.variable).chain([FILE]);
    let own = name.strip_prefix("RATATOSK_").filter(|_| known().all(|variable| variable != name))?;
    // What all of them begin with makes none of them alike.
    let meant = meant(own, known().map(|variable| variable.strip_prefix("RATATOSK_").unwrap_or(variable)));
    let meant = meant.and_then(|meant| known().find(|variable| variable.ends_with(meant)));
    let hint = meant.map_or_else(String::new, |variable| format!("; did you mean {variable}?"));
    Some(format!("the variable {name} sets nothing{hint}"))
}

#[cfg(test)]
mod tests;
