//! A temporary store for each test, and short ways to fill it.

#![allow(dead_code, clippy::unwrap_used, reason = "each test uses its own part")]

pub mod small_disk;

use ratatosk::game::{Action, Change, Game, GameId, Pace, Place, PlayerId, Players, Start, Timestamp};
use ratatosk::rules::Variant;
use ratatosk::store::{About, Commit, CommitError, Committed, Effect, RequestId, Store};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub const ASTRID: PlayerId = PlayerId(101);
pub const BJORN: PlayerId = PlayerId(202);
pub const HALL: Place = Place { server: Some(7), channel: 70, thread: None };

/// The time at which tests start.
pub const DAWN: Timestamp = Timestamp(1_800_000_000);

/// A folder that is removed at the end.
pub struct TempStore {
    folder: PathBuf,
}

impl TempStore {
    /// Makes a folder under the one that Cargo gives to tests.
    pub fn new(name: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}-{count}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Self { folder }
    }

    /// Returns the path of something in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Returns the path of the database.
    pub fn database(&self) -> PathBuf {
        self.path("games.db")
    }

    /// Opens the database.
    pub fn open(&self) -> Store {
        Store::open(&self.database()).unwrap()
    }
}

impl Drop for TempStore {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A game of brandubh, three days a move.
pub fn brandubh() -> Start {
    start("brandubh", Pace::default())
}

/// A game of some variant.
pub fn start(variant: &str, pace: Pace) -> Start {
    let variant = Variant::find(variant).unwrap();
    Start {
        variant,
        layout: variant.usual_layout(),
        rules: variant.rules,
        players: Players { attackers: ASTRID, defenders: BJORN },
        pace,
        place: HALL,
    }
}

/// Writes one effect.
pub fn save(store: &Store, effects: Vec<Effect>, now: Timestamp) -> Result<Committed, CommitError> {
    store.commit(Commit { request: None, effects, now })
}

/// Writes one effect on behalf of a request.
pub fn save_request(store: &Store, request: u64, did: &str, effects: Vec<Effect>) -> Result<Committed, CommitError> {
    store.commit(Commit { request: Some((RequestId(request), did.to_owned())), effects, now: DAWN })
}

/// Begins a game and gives it back.
pub fn begin(store: &Store, start: Start, now: Timestamp) -> Game {
    let id = save(store, vec![Effect::Begin { start }], now).unwrap().game.unwrap();
    Game::begin(id, start, now).unwrap()
}

/// Lets a player do something, and saves it.
pub fn act(store: &Store, game: &Game, player: PlayerId, action: Action, now: Timestamp) -> Game {
    let Change { game, .. } = game.act(player, action, now).unwrap();
    save(store, vec![update(&game)], now).unwrap();
    game
}

/// Plays a typed move for whoever's turn it is; nothing is saved.
pub fn played(game: &Game, typed: &str, now: Timestamp) -> Game {
    let mv = game.record.read(typed).unwrap();
    game.act(game.player_to_move().unwrap(), Action::Move { mv, confirmed: true }, now).unwrap().game
}

/// Plays a typed move and saves it.
pub fn play(store: &Store, game: &Game, typed: &str, now: Timestamp) -> Game {
    let game = played(game, typed, now);
    save(store, vec![update(&game)], now).unwrap();
    game
}

/// Makes the effect that saves a game.
pub fn update(game: &Game) -> Effect {
    Effect::Update { game: Box::new(game.clone()) }
}

/// Makes the effect that saves the clock of a game alone.
pub fn wind(game: &Game) -> Effect {
    Effect::Wind { game: game.id, version: game.version, clock: game.clock }
}

/// Makes a message that is owed about a game.
pub fn owe(game: GameId, news: &str) -> Effect {
    Effect::Owe { about: About::Game(game), place: HALL, news: format!("\"{news}\""), call: Some(BJORN) }
}

/// Compares everything that a game has.
pub fn assert_same(one: &Game, other: &Game) {
    assert_eq!((one.id, one.version), (other.id, other.version));
    assert_eq!((one.start.variant.id, one.start.layout.id), (other.start.variant.id, other.start.layout.id));
    assert_eq!(
        (one.start.rules, one.start.players, one.start.pace, one.start.place),
        (other.start.rules, other.start.players, other.start.pace, other.start.place)
    );
    assert_eq!(one.record, other.record);
    assert_eq!((one.began, one.changed), (other.began, other.changed));
    assert_eq!((one.clock, one.offers, one.result), (other.clock, other.offers, other.result));
}
