//! How games begin: challenges that are made, accepted, declined, withdrawn and forgotten. Time is an argument.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod game_script;

use game_script::{ANN, BO, DAWN, DAY, EVE, PLACE, SECOND, days, pace};
use ratatosk::game::challenge::{AcceptanceContext, ChallengeContext};
use ratatosk::game::{
    Challenge, ChallengeId, ChallengeState, Game, GameId, Pace, PlayerId, Players, Proposal, Refusal, SidePreference,
    Start, Timestamp,
};
use ratatosk::rules::{Side, VARIANTS, Variant};

const WELCOME: AcceptanceContext = AcceptanceContext { blocked: false, your_games: 0, their_games: 0 };

fn proposal(opponent: Option<PlayerId>) -> Proposal {
    let variant = Variant::find("brandubh").unwrap();
    Proposal {
        challenger: ANN,
        opponent,
        variant,
        layout: variant.usual_layout(),
        side: SidePreference::Attackers,
        pace: Pace::default(),
        place: PLACE,
    }
}

fn challenge(proposal: Proposal) -> Challenge {
    Challenge { id: ChallengeId(7), proposal, made: DAWN, state: ChallengeState::Open }
}

/// Ann challenges Bo.
fn to_bo() -> Challenge {
    challenge(proposal(Some(BO)))
}

/// Ann challenges anybody.
fn to_anybody() -> Challenge {
    challenge(proposal(None))
}

#[track_caller]
fn accepted(challenge: &Challenge, player: PlayerId, now: Timestamp) -> (Challenge, Start) {
    challenge.accept(player, &WELCOME, now, true).unwrap()
}

fn refused<T>(answer: Result<T, Refusal>) -> Refusal {
    answer.err().expect("it was allowed")
}

// Making one

#[test]
fn ann_may_challenge_bo_or_anybody() {
    assert_eq!(proposal(Some(BO)).check(&ChallengeContext::default()), Ok(()));
    assert_eq!(proposal(None).check(&ChallengeContext::default()), Ok(()));
}

#[test]
fn nobody_challenges_himself() {
    assert_eq!(proposal(Some(ANN)).check(&ChallengeContext::default()), Err(Refusal::Yourself));
}

#[test]
fn nobody_challenges_a_bot() {
    let standing = ChallengeContext { opponent_is_bot: true, ..ChallengeContext::default() };
    assert_eq!(proposal(Some(BO)).check(&standing), Err(Refusal::Bot));
}

#[test]
fn who_is_blocked_cannot_challenge_and_is_not_told_of_the_block() {
    let standing = ChallengeContext { blocked: true, ..ChallengeContext::default() };
    assert_eq!(proposal(Some(BO)).check(&standing), Err(Refusal::Unavailable));
}

#[test]
fn a_player_may_have_ten_open_challenges_and_no_more() {
    assert_eq!(Proposal::MAX_OPEN, 10);
    let with = |open_challenges| ChallengeContext { open_challenges, ..ChallengeContext::default() };
    assert_eq!(proposal(Some(BO)).check(&with(9)), Ok(()));
    assert_eq!(proposal(None).check(&with(9)), Ok(()));
    for too_many in [10, 11, u32::MAX] {
        assert_eq!(proposal(Some(BO)).check(&with(too_many)), Err(Refusal::TooManyChallenges));
        assert_eq!(proposal(None).check(&with(too_many)), Err(Refusal::TooManyChallenges));
    }
}

#[test]
fn a_player_may_have_fifty_running_games_and_no_more() {
    assert_eq!(Start::MAX_RUNNING, 50);
    let with = |running_games| ChallengeContext { running_games, ..ChallengeContext::default() };
    assert_eq!(proposal(Some(BO)).check(&with(49)), Ok(()));
    for too_many in [50, 51, u32::MAX] {
        assert_eq!(proposal(Some(BO)).check(&with(too_many)), Err(Refusal::TooManyGames { yours: true }));
        assert_eq!(proposal(None).check(&with(too_many)), Err(Refusal::TooManyGames { yours: true }));
    }
}

#[test]
fn there_is_one_open_challenge_between_two_players_for_a_variant() {
    let standing = ChallengeContext { same_challenge: true, ..ChallengeContext::default() };
    assert_eq!(proposal(Some(BO)).check(&standing), Err(Refusal::SameChallenge));
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

// Accepting one

#[test]
fn the_one_who_was_named_accepts_and_a_game_begins() {
    let (challenge, start) = accepted(&to_bo(), BO, DAWN + DAY);
    assert_eq!(challenge.state, ChallengeState::Accepted);
    assert_eq!(challenge.id, ChallengeId(7));
    assert_eq!(start.players, Players { attackers: ANN, defenders: BO });
    let game = Game::begin(GameId(1), start, DAWN + DAY).unwrap();
    assert_eq!((game.version, game.began, game.changed), (0, DAWN + DAY, DAWN + DAY));
    assert_eq!(game.player_to_move(), Some(ANN));
    assert_eq!(game.clock.deadline, DAWN + DAY + days(3));
    assert!(game.result.is_none() && !game.both_have_moved());
}

#[test]
fn the_game_is_what_was_proposed() {
    for variant in VARIANTS {
        for layout in variant.layouts {
            for pace in Pace::ALL {
                let proposal = Proposal { variant, layout, pace, ..proposal(Some(BO)) };
                let (_, start) = accepted(&challenge(proposal), BO, DAWN);
                assert_eq!((start.variant.id, start.layout.id), (variant.id, layout.id));
                assert_eq!((start.rules, start.pace, start.place), (variant.rules, pace, PLACE));
                let game = Game::begin(GameId(1), start, DAWN).unwrap();
                assert_eq!(game.to_move(), Some(variant.rules.first));
                assert_eq!(game.record.book().write_position(game.record.position()), layout.start);
            }
        }
    }
}

#[test]
fn the_challenger_gets_the_side_that_was_wished_for_and_the_dice_decide_only_where_it_was_left_open() {
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
            let (_, start) = challenge.accept(BO, &WELCOME, DAWN, dice).unwrap();
            assert_eq!(start.players.attackers, attackers, "{side:?} {dice}");
            assert_eq!(start.players.side_of(ANN).unwrap(), start.players.side_of(BO).unwrap().opponent());
        }
    }
    assert_eq!(SidePreference::default(), SidePreference::Random);
}

#[test]
fn nobody_else_accepts_or_declines_what_was_meant_for_bo() {
    assert_eq!(refused(to_bo().accept(EVE, &WELCOME, DAWN, true)), Refusal::NotForYou);
    assert_eq!(refused(to_bo().decline(EVE, DAWN)), Refusal::NotForYou);
}

#[test]
fn nobody_accepts_his_own_challenge() {
    assert_eq!(refused(to_bo().accept(ANN, &WELCOME, DAWN, true)), Refusal::OwnChallenge);
    assert_eq!(refused(to_anybody().accept(ANN, &WELCOME, DAWN, true)), Refusal::OwnChallenge);
}

#[test]
fn an_open_challenge_is_taken_by_the_first_who_accepts() {
    let (taken, start) = accepted(&to_anybody(), EVE, DAWN);
    assert_eq!(start.players, Players { attackers: ANN, defenders: EVE });
    assert_eq!(refused(taken.accept(BO, &WELCOME, DAWN, true)), Refusal::ChallengeClosed);
    assert_eq!(refused(taken.accept(EVE, &WELCOME, DAWN, true)), Refusal::ChallengeClosed);
    assert!(!taken.is_open(DAWN));
}

#[test]
fn who_is_blocked_cannot_accept_an_open_challenge() {
    let standing = AcceptanceContext { blocked: true, ..WELCOME };
    assert_eq!(refused(to_anybody().accept(EVE, &standing, DAWN, true)), Refusal::Unavailable);
    assert_eq!(refused(to_bo().accept(BO, &standing, DAWN, true)), Refusal::Unavailable);
}

#[test]
fn a_game_does_not_begin_when_either_has_fifty_running_already() {
    for challenge in [to_bo(), to_anybody()] {
        let full = AcceptanceContext { your_games: 50, ..WELCOME };
        assert_eq!(refused(challenge.accept(BO, &full, DAWN, true)), Refusal::TooManyGames { yours: true });
        let full = AcceptanceContext { their_games: 50, ..WELCOME };
        assert_eq!(refused(challenge.accept(BO, &full, DAWN, true)), Refusal::TooManyGames { yours: false });
        let nearly = AcceptanceContext { your_games: 49, their_games: 49, ..WELCOME };
        assert!(challenge.accept(BO, &nearly, DAWN, true).is_ok());
        assert!(challenge.is_open(DAWN), "a refusal leaves it open");
    }
}

// Declining and withdrawing

#[test]
fn bo_declines_and_then_it_is_closed() {
    let declined = to_bo().decline(BO, DAWN + DAY).unwrap();
    assert_eq!(declined.state, ChallengeState::Declined);
    assert_eq!(refused(declined.accept(BO, &WELCOME, DAWN + DAY, true)), Refusal::ChallengeClosed);
    assert_eq!(refused(declined.decline(BO, DAWN + DAY)), Refusal::ChallengeClosed);
    assert_eq!(refused(declined.withdraw(ANN, DAWN + DAY)), Refusal::ChallengeClosed);
}

#[test]
fn nobody_in_particular_can_decline_an_open_challenge() {
    assert_eq!(refused(to_anybody().decline(BO, DAWN)), Refusal::NotForYou);
}

#[test]
fn ann_does_not_decline_but_withdraws_her_own_challenge() {
    assert_eq!(refused(to_bo().decline(ANN, DAWN)), Refusal::OwnChallenge);
    for challenge in [to_bo(), to_anybody()] {
        let withdrawn = challenge.withdraw(ANN, DAWN + DAY).unwrap();
        assert_eq!(withdrawn.state, ChallengeState::Withdrawn);
        assert_eq!(refused(withdrawn.accept(BO, &WELCOME, DAWN + DAY, true)), Refusal::ChallengeClosed);
        assert_eq!(refused(withdrawn.withdraw(ANN, DAWN + DAY)), Refusal::ChallengeClosed);
    }
    let withdrawn = to_bo().withdraw(ANN, DAWN).unwrap();
    assert_eq!(refused(withdrawn.decline(BO, DAWN)), Refusal::ChallengeClosed);
}

#[test]
fn only_ann_withdraws_her_challenge() {
    for challenge in [to_bo(), to_anybody()] {
        for other in [BO, EVE] {
            assert_eq!(refused(challenge.withdraw(other, DAWN)), Refusal::NotYourChallenge);
        }
    }
}

#[test]
fn what_became_a_game_is_not_withdrawn() {
    let (taken, _) = accepted(&to_bo(), BO, DAWN);
    assert_eq!(refused(taken.withdraw(ANN, DAWN)), Refusal::ChallengeClosed);
    assert_eq!(refused(taken.decline(BO, DAWN)), Refusal::ChallengeClosed);
}

// Forgetting

#[test]
fn a_challenge_expires_after_seven_days_to_the_second() {
    for challenge in [to_bo(), to_anybody()] {
        let end = DAWN + days(7);
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
    let late = DAWN + days(7);
    let noticed = to_bo().tick(late).unwrap();
    for challenge in [to_bo(), noticed] {
        assert_eq!(refused(challenge.accept(BO, &WELCOME, late, true)), Refusal::ChallengeClosed);
        assert_eq!(refused(challenge.decline(BO, late)), Refusal::ChallengeClosed);
        assert_eq!(refused(challenge.withdraw(ANN, late)), Refusal::ChallengeClosed);
    }
}

#[test]
fn what_was_answered_does_not_expire() {
    let much_later = DAWN + days(100);
    for answered in [
        accepted(&to_bo(), BO, DAWN).0,
        to_bo().decline(BO, DAWN).unwrap(),
        to_bo().withdraw(ANN, DAWN).unwrap(),
        to_bo().tick(DAWN + days(7)).unwrap(),
    ] {
        assert!(answered.tick(much_later).is_none(), "{:?}", answered.state);
        assert!(!answered.is_open(DAWN));
    }
}

// Rematches ask the same of the players

#[test]
fn a_rematch_asks_the_same_of_the_players_as_a_challenge() {
    assert_eq!(WELCOME.check(), Ok(()));
    assert_eq!((AcceptanceContext { blocked: true, ..WELCOME }).check(), Err(Refusal::Unavailable));
    let full = AcceptanceContext { your_games: 50, ..WELCOME };
    assert_eq!(full.check(), Err(Refusal::TooManyGames { yours: true }));
    let full = AcceptanceContext { their_games: 50, ..WELCOME };
    assert_eq!(full.check(), Err(Refusal::TooManyGames { yours: false }));
    assert_eq!((AcceptanceContext { your_games: 49, their_games: 49, ..WELCOME }).check(), Ok(()));
}

#[test]
fn a_layout_that_does_not_fit_the_rules_begins_no_game() {
    let large = Variant::find("york").unwrap();
    let start = Start { layout: large.usual_layout(), ..game_script::start("brandubh", pace(3)) };
    assert!(Game::begin(GameId(1), start, DAWN).is_err());
    assert_eq!(game_script::start("sea-battle", pace(3)).rules.first, Side::Defenders);
}
