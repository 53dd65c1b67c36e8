//! Everything between the bot and Discord goes wrong at once, while many games are played. Nobody kills the bot.

use crate::dice::{self, Dice};
use crate::ledger::{self, Ledger};
use crate::seats::Pair;
use crate::standin::Discord;
use crate::standin::rest::Trouble;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// One of so many calls fails.
const ONE_OF: usize = 12;
/// Of a hundred calls, so many have to fail in a way that was promised.
const PROMISED: usize = 5;
/// Of a hundred others, so many are slow or come too fast.
const HINDERED: usize = 2;
/// Longer than the bot waits for any call.
const TOO_LONG: Duration = Duration::from_secs(11);
/// How long after it was told to wait may the bot still send what was on its way.
const HEARING: Duration = Duration::from_secs(1);

/// What came of it.
pub struct Weather {
    ledger: Ledger,
    toll: Toll,
    /// How often the gateway was cut, closed, or the session was not valid any more.
    cuts: usize,
    took: Duration,
}

/// What happened to calls.
#[derive(Clone, Default)]
struct Toll {
    calls: usize,
    /// Those that failed, by how, and how many of them in a way that was promised.
    failed: BTreeMap<&'static str, usize>,
    promised: usize,
    /// Those that were slow or came too fast.
    hindered: usize,
    /// How often everything came too fast for a while, and what was refused because of it.
    pauses: usize,
    refused: usize,
    /// Those of them that came although the bot had been told to wait.
    deaf: Vec<String>,
}

impl fmt::Display for Weather {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ledger, toll: Toll { calls, failed, promised, hindered, pauses, refused, .. }, cuts, took } = self;
        let seconds = took.as_secs_f32();
        let kinds: Vec<String> = failed.iter().map(|(kind, times)| format!("{times} {kind}")).collect();
        let all: usize = failed.values().sum();
        write!(
            f,
            "in {seconds:.0} s {all} of {calls} calls failed ({}), {promised} of them with 500, 502, 503, a reset or a \
             time-out; {hindered} were slow or too fast; {pauses} times everything had to wait ({refused} calls refused, \
             none after the bot had heard of it); {cuts} gateways were lost: {ledger}",
            kinds.join(", ")
        )
    }
}

/// Lets people play in so many games for so long in bad weather.
pub async fn storm(games: usize, time: Duration) -> Weather {
    let began = Instant::now();
    let dice = Dice::of("network");
    let discord = Discord::start().await;
    let mut bot = discord.run_bot().await;
    let (_tell, lives) = watch::channel(0);
    let mut pairs = Vec::new();
    for number in 0..games {
        pairs.push(Pair::sit_down(&discord, number, lives.clone()).await);
    }
    discord.shared.change(|world| world.forgetful = true);
    let toll = Arc::new(Mutex::new(Toll::default()));
    let mut clouds = Clouds::new(dice, Arc::clone(&toll));
    discord.storm(move |_, path| clouds.trouble(path));
    let over = Arc::new(AtomicBool::new(false));
    let playing: Vec<_> = pairs.into_iter().map(|pair| tokio::spawn(pair.play_until(Arc::clone(&over)))).collect();
    let cuts = lose_gateways(&discord, Instant::now() + time).await;
    over.store(true, Ordering::Relaxed);
    let mut pairs = Vec::new();
    for pair in playing {
        pairs.push(pair.await.expect("a pair stopped playing"));
    }
    discord.no_trouble();
    // Whoever plays on has the bot look again at what did not work.
    for pair in &mut pairs {
        pair.play_on().await;
    }
    let ledger = ledger::settle_up(&discord, &mut bot, &mut pairs).await;
    let toll = toll.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let weather = Weather { ledger, toll, cuts, took: began.elapsed() };
    let Toll { calls, promised, deaf, failed, pauses, .. } = &weather.toll;
    assert!(weather.ledger.extra.is_empty(), "posts that nobody needed: {weather}");
    assert!(promised * 100 >= PROMISED * calls, "fewer calls failed than promised: {weather}");
    assert!(failed.len() == KINDS.len() && *pauses > 0, "something never went wrong: {weather}");
    assert!(deaf.is_empty(), "the bot was told to wait and did not: {deaf:?}");
    weather
}

/// A way in which a call fails.
struct Kind {
    name: &'static str,
    trouble: Trouble,
    /// Whether it is one of those that were promised; the others come on top.
    promised: bool,
}

const fn promised(name: &'static str, trouble: Trouble) -> Kind {
    Kind { name, trouble, promised: true }
}

const fn besides(name: &'static str, trouble: Trouble) -> Kind {
    Kind { name, trouble, promised: false }
}

const KINDS: [Kind; 13] = [
    promised("500", Trouble::Fail(500)),
    promised("502", Trouble::Fail(502)),
    promised("503", Trouble::Fail(503)),
    promised("500 although done", Trouble::FailAfterDoing(500)),
    promised("502 although done", Trouble::FailAfterDoing(502)),
    promised("503 although done", Trouble::FailAfterDoing(503)),
    promised("reset", Trouble::Reset),
    promised("reset although done", Trouble::ResetAfterDoing),
    promised("timed out", Trouble::Slow(TOO_LONG)),
    promised("timed out although done", Trouble::SlowReceipt(TOO_LONG)),
    besides("closed", Trouble::Cut),
    besides("closed although done", Trouble::CutAfterDoing),
    besides("broken off after the headers", Trouble::Torn),
];

/// Makes calls fail.
struct Clouds {
    dice: Dice,
    toll: Arc<Mutex<Toll>>,
    /// Which of the next calls fails, and how many there are until another one is chosen.
    next: (usize, usize),
    /// The ways in which calls fail next: each once before any comes again.
    ways: Vec<usize>,
    /// When everything comes too fast, until when, and since when the bot knows it.
    begins: Instant,
    pause: Option<(Instant, Option<Instant>)>,
}

impl Clouds {
    fn new(dice: Dice, toll: Arc<Mutex<Toll>>) -> Self {
        let begins = Instant::now() + Duration::from_secs(2);
        Self { dice, toll, next: (0, 0), ways: Vec::new(), begins, pause: None }
    }

    /// Gives what goes wrong with a call.
    fn trouble(&mut self, path: &str) -> Option<Trouble> {
        let toll = Arc::clone(&self.toll);
        let mut toll = toll.lock().unwrap_or_else(PoisonError::into_inner);
        toll.calls += 1;
        if let Some(wait) = self.must_wait(path, &mut toll) {
            toll.refused += 1;
            return Some(Trouble::LimitAll(wait));
        }
        if self.is_next() {
            let kind = self.way();
            *toll.failed.entry(kind.name).or_default() += 1;
            toll.promised += usize::from(kind.promised);
            return Some(kind.trouble);
        }
        let hindered = self.dice.throw(100) < HINDERED;
        toll.hindered += usize::from(hindered);
        let a_while = Duration::from_millis(500 + self.dice.throw(4_000) as u64);
        let ways = [Trouble::Limit(Duration::from_millis(200)), Trouble::Slow(a_while), Trouble::SlowReceipt(a_while)];
        hindered.then(|| self.dice.pick(&ways))
    }

    /// Now and then every call comes too fast for a while, but for answers, which Discord does not count; gives how long the
    /// bot has to wait then.
    fn must_wait(&mut self, path: &str, toll: &mut Toll) -> Option<Duration> {
        let now = Instant::now();
        if self.pause.is_some_and(|(ends, _)| now >= ends) {
            self.pause = None;
            self.begins = now + Duration::from_secs(3 + self.dice.throw(6) as u64);
        } else if self.pause.is_none() && now >= self.begins {
            toll.pauses += 1;
            self.pause = Some((now + Duration::from_millis(2_000 + self.dice.throw(2_000) as u64), None));
        }
        let (ends, told) = self.pause.as_mut()?;
        if path.starts_with("/interactions/") || path.starts_with("/webhooks/") {
            return None;
        }
        if now - *told.get_or_insert(now) > HEARING {
            toll.deaf.push(path.to_owned());
        }
        Some(ends.saturating_duration_since(now))
    }

    /// Tells whether the next call is the one of several that fails.
    fn is_next(&mut self) -> bool {
        if self.next.1 == 0 {
            self.next = (self.dice.throw(ONE_OF), ONE_OF);
        }
        self.next.1 -= 1;
        self.next.0 == self.next.1
    }

    /// Chooses how a call fails.
    fn way(&mut self) -> &'static Kind {
        if self.ways.is_empty() {
            self.ways = (0..KINDS.len()).collect();
        }
        let chosen = self.dice.throw(self.ways.len());
        &KINDS[self.ways.swap_remove(chosen)]
    }
}

/// Loses the gateway every few seconds, in every way there is; in between interactions come twice and out of order.
async fn lose_gateways(discord: &Discord, until: Instant) -> usize {
    let mut dice = Dice::new(dice::seed() + 1);
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
