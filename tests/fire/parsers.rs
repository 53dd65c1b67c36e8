//! Whatever is read is understood or refused: texts that are nearly right, and rows of a file that was damaged.

use crate::damage::{Damaged, Read};
use crate::dice::{Dice, set_ups};
use crate::store_room::{DAWN, Room};
use crate::strange;
use ratatosk::app::code;
use ratatosk::config::{Loaded, Purpose, Sources};
use ratatosk::rules::{Move, Record, notation, opentafl};
use rusqlite::types::Value;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Instant;

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
        let began = Instant::now();
        let understood = read(&mut dice, cases);
        let took = began.elapsed().as_secs_f32();
        println!("{what}: {cases} read in {took:.1} s, {understood} understood, the others refused");
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
    let file = File::create(&path).unwrap();
    let mut understood = 0;
    for case in 0..cases {
        // By turns a file and variables: a fault in one would hide how the other is read.
        let sources = if case % 2 == 0 {
            // In its place: a file that is emptied first waits for the disk when it is written again.
            let text = spoil(dice, FILE);
            file.write_all_at(text.as_bytes(), 0).and_then(|()| file.set_len(text.len() as u64)).unwrap();
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

/// How often the operator is asked, too, whether all is sound: that looks at the whole file.
const CHECKED: usize = 500;

/// Puts anything into any cell of a database, and asks everything that a bot asks.
fn rows(dice: &mut Dice, cases: usize) -> usize {
    const NUMBERS: [i64; 8] = [0, -1, 1, 2, 7, i64::MAX, i64::MIN, DAWN.0];
    let mut damaged = Damaged::new();
    let mut understood = 0;
    for case in 0..cases {
        let cell = dice.throw(damaged.cells());
        let wrong = match (damaged.right(cell), dice.throw(8)) {
            (Value::Text(text), 0..5) => spoil(dice, text).into(),
            (Value::Integer(number), 0) => (number ^ (1 << dice.throw(64))).into(),
            (_, 5) => strange::text(dice).into(),
            (_, 6) => Value::Null,
            (_, 7) => match dice.throw(3) {
                0 => 1.5.into(),
                1 => f64::INFINITY.into(),
                _ => Value::Blob(vec![0xff, 0x00, 0x80]),
            },
            _ => dice.pick(&NUMBERS).into(),
        };
        match damaged.read_with(cell, &wrong) {
            Read::Understood => understood += 1,
            Read::Refused if case % CHECKED == 0 => {
                assert!(damaged.is_found(), "{}: {wrong:?} is not found by check", damaged.name(cell));
            }
            Read::Refused | Read::Impossible => {}
        }
    }
    assert!(damaged.ends_whole(), "everything was mended");
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
