//! Long experiments: `cargo bench --bench resilience -- crash`, and so on.
//!
//! The experiments are those of `tests/resilience`. Each prints its result and stops at the first promise that is broken.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../tests/resilience/experiments/mod.rs"]
mod experiments;
mod long_game;
mod speed;
#[path = "../workloads/mod.rs"]
mod workloads;

use experiments::{clock, crash, crowd, load, network, option_sweep, parsers};
use load::Plan;
use std::time::Duration;

const USAGE: &str = "\
cargo bench --bench resilience -- EXPERIMENT [NUMBERS]

  crash [KILLS 300] [GAMES 50]         the bot is killed at random moments while games are played
  network [SECONDS 300] [GAMES 50]     calls fail, gateways are lost, interactions come twice and out of order
  people [INTERACTIONS 100000]         every option takes every strange text; a crowd does anything, also what no client
                                       would send
  load [SECONDS 60] [STORED 0] [GAMES 2000] [PLAYERS 32]
                                       PLAYERS at a time act as fast as they can in GAMES games, each as soon as the
                                       last answer has come, while STORED other games are in the database
  memory [SECONDS 600]                 the same for longer: whether memory grows
  growth [SECONDS 60] [STORED 100000]  whether a move costs more with STORED other games
  time [DEADLINES 1000]                DEADLINES at the same moment, in the store and through the bot
  parsers [CASES 1000000]              every parser gets CASES texts that are almost valid
  long-game [MOVES 300]                a move in a game of MOVES moves, and in a new one
  speed [SECONDS 30] [quick]           the table of speeds; `quick` leaves the release build out, which takes minutes";

fn main() {
    // Cargo adds `--bench`.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let number = |n: usize, usual: usize| words.get(n).map_or(usual, |word| word.parse().expect("a number"));
    let seconds = |usual: usize| Duration::from_secs(number(1, usual) as u64);
    let stored = |games: usize| {
        move |path: &std::path::Path| {
            if games > 0 {
                workloads::store::make_games(path, games as u32)
            }
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    match words.first().map(String::as_str) {
        Some("crash") => println!("{}", runtime.block_on(crash::run(number(2, 50), number(1, 300)))),
        Some("network") => println!("{}", runtime.block_on(network::run(number(2, 50), seconds(300)))),
        Some("people") => {
            println!("{}", runtime.block_on(option_sweep::run()));
            println!("{}", runtime.block_on(crowd::run(number(1, 100_000))));
        }
        Some(what @ ("load" | "memory")) => {
            let time = seconds(if what == "memory" { 600 } else { 60 });
            let plan = Plan { games: number(3, 2_000), players: number(4, 32), time, ..speed::BUSY };
            let load = runtime.block_on(load::run(&plan, stored(number(2, 0))));
            println!("{load}");
            let (early, last) = load.growth();
            assert!(load.late == 0, "answers that came too late");
            assert!(last <= early + early / 10, "memory grows");
            assert!(load.largest_log < 64 << 20, "the write-ahead log grows");
            assert!(load.games == plan.games || load.moves < plan.games, "games in which nobody moved");
        }
        Some("growth") => {
            let plan = Plan { time: seconds(60), ..speed::BUSY };
            let alone = runtime.block_on(load::run(&plan, stored(0)));
            println!("alone: {alone}");
            let many = number(2, 100_000);
            let beside = runtime.block_on(load::run(&plan, stored(many)));
            println!("beside {many} stored games: {beside}");
            let ratio = beside.cost().as_secs_f64() / alone.cost().as_secs_f64();
            println!("a move costs {ratio:.2} times as much beside {many} stored games");
            assert!(ratio < 1.2, "the cost of a move grows with the number of games");
            assert!(alone.late == 0 && beside.late == 0, "answers that came too late");
            let most = |load: &load::Load| load.most_memory();
            assert!(most(&beside) <= most(&alone) + most(&alone) / 4, "memory grows with the number of games");
        }
        Some("time") => {
            println!("{}", clock::rush(number(1, 1_000) as u64));
            println!("{}", runtime.block_on(clock::flood(number(1, 1_000))));
        }
        Some("parsers") => parsers::read_all(number(1, 1_000_000)),
        Some("long-game") => {
            let compared = long_game::compare(number(1, 300));
            println!("{compared}");
            assert!(compared.long < compared.new * 1.1, "a long game is slower to move in");
        }
        Some("speed") => {
            let quick = words.iter().any(|word| word == "quick");
            speed::table(&runtime, seconds(30), !quick);
        }
        _ => println!("{USAGE}"),
    }
}
