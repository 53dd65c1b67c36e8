//! Databases of every earlier schema, whole and broken, brought up to date.
#![allow(clippy::unwrap_used, clippy::panic)]

use super::super::file::{connect_writer, create_private, with_suffix};
use super::super::{OutboxId, RequestId, Store};
use super::*;
use crate::game::{
    ChallengeId, ChallengeMessage, GameEvent, GameId, GameMessage, GameNotice, OfferKind, OutboxBody, PlayerId,
    Timestamp,
};
use crate::rules::Side;
use rusqlite::fallible_iterator::FallibleIterator as _;
use std::path::PathBuf;

/// What the next migration could be: replacing a table that others refer to is the hardest kind.
const NEXT: &str = "CREATE TABLE players_new (id INTEGER PRIMARY KEY, name TEXT, name_key TEXT, rating INTEGER) STRICT;
    INSERT INTO players_new SELECT id, name, name_key, 1500 FROM players;
    DROP TABLE players;
    ALTER TABLE players_new RENAME TO players;";

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("ratatosk-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn open(&self) -> (PathBuf, Connection) {
        let path = self.0.join("games.db");
        drop(create_private(&path).unwrap());
        let db = connect_writer(&path).unwrap();
        (path, db)
    }

    fn names(&self) -> Vec<String> {
        let files = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn fill(db: &Connection) {
    db.execute_batch(
        "INSERT INTO players (id, name, name_key) VALUES (1, 'Ivar', 'ivar'), (2, 'Ubbe', 'ubbe');
         INSERT INTO blocks VALUES (1, 2, 0);",
    )
    .unwrap();
}

fn everything(db: &Connection) -> String {
    let rows = "SELECT group_concat(sql, ';') || (SELECT count(*) FROM players) || (SELECT count(*) FROM blocks) \
                FROM sqlite_schema";
    db.query_row(rows, [], |row| row.get(0)).unwrap()
}

#[test]
fn an_empty_file_is_migrated_to_the_newest_schema_without_a_copy() {
    let folder = Folder::new("empty");
    let (path, mut db) = folder.open();
    migrate(&mut db, &path, MIGRATIONS).unwrap();
    assert_eq!(schema(&db, &path), Ok(newest_schema(MIGRATIONS)));
    migrate(&mut db, &path, MIGRATIONS).unwrap();
    drop(db);
    assert_eq!(folder.names(), ["games.db"]);
}

#[test]
fn every_earlier_schema_is_migrated_to_the_newest_one_after_a_copy() {
    let steps = [MIGRATIONS, &[NEXT]].concat();
    for from in 1..steps.len() {
        let folder = Folder::new(&format!("from-{from}"));
        let (path, mut db) = folder.open();
        migrate(&mut db, &path, &steps[..from]).unwrap();
        fill(&db);
        // Somebody may look at the tables through views of their own.
        db.execute_batch("CREATE VIEW handled AS SELECT id, at FROM requests").unwrap();
        if from >= 2 {
            db.execute_batch("CREATE VIEW gone_numbers AS SELECT place FROM gone").unwrap();
        }
        let before = everything(&db);
        let migration = migrate(&mut db, &path, &steps).unwrap().unwrap();
        assert_eq!(schema(&db, &path), Ok(newest_schema(&steps)));
        let ratings: i64 = db.query_row("SELECT sum(rating) FROM players", [], |row| row.get(0)).unwrap();
        assert_eq!(ratings, 3000);
        let copy = with_suffix(&path, &format!(".before-schema-{}.bak", steps.len()));
        let (from_schema, to) = (u32::try_from(from).unwrap(), newest_schema(&steps));
        assert_eq!(migration, Migration { from: from_schema, to, copy: copy.clone() });
        let copied = Connection::open(&copy).unwrap();
        assert_eq!(schema(&copied, &copy).unwrap() as usize, from);
        assert_eq!(everything(&copied), before);
        let checked: bool = db.query_row("PRAGMA foreign_keys", [], |row| row.get(0)).unwrap();
        assert!(checked, "foreign keys are checked again afterwards");
    }
}

#[test]
fn a_copy_never_replaces_an_earlier_one() {
    let folder = Folder::new("copies");
    let (path, mut db) = folder.open();
    migrate(&mut db, &path, MIGRATIONS).unwrap();
    fill(&db);
    let steps = [MIGRATIONS, &[NEXT]].concat();
    let name = |number: &str| format!("games.db.before-schema-{}{number}.bak", steps.len());
    std::fs::write(folder.0.join(name("")), "an earlier copy").unwrap();
    std::fs::create_dir(folder.0.join(name(".2"))).unwrap();
    let migration = migrate(&mut db, &path, &steps).unwrap().unwrap();
    assert_eq!(migration.copy, folder.0.join(name(".3")));
    assert!(migration.to_string().ends_with(&name(".3")), "{migration}");
    assert_eq!(schema(&Connection::open(&migration.copy).unwrap(), &migration.copy), Ok(migration.from));
    assert_eq!(std::fs::read_to_string(folder.0.join(name(""))).unwrap(), "an earlier copy");
}

#[test]
fn a_database_without_a_part_of_its_older_schema_is_not_migrated() {
    let folder = Folder::new("altered");
    let (path, mut db) = folder.open();
    migrate(&mut db, &path, &MIGRATIONS[..4]).unwrap();
    db.execute_batch("DROP TABLE owed; DROP INDEX stale_posts; ALTER TABLE servers DROP COLUMN theme").unwrap();
    let refused = migrate(&mut db, &path, MIGRATIONS).unwrap_err();
    let missing = "it has schema 4, but not the table owed, the column theme of servers";
    assert_eq!(refused, StoreError::Altered(String::from(missing)));
    drop(db);
    assert_eq!(folder.names(), ["games.db"], "no copy is made");
}

#[test]
fn a_missing_index_of_an_older_schema_is_made_again_before_the_migration() {
    let folder = Folder::new("index");
    let (path, mut db) = folder.open();
    migrate(&mut db, &path, &MIGRATIONS[..4]).unwrap();
    // The next migration drops the first one.
    db.execute_batch("DROP INDEX owed_by_time; DROP INDEX stale_posts").unwrap();
    let repaired = repair(&mut db, &path, MIGRATIONS).unwrap();
    let repaired: Vec<String> = repaired.iter().map(ToString::to_string).collect();
    assert_eq!(repaired, ["the index owed_by_time of owed", "the index stale_posts of posts"]);
    migrate(&mut db, &path, MIGRATIONS).unwrap().unwrap();
    assert_eq!(super::super::schema::missing_parts(&db, MIGRATIONS), Ok(Vec::new()));
}

#[test]
fn an_index_that_cannot_be_made_again_is_an_altered_database() {
    let folder = Folder::new("conflict");
    let (path, mut db) = folder.open();
    let steps = [MIGRATIONS, &["CREATE UNIQUE INDEX players_with_name ON players (name)"]].concat();
    migrate(&mut db, &path, &steps).unwrap();
    db.execute_batch(
        "DROP INDEX players_with_name; INSERT INTO players VALUES (1, 'Ivar', 'ivar'), (2, 'Ivar', 'ivar')",
    )
    .unwrap();
    let refused = repair(&mut db, &path, &steps).unwrap_err();
    let StoreError::Altered(problem) = &refused else { panic!("{refused:?}") };
    assert!(problem.starts_with("the index players_with_name of players is missing and cannot be"), "{problem}");
}

#[test]
fn a_newer_schema_is_refused_with_both_numbers() {
    let folder = Folder::new("newer");
    let (path, mut db) = folder.open();
    migrate(&mut db, &path, &[MIGRATIONS, &[NEXT]].concat()).unwrap();
    let known = newest_schema(MIGRATIONS);
    let refused = migrate(&mut db, &path, MIGRATIONS).unwrap_err();
    assert_eq!(refused, StoreError::NewerSchema { found: known + 1, known });
    let text = format!("schema {}, and this version of ratatosk knows schemas up to {known}", known + 1);
    assert!(refused.to_string().contains(&text), "{refused}");
}

#[test]
fn a_migration_that_fails_leaves_the_file_unchanged() {
    let orphans = "DELETE FROM players WHERE id = 2";
    let nonsense = "CREATE TABLE ratings (id INTEGER) STRICT; INSERT INTO nowhere VALUES (1)";
    for (step, problem) in [(orphans, "one row refers to a missing row"), (nonsense, "no such table: nowhere")] {
        let folder = Folder::new("fails");
        let (path, mut db) = folder.open();
        migrate(&mut db, &path, MIGRATIONS).unwrap();
        fill(&db);
        let before = everything(&db);
        let failed = migrate(&mut db, &path, &[MIGRATIONS, &[step]].concat()).unwrap_err();
        assert!(failed.to_string().contains(problem), "{failed}");
        assert!(!failed.to_string().contains("INSERT INTO"), "the migration itself is not printed: {failed}");
        assert!(folder.names().iter().all(|name| !name.ends_with(".bak")), "{:?}", folder.names());
        let known = newest_schema(MIGRATIONS);
        assert!(matches!(failed, StoreError::Migration { to, .. } if to == known + 1));
        assert_eq!((schema(&db, &path), everything(&db)), (Ok(known), before));
    }
}

#[test]
fn another_programs_database_is_left_alone() {
    let folder = Folder::new("foreign");
    let (path, mut db) = folder.open();
    db.execute_batch("CREATE TABLE bookmarks (url TEXT)").unwrap();
    assert_eq!(migrate(&mut db, &path, MIGRATIONS), Err(StoreError::NotOurs(path.clone())));
    let tables: i64 = db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
    assert_eq!(tables, 1);
}

#[test]
fn rows_that_were_damaged_before_do_not_stop_a_migration() {
    let folder = Folder::new("damaged-rows");
    let (path, mut db) = folder.open();
    migrate(&mut db, &path, &MIGRATIONS[..4]).unwrap();
    db.execute_batch(
        r#"PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF;
           INSERT INTO players (id) VALUES (1), (2);
           INSERT INTO games (id, version, variant, layout, ruleset, attackers, defenders, channel, began, changed,
               plies, position, to_move, deadline, reminded, wake_at, offers) VALUES
               (1, 0, 'brandubh', 'cross', 77, 1, 2, 7, 0, 0, 0, '', 'attackers', 9, 0, 9, 'zzz');
           INSERT INTO owed (game, channel, news, made, due) VALUES (1, 7, '{{{', 0, 0),
               (1, 7, '{"game":{"news":[{"news":"reminder","player":"x"}]}}', 0, 0),
               (1, 7, '{"game":{"news":[{"news":"reminder","player":{}}]}}', 0, 0),
               (1, 7, '{"game":{"news":[{"news":"reminder","player":1.5}]}}', 0, 0),
               (1, 7, '{"game":{"news":[{"news":"reminder","player":18446744073709551615}]}}', 0, 0);
           PRAGMA ignore_check_constraints = OFF; PRAGMA foreign_keys = ON;"#,
    )
    .unwrap();
    migrate(&mut db, &path, MIGRATIONS).unwrap();
    let checked: bool = db.query_row("PRAGMA ignore_check_constraints", [], |row| row.get(0)).unwrap();
    assert!(!checked, "new rows are checked again");
    drop(db);
    let store = super::super::Store::open(&path).unwrap();
    let found: Vec<String> = store.check().unwrap().iter().map(ToString::to_string).collect();
    for named in [
        "CHECK constraint failed in outbox",
        "CHECK constraint failed in games",
        "row 1 of outbox",
        "row 1 of games refers to a missing row of rulesets",
    ] {
        assert!(found.iter().any(|finding| finding.contains(named)), "{named} in {found:#?}");
    }
}

/// Migrates a database of schema 4 with two games, and six messages and five requests as that schema wrote them.
fn migrated_from_schema_4(folder: &Folder) -> PathBuf {
    let (path, mut db) = folder.open();
    migrate(&mut db, &path, &MIGRATIONS[..4]).unwrap();
    db.execute_batch(
        r#"INSERT INTO players (id) VALUES (1), (2);
           INSERT INTO rulesets VALUES (1, '{}', '/7/');
           INSERT INTO games (id, version, variant, layout, ruleset, attackers, defenders, channel, began, changed,
               plies, position, to_move, deadline, reminded, wake_at, offers) VALUES
               (1, 0, 'brandubh', 'cross', 1, 1, 2, 7, 0, 0, 0, '', 'attackers', 9, 0, 9, '{"rematched":true}'),
               (2, 0, 'brandubh', 'cross', 1, 1, 2, 7, 0, 0, 0, '', 'attackers', 9, 0, 9, '{"rematched":false}');
           INSERT INTO challenges VALUES (1, 1, 2, 'york', 'diamond', 'random', 3, NULL, 7, NULL, 0, 9, 'open');
           INSERT INTO owed (challenge, channel, news, made, due) VALUES (1, 7, '"challenged"', 0, 0);"#,
    )
    .unwrap();
    let bodies = [
        r#"{"game":{"news":[{"news":"began"}],"plies":0}}"#,
        r#"{"game":{"news":[{"news":"moved","ply":0},{"news":"declined","kind":"draw","by":"attackers"}],"plies":1,"moved":"d1-b1","position":"/7/"}}"#,
        r#"{"game":{"news":[{"news":"reminder","player":2,"deadline":99}],"plies":1}}"#,
        // The reason of a moderator may say anything.
        r#"{"game":{"news":[{"news":"ended","result":{"winner":null,"ending":"moderated"}}],"plies":1,"reason":"he said {\"news\":\"x\"} and \"moved\":\"away\""}}"#,
        r#"{"rehoused":{"version":7}}"#,
    ];
    for (n, body) in bodies.iter().enumerate() {
        let owed = "INSERT INTO owed (game, channel, news, made, due, request) VALUES (1, 7, ?1, 0, 0, ?2)";
        db.execute(owed, (body, n)).unwrap();
        db.execute("INSERT INTO requests (id, did, game, at) VALUES (?1, ?2, 1, 5)", (n, body)).unwrap();
    }
    migrate(&mut db, &path, MIGRATIONS).unwrap();
    path
}

#[test]
fn messages_of_schema_4_can_be_read_afterwards() {
    let folder = Folder::new("schema-4");
    let store = Store::open(&migrated_from_schema_4(&folder)).unwrap();
    let session = store.session().unwrap();
    let read = |id| session.message(OutboxId(id)).unwrap().unwrap().body;
    assert_eq!(read(1), OutboxBody::Challenge(ChallengeId(1), ChallengeMessage::Made));
    assert_eq!(read(2), OutboxBody::began(GameId(1)));
    let declined = GameEvent::Declined { kind: OfferKind::Draw, by: Side::Attackers };
    let moved = GameNotice {
        events: vec![GameEvent::Moved { ply: 0 }, declined],
        plies: 1,
        last_move: Some(String::from("d1-b1")),
        position: Some(String::from("/7/")),
        reason: None,
    };
    let notice = |notice| OutboxBody::Game(GameId(1), GameMessage::Notice(notice));
    assert_eq!(read(3), notice(moved));
    let reminder = GameEvent::Reminder { player: PlayerId(2), deadline: Timestamp(99) };
    assert_eq!(read(4), notice(GameNotice { events: vec![reminder], plies: 1, ..GameNotice::default() }));
    let reason = read(5).notice().unwrap().reason.clone();
    assert_eq!(reason.as_deref(), Some(r#"he said {"news":"x"} and "moved":"away""#));
    assert_eq!(read(6), OutboxBody::Game(GameId(1), GameMessage::Relocated { version: 7 }));
}

#[test]
fn a_place_of_schema_5_gets_the_kinds_that_it_can_have() {
    let folder = Folder::new("schema-5");
    let (path, mut db) = folder.open();
    migrate(&mut db, &path, &MIGRATIONS[..5]).unwrap();
    db.execute_batch(
        r#"INSERT INTO players (id) VALUES (1), (2);
           INSERT INTO challenges VALUES (1, 1, 2, 'york', 'diamond', 'random', 3, 5, 5, 9, 0, 9, 'open'),
               (2, 1, 2, 'york', 'diamond', 'random', 3, 6, 7, NULL, 0, 9, 'open');
           INSERT INTO outbox (challenge, channel, body, made, due, closed, message) VALUES (1, 8, '1', 0, 0, 1, 77);
           INSERT INTO gone VALUES (5, 1), (6, 2), (8, 3), (9, 4), (10, 5);"#,
    )
    .unwrap();
    migrate(&mut db, &path, MIGRATIONS).unwrap();
    let rows = "SELECT group_concat(kind || ' ' || place || ' ' || since, ', ') FROM (SELECT * FROM gone ORDER BY since, kind)";
    let kinds: String = db.query_row(rows, [], |row| row.get(0)).unwrap();
    assert_eq!(kinds, "channel 5 1, server 5 1, server 6 2, channel 8 3, thread 9 4");
    assert_eq!(db.query_row("SELECT post FROM outbox", [], |row| row.get(0)), Ok(77));
}

#[test]
fn the_heartbeat_of_schema_6_keeps_its_figures() {
    let folder = Folder::new("schema-6");
    let (path, mut db) = folder.open();
    migrate(&mut db, &path, &MIGRATIONS[..6]).unwrap();
    db.execute_batch("INSERT INTO heartbeat VALUES (1, '0.1', 7, 5, 9, 'stopped', 3, 250, 2)").unwrap();
    migrate(&mut db, &path, MIGRATIONS).unwrap();
    assert_eq!(super::super::schema::missing_parts(&db, MIGRATIONS), Ok(Vec::new()));
    let figures = "SELECT answers, slowest_ms, unknown_events FROM heartbeat";
    let read = db.query_row(figures, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    assert_eq!(read, Ok((3, 250, 2)));
}

#[test]
fn requests_reminders_and_rematches_of_schema_4_are_known_afterwards() {
    let folder = Folder::new("schema-4-columns");
    let path = migrated_from_schema_4(&folder);
    let store = Store::open(&path).unwrap();
    let session = store.session().unwrap();
    for n in 0..5 {
        let handled = session.handled_request(RequestId(n)).unwrap().unwrap();
        assert_eq!(handled.message.unwrap().id.0, n + 2, "a request refers to the message that answered it");
    }
    let reminder = session.message(OutboxId(4)).unwrap().unwrap();
    assert_eq!(reminder.body.reminded_player(), Some(PlayerId(2)));
    drop(session);
    store.forget_player(PlayerId(2)).unwrap();
    let forgotten = store.session().unwrap().message(OutboxId(4));
    assert_eq!(forgotten, Ok(None), "the reminders of a forgotten player are deleted");
    store.close().unwrap();
    let db = Connection::open(&path).unwrap();
    let rematched = "SELECT group_concat(rematched) FROM (SELECT rematched FROM games ORDER BY id)";
    assert_eq!(db.query_row(rematched, [], |row| row.get::<_, String>(0)).unwrap(), "1,0");
}

#[test]
fn a_row_takes_no_longer_to_migrate_if_there_are_many() {
    const ROWS: i32 = 2_000;
    let (folder, migrations) = (Folder::new("many"), MIGRATIONS[4..].concat());
    let (path, mut db) = folder.open();
    migrate(&mut db, &path, &MIGRATIONS[..4]).unwrap();
    let rows = format!("WITH ids (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM ids WHERE n < {ROWS}) INSERT INTO");
    db.execute_batch(&format!(
        "PRAGMA foreign_keys = OFF; {rows} requests (id, did, at) SELECT n, '1', 0 FROM ids;
         {rows} owed (game, channel, news, made, due, request) SELECT 1, 7, '1', 0, 0, n FROM ids"
    ))
    .unwrap();
    let mut batch = rusqlite::Batch::new(&db, &migrations);
    while let Some(mut statement) = batch.next().unwrap() {
        statement.execute([]).unwrap();
        let steps = statement.get_status(rusqlite::StatementStatus::VmStep);
        assert!(steps < ROWS * 200, "{steps} steps for {ROWS} rows: {statement:?}");
    }
}
