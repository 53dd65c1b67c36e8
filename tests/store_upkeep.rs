//! Backups, checks and exports beside a running bot, and who may have the file.
#![allow(clippy::unwrap_used, clippy::panic)]

mod store_fixture;
mod temp_folder;

use ratatosk::game::{Action, GameId, PlayerId, ServerId, ServerSettings, Start};
use ratatosk::store::{CheckFinding, CommitError, ErrorKind, Export, Store, StoreError};
use std::io;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use store_fixture::{ASTRID, BJORN, DAWN, TempStore, act, begin, brandubh, play, played, post, save, update, wait_for};

/// Where this is set, a test of this file is the second process of one of the others.
const SECOND: &str = "RATATOSK_TEST_SECOND_PROCESS";

/// Runs one test of this file in a process of its own, and gives what it wrote.
fn second_process(test: &str, argument: &std::path::Path) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(SECOND, argument)
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_second_process_is_refused_and_may_read_beside() {
    if let Some(path) = std::env::var_os(SECOND) {
        let path = std::path::Path::new(&path);
        let refused = Store::open(path).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Locked);
        println!("refused: {refused}");
        let beside = Store::open_beside(path).unwrap();
        println!(
            "beside: {} games, {} faults",
            beside.session().unwrap().running_games(ASTRID).unwrap().len(),
            beside.check().unwrap().len()
        );
        let copy = path.with_extension("copy");
        Store::backup(path, &copy).unwrap();
        println!("copied: {:?}", Store::open_beside(&copy).unwrap().session().unwrap().stats().unwrap().games_running);
        return;
    }
    let room = TempStore::new("second");
    let store = room.open();
    begin(&store, brandubh(), DAWN);
    let said = second_process("a_second_process_is_refused_and_may_read_beside", &room.database());
    let refused = format!("refused: another ratatosk has this database open (process {})", std::process::id());
    for line in [refused.as_str(), "beside: 1 games, 0 faults", "copied: 1"] {
        assert!(said.contains(line), "{said}");
    }
    // It is over when the first one has closed the file, in the same process as in another.
    assert!(matches!(Store::open(&room.database()), Err(StoreError::Locked { .. })));
    let clone = store.clone();
    store.close().unwrap();
    assert_eq!(clone.remember_player(ASTRID, "Astrid"), Err(StoreError::Stopped));
    assert_eq!(clone.session().err().unwrap(), StoreError::Stopped);
    Store::open(&room.database()).unwrap().close().unwrap();
}

#[test]
fn beside_a_bot_nothing_is_written() {
    let room = TempStore::new("beside");
    let path = room.database();
    assert_eq!(Store::open_beside(&path).unwrap_err(), StoreError::Missing(path.clone()));
    let store = room.open();
    let beside = Store::open_beside(&path).unwrap();
    let game = begin(&store, brandubh(), DAWN);
    let moved = played(&game, "d1-b1", DAWN);
    let refused = save(&beside, vec![update(&moved)], DAWN);
    assert!(matches!(refused, Err(CommitError::Store(StoreError::ReadOnly(_)))), "{refused:?}");
    assert!(matches!(beside.set_wake_time(game.id, DAWN), Err(StoreError::ReadOnly(_))));
    assert!(
        beside.session().unwrap().game(game.id).unwrap().unwrap().record.plies().is_empty(),
        "what the bot writes is seen at once"
    );
    beside.close().unwrap();
    store.close().unwrap();
    // The bot is gone, and with it the log: the file alone can be read, too.
    assert_eq!(Store::open_beside(&path).unwrap().session().unwrap().stats().unwrap().games_running, 1);
}

struct StopWhenDropped<'s>(&'s AtomicBool);

impl Drop for StopWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_backup_under_writes_is_one_moment() {
    let room = TempStore::new("backup");
    let store = room.open();
    let games: Vec<_> = (0..4).map(|_| begin(&store, brandubh(), DAWN)).collect();
    let (stop, moves) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for game in &games {
            let (store, stop, moves) = (&store, &stop, &moves);
            scope.spawn(move || {
                // Plays until it is told to stop: a move with the message about it, and a new game after the end.
                let mut game = game.clone();
                while !stop.load(Ordering::Relaxed) {
                    let mv = game.record.playable_moves().next().unwrap();
                    let action = Action::Move { mv, confirmed: true };
                    let change = game.act(game.player_to_move().unwrap(), action, DAWN).unwrap();
                    save(store, vec![update(&change), post(game.id, "moved")], DAWN).unwrap();
                    moves.fetch_add(1, Ordering::Relaxed);
                    game = change.game;
                    if game.result.is_some() || game.record.plies().len() >= 400 {
                        game = begin(store, brandubh(), DAWN);
                    }
                }
            });
        }
        // Also if an assertion fails, or else the threads would play for ever.
        let _stop = StopWhenDropped(&stop);
        for n in 0..5 {
            let before = moves.load(Ordering::Relaxed);
            wait_for("some moves", || moves.load(Ordering::Relaxed) >= before + 20);
            let copy = room.path(&format!("copies/{n}.db"));
            Store::backup(&room.database(), &copy).unwrap();
            assert_eq!(Store::backup(&room.database(), &copy), Err(StoreError::Exists(copy.clone())));
            let copied = Store::open_beside(&copy).unwrap();
            assert_eq!(copied.check().unwrap(), []);
            let stats = copied.session().unwrap().stats().unwrap();
            assert_eq!(stats.moves, stats.undelivered, "each move came with its message");
        }
    });
    // Nothing is left lying about but the copies, and a copy can be played on.
    let mut left: Vec<_> =
        std::fs::read_dir(room.path("copies")).unwrap().map(|file| file.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["0.db", "1.db", "2.db", "3.db", "4.db"]);
    let restored = Store::open(&room.path("copies/4.db")).unwrap();
    begin(&restored, brandubh(), DAWN);
    restored.close().unwrap();
    assert!(matches!(Store::backup(&room.path("nowhere.db"), &room.path("a.db")), Err(StoreError::Missing(_))));
}

#[cfg(unix)]
#[test]
fn what_is_written_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let room = TempStore::new("private");
    let path = room.path("new/folders/games.db");
    let store = Store::open(&path).unwrap();
    begin(&store, brandubh(), DAWN);
    Store::backup(&path, &room.path("new/folders/copy.db")).unwrap();
    let mut seen = 0;
    for file in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        let file = file.unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", file.file_name());
        seen += 1;
    }
    assert_eq!(seen, 5, "the database, its log, its index, its lock and the copy");
}

#[test]
fn games_are_exported_with_the_names_of_their_players() {
    let room = TempStore::new("export");
    let store = room.open();
    store.remember_player(ASTRID, "Astrid").unwrap();
    let first = play(&store, &begin(&store, brandubh(), DAWN), "d1-b1", DAWN);
    let cnut = PlayerId(303);
    let mut other = Start { players: brandubh().players.swapped(), ..brandubh() };
    other.players.attackers = cnut;
    let second = act(&store, &begin(&store, other, DAWN), cnut, Action::Resign, DAWN);
    let export = |filter| {
        let mut lines = Vec::new();
        let mut line = |game: ratatosk::game::Game, name: &dyn Fn(PlayerId) -> String| {
            let players = game.start.players;
            let plies = game.record.plies().len();
            lines.push(format!("{} {} {} {plies}", game.id, name(players.attackers), name(players.defenders)));
            Ok(())
        };
        store.each_game(filter, &mut line).unwrap();
        lines
    };
    assert_eq!(export(Export::All), ["#1 Astrid 202 1", "#2 303 Astrid 0"]);
    assert_eq!(export(Export::Game(second.id)), ["#2 303 Astrid 0"]);
    assert_eq!(export(Export::Player(BJORN)), ["#1 Astrid 202 1"]);
    assert_eq!(export(Export::Player(ASTRID)).len(), 2);
    assert!(export(Export::Game(GameId(9))).is_empty());
    let broken = |_, _: &dyn Fn(PlayerId) -> String| Err(io::ErrorKind::BrokenPipe.into());
    let stopped = store.each_game(Export::All, &mut { broken }).unwrap_err();
    assert!(matches!(stopped, StoreError::Output { kind: io::ErrorKind::BrokenPipe, .. }));
    // One game that makes no sense does not keep the others in.
    let tampered = rusqlite::Connection::open(room.database()).unwrap();
    tampered.execute("UPDATE moves SET played = 'd1-b2' WHERE game = ?1", [first.id.0]).unwrap();
    let mut seen = Vec::new();
    let mut see = |game: ratatosk::game::Game, _: &dyn Fn(PlayerId) -> String| {
        seen.push(game.id);
        Ok(())
    };
    assert!(matches!(store.each_game(Export::All, &mut see), Err(StoreError::BadRow(_))));
    assert_eq!(seen, [second.id]);
}

#[test]
fn a_check_finds_what_was_tampered_with() {
    let room = TempStore::new("check");
    let tamperings = [
        ("UPDATE moves SET played = 'd1-b2' WHERE ply = 0", "played: move 1, `d1-b2`, cannot be played"),
        ("UPDATE moves SET played = 'd1-c1xd5' WHERE ply = 0", "played: move 1, `d1-c1xd5`, cannot be played"),
        ("UPDATE moves SET ply = 5 WHERE ply = 1", "ply: move 6 stands where move 2 should"),
        ("DELETE FROM moves WHERE ply = 1", "plies: 2, but there are 1 moves"),
        ("UPDATE games SET position = '/7/'", "position: the moves lead to /"),
        ("UPDATE games SET to_move = 'defenders'", "to_move: it is the other side's turn"),
        (
            "UPDATE games SET ending = 'king-escaped', winner = 'defenders', ended = 1, wake_at = NULL",
            "ending: it is stored as won by the defenders (king-escaped)",
        ),
        (
            "UPDATE games SET ending = 'king-escaped', winner = 'attackers', ended = 1, wake_at = NULL",
            "ending: a game that ended with `king-escaped` cannot be won by the attackers",
        ),
        (
            "UPDATE games SET ending = 'resigned', winner = NULL, ended = 1, wake_at = NULL",
            "ending: a game that ended with `resigned` has a winner, and none is stored",
        ),
        ("UPDATE games SET offers = '{}'", "offers: missing field"),
        (
            "UPDATE rulesets SET rules = '{}'",
            "ruleset: this cannot be stored: a board has 5, 7, 9 or 11 squares a side, not 0",
        ),
    ];
    for (n, (tampering, found)) in tamperings.into_iter().enumerate() {
        let path = room.path(&format!("{n}.db"));
        let store = Store::open(&path).unwrap();
        let game = play(&store, &begin(&store, brandubh(), DAWN), "d1-c1", DAWN);
        play(&store, &game, "d3-b3", DAWN);
        assert_eq!(store.check().unwrap(), []);
        rusqlite::Connection::open(&path).unwrap().execute(tampering, []).unwrap();
        let faults = store.check().unwrap();
        assert!(matches!(&faults[..], [CheckFinding::Game { .. }]), "{tampering}: {faults:?}");
        assert!(faults[0].to_string().contains(found), "{tampering}: {}", faults[0]);
    }
    let path = room.path("orphans.db");
    let store = Store::open(&path).unwrap();
    begin(&store, brandubh(), DAWN);
    let tampered = rusqlite::Connection::open(&path).unwrap();
    tampered.execute_batch("PRAGMA foreign_keys = OFF; DELETE FROM players WHERE id = 101").unwrap();
    let faults: Vec<String> = store.check().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(faults, ["row 1 of games refers to a missing row of players"]);
    let refused = tampered.execute("UPDATE games SET ending = 'boredom', ended = 1, wake_at = NULL", []).unwrap_err();
    assert!(refused.to_string().contains("CHECK constraint failed"), "{refused}");
}

#[test]
fn a_check_finds_what_no_statement_could_have_written() {
    let room = TempStore::new("bits");
    let store = room.open();
    begin(&store, brandubh(), DAWN);
    store.set_server_settings(ServerId(7), ServerSettings::default()).unwrap();
    let damaged = rusqlite::Connection::open(room.database()).unwrap();
    damaged.execute_batch("PRAGMA ignore_check_constraints = ON; UPDATE servers SET pace = -1").unwrap();
    assert!(store.session().unwrap().server_settings(ServerId(7)).is_err());
    let faults: Vec<String> = store.check().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(faults, ["the file: CHECK constraint failed in servers"]);
    // So does whoever looks at it beside the bot, and leaves its log where it is.
    drop(damaged);
    let log = std::fs::metadata(room.path("games.db-wal")).unwrap().len();
    assert_eq!(Store::open_beside(&room.database()).unwrap().check().unwrap().len(), 1);
    assert!(log > 0 && std::fs::metadata(room.path("games.db-wal")).unwrap().len() == log);
}
