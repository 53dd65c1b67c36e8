//! `ratatosk serve` and `ratatosk invite`: the bot on Discord, with its runtimes, signals and shutdown.

use super::clock::{coin_toss, system_time};
use super::config::{ConfigArgs, ConfigFileArg};
use super::paths::{self, DefaultDatabase};
use super::signals::StopSignals;
use super::{Failure, log, malloc};
use crate::app::App;
use crate::backups::{BackupSchedule, BackupWorker};
use crate::config::keys::TOKEN_VARIABLE;
use crate::config::{Config, ConfigError, Endpoint, Origin, Purpose, Secret};
use crate::discord::{self, BotConfig, invite};
use crate::store::{Migration, Store, StoreError};
use clap::Args;
use std::path::Path;
use std::time::Duration;
use tokio::runtime::Builder;
use tracing::{info, warn};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  DISCORD_TOKEN=… ratatosk serve\n  ratatosk serve --config /etc/ratatosk/config.toml\n  \
    RATATOSK_TOKEN_FILE=token RATATOSK_LOG=debug ratatosk serve --database games.db\n\n\
    It runs until it gets SIGTERM or SIGINT. Without a token it does not start and exits with 78."
)]
pub(super) struct ServeArgs {
    #[command(flatten)]
    pub(super) config: ConfigArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "Example:\n  DISCORD_TOKEN=… ratatosk invite")]
pub(super) struct InviteArgs {
    #[command(flatten)]
    config: ConfigFileArg,
}

/// Runs the bot until it is stopped.
pub(super) fn run(args: &ConfigArgs) -> Result<(), Failure> {
    let early = |failure| log::report_early(args.log(), failure);
    let (loaded, path) = args.load_with_database(Purpose::Bot, DefaultDatabase::Bot).map_err(early)?;
    let config = &loaded.config;
    let token = require_token(config.token.as_ref()).map_err(early)?;
    log::init(config.log, token);
    for warning in &loaded.warnings {
        warn!("{warning}");
    }
    serve(config, token, &path).map_err(|failure| log::report(config.log, failure))
}

fn serve(config: &Config, token: &Secret, path: &Path) -> Result<(), Failure> {
    malloc::limit_heap();
    let store = Store::open(path).map_err(Failure::of_database(path))?;
    if let Some(Migration { from, to, copy }) = store.migration() {
        info!(from, to, copy = %copy.display(), "the database was migrated to a newer schema; the copy is from before");
    }
    for index in store.recreated() {
        info!("{index} was missing and was made again");
    }
    let stats = store.session()?.stats()?;
    info!(
        version = env!("CARGO_PKG_VERSION"),
        database = %path.display(),
        schema = stats.schema,
        running = stats.games_running,
        finished = stats.games_finished,
        unsent = stats.unsent,
        "Ratatosk is starting"
    );
    // Dropped when this function ends, which waits for a backup that is being made.
    let _backups =
        backup_schedule(config, path).map(|schedule| BackupWorker::start(schedule, system_time)).transpose()?;
    let unsent = run_bot(App::new(store, system_time, coin_toss), token.clone(), &config.discord)?;
    match unsent {
        Ok(unsent) => info!(unsent, "stopped; what is not posted yet is posted at the next start"),
        Err(error) => {
            warn!(%error, "stopped; what is not posted yet cannot be counted, it is posted at the next start")
        }
    }
    Ok(())
}

/// Runs the bot until a signal asks it to stop or it cannot go on, and closes the store. Returns how many messages are
/// left for the next start, or why that cannot be read.
fn run_bot(app: App, token: Secret, endpoint: &Endpoint) -> Result<Result<u64, StoreError>, Failure> {
    let runtime = Builder::new_multi_thread().worker_threads(2).max_blocking_threads(8).enable_all().build()?;
    // Serenity can keep a thread busy without a pause, so the gateway has one of its own.
    let mut gateway = Builder::new_multi_thread();
    let gateway = gateway.worker_threads(1).max_blocking_threads(1).thread_name("gateway").enable_all().build()?;
    let store = app.store().clone();
    let ended = runtime.block_on(async {
        let signals = StopSignals::listen()?;
        let bot =
            BotConfig { app, token, gateway_runtime: gateway.handle().clone(), extra_answer_time: extra_answer_time() };
        discord::start(bot, endpoint, signals.received()).await.map_err(Failure::from)
    });
    gateway.shutdown_background();
    runtime.shutdown_timeout(Duration::from_secs(1));
    let unsent = store.session().and_then(|session| session.stats()).map(|stats| stats.unsent);
    let closed = store.close();
    ended?;
    closed?;
    Ok(unsent)
}

/// Returns how much longer an answer may take in tests, which run debug builds; zero in a release build.
fn extra_answer_time() -> Duration {
    let seconds = std::env::var("TEST_EXTRA_ANSWER_SECONDS").ok().filter(|_| cfg!(debug_assertions));
    Duration::from_secs(seconds.and_then(|seconds| seconds.parse().ok()).unwrap_or(0))
}

/// Returns the schedule of the automatic backups, if there are any.
fn backup_schedule(config: &Config, database: &Path) -> Option<BackupSchedule> {
    let every = config.backup.every?;
    let folder = config.backup.folder.clone().unwrap_or_else(|| paths::default_backup_folder(database));
    Some(BackupSchedule { database: database.to_owned(), folder, every, keep: config.backup.keep })
}

/// Prints the link that adds the bot to a server.
pub(super) fn print_invite(args: InviteArgs) -> Result<(), Failure> {
    let config = args.config.load(Purpose::Bot)?.config;
    let token = require_token(config.token.as_ref())?;
    let application = match invite::application(token) {
        Some(application) => application,
        None => {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(discord::fetch_application(token, &config.discord))?
        }
    };
    println!("{}", invite::link(application));
    Ok(())
}

fn require_token(token: Option<&Secret>) -> Result<&Secret, Failure> {
    let problem = String::from(
        "there is no token; set this to the bot's token, or RATATOSK_TOKEN_FILE to a file with it, or discord.token \
         in config.toml",
    );
    token.ok_or_else(|| {
        Failure::Misconfigured(vec![ConfigError { origin: Origin::Variable(TOKEN_VARIABLE), key: None, problem }])
    })
}
