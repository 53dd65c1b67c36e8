//! `ratatosk rules`: lists moves, counts positions and replays games, to check or port the rules.

use super::Failure;
use crate::rules::rules::RepetitionRule;
use crate::rules::{
    BadSetup, Layout, Outcome, Played, Position, Record, Rulebook, Rules, Side, SquareSet, VARIANTS, Variant,
};
use crate::text::{self, refusals};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use serde::Serialize;
use std::io::{self, BufRead, BufWriter, Write};
use std::sync::Arc;

#[derive(Subcommand, Debug)]
pub(super) enum RulesCommand {
    /// List every variant and layout with the size of the board
    #[command(after_help = "Example:\n  ratatosk rules list")]
    List,
    /// Show the start position and the rules of a variant, house rules marked
    #[command(after_help = "Example:\n  ratatosk rules show magpie --layout cross")]
    Show {
        #[command(flatten)]
        variant: VariantArgs,
    },
    /// List the legal moves with their captures
    #[command(after_help = "Examples:\n  ratatosk rules moves brandubh\n  ratatosk rules moves brandubh \
        --position /3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/ --to-move defenders")]
    Moves {
        #[command(flatten)]
        variant: VariantArgs,
        #[command(flatten)]
        position: PositionArgs,
    },
    /// Count the sequences of moves of a given length; games that end earlier do not count
    #[command(after_help = "Examples:\n  ratatosk rules perft brandubh 4\n  ratatosk rules perft fetlar 2 --divide")]
    Perft {
        #[command(flatten)]
        variant: VariantArgs,
        /// The number of moves
        #[arg(value_parser = clap::value_parser!(u32).range(0..=20))]
        depth: u32,
        #[command(flatten)]
        position: PositionArgs,
        /// Show the count for each first move
        #[arg(long)]
        divide: bool,
    },
    /// Replay games from standard input, one per line, and write each result as a line of JSON
    #[command(after_help = "Example:\n  echo 'd2-c2 e4-e2' | ratatosk rules replay brandubh")]
    Replay {
        #[command(flatten)]
        variant: VariantArgs,
        /// The side that moves first [default: by the rules]
        #[arg(long, value_name = "SIDE", value_parser = side())]
        first: Option<String>,
        /// Allow any number of repetitions
        #[arg(long)]
        ignore_repetition: bool,
    },
}

#[derive(Args, Debug)]
pub(super) struct VariantArgs {
    /// The variant, as in `rules list`
    #[arg(value_parser = PossibleValuesParser::new(VARIANTS.iter().map(|variant| variant.id)))]
    variant: String,
    /// The layout, as in `rules list` [default: the first one of the variant]
    #[arg(long)]
    layout: Option<String>,
}

#[derive(Args, Debug)]
pub(super) struct PositionArgs {
    /// A position instead of the start position, top rank first
    #[arg(long, requires = "to_move")]
    position: Option<String>,
    /// The side to move
    #[arg(long, value_name = "SIDE", value_parser = side())]
    to_move: Option<String>,
}

fn side() -> PossibleValuesParser {
    PossibleValuesParser::new(Side::BOTH.map(Side::id))
}

fn side_named(id: &str) -> Option<Side> {
    Side::BOTH.into_iter().find(|side| side.id() == id)
}

impl VariantArgs {
    pub(super) fn find(&self) -> Result<(&'static Variant, &'static Layout), Failure> {
        let unknown = || Failure::Usage(format!("there is no variant `{}`; see `ratatosk rules list`", self.variant));
        let variant = Variant::find(&self.variant).ok_or_else(unknown)?;
        let Some(id) = &self.layout else { return Ok((variant, variant.default_layout())) };
        let layout = variant.layout(id).ok_or_else(|| {
            let known: Vec<&str> = variant.layouts.iter().map(|layout| layout.id).collect();
            Failure::Usage(format!("{} has no layout `{id}`; it has: {}", variant.name, known.join(", ")))
        })?;
        Ok((variant, layout))
    }
}

impl PositionArgs {
    /// Returns a position that can be played on: the start position if none was given.
    pub(super) fn find(&self, rulebook: &Rulebook, layout: &Layout) -> Result<Position, Failure> {
        let record = self.position.as_deref().unwrap_or(layout.start_position);
        rulebook.read_position(record, self.to_move(rulebook)).map_err(|error| bad_position(&error))
    }

    /// Returns a position that is only shown, and how the game ended there; `None` if none was given.
    pub(super) fn shown(&self, rulebook: &Rulebook) -> Result<Option<(Position, Option<Outcome>)>, Failure> {
        let read = |record| rulebook.read_position_to_show(record, self.to_move(rulebook));
        self.position.as_deref().map(read).transpose().map_err(|error| bad_position(&error))
    }

    fn to_move(&self, rulebook: &Rulebook) -> Side {
        self.to_move.as_deref().and_then(side_named).unwrap_or(rulebook.rules().first)
    }
}

fn bad_position(error: &BadSetup) -> Failure {
    Failure::Usage(format!("--position: {error}"))
}

pub(super) fn run(command: RulesCommand) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    match command {
        RulesCommand::List => list(&mut out)?,
        RulesCommand::Show { variant } => show(&mut out, &variant)?,
        RulesCommand::Moves { variant, position } => {
            let (variant, layout) = variant.find()?;
            let rulebook = variant.rulebook();
            let position = position.find(&rulebook, layout)?;
            for mv in rulebook.legal_moves(&position) {
                writeln!(out, "{}", rulebook.apply(&position, mv))?;
            }
        }
        RulesCommand::Perft { variant, depth, position, divide } => {
            let (variant, layout) = variant.find()?;
            let rulebook = variant.rulebook();
            let position = position.find(&rulebook, layout)?;
            perft(&mut out, &rulebook, &position, depth, divide)?;
        }
        RulesCommand::Replay { variant, first, ignore_repetition } => {
            let (variant, layout) = variant.find()?;
            let mut rules = variant.rules;
            rules.first = first.as_deref().and_then(side_named).unwrap_or(rules.first);
            if ignore_repetition {
                rules.repetition = RepetitionRule::Allowed;
            }
            replay(&mut out, variant, layout, rules)?;
        }
    }
    Ok(out.flush()?)
}

fn list(out: &mut impl Write) -> io::Result<()> {
    for variant in VARIANTS {
        for layout in variant.layouts {
            writeln!(out, "{} {} {}", variant.id, layout.id, variant.rules.size)?;
        }
    }
    Ok(())
}

fn show(out: &mut impl Write, args: &VariantArgs) -> Result<(), Failure> {
    let (variant, layout) = args.find()?;
    writeln!(out, "{}: {}\n", variant.name, variant.summary)?;
    writeln!(out, "{}\n", layout.start_position)?;
    write!(out, "{}", text::rules_page(variant, &variant.rules, layout))?;
    Ok(())
}

fn perft(out: &mut impl Write, rulebook: &Rulebook, position: &Position, depth: u32, divide: bool) -> io::Result<()> {
    if !divide || depth == 0 {
        return writeln!(out, "{}", rulebook.perft(position, depth));
    }
    let mut total = 0;
    for mv in rulebook.legal_moves(position) {
        let played = rulebook.apply(position, mv);
        let over = played.outcome.is_some() && depth > 1;
        let leaves = if over { 0 } else { rulebook.perft(&played.position, depth - 1) };
        total += leaves;
        writeln!(out, "{played} {leaves}")?;
    }
    writeln!(out, "{total}")
}

fn replay(out: &mut impl Write, variant: &Variant, layout: &Layout, rules: Rules) -> Result<(), Failure> {
    let unplayable = |error: &dyn std::fmt::Display| Failure::Usage(error.to_string());
    let rulebook = Arc::new(Rulebook::new(rules).map_err(|error| unplayable(&error))?);
    let start = rulebook.read_position(layout.start_position, rules.first).map_err(|error| unplayable(&error))?;
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let moves = String::from_utf8_lossy(&line);
        let game = replay_game(Record::new(Arc::clone(&rulebook), start), &moves, variant);
        serde_json::to_writer(&mut *out, &game).map_err(io::Error::from)?;
        writeln!(out)?;
        line.clear();
    }
    Ok(())
}

/// The result of a replayed game.
#[derive(Serialize)]
struct Replayed<'l> {
    plies: usize,
    position: String,
    to_move: Side,
    captures: Vec<Vec<String>>,
    outcome: Option<ReplayedOutcome>,
    error: Option<ReplayError<'l>>,
}

#[derive(Serialize)]
struct ReplayedOutcome {
    winner: Option<Side>,
    reason: &'static str,
    aggressor: Option<Side>,
}

#[derive(Serialize)]
struct ReplayError<'l> {
    ply: usize,
    #[serde(rename = "move")]
    typed: &'l str,
    why: String,
}

fn replay_game<'l>(mut record: Record, line: &'l str, variant: &Variant) -> Replayed<'l> {
    let mut error = None;
    for (typed, ply) in line.split_whitespace().zip(1..) {
        if let Err(illegal) = record.play_typed(typed) {
            error = Some(ReplayError { ply, typed, why: refusals::illegal_move(&illegal, &variant.words) });
            break;
        }
    }
    let names = |set: SquareSet| set.into_iter().map(|square| square.to_string()).collect();
    Replayed {
        plies: record.plies().len(),
        position: record.rulebook().write_position(record.position()),
        to_move: record.position().to_move(),
        captures: record.plies().iter().map(|ply: &Played| names(ply.all_captures())).collect(),
        outcome: record.outcome().map(|outcome| ReplayedOutcome {
            winner: outcome.winner(),
            reason: outcome.id(),
            aggressor: outcome.aggressor(),
        }),
        error,
    }
}
