//! Settings of servers and players, moderation, and /forget-me.

use crate::bot_process::{log, start_game, wait_until};
use crate::fixture::{BUTTONS, Fixture, assert_private};
use fake_discord::client::{ClientError, Post};
use fake_discord::rest::Failure;
use fake_discord::state::{DiscordState, FORUM, Id, NEWS, PRIVATE_THREAD, THREAD, VOICE, permissions};
use std::time::Duration;

#[tokio::test]
async fn each_game_has_its_own_thread_where_the_server_wants_it() {
    let e = Fixture::start().await;
    assert!(matches!(e.ann.try_slash("settings", &[]).await, Err(ClientError::NotPossible(_))), "not for everybody");
    e.eve.make_moderator();
    assert_private(&e.eve.slash("settings", &[("threads", "on"), ("pace", "7")]).await, &e.eve, "own thread");
    let logged = e.bot.log_line(log::SETTINGS_CHANGED).await;
    for part in
        [&format!("server={}", e.discord.server), &format!("player={}", e.eve.id), "threads=true", "pace_days=\"7\""]
    {
        assert!(logged.contains(part), "{part}: {logged}");
    }
    let challenge = e.challenge("brandubh").await;
    assert!(challenge.text().contains("7 days a move"), "{}", challenge.text());
    let accepted = e.bo.click(&challenge, "Accept").await;
    let board = |state: &DiscordState| {
        let thread = state.channels.values().find(|channel| channel.kind == THREAD)?;
        let board = state.posts(thread.id).into_iter().find(|post| !post.attachments.is_empty())?;
        Some((thread.id, thread.name.clone(), board.id))
    };
    let (thread, name, board) = e.discord.wait_until("the first board in a thread", board).await;
    for part in ["Ann", "Bo", "Brandubh"] {
        assert!(name.contains(part), "the thread is called {name:?}");
    }
    let board = Post::new(e.discord.clone(), board);
    assert!(board.pings_only(&e.ann) && board.buttons() == BUTTONS);
    challenge.wait_until_buttons_are_gone().await;
    // Ann is pinged in the thread; Bo gets a link and is added to it.
    let led =
        |state: &DiscordState| state.messages[&accepted.id].content.contains(&format!("<#{thread}>")).then_some(());
    e.discord.wait_until("a link to the thread", led).await;
    assert_private(&accepted, &e.bo, "thread of its own");
    let path = format!("/channels/{thread}/thread-members/{}", e.bo.id);
    let brought = |state: &DiscordState| {
        state.requests.iter().any(|request| request.method == "PUT" && request.path == path).then_some(())
    };
    e.discord.wait_until("the other to be brought into the thread", brought).await;
    let post = e.ann.at(thread).slash("move", &[("move", "d1-c1")]).await;
    assert!(post.is_public() && post.channel() == thread && post.pings_only(&e.bo), "{}", post.text());
    e.idle().await;
    assert_eq!(e.board_count(), 1, "only the challenge is in the channel");
    let question = e.ann.at(thread).slash("resign", &[]).await;
    e.ann.at(thread).click(&question, "Resign").await;
    e.idle().await;
    e.ann.at(thread).slash("rematch", &[]).await;
    e.idle().await;
    let accepted = e.bo.at(thread).slash("rematch", &[]).await;
    let other = move |state: &DiscordState| {
        let mut threads = state.channels.values().filter(|channel| channel.kind == THREAD && channel.id != thread);
        let other = threads.next().filter(|other| !state.posts(other.id).is_empty())?;
        state.messages[&accepted.id].content.contains(&format!("<#{}>", other.id)).then(|| other.name.clone())
    };
    let name = e.discord.wait_until("the rematch in a thread of its own, and a link to it", other).await;
    assert!(name.contains("#2"), "the thread is called {name:?}");
}

#[tokio::test]
async fn a_player_gets_the_link_to_a_new_thread_although_its_first_board_is_slow() {
    let e = Fixture::start().await;
    e.turn_threads_on().await;
    let challenge = e.challenge("brandubh").await;
    e.discord.fail_next("POST /channels/*/messages", 1, Failure::Hold);
    let accepted = e.bo.click(&challenge, "Accept").await;
    let link = |state: &DiscordState| state.messages[&accepted.id].content.contains("<#").then_some(());
    e.discord.wait_until("a link to the thread", link).await;
    e.discord.clear_failures();
}

#[tokio::test]
async fn a_game_has_one_thread_although_the_receipt_was_lost() {
    let e = Fixture::start().await;
    e.turn_threads_on().await;
    let challenge = e.challenge("brandubh").await;
    e.discord.fail_next("POST /channels/*/threads", 1, Failure::CloseAfterEffect);
    e.bo.click(&challenge, "Accept").await;
    let in_thread = |state: &DiscordState| {
        let thread = state.channels.values().find(|channel| channel.kind == THREAD)?;
        state.posts(thread.id).first().map(|post| post.id)
    };
    let board = Post::new(e.discord.clone(), e.discord.wait_until("the first board in a thread", in_thread).await);
    assert!(board.pings_only(&e.ann), "{}", board.text());
    let threads = |state: &DiscordState| state.channels.values().filter(|channel| channel.kind == THREAD).count();
    assert_eq!(e.discord.state.read(threads), 1);
}

/// Plays a rematch in a thread where no other thread can be created: it stays there, and the player who accepted is
/// told.
async fn assert_rematch_stays(kind: u8, parent: Option<u8>) {
    let e = Fixture::start().await;
    let (hall, thread) = (e.discord.create_channel("hall"), e.discord.create_thread("Ann and Bo"));
    e.discord.state.update(|state| {
        state.channels.get_mut(&hall).unwrap().kind = parent.unwrap_or_default();
        state.channels.get_mut(&thread).unwrap().parent = Some(hall);
        state.channels.get_mut(&thread).unwrap().kind = kind;
    });
    e.turn_threads_on().await;
    let (ann, bo) = (e.ann.at(thread), e.bo.at(thread));
    e.start_game_in(thread).await;
    e.idle().await;
    let question = ann.slash("resign", &[]).await;
    ann.click(&question, "Resign").await;
    e.idle().await;
    ann.slash("rematch", &[]).await;
    e.idle().await;
    let before = e.discord.posts_saying(thread, "").len();
    let accepted = bo.slash("rematch", &[]).await;
    let corrected =
        |state: &DiscordState| state.messages[&accepted.id].content.contains(&format!("<#{thread}>")).then_some(());
    e.discord.wait_until("a word that it stays where it is", corrected).await;
    assert_private(&accepted, &e.bo, "could not open one here");
    let board =
        e.discord.posts_saying(thread, "")[before..].iter().find(|post| post.picture_size().is_some()).unwrap().id;
    let board = Post::new(e.discord.clone(), board);
    assert!(board.pings_only(&e.bo) && board.buttons() == BUTTONS, "{}", board.text());
    let post = bo.slash("move", &[("move", "d1-c1")]).await;
    assert!(post.is_public() && post.channel() == thread && post.pings_only(&e.ann), "{}", post.text());
    board.wait_until_buttons_are_gone().await;
    assert!(e.discord.requests_to("POST /channels/*/threads").is_empty());
}

#[tokio::test]
async fn a_rematch_in_a_post_of_a_forum_stays_there() {
    assert_rematch_stays(THREAD, Some(FORUM)).await;
}

#[tokio::test]
async fn a_rematch_in_a_private_thread_stays_private() {
    assert_rematch_stays(PRIVATE_THREAD, None).await;
}

/// Starts a game in a channel of some type, with threads on. Returns the answer to Bo, and the channel.
async fn begin_in(e: &Fixture, kind: u8) -> (Post, Id) {
    let channel = e.discord.create_channel("a channel");
    e.discord.state.update(|state| state.channels.get_mut(&channel).unwrap().kind = kind);
    e.turn_threads_on().await;
    (e.start_game_in(channel).await, channel)
}

#[tokio::test]
async fn a_game_in_an_announcement_channel_has_an_announcement_thread() {
    let e = Fixture::start().await;
    let (told, channel) = begin_in(&e, NEWS).await;
    let board = |state: &DiscordState| {
        let thread = state.channels.values().find(|thread| thread.kind == THREAD && thread.parent == Some(channel))?;
        state.posts(thread.id).first().map(|post| post.id)
    };
    let board = Post::new(e.discord.clone(), e.discord.wait_until("the first board in a thread", board).await);
    assert!(board.pings_only(&e.ann), "{}", board.text());
    assert_private(&told, &e.bo, "thread of its own");
}

#[tokio::test]
async fn in_a_channel_without_threads_the_game_starts_in_the_channel() {
    let e = Fixture::start().await;
    let (told, channel) = begin_in(&e, VOICE).await;
    let board = e.post_saying(channel, "to move").await;
    assert!(board.pings_only(&e.ann) && board.picture_size().is_some(), "{}", board.text());
    let corrected =
        |state: &DiscordState| state.messages[&told.id].content.contains("could not open one here").then_some(());
    e.discord.wait_until("a word that there is no thread", corrected).await;
    assert!(told.text().contains(&format!("<#{channel}>")), "{}", told.text());
}

#[tokio::test]
async fn a_game_gets_one_thread_while_other_posts_are_slow() {
    let mut e = Fixture::start().await;
    let mut channels = Vec::new();
    for n in 0..4 {
        let channel = e.discord.create_channel(&format!("c{n}"));
        let (one, other) = (e.discord.add_user(&format!("Cat{n}")), e.discord.add_user(&format!("Dan{n}")));
        let (one, other) = (one.at(channel), other.at(channel));
        start_game::challenge_and_accept(&one, &other).await;
        one.slash("move", &[("move", "d1-c1")]).await;
        channels.push(channel);
    }
    e.start_game("brandubh").await;
    e.turn_threads_on().await;
    e.idle().await;
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.output());
    // As if the last boards had not been posted.
    e.bot.open_database().forget_last_deliveries();
    e.discord.state.update(|state| state.messages.values_mut().for_each(|message| message.deleted = true));
    // Three posts are held and the thread is slow, so that the bot posts nothing else meanwhile. One more is retried
    // when the thread has its board, from a list of due messages that still has that board, too. The delay lets the bot
    // read the list before; if it does not, the test is weaker, but does not fail.
    let posts = |channel: &Id| format!("POST /channels/{channel}/messages");
    e.discord.fail_next(&posts(&channels[0]), 1, Failure::Status(502));
    for channel in &channels[1..] {
        e.discord.fail_next(&posts(channel), 1, Failure::Hold);
    }
    e.discord.fail_next("POST /channels/*/threads", 1, Failure::Delay(Duration::from_secs(5)));
    e.bot.start_again().await;
    let board = |state: &DiscordState| {
        let thread = state.channels.values().find(|channel| channel.kind == THREAD)?;
        state.posts(thread.id).first().map(|post| post.id)
    };
    let board = Post::new(e.discord.clone(), e.discord.wait_until("the first board in the thread", board).await);
    e.post_saying(channels[0], "d1-c1").await;
    e.discord.clear_failures();
    e.idle().await;
    let threads = |state: &DiscordState| state.channels.values().filter(|channel| channel.kind == THREAD).count();
    assert_eq!(e.discord.state.read(threads), 1);
    let offer = e.ann.click(&board, "Draw").await;
    assert!(offer.is_public() && offer.pings_only(&e.bo), "its buttons are not old ones: {}", offer.text());
}

#[tokio::test]
async fn a_player_who_moves_while_the_thread_is_locked_is_told() {
    let e = Fixture::start().await;
    e.turn_threads_on().await;
    let challenge = e.challenge("brandubh").await;
    e.bo.click(&challenge, "Accept").await;
    let thread = |state: &DiscordState| {
        let thread = state.channels.values().find(|channel| channel.kind == THREAD)?;
        (!state.posts(thread.id).is_empty()).then_some(thread.id)
    };
    let thread = e.discord.wait_until("the first board in a thread", thread).await;
    e.idle().await;
    let lock = |locked| e.discord.state.update(|state| state.channels.get_mut(&thread).unwrap().locked = locked);
    lock(true);
    let answer = e.ann.slash("move", &[("move", "d1-c1")]).await;
    let told = |state: &DiscordState| state.messages[&answer.id].content.contains("is locked").then_some(());
    e.discord.wait_until("a word about the lock", told).await;
    assert!(answer.text().contains(&format!("<#{thread}>")) && answer.is_private_for(&e.ann), "{}", answer.text());
    lock(false);
    e.post_saying(thread, "d1-c1").await;
}

#[tokio::test]
async fn without_threads_a_game_stays_in_the_channel() {
    let e = Fixture::start().await;
    e.turn_threads_on().await;
    e.discord.deny_bot(e.channel(), permissions::MAKE_THREADS);
    let board = e.start_game("brandubh").await;
    assert!(board.pings_only(&e.ann) && board.picture_size().is_some(), "{}", board.text());
    e.play(board, "d1-c1").await;
}

#[tokio::test]
async fn nicknames_are_not_shown_in_thread_names() {
    let e = Fixture::start().await;
    e.discord.state.update(|state| {
        let members = &mut state.guilds.get_mut(&e.discord.server).unwrap().members;
        members.get_mut(&e.ann.id).unwrap().nick = Some(String::from("Nidhogg"));
        members.get_mut(&e.bo.id).unwrap().nick = Some(String::from("Vedrfolnir"));
    });
    e.turn_threads_on().await;
    let challenge = e.challenge("brandubh").await;
    e.bo.click(&challenge, "Accept").await;
    let name = |state: &DiscordState| {
        state.channels.values().find(|channel| channel.kind == THREAD).map(|thread| thread.name.clone())
    };
    let name = e.discord.wait_until("a thread", name).await;
    assert!(name.contains("Ann against Bo"), "the thread is called {name:?}");
}

#[tokio::test]
async fn all_games_of_a_deleted_channel_are_relocated_to_where_a_player_uses_a_command() {
    let e = Fixture::start().await;
    let (old, new) = (e.discord.create_channel("old"), e.discord.create_channel("new"));
    for variant in ["brandubh", "york"] {
        let challenge = start_game::challenge(&e.ann.at(old), &e.bo, variant).await;
        e.bo.at(old).click(&challenge, "Accept").await;
    }
    e.idle().await;
    e.discord.delete_channel(old);
    e.bot.wait_until_gone(old, true).await;
    assert_private(&e.bo.at(new).slash("help", &[]).await, &e.bo, "challenge");
    for variant in ["Brandubh #1", "York #2"] {
        let board = e.post_saying(new, variant).await;
        assert!(board.text().contains("goes on here") && board.pings_only(&e.ann), "{}", board.text());
        assert!(board.text().contains(e.bo.mention()) && board.picture_size().is_some() && board.buttons() == BUTTONS);
    }
    let board = e.post_saying(new, "Brandubh #1").await;
    let offer = e.ann.at(new).click(&board, "Draw").await;
    assert!(offer.is_public() && offer.pings_only(&e.bo), "{}", offer.text());
    e.idle().await;
    let posts = e.discord.state.read(|state| state.posts(new).len());
    assert_eq!(posts, 3, "each game was posted once, and the offer");
}

#[tokio::test]
async fn a_moderator_ends_a_game_with_a_reason() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    e.eve.make_moderator();
    let answer = e.eve.slash("end-game", &[("game", "1"), ("reason", "quarrel @everyone **x**")]).await;
    assert_private(&answer, &e.eve, "without a result");
    let end = e.next_post(&board).await;
    assert!(end.alt_text().is_some_and(|alt| alt.contains("without a result")), "{:?}", end.alt_text());
    assert!(end.text().contains("moderator") && end.text().contains("quarrel"), "{}", end.text());
    e.assert_names_rule(&end, "manages the server");
    let (called, many) = e.discord.state.read(|state| {
        let end = &state.messages[&end.id];
        (end.pings.clone(), end.pings_group)
    });
    assert_eq!(called, [e.ann.id, e.bo.id].into(), "both players are told");
    assert!(!many, "a reason pings nobody");
    assert_private(&e.ann.slash("move", &[("move", "d1-c1"), ("game", "1")]).await, &e.ann, "over");
}

#[tokio::test]
async fn doctor_lists_missing_permissions() {
    let e = Fixture::start().await;
    assert_private(&e.ann.slash("doctor", &[]).await, &e.ann, "Everything is fine");
    e.discord.deny_bot(e.channel(), permissions::ATTACH | permissions::SEND | permissions::READ_HISTORY);
    let answer = e.ann.slash("doctor", &[]).await;
    assert_private(&answer, &e.ann, "Read Message History: **missing**");
    assert_private(&answer, &e.ann, "Attach Files: **missing**");
    assert_private(&answer, &e.ann, "Send Messages: **missing**");
    assert_private(&answer, &e.ann, "View Channel: yes");
}

#[tokio::test]
async fn preferences_apply_to_private_answers() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    assert_private(&e.ann.slash("preferences", &[("board", "text")]).await, &e.ann, "as text");
    let mine = e.ann.slash("board", &[]).await;
    assert!(mine.files().is_empty() && mine.text().contains("```"), "{}", mine.text());
    let his = e.bo.slash("board", &[]).await;
    assert!(his.picture_size().is_some());
    let described = his.alt_text().unwrap();
    assert!(mine.text().contains(&described), "her text says what he sees: {}", mine.text());
    assert!(!his.text().contains(&described), "{}", his.text());
    let menu = e.ann.click(&board, "Move").await;
    assert!(menu.text().contains("Rank 7:") && menu.text().contains("Marked: "), "{}", menu.text());
    e.play(board, "d1-c1").await;
}

#[tokio::test]
async fn a_player_can_be_reminded_by_direct_message() {
    let mut e = Fixture::start().await;
    e.ann.slash("preferences", &[("reminders", "direct")]).await;
    e.start_game("brandubh").await;
    e.idle().await;
    e.bot.pass_hours(70).await;
    let letter = e.post_saying(e.ann.in_dm().channel, "your time is up").await;
    assert!(letter.buttons().is_empty(), "nothing there gets old");
    assert!(letter.text().contains(&format!("<#{}>", e.channel())), "it leads to the game: {}", letter.text());
    e.idle().await;
    assert!(e.discord.posts_saying(e.channel(), "your time is up").is_empty(), "not in the channel");
    let answer = e.ann.in_dm().slash("move", &[("move", "d1-c1")]).await;
    assert!(answer.text().contains("d1-c1"), "{}", answer.text());
}

/// Checks that Ann is reminded in the channel, now and in future, because her direct messages are closed.
async fn assert_reminded_in_channel(e: &Fixture) {
    let reminder = e.post_saying(e.channel(), "your time is up").await;
    assert!(reminder.pings_only(&e.ann) && reminder.text().contains("closed"), "{}", reminder.text());
    wait_until("closed direct messages to be recorded", async || {
        let reminders = e.bot.open_database().reminders_of(e.ann.id);
        (reminders.as_deref() == Some("direct")).then(|| e.bot.output())
    })
    .await;
    assert_private(&e.ann.slash("preferences", &[]).await, &e.ann, "in the game's channel");
}

#[tokio::test]
async fn a_reminder_goes_to_the_channel_where_direct_messages_are_closed() {
    let mut e = Fixture::start().await;
    e.ann.slash("preferences", &[("reminders", "direct")]).await;
    e.ann.close_dms();
    e.start_game("brandubh").await;
    e.idle().await;
    e.bot.pass_hours(70).await;
    assert_reminded_in_channel(&e).await;
    let logged = e.bot.log_line(log::DIRECT_MESSAGES_CLOSED).await;
    assert!(logged.contains("game=1") && logged.contains(&format!("player={}", e.ann.id)), "{logged}");
}

#[tokio::test]
async fn closed_direct_messages_are_mentioned_once_the_bot_may_post() {
    let mut e = Fixture::start().await;
    e.ann.slash("preferences", &[("reminders", "direct")]).await;
    e.ann.close_dms();
    e.start_game("brandubh").await;
    e.idle().await;
    e.discord.deny_bot(e.channel(), permissions::SEND);
    e.bot.pass_hours(70).await;
    let has_failed = |state: &DiscordState| {
        let path = format!("/channels/{}/messages", e.discord.channel);
        (state.requests.iter().filter(|request| request.path == path && request.status == 403).count() == 2)
            .then_some(())
    };
    e.discord.wait_until("a post to fail, with and without the picture", has_failed).await;
    e.discord.allow_bot(e.channel());
    assert_reminded_in_channel(&e).await;
}

#[tokio::test]
async fn a_refused_direct_message_does_not_count_as_closed_direct_messages() {
    let mut e = Fixture::start().await;
    e.ann.slash("preferences", &[("reminders", "direct")]).await;
    e.start_game("brandubh").await;
    e.idle().await;
    // Too many direct message channels, and a picture that is too large.
    e.discord.fail_next("POST /users/@me/channels", 1, Failure::Status(400));
    e.discord.fail_next("POST /channels/*/messages", 1, Failure::Status(413));
    e.bot.pass_hours(70).await;
    let letter = e.post_saying(e.ann.in_dm().channel, "your time is up").await;
    assert!(letter.files().is_empty() && letter.text().contains("```"), "{}", letter.text());
    e.idle().await;
    assert!(e.discord.posts_saying(e.channel(), "your time is up").is_empty(), "not in the channel");
    assert_private(&e.ann.slash("preferences", &[]).await, &e.ann, "by direct message");
}

#[tokio::test]
async fn forget_me_keeps_the_game_for_the_opponent() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    let board = e.play(board, "d1-c1 d3-e3").await;
    let other = e.start_game("york").await;
    assert_private(&e.ann.slash("privacy", &[]).await, &e.ann, "/forget-me");
    let question = e.ann.slash("forget-me", &[]).await;
    assert_private(&question, &e.ann, "really");
    assert_eq!(question.files().len(), 1, "everything is handed out first");
    // The answer is private, so the bot posts the ends of the games at once.
    e.bot.open_database().make_new_messages_young();
    e.ann.click(&question, "Forget me").await;
    let logged = e.bot.log_line(log::FORGOTTEN).await;
    assert!(logged.contains(" resigned=2 not_resigned=0") && !logged.contains(&e.ann.id.to_string()), "{logged}");
    let won = format!("{} wins", e.bo.mention());
    let both = |state: &DiscordState| {
        let posts = state.posts(e.channel());
        (posts.iter().filter(|post| post.content.contains(&won)).count() == 2).then_some(())
    };
    e.discord.wait_until("the ends of both games", both).await;
    e.idle().await;
    assert!(e.discord.posts_saying(e.channel(), &won).iter().all(|end| end.pings_only(&e.bo)));
    board.wait_until_buttons_are_gone().await;
    other.wait_until_buttons_are_gone().await;
    e.idle().await;
    let history = e.bo.slash("history", &[("game", "1")]).await;
    assert_private(&history, &e.bo, "a former player");
    assert!(!history.text().contains(e.ann.mention()));
    assert_private(&e.ann.slash("games", &[]).await, &e.ann, "no running game");
}

#[tokio::test]
async fn a_direct_message_names_and_offers_only_what_works_there() {
    let e = Fixture::start().await;
    let direct = e.ann.in_dm();
    let offered_here: Vec<String> = e.discord.state.read(|state| {
        let elsewhere = |command: &&serde_json::Value| command["contexts"] == serde_json::json!([0]);
        state
            .commands
            .iter()
            .filter(elsewhere)
            .map(|command| format!("`/{}", command["name"].as_str().unwrap()))
            .collect()
    });
    assert!(offered_here.contains(&String::from("`/challenge")));
    for command in ["help", "challenges", "games", "board"] {
        let answer = direct.slash(command, &[]).await.text();
        let named: Vec<&String> = offered_here
            .iter()
            .filter(|name| {
                let ends = [format!("{name}`"), format!("{name} ")];
                ends.iter().any(|end| answer.contains(end))
            })
            .collect();
        assert!(named.is_empty(), "/{command} names {named:?}: {answer}");
    }
    assert!(e.ann.slash("help", &[]).await.text().contains("`/challenge"));
    e.start_game("brandubh").await;
    for command in ["board", "history"] {
        let shown = direct.slash(command, &[]).await;
        assert!(shown.picture_size().is_some() && !shown.buttons().contains(&String::from("Show to everybody")));
        assert!(e.ann.slash(command, &[]).await.buttons().contains(&String::from("Show to everybody")));
    }
}
