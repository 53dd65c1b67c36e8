//! Players, their names, and with whom they do not want to play.

use super::Store;
use super::error::StoreError;
use super::row::stored;
use super::session::Session;
use super::sql;
use crate::game::{PlayerId, Timestamp};
use rusqlite::{Connection, OptionalExtension};
use std::collections::HashMap;

impl Session<'_> {
    /// Tells what a player is called, if he was ever seen.
    pub fn name_of(&self, player: PlayerId) -> Result<Option<String>, StoreError> {
        let db = self.db()?;
        read_name(db, player)
    }

    /// Returns the names of players, in one query for many; those who were never seen are left out.
    pub fn names_of(&self, players: &[PlayerId]) -> Result<HashMap<PlayerId, String>, StoreError> {
        const PER_QUERY: usize = 16;
        let mut names = HashMap::new();
        let mut statement = self.db()?.prepare_cached(sql::NAMES)?;
        for chunk in players.chunks(PER_QUERY) {
            let filled = chunk.iter().chain(std::iter::repeat(&chunk[chunk.len() - 1])).take(PER_QUERY);
            let ids: Vec<i64> = filled.map(|player| stored(player.0)).collect();
            let mut rows = statement.query(rusqlite::params_from_iter(ids))?;
            while let Some(row) = rows.next()? {
                names.insert(PlayerId(row.get::<_, i64>(0)?.cast_unsigned()), row.get(1)?);
            }
        }
        Ok(names)
    }

    /// Gives the names that begin like this, in any case, in their order.
    pub fn names_beginning(&self, beginning: &str, limit: u32) -> Result<Vec<String>, StoreError> {
        let key = key(beginning);
        let db = self.db()?;
        let mut statement = db.prepare_cached(sql::NAMES_BEGINNING)?;
        let names = statement.query_map((&key, limit), |row| row.get(0))?;
        Ok(names.collect::<Result<_, _>>()?)
    }

    /// Finds a player by name, whatever its capitals.
    pub fn find_player(&self, name: &str) -> Result<Option<PlayerId>, StoreError> {
        let db = self.db()?;
        find(db, name)
    }

    /// Lists with whom a player does not want to play.
    pub fn blocked_by(&self, by: PlayerId) -> Result<Vec<PlayerId>, StoreError> {
        Ok(self.blocks_of(by)?.into_iter().map(|(blocked, _)| blocked).collect())
    }

    /// Lists with whom a player does not want to play, and since when.
    pub fn blocks_of(&self, player: PlayerId) -> Result<Vec<(PlayerId, Timestamp)>, StoreError> {
        let db = self.db()?;
        let mut blocks = db.prepare_cached(sql::BLOCKS_OF)?;
        let blocks = blocks.query_map([stored(player.0)], |row| {
            Ok((PlayerId(row.get::<_, i64>(0)?.cast_unsigned()), Timestamp(row.get(1)?)))
        })?;
        Ok(blocks.collect::<Result<_, _>>()?)
    }
}

impl Store {
    /// Remembers what a player is called now.
    pub fn remember_player(&self, player: PlayerId, name: &str) -> Result<(), StoreError> {
        let name = name.to_owned();
        self.keep(move |db| write_name(db, player, &name))
    }

    /// Finds a player by name, whatever its capitals, or makes one with the next free number.
    pub fn player_named(&self, name: &str) -> Result<PlayerId, StoreError> {
        if let Some(player) = self.session()?.find_player(name)? {
            return Ok(player);
        }
        let name = name.to_owned();
        self.keep(move |db| {
            // Somebody may have been quicker.
            if let Some(player) = find(db, &name)? {
                return Ok(player);
            }
            let id: i64 = db.prepare_cached(sql::NEXT_PLAYER)?.query_row([], |row| row.get(0))?;
            let player = PlayerId(id.cast_unsigned());
            write_name(db, player, &name)?;
            Ok(player)
        })
    }

    /// Notes that a player does not want to play with another; false if that was known.
    pub fn block(&self, by: PlayerId, whom: PlayerId, now: Timestamp) -> Result<bool, StoreError> {
        self.keep(move |db| {
            mention(db, by)?;
            mention(db, whom)?;
            Ok(db.prepare_cached(sql::BLOCK)?.execute((stored(by.0), stored(whom.0), now.0))? > 0)
        })
    }

    /// Notes that a player would play with another again; false if he never said otherwise.
    pub fn unblock(&self, by: PlayerId, whom: PlayerId) -> Result<bool, StoreError> {
        self.keep(move |db| Ok(db.prepare_cached(sql::UNBLOCK)?.execute((stored(by.0), stored(whom.0)))? > 0))
    }

    /// Forgets a player: in games and challenges somebody without a name takes the place, and the rest is gone. That
    /// others have blocked the player stays, because it is theirs.
    pub fn forget_player(&self, player: PlayerId) -> Result<(), StoreError> {
        self.keep(move |db| {
            let former: i64 = db.prepare_cached(sql::NEXT_FORMER)?.query_row([], |row| row.get(0))?;
            db.prepare_cached(sql::MENTION_PLAYER)?.execute([former])?;
            for sql in [
                sql::FORGET_ATTACKER,
                sql::FORGET_DEFENDER,
                sql::FORGET_RUNNING_ATTACKER,
                sql::FORGET_RUNNING_DEFENDER,
                sql::FORGET_CHALLENGER,
                sql::FORGET_CHALLENGED,
            ] {
                db.prepare_cached(sql)?.execute((stored(player.0), former))?;
            }
            for sql in [
                sql::FORGET_PINGS,
                sql::FORGET_REMINDERS,
                sql::FORGET_BLOCKS,
                sql::FORGET_PREFERENCES,
                sql::FORGET_NAME,
                sql::FORGET_PLAYER,
            ] {
                db.prepare_cached(sql)?.execute([stored(player.0)])?;
            }
            Ok(())
        })
    }
}

/// Makes sure that there is a row for a player whom others refer to.
pub(super) fn mention(db: &Connection, player: PlayerId) -> Result<(), StoreError> {
    db.prepare_cached(sql::MENTION_PLAYER)?.execute([stored(player.0)])?;
    Ok(())
}

pub(super) fn read_name(db: &Connection, player: PlayerId) -> Result<Option<String>, StoreError> {
    let name = db.prepare_cached(sql::NAME)?.query_row([stored(player.0)], |row| row.get(0)).optional()?;
    Ok(name.flatten())
}

pub(super) fn write_name(db: &Connection, player: PlayerId, name: &str) -> Result<(), StoreError> {
    let named = (stored(player.0), name, key(name));
    db.prepare_cached(sql::REMEMBER_PLAYER)?.execute(named)?;
    Ok(())
}

fn find(db: &Connection, name: &str) -> Result<Option<PlayerId>, StoreError> {
    let id = db.prepare_cached(sql::PLAYER_NAMED)?.query_row([key(name)], |row| row.get(0)).optional()?;
    Ok(id.map(|id: i64| PlayerId(id.cast_unsigned())))
}

/// Gives what a name is found by. SQLite itself knows only the capitals of English.
fn key(name: &str) -> String {
    name.to_lowercase()
}
