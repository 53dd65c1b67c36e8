//! What time does to a game: reminders, time that is up, claims, gifts of time, and a bot that was away.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod game_script;

use game_script::{
    ACCEPT_DRAW, ANN, ASK_TAKEBACK, BO, DAWN, DAY, EVE, GRANT_TAKEBACK, GameScript, HOUR, MINUTE, OFFER_DRAW, SECOND,
    days, hours, just_under, play,
};
use ratatosk::game::{Action, Clock, GameEvent, GameResult, OfferKind, Pace, Refusal, Seconds, Timestamp};
use ratatosk::rules::Side::{Attackers, Defenders};

const ANN_WINS_ON_TIME: GameResult = GameResult::Time { winner: Attackers };
const BO_WINS_ON_TIME: GameResult = GameResult::Time { winner: Defenders };
const NEVER_BEGAN: GameResult = GameResult::NeverBegan;
const IDLE: GameResult = GameResult::Idle;

/// Everything that a player could do about time.
const ABOUT_TIME: [Action; 2] = [Action::ClaimTime, Action::GiveTime];

const fn quarter(days_a_move: u8) -> Seconds {
    Seconds(days_a_move as i64 * 24 * 60 * 60 / 4)
}

/// Ann and Bo have moved, it is Ann's turn, and her time is up: Bo was told so just now.
fn ann_is_late() -> GameScript {
    let mut tale = GameScript::under_way();
    let told = tale.awaits(days(3));
    assert_eq!(told.last(), Some(&GameEvent::TimeUp { late: Attackers }));
    tale
}

// Pace and reminders

#[test]
fn every_move_gives_the_opponent_a_whole_pace() {
    for days_a_move in [1, 2, 3, 5, 7, 14] {
        let mut tale = GameScript::begins("brandubh", days_a_move);
        let whole = days(days_a_move.into());
        assert_eq!(tale.time_left(), whole);
        for typed in ["d1-c1", "d3-e3", "c1-d1", "e3-d3"] {
            tale.after(Seconds(whole.0 / 2)).moves(typed);
            assert_eq!(tale.time_left(), whole, "{typed}");
        }
    }
}

#[test]
fn a_player_is_reminded_once_when_a_quarter_of_the_time_is_left() {
    for days_a_move in [1, 2, 3, 5, 7, 14] {
        let mut tale = GameScript::begins("brandubh", days_a_move);
        tale.moves("d1-c1 d3-e3");
        let deadline = tale.game.clock.deadline;
        tale.now = deadline - quarter(days_a_move) - SECOND;
        tale.nothing_is_due().after(SECOND);
        assert_eq!(tale.time_tells(), [GameEvent::Reminder { player: ANN, deadline }]);
        tale.nothing_is_due();
        tale.now = deadline - SECOND;
        tale.nothing_is_due();
        assert_eq!(tale.game.clock.deadline, deadline, "a reminder costs no time");
    }
}

#[test]
fn the_reminder_is_for_the_player_whose_turn_it_is() {
    let mut tale = GameScript::begins("brandubh", 3);
    let reminded = |tale: &mut GameScript| {
        let deadline = tale.game.clock.deadline;
        tale.now = deadline - quarter(3);
        let news = tale.time_tells();
        let [GameEvent::Reminder { player, deadline: told }] = news[..] else { panic!("{news:?}") };
        assert_eq!(told, deadline);
        player
    };
    assert_eq!(reminded(&mut tale), ANN, "before her first move, too");
    tale.moves("d1-c1");
    assert_eq!(reminded(&mut tale), BO);
    tale.moves("d3-e3");
    assert_eq!(reminded(&mut tale), ANN, "again on her next turn");
}

#[test]
fn a_player_who_moves_in_time_is_not_reminded() {
    let mut tale = GameScript::under_way();
    assert_eq!(tale.awaits(days(2)), []);
    tale.moves("c1-d1");
    assert_eq!(tale.awaits(days(2)), []);
}

// Time is up

#[test]
fn when_time_is_up_the_opponent_is_told_and_the_game_goes_on() {
    let mut tale = GameScript::under_way();
    tale.after(just_under(days(3)));
    assert!(matches!(tale.time_tells()[..], [GameEvent::Reminder { .. }]));
    tale.nothing_is_due().after(SECOND);
    assert_eq!(tale.time_tells(), [GameEvent::TimeUp { late: Attackers }]);
    assert_eq!(tale.game.clock.flagged, Some(tale.now));
    assert_eq!(tale.game.result, None);
    tale.nothing_is_due();
}

#[test]
fn bo_cannot_claim_before_he_was_told() {
    let mut tale = GameScript::under_way();
    let deadline = tale.game.clock.deadline;
    for at in [DAWN, deadline - SECOND, deadline, deadline + HOUR] {
        tale.now = at;
        let why = if at < deadline { Refusal::TimeNotUp { deadline } } else { Refusal::ClaimOpensSoon };
        assert_eq!(tale.may_not(BO, Action::ClaimTime), why);
    }
    tale.time_tells();
    assert_eq!(tale.does(BO, Action::ClaimTime), [GameEvent::Ended { result: BO_WINS_ON_TIME }]);
}

#[test]
fn bo_claims_the_win_and_the_game_is_over() {
    let mut tale = ann_is_late();
    tale.after(HOUR);
    assert_eq!(tale.does(BO, Action::ClaimTime), [GameEvent::Ended { result: BO_WINS_ON_TIME }]);
    assert_eq!(tale.result(), BO_WINS_ON_TIME);
    assert_eq!(tale.may_not(ANN, play("c1-d1")), Refusal::Over(BO_WINS_ON_TIME));
    assert_eq!(tale.may_not(BO, Action::ClaimTime), Refusal::Over(BO_WINS_ON_TIME));
    tale.after(days(400)).nothing_is_due();
}

#[test]
fn ann_claims_when_it_is_bo_who_is_late() {
    let mut tale = GameScript::under_way();
    tale.moves("c1-d1");
    assert_eq!(tale.awaits(days(3)).last(), Some(&GameEvent::TimeUp { late: Defenders }));
    tale.may_not(BO, Action::ClaimTime);
    assert_eq!(tale.does(ANN, Action::ClaimTime), [GameEvent::Ended { result: ANN_WINS_ON_TIME }]);
}

#[test]
fn the_late_player_claims_nothing_and_gives_herself_no_time() {
    let tale = ann_is_late();
    for action in ABOUT_TIME {
        tale.may_not(ANN, action);
    }
}

#[test]
fn an_outsider_claims_nothing_and_gives_no_time() {
    let tale = ann_is_late();
    for action in ABOUT_TIME {
        assert_eq!(tale.may_not(EVE, action), Refusal::NotYourGame);
    }
}

#[test]
fn the_late_player_may_still_move_until_the_win_is_claimed() {
    let mut tale = ann_is_late();
    tale.after(just_under(days(3))).nothing_is_due();
    assert_eq!(tale.does(ANN, play("c1-d1")), [GameEvent::Moved { ply: 2 }]);
    assert_eq!(tale.time_left(), days(3));
    assert_eq!(tale.game.clock.flagged, None);
    assert!(matches!(tale.may_not(ANN, Action::ClaimTime), Refusal::TimeNotUp { .. }));
    tale.may_not(BO, Action::ClaimTime);
    tale.nothing_is_due();
}

#[test]
fn after_one_more_pace_the_win_is_given_by_itself() {
    for days_a_move in [1, 2, 3, 5, 7, 14] {
        let mut tale = GameScript::begins("brandubh", days_a_move);
        tale.moves("d1-c1 d3-e3");
        let pace = days(days_a_move.into());
        tale.awaits(pace);
        tale.after(just_under(pace)).nothing_is_due().after(SECOND);
        assert_eq!(tale.time_tells(), [GameEvent::Ended { result: BO_WINS_ON_TIME }]);
    }
}

#[test]
fn the_one_more_pace_is_counted_from_when_the_opponent_was_told() {
    let mut tale = GameScript::under_way();
    // The bot was busy elsewhere for half a day.
    tale.after(hours(84));
    assert_eq!(tale.time_tells(), [GameEvent::TimeUp { late: Attackers }]);
    tale.after(just_under(days(3))).nothing_is_due().after(SECOND);
    assert_eq!(tale.time_tells(), [GameEvent::Ended { result: BO_WINS_ON_TIME }]);
}

#[test]
fn the_opponent_of_a_late_player_may_offer_a_draw_and_the_late_player_accepts() {
    let mut tale = ann_is_late();
    assert_eq!(tale.does(BO, OFFER_DRAW), [GameEvent::Offered { kind: OfferKind::Draw, by: Defenders }]);
    tale.after(DAY);
    let drawn = GameResult::Agreed;
    assert_eq!(tale.does(ANN, ACCEPT_DRAW), [GameEvent::Ended { result: drawn }]);
}

#[test]
fn a_draw_that_was_offered_to_a_late_player_does_not_stop_her_time() {
    let mut tale = ann_is_late();
    tale.does(BO, OFFER_DRAW);
    assert_eq!(tale.awaits(days(3)), [GameEvent::Ended { result: BO_WINS_ON_TIME }]);
}

// Giving more time

#[test]
fn bo_gives_one_more_pace_and_ann_is_not_late_any_more() {
    let mut tale = ann_is_late();
    tale.after(DAY);
    let deadline = tale.now + days(3);
    assert_eq!(tale.does(BO, Action::GiveTime), [GameEvent::TimeGiven { deadline }]);
    assert_eq!((tale.game.clock.deadline, tale.game.clock.flagged), (deadline, None));
    assert_eq!(tale.may_not(BO, Action::ClaimTime), Refusal::TimeNotUp { deadline });
    let told = tale.awaits(days(6));
    assert_eq!(
        told,
        [
            GameEvent::Reminder { player: ANN, deadline },
            GameEvent::TimeUp { late: Attackers },
            GameEvent::Ended { result: BO_WINS_ON_TIME }
        ],
        "she is reminded anew, and everything takes its course"
    );
}

#[test]
fn time_that_is_given_before_time_is_up_is_added_to_what_is_left() {
    let mut tale = GameScript::under_way();
    tale.after(DAY);
    tale.does(BO, Action::GiveTime);
    assert_eq!(tale.time_left(), days(5));
    tale.moves("c1-d1");
    assert_eq!(tale.time_left(), days(3), "it was for one move only");
}

#[test]
fn nobody_gives_himself_time() {
    let mut tale = GameScript::under_way();
    tale.may_not(ANN, Action::GiveTime);
    tale.moves("c1-d1");
    tale.may_not(BO, Action::GiveTime);
}

#[test]
fn a_takeback_gives_the_player_to_move_a_full_pace_even_if_she_was_late() {
    let mut tale = ann_is_late();
    tale.after(DAY);
    tale.does(ANN, ASK_TAKEBACK);
    tale.does(BO, GRANT_TAKEBACK);
    assert_eq!(tale.to_move(), ANN);
    assert_eq!(tale.game.clock, Clock::start(Pace::default(), tale.now));
    assert_eq!(tale.time_left(), days(3));
}

// Before both have moved

#[test]
fn time_that_runs_out_before_the_first_move_ends_the_game_without_result() {
    let mut tale = GameScript::begins("brandubh", 3);
    let deadline = tale.game.clock.deadline;
    let told = tale.awaits(days(3));
    assert_eq!(told, [GameEvent::Reminder { player: ANN, deadline }, GameEvent::Ended { result: NEVER_BEGAN }]);
    assert!(!NEVER_BEGAN.counts());
    assert_eq!(tale.may_not(BO, Action::ClaimTime), Refusal::Over(NEVER_BEGAN));
}

#[test]
fn time_that_runs_out_before_the_second_move_ends_the_game_without_result() {
    let mut tale = GameScript::begins("brandubh", 3);
    tale.after(days(2)).moves("d1-c1");
    tale.after(just_under(days(3)));
    assert!(matches!(tale.time_tells()[..], [GameEvent::Reminder { player: BO, .. }]));
    tale.after(SECOND);
    assert_eq!(tale.time_tells(), [GameEvent::Ended { result: NEVER_BEGAN }]);
}

#[test]
fn in_a_game_that_the_kings_side_begins_it_is_no_different() {
    let mut tale = GameScript::begins("sea-battle", 1);
    assert_eq!(tale.to_move(), BO);
    assert_eq!(tale.awaits(DAY).last(), Some(&GameEvent::Ended { result: NEVER_BEGAN }));
    let mut tale = GameScript::begins("sea-battle", 1);
    tale.moves("e3-d3 e2-d2");
    assert_eq!(tale.awaits(DAY).last(), Some(&GameEvent::TimeUp { late: Defenders }));
    assert_eq!(tale.does(ANN, Action::ClaimTime), [GameEvent::Ended { result: ANN_WINS_ON_TIME }]);
}

// No pace

#[test]
fn without_a_pace_nobody_claims_or_gives_time() {
    let mut tale = GameScript::begins("brandubh", 0);
    for moves in ["", "d1-c1", "d3-e3"] {
        tale.moves(moves);
        for player in [ANN, BO] {
            for action in ABOUT_TIME {
                assert_eq!(tale.may_not(player, action), Refusal::NoClock);
            }
        }
    }
    tale.after(days(100));
    assert_eq!(tale.may_not(BO, Action::ClaimTime), Refusal::NoClock);
}

#[test]
fn without_a_pace_a_game_is_closed_after_ninety_days_with_a_reminder_a_week_before() {
    for moves in ["", "d1-c1", "d1-c1 d3-e3"] {
        let mut tale = GameScript::begins("brandubh", 0);
        tale.after(days(50)).moves(moves);
        if moves.is_empty() {
            tale.now = DAWN;
        }
        let (last, player) = (tale.now, tale.to_move());
        tale.after(just_under(days(83))).nothing_is_due().after(SECOND);
        assert_eq!(tale.time_tells(), [GameEvent::Reminder { player, deadline: last + days(90) }]);
        tale.nothing_is_due().after(just_under(days(7))).nothing_is_due().after(SECOND);
        assert_eq!(tale.time_tells(), [GameEvent::Ended { result: IDLE }]);
        assert!(!IDLE.counts());
    }
}

#[test]
fn without_a_pace_a_move_on_the_last_day_keeps_the_game_alive() {
    let mut tale = GameScript::begins("brandubh", 0);
    tale.moves("d1-c1 d3-e3");
    tale.awaits(just_under(days(90)));
    tale.moves("c1-d1").after(just_under(days(83))).nothing_is_due();
    tale.after(SECOND);
    assert!(matches!(tale.time_tells()[..], [GameEvent::Reminder { player: BO, .. }]));
}

#[test]
fn talk_does_not_count_as_a_move_where_nobody_has_moved_for_ninety_days() {
    let mut tale = GameScript::begins("brandubh", 0);
    tale.moves("d1-c1 d3-e3").after(days(60));
    tale.does(ANN, OFFER_DRAW);
    tale.after(days(23));
    assert!(matches!(tale.time_tells()[..], [GameEvent::Reminder { player: ANN, .. }]));
    tale.after(days(7));
    assert_eq!(tale.time_tells(), [GameEvent::Ended { result: IDLE }]);
}

// The bot was away

#[test]
fn time_that_passes_while_the_bot_is_down_counts() {
    let mut tale = GameScript::under_way();
    tale.after_being_down_for(days(2));
    assert_eq!(tale.time_left(), DAY);
    tale.after(DAY);
    assert_eq!(tale.time_tells(), [GameEvent::TimeUp { late: Attackers }]);
}

#[test]
fn nobody_is_flagged_in_the_first_hour_after_the_bot_comes_back() {
    let mut tale = GameScript::under_way();
    tale.after_being_down_for(days(4));
    let flagged = |tale: &GameScript| tale.game.clock.flagged.is_some() || tale.game.result.is_some();
    for _ in 0..60 {
        tale.awaits(Seconds(0));
        assert!(!flagged(&tale));
        assert_eq!(tale.may_not(BO, Action::ClaimTime), Refusal::ClaimOpensSoon);
        tale.after(MINUTE);
    }
    assert_eq!(tale.now, tale.grace_ends);
    assert_eq!(tale.time_tells(), [GameEvent::TimeUp { late: Attackers }]);
}

#[test]
fn who_moves_in_the_first_hour_is_not_late() {
    let mut tale = GameScript::under_way();
    tale.after_being_down_for(days(10)).after(just_under(HOUR));
    tale.awaits(Seconds(0));
    tale.moves("c1-d1");
    assert_eq!(tale.time_left(), days(3));
    tale.after(SECOND).nothing_is_due();
}

#[test]
fn a_game_that_never_began_is_not_ended_in_the_first_hour_either() {
    let mut tale = GameScript::begins("brandubh", 1);
    tale.after_being_down_for(days(2));
    tale.awaits(just_under(HOUR));
    assert_eq!(tale.game.result, None);
    tale.after(SECOND);
    assert_eq!(tale.time_tells(), [GameEvent::Ended { result: NEVER_BEGAN }]);
}

#[test]
fn the_win_is_not_given_by_itself_in_the_first_hour_but_can_be_claimed_by_the_one_who_was_told() {
    let mut tale = ann_is_late();
    tale.after_being_down_for(days(5));
    tale.nothing_is_due().after(just_under(HOUR)).nothing_is_due();
    let claimed = tale.game.act(BO, Action::ClaimTime, tale.now).unwrap();
    assert_eq!(claimed.game.result, Some(BO_WINS_ON_TIME));
    tale.after(SECOND);
    assert_eq!(tale.time_tells(), [GameEvent::Ended { result: BO_WINS_ON_TIME }]);
}

#[test]
fn a_game_without_a_pace_is_not_closed_in_the_first_hour() {
    let mut tale = GameScript::begins("brandubh", 0);
    tale.moves("d1-c1 d3-e3");
    tale.after_being_down_for(days(120));
    tale.awaits(just_under(HOUR));
    assert_eq!(tale.game.result, None);
    // The reminder comes first, and after it there is a week to move.
    tale.awaits(days(6));
    assert_eq!(tale.game.result, None);
    tale.after(days(1));
    assert_eq!(tale.time_tells(), [GameEvent::Ended { result: IDLE }]);
}

#[test]
fn the_hour_delays_no_reminder() {
    let mut tale = GameScript::under_way();
    tale.after_being_down_for(hours(60));
    assert!(matches!(tale.time_tells()[..], [GameEvent::Reminder { player: ANN, .. }]));
}

// Clocks of machines

#[test]
fn when_the_clock_is_set_back_the_game_does_not_go_back_in_time() {
    let mut tale = GameScript::under_way();
    tale.after(DAY).moves("c1-d1");
    let changed = tale.game.changed;
    tale.clock_set_back(days(2));
    for (player, action) in [(ANN, OFFER_DRAW), (ANN, Action::GiveTime), (BO, play("e3-d3"))] {
        tale.does(player, action);
        assert_eq!(tale.game.changed, changed);
    }
    tale.after(days(3)).moves("d1-c1");
    assert_eq!(tale.game.changed, tale.now);
}

#[test]
fn when_the_clock_is_set_back_nobody_is_late_because_of_it() {
    let mut tale = GameScript::under_way();
    tale.clock_set_back(days(300)).nothing_is_due();
    assert!(matches!(tale.may_not(BO, Action::ClaimTime), Refusal::TimeNotUp { .. }));
}

#[test]
fn a_move_while_the_clock_is_set_back_still_gives_the_opponent_a_whole_pace() {
    let mut tale = GameScript::begins("brandubh", 1);
    tale.moves("d1-c1 d3-e3").clock_set_back(days(2)).moves("c1-d1");
    // Somebody puts the clock right again.
    tale.after(days(2));
    assert_eq!(tale.game.changed, tale.now);
    assert!(tale.game.clock.deadline >= tale.game.changed + DAY, "Bo's time is over before it has begun");
}

#[test]
fn a_takeback_while_the_clock_is_set_back_still_gives_a_whole_pace() {
    let mut tale = GameScript::begins("brandubh", 1);
    tale.moves("d1-c1 d3-e3").clock_set_back(days(2));
    tale.does(BO, ASK_TAKEBACK);
    tale.does(ANN, GRANT_TAKEBACK);
    assert!(tale.game.clock.deadline >= tale.game.changed + DAY);
}

#[test]
fn the_end_of_time_breaks_nothing() {
    let mut tale = GameScript::under_way();
    tale.now = Timestamp(i64::MAX);
    tale.moves("c1-d1");
    assert_eq!(tale.game.clock.deadline, Timestamp(i64::MAX));
    tale.does(ANN, Action::GiveTime);
    tale.time_tells();
    tale.now = Timestamp(i64::MIN);
    tale.nothing_is_due();
}

// Where the letter of the rules has to be kept

#[test]
fn a_reminder_never_names_a_time_that_is_over() {
    let mut tale = GameScript::under_way();
    tale.after_being_down_for(days(4));
    if let Some(change) = tale.game.tick(tale.now, tale.grace_ends) {
        for news in change.events {
            if let GameEvent::Reminder { deadline, .. } = news {
                assert!(deadline > tale.now, "Ann is told that her time will be up a day ago");
            }
        }
    }
}

#[test]
fn a_game_without_a_pace_is_never_closed_without_a_reminder_before() {
    // The bot is away from before the reminder until after the ninety days, and next looks after its first hour.
    let mut tale = GameScript::begins("brandubh", 0);
    tale.moves("d1-c1 d3-e3").after(days(80));
    tale.after_being_down_for(days(15)).after(HOUR);
    let told = tale.time_tells();
    assert!(matches!(told[..], [GameEvent::Reminder { .. }]), "{told:?}");
}
