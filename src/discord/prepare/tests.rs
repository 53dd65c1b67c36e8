//! What a player is answered, and which messages the worker posts.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::app::App;
use crate::discord::app_handle::tests::TestApp;
use crate::discord::message::picture_name;
use crate::discord::test_bot::{first_move, incoming, start_game};
use crate::discord::test_log::collect_lines;
use crate::game::{ChannelId, GameId, ServerId};
use crate::store::OutboxMessage;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const PLACE: Place = Place { server: Some(ServerId(1)), channel: ChannelId(10), thread: None };
const REQUEST: RequestId = RequestId(77);

fn preparer(app: AppHandle) -> Preparer {
    Preparer::new(app, Arc::new(Composer::new()), Arc::new(Claims::new(OutboxId(0), Duration::ZERO)))
}

fn make_move(game: GameId, source: Source) -> Incoming {
    incoming(REQUEST, 1, PLACE, first_move(game), source)
}

/// Starts a game whose first board is posted.
fn start_posted_game(test: &TestApp) -> GameId {
    let (game, message) = start_game(test.handle.app(), PLACE);
    test.handle.app().store().give_up(message.id, "posted", test.handle.now()).unwrap();
    game
}

fn newest_message(test: &TestApp) -> OutboxMessage {
    let session = test.handle.app().store().session().unwrap();
    session.message(session.newest_outbox_id().unwrap()).unwrap().unwrap()
}

fn said(prepared: &PreparedAnswer) -> &str {
    prepared.body["data"]["content"].as_str().unwrap()
}

#[test]
fn the_apology_after_a_panic_says_whether_the_request_was_saved() {
    let test = TestApp::new();
    let (game, now) = (start_posted_game(&test), test.handle.now());
    let panics = Arc::new(AtomicBool::new(true));
    let clock = {
        let panics = Arc::clone(&panics);
        move || {
            assert!(!panics.load(Ordering::Relaxed), "a bug");
            now
        }
    };
    let app = App::new(test.handle.app().store().clone(), clock, || true);
    let preparer = preparer(AppHandle::new(Arc::new(app)).0);
    let answer = || preparer.prepare(make_move(game, Source::Command));
    assert_eq!(said(&answer()), refusals::internal_error(REQUEST.0, false, Some(false)));
    panics.store(false, Ordering::Relaxed);
    assert!(answer().carried.is_some());
    // Discord delivers it again.
    panics.store(true, Ordering::Relaxed);
    assert_eq!(said(&answer()), refusals::internal_error(REQUEST.0, false, Some(true)));
}

#[test]
fn a_store_that_fails_is_logged_and_the_apology_does_not_say_that_nothing_was_done() {
    let mut test = TestApp::new();
    let game = start_posted_game(&test);
    test.handle.app().store().clone().close().unwrap();
    let (lines, logging) = collect_lines();
    let answer = preparer(test.handle.clone()).prepare(make_move(game, Source::Command));
    drop(logging);
    assert_eq!(said(&answer), refusals::internal_error(REQUEST.0, false, None));
    assert_eq!(answer.body["data"]["flags"], 64, "only the player sees it");
    assert!(lines.lock().unwrap().iter().any(|line| line == "request failed, apologising to the player"));
    assert_eq!(test.stopped.try_recv(), Ok(StoreError::Stopped), "and the bot ends");
}

#[test]
fn a_click_in_a_private_message_closes_it_and_hands_the_board_to_the_worker() {
    let test = TestApp::new();
    let (game, preparer) = (start_posted_game(&test), preparer(test.handle.clone()));
    let answer = preparer.prepare(make_move(game, Source::PrivateMessage));
    let message = newest_message(&test);
    assert_eq!((answer.body["type"].as_u64(), said(&answer)), (Some(7), &*delivery::played("d2-c2")));
    assert_eq!(answer.body["data"]["components"], json!([]), "there is nothing more to click");
    assert!(answer.claimed().is_none() && answer.for_worker == [message.id]);
    let composed = preparer.claims.take_composed(&message).unwrap();
    assert_eq!(composed.files[0].name, picture_name(Some(message.id)), "the worker need not draw it again");
}

#[test]
fn a_public_click_is_answered_with_the_board_itself() {
    let test = TestApp::new();
    let (game, preparer) = (start_posted_game(&test), preparer(test.handle.clone()));
    let answer = preparer.prepare(make_move(game, Source::PublicMessage));
    let message = newest_message(&test);
    assert_eq!(answer.body["type"], 4, "a new message, which notifies");
    assert!(answer.body["data"]["flags"].is_null());
    let is_the_board = |carried: &Carried| match carried {
        Carried::Answer { outbox_id, has_buttons, .. } => *outbox_id == message.id && *has_buttons,
        Carried::Followup(_) => false,
    };
    assert!(answer.carried.as_ref().is_some_and(is_the_board));
    assert!(answer.for_worker.is_empty());
}

#[test]
fn the_answer_to_a_move_takes_one_read_transaction_and_one_commit() {
    let test = TestApp::new();
    let (game, preparer) = (start_posted_game(&test), preparer(test.handle.clone()));
    let store = test.handle.app().store();
    let before = store.counters();
    let answer = preparer.prepare(make_move(game, Source::Command));
    let after = store.counters();
    assert!(answer.carried.is_some() && !answer.files.is_empty(), "it is complete, with its picture");
    let took = (after.read_transactions - before.read_transactions, after.commits - before.commits);
    assert_eq!(took, (1, 1));
}

#[test]
fn a_move_waits_for_an_earlier_board_that_is_delayed() {
    let test = TestApp::new();
    let ((game, earlier), preparer) = (start_game(test.handle.app(), PLACE), preparer(test.handle.clone()));
    // Its answer was lost, and the worker could not post it.
    preparer.claims.back_off(earlier.id);
    preparer.claims.leave_to_worker(earlier.id);
    let answer = preparer.prepare(make_move(game, Source::Command));
    assert!(said(&answer).ends_with(&delivery::posted_after_earlier_board()));
    assert_eq!(answer.body["data"]["flags"], 64, "the others see the earlier board first");
    assert_eq!((answer.delayed, answer.claimed()), (Some(earlier.id), None));
    assert_eq!(answer.for_worker, [newest_message(&test).id]);
    let claim = preparer.claims.claim_in_channel(&earlier, PLACE.channel, test.handle.now());
    assert!(claim.is_some(), "the worker tries it again at once");
}
