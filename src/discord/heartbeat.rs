//! ShardSigns of life in the database, for `ratatosk status` and `ratatosk health`: one a minute, and one when the connection
//! comes or goes. And Discord's signs of life: a connection that gives none is given up.

use super::rest::client::RestError;
use super::{Bot, StopReason};
use crate::game::Timestamp;
use crate::store::{ConnectionState, Heartbeat, StoreError};
use serenity::all::{ConnectionStage, ShardId, ShardManager};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tracing::{error, info, warn};

/// How often it is looked whether the connection stands; that costs nothing.
const LOOK: Duration = Duration::from_secs(2);
/// How often it is written that all is as it was; that costs one small commit.
const BEAT: Duration = Duration::from_secs(60);
/// How long a connection may be silent; on one that stands Discord answers a heartbeat every 40 seconds or so.
const SILENCE: Duration = Duration::from_secs(5 * 60);
/// How much longer for each connection, because they are made one after the other.
const EACH: Duration = Duration::from_secs(10);
const ONE_QUESTION: Duration = Duration::from_secs(10);

/// Gives signs of life, until a connection is beyond hope; tells why.
///
/// serenity waits without a limit for the answer of whoever it connects to, and knocks for ever where Discord wants
/// another number of connections. Starting anew helps against both.
pub(super) async fn beat(bot: Arc<Bot>, mut connections: ShardWatch, started: Timestamp) -> StopReason {
    let mut told: Option<(ConnectionState, Instant)> = None;
    loop {
        connections.look().await;
        if connections.signs.are_silent(Instant::now()) || bot.rest.is_doubted() {
            match bot.rest.get("/gateway/bot", ONE_QUESTION).await {
                Err(error) if error.status() == 401 => return StopReason::TokenRefused,
                Ok(_) | Err(RestError::Refused { .. }) if connections.signs.are_silent(Instant::now()) => {
                    return StopReason::NotReached(String::from(
                        "the connection to Discord has not stood for minutes although Discord can be reached: start the \
                         bot again, which makes a new one",
                    ));
                }
                // Without a network nobody could do better.
                _ => connections.signs.begin_again(Instant::now()),
            }
        }
        let state = if connections.all_stand() { ConnectionState::Connected } else { ConnectionState::Disconnected };
        match state {
            ConnectionState::Connected => bot.timer.in_reach(),
            ConnectionState::Disconnected | ConnectionState::Stopped => bot.timer.out_of_reach(),
        }
        let former = told.map(|(state, _)| state);
        match (former, state) {
            (Some(ConnectionState::Connected), ConnectionState::Disconnected) => {
                warn!("the connection to Discord is lost; it is sought again")
            }
            (Some(ConnectionState::Disconnected), ConnectionState::Connected) => {
                info!("the connection to Discord stands")
            }
            _ => {}
        }
        if former != Some(state) || told.is_some_and(|(_, at)| at.elapsed() >= BEAT) {
            told = Some((state, Instant::now()));
            sign(&bot, state, started).await;
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Gives one sign of life.
pub(super) async fn sign(bot: &Arc<Bot>, state: ConnectionState, started: Timestamp) {
    let written: Result<(), StoreError> = bot
        .blocking(move |bot| {
            let counts = bot.metrics.so_far();
            bot.app.store().beat(Heartbeat {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                process: std::process::id(),
                started,
                beat: bot.app.now(),
                state,
                answers: counts.answers,
                slowest_ms: counts.slowest_ms,
                unread: counts.unread,
            })
        })
        .await;
    if let Err(problem) = written {
        error!(%problem, "no sign of life can be written");
    }
}

/// What is seen of a connection: its stage, and how long Discord took to answer the last heartbeat. Nothing of one that
/// is being made.
type Sign = Option<(ConnectionStage, Option<Duration>)>;

/// All connections.
pub(super) struct ShardWatch {
    shards: Arc<ShardManager>,
    /// Where serenity listens.
    apart: Handle,
    /// Whether serenity does anything at all.
    moves: bool,
    signs: ShardSigns,
}

impl ShardWatch {
    pub(super) fn new(shards: Arc<ShardManager>, total: u32, apart: Handle) -> Self {
        Self { shards, apart, moves: true, signs: ShardSigns::new(total, Instant::now()) }
    }

    async fn look(&mut self) {
        // Whoever goes round without a pause gets to nothing else.
        self.moves = tokio::time::timeout(LOOK, self.apart.spawn(async {})).await.is_ok();
        let runners = self.shards.runners.lock().await;
        for shard in 0..self.signs.seen.len() {
            let runner = u32::try_from(shard).ok().and_then(|shard| runners.get(&ShardId(shard)));
            self.signs.note(shard, runner.map(|runner| (runner.stage, runner.latency)), Instant::now());
        }
    }

    fn all_stand(&self) -> bool {
        self.moves && self.signs.all_stand()
    }
}

/// What was seen of each connection last, and when it last gave a sign of standing.
struct ShardSigns {
    seen: Vec<(Sign, Instant)>,
}

impl ShardSigns {
    fn new(total: u32, now: Instant) -> Self {
        Self { seen: (0..total).map(|_| (None, now)).collect() }
    }

    /// Notes what is seen of a connection. One that stands has its heartbeats answered, each after another time.
    fn note(&mut self, shard: usize, sign: Sign, now: Instant) {
        let (last, stood) = &mut self.seen[shard];
        if *last != sign && stands(sign) {
            *stood = now;
        }
        *last = sign;
    }

    fn all_stand(&self) -> bool {
        self.seen.iter().all(|(sign, _)| stands(*sign))
    }

    fn are_silent(&self, now: Instant) -> bool {
        let limit = SILENCE + EACH * u32::try_from(self.seen.len()).unwrap_or(u32::MAX);
        self.seen.iter().any(|(_, stood)| now.saturating_duration_since(*stood) > limit)
    }

    /// Forgets for how long none has stood.
    fn begin_again(&mut self, now: Instant) {
        self.seen.iter_mut().for_each(|(_, stood)| *stood = now);
    }
}

const fn stands(sign: Sign) -> bool {
    matches!(sign, Some((ConnectionStage::Connected, _)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const UP: ConnectionStage = ConnectionStage::Connected;

    fn after(milliseconds: u64) -> Sign {
        Some((UP, Some(Duration::from_millis(milliseconds))))
    }

    #[test]
    fn all_is_well_only_if_every_connection_stands() {
        let now = Instant::now();
        let mut signs = ShardSigns::new(2, now);
        assert!(!signs.all_stand(), "none is made yet");
        signs.note(0, after(20), now);
        assert!(!signs.all_stand(), "the other one is missing");
        signs.note(1, Some((ConnectionStage::Resuming, None)), now);
        assert!(!signs.all_stand());
        signs.note(1, after(30), now);
        assert!(signs.all_stand());
        signs.note(0, None, now);
        assert!(!signs.all_stand(), "the first one is lost");
    }

    #[test]
    fn a_connection_whose_heartbeats_nobody_answers_is_silent() {
        let (mut now, mut signs) = (Instant::now(), ShardSigns::new(2, Instant::now()));
        for beat in 0..60 {
            now += Duration::from_secs(41);
            (0..2).for_each(|shard| signs.note(shard, after(20 + beat), now));
            assert!(!signs.are_silent(now), "Discord answers");
        }
        for beat in 0..10 {
            now += Duration::from_secs(41);
            signs.note(0, after(20 + beat), now);
            // This one says that it stands, and has heard nothing any more.
            signs.note(1, after(79), now);
        }
        assert!(signs.all_stand() && signs.are_silent(now));
        signs.begin_again(now);
        assert!(!signs.are_silent(now));
    }

    #[test]
    fn a_connection_that_is_sought_again_and_again_in_vain_is_silent() {
        let (mut now, mut signs) = (Instant::now(), ShardSigns::new(1, Instant::now()));
        signs.note(0, after(20), now);
        for _ in 0..10 {
            for sign in [None, Some((ConnectionStage::Handshake, None)), Some((ConnectionStage::Identifying, None))] {
                now += Duration::from_secs(14);
                signs.note(0, sign, now);
            }
        }
        assert!(!signs.all_stand() && signs.are_silent(now));
    }
}
