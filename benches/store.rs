//! How fast the store is, beside a raw loop of `write` and `fdatasync` of the same bytes on the same disk.
//!
//! `cargo bench --bench store` prints a table, each line with what is asked of it. The million games are made once and
//! kept under `target/`.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use ratatosk::game::{Action, Game, GameId, Moment, Pace, Place, PlayerId, Players, Start};
use ratatosk::rules::{Move, Variant};
use ratatosk::store::{About, Effect, RequestId, Store, Write};
use rusqlite::Connection;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const NOW: Moment = Moment(1_800_000_000);
const PLACE: Place = Place { server: Some(7), channel: 70, thread: Some(700) };

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/bench-store");
    fs::create_dir_all(&folder).unwrap();
    let words: Vec<String> = std::env::args().collect();
    if let Some(at) = words.iter().position(|word| word == "moves") {
        return only_moves(&folder, words[at + 1].parse().unwrap());
    }
    line("", String::from("measured"), "asked");
    moving(&folder);
    start_up(&folder);
    a_million_games(&folder);
}

/// Plays so many moves and nothing else: for `strace -f -c -e trace=fsync,fdatasync`.
fn only_moves(folder: &Path, moves: usize) {
    let store = Store::open(&fresh(folder, "moves.db")).unwrap();
    let mut player = Player::new(&store, 1);
    for _ in 0..moves {
        let write = player.decide(&store);
        store.save(write).unwrap();
    }
    // As if the power had failed: what closing the file does is left out.
    std::process::exit(0);
}

fn line(what: &str, measured: String, asked: &str) {
    println!("{what:<58} {measured:>14}   {asked}");
}

/// Other programs use the disk, too, and it is now quick, now slow: the raw loop and the store take turns.
fn moving(folder: &Path) {
    const TURNS: usize = 20;
    const MOVES: usize = 100;
    let store = Store::open(&fresh(folder, "moves.db")).unwrap();
    let mut player = Player::new(&store, 1);
    let log = folder.join("moves.db-wal");
    let turn = |player: &mut Player| -> Duration {
        let writes: Vec<Write> = (0..MOVES).map(|_| player.decide(&store)).collect();
        let started = Instant::now();
        for write in writes {
            store.save(write).unwrap();
        }
        started.elapsed()
    };
    // What a move writes: the log grows by so much, as long as it is not copied back.
    turn(&mut player);
    let before = fs::metadata(&log).unwrap().len();
    turn(&mut player);
    let bytes = (fs::metadata(&log).unwrap().len() - before) / MOVES as u64;
    let mut raw_file = File::create(folder.join("raw")).unwrap();
    let (mut raws, mut ours, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let raw = raw(&mut raw_file, bytes, MOVES).as_secs_f64();
        let our = turn(&mut player).as_secs_f64();
        raws.push(MOVES as f64 / raw);
        ours.push(MOVES as f64 / our);
        ratios.push(raw / our);
    }
    let raw_rate = middle(&mut raws);
    line("raw loop: write + fdatasync, a second", format!("{raw_rate:.0}"), &format!("of {bytes} bytes each"));
    line("one player, a commit a move: moves a second", format!("{:.0}", middle(&mut ours)), "");
    line("  beside the raw loop", format!("{:.2}", middle(&mut ratios)), "at least 0.8");
    let (mut crowds, mut ratios) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        let raw_rate = 4.0 * MOVES as f64 / raw(&mut raw_file, bytes, 4 * MOVES).as_secs_f64();
        crowds.push(crowd(&store, 64, Duration::from_secs(1)));
        ratios.push(crowds[crowds.len() - 1] / raw_rate);
    }
    line("64 players at once: moves a second", format!("{:.0}", middle(&mut crowds)), "");
    line("  beside the raw loop", format!("{:.1}", middle(&mut ratios)), "at least 5");
    store.close().unwrap();
    fs::remove_file(folder.join("raw")).unwrap();
}

fn middle(numbers: &mut [f64]) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Appends as many bytes as a move writes, and waits for the disk each time.
fn raw(file: &mut File, bytes: u64, times: usize) -> Duration {
    let chunk = vec![0x5A; usize::try_from(bytes).unwrap()];
    let started = Instant::now();
    for _ in 0..times {
        file.write_all(&chunk).unwrap();
        file.sync_data().unwrap();
    }
    started.elapsed()
}

fn crowd(store: &Store, players: u64, time: Duration) -> f64 {
    let moves = AtomicU64::new(0);
    let mut seated: Vec<Player> = (0..players).map(|n| Player::new(store, 1_000 + n)).collect();
    let started = Instant::now();
    std::thread::scope(|scope| {
        for player in &mut seated {
            let (moves, store) = (&moves, &*store);
            scope.spawn(move || {
                while started.elapsed() < time {
                    player.play(store);
                    moves.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    moves.load(Ordering::Relaxed) as f64 / started.elapsed().as_secs_f64()
}

/// The number of the next request: one that no earlier run has used.
static REQUESTS: LazyLock<AtomicU64> = LazyLock::new(|| {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
    AtomicU64::new(since.as_micros() as u64)
});

/// Somebody who moves: each time the game, the move, the request and the message that is owed.
struct Player {
    number: u64,
    game: Game,
    dice: u64,
}

impl Player {
    fn new(store: &Store, number: u64) -> Self {
        Self { number, game: begin(store, number), dice: number }
    }

    fn play(&mut self, store: &Store) {
        let write = self.decide(store);
        store.save(write).unwrap();
    }

    /// Makes a move without saving it; where a game is over, the next one is begun.
    fn decide(&mut self, store: &Store) -> Write {
        if self.game.result.is_some() || self.game.record.plies().len() >= 80 {
            self.game = begin(store, self.number);
        }
        let action = Action::Move { mv: self.pick(), confirmed: true };
        let player = self.game.player_to_move().unwrap();
        self.game = self.game.act(player, action, NOW).unwrap().game;
        let request = Some((RequestId(REQUESTS.fetch_add(1, Ordering::Relaxed)), String::from("moved")));
        let effects = vec![
            Effect::Update { game: Box::new(self.game.clone()) },
            Effect::Owe {
                about: About::Game(self.game.id),
                place: PLACE,
                news: String::from(r#"{"news":"moved","ply":12}"#),
                call: Some(player),
            },
        ];
        Write { request, effects, now: NOW }
    }

    fn pick(&mut self) -> Move {
        let moves: Vec<Move> = self.game.record.offered_moves().collect();
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        moves[(self.dice >> 33) as usize % moves.len()]
    }
}

fn begin(store: &Store, number: u64) -> Game {
    let start = start(PlayerId(number), PlayerId(number + 500_000));
    let effects = vec![Effect::Begin { start }];
    let id = store.save(Write { request: None, effects, now: NOW }).unwrap().game.unwrap();
    Game::begin(id, start, NOW).unwrap()
}

fn start(attackers: PlayerId, defenders: PlayerId) -> Start {
    let variant = Variant::find("fetlar").unwrap();
    let players = Players { attackers, defenders };
    Start {
        variant,
        layout: variant.usual_layout(),
        rules: variant.rules,
        players,
        pace: Pace::default(),
        place: PLACE,
    }
}

fn fresh(folder: &Path, name: &str) -> PathBuf {
    for suffix in ["", "-wal", "-shm", ".lock"] {
        let _ = fs::remove_file(folder.join(format!("{name}{suffix}")));
    }
    folder.join(name)
}

/// A game of 80 moves, made by random play that did not end before.
fn long_game(store: &Store) -> GameId {
    let mut seed = 9_000;
    loop {
        let mut player = Player { dice: seed, ..Player::new(store, 9_000) };
        while player.game.result.is_none() && player.game.record.plies().len() < 80 {
            player.play(store);
        }
        if player.game.record.plies().len() == 80 {
            return player.game.id;
        }
        seed += 1;
    }
}

fn start_up(folder: &Path) {
    let path = fresh(folder, "start.db");
    make_games(&path, 10_000);
    let started = Instant::now();
    let store = Store::open(&path).unwrap();
    store.due_games(NOW, 10).unwrap();
    store.owed(NOW, 10).unwrap();
    line("10,000 games: from opening to the first answer", ms(started.elapsed()), "less than 100 ms");
    store.close().unwrap();
}

fn a_million_games(folder: &Path) {
    let path = folder.join("million.db");
    if !path.exists() {
        let unfinished = fresh(folder, "unfinished.db");
        make_games(&unfinished, 1_000_000);
        fs::rename(&unfinished, &path).unwrap();
    }
    let store = Store::open(&path).unwrap();
    let long = long_game(&store);
    let asked = "less than 1 ms";
    // Fifty running games, the most that a player may have.
    let player = PlayerId(5);
    let running = store.running_games(player).unwrap().len();
    let each = worst(|| store.running_games(player).unwrap());
    line(&format!("a million games: a player's {running} running games"), each, asked);
    let finished = worst(|| store.finished_games(player, 25).unwrap());
    line("a million games: a player's last 25 finished games", finished, asked);
    let due = store.due_games(NOW, 100).unwrap().len();
    line(&format!("a million games: {due} due deadlines"), worst(|| store.due_games(NOW, 100).unwrap()), asked);
    line("a million games: when to wake next", worst(|| store.next_wake().unwrap()), asked);
    line("a million games: load and replay 80 moves", worst(|| store.game(long).unwrap().unwrap()), asked);
    let mut player = Player::new(&store, 77);
    line("a million games: one move, on the disk", worst(|| player.play(&store)), "");
    store.close().unwrap();
    let started = Instant::now();
    let store = Store::open(&path).unwrap();
    store.due_games(NOW, 10).unwrap();
    line("a million games: from opening to the first answer", ms(started.elapsed()), "");
    store.close().unwrap();
}

/// Gives the middle and the slowest but one in a hundred of many times.
fn worst<T>(mut what: impl FnMut() -> T) -> String {
    let mut times: Vec<Duration> = (0..300)
        .map(|_| {
            let started = Instant::now();
            black_box(what());
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    format!("{} / {}", ms(times[150]), ms(times[296]))
}

fn ms(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1000.0)
}

/// Fills a file with games in bulk: one in a hundred still goes on, forty moves each.
fn make_games(path: &Path, games: u32) {
    let started = Instant::now();
    let store = Store::open(path).unwrap();
    begin(&store, 1);
    store.close().unwrap();
    let db = Connection::open(path).unwrap();
    db.execute_batch(&format!(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -400000;
         BEGIN;
         INSERT OR IGNORE INTO players (id) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
             SELECT i FROM n;
         INSERT INTO games (id, version, variant, layout, ruleset, attackers, defenders, pace, server, channel, thread,
                 began, changed, plies, position, to_move, deadline, reminded, flagged, offers, wake_at, winner, ending, ended)
             WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < {games})
             SELECT i, 40, variant, layout, ruleset, CASE WHEN i % 20000 = 5 THEN 5 ELSE 1 + i * 7 % 9999 END,
                 10000 + i * 13 % 9999, 3, 7, i % 500, i, began + i, began + i + 90000, 40, position, to_move,
                 deadline + i, 0, NULL, NULL,
                 CASE WHEN i % 100 = 5 THEN wake_at - 200000 + i END, NULL,
                 CASE WHEN i % 100 = 5 THEN NULL ELSE 'agreed' END,
                 CASE WHEN i % 100 = 5 THEN NULL ELSE began + i + 90000 END
             FROM n, games WHERE games.id = 1;
         INSERT INTO moves (game, ply, played, at)
             WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 39)
             SELECT id, i, 'd1-d4xd5', began + i * 1000 FROM games, n WHERE id > 1 ORDER BY id, i;
         COMMIT;"
    ))
    .unwrap();
    db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).unwrap();
    db.close().unwrap();
    File::open(path).unwrap().sync_all().unwrap();
    let size = fs::metadata(path).unwrap().len() / 1_000_000;
    println!("({games} games made in {:.0} s: {size} MB)", started.elapsed().as_secs_f64());
}
