//! Games are read back as they were stored, and outdated changes are refused.
#![allow(clippy::unwrap_used, clippy::panic)]

mod seeded_rng;
mod store_fixture;
mod temp_folder;

use ratatosk::game::{
    Action, ChannelId, ClockChange, Game, GameId, GameResult, GameTerms, OfferKind, OutboxBody, Pace, Place, PlacePart,
    PlayerId, Players, Seconds, Timestamp,
};
use ratatosk::rules::{Move, Side, VARIANTS};
use ratatosk::store::{Commit, CommitError, Delivery, Effect, NewBody, RequestId, Store, StoreError};
use seeded_rng::{Rng, set_ups};
use store_fixture::{
    ASTRID, BJORN, CHANNEL, NOW, TempStore, act, assert_same, begin, brandubh, message, play, played, save,
    save_request, set_clock, start, update,
};

fn later(hours: i64) -> Timestamp {
    NOW + Seconds(hours * 3600)
}

#[test]
fn a_new_game_is_read_back_as_it_began() {
    let temp = TempStore::new("begin");
    let store = temp.open();
    for variant in VARIANTS {
        for pace in Pace::ALL {
            let game = begin(&store, start(variant.id, pace), NOW);
            assert_same(&store.session().unwrap().game(game.id).unwrap().unwrap(), &game);
        }
    }
    assert!(store.check().unwrap().is_empty());
    assert!(store.session().unwrap().game(GameId(4_000)).unwrap().is_none());
}

#[test]
fn every_change_of_a_game_is_read_back() {
    let temp = TempStore::new("changes");
    let store = temp.open();
    let mut game = begin(&store, brandubh(), NOW);
    // Both from the cache of the store that wrote it, and by another store, which replays the moves.
    let same = |game: &Game| {
        assert_same(&store.session().unwrap().game(game.id).unwrap().unwrap(), game);
        assert_same(
            &Store::open_read_only(&temp.database()).unwrap().session().unwrap().game(game.id).unwrap().unwrap(),
            game,
        );
    };
    game = play(&store, &game, "d1-b1", later(1));
    same(&game);
    game = play(&store, &game, "d3-b3", later(2));
    game = act(&store, &game, ASTRID, Action::Offer(OfferKind::Draw), later(3));
    assert_eq!(game.offers.offered_by(OfferKind::Draw), Some(Side::Attackers));
    same(&game);
    game = act(&store, &game, BJORN, Action::Decline(OfferKind::Draw), later(4));
    same(&game);
    game = act(&store, &game, BJORN, Action::Offer(OfferKind::Takeback), later(5));
    same(&game);
    game = act(&store, &game, ASTRID, Action::Accept(OfferKind::Takeback), later(6));
    assert_eq!(game.record.plies().len(), 1, "the move to b3 was taken back");
    same(&game);
    game = play(&store, &game, "d3-a3", later(7));
    assert_eq!(store.session().unwrap().game_row(game.id).unwrap().unwrap().plies, 2);
    same(&game);
    // The attackers are late: a reminder, a flag, and a win on time.
    let (reminder, before) = (game.clock.next_due(), game.clock);
    game = game.tick(reminder, NOW).unwrap().game;
    save(&store, vec![set_clock(&game, before)], reminder).unwrap();
    assert!(game.clock.reminded);
    same(&game);
    let flag = game.clock.next_due();
    let change = game.tick(flag, NOW).unwrap();
    save(&store, vec![update(&change)], flag).unwrap();
    game = change.game;
    assert_eq!(game.clock.flagged, Some(flag));
    same(&game);
    game = act(&store, &game, BJORN, Action::ClaimTime, flag + Seconds::HOUR);
    assert_eq!(game.result, Some(GameResult::Time { winner: Side::Defenders }));
    same(&game);
    // A finished game still changes when a rematch is offered.
    game = act(&store, &game, ASTRID, Action::Offer(OfferKind::Rematch), flag + Seconds::days(1));
    same(&game);
    assert!(store.check().unwrap().is_empty());
}

#[test]
fn whole_games_of_every_variant_are_read_back_with_their_results() {
    let temp = TempStore::new("whole");
    let store = temp.open();
    let mut rng = Rng::new(4);
    let mut endings = Vec::new();
    for (variant, layout) in set_ups() {
        let begun = GameTerms { layout, ..start(variant.id, Pace::default()) };
        let mut game = begin(&store, begun, NOW);
        while game.result.is_none() && game.record.plies().len() < 60 {
            let moves: Vec<Move> = game.record.playable_moves().collect();
            let action = Action::Move { written: rng.pick(&moves).into(), confirmed: true };
            game = act(&store, &game, game.player_to_move().unwrap(), action, later(1));
        }
        endings.extend(game.result.map(GameResult::ending));
        assert_same(&store.session().unwrap().game(game.id).unwrap().unwrap(), &game);
        let game_row = store.session().unwrap().game_row(game.id).unwrap().unwrap();
        assert_eq!((game_row.result, game_row.to_move), (game.result, game.to_move()));
    }
    assert!(endings.len() > 1, "few of the games ended on the board: {endings:?}");
    assert!(store.check().unwrap().is_empty());
}

#[test]
fn a_game_that_is_relocated_to_a_thread_is_found_there() {
    let temp = TempStore::new("places");
    let store = temp.open();
    let other = begin(&store, brandubh(), NOW);
    let game = begin(&store, brandubh(), NOW);
    let thread = Place { thread: Some(ChannelId(u64::MAX)), ..CHANNEL };
    let mut moved = played(&game, "d1-b1", later(1));
    moved.relocate_to(thread);
    save(&store, vec![update(&moved)], later(1)).unwrap();
    let numbers =
        |place| store.session().unwrap().games_in(place).unwrap().iter().map(|game| game.id).collect::<Vec<_>>();
    assert_eq!(numbers(thread), [game.id]);
    assert_eq!(numbers(CHANNEL), [other.id, game.id], "the channel has its threads' games, too");
    assert!(numbers(Place { channel: ChannelId(71), ..CHANNEL }).is_empty());
    assert_same(&store.session().unwrap().game(game.id).unwrap().unwrap(), &moved.game);
    act(&store, &moved.game, ASTRID, Action::Resign, later(2));
    assert!(numbers(thread).is_empty(), "only games that go on");
}

#[test]
fn games_awaiting_the_player_are_listed_first_and_finished_games_separately() {
    let temp = TempStore::new("lists");
    let store = temp.open();
    let slow = begin(&store, start("brandubh", Pace::from_days(Some(14)).unwrap()), NOW);
    let quick = begin(&store, start("brandubh", Pace::from_days(Some(1)).unwrap()), NOW);
    let moved = begin(&store, brandubh(), NOW);
    play(&store, &moved, "d1-b1", later(1));
    let swapped = GameTerms { players: brandubh().players.swapped(), ..brandubh() };
    let over = [begin(&store, brandubh(), NOW), begin(&store, swapped, NOW), begin(&store, brandubh(), NOW)];
    for (game, hours) in over.iter().zip([5, 6, 4]) {
        act(&store, game, ASTRID, Action::Resign, later(hours));
    }
    let ids = |games: ratatosk::store::Listing<ratatosk::store::GameRow>| {
        games.iter().map(|game| game.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(store.session().unwrap().running_games(ASTRID).unwrap()), [quick.id, slow.id, moved.id]);
    assert_eq!(ids(store.session().unwrap().running_games(BJORN).unwrap()), [moved.id, quick.id, slow.id]);
    let [first, second, third] = over.map(|game| game.id);
    assert_eq!(ids(store.session().unwrap().finished_games(ASTRID, 10).unwrap()), [second, first, third]);
    assert_eq!(ids(store.session().unwrap().finished_games(BJORN, 2).unwrap()), [second, first]);
    assert!(store.session().unwrap().running_games(PlayerId(9)).unwrap().is_empty());
}

#[test]
fn a_commit_for_an_older_version_is_stale_and_writes_nothing() {
    let temp = TempStore::new("stale");
    let store = temp.open();
    let game = begin(&store, brandubh(), NOW);
    let (one, other) = (played(&game, "d1-b1", later(1)), played(&game, "d1-c1", later(1)));
    save(&store, vec![update(&one)], later(1)).unwrap();
    let late = vec![message(game.id, "moved"), Effect::BeginGame(brandubh()), update(&other)];
    let request = |effects| save_request(&store, 5, effects);
    assert_eq!(request(late), Err(CommitError::Stale));
    assert_same(&store.session().unwrap().game(game.id).unwrap().unwrap(), &one.game);
    assert!(store.session().unwrap().due_messages(later(9), 10).unwrap().is_empty());
    assert_eq!(store.session().unwrap().stats().unwrap().games_running, 1);
    assert_eq!(store.session().unwrap().handled_request(RequestId(5)).unwrap(), None, "it can be tried again");
}

#[test]
fn only_one_of_many_concurrent_moves_is_saved() {
    let temp = TempStore::new("race");
    let store = temp.open();
    let game = begin(&store, brandubh(), NOW);
    let moves: Vec<Move> = game.record.playable_moves().take(16).collect();
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let play = |mv: &Move| {
            let moved = game.act(ASTRID, Action::Move { written: (*mv).into(), confirmed: true }, NOW).unwrap();
            let effects = vec![update(&moved), message(game.id, "moved")];
            (moved.game, save(&store, effects, NOW))
        };
        let players: Vec<_> = moves.iter().map(|mv| scope.spawn(move || play(mv))).collect();
        players.into_iter().map(|player| player.join().unwrap()).collect()
    });
    let won: Vec<&Game> = outcomes.iter().filter(|(_, saved)| saved.is_ok()).map(|(game, _)| game).collect();
    assert_eq!(won.len(), 1);
    assert!(outcomes.iter().all(|(_, saved)| saved.is_ok() || *saved == Err(CommitError::Stale)));
    assert_same(&store.session().unwrap().game(game.id).unwrap().unwrap(), won[0]);
    assert_eq!(store.session().unwrap().stats().unwrap().unsent, 1);
}

#[test]
fn a_repeated_request_is_handled_once_and_gets_the_same_answer() {
    let temp = TempStore::new("twice");
    let store = temp.open();
    let began = |ping| Effect::AddMessage { body: NewBody::GameBegan, place: CHANNEL, ping };
    let effects = || vec![Effect::BeginGame(brandubh()), began(Some(ASTRID)), began(Some(BJORN))];
    let id = save_request(&store, u64::MAX, effects()).unwrap().game.unwrap();
    assert_eq!(save_request(&store, u64::MAX, effects()), Err(CommitError::Repeated));
    let handled = || store.session().unwrap().handled_request(RequestId(u64::MAX)).unwrap();
    let message = handled().unwrap().message.unwrap();
    assert_eq!((message.body, message.ping), (OutboxBody::began(id), Some(ASTRID)), "the first message");
    store.settle(message.id, Delivery::Direct { post: None }, NOW).unwrap();
    assert!(handled().unwrap().message.is_some(), "it is also known once it was delivered");
    assert_eq!(store.session().unwrap().running_games(ASTRID).unwrap().len(), 1);
    assert_eq!(store.prune_before(NOW).unwrap(), 0);
    assert_eq!(store.prune_before(later(1)).unwrap(), 2, "with the message that was delivered");
    assert_eq!(handled(), None);
    assert!(store.session().unwrap().game(id).unwrap().is_some());
}

#[test]
fn the_wake_time_is_changed_only_when_it_would_be_too_late() {
    let temp = TempStore::new("alarm");
    let store = temp.open();
    assert_eq!(store.session().unwrap().next_wake().unwrap(), None);
    let game = begin(&store, brandubh(), NOW);
    let first = game.clock.next_due();
    assert_eq!(store.session().unwrap().next_wake().unwrap(), Some(first));
    // A move postpones the next deadline, and the wake time stays.
    let game = play(&store, &game, "d1-b1", later(10));
    assert!(game.clock.next_due() > first);
    assert_eq!(store.session().unwrap().next_wake().unwrap(), Some(first));
    assert!(store.session().unwrap().due_games(first + Seconds(-1), 10).unwrap().is_empty());
    assert_eq!(store.session().unwrap().due_games(first, 10).unwrap(), [game.id]);
    // At the wake time nothing is due, so the timer snoozes.
    assert!(game.tick(first, NOW).is_none());
    store.set_wake_time(game.id, game.clock.next_due()).unwrap();
    assert_eq!(store.session().unwrap().next_wake().unwrap(), Some(game.clock.next_due()));
    // A finished game has no wake time, and gets none.
    let game = act(&store, &game, ASTRID, Action::Resign, later(11));
    assert_eq!(store.session().unwrap().next_wake().unwrap(), None);
    store.set_wake_time(game.id, later(12)).unwrap();
    assert_eq!(store.session().unwrap().next_wake().unwrap(), None);
}

#[test]
fn a_clock_change_is_stale_after_another_move() {
    let temp = TempStore::new("wound");
    let store = temp.open();
    let game = play(&store, &begin(&store, brandubh(), NOW), "d1-b1", later(1));
    let reminder = game.clock.next_due();
    let reminded = game.tick(reminder, NOW).unwrap().game;
    let moved = play(&store, &game, "d3-b3", reminder);
    assert_eq!(save(&store, vec![set_clock(&reminded, game.clock)], reminder), Err(CommitError::Stale));
    assert_same(&store.session().unwrap().game(game.id).unwrap().unwrap(), &moved);
    let over = act(&store, &moved, ASTRID, Action::Resign, reminder);
    let wound = save(&store, vec![set_clock(&over, over.clock)], reminder);
    assert_eq!(wound, Err(CommitError::Stale), "a game that is over has no clock");
}

#[test]
fn an_earlier_deadline_moves_the_wake_time_forward() {
    let temp = TempStore::new("earlier");
    let store = temp.open();
    let game = play(&store, &begin(&store, brandubh(), NOW), "d1-b1", later(1));
    let game = play(&store, &game, "d3-b3", later(2));
    let (reminder, before) = (game.clock.next_due(), game.clock);
    let game = game.tick(reminder, NOW).unwrap().game;
    save(&store, vec![set_clock(&game, before)], reminder).unwrap();
    let flag = game.clock.next_due();
    let change = game.tick(flag, NOW).unwrap();
    save(&store, vec![update(&change)], flag).unwrap();
    let game = change.game;
    store.set_wake_time(game.id, game.clock.next_due()).unwrap();
    // The late player moves: the opponent's reminder is due before the win on time would have been.
    let win = game.clock.next_due();
    let game = play(&store, &game, "d7-f7", flag + Seconds::HOUR);
    assert!(game.clock.next_due() < win);
    assert_eq!(store.session().unwrap().next_wake().unwrap(), Some(game.clock.next_due()));
}

#[test]
fn snoozing_during_a_move_does_not_miss_the_new_deadline() {
    let temp = TempStore::new("snooze");
    let store = temp.open();
    let game = begin(&store, brandubh(), NOW);
    let rings = game.clock.next_due();
    // The timer has read the clock before the move, and snoozes for a month.
    let far = rings + Seconds::days(30);
    let moved = play(&store, &game, "d1-b1", rings);
    store.set_wake_time(game.id, far).unwrap();
    assert_eq!(store.session().unwrap().next_wake().unwrap(), Some(moved.clock.next_due()));
    // A deadline that has passed can be snoozed: nobody is flagged in the first hour after a start.
    let due = moved.clock.next_due();
    store.set_wake_time(game.id, due + Seconds::HOUR).unwrap();
    assert_eq!(store.session().unwrap().next_wake().unwrap(), Some(due + Seconds::HOUR));
}

#[test]
fn the_clock_of_a_game_that_cannot_be_read_is_put_off_like_others() {
    let room = TempStore::new("bad-clock");
    let store = room.open();
    let game = begin(&store, brandubh(), NOW);
    let other = rusqlite::Connection::open(room.database()).unwrap();
    other.execute_batch("PRAGMA ignore_check_constraints = ON; UPDATE games SET pace = 4").unwrap();
    assert!(matches!(store.session().unwrap().game(game.id), Err(StoreError::BadRow(_))));
    let tomorrow = game.clock.next_due() + Seconds::days(1);
    store.set_wake_time(game.id, tomorrow).unwrap();
    assert_eq!(store.session().unwrap().next_wake().unwrap(), Some(tomorrow));
}

#[test]
fn an_unknown_variant_is_named_in_the_error() {
    let temp = TempStore::new("variant");
    let store = temp.open();
    let (game, sound) = (begin(&store, brandubh(), NOW), begin(&store, brandubh(), NOW));
    let other = rusqlite::Connection::open(temp.database()).unwrap();
    other.execute("UPDATE games SET variant = 'hala' WHERE id = 1", []).unwrap();
    let error = store.session().unwrap().game(game.id).unwrap_err();
    assert_eq!(error.to_string(), "row 1 of games makes no sense: variant: this version has no game called `hala`");
    let listing = store.session().unwrap().running_games(ASTRID).unwrap();
    assert_eq!((listing.len(), listing[0].id, listing.unreadable), (1, sound.id, 1));
    let faults: Vec<String> = store.check().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(faults, [format!("game #1: {error}")]);
    assert!(store.session().unwrap().game(sound.id).unwrap().is_some());
}

#[test]
fn check_describes_each_fault_in_a_sentence() {
    let temp = TempStore::new("sentences");
    let store = temp.open();
    for _ in 0..5 {
        let game = begin(&store, brandubh(), NOW);
        play(&store, &play(&store, &game, "d1-b1", NOW), "d3-b3", NOW);
    }
    let other = rusqlite::Connection::open(temp.database()).unwrap();
    other
        .execute_batch(
            "UPDATE moves SET played = 'd3-e9' WHERE game = 1 AND ply = 1;
             UPDATE moves SET ply = 7 WHERE game = 2 AND ply = 1;
             UPDATE games SET ending = 'king-captured', winner = 'attackers', ended = 1, wake_at = NULL WHERE id = 3;
             UPDATE moves SET played = 'd3-b3xb2' WHERE game = 4 AND ply = 1;",
        )
        .unwrap();
    let faults: Vec<String> = store.check().unwrap().iter().map(ToString::to_string).collect();
    let expected = [
        "game #1: the moves of game #1 make no sense: played: move 2, `d3-e9`, cannot be played where it stands",
        "game #2: the moves of game #2 make no sense: ply: move 8 stands where move 2 should",
        "game #3: row 3 of games makes no sense: ending: it is stored as won by the attackers (king-captured), but the \
         moves lead to a game that goes on",
        "game #4: the moves of game #4 make no sense: played: move 2, `d3-b3xb2`, cannot be played where it stands",
    ];
    assert_eq!(faults, expected);
}

#[test]
fn inconsistent_changes_are_refused() {
    let temp = TempStore::new("nonsense");
    let store = temp.open();
    let alone = GameTerms { players: Players { attackers: ASTRID, defenders: ASTRID }, ..brandubh() };
    let refused = |effects| matches!(save(&store, effects, NOW), Err(CommitError::Store(StoreError::Refused(_))));
    assert!(refused(vec![Effect::BeginGame(alone)]));
    let missing = Game::begin(GameId(77), brandubh(), NOW).unwrap();
    assert!(refused(vec![update(&played(&missing, "d1-b1", NOW))]));
    assert!(refused(vec![message(GameId(77), "moved")]));
    let game = begin(&store, brandubh(), NOW);
    let mut undead = game.act(ASTRID, Action::Resign, NOW).unwrap();
    save(&store, vec![update(&undead)], NOW).unwrap();
    (undead.game.result, undead.game.version, undead.clock) = (None, undead.game.version + 1, ClockChange::Untouched);
    assert!(refused(vec![update(&undead)]));
    let nothing = store.commit(Commit { request: None, effects: vec![], now: NOW }).unwrap();
    assert_eq!(nothing, ratatosk::store::Committed::default());
    assert_eq!(store.session().unwrap().stats().unwrap().games_running, 0);
    assert!(store.check().unwrap().is_empty());
}

#[test]
fn an_offer_does_not_overwrite_a_clock_that_changed_meanwhile() {
    let temp = TempStore::new("clock-apart");
    let store = temp.open();
    let game = play(&store, &begin(&store, brandubh(), NOW), "d1-b1", later(1));
    // The offer is decided now, and committed after a reminder and after the channel was gone.
    let offer = game.act(ASTRID, Action::Offer(OfferKind::Draw), later(2)).unwrap();
    let reminder = game.clock.next_due();
    let reminded = game.tick(reminder, NOW).unwrap().game;
    save(&store, vec![set_clock(&reminded, game.clock)], reminder).unwrap();
    save(&store, vec![update(&offer)], reminder).unwrap();
    let stored = || store.session().unwrap().game(game.id).unwrap().unwrap();
    assert!(stored().clock.reminded && stored().tick(reminder, NOW).is_none(), "nobody is reminded twice");
    assert_eq!(stored().offers.offered_by(OfferKind::Draw), Some(Side::Attackers));
    let takeback = stored().act(ASTRID, Action::Offer(OfferKind::Takeback), reminder).unwrap();
    let back = reminder + Seconds::HOUR;
    store.mark_gone(PlacePart::Channel(CHANNEL.channel), reminder).unwrap();
    assert!(store.mark_back(PlacePart::Channel(CHANNEL.channel), back).unwrap());
    save(&store, vec![update(&takeback)], back).unwrap();
    assert_eq!(stored().clock.deadline, back + Seconds::days(3), "the time that was given back stays");
}

#[test]
fn a_channel_that_is_back_takes_no_time_away() {
    let temp = TempStore::new("time-left");
    let store = temp.open();
    let game = play(&store, &begin(&store, brandubh(), NOW), "d1-b1", NOW);
    let game = act(&store, &game, ASTRID, Action::GiveTime, later(1));
    store.mark_gone(PlacePart::Channel(CHANNEL.channel), later(2)).unwrap();
    assert!(store.mark_back(PlacePart::Channel(CHANNEL.channel), later(3)).unwrap());
    let stored = store.session().unwrap().game(game.id).unwrap().unwrap();
    assert_eq!(stored.clock.deadline, game.clock.deadline, "the opponent has given more time");
    assert!(game.clock.deadline > later(3) + Seconds::days(3));
}

#[test]
fn a_decision_that_relied_on_an_outdated_clock_is_stale() {
    let temp = TempStore::new("another-clock");
    let store = temp.open();
    let game = play(&store, &begin(&store, brandubh(), NOW), "d1-b1", later(1));
    let game = play(&store, &game, "d3-b3", later(2));
    let before = game.clock;
    let game = game.tick(before.next_due(), NOW).unwrap().game;
    save(&store, vec![set_clock(&game, before)], before.next_due()).unwrap();
    let flag = game.clock.next_due();
    let flagged = game.tick(flag, NOW).unwrap();
    save(&store, vec![update(&flagged)], flag).unwrap();
    // All are decided while the player is flagged; then the channel was gone, and the player has the full time again.
    let claim = flagged.game.act(BJORN, Action::ClaimTime, flag).unwrap();
    let time = flagged.game.act(BJORN, Action::GiveTime, flag).unwrap();
    let win = flagged.game.tick(flagged.game.clock.next_due(), NOW).unwrap();
    store.mark_gone(PlacePart::Channel(CHANNEL.channel), flag).unwrap();
    store.mark_back(PlacePart::Channel(CHANNEL.channel), flag + Seconds::HOUR).unwrap();
    for late in [claim, time, win] {
        assert_eq!(
            save(&store, vec![update(&late)], flag + Seconds::HOUR),
            Err(CommitError::Stale),
            "{:?}",
            late.events
        );
    }
    let stored = store.session().unwrap().game(game.id).unwrap().unwrap();
    assert_eq!((stored.result, stored.clock.flagged), (None, None));
}

#[test]
fn a_reminder_does_not_overwrite_a_clock_that_was_restarted_meanwhile() {
    let temp = TempStore::new("restarted-clock");
    let store = temp.open();
    let game = play(&store, &begin(&store, brandubh(), NOW), "d1-b1", later(1));
    let reminder = game.clock.next_due();
    let reminded = game.tick(reminder, NOW).unwrap().game;
    // Between the decision and the commit the channel was gone and came back.
    store.mark_gone(PlacePart::Channel(CHANNEL.channel), reminder).unwrap();
    store.mark_back(PlacePart::Channel(CHANNEL.channel), reminder).unwrap();
    assert_eq!(save(&store, vec![set_clock(&reminded, game.clock)], reminder), Err(CommitError::Stale));
    let clock = store.session().unwrap().game(game.id).unwrap().unwrap().clock;
    assert_eq!((clock.deadline, clock.reminded), (reminder + Seconds::days(3), false));
}

#[test]
fn a_session_reads_one_snapshot() {
    let temp = TempStore::new("snapshot");
    let store = temp.open();
    let game = begin(&store, brandubh(), NOW);
    let session = store.session().unwrap();
    assert_eq!(session.game(game.id).unwrap().unwrap().version, 0);
    play(&store, &game, "d1-b1", later(1));
    store.remember_player(ASTRID, "Astrid").unwrap();
    assert_eq!(session.game(game.id).unwrap().unwrap().version, 0, "whatever is written meanwhile");
    assert_eq!(session.name_of(ASTRID).unwrap(), None);
    let before = store.counters().read_transactions;
    session.end_snapshot();
    session.end_snapshot();
    assert_eq!(
        session.name_of(ASTRID).unwrap().as_deref(),
        Some("Astrid"),
        "a new snapshot begins with the next query"
    );
    assert_eq!(store.counters().read_transactions, before + 1);
    drop(session);
    assert_eq!(store.session().unwrap().game(game.id).unwrap().unwrap().version, 1);
}

#[test]
fn forty_sessions_can_be_open_at_once() {
    let temp = TempStore::new("many-sessions");
    let store = temp.open();
    let game = begin(&store, brandubh(), NOW);
    let sessions: Vec<_> = (0..40).map(|_| store.session().unwrap()).collect();
    for session in &sessions {
        assert!(session.game(game.id).unwrap().is_some());
    }
}

#[test]
fn a_deleted_channel_with_the_number_of_its_server_leaves_the_rest_of_the_server_alone() {
    let temp = TempStore::new("same-number");
    let store = temp.open();
    let server = CHANNEL.server.unwrap();
    // The first channel of an old server has the server's number.
    let first = Place { server: Some(server), channel: ChannelId(server.0), thread: None };
    for place in [first, CHANNEL] {
        begin(&store, GameTerms { place, ..brandubh() }, NOW);
    }
    let gone = |store: &Store| {
        let session = store.session().unwrap();
        (session.is_gone(first).unwrap(), session.is_gone(CHANNEL).unwrap(), session.server_is_gone(server).unwrap())
    };
    assert!(store.mark_gone(PlacePart::Channel(first.channel), NOW).unwrap());
    assert_eq!(gone(&store), (true, false, false));
    assert!(!store.mark_back(PlacePart::Server(server), NOW).unwrap(), "the server was there all the time");
    assert!(store.mark_gone(PlacePart::Server(server), NOW).unwrap());
    assert_eq!(gone(&store), (true, true, true));
    assert!(store.mark_back(PlacePart::Channel(first.channel), NOW).unwrap());
    assert_eq!(gone(&store), (true, true, true), "and now the server is gone");
    assert!(store.mark_back(PlacePart::Server(server), NOW).unwrap());
    assert_eq!(gone(&store), (false, false, false));
}
