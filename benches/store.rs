//! How fast the store is, beside a raw loop of `write` and `fdatasync` of the same bytes on the same disk.
//!
//! `cargo bench --bench store` prints a table; each line has its target, if there is one. The million games are made once
//! and kept under `target/`.
#![allow(clippy::unwrap_used, clippy::panic)]

mod workloads;

use ratatosk::game::{GameId, PlayerId};
use ratatosk::store::{Commit, Store};
use std::fs::{self, File};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};
use workloads::store::{NOW, Player, crowd, fresh, make_games, middle, raw};

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

/// Plays moves and nothing else, for `strace -f -c -e trace=fsync,fdatasync`.
fn only_moves(folder: &Path, moves: usize) {
    let store = Store::open(&fresh(folder, "moves.db")).unwrap();
    let mut player = Player::new(&store, 1);
    for _ in 0..moves {
        let write = player.decide(&store);
        store.commit(write).unwrap();
    }
    // Exit without closing the file, so that no system calls of closing it are counted.
    std::process::exit(0);
}

fn line(what: &str, measured: String, asked: &str) {
    println!("{what:<58} {measured:>14}   {asked}");
}

/// Measures moves. Other programs use the disk, too, and its speed varies: the raw loop and the store take turns.
fn moving(folder: &Path) {
    const TURNS: usize = 20;
    const MOVES: usize = 100;
    let store = Store::open(&fresh(folder, "moves.db")).unwrap();
    let mut player = Player::new(&store, 1);
    let log = folder.join("moves.db-wal");
    let turn = |player: &mut Player| -> Duration {
        let writes: Vec<Commit> = (0..MOVES).map(|_| player.decide(&store)).collect();
        let started = Instant::now();
        for write in writes {
            store.commit(write).unwrap();
        }
        started.elapsed()
    };
    // The log grows by what a move writes, as long as it is not copied back.
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

/// Makes a game of 80 moves by random play.
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
    store.session().unwrap().due_games(NOW, 10).unwrap();
    store.session().unwrap().due_messages(NOW, 10).unwrap();
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
    let running = store.session().unwrap().running_games(player).unwrap().len();
    let each = worst(|| store.session().unwrap().running_games(player).unwrap());
    line(&format!("a million games: a player's {running} running games"), each, asked);
    let finished = worst(|| store.session().unwrap().finished_games(player, 25).unwrap());
    line("a million games: a player's last 25 finished games", finished, asked);
    let due = store.session().unwrap().due_games(NOW, 100).unwrap().len();
    line(
        &format!("a million games: {due} due deadlines"),
        worst(|| store.session().unwrap().due_games(NOW, 100).unwrap()),
        asked,
    );
    line("a million games: when to wake next", worst(|| store.session().unwrap().next_wake().unwrap()), asked);
    line(
        "a million games: load and replay 80 moves",
        worst(|| store.session().unwrap().game(long).unwrap().unwrap()),
        asked,
    );
    let mut player = Player::new(&store, 77);
    line("a million games: one move, on the disk", worst(|| player.play(&store)), "");
    store.close().unwrap();
    let started = Instant::now();
    let store = Store::open(&path).unwrap();
    store.session().unwrap().due_games(NOW, 10).unwrap();
    line("a million games: from opening to the first answer", ms(started.elapsed()), "");
    store.close().unwrap();
}

/// Runs something many times; returns the median and the 99th percentile of its times.
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
