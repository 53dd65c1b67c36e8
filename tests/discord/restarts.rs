//! The program is started, stopped, killed and started again: nothing is lost.

use crate::bot_process::BotProcess;
use crate::bot_process::log;
use crate::fixture::{BUTTONS, Fixture, assert_private, preview_move};
use crate::operator::health;
use fake_discord::client::{ClientError, Post};
use fake_discord::rest::Failure;
use fake_discord::state::{DiscordState, permissions};
use fake_discord::{FakeDiscord, REAL_RESPONSE_DEADLINE, WAIT_LIMIT};
use std::time::{Duration, Instant};

/// How long a bot that stops waits for messages to be posted: `STOP_OUTBOX` in `src/discord/mod.rs`.
const STOP_OUTBOX: Duration = Duration::from_secs(3);

/// Kills the bot once it is idle, and starts it again.
async fn restart(e: &mut Fixture) {
    e.idle().await;
    e.bot.restart().await;
}

#[tokio::test]
async fn a_game_goes_on_after_a_restart_between_any_two_steps() {
    let mut e = Fixture::start().await;
    let challenge = e.challenge("brandubh").await;
    restart(&mut e).await;
    e.bo.click(&challenge, "Accept").await;
    let board = e.next_post(&challenge).await;
    restart(&mut e).await;
    challenge.wait_until_buttons_are_gone().await;
    let board = e.play(board, "d1-c1").await;
    let menu = e.bo.click(&board, "Move").await;
    restart(&mut e).await;
    let squares = e.bo.choose(&menu, "d3").await;
    let preview = e.bo.choose(&squares, "d3-e3").await;
    restart(&mut e).await;
    e.bo.click(&preview, "Play it").await;
    let board = e.next_post(&board).await;
    assert!(board.pings_only(&e.ann));
    e.ann.click(&board, "Draw").await;
    let offer = e.next_post(&board).await;
    restart(&mut e).await;
    e.bo.click(&offer, "Accept draw").await;
    let end = e.next_post(&offer).await;
    assert!(end.text().contains("drawn"), "{}", end.text());
    e.idle().await;
    assert_eq!(e.discord.posts_saying(e.channel(), "drawn").len(), 1);
    assert_eq!(e.discord.state.read(|state| state.registrations), 1, "the commands have not changed");
}

#[tokio::test]
async fn offers_questions_and_rematches_survive_a_restart() {
    let mut e = Fixture::start().await;
    let board = e.start_game("magpie").await;
    let (ann, bo) = (e.ann.clone(), e.bo.clone());
    let moves = ann.complete("move", &[], ("move", "")).await;
    let moves = ann.complete("move", &[], ("move", &moves[0].1)).await;
    let played = moves.iter().find(|(_, value)| value.contains('-')).unwrap().1.clone();
    let board = e.play(board, &played).await;
    restart(&mut e).await;
    let asked = ann.slash("takeback", &[]).await;
    restart(&mut e).await;
    bo.click(&asked, "Grant takeback").await;
    let back = e.next_post(&asked).await;
    restart(&mut e).await;
    board.wait_until_buttons_are_gone().await;
    let board = e.play(back, &played).await;
    restart(&mut e).await;
    bo.click(&board, "Draw").await;
    let offer = e.next_post(&board).await;
    restart(&mut e).await;
    ann.click(&offer, "Decline draw").await;
    let declined = e.next_post(&offer).await;
    restart(&mut e).await;
    let question = bo.click(&declined, "Resign").await;
    restart(&mut e).await;
    bo.click(&question, "Resign").await;
    let end = e.next_post(&declined).await;
    assert!(end.text().contains("resigns") && end.pings_only(&ann), "{}", end.text());
    restart(&mut e).await;
    ann.click(&end, "Rematch").await;
    let offer = e.next_post(&end).await;
    restart(&mut e).await;
    bo.click(&offer, "Accept rematch").await;
    let board = e.next_post(&offer).await;
    restart(&mut e).await;
    assert!(board.pings_only(&bo), "the sides are swapped: {}", board.text());
    e.play(board, &played).await;
    e.idle().await;
    assert_eq!(e.board_count(), 12, "each board once");
}

#[tokio::test]
async fn an_accepted_move_is_posted_after_the_bot_was_killed() {
    let mut e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    e.idle().await;
    e.discord.fail_next("POST /interactions/*/*/callback", 1, Failure::Status(500));
    e.ann.send_slash("move", &[("move", "d1-c1")]).unwrap();
    e.discord
        .wait_until("the first try", |state| state.requests.last().filter(|request| request.status == 500).cloned())
        .await;
    e.bot.kill().await;
    e.discord.expire_interactions();
    // A young message is left to the answer, unless the process that would respond has ended.
    e.bot.open_database().make_messages_young();
    e.bot.start_again().await;
    e.assert_first_move_posted_once(board).await;
}

#[tokio::test]
async fn a_move_whose_answer_was_lost_is_posted_once_although_its_request_comes_again() {
    for still_posting in [true, false] {
        let mut e = Fixture::start().await;
        let board = e.start_game("brandubh").await;
        e.idle().await;
        e.discord.fail_next("POST /interactions/*/*/callback", usize::MAX, Failure::Status(500));
        let request = e.ann.send_slash("move", &[("move", "d1-c1")]).unwrap();
        e.discord.wait_for_status(500).await;
        e.bot.kill().await;
        e.discord.clear_failures();
        if still_posting {
            e.discord.fail_next("POST /channels/*/messages", 1, Failure::Hold);
        }
        e.bot.start_again().await;
        if still_posting {
            e.discord.wait_until_held(1).await;
        } else {
            e.next_post(&board).await;
        }
        e.discord.redeliver(request);
        let answer = e.ann.answer(request).await.unwrap();
        assert_private(&answer, &e.ann, "done already");
        assert!(answer.buttons().is_empty() && answer.picture_size().is_none(), "{}", answer.text());
        e.discord.clear_failures();
        e.assert_first_move_posted_once(board).await;
    }
}

#[tokio::test]
async fn sigterm_and_sigint_stop_the_bot_with_exit_code_0() {
    let mut e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    e.play(board, "d1-c1").await;
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.output());
    assert!(e.bot.database().exists());
    assert!(!e.bot.output().contains("not-a-real-token"), "the token is not for the log");
    // There is nobody to wait for.
    e.discord.set_response_deadline(Duration::from_millis(10));
    assert_eq!(e.ann.try_slash("games", &[]).await.err(), Some(ClientError::NoResponse));
    e.discord.set_response_deadline(WAIT_LIMIT);
    e.bot.start_again().await;
    assert!(e.ann.slash("games", &[]).await.text().contains("1 running game"));
    assert_eq!(e.bot.stop("INT").await, Some(0), "{}", e.bot.output());
}

#[tokio::test]
async fn signals_stop_the_bot_while_it_starts() {
    for signal in ["INT", "TERM"] {
        let discord = FakeDiscord::start().await;
        let mut bot = BotProcess::stopped(&discord);
        discord.fail_next("GET /gateway", 1, Failure::Hold);
        bot.launch(None);
        discord.wait_until_held(1).await;
        // A bot that waited for the answer would give up after ten seconds, with another code.
        assert_eq!(bot.stop(signal).await, Some(0), "{}", bot.output());
        assert_eq!(discord.state.read(|state| state.held_requests), 1, "nobody has answered it");
        let lines = bot.output();
        assert!(lines.lines().any(|line| line.ends_with(" INFO stopping")), "{lines}");
    }
}

#[tokio::test]
async fn unreadable_events_are_logged_once_and_unreadable_interactions_each_time() {
    let e = Fixture::start().await;
    for event in ["WONDER_CREATE", "WONDER_CREATE", "INTERACTION_CREATE", "INTERACTION_CREATE"] {
        e.discord.state.update(|state| state.dispatch(event, Some(e.discord.server), &serde_json::json!({ "id": 1 })));
    }
    e.bot.wait_for_log_times("INTERACTION_CREATE", 2).await;
    let lines = e.bot.output().lines().filter(|line| line.contains("WONDER_CREATE")).count();
    assert_eq!(lines, 1, "{}", e.bot.output());
}

/// Plays a move whose post does not get through; returns the board before it.
async fn with_held_post() -> (Fixture, Post) {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    let preview = preview_move(&e.ann, &board, "d1-c1").await;
    e.discord.fail_next("POST /channels/*/messages", 1, Failure::Hold);
    e.ann.click(&preview, "Play it").await;
    e.discord.wait_until_held(1).await;
    (e, board)
}

#[tokio::test]
async fn waiting_messages_are_posted_before_the_bot_stops() {
    let (mut e, board) = with_held_post().await;
    let stopped = Instant::now();
    e.bot.signal("TERM").await;
    e.bot.wait_for_log(log::STOPPING).await;
    e.discord.clear_failures();
    assert_eq!(e.bot.exit_code().await, Some(0), "{}", e.bot.output());
    let took = stopped.elapsed();
    let post = e.discord.post_saying(e.channel(), "d1-c1").await;
    // A bot that ended before its time was over knew that the message was posted. On a busy machine it may be over.
    assert!(
        took >= STOP_OUTBOX || e.bot.open_database().is_delivered(post.id),
        "it ended after {took:?} without waiting"
    );
    assert_eq!(e.discord.posts_saying(e.channel(), "d1-c1").len(), 1);
    e.bot.start_again().await;
    board.wait_until_buttons_are_gone().await;
    e.idle().await;
    assert_eq!(e.board_count(), 3, "it is not posted again");
}

#[tokio::test]
async fn a_bot_that_stops_waits_for_a_message_that_is_being_posted() {
    let (mut e, board) = with_held_post().await;
    let stopped = Instant::now();
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.output());
    let took = stopped.elapsed();
    assert!(took >= STOP_OUTBOX, "it ended after {took:?} without waiting");
    e.discord.clear_failures();
    // It is posted now, although the bot has hung up.
    e.discord.post_saying(e.channel(), "d1-c1").await;
    e.bot.start_again().await;
    e.assert_first_move_posted_once(board).await;
}

#[tokio::test]
async fn a_wrong_token_ends_the_bot_with_its_own_exit_code() {
    let discord = FakeDiscord::start().await;
    let mut bot = BotProcess::stopped(&discord);
    bot.launch(Some("MTE3NDk4NTc2MTI4MzY1NTY4MA.GstanD.this-one-was-revoked-long-ago-and-is-worth-0"));
    assert_eq!(bot.exit_code().await, Some(77));
    assert!(bot.output().contains("token"), "{}", bot.output());
    assert!(!bot.output().contains("revoked-long-ago"), "the token is not for the log");
}

#[tokio::test]
async fn a_revoked_token_ends_the_bot_with_the_same_exit_code() {
    let mut e = Fixture::start().await;
    e.start_game("brandubh").await;
    e.idle().await;
    e.discord.revoke_token();
    assert_eq!(e.bot.exit_code().await, Some(77), "{}", e.bot.output());
    let ended = e.bot.log_line(ratatosk::cli::FAILURE_MESSAGE).await;
    assert!(ended.contains(" ERROR ") && ended.contains("exit_code=77"), "{ended}");
    assert!(
        e.bot.output().contains("Reset Token") && !e.bot.output().contains("not-a-real-token"),
        "{}",
        e.bot.output()
    );
}

#[tokio::test]
async fn without_a_network_the_bot_ends_with_its_own_exit_code() {
    let discord = FakeDiscord::start().await;
    let mut bot = BotProcess::stopped(&discord);
    // Nobody listens there.
    bot.use_wrong_address("http://127.0.0.1:9");
    bot.launch(None);
    assert_eq!(bot.exit_code().await, Some(69), "{}", bot.output());
    assert!(bot.output().contains("cannot be reached"), "{}", bot.output());
}

#[tokio::test]
async fn a_bot_with_two_shards_plays() {
    let discord = FakeDiscord::start().await;
    discord.state.update(|state| state.shards = 2);
    let (ann, bo, eve) = (discord.add_user("Ann"), discord.add_user("Bo"), discord.add_user("Eve"));
    let bot = BotProcess::start(&discord).await;
    let e = Fixture { discord, bot, ann, bo, eve };
    e.discord.wait_until("both connections", |state| (state.gateway.identified == 2).then_some(())).await;
    e.idle().await;
    let board = e.start_game("brandubh").await;
    let board = e.play(board, "d1-c1").await;
    // Direct messages come over the first shard.
    let bo = e.bo.in_dm();
    assert!(bo.slash("move", &[("move", "d3-e3")]).await.text().contains("d3-e3"));
    e.play(e.next_post(&board).await, "c1-d1").await;
    assert_eq!(e.discord.state.read(|state| state.registrations), 1);
}

#[tokio::test]
async fn a_player_is_reminded_once() {
    let mut e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    e.bot.pass_hours(70).await;
    let reminder = e.next_post(&board).await;
    assert!(reminder.pings_only(&e.ann) && reminder.text().contains("your time is up"), "{}", reminder.text());
    e.idle().await;
    e.bot.pass_hours(1).await;
    e.idle().await;
    assert_eq!(e.discord.posts_saying(e.channel(), "your time is up").len(), 1);
    board.wait_until_buttons_are_gone().await;
    e.ann.click(&reminder, "Move").await;
}

#[tokio::test]
async fn nobody_loses_on_time_because_the_bot_was_away() {
    let mut e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    e.play(board, "d1-c1 d3-e3").await;
    e.bot.pass_hours(80).await;
    assert_private(&e.bo.slash("claim", &[]).await, &e.bo, "in an hour at the latest");
    let post = e.ann.slash("move", &[("move", "c1-d1")]).await;
    assert!(post.is_public() && post.pings_only(&e.bo), "who is late can still move: {}", post.text());
}

#[tokio::test]
async fn a_win_on_time_is_claimed() {
    let mut e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    e.play(board, "d1-c1 d3-e3").await;
    e.bot.pass_hours(80).await;
    assert_eq!(e.bot.stop("TERM").await, Some(0));
    e.bot.open_database().flag_all_games();
    e.bot.start_again().await;
    assert_private(&e.eve.slash("claim", &[("game", "1")]).await, &e.eve, "not playing");
    let end = e.bo.slash("claim", &[]).await;
    assert!(end.is_public() && end.text().contains(&format!("{} wins", e.bo.mention())), "{}", end.text());
    assert!(end.text().contains("time ran out"));
    assert_eq!(end.buttons(), ["Rematch"]);
}

#[tokio::test]
async fn a_challenge_expires_after_seven_days() {
    let mut e = Fixture::start().await;
    let challenge = e.challenge("brandubh").await;
    let accept = e.bo.remember_button(&challenge, "Accept");
    e.idle().await;
    e.bot.pass_hours(6 * 24).await;
    assert!(!challenge.buttons().is_empty());
    // No answer will tell of it, so the bot posts it at once.
    e.bot.open_database().make_new_messages_young();
    e.bot.pass_hours(25).await;
    assert_private(&e.bo.click_remembered(&accept).await, &e.bo, "not open any more");
    challenge.wait_until_buttons_are_gone().await;
    let told = e.post_saying(e.channel(), "was not accepted").await;
    assert!(told.pings_only(&e.ann), "{}", told.text());
    assert!(challenge.text().contains("It has expired."), "{}", challenge.text());
    assert_eq!(e.board_count(), 1);
}

#[tokio::test]
async fn after_days_without_moves_the_newest_board_has_the_buttons() {
    let mut e = Fixture::start().await;
    let options = [("variant", "brandubh"), ("opponent", e.bo.mention()), ("side", "attackers"), ("pace", "14")];
    let challenge = e.ann.slash("challenge", &options).await;
    e.bo.click(&challenge, "Accept").await;
    let board = e.next_post(&challenge).await;
    let board = e.play(board, "d1-c1 d3-e3").await;
    e.idle().await;
    e.bot.pass_hours(3 * 24).await;
    e.idle().await;
    let board = e.play(board, "c1-d1 e3-d3").await;
    e.idle().await;
    assert_eq!(board.buttons(), BUTTONS);
}

#[tokio::test]
async fn an_answer_without_a_picture_is_not_repeated_after_a_crash() {
    let mut e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    e.discord.deny_bot(e.channel(), permissions::ATTACH);
    let moved = e.ann.slash("move", &[("move", "d1-c1")]).await;
    assert!(moved.is_public() && moved.picture_size().is_none(), "{}", moved.text());
    let challenge = e.challenge("york").await;
    let declined = e.bo.click(&challenge, "Decline").await;
    assert!(declined.is_public() && declined.picture_size().is_none(), "{}", declined.text());
    board.wait_until_buttons_are_gone().await;
    e.idle().await;
    e.bot.kill().await;
    // As if the power had failed before the delivery was stored.
    assert_eq!([moved.id, declined.id].map(|message| e.bot.open_database().forget_delivery(message)), [1, 1]);
    let before = e.discord.posts_saying(e.channel(), "").len();
    e.bot.start_again().await;
    e.bot.wait_for_log_times(log::FOUND_ON_DISCORD, 2).await;
    e.idle().await;
    assert_eq!(e.discord.posts_saying(e.channel(), "").len(), before);
}

#[tokio::test]
async fn a_post_among_much_chat_is_not_repeated_after_a_crash() {
    let mut e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    e.eve.chat(250);
    let moved = e.ann.slash("move", &[("move", "d1-c1")]).await;
    e.eve.chat(250);
    board.wait_until_buttons_are_gone().await;
    e.idle().await;
    e.bot.kill().await;
    // As if the power had failed before the delivery was stored.
    assert_eq!(e.bot.open_database().forget_delivery(moved.id), 1);
    e.bot.start_again().await;
    let found = e.bot.log_line(log::FOUND_ON_DISCORD).await;
    assert!(found.contains(" game=1 ") && found.contains(" post="), "{found}");
    e.idle().await;
    assert_eq!(e.board_count(), 3, "challenge, first board, one move");
}

#[tokio::test]
async fn the_answer_to_an_earlier_identical_move_is_not_taken_for_the_missing_one() {
    let mut e = Fixture::start().await;
    e.start_game("brandubh").await;
    e.discord.deny_bot(e.channel(), permissions::ATTACH);
    e.ann.slash("move", &[("move", "d1-c1")]).await;
    e.idle().await;
    e.ann.slash("takeback", &[]).await;
    e.idle().await;
    e.bo.slash("takeback", &[]).await;
    e.idle().await;
    let again = e.ann.slash("move", &[("move", "d1-c1")]).await;
    e.idle().await;
    e.bot.kill().await;
    // As if the bot had been killed before the second answer.
    assert_eq!(e.bot.open_database().forget_delivery(again.id), 1);
    e.discord.state.update(|state| drop(state.messages.remove(&again.id)));
    e.bot.start_again().await;
    let said = |state: &DiscordState| {
        let posts = state.posts(e.discord.channel);
        let told = posts.iter().filter(|post| post.content.contains("played **d1-c1**"));
        (told.count() == 2).then_some(())
    };
    e.discord.wait_until("the move to be told again", said).await;
}

#[tokio::test]
async fn the_bot_can_be_stopped_after_discord_closed_its_shard() {
    let mut e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    e.play(board, "d1-c1").await;
    e.idle().await;
    // Only a bot that has seen its connection notices that it is lost.
    health(&e.bot, 0, "").await;
    e.discord.close_gateway(4011);
    e.bot.wait_for_log(log::CONNECTION_LOST).await;
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.output());
}

#[tokio::test]
async fn a_token_that_only_rest_refuses_ends_the_bot_too() {
    let mut e = Fixture::start().await;
    e.start_game("brandubh").await;
    e.idle().await;
    // The gateway stays connected. A move from elsewhere has to be posted by the bot itself.
    e.discord.state.update(|state| state.token = String::from("another one"));
    let elsewhere = e.ann.at(e.discord.create_channel("elsewhere"));
    let _ = elsewhere.try_slash("move", &[("move", "d1-c1")]).await;
    assert_eq!(e.bot.exit_code().await, Some(77), "{}", e.bot.output());
}

#[tokio::test]
async fn no_move_is_accepted_while_the_bot_stops() {
    let mut e = Fixture::start().await;
    e.start_game("brandubh").await;
    e.idle().await;
    // Something is still to be posted, so that stopping takes a while.
    e.discord.fail_next("POST /channels/*/messages", 1, Failure::Hold);
    let elsewhere = e.ann.at(e.discord.create_channel("elsewhere"));
    elsewhere.slash("move", &[("move", "d1-c1")]).await;
    e.discord.wait_until_held(1).await;
    e.bot.signal("TERM").await;
    e.bot.wait_for_log(log::STOPPING).await;
    e.discord.set_response_deadline(REAL_RESPONSE_DEADLINE);
    if let Ok(answer) = e.bo.try_slash("move", &[("move", "d3-e3")]).await {
        assert!(!answer.is_public() && answer.text().contains("just being stopped"), "{}", answer.text());
    }
    e.discord.clear_failures();
    assert_eq!(e.bot.exit_code().await, Some(0), "{}", e.bot.output());
    e.discord.set_response_deadline(WAIT_LIMIT);
    e.bot.start_again().await;
    let shown = e.bo.slash("board", &[]).await;
    assert!(!shown.text().contains("d3-e3"), "{}", shown.text());
}
