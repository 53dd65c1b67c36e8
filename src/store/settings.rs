//! What servers and players have set.

use super::Store;
use super::cells::stored;
use super::error::StoreError;
use super::sql;
use crate::game::{House, Pace, PlayerId, Reminders, Taste};
use rusqlite::OptionalExtension;

impl Store {
    /// Tells what is set in a server.
    pub fn house(&self, server: u64) -> Result<House, StoreError> {
        self.read(|db| {
            let found = db.prepare_cached(sql::SERVER)?.query_row([stored(server)], |row| {
                let days: Option<u8> = row.get(2)?;
                Ok(House {
                    theme: row.get(0)?,
                    threads: row.get(1)?,
                    pace: days.and_then(|days| Pace::from_days((days > 0).then_some(days))),
                })
            });
            Ok(found.optional()?.unwrap_or_default())
        })
    }

    /// Sets what is set in a server.
    pub fn set_house(&self, server: u64, house: House) -> Result<(), StoreError> {
        self.keep(move |db| {
            let House { theme, threads, pace } = house;
            let pace = pace.map(|pace| pace.days().unwrap_or(0));
            db.prepare_cached(sql::SET_SERVER)?.execute((stored(server), theme, threads, pace))?;
            Ok(())
        })
    }

    /// Tells what a player has set.
    pub fn taste(&self, player: PlayerId) -> Result<Taste, StoreError> {
        self.read(|db| {
            let found = db.prepare_cached(sql::PREFERENCES)?.query_row([stored(player.0)], |row| {
                let reminders: Option<String> = row.get(0)?;
                Ok(Taste {
                    reminders: reminders.as_deref().and_then(Reminders::find),
                    theme: row.get(1)?,
                    flipped: row.get(2)?,
                    as_text: row.get(3)?,
                })
            });
            Ok(found.optional()?.unwrap_or_default())
        })
    }

    /// Sets what a player has set.
    pub fn set_taste(&self, player: PlayerId, taste: Taste) -> Result<(), StoreError> {
        self.keep(move |db| {
            let Taste { reminders, theme, flipped, as_text } = taste;
            let set = (stored(player.0), reminders.map(Reminders::id), theme, flipped, as_text);
            db.prepare_cached(sql::SET_PREFERENCES)?.execute(set)?;
            Ok(())
        })
    }
}
