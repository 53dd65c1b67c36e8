//! Signs of life in the database, for `ratatosk status` and `ratatosk health`: one a minute, and one when the connection
//! comes or goes.

use super::Bot;
use crate::game::Moment;
use crate::store::{Heartbeat, State, StoreError};
use serenity::all::{ConnectionStage, ShardManager};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracing::{error, info, warn};

/// How often it is looked whether the connection stands; that costs nothing.
const LOOK: Duration = Duration::from_secs(2);
/// How often it is written that all is as it was; that costs one small commit.
const BEAT: Duration = Duration::from_secs(60);

/// Gives signs of life for ever.
pub(super) async fn beat(bot: Arc<Bot>, shards: Arc<ShardManager>, started: Moment) {
    let mut told: Option<(State, Instant)> = None;
    loop {
        let state = if is_connected(&shards).await { State::Connected } else { State::Disconnected };
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

async fn is_connected(shards: &ShardManager) -> bool {
    let runners = shards.runners.lock().await;
    !runners.is_empty() && runners.values().all(|runner| runner.stage == ConnectionStage::Connected)
}
