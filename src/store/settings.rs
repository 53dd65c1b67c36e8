//! Settings of servers and of players.

use super::Store;
use super::error::StoreError;
use super::query::execute;
use super::session::Session;
use super::sql;
use crate::game::{Pace, PlayerId, PlayerSettings, Reminders, ServerId, ServerSettings};
use rusqlite::OptionalExtension;

impl Session<'_> {
    /// Returns the settings of a server.
    pub fn server_settings(&self, server: ServerId) -> Result<ServerSettings, StoreError> {
        let found = self.db()?.prepare_cached(sql::SERVER_SETTINGS)?.query_row([server], |row| {
            let days: Option<u8> = row.get(2)?;
            Ok(ServerSettings {
                theme: row.get(0)?,
                threads: row.get(1)?,
                // 0 means no limit, and NULL means that nothing is set.
                pace: days.and_then(|days| Pace::from_days((days > 0).then_some(days))),
            })
        });
        Ok(found.optional()?.unwrap_or_default())
    }

    /// Returns the settings of a player.
    pub fn player_settings(&self, player: PlayerId) -> Result<PlayerSettings, StoreError> {
        let found = self.db()?.prepare_cached(sql::PLAYER_SETTINGS)?.query_row([player], |row| {
            let reminders: Option<String> = row.get(0)?;
            Ok(PlayerSettings {
                reminders: reminders.as_deref().and_then(Reminders::find),
                theme: row.get(1)?,
                flipped: row.get(2)?,
                as_text: row.get(3)?,
            })
        });
        Ok(found.optional()?.unwrap_or_default())
    }
}

impl Store {
    /// Changes those settings of a server that are given. The others stay as they are.
    pub fn change_server_settings(&self, server: ServerId, settings: ServerSettings) -> Result<(), StoreError> {
        let ServerSettings { theme, threads, pace } = settings;
        let days = pace.map(|pace| pace.days().unwrap_or(0));
        self.write(move |db| execute(db, sql::CHANGE_SERVER_SETTINGS, (server, theme, threads, days)).map(drop))
    }

    /// Changes those settings of a player that are given. The others stay as they are.
    pub fn change_player_settings(&self, player: PlayerId, settings: PlayerSettings) -> Result<(), StoreError> {
        let PlayerSettings { reminders, theme, flipped, as_text } = settings;
        let reminders = reminders.map(Reminders::id);
        self.write(move |db| {
            execute(db, sql::CHANGE_PLAYER_SETTINGS, (player, reminders, theme, flipped, as_text)).map(drop)
        })
    }
}
