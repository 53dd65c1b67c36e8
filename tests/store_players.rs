//! Players, blocks and challenges are stored and listed.
#![allow(clippy::unwrap_used)]

mod store_fixture;
mod temp_folder;

use ratatosk::game::{
    Challenge, ChallengeId, ChallengeState, ChannelId, GameTerms, Pace, Place, PlayerId, PlayerSettings, Players,
    Proposal, Reminders, Seconds, ServerId, ServerSettings, SidePreference, Timestamp,
};
use ratatosk::rules::Variant;
use ratatosk::store::{CommitError, Effect, Store};
use std::collections::HashMap;
use store_fixture::{ASTRID, BJORN, CHANNEL, NOW, TempStore, begin, brandubh, save};

const CNUT: PlayerId = PlayerId(303);

fn proposal(challenger: PlayerId, opponent: Option<PlayerId>) -> Proposal {
    let variant = Variant::find("ard-ri").unwrap();
    Proposal {
        challenger,
        opponent,
        variant,
        layout: variant.layout("ring").unwrap(),
        side: SidePreference::Defenders,
        pace: Pace::NONE,
        place: CHANNEL,
    }
}

fn challenge(store: &Store, proposal: Proposal, now: Timestamp) -> ChallengeId {
    save(store, vec![Effect::AddChallenge(proposal)], now).unwrap().challenge.unwrap()
}

#[test]
fn a_player_is_known_by_the_last_name() {
    let temp = TempStore::new("names");
    let store = temp.open();
    assert_eq!(store.session().unwrap().name_of(ASTRID).unwrap(), None);
    store.remember_player(ASTRID, "Ástríðr").unwrap();
    store.remember_player(ASTRID, "Ástríðr").unwrap();
    store.remember_player(BJORN, "Björn").unwrap();
    store.remember_player(BJORN, "Bjǫrn").unwrap();
    assert_eq!(store.session().unwrap().name_of(BJORN).unwrap().as_deref(), Some("Bjǫrn"));
    assert_eq!(store.session().unwrap().find_player("ÁSTRÍÐR").unwrap(), Some(ASTRID));
    assert_eq!(store.session().unwrap().find_player("Björn").unwrap(), None, "nobody is called that any more");
    let names = store.session().unwrap().names_of(&[ASTRID, BJORN, CNUT]).unwrap();
    assert_eq!(names, HashMap::from([(ASTRID, "Ástríðr".to_owned()), (BJORN, "Bjǫrn".to_owned())]));
}

#[test]
fn players_at_the_terminal_are_created_by_name() {
    let temp = TempStore::new("table");
    let store = temp.open();
    let ivar = store.find_or_add_player("Ivar").unwrap();
    let ubbe = store.find_or_add_player("ubbe").unwrap();
    assert_eq!((ivar, ubbe), (PlayerId(1), PlayerId(2)));
    assert_eq!(store.find_or_add_player("IVAR").unwrap(), ivar);
    assert_eq!(store.session().unwrap().name_of(ivar).unwrap().as_deref(), Some("Ivar"));
    // Concurrent requests for the same name get the same player.
    let found: Vec<PlayerId> = std::thread::scope(|scope| {
        let asked: Vec<_> = (0..8).map(|_| scope.spawn(|| store.find_or_add_player("halfdan").unwrap())).collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    assert_eq!(found, [PlayerId(3); 8]);
}

#[test]
fn a_block_holds_in_both_directions_and_is_listed_for_one() {
    let temp = TempStore::new("blocks");
    let store = temp.open();
    assert!(store.block(ASTRID, BJORN, NOW).unwrap());
    assert!(!store.block(ASTRID, BJORN, NOW).unwrap());
    assert_eq!(store.session().unwrap().blocked_by(ASTRID).unwrap(), [BJORN]);
    assert!(store.session().unwrap().blocked_by(BJORN).unwrap().is_empty());
    for (one, other) in [(ASTRID, BJORN), (BJORN, ASTRID)] {
        assert!(store.session().unwrap().challenge_context(&proposal(one, Some(other)), NOW).unwrap().blocked);
        assert!(store.session().unwrap().acceptance_context(one, other).unwrap().blocked);
    }
    assert!(!store.session().unwrap().acceptance_context(ASTRID, CNUT).unwrap().blocked);
    assert!(store.unblock(ASTRID, BJORN).unwrap());
    assert!(!store.unblock(ASTRID, BJORN).unwrap());
    assert!(!store.session().unwrap().acceptance_context(ASTRID, BJORN).unwrap().blocked);
}

#[test]
fn a_challenge_is_read_back_and_answered_once() {
    let temp = TempStore::new("challenge");
    let store = temp.open();
    let id = challenge(&store, proposal(ASTRID, Some(BJORN)), NOW);
    let read = store.session().unwrap().challenge(id).unwrap().unwrap();
    let Proposal { challenger, opponent, variant, layout, side, pace, place } = read.proposal;
    assert_eq!((challenger, opponent, variant.id, layout.id), (ASTRID, Some(BJORN), "ard-ri", "ring"));
    assert_eq!((side, pace, place), (SidePreference::Defenders, Pace::NONE, CHANNEL));
    assert_eq!((read.id, read.made, read.state), (id, NOW, ChallengeState::Open));
    let (accepted, start) =
        read.accept(BJORN, &store.session().unwrap().acceptance_context(BJORN, ASTRID).unwrap(), NOW, true).unwrap();
    let saved = save(&store, vec![Effect::CloseChallenge(accepted), Effect::BeginGame(start)], NOW).unwrap();
    let game = store.session().unwrap().game(saved.game.unwrap()).unwrap().unwrap();
    assert_eq!(game.terms.players.defenders, ASTRID);
    assert_eq!(store.session().unwrap().challenge(id).unwrap().unwrap().state, ChallengeState::Accepted);
    // Withdrawing it now is too late.
    let withdrawn = read.withdraw(ASTRID, NOW).unwrap();
    assert_eq!(save(&store, vec![Effect::CloseChallenge(withdrawn)], NOW), Err(CommitError::Stale));
    assert_eq!(store.session().unwrap().challenge(ChallengeId(99)).unwrap().map(|challenge| challenge.id), None);
}

#[test]
fn an_open_challenge_goes_to_the_first_to_accept() {
    let temp = TempStore::new("first");
    let store = temp.open();
    let id = challenge(&store, proposal(ASTRID, None), NOW);
    let open = store.session().unwrap().challenge(id).unwrap().unwrap();
    let taken: Vec<bool> = std::thread::scope(|scope| {
        let take = |player: u64| {
            let (challenge, start) = open.accept(PlayerId(player), &Default::default(), NOW, true).unwrap();
            save(&store, vec![Effect::BeginGame(start), Effect::CloseChallenge(challenge)], NOW).is_ok()
        };
        let takers: Vec<_> = (1..9).map(|player| scope.spawn(move || take(player))).collect();
        takers.into_iter().map(|taker| taker.join().unwrap()).collect()
    });
    assert_eq!(taken.iter().filter(|taken| **taken).count(), 1);
    assert_eq!(store.session().unwrap().running_games(ASTRID).unwrap().len(), 1);
}

#[test]
fn challenges_are_listed_as_received_sent_and_open_here() {
    let temp = TempStore::new("listed");
    let store = temp.open();
    let anybody = challenge(&store, proposal(CNUT, None), NOW);
    let by_me = challenge(&store, proposal(BJORN, None), NOW);
    let to_me = challenge(&store, proposal(ASTRID, Some(BJORN)), NOW);
    let (thread, cellar) =
        (Place { thread: Some(ChannelId(71)), ..CHANNEL }, Place { channel: ChannelId(80), ..CHANNEL });
    let in_thread = challenge(&store, Proposal { place: thread, ..proposal(CNUT, None) }, NOW);
    challenge(&store, Proposal { place: cellar, ..proposal(CNUT, None) }, NOW);
    let game_row = |beside, now| -> Vec<ChallengeId> {
        store
            .session()
            .unwrap()
            .open_challenges(BJORN, beside, now)
            .unwrap()
            .iter()
            .map(|challenge| challenge.id)
            .collect()
    };
    assert_eq!(game_row(Some(CHANNEL), NOW), [to_me, by_me, anybody, in_thread], "none of another channel");
    assert_eq!(game_row(Some(thread), NOW), [to_me, by_me, anybody, in_thread]);
    assert_eq!(game_row(None, NOW), [to_me, by_me]);
    assert_eq!(game_row(Some(Place { server: Some(ServerId(8)), ..CHANNEL }), NOW), [to_me, by_me]);
    assert!(
        game_row(Some(CHANNEL), NOW + Challenge::LIFE).is_empty(),
        "even before anybody has noted that they expired"
    );
    assert_eq!(store.session().unwrap().count_challenges_to(BJORN, NOW).unwrap(), 1);
    for (by, whom) in [(BJORN, CNUT), (CNUT, BJORN)] {
        store.block(by, whom, NOW).unwrap();
        assert_eq!(game_row(Some(CHANNEL), NOW), [to_me, by_me], "what he could not accept is not shown to him");
        store.unblock(by, whom).unwrap();
    }
}

#[test]
fn challenges_expire() {
    let temp = TempStore::new("expire");
    let store = temp.open();
    let id = challenge(&store, proposal(ASTRID, Some(BJORN)), NOW);
    let end = NOW + Challenge::LIFE;
    assert_eq!(store.session().unwrap().next_wake().unwrap(), Some(end));
    assert!(store.session().unwrap().due_challenges(end + Seconds(-1), 10).unwrap().is_empty());
    assert_eq!(store.session().unwrap().due_challenges(end, 10).unwrap(), [id]);
    let expired = store.session().unwrap().challenge(id).unwrap().unwrap().tick(end).unwrap();
    save(&store, vec![Effect::CloseChallenge(expired)], end).unwrap();
    assert!(store.session().unwrap().due_challenges(end, 10).unwrap().is_empty());
    assert_eq!(store.session().unwrap().next_wake().unwrap(), None);
}

#[test]
fn open_challenges_and_running_games_are_counted() {
    let temp = TempStore::new("challenge-context");
    let store = temp.open();
    let wanted = proposal(ASTRID, Some(BJORN));
    begin(&store, brandubh(), NOW);
    challenge(&store, proposal(ASTRID, None), NOW);
    challenge(&store, proposal(ASTRID, Some(CNUT)), NOW);
    let context = store.session().unwrap().challenge_context(&wanted, NOW).unwrap();
    assert_eq!((context.open_challenges, context.running_games), (2, 1));
    assert!(!context.same_challenge);
    // The same two, the other way around.
    challenge(&store, proposal(BJORN, Some(ASTRID)), NOW);
    assert!(store.session().unwrap().challenge_context(&wanted, NOW).unwrap().same_challenge);
    let other = Proposal { variant: Variant::find("magpie").unwrap(), ..wanted };
    assert!(!store.session().unwrap().challenge_context(&other, NOW).unwrap().same_challenge);
    let expired = store.session().unwrap().challenge_context(&wanted, NOW + Challenge::LIFE).unwrap();
    assert_eq!((expired.open_challenges, expired.same_challenge), (0, false));
    let acceptance = store.session().unwrap().acceptance_context(CNUT, ASTRID).unwrap();
    assert_eq!((acceptance.your_games, acceptance.their_games), (0, 1));
}

#[test]
fn a_challenge_or_game_that_became_forbidden_is_stale() {
    let temp = TempStore::new("by-now");
    let store = temp.open();
    for opponent in 1..=10 {
        challenge(&store, proposal(ASTRID, Some(PlayerId(opponent))), NOW);
    }
    let make = |by, whom| save(&store, vec![Effect::AddChallenge(proposal(by, Some(whom)))], NOW).map(|_| ());
    assert_eq!(make(ASTRID, BJORN), Err(CommitError::Stale), "ten are open");
    assert_eq!(make(PlayerId(1), ASTRID), Err(CommitError::Stale), "there is one between the two");
    store.block(BJORN, CNUT, NOW).unwrap();
    assert_eq!(make(CNUT, BJORN), Err(CommitError::Stale), "one has blocked the other");
    let start = |attackers, defenders| GameTerms { players: Players { attackers, defenders }, ..brandubh() };
    let play = |start: GameTerms| {
        save(&store, vec![Effect::CheckMayPlay(start.players), Effect::BeginGame(start)], NOW).map(|_| ())
    };
    assert_eq!(play(start(CNUT, BJORN)), Err(CommitError::Stale), "one has blocked the other");
    for _ in 0..GameTerms::MAX_RUNNING {
        assert_eq!(play(start(ASTRID, BJORN)), Ok(()));
    }
    assert_eq!(play(start(ASTRID, CNUT)), Err(CommitError::Stale), "she has as many as there can be");
    assert_eq!(store.session().unwrap().running_games(ASTRID).unwrap().len(), GameTerms::MAX_RUNNING as usize);
}

#[test]
fn settings_that_are_not_given_stay_as_they_are_whoever_changed_them_last() {
    let temp = TempStore::new("settings");
    let store = temp.open();
    let (server, pace) = (ServerId(7), Pace::from_days(None));
    // Two people of the server, who have both seen the settings as they were before.
    let threads = ServerSettings { threads: Some(true), pace, ..ServerSettings::default() };
    let theme = ServerSettings { theme: Some(String::from("slate")), ..ServerSettings::default() };
    store.change_server_settings(server, threads.clone()).unwrap();
    store.change_server_settings(server, theme.clone()).unwrap();
    let changed = ServerSettings { theme: theme.theme, ..threads };
    assert_eq!(store.session().unwrap().server_settings(server).unwrap(), changed);
    store.change_server_settings(server, ServerSettings { threads: Some(false), ..ServerSettings::default() }).unwrap();
    let changed = ServerSettings { threads: Some(false), ..changed };
    assert_eq!(store.session().unwrap().server_settings(server).unwrap(), changed);

    let flipped = PlayerSettings { flipped: Some(true), as_text: Some(false), ..PlayerSettings::default() };
    let reminders = PlayerSettings { reminders: Some(Reminders::Channel), ..PlayerSettings::default() };
    store.change_player_settings(ASTRID, flipped.clone()).unwrap();
    store.change_player_settings(ASTRID, reminders.clone()).unwrap();
    let changed = PlayerSettings { reminders: reminders.reminders, ..flipped };
    assert_eq!(store.session().unwrap().player_settings(ASTRID).unwrap(), changed);
}
