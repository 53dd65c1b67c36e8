//! When the store says no: what stands is not posted again, and what cannot be read or settled is not tried without a pause.

use crate::evening::{Evening, told_in_private};
use crate::standin::PATIENCE;
use crate::standin::model::{THREAD, World, may};
use crate::standin::people::Post;
use std::time::{Duration, Instant};

const POSTS: &str = "POST /channels/*/messages";

/// Does something in the database while the bot runs.
fn alter(e: &Evening, sql: &str) {
    rusqlite::Connection::open(e.bot.database()).unwrap().execute_batch(sql).unwrap();
}

/// Has the store refuse something, such as `UPDATE ON owed`.
fn refuse(e: &Evening, what: &str) {
    alter(e, &format!("CREATE TRIGGER refuse BEFORE {what} BEGIN SELECT RAISE(ABORT, 'no'); END"));
}

fn refuse_no_more(e: &Evening) {
    alter(e, "DROP TRIGGER refuse");
}

/// How often something was tried that could not be read or noted.
fn stumbles(e: &Evening) -> usize {
    e.bot.said().matches("cannot be read or settled").count()
}

/// An evening on which the database refuses things, as the bot may say.
async fn trying_evening() -> Evening {
    let mut e = Evening::begins().await;
    e.bot.expect_error("this cannot be stored: no");
    e.bot.expect_error("this version has no game called `nonsense`");
    e
}

#[tokio::test]
async fn a_board_that_stands_is_not_posted_again_because_that_could_not_be_noted() {
    let e = trying_evening().await;
    let board = e.game("brandubh").await;
    e.discord.settle().await;
    refuse(&e, "UPDATE ON owed");
    let post = e.ann.slash("move", &[("move", "d1-c1")]).await;
    assert!(post.is_public() && post.calls_only(&e.bo), "{}", post.text());
    // By then nobody can be about to answer any more.
    tokio::time::sleep(Duration::from_secs(11)).await;
    assert_eq!(e.boards(), 3, "challenge, first board, one move");
    assert!((1..=4).contains(&stumbles(&e)), "{}", e.bot.said());
    refuse_no_more(&e);
    board.loses_buttons().await;
    e.discord.settle().await;
    assert_eq!(e.boards(), 3);
    e.moves(post, "d3-e3").await;
}

#[tokio::test]
async fn what_may_not_be_posted_is_tried_with_pauses_although_nothing_can_be_noted() {
    let e = trying_evening().await;
    let board = e.game("brandubh").await;
    let elsewhere = e.discord.channel("elsewhere");
    e.discord.settle().await;
    refuse(&e, "UPDATE ON owed");
    e.discord.deny(e.here(), may::SEND);
    e.ann.at(elsewhere).slash("move", &[("move", "d1-c1")]).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    // With and without the picture each time.
    let tries = e.discord.asked(POSTS).iter().filter(|asked| asked.status == 403).count();
    assert!((2..=8).contains(&tries), "{tries} tries");
    e.discord.allow(e.here());
    refuse_no_more(&e);
    let post = e.next(&board).await;
    assert!(post.text().contains("d1-c1") && post.calls_only(&e.bo), "{}", post.text());
}

#[tokio::test]
async fn a_game_gets_one_thread_although_it_could_not_be_noted_which() {
    let e = trying_evening().await;
    e.eve.moderate();
    e.eve.slash("settings", &[("threads", "on")]).await;
    let challenge = e.challenge("brandubh").await;
    e.discord.settle().await;
    refuse(&e, "UPDATE OF thread ON games");
    e.bo.click(&challenge, "Accept").await;
    tokio::time::sleep(Duration::from_secs(4)).await;
    let threads = |world: &World| world.channels.values().filter(|channel| channel.kind == THREAD).count();
    assert_eq!(e.discord.shared.look(threads), 1);
    refuse_no_more(&e);
    let board = |world: &World| {
        let thread = world.channels.values().find(|channel| channel.kind == THREAD)?;
        world.posts(thread.id).first().map(|post| post.id)
    };
    let board = Post::new(e.discord.clone(), e.discord.wait_for("the first board in the thread", board).await);
    assert!(board.calls_only(&e.ann), "{}", board.text());
    assert_eq!(e.discord.shared.look(threads), 1);
}

#[tokio::test]
async fn a_board_of_a_damaged_game_is_tried_with_pauses() {
    let mut e = trying_evening().await;
    e.game("brandubh").await;
    e.discord.settle().await;
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.said());
    e.bot.alter("UPDATE owed SET closed = NULL, message = NULL WHERE game = 1");
    e.bot.alter("UPDATE games SET variant = 'nonsense'");
    e.discord.shared.change(|world| world.messages.values_mut().for_each(|message| message.deleted = true));
    e.bot.start().await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!((2..=4).contains(&stumbles(&e)), "{}", e.bot.said());
}

#[tokio::test]
async fn whoever_can_be_shown_nothing_is_told_whether_it_is_done() {
    let e = trying_evening().await;
    let challenge = e.challenge("brandubh").await;
    e.discord.settle().await;
    alter(
        &e,
        "CREATE TRIGGER spoil AFTER INSERT ON owed BEGIN UPDATE games SET variant = 'nonsense' WHERE id = NEW.game; END",
    );
    let answer = e.bo.click(&challenge, "Accept").await;
    told_in_private(&answer, &e.bo, "what you wanted is done");
    assert!(!answer.text().contains("nothing was done"), "{}", answer.text());
    refuse(&e, "INSERT ON challenges");
    let options = [("variant", "york"), ("opponent", e.eve.mention())];
    told_in_private(&e.ann.slash("challenge", &options).await, &e.ann, "nothing was done");
}

#[tokio::test]
async fn a_message_that_cannot_be_read_is_given_up_and_the_log_says_which() {
    let mut e = trying_evening().await;
    let board = e.game("brandubh").await;
    let moved = e.ann.slash("move", &[("move", "d1-c1")]).await;
    board.loses_buttons().await;
    e.discord.settle().await;
    e.bot.kill().await;
    let db = rusqlite::Connection::open(e.bot.database()).unwrap();
    let id = "SELECT id FROM owed WHERE message = ?1";
    let id: i64 = db.query_row(id, [moved.id.cast_signed()], |row| row.get(0)).unwrap();
    // As if it were not posted yet, and had been written by another version.
    db.execute("UPDATE owed SET closed = NULL, message = NULL, news = '{\"from\":\"the future\"}' WHERE id = ?1", [id])
        .unwrap();
    drop(db);
    e.discord.shared.change(|world| drop(world.messages.remove(&moved.id)));
    e.bot.expect_error("giving up an outbox message that cannot be read");
    e.bot.start().await;
    let until = Instant::now() + PATIENCE;
    let given_up = |said: &str| {
        let mut lines = said.lines().filter(|line| line.contains("giving up an outbox message that cannot be read"));
        lines.any(|line| line.contains(&format!("outbox={id} ")))
    };
    while !given_up(&e.bot.said()) {
        assert!(Instant::now() < until, "{}", e.bot.said());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let post = e.bo.slash("move", &[("move", "d3-e3")]).await;
    assert!(post.is_public(), "the game goes on: {}", post.text());
}
