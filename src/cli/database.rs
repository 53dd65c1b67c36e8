//! Where the games are kept.

use super::Failure;
use std::env;
use std::path::PathBuf;

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
    Table,
    /// The bot's, or the table's where there is none.
    Bot,
    /// The bot's, which may be a new one.
    Serve,
}

/// Finds the database: the flag, then `RATATOSK_DATABASE`, then the usual one in the user's data folder.
pub(super) fn find(flag: Option<PathBuf>, usual: Usual) -> Result<PathBuf, Failure> {
    let named = flag.or_else(|| env::var_os("RATATOSK_DATABASE").filter(|path| !path.is_empty()).map(PathBuf::from));
    if let Some(path) = named {
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
