//! `ratatosk check`: the file, the references between tables, and every game.

use super::Store;
use super::challenges::CHALLENGES;
use super::error::{BadRow, StoreError};
use super::games::{load, next_game};
use super::heartbeat::HEARTBEATS;
use super::outbox::MESSAGES;
use super::sql;
use crate::game::GameId;
use rusqlite::Connection;
use std::fmt;

/// Something that is wrong in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CheckFinding {
    /// SQLite reports damage or a violated constraint.
    File(String),
    /// A row refers to another one that is missing.
    Orphan {
        /// The table of the row.
        table: String,
        /// The id of the row, in tables that have one.
        row: Option<i64>,
        /// The table that it refers to.
        parent: String,
    },
    /// A challenge, an undelivered message or the heartbeat cannot be read.
    Row(BadRow),
    /// A game cannot be read, or its moves do not lead to its stored position and result.
    Game {
        /// Its id.
        id: GameId,
        /// What is wrong with it.
        problem: StoreError,
    },
}

impl fmt::Display for CheckFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(problem) => write!(f, "the file: {problem}"),
            Self::Orphan { table, row: Some(row), parent } => {
                write!(f, "row {row} of {table} refers to a missing row of {parent}")
            }
            Self::Orphan { table, row: None, parent } => {
                write!(f, "a row of {table} refers to a missing row of {parent}")
            }
            Self::Row(bad) => bad.fmt(f),
            Self::Game { id, problem } => write!(f, "game {id}: {problem}"),
        }
    }
}

impl Store {
    /// Checks the file, the references between tables, and every game by replaying it through the rules.
    ///
    /// # Errors
    /// Fails if the check itself cannot be made. Damage is a finding.
    pub fn check(&self) -> Result<Vec<CheckFinding>, StoreError> {
        let mut findings = Vec::new();
        let checked = self.inner.readers.inspect(|db| Ok(check_file(db, &mut findings)));
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
        // Each game in a snapshot of its own, so that a running bot can start its log over meanwhile.
        while let Some((id, loaded)) = self.read(|db| {
            let Some(id) = next_game(db, last)? else { return Ok(None) };
            Ok(Some((id, load(db, id))))
        })? {
            findings.extend(loaded.err().map(|problem| CheckFinding::Game { id, problem }));
            last = id.0;
        }
        Ok(())
    }
}

/// Adds damage to the findings; every other error ends the check.
fn add_damage(error: StoreError, findings: &mut Vec<CheckFinding>) -> Result<(), StoreError> {
    let StoreError::Damaged(problem) = error else { return Err(error) };
    findings.push(CheckFinding::File(problem));
    Ok(())
}

fn check_file(db: &Connection, findings: &mut Vec<CheckFinding>) -> Result<(), StoreError> {
    let mut check = db.prepare("PRAGMA integrity_check")?;
    let mut rows = check.query([])?;
    while let Some(row) = rows.next()? {
        let problem: String = row.get(0)?;
        if problem != "ok" {
            findings.push(CheckFinding::File(problem));
        }
    }
    if !findings.is_empty() {
        // In a damaged file, missing rows are only a consequence.
        return Ok(());
    }
    let mut check = db.prepare("PRAGMA foreign_key_check")?;
    let mut rows = check.query([])?;
    while let Some(row) = rows.next()? {
        findings.push(CheckFinding::Orphan { table: row.get(0)?, row: row.get(1)?, parent: row.get(2)? });
    }
    Ok(())
}
