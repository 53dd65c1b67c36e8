//! Players move as fast as they can. Measures moves a second, answer times and memory.

use crate::experiments::bot_process::BotProcess;
use crate::experiments::seeded_rng::Rng;
use fake_discord::client::Person;
use fake_discord::state::{Id, Member, TEXT, permissions};
use fake_discord::{FakeDiscord, REAL_RESPONSE_DEADLINE};
use ratatosk::game::{
    Action, ChannelId, Game, GameId, GameTerms, OfferKind, Pace, Place, PlayerId, Players, ServerId, Timestamp,
};
use ratatosk::rules::{Move, Variant};
use ratatosk::store::{Commit, Effect, Store};
use serde_json::{Value, json};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// What to run.
pub struct Plan {
    /// How many games are played.
    pub games: usize,
    /// How many players act at the same time, each as soon as it has the last answer.
    pub players: usize,
    /// Whether they ask for suggestions before every move.
    pub completing: bool,
    pub time: Duration,
    /// They go on until there were at least this many moves, even if the time is over.
    pub least_moves: usize,
    /// Whether an answer has to come within Discord's three seconds.
    pub real_deadline: bool,
}

/// The result.
pub struct Load {
    pub moves: usize,
    pub time: Duration,
    /// In how many games there were moves.
    pub games: usize,
    /// The processor time of the bot.
    pub work: Duration,
    /// The answer times of moves, sorted.
    pub answers: Vec<Duration>,
    /// The answer times of suggestions, sorted.
    pub completions: Vec<Duration>,
    /// How many answers came too late.
    pub late: usize,
    /// From the start of the program until it was ready.
    pub start: Duration,
    /// Resident memory in kilobytes: when ready, and from then on at equal intervals.
    pub memory: Vec<u64>,
    /// The memory after a thousand moves, if there were that many.
    pub memory_after_thousand: Option<u64>,
    /// The largest size of the write-ahead log, in bytes.
    pub largest_log: u64,
}

impl Load {
    pub fn rate(&self) -> f64 {
        self.moves as f64 / self.time.as_secs_f64()
    }

    /// Returns a quantile of the answer times, in thousandths.
    pub fn answer(&self, of_thousand: usize) -> Duration {
        share(&self.answers, of_thousand)
    }

    /// Returns a quantile of the answer times of suggestions, in thousandths.
    pub fn completion(&self, of_thousand: usize) -> Duration {
        share(&self.completions, of_thousand)
    }

    /// Returns the processor time a move, which does not depend on what else the machine does.
    pub fn cost(&self) -> Duration {
        self.work / u32::try_from(self.moves.max(1)).unwrap_or(u32::MAX)
    }

    pub fn memory_at_rest(&self) -> u64 {
        self.memory.first().copied().unwrap_or(0)
    }

    pub fn memory_at_end(&self) -> u64 {
        self.memory.last().copied().unwrap_or(0)
    }

    pub fn most_memory(&self) -> u64 {
        self.memory.iter().copied().max().unwrap_or(0)
    }

    /// Returns the most memory in the second quarter of the time and in the last one: whether it grows.
    pub fn growth(&self) -> (u64, u64) {
        let most = |part: &[u64]| part.iter().copied().max().unwrap_or(0);
        let quarter = self.memory.len() / 4;
        (most(&self.memory[quarter..2 * quarter.max(1)]), most(&self.memory[3 * quarter..]))
    }
}

/// Returns a quantile of sorted times, in thousandths.
fn share(times: &[Duration], of_thousand: usize) -> Duration {
    times.get(times.len() * of_thousand / 1000).or(times.last()).copied().unwrap_or_default()
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        let (early, last) = self.growth();
        write!(
            f,
            "{} moves in {} games in {:.0} s: {:.0} a second, {:.2} ms of work each; answers p50 {:.1} ms, p99 {:.1} ms, worst {:.0} ms, {} too late; memory \
             {} KB when ready, {early} KB in the second quarter, {last} KB in the last; write-ahead log at most {} KB",
            self.moves,
            self.games,
            self.time.as_secs_f64(),
            self.rate(),
            ms(self.cost()),
            ms(self.answer(500)),
            ms(self.answer(990)),
            ms(self.answer(1000)),
            self.late,
            self.memory_at_rest(),
            self.largest_log / 1024,
        )
    }
}

/// Runs a plan. `prepare` may fill the database before.
pub async fn run(plan: &Plan, prepare: impl FnOnce(&Path)) -> Load {
    let discord = FakeDiscord::start().await;
    discord.state.update(|state| state.discard_history = true);
    if plan.real_deadline {
        discord.set_response_deadline(REAL_RESPONSE_DEADLINE);
    }
    let mut bot = BotProcess::stopped_on_disk(&discord);
    if plan.real_deadline {
        bot.use_real_answer_limit(true);
    }
    // A backup would be measured, too.
    bot.set("RATATOSK_BACKUP_EVERY", "off");
    prepare(&bot.database());
    let pairings = start_games(&discord, &bot.database(), plan.games, now());
    let moves_of = |database: &Path| {
        Store::open_read_only(database).and_then(|store| store.session().unwrap().stats()).map(|stats| stats.moves)
    };
    let before = moves_of(&bot.database()).expect("the database is there");
    let began = Instant::now();
    bot.start_again().await;
    let start = began.elapsed();
    bot.wait_until_idle().await;
    let process = bot.process().expect("the bot runs");
    let mut memory = vec![resident(process)];
    let idle = worked(process);
    let until = Instant::now() + plan.time;
    let began = Instant::now();
    let mut players: Vec<Vec<Pairing>> = (0..plan.players).map(|_| Vec::new()).collect();
    pairings.into_iter().enumerate().for_each(|(n, pairing)| players[n % plan.players].push(pairing));
    let moves = Arc::new(AtomicUsize::new(0));
    let goal = Goal { until, least_moves: plan.least_moves };
    let act = |pairings| tokio::spawn(act(pairings, plan.completing, Arc::clone(&moves), goal));
    let acting: Vec<_> = players.into_iter().map(act).collect();
    let (mut memory_after_thousand, mut largest_log) = (None, 0);
    let log = bot.database().with_extension("db-wal");
    while !goal.is_reached(&moves) {
        tokio::time::sleep((plan.time / 60).max(Duration::from_millis(500))).await;
        let resident = resident(process);
        memory.push(resident);
        if moves.load(Ordering::Relaxed) >= 1_000 {
            memory_after_thousand = memory_after_thousand.or(Some(resident));
        }
        largest_log = largest_log.max(std::fs::metadata(&log).map_or(0, |log| log.len()));
        discord.state.update(|state| state.forget(Duration::from_secs(20)));
    }
    let (mut answers, mut completions, mut late, mut games) = (Vec::new(), Vec::new(), 0, 0);
    for log in acting {
        let log = log.await.expect("a player stopped");
        answers.extend(log.times);
        completions.extend(log.completions);
        late += log.late;
        games += log.games;
    }
    let time = began.elapsed();
    let work = worked(process).saturating_sub(idle);
    answers.sort_unstable();
    completions.sort_unstable();
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.output());
    let moves = answers.len();
    let stored = moves_of(&bot.database()).expect("the database is there");
    // A move with a late answer was made, too.
    assert!(
        (moves..=moves + late).contains(&((stored - before) as usize)),
        "{moves} moves seen, {} stored",
        stored - before
    );
    Load { moves, time, games, work, answers, completions, late, start, memory, memory_after_thousand, largest_log }
}

/// A game, its players and their channel.
pub struct Pairing {
    pub people: [Person; 2],
    pub game: Game,
}

pub fn now() -> Timestamp {
    Timestamp(SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs() as i64))
}

/// Puts the given number of games into the database, each between two new users in a channel of its own.
pub fn start_games(discord: &FakeDiscord, database: &Path, games: usize, now: Timestamp) -> Vec<Pairing> {
    let store = Arc::new(Store::open(database).expect("the database can be made"));
    let variant = Variant::find("fetlar").expect("there is such a game");
    let places: Vec<(Id, [Id; 2])> = discord.state.update(|state| {
        let user = |state: &mut fake_discord::state::DiscordState, name: String| {
            let id = state.add_user(&name, false);
            let member = Member { nick: None, permissions: permissions::MEMBER };
            state.guilds.get_mut(&discord.server).expect("the server").members.insert(id, member);
            id
        };
        let pair = |n: usize| {
            let channel = state.add_channel(Some(discord.server), TEXT, &format!("game-{n}"));
            (channel, [user(state, format!("Ann{n}")), user(state, format!("Bo{n}"))])
        };
        (0..games).map(pair).collect()
    });
    let pairing = |(channel, people): &(Id, [Id; 2])| {
        let players = Players { attackers: PlayerId(people[0]), defenders: PlayerId(people[1]) };
        let place = Place { server: Some(ServerId(discord.server)), channel: ChannelId(*channel), thread: None };
        let layout = variant.default_layout();
        let start = GameTerms { variant, layout, rules: variant.rules, players, pace: Pace::default(), place };
        let write = Commit { request: None, effects: vec![Effect::BeginGame(start)], now };
        let id = store.commit(write).expect("it can be written").game.expect("a game begins");
        let people = people.map(|id| Person::new(discord.clone(), id, *channel));
        Pairing { people, game: Game::begin(id, start, now).expect("it can be played") }
    };
    // Many at once share a commit.
    let pairings = std::thread::scope(|scope| {
        let parts = places.chunks(places.len().div_ceil(16).max(1));
        let parts: Vec<_> = parts.map(|part| scope.spawn(|| part.iter().map(pairing).collect::<Vec<_>>())).collect();
        parts.into_iter().flat_map(|part| part.join().expect("nobody panics")).collect()
    });
    Arc::into_inner(store).expect("nobody else has it").close().expect("it can be closed");
    pairings
}

/// When to stop.
#[derive(Clone, Copy)]
struct Goal {
    until: Instant,
    least_moves: usize,
}

impl Goal {
    fn is_reached(&self, moves: &AtomicUsize) -> bool {
        Instant::now() >= self.until && moves.load(Ordering::Relaxed) >= self.least_moves
    }
}

/// What one player, who moves in many games, has done.
#[derive(Default)]
struct PlayerLog {
    /// How long the answers took.
    times: Vec<Duration>,
    /// How long the completions took.
    completions: Vec<Duration>,
    /// How many did not come in time.
    late: usize,
    /// In how many games it was.
    games: usize,
}

/// Makes one move after the other, in all games in turn.
async fn act(mut pairings: Vec<Pairing>, completing: bool, made: Arc<AtomicUsize>, goal: Goal) -> PlayerLog {
    let mut rng = Rng::new(pairings.len() as u64 + pairings.first().map_or(0, |pairing| pairing.game.id.0));
    let (mut log, mut step, all) = (PlayerLog::default(), 0, pairings.len());
    while !goal.is_reached(&made) && !pairings.is_empty() {
        let n = step % pairings.len();
        let pairing = &mut pairings[n];
        let (mover, mv, next) = choose(&pairing.game, &mut rng);
        if completing {
            let asked = Instant::now();
            let offered = person(pairing, mover).complete("move", &[], ("move", &mv.from.to_string())).await;
            log.completions.push(asked.elapsed());
            assert!(offered.iter().any(|(_, value)| value.contains(&mv.to_string())), "{mv} is not among {offered:?}");
        }
        let Some(took) = make(pairing, mover, mv).await else {
            log.late += 1;
            pairings.swap_remove(n);
            continue;
        };
        log.times.push(took);
        made.fetch_add(1, Ordering::Relaxed);
        (step, log.games) = (step + 1, all.min(step + 1));
        pairing.game = next;
        if pairing.game.result.is_some() && !again(pairing).await {
            log.late += 1;
            pairings.swap_remove(n);
        }
    }
    log
}

/// Chooses a move, and returns the player, the move and the game after it.
fn choose(game: &Game, rng: &mut Rng) -> (PlayerId, Move, Game) {
    let mover = game.player_to_move().expect("the game goes on");
    let moves: Vec<Move> = game.record.playable_moves().collect();
    loop {
        let mv = rng.pick(&moves);
        if let Ok(change) = game.act(mover, Action::Move { written: mv.into(), confirmed: false }, Timestamp(0)) {
            return (mover, mv, change.game);
        }
    }
}

/// Makes a move, and returns how long the answer took, if it came in time.
async fn make(pairing: &Pairing, mover: PlayerId, mv: Move) -> Option<Duration> {
    let sent = Instant::now();
    let told = say(pairing, mover, "move", json!([{ "name": "move", "type": 3, "value": mv.to_string() }])).await?;
    let took = sent.elapsed();
    assert!(told.contains("played **") && told.contains(&mv.to_string()), "{mv} was answered with: {told}");
    Some(took)
}

/// Makes some move, and returns how long the answer took.
pub async fn move_once(pairing: &mut Pairing, rng: &mut Rng) -> Duration {
    let (mover, mv, next) = choose(&pairing.game, rng);
    let took = make(pairing, mover, mv).await.expect("an answer in time");
    pairing.game = next;
    took
}

/// Starts a rematch. Returns whether the answers came in time.
async fn again(pairing: &mut Pairing) -> bool {
    let players = pairing.game.terms.players;
    for (player, action) in [
        (players.attackers, Action::Offer(OfferKind::Rematch)),
        (players.defenders, Action::Accept(OfferKind::Rematch)),
    ] {
        if say(pairing, player, "rematch", json!([])).await.is_none() {
            return false;
        }
        let change = pairing.game.act(player, action, Timestamp(0)).expect("a rematch is possible");
        pairing.game = match change.rematch {
            Some(start) => Game::begin(GameId(0), start, Timestamp(0)).expect("it could be played before"),
            None => change.game,
        };
    }
    true
}

/// Uses a command, and returns the public answer, if it came in time.
async fn say(pairing: &Pairing, player: PlayerId, name: &str, options: Value) -> Option<String> {
    let person = person(pairing, player);
    let data = json!({ "id": "1", "name": name, "type": 1, "options": options });
    let id = person.interact(2, data, None).expect("the channel is there");
    let answer = person.answer(id).await.ok()?;
    assert!(answer.is_public(), "everybody sees it: {}", answer.text());
    Some(answer.text())
}

fn person(pairing: &Pairing, player: PlayerId) -> &Person {
    pairing.people.iter().find(|person| person.id == player.0).expect("one of the two")
}

/// Returns the resident memory of a process in kilobytes.
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// Returns the processor time of a process, which the system counts in hundredths of a second.
fn worked(process: u32) -> Duration {
    let about = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // After the name, which may contain anything.
    let fields: Vec<&str> = about.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |n: usize| fields.get(n).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}
