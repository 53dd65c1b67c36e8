//! Whatever is read is understood or refused: texts that are nearly right, and rows of a file that was damaged.

use crate::dice::{Dice, set_ups};
use crate::store_room::{ASTRID, BJORN, DAWN, Room, begin, brandubh, owe, play, played, save, update};
use crate::strange;
use ratatosk::app::code;
use ratatosk::config::{Loaded, Purpose, Sources};
use ratatosk::rules::{Move, Record, notation, opentafl};
use ratatosk::store::StoreError;

/// Reads so many texts; gives how many of them were understood.
type Reader = fn(&mut Dice, usize) -> usize;

/// Everything that reads something.
pub const READERS: [(&str, Reader); 5] = [
    ("moves", moves),
    ("records of games", records),
    ("configuration", configuration),
    ("texts of buttons", codes),
    ("rows of a damaged database", rows),
];

/// Has everything read so many texts, and tells what came of it.
pub fn read_all(cases: usize) {
    let mut dice = Dice::new(u64::from(std::process::id()));
    for (what, read) in READERS {
        let understood = read(&mut dice, cases);
        println!("{what}: {cases} read, {understood} understood, the others refused");
        assert!(understood > 0 && understood < cases, "{what}");
    }
}

/// Spoils a text a little.
fn spoil(dice: &mut Dice, text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..dice.throw(4) {
        let at = dice.throw(letters.len() + 1);
        match dice.throw(5) {
            0 if at < letters.len() => {
                letters.remove(at);
            }
            1 if at < letters.len() => letters[at] = char::from(32 + dice.throw(95) as u8),
            2 => {
                let end = (at + dice.throw(20)).min(letters.len());
                let again: Vec<char> = letters[at..end].to_vec();
                letters.splice(at..at, again);
            }
            3 => letters.truncate(at),
            _ => {
                letters.splice(at..at, strange::text(dice).chars().take(40));
            }
        }
    }
    letters.into_iter().collect()
}

fn random_game(dice: &mut Dice, plies: usize) -> Record {
    let all: Vec<_> = set_ups().collect();
    let (variant, layout) = all[dice.throw(all.len())];
    let mut record = variant.begin(layout);
    for _ in 0..plies {
        let moves: Vec<Move> = record.offered_moves().collect();
        if moves.is_empty() {
            break;
        }
        let _ = record.play(dice.pick(&moves));
    }
    record
}

fn moves(dice: &mut Dice, cases: usize) -> usize {
    let (mut understood, mut record, mut legal) = (0, random_game(dice, 0), Vec::new());
    for case in 0..cases {
        if case % 200 == 0 {
            let plies = dice.throw(30);
            record = random_game(dice, plies);
            let played = |mv| record.book().apply(record.position(), mv).to_string();
            legal = record.book().legal_moves(record.position()).map(played).collect();
        }
        let text = match legal.len() {
            0 => strange::text(dice),
            many => {
                let which = dice.throw(many);
                spoil(dice, &legal[which])
            }
        };
        let (book, position) = (record.book(), record.position());
        let _ = notation::read_square(book, &text);
        if let Ok(mv) = notation::read_move(book, position, &text) {
            assert!(book.is_legal(position, mv), "{text:?} was read as {mv}");
            understood += 1;
        }
    }
    understood
}

fn records(dice: &mut Dice, cases: usize) -> usize {
    let (mut understood, mut written) = (0, String::new());
    for case in 0..cases {
        if case % 100 == 0 {
            let plies = dice.throw(12);
            written = opentafl::write_game(&random_game(dice, plies), &[("title", "a game")]);
        }
        let text = spoil(dice, &written);
        if let Ok(read) = opentafl::read_game(&text) {
            let again = opentafl::write_game(&read.game, &[]);
            let same = opentafl::read_game(&again).map(|other| other.game == read.game);
            assert_eq!(same.ok(), Some(true), "{text:?} became {again:?}");
            understood += 1;
        }
    }
    understood
}

fn configuration(dice: &mut Dice, cases: usize) -> usize {
    const RIGHT: &[(&str, &str)] = &[
        ("DISCORD_TOKEN", "MTE3NDk4NTc2MTI4MzY1NTY4MA.GstanD.not-a-real-token-only-for-the-stand-in-xx"),
        ("RATATOSK_DATABASE", "games.db"),
        ("RATATOSK_DISCORD_API", "http://127.0.0.1:8080"),
        ("RATATOSK_DISCORD_RESOLVE", "127.0.0.1:8443"),
        ("RATATOSK_BACKUP_EVERY", "12h"),
    ];
    const FILE: &str = "database = \"games.db\"\n[discord]\ntoken = \"MTE3.GstanD.not-a-real-token\"\napi = \"http://[::1]\"\n\
                        [log]\nlevel = \"debug\"\n[backup]\nevery = \"1d\"\nkeep = 7\n";
    let room = Room::new("configuration");
    let path = room.path("config.toml");
    let mut understood = 0;
    for case in 0..cases {
        // By turns a file and variables: a fault in one would hide how the other is read.
        let sources = if case % 2 == 0 {
            std::fs::write(&path, spoil(dice, FILE)).unwrap();
            Sources { file: Some(path.clone()), ..Sources::default() }
        } else {
            let variables = RIGHT.iter().map(|(name, value)| ((*name).into(), spoil(dice, value).into()));
            Sources { variables: variables.collect(), ..Sources::default() }
        };
        match Loaded::read(&sources, Purpose::Bot) {
            Ok(loaded) => {
                assert!(!format!("{loaded:?}").contains("not-a-real-token"), "a token is shown");
                understood += 1;
            }
            Err(faults) => {
                assert!(!faults.is_empty());
                let told = faults.iter().map(ToString::to_string).collect::<String>();
                assert!(!told.contains("not-a-real-token"), "a token is shown: {told}");
            }
        }
    }
    understood
}

fn codes(dice: &mut Dice, cases: usize) -> usize {
    let mut understood = 0;
    for _ in 0..cases {
        let code = strange::code(dice);
        let text = spoil(dice, &code);
        let Some(wish) = code::read(&text) else { continue };
        understood += 1;
        // A typed move may be longer than a button has room for.
        let Some(written) = code::write(&wish) else { continue };
        let again = code::read(&written).and_then(|wish| code::write(&wish));
        assert_eq!(again.as_deref(), Some(written.as_str()), "{text:?}");
    }
    understood
}

/// Puts anything into any cell of a database, and asks everything that a bot asks.
fn rows(dice: &mut Dice, cases: usize) -> usize {
    const CELLS: &[(&str, &str)] = &[
        ("games", "version variant layout attackers pace server thread changed plies position to_move deadline offers"),
        ("games", "flagged wake_at winner ending ended began ruleset"),
        ("moves", "ply played at"),
        ("owed", "news call due attempts channel game"),
        ("rulesets", "rules start"),
        ("challenges", "variant layout side pace state expires made opponent"),
        ("players", "name name_key"),
    ];
    let room = Room::new("rows");
    let store = room.open();
    let game = play(&store, &begin(&store, brandubh(), DAWN), "d1-b1", DAWN);
    save(&store, vec![update(&played(&game, "d3-b3", DAWN)), owe(game.id, "moved")], DAWN).unwrap();
    store.remember_player(ASTRID, "Astrid").unwrap();
    store.close().unwrap();
    let db = rusqlite::Connection::open(room.database()).unwrap();
    db.execute_batch(
        "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF;
         INSERT INTO challenges (id, challenger, variant, layout, side, channel, made, expires, state)
             SELECT 1, attackers, variant, layout, 'random', 70, began, began + 600, 'open' FROM games",
    )
    .unwrap();
    let reader = ratatosk::store::Store::open_beside(&room.database()).unwrap();
    let mut understood = 0;
    for _ in 0..cases {
        let (table, columns) = dice.pick(CELLS);
        let columns: Vec<&str> = columns.split(' ').collect();
        let column = dice.pick(&columns);
        let before: rusqlite::types::Value =
            db.query_row(&format!("SELECT {column} FROM {table} LIMIT 1"), [], |row| row.get(0)).unwrap();
        let sql = format!("UPDATE {table} SET {column} = ?1 WHERE rowid = (SELECT min(rowid) FROM {table})");
        let sql =
            if table == "moves" { format!("UPDATE moves SET {column} = ?1 WHERE game = 1 AND ply = 0") } else { sql };
        let numbers = [0, -1, 1, 7, i64::MAX, i64::MIN, DAWN.0];
        let spoilt: rusqlite::types::Value = match (&before, dice.throw(6)) {
            (rusqlite::types::Value::Text(text), 0..5) => spoil(dice, text).into(),
            (_, 5) => rusqlite::types::Value::Null,
            _ => dice.pick(&numbers).into(),
        };
        // What the file itself refuses cannot come out of it; everything is undone afterwards.
        db.execute_batch("BEGIN").unwrap();
        let changed = db.execute(&sql, [&spoilt]);
        db.execute_batch(if changed.is_ok() { "COMMIT" } else { "ROLLBACK" }).unwrap();
        if changed.is_err() {
            continue;
        }
        let clear = |outcome: Result<(), StoreError>| match outcome {
            Ok(()) => true,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                false
            }
        };
        let sound = [
            reader.game(game.id).map(drop),
            reader.running_games(ASTRID).map(drop),
            reader.finished_games(BJORN, 5).map(drop),
            reader.due_games(DAWN, 5).map(drop),
            reader.owed(DAWN, 5).map(drop),
            reader.open_challenges(ASTRID, Some(7), DAWN).map(drop),
            reader.challenge(ratatosk::game::ChallengeId(1)).map(drop),
            reader.name_of(ASTRID).map(drop),
        ];
        understood += usize::from(sound.into_iter().all(clear));
        let back = if table == "moves" && column == "ply" {
            db.execute("UPDATE moves SET ply = 0 WHERE game = 1 AND ply <> 1", [])
        } else {
            db.execute(&sql, [&before])
        };
        back.unwrap();
    }
    assert_eq!(reader.game(game.id).unwrap().unwrap().record.plies().len(), 2, "everything was undone");
    understood
}

#[test]
fn nothing_that_is_nearly_right_breaks_a_reader() {
    read_all(5_000);
}

/// What experiments have found, kept.
#[test]
fn what_was_found_once_is_not_found_again() {
    for text in
        ["", "\0", "c", "1.", "1./", "🦑/men", "1.1/squares/🦑1", "1/preview/-", "1/preview/a1-", "1/history//me"]
    {
        assert!(code::read(text).is_none(), "{text:?}");
    }
}
