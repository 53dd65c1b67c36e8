//! Two people begin a game: what many experiments have to do first.

use crate::standin::Discord;
use crate::standin::people::{Person, Post};

/// Has Ann challenge Bo, and Bo accept; Ann has the attackers and is to move.
pub async fn begin(discord: &Discord) -> (Person, Person) {
    let (ann, bo) = (discord.user("Ann"), discord.user("Bo"));
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
