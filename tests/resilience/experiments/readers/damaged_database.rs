//! A database in which any cell can be damaged: it gets a value that no statement would write.

use super::plain_markup::Plain;
use super::store_fixture::{ASTRID, BJORN, CHANNEL, NOW, TempStore, begin, brandubh, play};
use ratatosk::app::autocomplete::FocusedOption;
use ratatosk::app::{App, Command, GameCommand, Person, Request};
use ratatosk::commands::OptionKind;
use ratatosk::game::{
    BotPermissions, ChallengeId, GameId, OfferKind, Pace, PlacePart, PlayerId, PlayerSettings, Reminders, Seconds,
    ServerId, ServerSettings, Timestamp,
};
use ratatosk::store::{ConnectionState, Heartbeat, Listing, OutboxId, OutboxMessage, RequestId, Store, StoreError};
use rusqlite::Connection;
use rusqlite::types::Value;

/// Returns how many rows could not be read, or why none could.
type Query = fn(&Store) -> Result<usize, StoreError>;

/// Something that the whole app does.
type Task = fn(&Bot) -> Result<(), StoreError>;

/// The app at several times: during the game, after a challenge has expired, after a deadline.
struct Bot {
    now: App,
    later: App,
    much_later: App,
}

impl Bot {
    fn new(store: &Store) -> Self {
        let at = |time: Timestamp| App::new(store.clone(), move || time, || true);
        Self { now: at(NOW), later: at(NOW + Seconds(3_600)), much_later: at(NOW + Seconds::days(10)) }
    }
}

/// What users and the timer do, whatever is damaged.
const TASKS: &[Task] = &[
    |bot| bot.later.handle_due(NOW).map(drop),
    |bot| bot.much_later.handle_due(NOW).map(drop),
    |bot| for_each_message(&bot.now, |message| bot.now.post(message, &Plain).map(drop)),
    |bot| for_each_message(&bot.now, |message| bot.now.destination(message).map(drop)),
    |bot| bot.now.autocomplete(&focused(OptionKind::Move), &Plain).map(drop),
    |bot| bot.now.autocomplete(&focused(OptionKind::Game), &Plain).map(drop),
    |bot| bot.now.autocomplete(&focused(OptionKind::AnyGame), &Plain).map(drop),
    |bot| {
        run_command(
            &bot.now,
            &ASTRID_PLAYER,
            in_game(GameCommand::Move { typed: String::from("b1-c1"), confirmed: false }),
        )
    },
    |bot| run_command(&bot.now, &ASTRID_PLAYER, in_game(GameCommand::Board { text: None, public: false })),
    |bot| run_command(&bot.now, &ASTRID_PLAYER, in_game(GameCommand::History { ply: None, public: false })),
    |bot| run_command(&bot.now, &ASTRID_PLAYER, Command::Games { player: None }),
    |bot| run_command(&bot.now, &ASTRID_PLAYER, Command::Challenges),
];

struct Player {
    id: PlayerId,
    name: &'static str,
}

const ASTRID_PLAYER: Player = Player { id: ASTRID, name: "Astrid" };
const BJORN_PLAYER: Player = Player { id: BJORN, name: "Bjorn" };

impl Player {
    fn person(&self) -> Person {
        Person { id: self.id, name: self.name.to_owned(), is_bot: false, can_see_channel: true }
    }
}

fn in_game(game_command: GameCommand) -> Command {
    Command::InGame { game: Some(GAME), version: None, game_command }
}

fn run_command(app: &App, player: &Player, command: Command) -> Result<(), StoreError> {
    handle(app, None, player, command)
}

fn handle(app: &App, id: Option<RequestId>, player: &Player, command: Command) -> Result<(), StoreError> {
    let request = Request { id, person: player.person(), place: CHANNEL, permissions: BotPermissions::ALL, command };
    app.handle(&request, &Plain).map(drop)
}

fn focused(kind: OptionKind) -> FocusedOption<'static> {
    static ASTRID_PERSON: std::sync::LazyLock<Person> = std::sync::LazyLock::new(|| ASTRID_PLAYER.person());
    FocusedOption { person: &ASTRID_PERSON, place: CHANNEL, kind, typed: "", game: None, variant: None }
}

fn for_each_message(app: &App, see: impl Fn(&OutboxMessage) -> Result<(), StoreError>) -> Result<(), StoreError> {
    app.store().session().unwrap().due_messages(NOW, 5)?.iter().try_for_each(see)
}

/// A table, the row to damage, its columns, and all queries of it.
struct Table {
    name: &'static str,
    row: &'static str,
    columns: &'static str,
    queries: &'static [Query],
}

const GAME: GameId = GameId(1);
const MESSAGE: OutboxId = OutboxId(1);

const TABLES: &[Table] = &[
    Table {
        name: "games",
        row: "id = 1",
        columns: "version variant layout ruleset attackers defenders pace server channel thread began changed plies \
                  position to_move deadline reminded flagged offers wake_at winner ending ended",
        queries: &[
            |store| store.session().unwrap().game(GAME).map(|_| 0),
            |store| store.session().unwrap().game_row(GAME).map(|_| 0),
            |store| store.session().unwrap().running_games(ASTRID).map(unreadable),
            |store| store.session().unwrap().finished_games(BJORN, 5).map(unreadable),
            |store| store.session().unwrap().games_in(CHANNEL).map(unreadable),
            |store| store.session().unwrap().due_games(NOW, 5).map(|_| 0),
            |store| store.session().unwrap().next_wake().map(|_| 0),
            |store| store.session().unwrap().acceptance_context(ASTRID, BJORN).map(|_| 0),
            |store| store.session().unwrap().servers_of_games().map(|_| 0),
            |store| store.session().unwrap().channels_of_games(ServerId(7)).map(|_| 0),
            |store| store.session().unwrap().stats().map(|_| 0),
        ],
    },
    Table {
        name: "moves",
        row: "game = 1 AND ply = 0",
        columns: "game ply played at",
        queries: &[|store| store.session().unwrap().game(GAME).map(|_| 0)],
    },
    Table {
        name: "rulesets",
        row: "id = 1",
        columns: "rules start",
        queries: &[|store| store.session().unwrap().game(GAME).map(|_| 0)],
    },
    Table {
        name: "challenges",
        row: "id = 1",
        columns: "challenger opponent variant layout side pace server channel thread made expires state",
        queries: &[
            |store| store.session().unwrap().challenge(ChallengeId(1)).map(|_| 0),
            |store| store.session().unwrap().open_challenges(ASTRID, Some(CHANNEL), NOW).map(unreadable),
            |store| store.session().unwrap().due_challenges(NOW, 5).map(|_| 0),
            |store| store.session().unwrap().next_wake().map(|_| 0),
        ],
    },
    Table {
        name: "outbox",
        row: "id = 1",
        columns: "game challenge server channel thread body reminds ping made due attempts closed post why",
        queries: &[
            |store| store.session().unwrap().due_messages(NOW, 5).map(|_| 0),
            |store| store.session().unwrap().message(MESSAGE).map(|_| 0),
            |store| store.session().unwrap().messages_before(OutboxId(2)).map(|_| 0),
        ],
    },
    Table {
        name: "requests",
        row: "id = 1",
        columns: "outbox at",
        queries: &[|store| store.session().unwrap().handled_request(RequestId(1)).map(|_| 0)],
    },
    Table {
        name: "players",
        row: "id = 101",
        columns: "name name_key",
        queries: &[
            |store| store.session().unwrap().name_of(ASTRID).map(|_| 0),
            |store| store.session().unwrap().names_of(&[ASTRID, BJORN]).map(|_| 0),
            |store| store.session().unwrap().names_beginning("a", 5).map(|_| 0),
            |store| store.session().unwrap().find_player("Astrid").map(|_| 0),
        ],
    },
    Table {
        name: "blocks",
        row: "player = 101",
        columns: "blocked since",
        queries: &[
            |store| store.session().unwrap().blocked_by(ASTRID).map(|_| 0),
            |store| store.session().unwrap().acceptance_context(ASTRID, BJORN).map(|_| 0),
        ],
    },
    Table {
        name: "posts",
        row: "outbox = 1",
        columns: "game challenge channel post stale",
        queries: &[|store| store.session().unwrap().stale_posts(5).map(|_| 0)],
    },
    Table {
        name: "notes",
        row: "name = 'a'",
        columns: "note",
        queries: &[|store| store.session().unwrap().note("a").map(|_| 0)],
    },
    Table {
        name: "servers",
        row: "id = 7",
        columns: "theme threads pace",
        queries: &[|store| store.session().unwrap().server_settings(ServerId(7)).map(|_| 0)],
    },
    Table {
        name: "preferences",
        row: "player = 101",
        columns: "reminders theme flipped as_text",
        queries: &[|store| store.session().unwrap().player_settings(ASTRID).map(|_| 0)],
    },
    Table {
        name: "gone",
        row: "place = 70",
        columns: "since",
        queries: &[|store| store.session().unwrap().is_gone(CHANNEL).map(|_| 0)],
    },
    Table {
        name: "heartbeat",
        row: "id = 1",
        columns: "version process started beat state answers slowest_ms unknown_events",
        queries: &[|store| store.session().unwrap().heartbeat().map(|_| 0)],
    },
];

fn unreadable<T>(listing: Listing<T>) -> usize {
    listing.unreadable
}

/// A cell and its right value.
struct Cell {
    table: &'static Table,
    right: Value,
    /// The statements that damage and repair it.
    damage: String,
    repair: String,
}

/// How a damaged cell was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Read {
    /// Everything could be read.
    Understood,
    /// Something was refused with an error.
    Refused,
    /// SQLite cannot store the value.
    Impossible,
}

/// A small database with a row in every table, an app that reads it, and a connection that damages it.
pub struct Damaged {
    reader: Store,
    /// It can only read: its writes are refused.
    bot: Bot,
    writer: Connection,
    cells: Vec<Cell>,
    /// The cell that is damaged now. It is repaired together with the next damage.
    damaged: Option<usize>,
    temp: TempStore,
}

impl Damaged {
    /// Makes the database.
    pub fn new() -> Self {
        let temp = TempStore::new("damaged");
        fill(&temp);
        let writer = open_unchecked(&temp);
        let reader = Store::open_read_only(&temp.database()).unwrap();
        assert_eq!(reader.check().unwrap(), [], "it is sound at first");
        let cells = TABLES.iter().flat_map(|table| table.columns.split_whitespace().map(move |column| (table, column)));
        let cell = |(table, column): (&'static Table, &str)| {
            let Table { name, row, .. } = table;
            let right = writer.query_row(&format!("SELECT {column} FROM {name} WHERE {row}"), [], |row| row.get(0));
            let damage = format!("UPDATE {name} SET {column} = ?1 WHERE {row}");
            // A row with a damaged key is found by its unique time.
            let repair = match (*name, column) {
                ("moves", "game" | "ply") => format!("UPDATE moves SET {column} = ?1 WHERE at = 1"),
                ("blocks", "blocked") => String::from("UPDATE blocks SET blocked = ?1 WHERE since = 1"),
                _ => damage.clone(),
            };
            Cell { table, right: right.unwrap(), damage, repair }
        };
        let bot = Bot::new(&reader);
        Self { cells: cells.map(cell).collect(), reader, bot, writer, damaged: None, temp }
    }

    /// Returns how many cells there are.
    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    /// Names a cell.
    pub fn name(&self, cell: usize) -> &str {
        &self.cells[cell].damage
    }

    /// Returns the right value of a cell.
    pub fn right(&self, cell: usize) -> &Value {
        &self.cells[cell].right
    }

    /// Damages a cell, repairs the one before, and runs all queries of the table.
    pub fn read_with(&mut self, cell: usize, wrong: &Value) -> Read {
        let Cell { table, damage, .. } = &self.cells[cell];
        self.run("BEGIN IMMEDIATE");
        self.repair();
        let put = self.writer.prepare_cached(damage).unwrap().execute([wrong]);
        self.run("COMMIT");
        if put.is_err() {
            self.damaged = None;
            return Read::Impossible;
        }
        self.damaged = Some(cell);
        let answers = table.queries.iter().map(|ask| is_read(ask(&self.reader)));
        if answers.fold(true, |all, one| all & one) { Read::Understood } else { Read::Refused }
    }

    /// Does what users and the timer do. Returns whether everything could be read.
    pub fn run_tasks(&self) -> bool {
        TASKS.iter().map(|task| is_read(task(&self.bot).map(|()| 0))).fold(true, |all, one| all & one)
    }

    /// Does the same with an app that can write, on a copy of the damaged file.
    pub fn assert_survives_writing(&self) {
        let path = self.temp.path("copy.db");
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(self.temp.path(&format!("copy.db{suffix}")));
        }
        let progress: Option<fn(rusqlite::backup::Progress)> = None;
        self.writer.backup("main", &path, progress).unwrap();
        // Some damage prevents opening.
        let Ok(store) = Store::open(&path) else { return };
        let bot = Bot::new(&store);
        // The timer last, because it ends the game.
        for task in TASKS.iter().rev() {
            assert_ne!(task(&bot).err(), Some(StoreError::Stopped), "something broke");
        }
        assert_eq!(store.close(), Ok(()));
    }

    /// Returns whether `check` finds the damage.
    pub fn is_found_by_check(&self) -> bool {
        !self.reader.check().unwrap().is_empty()
    }

    /// Repairs the last cell, and returns whether everything is sound.
    pub fn repair_and_check(&mut self) -> bool {
        self.repair();
        self.damaged = None;
        self.reader.check() == Ok(Vec::new())
            && self.reader.session().unwrap().game(GAME).unwrap().unwrap().record.plies().len() == 2
    }

    fn repair(&self) {
        if let Some(Cell { repair, right, .. }) = self.damaged.map(|cell| &self.cells[cell]) {
            assert_eq!(self.writer.prepare_cached(repair).unwrap().execute([right]), Ok(1), "{repair}");
        }
    }

    fn run(&self, sql: &str) {
        self.writer.prepare_cached(sql).unwrap().execute([]).unwrap();
    }
}

/// Returns whether everything could be read that was asked for.
fn is_read(answer: Result<usize, StoreError>) -> bool {
    match answer {
        Ok(unreadable) => unreadable == 0,
        // Writes are refused here in any case.
        Err(StoreError::ReadOnly(_)) => true,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert_ne!(error, StoreError::Stopped, "something broke");
            false
        }
    }
}

/// Puts at least one row into every table.
fn fill(temp: &TempStore) {
    let store = temp.open();
    play(&store, &begin(&store, brandubh(), NOW), "d1-b1", NOW);
    let app = App::new(store.clone(), || NOW, || true);
    let moved = GameCommand::Move { typed: String::from("d3-b3"), confirmed: false };
    handle(&app, Some(RequestId(1)), &BJORN_PLAYER, in_game(moved)).unwrap();
    handle(&app, Some(RequestId(2)), &ASTRID_PLAYER, in_game(GameCommand::Offer(OfferKind::Draw))).unwrap();
    store.block(ASTRID, BJORN, NOW).unwrap();
    let pace = Pace::from_days(Some(3));
    store
        .change_server_settings(
            ServerId(7),
            ServerSettings { theme: Some(String::from("oak")), threads: Some(true), pace },
        )
        .unwrap();
    let theme = Some(String::from("slate"));
    let player_settings =
        PlayerSettings { reminders: Some(Reminders::Direct), theme, flipped: Some(true), as_text: Some(false) };
    store.change_player_settings(ASTRID, player_settings).unwrap();
    store.write_note("a", "b").unwrap();
    store.mark_gone(PlacePart::Channel(CHANNEL.channel), NOW).unwrap();
    store
        .write_heartbeat(Heartbeat {
            version: String::from("0"),
            process: 1,
            started: NOW,
            beat: NOW,
            state: ConnectionState::Connected,
            answers: 1,
            slowest_ms: 1,
            unknown_events: 0,
        })
        .unwrap();
    store.close().unwrap();
    let db = Connection::open(temp.database()).unwrap();
    db.execute_batch(
        "INSERT INTO challenges (id, challenger, variant, layout, side, channel, made, expires, state)
             SELECT 1, attackers, variant, layout, 'random', 70, began, began + 600, 'open' FROM games;
         INSERT INTO posts SELECT 1, 1, NULL, 70, 5, 1;
         UPDATE moves SET at = ply + 1; UPDATE blocks SET since = 1",
    )
    .unwrap();
}

/// Opens a connection that can write anything: it has read a schema without types and constraints, before the right one
/// was restored.
fn open_unchecked(temp: &TempStore) -> Connection {
    let db = Connection::open(temp.database()).unwrap();
    // NOT NULL inside of a CHECK may stay, because checks are ignored.
    let loose = ["') STRICT, ', ') '", "') STRICT', ')'", "'IS NOT NULL', 'NOTNULL'", "'NOT NULL', ''"];
    let loose = loose.iter().fold(String::from("sql"), |sql, change| format!("replace({sql}, {change})"));
    let rewrite = format!(
        "PRAGMA writable_schema = ON; CREATE TEMP TABLE truth AS SELECT name, sql FROM sqlite_schema;
         UPDATE sqlite_schema SET sql = {loose} WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    );
    db.execute_batch(&rewrite).unwrap();
    let unchecked = Connection::open(temp.database()).unwrap();
    // Two statements for each cell.
    unchecked.set_prepared_statement_cache_capacity(256);
    unchecked
        .execute_batch(
            "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF;
             SELECT * FROM games LIMIT 0",
        )
        .unwrap();
    let restore = "UPDATE sqlite_schema SET sql = (SELECT sql FROM truth WHERE truth.name = sqlite_schema.name)
            WHERE type = 'table' AND name NOT LIKE 'sqlite%'";
    db.execute_batch(restore).unwrap();
    unchecked
}
