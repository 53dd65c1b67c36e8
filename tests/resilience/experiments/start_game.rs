//! Two people begin a game: what many experiments have to do first.

use fake_discord::FakeDiscord;
use fake_discord::client::{Person, Post};

/// Has Ann challenge Bo, and Bo accept; Ann has the attackers and is to move.
pub async fn begin(discord: &FakeDiscord) -> (Person, Person) {
    let (ann, bo) = (discord.add_user("Ann"), discord.add_user("Bo"));
    begin_between(&ann, &bo).await;
    (ann, bo)
}

/// Has one challenge the other where he is, and the other accept; gives the first board.
pub async fn begin_between(one: &Person, other: &Person) -> Post {
    let options = [("variant", "brandubh"), ("opponent", other.mention()), ("side", "attackers")];
    let challenge = one.slash("challenge", &options).await;
    let board = other.click(&challenge, "Accept").await;
    assert!(board.is_public(), "{}", board.text());
    board
}
