//! What players do to each other in a game over days: moves, offers, takebacks, abandoned games and rematches, told as
//! stories. Ann has the attackers, Bo the king's side, Eve only looks on.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(dead_code, reason = "every test file uses some of it")]
mod board_pictures;
mod game_script;

use game_script::{
    ACCEPT_DRAW, ACCEPT_REMATCH, ANN, ASK_TAKEBACK, BO, DAWN, DAY, DECLINE_DRAW, DECLINE_REMATCH, EVE, GRANT_TAKEBACK,
    GameScript, HOUR, MINUTE, OFFER_DRAW, OFFER_REMATCH, REFUSE_TAKEBACK, days, hours, pace, play, play_knowing,
    squares, start,
};
use ratatosk::game::{Action, Game, GameEvent, GameId, GameResult, OfferKind, Players, Refusal, Start};
use ratatosk::rules::Side::{Attackers, Defenders};
use ratatosk::rules::rules::{KingCapture, Repetition, Sides};
use ratatosk::rules::{self, Consequence, Move, Outcome, Rules, Side, VARIANTS};

const DRAWN: GameResult = GameResult::Agreed;
const ABORTED: GameResult = GameResult::Aborted;
const ANN_RESIGNED: GameResult = GameResult::Resigned { winner: Defenders };
const BO_RESIGNED: GameResult = GameResult::Resigned { winner: Attackers };

const DRAW: OfferKind = OfferKind::Draw;
const TAKEBACK: OfferKind = OfferKind::Takeback;
const REMATCH: OfferKind = OfferKind::Rematch;

/// Everything but a move.
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

fn standing(tale: &GameScript) -> [Option<Side>; 3] {
    OfferKind::ALL.map(|kind| tale.game.offers.standing(kind))
}

fn side(tale: &GameScript) -> Side {
    tale.game.to_move().unwrap()
}

// Moves

#[test]
fn ann_and_bo_move_in_turn_and_the_version_grows_by_one() {
    let mut tale = GameScript::begins("brandubh", 3);
    assert_eq!(tale.game.version, 0);
    for (n, (player, typed)) in [(ANN, "d1-c1"), (BO, "d3-e3"), (ANN, "c1-d1"), (BO, "e3-d3")].into_iter().enumerate() {
        tale.after(HOUR);
        assert_eq!(tale.to_move(), player);
        assert_eq!(tale.does(player, play(typed)), [GameEvent::Moved { ply: n }]);
        assert_eq!(tale.game.version, n as u64 + 1);
        assert_eq!(tale.game.changed, tale.now);
    }
    assert_eq!(tale.written(), "d1-c1 d3-e3 c1-d1 e3-d3");
    assert_eq!(tale.game.began, DAWN);
}

#[test]
fn nobody_moves_when_it_is_not_his_turn() {
    let mut tale = GameScript::begins("brandubh", 3);
    assert_eq!(tale.may_not(BO, play("d3-e3")), Refusal::NotYourTurn);
    assert_eq!(tale.may_not(BO, play("d1-c1")), Refusal::NotYourTurn);
    tale.moves("d1-c1");
    assert_eq!(tale.may_not(ANN, play("c1-d1")), Refusal::NotYourTurn);
    assert_eq!(tale.may_not(ANN, play_knowing("d3-e3")), Refusal::NotYourTurn);
}

#[test]
fn a_move_against_the_rules_is_refused_with_the_reason_of_the_rules() {
    let tale = GameScript::begins("brandubh", 3);
    let mv = squares("a4-a1");
    let refused = tale.may_not(ANN, play("a4-a1"));
    assert_eq!(refused, Refusal::Move(rules::IllegalMove::NoRest { square: mv.to, piece: rules::Piece::Attacker }));
    assert_eq!(tale.may_not(ANN, play_knowing("a4-a1")), refused, "knowing better does not help");
    assert!(matches!(tale.may_not(ANN, play("d3-e3")), Refusal::Move(rules::IllegalMove::OpponentsPiece { .. })));
}

#[test]
fn an_outsider_can_do_nothing_at_any_time() {
    let mut tale = GameScript::begins("brandubh", 3);
    let nothing = |tale: &GameScript| {
        for action in WITHOUT_A_MOVE.into_iter().chain([play("d1-c1"), play("d3-e3"), play_knowing("c1-d1")]) {
            assert_eq!(tale.may_not(EVE, action), Refusal::NotYourGame, "{action:?}");
        }
    };
    nothing(&tale);
    tale.moves("d1-c1 d3-e3");
    tale.does(ANN, OFFER_DRAW);
    tale.does(ANN, ASK_TAKEBACK);
    nothing(&tale);
    tale.awaits(days(3));
    nothing(&tale);
    tale.does(BO, Action::ClaimTime);
    tale.does(BO, OFFER_REMATCH);
    nothing(&tale);
}

#[test]
fn the_king_escapes_and_the_game_is_over() {
    let mut tale = GameScript::begins("brandubh", 3);
    tale.moves("d1-c1 d3-b3 c1-d1 d4-d3 d1-c1 d3-g3 c1-d1");
    let escaped = GameResult::OnBoard(Outcome::KingEscaped);
    assert_eq!(tale.does(BO, play("g3-g1")), [GameEvent::Moved { ply: 7 }, GameEvent::Ended { result: escaped }]);
    assert_eq!(tale.result(), escaped);
    assert_eq!((tale.game.to_move(), tale.game.player_to_move()), (None, None));
    assert!(escaped.counts() && escaped.winner() == Some(Defenders));
}

#[test]
fn the_king_is_taken_and_the_game_is_over() {
    let mut tale = GameScript::begins("brandubh", 3);
    tale.moves("d1-c1 d3-b3 c1-d1 d4-d3 d1-c1 d3-g3");
    let taken = GameResult::OnBoard(Outcome::KingCaptured);
    assert_eq!(tale.does(ANN, play("d2-g2")), [GameEvent::Moved { ply: 6 }, GameEvent::Ended { result: taken }]);
}

#[test]
fn after_the_end_nothing_can_be_done_but_offer_a_rematch() {
    let ended: [fn(&mut GameScript); 5] = [
        |tale| drop(tale.does(BO, Action::Resign)),
        |tale| {
            tale.does(ANN, OFFER_DRAW);
            tale.does(BO, ACCEPT_DRAW);
        },
        |tale| {
            tale.awaits(days(3));
            tale.does(BO, Action::ClaimTime);
        },
        |tale| drop(tale.awaits(days(6))),
        |tale| {
            tale.moves("c1-d1 e3-b3 d1-c1 d4-d3 c1-d1 d3-g3 d2-g2");
        },
    ];
    for end in ended {
        let mut tale = GameScript::under_way();
        end(&mut tale);
        let result = tale.result();
        tale.after(DAY).nothing_is_due();
        for player in [ANN, BO] {
            for action in WITHOUT_A_MOVE.into_iter().chain([play("c1-d1"), play("e3-d3")]) {
                let about_rematch = [OFFER_REMATCH, ACCEPT_REMATCH, DECLINE_REMATCH].contains(&action);
                match tale.game.act(player, action, tale.now) {
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
        let mut tale = GameScript::under_way();
        tale.moves(moves);
        assert_eq!(tale.does(ANN, Action::Resign), [GameEvent::Ended { result: ANN_RESIGNED }]);
        let mut tale = GameScript::under_way();
        tale.moves(moves);
        assert_eq!(tale.does(BO, Action::Resign), [GameEvent::Ended { result: BO_RESIGNED }]);
    }
}

#[test]
fn either_player_may_abort_without_result_while_either_side_has_not_moved() {
    for variant in ["brandubh", "sea-battle"] {
        for player in [ANN, BO] {
            let mut tale = GameScript::begins(variant, 3);
            assert_eq!(tale.does(player, Action::Abort), [GameEvent::Ended { result: ABORTED }]);
            let mut tale = GameScript::begins(variant, 3);
            tale.moves(if variant == "brandubh" { "d1-c1" } else { "e3-d3" });
            assert_eq!(tale.does(player, Action::Abort), [GameEvent::Ended { result: ABORTED }]);
            assert_eq!(tale.result(), ABORTED);
        }
    }
    assert!(!ABORTED.counts());
}

#[test]
fn once_both_have_moved_nobody_may_abort() {
    let mut tale = GameScript::under_way();
    for moves in ["", "c1-d1", "e3-d3"] {
        tale.moves(moves);
        for player in [ANN, BO] {
            assert_eq!(tale.may_not(player, Action::Abort), Refusal::TooLateToAbort);
        }
    }
}

// Draws

#[test]
fn a_draw_is_offered_and_accepted() {
    for (offers, accepts) in [(ANN, BO), (BO, ANN)] {
        let mut tale = GameScript::under_way();
        let by = tale.game.start.players.side_of(offers).unwrap();
        assert_eq!(tale.does(offers, OFFER_DRAW), [GameEvent::Offered { kind: DRAW, by }]);
        assert_eq!(tale.game.result, None);
        tale.after(DAY);
        assert_eq!(tale.does(accepts, ACCEPT_DRAW), [GameEvent::Ended { result: DRAWN }]);
        assert!(DRAWN.counts());
        assert_eq!(standing(&tale), [None; 3]);
    }
}

#[test]
fn offering_what_the_opponent_has_offered_accepts_it() {
    let mut tale = GameScript::under_way();
    tale.does(ANN, OFFER_DRAW);
    assert_eq!(tale.does(BO, OFFER_DRAW), [GameEvent::Ended { result: DRAWN }]);
}

#[test]
fn a_draw_is_offered_and_declined_and_the_game_goes_on() {
    let mut tale = GameScript::under_way();
    tale.does(ANN, OFFER_DRAW);
    assert_eq!(tale.does(BO, DECLINE_DRAW), [GameEvent::Declined { kind: DRAW, by: Defenders }]);
    assert_eq!(tale.game.result, None);
    assert_eq!(tale.may_not(BO, ACCEPT_DRAW), Refusal::NothingOffered(DRAW));
    assert_eq!(tale.may_not(BO, DECLINE_DRAW), Refusal::NothingOffered(DRAW));
}

#[test]
fn what_was_not_offered_can_be_neither_accepted_nor_declined() {
    let tale = GameScript::under_way();
    for player in [ANN, BO] {
        assert_eq!(tale.may_not(player, ACCEPT_DRAW), Refusal::NothingOffered(DRAW));
        assert_eq!(tale.may_not(player, DECLINE_DRAW), Refusal::NothingOffered(DRAW));
        assert_eq!(tale.may_not(player, GRANT_TAKEBACK), Refusal::NothingOffered(TAKEBACK));
        assert_eq!(tale.may_not(player, REFUSE_TAKEBACK), Refusal::NothingOffered(TAKEBACK));
    }
}

#[test]
fn nobody_answers_his_own_offer() {
    let mut tale = GameScript::under_way();
    tale.does(ANN, OFFER_DRAW);
    tale.does(ANN, ASK_TAKEBACK);
    assert_eq!(tale.may_not(ANN, ACCEPT_DRAW), Refusal::OwnOffer(DRAW));
    assert_eq!(tale.may_not(ANN, DECLINE_DRAW), Refusal::OwnOffer(DRAW));
    assert_eq!(tale.may_not(ANN, GRANT_TAKEBACK), Refusal::OwnOffer(TAKEBACK));
    assert_eq!(tale.may_not(ANN, REFUSE_TAKEBACK), Refusal::OwnOffer(TAKEBACK));
}

#[test]
fn there_is_one_offer_of_a_kind_at_a_time() {
    let mut tale = GameScript::under_way();
    tale.does(ANN, OFFER_DRAW);
    assert_eq!(tale.may_not(ANN, OFFER_DRAW), Refusal::AlreadyOffered(DRAW));
    tale.does(ANN, ASK_TAKEBACK);
    assert_eq!(tale.may_not(ANN, ASK_TAKEBACK), Refusal::AlreadyOffered(TAKEBACK));
    assert_eq!(standing(&tale), [Some(Attackers), Some(Attackers), None], "of different kinds there may be several");
}

#[test]
fn offers_of_different_kinds_by_both_players_stand_side_by_side() {
    let mut tale = GameScript::under_way();
    tale.does(ANN, OFFER_DRAW);
    tale.does(BO, ASK_TAKEBACK);
    assert_eq!(standing(&tale), [Some(Attackers), Some(Defenders), None]);
    assert_eq!(tale.does(ANN, REFUSE_TAKEBACK), [GameEvent::Declined { kind: TAKEBACK, by: Attackers }]);
    assert_eq!(standing(&tale), [Some(Attackers), None, None]);
    assert_eq!(tale.does(BO, ACCEPT_DRAW), [GameEvent::Ended { result: DRAWN }]);
}

#[test]
fn an_offer_stands_however_long_it_takes() {
    let mut tale = GameScript::begins("brandubh", 14);
    tale.moves("d1-c1 d3-e3");
    tale.does(BO, OFFER_DRAW);
    tale.awaits(days(20));
    assert_eq!(tale.does(ANN, ACCEPT_DRAW), [GameEvent::Ended { result: DRAWN }]);
}

#[test]
fn a_draw_that_ann_offers_stands_when_she_moves_until_bo_moves() {
    let mut tale = GameScript::under_way();
    tale.does(ANN, OFFER_DRAW);
    assert_eq!(tale.does(ANN, play("c1-d1")), [GameEvent::Moved { ply: 2 }]);
    assert_eq!(standing(&tale), [Some(Attackers), None, None]);
    let told = tale.does(BO, play("e3-d3"));
    assert_eq!(told, [GameEvent::Moved { ply: 3 }, GameEvent::Declined { kind: DRAW, by: Defenders }]);
    assert_eq!(standing(&tale), [None; 3]);
    assert_eq!(tale.may_not(BO, ACCEPT_DRAW), Refusal::NothingOffered(DRAW));
}

#[test]
fn a_draw_that_ann_offers_and_then_moves_can_be_accepted() {
    let mut tale = GameScript::under_way();
    tale.does(ANN, OFFER_DRAW);
    tale.moves("c1-d1");
    assert_eq!(tale.does(BO, ACCEPT_DRAW), [GameEvent::Ended { result: DRAWN }]);
}

#[test]
fn a_refused_draw_can_be_offered_again_only_after_the_next_move_of_both() {
    let mut tale = GameScript::under_way();
    tale.does(ANN, OFFER_DRAW);
    tale.does(BO, DECLINE_DRAW);
    assert_eq!(tale.may_not(ANN, OFFER_DRAW), Refusal::TooSoon(DRAW));
    tale.after(DAY).moves("c1-d1");
    assert_eq!(tale.may_not(ANN, OFFER_DRAW), Refusal::TooSoon(DRAW));
    tale.after(DAY).moves("e3-d3");
    assert_eq!(tale.does(ANN, OFFER_DRAW), [GameEvent::Offered { kind: DRAW, by: Attackers }]);
}

#[test]
fn a_draw_refused_on_bos_turn_waits_for_the_next_move_of_both_as_well() {
    let mut tale = GameScript::under_way();
    tale.moves("c1-d1");
    tale.does(ANN, OFFER_DRAW);
    tale.does(BO, DECLINE_DRAW);
    tale.moves("e3-d3");
    assert_eq!(tale.may_not(ANN, OFFER_DRAW), Refusal::TooSoon(DRAW));
    tale.moves("d1-c1");
    tale.does(ANN, OFFER_DRAW);
}

#[test]
fn a_draw_refused_by_moving_on_waits_for_the_next_move_of_both_as_well() {
    let mut tale = GameScript::under_way();
    tale.does(ANN, OFFER_DRAW);
    tale.moves("c1-d1 e3-d3");
    assert_eq!(tale.may_not(ANN, OFFER_DRAW), Refusal::TooSoon(DRAW));
    tale.moves("d1-c1");
    assert_eq!(tale.may_not(ANN, OFFER_DRAW), Refusal::TooSoon(DRAW));
    tale.moves("d3-e3");
    tale.does(ANN, OFFER_DRAW);
}

#[test]
fn who_refused_a_draw_may_offer_one() {
    let mut tale = GameScript::under_way();
    tale.does(ANN, OFFER_DRAW);
    tale.does(BO, DECLINE_DRAW);
    assert_eq!(tale.does(BO, OFFER_DRAW), [GameEvent::Offered { kind: DRAW, by: Defenders }]);
    assert_eq!(tale.does(ANN, OFFER_DRAW), [GameEvent::Ended { result: DRAWN }], "accepting is not asking again");
}

#[test]
fn a_refused_draw_keeps_nobody_from_asking_for_a_takeback() {
    let mut tale = GameScript::under_way();
    tale.does(ANN, OFFER_DRAW);
    tale.does(BO, DECLINE_DRAW);
    tale.does(ANN, ASK_TAKEBACK);
    tale.does(BO, REFUSE_TAKEBACK);
    assert_eq!(tale.may_not(ANN, ASK_TAKEBACK), Refusal::TooSoon(TAKEBACK));
    assert_eq!(tale.may_not(ANN, OFFER_DRAW), Refusal::TooSoon(DRAW));
}

// Takebacks

#[test]
fn on_the_opponents_turn_a_takeback_takes_back_one_ply() {
    let mut tale = GameScript::under_way();
    tale.moves("c1-b1");
    assert_eq!(tale.does(ANN, ASK_TAKEBACK), [GameEvent::Offered { kind: TAKEBACK, by: Attackers }]);
    assert_eq!(tale.written(), "d1-c1 d3-e3 c1-b1", "asking alone takes nothing back");
    assert_eq!(tale.does(BO, GRANT_TAKEBACK), [GameEvent::TookBack { plies: 1, by: Attackers }]);
    assert_eq!((tale.written().as_str(), tale.to_move()), ("d1-c1 d3-e3", ANN));
    assert_eq!(standing(&tale), [None; 3]);
    tale.moves("c1-d1");
}

#[test]
fn on_the_askers_own_turn_a_takeback_takes_back_two_plies() {
    let mut tale = GameScript::under_way();
    tale.moves("c1-b1 e3-f3");
    tale.does(ANN, ASK_TAKEBACK);
    assert_eq!(tale.does(BO, GRANT_TAKEBACK), [GameEvent::TookBack { plies: 2, by: Attackers }]);
    assert_eq!((tale.written().as_str(), tale.to_move()), ("d1-c1 d3-e3", ANN));
}

#[test]
fn asking_for_a_takeback_that_the_opponent_has_asked_for_grants_it() {
    let mut tale = GameScript::under_way();
    tale.does(BO, ASK_TAKEBACK);
    assert_eq!(tale.does(ANN, ASK_TAKEBACK), [GameEvent::TookBack { plies: 1, by: Defenders }]);
    assert_eq!(tale.written(), "d1-c1");
}

#[test]
fn a_takeback_brings_back_the_pieces_who_were_taken() {
    let mut tale = GameScript::begins("brandubh", 3);
    tale.moves("d1-b1 d3-b3");
    let before = tale.game.record.clone();
    tale.moves("b1-b2");
    assert_eq!(tale.game.record.plies()[2].captures.len(), 1);
    tale.does(ANN, ASK_TAKEBACK);
    tale.does(BO, GRANT_TAKEBACK);
    assert_eq!(tale.game.record, before);
}

#[test]
fn only_a_move_of_the_askers_own_can_be_taken_back() {
    let mut tale = GameScript::begins("brandubh", 3);
    for player in [ANN, BO] {
        assert_eq!(tale.may_not(player, ASK_TAKEBACK), Refusal::NothingToTakeBack);
    }
    tale.moves("d1-c1");
    assert_eq!(tale.may_not(BO, ASK_TAKEBACK), Refusal::NothingToTakeBack, "Bo has not moved");
    tale.does(ANN, ASK_TAKEBACK);
    tale.does(BO, GRANT_TAKEBACK);
    assert_eq!((tale.written().as_str(), tale.to_move()), ("", ANN));
    assert_eq!(tale.may_not(ANN, ASK_TAKEBACK), Refusal::NothingToTakeBack);
    tale.moves("d1-c1 d3-e3");
    tale.does(ANN, ASK_TAKEBACK);
    tale.does(BO, GRANT_TAKEBACK);
    assert_eq!((tale.written().as_str(), tale.to_move()), ("", ANN));
}

#[test]
fn after_a_takeback_the_player_to_move_gets_a_full_pace_anew() {
    for (moves, asks, grants) in [("c1-b1", ANN, BO), ("", BO, ANN), ("", ANN, BO)] {
        let mut tale = GameScript::under_way();
        tale.moves(moves).after(days(2)).after(HOUR);
        tale.does(asks, ASK_TAKEBACK);
        tale.awaits(hours(12));
        tale.does(grants, GRANT_TAKEBACK);
        assert_eq!(tale.to_move(), asks);
        assert_eq!(tale.time_left(), days(3));
        assert!(!tale.game.clock.reminded && tale.game.clock.flagged.is_none());
    }
}

#[test]
fn asking_for_or_refusing_a_takeback_moves_no_clock() {
    let mut tale = GameScript::under_way();
    let clock = tale.game.clock;
    tale.after(DAY);
    tale.does(ANN, ASK_TAKEBACK);
    tale.does(BO, REFUSE_TAKEBACK);
    tale.does(ANN, OFFER_DRAW);
    tale.does(BO, DECLINE_DRAW);
    assert_eq!(tale.game.clock, clock);
}

#[test]
fn the_askers_next_move_withdraws_a_takeback() {
    let mut tale = GameScript::under_way();
    tale.does(ANN, ASK_TAKEBACK);
    let told = tale.does(ANN, play("c1-d1"));
    assert_eq!(told, [GameEvent::Moved { ply: 2 }, GameEvent::Withdrawn { kind: TAKEBACK, by: Attackers }]);
    assert_eq!(tale.may_not(BO, GRANT_TAKEBACK), Refusal::NothingOffered(TAKEBACK));
    assert_eq!(tale.written(), "d1-c1 d3-e3 c1-d1");
    tale.does(ANN, ASK_TAKEBACK);
    assert_eq!(tale.does(BO, GRANT_TAKEBACK), [GameEvent::TookBack { plies: 1, by: Attackers }], "it was not refused");
}

#[test]
fn a_takeback_is_declined_when_the_one_who_was_asked_moves() {
    let mut tale = GameScript::under_way();
    tale.moves("c1-d1");
    tale.does(ANN, ASK_TAKEBACK);
    let told = tale.does(BO, play("e3-d3"));
    assert_eq!(told, [GameEvent::Moved { ply: 3 }, GameEvent::Declined { kind: TAKEBACK, by: Defenders }]);
    assert_eq!(standing(&tale), [None; 3]);
    assert_eq!(tale.may_not(ANN, ASK_TAKEBACK), Refusal::TooSoon(TAKEBACK));
}

#[test]
fn a_refused_takeback_can_be_asked_again_only_after_the_next_move_of_both() {
    let mut tale = GameScript::under_way();
    tale.does(ANN, ASK_TAKEBACK);
    assert_eq!(tale.does(BO, REFUSE_TAKEBACK), [GameEvent::Declined { kind: TAKEBACK, by: Defenders }]);
    assert_eq!(tale.may_not(ANN, ASK_TAKEBACK), Refusal::TooSoon(TAKEBACK));
    tale.moves("c1-d1");
    assert_eq!(tale.may_not(ANN, ASK_TAKEBACK), Refusal::TooSoon(TAKEBACK));
    tale.moves("e3-d3");
    tale.does(ANN, ASK_TAKEBACK);
}

#[test]
fn who_refused_a_takeback_may_ask_for_one() {
    let mut tale = GameScript::under_way();
    tale.does(ANN, ASK_TAKEBACK);
    tale.does(BO, REFUSE_TAKEBACK);
    tale.does(BO, ASK_TAKEBACK);
    assert_eq!(tale.does(ANN, GRANT_TAKEBACK), [GameEvent::TookBack { plies: 1, by: Defenders }]);
}

#[test]
fn one_move_answers_every_offer_at_once() {
    let mut tale = GameScript::under_way();
    tale.moves("c1-d1");
    tale.does(ANN, OFFER_DRAW);
    tale.does(ANN, ASK_TAKEBACK);
    let told = tale.does(BO, play("e3-d3"));
    let declined = |kind| GameEvent::Declined { kind, by: Defenders };
    assert_eq!(told, [GameEvent::Moved { ply: 3 }, declined(DRAW), declined(TAKEBACK)]);
}

#[test]
fn a_takeback_withdraws_a_draw_that_was_offered_in_another_position() {
    for who in [ANN, BO] {
        let mut tale = GameScript::under_way();
        tale.moves("c1-d1");
        tale.does(who, OFFER_DRAW);
        tale.does(ANN, ASK_TAKEBACK);
        let by = if who == ANN { Attackers } else { Defenders };
        let told = tale.does(BO, GRANT_TAKEBACK);
        assert_eq!(told, [GameEvent::TookBack { plies: 1, by: Attackers }, GameEvent::Withdrawn { kind: DRAW, by }]);
        assert_eq!(standing(&tale), [None; 3]);
        // Nobody has declined it, so it may be offered again at once.
        assert_eq!(tale.does(who, OFFER_DRAW), [GameEvent::Offered { kind: DRAW, by }]);
    }
}

#[test]
fn no_takeback_after_the_end() {
    let mut tale = GameScript::under_way();
    tale.does(ANN, ASK_TAKEBACK);
    tale.does(ANN, Action::Resign);
    assert_eq!(standing(&tale), [None; 3]);
    assert_eq!(tale.may_not(BO, GRANT_TAKEBACK), Refusal::Over(ANN_RESIGNED));
}

#[test]
fn no_offer_outlives_its_game_however_it_ends() {
    let ends: [fn(&mut GameScript); 6] = [
        |tale| drop(tale.does(ANN, Action::Resign)),
        |tale| drop(tale.does(BO, Action::Resign)),
        |tale| drop(tale.does(BO, ACCEPT_DRAW)),
        |tale| drop(tale.awaits(days(6))),
        |tale| {
            tale.awaits(days(3));
            tale.does(BO, Action::ClaimTime);
        },
        |tale| tale.game = tale.game.moderate(tale.now).unwrap().game,
    ];
    for end in ends {
        let mut tale = GameScript::under_way();
        tale.does(ANN, OFFER_DRAW);
        tale.does(ANN, ASK_TAKEBACK);
        end(&mut tale);
        assert!(tale.game.result.is_some());
        assert_eq!(standing(&tale), [None; 3]);
    }
}

#[test]
fn after_a_takeback_a_refused_draw_waits_for_the_next_move_of_both_and_no_longer() {
    let mut tale = GameScript::under_way();
    tale.moves("c1-b1 e3-f3");
    tale.does(ANN, OFFER_DRAW);
    tale.does(BO, DECLINE_DRAW);
    tale.does(ANN, ASK_TAKEBACK);
    tale.does(BO, GRANT_TAKEBACK);
    assert_eq!(tale.may_not(ANN, OFFER_DRAW), Refusal::TooSoon(DRAW));
    tale.moves("c1-d1");
    assert_eq!(tale.may_not(ANN, OFFER_DRAW), Refusal::TooSoon(DRAW));
    tale.moves("e3-d3");
    // Both have moved since she was refused.
    assert_eq!(tale.game.act(ANN, OFFER_DRAW, tale.now).err(), None);
}

#[test]
fn after_a_takeback_of_the_other_a_refused_takeback_waits_for_the_next_move_of_both_and_no_longer() {
    let mut tale = GameScript::under_way();
    tale.moves("c1-b1 e3-f3 b1-c1");
    // It is Bo's turn. Ann asks and is refused; then Bo asks, two plies go, and both move.
    tale.does(ANN, ASK_TAKEBACK);
    tale.does(BO, REFUSE_TAKEBACK);
    tale.does(BO, ASK_TAKEBACK);
    tale.does(ANN, GRANT_TAKEBACK);
    tale.moves("e3-d3 b1-c1");
    assert_eq!(tale.game.act(ANN, ASK_TAKEBACK, tale.now).err(), None);
}

// Rematches

#[test]
fn a_rematch_is_offered_and_accepted_with_sides_swapped() {
    for variant in VARIANTS {
        for (offers, accepts) in [(ANN, BO), (BO, ANN)] {
            let mut tale = GameScript::begins(variant.id, 5);
            tale.does(BO, Action::Resign);
            tale.after(days(30));
            let by = tale.game.start.players.side_of(offers).unwrap();
            assert_eq!(tale.does(offers, OFFER_REMATCH), [GameEvent::Offered { kind: REMATCH, by }]);
            assert!(tale.rematch.is_none());
            assert_eq!(tale.may_not(offers, OFFER_REMATCH), Refusal::AlreadyOffered(REMATCH));
            assert_eq!(tale.may_not(offers, ACCEPT_REMATCH), Refusal::OwnOffer(REMATCH));
            tale.after(DAY);
            tale.does(accepts, ACCEPT_REMATCH);
            assert_eq!(tale.result(), BO_RESIGNED, "the old game stays as it was");
            let next = tale.rematch.unwrap();
            assert_eq!(next.players, Players { attackers: BO, defenders: ANN });
            assert_eq!((next.variant.id, next.layout.id), (variant.id, variant.usual_layout().id));
            assert_eq!((next.pace, next.place), (pace(5), tale.game.start.place));
            let game = Game::begin(GameId(43), next, tale.now).unwrap();
            assert_eq!(game.to_move(), Some(variant.rules.first));
        }
    }
}

#[test]
fn offering_a_rematch_to_each_other_begins_one() {
    let mut tale = GameScript::under_way();
    tale.does(BO, Action::Resign);
    tale.does(ANN, OFFER_REMATCH);
    tale.does(BO, OFFER_REMATCH);
    assert_eq!(tale.rematch.unwrap().players, Players { attackers: BO, defenders: ANN });
    assert_eq!(standing(&tale), [None; 3]);
    assert_eq!(tale.may_not(ANN, ACCEPT_REMATCH), Refusal::NothingOffered(REMATCH));
}

#[test]
fn there_is_no_rematch_of_a_game_that_is_not_over() {
    let tale = GameScript::under_way();
    for player in [ANN, BO] {
        for action in [OFFER_REMATCH, ACCEPT_REMATCH, DECLINE_REMATCH] {
            assert_eq!(tale.may_not(player, action), Refusal::NotOver);
        }
    }
}

#[test]
fn a_rematch_is_declined_and_no_game_begins() {
    let mut tale = GameScript::under_way();
    tale.does(ANN, Action::Resign);
    tale.does(ANN, OFFER_REMATCH);
    assert_eq!(tale.does(BO, DECLINE_REMATCH), [GameEvent::Declined { kind: REMATCH, by: Defenders }]);
    assert!(tale.rematch.is_none());
    assert_eq!(tale.may_not(BO, ACCEPT_REMATCH), Refusal::NothingOffered(REMATCH));
    tale.does(BO, OFFER_REMATCH);
    tale.does(ANN, ACCEPT_REMATCH);
    assert!(tale.rematch.is_some(), "who declined may still offer one");
}

#[test]
fn every_ending_allows_a_rematch() {
    for ending in [Action::Abort, Action::Resign] {
        let mut tale = GameScript::begins("brandubh", 3);
        tale.does(ANN, ending);
        tale.does(BO, OFFER_REMATCH);
        tale.does(ANN, ACCEPT_REMATCH);
        assert!(tale.rematch.is_some());
    }
}

#[test]
fn a_move_that_was_read_is_played_like_one_that_is_typed() {
    let (tale, last) = on_the_brink("magpie");
    let game = &tale.game;
    for player in [ANN, BO, EVE] {
        for typed in [last, "e3-f3"] {
            for confirmed in [false, true] {
                let candidate = game.record.read(typed).unwrap();
                let action = Action::Move { mv: candidate.mv(), confirmed };
                let (one, other) =
                    (game.play_candidate(player, candidate, confirmed, DAWN), game.act(player, action, DAWN));
                assert_eq!(format!("{one:?}"), format!("{other:?}"), "{typed} by {player:?}");
            }
        }
    }
    let over = game_over(&tale, last);
    let candidate = tale.game.record.read(last).unwrap();
    assert!(matches!(over.play_candidate(BO, candidate, true, DAWN), Err(Refusal::Over(_))));
}

/// The game after a confirmed last move.
fn game_over(tale: &GameScript, last: &str) -> Game {
    tale.game.act(BO, play_knowing(last), DAWN).unwrap().game
}

#[test]
fn a_candidate_of_another_position_is_judged_by_the_game_it_is_played_in() {
    let tale = GameScript::begins("brandubh", 3);
    let candidate = tale.game.record.read("d1-c1").unwrap();
    let mut later = GameScript::begins("brandubh", 3);
    later.moves("d2-c2 d3-e3");
    let change = later.game.play_candidate(ANN, candidate, false, DAWN).unwrap();
    assert_eq!(change.game.record.plies().len(), 3);
}

// Repetition

/// Four plies that bring everybody back to where they were; the player who begins says them.
fn to_and_fro(variant: &str) -> [&'static str; 4] {
    match variant {
        "sea-battle" => ["e3-d3", "e2-d2", "d3-e3", "d2-e2"],
        "york" | "fetlar" => ["f2-e2", "f4-e4", "e2-f2", "e4-f4"],
        _ => ["d1-c1", "d3-e3", "c1-d1", "e3-d3"],
    }
}

/// Goes to and fro until one more ply would bring the start about for the third time; gives that ply.
fn on_the_brink(variant: &str) -> (GameScript, &'static str) {
    let mut tale = GameScript::begins(variant, 3);
    let plies = to_and_fro(variant);
    tale.moves(&plies.join(" ")).moves(&plies[..3].join(" "));
    (tale, plies[3])
}

#[test]
fn a_draw_by_repetition_asks_first_and_happens_when_it_is_confirmed() {
    for variant in ["magpie", "sea-battle", "fetlar"] {
        let (mut tale, last) = on_the_brink(variant);
        let player = tale.to_move();
        let Refusal::Confirm(what) = tale.may_not(player, play(last)) else { panic!("{variant}") };
        assert_eq!((what.occurrences.as_slice(), what.consequence), (&[0, 4, 8][..], Consequence::Draw));
        assert_eq!(tale.game.record.plies().len(), 7, "nothing has happened");
        tale.after(MINUTE);
        let result = GameResult::OnBoard(Outcome::Repetition { aggressor: None });
        let told = tale.does(player, play_knowing(last));
        assert_eq!(told, [GameEvent::Moved { ply: 7 }, GameEvent::Ended { result }]);
    }
}

#[test]
fn a_loss_by_repetition_asks_first_and_happens_when_it_is_confirmed() {
    for variant in ["brandubh", "ard-ri"] {
        let (mut tale, last) = on_the_brink(variant);
        let player = tale.to_move();
        let Refusal::Confirm(what) = tale.may_not(player, play(last)) else { panic!("{variant}") };
        let Consequence::Loss(loser) = what.consequence else { panic!("{what:?}") };
        assert_eq!(what.verdict.and_then(|verdict| verdict.aggressor), Some(loser));
        let result = GameResult::OnBoard(Outcome::Repetition { aggressor: Some(loser) });
        let told = tale.does(player, play_knowing(last));
        assert_eq!(told, [GameEvent::Moved { ply: 7 }, GameEvent::Ended { result }]);
    }
}

#[test]
fn asked_whether_to_repeat_a_player_may_do_something_else() {
    let (mut tale, last) = on_the_brink("magpie");
    assert!(matches!(tale.may_not(BO, play(last)), Refusal::Confirm(_)));
    tale.does(BO, play("e3-f3"));
    assert_eq!(tale.game.result, None);
}

#[test]
fn a_second_occurrence_asks_nothing() {
    for variant in VARIANTS {
        let mut tale = GameScript::begins(variant.id, 3);
        let back = |mv: Move| Move { from: mv.to, to: mv.from };
        // The first step in the list: the two sides begin far enough apart not to meet.
        let step = |tale: &GameScript| {
            let mut moves = tale.game.record.offered_moves();
            moves.find(|mv| mv.from.file().abs_diff(mv.to.file()) + mv.from.rank().abs_diff(mv.to.rank()) == 1).unwrap()
        };
        let first = step(&tale);
        tale.moves(&first.to_string());
        let second = step(&tale);
        tale.moves(&format!("{second} {} {}", back(first), back(second)));
        assert_eq!(tale.game.record.occurrences(), 2);
        assert_eq!(side(&tale), variant.rules.first);
    }
}

#[test]
fn confirming_where_nothing_repeats_changes_nothing() {
    let mut tale = GameScript::begins("brandubh", 3);
    assert_eq!(tale.does(ANN, play_knowing("d1-c1")), [GameEvent::Moved { ply: 0 }]);
}

#[test]
fn in_york_who_has_to_vary_is_refused_even_if_he_insists() {
    let (tale, last) = on_the_brink("york");
    for action in [play(last), play_knowing(last)] {
        let Refusal::Move(rules::IllegalMove::MustVary(what)) = tale.may_not(BO, action) else { panic!("{last}") };
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
fn in_york_who_need_not_vary_is_asked_first_and_the_game_goes_on() {
    let mut tale = GameScript::begins("york", 3);
    tale.game.record = board_pictures::board("york", Defenders, HUNTED_ATTACKER).record;
    tale.moves("e9-d9 e11-d11 d9-e9 d11-e11 e9-d9 e11-d11 d9-e9");
    let Refusal::Confirm(what) = tale.may_not(ANN, play("d11-e11")) else { panic!("she is not asked") };
    assert_eq!(what.consequence, Consequence::GoesOn);
    assert_eq!(tale.does(ANN, play_knowing("d11-e11")), [GameEvent::Moved { ply: 7 }]);
    assert_eq!(tale.game.result, None);
    let refused = tale.may_not(BO, play_knowing("e9-d9"));
    assert!(matches!(refused, Refusal::Move(rules::IllegalMove::MustVary(_))), "{refused:?}");
    tale.moves("h3-h4");
}

#[test]
fn a_takeback_forgets_the_occurrence_that_went_with_it() {
    let (mut tale, last) = on_the_brink("magpie");
    assert!(matches!(tale.may_not(BO, play(last)), Refusal::Confirm(_)));
    tale.does(BO, ASK_TAKEBACK);
    tale.does(ANN, GRANT_TAKEBACK);
    // Two plies are gone, and with two others the start has still occurred twice only.
    tale.moves("d3-f3 c1-d1 f3-e3 d1-c1");
    assert_eq!(tale.game.result, None);
}

// The rules that a game began with

#[test]
fn a_game_keeps_the_rules_that_it_began_with() {
    let old = start("brandubh", pace(3));
    let old = Start { rules: Rules { king_capture: KingCapture::everywhere(Sides::Four), ..old.rules }, ..old };
    let mut tale = GameScript::of(old);
    tale.moves("d1-c1 d3-b3 c1-d1 d4-d3 d1-c1 d3-g3");
    // By the rules of today the king would be taken by two.
    assert_eq!(tale.does(ANN, play("d2-g2")), [GameEvent::Moved { ply: 6 }]);
    assert_eq!(tale.game.start.rules, old.rules);
    assert_eq!(tale.game.record.book().rules(), &old.rules);
}

#[test]
fn repetition_follows_the_rules_that_the_game_began_with() {
    for (repetition, ended) in [(Repetition::Allowed, false), (Repetition::Draws, true)] {
        let old = start("york", pace(3));
        let mut tale = GameScript::of(Start { rules: Rules { repetition, ..old.rules }, ..old });
        let plies = to_and_fro("york");
        tale.moves(&plies.join(" ")).moves(&plies[..3].join(" "));
        tale.does(BO, play_knowing(plies[3]));
        assert_eq!(tale.game.result.is_some(), ended);
    }
}

#[test]
fn a_rematch_is_played_by_the_rules_of_its_own_day() {
    let old = start("brandubh", pace(3));
    let mut tale = GameScript::of(Start { rules: Rules { repetition: Repetition::Draws, ..old.rules }, ..old });
    tale.does(ANN, Action::Resign);
    tale.does(ANN, OFFER_REMATCH);
    tale.does(BO, ACCEPT_REMATCH);
    assert_eq!(tale.rematch.unwrap().rules, old.variant.rules);
}

// Moderators

#[test]
fn a_moderator_ends_a_running_game_without_result_and_no_other() {
    let tale = GameScript::under_way();
    let change = tale.game.moderate(tale.now).unwrap();
    let result = GameResult::Moderated;
    assert_eq!(change.events, [GameEvent::Ended { result }]);
    assert_eq!((change.game.version, change.game.result), (tale.game.version + 1, Some(result)));
    assert!(!result.counts());
    assert_eq!(change.game.moderate(tale.now).err(), Some(Refusal::Over(result)));
}
