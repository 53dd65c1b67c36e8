//! Small values that the program has to remember between two starts, by name.

use super::Store;
use super::error::StoreError;
use super::session::Session;
use super::sql;
use rusqlite::OptionalExtension;

impl Session<'_> {
    /// Returns a note.
    pub fn note(&self, name: &str) -> Result<Option<String>, StoreError> {
        Ok(self.db()?.prepare_cached(sql::NOTE)?.query_row([name], |row| row.get(0)).optional()?)
    }
}

impl Store {
    /// Writes a note in place of the former one.
    pub fn write_note(&self, name: &'static str, note: &str) -> Result<(), StoreError> {
        let note = note.to_owned();
        self.keep(move |db| {
            db.prepare_cached(sql::WRITE_NOTE)?.execute((name, note))?;
            Ok(())
        })
    }
}
