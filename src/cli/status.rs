//! `ratatosk status` and `ratatosk health`: how the bot is, from the signs of life that it leaves in the file.

use super::Failure;
use super::settings::GamesArgs;
use super::terminal::system_time;
use crate::game::{Seconds, Timestamp};
use crate::store::{ConnectionState, Heartbeat, LockHolder, Stats, Store, StoreError};
use crate::text::time;
use clap::Args;
use std::io::{self, Write};
use std::path::Path;

/// How old a sign of life may be. There is one every minute; two may be late.
const FRESH: Seconds = Seconds(150);

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  ratatosk status\n  ratatosk status --database /var/lib/ratatosk/games.db")]
pub(super) struct StatusArgs {
    #[command(flatten)]
    games: GamesArgs,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ratatosk health\n  ratatosk health --database /data/ratatosk/games.db || echo not well\n\n\
    It prints nothing if all is well, and one line that says what is wrong if not."
)]
pub(super) struct HealthArgs {
    #[command(flatten)]
    games: GamesArgs,
}

/// Prints how the bot is, and how much there is.
pub(super) fn print(args: &StatusArgs) -> Result<(), Failure> {
    let (_, path) = args.games.find_existing()?;
    let store = Store::open_beside(&path)?;
    let (tally, life) = (store.session()?.stats()?, Life::look(&store, &path)?);
    Ok(write!(io::stdout().lock(), "{}", life.report(&path, &tally))?)
}

/// Fails unless the bot runs and is connected; a container restarts it then.
pub(super) fn health(args: &HealthArgs) -> Result<(), Failure> {
    let look = || -> Result<_, Failure> {
        let (_, path) = args.games.find_existing()?;
        Ok(Life::look(&Store::open_beside(&path)?, &path)?)
    };
    // Whatever the reason is, it is not well, and that has one code.
    let life = look().map_err(|failure| Failure::NotWell(failure.lines().join("; ")))?;
    life.ailment().map_or(Ok(()), |ailment| Err(Failure::NotWell(ailment)))
}

/// What is known of the bot at a moment.
struct Life {
    /// What it has written last.
    heartbeat: Option<Heartbeat>,
    /// Who has the file: a process that was killed writes nothing about it, but has no lock any more.
    holder: LockHolder,
    now: Timestamp,
}

impl Life {
    fn look(store: &Store, path: &Path) -> Result<Self, StoreError> {
        // In this order: a bot that is stopped writes so before it lets go of the file.
        let holder = Store::holder(path);
        Ok(Self { heartbeat: store.session()?.heartbeat()?, holder, now: system_time() })
    }

    /// Tells what is wrong with the bot, if something is.
    fn ailment(&self) -> Option<String> {
        let Some(heartbeat) = &self.heartbeat else {
            return Some(String::from("the bot has never run on this database; start it with `ratatosk serve`"));
        };
        let ago = self.ago(heartbeat.beat);
        match (heartbeat.state, self.holder) {
            (ConnectionState::Stopped, _) => {
                Some(format!("the bot was stopped ({ago}); start it with `ratatosk serve`"))
            }
            (_, LockHolder::Nobody) => Some(format!(
                "the bot does not run: it ended without being asked to (its last sign of life: {ago}); look at its log"
            )),
            (_, LockHolder::Process(other)) if other != heartbeat.process => Some(format!(
                "the bot does not run, or is about to begin; process {other} has the database, which may be the local \
                 table"
            )),
            // Also a sign from the future: the clock was set back, and nobody knows how old it is.
            _ if heartbeat.beat + FRESH < self.now || self.now + FRESH < heartbeat.beat => {
                Some(format!("the bot gives no sign of life (the last one: {ago}); look at its log"))
            }
            (ConnectionState::Disconnected, _) => {
                Some(String::from("the bot runs, but is not connected to Discord; look at its log"))
            }
            (ConnectionState::Connected, _) => None,
        }
    }

    fn report(&self, path: &Path, tally: &Stats) -> String {
        let mut lines = vec![("database", format!("{}, schema {}", path.display(), tally.schema))];
        lines.push(("bot", self.ailment().unwrap_or_else(|| String::from("runs, and is connected to Discord"))));
        if let Some(heartbeat) = &self.heartbeat {
            let moment = |moment| format!("{} UTC ({})", time(moment), self.ago(moment));
            let ended = heartbeat.state == ConnectionState::Stopped || self.holder == LockHolder::Nobody;
            lines.push(("version", format!("{}, process {}", heartbeat.version, heartbeat.process)));
            lines.push((if ended { "was started" } else { "running since" }, moment(heartbeat.started)));
            let last = if heartbeat.state == ConnectionState::Stopped { "was stopped" } else { "last sign of life" };
            lines.push((last, moment(heartbeat.beat)));
        }
        lines.push(("games running", tally.games_running.to_string()));
        lines.push(("games finished", tally.games_finished.to_string()));
        lines.push(("moves", tally.moves.to_string()));
        lines.push(("owed messages", tally.undelivered.to_string()));
        if let Some(heartbeat) = &self.heartbeat {
            lines.push(("answers", format!("{} since the start", heartbeat.answers)));
            lines.push(("slowest answer", format!("{} ms in the last hour or two", heartbeat.slowest_ms)));
            lines.push(("unread events", format!("{} since the start", heartbeat.unread)));
        }
        lines.iter().map(|(name, value)| format!("{name:18} {value}\n")).collect()
    }

    /// Tells how old something is, in whole units: what is 119 seconds old is not two minutes old.
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

/// Writes a time of day beside its date.
fn time(moment: Timestamp) -> String {
    let minutes = moment.0.rem_euclid(24 * 60 * 60) / 60;
    format!("{} {:02}:{:02}", time::date(moment).replace('.', "-"), minutes / 60, minutes % 60)
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
            unread: 0,
        }
    }

    fn life(state: ConnectionState, seconds_ago: i64, holder: LockHolder) -> Life {
        Life { heartbeat: Some(heartbeat(state, seconds_ago)), holder, now: NOON }
    }

    #[test]
    fn well_is_whoever_was_heard_of_and_is_connected() {
        let told = |state, ago, holder| life(state, ago, holder).ailment().unwrap_or_default();
        let ailment = |state, ago| told(state, ago, LockHolder::Process(7));
        assert_eq!(ailment(ConnectionState::Connected, 0), "");
        assert_eq!(ailment(ConnectionState::Connected, 150), "");
        assert!(ailment(ConnectionState::Connected, 151).contains("no sign of life (the last one: 2 minutes ago)"));
        assert!(ailment(ConnectionState::Connected, -3_600).contains("no sign of life (the last one: in 1 hour)"));
        assert!(ailment(ConnectionState::Disconnected, 1).contains("not connected"));
        assert!(ailment(ConnectionState::Stopped, 1).contains("was stopped (1 second ago)"));
        assert!(Life { heartbeat: None, holder: LockHolder::Unknown, now: NOON }.ailment().is_some());
        // Whoever was killed has written nothing about it.
        assert!(told(ConnectionState::Connected, 1, LockHolder::Nobody).contains("does not run"));
        assert!(told(ConnectionState::Connected, 1, LockHolder::Process(8)).contains("process 8 has the database"));
        assert_eq!(told(ConnectionState::Connected, 1, LockHolder::Unknown), "");
    }

    #[test]
    fn the_report_has_a_line_for_everything() {
        let tally = Stats { schema: 3, games_running: 4, games_finished: 9, moves: 321, challenges_open: 0, undelivered: 2 };
        let report = life(ConnectionState::Connected, 20, LockHolder::Process(7)).report(Path::new("games.db"), &tally);
        for line in [
            "bot                runs, and is connected to Discord\n",
            "running since      2026-11-13 12:00 UTC (3 days ago)\n",
            "last sign of life  2026-11-16 11:59 UTC (20 seconds ago)\n",
            "games running      4\n",
            "moves              321\n",
            "owed messages      2\n",
            "slowest answer     12 ms",
            "unread events      0",
        ] {
            assert!(report.contains(line), "{report}");
        }
        let report = life(ConnectionState::Stopped, 7_199, LockHolder::Nobody).report(Path::new("games.db"), &tally);
        assert!(report.contains("was stopped        2026-11-16 10:00 UTC (1 hour ago)\n"), "{report}");
        assert!(report.contains("was started ") && !report.contains("running since"), "{report}");
    }
}
