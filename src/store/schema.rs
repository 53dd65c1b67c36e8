//! Compares the tables, columns and indexes of a database with those that its migrations have made.

use super::error::StoreError;
use super::migrate::MIGRATIONS;
use rusqlite::{Connection, TransactionBehavior};
use std::collections::BTreeSet;
use std::fmt;

/// The tables that all migrations together make, with their columns and their indexes. They are listed because creating
/// them to compare takes some milliseconds at every start. A test checks the list, and prints what it should be.
#[rustfmt::skip]
const NEWEST: &[(&str, &str, &str)] = &[
    ("blocks", "blocked player since", "blocks_by_blocked"),
    ("challenges", "challenger channel expires id layout made opponent pace server side state thread variant", "challenges_by_challenger challenges_by_opponent open_challenges_by_challenger open_challenges_by_expiry open_challenges_by_opponent open_challenges_by_server"),
    ("games", "attackers began changed channel deadline defenders ended ending flagged id layout offers pace plies position rematched reminded ruleset server thread to_move variant version wake_at winner", "finished_games_of_attackers finished_games_of_defenders running_games_by_channel running_games_by_thread running_games_by_wake_time running_games_of_attackers running_games_of_defenders"),
    ("gone", "kind place since", ""),
    ("heartbeat", "answers beat id process slowest_ms started state unknown_events version", ""),
    ("moves", "at game played ply", ""),
    ("notes", "name note", ""),
    ("outbox", "attempts body challenge channel closed due game id made ping post reminds request server thread why", "outbox_by_challenge outbox_by_game outbox_by_reminded outbox_by_time outbox_closed"),
    ("players", "id name name_key", "players_by_name"),
    ("posts", "challenge channel game outbox post stale", "posts_by_challenge posts_by_game stale_posts"),
    ("preferences", "as_text flipped player reminders theme", ""),
    ("requests", "at id outbox", ""),
    ("rulesets", "id rules start", ""),
    ("servers", "id pace theme threads", ""),
];

/// A part of the schema.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SchemaPart {
    /// A table, with its columns and indexes.
    Table(String),
    /// A column of a table.
    Column { table: String, column: String },
    Index {
        /// The table that it belongs to.
        table: String,
        index: String,
    },
}

impl SchemaPart {
    fn table(&self) -> &str {
        match self {
            Self::Table(table) | Self::Column { table, .. } | Self::Index { table, .. } => table,
        }
    }

    /// Returns whether data is lost with the part. An index can be made again.
    #[must_use]
    pub const fn holds_data(&self) -> bool {
        !matches!(self, Self::Index { .. })
    }
}

impl fmt::Display for SchemaPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(table) => write!(f, "the table {table}"),
            Self::Column { table, column } => write!(f, "the column {column} of {table}"),
            Self::Index { table, index } => write!(f, "the index {index} of {table}"),
        }
    }
}

/// Returns the parts that these migrations make and the database lacks. Further parts do no harm.
pub(super) fn missing_parts(db: &Connection, applied: &[&str]) -> Result<Vec<SchemaPart>, StoreError> {
    let (expected, found) = (expected_parts(applied)?, parts(db)?);
    let missing = expected.difference(&found);
    let has_table = |part: &&SchemaPart| found.contains(&SchemaPart::Table(part.table().to_owned()));
    Ok(missing.filter(|part| matches!(part, SchemaPart::Table(_)) || has_table(part)).cloned().collect())
}

/// Fails if the database lacks tables or columns. Missing indexes are no error, because everything can be read without
/// them.
pub(super) fn check_parts(db: &Connection, applied: &[&str]) -> Result<(), StoreError> {
    let mut missing = missing_parts(db, applied)?;
    missing.retain(SchemaPart::holds_data);
    if missing.is_empty() { Ok(()) } else { Err(altered(applied, &missing)) }
}

fn altered(applied: &[&str], missing: &[SchemaPart]) -> StoreError {
    StoreError::Altered(format!("it has schema {}, but not {}", applied.len(), in_words(missing)))
}

/// Lists parts in a sentence.
pub(super) fn in_words(parts: &[SchemaPart]) -> String {
    parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Returns the real cause of a query that did not fit the database: it is not a bug if a part of the newest schema is
/// missing.
pub(super) fn explain(db: &Connection, error: StoreError) -> StoreError {
    match missing_parts(db, MIGRATIONS) {
        Ok(missing) if missing.iter().any(SchemaPart::holds_data) => altered(MIGRATIONS, &missing),
        Ok(missing) if !missing.is_empty() => StoreError::LacksIndex(in_words(&missing)),
        // The first error is the one to report.
        _ => error,
    }
}

/// Recreates the missing indexes of these migrations and returns which.
///
/// # Errors
/// [`StoreError::Altered`] if an index does not fit the rows, or something else has its name.
pub(super) fn recreate_indexes(db: &mut Connection, applied: &[&str]) -> Result<Vec<SchemaPart>, StoreError> {
    let mut missing = missing_parts(db, applied)?;
    missing.retain(|part| !part.holds_data());
    if missing.is_empty() {
        return Ok(missing);
    }
    let model = model(applied)?;
    let changes = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for part in &missing {
        let SchemaPart::Index { index, .. } = part else { continue };
        let find = "SELECT sql FROM sqlite_schema WHERE type = 'index' AND name = ?1";
        let statement: String = model.query_row(find, [index], |row| row.get(0))?;
        changes.execute_batch(&statement).map_err(|error| match StoreError::from(error) {
            StoreError::Refused(problem) | StoreError::Bug(problem) => {
                StoreError::Altered(format!("{part} is missing and cannot be made again: {problem}"))
            }
            other => other,
        })?;
    }
    changes.commit()?;
    Ok(missing)
}

/// Makes an empty database with the schema of these migrations.
fn model(applied: &[&str]) -> Result<Connection, StoreError> {
    let model = Connection::open_in_memory()?;
    for migration in applied {
        model.execute_batch(migration)?;
    }
    Ok(model)
}

fn expected_parts(applied: &[&str]) -> Result<BTreeSet<SchemaPart>, StoreError> {
    if applied == MIGRATIONS {
        return Ok(NEWEST.iter().flat_map(listed_parts).collect());
    }
    parts(&model(applied)?)
}

fn listed_parts((table, columns, indexes): &(&str, &str, &str)) -> Vec<SchemaPart> {
    let table = || String::from(*table);
    let column = |column: &str| SchemaPart::Column { table: table(), column: column.to_owned() };
    let index = |index: &str| SchemaPart::Index { table: table(), index: index.to_owned() };
    let (columns, indexes) = (columns.split_whitespace().map(column), indexes.split_whitespace().map(index));
    std::iter::once(SchemaPart::Table(table())).chain(columns).chain(indexes).collect()
}

fn parts(db: &Connection) -> Result<BTreeSet<SchemaPart>, StoreError> {
    // The names of SQLite's own tables and indexes begin with `sqlite_`.
    let mut statement = db.prepare(
        "SELECT name, NULL, NULL FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
         UNION ALL SELECT tables.name, columns.name, NULL FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
             WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite!_%' ESCAPE '!'
         UNION ALL SELECT tbl_name, NULL, name FROM sqlite_schema
             WHERE type = 'index' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
    )?;
    let mut rows = statement.query([])?;
    let mut parts = BTreeSet::new();
    while let Some(row) = rows.next()? {
        let table: String = row.get(0)?;
        parts.insert(match (row.get(1)?, row.get(2)?) {
            (Some(column), _) => SchemaPart::Column { table, column },
            (None, Some(index)) => SchemaPart::Index { table, index },
            (None, None) => SchemaPart::Table(table),
        });
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_list_is_what_the_migrations_make() {
        let model = Connection::open_in_memory().unwrap();
        MIGRATIONS.iter().for_each(|migration| model.execute_batch(migration).unwrap());
        let made = parts(&model).unwrap();
        let words = |table: &str, name: fn(&SchemaPart) -> Option<&String>| {
            let names = made.iter().filter(|part| part.table() == table).filter_map(name);
            names.map(String::as_str).collect::<Vec<_>>().join(" ")
        };
        let tables: BTreeSet<&str> = made.iter().map(SchemaPart::table).collect();
        let lines = tables.into_iter().map(|table| {
            let columns = words(table, |part| match part {
                SchemaPart::Column { column, .. } => Some(column),
                _ => None,
            });
            let indexes = words(table, |part| match part {
                SchemaPart::Index { index, .. } => Some(index),
                _ => None,
            });
            format!("    (\"{table}\", \"{columns}\", \"{indexes}\"),\n")
        });
        let right: String = lines.collect();
        assert!(expected_parts(MIGRATIONS).unwrap() == made, "NEWEST should be:\n{right}");
    }
}
