//! The table of speeds in Markdown, each beside what it is compared with, and the noise of the machine.

use crate::experiments::load::{Load, Plan, run};
use crate::workloads::render::great_board;
use crate::workloads::rules::{their_brandubh, their_copenhagen, their_perft};
use crate::workloads::store::{Player, fresh, middle, raw};
use hnefatafl::board::state::BoardState;
use hnefatafl::game::Game;
use ratatosk::board_view::Theme;
use ratatosk::render::Renderer;
use ratatosk::rules::Variant;
use ratatosk::store::Store;
use std::fs::{self, File};
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// Many players at once, as fast as they can.
pub const BUSY: Plan = Plan {
    games: 2_000,
    players: 32,
    completing: false,
    time: Duration::from_secs(60),
    least_moves: 0,
    real_deadline: true,
};

/// How often the two sides of a comparison take turns.
const TURNS: usize = 9;

/// The median of several measurements, and their spread in percent.
struct Measured {
    middle: f64,
    spread: f64,
}

impl Measured {
    fn of(mut numbers: Vec<f64>) -> Self {
        let middle = middle(&mut numbers);
        let spread = (numbers[numbers.len() - 1] - numbers[0]) / middle * 100.0;
        Self { middle, spread }
    }
}

/// Measures two things in turn, so that both see the same load.
fn take_turns(mut ours: impl FnMut() -> f64, mut theirs: impl FnMut() -> f64) -> (Measured, Measured) {
    let turns: Vec<(f64, f64)> = (0..TURNS).map(|_| (ours(), theirs())).collect();
    let (ours, theirs) = turns.into_iter().unzip();
    (Measured::of(ours), Measured::of(theirs))
}

fn seconds<T>(mut what: impl FnMut() -> T) -> f64 {
    let began = Instant::now();
    black_box(what());
    began.elapsed().as_secs_f64()
}

/// Prints the table. The release build takes minutes, and can be left out.
pub fn table(runtime: &Runtime, time: Duration, build: bool) {
    let mut rows = vec![picture()];
    let (brandubh, noise) = rules("brandubh", 4, &their_brandubh());
    rows.extend([brandubh, rules("fetlar", 3, &their_copenhagen()).0]);
    let (commit, disk_noise) = commit();
    rows.push(commit);
    let calm = runtime.block_on(run(&Plan { games: 100, players: 1, completing: true, time, ..BUSY }, |_| {}));
    let busy = runtime.block_on(run(&Plan { time, ..BUSY }, |_| {}));
    rows.extend(of_the_bot(&calm, &busy));
    if build {
        rows.push(build_time());
    }
    rows.push(size());
    println!("| | measured | beside |\n|---|---|---|\n{}\n", rows.join("\n"));
    println!(
        "{}. The same work, repeated: {noise:.0} % apart for the processor, {disk_noise:.0} % for the disk.",
        machine()
    );
}

fn row(what: &str, measured: &str, beside: &str) -> String {
    format!("| {what} | {measured} | {beside} |")
}

fn picture() -> String {
    const EACH: u32 = 20;
    let (renderer, view) = (Renderer::new(), great_board(Theme::Oak));
    let bytes = renderer.png(&view).unwrap().len();
    let each =
        |n: u32, what: &dyn Fn() -> usize| seconds(|| (0..n).map(|_| what()).sum::<usize>()) / f64::from(n) * 1e3;
    let quick = || each(EACH, &|| renderer.png(&view).unwrap().len());
    let plain = || each(1, &|| renderer.full_colour_png(&view).unwrap().len());
    let (quick, plain) = take_turns(quick, plain);
    row(
        "picture of the great board",
        &format!("{:.2} ms, {} KB", quick.middle, bytes / 1000),
        &format!("{:.1} ms, everything drawn anew in full colour", plain.middle),
    )
}

fn rules<B: BoardState>(variant: &str, depth: u32, theirs: &Game<B>) -> (String, f64) {
    let variant = Variant::find(variant).unwrap();
    let (rulebook, start) = (variant.rulebook(), variant.start_position(variant.default_layout()));
    let (our_leaves, their_leaves) =
        (rulebook.perft(&start, depth) as f64, their_perft(&theirs.logic, &theirs.state, depth) as f64);
    let ours = || our_leaves / seconds(|| rulebook.perft(black_box(&start), depth)) / 1e6;
    let others = || their_leaves / seconds(|| their_perft(&theirs.logic, black_box(&theirs.state), depth)) / 1e6;
    let (ours, others) = take_turns(ours, others);
    let what = format!("rules: {}, {depth} moves deep", variant.name);
    let measured = format!("{:.1} million moves a second", ours.middle);
    (row(&what, &measured, &format!("{:.2} million, the `hnefatafl` crate", others.middle)), ours.spread)
}

fn commit() -> (String, f64) {
    const MOVES: usize = 50;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("speed");
    fs::create_dir_all(&folder).unwrap();
    let store = Store::open(&fresh(&folder, "moves.db")).unwrap();
    let mut player = Player::new(&store, 1);
    let log = folder.join("moves.db-wal");
    let mut turn = || {
        let writes: Vec<_> = (0..MOVES).map(|_| player.decide(&store)).collect();
        seconds(|| writes.iter().for_each(|write| drop(store.commit(write.clone()).unwrap())))
    };
    turn();
    let before = fs::metadata(&log).unwrap().len();
    turn();
    let bytes = (fs::metadata(&log).unwrap().len() - before) / MOVES as u64;
    let mut file = File::create(folder.join("raw")).unwrap();
    let rate = |seconds: f64| MOVES as f64 / seconds;
    let (ours, raws) = take_turns(|| rate(turn()), || rate(raw(&mut file, bytes, MOVES).as_secs_f64()));
    store.close().unwrap();
    fs::remove_dir_all(&folder).unwrap();
    let measured = format!("{:.0} a second, one player", ours.middle);
    let beside = format!("{:.0} a second, bare `write` and `fdatasync` of the same {bytes} bytes", raws.middle);
    (row("move, safe on the disk", &measured, &beside), raws.spread)
}

fn of_the_bot(calm: &Load, busy: &Load) -> [String; 7] {
    let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    let mb = |kilobytes: u64| format!("{:.0} MB", kilobytes as f64 / 1e3);
    let both = |load: &Load| format!("p50 {}, p99 {}", ms(load.answer(500)), ms(load.answer(990)));
    let completion = format!("p50 {}, p99 {}", ms(calm.completion(500)), ms(calm.completion(990)));
    let after_thousand = calm.memory_after_thousand.map_or(String::from("not reached"), mb);
    [
        row("answer to `/move`, with its picture", &both(calm), &format!("{} with 32 players at once", both(busy))),
        row("completion of a move", &completion, "Discord waits for 3 s"),
        row(
            "moves a second, sustained",
            &format!("{:.0} with 32 players at once", busy.rate()),
            &format!(
                "{:.0} with one; the slowest answer {}, {} too late",
                calm.rate(),
                ms(busy.answer(1000)),
                busy.late
            ),
        ),
        row("start to ready", &ms(calm.start), &format!("{} with 2,000 games", ms(busy.start))),
        row("memory at rest", &mb(calm.memory_at_rest()), &format!("{} with 2,000 games", mb(busy.memory_at_rest()))),
        row("memory after 1,000 moves", &after_thousand, &format!("{} after {}", mb(calm.memory_at_end()), calm.moves)),
        row(
            "memory under load",
            &format!("{} at most, 32 players at once", mb(busy.most_memory())),
            &format!("{} moves in {} games", busy.moves, busy.games),
        ),
    ]
}

/// Builds everything from nothing, and measures time and processor time.
fn build_time() -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("build");
    let _ = fs::remove_dir_all(&folder);
    let mut cargo = Command::new(option_env!("CARGO").unwrap_or("cargo"));
    cargo.args(["build", "--release", "--locked", "--quiet"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    cargo.env("CARGO_TARGET_DIR", &folder);
    let before = worked_for_us();
    let took = seconds(|| assert!(cargo.status().unwrap().success()));
    let worked = worked_for_us() - before;
    fs::remove_dir_all(&folder).unwrap();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let minutes = |seconds: f64| format!("{} min {:02} s", seconds as u64 / 60, seconds as u64 % 60);
    let beside = format!("{} of CPU time", minutes(worked));
    row("release build from nothing", &format!("{} on {cores} cores", minutes(took)), &beside)
}

/// Returns the processor time of child processes that have ended, in seconds.
fn worked_for_us() -> f64 {
    let about = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = about.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |n: usize| fields.get(n).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(13) + ticks(14)) / 100.0
}

fn size() -> String {
    let program = env!("CARGO_BIN_EXE_ratatosk");
    let stripped = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stripped");
    let done = Command::new("strip").arg("-o").arg(&stripped).arg(program).status();
    let mb = |path: &Path| fs::metadata(path).map(|about| format!("{:.0} MB", about.len() as f64 / 1e6));
    let beside = match done.and_then(|_| mb(&stripped)) {
        Ok(size) => format!("{size} without the names for backtraces"),
        Err(_) => String::from("`strip` is not installed"),
    };
    let _ = fs::remove_file(&stripped);
    row("size of the program", &mb(Path::new(program)).unwrap(), &beside)
}

/// Describes the machine and its load.
fn machine() -> String {
    let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        about.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ")).map_or("", |(_, name)| name);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default().to_owned();
    format!("Measured on {cores} × {model}, at a load of {load}")
}
