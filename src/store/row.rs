//! Conversion between stored values and the types of `game`. A value that makes no sense is an error that names its
//! table, row and column.

use super::commit::RequestId;
use super::error::StoreError;
use super::outbox::OutboxId;
use super::posts::PostId;
use crate::game::{ChallengeId, ChannelId, GameId, Pace, Place, PlayerId, ServerId, Timestamp};
use crate::rules::{Layout, Side, Variant};
use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use std::fmt;

/// An id without a type of its own.
pub(super) struct RawId(pub(super) u64);

// Ids are unsigned and SQLite's integers signed: they are stored bit by bit, ids above 2^63 as negative numbers.
macro_rules! store_bit_by_bit {
    ($($id:ty),*) => {$(
        impl ToSql for $id {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(self.0.cast_signed().into())
            }
        }

        impl FromSql for $id {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                i64::column_result(value).map(|number| Self(number.cast_unsigned()))
            }
        }
    )*};
}

store_bit_by_bit!(GameId, ChallengeId, PlayerId, ServerId, ChannelId, OutboxId, PostId, RequestId, RawId);

impl ToSql for Timestamp {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.0.to_sql()
    }
}

impl FromSql for Timestamp {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        i64::column_result(value).map(Self)
    }
}

/// Returns what is wrong with a stored value, without the position in its text, which is not shown.
pub(super) fn json_problem(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(problem, _)| problem);
    match text.strip_prefix("missing field ") {
        Some(field) => format!("{field} is missing"),
        None => text.to_owned(),
    }
}

/// A row of a table, whose columns are read by name.
pub(super) struct RowReader<'r> {
    row: &'r Row<'r>,
    table: &'static str,
    /// The value of the column `id`.
    pub(super) id: u64,
}

impl<'r> RowReader<'r> {
    /// Wraps a row that has a column `id`.
    pub(super) fn new(table: &'static str, row: &'r Row<'r>) -> Result<Self, StoreError> {
        let RawId(id) = Self { row, table, id: 0 }.get("id")?;
        Ok(Self { row, table, id })
    }

    /// Returns the row of rusqlite.
    pub(super) const fn row(&self) -> &'r Row<'r> {
        self.row
    }

    /// Returns the error for a value that makes no sense.
    pub(super) fn bad(&self, column: &'static str, problem: impl fmt::Display) -> StoreError {
        StoreError::bad_row(self.table, self.id, column, problem)
    }

    pub(super) fn get<T: FromSql>(&self, column: &'static str) -> Result<T, StoreError> {
        self.row.get(column).map_err(|error| match error {
            // The query does not select it, which says nothing about the stored row.
            rusqlite::Error::InvalidColumnName(_) => error.into(),
            error => self.bad(column, error),
        })
    }

    pub(super) fn text(&self, column: &'static str) -> Result<&'r str, StoreError> {
        self.row.get_ref(column)?.as_str().map_err(|error| self.bad(column, error))
    }

    pub(super) fn maybe_text(&self, column: &'static str) -> Result<Option<&'r str>, StoreError> {
        self.row.get_ref(column)?.as_str_or_null().map_err(|error| self.bad(column, error))
    }

    /// Reads a column that has the name of one of `all`.
    pub(super) fn named<T: Copy>(
        &self,
        column: &'static str,
        all: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Result<T, StoreError> {
        let text = self.text(column)?;
        let found = all.iter().copied().find(|one| name(*one) == text);
        found.ok_or_else(|| self.bad(column, format_args!("this version does not know `{text}`")))
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
        let days: Option<u8> = self.get("pace")?;
        let unknown = || self.bad("pace", format_args!("no game has {} days a move", days.unwrap_or_default()));
        Pace::from_days(days).ok_or_else(unknown)
    }

    pub(super) fn place(&self) -> Result<Place, StoreError> {
        Ok(Place { server: self.get("server")?, channel: self.get("channel")?, thread: self.get("thread")? })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use rusqlite::Connection;

    #[test]
    fn a_column_that_was_not_selected_is_a_bug_and_no_bad_row() {
        let db = Connection::open_in_memory().unwrap();
        let mut select = db.prepare("SELECT 7 AS id, 'x' AS channel").unwrap();
        let mut rows = select.query([]).unwrap();
        let row = RowReader::new("games", rows.next().unwrap().unwrap()).unwrap();
        for missing in [row.get::<PlayerId>("attackers").err(), row.text("rules").err(), row.maybe_text("rules").err()]
        {
            assert!(matches!(missing, Some(StoreError::Bug(_))), "{missing:?}");
        }
        for wrong in [row.get::<ChannelId>("channel").err(), row.text("id").err(), row.maybe_text("id").err()] {
            assert!(matches!(wrong, Some(StoreError::BadRow(_))), "{wrong:?}");
        }
    }
}
