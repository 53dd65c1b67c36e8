//! What servers and players have set.

use super::Store;
use super::error::StoreError;
use super::row::stored;
use super::session::Session;
use super::sql;
use crate::game::{Pace, PlayerId, PlayerSettings, Reminders, ServerId, ServerSettings};
use rusqlite::OptionalExtension;

impl Session<'_> {
    /// Tells what is set in a server.
    pub fn server_settings(&self, server: ServerId) -> Result<ServerSettings, StoreError> {
        let db = self.db()?;
        let found = db.prepare_cached(sql::SERVER)?.query_row([stored(server.0)], |row| {
            let days: Option<u8> = row.get(2)?;
            Ok(ServerSettings {
                theme: row.get(0)?,
                threads: row.get(1)?,
                pace: days.and_then(|days| Pace::from_days((days > 0).then_some(days))),
            })
        });
        Ok(found.optional()?.unwrap_or_default())
    }

    /// Tells what a player has set.
    pub fn player_settings(&self, player: PlayerId) -> Result<PlayerSettings, StoreError> {
        let db = self.db()?;
        let found = db.prepare_cached(sql::PREFERENCES)?.query_row([stored(player.0)], |row| {
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
    /// Sets what is set in a server.
    pub fn set_server_settings(&self, server: ServerId, server_settings: ServerSettings) -> Result<(), StoreError> {
        self.keep(move |db| {
            let ServerSettings { theme, threads, pace } = server_settings;
            let pace = pace.map(|pace| pace.days().unwrap_or(0));
            db.prepare_cached(sql::SET_SERVER)?.execute((stored(server.0), theme, threads, pace))?;
            Ok(())
        })
    }

    /// Sets what a player has set.
    pub fn set_player_settings(&self, player: PlayerId, player_settings: PlayerSettings) -> Result<(), StoreError> {
        self.keep(move |db| {
            let PlayerSettings { reminders, theme, flipped, as_text } = player_settings;
            let set = (stored(player.0), reminders.map(Reminders::id), theme, flipped, as_text);
            db.prepare_cached(sql::SET_PREFERENCES)?.execute(set)?;
            Ok(())
        })
    }
}
