//! `ratatosk serve` and `ratatosk invite`: the bot on Discord.

use super::clock::{coin_toss, system_time};
use super::config::{ConfigArgs, DatabaseArgs};
use super::paths::{self, DefaultDatabase};
use super::{Failure, log, malloc};
use crate::app::App;
use crate::backups::{BackupSchedule, BackupWorker};
use crate::config::keys::TOKEN;
use crate::config::{Config, ConfigError, Origin, Purpose, Secret};
use crate::discord::{self, invite};
use crate::store::Store;
use clap::Args;
use std::path::Path;
use tracing::{info, warn};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  DISCORD_TOKEN=… ratatosk serve\n  ratatosk serve --config /etc/ratatosk/config.toml\n  \
    RATATOSK_TOKEN_FILE=token RATATOSK_LOG=debug ratatosk serve --database games.db\n\n\
    It runs until it gets SIGTERM or SIGINT. Without a token it does not start and exits with 78."
)]
pub(super) struct ServeArgs {
    #[command(flatten)]
    pub(super) games: DatabaseArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "Example:\n  DISCORD_TOKEN=… ratatosk invite")]
pub(super) struct InviteArgs {
    #[command(flatten)]
    config: ConfigArgs,
}

/// Runs the bot until it is stopped.
pub(super) fn run(args: &DatabaseArgs) -> Result<(), Failure> {
    let (loaded, path) = args.find(Purpose::Bot, DefaultDatabase::Bot)?;
    let config = &loaded.config;
    let token = needed(config.token.as_ref())?;
    log::init(config.log, token);
    for warning in &loaded.warnings {
        warn!("{warning}");
    }
    serve(config, token, &path).map_err(|failure| log::report(config.log, failure))
}

fn serve(config: &Config, token: &Secret, path: &Path) -> Result<(), Failure> {
    malloc::limit_heap();
    let store = Store::open(path)?;
    let tally = store.session()?.stats()?;
    info!(
        version = env!("CARGO_PKG_VERSION"),
        database = %path.display(),
        schema = tally.schema,
        running = tally.games_running,
        finished = tally.games_finished,
        undelivered = tally.undelivered,
        "Ratatosk begins"
    );
    // It ends when this function does, and before that finishes the copy that it is making.
    let _keeper = plan(config, path).map(|plan| BackupWorker::start(plan, system_time)).transpose()?;
    discord::run(App::new(store, system_time, coin_toss), token, &config.discord)?;
    info!("stopped");
    Ok(())
}

/// Tells which copies are to be made, if any.
fn plan(config: &Config, database: &Path) -> Option<BackupSchedule> {
    let every = config.backup.every?;
    let folder = config.backup.folder.clone().unwrap_or_else(|| paths::default_backup_folder(database));
    Some(BackupSchedule { database: database.to_owned(), folder, every, keep: config.backup.keep })
}

/// Prints the link by which the bot comes into a server.
pub(super) fn print_invite(args: InviteArgs) -> Result<(), Failure> {
    let config = args.config.load(Purpose::Bot)?.config;
    let token = needed(config.token.as_ref())?;
    let application = match invite::application(token) {
        Some(application) => application,
        None => discord::ask_application(token, &config.discord)?,
    };
    println!("{}", invite::link(application));
    Ok(())
}

fn needed(token: Option<&Secret>) -> Result<&Secret, Failure> {
    let problem = String::from(
        "there is no token; set this to the bot's token, or RATATOSK_TOKEN_FILE to a file with it, or discord.token \
         in config.toml",
    );
    token.ok_or_else(|| {
        Failure::Misconfigured(vec![ConfigError { origin: Origin::Variable(TOKEN), key: None, problem }])
    })
}
