//! Notes: small named values that outlive the process.

use super::Store;
use super::error::StoreError;
use super::query::{execute, maybe_scalar};
use super::session::Session;
use super::sql;

impl Session<'_> {
    /// Returns a note, if it was ever written.
    pub fn note(&self, name: &str) -> Result<Option<String>, StoreError> {
        maybe_scalar(&*self.db()?, sql::NOTE, [name])
    }
}

impl Store {
    /// Writes a note; replaces the previous one of that name.
    pub fn write_note(&self, name: &'static str, note: &str) -> Result<(), StoreError> {
        let note = note.to_owned();
        self.write(move |db| execute(db, sql::WRITE_NOTE, (name, note)).map(drop))
    }
}
