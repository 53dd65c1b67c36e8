//! A server with a running bot and three users: Ann and Bo play, Eve does not.

use crate::bot_process::{BotProcess, start_game, wait_until};
use fake_discord::FakeDiscord;
use fake_discord::client::{Person, Post};
use fake_discord::state::{DiscordState, Id};

/// The buttons below the newest board of a running game.
pub const BUTTONS: [&str; 4] = ["Move", "Draw", "Resign", "Rules"];

pub struct Fixture {
    pub discord: FakeDiscord,
    pub bot: BotProcess,
    pub ann: Person,
    pub bo: Person,
    pub eve: Person,
}

impl Fixture {
    pub async fn start() -> Self {
        let discord = FakeDiscord::start().await;
        let (ann, bo, eve) = (discord.add_user("Ann"), discord.add_user("Bo"), discord.add_user("Eve"));
        let bot = BotProcess::start(&discord).await;
        Self { discord, bot, ann, bo, eve }
    }

    /// Returns the channel that all users are in.
    pub fn channel(&self) -> Id {
        self.discord.channel
    }

    /// Waits until the bot has nothing left to do.
    pub async fn idle(&self) {
        self.bot.wait_until_idle().await;
    }

    /// Makes Eve a moderator, who lets each game have its own thread.
    pub async fn turn_threads_on(&self) {
        self.eve.make_moderator();
        self.eve.slash("settings", &[("threads", "on")]).await;
    }

    /// Lets Ann challenge Bo and take the attackers. Returns the challenge.
    pub async fn challenge(&self, variant: &str) -> Post {
        start_game::challenge(&self.ann, &self.bo, variant).await
    }

    /// Lets Ann challenge Bo in a channel or thread, and Bo accept there. Returns the answer to Bo.
    pub async fn start_game_in(&self, channel: Id) -> Post {
        start_game::challenge_and_accept(&self.ann.at(channel), &self.bo.at(channel)).await
    }

    /// Lets Ann challenge Bo, who accepts. Returns the first board.
    pub async fn start_game(&self, variant: &str) -> Post {
        let challenge = self.challenge(variant).await;
        self.bo.click(&challenge, "Accept").await;
        self.next_post(&challenge).await
    }

    /// Waits for the next public post in the same channel, and until the bot has recorded its delivery: before that,
    /// the bot may hold a later post back.
    pub async fn next_post(&self, previous: &Post) -> Post {
        let post = self.next_visible_post(previous).await;
        self.wait_until_recorded(&post).await;
        post
    }

    /// Waits for the next public post in the same channel, whether or not the bot has recorded its delivery.
    pub async fn next_visible_post(&self, previous: &Post) -> Post {
        let (id, channel) = (previous.id, previous.channel());
        let newer = |state: &DiscordState| state.posts(channel).iter().find(|post| post.id > id).map(|post| post.id);
        let id = self.discord.wait_until("the next post", newer).await;
        Post::new(self.discord.clone(), id)
    }

    /// Waits for the newest public post in a channel that contains some words, and until the bot has recorded its
    /// delivery.
    pub async fn post_saying(&self, channel: Id, words: &str) -> Post {
        let post = self.discord.post_saying(channel, words).await;
        self.wait_until_recorded(&post).await;
        post
    }

    /// Waits until the database says that a post is delivered.
    pub async fn wait_until_recorded(&self, post: &Post) {
        wait_until("a post to be recorded", async || {
            (!self.bot.open_database().is_delivered(post.id)).then(|| format!("{}\n{}", post.text(), self.bot.output()))
        })
        .await;
    }

    /// Returns the player that the last post pings, whose turn it is, and the opponent.
    pub fn turn(&self, last: &Post) -> (&Person, &Person) {
        if last.pings_only(&self.ann) {
            return (&self.ann, &self.bo);
        }
        assert!(last.pings_only(&self.bo), "one player is pinged, and nobody else: {}", last.text());
        (&self.bo, &self.ann)
    }

    /// Plays moves by commands, and checks the post after each, except for the buttons below the end of the game.
    /// Returns the last post.
    pub async fn play(&self, mut last: Post, moves: &str) -> Post {
        for typed in moves.split_whitespace() {
            let (mover, other) = self.turn(&last);
            let post = mover.slash("move", &[("move", typed)]).await;
            assert!(post.is_public(), "{typed} was answered in private: {}", post.text());
            assert!(post.text().contains(typed), "the post does not tell of {typed}: {}", post.text());
            assert!(post.picture_size().is_some() && post.alt_text().is_some(), "{typed}: no picture or no alt text");
            last.wait_until_buttons_are_gone().await;
            if !post.text().contains("The game") && !post.text().contains(" wins ") {
                assert!(post.pings_only(other), "{typed} does not ping the next player alone: {}", post.text());
                assert_eq!(post.buttons(), BUTTONS);
                assert!(post.text().contains("<t:"), "no deadline: {}", post.text());
            }
            last = post;
        }
        last
    }

    /// Checks that the end of a game names both players and the rule that ended it.
    #[track_caller]
    pub fn assert_names_rule(&self, end: &Post, words: &str) {
        let text = end.text();
        let rule = text.lines().find_map(|line| line.strip_prefix("The rule: "));
        assert!(rule.is_some_and(|rule| rule.contains(words)), "the rule about {words:?} is not named: {text}");
        let how = text.lines().find(|line| line.contains(" wins with ") || line.contains("The game "));
        let both = [&self.ann, &self.bo].iter().all(|player| how.is_some_and(|how| how.contains(player.mention())));
        assert!(both, "both players are named: {text}");
    }

    /// Waits for the board after Ann's first move, d1-c1. Checks that it is posted once, and that the game goes on.
    pub async fn assert_first_move_posted_once(&self, first_board: Post) {
        let post = self.next_post(&first_board).await;
        assert!(post.text().contains("d1-c1") && post.pings_only(&self.bo), "{}", post.text());
        // The bot removes the old buttons only when it knows the id of the new post.
        first_board.wait_until_buttons_are_gone().await;
        self.idle().await;
        assert_eq!(self.board_count(), 3, "challenge, first board, one move");
        assert_eq!(post.buttons(), BUTTONS);
        self.discord.clear_failures();
        self.play(post, "d3-e3").await;
    }

    /// Deletes a channel, while the bot runs or while it is stopped, and waits until the bot has recorded that.
    pub async fn delete_channel(&mut self, channel: Id, running: bool) {
        if !running {
            self.bot.kill().await;
        }
        self.discord.delete_channel(channel);
        if !running {
            self.bot.start_again().await;
        }
        self.bot.wait_until_gone(channel, true).await;
    }

    /// Returns how many posts with a picture there are in the channel.
    pub fn board_count(&self) -> usize {
        let pictures = |state: &DiscordState| {
            state.posts(self.discord.channel).iter().filter(|post| !post.attachments.is_empty()).count()
        };
        self.discord.state.read(pictures)
    }
}

/// Chooses a move such as `d1-c1` with the buttons and menus of a board. Returns the message with the button `Play it`.
pub async fn preview_move(player: &Person, board: &Post, mv: &str) -> Post {
    let menu = player.click(board, "Move").await;
    let squares = player.choose(&menu, mv.split('-').next().unwrap_or_default()).await;
    player.choose(&squares, mv).await
}

/// Checks that an answer is private, says something, and pings nobody.
#[track_caller]
pub fn assert_private(post: &Post, person: &Person, words: &str) {
    assert!(post.is_private_for(person), "this should be private: {}", post.text());
    assert!(post.text().contains(words), "{words:?} should be said: {}", post.text());
    assert!(post.pings_nobody());
}
