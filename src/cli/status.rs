//! `ratatosk status` and `ratatosk health`: how the bot is, from the signs of life that it leaves in the file.

use super::Failure;
use super::settings::GamesArgs;
use super::table::system_time;
use crate::game::{Moment, Span};
use crate::store::{Heartbeat, State, Store, Tally};
use crate::text;
use clap::Args;
use std::io::{self, Write};
use std::path::Path;

/// How old a sign of life may be. There is one every minute; two may be late.
const FRESH: Span = Span(150);

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  ratatosk status\n  ratatosk status --database /var/lib/ratatosk/games.db")]
pub(super) struct StatusArgs {
    #[command(flatten)]
    games: GamesArgs,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ratatosk health\n  ratatosk health --database /data/games.db || echo not well\n\n\
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
    let (tally, heartbeat) = (store.tally()?, store.heartbeat()?);
    Ok(write!(io::stdout().lock(), "{}", report(&path, &tally, heartbeat.as_ref(), system_time()))?)
}

/// Fails unless the bot runs and is connected; a container restarts it then.
pub(super) fn health(args: &HealthArgs) -> Result<(), Failure> {
    let heartbeat = || -> Result<_, Failure> { Ok(Store::open_beside(&args.games.find_existing()?.1)?.heartbeat()?) };
    // Whatever the reason is, it is not well, and that has one code.
    let heartbeat = heartbeat().map_err(|failure| Failure::NotWell(failure.lines().join("; ")))?;
    ailment(heartbeat.as_ref(), system_time()).map_or(Ok(()), |ailment| Err(Failure::NotWell(ailment)))
}

/// Tells what is wrong with the bot, if something is.
fn ailment(heartbeat: Option<&Heartbeat>, now: Moment) -> Option<String> {
    let Some(heartbeat) = heartbeat else {
        return Some(String::from("the bot has never run on this database; start it with `ratatosk serve`"));
    };
    let ago = text::relative(now, heartbeat.beat);
    match heartbeat.state {
        State::Stopped => Some(format!("the bot was stopped ({ago}); start it with `ratatosk serve`")),
        // Also a sign from the future: the clock was set back, and nobody knows how old it is.
        _ if heartbeat.beat + FRESH < now || now + FRESH < heartbeat.beat => {
            Some(format!("the bot gives no sign of life (the last one: {ago}); look at its log"))
        }
        State::Disconnected => Some(String::from("the bot runs, but is not connected to Discord; look at its log")),
        State::Connected => None,
    }
}

fn report(path: &Path, tally: &Tally, heartbeat: Option<&Heartbeat>, now: Moment) -> String {
    let mut lines = vec![("database", format!("{}, schema {}", path.display(), tally.schema))];
    let ailment = ailment(heartbeat, now);
    lines.push(("bot", ailment.unwrap_or_else(|| String::from("runs, and is connected to Discord"))));
    if let Some(heartbeat) = heartbeat {
        let moment = |moment| format!("{} UTC ({})", time(moment), text::relative(now, moment));
        lines.push(("version", format!("{}, process {}", heartbeat.version, heartbeat.process)));
        lines.push(("running since", moment(heartbeat.started)));
        lines.push(("last sign of life", moment(heartbeat.beat)));
    }
    lines.push(("games running", tally.games_running.to_string()));
    lines.push(("games finished", tally.games_finished.to_string()));
    lines.push(("moves", tally.moves.to_string()));
    lines.push(("owed messages", tally.owed.to_string()));
    if let Some(heartbeat) = heartbeat {
        lines.push(("answers", format!("{} since the start", heartbeat.answers)));
        lines.push(("slowest answer", format!("{} ms in the last hour or two", heartbeat.slowest_ms)));
        lines.push(("unread events", format!("{} since the start", heartbeat.unread)));
    }
    lines.iter().map(|(name, value)| format!("{name:18} {value}\n")).collect()
}

/// Writes a time of day beside its date.
fn time(moment: Moment) -> String {
    let minutes = moment.0.rem_euclid(24 * 60 * 60) / 60;
    format!("{} {:02}:{:02}", text::date(moment).replace('.', "-"), minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Moment = Moment(1_794_830_400);

    fn heartbeat(state: State, seconds_ago: i64) -> Heartbeat {
        let beat = NOON - Span(seconds_ago);
        let started = NOON - Span::days(3);
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

    #[test]
    fn well_is_whoever_was_heard_of_and_is_connected() {
        let ailment = |state, ago| ailment(Some(&heartbeat(state, ago)), NOON).unwrap_or_default();
        assert_eq!(ailment(State::Connected, 0), "");
        assert_eq!(ailment(State::Connected, 150), "");
        assert!(ailment(State::Connected, 151).contains("no sign of life (the last one: 3 minutes ago)"));
        assert!(ailment(State::Connected, -3_600).contains("no sign of life"));
        assert!(ailment(State::Disconnected, 1).contains("not connected"));
        assert!(ailment(State::Stopped, 1).contains("was stopped"));
        assert!(super::ailment(None, NOON).is_some());
    }

    #[test]
    fn the_report_has_a_line_for_everything() {
        let tally = Tally { schema: 3, games_running: 4, games_finished: 9, moves: 321, challenges_open: 0, owed: 2 };
        let report = report(Path::new("games.db"), &tally, Some(&heartbeat(State::Connected, 20)), NOON);
        for line in [
            "bot                runs, and is connected to Discord\n",
            "running since      2026-11-13 12:00 UTC (3 days ago)\n",
            "last sign of life  2026-11-16 11:59 UTC (now)\n",
            "games running      4\n",
            "moves              321\n",
            "owed messages      2\n",
            "slowest answer     12 ms",
            "unread events      0",
        ] {
            assert!(report.contains(line), "{report}");
        }
    }
}
