//! Starts games between two users.

use fake_discord::FakeDiscord;
use fake_discord::client::{Person, Post};

/// Lets one user challenge another and take the attackers. Returns the challenge.
pub async fn challenge(one: &Person, other: &Person, variant: &str) -> Post {
    one.slash("challenge", &[("variant", variant), ("opponent", other.mention()), ("side", "attackers")]).await
}

/// Lets one user challenge another, who accepts. Returns the answer to that: the first board, unless the game gets a
/// thread.
pub async fn challenge_and_accept(one: &Person, other: &Person) -> Post {
    other.click(&challenge(one, other, "brandubh").await, "Accept").await
}

/// Starts a game between Ann, who has the attackers and is to move, and Bo.
pub async fn begin(discord: &FakeDiscord) -> (Person, Person) {
    let (ann, bo) = (discord.add_user("Ann"), discord.add_user("Bo"));
    begin_between(&ann, &bo).await;
    (ann, bo)
}

/// Starts a game between two users. Returns the first board.
pub async fn begin_between(one: &Person, other: &Person) -> Post {
    let board = challenge_and_accept(one, other).await;
    assert!(board.is_public(), "{}", board.text());
    board
}
