//! Messages that are owed: in order, tried again, settled or given up, and never lost.
#![allow(clippy::unwrap_used)]

mod store_fixture;
mod temp_folder;

use ratatosk::game::{
    Action, ChannelId, GameId, OutboxBody, Pace, Place, Proposal, Seconds, ServerId, SidePreference, Subject, Timestamp,
};
use ratatosk::rules::Variant;
use ratatosk::store::{About, Delivery, Effect, OutboxId, Store};
use store_fixture::{ASTRID, BJORN, DAWN, HALL, TempStore, begin, brandubh, played, post, save, update};

/// Returns the texts of the messages to deliver now.
fn texts(store: &Store, now: Timestamp) -> Vec<String> {
    store.session().unwrap().due_messages(now, 100).unwrap().into_iter().map(|message| text_of(&message.body)).collect()
}

fn text_of(body: &OutboxBody) -> String {
    match body {
        OutboxBody::Game(notice) => notice.reason.clone().unwrap(),
        other => format!("{other:?}"),
    }
}

#[test]
fn a_message_is_owed_with_the_change_it_tells_of() {
    let room = TempStore::new("owe");
    let store = room.open();
    let about_it = Effect::Post { about: About::NewGame, place: HALL, body: OutboxBody::began(), ping: None };
    // Messages may stand before what they are about.
    let saved = save(&store, vec![about_it, Effect::Begin(brandubh())], DAWN).unwrap();
    let owed = store.session().unwrap().due_messages(DAWN, 10).unwrap().rows.remove(0);
    assert_eq!((owed.id, owed.subject), (saved.messages[0].id, Subject::Game(saved.game.unwrap())));
    assert_eq!((owed.place, &owed.body, owed.ping), (HALL, &OutboxBody::began(), None));
    assert_eq!((owed.attempts, owed.made), (0, DAWN));
    assert_eq!(store.session().unwrap().message(owed.id).unwrap(), Some(owed));
    let variant = Variant::find("york").unwrap();
    let proposal = Proposal {
        challenger: ASTRID,
        opponent: Some(BJORN),
        variant,
        layout: variant.usual_layout(),
        side: SidePreference::Random,
        pace: Pace::default(),
        place: HALL,
    };
    let told =
        Effect::Post { about: About::NewChallenge, place: HALL, body: OutboxBody::Challenged, ping: Some(BJORN) };
    let saved = save(&store, vec![Effect::Challenge(proposal), told], DAWN).unwrap();
    let owed = store.session().unwrap().message(saved.messages[0].id).unwrap().unwrap();
    assert_eq!((owed.subject, owed.ping), (Subject::Challenge(saved.challenge.unwrap()), Some(BJORN)));
    assert!(
        save(
            &store,
            vec![Effect::Post { about: About::NewGame, place: HALL, body: OutboxBody::began(), ping: None }],
            DAWN
        )
        .is_err()
    );
}

#[test]
fn of_each_game_only_the_oldest_message_is_delivered() {
    let room = TempStore::new("order");
    let store = room.open();
    let (one, other) = (begin(&store, brandubh(), DAWN), begin(&store, brandubh(), DAWN));
    let mut owed: Vec<OutboxId> = Vec::new();
    for (game, text) in [(&one, "1a"), (&other, "2a"), (&one, "1b"), (&other, "2b"), (&one, "1c")] {
        owed.extend(
            save(&store, vec![post(game.id, text)], DAWN).unwrap().messages.into_iter().map(|message| message.id),
        );
    }
    assert_eq!(texts(&store, DAWN), ["1a", "2a"]);
    assert_eq!(store.session().unwrap().due_messages(DAWN, 1).unwrap().len(), 1);
    assert_eq!(store.session().unwrap().stats().unwrap().undelivered, 5);
    // The first place is out of reach for a while: what comes after it in that game waits, too.
    let soon = DAWN + Seconds(60);
    store.postpone(owed[0], soon).unwrap();
    assert_eq!(texts(&store, DAWN), ["2a"]);
    assert_eq!(store.session().unwrap().message(owed[0]).unwrap().unwrap().attempts, 1);
    store.settle(owed[1], Delivery::WithoutButtons { message: Some(u64::MAX) }, DAWN).unwrap();
    assert_eq!(texts(&store, DAWN), ["2b"]);
    assert_eq!(store.session().unwrap().message(owed[1]).unwrap(), None);
    assert_eq!(texts(&store, soon), ["1a", "2b"]);
    // The place is gone for good.
    store.give_up(owed[0], "the channel was deleted", soon).unwrap();
    assert_eq!(texts(&store, soon), ["1b", "2b"]);
    // What was closed stays closed.
    store.settle(owed[0], Delivery::WithoutButtons { message: Some(5) }, soon).unwrap();
    store.postpone(owed[0], soon).unwrap();
    assert_eq!(store.session().unwrap().stats().unwrap().undelivered, 3);
    assert_eq!(store.prune_before(soon).unwrap(), 1, "the one that was settled at dawn");
    assert_eq!(store.prune_before(soon + Seconds(1)).unwrap(), 1);
    assert_eq!(store.session().unwrap().stats().unwrap().undelivered, 3, "what is owed is never forgotten");
}

#[test]
fn what_is_owed_is_still_owed_after_a_restart() {
    let room = TempStore::new("restart");
    let store = room.open();
    let game = begin(&store, brandubh(), DAWN);
    save(&store, vec![update(&played(&game, "d1-b1", DAWN)), post(game.id, "moved")], DAWN).unwrap();
    store.close().unwrap();
    let store = room.open();
    assert_eq!(texts(&store, DAWN), ["moved"]);
    assert_eq!(store.session().unwrap().game(game.id).unwrap().unwrap().record.plies().len(), 1);
}

#[test]
fn what_stands_before_a_message_is_known_and_can_be_hurried() {
    let room = TempStore::new("before");
    let store = room.open();
    assert_eq!(store.session().unwrap().newest_outbox_id().unwrap(), OutboxId(0));
    let (one, other) = (begin(&store, brandubh(), DAWN), begin(&store, brandubh(), DAWN));
    let mut owed: Vec<OutboxId> = Vec::new();
    for (game, text) in [(&one, "1a"), (&other, "2a"), (&one, "1b"), (&one, "1c")] {
        owed.extend(
            save(&store, vec![post(game.id, text)], DAWN).unwrap().messages.into_iter().map(|message| message.id),
        );
    }
    assert_eq!(store.session().unwrap().newest_outbox_id().unwrap(), owed[3]);
    let before =
        |id| store.session().unwrap().messages_before(id).unwrap().into_iter().map(|owed| owed.id).collect::<Vec<_>>();
    assert_eq!((before(owed[3]), before(owed[1])), (vec![owed[0], owed[2]], vec![]));
    store.postpone(owed[0], DAWN + Seconds(60)).unwrap();
    store.postpone(owed[1], DAWN + Seconds(60)).unwrap();
    store.expedite(owed[3]).unwrap();
    assert_eq!(texts(&store, DAWN), ["1a"], "the other game waits as before");
}

#[test]
fn what_is_owed_goes_with_the_game_to_another_place_without_waiting() {
    let room = TempStore::new("move");
    let store = room.open();
    let game = begin(&store, brandubh(), DAWN);
    let owed = save(&store, vec![post(game.id, "moved")], DAWN).unwrap().messages[0].id;
    store.postpone(owed, DAWN + Seconds(600)).unwrap();
    let server = HALL.server.unwrap();
    let channels: Vec<ChannelId> = [Some(HALL.channel), HALL.thread].into_iter().flatten().collect();
    assert_eq!(
        (
            store.session().unwrap().servers_of_games().unwrap(),
            store.session().unwrap().channels_of_games(server).unwrap()
        ),
        (vec![server], channels)
    );
    let porch = Place { channel: ChannelId(77), thread: None, ..HALL };
    store.relocate_game(game.id, porch).unwrap();
    assert_eq!(store.session().unwrap().due_messages(DAWN, 10).unwrap().rows.remove(0).place, porch);
    assert_eq!(store.session().unwrap().channels_of_games(server).unwrap(), [porch.channel]);
    assert!(store.session().unwrap().channels_of_games(ServerId(server.0 + 1)).unwrap().is_empty());
}

#[test]
fn a_message_that_makes_no_sense_keeps_no_other_waiting() {
    let room = TempStore::new("nonsense");
    let store = room.open();
    for text in ["first", "second", "third"] {
        let game = begin(&store, brandubh(), DAWN);
        save(&store, vec![post(game.id, text)], DAWN).unwrap();
    }
    let damaged = rusqlite::Connection::open(room.database()).unwrap();
    damaged.execute("UPDATE outbox SET attempts = 9223372036854775807 WHERE id = 1", []).unwrap();
    assert_eq!(texts(&store, DAWN), ["second", "third"]);
    assert!(store.session().unwrap().message(OutboxId(1)).is_err());
    let faults: Vec<String> = store.check().unwrap().iter().map(ToString::to_string).collect();
    assert!(
        matches!(&faults[..], [fault] if fault.starts_with("row 1 of outbox makes no sense: attempts:")),
        "{faults:?}"
    );
}

#[test]
fn a_message_is_read_again_as_it_is_now() {
    let room = TempStore::new("again");
    let store = room.open();
    let game = begin(&store, brandubh(), DAWN);
    let owed = save(&store, vec![post(game.id, "it")], DAWN).unwrap().messages[0].id;
    assert_eq!(store.session().unwrap().due_message(owed, DAWN).unwrap().map(|owed| owed.place), Some(HALL));
    let thread = Place { thread: Some(ChannelId(71)), ..HALL };
    store.relocate_game(game.id, thread).unwrap();
    assert_eq!(store.session().unwrap().due_message(owed, DAWN).unwrap().map(|owed| owed.place), Some(thread));
    store.postpone(owed, DAWN + Seconds(60)).unwrap();
    assert_eq!(store.session().unwrap().due_message(owed, DAWN + Seconds(59)).unwrap(), None, "it was put off");
    assert!(store.session().unwrap().due_message(owed, DAWN + Seconds(60)).unwrap().is_some());
    store.settle(owed, Delivery::WithoutButtons { message: None }, DAWN).unwrap();
    assert_eq!(store.session().unwrap().due_message(owed, DAWN + Seconds(60)).unwrap(), None, "it was delivered");
}

#[test]
fn a_post_stands_where_it_was_posted_although_the_game_has_moved_meanwhile() {
    let room = TempStore::new("moved");
    let store = room.open();
    let game = begin(&store, brandubh(), DAWN);
    let first = save(&store, vec![post(game.id, "first")], DAWN).unwrap().messages[0].id;
    store.relocate_game(game.id, Place { channel: ChannelId(99), ..HALL }).unwrap();
    store.settle(first, Delivery::WithButtons { channel: HALL.channel, message: 5 }, DAWN).unwrap();
    let second = save(&store, vec![post(game.id, "second")], DAWN).unwrap().messages[0].id;
    store.settle(second, Delivery::WithButtons { channel: ChannelId(99), message: 6 }, DAWN).unwrap();
    let stale: Vec<_> =
        store.session().unwrap().stale_posts(10).unwrap().iter().map(|post| (post.channel, post.message)).collect();
    assert_eq!(stale, [(HALL.channel, 5)]);
}

#[test]
fn the_notice_that_a_game_has_moved_follows_the_game_when_it_moves_once_more() {
    let temp = TempStore::new("moved-twice");
    let store = temp.open();
    let game = begin(&store, brandubh(), DAWN);
    let moved = game.relocate(Place { channel: ChannelId(80), ..HALL }, DAWN);
    let notice = Effect::Post {
        about: About::Subject(Subject::Game(game.id)),
        place: moved.game.start.place,
        body: OutboxBody::Relocated { version: moved.game.version },
        ping: None,
    };
    let id = save(&store, vec![update(&moved), notice], DAWN).unwrap().messages[0].id;
    store.relocate_game(game.id, Place { channel: ChannelId(81), ..HALL }).unwrap();
    let session = store.session().unwrap();
    let (game, message) = (session.game(game.id).unwrap().unwrap(), session.message(id).unwrap().unwrap());
    assert_eq!(message.body, OutboxBody::Relocated { version: game.version }, "it still holds");
    assert_eq!((message.place.channel, game.start.place.channel), (ChannelId(81), ChannelId(81)));
}

#[test]
fn a_new_message_knows_which_earlier_ones_about_its_game_still_wait() {
    let temp = TempStore::new("earlier");
    let store = temp.open();
    let (one, other) = (begin(&store, brandubh(), DAWN), begin(&store, brandubh(), DAWN));
    let post_about = |game: GameId| save(&store, vec![post(game, "told")], DAWN).unwrap().messages.remove(0);
    let first = post_about(one.id);
    assert!(first.earlier.is_empty() && post_about(other.id).earlier.is_empty());
    let earlier: Vec<OutboxId> = post_about(one.id).earlier.iter().map(|message| message.id).collect();
    assert_eq!(earlier, [first.id]);
    store.settle(first.id, Delivery::WithoutButtons { message: None }, DAWN).unwrap();
    assert_eq!(post_about(one.id).earlier.len(), 1, "the delivered one waits no more");
}

#[test]
fn a_note_that_nobody_waits_for_tells_which_posts_lose_their_buttons() {
    let temp = TempStore::new("later");
    let store = temp.open();
    let game = begin(&store, brandubh(), DAWN);
    let new_post = |text| save(&store, vec![post(game.id, text)], DAWN).unwrap().messages[0].id;
    let (first, second) = (new_post("first"), new_post("second"));
    let (told, heard) = std::sync::mpsc::channel();
    for (id, message) in [(first, 5), (second, 6)] {
        let told = told.clone();
        let then = move |stale: Result<Vec<_>, _>| told.send(stale.unwrap()).unwrap();
        store.settle_later(id, Delivery::WithButtons { channel: HALL.channel, message }, DAWN, then);
    }
    assert!(heard.recv().unwrap().is_empty(), "there is none before the first");
    let stale = heard.recv().unwrap();
    assert_eq!(stale.iter().map(|post| post.message).collect::<Vec<_>>(), [5]);
    assert!(store.session().unwrap().due_messages(DAWN, 10).unwrap().is_empty());
    let (told, heard) = std::sync::mpsc::channel();
    store.forget_post(first, move |forgotten| told.send(forgotten).unwrap());
    let commits = store.counters().commits;
    new_post("third");
    assert_eq!(heard.recv().unwrap(), Ok(()));
    assert_eq!(store.counters().commits, commits + 1, "the note shares the commit of the third post");
    assert!(store.session().unwrap().stale_posts(10).unwrap().is_empty());
}

#[test]
fn the_end_of_a_game_is_stored_with_its_winner_and_a_contradiction_is_found() {
    let room = TempStore::new("contradiction");
    let store = room.open();
    let game = begin(&store, brandubh(), DAWN);
    let change = game.act(BJORN, Action::Resign, DAWN).unwrap();
    let body = OutboxBody::of(&change.events, &change.game, None);
    let about_it = Effect::Post { about: About::Subject(Subject::Game(game.id)), place: HALL, body, ping: None };
    save(&store, vec![update(&change), about_it], DAWN).unwrap();
    let file = rusqlite::Connection::open(room.database()).unwrap();
    let stored: String = file.query_row("SELECT body FROM outbox", [], |row| row.get(0)).unwrap();
    let won = r#""result":{"winner":"attackers","ending":"resigned"}"#;
    assert!(stored.contains(won), "{stored}");
    assert!(store.check().unwrap().is_empty());
    let contradiction = stored.replace("resigned", "agreed");
    file.execute("UPDATE outbox SET body = ?1", [contradiction]).unwrap();
    let found: Vec<String> = store.check().unwrap().iter().map(ToString::to_string).collect();
    let expected =
        "row 1 of outbox makes no sense: body: a game that ended with `agreed` cannot be won by the attackers";
    assert!(found.len() == 1 && found[0].contains(expected), "{found:?}");
}
