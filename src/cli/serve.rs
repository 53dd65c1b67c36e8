//! `ratatosk serve` and `ratatosk invite`: the bot on Discord.

use super::Failure;
use super::database::{self, Usual};
use super::table::{system_time, toss};
use crate::app::App;
use crate::config::{Config, Fault, Secret, TOKEN, TOKEN_FILE};
use crate::discord::{self, invite};
use crate::store::Store;
use clap::Args;
use std::io;
use std::path::PathBuf;
use tracing::info;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

#[derive(Args, Debug, Default)]
pub(super) struct ServeArgs {
    /// The file with the games [default: RATATOSK_DATABASE, or the bot's in your data folder]
    #[arg(long, value_name = "FILE")]
    database: Option<PathBuf>,
}

/// Plain `ratatosk` takes the same flags whether it is the bot or the table.
impl From<super::table::TableArgs> for ServeArgs {
    fn from(args: super::table::TableArgs) -> Self {
        Self { database: args.database }
    }
}

/// Runs the bot until it is stopped.
pub(super) fn run(args: ServeArgs) -> Result<(), Failure> {
    let config = read_config()?;
    let token = needed(config.token.as_ref())?;
    write_log();
    let path = database::find(args.database.or(config.database), Usual::Serve)?;
    let store = Store::open(&path)?;
    let tally = store.tally()?;
    info!(
        version = env!("CARGO_PKG_VERSION"),
        database = %path.display(),
        schema = tally.schema,
        running = tally.games_running,
        finished = tally.games_finished,
        owed = tally.owed,
        "Ratatosk begins"
    );
    discord::run(App::new(store, system_time, toss), token, &config.discord)?;
    info!("stopped");
    Ok(())
}

/// Prints the link by which the bot comes into a server.
pub(super) fn print_invite() -> Result<(), Failure> {
    let config = read_config()?;
    let token = needed(config.token.as_ref())?;
    let application = match invite::application(token) {
        Some(application) => application,
        None => discord::ask_application(token, &config.discord)?,
    };
    println!("{}", invite::link(application));
    Ok(())
}

/// Tells whether there is a token, so that plain `ratatosk` is the bot.
pub(super) fn has_token() -> bool {
    [TOKEN, TOKEN_FILE].iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

fn read_config() -> Result<Config, Failure> {
    Ok(Config::from_environment()?)
}

fn needed(token: Option<&Secret>) -> Result<&Secret, Failure> {
    let problem = format!("there is no token; set it to the bot's token, or {TOKEN_FILE} to a file with it");
    token.ok_or_else(|| Failure::Misconfigured(vec![Fault { key: TOKEN, problem }]))
}

/// Writes what happens to the standard error, one line an event. Only our own events: those of serenity and of what it
/// stands on can have tokens in them.
fn write_log() {
    let level = std::env::var("RATATOSK_LOG").ok().and_then(|level| level.parse().ok()).unwrap_or(LevelFilter::INFO);
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(false).with_target(false);
    // There is one already where a test starts the bot twice; it will do.
    let _ = tracing_subscriber::registry()
        .with(Targets::new().with_target(env!("CARGO_CRATE_NAME"), level))
        .with(lines)
        .try_init();
}
