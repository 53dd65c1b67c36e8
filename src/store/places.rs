//! Places: which are gone, and games that move to another.

use super::Store;
use super::commit::json;
use super::error::StoreError;
use super::games::GAME_ROWS;
use super::outbox::MESSAGES;
use super::query::Query;
use super::row::{RowReader, stored, stored_place};
use super::session::Session;
use super::sql;
use crate::game::{ChannelId, Clock, GameId, OutboxBody, Pace, Place, PlacePart, PlayerId, ServerId, Timestamp};
use rusqlite::Connection;
use std::collections::BTreeSet;

impl Session<'_> {
    /// Counts the games that go on in a thread.
    pub fn games_in_thread(&self, thread: ChannelId) -> Result<usize, StoreError> {
        Ok(GAME_ROWS.list(self.db()?, sql::GAMES_IN_THREAD, [stored(thread.0)])?.len())
    }

    /// Tells whether the bot is not in a server any more.
    pub fn server_is_gone(&self, server: ServerId) -> Result<bool, StoreError> {
        let db = self.db()?;
        let asked = (stored(server.0), None::<i64>, None::<i64>);
        Ok(db.prepare_cached(sql::IS_GONE)?.query_row(asked, |row| row.get(0))?)
    }

    /// Tells whether a place, or the server that it is in, is gone.
    pub fn is_gone(&self, place: Place) -> Result<bool, StoreError> {
        let db = self.db()?;
        Ok(db.prepare_cached(sql::IS_GONE)?.query_row(stored_place(place), |row| row.get(0))?)
    }

    /// Gives the games of a player whose channel or thread is gone from a server: those that go on, and those that ended
    /// after a moment if somebody is still to be told of it.
    pub fn homeless_games(
        &self,
        player: PlayerId,
        server: ServerId,
        after: Timestamp,
    ) -> Result<Vec<GameId>, StoreError> {
        let db = self.db()?;
        let mut games = db.prepare_cached(sql::HOMELESS_GAMES)?;
        let asked = (stored(player.0), stored(server.0), after.0);
        let games = games.query_map(asked, |row| row.get(0).map(|id: i64| GameId(id.cast_unsigned())))?;
        Ok(games.collect::<Result<_, _>>()?)
    }

    /// Gives the servers in which games go on.
    pub fn servers_of_games(&self) -> Result<Vec<ServerId>, StoreError> {
        let db = self.db()?;
        let mut servers = db.prepare_cached(sql::SERVERS_OF_GAMES)?;
        let servers = servers.query_map([], |row| row.get(0).map(|id: i64| ServerId(id.cast_unsigned())))?;
        Ok(servers.collect::<Result<_, _>>()?)
    }

    /// Gives the channels and threads of a server in which games go on.
    pub fn channels_of_games(&self, server: ServerId) -> Result<Vec<ChannelId>, StoreError> {
        let db = self.db()?;
        let mut statement = db.prepare_cached(sql::PLACES_OF_GAMES)?;
        let mut rows = statement.query([stored(server.0)])?;
        let mut channels = BTreeSet::new();
        while let Some(row) = rows.next()? {
            let (channel, thread): (i64, Option<i64>) = (row.get(0)?, row.get(1)?);
            channels.extend([Some(channel), thread].into_iter().flatten().map(|id| ChannelId(id.cast_unsigned())));
        }
        Ok(channels.into_iter().collect())
    }
}

impl Store {
    /// Notes that a channel, thread or server is gone.
    pub fn place_is_gone(&self, place: PlacePart, now: Timestamp) -> Result<(), StoreError> {
        self.keep(move |db| {
            db.prepare_cached(sql::GONE)?.execute((stored(place.number()), now.0))?;
            Ok(())
        })
    }

    /// Notes that a channel, thread or server is there again. Nobody could play there, so the player to move in each
    /// of its games gets the whole time again, and its messages are due at once. Returns whether it was gone; if not,
    /// nothing is written.
    pub fn place_is_back(&self, place: PlacePart, now: Timestamp) -> Result<bool, StoreError> {
        let place = stored(place.number());
        // By the one thread that writes, so that it comes after what was heard before.
        self.keep(move |db| {
            let was_gone = db.prepare_cached(sql::BACK)?.execute([place])? > 0;
            if was_gone {
                start_clocks(db, place, now)?;
                db.prepare_cached(sql::EXPEDITE_PLACE)?.execute([place])?;
            }
            Ok(was_gone)
        })
    }

    /// Moves a game and what is owed about it to another place, where it is to be posted without waiting.
    pub fn move_game(&self, game: GameId, place: Place) -> Result<(), StoreError> {
        self.keep(move |db| {
            let (server, channel, thread) = stored_place(place);
            let moved = (stored(game.0), server, channel, thread);
            db.prepare_cached(sql::RELOCATE_GAME)?.execute(moved)?;
            db.prepare_cached(sql::RELOCATE_MESSAGES)?.execute(moved)?;
            follow_version(db, game)
        })
    }
}

/// Keeps the undelivered notice that a game has moved valid when the game moves once more: it names the version that the
/// game got by moving, and is not posted if the game has another one because something else happened.
fn follow_version(db: &Connection, game: GameId) -> Result<(), StoreError> {
    let version: i64 = db.prepare_cached(sql::VERSION)?.query_row([stored(game.0)], |row| row.get(0))?;
    let version = version.cast_unsigned();
    for message in MESSAGES.list(db, sql::MESSAGES_OF_GAME, [stored(game.0)])? {
        if message.body == (OutboxBody::Relocated { version: version.saturating_sub(1) }) {
            let body = json(&OutboxBody::Relocated { version })?;
            db.prepare_cached(sql::SET_BODY)?.execute((stored(message.id.0), body))?;
        }
    }
    Ok(())
}

/// A game whose clock can be started: its number, how long a move may take, and when it last changed.
const CLOCKS: Query<(u64, Pace, Timestamp)> = Query { table: "games", read: clock };

fn clock(cells: &RowReader<'_>) -> Result<(u64, Pace, Timestamp), StoreError> {
    Ok((cells.id, cells.pace()?, cells.moment("changed")?))
}

/// Starts the clocks of all games of a place anew.
fn start_clocks(db: &Connection, place: i64, now: Timestamp) -> Result<(), StoreError> {
    for (game, pace, changed) in CLOCKS.list(db, sql::CLOCKS_OF_PLACE, [place])? {
        let clock = Clock::start(pace, now.max(changed));
        let started = (stored(game), clock.deadline.0, clock.next_due().0);
        db.prepare_cached(sql::START_CLOCK)?.execute(started)?;
    }
    Ok(())
}
