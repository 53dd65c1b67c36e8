//! Challenges: made, accepted, declined, withdrawn and expired.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod game_script;

use game_script::{ANN, BO, DAY, EVE, PLACE, SECOND, START_TIME, days, pace};
use ratatosk::game::challenge::{AcceptanceContext, ChallengeContext};
use ratatosk::game::{
    Challenge, ChallengeId, ChallengeState, Game, GameId, GameTerms, Pace, PlayerId, Players, Proposal, Refusal,
    SidePreference, Timestamp,
};
use ratatosk::rules::{Side, VARIANTS, Variant};

const WELCOME: AcceptanceContext = AcceptanceContext { blocked: false, your_games: 0, their_games: 0 };

fn proposal(opponent: Option<PlayerId>) -> Proposal {
    let variant = Variant::find("brandubh").unwrap();
    Proposal {
        challenger: ANN,
        opponent,
        variant,
        layout: variant.default_layout(),
        side: SidePreference::Attackers,
        pace: Pace::default(),
        place: PLACE,
    }
}

fn challenge(proposal: Proposal) -> Challenge {
    Challenge { id: ChallengeId(7), proposal, made: START_TIME, state: ChallengeState::Open }
}

/// Makes a challenge of Ann to Bo.
fn to_bo() -> Challenge {
    challenge(proposal(Some(BO)))
}

/// Makes a challenge of Ann to anybody.
fn to_anybody() -> Challenge {
    challenge(proposal(None))
}

#[track_caller]
fn accepted(challenge: &Challenge, player: PlayerId, now: Timestamp) -> (Challenge, GameTerms) {
    challenge.accept(player, &WELCOME, now, true).unwrap()
}

fn refused<T>(answer: Result<T, Refusal>) -> Refusal {
    answer.err().expect("it was allowed")
}

// Making a challenge

#[test]
fn a_player_may_challenge_another_or_anybody() {
    assert_eq!(proposal(Some(BO)).check_allowed(&ChallengeContext::default()), Ok(()));
    assert_eq!(proposal(None).check_allowed(&ChallengeContext::default()), Ok(()));
}

#[test]
fn a_player_cannot_challenge_themselves() {
    assert_eq!(proposal(Some(ANN)).check_allowed(&ChallengeContext::default()), Err(Refusal::Yourself));
}

#[test]
fn a_bot_cannot_be_challenged() {
    let context = ChallengeContext { opponent_is_bot: true, ..ChallengeContext::default() };
    assert_eq!(proposal(Some(BO)).check_allowed(&context), Err(Refusal::Bot));
}

#[test]
fn a_blocked_player_cannot_challenge_and_is_not_told_of_the_block() {
    let context = ChallengeContext { blocked: true, ..ChallengeContext::default() };
    assert_eq!(proposal(Some(BO)).check_allowed(&context), Err(Refusal::Unavailable));
}

#[test]
fn a_player_may_have_ten_open_challenges_and_no_more() {
    assert_eq!(Proposal::MAX_OPEN, 10);
    let with = |open_challenges| ChallengeContext { open_challenges, ..ChallengeContext::default() };
    assert_eq!(proposal(Some(BO)).check_allowed(&with(9)), Ok(()));
    assert_eq!(proposal(None).check_allowed(&with(9)), Ok(()));
    for too_many in [10, 11, u32::MAX] {
        assert_eq!(proposal(Some(BO)).check_allowed(&with(too_many)), Err(Refusal::TooManyChallenges));
        assert_eq!(proposal(None).check_allowed(&with(too_many)), Err(Refusal::TooManyChallenges));
    }
}

#[test]
fn a_player_may_have_fifty_running_games_and_no_more() {
    assert_eq!(GameTerms::MAX_RUNNING, 50);
    let with = |running_games| ChallengeContext { running_games, ..ChallengeContext::default() };
    assert_eq!(proposal(Some(BO)).check_allowed(&with(49)), Ok(()));
    for too_many in [50, 51, u32::MAX] {
        assert_eq!(proposal(Some(BO)).check_allowed(&with(too_many)), Err(Refusal::TooManyGames { yours: true }));
        assert_eq!(proposal(None).check_allowed(&with(too_many)), Err(Refusal::TooManyGames { yours: true }));
    }
}

#[test]
fn there_is_one_open_challenge_between_two_players_for_a_variant() {
    let context = ChallengeContext { same_challenge: true, ..ChallengeContext::default() };
    assert_eq!(proposal(Some(BO)).check_allowed(&context), Err(Refusal::SameChallenge));
}

#[test]
fn a_pace_is_one_of_six_numbers_of_days_or_none_and_three_by_default() {
    let offered: Vec<Option<u8>> = Pace::ALL.into_iter().map(Pace::days).collect();
    assert_eq!(offered, [Some(1), Some(2), Some(3), Some(5), Some(7), Some(14), None]);
    assert_eq!(Pace::default().days(), Some(3));
    assert_eq!(Pace::NONE.days(), None);
    for day in 0..=u8::MAX {
        let known = [1, 2, 3, 5, 7, 14].contains(&day);
        assert_eq!(Pace::from_days(Some(day)).is_some(), known, "{day}");
    }
    assert_eq!(Pace::from_days(None), Some(Pace::NONE));
}

// Accepting a challenge

#[test]
fn the_named_opponent_accepts_and_a_game_begins() {
    let (challenge, start) = accepted(&to_bo(), BO, START_TIME + DAY);
    assert_eq!(challenge.state, ChallengeState::Accepted);
    assert_eq!(challenge.id, ChallengeId(7));
    assert_eq!(start.players, Players { attackers: ANN, defenders: BO });
    let game = Game::begin(GameId(1), start, START_TIME + DAY).unwrap();
    assert_eq!((game.version, game.began, game.changed), (0, START_TIME + DAY, START_TIME + DAY));
    assert_eq!(game.player_to_move(), Some(ANN));
    assert_eq!(game.clock.deadline, START_TIME + DAY + days(3));
    assert!(game.result.is_none() && !game.both_have_moved());
}

#[test]
fn the_game_is_what_was_proposed() {
    for variant in VARIANTS {
        for layout in variant.layouts {
            for pace in Pace::ALL {
                let proposal = Proposal { variant, layout, pace, ..proposal(Some(BO)) };
                let (_, start) = accepted(&challenge(proposal), BO, START_TIME);
                assert_eq!((start.variant.id, start.layout.id), (variant.id, layout.id));
                assert_eq!((start.rules, start.pace, start.place), (variant.rules, pace, PLACE));
                let game = Game::begin(GameId(1), start, START_TIME).unwrap();
                assert_eq!(game.to_move(), Some(variant.rules.first));
                assert_eq!(game.record.rulebook().write_position(game.record.position()), layout.start_position);
            }
        }
    }
}

#[test]
fn the_challenger_gets_the_chosen_side_and_otherwise_the_coin_decides() {
    for (side, dice, attackers) in [
        (SidePreference::Attackers, true, ANN),
        (SidePreference::Attackers, false, ANN),
        (SidePreference::Defenders, true, BO),
        (SidePreference::Defenders, false, BO),
        (SidePreference::Random, true, ANN),
        (SidePreference::Random, false, BO),
    ] {
        for opponent in [Some(BO), None] {
            let challenge = challenge(Proposal { side, ..proposal(opponent) });
            let (_, start) = challenge.accept(BO, &WELCOME, START_TIME, dice).unwrap();
            assert_eq!(start.players.attackers, attackers, "{side:?} {dice}");
            assert_eq!(start.players.side_of(ANN).unwrap(), start.players.side_of(BO).unwrap().opponent());
        }
    }
    assert_eq!(SidePreference::default(), SidePreference::Random);
}

#[test]
fn only_the_named_opponent_can_accept_or_decline() {
    assert_eq!(refused(to_bo().accept(EVE, &WELCOME, START_TIME, true)), Refusal::NotForYou);
    assert_eq!(refused(to_bo().decline(EVE, START_TIME)), Refusal::NotForYou);
}

#[test]
fn a_player_cannot_accept_their_own_challenge() {
    assert_eq!(refused(to_bo().accept(ANN, &WELCOME, START_TIME, true)), Refusal::OwnChallenge);
    assert_eq!(refused(to_anybody().accept(ANN, &WELCOME, START_TIME, true)), Refusal::OwnChallenge);
}

#[test]
fn an_open_challenge_is_taken_by_the_first_who_accepts() {
    let (taken, start) = accepted(&to_anybody(), EVE, START_TIME);
    assert_eq!(start.players, Players { attackers: ANN, defenders: EVE });
    assert_eq!(refused(taken.accept(BO, &WELCOME, START_TIME, true)), Refusal::ChallengeClosed);
    assert_eq!(refused(taken.accept(EVE, &WELCOME, START_TIME, true)), Refusal::ChallengeClosed);
    assert!(!taken.is_open(START_TIME));
}

#[test]
fn a_blocked_player_cannot_accept_an_open_challenge() {
    let context = AcceptanceContext { blocked: true, ..WELCOME };
    assert_eq!(refused(to_anybody().accept(EVE, &context, START_TIME, true)), Refusal::Unavailable);
    assert_eq!(refused(to_bo().accept(BO, &context, START_TIME, true)), Refusal::Unavailable);
}

#[test]
fn a_game_does_not_begin_if_either_player_has_fifty_running() {
    for challenge in [to_bo(), to_anybody()] {
        let full = AcceptanceContext { your_games: 50, ..WELCOME };
        assert_eq!(refused(challenge.accept(BO, &full, START_TIME, true)), Refusal::TooManyGames { yours: true });
        let full = AcceptanceContext { their_games: 50, ..WELCOME };
        assert_eq!(refused(challenge.accept(BO, &full, START_TIME, true)), Refusal::TooManyGames { yours: false });
        let nearly = AcceptanceContext { your_games: 49, their_games: 49, ..WELCOME };
        assert!(challenge.accept(BO, &nearly, START_TIME, true).is_ok());
        assert!(challenge.is_open(START_TIME), "a refusal leaves it open");
    }
}

// Declining and withdrawing

#[test]
fn a_declined_challenge_is_closed() {
    let declined = to_bo().decline(BO, START_TIME + DAY).unwrap();
    assert_eq!(declined.state, ChallengeState::Declined);
    assert_eq!(refused(declined.accept(BO, &WELCOME, START_TIME + DAY, true)), Refusal::ChallengeClosed);
    assert_eq!(refused(declined.decline(BO, START_TIME + DAY)), Refusal::ChallengeClosed);
    assert_eq!(refused(declined.withdraw(ANN, START_TIME + DAY)), Refusal::ChallengeClosed);
}

#[test]
fn an_open_challenge_cannot_be_declined() {
    assert_eq!(refused(to_anybody().decline(BO, START_TIME)), Refusal::NotForYou);
}

#[test]
fn the_challenger_withdraws_and_cannot_decline() {
    assert_eq!(refused(to_bo().decline(ANN, START_TIME)), Refusal::OwnChallenge);
    for challenge in [to_bo(), to_anybody()] {
        let withdrawn = challenge.withdraw(ANN, START_TIME + DAY).unwrap();
        assert_eq!(withdrawn.state, ChallengeState::Withdrawn);
        assert_eq!(refused(withdrawn.accept(BO, &WELCOME, START_TIME + DAY, true)), Refusal::ChallengeClosed);
        assert_eq!(refused(withdrawn.withdraw(ANN, START_TIME + DAY)), Refusal::ChallengeClosed);
    }
    let withdrawn = to_bo().withdraw(ANN, START_TIME).unwrap();
    assert_eq!(refused(withdrawn.decline(BO, START_TIME)), Refusal::ChallengeClosed);
}

#[test]
fn only_the_challenger_can_withdraw() {
    for challenge in [to_bo(), to_anybody()] {
        for other in [BO, EVE] {
            assert_eq!(refused(challenge.withdraw(other, START_TIME)), Refusal::NotYourChallenge);
        }
    }
}

#[test]
fn an_accepted_challenge_cannot_be_withdrawn() {
    let (taken, _) = accepted(&to_bo(), BO, START_TIME);
    assert_eq!(refused(taken.withdraw(ANN, START_TIME)), Refusal::ChallengeClosed);
    assert_eq!(refused(taken.decline(BO, START_TIME)), Refusal::ChallengeClosed);
}

// Expiring

#[test]
fn a_challenge_expires_after_seven_days_to_the_second() {
    for challenge in [to_bo(), to_anybody()] {
        let end = START_TIME + days(7);
        assert_eq!(challenge.expires(), end);
        let just_in_time = end - SECOND;
        assert!(challenge.is_open(just_in_time) && challenge.tick(just_in_time).is_none());
        assert!(challenge.accept(BO, &WELCOME, just_in_time, true).is_ok());
        assert!(challenge.withdraw(ANN, just_in_time).is_ok());
        assert!(!challenge.is_open(end));
        assert_eq!(challenge.tick(end).unwrap().state, ChallengeState::Expired);
    }
}

#[test]
fn an_expired_challenge_cannot_be_answered_even_before_the_bot_has_noticed() {
    let late = START_TIME + days(7);
    let noticed = to_bo().tick(late).unwrap();
    for challenge in [to_bo(), noticed] {
        assert_eq!(refused(challenge.accept(BO, &WELCOME, late, true)), Refusal::ChallengeClosed);
        assert_eq!(refused(challenge.decline(BO, late)), Refusal::ChallengeClosed);
        assert_eq!(refused(challenge.withdraw(ANN, late)), Refusal::ChallengeClosed);
    }
}

#[test]
fn an_answered_challenge_does_not_expire() {
    let much_later = START_TIME + days(100);
    for answered in [
        accepted(&to_bo(), BO, START_TIME).0,
        to_bo().decline(BO, START_TIME).unwrap(),
        to_bo().withdraw(ANN, START_TIME).unwrap(),
        to_bo().tick(START_TIME + days(7)).unwrap(),
    ] {
        assert!(answered.tick(much_later).is_none(), "{:?}", answered.state);
        assert!(!answered.is_open(START_TIME));
    }
}

// Rematches

#[test]
fn a_rematch_has_the_same_conditions_as_a_challenge() {
    assert_eq!(WELCOME.check_allowed(), Ok(()));
    assert_eq!((AcceptanceContext { blocked: true, ..WELCOME }).check_allowed(), Err(Refusal::Unavailable));
    let full = AcceptanceContext { your_games: 50, ..WELCOME };
    assert_eq!(full.check_allowed(), Err(Refusal::TooManyGames { yours: true }));
    let full = AcceptanceContext { their_games: 50, ..WELCOME };
    assert_eq!(full.check_allowed(), Err(Refusal::TooManyGames { yours: false }));
    assert_eq!((AcceptanceContext { your_games: 49, their_games: 49, ..WELCOME }).check_allowed(), Ok(()));
}

#[test]
fn a_layout_that_does_not_fit_the_rules_is_refused() {
    let large = Variant::find("york").unwrap();
    let start = GameTerms { layout: large.default_layout(), ..game_script::start("brandubh", pace(3)) };
    assert!(Game::begin(GameId(1), start, START_TIME).is_err());
    assert_eq!(game_script::start("sea-battle", pace(3)).rules.first, Side::Defenders);
}
