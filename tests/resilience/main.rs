//! Tests of the bot's promises when things go wrong. `cargo bench --bench resilience` runs the same experiments for
//! longer.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod altered_database;
#[cfg(unix)]
mod bad_disk;
#[cfg(unix)]
mod disk_failures;
mod experiments;
#[cfg(unix)]
mod file_permissions;
mod permissions;
mod player_names;
#[cfg(unix)]
mod preload;
#[cfg(unix)]
mod secrets;
#[cfg(unix)]
mod torn_writes;
#[cfg(target_os = "linux")]
mod writer_panic;

use experiments::{crash, crowd, load, network, option_sweep};
use std::time::Duration;

#[tokio::test]
async fn nothing_is_lost_when_the_bot_is_killed_during_many_games() {
    println!("{}", crash::run(12, 6).await);
}

#[tokio::test]
async fn every_board_appears_once_however_requests_fail() {
    println!("{}", network::run(12, Duration::from_secs(8)).await);
}

#[tokio::test]
async fn random_interactions_of_a_crowd_do_not_affect_other_players() {
    println!("{}", crowd::run(1_500).await);
}

#[tokio::test]
async fn every_option_accepts_the_longest_and_strangest_text() {
    println!("{}", option_sweep::run().await);
}

#[tokio::test]
async fn every_command_is_answered_under_load() {
    let plan = load::Plan {
        games: 60,
        players: 6,
        completing: true,
        time: Duration::from_secs(3),
        least_moves: 30,
        real_deadline: false,
    };
    let load = load::run(&plan, |_| {}).await;
    println!("{load}");
    assert!(load.late == 0, "{load}");
}
