//! An evening on which Ann and Bo play and Eve looks on.

use crate::standin::Discord;
use crate::standin::bot::Bot;
use crate::standin::model::{Id, World};
use crate::standin::people::{Person, Post};

/// Below every board of a running game.
pub const BUTTONS: [&str; 4] = ["Move", "Draw", "Resign", "Rules"];

pub struct Evening {
    pub discord: Discord,
    pub bot: Bot,
    pub ann: Person,
    pub bo: Person,
    pub eve: Person,
}

impl Evening {
    pub async fn begins() -> Self {
        let discord = Discord::start().await;
        let (ann, bo, eve) = (discord.user("Ann"), discord.user("Bo"), discord.user("Eve"));
        let bot = discord.run_bot().await;
        Self { discord, bot, ann, bo, eve }
    }

    /// The channel where all sit.
    pub fn here(&self) -> Id {
        self.discord.here
    }

    /// Ann challenges Bo, and wants the attackers.
    pub async fn challenge(&self, variant: &str) -> Post {
        let options = [("variant", variant), ("opponent", self.bo.mention()), ("side", "attackers")];
        self.ann.slash("challenge", &options).await
    }

    /// Ann challenges Bo, who accepts; gives the first board.
    pub async fn game(&self, variant: &str) -> Post {
        let challenge = self.challenge(variant).await;
        self.bo.click(&challenge, "Accept").await;
        self.next(&challenge).await
    }

    /// Waits for the next public post in the same channel.
    pub async fn next(&self, former: &Post) -> Post {
        let (id, channel) = (former.id, former.channel());
        let newer = |world: &World| world.posts(channel).iter().find(|post| post.id > id).map(|post| post.id);
        let id = self.discord.wait_for("the next post", newer).await;
        Post::new(self.discord.clone(), id)
    }

    /// Whose turn it is, by whom the last post calls, and the other one.
    pub fn turn(&self, last: &Post) -> (&Person, &Person) {
        if last.calls_only(&self.ann) {
            return (&self.ann, &self.bo);
        }
        assert!(last.calls_only(&self.bo), "one player is called, and nobody else: {}", last.text());
        (&self.bo, &self.ann)
    }

    /// Plays moves by typing; every post but the last one of a game has to be as it should be.
    pub async fn moves(&self, mut last: Post, moves: &str) -> Post {
        for typed in moves.split_whitespace() {
            let (mover, other) = self.turn(&last);
            let post = mover.slash("move", &[("move", typed)]).await;
            assert!(post.is_public(), "{typed} was answered in private: {}", post.text());
            assert!(post.text().contains(typed), "the post does not tell of {typed}: {}", post.text());
            assert!(post.picture().is_some() && post.alt().is_some(), "{typed}: no picture or no description");
            last.loses_buttons().await;
            if !post.text().contains("The game") && !post.text().contains(" wins ") {
                assert!(post.calls_only(other), "{typed} does not call the next player alone: {}", post.text());
                assert_eq!(post.buttons(), BUTTONS);
                assert!(post.text().contains("<t:"), "no deadline: {}", post.text());
            }
            last = post;
        }
        last
    }

    /// Checks that the end of a game names both players and the rule under which it ended.
    #[track_caller]
    pub fn names_the_rule(&self, end: &Post, words: &str) {
        let text = end.text();
        let rule = text.lines().find_map(|line| line.strip_prefix("The rule: "));
        assert!(rule.is_some_and(|rule| rule.contains(words)), "the rule about {words:?} is not named: {text}");
        let how = text.lines().find(|line| line.contains(" wins with ") || line.contains("The game "));
        let both = [&self.ann, &self.bo].iter().all(|player| how.is_some_and(|how| how.contains(player.mention())));
        assert!(both, "both players are named: {text}");
    }

    /// Gives how many boards stand in the channel.
    pub fn boards(&self) -> usize {
        let pictures =
            |world: &World| world.posts(self.discord.here).iter().filter(|post| !post.attachments.is_empty()).count();
        self.discord.shared.look(pictures)
    }
}

/// Checks that somebody was told something in private, and that nothing else has happened meanwhile.
#[track_caller]
pub fn told_in_private(post: &Post, person: &Person, words: &str) {
    assert!(post.is_private_for(person), "this should be private: {}", post.text());
    assert!(post.text().contains(words), "{words:?} should be said: {}", post.text());
    assert!(post.calls_nobody());
}
