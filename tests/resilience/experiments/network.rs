//! Requests fail, connections break and events come twice while many games are played. The bot is not killed.

use crate::experiments::audit::{self, Audit};
use crate::experiments::bot_process::BotProcess;
use crate::experiments::player_pair::PlayerPair;
use crate::experiments::seeded_rng::{self, Rng};
use fake_discord::rest::Failure;
use fake_discord::{FakeDiscord, REAL_RESPONSE_DEADLINE, WAIT_LIMIT};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// One request in this many fails.
const ONE_OF: usize = 12;
/// The least percentage of requests that has to fail with a server error, a reset or a timeout.
const LEAST_SERIOUS: usize = 5;
/// The percentage of the others that is slow or rate limited.
const DELAYED: usize = 2;
/// Longer than the bot waits for any request.
const TOO_LONG: Duration = Duration::from_secs(11);
/// How many interactions a pair may send before it waits for an answer.
const INTERACTIONS_AT_ONCE: usize = 2;

/// The result of a run.
pub struct NetworkReport {
    audit: Audit,
    counts: FailureCounts,
    /// How often the gateway connection was lost.
    cuts: usize,
    took: Duration,
}

/// What happened to requests.
#[derive(Clone, Default)]
struct FailureCounts {
    calls: usize,
    /// Those that failed, by the kind of failure, and how many count for [`LEAST_SERIOUS`].
    failed: BTreeMap<&'static str, usize>,
    serious: usize,
    /// Those that were slow or rate limited.
    delayed: usize,
    /// Global rate limits, and requests that were refused because of them.
    pauses: usize,
    refused: usize,
    /// Requests that came although the bot had been told to wait.
    not_waiting: Vec<String>,
}

impl FailureCounts {
    /// Returns whether requests have failed in every way, and everything had to wait at least once.
    fn has_everything(&self) -> bool {
        self.failed.len() == KINDS.len() && self.pauses > 0
    }
}

fn lock(counts: &Mutex<FailureCounts>) -> MutexGuard<'_, FailureCounts> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Display for NetworkReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { audit, counts: FailureCounts { calls, failed, serious, delayed, pauses, refused, .. }, cuts, took } =
            self;
        let seconds = took.as_secs_f32();
        let kinds: Vec<String> = failed.iter().map(|(kind, times)| format!("{times} {kind}")).collect();
        let all: usize = failed.values().sum();
        write!(
            f,
            "in {seconds:.0} s {all} of {calls} calls failed ({}), {serious} of them with 500, 502, 503, a reset or a \
             timeout; {delayed} were slow or rate limited; {pauses} times everything had to wait ({refused} calls refused, \
             none after the bot knew of it); {cuts} gateways were lost: {audit}",
            kinds.join(", ")
        )
    }
}

/// Lets pairs play while requests fail, for at least `time` and until every kind of failure has occurred.
pub async fn run(games: usize, time: Duration) -> NetworkReport {
    let began = Instant::now();
    let rng = Rng::for_experiment("network");
    let discord = FakeDiscord::start().await;
    let mut bot = BotProcess::start(&discord).await;
    let (_tell, lives) = watch::channel(0);
    let mut pairs = Vec::new();
    for number in 0..games {
        pairs.push(PlayerPair::start(&discord, number, lives.clone()).await);
    }
    // The bot believes that an answer is lost which Discord did not take in time. The games were started before, because
    // that may take longer on a busy machine.
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.output());
    bot.use_real_answer_limit(true);
    discord.set_response_deadline(REAL_RESPONSE_DEADLINE);
    bot.start_again().await;
    discord.state.update(|state| state.discard_history = true);
    let counts = Arc::new(Mutex::new(FailureCounts::default()));
    let mut failures = FailureSource::new(rng, Arc::clone(&counts), games * INTERACTIONS_AT_ONCE);
    discord.fail_randomly(move |_, path| failures.failure_for(path));
    let over = Arc::new(AtomicBool::new(false));
    let playing: Vec<_> = pairs.into_iter().map(|pair| tokio::spawn(pair.play_until(Arc::clone(&over)))).collect();
    let until = Instant::now() + time;
    let seen = Arc::clone(&counts);
    // On a busy machine it takes longer until everything has failed once.
    let is_over = move || Instant::now() >= until && lock(&seen).has_everything();
    let cuts = lose_gateways(&discord, is_over).await;
    over.store(true, Ordering::Relaxed);
    let mut pairs = Vec::new();
    for pair in playing {
        pairs.push(pair.await.expect("a pair stopped playing"));
    }
    discord.clear_failures();
    // A new move makes the bot look again at messages that could not be posted.
    for pair in &mut pairs {
        pair.play_on().await;
    }
    bot.use_real_answer_limit(false);
    discord.set_response_deadline(WAIT_LIMIT);
    let audit = audit::run(&discord, &mut bot, &mut pairs).await;
    let counts = lock(&counts).clone();
    let report = NetworkReport { audit, counts, cuts, took: began.elapsed() };
    let FailureCounts { calls, serious, not_waiting, .. } = &report.counts;
    assert!(report.audit.extra.is_empty(), "posts that nobody needed: {report}");
    assert!(serious * 100 >= LEAST_SERIOUS * calls, "too few calls failed: {report}");
    assert!(report.counts.has_everything(), "something never failed: {report}");
    assert!(not_waiting.is_empty(), "the bot was told to wait and did not: {not_waiting:?}");
    report
}

/// A kind of failure.
struct Kind {
    name: &'static str,
    failure: Failure,
    /// Whether it counts for [`LEAST_SERIOUS`].
    serious: bool,
}

const fn serious(name: &'static str, failure: Failure) -> Kind {
    Kind { name, failure, serious: true }
}

const fn other(name: &'static str, failure: Failure) -> Kind {
    Kind { name, failure, serious: false }
}

const KINDS: [Kind; 13] = [
    serious("500", Failure::Status(500)),
    serious("502", Failure::Status(502)),
    serious("503", Failure::Status(503)),
    serious("500 although done", Failure::StatusAfterEffect(500)),
    serious("502 although done", Failure::StatusAfterEffect(502)),
    serious("503 although done", Failure::StatusAfterEffect(503)),
    serious("reset", Failure::Reset),
    serious("reset although done", Failure::ResetAfterEffect),
    serious("timed out", Failure::Delay(TOO_LONG)),
    serious("timed out although done", Failure::DelayResponse(TOO_LONG)),
    other("closed", Failure::Close),
    other("closed although done", Failure::CloseAfterEffect),
    other("broken off after the headers", Failure::TruncateResponse),
];

/// Chooses which requests fail, and how.
struct FailureSource {
    rng: Rng,
    counts: Arc<Mutex<FailureCounts>>,
    /// Which of the next requests fails, and how many are left until another one is chosen.
    next: (usize, usize),
    /// The kinds that are still to be used before any is used again.
    unused_kinds: Vec<usize>,
    /// When the next global rate limit starts.
    begins: Instant,
    pause: Option<Pause>,
    /// How many interactions can wait for an answer at the same time.
    most_waiting: usize,
}

/// A global rate limit.
struct Pause {
    ends: Instant,
    /// How many answers to interactions came since the bot was told of it; none before that.
    answers_since_told: Option<usize>,
}

impl FailureSource {
    fn new(rng: Rng, counts: Arc<Mutex<FailureCounts>>, most_waiting: usize) -> Self {
        let begins = Instant::now() + Duration::from_secs(2);
        Self { rng, counts, next: (0, 0), unused_kinds: Vec::new(), begins, pause: None, most_waiting }
    }

    /// Returns how a request is to fail, if it is.
    fn failure_for(&mut self, path: &str) -> Option<Failure> {
        let counts = Arc::clone(&self.counts);
        let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.calls += 1;
        if let Some(wait) = self.must_wait(path, &mut counts) {
            counts.refused += 1;
            return Some(Failure::GlobalRateLimit(wait));
        }
        if self.is_next() {
            let kind = self.next_kind();
            *counts.failed.entry(kind.name).or_default() += 1;
            counts.serious += usize::from(kind.serious);
            return Some(kind.failure);
        }
        let delayed = self.rng.below(100) < DELAYED;
        counts.delayed += usize::from(delayed);
        let a_while = Duration::from_millis(500 + self.rng.below(4_000) as u64);
        let delays =
            [Failure::RateLimit(Duration::from_millis(200)), Failure::Delay(a_while), Failure::DelayResponse(a_while)];
        delayed.then(|| self.rng.pick(&delays))
    }

    /// Starts a global rate limit from time to time, which does not apply to answers to interactions. Returns how long
    /// the bot has to wait.
    fn must_wait(&mut self, path: &str, counts: &mut FailureCounts) -> Option<Duration> {
        let now = Instant::now();
        if self.pause.as_ref().is_some_and(|pause| now >= pause.ends) {
            self.pause = None;
            self.begins = now + Duration::from_secs(3 + self.rng.below(6) as u64);
        } else if self.pause.is_none() && now >= self.begins {
            counts.pauses += 1;
            let ends = now + Duration::from_millis(4_000 + self.rng.below(2_000) as u64);
            self.pause = Some(Pause { ends, answers_since_told: None });
        }
        let pause = self.pause.as_mut()?;
        if path.starts_with("/interactions/") || path.starts_with("/webhooks/") {
            pause.answers_since_told = pause.answers_since_told.map(|answers| answers + 1);
            return None;
        }
        // By then, the bot has responded to something that happened after it was told.
        if *pause.answers_since_told.get_or_insert(0) > self.most_waiting {
            counts.not_waiting.push(path.to_owned());
        }
        Some(pause.ends.saturating_duration_since(now))
    }

    /// Returns whether the next request fails.
    fn is_next(&mut self) -> bool {
        if self.next.1 == 0 {
            self.next = (self.rng.below(ONE_OF), ONE_OF);
        }
        self.next.1 -= 1;
        self.next.0 == self.next.1
    }

    /// Chooses a kind of failure.
    fn next_kind(&mut self) -> &'static Kind {
        if self.unused_kinds.is_empty() {
            self.unused_kinds = (0..KINDS.len()).collect();
        }
        let chosen = self.rng.below(self.unused_kinds.len());
        &KINDS[self.unused_kinds.swap_remove(chosen)]
    }
}

/// Breaks the gateway connection every few seconds; in between, delivers interactions twice and out of order.
async fn lose_gateways(discord: &FakeDiscord, is_over: impl Fn() -> bool) -> usize {
    let mut rng = Rng::new(seeded_rng::seed() + 1);
    let mut cuts = 0;
    while !is_over() {
        for _ in 0..3 + rng.below(10) {
            tokio::time::sleep(Duration::from_millis(100 + rng.below(200) as u64)).await;
            if rng.below(2) == 0 {
                discord.duplicate_next_interaction();
            } else {
                discord.hold_interactions();
                tokio::time::sleep(Duration::from_millis(50)).await;
                discord.release_held_in_reverse();
            }
        }
        match rng.below(5) {
            0 => discord.cut_gateway(),
            1 => discord.close_gateway(4000),
            2 => discord.ask_to_reconnect(),
            3 => discord.invalidate_session(true),
            _ => discord.invalidate_session(false),
        }
        cuts += 1;
    }
    discord.release_held_in_reverse();
    cuts
}
