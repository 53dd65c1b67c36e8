//! Runs queries. In a list, a row that cannot be read does not hide the others.

use super::error::{BadRow, StoreError};
use super::row::RowReader;
use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension, Params};
use std::ops::Deref;

/// The rows of a list, and how many could not be read.
#[derive(Clone, Debug)]
pub struct Listing<T> {
    /// The rows that could be read.
    pub rows: Vec<T>,
    /// How many could not: they are damaged, or another version has written them. `ratatosk check` names them.
    pub unreadable: usize,
}

impl<T> Listing<T> {
    /// Appends another list.
    pub(super) fn append(&mut self, other: Self) {
        self.rows.extend(other.rows);
        self.unreadable += other.unreadable;
    }
}

impl<T> Deref for Listing<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.rows
    }
}

impl<T> IntoIterator for Listing<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.rows.into_iter()
    }
}

/// How the rows of a table are read.
pub(super) struct TableReader<T> {
    pub(super) table: &'static str,
    pub(super) read: fn(&RowReader<'_>) -> Result<T, StoreError>,
}

impl<T> TableReader<T> {
    /// Returns the rows that can be read.
    pub(super) fn list(&self, db: &Connection, sql: &str, params: impl Params) -> Result<Listing<T>, StoreError> {
        let (mut rows, mut unreadable) = (Vec::new(), 0);
        self.for_each(db, sql, params, |row| match row {
            Ok(row) => rows.push(row),
            Err(_) => unreadable += 1,
        })?;
        Ok(Listing { rows, unreadable })
    }

    /// Returns the only row, if there is one.
    pub(super) fn one(&self, db: &Connection, sql: &str, params: impl Params) -> Result<Option<T>, StoreError> {
        let mut found = None;
        self.for_each(db, sql, params, |row| found = Some(row))?;
        Ok(found.transpose()?)
    }

    /// Returns what is wrong with each row that cannot be read.
    pub(super) fn unreadable(&self, db: &Connection, sql: &str) -> Result<Vec<BadRow>, StoreError> {
        let mut unreadable = Vec::new();
        self.for_each(db, sql, [], |row| unreadable.extend(row.err()))?;
        Ok(unreadable)
    }

    /// Calls `take` for each row. Fails if the file cannot be read. The error of a row that makes no sense is passed to
    /// `take`.
    fn for_each(
        &self,
        db: &Connection,
        sql: &str,
        params: impl Params,
        mut take: impl FnMut(Result<T, BadRow>),
    ) -> Result<(), StoreError> {
        let mut statement = db.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        while let Some(row) = rows.next()? {
            match RowReader::new(self.table, row).and_then(|row| (self.read)(&row)) {
                Ok(row) => take(Ok(row)),
                Err(StoreError::BadRow(bad)) => take(Err(*bad)),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Runs a statement that writes, and returns how many rows it changed.
pub(super) fn execute(db: &Connection, sql: &str, params: impl Params) -> Result<usize, StoreError> {
    Ok(db.prepare_cached(sql)?.execute(params)?)
}

/// Returns the first column of the only row.
pub(super) fn scalar<T: FromSql>(db: &Connection, sql: &str, params: impl Params) -> Result<T, StoreError> {
    Ok(db.prepare_cached(sql)?.query_row(params, |row| row.get(0))?)
}

/// Returns the first column of the only row, if there is one.
pub(super) fn maybe_scalar<T: FromSql>(
    db: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Option<T>, StoreError> {
    Ok(db.prepare_cached(sql)?.query_row(params, |row| row.get(0)).optional()?)
}

/// Returns the first column of all rows.
pub(super) fn column<T: FromSql>(db: &Connection, sql: &str, params: impl Params) -> Result<Vec<T>, StoreError> {
    let mut statement = db.prepare_cached(sql)?;
    let values = statement.query_map(params, |row| row.get(0))?;
    Ok(values.collect::<Result<_, _>>()?)
}
