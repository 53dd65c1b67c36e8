//! Kills a process that writes to the store, at random moments: every acknowledged change is there, exactly once.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)]

mod seeded_rng;
mod store_fixture;
mod temp_folder;

use ratatosk::game::{Action, Game, GameId, PlayerId};
use ratatosk::store::{Commit, Delivery, OutboxMessage, PostId, RequestId, Store};
use seeded_rng::Rng;
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use store_fixture::{BJORN, NOW, TempStore, begin, brandubh, message, update};

/// The environment variable with the database, in the process that is killed.
const DATABASE_VARIABLE: &str = "RATATOSK_TEST_DATABASE";

/// How many players move at once.
const PLAYERS: u64 = 6;

#[test]
fn nothing_is_lost_when_the_process_is_killed() {
    kill_repeatedly(15);
}

#[test]
#[ignore = "takes minutes: cargo test --test store_crash -- --ignored"]
fn nothing_is_lost_when_the_process_is_killed_two_hundred_times() {
    kill_repeatedly(220);
}

fn kill_repeatedly(times: usize) {
    let temp = TempStore::new("crash");
    let mut rng = Rng::new(std::process::id().into());
    let mut printed = PrintedLines::default();
    for kill in 0..times {
        // Every fourth process is killed while it starts, the others after their first move.
        let after = if kill % 4 == 0 { KillAfter::Start } else { KillAfter::FirstMove };
        printed.read_and_kill(&temp.database(), after, Duration::from_micros(rng.below(100_000) as u64));
        printed.verify(&temp.database());
    }
    println!(
        "{times} times killed: {} moves and {} deliveries were acknowledged",
        printed.moves(),
        printed.settled.len()
    );
}

/// After what a process is killed, and after a random pause.
#[derive(Clone, Copy, PartialEq)]
enum KillAfter {
    Start,
    FirstMove,
}

/// A process that is killed when it is dropped, so that it does not go on if the test fails.
struct KilledOnDrop(Child);

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        // SIGKILL.
        self.0.kill().and_then(|()| self.0.wait()).unwrap();
    }
}

/// Waits until a move is printed.
fn wait_for_move(printed: &Receiver<String>) {
    // Only a broken program takes that long.
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        match printed.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) if line.starts_with("moved ") => return,
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => panic!("the process does not move"),
            Err(RecvTimeoutError::Disconnected) => panic!("the process has ended by itself"),
        }
    }
}

/// What the killed processes have printed.
#[derive(Default)]
struct PrintedLines {
    /// The moves of each game in order.
    games: HashMap<u64, Vec<String>>,
    /// The ids of all outbox messages.
    messages: HashSet<u64>,
    /// The ids of the settled ones.
    settled: HashSet<u64>,
}

impl PrintedLines {
    fn moves(&self) -> usize {
        self.games.values().map(Vec::len).sum()
    }

    /// Starts a process, reads what it prints, and kills it.
    fn read_and_kill(&mut self, database: &Path, after: KillAfter, pause: Duration) {
        let command = Command::new(std::env::current_exe().unwrap())
            .args(["play_until_killed", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
            .env(DATABASE_VARIABLE, database)
            .stdout(Stdio::piped())
            .spawn();
        let mut process = KilledOnDrop(command.unwrap());
        let lines = BufReader::new(process.0.stdout.take().unwrap());
        let (sender, printed) = channel();
        let reader = std::thread::spawn(move || {
            // The receiver is gone once the process is killed.
            let lines = lines.lines().map_while(Result::ok).inspect(|line| drop(sender.send(line.clone())));
            lines.collect::<Vec<_>>()
        });
        if after == KillAfter::FirstMove {
            wait_for_move(&printed);
        }
        // A random moment: a longer or shorter pause cannot make the test fail.
        std::thread::sleep(pause);
        assert!(process.0.try_wait().unwrap().is_none(), "the process has ended by itself");
        drop(process);
        for line in reader.join().unwrap() {
            self.record(&line);
        }
    }

    /// Records a line that a process has printed.
    fn record(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |word: &str| word.parse::<u64>().unwrap();
        match words[..] {
            ["began", game, "."] => assert!(self.games.insert(number(game), Vec::new()).is_none()),
            ["moved", game, ply, played, message, "."] => {
                let moves = self.games.get_mut(&number(game)).unwrap();
                // A process may have been killed after it stored a move and before it printed it.
                assert!(number(ply) as usize >= moves.len(), "{line}");
                moves.resize(number(ply) as usize, String::new());
                moves.push(played.to_owned());
                assert!(self.messages.insert(number(message)), "{line}");
            }
            ["settled", message, "."] => assert!(self.settled.insert(number(message)), "delivered twice: {line}"),
            // Output of the test harness, or a truncated line.
            _ => {}
        }
    }

    /// Opens the file and compares it with what was printed.
    fn verify(&self, database: &Path) {
        let store = match Store::open(database) {
            Ok(store) => store,
            Err(error) => panic!("after a crash: {error}"),
        };
        assert_eq!(store.check().unwrap(), []);
        for (id, moves) in &self.games {
            let game = store.session().unwrap().game(GameId(*id)).unwrap().unwrap();
            let plies = game.record.plies();
            assert!(plies.len() >= moves.len(), "game {id} has lost moves");
            // Each process may have stored one move that it did not print.
            for (played, printed) in plies.iter().zip(moves).filter(|(_, printed)| !printed.is_empty()) {
                assert_eq!(&played.to_string(), printed);
            }
        }
        for message in &self.messages {
            let open = store.session().unwrap().message(ratatosk::store::OutboxId(*message)).unwrap();
            let is_settled = self.settled.contains(message);
            assert!(open.is_none() || !is_settled, "message {message} was delivered and is unsent again");
        }
        // Each move has its request and its message.
        let connection = rusqlite::Connection::open(database).unwrap();
        let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        let moves = count("SELECT count(*) FROM moves");
        assert_eq!(count("SELECT count(*) FROM outbox"), moves);
        assert_eq!(count("SELECT count(*) FROM requests"), moves);
        for message in &self.messages {
            let with_its_id = format!("SELECT count(*) FROM outbox WHERE id = {message}");
            assert_eq!(count(&with_its_id), 1, "message {message} is gone");
        }
        store.close().unwrap();
    }
}

/// Plays until it is killed, and prints each change once it is committed.
#[test]
#[ignore = "is started and killed by the tests above"]
fn play_until_killed() {
    let Some(database) = std::env::var_os(DATABASE_VARIABLE) else { return };
    // Ends the line that the test harness has begun.
    println!();
    let store = Store::open(Path::new(&database)).unwrap();
    std::thread::scope(|scope| {
        for player in 1..=PLAYERS {
            let store = &store;
            scope.spawn(move || play_forever(store, player));
        }
        scope.spawn(|| deliver_forever(&store));
    });
}

/// Prints a line in one write, so that it is read whole or not at all.
fn print_line(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line} .\n").as_bytes()).and_then(|()| out.flush()).unwrap();
}

fn play_forever(store: &Store, player: u64) {
    let mut rng = Rng::new(player ^ u64::from(std::process::id()));
    let mut last_game: Option<Game> = None;
    loop {
        let running = last_game.take().filter(|game| game.result.is_none() && game.record.plies().len() < 40);
        let game = running.unwrap_or_else(|| {
            let players = ratatosk::game::Players { attackers: PlayerId(player), defenders: BJORN };
            let game = begin(store, ratatosk::game::GameTerms { players, ..brandubh() }, NOW);
            print_line(&format!("began {}", game.id.0));
            game
        });
        let moves: Vec<_> = game.record.playable_moves().collect();
        let action = Action::Move { written: rng.pick(&moves).into(), confirmed: true };
        let change = game.act(game.player_to_move().unwrap(), action, NOW).unwrap();
        let (effects, game) = (vec![update(&change), message(change.game.id, "moved")], change.game);
        let ply = game.record.plies().len() - 1;
        let request = RequestId(game.id.0 * 1_000 + ply as u64);
        let saved = store.commit(Commit { request: Some(request), effects, now: NOW }).unwrap();
        print_line(&format!("moved {} {ply} {} {}", game.id.0, game.record.plies()[ply], saved.messages[0].id.0));
        last_game = Some(game);
    }
}

fn deliver_forever(store: &Store) {
    loop {
        for OutboxMessage { id, .. } in store.session().unwrap().due_messages(NOW, 3).unwrap() {
            store.settle(id, Delivery::WithoutButtons { post: Some(PostId(1)) }, NOW).unwrap();
            print_line(&format!("settled {}", id.0));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
