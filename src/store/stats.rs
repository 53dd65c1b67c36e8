//! Counts of what is in the file, for `ratatosk status`.

use super::error::StoreError;
use super::session::Session;
use super::sql;

/// How much is in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stats {
    /// The schema version.
    pub schema: u32,
    /// Games that go on.
    pub games_running: u64,
    /// Games that are over.
    pub games_finished: u64,
    /// Moves in all games.
    pub moves: u64,
    /// Challenges that were not answered.
    pub challenges_open: u64,
    /// Messages that were not delivered.
    pub unsent: u64,
}

impl Session<'_> {
    /// Counts what is in the file.
    pub fn stats(&self) -> Result<Stats, StoreError> {
        let db = self.db()?;
        let schema = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        Ok(db.query_row(sql::STATS, [], |row| {
            Ok(Stats {
                schema,
                games_running: row.get(0)?,
                games_finished: row.get(1)?,
                moves: row.get(2)?,
                challenges_open: row.get(3)?,
                unsent: row.get(4)?,
            })
        })?)
    }
}
