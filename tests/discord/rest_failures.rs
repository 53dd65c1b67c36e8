//! Failures between the bot and Discord: every board appears, and appears once.

use crate::bot_process::{log, start_game, wait_until};
use crate::fixture::{BUTTONS, Fixture, assert_private, preview_move};
use fake_discord::client::{Person, Post};
use fake_discord::rest::{Failure, RecordedRequest};
use fake_discord::state::{DiscordState, FORUM, Id, Message, permissions};
use std::time::Duration;

const CALLBACK: &str = "POST /interactions/*/*/callback";
const POSTS: &str = "POST /channels/*/messages";

/// Lets Ann move while answers fail. The board has to appear once, and the game has to go on.
async fn assert_one_board_despite(times: usize, failure: Failure) -> Fixture {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    e.idle().await;
    e.discord.fail_next(CALLBACK, times, failure);
    e.ann.send_slash("move", &[("move", "d1-c1")]).unwrap();
    e.assert_first_move_posted_once(board).await;
    // The player has the board, so there is nothing to warn about.
    assert!(!e.bot.output().contains(log::ANSWER_REFUSED), "{}", e.bot.output());
    e
}

/// Lets Ann move while an answer fails until Discord no longer accepts it. The board has to appear once, and the game
/// has to go on.
async fn assert_one_board_after_expiry(failure: Failure) {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    e.idle().await;
    e.discord.fail_next(CALLBACK, usize::MAX, failure);
    e.ann.send_slash("move", &[("move", "d1-c1")]).unwrap();
    let failed = |state: &DiscordState| {
        let refused = state.requests.iter().any(|request| request.status == 500);
        (refused || state.held_requests > 0).then_some(())
    };
    e.discord.wait_until("an answer to fail", failed).await;
    e.discord.expire_interactions();
    e.discord.clear_failures();
    e.assert_first_move_posted_once(board).await;
}

#[tokio::test]
async fn an_answer_is_not_repeated_if_only_the_receipt_was_lost() {
    assert_one_board_despite(1, Failure::CloseAfterEffect).await;
}

#[tokio::test]
async fn an_answer_that_arrived_despite_a_502_is_not_repeated() {
    let bot = assert_one_board_despite(1, Failure::StatusAfterEffect(502)).await.bot;
    let logged = bot.log_line(log::ALREADY_ANSWERED).await;
    assert!(logged.contains(" INFO ") && logged.contains(" game=1 ") && logged.contains(" player="), "{logged}");
}

#[tokio::test]
async fn an_answer_is_sent_again_after_a_closed_connection() {
    assert_one_board_despite(1, Failure::Close).await;
}

#[tokio::test]
async fn an_answer_is_sent_again_after_a_reset_connection() {
    assert_one_board_despite(1, Failure::Reset).await;
}

#[tokio::test]
async fn an_answer_is_not_repeated_if_the_receipt_was_reset_or_truncated() {
    assert_one_board_despite(1, Failure::ResetAfterEffect).await;
    assert_one_board_despite(1, Failure::TruncateResponse).await;
}

#[tokio::test]
async fn an_answer_is_sent_again_after_a_503() {
    assert_one_board_despite(2, Failure::Status(503)).await;
}

#[tokio::test]
async fn an_answer_waits_for_a_rate_limit() {
    assert_one_board_despite(1, Failure::RateLimit(Duration::from_millis(200))).await;
}

#[tokio::test]
async fn an_answer_that_came_too_late_is_posted() {
    assert_one_board_after_expiry(Failure::Hold).await;
}

#[tokio::test]
async fn an_answer_that_failed_until_it_was_too_late_is_posted() {
    assert_one_board_after_expiry(Failure::Status(500)).await;
}

/// Lets Ann play by clicking, so that the bot posts the board itself.
async fn assert_one_post_despite(failure: Failure) {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    let preview = preview_move(&e.ann, &board, "d1-c1").await;
    e.discord.fail_next(POSTS, 1, failure);
    e.ann.click(&preview, "Play it").await;
    e.assert_first_move_posted_once(board).await;
}

#[tokio::test]
async fn a_post_is_sent_again_after_a_502() {
    assert_one_post_despite(Failure::Status(502)).await;
}

#[tokio::test]
async fn the_log_says_that_a_post_failed_and_as_which_message_it_was_posted_then() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    let preview = preview_move(&e.ann, &board, "d1-c1").await;
    e.discord.fail_next(POSTS, 1, Failure::Status(500));
    e.ann.click(&preview, "Play it").await;
    let failed = e.bot.log_line(log::MESSAGE_RETRIED).await;
    assert!(failed.contains("Discord answers 500") && !failed.contains("connection"), "it has answered: {failed}");
    let post = e.next_post(&board).await;
    let posted = e.bot.log_line(log::POSTED_AFTER_FAILURES).await;
    let fields = format!(" game=1 channel={} post={} attempts=2", e.channel(), post.id);
    assert!(posted.contains(&fields) && posted.contains(" INFO "), "{posted}");
    e.play(post, "d3-e3").await;
    assert_eq!(e.bot.output().matches(log::POSTED_AFTER_FAILURES).count(), 1, "only after a failure");
}

#[tokio::test]
async fn a_channel_that_is_deleted_without_games_is_not_worth_a_line() {
    let mut e = Fixture::start().await;
    let channel = e.discord.create_channel("quiet");
    e.delete_channel(channel, true).await;
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.output());
    assert!(!e.bot.output().contains(" is gone"), "{}", e.bot.output());
}

#[tokio::test]
async fn a_post_whose_receipt_was_lost_appears_once() {
    assert_one_post_despite(Failure::CloseAfterEffect).await;
}

#[tokio::test]
async fn a_post_whose_receipt_was_reset_or_truncated_appears_once() {
    assert_one_post_despite(Failure::ResetAfterEffect).await;
    assert_one_post_despite(Failure::TruncateResponse).await;
}

#[tokio::test]
async fn a_post_waits_for_a_rate_limit() {
    assert_one_post_despite(Failure::RateLimit(Duration::from_millis(100))).await;
}

#[tokio::test]
async fn an_answer_with_unknown_outcome_is_looked_for_before_it_is_posted() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    e.idle().await;
    e.discord.fail_next(CALLBACK, 1, Failure::CloseAfterEffect);
    e.discord.fail_next("GET /webhooks/*/*/messages/@original", 1000, Failure::Status(503));
    e.ann.send_slash("move", &[("move", "d1-c1")]).unwrap();
    // For half a minute the bot asks Discord what became of its answer. Then it looks for the answer in the channel.
    let post = e.next_post(&board).await;
    board.wait_until_buttons_are_gone().await;
    e.idle().await;
    assert_eq!(e.board_count(), 3, "challenge, first board, one move");
    e.play(post, "d3-e3").await;
}

#[tokio::test]
async fn one_refusal_after_other_failures_does_not_give_a_message_up() {
    let mut e = Fixture::start().await;
    e.start_game("brandubh").await;
    e.idle().await;
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.output());
    e.bot.open_database().forget_deliveries_of_game(1, 6);
    e.discord.state.update(|state| state.messages.values_mut().for_each(|message| message.deleted = true));
    e.discord.fail_next(POSTS, 2, Failure::Status(400));
    e.bot.start_again().await;
    let refused = |state: &DiscordState| {
        (state.requests.iter().filter(|request| request.status == 400).count() == 2).then_some(())
    };
    e.discord.wait_until("a refusal with and without the picture", refused).await;
    let logged = e.bot.log_line(log::MESSAGE_RETRIED).await;
    assert!(logged.contains(" game=1 ") && logged.contains(&format!("channel={}", e.channel())), "{logged}");
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.output());
    assert!(!e.bot.output().contains(log::GIVEN_UP), "{}", e.bot.output());
}

#[tokio::test]
async fn many_waiting_messages_in_one_channel_do_not_delay_another_channel() {
    let mut e = Fixture::start().await;
    e.start_game("brandubh").await;
    let quiet = e.discord.create_channel("quiet");
    play_in(&e, quiet, 0).await;
    e.idle().await;
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.output());
    e.bot.open_database().add_many_waiting_messages();
    e.discord.state.update(|state| state.messages.values_mut().for_each(|message| message.deleted = true));
    e.discord.limit_posts(1, Duration::from_secs(600));
    e.bot.start_again().await;
    let posted = |state: &DiscordState| (!state.posts(quiet).is_empty()).then_some(());
    e.discord.wait_until("the board in the other channel", posted).await;
}

#[tokio::test]
async fn a_rate_limit_on_edits_in_one_channel_does_not_delay_another_channel() {
    let e = Fixture::start().await;
    let busy = e.discord.create_channel("busy");
    let (one, _, first) = play_in(&e, busy, 0).await;
    let board = e.start_game("brandubh").await;
    e.idle().await;
    // Longer than a test may take.
    let limit = Failure::RateLimit(Duration::from_secs(600));
    e.discord.fail_next(&format!("PATCH /channels/{busy}/messages/*"), 1, limit);
    one.slash("move", &[("move", "d1-c1")]).await;
    e.discord.wait_for_status(429).await;
    e.play(board, "d1-c1 d3-e3").await;
    assert!(!first.buttons().is_empty(), "that one waits");
}

#[tokio::test]
async fn a_post_whose_receipt_was_lost_is_looked_for_until_it_is_found() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    let preview = preview_move(&e.ann, &board, "d1-c1").await;
    e.idle().await;
    e.discord.fail_next(POSTS, 1, Failure::CloseAfterEffect);
    e.discord.fail_next("GET /channels/*/messages", usize::MAX, Failure::Status(500));
    e.ann.click(&preview, "Play it").await;
    let first = e.next_visible_post(&board).await;
    wait_until_tried(&e).await;
    // The game goes on before the bot knows that this board was posted.
    assert_private(&e.bo.slash("move", &[("move", "d3-e3")]).await, &e.bo, "right after it");
    e.discord.clear_failures();
    let second = e.next_post(&first).await;
    assert!(second.text().contains("d3-e3") && second.pings_only(&e.ann), "{}", second.text());
    first.wait_until_buttons_are_gone().await;
    assert_eq!((second.buttons().len(), e.board_count()), (BUTTONS.len(), 4), "each board once");
}

#[tokio::test]
async fn a_rematch_offer_that_is_accepted_before_its_receipt_loses_its_buttons() {
    let e = Fixture::start().await;
    e.start_game("brandubh").await;
    let sure = e.ann.slash("resign", &[]).await;
    e.ann.click(&sure, "Resign").await;
    e.idle().await;
    e.discord.fail_next(CALLBACK, 1, Failure::HoldResponse);
    let offer = e.ann.slash("rematch", &[]).await;
    e.bo.click(&offer, "Accept rematch").await;
    e.discord.clear_failures();
    // If the bot has waited for the receipt for long, the board follows the offer.
    e.post_saying(e.channel(), "#2").await;
    offer.wait_until_buttons_are_gone().await;
}

#[tokio::test]
async fn answers_do_not_wait_for_slow_posts() {
    let e = Fixture::start().await;
    e.start_game("brandubh").await;
    e.discord.fail_next(POSTS, usize::MAX, Failure::Hold);
    let elsewhere = e.discord.create_channel("elsewhere");
    for n in 0..6 {
        let people = (e.discord.add_user(&format!("Cat{n}")), e.discord.add_user(&format!("Dan{n}")));
        start_game::challenge_and_accept(&people.0, &people.1).await;
        people.0.at(elsewhere).slash("move", &[("move", "d1-c1")]).await;
    }
    assert_private(&e.ann.slash("games", &[]).await, &e.ann, "1 running game");
}

#[tokio::test]
async fn interactions_during_a_lost_connection_are_answered_after_it() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    e.discord.cut_gateway();
    e.discord.wait_until("the cut", |state| (!state.gateway.connected()).then_some(())).await;
    let board = e.play(board, "d1-c1").await;
    assert_eq!(e.discord.state.read(|state| (state.gateway.identified, state.gateway.resumed)), (1, 1));
    e.discord.ask_to_reconnect();
    let board = e.play(board, "d3-e3").await;
    e.discord.close_gateway(4000);
    let board = e.play(board, "c1-d1").await;
    e.idle().await;
    assert_eq!(e.board_count(), 5, "nothing was answered twice");
    e.discord.invalidate_session(false);
    e.discord.wait_until("a new session", |state| (state.gateway.identified == 2).then_some(())).await;
    e.play(board, "e3-d3").await;
}

#[tokio::test]
async fn the_bot_reconnects_after_the_gateway_was_down() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    e.discord.refuse_gateway(true);
    e.discord.cut_gateway();
    e.discord.wait_until("refused connections", |state| (state.gateway.refused >= 2).then_some(())).await;
    e.discord.refuse_gateway(false);
    e.discord.wait_until("the bot to come back", |state| state.gateway.connected().then_some(())).await;
    e.play(board, "d1-c1 d3-e3").await;
}

#[tokio::test]
async fn every_message_and_edit_says_whom_it_may_ping() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    let board = e.play(board, "d1-c1").await;
    let preview = preview_move(&e.bo, &board, "d3-e3").await;
    e.bo.click(&preview, "Play it").await;
    e.next_post(&board).await;
    board.wait_until_buttons_are_gone().await;
    let (answers, posts, edits) = (
        e.discord.requests_to(CALLBACK),
        e.discord.requests_to(POSTS),
        e.discord.requests_to("PATCH /channels/*/messages/*"),
    );
    assert!(answers.len() >= 7 && !posts.is_empty() && edits.len() >= 3);
    let said = answers
        .iter()
        .map(|request| &request.body["data"])
        .chain(posts.iter().chain(&edits).map(|request| &request.body));
    for message in said {
        let allowed = &message["allowed_mentions"];
        assert_eq!(allowed["parse"], serde_json::json!([]), "{message}");
        assert!(allowed["users"].as_array().is_none_or(|users| users.len() <= 1), "{message}");
    }
    assert!(posts.iter().all(|request| request.body["enforce_nonce"] == true && !request.body["nonce"].is_null()));
}

#[tokio::test]
async fn follow_ups_say_whom_they_may_ping() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    let board = e.play(board, "d1-c1").await;
    e.discord.deny_bot(e.channel(), permissions::SEND);
    let board = play_by_clicking(&e, &board).await;
    let answer = e.ann.in_dm().slash("move", &[("move", "c1-d1")]).await;
    let longer = |state: &DiscordState| (!state.messages[&answer.id].previous_contents.is_empty()).then_some(());
    e.discord.wait_until("a word that the others do not see it", longer).await;
    let (follow, edits) = (e.discord.requests_to(FOLLOW_UPS), e.discord.requests_to("PATCH /webhooks/*/*/messages/*"));
    assert!(follow.len() >= 2 && !edits.is_empty(), "a board, a word aside and a longer answer");
    for said in follow.iter().chain(&edits) {
        let allowed = &said.body["allowed_mentions"];
        assert_eq!(allowed["parse"], serde_json::json!([]), "{}", said.body);
        assert!(allowed["users"].as_array().is_none_or(|users| users.len() <= 1), "{}", said.body);
    }
    drop(board);
}

#[tokio::test]
async fn interactions_that_are_delivered_twice_take_effect_once() {
    let e = Fixture::start().await;
    e.discord.duplicate_next_interaction();
    let challenge = e.challenge("brandubh").await;
    e.discord.duplicate_next_interaction();
    e.bo.click(&challenge, "Accept").await;
    let board = e.next_post(&challenge).await;
    e.discord.duplicate_next_interaction();
    let board = e.play(board, "d1-c1").await;
    e.idle().await;
    assert_eq!(e.board_count(), 3);
    e.play(board, "d3-e3").await;
    assert_eq!(e.board_count(), 4);
}

#[tokio::test]
async fn without_attach_files_the_board_is_text() {
    let e = Fixture::start().await;
    e.discord.deny_bot(e.channel(), permissions::ATTACH);
    let challenge = e.challenge("brandubh").await;
    assert!(challenge.files().is_empty() && challenge.text().contains("```"), "{}", challenge.text());
    e.bo.click(&challenge, "Accept").await;
    let board = e.next_post(&challenge).await;
    assert!(board.files().is_empty() && board.text().contains("```") && board.pings_only(&e.ann));
    let history = e.ann.slash("history", &[]).await;
    let record = |state: &DiscordState| {
        let mut mine =
            state.messages.values().filter(|message| message.reader == Some(e.ann.id) && message.id > history.id);
        mine.find(|message| message.content.starts_with("```") && message.content.contains("Ratatosk")).map(|_| ())
    };
    e.discord.wait_until("the record, written out", record).await;
    let preview = preview_move(&e.ann, &board, "d1-c1").await;
    e.ann.click(&preview, "Play it").await;
    let post = e.next_post(&board).await;
    assert!(post.files().is_empty() && post.text().contains("```") && post.pings_only(&e.bo), "{}", post.text());
}

#[tokio::test]
async fn without_send_messages_answers_still_work() {
    let e = Fixture::start().await;
    e.discord.deny_bot(e.channel(), permissions::SEND);
    let board = e.start_game("brandubh").await;
    let post = e.ann.slash("move", &[("move", "d1-c1")]).await;
    assert!(post.is_public() && post.pings_only(&e.bo), "{}", post.text());
    e.wait_until_recorded(&post).await;
    let next = play_by_clicking(&e, &post).await;
    let both_are_told = |state: &DiscordState| {
        let told = |message: &&Message| message.reader.is_some() && message.content.contains("/doctor");
        let readers: Vec<Id> = state.messages.values().filter(told).filter_map(|message| message.reader).collect();
        (readers.contains(&e.ann.id) && readers.contains(&e.bo.id)).then_some(())
    };
    e.discord.wait_until("both to be told in private what is missing", both_are_told).await;
    e.idle().await;
    assert_eq!(e.board_count(), 4, "each board once");
    board.wait_until_buttons_are_gone().await;
    e.play(next, "c1-d1").await;
}

/// Lets Bo play d3-e3 by clicking: his menu closes and the board is posted.
async fn play_by_clicking(e: &Fixture, board: &Post) -> Post {
    let menu = e.bo.click(board, "Move").await;
    let squares = e.bo.choose(&menu, "d3").await;
    let preview = e.bo.choose(&squares, "d3-e3").await;
    let closed = e.bo.click(&preview, "Play it").await;
    assert_eq!(closed.id, menu.id, "the private message is updated");
    assert!(closed.text().contains("Played `d3-e3`"), "{}", closed.text());
    assert!(closed.buttons().is_empty() && closed.choices().is_empty() && closed.files().is_empty(), "it closes");
    let post = e.next_post(board).await;
    assert!(post.text().contains("d3-e3") && post.pings_only(&e.ann), "{}", post.text());
    assert!(post.picture_size().is_some() && post.buttons() == BUTTONS);
    board.wait_until_buttons_are_gone().await;
    post
}

#[tokio::test]
async fn a_player_who_moves_elsewhere_is_told_that_the_others_do_not_see_it() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    let elsewhere = e.discord.create_channel("elsewhere");
    e.idle().await;
    let is_told = async |answer: &Post, words: &str| {
        let said = |state: &DiscordState| state.messages[&answer.id].content.contains(words).then_some(());
        e.discord.wait_until(words, said).await;
        assert!(answer.text().contains("do not see this yet") && answer.text().contains("whoever manages"));
        assert!(answer.text().contains(&format!("<#{}>", e.channel())) && answer.pings_nobody(), "{}", answer.text());
        assert!(answer.picture_size().is_some(), "he keeps his board");
    };
    e.discord.deny_bot(e.channel(), permissions::SEND);
    let answer = e.ann.at(elsewhere).slash("move", &[("move", "d1-c1")]).await;
    is_told(&answer, "Send Messages").await;
    // Also when it waits behind another board.
    e.discord.deny_bot(e.channel(), permissions::VIEW);
    let answer = e.bo.in_dm().slash("move", &[("move", "d3-e3")]).await;
    is_told(&answer, "View Channel").await;
    e.discord.state.update(|state| state.channels.get_mut(&e.channel()).unwrap().denied = 0);
    let answer = e.ann.slash("move", &[("move", "c1-d1")]).await;
    // The reason was a missing permission, not a slow Discord.
    assert_private(&answer, &e.ann, "everybody will see this one right after it");
    assert!(!answer.text().contains("slow"), "{}", answer.text());
    let last = e.post_saying(e.channel(), "c1-d1").await;
    e.idle().await;
    assert!(!answer.text().contains("do not see this yet"), "{}", answer.text());
    board.wait_until_buttons_are_gone().await;
    assert_eq!(e.board_count(), 5);
    e.play(last, "e3-d3").await;
}

#[tokio::test]
async fn old_posts_in_a_hidden_channel_lose_their_buttons_once_the_bot_sees_it() {
    for told in [true, false] {
        let e = Fixture::start().await;
        let board = e.start_game("brandubh").await;
        let elsewhere = e.discord.create_channel("elsewhere");
        e.idle().await;
        let before = e.discord.requests_to("PATCH /channels/*/messages/*").iter().filter(|r| r.status == 403).count();
        e.discord.deny_bot(e.channel(), permissions::VIEW);
        let first = e.ann.slash("move", &[("move", "d1-c1")]).await;
        let edits = format!("PATCH /channels/{}/messages/*", e.channel());
        let refused = |state: &DiscordState| {
            let edit = |request: &&RecordedRequest| request.method == "PATCH" && request.status == 403;
            (state.requests.iter().filter(edit).count() > before).then_some(())
        };
        e.discord.wait_until("an edit to be refused", refused).await;
        let tries = e.discord.requests_to(&edits).len();
        let second = e.bo.slash("move", &[("move", "d3-e3")]).await;
        e.wait_until_recorded(&second).await;
        // Once a later post in another channel has lost its buttons, the bot has looked at all of them.
        let (other, _, other_board) = play_in(&e, elsewhere, 0).await;
        other.slash("move", &[("move", "d1-c1")]).await;
        other_board.wait_until_buttons_are_gone().await;
        assert_eq!((board.buttons().len(), first.buttons().len()), (4, 4), "it cannot take them off");
        assert_eq!(e.discord.requests_to(&edits).len(), tries, "nor does it try again and again");
        if told {
            e.discord.allow_bot(e.channel());
        } else {
            // The bot is not told of a new role, but each interaction has its permissions.
            e.discord.state.update(|state| state.channels.get_mut(&e.channel()).unwrap().denied = 0);
            e.ann.slash("games", &[]).await;
        }
        board.wait_until_buttons_are_gone().await;
        first.wait_until_buttons_are_gone().await;
        e.play(second, "c1-d1").await;
    }
}

const FOLLOW_UPS: &str = "POST /webhooks/*/*";

/// Lets Bo play by clicking where the bot may only respond, and the follow-up fails.
async fn assert_one_follow_up_despite(times: usize, failure: Failure) {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    let board = e.play(board, "d1-c1").await;
    e.discord.deny_bot(e.channel(), permissions::SEND);
    e.idle().await;
    e.discord.fail_next(FOLLOW_UPS, times, failure);
    let post = play_by_clicking(&e, &board).await;
    e.idle().await;
    assert_eq!(e.board_count(), 4, "each board once");
    e.play(post, "c1-d1").await;
}

#[tokio::test]
async fn a_follow_up_appears_once_if_only_the_receipt_was_lost() {
    assert_one_follow_up_despite(1, Failure::CloseAfterEffect).await;
}

#[tokio::test]
async fn a_follow_up_is_sent_again_after_a_failure() {
    assert_one_follow_up_despite(2, Failure::Status(502)).await;
    assert_one_follow_up_despite(1, Failure::RateLimit(Duration::from_millis(200))).await;
}

#[tokio::test]
async fn a_follow_up_with_unknown_outcome_is_looked_for_once_the_bot_may() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    let board = e.play(board, "d1-c1").await;
    e.discord.deny_bot(e.channel(), permissions::SEND | permissions::READ_HISTORY);
    e.idle().await;
    e.discord.fail_next(FOLLOW_UPS, 1, Failure::CloseAfterEffect);
    let preview = preview_move(&e.bo, &board, "d3-e3").await;
    e.bo.click(&preview, "Play it").await;
    e.discord.wait_for_status(403).await;
    assert_eq!(e.board_count(), 4);
    // Once it may read the channel, it looks before it posts.
    e.discord.state.update(|state| state.channels.get_mut(&e.channel()).unwrap().denied = 0);
    board.wait_until_buttons_are_gone().await;
    e.idle().await;
    assert_eq!(e.board_count(), 4, "each board once");
}

/// Deletes a game's channel, while the bot runs or while it is stopped, and lets Ann move elsewhere.
async fn assert_game_moves(seen: bool) {
    let mut e = Fixture::start().await;
    let (old, new) = (e.discord.create_channel("old"), e.discord.create_channel("new"));
    let (ann, bo) = (e.ann.at(old), e.bo.at(old));
    let challenge = start_game::challenge(&ann, &bo, "brandubh").await;
    bo.click(&challenge, "Accept").await;
    e.next_post(&challenge).await;
    e.idle().await;
    e.delete_channel(old, seen).await;
    e.ann.at(new).slash("move", &[("move", "d1-c1")]).await;
    let post = e.post_saying(new, "d1-c1").await;
    assert!(post.pings_only(&e.bo), "{}", post.text());
    let post = e.bo.at(new).slash("move", &[("move", "d3-e3")]).await;
    assert!(post.is_public() && post.pings_only(&e.ann), "{}", post.text());
}

#[tokio::test]
async fn a_game_whose_channel_is_deleted_is_relocated_to_where_a_player_uses_a_command() {
    assert_game_moves(true).await;
}

#[tokio::test]
async fn a_game_whose_channel_is_deleted_while_the_bot_is_stopped_is_relocated_too() {
    assert_game_moves(false).await;
}

#[tokio::test]
async fn a_forged_button_is_refused() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    let (message, mut button) = e.ann.remember_button(&board, "Move");
    for forged in ["", "nonsense", "99999/men", "1.0/move/d1-c1;drop", "1.99/resign/sure", "c1/accept", "42.7/accept/"]
    {
        button["custom_id"] = serde_json::json!(forged);
        let answer = e.ann.click_remembered(&(message.clone(), button.clone())).await;
        assert_private(&answer, &e.ann, "");
    }
    e.idle().await;
    assert_eq!(e.board_count(), 2);
    e.play(board, "d1-c1").await;
}

/// Waits until the bot has recorded that a board of the first game could not be posted.
async fn wait_until_tried(e: &Fixture) {
    wait_until("a post to fail", async || (e.bot.open_database().attempts(1) == 0).then(|| e.bot.output())).await;
}

/// Waits until the bot has postponed the board of the first game because it has no channel. Before that the bot would
/// undo what moves the game.
async fn wait_until_postponed(e: &Fixture) {
    wait_until("the board to wait for a channel", async || {
        (!e.bot.open_database().is_postponed_for_long(1)).then(|| e.bot.output())
    })
    .await;
}

/// Starts a game between two new users in a channel. Returns them there, and the first board.
async fn play_in(e: &Fixture, channel: Id, n: usize) -> (Person, Person, Post) {
    let (one, other) = (e.discord.add_user(&format!("Cat{n}")), e.discord.add_user(&format!("Dan{n}")));
    let (one, other) = (one.at(channel), other.at(channel));
    let board = start_game::challenge_and_accept(&one, &other).await;
    (one, other, board)
}

#[tokio::test]
async fn a_board_for_a_deleted_channel_waits_until_a_player_uses_a_command() {
    let mut e = Fixture::start().await;
    let (old, new, dm) = (e.discord.create_channel("old"), e.discord.create_channel("new"), e.ann.in_dm());
    e.start_game_in(old).await;
    e.idle().await;
    // The bot is not told that the channel is gone, and a direct message is no other place for the game.
    e.discord.state.update(|state| state.channels.remove(&old));
    let answer = dm.slash("move", &[("move", "d1-c1")]).await;
    assert_private(&answer, &e.ann, "d1-c1");
    e.discord.wait_for_status(404).await;
    let hint = |state: &DiscordState| state.messages[&answer.id].content.contains("channel is gone").then_some(());
    e.discord.wait_until("a word that nobody else sees it", hint).await;
    wait_until_postponed(&e).await;
    e.bot.restart().await;
    assert_private(&e.bo.at(new).slash("board", &[]).await, &e.bo, "d1-c1");
    let post = e.post_saying(new, "d1-c1").await;
    assert!(post.pings_only(&e.bo) && post.picture_size().is_some(), "{}", post.text());
    let post = e.bo.at(new).click(&post, "Draw").await;
    assert!(post.is_public() && post.pings_only(&e.ann), "{}", post.text());
}

#[tokio::test]
async fn a_game_whose_thread_is_gone_goes_on_in_the_channel() {
    for seen in [true, false] {
        let e = Fixture::start().await;
        let thread = e.discord.create_thread("Ann and Bo");
        e.start_game_in(thread).await;
        e.idle().await;
        if seen {
            e.discord.delete_thread(thread);
            e.bot.wait_until_gone(thread, true).await;
        } else {
            e.discord.state.update(|state| state.channels.remove(&thread));
        }
        e.ann.in_dm().slash("move", &[("move", "d1-c1")]).await;
        let post = e.post_saying(e.channel(), "d1-c1").await;
        assert!(post.pings_only(&e.bo), "{}", post.text());
        // Its buttons are about the game as it is after the move to the channel.
        let post = e.bo.click(&post, "Draw").await;
        assert!(post.is_public() && post.pings_only(&e.ann), "{}", post.text());
        let post = e.bo.slash("move", &[("move", "d3-e3")]).await;
        assert!(post.is_public() && post.pings_only(&e.ann), "{}", post.text());
    }
}

#[tokio::test]
async fn a_game_that_was_relocated_to_a_thread_is_posted_in_the_channel_if_the_thread_is_deleted_first() {
    let e = Fixture::start().await;
    let (old, thread) = (e.discord.create_channel("old"), e.discord.create_thread("new"));
    e.start_game_in(old).await;
    e.idle().await;
    e.discord.delete_channel(old);
    e.bot.wait_until_gone(old, true).await;
    e.discord.fail_next(&format!("POST /channels/{thread}/messages"), 1, Failure::Hold);
    e.ann.at(thread).slash("games", &[]).await;
    e.discord.wait_until_held(1).await;
    e.discord.delete_thread(thread);
    e.bot.wait_until_gone(thread, true).await;
    e.discord.clear_failures();
    let post = e.post_saying(e.channel(), "goes on here").await;
    assert!(post.pings_only(&e.ann) && post.picture_size().is_some(), "{}", post.text());
    e.play(post, "d1-c1").await;
}

/// Starts a game in a forum thread, and deletes the thread. Returns the forum, too.
async fn delete_forum_thread_of_game() -> (Fixture, Id) {
    let e = Fixture::start().await;
    let (forum, thread) = (e.discord.create_channel("forum"), e.discord.create_thread("Ann and Bo"));
    e.discord.state.update(|state| {
        state.channels.get_mut(&forum).unwrap().kind = FORUM;
        state.channels.get_mut(&thread).unwrap().parent = Some(forum);
    });
    e.start_game_in(thread).await;
    e.idle().await;
    e.discord.delete_thread(thread);
    e.bot.wait_until_gone(thread, true).await;
    (e, forum)
}

#[tokio::test]
async fn a_game_whose_forum_thread_is_deleted_waits_until_a_player_uses_a_command() {
    let (e, _) = delete_forum_thread_of_game().await;
    let answer = e.ann.in_dm().slash("move", &[("move", "d1-c1")]).await;
    let hint = |state: &DiscordState| state.messages[&answer.id].content.contains("channel is gone").then_some(());
    e.discord.wait_until("a word that nobody else sees it", hint).await;
    wait_until_postponed(&e).await;
    assert_private(&e.bo.slash("board", &[]).await, &e.bo, "d1-c1");
    let post = e.post_saying(e.channel(), "d1-c1").await;
    assert!(post.pings_only(&e.bo), "{}", post.text());
    e.play(post, "d3-e3").await;
}

#[tokio::test]
async fn a_game_whose_forum_thread_is_deleted_waits_after_other_failures_too() {
    let (e, forum) = delete_forum_thread_of_game().await;
    e.discord.fail_next(&format!("POST /channels/{forum}/messages"), 1, Failure::Status(502));
    e.discord.fail_next(&format!("GET /channels/{forum}"), 1, Failure::Status(502));
    e.ann.in_dm().slash("move", &[("move", "d1-c1")]).await;
    wait_until_postponed(&e).await;
    assert_private(&e.bo.slash("board", &[]).await, &e.bo, "d1-c1");
    let post = e.post_saying(e.channel(), "d1-c1").await;
    assert!(post.pings_only(&e.bo), "{}", post.text());
}

#[tokio::test]
async fn a_challenge_whose_channel_is_deleted_is_accepted_elsewhere() {
    let e = Fixture::start().await;
    let old = e.discord.create_channel("old");
    start_game::challenge(&e.ann.at(old), &e.bo, "brandubh").await;
    e.idle().await;
    e.discord.delete_channel(old);
    e.bot.wait_until_gone(old, true).await;
    let shown = e.bo.slash("challenges", &[]).await;
    e.bo.click(&shown, "Accept").await;
    let board = e.post_saying(e.channel(), "to move").await;
    assert!(board.pings_only(&e.ann), "{}", board.text());
    e.play(board, "d1-c1").await;
}

#[tokio::test]
async fn an_answer_that_discord_refuses_is_replaced_by_a_plain_one() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    e.idle().await;
    e.discord.fail_next(CALLBACK, 1, Failure::Status(400));
    assert_private(&e.ann.slash("rules", &[("variant", "york")]).await, &e.ann, "did not take my answer");
    e.discord.fail_next(CALLBACK, 1, Failure::Status(413));
    assert_private(&e.ann.slash("move", &[("move", "d1-c1")]).await, &e.ann, "It is done");
    let post = e.next_post(&board).await;
    assert!(post.text().contains("d1-c1") && post.pings_only(&e.bo), "everybody sees it: {}", post.text());
    e.discord.fail_next(CALLBACK, 1, Failure::Status(400));
    assert!(e.bo.complete("move", &[], ("move", "d3")).await.is_empty());
    e.play(post, "d3-e3").await;
    assert_eq!(e.board_count(), 4, "each board once");
}

#[tokio::test]
async fn a_picture_that_discord_refuses_is_written_as_text() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    let elsewhere = e.discord.create_channel("elsewhere");
    e.discord.fail_next(POSTS, 1, Failure::Status(400));
    e.ann.at(elsewhere).slash("move", &[("move", "d1-c1")]).await;
    let post = e.next_post(&board).await;
    assert!(post.files().is_empty() && post.text().contains("```") && post.pings_only(&e.bo), "{}", post.text());
}

#[tokio::test]
async fn boards_of_one_game_appear_in_order_although_one_failed() {
    let e = Fixture::start().await;
    let board = e.start_game("brandubh").await;
    let elsewhere = e.discord.create_channel("elsewhere");
    e.idle().await;
    e.discord.fail_next(POSTS, usize::MAX, Failure::Status(502));
    e.ann.at(elsewhere).slash("move", &[("move", "d1-c1")]).await;
    wait_until_tried(&e).await;
    let answer = e.bo.slash("move", &[("move", "d3-e3")]).await;
    assert_private(&answer, &e.bo, "d3-e3");
    assert_private(&answer, &e.bo, "everybody will see this one right after it");
    assert!(answer.picture_size().is_some(), "he sees it at once");
    e.discord.clear_failures();
    let first = e.next_post(&board).await;
    // Bo has moved already: the post does not ping him and has no buttons.
    assert!(first.text().contains("d1-c1") && first.text().contains("comes late"), "{}", first.text());
    assert!(first.pings_nobody() && first.buttons().is_empty() && first.picture_size().is_some());
    let second = e.next_post(&first).await;
    assert!(second.text().contains("d3-e3") && second.pings_only(&e.ann), "{}", second.text());
    assert_eq!(second.buttons(), BUTTONS);
    e.play(second, "c1-d1").await;
    assert_eq!(e.board_count(), 5);
}

#[tokio::test]
async fn posts_respect_the_rate_limit_of_a_channel_and_other_channels_do_not_wait() {
    let e = Fixture::start().await;
    let (busy, quiet, elsewhere) =
        (e.discord.create_channel("busy"), e.discord.create_channel("quiet"), e.discord.create_channel("else"));
    let mut games = Vec::new();
    for n in 0..5 {
        games.push(play_in(&e, busy, n).await);
    }
    let (other, ..) = play_in(&e, quiet, 5).await;
    e.idle().await;
    e.discord.limit_posts(3, Duration::from_secs(2));
    for (one, ..) in &games {
        one.at(elsewhere).slash("move", &[("move", "d1-c1")]).await;
    }
    let posted = |state: &DiscordState| state.posts(busy).iter().filter(|post| post.content.contains("d1-c1")).count();
    e.discord.wait_until("all boards", |state| (posted(state) == 5).then_some(())).await;
    e.idle().await;
    // From now on the fourth post would have to wait for longer than a test may take.
    e.discord.limit_posts(3, Duration::from_secs(600));
    for (_, other, _) in &games {
        other.at(elsewhere).slash("move", &[("move", "d3-e3")]).await;
    }
    other.at(elsewhere).slash("move", &[("move", "d1-c1")]).await;
    e.post_saying(quiet, "d1-c1").await;
    assert!(e.discord.posts_saying(busy, "d3-e3").len() <= 3, "the quiet channel did not wait for the busy one");
    let refused = e.discord.requests_to(POSTS).iter().filter(|request| request.status == 429).count();
    assert_eq!(refused, 0, "Discord never had to say that it is too fast");
}

#[tokio::test]
async fn a_global_rate_limit_delays_posts_but_no_answers() {
    let e = Fixture::start().await;
    let elsewhere = e.discord.create_channel("elsewhere");
    let (one, next, _) = play_in(&e, e.channel(), 0).await;
    let (other, ..) = play_in(&e, elsewhere, 1).await;
    e.idle().await;
    let limited = |state: &DiscordState, times: usize| {
        let mut limits = state.requests.iter().filter(|request| request.status == 429);
        limits.nth(times - 1).map(|request| request.at)
    };
    const LIMIT: Duration = Duration::from_secs(2);
    e.discord.fail_next(POSTS, 1, Failure::GlobalRateLimit(LIMIT));
    one.at(elsewhere).slash("move", &[("move", "d1-c1")]).await;
    let limited_at = e.discord.wait_until("the limit", |state| limited(state, 1)).await;
    other.at(e.channel()).slash("move", &[("move", "d1-c1")]).await;
    for channel in [elsewhere, e.channel()] {
        let post = e.post_saying(channel, "d1-c1").await;
        let sent = e.discord.state.read(|state| state.messages[&post.id].sent);
        assert!(sent - limited_at >= LIMIT.as_millis() as u64, "no channel is posted in before");
    }
    e.idle().await;
    // Longer than a test may take.
    e.discord.fail_next(POSTS, 1, Failure::GlobalRateLimit(Duration::from_secs(600)));
    next.at(elsewhere).slash("move", &[("move", "d3-e3")]).await;
    e.discord.wait_until("the limit", |state| limited(state, 2)).await;
    assert_private(&one.at(elsewhere).slash("games", &[]).await, &one, "1 running game");
    assert!(e.discord.posts_saying(e.channel(), "d3-e3").is_empty(), "the board still waits");
}

#[tokio::test]
async fn without_embed_links_a_long_text_is_several_messages() {
    let e = Fixture::start().await;
    for n in 0..20 {
        e.start_game("sea-battle").await;
        if n % 4 == 0 {
            e.ann.slash("abort", &[("game", &(n + 1).to_string())]).await;
        }
    }
    let folded = e.ann.slash("games", &[]).await;
    assert_eq!(e.discord.state.read(|state| state.messages[&folded.id].embeds.len()), 1, "it is a long list");
    e.discord.deny_bot(e.channel(), permissions::EMBED);
    let first = e.ann.slash("games", &[]).await;
    let whole = e.discord.state.read(|state| {
        let folded = &state.messages[&folded.id];
        format!("{}\n{}", folded.content, folded.embeds[0]["description"].as_str().unwrap())
    });
    let all_of_it = |state: &DiscordState| {
        let interaction = state.messages[&first.id].interaction;
        let sent: Vec<_> = state.messages.values().filter(|message| message.interaction == interaction).collect();
        assert!(sent.iter().all(|message| message.reader == Some(e.ann.id)), "only for her");
        assert!(sent.iter().all(|message| message.embeds.is_empty()));
        let text: Vec<&str> = sent.iter().map(|message| message.content.as_str()).collect();
        (text.join("\n") == whole).then_some(sent.len())
    };
    assert!(e.discord.wait_until("the whole text", all_of_it).await > 1);
}
