//! Migrates a database to the schema of this version.

use super::backup::copy_beside;
use super::error::StoreError;
use super::file::{APPLICATION_ID, check_length};
use super::schema::{SchemaPart, check_parts, recreate_indexes};
use rusqlite::{Connection, TransactionBehavior};
use std::fmt;
use std::path::{Path, PathBuf};

/// The migrations, in order: each one leads to the next schema, the first one from an empty file to schema 1.
pub(super) const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001_games.sql"),
    include_str!("../../migrations/0002_posts.sql"),
    include_str!("../../migrations/0003_heartbeat.sql"),
    include_str!("../../migrations/0004_answers.sql"),
    include_str!("../../migrations/0005_outbox.sql"),
    include_str!("../../migrations/0006_places.sql"),
    include_str!("../../migrations/0007_names.sql"),
];

/// A migration that was made when a database was opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Migration {
    /// The schema before.
    pub from: u32,
    /// The schema now.
    pub to: u32,
    /// A copy of the file as it was before.
    pub copy: PathBuf,
}

impl fmt::Display for Migration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, copy } = self;
        write!(f, "the database was migrated from schema {from} to {to}; a copy from before is {}", copy.display())
    }
}

/// Returns the schema of a database; an empty file has schema 0.
///
/// # Errors
/// [`StoreError::Damaged`] if the end of the file is missing, [`StoreError::NotOurs`] if it is another program's, and
/// [`StoreError::Altered`] if it does not say its schema.
pub(super) fn schema(db: &Connection, path: &Path) -> Result<u32, StoreError> {
    check_length(db, path)?;
    let number = |pragma: &str| db.query_row(pragma, [], |row| row.get::<_, i64>(0));
    let found = number("PRAGMA user_version")?;
    let application = number("PRAGMA application_id")?;
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    match (application == i64::from(APPLICATION_ID), found, tables) {
        (false, 0, 0) => Ok(0),
        (true, 0, _) => Err(StoreError::Altered(String::from("it does not say which schema it has"))),
        (true, found, _) => u32::try_from(found).map_err(|_| StoreError::Damaged(format!("it has schema {found}"))),
        (false, _, _) => Err(StoreError::NotOurs(path.to_owned())),
    }
}

/// Returns the schema to which the last migration leads.
pub(super) fn newest_schema(migrations: &[&str]) -> u32 {
    // There are fewer than 2^32 migrations.
    u32::try_from(migrations.len()).unwrap_or(u32::MAX)
}

/// Returns the schema of a database, which these migrations have to know.
///
/// # Errors
/// Those of [`schema`], [`StoreError::NewerSchema`], and [`StoreError::Altered`] if a table or a column is missing.
pub(super) fn known_schema(db: &Connection, path: &Path, migrations: &[&str]) -> Result<u32, StoreError> {
    let found = schema(db, path)?;
    let applied = migrations.get(..found as usize);
    check_parts(db, applied.ok_or(StoreError::NewerSchema { found, known: newest_schema(migrations) })?)?;
    Ok(found)
}

/// Recreates missing indexes and returns which. Call it before migrating: a migration may drop an index that an earlier
/// one made.
pub(super) fn repair(db: &mut Connection, path: &Path, migrations: &[&str]) -> Result<Vec<SchemaPart>, StoreError> {
    let found = known_schema(db, path, migrations)?;
    recreate_indexes(db, migrations.get(..found as usize).unwrap_or_default())
}

/// Applies the missing migrations in one transaction, after putting a copy beside the file. Returns `None` if the
/// schema was the newest one already, or the file was empty.
pub(super) fn migrate(db: &mut Connection, path: &Path, migrations: &[&str]) -> Result<Option<Migration>, StoreError> {
    let (from, to) = (known_schema(db, path, migrations)?, newest_schema(migrations));
    if from == to {
        return Ok(None);
    }
    if from == 0 {
        return upgrade(db, from, migrations).map(|()| None);
    }
    let copy = copy_beside(db, path, &format!(".before-schema-{to}"))?;
    if let Err(error) = upgrade(db, from, migrations) {
        // The file is unchanged. Otherwise every attempt would leave one more copy.
        let _ = std::fs::remove_file(&copy);
        return Err(error);
    }
    Ok(Some(Migration { from, to, copy }))
}

/// Applies the migrations that follow a schema, in one transaction and without a copy.
pub(super) fn upgrade(db: &mut Connection, found: u32, migrations: &[&str]) -> Result<(), StoreError> {
    // A migration may replace a table that others refer to. This pragma has no effect inside a transaction. One row
    // that was damaged before must not keep all others from being migrated: it stays as it is, and `check` names it.
    db.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")?;
    let applied = apply(db, found, migrations);
    db.execute_batch("PRAGMA foreign_keys = ON; PRAGMA ignore_check_constraints = OFF")?;
    applied
}

fn apply(db: &mut Connection, found: u32, migrations: &[&str]) -> Result<(), StoreError> {
    let changes = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let count_orphans =
        || changes.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get::<_, u64>(0));
    let (mut to, orphans_before) = (found, count_orphans()?);
    for migration in migrations.iter().skip(found as usize) {
        to += 1;
        changes.execute_batch(migration).map_err(|error| failed(to, error))?;
    }
    let orphans = count_orphans()?.saturating_sub(orphans_before);
    if orphans > 0 {
        return Err(StoreError::Migration { to, problem: orphans_in_words(orphans) });
    }
    changes.execute_batch(&format!("PRAGMA user_version = {to}; PRAGMA application_id = {APPLICATION_ID}"))?;
    Ok(changes.commit()?)
}

fn orphans_in_words(orphans: u64) -> String {
    if orphans == 1 {
        return String::from("one row refers to a missing row");
    }
    format!("{orphans} rows refer to missing rows")
}

/// Returns the error of a migration that failed, or that of the disk if the disk is at fault.
fn failed(to: u32, error: rusqlite::Error) -> StoreError {
    let problem = match &error {
        // The text of this error would contain the whole migration.
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        error => error.to_string(),
    };
    match StoreError::from(error) {
        disk @ (StoreError::Full(_) | StoreError::ReadOnly(_) | StoreError::Busy(_) | StoreError::Io(_)) => disk,
        _ => StoreError::Migration { to, problem },
    }
}

#[cfg(test)]
mod tests;
