//! The promises of the bot as experiments: the quick ones. `cargo bench --bench resilience` has the long ones.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../dice/mod.rs"]
mod dice;
#[path = "../discord/standin/mod.rs"]
mod standin;
#[path = "../store_room/mod.rs"]
mod store_room;

#[cfg(unix)]
mod bad_disk;
mod beginning;
mod clock;
mod crash;
mod damage;
#[cfg(unix)]
mod disk;
mod hands;
mod invitations;
mod layout;
mod ledger;
#[allow(dead_code, reason = "the long experiments ask more of it")]
mod load;
#[cfg(unix)]
mod modes;
mod names;
mod network;
mod parsers;
mod people;
mod plain;
mod quiet;
mod readers;
mod rights;
mod said;
mod seats;
#[cfg(unix)]
mod secrets;
mod strange;
mod sweep;
#[cfg(unix)]
mod torn;
mod turns;

#[tokio::test]
async fn nothing_is_lost_when_the_bot_is_killed_in_the_middle_of_many_games() {
    println!("{}", crash::crash(12, 6).await);
}

#[tokio::test]
async fn every_board_appears_once_whatever_happens_between_the_bot_and_discord() {
    println!("{}", network::storm(12, std::time::Duration::from_secs(8)).await);
}

#[tokio::test]
async fn a_crowd_that_does_anything_harms_nobody() {
    println!("{}", people::crowd(1_500).await);
}

#[tokio::test]
async fn every_option_takes_the_longest_and_strangest_text() {
    println!("{}", sweep::sweep().await);
}

#[tokio::test]
async fn many_who_play_at_once_are_answered_in_time() {
    let plan = load::Plan { games: 60, hands: 6, completing: true, time: std::time::Duration::from_secs(3) };
    let load = load::load(&plan, |_| {}).await;
    println!("{load}");
    assert!(load.moves > 20 && load.late == 0, "{load}");
}
