//! Started, stopped, killed and started again: nothing is lost.

use crate::evening::{BUTTONS, Evening, told_in_private};
use crate::standin::Discord;
use crate::standin::bot::Bot;
use crate::standin::model::{World, may};
use crate::standin::people::Failure;
use crate::standin::rest::Trouble;
use std::time::{Duration, Instant};

/// Kills the bot once it has nothing more to do, and starts it again.
async fn restart(e: &mut Evening) {
    e.discord.settle().await;
    e.bot.restart().await;
}

#[tokio::test]
async fn a_game_goes_on_after_a_restart_between_any_two_steps() {
    let mut e = Evening::begins().await;
    let challenge = e.challenge("brandubh").await;
    restart(&mut e).await;
    e.bo.click(&challenge, "Accept").await;
    let board = e.next(&challenge).await;
    restart(&mut e).await;
    challenge.loses_buttons().await;
    let board = e.moves(board, "d1-c1").await;
    let menu = e.bo.click(&board, "Move").await;
    restart(&mut e).await;
    let squares = e.bo.choose(&menu, "d3").await;
    let preview = e.bo.choose(&squares, "d3-e3").await;
    restart(&mut e).await;
    e.bo.click(&preview, "Play it").await;
    let board = e.next(&board).await;
    assert!(board.calls_only(&e.ann));
    e.ann.click(&board, "Draw").await;
    let offer = e.next(&board).await;
    restart(&mut e).await;
    e.bo.click(&offer, "Accept draw").await;
    let end = e.next(&offer).await;
    assert!(end.text().contains("drawn"), "{}", end.text());
    e.discord.settle().await;
    assert_eq!(e.discord.posts_saying(e.here(), "drawn").len(), 1);
    assert_eq!(e.discord.shared.look(|world| world.registrations), 1, "the commands have not changed");
}

#[tokio::test]
async fn offers_questions_and_rematches_outlive_a_restart() {
    let mut e = Evening::begins().await;
    let board = e.game("magpie").await;
    let (ann, bo) = (e.ann.clone(), e.bo.clone());
    let moves = ann.complete("move", &[], ("move", "")).await;
    let moves = ann.complete("move", &[], ("move", &moves[0].1)).await;
    let played = moves.iter().find(|(_, value)| value.contains('-')).unwrap().1.clone();
    let board = e.moves(board, &played).await;
    restart(&mut e).await;
    let asked = ann.slash("takeback", &[]).await;
    restart(&mut e).await;
    bo.click(&asked, "Grant takeback").await;
    let back = e.next(&asked).await;
    restart(&mut e).await;
    board.loses_buttons().await;
    let board = e.moves(back, &played).await;
    restart(&mut e).await;
    bo.click(&board, "Draw").await;
    let offer = e.next(&board).await;
    restart(&mut e).await;
    ann.click(&offer, "Decline draw").await;
    let declined = e.next(&offer).await;
    restart(&mut e).await;
    let question = bo.click(&declined, "Resign").await;
    restart(&mut e).await;
    bo.click(&question, "Resign").await;
    let end = e.next(&declined).await;
    assert!(end.text().contains("resigns") && end.calls_only(&ann), "{}", end.text());
    restart(&mut e).await;
    ann.click(&end, "Rematch").await;
    let offer = e.next(&end).await;
    restart(&mut e).await;
    bo.click(&offer, "Accept rematch").await;
    let board = e.next(&offer).await;
    restart(&mut e).await;
    assert!(board.calls_only(&bo), "the sides are swapped: {}", board.text());
    e.moves(board, &played).await;
    e.discord.settle().await;
    assert_eq!(e.boards(), 12, "each board once");
}

#[tokio::test]
async fn a_move_that_was_accepted_is_seen_although_the_bot_was_killed() {
    let mut e = Evening::begins().await;
    let board = e.game("brandubh").await;
    e.discord.settle().await;
    e.discord.trouble("POST /interactions/*/*/callback", 1, Trouble::Fail(500));
    e.ann.send_slash("move", &[("move", "d1-c1")]).unwrap();
    e.discord.wait_for("the first try", |world| world.asked.last().filter(|asked| asked.status == 500).cloned()).await;
    e.bot.kill().await;
    e.discord.advance(Duration::from_secs(4));
    let began = Instant::now();
    e.bot.start().await;
    let post = e.next(&board).await;
    assert!(began.elapsed() < Duration::from_secs(5), "nobody answers any more: {:?}", began.elapsed());
    assert!(post.text().contains("d1-c1") && post.calls_only(&e.bo));
    board.loses_buttons().await;
    e.discord.settle().await;
    assert_eq!(e.boards(), 3);
    e.moves(post, "d3-e3").await;
}

#[tokio::test]
async fn asked_to_stop_it_finishes_and_says_that_all_is_well() {
    let mut e = Evening::begins().await;
    let board = e.game("brandubh").await;
    e.moves(board, "d1-c1").await;
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.said());
    assert!(e.bot.database().exists());
    assert!(!e.bot.said().contains("not-a-real-token"), "the token is not for the log");
    assert_eq!(e.ann.try_slash("games", &[]).await.err(), Some(Failure::NoAnswer));
    e.bot.start().await;
    assert!(e.ann.slash("games", &[]).await.text().contains("1 running game"));
    assert_eq!(e.bot.stop("INT").await, Some(0), "{}", e.bot.said());
}

#[tokio::test]
async fn asked_to_stop_while_it_gets_ready_it_stops() {
    for signal in ["INT", "TERM"] {
        let discord = Discord::start().await;
        let mut bot = discord.stopped_bot();
        discord.trouble("GET /gateway", 1, Trouble::Slow(Duration::from_secs(6)));
        bot.launch(None);
        let asked = |world: &World| world.faults.iter().all(|fault| fault.times == 0).then_some(());
        discord.wait_for("the last question before it connects", asked).await;
        let began = Instant::now();
        assert_eq!(bot.stop(signal).await, Some(0), "{}", bot.said());
        assert!(began.elapsed() < Duration::from_secs(5), "{signal} took {:?}", began.elapsed());
    }
}

#[tokio::test]
async fn an_event_that_cannot_be_read_is_told_once_unless_somebody_waits_for_an_answer() {
    let e = Evening::begins().await;
    for event in ["WONDER_CREATE", "WONDER_CREATE", "INTERACTION_CREATE", "INTERACTION_CREATE"] {
        e.discord.shared.change(|world| world.dispatch(event, Some(e.discord.server), &serde_json::json!({ "id": 1 })));
    }
    let told = |words: &str| e.bot.said().lines().filter(|line| line.contains(words)).count();
    let until = Instant::now() + Duration::from_secs(10);
    while told("INTERACTION_CREATE") < 2 {
        assert!(Instant::now() < until, "{}", e.bot.said());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(told("WONDER_CREATE"), 1, "{}", e.bot.said());
}

#[tokio::test]
async fn asked_to_stop_it_still_posts_what_is_owed() {
    let mut e = Evening::begins().await;
    let board = e.game("brandubh").await;
    let menu = e.ann.click(&board, "Move").await;
    let squares = e.ann.choose(&menu, "d1").await;
    let preview = e.ann.choose(&squares, "d1-c1").await;
    e.discord.trouble("POST /channels/*/messages", 1, Trouble::Slow(Duration::from_millis(700)));
    e.ann.click(&preview, "Play it").await;
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.said());
    assert_eq!(e.discord.posts_saying(e.here(), "d1-c1").len(), 1);
    e.bot.start().await;
    board.loses_buttons().await;
    e.discord.settle().await;
    assert_eq!(e.boards(), 3, "it is not posted again");
}

#[tokio::test]
async fn a_wrong_token_ends_with_its_own_code_and_clear_words() {
    let discord = Discord::start().await;
    let mut bot = discord.stopped_bot();
    bot.launch(Some("MTE3NDk4NTc2MTI4MzY1NTY4MA.GstanD.this-one-was-revoked-long-ago-and-is-worth-0"));
    assert_eq!(bot.exit_code().await, Some(77));
    assert!(bot.said().contains("token"), "{}", bot.said());
    assert!(!bot.said().contains("revoked-long-ago"), "the token is not for the log");
}

#[tokio::test]
async fn a_token_that_is_revoked_ends_the_bot_with_the_same_code() {
    let mut e = Evening::begins().await;
    e.game("brandubh").await;
    e.discord.settle().await;
    e.discord.revoke_token();
    assert_eq!(e.bot.exit_code().await, Some(77), "{}", e.bot.said());
    assert!(e.bot.said().contains("Reset Token") && !e.bot.said().contains("not-a-real-token"), "{}", e.bot.said());
}

#[tokio::test]
async fn without_a_network_it_ends_with_a_code_of_its_own() {
    let discord = Discord::start().await;
    let mut bot = discord.stopped_bot();
    // Nobody listens there.
    bot.lead_astray("http://127.0.0.1:9");
    bot.launch(None);
    assert_eq!(bot.exit_code().await, Some(69), "{}", bot.said());
    assert!(bot.said().contains("cannot be reached"), "{}", bot.said());
}

#[tokio::test]
async fn a_large_bot_has_several_connections() {
    let discord = Discord::start().await;
    discord.shared.change(|world| world.shards = 2);
    let (ann, bo, eve) = (discord.user("Ann"), discord.user("Bo"), discord.user("Eve"));
    let bot = discord.run_bot().await;
    let e = Evening { discord, bot, ann, bo, eve };
    e.discord.wait_for("both connections", |world| (world.gateway.identified == 2).then_some(())).await;
    e.discord.settle().await;
    let board = e.game("brandubh").await;
    let board = e.moves(board, "d1-c1").await;
    // Direct messages come over the first connection, whichever the server is on.
    let bo = e.bo.in_private();
    assert!(bo.slash("move", &[("move", "d3-e3")]).await.text().contains("d3-e3"));
    e.moves(e.next(&board).await, "c1-d1").await;
    assert_eq!(e.discord.shared.look(|world| world.registrations), 1);
}

#[tokio::test]
async fn a_player_is_reminded_once() {
    let mut e = Evening::begins().await;
    let board = e.game("brandubh").await;
    e.bot.sleep(70).await;
    let reminder = e.next(&board).await;
    assert!(reminder.calls_only(&e.ann) && reminder.text().contains("your time is up"), "{}", reminder.text());
    e.discord.settle().await;
    e.bot.sleep(1).await;
    e.discord.settle().await;
    assert_eq!(e.discord.posts_saying(e.here(), "your time is up").len(), 1);
    board.loses_buttons().await;
    e.ann.click(&reminder, "Move").await;
}

#[tokio::test]
async fn nobody_loses_on_time_because_the_bot_was_away() {
    let mut e = Evening::begins().await;
    let board = e.game("brandubh").await;
    e.moves(board, "d1-c1 d3-e3").await;
    e.bot.sleep(80).await;
    told_in_private(&e.bo.slash("claim", &[]).await, &e.bo, "in an hour at the latest");
    let post = e.ann.slash("move", &[("move", "c1-d1")]).await;
    assert!(post.is_public() && post.calls_only(&e.bo), "who is late can still move: {}", post.text());
}

#[tokio::test]
async fn a_win_on_time_is_claimed() {
    let mut e = Evening::begins().await;
    let board = e.game("brandubh").await;
    e.moves(board, "d1-c1 d3-e3").await;
    e.bot.sleep(80).await;
    assert_eq!(e.bot.stop("TERM").await, Some(0));
    e.bot.alter("UPDATE games SET flagged = deadline");
    e.bot.start().await;
    told_in_private(&e.eve.slash("claim", &[("game", "1")]).await, &e.eve, "not playing");
    let end = e.bo.slash("claim", &[]).await;
    assert!(end.is_public() && end.text().contains(&format!("{} wins", e.bo.mention())), "{}", end.text());
    assert!(end.text().contains("time ran out"));
    assert_eq!(end.buttons(), ["Rematch"]);
}

#[tokio::test]
async fn a_challenge_expires_after_seven_days() {
    let mut e = Evening::begins().await;
    let challenge = e.challenge("brandubh").await;
    let accept = e.bo.remember_button(&challenge, "Accept");
    e.discord.settle().await;
    e.bot.sleep(6 * 24).await;
    assert!(!challenge.buttons().is_empty());
    e.bot.sleep(25).await;
    told_in_private(&e.bo.click_remembered(&accept).await, &e.bo, "not open any more");
    let began = Instant::now();
    challenge.loses_buttons().await;
    let told = e.discord.post_saying(e.here(), "was not accepted").await;
    assert!(began.elapsed() < Duration::from_secs(5), "it took {:?}", began.elapsed());
    assert!(told.calls_only(&e.ann), "{}", told.text());
    assert!(challenge.text().contains("It has expired."), "{}", challenge.text());
    assert_eq!(e.boards(), 1);
}

#[tokio::test]
async fn after_quiet_days_the_newest_board_has_the_buttons() {
    let mut e = Evening::begins().await;
    let options = [("variant", "brandubh"), ("opponent", e.bo.mention()), ("side", "attackers"), ("pace", "14")];
    let challenge = e.ann.slash("challenge", &options).await;
    e.bo.click(&challenge, "Accept").await;
    let board = e.next(&challenge).await;
    let board = e.moves(board, "d1-c1 d3-e3").await;
    e.discord.settle().await;
    e.bot.sleep(3 * 24).await;
    e.discord.settle().await;
    let board = e.moves(board, "c1-d1 e3-d3").await;
    e.discord.settle().await;
    assert_eq!(board.buttons(), BUTTONS);
}

#[tokio::test]
async fn an_answer_without_a_picture_is_not_repeated_after_a_crash() {
    let mut e = Evening::begins().await;
    let board = e.game("brandubh").await;
    e.discord.deny(e.here(), may::ATTACH);
    let moved = e.ann.slash("move", &[("move", "d1-c1")]).await;
    assert!(moved.is_public() && moved.picture().is_none(), "{}", moved.text());
    let challenge = e.challenge("york").await;
    let declined = e.bo.click(&challenge, "Decline").await;
    assert!(declined.is_public() && declined.picture().is_none(), "{}", declined.text());
    board.loses_buttons().await;
    e.discord.settle().await;
    e.bot.kill().await;
    // As if the power had gone out before that was noted.
    let db = rusqlite::Connection::open(e.bot.database()).unwrap();
    let lost = [moved.id, declined.id].map(|message| {
        let note = "UPDATE owed SET closed = NULL, message = NULL WHERE message = ?1";
        db.execute(note, [message.cast_signed()]).unwrap()
    });
    assert_eq!(lost, [1, 1]);
    drop(db);
    let before = e.discord.posts_saying(e.here(), "").len();
    e.bot.start().await;
    let until = Instant::now() + Duration::from_secs(10);
    while e.bot.said().matches("message was posted before").count() < 2 {
        assert!(Instant::now() < until, "they are not found: {}", e.bot.said());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    e.discord.settle().await;
    assert_eq!(e.discord.posts_saying(e.here(), "").len(), before);
}

#[tokio::test]
async fn what_stands_among_much_talk_is_not_repeated_after_a_crash() {
    let mut e = Evening::begins().await;
    let board = e.game("brandubh").await;
    e.eve.talk(250);
    let moved = e.ann.slash("move", &[("move", "d1-c1")]).await;
    e.eve.talk(250);
    board.loses_buttons().await;
    e.discord.settle().await;
    e.bot.kill().await;
    // As if the power had gone out before that was noted.
    let note = format!("UPDATE owed SET closed = NULL, message = NULL WHERE message = {}", moved.id);
    e.bot.alter(&note);
    e.bot.start().await;
    let until = Instant::now() + Duration::from_secs(10);
    while !e.bot.said().contains("message was posted before") {
        assert!(Instant::now() < until, "it is not found: {}", e.bot.said());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    e.discord.settle().await;
    assert_eq!(e.boards(), 3, "challenge, first board, one move");
}

#[tokio::test]
async fn an_answer_to_the_same_move_before_is_not_taken_for_the_one_that_is_owed() {
    let mut e = Evening::begins().await;
    e.game("brandubh").await;
    e.discord.deny(e.here(), may::ATTACH);
    e.ann.slash("move", &[("move", "d1-c1")]).await;
    e.ann.slash("takeback", &[]).await;
    e.bo.slash("takeback", &[]).await;
    let again = e.ann.slash("move", &[("move", "d1-c1")]).await;
    e.discord.settle().await;
    e.bot.kill().await;
    // As if the bot had been killed before it answered the second time.
    let forget = "UPDATE owed SET closed = NULL, message = NULL WHERE message = ?1";
    let db = rusqlite::Connection::open(e.bot.database()).unwrap();
    assert_eq!(db.execute(forget, [again.id.cast_signed()]).unwrap(), 1);
    drop(db);
    e.discord.shared.change(|world| drop(world.messages.remove(&again.id)));
    e.bot.start().await;
    let said = |world: &World| {
        let posts = world.posts(e.discord.here);
        let told = posts.iter().filter(|post| post.content.contains("played **d1-c1**"));
        (told.count() == 2).then_some(())
    };
    e.discord.wait_for("the move to be told again", said).await;
}

#[tokio::test]
async fn a_connection_that_discord_closes_for_its_number_holds_nothing_else_up() {
    let mut e = Evening::begins().await;
    let board = e.game("brandubh").await;
    e.moves(board, "d1-c1").await;
    e.discord.settle().await;
    let until = Instant::now() + Duration::from_secs(20);
    let says = async |bot: &Bot, words: &str| {
        while !bot.said().contains(words) {
            assert!(Instant::now() < until, "nobody notices: {}", bot.said());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    says(&e.bot, "all shards are connected to Discord").await;
    e.discord.close_gateway(4011);
    says(&e.bot, "the connection to Discord is lost").await;
    let began = Instant::now();
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.said());
    assert!(began.elapsed() < Duration::from_secs(10), "stopping took {:?}", began.elapsed());
}

#[tokio::test]
async fn a_token_that_only_calls_are_refused_with_ends_the_bot_all_the_same() {
    let mut e = Evening::begins().await;
    e.game("brandubh").await;
    e.discord.settle().await;
    // The connection stands, as if nothing had happened; a move made elsewhere has to be posted by the bot itself.
    e.discord.shared.change(|world| world.token = String::from("another one"));
    let elsewhere = e.ann.at(e.discord.channel("elsewhere"));
    let _ = elsewhere.try_slash("move", &[("move", "d1-c1")]).await;
    assert_eq!(e.bot.exit_code().await, Some(77), "{}", e.bot.said());
}

#[tokio::test]
async fn nothing_new_is_begun_while_the_bot_stops() {
    let mut e = Evening::begins().await;
    e.game("brandubh").await;
    e.discord.settle().await;
    // Something is still to be posted, so that stopping takes a while.
    e.discord.trouble("POST /channels", 1, Trouble::Slow(Duration::from_secs(2)));
    let elsewhere = e.ann.at(e.discord.channel("elsewhere"));
    elsewhere.slash("move", &[("move", "d1-c1")]).await;
    let ((), code) = tokio::join!(
        async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            if let Ok(answer) = e.bo.try_slash("move", &[("move", "d3-e3")]).await {
                assert!(!answer.is_public() && answer.text().contains("just being stopped"), "{}", answer.text());
            }
        },
        e.bot.stop("TERM"),
    );
    assert_eq!(code, Some(0));
    e.bot.start().await;
    let shown = e.bo.slash("board", &[]).await;
    assert!(!shown.text().contains("d3-e3"), "{}", shown.text());
}
