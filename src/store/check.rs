//! `ratatosk check`: the file, its schema, the references between tables, and every game.

use super::Store;
use super::challenges::CHALLENGES;
use super::error::{BadRow, StoreError};
use super::file::connect_writer;
use super::games::{load, next_game};
use super::heartbeat::HEARTBEATS;
use super::migrate::{MIGRATIONS, newest_schema, repair, schema, upgrade};
use super::outbox::MESSAGES;
use super::query::column;
use super::schema::{SchemaPart, missing_parts};
use super::sql;
use super::stats::Stats;
use crate::game::GameId;
use rusqlite::Connection;
use std::fmt;
use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};

/// Something that is wrong in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CheckFinding {
    /// SQLite reports damage or a violated constraint.
    File(String),
    Missing(SchemaPart),
    /// A row refers to another one that is missing.
    Orphan {
        /// The table of the row.
        table: String,
        /// The id of the row, in tables that have one.
        row: Option<i64>,
        /// The table that it refers to.
        parent: String,
    },
    /// There are moves of a missing game. Its stored number may itself be damaged.
    OrphanMoves(String),
    /// A challenge, an unsent message or the heartbeat cannot be read.
    Row(BadRow),
    /// A game cannot be read, or its moves do not lead to its stored position and result.
    Game {
        id: GameId,
        problem: StoreError,
    },
}

impl fmt::Display for CheckFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(problem) => write!(f, "the file: {problem}"),
            Self::Missing(part) if part.holds_data() => write!(f, "{part} is missing"),
            Self::Missing(part) => {
                write!(f, "{part} is missing; `ratatosk serve` or `ratatosk terminal` makes it again")
            }
            Self::Orphan { table, row: Some(row), parent } => {
                write!(f, "row {row} of {table} refers to a missing row of {parent}")
            }
            Self::Orphan { table, row: None, parent } => {
                write!(f, "a row of {table} refers to a missing row of {parent}")
            }
            Self::OrphanMoves(game) => write!(f, "game #{game} is missing, but there are moves of it"),
            Self::Row(bad) => bad.fmt(f),
            Self::Game { id, problem } => write!(f, "game {id}: {problem}"),
        }
    }
}

/// The result of checking a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckReport {
    /// The schema of the file.
    pub schema: u32,
    /// What is wrong.
    pub findings: Vec<CheckFinding>,
    /// What is in the file, if nothing is wrong.
    pub stats: Option<Stats>,
}

impl Store {
    /// Checks a file as [`Store::check`] does, even while a bot has it open. If the file has an older schema, migrates
    /// a temporary copy and checks that.
    ///
    /// # Errors
    /// Fails if the check itself cannot be made, or the file is not one that this version can read or migrate.
    pub fn check_file(path: &Path) -> Result<CheckReport, StoreError> {
        let (store, found) = Self::open_read_only_with(path, |db| schema(db, path))?;
        let known = newest_schema(MIGRATIONS);
        match found {
            0 => Err(StoreError::Empty(path.to_owned())),
            found if found > known => Err(StoreError::NewerSchema { found, known }),
            found if found < known => check_migrated_copy(path, found),
            _ => store.report(found, Vec::new()),
        }
    }

    /// Checks the file, and adds what it finds to `findings`.
    fn report(&self, schema: u32, mut findings: Vec<CheckFinding>) -> Result<CheckReport, StoreError> {
        findings.extend(self.check()?);
        let stats = if findings.is_empty() { Some(self.session()?.stats()?) } else { None };
        Ok(CheckReport { schema, findings, stats })
    }

    /// Checks the file, its schema, the references between tables, and every game by replaying it through the rules.
    ///
    /// # Errors
    /// Fails if the check itself cannot be made. Damage is a finding.
    pub fn check(&self) -> Result<Vec<CheckFinding>, StoreError> {
        let mut findings = Vec::new();
        let checked = self.inner.readers.inspect(|db| Ok(check_whole_file(db, &mut findings)));
        checked.flatten().or_else(|error| add_damage(error, &mut findings))?;
        for unreadable in [
            self.read(|db| CHALLENGES.unreadable(db, sql::EVERY_CHALLENGE)),
            self.read(|db| MESSAGES.unreadable(db, sql::EVERY_MESSAGE)),
            self.read(|db| HEARTBEATS.unreadable(db, sql::HEARTBEAT)),
        ] {
            match unreadable {
                Ok(rows) => findings.extend(rows.into_iter().map(CheckFinding::Row)),
                Err(error) => add_damage(error, &mut findings)?,
            }
        }
        self.check_games(&mut findings).or_else(|error| add_damage(error, &mut findings))?;
        Ok(findings)
    }

    fn check_games(&self, findings: &mut Vec<CheckFinding>) -> Result<(), StoreError> {
        let mut last = 0;
        // Each game is read in its own snapshot, so that a running bot can start its log over in between.
        while let Some((id, loaded)) = self.read(|db| {
            let Some(id) = next_game(db, last)? else { return Ok(None) };
            Ok(Some((id, load(db, id, None))))
        })? {
            match loaded {
                Err(StoreError::Bug(_)) if lacks_data(findings) => return Ok(()),
                loaded => findings.extend(loaded.err().map(|problem| CheckFinding::Game { id, problem })),
            }
            last = id.0;
        }
        Ok(())
    }
}

/// Adds damage to the findings; every other error ends the check.
fn add_damage(error: StoreError, findings: &mut Vec<CheckFinding>) -> Result<(), StoreError> {
    match error {
        StoreError::Damaged(problem) => findings.push(CheckFinding::File(problem)),
        // The query failed because of a missing table or column, which is a finding already.
        StoreError::Bug(_) if lacks_data(findings) => {}
        error => return Err(error),
    }
    Ok(())
}

/// Returns whether a table or a column is missing.
fn lacks_data(findings: &[CheckFinding]) -> bool {
    findings.iter().any(|finding| matches!(finding, CheckFinding::Missing(part) if part.holds_data()))
}

fn check_whole_file(db: &Connection, findings: &mut Vec<CheckFinding>) -> Result<(), StoreError> {
    findings.extend(missing_parts(db, MIGRATIONS)?.into_iter().map(CheckFinding::Missing));
    let mut check = db.prepare("PRAGMA integrity_check")?;
    let mut rows = check.query([])?;
    while let Some(row) = rows.next()? {
        let problem: String = row.get(0)?;
        if problem != "ok" {
            findings.push(CheckFinding::File(problem));
        }
    }
    if lacks_data(findings) {
        // Every row that refers to a missing table would be an orphan.
        return Ok(());
    }
    let mut check = db.prepare("PRAGMA foreign_key_check")?;
    let mut rows = check.query([])?;
    while let Some(row) = rows.next()? {
        let (table, row, parent): (String, _, _) = (row.get(0)?, row.get(1)?, row.get(2)?);
        // Moves have no id of their own; they are named below.
        if table != "moves" {
            findings.push(CheckFinding::Orphan { table, row, parent });
        }
    }
    // An integer is shown as it is, anything else in a form that cannot be taken for one.
    let orphans = "SELECT DISTINCT iif(typeof(game) = 'integer', CAST(game AS TEXT), 'x' || hex(game)) FROM moves \
                   WHERE game NOT IN (SELECT id FROM games)";
    let games = column(db, orphans, [])?;
    findings.extend(games.into_iter().map(CheckFinding::OrphanMoves));
    Ok(())
}

/// Checks a temporary copy of a file with an older schema, which is migrated. The file itself is left alone.
fn check_migrated_copy(path: &Path, found: u32) -> Result<CheckReport, StoreError> {
    let folder = TempFolder::new().map_err(StoreError::about_copy)?;
    let copy = folder.0.join("copy.db");
    Store::backup(path, &copy)?;
    let mut db = connect_writer(&copy).map_err(StoreError::about_copy)?;
    let recreated = repair(&mut db, &copy, MIGRATIONS).map_err(StoreError::about_copy)?;
    upgrade(&mut db, found, MIGRATIONS).map_err(StoreError::about_copy)?;
    drop(db);
    let (store, _) = Store::open_read_only_with(&copy, |db| schema(db, &copy))?;
    store.report(found, recreated.into_iter().map(CheckFinding::Missing).collect())
}

/// A folder that only its owner can read, and that is removed with this value.
struct TempFolder(PathBuf);

impl TempFolder {
    fn new() -> Result<Self, StoreError> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let mut number = 0;
        loop {
            let path = std::env::temp_dir().join(format!("ratatosk-check-{}-{number}", std::process::id()));
            match builder.create(&path) {
                Ok(()) => return Ok(Self(path)),
                // A process that was killed has left this folder.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(StoreError::from_io(&path, &error)),
            }
        }
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        // If this fails, the rest is in the system's folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}
