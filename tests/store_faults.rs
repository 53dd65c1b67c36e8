//! A full disk, a read-only place, a damaged file: a clear error, nothing lost, and no panic.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)]

mod seeded_rng;
mod store_fixture;
mod temp_folder;

use ratatosk::game::{Game, GameId};
use ratatosk::store::{CommitError, Effect, ErrorKind, Options, Store, StoreError};
use seeded_rng::Rng;
use std::os::unix::fs::FileExt;
use store_fixture::small_disk::SmallDisk;
use store_fixture::{DAWN, TempStore, assert_same, begin, brandubh, play, played, post, save, saying, update};

/// Begins games until there is no room, and gives their number.
fn fill(store: &Store) -> (u64, CommitError) {
    for games in 0.. {
        let body = saying(&"word ".repeat(400));
        let told = Effect::Post { about: ratatosk::store::About::NewGame, place: brandubh().place, body, ping: None };
        if let Err(error) = save(store, vec![Effect::Begin(brandubh()), told], DAWN) {
            return (games, error);
        }
    }
    unreachable!("the disk is endless")
}

fn is_full(error: &CommitError) -> bool {
    matches!(error, CommitError::Store(StoreError::Full(_)))
}

#[test]
fn when_the_file_may_not_grow_the_request_is_refused_and_the_bot_goes_on() {
    let room = TempStore::new("pages");
    let limit = |pages| Options { page_limit: Some(pages) };
    let store = Store::open_with(&room.database(), limit(60)).unwrap();
    let game = begin(&store, brandubh(), DAWN);
    let (games, error) = fill(&store);
    assert!(games > 5 && is_full(&error), "{games} games, then {error}");
    assert!(error.to_string().contains("free some space"), "{error}");
    // What was written is there, whole; what is small enough still goes in; everything can be read.
    assert_eq!(store.session().unwrap().stats().unwrap().games_running, games + 1);
    assert_eq!(store.session().unwrap().stats().unwrap().undelivered, games);
    let moved = play(&store, &game, "d1-b1", DAWN);
    assert_same(&store.session().unwrap().game(game.id).unwrap().unwrap(), &moved);
    assert_eq!(store.check().unwrap(), []);
    store.close().unwrap();
    // Somebody has made room.
    let store = Store::open(&room.database()).unwrap();
    begin(&store, brandubh(), DAWN);
    assert_eq!(store.session().unwrap().stats().unwrap().games_running, games + 2);
}

#[test]
fn of_many_at_once_on_a_full_disk_each_is_told_the_truth() {
    let room = TempStore::new("crowd");
    let store = Store::open_with(&room.database(), Options { page_limit: Some(80) }).unwrap();
    let counts: Vec<u64> = std::thread::scope(|scope| {
        let players: Vec<_> = (0..8).map(|_| scope.spawn(|| fill(&store))).collect();
        let filled = players.into_iter().map(|player| player.join().unwrap());
        filled.inspect(|(_, error)| assert!(is_full(error), "{error}")).map(|(games, _)| games).collect()
    });
    assert_eq!(store.session().unwrap().stats().unwrap().games_running, counts.iter().sum::<u64>());
    assert_eq!(store.check().unwrap(), []);
}

#[test]
fn a_disk_that_is_really_full_loses_nothing() {
    let room = TempStore::new("tmpfs");
    let folder = room.path("small");
    let Some(disk) = SmallDisk::mount(&folder, "size=1m") else { return };
    let path = folder.join("games.db");
    let store = Store::open(&path).unwrap();
    let game = begin(&store, brandubh(), DAWN);
    let (games, error) = fill(&store);
    assert!(games > 5 && is_full(&error), "{games} games, then {error}");
    assert_eq!(store.session().unwrap().stats().unwrap().games_running, games + 1);
    disk.remount("size=4m");
    let moved = play(&store, &game, "d1-b1", DAWN);
    assert_same(&store.session().unwrap().game(game.id).unwrap().unwrap(), &moved);
    assert_eq!(store.check().unwrap(), []);
    assert!(matches!(Store::backup(&path, &folder.join("a.db")), Ok(())));
    store.close().unwrap();
    disk.remount("size=4m,ro");
    let refused = Store::open(&path).unwrap_err();
    assert!(matches!(refused, StoreError::ReadOnly(_)), "{refused}");
    assert_eq!(refused.kind(), ErrorKind::Unusable);
    let copy = Store::open_beside(&folder.join("a.db")).unwrap();
    assert_eq!(
        copy.session().unwrap().stats().unwrap().games_running,
        games + 1,
        "a copy can be read where nothing can be written"
    );
    let closed = Store::open_beside(&path).unwrap();
    assert_eq!(
        closed.session().unwrap().stats().unwrap().games_running,
        games + 1,
        "so can the file itself when nobody has it open"
    );
    assert_eq!(closed.check().unwrap(), []);
    assert_eq!(Store::backup(&path, &room.path("saved.db")), Ok(()));
}

#[test]
fn a_new_database_needs_more_room_than_there_is() {
    let room = TempStore::new("tiny");
    let folder = room.path("small");
    let Some(_disk) = SmallDisk::mount(&folder, "size=32k") else { return };
    let refused = Store::open(&folder.join("games.db")).unwrap_err();
    assert!(matches!(refused, StoreError::Full(_)), "{refused:?}");
}

#[test]
fn a_folder_in_the_place_of_the_file_is_refused() {
    let room = TempStore::new("folder");
    std::fs::create_dir(room.database()).unwrap();
    let refused = Store::open(&room.database()).unwrap_err();
    assert!(matches!(refused, StoreError::Io(_)), "{refused:?}");
    assert!(refused.to_string().contains("games.db"), "{refused}");
    // A file where a folder should be.
    std::fs::write(room.path("file"), "").unwrap();
    assert!(matches!(Store::open(&room.path("file/games.db")), Err(StoreError::Io(_))));
}

#[test]
fn something_else_in_the_place_of_the_file_is_left_alone() {
    let room = TempStore::new("else");
    let path = room.database();
    std::fs::write(&path, "Dear diary, today I have lost at tafl once more. ".repeat(100)).unwrap();
    let refused = Store::open(&path).unwrap_err();
    assert!(matches!(refused, StoreError::Damaged(_)), "{refused:?}");
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("Dear diary"));
    let other = room.path("bookmarks.db");
    rusqlite::Connection::open(&other).unwrap().execute_batch("CREATE TABLE bookmarks (url TEXT)").unwrap();
    for refused in [Store::open(&other).unwrap_err(), Store::open_beside(&other).unwrap_err()] {
        assert_eq!(refused, StoreError::NotOurs(other.clone()));
    }
    assert_eq!(Store::backup(&other, &room.path("copy.db")), Err(StoreError::NotOurs(other)));
}

#[test]
fn a_database_of_a_newer_version_is_refused_with_both_numbers() {
    let room = TempStore::new("newer");
    room.open().close().unwrap();
    let other = rusqlite::Connection::open(room.database()).unwrap();
    other.execute_batch("PRAGMA user_version = 9").unwrap();
    for refused in [Store::open(&room.database()).unwrap_err(), Store::open_beside(&room.database()).unwrap_err()] {
        assert_eq!(refused, StoreError::NewerSchema { found: 9, known: 5 });
        assert!(refused.to_string().contains("schema 9") && refused.to_string().contains("up to 5"), "{refused}");
    }
    other.execute_batch("PRAGMA user_version = 0").unwrap();
    let refused = Store::open_beside(&room.database()).unwrap_err();
    assert_eq!(refused, StoreError::OlderSchema { found: 0, known: 5 });
}

/// Makes a database with some games and gives its bytes.
fn sound_database(room: &TempStore) -> Vec<u8> {
    let store = room.open();
    for _ in 0..200 {
        let game = play(&store, &begin(&store, brandubh(), DAWN), "d1-b1", DAWN);
        let moved = played(&game, "d3-b3", DAWN);
        save(&store, vec![update(&moved), post(game.id, "moved")], DAWN).unwrap();
    }
    store.close().unwrap();
    std::fs::read(room.database()).unwrap()
}

/// Asks everything that a bot asks, and gives the errors.
fn ask_everything(store: &Store) -> Vec<String> {
    let mut errors = Vec::new();
    let mut note = |error: Option<StoreError>| errors.extend(error.map(|error| error.to_string()));
    for id in 1..=60 {
        note(store.session().unwrap().game(GameId(id)).err());
    }
    note(store.session().unwrap().running_games(store_fixture::ASTRID).err());
    note(store.session().unwrap().finished_games(store_fixture::BJORN, 10).err());
    note(store.session().unwrap().due_games(DAWN, 100).err());
    note(store.session().unwrap().due_messages(DAWN, 100).err());
    note(store.session().unwrap().stats().err());
    note(store.session().unwrap().next_wake().err());
    errors
}

#[test]
fn a_damaged_file_gives_clear_errors_and_never_a_panic() {
    let room = TempStore::new("damage");
    let sound = sound_database(&room);
    let mut rng = Rng::new(11);
    let (mut refused, mut found) = (0, 0);
    for round in 0..60 {
        let path = room.path(&format!("{round}.db"));
        std::fs::write(&path, &sound).unwrap();
        let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        // The header every third time, else somewhere in the middle: a whole stretch of nonsense.
        let at = if round % 3 == 0 { rng.below(100) } else { 4096 + rng.below(sound.len() - 5000) };
        let nonsense: Vec<u8> = (0..200).map(|_| rng.below(256) as u8).collect();
        file.write_all_at(&nonsense, at as u64).unwrap();
        drop(file);
        match Store::open(&path) {
            Err(error) => {
                let clear =
                    matches!(error, StoreError::Damaged(_) | StoreError::NotOurs(_) | StoreError::NewerSchema { .. });
                assert!(clear || matches!(error, StoreError::Io(_)), "{error:?}");
                assert_eq!(error.kind(), ErrorKind::Unusable);
                refused += 1;
            }
            Ok(store) => {
                let errors = ask_everything(&store);
                let faults = store.check().unwrap();
                assert!(errors.is_empty() || !faults.is_empty(), "{errors:?}");
                found += usize::from(!faults.is_empty());
                // Writing to it is refused or works, but it does not end the bot.
                let new = save(&store, vec![Effect::Begin(brandubh())], DAWN);
                if let Ok(saved) = new {
                    let begun = Game::begin(saved.game.unwrap(), brandubh(), DAWN).unwrap();
                    let _ = save(&store, vec![update(&played(&begun, "d1-b1", DAWN))], DAWN);
                }
            }
        }
    }
    assert!(refused > 10 && found > 5, "{refused} were refused, faults were found in {found}");
}

#[test]
fn a_file_that_was_cut_short_is_damaged() {
    let room = TempStore::new("short");
    let sound = sound_database(&room);
    // SQLite takes a single byte for an empty file.
    let torn_ends = [4095, 2048, 100, 1].map(|missing| sound.len() - missing);
    for length in [2, 50, 99, 100, 4095, 4096, sound.len() / 2].into_iter().chain(torn_ends) {
        let path = room.path(&format!("{length}.db"));
        std::fs::write(&path, &sound[..length]).unwrap();
        let opened = Store::open(&path).map(drop);
        assert!(matches!(opened, Err(StoreError::Damaged(_))), "{length} of {} bytes: {opened:?}", sound.len());
    }
}
