//! The bot is killed at random moments, again and again, while many games are played.

use crate::dice::Dice;
use crate::ledger::{self, Ledger};
use crate::seats::Pair;
use crate::standin::Discord;
use crate::standin::bot::Bot;
use crate::standin::model::World;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// What came of it.
pub struct Crashes {
    ledger: Ledger,
    kills: usize,
    /// How many of them before the bot had logged in.
    early: usize,
    /// The most posts too many because of one kill.
    most_extra: usize,
    took: Duration,
}

impl fmt::Display for Crashes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ledger, kills, early, most_extra, took } = self;
        let seconds = took.as_secs_f32();
        write!(
            f,
            "killed {kills} times in {seconds:.0} s, {early} times before it had logged in: {ledger}; at most {most_extra} \
             extra because of one kill"
        )
    }
}

/// Ends the bot at random moments.
struct Reaper {
    dice: Dice,
    /// Tells everybody how often.
    tell: watch::Sender<usize>,
    /// When, in milliseconds.
    killed: Vec<u64>,
    early: usize,
}

/// Lets people play in so many games, and kills the bot so many times.
pub async fn crash(games: usize, kills: usize) -> Crashes {
    let began = Instant::now();
    let discord = Discord::start().await;
    discord.shared.change(|world| world.forgetful = true);
    let mut reaper = Reaper { dice: Dice::of("crash"), tell: watch::channel(0).0, killed: Vec::new(), early: 0 };
    let mut bot = discord.run_bot().await;
    let mut pairs = Vec::new();
    for number in 0..games {
        pairs.push(Pair::sit_down(&discord, number, reaper.tell.subscribe()).await);
    }
    let over = Arc::new(AtomicBool::new(false));
    let playing: Vec<_> = pairs.into_iter().map(|pair| tokio::spawn(pair.play_until(Arc::clone(&over)))).collect();
    for _ in 1..kills {
        reaper.strike(&discord, &mut bot).await;
    }
    back(&discord).await;
    over.store(true, Ordering::Relaxed);
    let mut pairs = Vec::new();
    for pair in playing {
        pairs.push(pair.await.expect("a pair stopped playing"));
    }
    // Once more when everybody has left something unanswered.
    reaper.strike(&discord, &mut bot).await;
    back(&discord).await;
    let ledger = ledger::settle_up(&discord, &mut bot, &mut pairs).await;
    let most_extra = reaper.most_extra(&ledger);
    let Reaper { early, .. } = reaper;
    let crashes = Crashes { kills, early, ledger, most_extra, took: began.elapsed() };
    let Ledger { tries, unsure, unseen, .. } = crashes.ledger;
    assert!(unsure * 50 >= tries, "hardly anybody has noticed that the bot was killed: {crashes}");
    assert!(kills < 50 || (unseen > 0 && early * 10 > kills), "hardly a kill hit anything: {crashes}");
    crashes
}

async fn back(discord: &Discord) {
    discord.wait_for("the bot to come back", |world: &World| world.gateway.connected().then_some(())).await;
}

impl Reaper {
    /// Kills the bot while it starts, soon after, or in the middle of many moves; and starts it again.
    async fn strike(&mut self, discord: &Discord, bot: &mut Bot) {
        const IN_PLAY: usize = 3_000;
        let most = self.dice.pick(&[40, 300, IN_PLAY]);
        if most == IN_PLAY {
            back(discord).await;
        }
        tokio::time::sleep(Duration::from_millis(self.dice.throw(most) as u64)).await;
        self.early += usize::from(!discord.shared.look(|world| world.gateway.connected()));
        bot.kill().await;
        self.killed.push(discord.shared.look(World::now));
        self.tell.send_modify(|lives| *lives += 1);
        bot.launch(None);
    }

    /// Tells how many posts are too many because of one kill, at most. The one that is too many was made before the kill,
    /// without being noted; after the last one there is no excuse.
    fn most_extra(&self, ledger: &Ledger) -> usize {
        let mut extra = vec![0; self.killed.len() + 1];
        ledger.extra.iter().for_each(|sent| extra[self.killed.partition_point(|kill| kill < sent)] += 1);
        assert_eq!(extra.last(), Some(&0), "posted twice although the bot was not killed any more: {ledger}");
        let most = extra.into_iter().max().unwrap_or(0);
        assert!(most <= 1, "{most} extra posts because of one kill: {ledger}");
        most
    }
}
