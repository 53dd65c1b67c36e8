//! `ratatosk status` and `ratatosk health`: whether the bot is running and connected, from the heartbeat in the database.

use super::Failure;
use super::clock::system_time;
use super::config::ConfigArgs;
use crate::game::{Seconds, Timestamp};
use crate::store::{ConnectionState, Heartbeat, LockHolder, Stats, Store, StoreError};
use crate::text::time;
use clap::Args;
use std::io::{self, Write};
use std::path::Path;

/// The age at which a heartbeat is too old. There is one every minute, and two may be late.
const MAX_AGE: Seconds = Seconds(150);
/// How long a bot that is not connected yet counts as starting.
const STARTING: Seconds = Seconds(30);
/// The first heartbeat is written within this time after the start. The next one follows when the connection changes,
/// or after a minute.
const FIRST_HEARTBEAT: Seconds = Seconds(1);

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  ratatosk status\n  ratatosk status --database /var/lib/ratatosk/games.db")]
pub(super) struct StatusArgs {
    #[command(flatten)]
    pub(super) config: ConfigArgs,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ratatosk health\n  ratatosk health --database /data/ratatosk/games.db || echo unhealthy\n\n\
    It prints nothing if the bot is healthy, and otherwise one line that says what is wrong."
)]
pub(super) struct HealthArgs {
    #[command(flatten)]
    pub(super) config: ConfigArgs,
}

/// Prints the state of the bot and the size of the database.
pub(super) fn print(args: &StatusArgs) -> Result<(), Failure> {
    let (_, path) = args.config.load_with_existing_database()?;
    let read = || -> Result<_, StoreError> {
        let store = Store::open_read_only(&path)?;
        Ok((store.session()?.stats()?, BotStatus::read(&store, &path)?))
    };
    let (stats, status) = read().map_err(Failure::of_database(&path))?;
    Ok(write!(io::stdout().lock(), "{}", status.report(&path, &stats))?)
}

/// Fails unless the bot is running and connected, so that a container can restart it.
pub(super) fn health(args: &HealthArgs) -> Result<(), Failure> {
    let read = || -> Result<_, Failure> {
        let (_, path) = args.config.load_with_existing_database()?;
        let status = Store::open_read_only(&path).and_then(|store| BotStatus::read(&store, &path));
        status.map_err(Failure::of_database(&path))
    };
    // Containers know only one code for "unhealthy", whatever the reason.
    let status = read().map_err(|failure| Failure::Unhealthy(failure.lines().join("; ")))?;
    status.problem().map_or(Ok(()), |problem| Err(Failure::Unhealthy(problem)))
}

/// What the database says about the bot.
struct BotStatus {
    /// The last heartbeat.
    heartbeat: Option<Heartbeat>,
    /// The process that has the database open. A bot that was killed has written no last heartbeat, but has lost its
    /// lock.
    holder: LockHolder,
    now: Timestamp,
}

impl BotStatus {
    fn read(store: &Store, path: &Path) -> Result<Self, StoreError> {
        // The lock is checked first, because a bot that stops writes its last heartbeat before it releases the lock.
        let holder = Store::lock_holder(path);
        Ok(Self { heartbeat: store.session()?.heartbeat()?, holder, now: system_time() })
    }

    /// Returns what is wrong with the bot, if anything is.
    fn problem(&self) -> Option<String> {
        let Some(heartbeat) = &self.heartbeat else {
            return Some(String::from("the bot has never run on this database; start it with `ratatosk serve`"));
        };
        let ago = self.ago(heartbeat.beat);
        match (heartbeat.state, self.holder) {
            (ConnectionState::Stopped, _) => {
                Some(format!("the bot was stopped ({ago}); start it with `ratatosk serve`"))
            }
            (_, LockHolder::Nobody) => {
                Some(format!("the bot is not running: it ended unexpectedly (last heartbeat: {ago}); see its log"))
            }
            (_, LockHolder::Process(other)) if other != heartbeat.process => Some(format!(
                "the bot is not running, or is just starting; process {other} has the database open, which may be \
                 `ratatosk terminal`"
            )),
            // A heartbeat from the future means that the clock was set back: its age is unknown.
            _ if heartbeat.beat + MAX_AGE < self.now || self.now + MAX_AGE < heartbeat.beat => {
                Some(format!("the bot has no recent heartbeat (the last one: {ago}); see its log"))
            }
            (ConnectionState::Disconnected, _) if self.is_starting(heartbeat) => {
                Some(String::from("the bot is starting, and not connected to Discord yet"))
            }
            (ConnectionState::Disconnected, _) => {
                Some(String::from("the bot is running, but not connected to Discord; see its log"))
            }
            (ConnectionState::Connected, _) => None,
        }
    }

    /// Returns whether the bot was started a moment ago and has not been connected since: its last heartbeat is its
    /// first one.
    fn is_starting(&self, heartbeat: &Heartbeat) -> bool {
        let Heartbeat { started, beat, .. } = *heartbeat;
        beat <= started + FIRST_HEARTBEAT && self.now < started + STARTING
    }

    fn report(&self, path: &Path, stats: &Stats) -> String {
        let mut lines = vec![("database", format!("{}, schema {}", path.display(), stats.schema))];
        lines.push(("bot", self.problem().unwrap_or_else(|| String::from("running, and connected to Discord"))));
        if let Some(heartbeat) = &self.heartbeat {
            let moment = |moment| format!("{} UTC ({})", date_and_minute(moment), self.ago(moment));
            let ended = heartbeat.state == ConnectionState::Stopped || self.holder == LockHolder::Nobody;
            lines.push(("version", format!("{}, process {}", heartbeat.version, heartbeat.process)));
            lines.push((if ended { "started" } else { "running since" }, moment(heartbeat.started)));
            let last = if heartbeat.state == ConnectionState::Stopped { "stopped" } else { "last heartbeat" };
            lines.push((last, moment(heartbeat.beat)));
        }
        lines.push(("games running", stats.games_running.to_string()));
        lines.push(("games finished", stats.games_finished.to_string()));
        lines.push(("moves", stats.moves.to_string()));
        lines.push(("unsent messages", stats.unsent.to_string()));
        if let Some(heartbeat) = &self.heartbeat {
            lines.push(("answers", format!("{} since the start", heartbeat.answers)));
            lines.push(("slowest answer", format!("{} ms in the last hour or two", heartbeat.slowest_ms)));
            lines.push(("unknown events", format!("{} since the start", heartbeat.unknown_events)));
        }
        lines.iter().map(|(name, value)| format!("{name:18} {value}\n")).collect()
    }

    /// Returns an age in whole units, rounded down: 119 seconds are one minute.
    fn ago(&self, then: Timestamp) -> String {
        let (count, unit) = match self.now.0.saturating_sub(then.0) {
            0 => return String::from("just now"),
            future @ ..0 => return time::relative(Timestamp(0), Timestamp(future.saturating_neg())),
            s @ ..60 => (s, "second"),
            s @ ..3_600 => (s / 60, "minute"),
            s @ ..172_800 => (s / 3_600, "hour"),
            s => (s / 86_400, "day"),
        };
        format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
    }
}

/// Formats a date with the time of day.
fn date_and_minute(moment: Timestamp) -> String {
    let minutes = moment.0.rem_euclid(24 * 60 * 60) / 60;
    format!("{} {:02}:{:02}", time::iso_date(moment), minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp(1_794_830_400);

    fn heartbeat(state: ConnectionState, seconds_ago: i64) -> Heartbeat {
        let beat = NOON - Seconds(seconds_ago);
        let started = NOON - Seconds::days(3);
        Heartbeat {
            version: String::from("1.2.3"),
            process: 7,
            started,
            beat,
            state,
            answers: 5,
            slowest_ms: 12,
            unknown_events: 0,
        }
    }

    fn status(state: ConnectionState, seconds_ago: i64, holder: LockHolder) -> BotStatus {
        BotStatus { heartbeat: Some(heartbeat(state, seconds_ago)), holder, now: NOON }
    }

    #[test]
    fn a_bot_is_healthy_if_it_has_a_recent_heartbeat_and_is_connected() {
        let problem_with = |state, ago, holder| status(state, ago, holder).problem().unwrap_or_default();
        let problem = |state, ago| problem_with(state, ago, LockHolder::Process(7));
        assert_eq!(problem(ConnectionState::Connected, 0), "");
        assert_eq!(problem(ConnectionState::Connected, 150), "");
        assert!(problem(ConnectionState::Connected, 151).contains("no recent heartbeat (the last one: 2 minutes ago)"));
        assert!(problem(ConnectionState::Connected, -3_600).contains("no recent heartbeat (the last one: in 1 hour)"));
        assert!(problem(ConnectionState::Disconnected, 1).contains("not connected"));
        assert!(problem(ConnectionState::Stopped, 1).contains("was stopped (1 second ago)"));
        assert!(BotStatus { heartbeat: None, holder: LockHolder::Unknown, now: NOON }.problem().is_some());
        // A process that was killed has left a heartbeat as if it were running.
        assert!(problem_with(ConnectionState::Connected, 1, LockHolder::Nobody).contains("is not running"));
        assert!(
            problem_with(ConnectionState::Connected, 1, LockHolder::Process(8))
                .contains("process 8 has the database open")
        );
        assert_eq!(problem_with(ConnectionState::Connected, 1, LockHolder::Unknown), "");
    }

    #[test]
    fn a_bot_that_has_just_been_started_is_starting_until_it_was_connected_once() {
        let problem = |started_ago: i64, beat_ago: i64| {
            let started = NOON - Seconds(started_ago);
            let heartbeat = Heartbeat { started, ..heartbeat(ConnectionState::Disconnected, beat_ago) };
            let status = BotStatus { heartbeat: Some(heartbeat), holder: LockHolder::Process(7), now: NOON };
            status.problem().unwrap_or_default()
        };
        assert!(problem(2, 2).contains("is starting, and not connected to Discord yet"), "{}", problem(2, 2));
        assert!(problem(29, 29).contains("is starting"));
        assert!(problem(30, 30).contains("running, but not connected"), "it takes too long");
        assert!(problem(20, 10).contains("running, but not connected"), "it was connected and is not any more");
    }

    #[test]
    fn the_report_has_a_line_for_everything() {
        let stats = Stats { schema: 3, games_running: 4, games_finished: 9, moves: 321, challenges_open: 0, unsent: 2 };
        let report =
            status(ConnectionState::Connected, 20, LockHolder::Process(7)).report(Path::new("games.db"), &stats);
        for line in [
            "bot                running, and connected to Discord\n",
            "running since      2026-11-13 12:00 UTC (3 days ago)\n",
            "last heartbeat     2026-11-16 11:59 UTC (20 seconds ago)\n",
            "games running      4\n",
            "moves              321\n",
            "unsent messages    2\n",
            "slowest answer     12 ms",
            "unknown events     0",
        ] {
            assert!(report.contains(line), "{report}");
        }
        let report = status(ConnectionState::Stopped, 7_199, LockHolder::Nobody).report(Path::new("games.db"), &stats);
        assert!(report.contains("stopped            2026-11-16 10:00 UTC (1 hour ago)\n"), "{report}");
        assert!(report.contains("started            ") && !report.contains("running since"), "{report}");
    }
}
