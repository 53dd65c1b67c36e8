//! Games over days: moves, offers, takebacks, aborted games and rematches. Ann has the attackers, Bo the king's side, Eve
//! does not play.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(dead_code, reason = "every test file uses some of it")]
mod board_pictures;
mod game_script;

use game_script::{
    ACCEPT_DRAW, ACCEPT_REMATCH, ANN, ASK_TAKEBACK, BO, DAY, DECLINE_DRAW, DECLINE_REMATCH, EVE, GRANT_TAKEBACK,
    GameScript, HOUR, MINUTE, OFFER_DRAW, OFFER_REMATCH, REFUSE_TAKEBACK, START_TIME, days, hours, pace, play,
    play_confirmed, squares, start,
};
use ratatosk::game::{Action, Game, GameEvent, GameId, GameResult, GameTerms, OfferKind, Players, Refusal};
use ratatosk::rules::Side::{Attackers, Defenders};
use ratatosk::rules::rules::{ClosedSides, KingCapture, RepetitionRule};
use ratatosk::rules::{self, Consequence, Move, Outcome, Rules, Side, VARIANTS};

const DRAWN: GameResult = GameResult::Agreed;
const ABORTED: GameResult = GameResult::Aborted;
const ANN_RESIGNED: GameResult = GameResult::Resigned { winner: Defenders };
const BO_RESIGNED: GameResult = GameResult::Resigned { winner: Attackers };

const DRAW: OfferKind = OfferKind::Draw;
const TAKEBACK: OfferKind = OfferKind::Takeback;
const REMATCH: OfferKind = OfferKind::Rematch;

/// Every action but a move.
const WITHOUT_A_MOVE: [Action; 13] = [
    Action::Resign,
    Action::Abort,
    Action::ClaimTime,
    Action::GiveTime,
    OFFER_DRAW,
    ACCEPT_DRAW,
    DECLINE_DRAW,
    ASK_TAKEBACK,
    GRANT_TAKEBACK,
    REFUSE_TAKEBACK,
    OFFER_REMATCH,
    ACCEPT_REMATCH,
    DECLINE_REMATCH,
];

/// Returns the side that has made an offer of each kind, if one is open.
fn open_offers(script: &GameScript) -> [Option<Side>; 3] {
    OfferKind::ALL.map(|kind| script.game.offers.offered_by(kind))
}

fn side(script: &GameScript) -> Side {
    script.game.to_move().unwrap()
}

// Moves

#[test]
fn players_move_in_turn_and_the_version_grows_by_one() {
    let mut script = GameScript::begin("brandubh", 3);
    assert_eq!(script.game.version, 0);
    for (n, (player, typed)) in [(ANN, "d1-c1"), (BO, "d3-e3"), (ANN, "c1-d1"), (BO, "e3-d3")].into_iter().enumerate() {
        script.advance(HOUR);
        assert_eq!(script.to_move(), player);
        assert_eq!(script.act(player, play(typed)), [GameEvent::Moved { ply: n }]);
        assert_eq!(script.game.version, n as u64 + 1);
        assert_eq!(script.game.changed, script.now);
    }
    assert_eq!(script.written(), "d1-c1 d3-e3 c1-d1 e3-d3");
    assert_eq!(script.game.began, START_TIME);
}

#[test]
fn a_move_out_of_turn_is_refused() {
    let mut script = GameScript::begin("brandubh", 3);
    assert_eq!(script.refused(BO, play("d3-e3")), Refusal::NotYourTurn);
    assert_eq!(script.refused(BO, play("d1-c1")), Refusal::NotYourTurn);
    script.moves("d1-c1");
    assert_eq!(script.refused(ANN, play("c1-d1")), Refusal::NotYourTurn);
    assert_eq!(script.refused(ANN, play_confirmed("d3-e3")), Refusal::NotYourTurn);
}

#[test]
fn an_illegal_move_is_refused_with_the_reason() {
    let script = GameScript::begin("brandubh", 3);
    let mv = squares("a4-a1");
    let refused = script.refused(ANN, play("a4-a1"));
    assert_eq!(refused, Refusal::Move(rules::IllegalMove::NoRest { square: mv.to, piece: rules::Piece::Attacker }));
    assert_eq!(script.refused(ANN, play_confirmed("a4-a1")), refused, "knowing better does not help");
    assert!(matches!(script.refused(ANN, play("d3-e3")), Refusal::Move(rules::IllegalMove::OpponentsPiece { .. })));
}

#[test]
fn an_outsider_is_refused_every_action() {
    let mut script = GameScript::begin("brandubh", 3);
    let nothing = |script: &GameScript| {
        for action in WITHOUT_A_MOVE.into_iter().chain([play("d1-c1"), play("d3-e3"), play_confirmed("c1-d1")]) {
            assert_eq!(script.refused(EVE, action), Refusal::NotYourGame, "{action:?}");
        }
    };
    nothing(&script);
    script.moves("d1-c1 d3-e3");
    script.act(ANN, OFFER_DRAW);
    script.act(ANN, ASK_TAKEBACK);
    nothing(&script);
    script.run_for(days(3));
    nothing(&script);
    script.act(BO, Action::ClaimTime);
    script.act(BO, OFFER_REMATCH);
    nothing(&script);
}

#[test]
fn the_king_escapes_and_the_game_is_over() {
    let mut script = GameScript::begin("brandubh", 3);
    script.moves("d1-c1 d3-b3 c1-d1 d4-d3 d1-c1 d3-g3 c1-d1");
    let escaped = GameResult::OnBoard(Outcome::KingEscaped);
    assert_eq!(script.act(BO, play("g3-g1")), [GameEvent::Moved { ply: 7 }, GameEvent::Ended { result: escaped }]);
    assert_eq!(script.result(), escaped);
    assert_eq!((script.game.to_move(), script.game.player_to_move()), (None, None));
    assert!(escaped.counts() && escaped.winner() == Some(Defenders));
}

#[test]
fn the_king_is_taken_and_the_game_is_over() {
    let mut script = GameScript::begin("brandubh", 3);
    script.moves("d1-c1 d3-b3 c1-d1 d4-d3 d1-c1 d3-g3");
    let taken = GameResult::OnBoard(Outcome::KingCaptured);
    assert_eq!(script.act(ANN, play("d2-g2")), [GameEvent::Moved { ply: 6 }, GameEvent::Ended { result: taken }]);
}

#[test]
fn after_the_end_only_a_rematch_can_be_offered() {
    let ended: [fn(&mut GameScript); 5] = [
        |script| drop(script.act(BO, Action::Resign)),
        |script| {
            script.act(ANN, OFFER_DRAW);
            script.act(BO, ACCEPT_DRAW);
        },
        |script| {
            script.run_for(days(3));
            script.act(BO, Action::ClaimTime);
        },
        |script| drop(script.run_for(days(6))),
        |script| {
            script.moves("c1-d1 e3-b3 d1-c1 d4-d3 c1-d1 d3-g3 d2-g2");
        },
    ];
    for end in ended {
        let mut script = GameScript::under_way();
        end(&mut script);
        let result = script.result();
        script.advance(DAY).assert_nothing_due();
        for player in [ANN, BO] {
            for action in WITHOUT_A_MOVE.into_iter().chain([play("c1-d1"), play("e3-d3")]) {
                let about_rematch = [OFFER_REMATCH, ACCEPT_REMATCH, DECLINE_REMATCH].contains(&action);
                match script.game.act(player, action, script.now) {
                    Ok(change) => {
                        assert_eq!(action, OFFER_REMATCH);
                        assert_eq!(change.game.result, Some(result));
                    }
                    Err(refusal) if about_rematch => assert_eq!(refusal, Refusal::NothingOffered(REMATCH)),
                    Err(refusal) => assert_eq!(refusal, Refusal::Over(result)),
                }
            }
        }
    }
}

// Resigning and aborting

#[test]
fn a_player_may_resign_on_either_turn_and_the_opponent_wins() {
    for moves in ["", "c1-d1"] {
        let mut script = GameScript::under_way();
        script.moves(moves);
        assert_eq!(script.act(ANN, Action::Resign), [GameEvent::Ended { result: ANN_RESIGNED }]);
        let mut script = GameScript::under_way();
        script.moves(moves);
        assert_eq!(script.act(BO, Action::Resign), [GameEvent::Ended { result: BO_RESIGNED }]);
    }
}

#[test]
fn either_player_may_abort_without_result_while_either_side_has_not_moved() {
    for variant in ["brandubh", "sea-battle"] {
        for player in [ANN, BO] {
            let mut script = GameScript::begin(variant, 3);
            assert_eq!(script.act(player, Action::Abort), [GameEvent::Ended { result: ABORTED }]);
            let mut script = GameScript::begin(variant, 3);
            script.moves(if variant == "brandubh" { "d1-c1" } else { "e3-d3" });
            assert_eq!(script.act(player, Action::Abort), [GameEvent::Ended { result: ABORTED }]);
            assert_eq!(script.result(), ABORTED);
        }
    }
    assert!(!ABORTED.counts());
}

#[test]
fn once_both_have_moved_nobody_may_abort() {
    let mut script = GameScript::under_way();
    for moves in ["", "c1-d1", "e3-d3"] {
        script.moves(moves);
        for player in [ANN, BO] {
            assert_eq!(script.refused(player, Action::Abort), Refusal::TooLateToAbort);
        }
    }
}

// Draws

#[test]
fn a_draw_is_offered_and_accepted() {
    for (offers, accepts) in [(ANN, BO), (BO, ANN)] {
        let mut script = GameScript::under_way();
        let by = script.game.terms.players.side_of(offers).unwrap();
        assert_eq!(script.act(offers, OFFER_DRAW), [GameEvent::Offered { kind: DRAW, by }]);
        assert_eq!(script.game.result, None);
        script.advance(DAY);
        assert_eq!(script.act(accepts, ACCEPT_DRAW), [GameEvent::Ended { result: DRAWN }]);
        assert!(DRAWN.counts());
        assert_eq!(open_offers(&script), [None; 3]);
    }
}

#[test]
fn offering_what_the_opponent_has_offered_accepts_it() {
    let mut script = GameScript::under_way();
    script.act(ANN, OFFER_DRAW);
    assert_eq!(script.act(BO, OFFER_DRAW), [GameEvent::Ended { result: DRAWN }]);
}

#[test]
fn a_draw_is_offered_and_declined_and_the_game_goes_on() {
    let mut script = GameScript::under_way();
    script.act(ANN, OFFER_DRAW);
    assert_eq!(script.act(BO, DECLINE_DRAW), [GameEvent::Declined { kind: DRAW, by: Defenders }]);
    assert_eq!(script.game.result, None);
    assert_eq!(script.refused(BO, ACCEPT_DRAW), Refusal::NothingOffered(DRAW));
    assert_eq!(script.refused(BO, DECLINE_DRAW), Refusal::NothingOffered(DRAW));
}

#[test]
fn an_offer_that_was_not_made_can_be_neither_accepted_nor_declined() {
    let script = GameScript::under_way();
    for player in [ANN, BO] {
        assert_eq!(script.refused(player, ACCEPT_DRAW), Refusal::NothingOffered(DRAW));
        assert_eq!(script.refused(player, DECLINE_DRAW), Refusal::NothingOffered(DRAW));
        assert_eq!(script.refused(player, GRANT_TAKEBACK), Refusal::NothingOffered(TAKEBACK));
        assert_eq!(script.refused(player, REFUSE_TAKEBACK), Refusal::NothingOffered(TAKEBACK));
    }
}

#[test]
fn a_player_cannot_answer_their_own_offer() {
    let mut script = GameScript::under_way();
    script.act(ANN, OFFER_DRAW);
    script.act(ANN, ASK_TAKEBACK);
    assert_eq!(script.refused(ANN, ACCEPT_DRAW), Refusal::OwnOffer(DRAW));
    assert_eq!(script.refused(ANN, DECLINE_DRAW), Refusal::OwnOffer(DRAW));
    assert_eq!(script.refused(ANN, GRANT_TAKEBACK), Refusal::OwnOffer(TAKEBACK));
    assert_eq!(script.refused(ANN, REFUSE_TAKEBACK), Refusal::OwnOffer(TAKEBACK));
}

#[test]
fn a_second_offer_of_the_same_kind_is_refused() {
    let mut script = GameScript::under_way();
    script.act(ANN, OFFER_DRAW);
    assert_eq!(script.refused(ANN, OFFER_DRAW), Refusal::AlreadyOffered(DRAW));
    script.act(ANN, ASK_TAKEBACK);
    assert_eq!(script.refused(ANN, ASK_TAKEBACK), Refusal::AlreadyOffered(TAKEBACK));
    assert_eq!(
        open_offers(&script),
        [Some(Attackers), Some(Attackers), None],
        "of different kinds there may be several"
    );
}

#[test]
fn both_players_can_have_offers_of_different_kinds_open() {
    let mut script = GameScript::under_way();
    script.act(ANN, OFFER_DRAW);
    script.act(BO, ASK_TAKEBACK);
    assert_eq!(open_offers(&script), [Some(Attackers), Some(Defenders), None]);
    assert_eq!(script.act(ANN, REFUSE_TAKEBACK), [GameEvent::Declined { kind: TAKEBACK, by: Attackers }]);
    assert_eq!(open_offers(&script), [Some(Attackers), None, None]);
    assert_eq!(script.act(BO, ACCEPT_DRAW), [GameEvent::Ended { result: DRAWN }]);
}

#[test]
fn an_offer_stays_open_however_long_it_takes() {
    let mut script = GameScript::begin("brandubh", 14);
    script.moves("d1-c1 d3-e3");
    script.act(BO, OFFER_DRAW);
    script.run_for(days(20));
    assert_eq!(script.act(ANN, ACCEPT_DRAW), [GameEvent::Ended { result: DRAWN }]);
}

#[test]
fn a_draw_offer_stays_open_until_the_opponent_moves() {
    let mut script = GameScript::under_way();
    script.act(ANN, OFFER_DRAW);
    assert_eq!(script.act(ANN, play("c1-d1")), [GameEvent::Moved { ply: 2 }]);
    assert_eq!(open_offers(&script), [Some(Attackers), None, None]);
    let told = script.act(BO, play("e3-d3"));
    assert_eq!(told, [GameEvent::Moved { ply: 3 }, GameEvent::Declined { kind: DRAW, by: Defenders }]);
    assert_eq!(open_offers(&script), [None; 3]);
    assert_eq!(script.refused(BO, ACCEPT_DRAW), Refusal::NothingOffered(DRAW));
}

#[test]
fn a_draw_offer_can_be_accepted_after_the_offerer_moved() {
    let mut script = GameScript::under_way();
    script.act(ANN, OFFER_DRAW);
    script.moves("c1-d1");
    assert_eq!(script.act(BO, ACCEPT_DRAW), [GameEvent::Ended { result: DRAWN }]);
}

#[test]
fn a_declined_draw_can_be_offered_again_after_both_moved() {
    let mut script = GameScript::under_way();
    script.act(ANN, OFFER_DRAW);
    script.act(BO, DECLINE_DRAW);
    assert_eq!(script.refused(ANN, OFFER_DRAW), Refusal::TooSoon(DRAW));
    script.advance(DAY).moves("c1-d1");
    assert_eq!(script.refused(ANN, OFFER_DRAW), Refusal::TooSoon(DRAW));
    script.advance(DAY).moves("e3-d3");
    assert_eq!(script.act(ANN, OFFER_DRAW), [GameEvent::Offered { kind: DRAW, by: Attackers }]);
}

#[test]
fn a_draw_declined_on_the_opponents_turn_can_be_offered_again_after_both_moved() {
    let mut script = GameScript::under_way();
    script.moves("c1-d1");
    script.act(ANN, OFFER_DRAW);
    script.act(BO, DECLINE_DRAW);
    script.moves("e3-d3");
    assert_eq!(script.refused(ANN, OFFER_DRAW), Refusal::TooSoon(DRAW));
    script.moves("d1-c1");
    script.act(ANN, OFFER_DRAW);
}

#[test]
fn a_draw_declined_by_moving_can_be_offered_again_after_both_moved() {
    let mut script = GameScript::under_way();
    script.act(ANN, OFFER_DRAW);
    script.moves("c1-d1 e3-d3");
    assert_eq!(script.refused(ANN, OFFER_DRAW), Refusal::TooSoon(DRAW));
    script.moves("d1-c1");
    assert_eq!(script.refused(ANN, OFFER_DRAW), Refusal::TooSoon(DRAW));
    script.moves("d3-e3");
    script.act(ANN, OFFER_DRAW);
}

#[test]
fn the_player_who_declined_a_draw_may_offer_one() {
    let mut script = GameScript::under_way();
    script.act(ANN, OFFER_DRAW);
    script.act(BO, DECLINE_DRAW);
    assert_eq!(script.act(BO, OFFER_DRAW), [GameEvent::Offered { kind: DRAW, by: Defenders }]);
    assert_eq!(script.act(ANN, OFFER_DRAW), [GameEvent::Ended { result: DRAWN }], "accepting is not asking again");
}

#[test]
fn a_takeback_can_be_asked_for_after_a_declined_draw() {
    let mut script = GameScript::under_way();
    script.act(ANN, OFFER_DRAW);
    script.act(BO, DECLINE_DRAW);
    script.act(ANN, ASK_TAKEBACK);
    script.act(BO, REFUSE_TAKEBACK);
    assert_eq!(script.refused(ANN, ASK_TAKEBACK), Refusal::TooSoon(TAKEBACK));
    assert_eq!(script.refused(ANN, OFFER_DRAW), Refusal::TooSoon(DRAW));
}

// Takebacks

#[test]
fn on_the_opponents_turn_a_takeback_takes_back_one_ply() {
    let mut script = GameScript::under_way();
    script.moves("c1-b1");
    assert_eq!(script.act(ANN, ASK_TAKEBACK), [GameEvent::Offered { kind: TAKEBACK, by: Attackers }]);
    assert_eq!(script.written(), "d1-c1 d3-e3 c1-b1", "asking alone takes nothing back");
    assert_eq!(script.act(BO, GRANT_TAKEBACK), [GameEvent::TookBack { plies: 1, by: Attackers }]);
    assert_eq!((script.written().as_str(), script.to_move()), ("d1-c1 d3-e3", ANN));
    assert_eq!(open_offers(&script), [None; 3]);
    script.moves("c1-d1");
}

#[test]
fn on_the_askers_own_turn_a_takeback_takes_back_two_plies() {
    let mut script = GameScript::under_way();
    script.moves("c1-b1 e3-f3");
    script.act(ANN, ASK_TAKEBACK);
    assert_eq!(script.act(BO, GRANT_TAKEBACK), [GameEvent::TookBack { plies: 2, by: Attackers }]);
    assert_eq!((script.written().as_str(), script.to_move()), ("d1-c1 d3-e3", ANN));
}

#[test]
fn asking_for_a_takeback_that_the_opponent_has_asked_for_grants_it() {
    let mut script = GameScript::under_way();
    script.act(BO, ASK_TAKEBACK);
    assert_eq!(script.act(ANN, ASK_TAKEBACK), [GameEvent::TookBack { plies: 1, by: Defenders }]);
    assert_eq!(script.written(), "d1-c1");
}

#[test]
fn a_takeback_restores_captured_pieces() {
    let mut script = GameScript::begin("brandubh", 3);
    script.moves("d1-b1 d3-b3");
    let before = script.game.record.clone();
    script.moves("b1-b2");
    assert_eq!(script.game.record.plies()[2].captures.len(), 1);
    script.act(ANN, ASK_TAKEBACK);
    script.act(BO, GRANT_TAKEBACK);
    assert_eq!(script.game.record, before);
}

#[test]
fn only_the_askers_own_move_can_be_taken_back() {
    let mut script = GameScript::begin("brandubh", 3);
    for player in [ANN, BO] {
        assert_eq!(script.refused(player, ASK_TAKEBACK), Refusal::NothingToTakeBack);
    }
    script.moves("d1-c1");
    assert_eq!(script.refused(BO, ASK_TAKEBACK), Refusal::NothingToTakeBack, "Bo has not moved");
    script.act(ANN, ASK_TAKEBACK);
    script.act(BO, GRANT_TAKEBACK);
    assert_eq!((script.written().as_str(), script.to_move()), ("", ANN));
    assert_eq!(script.refused(ANN, ASK_TAKEBACK), Refusal::NothingToTakeBack);
    script.moves("d1-c1 d3-e3");
    script.act(ANN, ASK_TAKEBACK);
    script.act(BO, GRANT_TAKEBACK);
    assert_eq!((script.written().as_str(), script.to_move()), ("", ANN));
}

#[test]
fn after_a_takeback_the_player_to_move_gets_the_full_time() {
    for (moves, asks, grants) in [("c1-b1", ANN, BO), ("", BO, ANN), ("", ANN, BO)] {
        let mut script = GameScript::under_way();
        script.moves(moves).advance(days(2)).advance(HOUR);
        script.act(asks, ASK_TAKEBACK);
        script.run_for(hours(12));
        script.act(grants, GRANT_TAKEBACK);
        assert_eq!(script.to_move(), asks);
        assert_eq!(script.time_left(), days(3));
        assert!(!script.game.clock.reminded && script.game.clock.flagged.is_none());
    }
}

#[test]
fn asking_for_or_declining_a_takeback_does_not_change_the_clock() {
    let mut script = GameScript::under_way();
    let clock = script.game.clock;
    script.advance(DAY);
    script.act(ANN, ASK_TAKEBACK);
    script.act(BO, REFUSE_TAKEBACK);
    script.act(ANN, OFFER_DRAW);
    script.act(BO, DECLINE_DRAW);
    assert_eq!(script.game.clock, clock);
}

#[test]
fn the_askers_next_move_withdraws_a_takeback() {
    let mut script = GameScript::under_way();
    script.act(ANN, ASK_TAKEBACK);
    let told = script.act(ANN, play("c1-d1"));
    assert_eq!(told, [GameEvent::Moved { ply: 2 }, GameEvent::Withdrawn { kind: TAKEBACK, by: Attackers }]);
    assert_eq!(script.refused(BO, GRANT_TAKEBACK), Refusal::NothingOffered(TAKEBACK));
    assert_eq!(script.written(), "d1-c1 d3-e3 c1-d1");
    script.act(ANN, ASK_TAKEBACK);
    assert_eq!(script.act(BO, GRANT_TAKEBACK), [GameEvent::TookBack { plies: 1, by: Attackers }], "it was not refused");
}

#[test]
fn a_move_of_the_opponent_declines_a_takeback() {
    let mut script = GameScript::under_way();
    script.moves("c1-d1");
    script.act(ANN, ASK_TAKEBACK);
    let told = script.act(BO, play("e3-d3"));
    assert_eq!(told, [GameEvent::Moved { ply: 3 }, GameEvent::Declined { kind: TAKEBACK, by: Defenders }]);
    assert_eq!(open_offers(&script), [None; 3]);
    assert_eq!(script.refused(ANN, ASK_TAKEBACK), Refusal::TooSoon(TAKEBACK));
}

#[test]
fn a_declined_takeback_can_be_asked_for_again_after_both_moved() {
    let mut script = GameScript::under_way();
    script.act(ANN, ASK_TAKEBACK);
    assert_eq!(script.act(BO, REFUSE_TAKEBACK), [GameEvent::Declined { kind: TAKEBACK, by: Defenders }]);
    assert_eq!(script.refused(ANN, ASK_TAKEBACK), Refusal::TooSoon(TAKEBACK));
    script.moves("c1-d1");
    assert_eq!(script.refused(ANN, ASK_TAKEBACK), Refusal::TooSoon(TAKEBACK));
    script.moves("e3-d3");
    script.act(ANN, ASK_TAKEBACK);
}

#[test]
fn the_player_who_declined_a_takeback_may_ask_for_one() {
    let mut script = GameScript::under_way();
    script.act(ANN, ASK_TAKEBACK);
    script.act(BO, REFUSE_TAKEBACK);
    script.act(BO, ASK_TAKEBACK);
    assert_eq!(script.act(ANN, GRANT_TAKEBACK), [GameEvent::TookBack { plies: 1, by: Defenders }]);
}

#[test]
fn one_move_answers_every_offer_at_once() {
    let mut script = GameScript::under_way();
    script.moves("c1-d1");
    script.act(ANN, OFFER_DRAW);
    script.act(ANN, ASK_TAKEBACK);
    let told = script.act(BO, play("e3-d3"));
    let declined = |kind| GameEvent::Declined { kind, by: Defenders };
    assert_eq!(told, [GameEvent::Moved { ply: 3 }, declined(DRAW), declined(TAKEBACK)]);
}

#[test]
fn a_takeback_withdraws_a_draw_that_was_offered_in_another_position() {
    for who in [ANN, BO] {
        let mut script = GameScript::under_way();
        script.moves("c1-d1");
        script.act(who, OFFER_DRAW);
        script.act(ANN, ASK_TAKEBACK);
        let by = if who == ANN { Attackers } else { Defenders };
        let told = script.act(BO, GRANT_TAKEBACK);
        assert_eq!(told, [GameEvent::TookBack { plies: 1, by: Attackers }, GameEvent::Withdrawn { kind: DRAW, by }]);
        assert_eq!(open_offers(&script), [None; 3]);
        // Nobody has declined it, so it may be offered again at once.
        assert_eq!(script.act(who, OFFER_DRAW), [GameEvent::Offered { kind: DRAW, by }]);
    }
}

#[test]
fn a_takeback_after_the_end_is_refused() {
    let mut script = GameScript::under_way();
    script.act(ANN, ASK_TAKEBACK);
    script.act(ANN, Action::Resign);
    assert_eq!(open_offers(&script), [None; 3]);
    assert_eq!(script.refused(BO, GRANT_TAKEBACK), Refusal::Over(ANN_RESIGNED));
}

#[test]
fn every_ending_withdraws_open_offers() {
    let ends: [fn(&mut GameScript); 6] = [
        |script| drop(script.act(ANN, Action::Resign)),
        |script| drop(script.act(BO, Action::Resign)),
        |script| drop(script.act(BO, ACCEPT_DRAW)),
        |script| drop(script.run_for(days(6))),
        |script| {
            script.run_for(days(3));
            script.act(BO, Action::ClaimTime);
        },
        |script| script.game = script.game.moderate(script.now).unwrap().game,
    ];
    for end in ends {
        let mut script = GameScript::under_way();
        script.act(ANN, OFFER_DRAW);
        script.act(ANN, ASK_TAKEBACK);
        end(&mut script);
        assert!(script.game.result.is_some());
        assert_eq!(open_offers(&script), [None; 3]);
    }
}

#[test]
fn after_a_takeback_a_declined_draw_can_be_offered_again_once_both_moved() {
    let mut script = GameScript::under_way();
    script.moves("c1-b1 e3-f3");
    script.act(ANN, OFFER_DRAW);
    script.act(BO, DECLINE_DRAW);
    script.act(ANN, ASK_TAKEBACK);
    script.act(BO, GRANT_TAKEBACK);
    assert_eq!(script.refused(ANN, OFFER_DRAW), Refusal::TooSoon(DRAW));
    script.moves("c1-d1");
    assert_eq!(script.refused(ANN, OFFER_DRAW), Refusal::TooSoon(DRAW));
    script.moves("e3-d3");
    // Both have moved since her offer was declined.
    assert_eq!(script.game.act(ANN, OFFER_DRAW, script.now).err(), None);
}

#[test]
fn after_the_opponents_takeback_a_declined_takeback_can_be_asked_for_again_once_both_moved() {
    let mut script = GameScript::under_way();
    script.moves("c1-b1 e3-f3 b1-c1");
    // It is Bo's turn. Ann asks, and Bo declines; then Bo asks, two plies are taken back, and both move.
    script.act(ANN, ASK_TAKEBACK);
    script.act(BO, REFUSE_TAKEBACK);
    script.act(BO, ASK_TAKEBACK);
    script.act(ANN, GRANT_TAKEBACK);
    script.moves("e3-d3 b1-c1");
    assert_eq!(script.game.act(ANN, ASK_TAKEBACK, script.now).err(), None);
}

// Rematches

#[test]
fn a_rematch_is_offered_and_accepted_with_sides_swapped() {
    for variant in VARIANTS {
        for (offers, accepts) in [(ANN, BO), (BO, ANN)] {
            let mut script = GameScript::begin(variant.id, 5);
            script.act(BO, Action::Resign);
            script.advance(days(30));
            let by = script.game.terms.players.side_of(offers).unwrap();
            assert_eq!(script.act(offers, OFFER_REMATCH), [GameEvent::Offered { kind: REMATCH, by }]);
            assert!(script.rematch.is_none());
            assert_eq!(script.refused(offers, OFFER_REMATCH), Refusal::AlreadyOffered(REMATCH));
            assert_eq!(script.refused(offers, ACCEPT_REMATCH), Refusal::OwnOffer(REMATCH));
            script.advance(DAY);
            script.act(accepts, ACCEPT_REMATCH);
            assert_eq!(script.result(), BO_RESIGNED, "the old game stays as it was");
            let next = script.rematch.unwrap();
            assert_eq!(next.players, Players { attackers: BO, defenders: ANN });
            assert_eq!((next.variant.id, next.layout.id), (variant.id, variant.default_layout().id));
            assert_eq!((next.pace, next.place), (pace(5), script.game.terms.place));
            let game = Game::begin(GameId(43), next, script.now).unwrap();
            assert_eq!(game.to_move(), Some(variant.rules.first));
        }
    }
}

#[test]
fn offering_a_rematch_to_each_other_begins_one() {
    let mut script = GameScript::under_way();
    script.act(BO, Action::Resign);
    script.act(ANN, OFFER_REMATCH);
    script.act(BO, OFFER_REMATCH);
    assert_eq!(script.rematch.unwrap().players, Players { attackers: BO, defenders: ANN });
    assert_eq!(open_offers(&script), [None; 3]);
    assert_eq!(script.refused(ANN, ACCEPT_REMATCH), Refusal::NothingOffered(REMATCH));
}

#[test]
fn a_rematch_of_a_running_game_is_refused() {
    let script = GameScript::under_way();
    for player in [ANN, BO] {
        for action in [OFFER_REMATCH, ACCEPT_REMATCH, DECLINE_REMATCH] {
            assert_eq!(script.refused(player, action), Refusal::NotOver);
        }
    }
}

#[test]
fn a_rematch_is_declined_and_no_game_begins() {
    let mut script = GameScript::under_way();
    script.act(ANN, Action::Resign);
    script.act(ANN, OFFER_REMATCH);
    assert_eq!(script.act(BO, DECLINE_REMATCH), [GameEvent::Declined { kind: REMATCH, by: Defenders }]);
    assert!(script.rematch.is_none());
    assert_eq!(script.refused(BO, ACCEPT_REMATCH), Refusal::NothingOffered(REMATCH));
    script.act(BO, OFFER_REMATCH);
    script.act(ANN, ACCEPT_REMATCH);
    assert!(script.rematch.is_some(), "who declined may still offer one");
}

#[test]
fn every_ending_allows_a_rematch() {
    for ending in [Action::Abort, Action::Resign] {
        let mut script = GameScript::begin("brandubh", 3);
        script.act(ANN, ending);
        script.act(BO, OFFER_REMATCH);
        script.act(ANN, ACCEPT_REMATCH);
        assert!(script.rematch.is_some());
    }
}

// Repetition

/// Returns four plies after which all pieces are back where they were.
fn moves_to_and_fro(variant: &str) -> [&'static str; 4] {
    match variant {
        "sea-battle" => ["e3-d3", "e2-d2", "d3-e3", "d2-e2"],
        "york" | "fetlar" => ["f2-e2", "f4-e4", "e2-f2", "e4-f4"],
        _ => ["d1-c1", "d3-e3", "c1-d1", "e3-d3"],
    }
}

/// Plays until one more ply would repeat the start position for the third time; returns that ply.
fn before_third_occurrence(variant: &str) -> (GameScript, &'static str) {
    let mut script = GameScript::begin(variant, 3);
    let plies = moves_to_and_fro(variant);
    script.moves(&plies.join(" ")).moves(&plies[..3].join(" "));
    (script, plies[3])
}

#[test]
fn a_draw_by_repetition_needs_confirmation() {
    for variant in ["magpie", "sea-battle", "fetlar"] {
        let (mut script, last) = before_third_occurrence(variant);
        let player = script.to_move();
        let Refusal::Confirm { repetition: what, .. } = script.refused(player, play(last)) else { panic!("{variant}") };
        assert_eq!((what.occurrences.as_slice(), what.consequence), (&[0, 4, 8][..], Consequence::Draw));
        assert_eq!(script.game.record.plies().len(), 7, "nothing has happened");
        script.advance(MINUTE);
        let result = GameResult::OnBoard(Outcome::Repetition { aggressor: None });
        let told = script.act(player, play_confirmed(last));
        assert_eq!(told, [GameEvent::Moved { ply: 7 }, GameEvent::Ended { result }]);
    }
}

#[test]
fn a_loss_by_repetition_needs_confirmation() {
    for variant in ["brandubh", "ard-ri"] {
        let (mut script, last) = before_third_occurrence(variant);
        let player = script.to_move();
        let Refusal::Confirm { repetition: what, .. } = script.refused(player, play(last)) else { panic!("{variant}") };
        let Consequence::Loss(loser) = what.consequence else { panic!("{what:?}") };
        assert_eq!(what.verdict.and_then(|verdict| verdict.aggressor), Some(loser));
        let result = GameResult::OnBoard(Outcome::Repetition { aggressor: Some(loser) });
        let told = script.act(player, play_confirmed(last));
        assert_eq!(told, [GameEvent::Moved { ply: 7 }, GameEvent::Ended { result }]);
    }
}

#[test]
fn a_player_who_is_asked_about_a_repetition_may_act_otherwise() {
    let (mut script, last) = before_third_occurrence("magpie");
    assert!(matches!(script.refused(BO, play(last)), Refusal::Confirm { .. }));
    script.act(BO, play("e3-f3"));
    assert_eq!(script.game.result, None);
}

#[test]
fn a_second_occurrence_needs_no_confirmation() {
    for variant in VARIANTS {
        let mut script = GameScript::begin(variant.id, 3);
        let back = |mv: Move| Move { from: mv.to, to: mv.from };
        // The first step in the list: the two sides begin far enough apart not to meet.
        let step = |script: &GameScript| {
            let mut moves = script.game.record.playable_moves();
            moves.find(|mv| mv.from.file().abs_diff(mv.to.file()) + mv.from.rank().abs_diff(mv.to.rank()) == 1).unwrap()
        };
        let first = step(&script);
        script.moves(&first.to_string());
        let second = step(&script);
        script.moves(&format!("{second} {} {}", back(first), back(second)));
        assert_eq!(script.game.record.occurrences(), 2);
        assert_eq!(side(&script), variant.rules.first);
    }
}

#[test]
fn confirming_a_move_that_repeats_nothing_has_no_effect() {
    let mut script = GameScript::begin("brandubh", 3);
    assert_eq!(script.act(ANN, play_confirmed("d1-c1")), [GameEvent::Moved { ply: 0 }]);
}

#[test]
fn in_york_the_aggressor_is_refused_even_after_confirming() {
    let (script, last) = before_third_occurrence("york");
    for action in [play(last), play_confirmed(last)] {
        let Refusal::Move(rules::IllegalMove::MustVary(what)) = script.refused(BO, action) else { panic!("{last}") };
        assert_eq!(what.consequence, Consequence::Refused);
        assert_eq!(what.verdict.unwrap().aggressor, Some(Defenders));
    }
}

/// The king goes to and fro below the top and threatens to leave; one attacker must go with him.
const HUNTED_ATTACKER: &str = "
    11 . . . . t . . . . . .
    10 . . t . . t . . . . .
     9 . . t . K t . . . . .
     8 . . . t t . . . . . .
     7 . . . . . . . . . . .
     6 . . . . . . . . . . .
     5 . . . . . . . . . . .
     4 . . . . . . . . . . .
     3 . . . . . . . T . . .
     2 . . . . . . . . . . .
     1 . . . . . . . . . . .
       a b c d e f g h i j k";

#[test]
fn in_york_the_other_side_is_asked_first_and_the_game_goes_on() {
    let mut script = GameScript::begin("york", 3);
    script.game.record = board_pictures::board("york", Defenders, HUNTED_ATTACKER).record;
    script.moves("e9-d9 e11-d11 d9-e9 d11-e11 e9-d9 e11-d11 d9-e9");
    let Refusal::Confirm { repetition: what, .. } = script.refused(ANN, play("d11-e11")) else {
        panic!("she is not asked")
    };
    assert_eq!(what.consequence, Consequence::GoesOn);
    assert_eq!(script.act(ANN, play_confirmed("d11-e11")), [GameEvent::Moved { ply: 7 }]);
    assert_eq!(script.game.result, None);
    let refused = script.refused(BO, play_confirmed("e9-d9"));
    assert!(matches!(refused, Refusal::Move(rules::IllegalMove::MustVary(_))), "{refused:?}");
    script.moves("h3-h4");
}

#[test]
fn a_takeback_uncounts_the_occurrence_of_its_position() {
    let (mut script, last) = before_third_occurrence("magpie");
    assert!(matches!(script.refused(BO, play(last)), Refusal::Confirm { .. }));
    script.act(BO, ASK_TAKEBACK);
    script.act(ANN, GRANT_TAKEBACK);
    // Two plies were taken back, and after two others the start has still occurred only twice.
    script.moves("d3-f3 c1-d1 f3-e3 d1-c1");
    assert_eq!(script.game.result, None);
}

// The rules that a game began with

#[test]
fn a_game_keeps_the_rules_that_it_began_with() {
    let old = start("brandubh", pace(3));
    let old =
        GameTerms { rules: Rules { king_capture: KingCapture::everywhere(ClosedSides::Four), ..old.rules }, ..old };
    let mut script = GameScript::new(old);
    script.moves("d1-c1 d3-b3 c1-d1 d4-d3 d1-c1 d3-g3");
    // By the current rules the king would be captured by two.
    assert_eq!(script.act(ANN, play("d2-g2")), [GameEvent::Moved { ply: 6 }]);
    assert_eq!(script.game.terms.rules, old.rules);
    assert_eq!(script.game.record.rulebook().rules(), &old.rules);
}

#[test]
fn repetition_follows_the_rules_that_the_game_began_with() {
    for (repetition, ended) in [(RepetitionRule::Allowed, false), (RepetitionRule::Draws, true)] {
        let old = start("york", pace(3));
        let mut script = GameScript::new(GameTerms { rules: Rules { repetition, ..old.rules }, ..old });
        let plies = moves_to_and_fro("york");
        script.moves(&plies.join(" ")).moves(&plies[..3].join(" "));
        script.act(BO, play_confirmed(plies[3]));
        assert_eq!(script.game.result.is_some(), ended);
    }
}

#[test]
fn a_rematch_uses_the_current_rules() {
    let old = start("brandubh", pace(3));
    let mut script =
        GameScript::new(GameTerms { rules: Rules { repetition: RepetitionRule::Draws, ..old.rules }, ..old });
    script.act(ANN, Action::Resign);
    script.act(ANN, OFFER_REMATCH);
    script.act(BO, ACCEPT_REMATCH);
    assert_eq!(script.rematch.unwrap().rules, old.variant.rules);
}

// Moderators

#[test]
fn a_moderator_can_end_only_a_running_game() {
    let script = GameScript::under_way();
    let change = script.game.moderate(script.now).unwrap();
    let result = GameResult::Moderated;
    assert_eq!(change.events, [GameEvent::Ended { result }]);
    assert_eq!((change.game.version, change.game.result), (script.game.version + 1, Some(result)));
    assert!(!result.counts());
    assert_eq!(change.game.moderate(script.now).err(), Some(Refusal::Over(result)));
}
