//! Names of players cannot change the formatting of posts.

use crate::experiments::bot_process::BotProcess;
use crate::experiments::hostile_input::SNIPPETS;
use crate::experiments::message_layout::{assert_looks_right, assert_one_line};
use crate::experiments::start_game::{challenge, challenge_and_accept};
use fake_discord::FakeDiscord;
use fake_discord::client::{Person, Post};
use fake_discord::state::{DiscordState, Message, THREAD};

/// The longest name that Discord allows.
const LONGEST_NAME: usize = 32;

/// Adds two users of the same name.
fn namesakes(discord: &FakeDiscord, name: &str) -> (Person, Person) {
    let (one, other) = (discord.add_user("One"), discord.add_user("Other"));
    one.set_name(name);
    other.set_name(name);
    (one, other)
}

/// Plays a game and uses some commands. Returns the answers.
async fn play_and_look_around(one: Person, other: Person) -> Vec<Post> {
    let challenge = challenge(&one, &other, "brandubh").await;
    let open = one.slash("challenge", &[("variant", "york")]).await;
    let board = other.click(&challenge, "Accept").await;
    let moved = one.slash("move", &[("move", "d1-c1")]).await;
    let mine = one.slash("games", &[]).await;
    let his = one.slash("games", &[("player", other.mention())]).await;
    let theirs = other.slash("challenges", &[]).await;
    let history = other.slash("history", &[]).await;
    // A withdrawn challenge.
    let closed = one.click(&open, "Withdraw").await;
    vec![challenge, open, board, moved, mine, his, theirs, history, closed]
}

#[tokio::test]
async fn strange_user_names_do_not_change_how_posts_look() {
    let discord = FakeDiscord::start().await;
    let bot = BotProcess::start(&discord).await;
    let pieces = SNIPPETS.iter().filter(|piece| !piece.is_empty());
    let names: Vec<String> = pieces.map(|piece| piece.chars().cycle().take(LONGEST_NAME).collect()).collect();
    let look = |message: &Message| {
        assert_looks_right(message);
        let choices = message.controls().filter_map(|part| part["options"].as_array().map(Vec::len)).sum::<usize>();
        (message.content.split('\n').count(), message.button_labels().len(), choices)
    };
    let mut sessions = Vec::new();
    for name in [String::from("Ann")].iter().chain(&names) {
        let (one, other) = namesakes(&discord, name);
        sessions.push((name.clone(), play_and_look_around(one, other).await));
    }
    // Until the buttons of earlier posts are gone.
    bot.wait_until_idle().await;
    let looks = |posts: &[Post]| {
        discord.state.read(|state| posts.iter().map(|post| look(&state.messages[&post.id])).collect::<Vec<_>>())
    };
    let usual = looks(&sessions[0].1);
    for (name, posts) in &sessions {
        assert_eq!(looks(posts), usual, "{name:?}");
    }
    discord.assert_mentions_are_explicit();
    println!("{} names, {} posts each, all of which look as usual", sessions.len(), usual.len());
}

#[tokio::test]
async fn strange_user_names_give_thread_names_of_one_line() {
    let discord = FakeDiscord::start().await;
    let bot = BotProcess::start(&discord).await;
    let moderator = discord.add_user("Odin");
    moderator.make_moderator();
    moderator.slash("settings", &[("threads", "on")]).await;
    for name in SNIPPETS.iter().filter(|piece| !piece.is_empty()) {
        let (one, other) = namesakes(&discord, name);
        challenge_and_accept(&one, &other).await;
    }
    let games = SNIPPETS.len() - 1;
    let threads = |state: &DiscordState| {
        let threads = state.channels.values().filter(|channel| channel.kind == THREAD);
        let names: Vec<String> = threads.map(|thread| thread.name.clone()).collect();
        (names.len() == games).then_some(names)
    };
    for name in discord.wait_until("a thread for each game", threads).await {
        assert_one_line(&name, "the name of a thread");
        assert!(name.starts_with("Brandubh #") && name.contains(" against "), "{name:?}");
    }
    bot.wait_until_idle().await;
    discord.state.read(|state| state.messages.values().for_each(assert_looks_right));
    discord.assert_mentions_are_explicit();
    println!("{games} threads of people with strange names");
}
