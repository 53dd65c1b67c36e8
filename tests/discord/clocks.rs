//! What time brings: flags, wins, games that never began, and clocks that stand still.

use crate::evening::{BUTTONS, Evening, told_in_private};
use crate::standin::model::World;
use crate::standin::people::Post;

/// A game in which both have moved and Ann is to move.
async fn game_under_way(e: &Evening) -> Post {
    let board = e.game("brandubh").await;
    let board = e.moves(board, "d1-c1 d3-e3").await;
    e.discord.settle().await;
    board
}

#[tokio::test]
async fn the_opponent_is_told_that_the_time_is_up_and_claims_the_win() {
    let mut e = Evening::begins().await;
    let board = game_under_way(&e).await;
    e.bot.doze(73).await;
    let flag = e.next(&board).await;
    assert!(flag.calls_only(&e.bo) && flag.text().contains("time is up"), "{}", flag.text());
    assert_eq!(flag.buttons(), ["Move", "Claim the win", "Give more time", "Draw", "Resign", "Rules"]);
    board.loses_buttons().await;
    told_in_private(&e.ann.click(&flag, "Claim the win").await, &e.ann, "your own turn");
    e.bo.click(&flag, "Claim the win").await;
    let end = e.next(&flag).await;
    assert!(end.text().contains(&format!("{} wins", e.bo.mention())) && end.text().contains("time ran out"));
    assert!(end.calls_only(&e.ann) && end.buttons() == ["Rematch"]);
    e.names_the_rule(&end, "can claim the win");
}

#[tokio::test]
async fn the_opponent_gives_more_time() {
    let mut e = Evening::begins().await;
    let board = game_under_way(&e).await;
    e.bot.doze(73).await;
    let flag = e.next(&board).await;
    e.bo.click(&flag, "Give more time").await;
    let given = e.next(&flag).await;
    assert!(given.text().contains("more time") && given.calls_only(&e.ann), "{}", given.text());
    assert_eq!(given.buttons(), BUTTONS);
    e.moves(given, "c1-d1").await;
}

#[tokio::test]
async fn a_win_that_nobody_claims_comes_by_itself() {
    let mut e = Evening::begins().await;
    let board = game_under_way(&e).await;
    e.bot.doze(73).await;
    let flag = e.next(&board).await;
    e.discord.settle().await;
    e.bot.doze(73).await;
    let end = e.next(&flag).await;
    assert!(end.text().contains(&format!("{} wins", e.bo.mention())) && end.text().contains("time ran out"));
    assert!(end.calls_only(&e.bo) && end.buttons() == ["Rematch"], "{}", end.text());
    flag.loses_buttons().await;
}

#[tokio::test]
async fn a_game_that_never_began_ends_without_a_result() {
    let mut e = Evening::begins().await;
    let board = e.game("york").await;
    let board = e.moves(board, "d1-d2").await;
    e.discord.settle().await;
    e.bot.doze(73).await;
    let end = e.next(&board).await;
    assert!(end.text().contains("without a result") && end.text().contains("before both had moved"), "{}", end.text());
    e.names_the_rule(&end, "Nobody wins on time");
    assert_eq!(end.buttons(), ["Rematch"]);
    assert!(end.calls_only(&e.ann), "she has waited for him: {}", end.text());
}

#[tokio::test]
async fn a_game_without_a_limit_is_closed_when_nobody_moves_for_months() {
    let mut e = Evening::begins().await;
    let options = [("variant", "magpie"), ("opponent", e.bo.mention()), ("side", "attackers"), ("pace", "none")];
    let challenge = e.ann.slash("challenge", &options).await;
    e.bo.click(&challenge, "Accept").await;
    let board = e.next(&challenge).await;
    assert!(!board.text().contains("deadline"), "{}", board.text());
    e.discord.settle().await;
    e.bot.doze(84 * 24).await;
    let reminder = e.next(&board).await;
    assert!(reminder.calls_only(&e.ann) && reminder.text().contains("will be closed"), "{}", reminder.text());
    e.discord.settle().await;
    e.bot.doze(8 * 24).await;
    let end = e.next(&reminder).await;
    assert!(end.text().contains("without a result") && end.text().contains("for a long time"), "{}", end.text());
    e.names_the_rule(&end, "for 90 days");
}

/// Nobody is flagged although days have passed, and afterwards there is all the time again.
async fn the_clock_stood_still(e: &Evening) {
    e.discord.settle().await;
    assert!(e.discord.posts_saying(e.here(), "can claim the win").is_empty(), "nobody was flagged");
    told_in_private(&e.bo.slash("claim", &[]).await, &e.bo, "still has time");
    let post = e.ann.slash("move", &[("move", "c1-d1")]).await;
    assert!(post.is_public() && post.calls_only(&e.bo), "{}", post.text());
}

#[tokio::test]
async fn clocks_stand_still_while_the_bot_is_not_in_the_server() {
    let mut e = Evening::begins().await;
    game_under_way(&e).await;
    e.discord.expel_bot();
    e.discord.settle().await;
    e.bot.doze(73).await;
    e.bot.doze(73).await;
    e.discord.invite_bot();
    the_clock_stood_still(&e).await;
}

#[tokio::test]
async fn nobody_claims_a_win_while_the_bot_is_not_in_the_server() {
    let mut e = Evening::begins().await;
    let board = game_under_way(&e).await;
    e.bot.doze(73).await;
    e.next(&board).await;
    e.discord.settle().await;
    e.discord.expel_bot();
    e.discord.settle().await;
    told_in_private(&e.bo.in_private().slash("claim", &[]).await, &e.bo, "Nobody loses on time");
    e.discord.invite_bot();
    e.discord.settle().await;
    told_in_private(&e.bo.slash("claim", &[]).await, &e.bo, "still has time");
}

#[tokio::test]
async fn whoever_is_to_move_has_all_of_the_time_when_the_bot_is_back() {
    let mut e = Evening::begins().await;
    game_under_way(&e).await;
    e.bot.doze(60).await;
    e.discord.post_saying(e.here(), "your time is up").await;
    e.discord.settle().await;
    e.discord.expel_bot();
    e.discord.settle().await;
    e.bot.doze(11).await;
    e.discord.invite_bot();
    e.discord.settle().await;
    e.bot.doze(2).await;
    the_clock_stood_still(&e).await;
}

#[tokio::test]
async fn clocks_stand_still_although_the_bot_was_away_when_it_was_shown_the_door() {
    let mut e = Evening::begins().await;
    game_under_way(&e).await;
    e.bot.kill().await;
    e.discord.expel_bot();
    e.bot.start().await;
    e.discord.settle().await;
    e.bot.doze(73).await;
    e.discord.invite_bot();
    the_clock_stood_still(&e).await;
}

#[tokio::test]
async fn a_thread_that_discord_does_not_name_but_has_is_not_gone() {
    let mut e = Evening::begins().await;
    let thread = e.discord.thread("Ann and Bo");
    let options = [("variant", "brandubh"), ("opponent", e.bo.mention())];
    let challenge = e.ann.at(thread).slash("challenge", &options).await;
    e.bo.at(thread).click(&challenge, "Accept").await;
    e.discord.settle().await;
    e.bot.kill().await;
    e.discord.archive(thread);
    e.bot.alter(&format!("INSERT INTO gone VALUES ({thread}, 0)"));
    e.bot.start().await;
    let opened = |world: &World| (!world.channels[&thread].archived).then_some(());
    e.discord.wait_for("the thread to be opened", opened).await;
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.said());
    let gone: u32 = rusqlite::Connection::open(e.bot.database())
        .unwrap()
        .query_row("SELECT count(*) FROM gone", [], |row| row.get(0))
        .unwrap();
    assert_eq!(gone, 0, "it was found");
}

#[tokio::test]
async fn clocks_stand_still_while_the_place_is_gone() {
    for seen in [true, false] {
        let mut e = Evening::begins().await;
        let old = e.discord.channel("old");
        let (ann, bo) = (e.ann.at(old), e.bo.at(old));
        let options = [("variant", "brandubh"), ("opponent", bo.mention()), ("side", "attackers")];
        let challenge = ann.slash("challenge", &options).await;
        bo.click(&challenge, "Accept").await;
        let board = e.next(&challenge).await;
        e.moves(board, "").await;
        ann.slash("move", &[("move", "d1-c1")]).await;
        bo.slash("move", &[("move", "d3-e3")]).await;
        e.discord.settle().await;
        if !seen {
            e.bot.kill().await;
        }
        e.discord.delete_channel(old);
        if !seen {
            e.bot.start().await;
        }
        e.discord.settle().await;
        e.bot.doze(73).await;
        the_clock_stood_still(&e).await;
    }
}
