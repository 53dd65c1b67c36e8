//! Rows that are read together: one that makes no sense does not hide the others.

use super::error::StoreError;
use super::row::RowReader;
use rusqlite::{Connection, Params};
use std::ops::Deref;

/// What was found, and how much of it this version could not read.
#[derive(Clone, Debug)]
pub struct Listing<T> {
    /// The rows that make sense.
    pub rows: Vec<T>,
    /// How many do not: they are damaged, or another version has written them. `check` names them.
    pub unreadable: usize,
}

impl<T> Listing<T> {
    /// Adds what was found elsewhere.
    pub(super) fn join(&mut self, other: Self) {
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
pub(super) struct Query<T> {
    pub(super) table: &'static str,
    pub(super) read: fn(&RowReader<'_>) -> Result<T, StoreError>,
}

impl<T> Query<T> {
    /// Reads all rows that a question finds, except those that make no sense.
    pub(super) fn list(&self, db: &Connection, sql: &str, asked: impl Params) -> Result<Listing<T>, StoreError> {
        let (mut rows, mut unreadable) = (Vec::new(), 0);
        self.each(db, sql, asked, |row| match row {
            Ok(row) => rows.push(row),
            Err(_) => unreadable += 1,
        })?;
        Ok(Listing { rows, unreadable })
    }

    /// Reads the row that a question finds.
    pub(super) fn one(&self, db: &Connection, sql: &str, asked: impl Params) -> Result<Option<T>, StoreError> {
        let mut found = None;
        self.each(db, sql, asked, |row| found = Some(row))?;
        found.transpose()
    }

    /// Says what is wrong with the rows that make no sense.
    pub(super) fn faults(&self, db: &Connection, sql: &str) -> Result<Vec<StoreError>, StoreError> {
        let mut faults = Vec::new();
        self.each(db, sql, [], |row| faults.extend(row.err()))?;
        Ok(faults)
    }

    /// Goes through rows; an error about one of them is for the taker, one about the file ends it.
    fn each(
        &self,
        db: &Connection,
        sql: &str,
        asked: impl Params,
        mut take: impl FnMut(Result<T, StoreError>),
    ) -> Result<(), StoreError> {
        let mut statement = db.prepare_cached(sql)?;
        let mut rows = statement.query(asked)?;
        while let Some(row) = rows.next()? {
            match RowReader::new(self.table, row).and_then(|cells| (self.read)(&cells)) {
                row @ (Ok(_) | Err(StoreError::BadRow(_))) => take(row),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
