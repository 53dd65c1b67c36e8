//! Whether everything in the file is sound.

use super::Store;
use super::challenges::CHALLENGES;
use super::error::StoreError;
use super::games::{load, next_game};
use super::heartbeat::HEARTBEATS;
use super::outbox::MESSAGES;
use super::sql;
use crate::game::GameId;
use rusqlite::Connection;
use std::fmt;

/// Something in the file that is not as it should be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CheckFinding {
    /// SQLite finds fault with the file itself.
    File(String),
    /// A row refers to another one that is not there.
    Orphan {
        /// The table of the row.
        table: String,
        /// The number of the row, where rows have one.
        row: Option<i64>,
        /// The table that it refers to.
        parent: String,
    },
    /// A challenge, an owed message or a sign of life makes no sense.
    Row(StoreError),
    /// A game cannot be replayed to where it is said to stand.
    Game {
        /// Which one.
        id: GameId,
        /// Why not.
        problem: StoreError,
    },
}

impl fmt::Display for CheckFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(problem) => write!(f, "the file: {problem}"),
            Self::Orphan { table, row: Some(row), parent } => {
                write!(f, "row {row} of {table} refers to a row of {parent} that is not there")
            }
            Self::Orphan { table, row: None, parent } => {
                write!(f, "a row of {table} refers to a row of {parent} that is not there")
            }
            Self::Row(problem) => problem.fmt(f),
            Self::Game { id, problem } => write!(f, "game {id}: {problem}"),
        }
    }
}

impl Store {
    /// Looks for faults: in the file, between the tables, and in every game by replaying it through the rules.
    pub fn check(&self) -> Result<Vec<CheckFinding>, StoreError> {
        let mut faults = Vec::new();
        let part = self.inner.readers.inspect(|db| Ok(look_at_file(db, &mut faults)));
        part.flatten().or_else(|error| note_damage(error, &mut faults))?;
        let parts = [
            self.read(|db| CHALLENGES.faults(db, sql::EVERY_CHALLENGE)),
            self.read(|db| MESSAGES.faults(db, sql::EVERY_MESSAGE)),
            self.read(|db| HEARTBEATS.faults(db, sql::HEARTBEAT)),
        ];
        for part in parts {
            match part {
                Ok(bad) => faults.extend(bad.into_iter().map(CheckFinding::Row)),
                Err(error) => note_damage(error, &mut faults)?,
            }
        }
        let mut last = 0;
        loop {
            let looked = self.read(|db| {
                let Some(id) = next_game(db, last)? else { return Ok(None) };
                Ok(Some((id, load(db, id).err())))
            });
            match looked {
                Ok(Some((id, problem))) => {
                    faults.extend(problem.map(|problem| CheckFinding::Game { id, problem }));
                    last = id.0;
                }
                Ok(None) => return Ok(faults),
                Err(error) => {
                    note_damage(error, &mut faults)?;
                    return Ok(faults);
                }
            }
        }
    }
}

/// Takes damage for a fault that was found, and everything else for a reason why none could be looked for.
fn note_damage(error: StoreError, faults: &mut Vec<CheckFinding>) -> Result<(), StoreError> {
    let StoreError::Damaged(problem) = error else { return Err(error) };
    faults.push(CheckFinding::File(problem));
    Ok(())
}

fn look_at_file(db: &Connection, faults: &mut Vec<CheckFinding>) -> Result<(), StoreError> {
    let mut check = db.prepare("PRAGMA integrity_check")?;
    let mut rows = check.query([])?;
    while let Some(row) = rows.next()? {
        let problem: String = row.get(0)?;
        if problem != "ok" {
            faults.push(CheckFinding::File(problem));
        }
    }
    if !faults.is_empty() {
        // What refers to what means nothing in a file with holes.
        return Ok(());
    }
    let mut check = db.prepare("PRAGMA foreign_key_check")?;
    let mut rows = check.query([])?;
    while let Some(row) = rows.next()? {
        faults.push(CheckFinding::Orphan { table: row.get(0)?, row: row.get(1)?, parent: row.get(2)? });
    }
    Ok(())
}
