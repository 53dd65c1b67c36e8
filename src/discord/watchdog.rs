//! Watches the gateway's shards, and ends the bot if one stays silent although Discord can be reached.
//!
//! serenity waits without a limit for the server it connects to, and reconnects forever if Discord wants another number
//! of shards. A restart helps against both.

use super::StopReason;
use super::rest::{BACKGROUND_TIMEOUT, RestClient, RestError, Route};
use crate::store::ConnectionState;
use crate::timer::Timer;
use serenity::all::{ConnectionStage, ShardId, ShardManager};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};
use tracing::{info, warn};

/// How often the shards are checked.
const INTERVAL: Duration = Duration::from_secs(2);
/// How long a shard may be silent. Discord answers a heartbeat about every 40 seconds.
const SILENCE: Duration = Duration::from_secs(5 * 60);
/// How much longer for each shard, because they connect one after the other.
const SILENCE_PER_SHARD: Duration = Duration::from_secs(10);

/// How long the first connection may take before the log says that it is still missing; more for each shard.
const FIRST_CONNECTION: Duration = Duration::from_secs(20);

/// The stage of a shard and the latency of its last heartbeat. Nothing while the shard is being created.
type ShardStatus = Option<(ConnectionStage, Option<Duration>)>;

/// Tells the watchdog that a gateway session has begun or was resumed, so that it looks at once.
#[derive(Default)]
pub(super) struct SessionSignal {
    wake: Notify,
    resumed: AtomicBool,
    /// The shards that have had a session, and whether one of them began another.
    begun: Mutex<HashSet<u64>>,
    replaced: AtomicBool,
}

/// What happened to sessions since the last look.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct SessionChanges {
    /// A session was resumed after a short loss of the connection.
    resumed: bool,
    /// A session was lost, and another one has begun.
    replaced: bool,
}

impl SessionSignal {
    pub(super) fn begun(&self, shard: u64) {
        if !self.begun.lock().unwrap_or_else(PoisonError::into_inner).insert(shard) {
            self.replaced.store(true, Ordering::Release);
        }
        self.wake.notify_one();
    }

    pub(super) fn resumed(&self) {
        self.resumed.store(true, Ordering::Release);
        self.wake.notify_one();
    }

    /// Waits until a session has begun or was resumed, but no longer than `longest`.
    async fn wait(&self, longest: Duration) {
        let _ = tokio::time::timeout(longest, self.wake.notified()).await;
    }

    fn take(&self) -> SessionChanges {
        let (resumed, replaced) = (&self.resumed, &self.replaced);
        SessionChanges {
            resumed: resumed.swap(false, Ordering::AcqRel),
            replaced: replaced.swap(false, Ordering::AcqRel),
        }
    }
}

/// Checks the shards and the token.
pub(super) struct Watchdog {
    rest: RestClient,
    shards: Arc<ShardManager>,
    gateway_runtime: Handle,
    monitor: ShardMonitor,
    sessions: Arc<SessionSignal>,
    connection: Connection,
}

impl Watchdog {
    /// Creates a watchdog that publishes whether the bot is connected.
    pub(super) fn new(
        rest: RestClient,
        timer: Arc<Timer>,
        (shards, total): (Arc<ShardManager>, u32),
        gateway_runtime: Handle,
        sessions: Arc<SessionSignal>,
        state: watch::Sender<ConnectionState>,
        stopping: Arc<AtomicBool>,
    ) -> Self {
        let monitor = ShardMonitor::new(total, Instant::now());
        let connecting = Some((Instant::now(), FIRST_CONNECTION + SILENCE_PER_SHARD * total));
        let connection = Connection { state, timer, stopping, connecting, lost: None, replaced: None };
        Self { rest, shards, gateway_runtime, monitor, sessions, connection }
    }

    /// Watches until the bot has to end, and returns why.
    pub(super) async fn run(mut self) -> StopReason {
        loop {
            let connected = self.check_shards().await;
            if self.monitor.are_silent(Instant::now()) || self.rest.take_token_refused() {
                let checked = self.rest.get(Route::GetGateway, BACKGROUND_TIMEOUT).await.map(|_| ());
                if let Some(reason) = self.monitor.after_token_check(&checked, Instant::now()) {
                    return reason;
                }
            }
            self.connection.publish(connected, self.sessions.take(), Instant::now());
            self.sessions.wait(INTERVAL).await;
        }
    }

    /// Reads the state of all shards; returns whether all are connected.
    async fn check_shards(&mut self) -> bool {
        // While serenity loops without a pause, its runtime gets nothing else done.
        let runtime_works = tokio::time::timeout(INTERVAL, self.gateway_runtime.spawn(async {})).await.is_ok();
        let runners = self.shards.runners.lock().await;
        for shard in 0..self.monitor.shards.len() {
            let runner = u32::try_from(shard).ok().and_then(|shard| runners.get(&ShardId(shard)));
            self.monitor.update(shard, runner.map(|runner| (runner.stage, runner.latency)), Instant::now());
        }
        runtime_works && self.monitor.all_connected()
    }
}

/// The connection state that the rest of the bot sees.
struct Connection {
    state: watch::Sender<ConnectionState>,
    timer: Arc<Timer>,
    stopping: Arc<AtomicBool>,
    /// When the first connection began, and how long it may take. `None` once all shards are connected, or the log has
    /// said that they are not.
    connecting: Option<(Instant, Duration)>,
    /// When the connection was lost, if it is.
    lost: Option<Instant>,
    /// When a session was last replaced by a new one.
    replaced: Option<Instant>,
}

impl Connection {
    /// Publishes whether the bot is connected, if that has changed. Logs and sets the timer first, so that both are
    /// right as soon as anyone sees the new state. Does nothing while the bot is stopping, which closes the connection
    /// itself.
    fn publish(&mut self, connected: bool, sessions: SessionChanges, now: Instant) {
        let new = if connected { ConnectionState::Connected } else { ConnectionState::Disconnected };
        if self.stopping.load(Ordering::Acquire) {
            return;
        }
        if sessions.replaced {
            self.replaced = Some(now);
            warn!(
                "a new session with Discord has begun, commands and clicks while the connection was lost may be missed"
            );
        }
        if connected || self.connecting.is_some_and(|(since, limit)| now - since > limit) {
            self.connecting = None;
            if !connected {
                warn!("Discord's gateway has not let every shard connect yet, trying again every few seconds");
            }
        }
        if *self.state.borrow() == new {
            let nothing_missed = self.replaced.is_none_or(|replaced| now - replaced > INTERVAL);
            if connected && sessions.resumed && nothing_missed {
                // The last look found it connected.
                let seconds = INTERVAL.as_secs();
                info!(
                    "the connection to Discord was lost for less than {seconds} s and is resumed, nothing was missed"
                );
            }
            return;
        }
        if connected {
            match self.lost.take() {
                Some(lost) => info!("all shards are connected to Discord again, after {} s", (now - lost).as_secs()),
                None => info!("all shards are connected to Discord"),
            }
            self.timer.mark_reachable();
        } else {
            warn!("the connection to Discord is lost, reconnecting");
            self.lost = Some(now);
            self.timer.mark_unreachable();
        }
        self.state.send_replace(new);
    }
}

/// The last status of each shard, and when the shard was last known to be connected.
struct ShardMonitor {
    shards: Vec<(ShardStatus, Instant)>,
}

impl ShardMonitor {
    fn new(total: u32, now: Instant) -> Self {
        Self { shards: (0..total).map(|_| (None, now)).collect() }
    }

    /// Records the status of a shard. The latency of its heartbeats changes only while the shard really is connected.
    fn update(&mut self, shard: usize, status: ShardStatus, now: Instant) {
        let (last, alive) = &mut self.shards[shard];
        if *last != status && is_connected(status) {
            *alive = now;
        }
        *last = status;
    }

    fn all_connected(&self) -> bool {
        self.shards.iter().all(|(status, _)| is_connected(*status))
    }

    fn are_silent(&self, now: Instant) -> bool {
        let limit = SILENCE + SILENCE_PER_SHARD * u32::try_from(self.shards.len()).unwrap_or(u32::MAX);
        self.shards.iter().any(|(_, alive)| now.saturating_duration_since(*alive) > limit)
    }

    /// Decides after a call that checks the token and the network; returns why the bot has to end, if it has to.
    fn after_token_check(&mut self, checked: &Result<(), RestError>, now: Instant) -> Option<StopReason> {
        let reached = match checked {
            Err(error) if error.is_unauthorized() => return Some(StopReason::TokenRefused),
            Ok(()) | Err(RestError::Refused { .. }) => true,
            Err(_) => false,
        };
        if !self.are_silent(now) {
            return None;
        }
        if reached {
            return Some(StopReason::NotReached(String::from(
                "there has been no working gateway connection for minutes although Discord can be reached; start the \
                 bot again to reconnect",
            )));
        }
        // Without a network a new start would not help, so the silence counts from now.
        let minutes = SILENCE.as_secs() / 60;
        warn!(
            "still no connection to Discord, which cannot be reached; reconnecting, next report in {minutes} minutes"
        );
        self.shards.iter_mut().for_each(|(_, alive)| *alive = now);
        None
    }
}

const fn is_connected(status: ShardStatus) -> bool {
    matches!(status, Some((ConnectionStage::Connected, _)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;
    use crate::discord::test_log::{collect_lines, on_each_line};
    use fake_discord::WAIT_LIMIT;
    use std::sync::Mutex;

    /// Publishes some looks, one each [`INTERVAL`], each with whether a session was resumed; returns the log, with the
    /// state at each line.
    fn publish(connection: &mut Connection, start: Instant, looks: &[(bool, bool)]) -> Vec<(String, ConnectionState)> {
        let (lines, state) = (Arc::new(Mutex::new(Vec::new())), connection.state.subscribe());
        let noted = Arc::clone(&lines);
        let logging = on_each_line(move |line| noted.lock().unwrap().push((line.to_owned(), *state.borrow())));
        for (look, (connected, resumed)) in (0..).zip(looks) {
            let sessions = SessionChanges { resumed: *resumed, replaced: false };
            connection.publish(*connected, sessions, start + INTERVAL * look);
        }
        drop(logging);
        Arc::try_unwrap(lines).unwrap().into_inner().unwrap()
    }

    #[tokio::test]
    async fn the_shards_are_checked_as_soon_as_a_session_begins_or_is_resumed() {
        let sessions = SessionSignal::default();
        let begin = |sessions: &SessionSignal| sessions.begun(0);
        for signal in [begin, SessionSignal::resumed] {
            signal(&sessions);
            let woken = tokio::time::timeout(WAIT_LIMIT, sessions.wait(Duration::MAX)).await;
            assert!(woken.is_ok());
        }
        sessions.wait(Duration::ZERO).await;
    }

    #[test]
    fn a_session_that_replaces_another_is_reported_once() {
        let sessions = SessionSignal::default();
        (0..2).for_each(|shard| sessions.begun(shard));
        assert_eq!(sessions.take(), SessionChanges::default(), "each shard has its first one");
        sessions.begun(1);
        let changes = sessions.take();
        assert!(changes.replaced && !sessions.take().replaced);
        // One loss may be reported as both, in the same look or in two.
        let resumed = SessionChanges { resumed: true, ..SessionChanges::default() };
        for looks in [vec![changes], vec![SessionChanges { resumed: true, ..changes }], vec![changes, resumed]] {
            let start = Instant::now();
            let mut connection = connection(ConnectionState::Connected, start);
            let (lines, logging) = collect_lines();
            for (look, changes) in (0..).zip(looks) {
                connection.publish(true, changes, start + INTERVAL * look);
            }
            drop(logging);
            let lines = lines.lock().unwrap();
            assert!(lines.len() == 1 && lines[0].contains("may be missed"), "{lines:?}");
        }
    }

    fn connection(state: ConnectionState, start: Instant) -> Connection {
        Connection {
            state: watch::channel(state).0,
            timer: Arc::new(Timer::new(start)),
            stopping: Arc::default(),
            connecting: Some((start, FIRST_CONNECTION)),
            lost: None,
            replaced: None,
        }
    }

    #[test]
    fn a_first_connection_that_takes_long_is_logged_once() {
        let start = Instant::now();
        let mut connection = connection(ConnectionState::Disconnected, start);
        assert!(publish(&mut connection, start, &[(false, false); 3]).is_empty(), "connecting takes a moment");
        let lines = publish(&mut connection, start + FIRST_CONNECTION, &[(false, false); 3]);
        let [(line, _)] = &*lines else { panic!("{lines:?}") };
        assert!(line.contains("has not let every shard connect yet"), "{line}");
    }

    #[test]
    fn a_new_state_is_logged_before_it_is_published_and_the_first_one_too() {
        let start = Instant::now();
        let mut connection = connection(ConnectionState::Disconnected, start);
        // The very first look may find all shards connected.
        let looks = [true, true, false, false, true].map(|connected| (connected, false));
        let before = [
            ("all shards are connected to Discord", ConnectionState::Disconnected),
            ("the connection to Discord is lost, reconnecting", ConnectionState::Connected),
            ("all shards are connected to Discord again, after 4 s", ConnectionState::Disconnected),
        ];
        assert_eq!(publish(&mut connection, start, &looks), before.map(|(line, state)| (line.to_owned(), state)));
        assert_eq!(*connection.state.borrow(), ConnectionState::Connected);
    }

    #[test]
    fn a_loss_is_logged_once_however_short_it_was() {
        let start = Instant::now();
        let mut connection = connection(ConnectionState::Connected, start);
        let lines = publish(&mut connection, start, &[(true, true), (true, false)]);
        assert!(lines.len() == 1 && lines[0].0.contains("lost for less than 2 s"), "{lines:?}");
        let lines = publish(&mut connection, start + INTERVAL * 2, &[(false, false), (true, true)]);
        assert!(lines.len() == 2 && lines[1].0.contains("again, after 2 s"), "{lines:?}");
    }

    #[test]
    fn a_bot_that_stops_does_not_warn_of_its_closed_connection() {
        let start = Instant::now();
        let mut connection = connection(ConnectionState::Connected, start);
        connection.stopping.store(true, Ordering::Release);
        assert_eq!(publish(&mut connection, start, &[(false, false)]), []);
    }

    fn connected(latency_ms: u64) -> ShardStatus {
        Some((ConnectionStage::Connected, Some(Duration::from_millis(latency_ms))))
    }

    #[test]
    fn the_bot_is_connected_only_if_every_shard_is() {
        let now = Instant::now();
        let mut monitor = ShardMonitor::new(2, now);
        assert!(!monitor.all_connected(), "no shard is created yet");
        monitor.update(0, connected(20), now);
        assert!(!monitor.all_connected(), "the other one is missing");
        monitor.update(1, Some((ConnectionStage::Resuming, None)), now);
        assert!(!monitor.all_connected());
        monitor.update(1, connected(30), now);
        assert!(monitor.all_connected());
        monitor.update(0, None, now);
        assert!(!monitor.all_connected(), "the first one is lost");
    }

    #[test]
    fn a_shard_whose_heartbeats_are_not_answered_is_silent() {
        let mut now = Instant::now();
        let mut monitor = ShardMonitor::new(2, now);
        for beat in 0..60 {
            now += Duration::from_secs(41);
            (0..2).for_each(|shard| monitor.update(shard, connected(20 + beat), now));
            assert!(!monitor.are_silent(now), "Discord answers");
        }
        for beat in 0..10 {
            now += Duration::from_secs(41);
            monitor.update(0, connected(20 + beat), now);
            // This one claims to be connected, but its latency never changes.
            monitor.update(1, connected(79), now);
        }
        assert!(monitor.all_connected() && monitor.are_silent(now));
    }

    #[test]
    fn a_shard_that_reconnects_in_vain_is_silent() {
        let mut now = Instant::now();
        let mut monitor = ShardMonitor::new(1, now);
        monitor.update(0, connected(20), now);
        for _ in 0..10 {
            for status in [None, Some((ConnectionStage::Handshake, None)), Some((ConnectionStage::Identifying, None))] {
                now += Duration::from_secs(14);
                monitor.update(0, status, now);
            }
        }
        assert!(!monitor.all_connected() && monitor.are_silent(now));
    }

    fn refused(status: u16) -> Result<(), RestError> {
        Err(RestError::Refused { status, code: 0, message: String::new() })
    }

    fn unreachable() -> Result<(), RestError> {
        Err(RestError::Unreachable(String::from("no network")))
    }

    #[test]
    fn a_refused_token_ends_the_bot_and_so_does_silence_while_discord_answers() {
        let start = Instant::now();
        let mut monitor = ShardMonitor::new(1, start);
        assert!(matches!(monitor.after_token_check(&refused(401), start), Some(StopReason::TokenRefused)));
        assert!(monitor.after_token_check(&Ok(()), start).is_none());
        let later = start + SILENCE * 2;
        for answered in [Ok(()), refused(403)] {
            assert!(matches!(monitor.after_token_check(&answered, later), Some(StopReason::NotReached(_))));
        }
    }

    #[test]
    fn silence_without_a_network_does_not_end_the_bot() {
        let start = Instant::now();
        let mut monitor = ShardMonitor::new(1, start);
        let later = start + SILENCE * 2;
        let (lines, logging) = collect_lines();
        assert!(monitor.are_silent(later) && monitor.after_token_check(&unreachable(), later).is_none());
        drop(logging);
        assert!(
            lines.lock().unwrap()[0].starts_with("still no connection to Discord"),
            "the operator sees that it goes on"
        );
        assert!(!monitor.are_silent(later + SILENCE), "it counts from the time without a network");
    }

    #[test]
    fn a_token_check_does_not_hide_a_silent_shard() {
        for checked in [Ok(()), unreachable(), refused(403)] {
            let start = Instant::now();
            let mut monitor = ShardMonitor::new(1, start);
            // A call was refused with 401, so the token is checked while a shard has been silent for four minutes.
            assert!(monitor.after_token_check(&checked, start + Duration::from_secs(4 * 60)).is_none());
            assert!(monitor.are_silent(start + Duration::from_secs(6 * 60)), "{checked:?}");
        }
    }
}
