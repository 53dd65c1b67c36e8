//! The bot is killed at random moments, again and again, while many games are played.

use crate::dice::Dice;
use crate::ledger::{self, Ledger};
use crate::seats::Pair;
use crate::standin::Discord;
use crate::standin::model::World;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// What came of it.
pub struct Crashes {
    pub kills: usize,
    pub ledger: Ledger,
    /// The most posts too many after one kill.
    pub most_extra: usize,
    /// How many of the challenges that stood were accepted afterwards.
    pub accepted: usize,
    pub took: Duration,
}

/// In how many channels the challenges that stand are accepted afterwards: fewer than somebody can play games at once.
const SOME: usize = 10;

/// Lets people play in so many games, and kills the bot so many times.
pub async fn crash(games: usize, kills: usize) -> Crashes {
    let began = Instant::now();
    let discord = Discord::start().await;
    discord.shared.change(|world| world.forgetful = true);
    let mut bot = discord.run_bot().await;
    let (tell, lives) = watch::channel(0);
    let mut pairs = Vec::new();
    for number in 0..games {
        pairs.push(Pair::sit_down(&discord, number, lives.clone()).await);
    }
    let over = Arc::new(AtomicBool::new(false));
    let playing: Vec<_> = pairs.into_iter().map(|pair| tokio::spawn(pair.play_until(Arc::clone(&over)))).collect();
    let mut dice = Dice::new(u64::from(std::process::id()));
    let mut killed = Vec::new();
    for _ in 0..kills {
        // Sometimes before it has logged in, mostly in the middle of many moves.
        if dice.throw(4) > 0 {
            let back = |world: &World| world.gateway.connected().then_some(());
            discord.wait_for("the bot to come back", back).await;
        }
        tokio::time::sleep(Duration::from_millis(50 + dice.throw(3_000) as u64)).await;
        bot.kill().await;
        killed.push(discord.shared.look(|world| world.now()));
        tell.send_modify(|lives| *lives += 1);
        bot.launch(None);
    }
    discord.wait_for("the bot to come back", |world| world.gateway.connected().then_some(())).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    over.store(true, Ordering::Relaxed);
    let mut pairs = Vec::new();
    for pair in playing {
        pairs.push(pair.await.expect("a pair stopped playing"));
    }
    ledger::nothing_is_owed(&bot).await;
    discord.settle().await;
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.said());
    assert!(!bot.said().contains("panicked"), "{}", bot.said());
    let ledger = ledger::check(&bot.database(), &discord, &pairs);
    let life_of = |sent: &u64| killed.partition_point(|kill| kill < sent);
    let mut extra = vec![0; kills + 1];
    ledger.extra.iter().for_each(|sent| extra[life_of(sent)] += 1);
    let most_extra = extra.into_iter().max().unwrap_or(0);
    bot.start().await;
    let stranger = discord.user("Stranger");
    let mut accepted = 0;
    for pair in pairs.iter().take(SOME) {
        accepted += pair.accept_standing(&stranger).await;
    }
    Crashes { kills, ledger, most_extra, accepted, took: began.elapsed() }
}

impl std::fmt::Display for Crashes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { kills, ledger, most_extra, accepted, took } = self;
        write!(
            f,
            "killed {kills} times in {:.0} s: {ledger}; at most {most_extra} extra after one kill; {accepted} challenges \
             accepted afterwards",
            took.as_secs_f32()
        )
    }
}
