//! `ratatosk backup`, `check` and `export`: looking after the games, also while the bot runs.

use super::Failure;
use super::database::{self, Usual};
use crate::app::record_text;
use crate::game::{Game, GameId, PlayerId};
use crate::store::{Export, Store};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(super) struct DatabaseArgs {
    /// The file with the games [default: RATATOSK_DATABASE, or the bot's in your data folder]
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
}

impl DatabaseArgs {
    /// Finds the file, which has to be there already: looking after nothing must not make something.
    fn find(self) -> Result<PathBuf, Failure> {
        let path = database::find(self.database, Usual::Bot)?;
        if path.exists() {
            return Ok(path);
        }
        Err(Failure::Usage(format!("there is no database {}; say where it is with --database FILE", path.display())))
    }
}

#[derive(Args, Debug)]
#[command(after_help = "Example:\n  ratatosk backup games-2026-11-16.db")]
pub(super) struct BackupArgs {
    /// Where the copy goes; a file that is there already is not touched
    file: PathBuf,
    #[command(flatten)]
    database: DatabaseArgs,
}

#[derive(Args, Debug)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    database: DatabaseArgs,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ratatosk export > games.txt\n  ratatosk export --game 42\n  ratatosk export --player 123456789 --format json"
)]
pub(super) struct ExportArgs {
    /// Only this game
    #[arg(long, value_name = "NUMBER", conflicts_with = "player")]
    game: Option<u64>,
    /// Only the games of this player, by the number of the user
    #[arg(long, value_name = "ID")]
    player: Option<u64>,
    /// How games are written
    #[arg(long, value_enum, default_value_t = Format::Opentafl)]
    format: Format,
    #[command(flatten)]
    database: DatabaseArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// OpenTafl game records
    Opentafl,
    /// One JSON object a line
    Json,
}

pub(super) fn backup(args: BackupArgs) -> Result<(), Failure> {
    let from = args.database.find()?;
    Store::backup(&from, &args.file)?;
    eprintln!("{} was copied to {}", from.display(), args.file.display());
    Ok(())
}

pub(super) fn check(args: CheckArgs) -> Result<(), Failure> {
    let path = args.database.find()?;
    let store = Store::open_beside(&path)?;
    let faults = store.check()?;
    let tally = store.tally()?;
    let mut out = io::stdout().lock();
    for fault in &faults {
        writeln!(out, "{fault}")?;
    }
    if faults.is_empty() {
        let games = tally.games_running + tally.games_finished;
        let (games, moves) = (counted(games, "game"), counted(tally.moves, "move"));
        writeln!(out, "{}: {games} and {moves}, all sound", path.display())?;
        return Ok(());
    }
    let faults = counted(faults.len() as u64, "fault");
    Err(Failure::Damaged(format!("{} has {faults}; restore a backup", path.display())))
}

fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

pub(super) fn export(args: ExportArgs) -> Result<(), Failure> {
    let store = Store::open_beside(&args.database.find()?)?;
    let filter = match (args.game, args.player) {
        (Some(game), _) => Export::Game(GameId(game)),
        (None, Some(player)) => Export::Player(PlayerId(player)),
        (None, None) => Export::All,
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let mut count = 0;
    store.each_game(filter, &mut |game, name| {
        let (attackers, defenders) = (name(game.start.players.attackers), name(game.start.players.defenders));
        match args.format {
            Format::Json => {
                serde_json::to_writer(&mut out, &ExportedGame::of(&game, attackers, defenders))?;
                writeln!(out)?;
            }
            Format::Opentafl => {
                if count > 0 {
                    writeln!(out)?;
                }
                write!(out, "{}", record_text(&game, &attackers, &defenders))?;
            }
        }
        count += 1;
        Ok(())
    })?;
    out.flush()?;
    match filter {
        _ if count > 0 => Ok(()),
        Export::Game(id) => Err(Failure::NothingFound(format!("there is no game {id}"))),
        Export::Player(PlayerId(player)) => Err(Failure::NothingFound(format!("player {player} has no games here"))),
        // An empty file is all that there is to say.
        Export::All => {
            eprintln!("there are no games yet");
            Ok(())
        }
    }
}

#[derive(Serialize)]
struct ExportedGame {
    game: u64,
    variant: &'static str,
    layout: &'static str,
    attackers: ExportedPlayer,
    defenders: ExportedPlayer,
    pace_days: Option<u8>,
    began: i64,
    changed: i64,
    moves: Vec<String>,
    position: String,
    winner: Option<&'static str>,
    ending: Option<&'static str>,
}

#[derive(Serialize)]
struct ExportedPlayer {
    id: u64,
    name: String,
}

impl ExportedGame {
    fn of(game: &Game, attackers: String, defenders: String) -> Self {
        let players = game.start.players;
        Self {
            game: game.id.0,
            variant: game.start.variant.id,
            layout: game.start.layout.id,
            attackers: ExportedPlayer { id: players.attackers.0, name: attackers },
            defenders: ExportedPlayer { id: players.defenders.0, name: defenders },
            pace_days: game.start.pace.days(),
            began: game.began.0,
            changed: game.changed.0,
            moves: game.record.plies().iter().map(ToString::to_string).collect(),
            position: game.record.book().write_position(game.record.position()),
            winner: game.result.and_then(|result| result.winner).map(crate::rules::Side::id),
            ending: game.result.map(|result| result.ending.id()),
        }
    }
}
