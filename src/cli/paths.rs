//! Where the database and its backups are if nothing else is configured.

use super::Failure;
use crate::config::Sources;
use std::path::{Path, PathBuf};

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

/// Returns the path of the database if none is configured: one in the user's data folder.
pub(super) fn default_database(sources: &Sources, default: DefaultDatabase) -> Result<PathBuf, Failure> {
    let folder = sources.data_folder().ok_or_else(|| {
        Failure::Usage(String::from(
            "there is no home folder for the database; name a file with --database FILE or RATATOSK_DATABASE",
        ))
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
