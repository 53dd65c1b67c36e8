//! The bot on Discord: interactions become requests for [`crate::app`], replies become messages. Nothing is decided here.
//!
//! | question | file |
//! |---|---|
//! | How does the bot listen to Discord? | `line` |
//! | What comes in from Discord? | `gateway`, read by `hear` |
//! | How is it answered, in time and once? | `answer` |
//! | What follows an answer? | `follow` |
//! | How does a reply look? | `letter`, with names and times by `voice` |
//! | Who sees to an owed message? | `outbox` |
//! | How does it get where it belongs? | `deliver`, no faster than `limits` allow |
//! | How does a game get its thread? | `threads` |
//! | What did a process that was killed still deliver? | `traces` |
//! | How do former posts lose their buttons? | `tidy` |
//! | What if a place is gone? | `places` |
//! | Which commands does Discord know? | [`catalogue`] |
//! | How is Discord called? | `wire` |
//! | How is it invited? | [`invite`] |
//! | How is it doing? | `pulse`, told by `heart` |

mod answer;
pub mod catalogue;
mod deliver;
mod follow;
mod gateway;
mod hear;
mod heart;
pub mod invite;
mod letter;
mod limits;
mod line;
mod outbox;
mod places;
mod pulse;
mod threads;
mod tidy;
mod traces;
mod voice;
mod wire;

use crate::app::App;
use crate::config::{Road, Secret};
use crate::render::Renderer;
use crate::store::{OwedId, State, StoreError};
use crate::timer::Timer;
use gateway::Seen;
use heart::Connections;
use outbox::Outbox;
use pulse::Pulse;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tidy::Hidden;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tracing::{error, info, warn};
use voice::DiscordVoice;
use wire::Wire;

/// How long starting waits for Discord.
const FIRST_CALL: Duration = Duration::from_secs(10);
/// How long stopping waits: for the gateway, for running requests, for owed messages.
const GATEWAY_STOPS: Duration = Duration::from_secs(3);
const REQUESTS_END: Duration = Duration::from_secs(5);
const MESSAGES_GO: Duration = Duration::from_secs(3);
const HOUR: Duration = Duration::from_secs(60 * 60);

/// Why the bot cannot go on.
#[derive(Debug)]
pub enum Stopped {
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

impl fmt::Display for Stopped {
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

impl std::error::Error for Stopped {}

impl From<StoreError> for Stopped {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Everything that answering needs.
struct Bot {
    app: Arc<App>,
    voice: DiscordVoice,
    renderer: Renderer,
    wire: Wire,
    outbox: Arc<Outbox>,
    /// There are posts that should lose their buttons.
    tidy: Notify,
    /// Where they cannot lose them now.
    hidden: Hidden,
    timer: Timer,
    seen: Seen,
    pulse: Pulse,
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
pub fn run(app: App, token: &Secret, road: &Road) -> Result<(), Stopped> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(8)
        .enable_all()
        .build()
        .map_err(|error| Stopped::Failed(error.to_string()))?;
    let apart = line::runtime().map_err(|error| Stopped::Failed(error.to_string()))?;
    let store = app.store().clone();
    let ended = runtime.block_on(serve(app, token, road, apart.handle()));
    // Whatever still waits for Discord now waits in vain.
    apart.shutdown_background();
    runtime.shutdown_timeout(Duration::from_secs(1));
    let closed = store.close();
    ended?;
    Ok(closed?)
}

/// Asks Discord for the number of the application that a token belongs to.
pub fn ask_application(token: &Secret, road: &Road) -> Result<u64, Stopped> {
    let wire = Wire::new(token, road).map_err(Stopped::Misconfigured)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Stopped::Failed(error.to_string()))?;
    match runtime.block_on(wire.get("/applications/@me", FIRST_CALL)) {
        Ok(told) => wire::id(&told).ok_or_else(|| Stopped::Failed(String::from("Discord does not say who it is"))),
        Err(trouble) if trouble.status() == 401 => Err(Stopped::TokenRefused),
        Err(trouble) => Err(Stopped::NotReached(trouble.to_string())),
    }
}

async fn serve(app: App, token: &Secret, road: &Road, apart: &Handle) -> Result<(), Stopped> {
    let mut stop = Signals::listen()?;
    let app = Arc::new(app);
    let bot = Arc::new(Bot {
        voice: DiscordVoice::new(Arc::clone(&app)),
        renderer: Renderer::new(),
        wire: Wire::new(token, road).map_err(Stopped::Misconfigured)?,
        outbox: Arc::new(Outbox::new(app.store().newest_owed()?)),
        tidy: Notify::new(),
        hidden: Hidden::default(),
        timer: Timer::start(),
        seen: Seen::default(),
        pulse: Pulse::default(),
        application: AtomicU64::new(0),
        busy: Arc::new(()),
        stopping: AtomicBool::new(false),
        home: Handle::current(),
        app,
    });
    let started = bot.app.now();
    // Whatever an earlier process has left there is not about this one.
    heart::sign(&bot, State::Disconnected, started).await;
    let getting_ready = async {
        let gateway = line::find_gateway(&bot.wire).await?;
        Ok::<_, Stopped>((gateway.shards, line::connect(&bot, token, road, gateway.address, apart).await?))
    };
    let (total, mut client) = tokio::select! {
        ready = getting_ready => ready?,
        () = stop.wait() => {
            heart::sign(&bot, State::Stopped, started).await;
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
    let watched = Connections::new(Arc::clone(&shards), total, apart.clone());
    let mut heart = tokio::spawn(heart::beat(Arc::clone(&bot), watched, started));
    let listening = apart.spawn(async move { client.start_shards(total).await });
    let result = tokio::select! {
        ended = listening => Err(match ended {
            Ok(Err(error)) => line::why_ended(&error),
            Ok(Ok(())) | Err(_) => Stopped::NotReached(String::from("the connection to Discord ended")),
        }),
        ended = &mut heart => Err(ended.unwrap_or_else(|_| Stopped::Failed(String::from("signs of life broke off")))),
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
    let state = if result.is_ok() { State::Stopped } else { State::Disconnected };
    heart::sign(&bot, state, started).await;
    result
}

async fn keep_time(bot: Arc<Bot>) {
    let owes = |owed: &[OwedId]| {
        owed.iter().for_each(|owed| bot.outbox.release(*owed));
        // An expired challenge loses its buttons, too.
        bot.tidy.notify_one();
    };
    bot.timer.run(Arc::clone(&bot.app), owes).await;
}

async fn tell_every_hour(bot: Arc<Bot>) {
    loop {
        tokio::time::sleep(HOUR).await;
        let hour = bot.pulse.take();
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
    fn listen() -> Result<Self, Stopped> {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| signal(kind).map_err(|error| Stopped::Failed(error.to_string()));
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
    fn listen() -> Result<Self, Stopped> {
        Ok(Self)
    }

    async fn wait(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
