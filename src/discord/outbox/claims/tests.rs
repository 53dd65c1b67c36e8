//! Who may post a message, and when.

use super::*;
use crate::game::{GameId, OutboxBody, Place};
use crate::store::RequestId;
use fake_discord::WAIT_LIMIT;

const NOW: Timestamp = Timestamp(1_000);
const CHANNEL: ChannelId = ChannelId(1);

fn message(id: u64, made: Timestamp) -> OutboxMessage {
    let place = Place { server: None, channel: CHANNEL, thread: None };
    let (id, body, revision) = (OutboxId(id), OutboxBody::began(GameId(1)), Some(revision(0)));
    OutboxMessage { id, place, body, ping: None, made, attempts: 0, request: None, revision }
}

fn revision(version: u64) -> Revision {
    Revision::Game { version, deadline: NOW }
}

fn claims() -> Arc<Claims> {
    Arc::new(Claims::new(OutboxId(5), Duration::ZERO))
}

#[test]
fn a_message_that_is_being_answered_is_not_delayed() {
    let (claims, new) = (claims(), message(6, NOW));
    assert!(!claims.is_delayed(&new, NOW), "a request is about to answer with it");
    // In the future, so that a slow machine does not make it slow.
    let claim = claims.claim_since(new.id, Instant::now() + DELAYED_AFTER * 1000);
    assert!(!claims.is_delayed(&new, NOW), "a request answers with it");
    assert!(!claims.is_delayed(&new, NOW + RESERVED_FOR_ANSWER), "whatever the clock says");
    drop(claim);
    assert!(!claims.is_delayed(&new, NOW), "it was answered, but is not settled yet");
}

#[test]
fn a_message_is_reserved_for_as_long_as_its_answer_may_take() {
    let claims = Arc::new(Claims::new(OutboxId(5), Duration::from_secs(50)));
    let (new, end) = (message(6, NOW), NOW + RESERVED_FOR_ANSWER + Seconds(50));
    assert!(claims.claim_in_channel(&new, CHANNEL, end - Seconds(1)).is_none());
    assert!(claims.claim_in_channel(&new, CHANNEL, end).is_some());
}

#[test]
fn a_message_without_an_answer_is_delayed() {
    let claims = claims();
    assert!(claims.is_delayed(&message(6, NOW), NOW + RESERVED_FOR_ANSWER), "it has waited too long");
    assert!(claims.is_delayed(&message(5, NOW), NOW), "its process has ended");
    let lost = message(7, NOW);
    claims.leave_to_worker(lost.id);
    assert!(claims.is_delayed(&lost, NOW), "the answer was lost");
}

#[test]
fn a_message_that_an_earlier_process_may_have_answered_with_waits_until_the_answer_must_have_arrived() {
    let claims = claims();
    let answered = OutboxMessage { request: Some(RequestId(9)), ..message(5, NOW) };
    assert!(claims.claim_in_channel(&answered, CHANNEL, NOW).is_none(), "its answer may be on the way");
    assert!(claims.is_delayed(&answered, NOW), "later boards of the game wait for it");
    assert!(claims.claim_in_channel(&answered, CHANNEL, NOW + ANSWER_ON_THE_WAY).is_some());
    let before_the_clock_was_set_back = OutboxMessage { made: NOW + Seconds::HOUR, ..answered };
    assert!(claims.claim_in_channel(&before_the_clock_was_set_back, CHANNEL, NOW).is_some());
    assert!(claims.claim_in_channel(&message(4, NOW), CHANNEL, NOW).is_some(), "a reminder answers nobody");
}

#[test]
fn a_message_that_takes_long_to_send_is_delayed() {
    let (claims, slow) = (claims(), message(6, NOW));
    let claim = claims.claim(slow.id);
    if let Some((_, since)) = claims.state().claimed.get_mut(&slow.id) {
        *since -= DELAYED_AFTER * 2;
    }
    assert!(claims.is_delayed(&slow, NOW));
    drop(claim);
}

#[test]
fn the_back_off_grows_and_the_message_counts_as_maybe_sent() {
    let (claims, new) = (claims(), message(6, NOW));
    let later = NOW + RESERVED_FOR_ANSWER;
    assert!(!claims.is_maybe_sent(&new) && claims.claim_in_channel(&new, CHANNEL, later).is_some());
    let pauses: Vec<u64> = (0..12).map(|_| claims.back_off(new.id).as_secs()).collect();
    assert_eq!(pauses[..5], [1, 2, 4, 8, 16]);
    assert_eq!(pauses.last(), Some(&MAX_BACK_OFF.as_secs()));
    assert!(claims.is_maybe_sent(&new) && claims.claim_in_channel(&new, CHANNEL, later).is_none());
    assert!(claims.claim_in_channel(&message(7, NOW), CHANNEL, later).is_some(), "the channel is free for others");
    claims.end_back_off(new.id);
    assert!(
        claims.claim_in_channel(&new, CHANNEL, NOW).is_some(),
        "a player waits for it, and it is not reserved any more"
    );
}

#[test]
fn a_message_that_is_forgotten_leaves_nothing_behind() {
    let (claims, new) = (claims(), message(6, NOW));
    claims.leave_to_worker(new.id);
    claims.count_rejection(new.id);
    claims.remember_posted(
        new.id,
        PostedMessage { channel: CHANNEL, post: Some(PostId(2)), has_buttons: true, direct: false },
    );
    assert_eq!(claims.remembered(), [new.id], "once, whatever is remembered");
    claims.forget(new.id);
    assert!(claims.is_idle() && claims.remembered().is_empty());
}

#[test]
fn a_message_that_is_left_to_the_worker_stays_so_until_it_is_posted() {
    let (claims, new) = (claims(), message(6, NOW));
    claims.leave_to_worker(new.id);
    // The worker's list was out of date, and `deliver` would find that the message is not due.
    drop(claims.claim_in_channel(&new, CHANNEL, NOW));
    let claim = claims.claim_in_channel(&new, CHANNEL, NOW);
    assert!(claim.is_some());
    claims.start_posting(new.id);
    drop(claim);
    assert!(claims.claim_in_channel(&new, CHANNEL, NOW).is_none());
    let postponed = OutboxMessage { attempts: 1, ..new };
    assert!(claims.is_delayed(&postponed, NOW) && claims.claim_in_channel(&postponed, CHANNEL, NOW).is_some());
    assert!(claims.is_idle(), "stopping does not wait for its next attempt");
}

#[test]
fn the_time_before_a_message_is_claimed_counts_as_delay() {
    let (claims, slow) = (claims(), message(6, NOW));
    claims.leave_to_worker(slow.id);
    if let Some(since) = claims.state().left_to_worker.get_mut(&slow.id) {
        *since -= DELAYED_AFTER * 2;
    }
    let claim = claims.claim_in_channel(&slow, CHANNEL, NOW);
    assert!(claim.is_some() && claims.is_delayed(&slow, NOW));
    claims.start_posting(slow.id);
    drop(claim);
    claims.leave_to_worker(slow.id);
    if let Some(since) = claims.state().left_to_worker.get_mut(&slow.id) {
        *since += DELAYED_AFTER * 1000;
    }
    let claim = claims.claim_in_channel(&slow, CHANNEL, NOW);
    assert!(claim.is_some() && !claims.is_delayed(&slow, NOW), "this time it was quick");
    drop(claim);
}

#[test]
fn a_message_that_is_visible_delays_nothing_even_if_it_is_not_settled_yet() {
    let (claims, late) = (claims(), message(5, NOW));
    let claim = claims.claim(late.id);
    assert!(claims.is_delayed(&late, NOW), "an earlier process left it unsent");
    claims.remember_posted(
        late.id,
        PostedMessage { channel: CHANNEL, post: Some(PostId(2)), has_buttons: true, direct: false },
    );
    assert!(!claims.is_delayed(&late, NOW));
    drop(claim);
    assert!(!claims.is_delayed(&late, NOW));
}

#[test]
fn a_message_that_is_sent_again_is_delayed() {
    let claims = claims();
    let again = OutboxMessage { attempts: 1, ..message(6, NOW) };
    let sending = [claims.claim(again.id), claims.claim(OutboxId(5))];
    assert!(claims.is_delayed(&again, NOW), "the first attempt failed");
    assert!(claims.is_delayed(&message(5, NOW), NOW), "so did that of an earlier process");
    drop(sending);
}

async fn wakes(claims: &Claims) -> bool {
    tokio::time::timeout(Duration::ZERO, claims.wake.notified()).await.is_ok()
}

#[tokio::test]
async fn the_worker_wakes_up_only_if_there_may_be_something_to_post() {
    let (claims, new) = (claims(), message(6, NOW));
    drop(claims.claim(new.id));
    assert!(!wakes(&claims).await, "an answer was settled");
    let claim = claims.claim(new.id);
    claims.leave_to_worker(new.id);
    assert!(wakes(&claims).await, "an answer was lost");
    drop(claim);
    assert!(wakes(&claims).await, "and now nobody claims it");
    claims.forget(new.id);
    drop(claims.claim_in_channel(&message(5, NOW), CHANNEL, NOW));
    assert!(wakes(&claims).await, "the channel is free again");
}

#[tokio::test]
async fn every_watcher_is_told_the_outcome_once() {
    let claims = claims();
    let (one, other) = (claims.watch(OutboxId(6)), claims.watch(OutboxId(6)));
    claims.report(OutboxId(7), PostOutcome::ChannelGone);
    claims.report(OutboxId(6), PostOutcome::Posted);
    claims.report(OutboxId(6), PostOutcome::ChannelGone);
    assert_eq!((one.await, other.await), (Ok(PostOutcome::Posted), Ok(PostOutcome::Posted)));
    drop(claims.watch(OutboxId(8)));
    drop(claims.watch(OutboxId(9)));
    assert_eq!(claims.state().watchers.len(), 1, "watchers that are gone are removed");
}

#[tokio::test]
async fn the_worker_looks_again_when_a_pause_is_over_and_not_only_in_its_next_round() {
    let claims = Arc::new(Claims::new(OutboxId(0), Duration::ZERO));
    claims.wake_after(Duration::from_millis(1));
    let woken = tokio::time::timeout(WAIT_LIMIT, claims.wait_for_work(Duration::MAX)).await;
    assert!(woken.is_ok());
}
