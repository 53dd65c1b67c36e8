//! The options --config and --database; `ratatosk check-config` and `ratatosk example-config`.

use super::Failure;
use super::paths::{self, DefaultDatabase};
use crate::config::{LoadedConfig, LogConfig, Purpose, Sources, example};
use clap::Args;
use std::io::{self, Write};
use std::path::PathBuf;

#[derive(Args, Debug, Default)]
pub(super) struct ConfigFileArg {
    /// The configuration file [default: RATATOSK_CONFIG, or ratatosk/config.toml in your configuration folder]
    #[arg(long = "config", value_name = "FILE")]
    path: Option<PathBuf>,
}

#[derive(Args, Debug, Default)]
pub(super) struct ConfigArgs {
    #[command(flatten)]
    file: ConfigFileArg,
    /// The database [default: RATATOSK_DATABASE, the configuration, or the default one in your data folder]
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  ratatosk check-config\n  ratatosk check-config --config config.toml\n\n\
    Every error is printed with its key and line, and the exit code is 78.")]
pub(super) struct CheckConfigArgs {
    #[command(flatten)]
    pub(super) config: ConfigArgs,
}

impl ConfigFileArg {
    pub(super) fn load(self, purpose: Purpose) -> Result<LoadedConfig, Failure> {
        Ok(LoadedConfig::read(&Sources::from_env(self.path, None), purpose)?)
    }
}

impl ConfigArgs {
    /// Returns whether either option was given.
    pub(super) const fn is_given(&self) -> bool {
        self.file.path.is_some() || self.database.is_some()
    }

    /// Adds the options that were given before the command; those after the command take precedence.
    pub(super) fn add(&mut self, before: Self) {
        self.file.path = self.file.path.take().or(before.file.path);
        self.database = self.database.take().or(before.database);
    }

    /// Loads the configuration.
    pub(super) fn load(&self, purpose: Purpose) -> Result<LoadedConfig, Failure> {
        Ok(LoadedConfig::read(&self.sources(), purpose)?)
    }

    /// Returns how to log, as far as that can be read from a configuration with errors.
    pub(super) fn log(&self) -> LogConfig {
        LoadedConfig::log_despite_errors(&self.sources())
    }

    fn sources(&self) -> Sources {
        Sources::from_env(self.file.path.clone(), self.database.clone())
    }

    /// Loads the configuration and finds the database.
    pub(super) fn load_with_database(
        &self,
        purpose: Purpose,
        default: DefaultDatabase,
    ) -> Result<(LoadedConfig, PathBuf), Failure> {
        let sources = self.sources();
        let loaded = LoadedConfig::read(&sources, purpose)?;
        let path = match &loaded.config.database {
            Some(path) => path.clone(),
            None => paths::default_database(&sources, default)?,
        };
        Ok((loaded, path))
    }

    /// Loads the configuration and finds a database that must exist: `status` or `check` must not create one.
    pub(super) fn load_with_existing_database(&self) -> Result<(LoadedConfig, PathBuf), Failure> {
        let (loaded, path) = self.load_with_database(Purpose::WithoutDiscord, DefaultDatabase::Existing)?;
        if path.exists() {
            return Ok((loaded, path));
        }
        Err(Failure::NoDatabase(path))
    }
}

/// Checks the configuration and prints every value and where it comes from.
pub(super) fn check_config(args: &CheckConfigArgs) -> Result<(), Failure> {
    let (mut loaded, database) = args.config.load_with_database(Purpose::Bot, DefaultDatabase::Bot)?;
    loaded.config.backup.folder.get_or_insert_with(|| paths::default_backup_folder(&database));
    loaded.config.database = Some(database);
    let mut out = io::stdout().lock();
    match &loaded.file {
        Some(file) => writeln!(out, "{} is valid", file.display())?,
        None => writeln!(out, "There is no configuration file; the defaults apply")?,
    }
    writeln!(out)?;
    for (key, value, origin) in loaded.lines() {
        writeln!(out, "{key:25} {value}  ({origin})")?;
    }
    for warning in &loaded.warnings {
        writeln!(out, "\nwarning: {warning}")?;
    }
    if !loaded.has_token() {
        writeln!(out, "\nThere is no token: `ratatosk` opens the terminal, and `ratatosk serve` will not start")?;
    }
    Ok(())
}

/// Prints a configuration file to start from.
pub(super) fn print_example() -> Result<(), Failure> {
    Ok(write!(io::stdout().lock(), "{}", example())?)
}
