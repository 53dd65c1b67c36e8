//! The command line: what can be asked of the program besides playing.

mod database;
mod last;
mod render;
mod rules;
mod serve;
mod table;
mod upkeep;

use crate::config::Fault;
use crate::discord::Stopped;
use crate::store::{self, StoreError};
use clap::{Parser, Subcommand};
use std::io::{self, ErrorKind};
use std::process::ExitCode;

/// Tafl, the Norse board games, played over days on Discord.
///
/// Without a command it is the bot where there is a token (DISCORD_TOKEN or RATATOSK_TOKEN_FILE), and otherwise opens the
/// local table, where two people can play at one terminal.
#[derive(Parser, Debug)]
#[command(name = "ratatosk", version, about, args_conflicts_with_subcommands = true)]
pub struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    table: table::TableArgs,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Ask the referee: list games, show rules, list moves, count positions, replay games
    #[command(subcommand)]
    Rules(rules::RulesCommand),
    /// Draw a board, as a picture or as text
    Render(render::RenderArgs),
    /// Run the bot on Discord; the token comes from DISCORD_TOKEN or RATATOSK_TOKEN_FILE
    Serve(serve::ServeArgs),
    /// Print the link by which the bot comes into a server
    Invite,
    /// Open the local table
    Table(table::TableArgs),
    /// Copy all games to a file, also while the bot runs
    Backup(upkeep::BackupArgs),
    /// Replay every stored game and tell whether all is sound
    Check(upkeep::CheckArgs),
    /// Write games out as records
    Export(upkeep::ExportArgs),
}

/// Why a command stopped.
#[derive(Debug)]
enum Failure {
    /// The command line makes no sense.
    Usage(String),
    /// Reading or writing failed.
    Io(io::Error),
    /// The games cannot be read or written.
    Store(StoreError),
    /// The games are not sound.
    Damaged(String),
    /// Something is set wrongly.
    Misconfigured(Vec<Fault>),
    /// The bot cannot go on.
    Stopped(Stopped),
    /// What was asked for is not there.
    NothingFound(String),
    /// A line at the table was not understood, as was said there.
    NotUnderstood,
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Stopped> for Failure {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Store(error) => Self::Store(error),
            stopped => Self::Stopped(stopped),
        }
    }
}

impl From<Vec<Fault>> for Failure {
    fn from(faults: Vec<Fault>) -> Self {
        Self::Misconfigured(faults)
    }
}

/// Discord cannot be reached.
const UNAVAILABLE: u8 = 69;
/// Discord refuses the token.
const TOKEN_REFUSED: u8 = 77;
/// Something is set wrongly.
const MISCONFIGURED: u8 = 78;
/// The database cannot be read or written.
const CANNOT_READ_OR_WRITE: u8 = 74;
/// Another process has the database.
const IN_USE: u8 = 75;

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Does what the command line says and gives the exit code.
#[must_use]
pub fn run(line: CommandLine) -> ExitCode {
    let result = match line.command {
        None if serve::has_token() => serve::run(line.table.into()),
        None => table::run(line.table),
        Some(Command::Serve(args)) => serve::run(args),
        Some(Command::Invite) => serve::print_invite(),
        Some(Command::Rules(command)) => rules::run(command),
        Some(Command::Render(args)) => render::run(&args),
        Some(Command::Table(args)) => table::run(args),
        Some(Command::Backup(args)) => upkeep::backup(args),
        Some(Command::Check(args)) => upkeep::check(args),
        Some(Command::Export(args)) => upkeep::export(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads our output has seen enough, as in `ratatosk rules moves york | head`.
        Err(Failure::Io(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Store(StoreError::Output { kind: ErrorKind::BrokenPipe, .. })) => ExitCode::SUCCESS,
        Err(Failure::Io(error)) => {
            eprintln!("ratatosk: {error}");
            ExitCode::FAILURE
        }
        Err(Failure::NotUnderstood) => ExitCode::FAILURE,
        Err(Failure::NothingFound(message)) => {
            eprintln!("ratatosk: {message}");
            ExitCode::FAILURE
        }
        Err(Failure::Misconfigured(faults)) => {
            faults.iter().for_each(|fault| eprintln!("ratatosk: {fault}"));
            ExitCode::from(MISCONFIGURED)
        }
        Err(Failure::Stopped(stopped)) => {
            eprintln!("ratatosk: {stopped}");
            match stopped {
                Stopped::TokenRefused => ExitCode::from(TOKEN_REFUSED),
                Stopped::NotReached(_) => ExitCode::from(UNAVAILABLE),
                Stopped::Misconfigured(_) => ExitCode::from(MISCONFIGURED),
                Stopped::Store(_) | Stopped::Failed(_) => ExitCode::FAILURE,
            }
        }
        Err(Failure::Damaged(message)) => {
            eprintln!("ratatosk: {message}");
            ExitCode::from(CANNOT_READ_OR_WRITE)
        }
        Err(Failure::Store(error)) => {
            eprintln!("ratatosk: {error}");
            ExitCode::from(match error.kind() {
                store::ErrorKind::Taken => IN_USE,
                store::ErrorKind::Unusable => CANNOT_READ_OR_WRITE,
            })
        }
        Err(Failure::Usage(message)) => {
            eprintln!("ratatosk: {message}");
            ExitCode::from(2)
        }
    }
}
