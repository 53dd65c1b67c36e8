//! When things go wrong between the bot and Discord: every board appears, and appears once.

use crate::evening::{BUTTONS, Evening, told_in_private};
use crate::standin::model::{FORUM, Id, Message, World, may};
use crate::standin::people::{Person, Post};
use crate::standin::rest::Trouble;
use std::time::{Duration, Instant};

const CALLBACK: &str = "POST /interactions/*/*/callback";
const POSTS: &str = "POST /channels/*/messages";

/// Ann moves while something is wrong; the board has to appear once and the game has to go on.
async fn one_board_in_spite_of(route: &str, times: usize, trouble: Trouble, late: bool) {
    let e = Evening::begins().await;
    let board = e.game("brandubh").await;
    e.discord.settle().await;
    e.discord.trouble(route, times, trouble);
    e.ann.send_slash("move", &[("move", "d1-c1")]).unwrap();
    if late {
        // By the time the answer comes, Discord has given up.
        e.discord.advance(Duration::from_secs(4));
    }
    let post = e.next(&board).await;
    assert!(post.text().contains("d1-c1") && post.calls_only(&e.bo), "{}", post.text());
    board.loses_buttons().await;
    e.discord.settle().await;
    assert_eq!(e.boards(), 3, "challenge, first board, one move");
    assert_eq!(post.buttons(), BUTTONS);
    e.discord.no_trouble();
    e.moves(post, "d3-e3").await;
}

#[tokio::test]
async fn an_answer_whose_receipt_was_lost_is_not_repeated() {
    one_board_in_spite_of(CALLBACK, 1, Trouble::CutAfterDoing, false).await;
}

#[tokio::test]
async fn an_answer_that_arrived_although_discord_failed_is_not_repeated() {
    one_board_in_spite_of(CALLBACK, 1, Trouble::FailAfterDoing(502), false).await;
}

#[tokio::test]
async fn an_answer_that_was_cut_off_is_sent_again() {
    one_board_in_spite_of(CALLBACK, 1, Trouble::Cut, false).await;
}

#[tokio::test]
async fn an_answer_that_was_reset_is_sent_again() {
    one_board_in_spite_of(CALLBACK, 1, Trouble::Reset, false).await;
}

#[tokio::test]
async fn an_answer_whose_receipt_was_reset_or_torn_is_not_repeated() {
    one_board_in_spite_of(CALLBACK, 1, Trouble::ResetAfterDoing, false).await;
    one_board_in_spite_of(CALLBACK, 1, Trouble::Torn, false).await;
}

#[tokio::test]
async fn an_answer_that_failed_is_sent_again() {
    one_board_in_spite_of(CALLBACK, 2, Trouble::Fail(503), false).await;
}

#[tokio::test]
async fn an_answer_that_is_too_fast_waits() {
    one_board_in_spite_of(CALLBACK, 1, Trouble::Limit(Duration::from_millis(200)), false).await;
}

#[tokio::test]
async fn an_answer_that_came_too_late_is_posted() {
    one_board_in_spite_of(CALLBACK, 1, Trouble::Slow(Duration::from_millis(200)), true).await;
}

#[tokio::test]
async fn an_answer_that_failed_until_it_was_too_late_is_posted() {
    one_board_in_spite_of(CALLBACK, 2, Trouble::Fail(500), true).await;
}

/// Ann plays by clicking, so that the bot posts the board itself.
async fn one_post_in_spite_of(trouble: Trouble) {
    let e = Evening::begins().await;
    let board = e.game("brandubh").await;
    let menu = e.ann.click(&board, "Move").await;
    let squares = e.ann.choose(&menu, "d1").await;
    let preview = e.ann.choose(&squares, "d1-c1").await;
    e.discord.trouble(POSTS, 1, trouble);
    e.ann.click(&preview, "Play it").await;
    let post = e.next(&board).await;
    assert!(post.text().contains("d1-c1") && post.calls_only(&e.bo));
    // Only when it knows which message it was does the bot take the former buttons off.
    board.loses_buttons().await;
    e.discord.settle().await;
    assert_eq!(e.boards(), 3);
    e.moves(post, "d3-e3").await;
}

#[tokio::test]
async fn a_post_that_failed_is_posted_again() {
    one_post_in_spite_of(Trouble::Fail(502)).await;
}

#[tokio::test]
async fn a_post_whose_receipt_was_lost_appears_once() {
    one_post_in_spite_of(Trouble::CutAfterDoing).await;
}

#[tokio::test]
async fn a_post_whose_receipt_was_reset_or_torn_appears_once() {
    one_post_in_spite_of(Trouble::ResetAfterDoing).await;
    one_post_in_spite_of(Trouble::Torn).await;
}

#[tokio::test]
async fn a_post_that_is_too_fast_waits() {
    one_post_in_spite_of(Trouble::Limit(Duration::from_millis(100))).await;
}

#[tokio::test]
async fn an_answer_whose_fate_nobody_could_find_out_is_looked_for_before_it_is_posted() {
    let e = Evening::begins().await;
    let board = e.game("brandubh").await;
    e.discord.settle().await;
    e.discord.trouble(CALLBACK, 1, Trouble::CutAfterDoing);
    e.discord.trouble("GET /webhooks/*/*/messages/@original", 1000, Trouble::Fail(503));
    e.ann.send_slash("move", &[("move", "d1-c1")]).unwrap();
    let post = e.next(&board).await;
    // So long the bot asks what became of its answer.
    tokio::time::sleep(Duration::from_secs(30)).await;
    board.loses_buttons().await;
    e.discord.settle().await;
    assert_eq!(e.boards(), 3, "challenge, first board, one move");
    e.moves(post, "d3-e3").await;
}

#[tokio::test]
async fn a_message_is_not_given_up_for_one_refusal_after_other_trouble() {
    let mut e = Evening::begins().await;
    e.game("brandubh").await;
    e.discord.settle().await;
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.said());
    e.bot.alter("UPDATE owed SET closed = NULL, message = NULL, attempts = 6 WHERE game = 1");
    e.discord.shared.change(|world| world.messages.values_mut().for_each(|message| message.deleted = true));
    e.discord.trouble(POSTS, 2, Trouble::Fail(400));
    e.bot.start().await;
    let refused = |world: &World| (world.asked.iter().filter(|asked| asked.status == 400).count() == 2).then_some(());
    e.discord.wait_for("a refusal with and without the picture", refused).await;
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.said());
    assert!(
        e.bot.said().contains("posting failed, retrying in") && !e.bot.said().contains("giving up"),
        "{}",
        e.bot.said()
    );
}

#[tokio::test]
async fn more_than_is_read_at_once_in_a_full_channel_keeps_no_other_channel_waiting() {
    let mut e = Evening::begins().await;
    e.game("brandubh").await;
    let quiet = e.discord.channel("quiet");
    play_in(&e, quiet, 0).await;
    e.discord.settle().await;
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.said());
    e.bot.alter(
        "WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) INSERT INTO games SELECT i, \
         version, variant, layout, ruleset, attackers, defenders, pace, server, channel, thread, began, changed, plies, \
         position, to_move, deadline, reminded, flagged, offers, wake_at, winner, ending, ended \
         FROM n, games WHERE games.id = 1",
    );
    let owe = |which: &str| {
        e.bot.alter(&format!(
            "INSERT INTO owed (game, server, channel, thread, news, made, due) SELECT games.id, server, channel, thread, \
             (SELECT news FROM owed WHERE game = 1), began, began FROM games WHERE {which}"
        ));
    };
    owe("id >= 100");
    owe("id = 2");
    e.discord.shared.change(|world| world.messages.values_mut().for_each(|message| message.deleted = true));
    e.discord.count_posts(1, Duration::from_secs(600));
    e.bot.start().await;
    let posted = |world: &World| (!world.posts(quiet).is_empty()).then_some(());
    e.discord.wait_for("the board in the other channel", posted).await;
}

#[tokio::test]
async fn former_posts_in_one_channel_do_not_wait_for_another_that_is_changed_too_fast() {
    let e = Evening::begins().await;
    let busy = e.discord.channel("busy");
    let (one, _, first) = play_in(&e, busy, 0).await;
    let board = e.game("brandubh").await;
    e.discord.settle().await;
    let limit = Trouble::Limit(Duration::from_secs(60));
    e.discord.trouble(&format!("PATCH /channels/{busy}/messages/*"), 1, limit);
    one.slash("move", &[("move", "d1-c1")]).await;
    e.discord.wait_for("the limit", |w| w.asked.iter().any(|asked| asked.status == 429).then_some(())).await;
    e.moves(board, "d1-c1 d3-e3").await;
    assert!(!first.buttons().is_empty(), "that one waits");
}

#[tokio::test]
async fn a_post_whose_receipt_was_lost_is_looked_for_until_that_works() {
    let e = Evening::begins().await;
    let board = e.game("brandubh").await;
    let menu = e.ann.click(&board, "Move").await;
    let squares = e.ann.choose(&menu, "d1").await;
    let preview = e.ann.choose(&squares, "d1-c1").await;
    e.discord.settle().await;
    e.discord.trouble(POSTS, 1, Trouble::CutAfterDoing);
    e.discord.trouble("GET /channels/*/messages", 1, Trouble::Fail(500));
    e.ann.click(&preview, "Play it").await;
    let first = e.next(&board).await;
    while !e.bot.said().contains("posting failed, retrying") {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // The game goes on before the bot knows that this board stands.
    told_in_private(&e.bo.slash("move", &[("move", "d3-e3")]).await, &e.bo, "right after it");
    let second = e.next(&first).await;
    assert!(second.text().contains("d3-e3") && second.calls_only(&e.ann), "{}", second.text());
    first.loses_buttons().await;
    assert_eq!((second.buttons().len(), e.boards()), (BUTTONS.len(), 4), "each board once");
}

#[tokio::test]
async fn an_offer_of_a_rematch_that_is_accepted_before_the_bot_has_its_receipt_loses_its_buttons() {
    let e = Evening::begins().await;
    e.game("brandubh").await;
    let sure = e.ann.slash("resign", &[]).await;
    e.ann.click(&sure, "Resign").await;
    e.discord.settle().await;
    e.discord.trouble(CALLBACK, 1, Trouble::SlowReceipt(Duration::from_millis(1_500)));
    let offer = e.ann.slash("rematch", &[]).await;
    let board = e.bo.click(&offer, "Accept rematch").await;
    assert!(board.is_public() && board.text().contains("#2"), "{}", board.text());
    offer.loses_buttons().await;
}

#[tokio::test]
async fn answers_do_not_wait_for_posts_that_do_not_get_through() {
    let e = Evening::begins().await;
    e.game("brandubh").await;
    e.discord.trouble(POSTS, 1000, Trouble::Slow(Duration::from_secs(8)));
    let elsewhere = e.discord.channel("elsewhere");
    for n in 0..6 {
        let people = (e.discord.user(&format!("Cat{n}")), e.discord.user(&format!("Dan{n}")));
        let options = [("variant", "brandubh"), ("opponent", people.1.mention()), ("side", "attackers")];
        let challenge = people.0.slash("challenge", &options).await;
        people.1.click(&challenge, "Accept").await;
        people.0.at(elsewhere).slash("move", &[("move", "d1-c1")]).await;
    }
    told_in_private(&e.ann.slash("games", &[]).await, &e.ann, "1 running game");
}

#[tokio::test]
async fn what_is_said_while_the_gateway_is_cut_is_answered_once_it_is_back() {
    let e = Evening::begins().await;
    let board = e.game("brandubh").await;
    e.discord.cut_gateway();
    e.discord.wait_for("the cut", |world| (!world.gateway.connected()).then_some(())).await;
    let board = e.moves(board, "d1-c1").await;
    assert_eq!(e.discord.shared.look(|world| (world.gateway.identified, world.gateway.resumed)), (1, 1));
    e.discord.ask_to_reconnect();
    let board = e.moves(board, "d3-e3").await;
    e.discord.close_gateway(4000);
    let board = e.moves(board, "c1-d1").await;
    e.discord.settle().await;
    assert_eq!(e.boards(), 5, "nothing was answered twice");
    e.discord.invalidate_session(false);
    e.discord.wait_for("a new session", |world| (world.gateway.identified == 2).then_some(())).await;
    e.moves(board, "e3-d3").await;
}

#[tokio::test]
async fn the_bot_comes_back_after_the_gateway_was_away() {
    let e = Evening::begins().await;
    let board = e.game("brandubh").await;
    e.discord.shut_gateway(true);
    e.discord.cut_gateway();
    e.discord.wait_for("the cut", |world| (!world.gateway.connected()).then_some(())).await;
    e.discord.settle().await;
    e.discord.shut_gateway(false);
    e.discord.wait_for("the bot to come back", |world| world.gateway.connected().then_some(())).await;
    e.moves(board, "d1-c1 d3-e3").await;
}

#[tokio::test]
async fn every_message_and_edit_says_whom_it_may_call() {
    let e = Evening::begins().await;
    let board = e.game("brandubh").await;
    let board = e.moves(board, "d1-c1").await;
    let menu = e.bo.click(&board, "Move").await;
    let squares = e.bo.choose(&menu, "d3").await;
    let preview = e.bo.choose(&squares, "d3-e3").await;
    e.bo.click(&preview, "Play it").await;
    e.next(&board).await;
    board.loses_buttons().await;
    let (answers, posts, edits) =
        (e.discord.asked(CALLBACK), e.discord.asked(POSTS), e.discord.asked("PATCH /channels/*/messages/*"));
    assert!(answers.len() >= 7 && !posts.is_empty() && edits.len() >= 3);
    let said =
        answers.iter().map(|asked| &asked.body["data"]).chain(posts.iter().chain(&edits).map(|asked| &asked.body));
    for message in said {
        let allowed = &message["allowed_mentions"];
        assert_eq!(allowed["parse"], serde_json::json!([]), "{message}");
        assert!(allowed["users"].as_array().is_none_or(|users| users.len() <= 1), "{message}");
    }
    assert!(posts.iter().all(|asked| asked.body["enforce_nonce"] == true && !asked.body["nonce"].is_null()));
}

#[tokio::test]
async fn what_follows_an_answer_says_whom_it_may_call() {
    let e = Evening::begins().await;
    let board = e.game("brandubh").await;
    let board = e.moves(board, "d1-c1").await;
    e.discord.deny(e.here(), may::SEND);
    let board = plays_by_clicking(&e, &board).await;
    let answer = e.ann.in_private().slash("move", &[("move", "c1-d1")]).await;
    let longer = |world: &World| (!world.messages[&answer.id].former.is_empty()).then_some(());
    e.discord.wait_for("a word that the others do not see it", longer).await;
    let (follow, edits) = (e.discord.asked(FOLLOWERS), e.discord.asked("PATCH /webhooks/*/*/messages/*"));
    assert!(follow.len() >= 2 && !edits.is_empty(), "a board, a word aside and a longer answer");
    for said in follow.iter().chain(&edits) {
        let allowed = &said.body["allowed_mentions"];
        assert_eq!(allowed["parse"], serde_json::json!([]), "{}", said.body);
        assert!(allowed["users"].as_array().is_none_or(|users| users.len() <= 1), "{}", said.body);
    }
    drop(board);
}

#[tokio::test]
async fn what_is_delivered_twice_is_done_once() {
    let e = Evening::begins().await;
    e.discord.deliver_twice();
    let challenge = e.challenge("brandubh").await;
    e.discord.deliver_twice();
    e.bo.click(&challenge, "Accept").await;
    let board = e.next(&challenge).await;
    e.discord.deliver_twice();
    let board = e.moves(board, "d1-c1").await;
    e.discord.settle().await;
    assert_eq!(e.boards(), 3);
    e.moves(board, "d3-e3").await;
    assert_eq!(e.boards(), 4);
}

#[tokio::test]
async fn without_attach_files_the_board_is_text() {
    let e = Evening::begins().await;
    e.discord.deny(e.here(), may::ATTACH);
    let challenge = e.challenge("brandubh").await;
    assert!(challenge.files().is_empty() && challenge.text().contains("```"), "{}", challenge.text());
    e.bo.click(&challenge, "Accept").await;
    let board = e.next(&challenge).await;
    assert!(board.files().is_empty() && board.text().contains("```") && board.calls_only(&e.ann));
    let history = e.ann.slash("history", &[]).await;
    let record = |world: &World| {
        let mut mine =
            world.messages.values().filter(|message| message.reader == Some(e.ann.id) && message.id > history.id);
        mine.find(|message| message.content.starts_with("```") && message.content.contains("Ratatosk")).map(|_| ())
    };
    e.discord.wait_for("the record, written out", record).await;
    let menu = e.ann.click(&board, "Move").await;
    let squares = e.ann.choose(&menu, "d1").await;
    let preview = e.ann.choose(&squares, "d1-c1").await;
    e.ann.click(&preview, "Play it").await;
    let post = e.next(&board).await;
    assert!(post.files().is_empty() && post.text().contains("```") && post.calls_only(&e.bo), "{}", post.text());
}

#[tokio::test]
async fn without_send_messages_the_answer_still_works() {
    let e = Evening::begins().await;
    e.discord.deny(e.here(), may::SEND);
    let board = e.game("brandubh").await;
    let post = e.ann.slash("move", &[("move", "d1-c1")]).await;
    assert!(post.is_public() && post.calls_only(&e.bo), "{}", post.text());
    let next = plays_by_clicking(&e, &post).await;
    e.discord.settle().await;
    let asides = e.discord.shared.look(|world| {
        let told = |message: &&Message| message.reader.is_some() && message.content.contains("/doctor");
        world.messages.values().filter(told).map(|message| message.reader.unwrap()).collect::<Vec<_>>()
    });
    assert!(asides.contains(&e.ann.id) && asides.contains(&e.bo.id), "each is told in private what is missing");
    assert_eq!(e.boards(), 4, "each board once");
    board.loses_buttons().await;
    e.moves(next, "c1-d1").await;
}

/// Bo plays d3-e3 by clicking: his menu closes and the board follows.
async fn plays_by_clicking(e: &Evening, board: &Post) -> Post {
    let menu = e.bo.click(board, "Move").await;
    let squares = e.bo.choose(&menu, "d3").await;
    let preview = e.bo.choose(&squares, "d3-e3").await;
    let closed = e.bo.click(&preview, "Play it").await;
    assert_eq!(closed.id, menu.id, "the private message is updated");
    assert!(closed.text().contains("Played `d3-e3`"), "{}", closed.text());
    assert!(closed.buttons().is_empty() && closed.choices().is_empty() && closed.files().is_empty(), "it closes");
    let post = e.next(board).await;
    assert!(post.text().contains("d3-e3") && post.calls_only(&e.ann), "{}", post.text());
    assert!(post.picture().is_some() && post.buttons() == BUTTONS);
    board.loses_buttons().await;
    post
}

#[tokio::test]
async fn whoever_moves_elsewhere_hears_that_the_others_do_not_see_it() {
    let e = Evening::begins().await;
    let board = e.game("brandubh").await;
    let elsewhere = e.discord.channel("elsewhere");
    e.discord.settle().await;
    let hears = async |answer: &Post, words: &str| {
        let said = |world: &World| world.messages[&answer.id].content.contains(words).then_some(());
        e.discord.wait_for(words, said).await;
        assert!(answer.text().contains("do not see this yet") && answer.text().contains("whoever manages"));
        assert!(answer.text().contains(&format!("<#{}>", e.here())) && answer.calls_nobody(), "{}", answer.text());
        assert!(answer.picture().is_some(), "he keeps his board");
    };
    e.discord.deny(e.here(), may::SEND);
    let answer = e.ann.at(elsewhere).slash("move", &[("move", "d1-c1")]).await;
    hears(&answer, "Send Messages").await;
    // Also when it waits behind another board.
    e.discord.deny(e.here(), may::VIEW);
    let answer = e.bo.in_private().slash("move", &[("move", "d3-e3")]).await;
    hears(&answer, "View Channel").await;
    e.discord.shared.change(|world| world.channels.get_mut(&e.here()).unwrap().denied = 0);
    let answer = e.ann.slash("move", &[("move", "c1-d1")]).await;
    // It was the server that had forbidden it, not Discord that was slow.
    told_in_private(&answer, &e.ann, "everybody will see this one right after it");
    assert!(!answer.text().contains("slow"), "{}", answer.text());
    let last = e.discord.post_saying(e.here(), "c1-d1").await;
    e.discord.settle().await;
    assert!(!answer.text().contains("do not see this yet"), "{}", answer.text());
    board.loses_buttons().await;
    assert_eq!(e.boards(), 5);
    e.moves(last, "e3-d3").await;
}

#[tokio::test]
async fn posts_made_where_the_bot_sees_nothing_lose_their_buttons_once_it_does() {
    for told in [true, false] {
        let e = Evening::begins().await;
        let board = e.game("brandubh").await;
        e.discord.settle().await;
        e.discord.deny(e.here(), may::VIEW);
        let first = e.ann.slash("move", &[("move", "d1-c1")]).await;
        let second = e.bo.slash("move", &[("move", "d3-e3")]).await;
        e.discord.settle().await;
        assert_eq!((board.buttons().len(), first.buttons().len()), (4, 4), "it cannot take them off");
        let tries = e.discord.asked("PATCH /channels/*/messages/*").len();
        e.discord.settle().await;
        assert_eq!(e.discord.asked("PATCH /channels/*/messages/*").len(), tries, "nor does it try again and again");
        if told {
            e.discord.allow(e.here());
        } else {
            // A role may have been granted, of which nobody tells the bot; but every command does.
            e.discord.shared.change(|world| world.channels.get_mut(&e.here()).unwrap().denied = 0);
            e.ann.slash("games", &[]).await;
        }
        board.loses_buttons().await;
        first.loses_buttons().await;
        e.moves(second, "c1-d1").await;
    }
}

const FOLLOWERS: &str = "POST /webhooks/*/*";

/// Bo plays by clicking where the bot may only answer, and something is wrong with what follows.
async fn one_follower_in_spite_of(times: usize, trouble: Trouble) {
    let e = Evening::begins().await;
    let board = e.game("brandubh").await;
    let board = e.moves(board, "d1-c1").await;
    e.discord.deny(e.here(), may::SEND);
    e.discord.settle().await;
    e.discord.trouble(FOLLOWERS, times, trouble);
    let post = plays_by_clicking(&e, &board).await;
    e.discord.settle().await;
    assert_eq!(e.boards(), 4, "each board once");
    e.moves(post, "c1-d1").await;
}

#[tokio::test]
async fn a_board_that_follows_appears_once_although_the_receipt_was_lost() {
    one_follower_in_spite_of(1, Trouble::CutAfterDoing).await;
}

#[tokio::test]
async fn a_board_that_could_not_follow_is_sent_again() {
    one_follower_in_spite_of(2, Trouble::Fail(502)).await;
    one_follower_in_spite_of(1, Trouble::Limit(Duration::from_millis(200))).await;
}

#[tokio::test]
async fn a_board_that_may_have_followed_where_nobody_can_look_is_owed() {
    let e = Evening::begins().await;
    let board = e.game("brandubh").await;
    let board = e.moves(board, "d1-c1").await;
    e.discord.deny(e.here(), may::SEND | may::READ_HISTORY);
    e.discord.settle().await;
    e.discord.trouble(FOLLOWERS, 1, Trouble::CutAfterDoing);
    let menu = e.bo.click(&board, "Move").await;
    let squares = e.bo.choose(&menu, "d3").await;
    let preview = e.bo.choose(&squares, "d3-e3").await;
    e.bo.click(&preview, "Play it").await;
    e.discord.wait_for("a post in vain", |w| w.asked.iter().any(|asked| asked.status == 403).then_some(())).await;
    assert_eq!(e.boards(), 4);
    // Once it may, it looks before it posts.
    e.discord.shared.change(|world| world.channels.get_mut(&e.here()).unwrap().denied = 0);
    board.loses_buttons().await;
    e.discord.settle().await;
    assert_eq!(e.boards(), 4, "each board once");
}

/// A game's channel is deleted, while the bot is there to see it or not; then Ann moves elsewhere.
async fn a_channel_goes(seen: bool) {
    let mut e = Evening::begins().await;
    let (old, new) = (e.discord.channel("old"), e.discord.channel("new"));
    let (ann, bo) = (e.ann.at(old), e.bo.at(old));
    let options = [("variant", "brandubh"), ("opponent", bo.mention()), ("side", "attackers")];
    let challenge = ann.slash("challenge", &options).await;
    bo.click(&challenge, "Accept").await;
    e.next(&challenge).await;
    e.discord.settle().await;
    if !seen {
        e.bot.kill().await;
    }
    e.discord.delete_channel(old);
    if !seen {
        e.bot.start().await;
    }
    e.discord.settle().await;
    e.ann.at(new).slash("move", &[("move", "d1-c1")]).await;
    let post = e.discord.post_saying(new, "d1-c1").await;
    assert!(post.calls_only(&e.bo), "{}", post.text());
    let post = e.bo.at(new).slash("move", &[("move", "d3-e3")]).await;
    assert!(post.is_public() && post.calls_only(&e.ann), "{}", post.text());
}

#[tokio::test]
async fn a_game_whose_channel_is_gone_moves_to_where_a_player_speaks() {
    a_channel_goes(true).await;
}

#[tokio::test]
async fn a_game_whose_channel_went_unseen_moves_to_where_a_player_speaks() {
    a_channel_goes(false).await;
}

#[tokio::test]
async fn a_forged_button_is_refused() {
    let e = Evening::begins().await;
    let board = e.game("brandubh").await;
    let (message, mut button) = e.ann.remember_button(&board, "Move");
    for forged in ["", "nonsense", "99999/men", "1.0/move/d1-c1;drop", "1.99/resign/sure", "c1/accept", "42.7/accept/"]
    {
        button["custom_id"] = serde_json::json!(forged);
        let answer = e.ann.click_remembered(&(message.clone(), button.clone())).await;
        told_in_private(&answer, &e.ann, "");
    }
    e.discord.settle().await;
    assert_eq!(e.boards(), 2);
    e.moves(board, "d1-c1").await;
}

/// Two people who play in a channel; gives them there, and the first board.
async fn play_in(e: &Evening, channel: Id, n: usize) -> (Person, Person, Post) {
    let (one, other) = (e.discord.user(&format!("Cat{n}")), e.discord.user(&format!("Dan{n}")));
    let (one, other) = (one.at(channel), other.at(channel));
    let options = [("variant", "brandubh"), ("opponent", other.mention()), ("side", "attackers")];
    let challenge = one.slash("challenge", &options).await;
    let board = other.click(&challenge, "Accept").await;
    (one, other, board)
}

#[tokio::test]
async fn a_board_for_a_channel_that_went_unseen_waits_until_a_player_speaks() {
    let mut e = Evening::begins().await;
    let (old, new, dm) = (e.discord.channel("old"), e.discord.channel("new"), e.ann.in_private());
    let (ann, bo) = (e.ann.at(old), e.bo.at(old));
    let options = [("variant", "brandubh"), ("opponent", bo.mention()), ("side", "attackers")];
    let challenge = ann.slash("challenge", &options).await;
    bo.click(&challenge, "Accept").await;
    e.discord.settle().await;
    // Nobody tells the bot that the channel is gone, and from a direct message it can go nowhere else.
    e.discord.shared.change(|world| world.channels.remove(&old));
    let answer = dm.slash("move", &[("move", "d1-c1")]).await;
    told_in_private(&answer, &e.ann, "d1-c1");
    e.discord.wait_for("a post in vain", |w| w.asked.iter().any(|asked| asked.status == 404).then_some(())).await;
    let hint = |world: &World| world.messages[&answer.id].content.contains("channel is gone").then_some(());
    e.discord.wait_for("a word that nobody else sees it", hint).await;
    e.bot.restart().await;
    e.discord.settle().await;
    told_in_private(&e.bo.at(new).slash("board", &[]).await, &e.bo, "d1-c1");
    let post = e.discord.post_saying(new, "d1-c1").await;
    assert!(post.calls_only(&e.bo) && post.picture().is_some(), "{}", post.text());
    let post = e.bo.at(new).click(&post, "Draw").await;
    assert!(post.is_public() && post.calls_only(&e.ann), "{}", post.text());
}

#[tokio::test]
async fn a_game_whose_thread_is_gone_goes_on_in_the_channel() {
    for seen in [true, false] {
        let e = Evening::begins().await;
        let thread = e.discord.thread("Ann and Bo");
        let (ann, bo) = (e.ann.at(thread), e.bo.at(thread));
        let options = [("variant", "brandubh"), ("opponent", bo.mention()), ("side", "attackers")];
        let challenge = ann.slash("challenge", &options).await;
        bo.click(&challenge, "Accept").await;
        e.discord.settle().await;
        if seen {
            e.discord.delete_thread(thread);
            e.discord.settle().await;
        } else {
            e.discord.shared.change(|world| world.channels.remove(&thread));
        }
        e.ann.in_private().slash("move", &[("move", "d1-c1")]).await;
        let post = e.discord.post_saying(e.here(), "d1-c1").await;
        assert!(post.calls_only(&e.bo), "{}", post.text());
        let post = e.bo.slash("move", &[("move", "d3-e3")]).await;
        assert!(post.is_public() && post.calls_only(&e.ann), "{}", post.text());
    }
}

/// Begins a game in a thread of a forum, and deletes the thread; gives the forum, too.
async fn thread_in_a_forum_is_gone() -> (Evening, Id) {
    let e = Evening::begins().await;
    let (forum, thread) = (e.discord.channel("forum"), e.discord.thread("Ann and Bo"));
    e.discord.shared.change(|world| {
        world.channels.get_mut(&forum).unwrap().kind = FORUM;
        world.channels.get_mut(&thread).unwrap().parent = Some(forum);
    });
    let (ann, bo) = (e.ann.at(thread), e.bo.at(thread));
    let options = [("variant", "brandubh"), ("opponent", bo.mention()), ("side", "attackers")];
    let challenge = ann.slash("challenge", &options).await;
    bo.click(&challenge, "Accept").await;
    e.discord.settle().await;
    e.discord.delete_thread(thread);
    e.discord.settle().await;
    (e, forum)
}

#[tokio::test]
async fn a_game_whose_thread_in_a_forum_is_gone_waits_until_a_player_speaks() {
    let (e, _) = thread_in_a_forum_is_gone().await;
    let answer = e.ann.in_private().slash("move", &[("move", "d1-c1")]).await;
    let hint = |world: &World| world.messages[&answer.id].content.contains("channel is gone").then_some(());
    e.discord.wait_for("a word that nobody else sees it", hint).await;
    e.discord.settle().await;
    told_in_private(&e.bo.slash("board", &[]).await, &e.bo, "d1-c1");
    let post = e.discord.post_saying(e.here(), "d1-c1").await;
    assert!(post.calls_only(&e.bo), "{}", post.text());
    e.moves(post, "d3-e3").await;
}

#[tokio::test]
async fn a_game_whose_thread_in_a_forum_is_gone_waits_also_after_other_trouble() {
    let (e, forum) = thread_in_a_forum_is_gone().await;
    e.discord.trouble(&format!("POST /channels/{forum}/messages"), 1, Trouble::Fail(502));
    e.discord.trouble(&format!("GET /channels/{forum}"), 1, Trouble::Fail(502));
    e.ann.in_private().slash("move", &[("move", "d1-c1")]).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    told_in_private(&e.bo.slash("board", &[]).await, &e.bo, "d1-c1");
    let post = e.discord.post_saying(e.here(), "d1-c1").await;
    assert!(post.calls_only(&e.bo), "{}", post.text());
}

#[tokio::test]
async fn a_challenge_whose_channel_is_gone_is_accepted_where_the_opponent_speaks() {
    let e = Evening::begins().await;
    let old = e.discord.channel("old");
    let options = [("variant", "brandubh"), ("opponent", e.bo.mention()), ("side", "attackers")];
    e.ann.at(old).slash("challenge", &options).await;
    e.discord.settle().await;
    e.discord.delete_channel(old);
    e.discord.settle().await;
    let shown = e.bo.slash("challenges", &[]).await;
    e.bo.click(&shown, "Accept").await;
    let board = e.discord.post_saying(e.here(), "to move").await;
    assert!(board.calls_only(&e.ann), "{}", board.text());
    e.moves(board, "d1-c1").await;
}

#[tokio::test]
async fn an_answer_that_discord_does_not_take_is_replaced_by_a_plain_one() {
    let e = Evening::begins().await;
    let board = e.game("brandubh").await;
    e.discord.settle().await;
    e.discord.trouble(CALLBACK, 1, Trouble::Fail(400));
    told_in_private(&e.ann.slash("rules", &[("variant", "york")]).await, &e.ann, "did not take my answer");
    e.discord.trouble(CALLBACK, 1, Trouble::Fail(413));
    told_in_private(&e.ann.slash("move", &[("move", "d1-c1")]).await, &e.ann, "It is done");
    let post = e.next(&board).await;
    assert!(post.text().contains("d1-c1") && post.calls_only(&e.bo), "everybody sees it: {}", post.text());
    e.discord.trouble(CALLBACK, 1, Trouble::Fail(400));
    assert!(e.bo.complete("move", &[], ("move", "d3")).await.is_empty());
    e.moves(post, "d3-e3").await;
    assert_eq!(e.boards(), 4, "each board once");
}

#[tokio::test]
async fn a_picture_that_discord_does_not_take_is_written_out() {
    let e = Evening::begins().await;
    let board = e.game("brandubh").await;
    let elsewhere = e.discord.channel("elsewhere");
    e.discord.trouble(POSTS, 1, Trouble::Fail(400));
    e.ann.at(elsewhere).slash("move", &[("move", "d1-c1")]).await;
    let post = e.next(&board).await;
    assert!(post.files().is_empty() && post.text().contains("```") && post.calls_only(&e.bo), "{}", post.text());
}

#[tokio::test]
async fn boards_of_one_game_appear_in_order_although_one_did_not_get_through() {
    let e = Evening::begins().await;
    let board = e.game("brandubh").await;
    let elsewhere = e.discord.channel("elsewhere");
    e.discord.settle().await;
    e.discord.trouble(POSTS, 3, Trouble::Fail(502));
    e.ann.at(elsewhere).slash("move", &[("move", "d1-c1")]).await;
    e.discord.wait_for("a post in vain", |w| w.asked.iter().any(|asked| asked.status == 502).then_some(())).await;
    e.discord.settle().await;
    let answer = e.bo.slash("move", &[("move", "d3-e3")]).await;
    told_in_private(&answer, &e.bo, "d3-e3");
    told_in_private(&answer, &e.bo, "everybody will see this one right after it");
    assert!(answer.picture().is_some(), "he sees it at once");
    let first = e.next(&board).await;
    // He has moved already: he is not called once more, and there is nothing to press.
    assert!(first.text().contains("d1-c1") && first.text().contains("comes late"), "{}", first.text());
    assert!(first.calls_nobody() && first.buttons().is_empty() && first.picture().is_some());
    let second = e.next(&first).await;
    assert!(second.text().contains("d3-e3") && second.calls_only(&e.ann), "{}", second.text());
    assert_eq!(second.buttons(), BUTTONS);
    e.moves(second, "c1-d1").await;
    assert_eq!(e.boards(), 5);
}

#[tokio::test]
async fn posts_wait_before_a_channel_is_full_and_other_channels_do_not_wait() {
    let e = Evening::begins().await;
    let (busy, quiet, elsewhere) = (e.discord.channel("busy"), e.discord.channel("quiet"), e.discord.channel("else"));
    let mut games = Vec::new();
    for n in 0..8 {
        games.push(play_in(&e, busy, n).await);
    }
    let (other, ..) = play_in(&e, quiet, 8).await;
    e.discord.settle().await;
    e.discord.count_posts(3, Duration::from_secs(2));
    for (one, ..) in &games {
        one.at(elsewhere).slash("move", &[("move", "d1-c1")]).await;
    }
    other.at(elsewhere).slash("move", &[("move", "d1-c1")]).await;
    e.discord.post_saying(quiet, "d1-c1").await;
    assert!(e.discord.posts_saying(busy, "d1-c1").len() < 8, "the busy channel is not done yet");
    let all = |world: &World| world.posts(busy).iter().filter(|post| post.content.contains("d1-c1")).count();
    e.discord.wait_for("all boards", |world| (all(world) == 8).then_some(())).await;
    let refused = e.discord.asked(POSTS).iter().filter(|asked| asked.status == 429).count();
    assert_eq!(refused, 0, "Discord never had to say that it is too fast");
}

#[tokio::test]
async fn a_limit_for_everything_pauses_posts_but_no_answers() {
    let e = Evening::begins().await;
    let elsewhere = e.discord.channel("elsewhere");
    let (one, ..) = play_in(&e, e.here(), 0).await;
    let (other, ..) = play_in(&e, elsewhere, 1).await;
    e.discord.settle().await;
    e.discord.trouble(POSTS, 1, Trouble::LimitAll(Duration::from_secs(3)));
    one.at(elsewhere).slash("move", &[("move", "d1-c1")]).await;
    e.discord.wait_for("the limit", |w| w.asked.iter().any(|asked| asked.status == 429).then_some(())).await;
    let began = Instant::now();
    told_in_private(&other.at(e.here()).slash("move", &[("move", "d1-c1")]).await, &other, "d1-c1");
    assert!(began.elapsed() < Duration::from_secs(2), "an answer does not wait");
    e.discord.post_saying(elsewhere, "d1-c1").await;
    assert!(began.elapsed() > Duration::from_millis(2_500), "no channel is written to before");
    e.discord.post_saying(e.here(), "d1-c1").await;
}

#[tokio::test]
async fn without_embed_links_a_long_text_is_several_messages() {
    let e = Evening::begins().await;
    for n in 0..20 {
        e.game("sea-battle").await;
        if n % 4 == 0 {
            e.ann.slash("abort", &[("game", &(n + 1).to_string())]).await;
        }
    }
    let folded = e.ann.slash("games", &[]).await;
    assert_eq!(e.discord.shared.look(|world| world.messages[&folded.id].embeds.len()), 1, "it is a long list");
    e.discord.deny(e.here(), may::EMBED);
    let first = e.ann.slash("games", &[]).await;
    e.discord.settle().await;
    let (text, embeds) = e.discord.shared.look(|world| {
        let answers = world.messages[&first.id].answers;
        let said: Vec<_> = world.messages.values().filter(|message| message.answers == answers).collect();
        assert!(said.len() > 1 && said.iter().all(|message| message.reader == Some(e.ann.id)), "only for her");
        let text: Vec<&str> = said.iter().map(|message| message.content.as_str()).collect();
        (text.join("\n"), said.iter().map(|message| message.embeds.len()).sum::<usize>())
    });
    let whole = e.discord.shared.look(|world| {
        let folded = &world.messages[&folded.id];
        format!("{}\n{}", folded.content, folded.embeds[0]["description"].as_str().unwrap())
    });
    assert_eq!((text, embeds), (whole, 0));
}
