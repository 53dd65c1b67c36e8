//! The promises of the bot as experiments: the quick ones. `cargo bench --bench fire` has the long ones.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, dead_code)]

#[path = "../dice/mod.rs"]
mod dice;
#[path = "../discord/standin/mod.rs"]
mod standin;

mod crash;
mod ledger;
mod seats;

#[tokio::test]
async fn nothing_is_lost_when_the_bot_is_killed_in_the_middle_of_many_games() {
    let crashes = crash::crash(12, 5).await;
    println!("{crashes}");
    assert!(crashes.ledger.extra.len() <= crashes.kills, "{crashes}");
}
