//! Where the database and its backups are if nothing else is configured.

use super::Failure;
use std::env;
use std::path::{Path, PathBuf};

/// Returns the program's folder in the user's data folder.
fn data_folder() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = if cfg!(windows) {
        absolute("APPDATA")
    } else if cfg!(target_os = "macos") {
        absolute("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/share")))
    };
    base.map(|base| base.join("ratatosk"))
}

/// Which database a command uses if none is configured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DefaultDatabase {
    /// The terminal's.
    Terminal,
    /// The bot's, or the terminal's if only that exists.
    Existing,
    /// The bot's, even if it does not exist yet.
    Bot,
}

/// Returns the path of the database: the configured one, or the default in the user's data folder.
pub(super) fn find(configured: Option<PathBuf>, default: DefaultDatabase) -> Result<PathBuf, Failure> {
    if let Some(path) = configured {
        return Ok(path);
    }
    let folder = data_folder().ok_or_else(|| {
        Failure::Usage(String::from("there is no home folder for the database; name a file with --database FILE"))
    })?;
    // Terminal games have been in table.db since the first version.
    let (terminal, bot) = (folder.join("table.db"), folder.join("games.db"));
    Ok(match default {
        DefaultDatabase::Bot => bot,
        DefaultDatabase::Existing if bot.exists() || !terminal.exists() => bot,
        DefaultDatabase::Existing | DefaultDatabase::Terminal => terminal,
    })
}

/// Returns the folder for backups of a database.
pub(super) fn default_backup_folder(database: &Path) -> PathBuf {
    database.with_file_name("backups")
}
