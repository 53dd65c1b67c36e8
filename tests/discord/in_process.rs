//! The bot inside the test's own process, with an app that the test can break.

use crate::bot_process::start_game::challenge;
use crate::fixture::assert_private;
use crate::store_fixture::{begin, brandubh};
use crate::temp_folder::TempFolder;
use fake_discord::state::DiscordState;
use fake_discord::{FakeDiscord, WAIT_LIMIT};
use ratatosk::app::App;
use ratatosk::config::{Endpoint, Secret};
use ratatosk::discord::{self, BotConfig, StopReason};
use ratatosk::game::{ChannelId, GameTerms, Place, PlacePart, ServerId, Timestamp};
use ratatosk::store::{Delivery, OutboxId, Session, Store, StoreError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A bot that runs in this process, with a database of its own.
struct RunningBot {
    store: Store,
    task: JoinHandle<Result<(), StopReason>>,
    shutdown: oneshot::Sender<()>,
    gateway: Option<Runtime>,
    _folder: TempFolder,
}

impl RunningBot {
    /// Starts a bot whose coin tosses are made by `coin_toss`, and waits until it is ready and has written what it writes
    /// at the start.
    async fn start(discord: &FakeDiscord, coin_toss: fn() -> bool) -> Self {
        let folder = TempFolder::new("in-process");
        let store = Store::open(&folder.path().join("games.db")).unwrap();
        let place = add_game_in_gone_channel(&store, discord);
        let gateway = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let token = discord.state.read(|state| state.token.clone());
        let config = BotConfig {
            app: App::new(store.clone(), now, coin_toss),
            token: Secret::new(&token),
            gateway_runtime: gateway.handle().clone(),
            extra_answer_time: WAIT_LIMIT,
        };
        let endpoint = Endpoint { api: Some(discord.base()), ..Endpoint::default() };
        let (shutdown, asked) = oneshot::channel();
        let asked = async move {
            let _ = asked.await;
        };
        let task = tokio::spawn(async move { discord::start(config, &endpoint, asked).await });
        let ready = |state: &DiscordState| (state.gateway.identified > 0 && !state.commands.is_empty()).then_some(());
        discord.wait_until("the bot to log in and to register its commands", ready).await;
        wait_until(&store, "the commands to be recorded and the channel to be back", |session| {
            session.note("commands").unwrap().is_some() && !session.is_gone(place).unwrap()
        })
        .await;
        Self { store, task, shutdown, gateway: Some(gateway), _folder: folder }
    }

    /// Waits until the bot has ended.
    async fn ended(&mut self) -> Result<(), StopReason> {
        tokio::time::timeout(WAIT_LIMIT, &mut self.task).await.expect("the bot does not end").unwrap()
    }

    async fn stop(mut self) -> Result<(), StopReason> {
        let (shutdown, _) = oneshot::channel();
        std::mem::replace(&mut self.shutdown, shutdown).send(()).unwrap();
        self.ended().await
    }
}

impl Drop for RunningBot {
    fn drop(&mut self) {
        self.task.abort();
        // A runtime must not wait for its threads inside another one.
        if let Some(gateway) = self.gateway.take() {
            gateway.shutdown_background();
        }
        let _ = self.store.clone().close();
    }
}

/// Starts a game between strangers in Discord's channel, which is recorded as gone: the last thing that the bot writes
/// when it hears of the server is that the channel is back. Returns where.
fn add_game_in_gone_channel(store: &Store, discord: &FakeDiscord) -> Place {
    let place = Place { server: Some(ServerId(discord.server)), channel: ChannelId(discord.channel), thread: None };
    begin(store, GameTerms { place, ..brandubh() }, now());
    store.mark_gone(PlacePart::Channel(place.channel), now()).unwrap();
    place
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Timestamp(i64::try_from(since.as_secs()).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_bot_runs_in_the_process_of_its_caller_and_stops_when_asked() {
    let discord = FakeDiscord::start().await;
    let (ann, bo) = (discord.add_user("Ann"), discord.add_user("Bo"));
    let bot = RunningBot::start(&discord, || true).await;
    let post = challenge(&ann, &bo, "brandubh").await;
    assert!(post.is_public() && post.alt_text().is_some(), "{}", post.text());
    assert!(matches!(bot.stop().await, Ok(())));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panic_in_a_store_job_ends_the_bot() {
    let discord = FakeDiscord::start().await;
    let (ann, bo) = (discord.add_user("Ann"), discord.add_user("Bo"));
    let mut bot = RunningBot::start(&discord, || true).await;
    challenge(&ann, &bo, "brandubh").await;
    let delivery = Delivery::WithoutButtons { post: None };
    bot.store.settle_later(OutboxId(0), delivery, now(), |_| panic!("a bug that this test made"));
    ann.send_slash("preferences", &[("reminders", "off")]).unwrap();
    let ended = bot.ended().await;
    assert!(matches!(ended, Err(StopReason::Store(StoreError::Stopped))), "{ended:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_whose_request_panics_gets_an_apology() {
    let discord = FakeDiscord::start().await;
    let (ann, bo) = (discord.add_user("Ann"), discord.add_user("Bo"));
    let bot = RunningBot::start(&discord, || panic!("a bug that this test made")).await;
    let post = challenge(&ann, &bo, "brandubh").await;
    let apology = bo.click(&post, "Accept").await;
    assert_private(&apology, &bo, "Something went wrong on my side, and nothing was done");
    let declined = bo.click(&post, "Decline").await;
    assert!(declined.is_public(), "the bot goes on: {}", declined.text());
    assert!(matches!(bot.stop().await, Ok(())));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_in_a_quiet_bot_takes_one_commit_and_one_more_for_its_posts() {
    let discord = FakeDiscord::start().await;
    let (ann, bo) = (discord.add_user("Ann"), discord.add_user("Bo"));
    let bot = RunningBot::start(&discord, || true).await;
    let challenge = challenge(&ann, &bo, "brandubh").await;
    let mut board = bo.click(&challenge, "Accept").await;
    let heartbeat = || bot.store.session().unwrap().heartbeat().unwrap();
    let mut commits = Vec::new();
    for (player, mv) in [(&ann, "d2-c2"), (&bo, "d3-c3"), (&ann, "c2-b2"), (&bo, "c3-c1")] {
        wait_until_settled(&bot.store).await;
        let before = (bot.store.counters().commits, heartbeat());
        let previous = std::mem::replace(&mut board, player.slash("move", &[("move", mv)]).await);
        let lost_buttons = |state: &DiscordState| state.messages[&previous.id].components.is_empty().then_some(());
        discord.wait_until("the previous board to lose its buttons", lost_buttons).await;
        let made = bot.store.counters().commits - before.0;
        // A heartbeat in between is a commit of its own.
        if heartbeat() == before.1 {
            commits.push(made);
        }
    }
    assert!(
        !commits.is_empty() && commits.iter().all(|made| *made == 2),
        "the move, and settling its post: {commits:?}"
    );
    assert!(matches!(bot.stop().await, Ok(())));
}

/// Waits until every message is settled.
async fn wait_until_settled(store: &Store) {
    wait_until(store, "every message to be settled", |session| session.stats().unwrap().unsent == 0).await;
}

/// Waits until something is stored, and every commit so far is counted.
async fn wait_until(store: &Store, what: &str, is_so: impl Fn(&Session) -> bool) {
    let stored = async {
        while !is_so(&store.session().unwrap()) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(WAIT_LIMIT, stored).await.unwrap_or_else(|_| panic!("timed out waiting for {what}"));
    // A commit can be read before it is counted. This one is counted after all earlier ones, and before it returns.
    store.write_note("barrier", "").unwrap();
}
