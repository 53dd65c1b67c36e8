//! Deadlines: flags, wins on time, games that never began, and clocks that stand still.

use crate::bot_process::log;
use crate::fixture::{BUTTONS, Fixture, assert_private};
use fake_discord::client::Post;
use fake_discord::state::DiscordState;

/// Starts a game and plays two moves, so that Ann is to move.
async fn game_under_way(e: &Fixture) -> Post {
    let board = e.start_game("brandubh").await;
    let board = e.play(board, "d1-c1 d3-e3").await;
    e.idle().await;
    board
}

#[tokio::test]
async fn the_opponent_is_told_that_the_time_is_up_and_claims_the_win() {
    let mut e = Fixture::start().await;
    let board = game_under_way(&e).await;
    e.bot.pass_hours_with_timer(73).await;
    let flag = e.next_post(&board).await;
    assert!(flag.pings_only(&e.bo) && flag.text().contains("time is up"), "{}", flag.text());
    assert_eq!(flag.buttons(), ["Move", "Claim the win", "Give more time", "Draw", "Resign", "Rules"]);
    board.wait_until_buttons_are_gone().await;
    assert_private(&e.ann.click(&flag, "Claim the win").await, &e.ann, "your own turn");
    e.bo.click(&flag, "Claim the win").await;
    let end = e.next_post(&flag).await;
    assert!(end.text().contains(&format!("{} wins", e.bo.mention())) && end.text().contains("time ran out"));
    assert!(end.pings_only(&e.ann) && end.buttons() == ["Rematch"]);
    e.assert_names_rule(&end, "can claim the win");
}

#[tokio::test]
async fn the_opponent_gives_more_time() {
    let mut e = Fixture::start().await;
    let board = game_under_way(&e).await;
    e.bot.pass_hours_with_timer(73).await;
    let flag = e.next_post(&board).await;
    e.bo.click(&flag, "Give more time").await;
    let given = e.next_post(&flag).await;
    assert!(given.text().contains("more time") && given.pings_only(&e.ann), "{}", given.text());
    assert_eq!(given.buttons(), BUTTONS);
    e.play(given, "c1-d1").await;
}

#[tokio::test]
async fn an_unclaimed_win_on_time_is_given_after_another_pace() {
    let mut e = Fixture::start().await;
    let board = game_under_way(&e).await;
    e.bot.pass_hours_with_timer(73).await;
    let flag = e.next_post(&board).await;
    e.idle().await;
    e.bot.pass_hours_with_timer(73).await;
    let end = e.next_post(&flag).await;
    assert!(end.text().contains(&format!("{} wins", e.bo.mention())) && end.text().contains("time ran out"));
    assert!(end.pings_only(&e.bo) && end.buttons() == ["Rematch"], "{}", end.text());
    flag.wait_until_buttons_are_gone().await;
}

#[tokio::test]
async fn a_game_that_never_began_ends_without_a_result() {
    let mut e = Fixture::start().await;
    let board = e.start_game("york").await;
    let board = e.play(board, "d1-d2").await;
    e.idle().await;
    e.bot.pass_hours_with_timer(73).await;
    let end = e.next_post(&board).await;
    assert!(end.text().contains("without a result") && end.text().contains("before both had moved"), "{}", end.text());
    e.assert_names_rule(&end, "Nobody wins on time");
    assert_eq!(end.buttons(), ["Rematch"]);
    assert!(end.pings_only(&e.ann), "she has waited for him: {}", end.text());
}

#[tokio::test]
async fn a_game_without_a_limit_is_closed_when_nobody_moves_for_months() {
    let mut e = Fixture::start().await;
    let options = [("variant", "magpie"), ("opponent", e.bo.mention()), ("side", "attackers"), ("pace", "none")];
    let challenge = e.ann.slash("challenge", &options).await;
    e.bo.click(&challenge, "Accept").await;
    let board = e.next_post(&challenge).await;
    assert!(!board.text().contains("deadline"), "{}", board.text());
    e.idle().await;
    e.bot.pass_hours_with_timer(84 * 24).await;
    let reminder = e.next_post(&board).await;
    assert!(reminder.pings_only(&e.ann) && reminder.text().contains("will be closed"), "{}", reminder.text());
    e.idle().await;
    e.bot.pass_hours_with_timer(8 * 24).await;
    let end = e.next_post(&reminder).await;
    assert!(end.text().contains("without a result") && end.text().contains("for a long time"), "{}", end.text());
    e.assert_names_rule(&end, "for 90 days");
}

/// Lets time pass while the bot is not in the server, and waits until it has noticed that at its start. Only then can
/// it be invited again: it handles the events after its login in no particular order.
async fn pass_hours_while_kicked(e: &mut Fixture, hours: i64) {
    let server = e.discord.server;
    e.bot.pass_hours_with_timer_and(hours, |database| database.set_back(server)).await;
    e.bot.wait_until_gone(server, true).await;
}

/// Checks that nobody was flagged although days have passed, and that the player to move has the full time again.
async fn assert_clock_stood_still(e: &Fixture) {
    // If a player had been flagged, a message would have been waiting since the start.
    e.idle().await;
    assert!(e.discord.posts_saying(e.channel(), "can claim the win").is_empty(), "nobody was flagged");
    assert_private(&e.bo.slash("claim", &[]).await, &e.bo, "still has time");
    // If the game had lost its channel, the claim has moved it here, and a post says so.
    e.idle().await;
    let post = e.ann.slash("move", &[("move", "c1-d1")]).await;
    assert!(post.is_public() && post.pings_only(&e.bo), "{}", post.text());
}

#[tokio::test]
async fn clocks_stand_still_while_the_bot_is_not_in_the_server() {
    let mut e = Fixture::start().await;
    game_under_way(&e).await;
    e.discord.kick_bot();
    e.bot.wait_until_gone(e.discord.server, true).await;
    let gone = e.bot.log_line(log::PLACE_GONE).await;
    assert!(gone.contains("server is gone") && gone.contains(&format!("server={}", e.discord.server)), "{gone}");
    pass_hours_while_kicked(&mut e, 73).await;
    pass_hours_while_kicked(&mut e, 73).await;
    e.discord.invite_bot();
    e.bot.wait_until_gone(e.discord.server, false).await;
    let back = e.bot.log_line(log::PLACE_BACK).await;
    assert!(back.contains("server is back") && back.contains(&format!("server={}", e.discord.server)), "{back}");
    assert_clock_stood_still(&e).await;
}

#[tokio::test]
async fn a_win_cannot_be_claimed_while_the_bot_is_not_in_the_server() {
    let mut e = Fixture::start().await;
    let board = game_under_way(&e).await;
    e.bot.pass_hours_with_timer(73).await;
    e.next_post(&board).await;
    e.idle().await;
    e.discord.kick_bot();
    e.bot.wait_until_gone(e.discord.server, true).await;
    assert_private(&e.bo.in_dm().slash("claim", &[]).await, &e.bo, "Nobody loses on time");
    e.discord.invite_bot();
    e.bot.wait_until_gone(e.discord.server, false).await;
    assert_private(&e.bo.slash("claim", &[]).await, &e.bo, "still has time");
}

#[tokio::test]
async fn the_player_to_move_gets_the_full_time_when_the_bot_is_back() {
    let mut e = Fixture::start().await;
    game_under_way(&e).await;
    e.bot.pass_hours_with_timer(60).await;
    e.post_saying(e.channel(), "your time is up").await;
    e.idle().await;
    e.discord.kick_bot();
    e.bot.wait_until_gone(e.discord.server, true).await;
    pass_hours_while_kicked(&mut e, 11).await;
    e.discord.invite_bot();
    e.bot.wait_until_gone(e.discord.server, false).await;
    e.bot.pass_hours_with_timer(2).await;
    assert_clock_stood_still(&e).await;
}

#[tokio::test]
async fn clocks_stand_still_when_the_bot_is_kicked_while_it_is_stopped() {
    let mut e = Fixture::start().await;
    game_under_way(&e).await;
    e.bot.kill().await;
    e.discord.kick_bot();
    e.bot.start_again().await;
    e.bot.wait_until_gone(e.discord.server, true).await;
    pass_hours_while_kicked(&mut e, 73).await;
    e.discord.invite_bot();
    e.bot.wait_until_gone(e.discord.server, false).await;
    assert_clock_stood_still(&e).await;
}

#[tokio::test]
async fn an_archived_thread_is_not_taken_for_a_deleted_one() {
    let mut e = Fixture::start().await;
    let thread = e.discord.create_thread("Ann and Bo");
    let options = [("variant", "brandubh"), ("opponent", e.bo.mention())];
    let challenge = e.ann.at(thread).slash("challenge", &options).await;
    e.bo.at(thread).click(&challenge, "Accept").await;
    e.idle().await;
    e.bot.kill().await;
    e.discord.archive_thread(thread);
    e.bot.open_database().set_thread_gone(thread);
    e.bot.start_again().await;
    let opened = |state: &DiscordState| (!state.channels[&thread].archived).then_some(());
    e.discord.wait_until("the thread to be opened", opened).await;
    e.bot.wait_until_gone(thread, false).await;
}

#[tokio::test]
async fn clocks_stand_still_while_the_channel_is_gone() {
    for seen in [true, false] {
        let mut e = Fixture::start().await;
        let old = e.discord.create_channel("old");
        let (ann, bo) = (e.ann.at(old), e.bo.at(old));
        e.start_game_in(old).await;
        e.idle().await;
        ann.slash("move", &[("move", "d1-c1")]).await;
        e.idle().await;
        bo.slash("move", &[("move", "d3-e3")]).await;
        e.idle().await;
        e.delete_channel(old, seen).await;
        let gone = e.bot.log_line(log::PLACE_GONE).await;
        assert!(gone.contains("channel is gone") && gone.contains(&format!("channel={old}")), "{gone}");
        e.bot.pass_hours_with_timer(73).await;
        assert_clock_stood_still(&e).await;
        let times = e.bot.output().matches(log::PLACE_GONE).count();
        assert_eq!(times, 1, "once, although there was a restart: {}", e.bot.output());
    }
}
