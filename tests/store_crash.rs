//! The process is killed at any moment, again and again: what was acknowledged is there, once.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)]

mod seeded_rng;
mod store_fixture;
mod temp_folder;

use ratatosk::game::{Action, Game, GameId, PlayerId};
use ratatosk::store::{Commit, Delivery, OutboxMessage, RequestId, Store};
use seeded_rng::Rng;
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;
use store_fixture::{BJORN, DAWN, TempStore, begin, brandubh, post, update};

/// Where this is set, this process is the one that is killed.
const VICTIM: &str = "RATATOSK_TEST_VICTIM";

/// How many play at once.
const PLAYERS: u64 = 6;

#[test]
fn nothing_is_lost_when_the_process_is_killed() {
    kill_again_and_again(15);
}

#[test]
#[ignore = "takes minutes: cargo test --test store_crash -- --ignored"]
fn nothing_is_lost_when_the_process_is_killed_two_hundred_times() {
    kill_again_and_again(220);
}

fn kill_again_and_again(times: usize) {
    let room = TempStore::new("crash");
    let mut rng = Rng::new(std::process::id().into());
    let mut told = Told::default();
    for n in 0..times {
        // Every fourth one is killed while it starts, the others after their first move.
        let after = if n % 4 == 0 { Kill::WhileStarting } else { Kill::AfterFirstMove };
        told.listen_and_kill(&room.database(), after, Duration::from_micros(rng.below(100_000) as u64));
        told.verify(&room.database());
    }
    println!("{times} times killed: {} moves and {} deliveries were acknowledged", told.moves(), told.settled.len());
}

/// When a process is killed, before a random pause.
#[derive(Clone, Copy, PartialEq)]
enum Kill {
    WhileStarting,
    AfterFirstMove,
}

/// What the victims have said that they did.
#[derive(Default)]
struct Told {
    /// Of each game, its moves in their order.
    games: HashMap<u64, Vec<String>>,
    /// The numbers of messages that are owed.
    owed: HashSet<u64>,
    /// The numbers of messages that were delivered.
    settled: HashSet<u64>,
}

impl Told {
    fn moves(&self) -> usize {
        self.games.values().map(Vec::len).sum()
    }

    /// Starts a victim, listens to it from its first word on, and kills it.
    fn listen_and_kill(&mut self, database: &Path, when: Kill, pause: Duration) {
        let mut victim = Command::new(std::env::current_exe().unwrap())
            .args(["victim", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
            .env(VICTIM, database)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(victim.stdout.take().unwrap());
        let (heard, words) = channel();
        let listener = std::thread::spawn(move || {
            // Nobody listens to the words any more once the victim is killed.
            let lines = lines.lines().map_while(Result::ok).inspect(|line| drop(heard.send(line.clone())));
            lines.collect::<Vec<_>>()
        });
        if when == Kill::AfterFirstMove {
            assert!(words.iter().any(|line| line.starts_with("moved ")), "the victim has died by itself");
        }
        // The moment is random. Whatever the victim does until then, what it has said must be true.
        std::thread::sleep(pause);
        assert!(victim.try_wait().unwrap().is_none(), "the victim has died by itself");
        // SIGKILL.
        victim.kill().unwrap();
        victim.wait().unwrap();
        for line in listener.join().unwrap() {
            self.hear(&line);
        }
    }

    fn hear(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |word: &str| word.parse::<u64>().unwrap();
        match words[..] {
            ["began", game, "."] => assert!(self.games.insert(number(game), Vec::new()).is_none()),
            ["moved", game, ply, played, owed, "."] => {
                let moves = self.games.get_mut(&number(game)).unwrap();
                // A move that was on the disk but whose acknowledgement was never heard comes before.
                assert!(number(ply) as usize >= moves.len(), "{line}");
                moves.resize(number(ply) as usize, String::new());
                moves.push(played.to_owned());
                assert!(self.owed.insert(number(owed)), "{line}");
            }
            ["settled", owed, "."] => assert!(self.settled.insert(number(owed)), "delivered twice: {line}"),
            // What the test harness says, and a line that was cut short.
            _ => {}
        }
    }

    /// Opens the file and compares it with what was heard.
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
            // At most the one move that was under way is there without having been acknowledged, in each life.
            for (played, told) in plies.iter().zip(moves).filter(|(_, told)| !told.is_empty()) {
                assert_eq!(&played.to_string(), told);
            }
        }
        for owed in &self.owed {
            let open = store.session().unwrap().message(ratatosk::store::OutboxId(*owed)).unwrap();
            let is_settled = self.settled.contains(owed);
            assert!(open.is_none() || !is_settled, "message {owed} was delivered and is owed again");
        }
        // Nothing twice, nothing without its message: in the file each move has its request and its message.
        let other = rusqlite::Connection::open(database).unwrap();
        let count = |sql: &str| other.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        let moves = count("SELECT count(*) FROM moves");
        assert_eq!(count("SELECT count(*) FROM outbox"), moves);
        assert_eq!(count("SELECT count(*) FROM requests"), moves);
        for owed in &self.owed {
            let there = format!("SELECT count(*) FROM outbox WHERE id = {owed}");
            assert_eq!(count(&there), 1, "message {owed} is gone");
        }
        store.close().unwrap();
    }
}

/// Plays until it is killed, and says what it has done as soon as it is acknowledged.
#[test]
#[ignore = "is started and killed by the tests above"]
fn victim() {
    let Some(database) = std::env::var_os(VICTIM) else { return };
    // The test harness has begun a line.
    println!();
    let store = Store::open(Path::new(&database)).unwrap();
    std::thread::scope(|scope| {
        for player in 1..=PLAYERS {
            let store = &store;
            scope.spawn(move || play_for_ever(store, player));
        }
        scope.spawn(|| deliver_for_ever(&store));
    });
}

/// Writes a line in one piece, so that it is heard whole or not at all.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line} .\n").as_bytes()).and_then(|()| out.flush()).unwrap();
}

fn play_for_ever(store: &Store, player: u64) {
    let mut rng = Rng::new(player ^ u64::from(std::process::id()));
    let mut game: Option<Game> = None;
    loop {
        let now = game.take().filter(|game| game.result.is_none() && game.record.plies().len() < 40);
        let current = now.unwrap_or_else(|| {
            let players = ratatosk::game::Players { attackers: PlayerId(player), defenders: BJORN };
            let begun = begin(store, ratatosk::game::Start { players, ..brandubh() }, DAWN);
            say(&format!("began {}", begun.id.0));
            begun
        });
        let moves: Vec<_> = current.record.playable_moves().collect();
        let action = Action::Move { mv: rng.pick(&moves), confirmed: true };
        let moved = current.act(current.player_to_move().unwrap(), action, DAWN).unwrap();
        let (effects, moved) = (vec![update(&moved), post(moved.game.id, "moved")], moved.game);
        let ply = moved.record.plies().len() - 1;
        let request = RequestId(moved.id.0 * 1_000 + ply as u64);
        let saved = store.commit(Commit { request: Some(request), effects, now: DAWN }).unwrap();
        say(&format!("moved {} {ply} {} {}", moved.id.0, moved.record.plies()[ply], saved.messages[0].id.0));
        game = Some(moved);
    }
}

fn deliver_for_ever(store: &Store) {
    loop {
        for OutboxMessage { id, .. } in store.session().unwrap().due_messages(DAWN, 3).unwrap() {
            store.settle(id, Delivery::WithoutButtons { message: Some(1) }, DAWN).unwrap();
            say(&format!("settled {}", id.0));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
