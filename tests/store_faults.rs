//! A full disk, a read-only place, a damaged file: a clear error, nothing lost, and no panic.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)]

mod seeded_rng;
mod store_fixture;
mod temp_folder;

use ratatosk::game::{Game, GameId, PlayerId};
use ratatosk::store::{CommitError, Effect, ErrorKind, NewBody, Store, StoreError, StoreOptions};
use seeded_rng::Rng;
use std::os::unix::fs::FileExt;
use store_fixture::small_disk::SmallDisk;
use store_fixture::{NOW, TempStore, assert_same, begin, brandubh, message, play, played, save, update};

/// Begins games until the database cannot grow; returns how many.
fn fill(store: &Store) -> (u64, CommitError) {
    for games in 0.. {
        let (body, place) = (NewBody::GameBegan, brandubh().place);
        let told = Effect::AddMessage { body, place, ping: None };
        let named = Effect::SetName { player: PlayerId(1_000 + games), name: "word ".repeat(400) };
        if let Err(error) = save(store, vec![Effect::BeginGame(brandubh()), told, named], NOW) {
            return (games, error);
        }
    }
    unreachable!("the disk is endless")
}

fn is_full(error: &CommitError) -> bool {
    matches!(error, CommitError::Store(StoreError::Full(_)))
}

#[test]
fn a_write_beyond_the_size_limit_is_refused_and_later_ones_work() {
    let temp = TempStore::new("pages");
    let limit = |pages| StoreOptions { page_limit: Some(pages) };
    let store = Store::open_with(&temp.database(), limit(60)).unwrap();
    let game = begin(&store, brandubh(), NOW);
    let (games, error) = fill(&store);
    assert!(games > 5 && is_full(&error), "{games} games, then {error}");
    assert!(error.to_string().contains("free some space"), "{error}");
    // Everything that was written can be read, and small changes still fit.
    assert_eq!(store.session().unwrap().stats().unwrap().games_running, games + 1);
    assert_eq!(store.session().unwrap().stats().unwrap().unsent, games);
    let moved = play(&store, &game, "d1-b1", NOW);
    assert_same(&store.session().unwrap().game(game.id).unwrap().unwrap(), &moved);
    assert_eq!(store.check().unwrap(), []);
    store.close().unwrap();
    // There is room again.
    let store = Store::open(&temp.database()).unwrap();
    begin(&store, brandubh(), NOW);
    assert_eq!(store.session().unwrap().stats().unwrap().games_running, games + 2);
}

#[test]
fn concurrent_writes_on_a_full_disk_each_report_their_own_result() {
    let temp = TempStore::new("crowd");
    let store = Store::open_with(&temp.database(), StoreOptions { page_limit: Some(80) }).unwrap();
    let counts: Vec<u64> = std::thread::scope(|scope| {
        let players: Vec<_> = (0..8).map(|_| scope.spawn(|| fill(&store))).collect();
        let filled = players.into_iter().map(|player| player.join().unwrap());
        filled.inspect(|(_, error)| assert!(is_full(error), "{error}")).map(|(games, _)| games).collect()
    });
    assert_eq!(store.session().unwrap().stats().unwrap().games_running, counts.iter().sum::<u64>());
    assert_eq!(store.check().unwrap(), []);
}

#[test]
fn a_full_disk_loses_nothing() {
    let temp = TempStore::new("tmpfs");
    let folder = temp.path("small");
    let Some(disk) = SmallDisk::mount(&folder, "size=1m") else { return };
    let path = folder.join("games.db");
    let store = Store::open(&path).unwrap();
    let game = begin(&store, brandubh(), NOW);
    let (games, error) = fill(&store);
    assert!(games > 5 && is_full(&error), "{games} games, then {error}");
    assert_eq!(store.session().unwrap().stats().unwrap().games_running, games + 1);
    disk.remount("size=4m");
    let moved = play(&store, &game, "d1-b1", NOW);
    assert_same(&store.session().unwrap().game(game.id).unwrap().unwrap(), &moved);
    assert_eq!(store.check().unwrap(), []);
    assert!(matches!(Store::backup(&path, &folder.join("a.db")), Ok(())));
    store.close().unwrap();
    disk.remount("size=4m,ro");
    let refused = Store::open(&path).unwrap_err();
    assert!(matches!(refused, StoreError::ReadOnly(_)), "{refused}");
    assert_eq!(refused.kind(), ErrorKind::Unusable);
    let copy = Store::open_read_only(&folder.join("a.db")).unwrap();
    assert_eq!(
        copy.session().unwrap().stats().unwrap().games_running,
        games + 1,
        "a copy can be read where nothing can be written"
    );
    let closed = Store::open_read_only(&path).unwrap();
    assert_eq!(
        closed.session().unwrap().stats().unwrap().games_running,
        games + 1,
        "so can the file itself when nobody has it open"
    );
    assert_eq!(closed.check().unwrap(), []);
    assert_eq!(Store::backup(&path, &temp.path("saved.db")), Ok(()));
}

/// Writes a file until the disk is full.
fn fill_disk(folder: &std::path::Path) {
    let mut length = 1 << 20;
    let mut rest = std::fs::File::create(folder.join("rest")).unwrap();
    while length > 0 {
        match std::io::Write::write(&mut rest, &vec![1; length]) {
            Ok(written) if written > 0 => {}
            _ => length /= 2,
        }
    }
}

#[test]
fn a_closed_database_can_be_read_on_a_full_disk() {
    let temp = TempStore::new("full");
    let folder = temp.path("small");
    let Some(_disk) = SmallDisk::mount(&folder, "size=1m") else { return };
    let path = folder.join("games.db");
    let store = Store::open(&path).unwrap();
    let game = begin(&store, brandubh(), NOW);
    // A copy as a process that was killed leaves it: the game is in the log only.
    let killed = folder.join("killed.db");
    for suffix in ["", "-wal"] {
        std::fs::copy(folder.join(format!("games.db{suffix}")), folder.join(format!("killed.db{suffix}"))).unwrap();
    }
    store.close().unwrap();
    fill_disk(&folder);
    let beside = Store::open_read_only(&path).unwrap();
    assert_same(&beside.session().unwrap().game(game.id).unwrap().unwrap(), &game);
    assert_eq!(beside.check().unwrap(), []);
    assert_eq!(Store::backup(&path, &temp.path("saved.db")), Ok(()));
    assert!(Store::open_read_only(&path).is_ok(), "the files that the first attempt has left do no harm");
    let refused = Store::open_read_only(&killed).unwrap_err();
    assert!(matches!(&refused, StoreError::Full(problem) if problem.contains("write-ahead log")), "{refused:?}");
    std::fs::remove_file(folder.join("rest")).unwrap();
    assert_same(&Store::open(&path).unwrap().session().unwrap().game(game.id).unwrap().unwrap(), &game);
    assert_same(&Store::open_read_only(&killed).unwrap().session().unwrap().game(game.id).unwrap().unwrap(), &game);
}

#[test]
fn creating_a_database_on_a_full_disk_fails() {
    let temp = TempStore::new("tiny");
    let folder = temp.path("small");
    let Some(_disk) = SmallDisk::mount(&folder, "size=32k") else { return };
    let refused = Store::open(&folder.join("games.db")).unwrap_err();
    assert!(matches!(refused, StoreError::Full(_)), "{refused:?}");
}

#[test]
fn opening_a_folder_as_a_database_fails() {
    let temp = TempStore::new("folder");
    std::fs::create_dir(temp.database()).unwrap();
    let refused = Store::open(&temp.database()).unwrap_err();
    assert!(matches!(refused, StoreError::Io(_)), "{refused:?}");
    assert!(refused.to_string().ends_with("games.db is a folder; name a file"), "{refused}");
    assert_eq!(Store::open_read_only(&temp.database()).unwrap_err(), refused);
    assert_eq!(Store::backup(&temp.database(), &temp.path("copy.db")), Err(refused));
    // A file where a folder should be.
    std::fs::write(temp.path("file"), "").unwrap();
    assert!(matches!(Store::open(&temp.path("file/games.db")), Err(StoreError::Io(_))));
}

#[test]
fn a_file_that_is_not_a_database_of_ours_is_left_unchanged() {
    let temp = TempStore::new("else");
    let path = temp.database();
    std::fs::write(&path, "Dear diary, today I have lost at tafl once more. ".repeat(100)).unwrap();
    let refused = Store::open(&path).unwrap_err();
    assert!(matches!(refused, StoreError::Damaged(_)), "{refused:?}");
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("Dear diary"));
    let other = temp.path("bookmarks.db");
    rusqlite::Connection::open(&other).unwrap().execute_batch("CREATE TABLE bookmarks (url TEXT)").unwrap();
    for refused in [Store::open(&other).unwrap_err(), Store::open_read_only(&other).unwrap_err()] {
        assert_eq!(refused, StoreError::NotOurs(other.clone()));
    }
    assert_eq!(Store::backup(&other, &temp.path("copy.db")), Err(StoreError::NotOurs(other)));
}

#[test]
fn a_database_of_a_newer_version_is_refused_with_both_numbers() {
    let temp = TempStore::new("newer");
    temp.open().close().unwrap();
    let other = rusqlite::Connection::open(temp.database()).unwrap();
    other.execute_batch("PRAGMA user_version = 9").unwrap();
    for refused in [Store::open(&temp.database()).unwrap_err(), Store::open_read_only(&temp.database()).unwrap_err()] {
        assert_eq!(refused, StoreError::NewerSchema { found: 9, known: 7 });
        assert!(refused.to_string().contains("schema 9") && refused.to_string().contains("up to 7"), "{refused}");
    }
    // A copy that was made while the database was open, with its write-ahead log.
    let copied = ["", "-wal"].map(|suffix| {
        let copy = temp.path(&format!("copy.db{suffix}"));
        std::fs::copy(temp.path(&format!("games.db{suffix}")), &copy).unwrap();
        (std::fs::read(&copy).unwrap(), copy)
    });
    assert!(!copied[1].0.is_empty() && Store::open(&copied[0].1).is_err());
    assert!(copied.iter().all(|(before, copy)| std::fs::read(copy).unwrap() == *before), "both stay as they are");
    // A backup has no write-ahead log. It gets none either.
    other.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(())).unwrap();
    let before = std::fs::read(temp.database()).unwrap();
    assert!(Store::open(&temp.database()).is_err());
    assert!(std::fs::read(temp.database()).unwrap() == before, "a refused file stays as it is");
    other.execute_batch("PRAGMA user_version = 0").unwrap();
    let refused = Store::open_read_only(&temp.database()).unwrap_err();
    assert!(matches!(refused, StoreError::Altered(_)), "{refused:?}");
    let refused = Store::open(&temp.database()).unwrap_err();
    let told = "the database is not as ratatosk made it (it does not say which schema it has): something else changed it; \
                restore a backup";
    assert_eq!(refused.to_string(), told);
}

/// Returns the statements that each remove one part of the schema, and what that part is called.
fn removals(path: &std::path::Path) -> Vec<(String, String)> {
    let db = rusqlite::Connection::open(path).unwrap();
    let removals = "SELECT 'DROP ' || type || ' ' || name, \
                    'the ' || type || ' ' || name || iif(type = 'index', ' of ' || tbl_name, '') \
                    FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' \
                    UNION ALL SELECT 'ALTER TABLE preferences DROP COLUMN as_text', 'the column as_text of preferences' \
                    UNION ALL SELECT 'ALTER TABLE moves RENAME COLUMN at TO played_at', 'the column at of moves'";
    let mut statement = db.prepare(removals).unwrap();
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect()
}

#[test]
fn a_missing_table_column_or_index_is_named_and_not_called_a_bug() {
    let temp = TempStore::new("altered");
    let store = temp.open();
    play(&store, &begin(&store, brandubh(), NOW), "d1-b1", NOW);
    store.close().unwrap();
    let removals = removals(&temp.database());
    assert!(removals.len() > 30, "{removals:?}");
    for (n, (removal, part)) in removals.iter().enumerate() {
        let path = temp.path(&format!("{n}.db"));
        std::fs::copy(temp.database(), &path).unwrap();
        let other = rusqlite::Connection::open(&path).unwrap();
        other.execute_batch(&format!("PRAGMA foreign_keys = OFF; {removal}")).unwrap();
        drop(other);
        let found = Store::check_file(&path).unwrap().findings;
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        let copy = temp.path(&format!("{n}-copy.db"));
        Store::backup(&path, &copy).unwrap();
        let missing: Vec<String> = Store::missing_parts(&copy).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(missing, [part.as_str()], "what is left can be copied");
        if removal.starts_with("DROP index") {
            assert_eq!(found, [format!("{part} is missing; `ratatosk serve` or `ratatosk terminal` makes it again")]);
            // An index holds no data.
            assert_eq!(Store::open_read_only(&path).unwrap().session().unwrap().stats().unwrap().moves, 1);
            let store = Store::open(&path).unwrap();
            let recreated: Vec<String> = store.recreated().iter().map(ToString::to_string).collect();
            assert_eq!(recreated, [part.as_str()]);
            assert_eq!(store.check().unwrap(), []);
            store.close().unwrap();
            assert_eq!(Store::open(&path).unwrap().recreated(), []);
            continue;
        }
        assert_eq!(found, [format!("{part} is missing")], "{removal}");
        for refused in [Store::open(&path).unwrap_err(), Store::open_read_only(&path).unwrap_err()] {
            assert_eq!(refused, StoreError::Altered(format!("it has schema 7, but not {part}")));
            assert_eq!(refused.kind(), ErrorKind::Unusable);
        }
    }
    // The bot is running when the table is dropped.
    let store = temp.open();
    let other = rusqlite::Connection::open(temp.database()).unwrap();
    other.execute_batch("PRAGMA foreign_keys = OFF; DROP TABLE moves").unwrap();
    let found: Vec<String> = store.check().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(found, ["the table moves is missing"]);
    let read = store.session().unwrap().game(GameId(1));
    let failed = read.map_err(|error| store.explain(error)).unwrap_err();
    assert_eq!(failed, StoreError::Altered(String::from("it has schema 7, but not the table moves")));
    assert!(failed.is_final());
}

#[test]
fn an_index_that_is_removed_from_an_open_database_is_made_again_by_the_next_start() {
    let temp = TempStore::new("unindexed");
    let store = temp.open();
    let other = rusqlite::Connection::open(temp.database()).unwrap();
    other.execute_batch("DROP INDEX running_games_by_channel").unwrap();
    let failed = store.session().unwrap().servers_of_games().map_err(|error| store.explain(error)).unwrap_err();
    assert_eq!(failed, StoreError::LacksIndex(String::from("the index running_games_by_channel of games")));
    assert!(failed.is_final() && failed.to_string().contains("restart ratatosk"), "{failed}");
    store.close().unwrap();
    assert!(temp.open().session().unwrap().servers_of_games().is_ok());
    let bug = StoreError::Bug(String::from("no such function"));
    let store = temp.open();
    assert_eq!(store.explain(bug.clone()), bug, "nothing is missing");
}

#[test]
fn more_tables_and_indexes_than_ours_do_no_harm() {
    let temp = TempStore::new("more");
    temp.open().close().unwrap();
    let other = rusqlite::Connection::open(temp.database()).unwrap();
    other.execute_batch("CREATE TABLE mine (n INTEGER); CREATE INDEX mine_too ON games (variant)").unwrap();
    assert_eq!(temp.open().check().unwrap(), []);
}

/// Makes a database with some games; returns its bytes.
fn sound_database(temp: &TempStore) -> Vec<u8> {
    let store = temp.open();
    for _ in 0..200 {
        let game = play(&store, &begin(&store, brandubh(), NOW), "d1-b1", NOW);
        let moved = played(&game, "d3-b3", NOW);
        save(&store, vec![update(&moved), message(game.id, "moved")], NOW).unwrap();
    }
    store.close().unwrap();
    std::fs::read(temp.database()).unwrap()
}

/// Runs every query of a bot; returns the errors.
fn ask_everything(store: &Store) -> Vec<String> {
    let mut errors = Vec::new();
    let mut note = |error: Option<StoreError>| errors.extend(error.map(|error| error.to_string()));
    for id in 1..=60 {
        note(store.session().unwrap().game(GameId(id)).err());
    }
    note(store.session().unwrap().running_games(store_fixture::ASTRID).err());
    note(store.session().unwrap().finished_games(store_fixture::BJORN, 10).err());
    note(store.session().unwrap().due_games(NOW, 100).err());
    note(store.session().unwrap().due_messages(NOW, 100).err());
    note(store.session().unwrap().stats().err());
    note(store.session().unwrap().next_wake().err());
    errors
}

#[test]
fn a_damaged_file_gives_errors_and_never_a_panic() {
    let temp = TempStore::new("damage");
    let sound = sound_database(&temp);
    let mut rng = Rng::new(11);
    let (mut refused, mut found) = (0, 0);
    for round in 0..60 {
        let path = temp.path(&format!("{round}.db"));
        std::fs::write(&path, &sound).unwrap();
        let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        // Random bytes, every third time in the header, otherwise anywhere.
        let at = if round % 3 == 0 { rng.below(100) } else { 4096 + rng.below(sound.len() - 5000) };
        let nonsense: Vec<u8> = (0..200).map(|_| rng.below(256) as u8).collect();
        file.write_all_at(&nonsense, at as u64).unwrap();
        drop(file);
        match Store::open(&path) {
            Err(error) => {
                let clear = matches!(
                    error,
                    StoreError::Damaged(_)
                        | StoreError::NotOurs(_)
                        | StoreError::NewerSchema { .. }
                        | StoreError::Altered(_)
                );
                assert!(clear || matches!(error, StoreError::Io(_)), "{error:?}");
                assert_eq!(error.kind(), ErrorKind::Unusable);
                refused += 1;
            }
            Ok(store) => {
                let errors = ask_everything(&store);
                let faults = store.check().unwrap();
                assert!(errors.is_empty() || !faults.is_empty(), "{errors:?}");
                found += usize::from(!faults.is_empty());
                // Writing may fail, but the writer goes on.
                let new = save(&store, vec![Effect::BeginGame(brandubh())], NOW);
                if let Ok(saved) = new {
                    let begun = Game::begin(saved.game.unwrap(), brandubh(), NOW).unwrap();
                    let _ = save(&store, vec![update(&played(&begun, "d1-b1", NOW))], NOW);
                }
            }
        }
    }
    assert!(refused > 10 && found > 5, "{refused} were refused, faults were found in {found}");
}

#[test]
fn a_truncated_file_is_damaged() {
    let temp = TempStore::new("short");
    let sound = sound_database(&temp);
    // A length of 1 is not tested: SQLite treats such a file as empty.
    let torn_ends = [4095, 2048, 100, 1].map(|missing| sound.len() - missing);
    for length in [2, 50, 99, 100, 4095, 4096, sound.len() / 2].into_iter().chain(torn_ends) {
        let path = temp.path(&format!("{length}.db"));
        std::fs::write(&path, &sound[..length]).unwrap();
        let opened = Store::open(&path).map(drop);
        assert!(matches!(opened, Err(StoreError::Damaged(_))), "{length} of {} bytes: {opened:?}", sound.len());
    }
}
