//! Clocks that jump, months of downtime, a thousand deadlines at once, and daylight saving time.

use crate::experiments::bot_process::{BotProcess, POLL};
use crate::experiments::load::{Pairing, move_once, now, start_games};
use crate::experiments::seeded_rng::Rng;
use crate::experiments::store_fixture::{NOW, TempStore, begin, play, start};
use fake_discord::{FakeDiscord, WAIT_LIMIT};
use ratatosk::app::App;
use ratatosk::game::{Game, GameResult, GameTerms, Pace, PlayerId, Players, Seconds, Timestamp};
use ratatosk::store::Store;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

/// An app with a clock that can be set.
struct AppWithClock {
    app: App,
    clock: Arc<AtomicI64>,
    _room: TempStore,
}

impl AppWithClock {
    fn new(name: &str) -> Self {
        let temp = TempStore::new(name);
        let clock = Arc::new(AtomicI64::new(NOW.0));
        let time = Arc::clone(&clock);
        let app = App::new(temp.open(), move || Timestamp(time.load(Ordering::Relaxed)), || true);
        Self { app, clock, _room: temp }
    }

    fn store(&self) -> &Store {
        self.app.store()
    }

    fn set(&self, now: Timestamp) {
        self.clock.store(now.0, Ordering::Relaxed);
    }

    /// Sets the clock and does what is due, without the grace period. Returns how many messages that makes.
    fn at(&self, now: Timestamp) -> usize {
        self.set(now);
        self.app.handle_due(now).unwrap().len()
    }

    fn game(&self, game: &Game) -> Game {
        self.store().session().unwrap().game(game.id).unwrap().unwrap()
    }

    /// Begins games in which both have moved, each between two players of its own.
    fn games(&self, count: u64) -> Vec<Game> {
        let game = |n: u64| {
            let players = Players { attackers: PlayerId(1_000 + 2 * n), defenders: PlayerId(1_001 + 2 * n) };
            let begun = begin(self.store(), GameTerms { players, ..start("brandubh", Pace::default()) }, NOW);
            play(self.store(), &play(self.store(), &begun, "d1-b1", NOW), "d3-b3", NOW)
        };
        (0..count).map(game).collect()
    }
}

const PACE: Seconds = Seconds::days(3);

#[test]
fn a_clock_that_jumps_forward_and_back_costs_no_player_time() {
    let bot = AppWithClock::new("jump");
    let game = bot.games(1).remove(0);
    // Two hours back, in the middle of a game: nothing is due, and the next move has all of its time.
    assert_eq!(bot.at(NOW - Seconds(7_200)), 0);
    let moved = play(bot.store(), &game, "b1-c1", NOW - Seconds(7_200));
    assert_eq!(bot.game(&game).changed, NOW, "in a game time never runs backwards");
    assert_eq!(moved.clock.deadline, NOW + PACE);
    // A year ahead for a moment: the opponent is told that time is up, but nothing is over.
    let year = Seconds::days(365);
    assert_eq!(bot.at(NOW + year), 1);
    assert_eq!(bot.at(NOW + year), 0, "once");
    assert_eq!(bot.game(&game).result, None);
    // Back again: the late player can still move, and the opponent has all of the time.
    assert_eq!(bot.at(NOW + Seconds(60)), 0);
    let moved = play(bot.store(), &bot.game(&game), "b3-c3", NOW + Seconds(60));
    assert!(moved.clock.deadline >= NOW + Seconds(60) + PACE && moved.clock.flagged.is_none());
    // Once the clock has been right for an hour, deadlines a year ahead are corrected.
    assert_eq!(bot.store().correct_clocks(NOW + Seconds(3_660)).unwrap(), 1);
    let moved = play(bot.store(), &bot.game(&game), "c1-d1", NOW + Seconds(4_000));
    assert_eq!(moved.clock.deadline, NOW + Seconds(4_000) + PACE);
}

#[test]
fn deadlines_set_while_the_clock_was_a_year_ahead_are_corrected() {
    let bot = AppWithClock::new("year");
    let games = bot.games(2);
    let ahead = NOW + Seconds::days(365);
    // While the clock is a year ahead one opponent is told that time is up, and in the other game a player moves.
    play(bot.store(), &games[0], "b1-c1", ahead);
    assert_eq!(bot.at(ahead), 1);
    // The clock is set right.
    let now = NOW + Seconds(60);
    assert_eq!(bot.store().correct_clocks(now).unwrap(), 2);
    assert_eq!(bot.store().correct_clocks(now).unwrap(), 0, "once");
    assert_eq!(bot.game(&games[0]).clock.deadline, now + PACE + PACE, "as long as anybody can have, and no longer");
    assert_eq!(bot.game(&games[1]).clock.flagged, Some(now));
    assert_eq!(bot.at(now), 0);
    // Then everything is as usual.
    assert_eq!(bot.at(now + PACE), 1, "who was flagged has lost after another pace");
    assert_eq!(bot.at(now + PACE + PACE - Seconds(3_600)), 1, "a reminder");
    assert_eq!(bot.at(now + PACE + PACE), 1, "time is up");
}

#[test]
fn correct_deadlines_are_not_changed() {
    use crate::experiments::store_fixture::{save, update};
    use ratatosk::game::Action;
    let bot = AppWithClock::new("right");
    let game = bot.games(1).remove(0);
    let given = game.act(game.terms.players.attackers, Action::GiveTime, NOW);
    assert!(given.is_err(), "it is the attackers' own turn");
    let given = game.act(game.terms.players.defenders, Action::GiveTime, NOW).unwrap();
    save(bot.store(), vec![update(&given)], NOW).unwrap();
    for now in [NOW, NOW + Seconds(5), NOW + Seconds::days(100)] {
        assert_eq!(bot.store().correct_clocks(now).unwrap(), 0);
    }
    assert_eq!(bot.game(&game).clock, given.game.clock);
}

#[test]
fn messages_made_while_the_clock_was_ahead_are_due_at_once() {
    let bot = AppWithClock::new("ahead");
    bot.games(1);
    let ahead = NOW + Seconds::days(400);
    assert_eq!(bot.at(ahead), 1, "time is up, as the clock says");
    assert_eq!(bot.store().session().unwrap().due_messages(ahead, 10).unwrap().len(), 1);
    // The clock is set right: the message must not wait for 400 days.
    bot.at(NOW + Seconds(5));
    let due = bot.store().session().unwrap().due_messages(NOW + Seconds(5), 10).unwrap();
    assert_eq!(due.len(), 1);
    assert!(due[0].made <= NOW + Seconds(5), "it is not taken for one that was made a moment ago");
}

#[test]
fn after_months_of_downtime_nobody_loses_in_the_first_hour() {
    let bot = AppWithClock::new("months");
    let games = bot.games(20);
    let back = NOW + Seconds::days(120);
    bot.set(back);
    // Every quarter of an hour in the hour of grace.
    for minutes in [0, 15, 30, 45, 59] {
        bot.set(back + Seconds(60 * minutes));
        assert_eq!(bot.app.handle_due(back + Seconds::HOUR).unwrap(), []);
    }
    let late = play(bot.store(), &bot.game(&games[0]), "b1-c1", back + Seconds(60));
    assert_eq!(late.result, None, "who is late can still move");
    // Then the other nineteen are told, and have another pace before they lose.
    assert_eq!(bot.at(back + Seconds::HOUR), 19);
    assert!(games.iter().all(|game| bot.game(game).result.is_none()));
    bot.at(back + Seconds::HOUR + PACE);
    let lost = games
        .iter()
        .filter(|game| bot.game(game).result.is_some_and(|result| matches!(result, GameResult::Time { .. })));
    assert_eq!(lost.count(), 19);
    assert_eq!(bot.game(&games[0]).result, None, "who has moved has not lost");
}

/// How long many deadlines at once take.
pub struct Rush {
    pub games: u64,
    pub reminders: Duration,
    pub flags: Duration,
    pub wins: Duration,
}

impl fmt::Display for Rush {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, reminders, flags, wins } = self;
        write!(f, "{games} deadlines at once: reminders in {reminders:.0?}, time up in {flags:.0?}, won in {wins:.0?}")
    }
}

/// Lets the reminders, flags and wins of many games fall due at the same moment. Each happens once.
pub fn rush(games: u64) -> Rush {
    let bot = AppWithClock::new("rush");
    let all = bot.games(games);
    let due = |now: Timestamp| {
        let began = Instant::now();
        assert_eq!(bot.at(now), all.len(), "each once");
        assert_eq!(bot.at(now), 0, "and not again");
        began.elapsed()
    };
    let reminders = due(NOW + PACE - Seconds(3_600));
    let flags = due(NOW + PACE);
    let wins = due(NOW + PACE + PACE);
    assert!(
        all.iter().all(|game| bot.game(game).result.is_some_and(|result| matches!(result, GameResult::Time { .. })))
    );
    Rush { games, reminders, flags, wins }
}

/// How long many reminders at once take.
pub struct Flood {
    pub reminders: usize,
    pub posted_in: Duration,
    /// The slowest answer to a player meanwhile.
    pub slowest: Duration,
    pub moves: usize,
}

impl fmt::Display for Flood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reminders, posted_in, slowest, moves } = self;
        write!(
            f,
            "{reminders} reminders at once: posted in {posted_in:.1?}; slowest of {moves} answers meanwhile {slowest:.0?}"
        )
    }
}

/// Lets many reminders fall due while the bot is away. Each is posted once and pings the player to move, and a player
/// who moves meanwhile is answered.
pub async fn flood(reminders: usize) -> Flood {
    let discord = FakeDiscord::start().await;
    discord.state.update(|state| state.discard_history = true);
    let mut bot = BotProcess::stopped(&discord);
    let waiting = start_games(&discord, &bot.database(), reminders, now() - Seconds(PACE.0 * 9 / 10));
    let mut playing = start_games(&discord, &bot.database(), 1, now()).remove(0);
    let mut rng = Rng::new(7);
    bot.start_again().await;
    let began = Instant::now();
    let (mut slowest, mut moves, mut posted_in) = (Duration::ZERO, 0, None);
    let posts = |pairing: &Pairing| discord.state.read(|state| state.posts(pairing.people[0].channel).len());
    while posted_in.is_none() {
        assert!(began.elapsed() < WAIT_LIMIT, "reminders are missing");
        if playing.game.result.is_none() {
            slowest = slowest.max(move_once(&mut playing, &mut rng).await);
            moves += 1;
        } else {
            tokio::time::sleep(POLL).await;
        }
        if waiting.iter().all(|pairing| posts(pairing) > 0) {
            posted_in = Some(began.elapsed());
        }
    }
    bot.wait_until_idle().await;
    for pairing in &waiting {
        let called = discord.state.read(|state| {
            state
                .posts(pairing.people[0].channel)
                .iter()
                .map(|post| post.pings.iter().copied().collect())
                .collect::<Vec<Vec<_>>>()
        });
        assert_eq!(called, [vec![pairing.game.player_to_move().unwrap().0]], "once, and the right one");
    }
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.output());
    Flood { reminders, posted_in: posted_in.unwrap_or_default(), slowest, moves }
}

#[tokio::test]
async fn a_player_is_answered_while_many_reminders_are_posted() {
    println!("{}", flood(60).await);
}

#[test]
fn each_of_many_simultaneous_deadlines_is_handled_once() {
    // More than the bot looks at in one go.
    println!("{}", rush(250));
}

#[test]
fn deadlines_and_exports_do_not_depend_on_the_time_zone() {
    let temp = TempStore::new("zone");
    let store = temp.open();
    // The nights of 2026 in which clocks change in Europe.
    for begun in [Timestamp(1_792_885_800), Timestamp(1_774_742_400)] {
        let game =
            play(&store, &begin(&store, start("brandubh", Pace::from_days(Some(1)).unwrap()), begun), "d1-b1", begun);
        assert_eq!(game.clock.deadline.0 - begun.0, 24 * 60 * 60, "a day has 24 hours");
    }
    store.close().unwrap();
    let export = |zone: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ratatosk"));
        let output = command.args(["export", "--format", "json", "--database"]).arg(temp.database()).env("TZ", zone);
        let output = output.output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let here = export("UTC");
    assert!(here.contains("1792885800"), "{here}");
    for zone in ["Europe/Berlin", "America/New_York", "Pacific/Kiritimati", "XYZ-14:30"] {
        assert_eq!(export(zone), here, "{zone}");
    }
}
