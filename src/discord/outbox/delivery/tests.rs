//! Messages that cannot be posted now: when they wait, and for what.
#![allow(clippy::unwrap_used, clippy::panic)]

use super::*;
use crate::app::{App, Request};
use crate::discord::app_handle::tests::TestApp;
use crate::discord::interaction::{Incoming, Source};
use crate::discord::test_bot::{self, ATTACKER, TestBot, first_move};
use crate::discord::test_log::{collect_lines, on_each_line};
use crate::discord::wait_until;
use crate::game::{GameEvent, GameMessage, GameNotice, OutboxBody, ServerId};
use crate::store::{Commit, Effect, NewBody};
use fake_discord::WAIT_LIMIT;
use fake_discord::rest::Failure;
use fake_discord::state::permissions;
use std::sync::Mutex;

pub(in crate::discord::outbox) const PLACE: Place =
    Place { server: Some(ServerId(1)), channel: ChannelId(10), thread: None };

/// Makes a deliverer that cannot reach Discord.
pub(in crate::discord::outbox) fn offline_deliverer(test: &TestApp) -> Deliverer {
    let app = test.handle.clone();
    let rest = test_bot::offline_client();
    let claims = Arc::new(Claims::new(OutboxId(0), Duration::ZERO));
    let composer = Arc::new(Composer::new());
    let sweeper = Arc::new(ButtonSweeper::new(app.clone(), Arc::clone(&composer), rest.clone()));
    Deliverer {
        composer,
        reconciler: Arc::new(Reconciler::new(app.clone(), rest.clone(), Arc::clone(&claims))),
        settler: Arc::new(Settler::new(app.clone(), Arc::clone(&claims), Arc::clone(&sweeper))),
        threads: Threads::new(rest.clone(), Arc::clone(&claims)),
        channels: Arc::new(ChannelWatcher::new(app.clone(), rest.clone(), Arc::clone(&claims))),
        sweeper,
        stopping: Arc::default(),
        app,
        rest,
        claims,
    }
}

fn start_game(test: &TestApp) -> (GameId, OutboxMessage) {
    test_bot::start_game(test.handle.app(), PLACE)
}

fn is_due(test: &TestApp, message: &OutboxMessage) -> bool {
    let session = test.handle.app().store().session().unwrap();
    session.due_message(message.id, test.handle.now()).unwrap().is_some()
}

#[tokio::test]
async fn a_message_without_a_channel_waits_and_its_watchers_are_told() {
    let test = TestApp::new();
    let ((_, message), deliverer) = (start_game(&test), offline_deliverer(&test));
    test.handle.app().store().mark_gone(PlacePart::Channel(PLACE.channel), test.handle.now()).unwrap();
    let outcome = deliverer.claims.watch(message.id);
    assert_eq!(deliverer.deliver(message.id).await, Ok(()));
    assert_eq!(outcome.await, Ok(PostOutcome::ChannelGone));
    assert!(!is_due(&test, &message));
}

#[tokio::test]
async fn a_message_does_not_wait_if_its_game_is_relocated_or_its_channel_is_back_while_it_is_being_postponed() {
    for relocates in [true, false] {
        let test = TestApp::new();
        let ((game, message), deliverer) = (start_game(&test), offline_deliverer(&test));
        let (app, now) = (test.handle.app(), test.handle.now());
        app.store().mark_gone(PlacePart::Channel(PLACE.channel), now).unwrap();
        let destination = app.destination(&message).unwrap();
        assert_eq!(destination, Destination::Gone);
        // Only now does a player use a command in another channel, or in this one.
        if relocates {
            assert_eq!(app.relocate_game(game, Place { channel: ChannelId(11), ..PLACE }), Ok(true));
        } else {
            app.store().mark_back(PlacePart::Channel(PLACE.channel), now).unwrap();
        }
        assert_eq!(deliverer.deliver_to(&message, destination).await, Ok(false));
        assert!(is_due(&test, &message), "relocates: {relocates}");
    }
}

#[tokio::test]
async fn players_are_told_where_a_game_goes_on_even_if_moving_it_outdates_the_message() {
    let test = TestBot::start().await;
    let (store, thread, began) = (test.store(), ChannelId(77), test.now() - Seconds::days(2));
    let place = Place { thread: Some(thread), ..test.place };
    let game = test_bot::start_game_at(test.test.handle.app(), place, began).0;
    let deadline = store.session().unwrap().game(game).unwrap().unwrap().clock.deadline;
    let reminder = GameEvent::Reminder { player: ATTACKER, deadline };
    let told = GameMessage::Notice(GameNotice { events: vec![reminder], ..GameNotice::default() });
    let body = NewBody::Known(OutboxBody::Game(game, told));
    let effects = vec![Effect::AddMessage { body, place, ping: Some(ATTACKER) }];
    store.commit(Commit { request: None, effects, now: began }).unwrap();
    let first = store.session().unwrap().due_messages(test.now(), 1).unwrap()[0].id;
    store.give_up(first, "posted", began).unwrap();
    store.mark_gone(PlacePart::Thread(thread), test.now()).unwrap();
    tokio::select! {
        () = Arc::clone(&test.bot.outbox).run() => {}
        () = test.discord.wait_until("a post", |state| state.posts(test.place.channel.0).pop().map(|_| ())) => {}
    }
    let posts = test.posts();
    assert!(posts.len() == 1 && posts[0].contains("goes on here") && posts[0].contains("<@1>"), "{posts:?}");
}

#[tokio::test]
async fn the_buttons_of_a_post_that_was_made_without_a_confirmation_are_removed_although_it_cannot_be_looked_for() {
    let test = TestBot::start().await;
    let ((game, began), claims) = (test.start_game(), &test.bot.claims);
    test.discord.deny_bot(test.place.channel.0, permissions::READ_HISTORY);
    test.discord.fail_next("POST /channels/*/messages", 1, Failure::CloseAfterEffect);
    claims.leave_to_worker(began.id);
    let working = tokio::spawn(Arc::clone(&test.bot.outbox).run());
    let first =
        test.discord.wait_until("a post", |state| state.posts(test.place.channel.0).pop().map(|post| post.id)).await;
    // The game goes on, so the next attempt, with the same nonce, has no buttons.
    let Incoming { person, place, permissions, .. } = test.interact(first_move(game), Source::Command);
    let request = Request { id: None, person, place, permissions, command: first_move(game) };
    test.test.handle.app().handle(&request, &DiscordMarkupFactory).unwrap();
    let moved = test.newest_message();
    let is_posted = || {
        // The clock of this test stands still, so the next attempt would not come.
        test.store().expedite(moved).unwrap();
        claims.leave_to_worker(moved);
        !test.is_undelivered(began.id) && !test.is_undelivered(moved)
    };
    assert!(wait_until(WAIT_LIMIT, is_posted).await, "both are posted");
    assert_eq!(test.posts().len(), 2, "none is doubled");
    let is_found = || test.bot.sweeper.newly_stale_posts() == [PostId(first)];
    assert!(wait_until(WAIT_LIMIT, is_found).await, "the first one is to lose its buttons");
    working.abort();
}

#[tokio::test]
async fn a_failed_attempt_in_the_old_place_does_not_delay_a_relocated_game() {
    let test = TestApp::new();
    let ((game, message), deliverer) = (start_game(&test), offline_deliverer(&test));
    assert_eq!(test.handle.app().relocate_game(game, Place { channel: ChannelId(11), ..PLACE }), Ok(true));
    assert_eq!(deliverer.deliver_to(&message, Destination::Place).await, Ok(false));
    assert!(is_due(&test, &message));
}

#[tokio::test]
async fn a_board_that_was_composed_for_the_worker_is_composed_again_if_its_game_has_changed_since() {
    let test = TestApp::new();
    let ((game, message), deliverer) = (start_game(&test), offline_deliverer(&test));
    let (app, now, channel) = (test.handle.app(), test.handle.now(), PlacePart::Channel(PLACE.channel));
    let is_used = async |change: &dyn Fn()| {
        let read = || app.store().session().unwrap().message(message.id).unwrap().unwrap();
        let kept = OutgoingMessage::private_text("kept");
        deliverer.claims.keep_composed(message.id, read().revision.unwrap(), kept);
        change();
        deliverer.compose(&read(), true).await.unwrap().unwrap().content() == "kept"
    };
    assert!(is_used(&|| {}).await);
    let restart_clock = || {
        app.store().mark_gone(channel, now).unwrap();
        app.store().mark_back(channel, now + Seconds::HOUR).unwrap();
    };
    assert!(!is_used(&restart_clock).await, "it names the old deadline");
    let relocate = || assert_eq!(app.relocate_game(game, Place { channel: ChannelId(11), ..PLACE }), Ok(true));
    assert!(!is_used(&relocate).await, "its buttons are those of the old version");
}

#[tokio::test]
async fn a_panic_while_a_board_is_composed_is_not_reported_as_a_closed_database() {
    let test = TestApp::new();
    let (_, message) = start_game(&test);
    // Composing reads the clock.
    let app = App::new(test.handle.app().store().clone(), || panic!("a bug that this test made"), || true);
    let (app, mut store_stopped) = AppHandle::new(Arc::new(app));
    let deliverer = Deliverer { app, ..offline_deliverer(&test) };
    assert_eq!(deliverer.compose(&message, true).await.err(), Some(AppError::Panicked));
    assert!(store_stopped.try_recv().is_err(), "the bot goes on");
}

#[tokio::test]
async fn a_retry_is_logged_when_the_message_is_postponed() {
    let test = TestApp::new();
    let ((_, message), deliverer) = (start_game(&test), offline_deliverer(&test));
    let was_due = Arc::new(Mutex::new(Vec::new()));
    let (store, noted) = (test.handle.app().store().clone(), Arc::clone(&was_due));
    let (id, now) = (message.id, test.handle.now());
    let logging = on_each_line(move |line| {
        if line.contains("retrying in") {
            noted.lock().unwrap().push(store.session().unwrap().due_message(id, now).unwrap().is_some());
        }
    });
    assert_eq!(deliverer.deliver_to(&message, Destination::Place).await, Ok(false));
    drop(logging);
    assert_eq!(*was_due.lock().unwrap(), [false]);
}

#[tokio::test]
async fn a_message_is_due_again_when_the_log_says_so() {
    let test = TestApp::new();
    let ((_, message), deliverer) = (start_game(&test), offline_deliverer(&test));
    let (lines, logging) = collect_lines();
    assert_eq!(deliverer.deliver_to(&message, Destination::Place).await, Ok(false));
    drop(logging);
    let line = lines.lock().unwrap().iter().find(|line| line.contains("retrying in")).unwrap().clone();
    let pause: i64 = line.split_whitespace().rev().nth(1).unwrap().parse().unwrap();
    let is_due = |after| {
        let now = test.handle.now() + Seconds(after);
        test.handle.app().store().session().unwrap().due_message(message.id, now).unwrap().is_some()
    };
    assert_eq!([is_due(pause - 1), is_due(pause)], [false, true], "{line}");
}

#[tokio::test]
async fn a_message_that_was_closed_while_it_was_posted_is_not_said_to_go_to_another_channel() {
    let test = TestApp::new();
    let ((_, message), deliverer) = (start_game(&test), offline_deliverer(&test));
    test.handle.app().store().give_up(message.id, "its player was forgotten", test.handle.now()).unwrap();
    let (lines, logging) = collect_lines();
    let error = RestError::Unreachable(String::from("no route"));
    assert_eq!(deliverer.retry_later(&message, &error).await, Ok(false));
    drop(logging);
    assert_eq!(*lines.lock().unwrap(), ["posting failed, the message was closed meanwhile"]);
}

#[tokio::test]
async fn the_worker_is_woken_when_a_message_is_to_be_tried_again() {
    let test = TestApp::new();
    let ((_, message), deliverer) = (start_game(&test), offline_deliverer(&test));
    assert_eq!(deliverer.deliver_to(&message, Destination::Place).await, Ok(false));
    let woken = tokio::time::timeout(WAIT_LIMIT, deliverer.claims.wait_for_work(Duration::MAX)).await;
    assert!(woken.is_ok());
}

#[tokio::test]
async fn a_bot_that_stops_does_not_say_that_it_retries() {
    let test = TestApp::new();
    let ((_, message), deliverer) = (start_game(&test), offline_deliverer(&test));
    deliverer.stopping.store(true, Ordering::Release);
    let (lines, logging) = collect_lines();
    assert_eq!(deliverer.deliver_to(&message, Destination::Place).await, Ok(false));
    drop(logging);
    let lines = lines.lock().unwrap();
    assert!(lines.iter().any(|line| line == "not posted while the bot stops, posting at the next start"), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("retrying")), "{lines:?}");
}

#[tokio::test]
async fn a_message_about_a_game_that_does_not_exist_is_given_up_and_not_called_outdated() {
    let test = TestApp::new();
    let ((game, message), deliverer) = (start_game(&test), offline_deliverer(&test));
    let (lines, logging) = collect_lines();
    let lost = OutboxMessage { body: OutboxBody::began(GameId(game.0 + 1)), ..message.clone() };
    for message in [&message, &lost] {
        assert_eq!(deliverer.discard_outdated(message).await, Ok(false));
    }
    drop(logging);
    assert_eq!(
        *lines.lock().unwrap(),
        ["closing an outbox message without posting it", "giving up an outbox message"].map(String::from)
    );
}
