//! `ratatosk backup`, `ratatosk check` and `ratatosk export`. They work while the bot runs.

use super::Failure;
use super::clock::system_time;
use super::config::ConfigArgs;
use super::paths;
use crate::app::record_text;
use crate::backups::BackupFolder;
use crate::game::{Game, GameId, GameResult, PlayerId};
use crate::rules::Side;
use crate::store::{CheckFinding, CheckReport, ExportFilter, Store, StoreError};
use crate::text::labels;
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  ratatosk backup games-2026-11-16.db\n  ratatosk backup\n\n\
    Without a file the backup goes to the folder of the automatic ones (backup.folder), named by the time, and the oldest \
    beyond backup.keep are removed.")]
pub(super) struct BackupArgs {
    /// The new file; an existing one is not overwritten
    file: Option<PathBuf>,
    #[command(flatten)]
    pub(super) config: ConfigArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  ratatosk check\n  ratatosk check --database games-2026-11-16.db")]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub(super) config: ConfigArgs,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ratatosk export > games.txt\n  ratatosk export --game 42\n  ratatosk export --player 123456789 --format json"
)]
pub(super) struct ExportArgs {
    /// Only this game
    #[arg(long, value_name = "NUMBER", conflicts_with = "player", value_parser = game_number)]
    game: Option<GameId>,
    /// Only the games of the player with this Discord user id
    #[arg(long, value_name = "ID")]
    player: Option<u64>,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Opentafl)]
    format: Format,
    #[command(flatten)]
    pub(super) config: ConfigArgs,
}

/// Parses the number of a game, with or without the `#` that the bot writes.
fn game_number(typed: &str) -> Result<GameId, String> {
    GameId::parse(typed).ok_or_else(|| String::from("expected the number of a game, such as 42 or #42"))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// OpenTafl game records
    Opentafl,
    /// One JSON object a line
    Json,
}

pub(super) fn backup(args: BackupArgs) -> Result<(), Failure> {
    let (loaded, from) = args.config.load_with_existing_database()?;
    let to = match args.file {
        Some(file) => {
            Store::backup(&from, &file).map_err(Failure::of_database(&from))?;
            file
        }
        None => {
            let backup = loaded.config.backup;
            let folder = BackupFolder::new(&from, backup.folder.unwrap_or_else(|| paths::default_backup_folder(&from)));
            folder.add(system_time(), backup.keep).map_err(Failure::of_database(&from))?
        }
    };
    eprintln!("{} was copied to {}", from.display(), to.display());
    // The rest was copied, but a backup with missing parts cannot be relied on.
    for part in Store::missing_parts(&to)? {
        eprintln!("warning: {part} is missing in the database and in the backup; see `ratatosk check`");
    }
    Ok(())
}

pub(super) fn check(args: &CheckArgs) -> Result<(), Failure> {
    let (_, path) = args.config.load_with_existing_database()?;
    let CheckReport { schema, findings, stats } = Store::check_file(&path).map_err(Failure::of_database(&path))?;
    let mut out = io::stdout().lock();
    for finding in &findings {
        writeln!(out, "{finding}")?;
    }
    if let Some(stats) = stats {
        let games = stats.games_running + stats.games_finished;
        let (games, moves) = (counted(games, "game"), counted(stats.moves, "move"));
        writeln!(out, "{}: {games} and {moves}, no errors", path.display())?;
        if schema < stats.schema {
            let needed = stats.schema;
            writeln!(out, "it has schema {schema}; `ratatosk serve` or `ratatosk terminal` migrates it to {needed}")?;
        }
        return Ok(());
    }
    let errors = counted(findings.len() as u64, "error");
    let lacks_indexes_only =
        findings.iter().all(|finding| matches!(finding, CheckFinding::Missing(part) if !part.holds_data()));
    let remedy = if lacks_indexes_only { "no data is lost" } else { "restore a backup" };
    Err(Failure::Damaged(format!("{} has {errors}; {remedy}", path.display())))
}

fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

pub(super) fn export(args: &ExportArgs) -> Result<(), Failure> {
    let (_, path) = args.config.load_with_existing_database()?;
    let store = Store::open_read_only(&path).map_err(Failure::of_database(&path))?;
    let filter = match (args.game, args.player) {
        (Some(game), _) => ExportFilter::Game(game),
        (None, Some(player)) => ExportFilter::Player(PlayerId(player)),
        (None, None) => ExportFilter::All,
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let mut count = 0;
    let exported = store.each_game(filter, &mut |game, name| {
        let name =
            |player: PlayerId| if player.is_former() { labels::former_player().to_owned() } else { name(player) };
        let (attackers, defenders) = (name(game.terms.players.attackers), name(game.terms.players.defenders));
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
    });
    exported.map_err(Failure::of_database(&path))?;
    out.flush().map_err(|error| StoreError::Output { kind: error.kind(), problem: error.to_string() })?;
    match filter {
        _ if count > 0 => Ok(()),
        ExportFilter::Game(id) => Err(Failure::NotFound(format!("there is no game {id}"))),
        ExportFilter::Player(PlayerId(player)) => Err(Failure::NotFound(format!("player {player} has no games here"))),
        // Exporting a database without games is not a failure.
        ExportFilter::All => {
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
    /// None for a player who was forgotten.
    id: Option<u64>,
    name: String,
}

impl ExportedGame {
    fn of(game: &Game, attackers: String, defenders: String) -> Self {
        let players = game.terms.players;
        let id = |player: PlayerId| (!player.is_former()).then_some(player.0);
        Self {
            game: game.id.0,
            variant: game.terms.variant.id,
            layout: game.terms.layout.id,
            attackers: ExportedPlayer { id: id(players.attackers), name: attackers },
            defenders: ExportedPlayer { id: id(players.defenders), name: defenders },
            pace_days: game.terms.pace.days(),
            began: game.began.0,
            changed: game.changed.0,
            moves: game.record.plies().iter().map(ToString::to_string).collect(),
            position: game.record.rulebook().write_position(game.record.position()),
            winner: game.result.and_then(GameResult::winner).map(Side::id),
            ending: game.result.map(GameResult::ending),
        }
    }
}
