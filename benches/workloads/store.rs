//! What the store is asked to do when its speed is measured.

#![allow(dead_code, clippy::unwrap_used, reason = "each measurement uses its own part")]

use ratatosk::game::{
    Action, ChannelId, Game, GameMessage, GameTerms, OutboxBody, Pace, Place, PlayerId, Players, ServerId, Timestamp,
};
use ratatosk::rules::{Move, Variant};
use ratatosk::store::{Commit, Effect, NewBody, RequestId, Store};
use rusqlite::Connection;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Late enough that no deadline of these games passes while they are measured.
pub const NOW: Timestamp = Timestamp(4_000_000_000);
pub const PLACE: Place = Place { server: Some(ServerId(7)), channel: ChannelId(70), thread: Some(ChannelId(700)) };

pub fn middle(numbers: &mut [f64]) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Appends as many bytes as a move writes, and waits for the disk each time.
pub fn raw(file: &mut File, bytes: u64, times: usize) -> Duration {
    let chunk = vec![0x5A; usize::try_from(bytes).unwrap()];
    let started = Instant::now();
    for _ in 0..times {
        file.write_all(&chunk).unwrap();
        file.sync_data().unwrap();
    }
    started.elapsed()
}

pub fn crowd(store: &Store, players: u64, time: Duration) -> f64 {
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

/// A player who moves: each time the game, the move, the request and its outbox message are written.
pub struct Player {
    pub number: u64,
    pub game: Game,
    pub dice: u64,
}

impl Player {
    pub fn new(store: &Store, number: u64) -> Self {
        Self { number, game: begin(store, number), dice: number }
    }

    pub fn play(&mut self, store: &Store) {
        let write = self.decide(store);
        store.commit(write).unwrap();
    }

    /// Makes a move without saving it; where a game is over, the next one is begun.
    pub fn decide(&mut self, store: &Store) -> Commit {
        if self.game.result.is_some() || self.game.record.plies().len() >= 80 {
            self.game = begin(store, self.number);
        }
        let action = Action::Move { written: self.pick().into(), confirmed: true };
        let player = self.game.player_to_move().unwrap();
        let change = self.game.act(player, action, NOW).unwrap();
        let request = Some(RequestId(REQUESTS.fetch_add(1, Ordering::Relaxed)));
        let notice = GameMessage::Notice(change.notice(None));
        let body = OutboxBody::Game(change.game.id, notice);
        let effects = vec![
            change.clone().into(),
            Effect::AddMessage { body: NewBody::Known(body), place: PLACE, ping: Some(player) },
        ];
        self.game = change.game;
        Commit { request, effects, now: NOW }
    }

    pub fn pick(&mut self) -> Move {
        let moves: Vec<Move> = self.game.record.playable_moves().collect();
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        moves[(self.dice >> 33) as usize % moves.len()]
    }
}

pub fn begin(store: &Store, number: u64) -> Game {
    let start = start(PlayerId(number), PlayerId(number + 500_000));
    let effects = vec![Effect::BeginGame(start)];
    let id = store.commit(Commit { request: None, effects, now: NOW }).unwrap().game.unwrap();
    Game::begin(id, start, NOW).unwrap()
}

pub fn start(attackers: PlayerId, defenders: PlayerId) -> GameTerms {
    let variant = Variant::find("fetlar").unwrap();
    let players = Players { attackers, defenders };
    GameTerms {
        variant,
        layout: variant.default_layout(),
        rules: variant.rules,
        players,
        pace: Pace::default(),
        place: PLACE,
    }
}

pub fn fresh(folder: &Path, name: &str) -> PathBuf {
    for suffix in ["", "-wal", "-shm", ".lock"] {
        let _ = fs::remove_file(folder.join(format!("{name}{suffix}")));
    }
    folder.join(name)
}

/// Fills a file with games in bulk: one in a hundred still goes on, forty moves each.
pub fn make_games(path: &Path, games: u32) {
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
