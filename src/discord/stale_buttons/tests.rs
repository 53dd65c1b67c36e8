//! Which posts lose their buttons, and when the others are tried again.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::discord::app_handle::tests::TestApp;
use crate::discord::outbox::claims::PostedMessage;
use crate::discord::test_bot::{TestBot, offline_client};
use crate::discord::wait_until;
use crate::game::GameId;
use crate::store::PostId;
use fake_discord::WAIT_LIMIT;
use fake_discord::rest::Failure;
use fake_discord::state::permissions;

const POST: StalePost = StalePost { id: PostId(3), channel: ChannelId(2), outbox: OutboxId(1), challenge: None };

fn refused(code: i64) -> RestError {
    RestError::Refused { status: 400, code, message: String::new() }
}

#[test]
fn a_post_that_is_gone_is_done() {
    assert!(outcome_of(POST, &refused(10008)).is_none());
}

#[test]
fn a_post_is_edited_later_if_the_token_is_refused() {
    let unauthorized = RestError::Refused { status: 401, code: 0, message: String::new() };
    assert!(outcome_of(POST, &unauthorized) == Some(SweepOutcome::Failed));
}

#[test]
fn a_post_that_may_not_be_edited_waits_for_the_permission() {
    for code in [code::MISSING_ACCESS, code::MISSING_PERMISSIONS, code::THREAD_ARCHIVED] {
        assert!(outcome_of(POST, &refused(code)) == Some(SweepOutcome::Forbidden), "{code}");
    }
}

#[test]
fn a_spent_rate_limit_pauses_the_channel() {
    let wait = Duration::from_secs(7);
    assert!(outcome_of(POST, &RestError::RateLimited { wait }) == Some(SweepOutcome::RateLimited(wait)));
    let old = outcome_of(POST, &refused(code::TOO_MANY_OLD_EDITS));
    assert!(old == Some(SweepOutcome::RateLimited(MAX_PAUSE)));
}

/// Makes the first edit of a stale post fail, and wakes the sweeper again and again until the post is edited. Returns
/// how long that took.
async fn sweep_despite(failure: Failure, wake: impl Fn(&ButtonSweeper)) -> Duration {
    let test = TestBot::start().await;
    let game = test.start_posted_game();
    let add_post = || test.add_post(None, |post| post.components = vec![json!({ "type": 1, "components": [] })]);
    let posts = [add_post(), add_post()];
    for post in posts {
        settle(&test, game, post).await;
    }
    let (begun, sweeper) = (Instant::now(), &test.bot.sweeper);
    test.discord.fail_next("PATCH /channels/*/messages/*", 1, failure);
    let sweeping = tokio::spawn(Arc::clone(sweeper).run());
    let is_edited = || {
        wake(sweeper);
        test.discord.state.read(|state| state.messages[&posts[0]].components.is_empty())
    };
    assert!(wait_until(WAIT_LIMIT, is_edited).await, "the post keeps its buttons");
    sweeping.abort();
    begun.elapsed()
}

/// Records that a post with buttons shows a game, which makes the game's earlier posts stale.
async fn settle(test: &TestBot, game: GameId, post: u64) {
    let (channel, message) = (test.place.channel, test.add_message(game));
    let posted = PostedMessage { channel, post: Some(PostId(post)), has_buttons: true, direct: false };
    test.bot.responder.settler.settle(message, posted).await.unwrap();
}

#[tokio::test]
async fn a_skipped_post_is_tried_again_in_time_however_often_the_sweeper_is_woken() {
    let limit = Duration::from_millis(50);
    let took = sweep_despite(Failure::RateLimit(limit), |sweeper| sweeper.add(Vec::new())).await;
    assert!(took >= limit && took < MAX_PAUSE, "{took:?}");
}

#[tokio::test]
async fn a_failed_post_is_not_tried_again_at_once_however_often_the_sweeper_is_woken() {
    let took = sweep_despite(Failure::Status(502), ButtonSweeper::wake).await;
    assert!(took >= FIRST_PAUSE && took < MAX_PAUSE, "{took:?}");
}

#[tokio::test]
async fn an_outage_costs_one_batch_of_calls_for_each_pause() {
    const EDITS: &str = "PATCH /channels/*/messages/*";
    let test = TestBot::start().await;
    let game = test.start_posted_game();
    let posts: Vec<_> = (0..3 * BATCH + 1).map(|_| test.add_post(None, |_| {})).collect();
    for post in &posts {
        settle(&test, game, *post).await;
    }
    // As after a start. Newly stale posts would all be tried at once.
    lock(&test.bot.sweeper.newly_stale).clear();
    test.discord.fail_next(EDITS, usize::MAX, Failure::Status(502));
    let sweeping = tokio::spawn(Arc::clone(&test.bot.sweeper).run());
    let first = format!("PATCH /channels/*/messages/{}", posts[0]);
    let is_retried = || test.discord.requests_to(&first).len() >= 3;
    assert!(wait_until(WAIT_LIMIT, is_retried).await, "the first post is tried again and again");
    sweeping.abort();
    let calls = test.discord.requests_to(EDITS).len();
    assert!(calls <= 3 * BATCH as usize, "{calls} calls in three rounds");
}

#[tokio::test]
async fn a_channel_in_which_the_bot_may_not_edit_is_not_tried_at_every_interaction() {
    const EDITS: &str = "PATCH /channels/*/messages/*";
    let test = TestBot::start().await;
    let game = test.start_posted_game();
    for post in [test.add_post(None, |_| {}), test.add_post(None, |_| {})] {
        settle(&test, game, post).await;
    }
    let (sweeper, channel) = (&test.bot.sweeper, test.place.channel);
    test.discord.deny_bot(channel.0, permissions::VIEW);
    let sweeping = tokio::spawn(Arc::clone(sweeper).run());
    let refused = async |calls: usize| {
        let is_refused = || {
            test.discord.requests_to(EDITS).len() >= calls
                && lock(&sweeper.forbidden).get(&channel).is_some_and(|channel| channel.skipped)
        };
        wait_until(WAIT_LIMIT, is_refused).await
    };
    assert!(refused(1).await, "the edit is refused");
    sweeper.recheck_channel(channel);
    assert!(refused(2).await, "the permission may be back");
    let since = lock(&sweeper.forbidden)[&channel].since;
    test.discord.allow_bot(channel.0);
    // They all come before the pause is over, or one of them would be enough.
    for _ in 0..30 {
        sweeper.recheck_channel(channel);
    }
    let is_edited = || test.discord.requests_to(EDITS).len() > 2;
    assert!(wait_until(WAIT_LIMIT, is_edited).await, "the permission is back, and nothing else happens");
    sweeping.abort();
    assert!(since.elapsed() >= FIRST_PAUSE, "tried again after {:?}", since.elapsed());
}

#[test]
fn the_pause_doubles_until_nothing_fails() {
    let start = Instant::now();
    let at = |seconds| start + Duration::from_secs(seconds);
    let mut backlog = Backlog::new(start);
    assert!(backlog.is_due(start));
    for (failed, retried) in [(0, 1), (1, 3), (3, 7)] {
        backlog.failed.insert(POST.outbox);
        backlog.back_off(at(failed));
        backlog.store_checked(at(failed));
        assert!(backlog.next_check_at() == at(retried) && backlog.waits(POST, at(failed)));
        assert!(backlog.is_due(at(retried)) && !backlog.waits(POST, at(retried)));
    }
    backlog.store_checked(at(7));
    assert!(!backlog.is_due(at(66)) && backlog.next_check_at() == at(67));
    backlog.back_off(at(50));
    assert!(backlog.next_check_at() == at(51));
}

#[tokio::test]
async fn memory_is_bounded_while_the_sweeper_is_behind() {
    let test = TestApp::new();
    let sweeper = ButtonSweeper::new(test.handle.clone(), Arc::new(Composer::new()), offline_client());
    sweeper.check_store.store(false, Ordering::Relaxed);
    let post = |number: usize| StalePost { outbox: OutboxId(number as u64), ..POST };
    sweeper.add((0..MAX_NEWLY_STALE).map(post).collect());
    sweeper.add(vec![post(0)]);
    assert!(!sweeper.check_store.load(Ordering::Relaxed), "it is known already");
    sweeper.add(vec![post(MAX_NEWLY_STALE)]);
    assert_eq!(lock(&sweeper.newly_stale).len(), MAX_NEWLY_STALE);
    assert!(sweeper.check_store.load(Ordering::Relaxed), "the others are found in the store");
}
