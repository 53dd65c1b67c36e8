//! Players, their names, and whom they have blocked.

use super::Store;
use super::error::StoreError;
use super::query::{column, execute, maybe_scalar, scalar};
use super::session::Session;
use super::sql;
use crate::game::{PlayerId, Timestamp};
use rusqlite::Connection;
use std::collections::HashMap;

impl Session<'_> {
    /// Returns the name of a player, if it is known.
    pub fn name_of(&self, player: PlayerId) -> Result<Option<String>, StoreError> {
        read_name(&*self.db()?, player)
    }

    /// Returns the names of several players, as far as they are known.
    pub fn names_of(&self, players: &[PlayerId]) -> Result<HashMap<PlayerId, String>, StoreError> {
        const PER_QUERY: usize = 16;
        let mut names = HashMap::new();
        let db = self.db()?;
        let mut statement = db.prepare_cached(sql::NAMES)?;
        for chunk in players.chunks(PER_QUERY) {
            let padding = std::iter::repeat(&chunk[chunk.len() - 1]);
            let mut rows = statement.query(rusqlite::params_from_iter(chunk.iter().chain(padding).take(PER_QUERY)))?;
            while let Some(row) = rows.next()? {
                names.insert(row.get(0)?, row.get(1)?);
            }
        }
        Ok(names)
    }

    /// Returns the names that begin with some letters, in any case, in alphabetical order.
    pub fn names_beginning(&self, beginning: &str, limit: u32) -> Result<Vec<String>, StoreError> {
        column(&*self.db()?, sql::NAMES_BEGINNING, (name_key(beginning), limit))
    }

    /// Finds a player by name, in any case.
    pub fn find_player(&self, name: &str) -> Result<Option<PlayerId>, StoreError> {
        find(&*self.db()?, name)
    }

    /// Lists the players whom a player has blocked.
    pub fn blocked_by(&self, player: PlayerId) -> Result<Vec<PlayerId>, StoreError> {
        column(&*self.db()?, sql::BLOCKS_OF, [player])
    }

    /// Lists the players whom a player has blocked, and since when.
    pub fn blocks_of(&self, player: PlayerId) -> Result<Vec<(PlayerId, Timestamp)>, StoreError> {
        let db = self.db()?;
        let mut statement = db.prepare_cached(sql::BLOCKS_OF)?;
        let blocks = statement.query_map([player], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(blocks.collect::<Result<_, _>>()?)
    }
}

impl Store {
    /// Writes the name of a player; replaces the previous one.
    pub fn remember_player(&self, player: PlayerId, name: &str) -> Result<(), StoreError> {
        let name = name.to_owned();
        self.write(move |db| write_name(db, player, &name))
    }

    /// Finds a player by name, in any case, or adds one with the next free id.
    pub fn find_or_add_player(&self, name: &str) -> Result<PlayerId, StoreError> {
        if let Some(player) = self.session()?.find_player(name)? {
            return Ok(player);
        }
        let name = name.to_owned();
        self.write(move |db| {
            // Another caller may have added the player in the meantime.
            if let Some(player) = find(db, &name)? {
                return Ok(player);
            }
            let player = scalar(db, sql::NEXT_PLAYER, [])?;
            write_name(db, player, &name)?;
            Ok(player)
        })
    }

    /// Records that a player has blocked another. Returns false if the player had blocked the other one before.
    pub fn block(&self, by: PlayerId, whom: PlayerId, now: Timestamp) -> Result<bool, StoreError> {
        self.write(move |db| {
            ensure_player(db, by)?;
            ensure_player(db, whom)?;
            Ok(execute(db, sql::BLOCK, (by, whom, now))? > 0)
        })
    }

    /// Removes a player's block of another. Returns false if there was none.
    pub fn unblock(&self, by: PlayerId, whom: PlayerId) -> Result<bool, StoreError> {
        self.write(move |db| Ok(execute(db, sql::UNBLOCK, (by, whom))? > 0))
    }

    /// Deletes everything about a player except games, challenges, and the blocks of others. In games and challenges, a
    /// new player without a name takes the forgotten one's place.
    pub fn forget_player(&self, player: PlayerId) -> Result<(), StoreError> {
        self.write(move |db| {
            let former: PlayerId = scalar(db, sql::NEXT_FORMER_PLAYER, [])?;
            ensure_player(db, former)?;
            for sql in [
                sql::FORGET_ATTACKER,
                sql::FORGET_DEFENDER,
                sql::FORGET_RUNNING_ATTACKER,
                sql::FORGET_RUNNING_DEFENDER,
                sql::FORGET_CHALLENGER,
                sql::FORGET_CHALLENGED,
            ] {
                execute(db, sql, (player, former))?;
            }
            for sql in [
                sql::FORGET_PINGS,
                sql::FORGET_REMINDERS,
                sql::FORGET_BLOCKS,
                sql::FORGET_SETTINGS,
                sql::FORGET_NAME,
                sql::FORGET_PLAYER,
            ] {
                execute(db, sql, [player])?;
            }
            Ok(())
        })
    }
}

/// Adds a row for a player whom other rows are about to refer to, unless there is one.
pub(super) fn ensure_player(db: &Connection, player: PlayerId) -> Result<(), StoreError> {
    execute(db, sql::ENSURE_PLAYER, [player]).map(drop)
}

pub(super) fn read_name(db: &Connection, player: PlayerId) -> Result<Option<String>, StoreError> {
    Ok(maybe_scalar(db, sql::NAME, [player])?.flatten())
}

pub(super) fn write_name(db: &Connection, player: PlayerId, name: &str) -> Result<(), StoreError> {
    execute(db, sql::WRITE_NAME, (player, name, name_key(name))).map(drop)
}

fn find(db: &Connection, name: &str) -> Result<Option<PlayerId>, StoreError> {
    maybe_scalar(db, sql::PLAYER_NAMED, [name_key(name)])
}

/// Returns the key by which a name is searched. SQLite itself can only ignore the case of ASCII letters.
fn name_key(name: &str) -> String {
    name.to_lowercase()
}
