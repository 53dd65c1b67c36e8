//! Kills the bot at random moments while many games are played.

use crate::experiments::audit::{self, Audit};
use crate::experiments::bot_process::BotProcess;
use crate::experiments::player_pair::PlayerPair;
use crate::experiments::seeded_rng::Rng;
use fake_discord::FakeDiscord;
use fake_discord::rest::Failure;
use fake_discord::state::DiscordState;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The result of a run.
pub struct CrashReport {
    audit: Audit,
    kills: usize,
    /// How many of them were before the bot had logged in.
    kills_before_login: usize,
    /// The most duplicate posts because of one kill.
    most_duplicates: usize,
    took: Duration,
}

impl fmt::Display for CrashReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { audit, kills, kills_before_login, most_duplicates, took } = self;
        let seconds = took.as_secs_f32();
        write!(
            f,
            "killed {kills} times in {seconds:.0} s, {kills_before_login} times before it had logged in: {audit}; at most \
             {most_duplicates} extra because of one kill"
        )
    }
}

/// Kills the bot at random moments.
struct Killer {
    rng: Rng,
    /// Tells the players how often the bot was killed.
    kill_count: watch::Sender<usize>,
    /// In milliseconds.
    kill_times: Vec<u64>,
    kills_before_login: usize,
}

/// Plays a number of games, and kills the bot a number of times.
pub async fn run(games: usize, kills: usize) -> CrashReport {
    let began = Instant::now();
    let discord = FakeDiscord::start().await;
    discord.state.update(|state| state.discard_history = true);
    let mut killer = Killer {
        rng: Rng::for_experiment("crash"),
        kill_count: watch::channel(0).0,
        kill_times: Vec::new(),
        kills_before_login: 0,
    };
    let mut bot = BotProcess::start(&discord).await;
    let mut pairs = Vec::new();
    for number in 0..games {
        pairs.push(PlayerPair::start(&discord, number, killer.kill_count.subscribe()).await);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let playing: Vec<_> = pairs.into_iter().map(|pair| tokio::spawn(pair.play_until(Arc::clone(&stop)))).collect();
    // One kill certainly hits an answer; the others come at random.
    killer.kill_during_answer(&discord, &mut bot).await;
    for _ in 2..kills {
        killer.kill_at_random(&discord, &mut bot).await;
    }
    wait_until_connected(&discord).await;
    stop.store(true, Ordering::Relaxed);
    let mut pairs = Vec::new();
    for pair in playing {
        pairs.push(pair.await.expect("a pair stopped playing"));
    }
    // Once more, after the pairs have left their offers open.
    killer.kill_at_random(&discord, &mut bot).await;
    wait_until_connected(&discord).await;
    let audit = audit::run(&discord, &mut bot, &mut pairs).await;
    let most_duplicates = killer.most_duplicates(&audit);
    let Killer { kills_before_login, .. } = killer;
    let report = CrashReport { kills, kills_before_login, audit, most_duplicates, took: began.elapsed() };
    let Audit { unsure, unseen, .. } = report.audit;
    assert!(unsure > 0, "no player has noticed that the bot was killed: {report}");
    assert!(kills < 50 || (unseen > 0 && kills_before_login * 10 > kills), "hardly a kill hit anything: {report}");
    report
}

async fn wait_until_connected(discord: &FakeDiscord) {
    discord.wait_until("the bot to come back", |state: &DiscordState| state.gateway.connected().then_some(())).await;
}

impl Killer {
    /// Kills the bot while it starts, soon after, or during many moves, and starts it again.
    async fn kill_at_random(&mut self, discord: &FakeDiscord, bot: &mut BotProcess) {
        const DURING_PLAY: usize = 3_000;
        let longest_pause = self.rng.pick(&[40, 300, DURING_PLAY]);
        if longest_pause == DURING_PLAY {
            wait_until_connected(discord).await;
        }
        tokio::time::sleep(Duration::from_millis(self.rng.below(longest_pause) as u64)).await;
        self.kills_before_login += usize::from(!discord.state.read(|state| state.gateway.connected()));
        self.kill_and_launch(discord, bot).await;
    }

    /// Kills the bot while an answer is on its way, which arrives afterwards, and starts it again.
    async fn kill_during_answer(&mut self, discord: &FakeDiscord, bot: &mut BotProcess) {
        discord.fail_next("POST /interactions/*/*/callback", 1, Failure::Hold);
        discord.wait_until_held(1).await;
        self.kill_and_launch(discord, bot).await;
        discord.clear_failures();
    }

    async fn kill_and_launch(&mut self, discord: &FakeDiscord, bot: &mut BotProcess) {
        bot.kill().await;
        self.kill_times.push(discord.state.read(DiscordState::now));
        self.kill_count.send_modify(|count| *count += 1);
        bot.launch(None);
    }

    /// Returns the most duplicate posts because of one kill. A post may be repeated if the bot was killed before it
    /// noted it, so there must be none after the last kill.
    fn most_duplicates(&self, audit: &Audit) -> usize {
        let mut duplicates = vec![0; self.kill_times.len() + 1];
        audit.extra.iter().for_each(|sent| duplicates[self.kill_times.partition_point(|kill| kill < sent)] += 1);
        assert_eq!(duplicates.last(), Some(&0), "posted twice although the bot was not killed any more: {audit}");
        let most = duplicates.into_iter().max().unwrap_or(0);
        assert!(most <= 1, "{most} extra posts because of one kill: {audit}");
        most
    }
}
