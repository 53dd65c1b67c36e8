//! Two people begin a game: what many experiments have to do first.

use crate::standin::Discord;
use crate::standin::people::Person;

/// Has Ann challenge Bo, and Bo accept; Ann has the attackers and is to move.
pub async fn begin(discord: &Discord) -> (Person, Person) {
    begin_between(discord.user("Ann"), discord.user("Bo")).await
}

/// Has one challenge the other where he is, and the other accept.
pub async fn begin_between(one: Person, other: Person) -> (Person, Person) {
    let options = [("variant", "brandubh"), ("opponent", other.mention()), ("side", "attackers")];
    let challenge = one.slash("challenge", &options).await;
    let board = other.click(&challenge, "Accept").await;
    assert!(board.is_public(), "{}", board.text());
    (one, other)
}
