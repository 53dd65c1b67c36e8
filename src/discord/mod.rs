//! The bot on Discord: interactions become requests for [`crate::app`], replies become messages. Nothing is decided here.
//!
//! | question | file |
//! |---|---|
//! | How does the bot connect, and what comes in? | `gateway`, `events` |
//! | Who asks for what, and what may the bot do there? | `interaction`, `permissions` |
//! | How is it decided and answered, in time and once? | `prepare`, `respond`, `followup` |
//! | What does a message look like? | `message`, `markup` |
//! | How does an outbox message reach its channel? | `outbox`, `threads` |
//! | How do earlier posts lose their buttons? | `stale_buttons` |
//! | What if a channel is gone? | `channels` |
//! | Which commands does Discord know? | `register` |
//! | How is Discord called? | `rest` |
//! | How does async code call the app? | `app_handle` |
//! | How is the bot invited? | [`invite`] |
//! | Is the bot connected, and how busy is it? | `watchdog`, `heartbeat`, `metrics` |

mod app_handle;
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
mod permissions;
mod prepare;
mod register;
mod respond;
mod rest;
mod stale_buttons;
#[cfg(test)]
mod test_bot;
#[cfg(test)]
mod test_log;
mod threads;
mod watchdog;

use crate::app::App;
use crate::config::{Endpoint, Secret};
use crate::store::{ConnectionState, StoreError};
use crate::timer::Timer;
use app_handle::AppHandle;
use channels::{ChannelWatcher, PlaceEvent};
use events::{Events, SeenInteractions};
use followup::FollowupSender;
use heartbeat::HeartbeatWriter;
use message::Composer;
use metrics::Metrics;
use outbox::claims::Claims;
use outbox::delivery::Deliverer;
use outbox::reconcile::Reconciler;
use outbox::settle::Settler;
use outbox::worker::OutboxWorker;
use prepare::Preparer;
use register::CommandRegistrar;
use respond::Responder;
use rest::client::parse_id;
use rest::{BACKGROUND_TIMEOUT, RestClient, RestError, Route};
use serenity::all::ShardManager;
use stale_buttons::ButtonSweeper;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use threads::Threads;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tracing::{error, info, warn};
use watchdog::{SessionSignal, Watchdog};

/// How long stopping waits for the gateway, for running requests, and for outbox messages. Serenity closes a working
/// connection within half a second, but never one that it is still setting up.
const STOP_GATEWAY: Duration = Duration::from_secs(1);
const STOP_REQUESTS: Duration = Duration::from_secs(5);
const STOP_OUTBOX: Duration = Duration::from_secs(3);
const HOUR: Duration = Duration::from_secs(60 * 60);

/// Why the bot cannot go on.
#[derive(Debug)]
pub enum StopReason {
    /// Discord refuses the token.
    TokenRefused,
    /// Discord cannot be reached.
    NotReached(String),
    /// The configuration is wrong.
    Misconfigured(String),
    /// The database cannot be read or written.
    Store(StoreError),
    /// A part of the bot failed.
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

/// What [`start`] needs to run the bot.
pub struct BotConfig {
    /// The app whose games are played. The caller closes its store afterwards.
    pub app: App,
    pub token: Secret,
    /// A runtime for the gateway alone: serenity can keep its threads busy without a pause.
    pub gateway_runtime: Handle,
    /// How much longer an answer may take than Discord allows: nothing, except in tests, where machines may be busy and
    /// the fake Discord waits longer.
    pub extra_answer_time: Duration,
}

/// Asks Discord for the id of the application that a token belongs to.
///
/// # Errors
///
/// Returns why Discord did not answer.
pub async fn fetch_application(token: &Secret, endpoint: &Endpoint) -> Result<u64, StopReason> {
    let rest = RestClient::new(token, endpoint).map_err(StopReason::Misconfigured)?;
    match rest.get(Route::GetApplication, BACKGROUND_TIMEOUT).await {
        Ok(application) => parse_id(&application).ok_or_else(|| {
            StopReason::Failed(String::from(
                "Discord did not return the application's id; check that discord.api is Discord's address",
            ))
        }),
        Err(error) if error.is_unauthorized() => Err(StopReason::TokenRefused),
        Err(error) => Err(not_reached(&error, endpoint)),
    }
}

/// Returns that Discord was not reached, with the settings that say where it was looked for.
fn not_reached(error: &RestError, endpoint: &Endpoint) -> StopReason {
    let Endpoint { api, resolve, ca, .. } = endpoint;
    let settings =
        [("discord.api", api.is_some()), ("discord.resolve", resolve.is_some()), ("discord.ca", ca.is_some())];
    let set: Vec<&str> = settings.into_iter().filter_map(|(name, is_set)| is_set.then_some(name)).collect();
    StopReason::NotReached(match &set[..] {
        [] => error.to_string(),
        set => format!("{error}; check {}", set.join(" and ")),
    })
}

/// Runs the bot on the current runtime until `shutdown` is ready.
///
/// # Errors
///
/// Returns why the bot cannot go on.
pub async fn start(
    config: BotConfig,
    endpoint: &Endpoint,
    shutdown: impl Future<Output = ()>,
) -> Result<(), StopReason> {
    let BotConfig { app, token, gateway_runtime, extra_answer_time } = config;
    let mut shutdown = std::pin::pin!(shutdown);
    let (bot, mut store_stopped) = Bot::new(app, &token, endpoint, extra_answer_time)?;
    // Replaces the heartbeat of an earlier process.
    bot.heartbeat.write_first().await;
    let (places, place_events) = mpsc::unbounded_channel();
    let connecting = async {
        let gateway = gateway::find_gateway(&bot.rest, endpoint).await?;
        let client = gateway::connect(bot.events(places), &token, endpoint, gateway.address, &gateway_runtime).await?;
        Ok::<_, StopReason>((gateway.shards, client))
    };
    let (total, mut client) = tokio::select! {
        connected = connecting => connected?,
        () = &mut shutdown => {
            info!("stopping");
            bot.heartbeat.write_last(ConnectionState::Stopped).await;
            return Ok(());
        }
    };
    let shards = Arc::clone(&client.shard_manager);
    let mut tasks = bot.start_tasks((Arc::clone(&shards), total), &gateway_runtime, place_events);
    let mut gateway = gateway_runtime.spawn(async move { client.start_shards(total).await });
    let result = tokio::select! {
        ended = &mut gateway => Err(match ended {
            Ok(Err(error)) => gateway::stop_reason(&error),
            Ok(Ok(())) | Err(_) => StopReason::NotReached(String::from("the connection to Discord ended")),
        }),
        Some(ended) = tasks.join_next() => {
            Err(ended.unwrap_or_else(|_| StopReason::Failed(String::from("a part of the bot panicked; please report it with the log, then restart"))))
        }
        Some(error) = store_stopped.recv() => Err(StopReason::Store(error)),
        () = &mut shutdown => Ok(()),
    };
    bot.stop(&shards, result.as_ref().err()).await;
    gateway.abort();
    tasks.shutdown().await;
    let state = if result.is_ok() { ConnectionState::Stopped } else { ConnectionState::Disconnected };
    bot.heartbeat.write_last(state).await;
    result
}

/// The parts of the running bot.
struct Bot {
    app: AppHandle,
    rest: RestClient,
    claims: Arc<Claims>,
    responder: Arc<Responder>,
    outbox: Arc<OutboxWorker>,
    sweeper: Arc<ButtonSweeper>,
    channels: Arc<ChannelWatcher>,
    registrar: Arc<CommandRegistrar>,
    heartbeat: Arc<HeartbeatWriter>,
    timer: Arc<Timer>,
    metrics: Arc<Metrics>,
    sessions: Arc<SessionSignal>,
    stopping: Arc<AtomicBool>,
}

impl Bot {
    /// Puts the parts together; also returns the receiver for the error of a store that has stopped.
    fn new(
        app: App,
        token: &Secret,
        endpoint: &Endpoint,
        extra_answer_time: Duration,
    ) -> Result<(Self, mpsc::Receiver<StoreError>), StopReason> {
        let app = Arc::new(app);
        let rest = RestClient::new(token, endpoint).map_err(StopReason::Misconfigured)?;
        let claims = Arc::new(Claims::new(app.store().session()?.newest_outbox_id()?, extra_answer_time));
        let composer = Arc::new(Composer::new());
        let (app, store_stopped) = AppHandle::new(app);
        let (metrics, stopping) = (Arc::new(Metrics::default()), Arc::<AtomicBool>::default());
        let sweeper = Arc::new(ButtonSweeper::new(app.clone(), Arc::clone(&composer), rest.clone()));
        let channels = Arc::new(ChannelWatcher::new(app.clone(), rest.clone(), Arc::clone(&claims)));
        let reconciler = Arc::new(Reconciler::new(app.clone(), rest.clone(), Arc::clone(&claims)));
        let settler = Arc::new(Settler::new(app.clone(), Arc::clone(&claims), Arc::clone(&sweeper)));
        let outbox = OutboxWorker::new(Deliverer {
            app: app.clone(),
            composer: Arc::clone(&composer),
            rest: rest.clone(),
            claims: Arc::clone(&claims),
            reconciler: Arc::clone(&reconciler),
            settler: Arc::clone(&settler),
            threads: Threads::new(rest.clone(), Arc::clone(&claims)),
            channels: Arc::clone(&channels),
            sweeper: Arc::clone(&sweeper),
            stopping: Arc::clone(&stopping),
        });
        let responder = Responder {
            preparer: Preparer::new(app.clone(), composer, Arc::clone(&claims)),
            rest: rest.clone(),
            claims: Arc::clone(&claims),
            settler: Arc::clone(&settler),
            followups: FollowupSender { rest: rest.clone(), claims: Arc::clone(&claims), settler, reconciler },
            sweeper: Arc::clone(&sweeper),
            metrics: Arc::clone(&metrics),
            extra_answer_time,
            runtime: Handle::current(),
            stopping: Arc::clone(&stopping),
            in_flight: Arc::new(()),
        };
        let bot = Self {
            claims,
            responder: Arc::new(responder),
            outbox: Arc::new(outbox),
            sweeper,
            channels,
            registrar: Arc::new(CommandRegistrar::new(app.clone(), rest.clone())),
            heartbeat: Arc::new(HeartbeatWriter::new(app.clone(), Arc::clone(&metrics))),
            timer: Arc::new(Timer::new(Instant::now())),
            metrics,
            sessions: Arc::default(),
            stopping,
            app,
            rest,
        };
        Ok((bot, store_stopped))
    }

    fn events(&self, places: mpsc::UnboundedSender<PlaceEvent>) -> Events {
        Events {
            responder: Arc::clone(&self.responder),
            claims: Arc::clone(&self.claims),
            channels: Arc::clone(&self.channels),
            places,
            sweeper: Arc::clone(&self.sweeper),
            registrar: Arc::clone(&self.registrar),
            timer: Arc::clone(&self.timer),
            metrics: Arc::clone(&self.metrics),
            seen: SeenInteractions::default(),
            sessions: Arc::clone(&self.sessions),
            invite_logged: AtomicBool::new(false),
            stopping: Arc::clone(&self.stopping),
            runtime: Handle::current(),
        }
    }

    /// Starts what runs beside the gateway. None of these tasks ends while the bot can go on.
    fn start_tasks(
        &self,
        shards: (Arc<ShardManager>, u32),
        gateway_runtime: &Handle,
        place_events: mpsc::UnboundedReceiver<PlaceEvent>,
    ) -> JoinSet<StopReason> {
        let ended = |part: &str| {
            StopReason::Failed(format!("{part} ended, which is a bug; please report it with the log, then restart"))
        };
        let (state, state_changes) = watch::channel(ConnectionState::Disconnected);
        let (timer, stopping) = (Arc::clone(&self.timer), Arc::clone(&self.stopping));
        let (rest, sessions) = (self.rest.clone(), Arc::clone(&self.sessions));
        let watchdog = Watchdog::new(rest, timer, shards, gateway_runtime.clone(), sessions, state, stopping);
        let mut tasks = JoinSet::new();
        tasks.spawn(watchdog.run());
        let heartbeat = Arc::clone(&self.heartbeat);
        tasks.spawn(async move {
            heartbeat.run(state_changes).await;
            ended("the heartbeat")
        });
        let outbox = Arc::clone(&self.outbox);
        tasks.spawn(async move {
            outbox.run().await;
            ended("the outbox worker")
        });
        let channels = Arc::clone(&self.channels);
        tasks.spawn(async move {
            channels.run(place_events).await;
            ended("the channel watcher")
        });
        let sweeper = Arc::clone(&self.sweeper);
        tasks.spawn(async move {
            sweeper.run().await;
            ended("the button sweeper")
        });
        let (timer, app) = (Arc::clone(&self.timer), self.app.clone());
        let (claims, sweeper) = (Arc::clone(&self.claims), Arc::clone(&self.sweeper));
        tasks.spawn(async move {
            let new_messages = |messages: &[_]| {
                messages.iter().for_each(|outbox_id| claims.leave_to_worker(*outbox_id));
                // The post of an expired challenge loses its buttons.
                sweeper.wake();
            };
            StopReason::Store(timer.run(app.shared_app(), new_messages).await)
        });
        tasks.spawn(log_every_hour(self.app.clone(), Arc::clone(&self.metrics)));
        tasks
    }

    /// Stops accepting requests, lets running ones end, and gives outbox messages a moment.
    async fn stop(&self, shards: &ShardManager, failure: Option<&StopReason>) {
        self.stopping.store(true, Ordering::Release);
        match failure {
            None => info!("stopping"),
            // The end itself is logged as an error, with the exit code.
            Some(reason) => warn!(%reason, "cannot go on, stopping"),
        }
        if matches!(failure, None | Some(StopReason::Store(_))) {
            // Only a working connection can be closed; without one this may never return.
            let _ = tokio::time::timeout(STOP_GATEWAY, shards.shutdown_all()).await;
        }
        if !wait_until(STOP_REQUESTS, || self.responder.is_idle()).await {
            info!("stopping although a request is still being answered; what was saved is posted at the next start");
        }
        wait_until(STOP_OUTBOX, || self.claims.is_idle()).await;
    }
}

async fn log_every_hour(app: AppHandle, metrics: Arc<Metrics>) -> StopReason {
    loop {
        tokio::time::sleep(HOUR).await;
        let hour = metrics.take_hour();
        match app.run(|app| app.store().session()?.stats()).await {
            Ok(stats) => info!(
                running = stats.games_running,
                moves = stats.moves,
                unsent = stats.unsent,
                answers = hour.answers,
                slowest_ms = hour.slowest_ms,
                unknown_events = hour.unknown_events,
                "hourly figures"
            ),
            Err(error) => error!(%error, "the hourly figures cannot be read, retrying in an hour"),
        }
    }
}

async fn wait_until(limit: Duration, done: impl Fn() -> bool) -> bool {
    let waiting = async {
        while !done() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(limit, waiting).await.is_ok()
}
