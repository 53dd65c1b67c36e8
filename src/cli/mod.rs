//! The command line.
//!
//! | question | file |
//! |---|---|
//! | Which configuration and database does a command use? | `config`, `paths` |
//! | What runs the bot? | `serve`, `signals`, `log`, `malloc`, `clock` |
//! | What opens the terminal? | `terminal` |
//! | Is the bot running? | `status` |
//! | How are games backed up, checked and exported? | `data` |
//! | How are rules checked and pictures drawn without a game? | `rules`, `render`, `last_move` |
//! | Which exit codes are there, and when? | [`exit`], `failure` |

mod clock;
mod config;
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
mod signals;
mod status;
mod terminal;

pub use log::{FAILURE_MESSAGE, PANIC_MESSAGE};

use crate::config::{Purpose, redact_tokens};
use clap::{Parser, Subcommand};
use failure::Failure;
use std::io::{self, Write};
use std::process::ExitCode;

/// Tafl, the Norse board games, played over days on Discord.
///
/// Without a command it runs the bot if there is a token (DISCORD_TOKEN, RATATOSK_TOKEN_FILE or config.toml), and
/// otherwise opens the terminal, at which two people can play without Discord.
#[derive(Parser, Debug)]
#[command(
    name = "ratatosk",
    version,
    about,
    after_help = "Examples:\n  ratatosk                                    play at the terminal\n  \
        ratatosk example-config > config.toml       start a configuration\n  \
        ratatosk check-config --config config.toml  check it\n  \
        DISCORD_TOKEN=… ratatosk serve              run the bot\n  \
        ratatosk status                             see whether it is running\n\n\
        `ratatosk COMMAND --help` has examples of each command."
)]
pub struct CommandLine {
    #[command(subcommand)]
    command: Option<CliCommand>,
    #[command(flatten)]
    config: config::ConfigArgs,
}

#[derive(Subcommand, Debug)]
enum CliCommand {
    /// Run the bot on Discord; the token comes from DISCORD_TOKEN, RATATOSK_TOKEN_FILE or config.toml
    Serve(serve::ServeArgs),
    /// Print the link that adds the bot to a server
    Invite(serve::InviteArgs),
    /// Play at the terminal, without Discord
    #[command(alias = "table")]
    Terminal(terminal::TerminalArgs),
    /// Check the configuration and print every value with its source
    CheckConfig(config::CheckConfigArgs),
    /// Print a config.toml to start from
    #[command(after_help = "Example:\n  ratatosk example-config > config.toml")]
    ExampleConfig,
    /// Print the state of the bot and the size of the database
    Status(status::StatusArgs),
    /// Exit with 0 if the bot is running and connected to Discord, and with 1 if not
    Health(status::HealthArgs),
    /// Back up the database to a file; works while the bot runs
    Backup(data::BackupArgs),
    /// Replay every stored game and list everything that is wrong
    Check(data::CheckArgs),
    /// Export games
    Export(data::ExportArgs),
    /// Query the rules: list variants, show rules, list moves, count positions, replay games
    #[command(
        subcommand,
        after_help = "Examples:\n  ratatosk rules list\n  ratatosk rules show brandubh\n  ratatosk rules moves brandubh"
    )]
    Rules(rules::RulesCommand),
    /// Draw a board, as a picture or as text
    Render(render::RenderArgs),
}

impl CliCommand {
    /// Returns the options that may also be given before the command.
    const fn config_args(&mut self) -> Option<&mut config::ConfigArgs> {
        match self {
            Self::Serve(args) => Some(&mut args.config),
            Self::Terminal(args) => Some(&mut args.config),
            Self::CheckConfig(args) => Some(&mut args.config),
            Self::Status(args) => Some(&mut args.config),
            Self::Health(args) => Some(&mut args.config),
            Self::Backup(args) => Some(&mut args.config),
            Self::Check(args) => Some(&mut args.config),
            Self::Export(args) => Some(&mut args.config),
            Self::Invite(_) | Self::ExampleConfig | Self::Rules(_) | Self::Render(_) => None,
        }
    }
}

/// Prints the help that was asked for, or what is wrong with the command line. Returns the exit code.
#[must_use]
pub fn answer_usage(error: &clap::Error) -> ExitCode {
    let text = error.to_string();
    let redacted = redact_tokens(&text);
    let printed = if redacted == text { error.print() } else { write!(io::stderr(), "{redacted}") };
    ExitCode::from(match printed {
        Err(failed) if !error.use_stderr() && failed.kind() != io::ErrorKind::BrokenPipe => exit::FAILED,
        _ if error.use_stderr() => exit::USAGE,
        _ => exit::SUCCESS,
    })
}

/// Runs the command and returns the exit code.
#[must_use]
pub fn run(line: CommandLine) -> ExitCode {
    let Err(failure) = execute(line) else { return ExitCode::from(exit::SUCCESS) };
    for line in failure.lines() {
        eprintln!("ratatosk: {}", redact_tokens(&line));
    }
    ExitCode::from(failure.code())
}

fn execute(line: CommandLine) -> Result<(), Failure> {
    let Some(mut command) = line.command else {
        let loaded = line.config.load(Purpose::WithoutDiscord);
        let bot = loaded.map_err(|failure| log::report_early(line.config.log(), failure))?.has_token();
        return if bot { serve::run(&line.config) } else { terminal::run(&line.config) };
    };
    if line.config.is_given() {
        let unused =
            || Failure::Usage(String::from("this command uses no --config or --database before it; leave them out"));
        command.config_args().ok_or_else(unused)?.add(line.config);
    }
    match command {
        CliCommand::Serve(args) => serve::run(&args.config),
        CliCommand::Invite(args) => serve::print_invite(args),
        CliCommand::Terminal(args) => terminal::run(&args.config),
        CliCommand::CheckConfig(args) => config::check_config(&args),
        CliCommand::ExampleConfig => config::print_example(),
        CliCommand::Status(args) => status::print(&args),
        CliCommand::Health(args) => status::health(&args),
        CliCommand::Backup(args) => data::backup(args),
        CliCommand::Check(args) => data::check(&args),
        CliCommand::Export(args) => data::export(&args),
        CliCommand::Rules(command) => rules::run(command),
        CliCommand::Render(args) => render::run(&args),
    }
}
