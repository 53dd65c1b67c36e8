//! IncomingKind is set, and which file the games are in; `check-config` and `example-config`.

use super::Failure;
use super::paths::{self, Usual};
use crate::config::{Loaded, Purpose, Sources, example};
use clap::Args;
use std::io::{self, Write};
use std::path::PathBuf;

#[derive(Args, Debug, Default)]
pub(super) struct ConfigArgs {
    /// The file with the settings [default: RATATOSK_CONFIG, or ratatosk/config.toml in your folder for settings]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(Args, Debug, Default)]
pub(super) struct GamesArgs {
    #[command(flatten)]
    settings: ConfigArgs,
    /// The file with the games [default: RATATOSK_DATABASE, the settings, or the usual one in your data folder]
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  ratatosk check-config\n  ratatosk check-config --config config.toml\n\n\
    What is wrong is told with its key and line, all at once, and the exit code is 78.")]
pub(super) struct CheckConfigArgs {
    #[command(flatten)]
    games: GamesArgs,
}

impl ConfigArgs {
    pub(super) fn load(self, purpose: Purpose) -> Result<Loaded, Failure> {
        Ok(Loaded::read(&Sources::here(self.config, None), purpose)?)
    }
}

impl GamesArgs {
    /// Tells whether anything was said.
    pub(super) const fn is_given(&self) -> bool {
        self.settings.config.is_some() || self.database.is_some()
    }

    /// Reads the settings.
    pub(super) fn load(&self, purpose: Purpose) -> Result<Loaded, Failure> {
        Ok(Loaded::read(&Sources::here(self.settings.config.clone(), self.database.clone()), purpose)?)
    }

    /// Reads the settings and finds the file with the games.
    pub(super) fn find(&self, purpose: Purpose, usual: Usual) -> Result<(Loaded, PathBuf), Failure> {
        let loaded = self.load(purpose)?;
        let path = paths::find(loaded.config.database.clone(), usual)?;
        Ok((loaded, path))
    }

    /// Finds a file that has to be there already: looking after nothing must not make something.
    pub(super) fn find_existing(&self) -> Result<(Loaded, PathBuf), Failure> {
        let (loaded, path) = self.find(Purpose::Games, Usual::Bot)?;
        if path.exists() {
            return Ok((loaded, path));
        }
        Err(Failure::NoDatabase(path))
    }
}

/// Tells whether the settings are right, what is in force, and where it comes from.
pub(super) fn check(args: &CheckConfigArgs) -> Result<(), Failure> {
    let (mut loaded, database) = args.games.find(Purpose::Bot, Usual::Serve)?;
    loaded.config.backup.folder.get_or_insert_with(|| paths::backups(&database));
    loaded.config.database = Some(database);
    let mut out = io::stdout().lock();
    match &loaded.file {
        Some(file) => writeln!(out, "{} is fine", file.display())?,
        None => writeln!(out, "There is no file with settings, which is fine")?,
    }
    writeln!(out)?;
    for (key, value, origin) in loaded.lines() {
        writeln!(out, "{key:25} {value}  ({origin})")?;
    }
    for warning in &loaded.warnings {
        writeln!(out, "\nwarning: {warning}")?;
    }
    if !loaded.has_token() {
        writeln!(out, "\nThere is no token: `ratatosk` opens the local table, and `ratatosk serve` will not start")?;
    }
    Ok(())
}

/// Prints the file to begin with.
pub(super) fn print_example() -> Result<(), Failure> {
    Ok(write!(io::stdout().lock(), "{}", example())?)
}
