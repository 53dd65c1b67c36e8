//! Signs of life of the running bot, for those who look at the file beside it.

use super::Store;
use super::error::StoreError;
use super::query::Query;
use super::row::{RowReader, stored};
use super::session::Session;
use super::sql;
use crate::game::Timestamp;

/// How the bot is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Heartbeat {
    /// The version that runs.
    pub version: String,
    /// The number of its process.
    pub process: u32,
    /// When it was started.
    pub started: Timestamp,
    /// When this was written.
    pub beat: Timestamp,
    /// Whether it is connected.
    pub state: ConnectionState,
    /// How many answers it has given since the start.
    pub answers: u64,
    /// How many milliseconds the slowest answer of the last hour or two took.
    pub slowest_ms: u64,
    /// How many events could not be read since the start.
    pub unread: u64,
}

/// Whether the bot is connected to Discord.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConnectionState {
    /// It is.
    Connected,
    /// It runs, but is not.
    Disconnected,
    /// It was stopped on request.
    Stopped,
}

impl ConnectionState {
    const ALL: [Self; 3] = [Self::Connected, Self::Disconnected, Self::Stopped];

    const fn name(self) -> &'static str {
        match self {
            Self::Connected => "connected",
            Self::Disconnected => "disconnected",
            Self::Stopped => "stopped",
        }
    }
}

impl Session<'_> {
    /// Reads the last sign of life, if there ever was one.
    pub fn heartbeat(&self) -> Result<Option<Heartbeat>, StoreError> {
        let db = self.db()?;
        HEARTBEATS.one(db, sql::HEARTBEAT, [])
    }
}

impl Store {
    /// Writes a sign of life in place of the former one.
    pub fn beat(&self, heartbeat: Heartbeat) -> Result<(), StoreError> {
        self.keep(move |db| {
            let Heartbeat { version, process, started, beat, state, answers, slowest_ms, unread } = heartbeat;
            db.prepare_cached(sql::BEAT)?.execute((
                version,
                process,
                started.0,
                beat.0,
                state.name(),
                stored(answers),
                stored(slowest_ms),
                stored(unread),
            ))?;
            Ok(())
        })
    }
}

/// How signs of life are read.
pub(super) const HEARTBEATS: Query<Heartbeat> = Query { table: "heartbeat", read: heartbeat };

fn heartbeat(cells: &RowReader<'_>) -> Result<Heartbeat, StoreError> {
    Ok(Heartbeat {
        version: cells.text("version")?.to_owned(),
        process: cells.value("process")?,
        started: cells.moment("started")?,
        beat: cells.moment("beat")?,
        state: cells.named("state", &ConnectionState::ALL, ConnectionState::name)?,
        answers: cells.number("answers")?,
        slowest_ms: cells.number("slowest")?,
        unread: cells.number("unread")?,
    })
}
