//! The outbox: messages are due in order, postponed, settled or given up, and never lost.
#![allow(clippy::unwrap_used)]

mod store_fixture;
mod temp_folder;

use ratatosk::game::{
    Action, ChallengeMessage, ChallengeState, ChannelId, GameId, GameMessage, OutboxBody, Pace, Place, PlacePart,
    Proposal, Seconds, ServerId, SidePreference, Timestamp,
};
use ratatosk::rules::Variant;
use ratatosk::store::{Delivery, Effect, NewBody, OutboxId, PostId, Revision, Store};
use store_fixture::{ASTRID, BJORN, CHANNEL, NOW, TempStore, begin, brandubh, message, played, save, update};

/// Returns the texts of the messages to deliver now.
fn texts(store: &Store, now: Timestamp) -> Vec<String> {
    store.session().unwrap().due_messages(now, 100).unwrap().into_iter().map(|message| text_of(&message.body)).collect()
}

/// Moves a game to another place, with a new version as every relocation has.
fn relocate(store: &Store, game: GameId, place: Place) {
    let change = store.session().unwrap().game(game).unwrap().unwrap().relocate(place, NOW);
    save(store, vec![update(&change)], NOW).unwrap();
}

fn text_of(body: &OutboxBody) -> String {
    match body {
        OutboxBody::Game(_, GameMessage::Notice(notice)) => notice.reason.clone().unwrap(),
        other => format!("{other:?}"),
    }
}

#[test]
fn a_message_is_committed_with_its_change() {
    let temp = TempStore::new("owe");
    let store = temp.open();
    let began = || Effect::AddMessage { body: NewBody::GameBegan, place: CHANNEL, ping: None };
    let saved = save(&store, vec![Effect::BeginGame(brandubh()), began()], NOW).unwrap();
    let message = store.session().unwrap().due_messages(NOW, 10).unwrap().rows.remove(0);
    let body = OutboxBody::began(saved.game.unwrap());
    assert_eq!((message.id, message.place, &message.body), (saved.messages[0].id, CHANNEL, &body));
    assert_eq!((message.ping, message.revision), (None, saved.messages[0].revision));
    assert_eq!((message.attempts, message.made), (0, NOW));
    assert_eq!(store.session().unwrap().message(message.id).unwrap(), Some(message));
    let variant = Variant::find("york").unwrap();
    let proposal = Proposal {
        challenger: ASTRID,
        opponent: Some(BJORN),
        variant,
        layout: variant.default_layout(),
        side: SidePreference::Random,
        pace: Pace::default(),
        place: CHANNEL,
    };
    let told = Effect::AddMessage { body: NewBody::ChallengeMade, place: CHANNEL, ping: Some(BJORN) };
    let saved = save(&store, vec![Effect::AddChallenge(proposal), told], NOW).unwrap();
    let message = store.session().unwrap().message(saved.messages[0].id).unwrap().unwrap();
    let body = OutboxBody::Challenge(saved.challenge.unwrap(), ChallengeMessage::Made);
    assert_eq!((message.body, message.ping), (body, Some(BJORN)));
    assert_eq!(message.revision, Some(Revision::Challenge(ChallengeState::Open)));
    assert!(save(&store, vec![began()], NOW).is_err());
}

#[test]
fn only_the_oldest_message_of_each_game_is_due() {
    let temp = TempStore::new("order");
    let store = temp.open();
    let (one, other) = (begin(&store, brandubh(), NOW), begin(&store, brandubh(), NOW));
    let mut ids: Vec<OutboxId> = Vec::new();
    for (game, text) in [(&one, "1a"), (&other, "2a"), (&one, "1b"), (&other, "2b"), (&one, "1c")] {
        ids.extend(
            save(&store, vec![message(game.id, text)], NOW).unwrap().messages.into_iter().map(|message| message.id),
        );
    }
    assert_eq!(texts(&store, NOW), ["1a", "2a"]);
    assert_eq!(store.session().unwrap().due_messages(NOW, 1).unwrap().len(), 1);
    assert_eq!(store.session().unwrap().stats().unwrap().unsent, 5);
    // The first message is postponed, and later ones about the same game wait for it.
    let soon = NOW + Seconds(60);
    store.postpone(ids[0], soon).unwrap();
    assert_eq!(texts(&store, NOW), ["2a"]);
    assert_eq!(store.session().unwrap().message(ids[0]).unwrap().unwrap().attempts, 1);
    store.settle(ids[1], Delivery::WithoutButtons { post: Some(PostId(u64::MAX)) }, NOW).unwrap();
    assert_eq!(texts(&store, NOW), ["2b"]);
    assert_eq!(store.session().unwrap().message(ids[1]).unwrap(), None);
    assert_eq!(texts(&store, soon), ["1a", "2b"]);
    // The channel was deleted.
    store.give_up(ids[0], "the channel was deleted", soon).unwrap();
    assert_eq!(texts(&store, soon), ["1b", "2b"]);
    // A closed message stays closed.
    store.settle(ids[0], Delivery::WithoutButtons { post: Some(PostId(5)) }, soon).unwrap();
    store.postpone(ids[0], soon).unwrap();
    assert_eq!(store.session().unwrap().stats().unwrap().unsent, 3);
    assert_eq!(store.prune_before(soon).unwrap(), 1, "the one that was settled at dawn");
    assert_eq!(store.prune_before(soon + Seconds(1)).unwrap(), 1);
    assert_eq!(store.session().unwrap().stats().unwrap().unsent, 3, "unsent messages are never forgotten");
}

#[test]
fn undelivered_messages_survive_a_restart() {
    let temp = TempStore::new("restart");
    let store = temp.open();
    let game = begin(&store, brandubh(), NOW);
    save(&store, vec![update(&played(&game, "d1-b1", NOW)), message(game.id, "moved")], NOW).unwrap();
    store.close().unwrap();
    let store = temp.open();
    assert_eq!(texts(&store, NOW), ["moved"]);
    assert_eq!(store.session().unwrap().game(game.id).unwrap().unwrap().record.plies().len(), 1);
}

#[test]
fn earlier_messages_are_listed_and_can_be_expedited() {
    let temp = TempStore::new("before");
    let store = temp.open();
    assert_eq!(store.session().unwrap().newest_outbox_id().unwrap(), OutboxId(0));
    let (one, other) = (begin(&store, brandubh(), NOW), begin(&store, brandubh(), NOW));
    let mut ids: Vec<OutboxId> = Vec::new();
    for (game, text) in [(&one, "1a"), (&other, "2a"), (&one, "1b"), (&one, "1c")] {
        ids.extend(
            save(&store, vec![message(game.id, text)], NOW).unwrap().messages.into_iter().map(|message| message.id),
        );
    }
    assert_eq!(store.session().unwrap().newest_outbox_id().unwrap(), ids[3]);
    let before = |id| {
        store.session().unwrap().messages_before(id).unwrap().into_iter().map(|message| message.id).collect::<Vec<_>>()
    };
    assert_eq!((before(ids[3]), before(ids[1])), (vec![ids[0], ids[2]], vec![]));
    for attempts in 1..=5 {
        store.postpone(ids[0], NOW + Seconds(60 * attempts)).unwrap();
    }
    store.postpone(ids[1], NOW + Seconds(60)).unwrap();
    store.expedite(ids[3]).unwrap();
    assert_eq!(texts(&store, NOW), ["1a"], "the other game waits as before");
    let expedited = store.session().unwrap().message(ids[0]).unwrap().unwrap();
    assert_eq!(expedited.attempts, 1, "it may have been sent, but its pauses start over");
}

#[test]
fn undelivered_messages_move_with_their_game_and_become_due() {
    let temp = TempStore::new("move");
    let store = temp.open();
    let game = begin(&store, brandubh(), NOW);
    let id = save(&store, vec![message(game.id, "moved")], NOW).unwrap().messages[0].id;
    store.postpone(id, NOW + Seconds(600)).unwrap();
    let server = CHANNEL.server.unwrap();
    let channels: Vec<PlacePart> = CHANNEL.parts().filter(|part| *part != PlacePart::Server(server)).collect();
    assert_eq!(
        (
            store.session().unwrap().servers_of_games().unwrap(),
            store.session().unwrap().channels_of_games(server).unwrap()
        ),
        (vec![server], channels)
    );
    let porch = Place { channel: ChannelId(77), thread: None, ..CHANNEL };
    relocate(&store, game.id, porch);
    assert_eq!(store.session().unwrap().due_messages(NOW, 10).unwrap().rows.remove(0).place, porch);
    assert_eq!(store.session().unwrap().channels_of_games(server).unwrap(), [PlacePart::Channel(porch.channel)]);
    assert!(store.session().unwrap().channels_of_games(ServerId(server.0 + 1)).unwrap().is_empty());
}

#[test]
fn an_unreadable_message_does_not_delay_others() {
    let temp = TempStore::new("nonsense");
    let store = temp.open();
    for text in ["first", "second", "third"] {
        let game = begin(&store, brandubh(), NOW);
        save(&store, vec![message(game.id, text)], NOW).unwrap();
    }
    let damaged = rusqlite::Connection::open(temp.database()).unwrap();
    damaged.execute("UPDATE outbox SET attempts = 9223372036854775807 WHERE id = 1", []).unwrap();
    assert_eq!(texts(&store, NOW), ["second", "third"]);
    assert!(store.session().unwrap().message(OutboxId(1)).is_err());
    let faults: Vec<String> = store.check().unwrap().iter().map(ToString::to_string).collect();
    assert!(
        matches!(&faults[..], [fault] if fault.starts_with("row 1 of outbox makes no sense: attempts:")),
        "{faults:?}"
    );
}

#[test]
fn due_message_returns_the_current_row() {
    let temp = TempStore::new("again");
    let store = temp.open();
    let game = begin(&store, brandubh(), NOW);
    let id = save(&store, vec![message(game.id, "it")], NOW).unwrap().messages[0].id;
    assert_eq!(store.session().unwrap().due_message(id, NOW).unwrap().map(|message| message.place), Some(CHANNEL));
    let thread = Place { thread: Some(ChannelId(71)), ..CHANNEL };
    relocate(&store, game.id, thread);
    assert_eq!(store.session().unwrap().due_message(id, NOW).unwrap().map(|message| message.place), Some(thread));
    store.postpone(id, NOW + Seconds(60)).unwrap();
    assert_eq!(store.session().unwrap().due_message(id, NOW + Seconds(59)).unwrap(), None, "it was postponed");
    assert!(store.session().unwrap().due_message(id, NOW + Seconds(60)).unwrap().is_some());
    store.settle(id, Delivery::WithoutButtons { post: None }, NOW).unwrap();
    assert_eq!(store.session().unwrap().due_message(id, NOW + Seconds(60)).unwrap(), None, "it was delivered");
}

#[test]
fn a_post_keeps_its_channel_when_the_game_moves() {
    let temp = TempStore::new("moved");
    let store = temp.open();
    let game = begin(&store, brandubh(), NOW);
    let first = save(&store, vec![message(game.id, "first")], NOW).unwrap().messages[0].id;
    relocate(&store, game.id, Place { channel: ChannelId(99), ..CHANNEL });
    store.settle(first, Delivery::WithButtons { channel: CHANNEL.channel, post: PostId(5) }, NOW).unwrap();
    let second = save(&store, vec![message(game.id, "second")], NOW).unwrap().messages[0].id;
    store.settle(second, Delivery::WithButtons { channel: ChannelId(99), post: PostId(6) }, NOW).unwrap();
    let stale: Vec<_> =
        store.session().unwrap().stale_posts(10).unwrap().iter().map(|post| (post.channel, post.id)).collect();
    assert_eq!(stale, [(CHANNEL.channel, PostId(5))]);
}

#[test]
fn a_relocation_notice_stays_valid_when_the_game_moves_again() {
    let temp = TempStore::new("moved-twice");
    let store = temp.open();
    let game = begin(&store, brandubh(), NOW);
    let moved = game.relocate(Place { channel: ChannelId(80), ..CHANNEL }, NOW);
    let told = |version| OutboxBody::Game(game.id, GameMessage::Relocated { version });
    let (body, place) = (NewBody::Known(told(moved.game.version)), moved.game.terms.place);
    let notice = Effect::AddMessage { body, place, ping: None };
    let id = save(&store, vec![update(&moved), notice], NOW).unwrap().messages[0].id;
    relocate(&store, game.id, Place { channel: ChannelId(81), ..CHANNEL });
    let session = store.session().unwrap();
    let (game, message) = (session.game(game.id).unwrap().unwrap(), session.message(id).unwrap().unwrap());
    assert_eq!(message.body, told(game.version), "it still holds");
    assert_eq!((message.place.channel, game.terms.place.channel), (ChannelId(81), ChannelId(81)));
}

#[test]
fn a_new_message_lists_earlier_undelivered_ones_of_its_game() {
    let temp = TempStore::new("earlier");
    let store = temp.open();
    let (one, other) = (begin(&store, brandubh(), NOW), begin(&store, brandubh(), NOW));
    let post_about = |game: GameId| save(&store, vec![message(game, "told")], NOW).unwrap().messages.remove(0);
    let first = post_about(one.id);
    assert!(first.earlier.is_empty() && post_about(other.id).earlier.is_empty());
    let earlier: Vec<OutboxId> = post_about(one.id).earlier.iter().map(|message| message.id).collect();
    assert_eq!(earlier, [first.id]);
    store.settle(first.id, Delivery::WithoutButtons { post: None }, NOW).unwrap();
    assert_eq!(post_about(one.id).earlier.len(), 1, "the delivered one waits no more");
}

#[test]
fn settle_later_returns_the_posts_that_lose_their_buttons() {
    let temp = TempStore::new("later");
    let store = temp.open();
    let game = begin(&store, brandubh(), NOW);
    let new_post = |text| save(&store, vec![message(game.id, text)], NOW).unwrap().messages[0].id;
    let (first, second) = (new_post("first"), new_post("second"));
    let (sender, received) = std::sync::mpsc::channel();
    for (id, post) in [(first, PostId(5)), (second, PostId(6))] {
        let sender = sender.clone();
        let then = move |stale: Result<Vec<_>, _>| sender.send(stale.unwrap()).unwrap();
        store.settle_later(id, Delivery::WithButtons { channel: CHANNEL.channel, post }, NOW, then);
    }
    assert!(received.recv().unwrap().is_empty(), "there is none before the first");
    let stale = received.recv().unwrap();
    assert_eq!(stale.iter().map(|post| post.id).collect::<Vec<_>>(), [PostId(5)]);
    assert!(store.session().unwrap().due_messages(NOW, 10).unwrap().is_empty());
    let (sender, received) = std::sync::mpsc::channel();
    store.record_buttons_removed(first, move |forgotten| sender.send(forgotten).unwrap());
    let commits = store.counters().commits;
    new_post("third");
    assert_eq!(received.recv().unwrap(), Ok(()));
    assert_eq!(store.counters().commits, commits + 1, "the note shares the commit of the third post");
    assert!(store.session().unwrap().stale_posts(10).unwrap().is_empty());
}

#[test]
fn the_end_of_a_game_is_stored_with_its_winner_and_a_contradiction_is_found() {
    let room = TempStore::new("contradiction");
    let store = room.open();
    let game = begin(&store, brandubh(), NOW);
    let change = game.act(BJORN, Action::Resign, NOW).unwrap();
    let told = GameMessage::Notice(change.notice(None));
    let body = NewBody::Known(OutboxBody::Game(game.id, told));
    save(&store, vec![update(&change), Effect::AddMessage { body, place: CHANNEL, ping: None }], NOW).unwrap();
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

#[test]
fn a_message_that_does_not_fit_its_subject_cannot_be_read_and_names_its_game() {
    let temp = TempStore::new("misfit");
    let store = temp.open();
    let game = begin(&store, brandubh(), NOW).id;
    let id = save(&store, vec![message(game, "told")], NOW).unwrap().messages[0].id;
    let damaged = rusqlite::Connection::open(temp.database()).unwrap();
    damaged.execute(r#"UPDATE outbox SET body = '"challenged"'"#, []).unwrap();
    let session = store.session().unwrap();
    assert_eq!(session.due_messages(NOW, 10).unwrap().unreadable, 1);
    let unreadable = session.unreadable_messages().unwrap().remove(0);
    assert_eq!((unreadable.id, unreadable.game, unreadable.challenge), (id, Some(game), None));
    assert!(unreadable.error.to_string().contains("body: unknown variant `challenged`"), "{}", unreadable.error);
}
