//! Backups, checks and exports while the bot runs, and which processes may open and read its files.
#![allow(clippy::unwrap_used, clippy::panic)]

mod store_fixture;
mod temp_folder;

use ratatosk::game::{Action, GameId, GameTerms, PlayerId, ServerId, ServerSettings};
use ratatosk::store::{CheckFinding, CommitError, ErrorKind, ExportFilter, Store, StoreError};
use std::io;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use store_fixture::{
    ASTRID, BJORN, NOW, TempStore, act, begin, brandubh, message, play, played, save, update, wait_for,
};

/// The environment variable with the database, in the second process of a test.
const SECOND: &str = "RATATOSK_TEST_SECOND_PROCESS";

/// Runs one test of this file in a second process; returns its output.
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
fn a_second_process_may_read_but_not_write() {
    if let Some(path) = std::env::var_os(SECOND) {
        let path = std::path::Path::new(&path);
        let refused = Store::open(path).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Locked);
        println!("refused: {refused}");
        let beside = Store::open_read_only(path).unwrap();
        println!(
            "beside: {} games, {} faults",
            beside.session().unwrap().running_games(ASTRID).unwrap().len(),
            beside.check().unwrap().len()
        );
        let copy = path.with_extension("copy");
        Store::backup(path, &copy).unwrap();
        println!(
            "copied: {:?}",
            Store::open_read_only(&copy).unwrap().session().unwrap().stats().unwrap().games_running
        );
        return;
    }
    let temp = TempStore::new("second");
    let store = temp.open();
    begin(&store, brandubh(), NOW);
    let said = second_process("a_second_process_may_read_but_not_write", &temp.database());
    let refused = format!("refused: another ratatosk has this database open (process {})", std::process::id());
    for line in [refused.as_str(), "beside: 1 games, 0 faults", "copied: 1"] {
        assert!(said.contains(line), "{said}");
    }
    // Once the first one has closed the file it can be opened again, in this process or another.
    assert!(matches!(Store::open(&temp.database()), Err(StoreError::Locked { .. })));
    let clone = store.clone();
    store.close().unwrap();
    assert_eq!(clone.remember_player(ASTRID, "Astrid"), Err(StoreError::Stopped));
    assert_eq!(clone.session().err().unwrap(), StoreError::Stopped);
    Store::open(&temp.database()).unwrap().close().unwrap();
}

#[test]
fn a_store_opened_beside_the_bot_is_read_only() {
    let temp = TempStore::new("beside");
    let path = temp.database();
    assert_eq!(Store::open_read_only(&path).unwrap_err(), StoreError::Missing(path.clone()));
    let store = temp.open();
    let beside = Store::open_read_only(&path).unwrap();
    let game = begin(&store, brandubh(), NOW);
    let moved = played(&game, "d1-b1", NOW);
    let refused = save(&beside, vec![update(&moved)], NOW);
    assert!(matches!(refused, Err(CommitError::Store(StoreError::ReadOnly(_)))), "{refused:?}");
    assert!(matches!(beside.set_wake_time(game.id, NOW), Err(StoreError::ReadOnly(_))));
    assert!(
        beside.session().unwrap().game(game.id).unwrap().unwrap().record.plies().is_empty(),
        "what the bot writes is seen at once"
    );
    beside.close().unwrap();
    store.close().unwrap();
    // After the bot has closed it there is no write-ahead log, and the file alone can be read.
    assert_eq!(Store::open_read_only(&path).unwrap().session().unwrap().stats().unwrap().games_running, 1);
}

struct StopWhenDropped<'s>(&'s AtomicBool);

impl Drop for StopWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_backup_during_writes_is_a_consistent_snapshot() {
    let temp = TempStore::new("backup");
    let store = temp.open();
    let games: Vec<_> = (0..4).map(|_| begin(&store, brandubh(), NOW)).collect();
    let (stop, moves) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for game in &games {
            let (store, stop, moves) = (&store, &stop, &moves);
            scope.spawn(move || {
                // Plays until it is told to stop: a move with the message about it, and a new game after the end.
                let mut game = game.clone();
                while !stop.load(Ordering::Relaxed) {
                    let mv = game.record.playable_moves().next().unwrap();
                    let action = Action::Move { written: mv.into(), confirmed: true };
                    let change = game.act(game.player_to_move().unwrap(), action, NOW).unwrap();
                    save(store, vec![update(&change), message(game.id, "moved")], NOW).unwrap();
                    moves.fetch_add(1, Ordering::Relaxed);
                    game = change.game;
                    if game.result.is_some() || game.record.plies().len() >= 400 {
                        game = begin(store, brandubh(), NOW);
                    }
                }
            });
        }
        // Also if an assertion fails, or else the threads would play for ever.
        let _stop = StopWhenDropped(&stop);
        for n in 0..5 {
            let before = moves.load(Ordering::Relaxed);
            wait_for("some moves", || moves.load(Ordering::Relaxed) >= before + 20);
            let copy = temp.path(&format!("copies/{n}.db"));
            Store::backup(&temp.database(), &copy).unwrap();
            assert_eq!(Store::backup(&temp.database(), &copy), Err(StoreError::Exists(copy.clone())));
            let copied = Store::open_read_only(&copy).unwrap();
            assert_eq!(copied.check().unwrap(), []);
            let stats = copied.session().unwrap().stats().unwrap();
            assert_eq!(stats.moves, stats.unsent, "each move came with its message");
        }
    });
    // Only the copies are in the folder, and a copy can be written to.
    let mut left: Vec<_> =
        std::fs::read_dir(temp.path("copies")).unwrap().map(|file| file.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["0.db", "1.db", "2.db", "3.db", "4.db"]);
    let restored = Store::open(&temp.path("copies/4.db")).unwrap();
    begin(&restored, brandubh(), NOW);
    restored.close().unwrap();
    assert!(matches!(Store::backup(&temp.path("nowhere.db"), &temp.path("a.db")), Err(StoreError::Missing(_))));
}

#[cfg(unix)]
#[test]
fn database_files_are_readable_only_by_their_owner() {
    use std::os::unix::fs::PermissionsExt;
    let temp = TempStore::new("private");
    let path = temp.path("new/folders/games.db");
    let store = Store::open(&path).unwrap();
    begin(&store, brandubh(), NOW);
    Store::backup(&path, &temp.path("new/folders/copy.db")).unwrap();
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
    let temp = TempStore::new("export");
    let store = temp.open();
    store.remember_player(ASTRID, "Astrid").unwrap();
    let first = play(&store, &begin(&store, brandubh(), NOW), "d1-b1", NOW);
    let cnut = PlayerId(303);
    let mut other = GameTerms { players: brandubh().players.swapped(), ..brandubh() };
    other.players.attackers = cnut;
    let second = act(&store, &begin(&store, other, NOW), cnut, Action::Resign, NOW);
    let export = |filter| {
        let mut lines = Vec::new();
        let mut line = |game: ratatosk::game::Game, name: &dyn Fn(PlayerId) -> String| {
            let players = game.terms.players;
            let plies = game.record.plies().len();
            lines.push(format!("{} {} {} {plies}", game.id, name(players.attackers), name(players.defenders)));
            Ok(())
        };
        store.each_game(filter, &mut line).unwrap();
        lines
    };
    assert_eq!(export(ExportFilter::All), ["#1 Astrid 202 1", "#2 303 Astrid 0"]);
    assert_eq!(export(ExportFilter::Game(second.id)), ["#2 303 Astrid 0"]);
    assert_eq!(export(ExportFilter::Player(BJORN)), ["#1 Astrid 202 1"]);
    assert_eq!(export(ExportFilter::Player(ASTRID)).len(), 2);
    assert!(export(ExportFilter::Game(GameId(9))).is_empty());
    let broken = |_, _: &dyn Fn(PlayerId) -> String| Err(io::ErrorKind::BrokenPipe.into());
    let stopped = store.each_game(ExportFilter::All, &mut { broken }).unwrap_err();
    assert!(matches!(stopped, StoreError::Output { kind: io::ErrorKind::BrokenPipe, .. }));
    // An unreadable game does not stop the others from being exported.
    let tampered = rusqlite::Connection::open(temp.database()).unwrap();
    tampered.execute("UPDATE moves SET played = 'd1-b2' WHERE game = ?1", [first.id.0]).unwrap();
    let mut seen = Vec::new();
    let mut see = |game: ratatosk::game::Game, _: &dyn Fn(PlayerId) -> String| {
        seen.push(game.id);
        Ok(())
    };
    assert!(matches!(store.each_game(ExportFilter::All, &mut see), Err(StoreError::BadRow(_))));
    assert_eq!(seen, [second.id]);
}

#[test]
fn check_finds_changed_rows() {
    let temp = TempStore::new("check");
    let tamperings = [
        ("UPDATE moves SET played = 'd1-b2' WHERE ply = 0", "played: move 1, `d1-b2`, cannot be played"),
        ("UPDATE moves SET played = 'd1-c1xd5' WHERE ply = 0", "played: move 1, `d1-c1xd5`, cannot be played"),
        ("UPDATE moves SET ply = 5 WHERE ply = 1", "ply: move 6 stands where move 2 should"),
        ("DELETE FROM moves WHERE ply = 1", "plies: 2, but there is 1 move"),
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
        ("UPDATE games SET offers = '{}'", "is missing"),
        ("UPDATE games SET version = 9223372036854775807", "version: no game has changed 9223372036854775807 times"),
        ("UPDATE rulesets SET rules = '{}'", "makes no sense: ruleset: `size` is missing"),
        ("UPDATE rulesets SET rules = json_remove(rules, '$.goal')", "ruleset: `goal` is missing"),
        ("UPDATE rulesets SET rules = json_remove(rules, '$.siege.open')", "ruleset: `open` is missing"),
        (
            "UPDATE rulesets SET rules = json_set(rules, '$.size', 8)",
            "makes no sense: ruleset: a board has 5, 7, 9 or 11 squares a side, not 8",
        ),
        ("UPDATE rulesets SET start = '/7/'", "makes no sense: ruleset: "),
    ];
    for (n, (tampering, found)) in tamperings.into_iter().enumerate() {
        let path = temp.path(&format!("{n}.db"));
        let store = Store::open(&path).unwrap();
        let game = play(&store, &begin(&store, brandubh(), NOW), "d1-c1", NOW);
        play(&store, &game, "d3-b3", NOW);
        assert_eq!(store.check().unwrap(), []);
        rusqlite::Connection::open(&path).unwrap().execute(tampering, []).unwrap();
        let faults = store.check().unwrap();
        assert!(matches!(&faults[..], [CheckFinding::Game { .. }]), "{tampering}: {faults:?}");
        assert!(faults[0].to_string().contains(found), "{tampering}: {}", faults[0]);
    }
    let path = temp.path("orphans.db");
    let store = Store::open(&path).unwrap();
    begin(&store, brandubh(), NOW);
    let tampered = rusqlite::Connection::open(&path).unwrap();
    tampered.execute_batch("PRAGMA foreign_keys = OFF; DELETE FROM players WHERE id = 101").unwrap();
    let faults: Vec<String> = store.check().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(faults, ["row 1 of games refers to a missing row of players"]);
    tampered.execute_batch("INSERT INTO moves VALUES (7, 0, 'd1-b1', 0), (7, 1, 'd3-b3', 0)").unwrap();
    let faults: Vec<String> = store.check().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(faults[1..], ["game #7 is missing, but there are moves of it"]);
    let refused = tampered.execute("UPDATE games SET ending = 'boredom', ended = 1, wake_at = NULL", []).unwrap_err();
    assert!(refused.to_string().contains("CHECK constraint failed"), "{refused}");
}

#[test]
fn a_game_without_its_ruleset_is_named_beside_other_damage() {
    let temp = TempStore::new("rulesets");
    let store = temp.open();
    let game = begin(&store, brandubh(), NOW);
    store.change_server_settings(ServerId(7), ServerSettings::default()).unwrap();
    let damaged = rusqlite::Connection::open(temp.database()).unwrap();
    damaged.execute_batch("PRAGMA foreign_keys = OFF; UPDATE games SET ruleset = 77").unwrap();
    damaged.execute_batch("PRAGMA ignore_check_constraints = ON; UPDATE servers SET pace = -1").unwrap();
    let faults: Vec<String> = store.check().unwrap().iter().map(ToString::to_string).collect();
    let unreadable = "row 1 of games makes no sense: ruleset: there is no such row of rulesets";
    assert_eq!(
        faults,
        [
            "the file: CHECK constraint failed in servers",
            "row 1 of games refers to a missing row of rulesets",
            &format!("game #1: {unreadable}")
        ]
    );
    // A game that cannot be read is an error, and not the same as a missing one.
    assert_eq!(store.session().unwrap().game(game.id).unwrap_err().to_string(), unreadable);
    let exported = store.each_game(ExportFilter::All, &mut |_, _| Ok(()));
    assert!(matches!(exported, Err(StoreError::BadRow(_))), "{exported:?}");
}

#[test]
fn check_finds_violated_constraints() {
    let temp = TempStore::new("bits");
    let store = temp.open();
    begin(&store, brandubh(), NOW);
    store.change_server_settings(ServerId(7), ServerSettings::default()).unwrap();
    let damaged = rusqlite::Connection::open(temp.database()).unwrap();
    damaged.execute_batch("PRAGMA ignore_check_constraints = ON; UPDATE servers SET pace = -1").unwrap();
    assert!(store.session().unwrap().server_settings(ServerId(7)).is_err());
    let faults: Vec<String> = store.check().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(faults, ["the file: CHECK constraint failed in servers"]);
    // A store opened beside the bot finds it, too, and does not touch the write-ahead log.
    drop(damaged);
    let log = std::fs::metadata(temp.path("games.db-wal")).unwrap().len();
    assert_eq!(Store::open_read_only(&temp.database()).unwrap().check().unwrap().len(), 1);
    assert!(log > 0 && std::fs::metadata(temp.path("games.db-wal")).unwrap().len() == log);
}
