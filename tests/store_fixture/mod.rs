//! A temporary store for each test, and short ways to fill it.

#![allow(dead_code, clippy::unwrap_used, reason = "each test uses its own part")]

pub mod small_disk;

use super::temp_folder::TempFolder;
use ratatosk::game::{
    Action, Change, ChannelId, Clock, ClockChange, Game, GameId, GameMessage, GameNotice, GameTerms, OutboxBody, Pace,
    Place, PlayerId, Players, ServerId, Timestamp,
};
use ratatosk::rules::Variant;
use ratatosk::store::{Commit, CommitError, Committed, Effect, NewBody, RequestId, Store};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub const ASTRID: PlayerId = PlayerId(101);
pub const BJORN: PlayerId = PlayerId(202);
pub const CHANNEL: Place = Place { server: Some(ServerId(7)), channel: ChannelId(70), thread: None };

/// The time at which tests begin.
pub const NOW: Timestamp = Timestamp(1_800_000_000);

/// A folder for a database.
pub struct TempStore {
    folder: TempFolder,
}

impl TempStore {
    /// Makes a folder in the one that Cargo provides for tests.
    pub fn new(name: &str) -> Self {
        Self { folder: TempFolder::new_in(Path::new(env!("CARGO_TARGET_TMPDIR")), name) }
    }

    /// Returns the path of something in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
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

/// Waits until a condition holds. Panics after two minutes, which only a broken program takes.
pub fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(120), "timed out waiting for {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Returns a game of brandubh, three days a move.
pub fn brandubh() -> GameTerms {
    start("brandubh", Pace::default())
}

/// Returns a game of some variant.
pub fn start(variant: &str, pace: Pace) -> GameTerms {
    let variant = Variant::find(variant).unwrap();
    GameTerms {
        variant,
        layout: variant.default_layout(),
        rules: variant.rules,
        players: Players { attackers: ASTRID, defenders: BJORN },
        pace,
        place: CHANNEL,
    }
}

/// Writes one effect.
pub fn save(store: &Store, effects: Vec<Effect>, now: Timestamp) -> Result<Committed, CommitError> {
    store.commit(Commit { request: None, effects, now })
}

/// Writes effects on behalf of a request.
pub fn save_request(store: &Store, request: u64, effects: Vec<Effect>) -> Result<Committed, CommitError> {
    store.commit(Commit { request: Some(RequestId(request)), effects, now: NOW })
}

/// Begins a game and returns it.
pub fn begin(store: &Store, start: GameTerms, now: Timestamp) -> Game {
    let id = save(store, vec![Effect::BeginGame(start)], now).unwrap().game.unwrap();
    Game::begin(id, start, now).unwrap()
}

/// Lets a player do something, and saves it.
pub fn act(store: &Store, game: &Game, player: PlayerId, action: Action, now: Timestamp) -> Game {
    let change = game.act(player, action, now).unwrap();
    save(store, vec![update(&change)], now).unwrap();
    change.game
}

/// Plays a typed move for the player whose turn it is; nothing is saved.
pub fn played(game: &Game, typed: &str, now: Timestamp) -> Change {
    let mv = game.record.try_typed(typed).unwrap().mv();
    game.act(game.player_to_move().unwrap(), Action::Move { written: mv.into(), confirmed: true }, now).unwrap()
}

/// Plays a typed move and saves it.
pub fn play(store: &Store, game: &Game, typed: &str, now: Timestamp) -> Game {
    let change = played(game, typed, now);
    save(store, vec![update(&change)], now).unwrap();
    change.game
}

/// Makes the effect that saves a change.
pub fn update(change: &Change) -> Effect {
    change.clone().into()
}

/// Makes the effect that saves the clock of a game alone.
pub fn set_clock(game: &Game, before: Clock) -> Effect {
    let (game, clock) = (game.clone(), ClockChange::ReplacesOnly(before));
    Change { game, events: Vec::new(), rematch: None, clock, relocated: false }.into()
}

/// Makes a message about a game, with a text to recognise it by.
pub fn message(game: GameId, text: &str) -> Effect {
    Effect::AddMessage { body: NewBody::Known(saying(game, text)), place: CHANNEL, ping: Some(BJORN) }
}

/// Makes the body of a message with a text to recognise it by.
pub fn saying(game: GameId, text: &str) -> OutboxBody {
    OutboxBody::Game(game, GameMessage::Notice(GameNotice { reason: Some(text.to_owned()), ..GameNotice::default() }))
}

/// Checks that two games are the same in every field.
pub fn assert_same(one: &Game, other: &Game) {
    assert_eq!((one.id, one.version), (other.id, other.version));
    assert_eq!((one.terms.variant.id, one.terms.layout.id), (other.terms.variant.id, other.terms.layout.id));
    assert_eq!(
        (one.terms.rules, one.terms.players, one.terms.pace, one.terms.place),
        (other.terms.rules, other.terms.players, other.terms.pace, other.terms.place)
    );
    assert_eq!(one.record, other.record);
    assert_eq!((one.began, one.changed), (other.began, other.changed));
    assert_eq!((one.clock, one.offers, one.result), (other.clock, other.offers, other.result));
}
