//! Servers, channels and threads: which are gone, and games that move to another place.

use super::Store;
use super::error::StoreError;
use super::games::{GAME_ROWS, clock};
use super::outbox::{MESSAGES, body_json};
use super::query::{TableReader, column, execute, scalar};
use super::row::RawId;
use super::session::Session;
use super::sql;
use crate::game::{ChannelId, Clock, GameId, GameMessage, OutboxBody, Place, PlacePart, PlayerId, ServerId, Timestamp};
use rusqlite::Connection;
use std::collections::BTreeSet;

impl Session<'_> {
    /// Counts the running games in a thread.
    pub fn games_in_thread(&self, thread: ChannelId) -> Result<usize, StoreError> {
        Ok(GAME_ROWS.list(&*self.db()?, sql::GAMES_IN_THREAD, [thread])?.len())
    }

    /// Returns whether games run in a server, channel or thread, readable or not.
    pub fn has_running_games(&self, part: PlacePart) -> Result<bool, StoreError> {
        let games = CLOCKS.list(&*self.db()?, sql::CLOCKS_IN_PLACE, columns(part))?;
        Ok(games.len() + games.unreadable > 0)
    }

    /// Returns whether the bot has left a server, or the server was deleted.
    pub fn server_is_gone(&self, server: ServerId) -> Result<bool, StoreError> {
        scalar(&*self.db()?, sql::IS_GONE, (server, None::<ChannelId>, None::<ChannelId>))
    }

    /// Returns whether a place, or the server that it is in, is gone.
    pub fn is_gone(&self, place: Place) -> Result<bool, StoreError> {
        let Place { server, channel, thread } = place;
        scalar(&*self.db()?, sql::IS_GONE, (server, channel, thread))
    }

    /// Returns the games of a player in a server whose channel or thread is gone: running games, and games that ended
    /// after a time and about which a message is unsent.
    pub fn games_to_relocate(
        &self,
        player: PlayerId,
        server: ServerId,
        after: Timestamp,
    ) -> Result<Vec<GameId>, StoreError> {
        column(&*self.db()?, sql::GAMES_TO_RELOCATE, (player, server, after))
    }

    /// Returns the servers with running games.
    pub fn servers_of_games(&self) -> Result<Vec<ServerId>, StoreError> {
        column(&*self.db()?, sql::SERVERS_OF_GAMES, [])
    }

    /// Returns the channels and threads of a server with running games.
    pub fn channels_of_games(&self, server: ServerId) -> Result<Vec<PlacePart>, StoreError> {
        let db = self.db()?;
        let mut statement = db.prepare_cached(sql::CHANNELS_OF_GAMES)?;
        let mut rows = statement.query([server])?;
        let mut channels = BTreeSet::new();
        while let Some(row) = rows.next()? {
            let (channel, thread): (ChannelId, Option<ChannelId>) = (row.get(0)?, row.get(1)?);
            channels.extend([Some(PlacePart::Channel(channel)), thread.map(PlacePart::Thread)].into_iter().flatten());
        }
        Ok(channels.into_iter().collect())
    }
}

impl Store {
    /// Records that a channel, thread or server is gone. The clocks of its games stand still from now on. Returns whether
    /// that is new.
    pub fn mark_gone(&self, part: PlacePart, now: Timestamp) -> Result<bool, StoreError> {
        self.write(move |db| Ok(execute(db, sql::MARK_GONE, (part.kind(), RawId(part.number()), now))? > 0))
    }

    /// Records that a channel, thread or server exists again. Nobody could play there, so the player to move in each of
    /// its games gets at least the whole time again, and its messages are due at once. Returns whether it was gone; if
    /// not, nothing is written.
    pub fn mark_back(&self, part: PlacePart, now: Timestamp) -> Result<bool, StoreError> {
        // The writer thread checks whether the place was gone, so that all earlier writes count.
        self.write(move |db| {
            let was_gone = execute(db, sql::MARK_BACK, (part.kind(), RawId(part.number())))? > 0;
            if was_gone {
                restart_clocks(db, part, now)?;
                execute(db, sql::EXPEDITE_PLACE, columns(part))?;
            }
            Ok(was_gone)
        })
    }
}

/// Returns the values to look for in the columns server, channel and thread. Two of them are NULL, which equals
/// nothing.
const fn columns(part: PlacePart) -> (Option<ServerId>, Option<ChannelId>, Option<ChannelId>) {
    match part {
        PlacePart::Server(server) => (Some(server), None, None),
        PlacePart::Channel(channel) => (None, Some(channel), None),
        PlacePart::Thread(thread) => (None, None, Some(thread)),
    }
}

/// Moves a game and its unsent messages to another place. The messages are due at once.
pub(super) fn relocate(db: &Connection, game: GameId, place: Place) -> Result<(), StoreError> {
    let Place { server, channel, thread } = place;
    execute(db, sql::RELOCATE_GAME, (game, server, channel, thread))?;
    execute(db, sql::RELOCATE_MESSAGES, (game, server, channel, thread))?;
    update_relocation_notice(db, game)
}

/// Writes the game's new version into an unsent notice about an earlier relocation, which would be outdated otherwise.
fn update_relocation_notice(db: &Connection, game: GameId) -> Result<(), StoreError> {
    let version: u64 = scalar(db, sql::GAME_VERSION, [game])?;
    let notice = |version| OutboxBody::Game(game, GameMessage::Relocated { version });
    for message in MESSAGES.list(db, sql::MESSAGES_OF_GAME, [game])? {
        if message.body == notice(version.saturating_sub(1)) {
            execute(db, sql::SET_BODY, (message.id, body_json(&notice(version))?))?;
        }
    }
    Ok(())
}

/// Reads the id of a game, its clock, and when it last changed.
const CLOCKS: TableReader<(GameId, Clock, Timestamp)> =
    TableReader { table: "games", read: |row| Ok((GameId(row.id), clock(row)?, row.get("changed")?)) };

/// Restarts the clocks of all running games in a server, channel or thread. The versions stay, so that the buttons of
/// earlier posts keep working. A decision that relies on the previous clock is stale, because it names that clock.
fn restart_clocks(db: &Connection, part: PlacePart, now: Timestamp) -> Result<(), StoreError> {
    for (game, clock, changed) in CLOCKS.list(db, sql::CLOCKS_IN_PLACE, columns(part))? {
        let clock = clock.restarted(now.max(changed));
        execute(db, sql::SET_CLOCK, (game, clock.deadline, clock.reminded, clock.flagged))?;
        execute(db, sql::SET_WAKE_TIME, (game, clock.next_due()))?;
    }
    Ok(())
}
