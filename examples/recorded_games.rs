//! Replays recorded games and checks that the rules agree with them.
//!
//! `cargo run --release --example recorded_games FOLDER`, where the folder has files `variant.layout.txt` with one game
//! a line: `id|who moved first (black or white)|winner|how it ended|moves`. Captures are written with each move, except
//! the king's. A game that ended in another way than the `match` in `check_game` knows must leave a position in which play
//! could go on: players resigned, or the server where they played had rules of its own.
#![allow(clippy::print_stdout)]

use ratatosk::rules::rules::RepetitionRule;
use ratatosk::rules::{Basis, Move, Outcome, Record, Rulebook, Rules, Side, Variant};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, fs};

/// The results of all games.
#[derive(Default)]
struct Findings {
    games: usize,
    plies: usize,
    errors: Vec<String>,
    /// How often each rule about the aggressor decided a repetition.
    verdicts: BTreeMap<String, usize>,
    longest_cycle: usize,
    slowest_verdict: Duration,
}

fn main() -> ExitCode {
    let Some(folder) = env::args().nth(1) else {
        eprintln!("usage: recorded_games FOLDER");
        return ExitCode::from(2);
    };
    let mut findings = Findings::default();
    if let Err(error) = check_folder(Path::new(&folder), &mut findings) {
        eprintln!("{folder}: {error}");
        return ExitCode::FAILURE;
    }
    println!("{} games, {} plies replayed", findings.games, findings.plies);
    for (verdict, count) in &findings.verdicts {
        println!("{count:4} {verdict}");
    }
    println!("longest cycle {} plies, slowest verdict {:?}", findings.longest_cycle, findings.slowest_verdict);
    for error in &findings.errors {
        eprintln!("{error}");
    }
    if findings.games > 0 && findings.errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn check_folder(folder: &Path, findings: &mut Findings) -> Result<(), Box<dyn std::error::Error>> {
    let mut files: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    files.sort_by_key(fs::DirEntry::file_name);
    for file in files {
        let name = file.file_name().to_string_lossy().into_owned();
        let [variant, layout, "txt"] = name.split('.').collect::<Vec<_>>()[..] else { continue };
        let variant = Variant::find(variant).ok_or_else(|| format!("{name}: no such variant"))?;
        let layout = variant.layout(layout).ok_or_else(|| format!("{name}: no such layout"))?;
        for line in fs::read_to_string(file.path())?.lines() {
            findings.games += 1;
            if let Err(error) = check_game(line, variant, layout.start_position, findings) {
                findings.errors.push(format!("{name}: {error}\n  {line}"));
            }
        }
    }
    Ok(())
}

fn check_game(
    line: &str,
    variant: &Variant,
    start: &str,
    findings: &mut Findings,
) -> Result<(), Box<dyn std::error::Error>> {
    let [_id, first, _winner, end, moves] = line.split('|').collect::<Vec<_>>()[..] else {
        return Err("not five columns".into());
    };
    let first = if first == "white" { Side::Defenders } else { Side::Attackers };
    // Some of these games went on after a third occurrence, so repetition is judged separately.
    let rulebook = Rulebook::new(Rules { first, repetition: RepetitionRule::Allowed, ..variant.rules })?;
    let start = rulebook.read_position(start, first)?;
    let mut record = Record::new(Arc::new(rulebook), start);
    for typed in moves.split_whitespace() {
        let candidate = record.try_typed(typed).map_err(|error| format!("{typed}: {error}"))?;
        // The capture list may be left out when typing, but not in these games.
        let written = typed.matches('x').count();
        judge(variant, &record, candidate.mv(), findings);
        let captures = candidate.played().captures;
        if captures.len() as usize != written {
            return Err(format!("{typed} captures {captures:?}").into());
        }
        record = candidate.into_record();
        findings.plies += 1;
    }
    let ended = record.outcome().map(Outcome::id);
    let expected = match end {
        "king-captured" | "king-escaped" | "no-moves" => Some(end),
        "encircled" if variant.rules.encirclement => Some("encirclement"),
        _ => None,
    };
    if ended == expected { Ok(()) } else { Err(format!("ended with {ended:?}, recorded {end}").into()) }
}

/// Judges a third occurrence, also in variants in which it does not matter who could have avoided it.
fn judge(variant: &Variant, record: &Record, mv: Move, findings: &mut Findings) {
    let started = Instant::now();
    let Ok(Some((occurrences, verdict))) = record.judge_repetition(mv) else { return };
    findings.slowest_verdict = findings.slowest_verdict.max(started.elapsed());
    findings.longest_cycle = findings.longest_cycle.max(verdict.cycle.len());
    let rule = match verdict.basis {
        Basis::NobodyFree => "neither side was free",
        Basis::OneMuchFreer => "one side was much freer",
        Basis::CompletedIt => "both sides were free",
    };
    let which = if occurrences.len() == 3 { "third" } else { "later" };
    *findings.verdicts.entry(format!("{which} occurrences in {}: {rule}", variant.name)).or_default() += 1;
}
