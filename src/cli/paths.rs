//! Where the games are kept.

use super::Failure;
use std::env;
use std::path::{Path, PathBuf};

/// The folder of this program's data, in the folder that the system has for data of users.
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

/// Which database is meant if nobody says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Usual {
    /// The local table's.
    Terminal,
    /// The bot's, or the table's where there is none.
    Bot,
    /// The bot's, which may be a new one.
    Serve,
}

/// Finds the database: the one that was set, or the usual one in the user's data folder.
pub(super) fn find(set: Option<PathBuf>, usual: Usual) -> Result<PathBuf, Failure> {
    if let Some(path) = set {
        return Ok(path);
    }
    let folder = data_folder().ok_or_else(|| {
        Failure::Usage(String::from("there is no home folder to keep games in; say where with --database FILE"))
    })?;
    let (table, bot) = (folder.join("table.db"), folder.join("games.db"));
    Ok(match usual {
        Usual::Serve => bot,
        Usual::Bot if bot.exists() || !table.exists() => bot,
        _ => table,
    })
}

/// Tells where backups of a database go if nobody says.
pub(super) fn backups(database: &Path) -> PathBuf {
    database.with_file_name("backups")
}
