//! The bot on Discord: interactions become requests for [`crate::app`], replies become messages. Nothing is decided here.
//!
//! | question | file |
//! |---|---|
//! | How does the bot listen to Discord? | `gateway` |
//! | What comes in from Discord? | `events`, read by `interaction` |
//! | How is it answered, in time and once? | `respond` |
//! | What follows an answer? | `followup` |
//! | How does a reply look? | `message`, with names and times by `markup` |
//! | Who sees to an owed message? | `outbox` |
//! | How does it get where it belongs? | `deliver`, no faster than `limits` allow |
//! | How does a game get its thread? | `threads` |
//! | What did a process that was killed still deliver? | `traces` |
//! | How do former posts lose their buttons? | `stale_buttons` |
//! | What if a place is gone? | `channels` |
//! | Which commands does Discord know? | [`register`] |
//! | How is Discord called? | `wire` |
//! | How is it invited? | [`invite`] |
//! | How is it doing? | `metrics`, told by `heartbeat` |

mod channels;
mod events;
mod followup;
mod gateway;
mod heartbeat;
mod interaction;
pub mod invite;
mod markup;
mod message;
mod metrics;
mod outbox;
pub mod register;
mod respond;
mod rest;
mod stale_buttons;
mod threads;

use crate::app::App;
use crate::config::{Endpoint, Secret};
use crate::render::Renderer;
use crate::store::{ConnectionState, OutboxId, StoreError};
use crate::timer::Timer;
use events::SeenInteractions;
use heartbeat::ShardWatch;
use markup::DiscordMarkup;
use metrics::Metrics;
use outbox::claims::Claims;
use rest::client::{self, RestClient};
use stale_buttons::HiddenChannels;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tracing::{error, info, warn};

/// How long starting waits for Discord.
const FIRST_CALL: Duration = Duration::from_secs(10);
/// How long stopping waits: for the gateway, for running requests, for owed messages.
const GATEWAY_STOPS: Duration = Duration::from_secs(3);
const REQUESTS_END: Duration = Duration::from_secs(5);
const MESSAGES_GO: Duration = Duration::from_secs(3);
const HOUR: Duration = Duration::from_secs(60 * 60);

/// Why the bot cannot go on.
#[derive(Debug)]
pub enum StopReason {
    /// Discord refuses the token.
    TokenRefused,
    /// Discord cannot be reached.
    NotReached(String),
    /// Something is set wrongly.
    Misconfigured(String),
    /// The games cannot be read or written.
    Store(StoreError),
    /// Something else.
    Failed(String),
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TokenRefused => f.write_str(
                "Discord refuses the token. Make a new one on the application's page (Bot, Reset Token) and set \
                 DISCORD_TOKEN, RATATOSK_TOKEN_FILE or discord.token in config.toml to it",
            ),
            Self::NotReached(why) => f.write_str(why),
            Self::Misconfigured(why) | Self::Failed(why) => f.write_str(why),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StopReason {}

impl From<StoreError> for StopReason {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Everything that answering needs.
struct Bot {
    app: Arc<App>,
    markup: DiscordMarkup,
    renderer: Renderer,
    rest: RestClient,
    outbox: Arc<Claims>,
    /// There are posts that should lose their buttons.
    tidy: Notify,
    /// Where they cannot lose them now.
    hidden: HiddenChannels,
    timer: Timer,
    seen: SeenInteractions,
    metrics: Metrics,
    /// The application whose commands are registered; 0 before that.
    application: AtomicU64,
    /// Shared by every running request.
    busy: Arc<()>,
    /// Whether nothing new is begun any more.
    stopping: AtomicBool,
    /// Where everything is done: not where serenity listens.
    home: Handle,
}

impl Bot {
    /// Does something that waits for the disk, on a thread that may.
    async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let bot = Arc::clone(self);
        match tokio::task::spawn_blocking(move || work(&bot)).await {
            Ok(done) => done,
            // The program ends before it was begun, and whoever asked for it ends, too.
            Err(broken) if broken.is_cancelled() => std::future::pending().await,
            // The thread broke off; what it was doing is not known.
            Err(_) => Err(StoreError::Stopped),
        }
    }
}

/// Runs the bot until it is told to stop by a signal, or cannot go on. The store is closed either way.
pub fn run(app: App, token: &Secret, endpoint: &Endpoint) -> Result<(), StopReason> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(8)
        .enable_all()
        .build()
        .map_err(|error| StopReason::Failed(error.to_string()))?;
    let apart = gateway::runtime().map_err(|error| StopReason::Failed(error.to_string()))?;
    let store = app.store().clone();
    let ended = runtime.block_on(serve(app, token, endpoint, apart.handle()));
    // Whatever still waits for Discord now waits in vain.
    apart.shutdown_background();
    runtime.shutdown_timeout(Duration::from_secs(1));
    let closed = store.close();
    ended?;
    Ok(closed?)
}

/// Asks Discord for the number of the application that a token belongs to.
pub fn ask_application(token: &Secret, endpoint: &Endpoint) -> Result<u64, StopReason> {
    let rest = RestClient::new(token, endpoint).map_err(StopReason::Misconfigured)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| StopReason::Failed(error.to_string()))?;
    match runtime.block_on(rest.get("/applications/@me", FIRST_CALL)) {
        Ok(told) => client::id(&told).ok_or_else(|| StopReason::Failed(String::from("Discord does not say who it is"))),
        Err(error) if error.status() == 401 => Err(StopReason::TokenRefused),
        Err(error) => Err(StopReason::NotReached(error.to_string())),
    }
}

async fn serve(app: App, token: &Secret, endpoint: &Endpoint, apart: &Handle) -> Result<(), StopReason> {
    let mut stop = Signals::listen()?;
    let app = Arc::new(app);
    let bot = Arc::new(Bot {
        markup: DiscordMarkup::new(Arc::clone(&app)),
        renderer: Renderer::new(),
        rest: RestClient::new(token, endpoint).map_err(StopReason::Misconfigured)?,
        outbox: Arc::new(Claims::new(app.store().newest_owed()?)),
        tidy: Notify::new(),
        hidden: HiddenChannels::default(),
        timer: Timer::start(),
        seen: SeenInteractions::default(),
        metrics: Metrics::default(),
        application: AtomicU64::new(0),
        busy: Arc::new(()),
        stopping: AtomicBool::new(false),
        home: Handle::current(),
        app,
    });
    let started = bot.app.now();
    // Whatever an earlier process has left there is not about this one.
    heartbeat::sign(&bot, ConnectionState::Disconnected, started).await;
    let getting_ready = async {
        let gateway = gateway::find_gateway(&bot.rest).await?;
        Ok::<_, StopReason>((gateway.shards, gateway::connect(&bot, token, endpoint, gateway.address, apart).await?))
    };
    let (total, mut client) = tokio::select! {
        ready = getting_ready => ready?,
        () = stop.wait() => {
            heartbeat::sign(&bot, ConnectionState::Stopped, started).await;
            return Ok(());
        }
    };
    let shards = Arc::clone(&client.shard_manager);
    let tasks = [
        tokio::spawn(Arc::clone(&bot).post_what_is_owed()),
        tokio::spawn(Arc::clone(&bot).tidy_up()),
        tokio::spawn(keep_time(Arc::clone(&bot))),
        tokio::spawn(tell_every_hour(Arc::clone(&bot))),
    ];
    let watched = ShardWatch::new(Arc::clone(&shards), total, apart.clone());
    let mut heart = tokio::spawn(heartbeat::beat(Arc::clone(&bot), watched, started));
    let listening = apart.spawn(async move { client.start_shards(total).await });
    let result = tokio::select! {
        ended = listening => Err(match ended {
            Ok(Err(error)) => gateway::why_ended(&error),
            Ok(Ok(())) | Err(_) => StopReason::NotReached(String::from("the connection to Discord ended")),
        }),
        ended = &mut heart => Err(ended.unwrap_or_else(|_| StopReason::Failed(String::from("signs of life broke off")))),
        () = stop.wait() => {
            info!("stopping");
            bot.stopping.store(true, Ordering::Release);
            // Called while it is not connected it may never come back.
            let _ = tokio::time::timeout(GATEWAY_STOPS, shards.shutdown_all()).await;
            Ok(())
        }
    };
    finish(&bot).await;
    heart.abort();
    for task in tasks {
        task.abort();
    }
    let state = if result.is_ok() { ConnectionState::Stopped } else { ConnectionState::Disconnected };
    heartbeat::sign(&bot, state, started).await;
    result
}

async fn keep_time(bot: Arc<Bot>) {
    let owes = |owed: &[OutboxId]| {
        owed.iter().for_each(|owed| bot.outbox.release(*owed));
        // An expired challenge loses its buttons, too.
        bot.tidy.notify_one();
    };
    bot.timer.run(Arc::clone(&bot.app), owes).await;
}

async fn tell_every_hour(bot: Arc<Bot>) {
    loop {
        tokio::time::sleep(HOUR).await;
        let hour = bot.metrics.take();
        match bot.blocking(|bot| bot.app.store().tally()).await {
            Ok(tally) => info!(
                running = tally.games_running,
                moves = tally.moves,
                owed = tally.owed,
                answers = hour.answers,
                slowest_ms = hour.slowest_ms,
                unread = hour.unread,
                "the last hour"
            ),
            Err(problem) => error!(%problem, "the games cannot be counted"),
        }
    }
}

/// Lets running requests end, and gives owed messages a moment.
async fn finish(bot: &Arc<Bot>) {
    let ended = until(REQUESTS_END, || Arc::strong_count(&bot.busy) == 1).await;
    if !ended {
        warn!("a request was still running");
    }
    until(MESSAGES_GO, || bot.outbox.is_idle()).await;
}

async fn until(limit: Duration, done: impl Fn() -> bool) -> bool {
    let waiting = async {
        while !done() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(limit, waiting).await.is_ok()
}

/// The signals that ask a program to stop. One that comes while nobody waits is not lost.
#[cfg(unix)]
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> Result<Self, StopReason> {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| signal(kind).map_err(|error| StopReason::Failed(error.to_string()));
        Ok(Self { terminate: listen(SignalKind::terminate())?, interrupt: listen(SignalKind::interrupt())? })
    }

    async fn wait(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> Result<Self, StopReason> {
        Ok(Self)
    }

    async fn wait(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
