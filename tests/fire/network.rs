//! Everything between the bot and Discord goes wrong at once, while many games are played. Nobody kills the bot.

use crate::dice::Dice;
use crate::ledger::{self, Ledger};
use crate::seats::Pair;
use crate::standin::Discord;
use crate::standin::rest::Trouble;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Of a hundred calls, so many fail.
const FAILING: usize = 5;

/// What came of it.
pub struct Weather {
    pub ledger: Ledger,
    pub calls: usize,
    pub failed: usize,
    /// How often the gateway was cut, closed, or the session was not valid any more.
    pub cuts: usize,
    pub took: Duration,
}

impl fmt::Display for Weather {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ledger, calls, failed, cuts, took } = self;
        let seconds = took.as_secs_f32();
        write!(f, "{failed} of {calls} calls failed and {cuts} gateways were lost in {seconds:.0} s: {ledger}")
    }
}

/// Lets people play in so many games for so long in bad weather.
pub async fn storm(games: usize, time: Duration) -> Weather {
    let began = Instant::now();
    let discord = Discord::start().await;
    let mut bot = discord.run_bot().await;
    let (_tell, lives) = watch::channel(0);
    let mut pairs = Vec::new();
    for number in 0..games {
        pairs.push(Pair::sit_down(&discord, number, lives.clone()).await);
    }
    discord.shared.change(|world| world.forgetful = true);
    let (calls, failed) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    discord.storm(failing(Arc::clone(&calls), Arc::clone(&failed)));
    let over = Arc::new(AtomicBool::new(false));
    let playing: Vec<_> = pairs.into_iter().map(|pair| tokio::spawn(pair.play_until(Arc::clone(&over)))).collect();
    let cuts = lose_gateways(&discord, Instant::now() + time).await;
    over.store(true, Ordering::Relaxed);
    let mut pairs = Vec::new();
    for pair in playing {
        pairs.push(pair.await.expect("a pair stopped playing"));
    }
    discord.no_trouble();
    ledger::nothing_is_owed(&bot).await;
    discord.settle().await;
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.said());
    assert!(!bot.said().contains("panicked"), "{}", bot.said());
    let ledger = ledger::check(&bot.database(), &discord, &pairs);
    let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
    Weather { ledger, calls: count(&calls), failed: count(&failed), cuts, took: began.elapsed() }
}

/// Makes calls fail in every way there is, and now and then a whole burst of them because there are too many.
fn failing(calls: Arc<AtomicUsize>, failed: Arc<AtomicUsize>) -> impl FnMut(&str, &str) -> Option<Trouble> + Send {
    let mut dice = Dice::new(u64::from(std::process::id()));
    let mut burst = 0;
    move |_, _| {
        calls.fetch_add(1, Ordering::Relaxed);
        if dice.throw(400) == 0 {
            burst = 5 + dice.throw(20);
        }
        let trouble = if burst > 0 {
            burst -= 1;
            Some(Trouble::LimitAll(Duration::from_millis(100 + dice.throw(900) as u64)))
        } else if dice.throw(100) < FAILING {
            let status = dice.pick(&[500, 502, 503]);
            let while_ = Duration::from_millis(500 + dice.throw(4_000) as u64);
            Some(dice.pick(&[
                Trouble::Fail(status),
                Trouble::FailAfterDoing(status),
                Trouble::Cut,
                Trouble::CutAfterDoing,
                Trouble::Limit(Duration::from_millis(200)),
                Trouble::Slow(while_),
                Trouble::SlowReceipt(while_),
                Trouble::Slow(Duration::from_secs(11)),
            ]))
        } else {
            None
        };
        failed.fetch_add(usize::from(trouble.is_some()), Ordering::Relaxed);
        trouble
    }
}

/// Loses the gateway every few seconds, in every way there is; in between interactions come twice and out of order.
async fn lose_gateways(discord: &Discord, until: Instant) -> usize {
    let mut dice = Dice::new(7);
    let mut cuts = 0;
    while Instant::now() < until {
        for _ in 0..3 + dice.throw(10) {
            tokio::time::sleep(Duration::from_millis(100 + dice.throw(200) as u64)).await;
            if dice.throw(2) == 0 {
                discord.deliver_twice();
            } else {
                discord.hold_back();
                tokio::time::sleep(Duration::from_millis(50)).await;
                discord.deliver_backwards();
            }
        }
        match dice.throw(5) {
            0 => discord.cut_gateway(),
            1 => discord.close_gateway(4000),
            2 => discord.ask_to_reconnect(),
            3 => discord.invalidate_session(true),
            _ => discord.invalidate_session(false),
        }
        cuts += 1;
    }
    discord.deliver_backwards();
    cuts
}
