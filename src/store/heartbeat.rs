//! The heartbeat of the running bot, for other processes (`ratatosk status`, `ratatosk health`).

use super::Store;
use super::error::StoreError;
use super::query::{TableReader, execute};
use super::row::RowReader;
use super::session::Session;
use super::sql;
use crate::game::Timestamp;

/// How the bot is doing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Heartbeat {
    pub version: String,
    pub process: u32,
    pub started: Timestamp,
    /// When this was written.
    pub beat: Timestamp,
    /// Whether it is connected to Discord.
    pub state: ConnectionState,
    /// How many answers it has given since the start.
    pub answers: u64,
    /// How long the slowest answer of the last hour or two took, in milliseconds.
    pub slowest_ms: u64,
    /// How many events could not be read since the start.
    pub unknown_events: u64,
}

/// Whether the bot is connected to Discord.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConnectionState {
    Connected,
    /// It is running, but not connected.
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
    /// Returns the last heartbeat, if there ever was one.
    pub fn heartbeat(&self) -> Result<Option<Heartbeat>, StoreError> {
        HEARTBEATS.one(&*self.db()?, sql::HEARTBEAT, [])
    }
}

impl Store {
    /// Writes a heartbeat; replaces the previous one.
    pub fn write_heartbeat(&self, heartbeat: Heartbeat) -> Result<(), StoreError> {
        let Heartbeat { version, process, started, beat, state, answers, slowest_ms, unknown_events } = heartbeat;
        let values = (version, process, started, beat, state.name(), answers, slowest_ms, unknown_events);
        self.write(move |db| execute(db, sql::WRITE_HEARTBEAT, values).map(drop))
    }
}

/// Reads heartbeats.
pub(super) const HEARTBEATS: TableReader<Heartbeat> = TableReader { table: "heartbeat", read: heartbeat };

fn heartbeat(row: &RowReader<'_>) -> Result<Heartbeat, StoreError> {
    Ok(Heartbeat {
        version: row.get("version")?,
        process: row.get("process")?,
        started: row.get("started")?,
        beat: row.get("beat")?,
        state: row.named("state", &ConnectionState::ALL, ConnectionState::name)?,
        answers: row.get("answers")?,
        slowest_ms: row.get("slowest_ms")?,
        unknown_events: row.get("unknown_events")?,
    })
}
