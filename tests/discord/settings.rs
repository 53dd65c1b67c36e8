//! What servers and players can set, what moderators can do, and how one is forgotten.

use crate::evening::{BUTTONS, Evening, told_in_private};
use crate::standin::model::{FORUM, Id, NEWS, PRIVATE_THREAD, THREAD, VOICE, World, may};
use crate::standin::people::{Failure, Post};
use crate::standin::rest::Trouble;
use std::time::{Duration, Instant};

#[tokio::test]
async fn each_game_has_its_own_thread_where_the_server_wants_it() {
    let e = Evening::begins().await;
    assert!(matches!(e.ann.try_slash("settings", &[]).await, Err(Failure::Impossible(_))), "not for everybody");
    e.eve.moderate();
    told_in_private(&e.eve.slash("settings", &[("threads", "on"), ("pace", "7")]).await, &e.eve, "own thread");
    let challenge = e.challenge("brandubh").await;
    assert!(challenge.text().contains("7 days a move"), "{}", challenge.text());
    let accepted = e.bo.click(&challenge, "Accept").await;
    let board = |world: &World| {
        let thread = world.channels.values().find(|channel| channel.kind == THREAD)?;
        let board = world.posts(thread.id).into_iter().find(|post| !post.attachments.is_empty())?;
        Some((thread.id, thread.name.clone(), board.id))
    };
    let (thread, name, board) = e.discord.wait_for("the first board in a thread", board).await;
    for part in ["Ann", "Bo", "Brandubh"] {
        assert!(name.contains(part), "the thread is called {name:?}");
    }
    let board = Post::new(e.discord.clone(), board);
    assert!(board.calls_only(&e.ann) && board.buttons() == BUTTONS);
    challenge.loses_buttons().await;
    // The one is called there, the other is led and brought there.
    let led = |world: &World| world.messages[&accepted.id].content.contains(&format!("<#{thread}>")).then_some(());
    e.discord.wait_for("a link to the thread", led).await;
    told_in_private(&accepted, &e.bo, "thread of its own");
    let path = format!("/channels/{thread}/thread-members/{}", e.bo.id);
    let brought =
        |world: &World| world.asked.iter().any(|asked| asked.method == "PUT" && asked.path == path).then_some(());
    e.discord.wait_for("the other to be brought into the thread", brought).await;
    let post = e.ann.at(thread).slash("move", &[("move", "d1-c1")]).await;
    assert!(post.is_public() && post.channel() == thread && post.calls_only(&e.bo), "{}", post.text());
    e.discord.settle().await;
    assert_eq!(e.boards(), 1, "only the challenge stands in the channel");
    let question = e.ann.at(thread).slash("resign", &[]).await;
    e.ann.at(thread).click(&question, "Resign").await;
    e.ann.at(thread).slash("rematch", &[]).await;
    let accepted = e.bo.at(thread).slash("rematch", &[]).await;
    let other = move |world: &World| {
        let mut threads = world.channels.values().filter(|channel| channel.kind == THREAD && channel.id != thread);
        let other = threads.next().filter(|other| !world.posts(other.id).is_empty())?;
        world.messages[&accepted.id].content.contains(&format!("<#{}>", other.id)).then(|| other.name.clone())
    };
    let name = e.discord.wait_for("the rematch in a thread of its own, and a link to it", other).await;
    assert!(name.contains("#2"), "the thread is called {name:?}");
}

#[tokio::test]
async fn a_game_has_one_thread_although_nobody_heard_that_it_was_made() {
    let e = Evening::begins().await;
    e.eve.moderate();
    e.eve.slash("settings", &[("threads", "on")]).await;
    let challenge = e.challenge("brandubh").await;
    e.discord.trouble("POST /channels/*/threads", 1, Trouble::CutAfterDoing);
    e.bo.click(&challenge, "Accept").await;
    let in_thread = |world: &World| {
        let thread = world.channels.values().find(|channel| channel.kind == THREAD)?;
        world.posts(thread.id).first().map(|post| post.id)
    };
    let board = Post::new(e.discord.clone(), e.discord.wait_for("the first board in a thread", in_thread).await);
    assert!(board.calls_only(&e.ann), "{}", board.text());
    let threads = |world: &World| world.channels.values().filter(|channel| channel.kind == THREAD).count();
    assert_eq!(e.discord.shared.look(threads), 1);
}

/// A rematch in a thread beside which there can be no other: it goes on there, and whoever accepted hears of it.
async fn a_rematch_stays(kind: u8, parent: Option<u8>) {
    let e = Evening::begins().await;
    let (hall, thread) = (e.discord.channel("hall"), e.discord.thread("Ann and Bo"));
    e.discord.shared.change(|world| {
        world.channels.get_mut(&hall).unwrap().kind = parent.unwrap_or_default();
        world.channels.get_mut(&thread).unwrap().parent = Some(hall);
        world.channels.get_mut(&thread).unwrap().kind = kind;
    });
    e.eve.moderate();
    e.eve.slash("settings", &[("threads", "on")]).await;
    let (ann, bo) = (e.ann.at(thread), e.bo.at(thread));
    let options = [("variant", "brandubh"), ("opponent", bo.mention()), ("side", "attackers")];
    let challenge = ann.slash("challenge", &options).await;
    bo.click(&challenge, "Accept").await;
    let question = ann.slash("resign", &[]).await;
    ann.click(&question, "Resign").await;
    ann.slash("rematch", &[]).await;
    e.discord.settle().await;
    let before = e.discord.posts_saying(thread, "").len();
    let accepted = bo.slash("rematch", &[]).await;
    let corrected =
        |world: &World| world.messages[&accepted.id].content.contains(&format!("<#{thread}>")).then_some(());
    e.discord.wait_for("a word that it stays where it is", corrected).await;
    told_in_private(&accepted, &e.bo, "could not open one here");
    let board = e.discord.posts_saying(thread, "")[before..].iter().find(|post| post.picture().is_some()).unwrap().id;
    let board = Post::new(e.discord.clone(), board);
    assert!(board.calls_only(&e.bo) && board.buttons() == BUTTONS, "{}", board.text());
    let post = bo.slash("move", &[("move", "d1-c1")]).await;
    assert!(post.is_public() && post.channel() == thread && post.calls_only(&e.ann), "{}", post.text());
    board.loses_buttons().await;
    assert!(e.discord.asked("POST /channels/*/threads").is_empty());
}

#[tokio::test]
async fn a_rematch_in_a_post_of_a_forum_stays_there() {
    a_rematch_stays(THREAD, Some(FORUM)).await;
}

#[tokio::test]
async fn a_rematch_in_a_private_thread_stays_private() {
    a_rematch_stays(PRIVATE_THREAD, None).await;
}

/// A game begins in a channel of some kind, where the server wants threads; gives what Bo was told, and the channel.
async fn begin_in(e: &Evening, kind: u8) -> (Post, Id) {
    let channel = e.discord.channel("a channel");
    e.discord.shared.change(|world| world.channels.get_mut(&channel).unwrap().kind = kind);
    e.eve.moderate();
    e.eve.slash("settings", &[("threads", "on")]).await;
    let (ann, bo) = (e.ann.at(channel), e.bo.at(channel));
    let options = [("variant", "brandubh"), ("opponent", bo.mention()), ("side", "attackers")];
    let challenge = ann.slash("challenge", &options).await;
    (bo.click(&challenge, "Accept").await, channel)
}

#[tokio::test]
async fn a_game_in_a_channel_of_announcements_has_a_thread_as_they_have_there() {
    let e = Evening::begins().await;
    let (told, channel) = begin_in(&e, NEWS).await;
    let board = |world: &World| {
        let thread = world.channels.values().find(|thread| thread.kind == THREAD && thread.parent == Some(channel))?;
        world.posts(thread.id).first().map(|post| post.id)
    };
    let board = Post::new(e.discord.clone(), e.discord.wait_for("the first board in a thread", board).await);
    assert!(board.calls_only(&e.ann), "{}", board.text());
    told_in_private(&told, &e.bo, "thread of its own");
}

#[tokio::test]
async fn where_there_are_no_threads_the_game_begins_in_the_channel_and_that_is_said() {
    let e = Evening::begins().await;
    let (told, channel) = begin_in(&e, VOICE).await;
    let board = e.discord.post_saying(channel, "to move").await;
    assert!(board.calls_only(&e.ann) && board.picture().is_some(), "{}", board.text());
    let corrected = |world: &World| world.messages[&told.id].content.contains("could not open one here").then_some(());
    e.discord.wait_for("a word that there is no thread", corrected).await;
    assert!(told.text().contains(&format!("<#{channel}>")), "{}", told.text());
}

#[tokio::test]
async fn a_game_comes_into_its_thread_once_although_others_wait_to_be_posted() {
    let mut e = Evening::begins().await;
    let mut channels = Vec::new();
    for n in 0..4 {
        let channel = e.discord.channel(&format!("c{n}"));
        let (one, other) = (e.discord.user(&format!("Cat{n}")).at(channel), e.discord.user(&format!("Dan{n}")));
        let options = [("variant", "brandubh"), ("opponent", other.mention()), ("side", "attackers")];
        let challenge = one.slash("challenge", &options).await;
        other.at(channel).click(&challenge, "Accept").await;
        one.slash("move", &[("move", "d1-c1")]).await;
        channels.push(channel);
    }
    e.game("brandubh").await;
    e.eve.moderate();
    e.eve.slash("settings", &[("threads", "on")]).await;
    e.discord.settle().await;
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.said());
    // As if nothing of the last boards had been posted.
    e.bot.alter(
        "UPDATE owed SET closed = NULL, message = NULL \
         WHERE id IN (SELECT max(id) FROM owed WHERE game IS NOT NULL GROUP BY game)",
    );
    e.discord.shared.change(|world| world.messages.values_mut().for_each(|message| message.deleted = true));
    // One is to be tried again while three others, and the thread, are on their way for long.
    let posts = |channel: &Id| format!("POST /channels/{channel}/messages");
    e.discord.trouble(&posts(&channels[0]), 1, Trouble::Fail(502));
    for channel in &channels[1..] {
        e.discord.trouble(&posts(channel), 1, Trouble::Slow(Duration::from_secs(8)));
    }
    e.discord.trouble("POST /channels/*/threads", 1, Trouble::Slow(Duration::from_secs(5)));
    e.bot.start().await;
    let board = |world: &World| {
        let thread = world.channels.values().find(|channel| channel.kind == THREAD)?;
        world.posts(thread.id).first().map(|post| post.id)
    };
    let board = Post::new(e.discord.clone(), e.discord.wait_for("the first board in the thread", board).await);
    e.discord.post_saying(channels[0], "d1-c1").await;
    e.discord.settle().await;
    let threads = |world: &World| world.channels.values().filter(|channel| channel.kind == THREAD).count();
    assert_eq!(e.discord.shared.look(threads), 1);
    let offer = e.ann.click(&board, "Draw").await;
    assert!(offer.is_public() && offer.calls_only(&e.bo), "its buttons are not old ones: {}", offer.text());
}

#[tokio::test]
async fn whoever_moves_while_the_thread_is_locked_hears_of_it() {
    let e = Evening::begins().await;
    e.eve.moderate();
    e.eve.slash("settings", &[("threads", "on")]).await;
    let challenge = e.challenge("brandubh").await;
    e.bo.click(&challenge, "Accept").await;
    let thread = |world: &World| {
        let thread = world.channels.values().find(|channel| channel.kind == THREAD)?;
        (!world.posts(thread.id).is_empty()).then_some(thread.id)
    };
    let thread = e.discord.wait_for("the first board in a thread", thread).await;
    e.discord.settle().await;
    let lock = |locked| e.discord.shared.change(|world| world.channels.get_mut(&thread).unwrap().locked = locked);
    lock(true);
    let answer = e.ann.slash("move", &[("move", "d1-c1")]).await;
    let told = |world: &World| world.messages[&answer.id].content.contains("is locked").then_some(());
    e.discord.wait_for("a word about the lock", told).await;
    assert!(answer.text().contains(&format!("<#{thread}>")) && answer.is_private_for(&e.ann), "{}", answer.text());
    lock(false);
    e.discord.post_saying(thread, "d1-c1").await;
}

#[tokio::test]
async fn without_threads_a_game_stays_in_the_channel() {
    let e = Evening::begins().await;
    e.eve.moderate();
    e.eve.slash("settings", &[("threads", "on")]).await;
    e.discord.deny(e.here(), may::MAKE_THREADS);
    let board = e.game("brandubh").await;
    assert!(board.calls_only(&e.ann) && board.picture().is_some(), "{}", board.text());
    e.moves(board, "d1-c1").await;
}

#[tokio::test]
async fn what_somebody_is_called_in_one_server_stays_there() {
    let e = Evening::begins().await;
    e.discord.shared.change(|world| {
        let members = &mut world.guilds.get_mut(&e.discord.server).unwrap().members;
        members.get_mut(&e.ann.id).unwrap().nick = Some(String::from("Nidhogg"));
        members.get_mut(&e.bo.id).unwrap().nick = Some(String::from("Vedrfolnir"));
    });
    e.eve.moderate();
    e.eve.slash("settings", &[("threads", "on")]).await;
    let challenge = e.challenge("brandubh").await;
    e.bo.click(&challenge, "Accept").await;
    let name = |world: &World| {
        world.channels.values().find(|channel| channel.kind == THREAD).map(|thread| thread.name.clone())
    };
    let name = e.discord.wait_for("a thread", name).await;
    assert!(name.contains("Ann against Bo"), "the thread is called {name:?}");
}

#[tokio::test]
async fn all_games_of_a_channel_that_is_gone_go_on_where_one_of_their_players_speaks() {
    let e = Evening::begins().await;
    let (old, new) = (e.discord.channel("old"), e.discord.channel("new"));
    for variant in ["brandubh", "york"] {
        let options = [("variant", variant), ("opponent", e.bo.mention()), ("side", "attackers")];
        let challenge = e.ann.at(old).slash("challenge", &options).await;
        e.bo.at(old).click(&challenge, "Accept").await;
    }
    e.discord.settle().await;
    e.discord.delete_channel(old);
    e.discord.settle().await;
    told_in_private(&e.bo.at(new).slash("help", &[]).await, &e.bo, "challenge");
    for variant in ["Brandubh #1", "York #2"] {
        let board = e.discord.post_saying(new, variant).await;
        assert!(board.text().contains("goes on here") && board.calls_only(&e.ann), "{}", board.text());
        assert!(board.text().contains(e.bo.mention()) && board.picture().is_some() && board.buttons() == BUTTONS);
    }
    let board = e.discord.post_saying(new, "Brandubh #1").await;
    let offer = e.ann.at(new).click(&board, "Draw").await;
    assert!(offer.is_public() && offer.calls_only(&e.bo), "{}", offer.text());
    e.discord.settle().await;
    let posts = e.discord.shared.look(|world| world.posts(new).len());
    assert_eq!(posts, 3, "each game was posted once, and the offer");
}

#[tokio::test]
async fn a_moderator_ends_a_game_with_a_reason() {
    let e = Evening::begins().await;
    let board = e.game("brandubh").await;
    e.eve.moderate();
    let answer = e.eve.slash("end-game", &[("game", "1"), ("reason", "quarrel @everyone **x**")]).await;
    told_in_private(&answer, &e.eve, "without a result");
    let end = e.next(&board).await;
    assert!(end.alt().is_some_and(|alt| alt.contains("without a result")), "{:?}", end.alt());
    assert!(end.text().contains("moderator") && end.text().contains("quarrel"), "{}", end.text());
    e.names_the_rule(&end, "manages the server");
    let (called, many) = e.discord.shared.look(|world| {
        let end = &world.messages[&end.id];
        (end.pings.clone(), end.pings_many)
    });
    assert_eq!(called, [e.ann.id, e.bo.id].into(), "both players are told");
    assert!(!many, "a reason calls nobody");
    told_in_private(&e.ann.slash("move", &[("move", "d1-c1"), ("game", "1")]).await, &e.ann, "over");
}

#[tokio::test]
async fn the_doctor_tells_what_is_missing() {
    let e = Evening::begins().await;
    told_in_private(&e.ann.slash("doctor", &[]).await, &e.ann, "Everything is fine");
    e.discord.deny(e.here(), may::ATTACH | may::SEND | may::READ_HISTORY);
    let answer = e.ann.slash("doctor", &[]).await;
    told_in_private(&answer, &e.ann, "Read Message History: **missing**");
    told_in_private(&answer, &e.ann, "Attach Files: **missing**");
    told_in_private(&answer, &e.ann, "Send Messages: **missing**");
    told_in_private(&answer, &e.ann, "View Channel: yes");
}

#[tokio::test]
async fn preferences_hold_for_what_only_the_player_sees() {
    let e = Evening::begins().await;
    let board = e.game("brandubh").await;
    told_in_private(&e.ann.slash("preferences", &[("board", "text")]).await, &e.ann, "as text");
    let mine = e.ann.slash("board", &[]).await;
    assert!(mine.files().is_empty() && mine.text().contains("```"), "{}", mine.text());
    let his = e.bo.slash("board", &[]).await;
    assert!(his.picture().is_some());
    let described = his.alt().unwrap();
    assert!(mine.text().contains(&described), "she hears what he sees: {}", mine.text());
    assert!(!his.text().contains(&described), "{}", his.text());
    let menu = e.ann.click(&board, "Move").await;
    assert!(menu.text().contains("Rank 7:") && menu.text().contains("Marked: "), "{}", menu.text());
    e.moves(board, "d1-c1").await;
}

#[tokio::test]
async fn a_reminder_comes_by_direct_message_to_whoever_wants_it() {
    let mut e = Evening::begins().await;
    e.ann.slash("preferences", &[("reminders", "direct")]).await;
    e.game("brandubh").await;
    e.discord.settle().await;
    e.bot.sleep(70).await;
    let letter = e.discord.post_saying(e.ann.in_private().here, "your time is up").await;
    assert!(letter.buttons().is_empty(), "nothing there gets old");
    assert!(letter.text().contains(&format!("<#{}>", e.here())), "it leads to the game: {}", letter.text());
    e.discord.settle().await;
    assert!(e.discord.posts_saying(e.here(), "your time is up").is_empty(), "not in the channel");
    let answer = e.ann.in_private().slash("move", &[("move", "d1-c1")]).await;
    assert!(answer.text().contains("d1-c1"), "{}", answer.text());
}

#[tokio::test]
async fn a_reminder_goes_to_the_channel_where_direct_messages_are_closed() {
    let mut e = Evening::begins().await;
    e.ann.slash("preferences", &[("reminders", "direct")]).await;
    e.ann.close_messages();
    e.game("brandubh").await;
    e.discord.settle().await;
    e.bot.sleep(70).await;
    let reminder = e.discord.post_saying(e.here(), "your time is up").await;
    assert!(reminder.calls_only(&e.ann) && reminder.text().contains("closed"), "{}", reminder.text());
    e.discord.settle().await;
    told_in_private(&e.ann.slash("preferences", &[]).await, &e.ann, "in the game's channel");
}

#[tokio::test]
async fn it_is_said_that_direct_messages_are_closed_once_it_can_be_said() {
    let mut e = Evening::begins().await;
    e.ann.slash("preferences", &[("reminders", "direct")]).await;
    e.ann.close_messages();
    e.game("brandubh").await;
    e.discord.settle().await;
    e.discord.deny(e.here(), may::SEND);
    e.bot.sleep(70).await;
    let in_vain = |world: &World| {
        let path = format!("/channels/{}/messages", e.discord.here);
        (world.asked.iter().filter(|asked| asked.path == path && asked.status == 403).count() == 2).then_some(())
    };
    e.discord.wait_for("a post in vain, with and without the picture", in_vain).await;
    e.discord.allow(e.here());
    let reminder = e.discord.post_saying(e.here(), "your time is up").await;
    assert!(reminder.calls_only(&e.ann) && reminder.text().contains("closed"), "{}", reminder.text());
    e.discord.settle().await;
    told_in_private(&e.ann.slash("preferences", &[]).await, &e.ann, "in the game's channel");
}

#[tokio::test]
async fn a_direct_message_that_is_not_taken_is_no_closed_door() {
    let mut e = Evening::begins().await;
    e.ann.slash("preferences", &[("reminders", "direct")]).await;
    e.game("brandubh").await;
    e.discord.settle().await;
    // As when the bot opens too many conversations; and a picture that is too much.
    e.discord.trouble("POST /users/@me/channels", 1, Trouble::Fail(400));
    e.discord.trouble("POST /channels/*/messages", 1, Trouble::Fail(413));
    e.bot.sleep(70).await;
    let letter = e.discord.post_saying(e.ann.in_private().here, "your time is up").await;
    assert!(letter.files().is_empty() && letter.text().contains("```"), "{}", letter.text());
    e.discord.settle().await;
    assert!(e.discord.posts_saying(e.here(), "your time is up").is_empty(), "not in the channel");
    told_in_private(&e.ann.slash("preferences", &[]).await, &e.ann, "by direct message");
}

#[tokio::test]
async fn somebody_is_forgotten_and_the_opponent_keeps_the_game() {
    let e = Evening::begins().await;
    let board = e.game("brandubh").await;
    let board = e.moves(board, "d1-c1 d3-e3").await;
    let other = e.game("york").await;
    told_in_private(&e.ann.slash("privacy", &[]).await, &e.ann, "/forget-me");
    let question = e.ann.slash("forget-me", &[]).await;
    told_in_private(&question, &e.ann, "really");
    assert_eq!(question.files().len(), 1, "everything is handed out first");
    let pressed = Instant::now();
    e.ann.click(&question, "Forget me").await;
    let won = format!("{} wins", e.bo.mention());
    let both = |world: &World| {
        let posts = world.posts(e.here());
        (posts.iter().filter(|post| post.content.contains(&won)).count() == 2).then_some(())
    };
    e.discord.wait_for("the ends of both games", both).await;
    assert!(pressed.elapsed() < Duration::from_secs(5), "the second waited for {:?}", pressed.elapsed());
    assert!(e.discord.posts_saying(e.here(), &won).iter().all(|end| end.calls_only(&e.bo)));
    board.loses_buttons().await;
    other.loses_buttons().await;
    e.discord.settle().await;
    let history = e.bo.slash("history", &[("game", "1")]).await;
    told_in_private(&history, &e.bo, "a former player");
    assert!(!history.text().contains(e.ann.mention()));
    told_in_private(&e.ann.slash("games", &[]).await, &e.ann, "no running game");
}

#[tokio::test]
async fn a_direct_message_names_and_offers_only_what_works_there() {
    let e = Evening::begins().await;
    let direct = e.ann.in_private();
    let offered_here: Vec<String> = e.discord.shared.look(|world| {
        let elsewhere = |command: &&serde_json::Value| command["contexts"] == serde_json::json!([0]);
        world
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
    e.game("brandubh").await;
    for command in ["board", "history"] {
        let shown = direct.slash(command, &[]).await;
        assert!(shown.picture().is_some() && !shown.buttons().contains(&String::from("Show to everybody")));
        assert!(e.ann.slash(command, &[]).await.buttons().contains(&String::from("Show to everybody")));
    }
}
