//! The command line: what can be asked of the program besides playing.
//!
//! | question | file |
//! |---|---|
//! | IncomingKind is set, and which games are meant? | `settings`, `paths` |
//! | IncomingKind does the bot need around it? | `serve`, `signals`, `log`, `malloc` |
//! | How is the bot? | `status` |
//! | How are the games looked after? | `data` |
//! | IncomingKind do people ask who check rules or want a picture? | `rules`, `render`, `last_move` |
//! | Which exit codes are there, and when? | [`exit`], `failure` |

mod data;
pub mod exit;
mod failure;
mod last_move;
mod log;
mod malloc;
mod paths;
mod render;
mod rules;
mod serve;
mod settings;
mod signals;
mod status;
mod terminal;

pub use log::BUG;

use crate::config::Purpose;
use clap::{Parser, Subcommand};
use failure::Failure;
use std::process::ExitCode;

/// Tafl, the Norse board games, played over days on Discord.
///
/// Without a command it is the bot where there is a token (DISCORD_TOKEN, RATATOSK_TOKEN_FILE or config.toml), and
/// otherwise opens the local table, where two people can play at one terminal.
#[derive(Parser, Debug)]
#[command(
    name = "ratatosk",
    version,
    about,
    after_help = "Examples:\n  ratatosk                                    open the local table\n  \
        ratatosk example-config > config.toml       begin with the settings\n  \
        ratatosk check-config --config config.toml  see whether they are right\n  \
        DISCORD_TOKEN=… ratatosk serve              run the bot\n  \
        ratatosk status                             see how it is\n\n\
        `ratatosk COMMAND --help` has examples of each command."
)]
pub struct CommandLine {
    #[command(subcommand)]
    command: Option<CliCommand>,
    #[command(flatten)]
    games: settings::GamesArgs,
}

#[derive(Subcommand, Debug)]
enum CliCommand {
    /// Run the bot on Discord and nothing else; the token comes from DISCORD_TOKEN, RATATOSK_TOKEN_FILE or config.toml
    Serve(serve::ServeArgs),
    /// Print the link by which the bot comes into a server
    Invite(serve::InviteArgs),
    /// Open the local table
    Terminal(terminal::TerminalArgs),
    /// Tell whether the settings are right, and what is in force
    CheckConfig(settings::CheckConfigArgs),
    /// Print a config.toml to begin with
    #[command(after_help = "Example:\n  ratatosk example-config > config.toml")]
    ExampleConfig,
    /// Tell how the bot is, also while it runs
    Status(status::StatusArgs),
    /// Exit with 0 if the bot runs and is connected to Discord, and with 1 if not
    Health(status::HealthArgs),
    /// Copy all games to a file, also while the bot runs
    Backup(data::BackupArgs),
    /// Replay every stored game and tell whether all is sound
    Check(data::CheckArgs),
    /// Write games out as records
    Export(data::ExportArgs),
    /// Ask the referee: list games, show rules, list moves, count positions, replay games
    #[command(
        subcommand,
        after_help = "Examples:\n  ratatosk rules list\n  ratatosk rules show brandubh\n  ratatosk rules moves brandubh"
    )]
    Rules(rules::RulesCommand),
    /// Draw a board, as a picture or as text
    Render(render::RenderArgs),
}

/// Does what the command line says and gives the exit code.
#[must_use]
pub fn run(line: CommandLine) -> ExitCode {
    let Err(failure) = obey(line) else { return ExitCode::from(exit::DONE) };
    for line in failure.lines() {
        eprintln!("ratatosk: {line}");
    }
    ExitCode::from(failure.code())
}

fn obey(line: CommandLine) -> Result<(), Failure> {
    let Some(command) = line.command else {
        let bot = line.games.load(Purpose::Games)?.has_token();
        return if bot { serve::run(&line.games) } else { terminal::run(&line.games) };
    };
    if line.games.is_given() {
        return Err(Failure::Usage(String::from(
            "put --config and --database after the command, as in `ratatosk status --database games.db`",
        )));
    }
    match command {
        CliCommand::Serve(args) => serve::run(&args.games),
        CliCommand::Invite(args) => serve::print_invite(args),
        CliCommand::Terminal(args) => terminal::run(&args.games),
        CliCommand::CheckConfig(args) => settings::check(&args),
        CliCommand::ExampleConfig => settings::print_example(),
        CliCommand::Status(args) => status::print(&args),
        CliCommand::Health(args) => status::health(&args),
        CliCommand::Backup(args) => data::backup(args),
        CliCommand::Check(args) => data::check(&args),
        CliCommand::Export(args) => data::export(&args),
        CliCommand::Rules(command) => rules::run(command),
        CliCommand::Render(args) => render::run(&args),
    }
}
