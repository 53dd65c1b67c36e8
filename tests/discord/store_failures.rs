//! Failures of the database: what was posted is not posted again, and what fails is retried with growing pauses.

use crate::bot_process::database::OUTBOX;
use crate::bot_process::log;
use crate::fixture::{Fixture, assert_private};
use fake_discord::client::Post;
use fake_discord::state::{DiscordState, THREAD, permissions};

const POSTS: &str = "POST /channels/*/messages";

/// Waits until the bot has failed three times, and checks that it waits longer each time.
async fn assert_retried_with_pauses(e: &Fixture) {
    e.bot.wait_for_log_times(log::STORE_FAILED, 3).await;
    let pauses = log::retry_pauses(&e.bot.output(), log::STORE_FAILED);
    assert!(pauses.len() >= 3 && pauses.is_sorted_by(|one, next| one < next), "{pauses:?}: {}", e.bot.output());
}

/// Starts a bot whose database will refuse some statements.
async fn start() -> Fixture {
    let mut e = Fixture::start().await;
    e.bot.allow_error("this cannot be stored: no");
    e.bot.allow_error("this version has no game called `nonsense`");
    e
}

#[tokio::test]
async fn a_board_is_not_posted_again_because_its_delivery_could_not_be_stored() {
    let e = start().await;
    let board = e.start_game("brandubh").await;
    e.idle().await;
    e.bot.open_database().refuse(&format!("UPDATE ON {OUTBOX}"));
    let post = e.ann.slash("move", &[("move", "d1-c1")]).await;
    assert!(post.is_public() && post.pings_only(&e.bo), "{}", post.text());
    assert_retried_with_pauses(&e).await;
    assert_eq!(e.board_count(), 3, "challenge, first board, one move");
    e.bot.open_database().stop_refusing();
    board.wait_until_buttons_are_gone().await;
    e.idle().await;
    assert_eq!(e.board_count(), 3);
    e.play(post, "d3-e3").await;
}

#[tokio::test]
async fn a_forbidden_post_is_retried_with_pauses_while_nothing_can_be_stored() {
    let e = start().await;
    let board = e.start_game("brandubh").await;
    let elsewhere = e.discord.create_channel("elsewhere");
    e.idle().await;
    e.bot.open_database().refuse(&format!("UPDATE ON {OUTBOX}"));
    e.discord.deny_bot(e.channel(), permissions::SEND);
    e.ann.at(elsewhere).slash("move", &[("move", "d1-c1")]).await;
    assert_retried_with_pauses(&e).await;
    // With and without the picture each time.
    let tries = e.discord.requests_to(POSTS).iter().filter(|request| request.status == 403).count();
    let failures = e.bot.output().matches(log::STORE_FAILED).count();
    assert!(tries <= 2 * (failures + 1), "{tries} tries, {failures} failures");
    e.discord.allow_bot(e.channel());
    e.bot.open_database().stop_refusing();
    let post = e.next_post(&board).await;
    assert!(post.text().contains("d1-c1") && post.pings_only(&e.bo), "{}", post.text());
}

#[tokio::test]
async fn a_game_gets_one_thread_although_the_thread_could_not_be_stored() {
    let e = start().await;
    e.turn_threads_on().await;
    let challenge = e.challenge("brandubh").await;
    e.idle().await;
    e.bot.open_database().refuse("UPDATE OF thread ON games");
    e.bo.click(&challenge, "Accept").await;
    assert_retried_with_pauses(&e).await;
    let threads = |state: &DiscordState| state.channels.values().filter(|channel| channel.kind == THREAD).count();
    assert_eq!(e.discord.state.read(threads), 1);
    e.bot.open_database().stop_refusing();
    let board = |state: &DiscordState| {
        let thread = state.channels.values().find(|channel| channel.kind == THREAD)?;
        state.posts(thread.id).first().map(|post| post.id)
    };
    let board = Post::new(e.discord.clone(), e.discord.wait_until("the first board in the thread", board).await);
    assert!(board.pings_only(&e.ann), "{}", board.text());
    assert_eq!(e.discord.state.read(threads), 1);
}

#[tokio::test]
async fn the_board_of_a_damaged_game_is_retried_with_pauses() {
    let mut e = start().await;
    e.start_game("brandubh").await;
    e.idle().await;
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.output());
    e.bot.open_database().forget_deliveries_of_game(1, 0);
    e.bot.open_database().damage_games();
    e.discord.state.update(|state| state.messages.values_mut().for_each(|message| message.deleted = true));
    e.bot.start_again().await;
    assert_retried_with_pauses(&e).await;
}

#[tokio::test]
async fn a_request_that_was_saved_is_answered_without_reading_it_again() {
    let e = start().await;
    let challenge = e.challenge("brandubh").await;
    e.idle().await;
    e.bot.open_database().damage_games_with_new_messages();
    let board = e.bo.click(&challenge, "Accept").await;
    assert!(board.is_public() && board.pings_only(&e.ann), "{}", board.text());
}

#[tokio::test]
async fn a_player_whose_request_failed_is_told_that_nothing_was_done() {
    let e = start().await;
    e.idle().await;
    e.bot.open_database().refuse("INSERT ON challenges");
    let options = [("variant", "york"), ("opponent", e.eve.mention())];
    assert_private(&e.ann.slash("challenge", &options).await, &e.ann, "nothing was done");
}

#[tokio::test]
async fn a_player_whose_game_is_damaged_is_not_asked_to_try_again_and_the_log_says_which_it_is() {
    let e = start().await;
    let board = e.start_game("brandubh").await;
    e.idle().await;
    e.bot.open_database().damage_games();
    let told = e.ann.click(&board, "Move").await;
    assert_private(&told, &e.ann, "Game #1 cannot be read");
    assert!(told.text().contains("`ratatosk check`") && !told.text().contains("Try again"), "{}", told.text());
    let line = e.bot.log_line(log::REQUEST_FAILED).await;
    for part in [" game=1 ", &format!(" channel={} ", e.channel()), "run `ratatosk check`"] {
        assert!(line.contains(part), "{part} is missing: {line}");
    }
}

#[tokio::test]
async fn a_message_that_cannot_be_read_is_given_up_and_the_log_says_which() {
    let mut e = start().await;
    let board = e.start_game("brandubh").await;
    let moved = e.ann.slash("move", &[("move", "d1-c1")]).await;
    board.wait_until_buttons_are_gone().await;
    e.idle().await;
    e.bot.kill().await;
    // As if it were not posted yet, and had been written by another version.
    let id = e.bot.open_database().make_unreadable(moved.id);
    e.discord.state.update(|state| drop(state.messages.remove(&moved.id)));
    e.bot.allow_error(log::UNREADABLE);
    e.bot.start_again().await;
    e.bot.wait_for_log(&format!("{} outbox={id} game=1 ", log::UNREADABLE)).await;
    let post = e.bo.slash("move", &[("move", "d3-e3")]).await;
    assert!(post.is_public(), "the game goes on: {}", post.text());
}
