//! Almost valid input for every reader, and damaged rows: all of it is understood or refused, and nothing panics.

use crate::experiments::hostile_input;
use crate::experiments::readers::configuration::{self, Settings};
use crate::experiments::readers::damaged_database::{Damaged, Read};
use crate::experiments::readers::{buttons, commands, moves, records};
use crate::experiments::seeded_rng::{Rng, set_ups};
use crate::experiments::store_fixture::NOW;
use ratatosk::commands::COMMANDS;
use ratatosk::rules::{Move, Record, opentafl};
use rusqlite::types::Value;
use std::fmt::Debug;
use std::time::Instant;

/// Reads the given number of inputs, and returns how many were understood.
type Reader = fn(&mut Rng, usize) -> usize;

/// Everything that reads something.
pub const READERS: [(&str, Reader); 6] = [
    ("moves", read_moves),
    ("records of games", read_records),
    ("configuration", read_configuration),
    ("texts of buttons", read_buttons),
    ("commands", read_commands),
    ("rows of a damaged database", read_rows),
];

/// Gives every reader the given number of inputs, and prints how many were understood.
pub fn read_all(cases: usize) {
    let mut rng = Rng::for_experiment("parsers");
    for (what, read) in READERS {
        let began = Instant::now();
        let understood = read(&mut rng, cases);
        let took = began.elapsed().as_secs_f32();
        println!("{what}: {cases} read in {took:.1} s, {understood} understood, the others refused");
        assert!(understood > 0 && understood < cases, "{what}");
    }
}

/// Prints the input if a reader panics.
struct Shown<'t>(&'t dyn Debug);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("this was being read: {:?}", self.0);
        }
    }
}

/// Changes a text a little.
fn spoil(rng: &mut Rng, text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..rng.below(4) {
        let at = rng.below(letters.len() + 1);
        match rng.below(5) {
            0 if at < letters.len() => {
                letters.remove(at);
            }
            1 if at < letters.len() => letters[at] = char::from(32 + rng.below(95) as u8),
            2 => {
                let end = (at + rng.below(20)).min(letters.len());
                let again: Vec<char> = letters[at..end].to_vec();
                letters.splice(at..at, again);
            }
            3 => letters.truncate(at),
            _ => {
                letters.splice(at..at, hostile_input::text(rng).chars().take(40));
            }
        }
    }
    letters.into_iter().collect()
}

fn random_game(rng: &mut Rng, plies: usize) -> Record {
    let all: Vec<_> = set_ups().collect();
    let (variant, layout) = all[rng.below(all.len())];
    let mut record = variant.new_record(layout);
    for _ in 0..plies {
        let moves: Vec<Move> = record.playable_moves().collect();
        if moves.is_empty() {
            break;
        }
        let _ = record.play(rng.pick(&moves));
    }
    record
}

fn read_moves(rng: &mut Rng, cases: usize) -> usize {
    let (mut understood, mut record, mut legal) = (0, random_game(rng, 0), Vec::new());
    for case in 0..cases {
        if case % 200 == 0 {
            let plies = rng.below(30);
            record = random_game(rng, plies);
            let written = |mv| (mv, record.rulebook().apply(record.position(), mv).to_string());
            legal = record.rulebook().legal_moves(record.position()).map(written).collect();
        }
        let (rulebook, position) = (record.rulebook(), record.position());
        if legal.is_empty() {
            let text = hostile_input::text(rng);
            let _shown = Shown(&text);
            assert_eq!(moves::read_in(rulebook, position, &text), None, "nobody can move");
            continue;
        }
        let (mv, written) = &legal[rng.below(legal.len())];
        let text = spoil(rng, written);
        let _shown = Shown(&text);
        let read = moves::read_in(rulebook, position, &text);
        if text == *written {
            assert_eq!(read, Some(*mv), "it was not spoilt");
        }
        understood += usize::from(read.is_some());
    }
    understood
}

fn read_records(rng: &mut Rng, cases: usize) -> usize {
    let (mut understood, mut game, mut written) = (0, random_game(rng, 0), String::new());
    for case in 0..cases {
        if case % 100 == 0 {
            let plies = rng.below(12);
            game = random_game(rng, plies);
            written = opentafl::write_game(&game, &[("title", "a game")]);
        }
        let text = spoil(rng, &written);
        let _shown = Shown(&text);
        let read = records::read(&text);
        if text == written {
            assert_eq!(read.as_ref(), Some(&game), "it was not spoilt");
        }
        understood += usize::from(read.is_some());
    }
    understood
}

fn read_configuration(rng: &mut Rng, cases: usize) -> usize {
    let token = format!("MTE3NDk4NTc2MTI4MzY1NTY4MA.GstanD.{}", configuration::SECRET);
    let right = [
        ("DISCORD_TOKEN", token.as_str()),
        ("RATATOSK_DATABASE", "games.db"),
        ("RATATOSK_DISCORD_API", "http://127.0.0.1:8080"),
        ("RATATOSK_DISCORD_RESOLVE", "127.0.0.1:8443"),
        ("RATATOSK_BACKUP_EVERY", "12h"),
    ];
    const FILE: &str = "database = \"games.db\"\n[discord]\ntoken = \"$\"\napi = \"http://[::1]\"\n\
                        [log]\nlevel = \"debug\"\n[backup]\nevery = \"1d\"\nkeep = 7\n";
    let mut settings = Settings::new();
    let mut understood = 0;
    for case in 0..cases {
        // A file and variables in turn, because an error in one would hide the other.
        let (read, spoilt) = if case % 2 == 0 {
            let text = spoil(rng, FILE);
            let _shown = Shown(&text);
            (settings.read_file(&text), text != FILE)
        } else {
            // Only one of them is changed, because an error in another would hide it.
            let which = rng.below(right.len());
            let text = spoil(rng, right[which].1);
            let mut said = right;
            said[which].1 = &text;
            let _shown = Shown(&said);
            let variables = said.iter().map(|(name, value)| ((*name).into(), (*value).into()));
            (configuration::read_variables(variables.collect()), said != right)
        };
        assert!(read || spoilt, "what was not spoilt was refused");
        understood += usize::from(read);
    }
    understood
}

fn read_buttons(rng: &mut Rng, cases: usize) -> usize {
    let mut understood = 0;
    for _ in 0..cases {
        let code = hostile_input::code(rng);
        let text = spoil(rng, &code);
        let _shown = Shown(&text);
        understood += usize::from(buttons::read(&text));
    }
    understood
}

/// Reads commands with options, one word of which is changed.
fn read_commands(rng: &mut Rng, cases: usize) -> usize {
    let mut understood = 0;
    for _ in 0..cases {
        let command = &COMMANDS[rng.below(COMMANDS.len())];
        let mut words = vec![command.name.to_owned()];
        for option in command.options {
            if !option.required && rng.below(2) == 0 {
                continue;
            }
            let choices = option.kind.choices();
            let said = match option.name {
                "opponent" | "player" => String::from("@7"),
                "move" => rng.pick(&["d1-c1", "d1-c1 in #42", "Kd4-d7--"]).to_owned(),
                _ if choices.is_empty() => hostile_input::number(rng),
                _ => choices[rng.below(choices.len())].0.clone(),
            };
            words.push(format!("{}={said}", option.name));
        }
        let said = words.join("\n");
        let which = rng.below(words.len());
        words[which] = spoil(rng, &words[which]);
        let text = words.join("\n");
        let _shown = Shown(&text);
        let read = commands::read(&text);
        // Not every number belongs to a game.
        assert!(read || text != said || said.contains("\ngame="), "it was not spoilt");
        understood += usize::from(read);
    }
    understood
}

/// One case in this many also runs everything that users and the timer do, which takes longer.
const FULL_RUN_EVERY: usize = 8;
/// One case in this many also runs `check`, which reads the whole file, and a bot that writes.
const CHECK_EVERY: usize = 500;

/// Puts anything into any cell of a database, and runs every query of the bot.
fn read_rows(rng: &mut Rng, cases: usize) -> usize {
    const NUMBERS: [i64; 8] = [0, -1, 1, 2, 7, i64::MAX, i64::MIN, NOW.0];
    let mut damaged = Damaged::new();
    let mut understood = 0;
    for case in 0..cases {
        let cell = rng.below(damaged.cells());
        let wrong = match (damaged.right(cell), rng.below(8)) {
            (Value::Text(text), 0..5) => spoil(rng, text).into(),
            (Value::Integer(number), 0) => (number ^ (1 << rng.below(64))).into(),
            (_, 5) => hostile_input::text(rng).into(),
            (_, 6) => Value::Null,
            (_, 7) => match rng.below(3) {
                0 => 1.5.into(),
                1 => f64::INFINITY.into(),
                _ => Value::Blob(vec![0xff, 0x00, 0x80]),
            },
            _ => rng.pick(&NUMBERS).into(),
        };
        let spoilt = (damaged.name(cell).to_owned(), &wrong);
        let _shown = Shown(&spoilt);
        let mut read = damaged.read_with(cell, &wrong);
        if case % FULL_RUN_EVERY == 0 && !damaged.run_tasks() {
            read = Read::Refused;
        }
        understood += usize::from(read == Read::Understood);
        assert!(read != Read::Refused || wrong != *damaged.right(cell), "it was not spoilt");
        if case % CHECK_EVERY == 0 {
            assert!(read != Read::Refused || damaged.is_found_by_check(), "it is not found by check");
            damaged.assert_survives_writing();
        }
    }
    assert!(damaged.repair_and_check(), "everything was mended");
    understood
}

#[test]
fn mutated_input_never_makes_a_parser_panic() {
    read_all(5_000);
}

/// Reads the seeds: what fuzzing starts with, and what it has found.
#[test]
fn every_seed_of_the_fuzzer_is_parsed() {
    use crate::experiments::readers::READERS;
    use std::path::Path;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds");
    let names = |folder: &Path| {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut paths: Vec<_> = entries.collect();
        paths.sort();
        paths
    };
    let folders: Vec<String> =
        names(&folder).iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(folders, READERS.map(|(name, _)| name), "every folder has its reader");
    let mut seeds = 0;
    for (name, read) in READERS {
        for seed in names(&folder.join(name)) {
            let _shown = Shown(&seed);
            read(&std::fs::read(&seed).unwrap());
            seeds += 1;
        }
    }
    println!("{seeds} seeds were read by {} readers", folders.len());
}
