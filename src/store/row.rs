//! Turns stored values into ours, and says which one makes no sense.

use super::error::StoreError;
use crate::game::{ChannelId, Pace, Place, PlayerId, ServerId, Timestamp};
use crate::rules::{Layout, Side, Variant};
use rusqlite::Row;
use rusqlite::types::FromSql;
use std::fmt;

/// Stores a number of 64 bits without a sign, bit by bit.
pub(super) const fn stored(number: u64) -> i64 {
    number.cast_signed()
}

/// Stores a number of 64 bits without a sign, if there is one.
pub(super) fn maybe_stored(number: Option<u64>) -> Option<i64> {
    number.map(stored)
}

/// Stores a place: its server, channel and thread.
pub(super) fn stored_place(place: Place) -> (Option<i64>, i64, Option<i64>) {
    let Place { server, channel, thread } = place;
    (server.map(|server| stored(server.0)), stored(channel.0), thread.map(|thread| stored(thread.0)))
}

/// A row of a table.
pub(super) struct RowReader<'r> {
    row: &'r Row<'r>,
    table: &'static str,
    /// The number of the row.
    pub(super) id: u64,
}

impl<'r> RowReader<'r> {
    /// Takes a row that has a column `id`.
    pub(super) fn new(table: &'static str, row: &'r Row<'r>) -> Result<Self, StoreError> {
        let id = Self { row, table, id: 0 }.number("id")?;
        Ok(Self { row, table, id })
    }

    /// Says that a value makes no sense.
    pub(super) fn bad(&self, column: &'static str, problem: impl fmt::Display) -> StoreError {
        StoreError::bad_row(self.table, self.id, column, problem)
    }

    pub(super) fn value<T: FromSql>(&self, column: &'static str) -> Result<T, StoreError> {
        self.row.get(column).map_err(|error| self.bad(column, error))
    }

    pub(super) fn text(&self, column: &'static str) -> Result<&'r str, StoreError> {
        let value = self.row.get_ref(column).map_err(|error| self.bad(column, error))?;
        value.as_str().map_err(|error| self.bad(column, error))
    }

    pub(super) fn maybe_text(&self, column: &'static str) -> Result<Option<&'r str>, StoreError> {
        let value = self.row.get_ref(column).map_err(|error| self.bad(column, error))?;
        value.as_str_or_null().map_err(|error| self.bad(column, error))
    }

    pub(super) fn number(&self, column: &'static str) -> Result<u64, StoreError> {
        self.value(column).map(i64::cast_unsigned)
    }

    pub(super) fn maybe_number(&self, column: &'static str) -> Result<Option<u64>, StoreError> {
        self.value(column).map(|number: Option<i64>| number.map(i64::cast_unsigned))
    }

    pub(super) fn moment(&self, column: &'static str) -> Result<Timestamp, StoreError> {
        self.value(column).map(Timestamp)
    }

    pub(super) fn maybe_moment(&self, column: &'static str) -> Result<Option<Timestamp>, StoreError> {
        self.value(column).map(|moment: Option<i64>| moment.map(Timestamp))
    }

    pub(super) fn player(&self, column: &'static str) -> Result<PlayerId, StoreError> {
        self.number(column).map(PlayerId)
    }

    pub(super) fn maybe_player(&self, column: &'static str) -> Result<Option<PlayerId>, StoreError> {
        self.maybe_number(column).map(|number| number.map(PlayerId))
    }

    /// Finds the one of several that has a name.
    pub(super) fn named<T: Copy>(
        &self,
        column: &'static str,
        all: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Result<T, StoreError> {
        let text = self.text(column)?;
        all.iter().copied().find(|one| name(*one) == text).ok_or_else(|| self.unknown(column, text))
    }

    pub(super) fn maybe_named<T: Copy>(
        &self,
        column: &'static str,
        all: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Result<Option<T>, StoreError> {
        let Some(text) = self.maybe_text(column)? else { return Ok(None) };
        let found = all.iter().copied().find(|one| name(*one) == text);
        found.map(Some).ok_or_else(|| self.unknown(column, text))
    }

    pub(super) fn side(&self, column: &'static str) -> Result<Side, StoreError> {
        self.named(column, &Side::BOTH, Side::id)
    }

    pub(super) fn variant(&self) -> Result<(&'static Variant, &'static Layout), StoreError> {
        let (variant, layout) = (self.text("variant")?, self.text("layout")?);
        let variant = Variant::find(variant)
            .ok_or_else(|| self.bad("variant", format_args!("this version has no game called `{variant}`")))?;
        let layout = variant
            .layout(layout)
            .ok_or_else(|| self.bad("layout", format_args!("{} has no layout called `{layout}`", variant.name)))?;
        Ok((variant, layout))
    }

    pub(super) fn pace(&self) -> Result<Pace, StoreError> {
        let days: Option<u8> = self.value("pace")?;
        let unknown = || self.bad("pace", format_args!("no game has {} days a move", days.unwrap_or_default()));
        Pace::from_days(days).ok_or_else(unknown)
    }

    pub(super) fn place(&self) -> Result<Place, StoreError> {
        Ok(Place {
            server: self.maybe_number("server")?.map(ServerId),
            channel: self.number("channel").map(ChannelId)?,
            thread: self.maybe_number("thread")?.map(ChannelId),
        })
    }

    fn unknown(&self, column: &'static str, text: &str) -> StoreError {
        self.bad(column, format_args!("`{text}` is nothing that this version knows"))
    }
}
