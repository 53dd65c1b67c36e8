//! The promises of the bot as experiments that take long: `cargo bench --bench fire -- crash`, and so on.
//!
//! The quick ones are in `tests/fire`, which this shares; each prints a figure and stops at the first promise that is
//! broken.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, dead_code)]

#[path = "../../tests/fire/clock.rs"]
mod clock;
#[path = "../../tests/fire/crash.rs"]
mod crash;
#[path = "../../tests/dice/mod.rs"]
mod dice;
#[path = "../../tests/fire/ledger.rs"]
mod ledger;
#[path = "../../tests/fire/load.rs"]
mod load;
#[path = "../../tests/fire/network.rs"]
mod network;
#[path = "../../tests/fire/parsers.rs"]
mod parsers;
#[path = "../../tests/fire/people.rs"]
mod people;
#[path = "../../tests/fire/seats.rs"]
mod seats;
#[path = "../../tests/discord/standin/mod.rs"]
mod standin;
#[path = "../../tests/store_room/mod.rs"]
mod store_room;
#[path = "../workloads/store.rs"]
mod store_work;
#[path = "../../tests/fire/strange.rs"]
mod strange;

mod long_game;
#[path = "../workloads/render.rs"]
mod picture_work;
#[path = "../workloads/rules.rs"]
mod rules_work;
mod speed;

use std::time::Duration;

const USAGE: &str = "\
cargo bench --bench fire -- EXPERIMENT [NUMBERS]

  crash [KILLS 300] [GAMES 50]         the bot is killed at random moments while games are played
  network [SECONDS 300] [GAMES 50]     calls fail, gateways are lost, interactions come twice and out of order
  people [INTERACTIONS 100000]         a crowd does anything, also what no client would send
  load [SECONDS 60] [STORED 0] [GAMES 2000] [HANDS 32]
                                       players act as fast as they can, beside so many stored games
  time [DEADLINES 1000]                so many deadlines at the same moment
  parsers [CASES 1000000]              everything that reads gets so many texts that are nearly right
  long-game [MOVES 300]                a move in a game of so many moves, and in a new one
  speed [SECONDS 30] [build]           the table of speeds; with `build` also how long a release build takes";

fn main() {
    // Cargo adds a word of its own.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let number = |n: usize, usual: usize| words.get(n).map_or(usual, |word| word.parse().expect("a number"));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    match words.first().map(String::as_str) {
        Some("crash") => {
            let crashes = runtime.block_on(crash::crash(number(2, 50), number(1, 300)));
            println!("{crashes}");
            assert!(crashes.ledger.extra.len() <= crashes.kills && crashes.most_extra <= 1, "too many posts");
        }
        Some("network") => {
            let weather = runtime.block_on(network::storm(number(2, 50), Duration::from_secs(number(1, 300) as u64)));
            println!("{weather}");
            assert!(weather.ledger.extra.is_empty(), "posts that nobody needed");
        }
        Some("people") => println!("{}", runtime.block_on(people::crowd(number(1, 100_000)))),
        Some("load") => {
            let time = Duration::from_secs(number(1, 60) as u64);
            let stored = number(2, 0) as u32;
            let plan = load::Plan { games: number(3, 2_000), hands: number(4, 32), time };
            let prepare = |path: &std::path::Path| {
                if stored > 0 {
                    store_work::make_games(path, stored)
                }
            };
            println!("{}", runtime.block_on(load::load(&plan, prepare)));
        }
        Some("time") => println!("{}", clock::rush(number(1, 1_000) as u64)),
        Some("parsers") => parsers::read_all(number(1, 1_000_000)),
        Some("long-game") => println!("{}", long_game::compare(number(1, 300))),
        Some("speed") => {
            let build = words.iter().any(|word| word == "build");
            speed::table(&runtime, Duration::from_secs(number(1, 30) as u64), build);
        }
        _ => println!("{USAGE}"),
    }
}
