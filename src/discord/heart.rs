//! Signs of life in the database, for `ratatosk status` and `ratatosk health`: one a minute, and one when the connection
//! comes or goes. And Discord's signs of life: a connection that gives none is given up.

use super::Bot;
use super::wire::Trouble;
use crate::game::Moment;
use crate::store::{Heartbeat, State, StoreError};
use serenity::all::{ConnectionStage, ShardId, ShardManager};
use std::sync::Arc;
use std::time::{Duration, Instant};
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

/// Gives signs of life, until a connection is beyond hope: serenity waits without a limit for the answer of whoever it
/// connects to, and never hears that there will be none.
pub(super) async fn beat(bot: Arc<Bot>, shards: Arc<ShardManager>, total: u32, started: Moment) {
    let mut told: Option<(State, Instant)> = None;
    let mut connections = Connections::new(total, Instant::now());
    loop {
        connections.look(&shards).await;
        if connections.are_silent(Instant::now()) {
            if is_reached(&bot).await {
                return;
            }
            // Without a network nobody could do better.
            connections = Connections::new(total, Instant::now());
            connections.look(&shards).await;
        }
        let state = if connections.all_stand() { State::Connected } else { State::Disconnected };
        match state {
            State::Connected => bot.timer.in_reach(),
            State::Disconnected | State::Stopped => bot.timer.out_of_reach(),
        }
        let former = told.map(|(state, _)| state);
        match (former, state) {
            (Some(State::Connected), State::Disconnected) => {
                warn!("the connection to Discord is lost; it is sought again")
            }
            (Some(State::Disconnected), State::Connected) => info!("the connection to Discord stands"),
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
pub(super) async fn sign(bot: &Arc<Bot>, state: State, started: Moment) {
    let written: Result<(), StoreError> = bot
        .blocking(move |bot| {
            let counts = bot.pulse.so_far();
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

/// Tells whether Discord can be reached by another way.
async fn is_reached(bot: &Bot) -> bool {
    matches!(bot.wire.get("/gateway", ONE_QUESTION).await, Ok(_) | Err(Trouble::Refused { .. }))
}

/// What is seen of a connection: its stage, and how long Discord took to answer the last heartbeat. Nothing of one that
/// is being made.
type Sign = Option<(ConnectionStage, Option<Duration>)>;

/// All connections, each with what was seen of it last and since when that is so.
struct Connections {
    signs: Vec<(Sign, Instant)>,
}

impl Connections {
    fn new(total: u32, now: Instant) -> Self {
        Self { signs: (0..total).map(|_| (None, now)).collect() }
    }

    async fn look(&mut self, shards: &ShardManager) {
        let runners = shards.runners.lock().await;
        for (shard, seen) in (0..).zip(&mut self.signs) {
            let sign = runners.get(&ShardId(shard)).map(|runner| (runner.stage, runner.latency));
            note(seen, sign, Instant::now());
        }
    }

    fn all_stand(&self) -> bool {
        self.signs.iter().all(|(sign, _)| matches!(sign, Some((ConnectionStage::Connected, _))))
    }

    fn are_silent(&self, now: Instant) -> bool {
        let limit = SILENCE + EACH * u32::try_from(self.signs.len()).unwrap_or(u32::MAX);
        self.signs.iter().any(|(_, since)| now.saturating_duration_since(*since) > limit)
    }
}

fn note(seen: &mut (Sign, Instant), sign: Sign, now: Instant) {
    if seen.0 != sign {
        *seen = (sign, now);
    }
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
        let mut connections = Connections::new(2, now);
        assert!(!connections.all_stand(), "none is made yet");
        note(&mut connections.signs[0], after(20), now);
        assert!(!connections.all_stand(), "the other one is missing");
        note(&mut connections.signs[1], Some((ConnectionStage::Resuming, None)), now);
        assert!(!connections.all_stand());
        note(&mut connections.signs[1], after(30), now);
        assert!(connections.all_stand());
        note(&mut connections.signs[0], None, now);
        assert!(!connections.all_stand(), "the first one is lost");
    }

    #[test]
    fn a_connection_whose_heartbeats_nobody_answers_is_silent() {
        let (mut now, mut connections) = (Instant::now(), Connections::new(2, Instant::now()));
        for beat in 0..60 {
            now += Duration::from_secs(41);
            (0..2).for_each(|shard| note(&mut connections.signs[shard], after(20 + beat), now));
            assert!(!connections.are_silent(now), "Discord answers");
        }
        for beat in 0..10 {
            now += Duration::from_secs(41);
            note(&mut connections.signs[0], after(20 + beat), now);
            // This one says that it stands, and has heard nothing any more.
            note(&mut connections.signs[1], after(79), now);
        }
        assert!(connections.all_stand() && connections.are_silent(now));
    }
}
