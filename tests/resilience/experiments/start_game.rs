//! Starts games between two users.

use fake_discord::FakeDiscord;
use fake_discord::client::{Person, Post};

/// Ann challenges Bo, who accepts. Ann has the attackers and is to move.
pub async fn begin(discord: &FakeDiscord) -> (Person, Person) {
    let (ann, bo) = (discord.add_user("Ann"), discord.add_user("Bo"));
    begin_between(&ann, &bo).await;
    (ann, bo)
}

/// Lets one user challenge another, who accepts. Returns the first board.
pub async fn begin_between(one: &Person, other: &Person) -> Post {
    let options = [("variant", "brandubh"), ("opponent", other.mention()), ("side", "attackers")];
    let challenge = one.slash("challenge", &options).await;
    let board = other.click(&challenge, "Accept").await;
    assert!(board.is_public(), "{}", board.text());
    board
}
