//! Clocks of games: reminders, flags, claims, extra time, and a bot that was down.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod game_script;

use game_script::{
    ACCEPT_DRAW, ANN, ASK_TAKEBACK, BO, DAY, EVE, GRANT_TAKEBACK, GameScript, HOUR, MINUTE, OFFER_DRAW, SECOND,
    START_TIME, days, hours, just_under, play,
};
use ratatosk::game::{
    Action, ChannelId, Clock, GameEvent, GameResult, OfferKind, Pace, Place, Refusal, Seconds, Timestamp,
};
use ratatosk::rules::Side::{Attackers, Defenders};

const ANN_WINS_ON_TIME: GameResult = GameResult::Time { winner: Attackers };
const BO_WINS_ON_TIME: GameResult = GameResult::Time { winner: Defenders };
const NEVER_BEGAN: GameResult = GameResult::NeverBegan;
const IDLE: GameResult = GameResult::Idle;

/// Every action about time.
const ABOUT_TIME: [Action; 2] = [Action::ClaimTime, Action::GiveTime];

const fn quarter(days_a_move: u8) -> Seconds {
    Seconds(days_a_move as i64 * 24 * 60 * 60 / 4)
}

/// Plays until both have moved and Ann's time is up; Bo was just told.
fn ann_is_late() -> GameScript {
    let mut script = GameScript::under_way();
    let told = script.run_for(days(3));
    assert_eq!(told.last(), Some(&GameEvent::TimeUp { late: Attackers }));
    script
}

// Pace and reminders

#[test]
fn every_move_gives_the_opponent_a_whole_pace() {
    for days_a_move in [1, 2, 3, 5, 7, 14] {
        let mut script = GameScript::begin("brandubh", days_a_move);
        let whole = days(days_a_move.into());
        assert_eq!(script.time_left(), whole);
        for typed in ["d1-c1", "d3-e3", "c1-d1", "e3-d3"] {
            script.advance(Seconds(whole.0 / 2)).moves(typed);
            assert_eq!(script.time_left(), whole, "{typed}");
        }
    }
}

#[test]
fn a_player_is_reminded_once_when_a_quarter_of_the_time_is_left() {
    for days_a_move in [1, 2, 3, 5, 7, 14] {
        let mut script = GameScript::begin("brandubh", days_a_move);
        script.moves("d1-c1 d3-e3");
        let deadline = script.game.clock.deadline;
        script.now = deadline - quarter(days_a_move) - SECOND;
        script.assert_nothing_due().advance(SECOND);
        assert_eq!(script.tick(), [GameEvent::Reminder { player: ANN, deadline }]);
        script.assert_nothing_due();
        script.now = deadline - SECOND;
        script.assert_nothing_due();
        assert_eq!(script.game.clock.deadline, deadline, "a reminder costs no time");
    }
}

#[test]
fn the_reminder_is_for_the_player_whose_turn_it_is() {
    let mut script = GameScript::begin("brandubh", 3);
    let reminded = |script: &mut GameScript| {
        let deadline = script.game.clock.deadline;
        script.now = deadline - quarter(3);
        let events = script.tick();
        let [GameEvent::Reminder { player, deadline: told }] = events[..] else { panic!("{events:?}") };
        assert_eq!(told, deadline);
        player
    };
    assert_eq!(reminded(&mut script), ANN, "before her first move, too");
    script.moves("d1-c1");
    assert_eq!(reminded(&mut script), BO);
    script.moves("d3-e3");
    assert_eq!(reminded(&mut script), ANN, "again on her next turn");
}

#[test]
fn a_player_who_moves_in_time_is_not_reminded() {
    let mut script = GameScript::under_way();
    assert_eq!(script.run_for(days(2)), []);
    script.moves("c1-d1");
    assert_eq!(script.run_for(days(2)), []);
}

// Time is up

#[test]
fn when_time_is_up_the_opponent_is_told_and_the_game_goes_on() {
    let mut script = GameScript::under_way();
    script.advance(just_under(days(3)));
    assert!(matches!(script.tick()[..], [GameEvent::Reminder { .. }]));
    script.assert_nothing_due().advance(SECOND);
    assert_eq!(script.tick(), [GameEvent::TimeUp { late: Attackers }]);
    assert_eq!(script.game.clock.flagged, Some(script.now));
    assert_eq!(script.game.result, None);
    script.assert_nothing_due();
}

#[test]
fn the_opponent_cannot_claim_before_being_told() {
    let mut script = GameScript::under_way();
    let deadline = script.game.clock.deadline;
    for at in [START_TIME, deadline - SECOND, deadline, deadline + HOUR] {
        script.now = at;
        let why = if at < deadline { Refusal::TimeNotUp { deadline } } else { Refusal::ClaimOpensSoon };
        assert_eq!(script.refused(BO, Action::ClaimTime), why);
    }
    script.tick();
    assert_eq!(script.act(BO, Action::ClaimTime), [GameEvent::Ended { result: BO_WINS_ON_TIME }]);
}

#[test]
fn a_claimed_win_ends_the_game() {
    let mut script = ann_is_late();
    script.advance(HOUR);
    assert_eq!(script.act(BO, Action::ClaimTime), [GameEvent::Ended { result: BO_WINS_ON_TIME }]);
    assert_eq!(script.result(), BO_WINS_ON_TIME);
    assert_eq!(script.refused(ANN, play("c1-d1")), Refusal::Over(BO_WINS_ON_TIME));
    assert_eq!(script.refused(BO, Action::ClaimTime), Refusal::Over(BO_WINS_ON_TIME));
    script.advance(days(400)).assert_nothing_due();
}

#[test]
fn either_side_can_claim_a_win_on_time() {
    let mut script = GameScript::under_way();
    script.moves("c1-d1");
    assert_eq!(script.run_for(days(3)).last(), Some(&GameEvent::TimeUp { late: Defenders }));
    script.refused(BO, Action::ClaimTime);
    assert_eq!(script.act(ANN, Action::ClaimTime), [GameEvent::Ended { result: ANN_WINS_ON_TIME }]);
}

#[test]
fn the_late_player_can_neither_claim_nor_extend_the_time() {
    let script = ann_is_late();
    for action in ABOUT_TIME {
        script.refused(ANN, action);
    }
}

#[test]
fn an_outsider_can_neither_claim_nor_extend_the_time() {
    let script = ann_is_late();
    for action in ABOUT_TIME {
        assert_eq!(script.refused(EVE, action), Refusal::NotYourGame);
    }
}

#[test]
fn the_late_player_may_still_move_until_the_win_is_claimed() {
    let mut script = ann_is_late();
    script.advance(just_under(days(3))).assert_nothing_due();
    assert_eq!(script.act(ANN, play("c1-d1")), [GameEvent::Moved { ply: 2 }]);
    assert_eq!(script.time_left(), days(3));
    assert_eq!(script.game.clock.flagged, None);
    assert!(matches!(script.refused(ANN, Action::ClaimTime), Refusal::TimeNotUp { .. }));
    script.refused(BO, Action::ClaimTime);
    script.assert_nothing_due();
}

#[test]
fn after_another_pace_the_win_is_given_without_a_claim() {
    for days_a_move in [1, 2, 3, 5, 7, 14] {
        let mut script = GameScript::begin("brandubh", days_a_move);
        script.moves("d1-c1 d3-e3");
        let pace = days(days_a_move.into());
        script.run_for(pace);
        script.advance(just_under(pace)).assert_nothing_due().advance(SECOND);
        assert_eq!(script.tick(), [GameEvent::Ended { result: BO_WINS_ON_TIME }]);
    }
}

#[test]
fn the_extra_pace_is_counted_from_when_the_opponent_was_told() {
    let mut script = GameScript::under_way();
    // The bot checks the deadline half a day late.
    script.advance(hours(84));
    assert_eq!(script.tick(), [GameEvent::TimeUp { late: Attackers }]);
    script.advance(just_under(days(3))).assert_nothing_due().advance(SECOND);
    assert_eq!(script.tick(), [GameEvent::Ended { result: BO_WINS_ON_TIME }]);
}

#[test]
fn the_opponent_of_a_late_player_may_offer_a_draw_and_the_late_player_accepts() {
    let mut script = ann_is_late();
    assert_eq!(script.act(BO, OFFER_DRAW), [GameEvent::Offered { kind: OfferKind::Draw, by: Defenders }]);
    script.advance(DAY);
    let drawn = GameResult::Agreed;
    assert_eq!(script.act(ANN, ACCEPT_DRAW), [GameEvent::Ended { result: drawn }]);
}

#[test]
fn a_draw_that_was_offered_to_a_late_player_does_not_stop_her_time() {
    let mut script = ann_is_late();
    script.act(BO, OFFER_DRAW);
    assert_eq!(script.run_for(days(3)), [GameEvent::Ended { result: BO_WINS_ON_TIME }]);
}

// Giving more time

#[test]
fn giving_time_ends_the_flag() {
    let mut script = ann_is_late();
    script.advance(DAY);
    let deadline = script.now + days(3);
    assert_eq!(script.act(BO, Action::GiveTime), [GameEvent::TimeGiven { deadline }]);
    assert_eq!((script.game.clock.deadline, script.game.clock.flagged), (deadline, None));
    assert_eq!(script.refused(BO, Action::ClaimTime), Refusal::TimeNotUp { deadline });
    let told = script.run_for(days(6));
    assert_eq!(
        told,
        [
            GameEvent::Reminder { player: ANN, deadline },
            GameEvent::TimeUp { late: Attackers },
            GameEvent::Ended { result: BO_WINS_ON_TIME }
        ],
        "she is reminded again, and later flagged"
    );
}

#[test]
fn time_that_is_given_before_time_is_up_is_added_to_what_is_left() {
    let mut script = GameScript::under_way();
    script.advance(DAY);
    script.act(BO, Action::GiveTime);
    assert_eq!(script.time_left(), days(5));
    script.moves("c1-d1");
    assert_eq!(script.time_left(), days(3), "it was for one move only");
}

#[test]
fn a_player_cannot_extend_their_own_time() {
    let mut script = GameScript::under_way();
    script.refused(ANN, Action::GiveTime);
    script.moves("c1-d1");
    script.refused(BO, Action::GiveTime);
}

#[test]
fn a_takeback_gives_the_player_to_move_a_full_pace_even_if_she_was_late() {
    let mut script = ann_is_late();
    script.advance(DAY);
    script.act(ANN, ASK_TAKEBACK);
    script.act(BO, GRANT_TAKEBACK);
    assert_eq!(script.to_move(), ANN);
    assert_eq!(script.game.clock, Clock::start(Pace::default(), script.now));
    assert_eq!(script.time_left(), days(3));
}

// Before both have moved

#[test]
fn time_that_runs_out_before_the_first_move_ends_the_game_without_result() {
    let mut script = GameScript::begin("brandubh", 3);
    let deadline = script.game.clock.deadline;
    let told = script.run_for(days(3));
    assert_eq!(told, [GameEvent::Reminder { player: ANN, deadline }, GameEvent::Ended { result: NEVER_BEGAN }]);
    assert!(!NEVER_BEGAN.counts());
    assert_eq!(script.refused(BO, Action::ClaimTime), Refusal::Over(NEVER_BEGAN));
}

#[test]
fn time_that_runs_out_before_the_second_move_ends_the_game_without_result() {
    let mut script = GameScript::begin("brandubh", 3);
    script.advance(days(2)).moves("d1-c1");
    script.advance(just_under(days(3)));
    assert!(matches!(script.tick()[..], [GameEvent::Reminder { player: BO, .. }]));
    script.advance(SECOND);
    assert_eq!(script.tick(), [GameEvent::Ended { result: NEVER_BEGAN }]);
}

#[test]
fn time_limits_are_the_same_when_the_kings_side_moves_first() {
    let mut script = GameScript::begin("sea-battle", 1);
    assert_eq!(script.to_move(), BO);
    assert_eq!(script.run_for(DAY).last(), Some(&GameEvent::Ended { result: NEVER_BEGAN }));
    let mut script = GameScript::begin("sea-battle", 1);
    script.moves("e3-d3 e2-d2");
    assert_eq!(script.run_for(DAY).last(), Some(&GameEvent::TimeUp { late: Defenders }));
    assert_eq!(script.act(ANN, Action::ClaimTime), [GameEvent::Ended { result: ANN_WINS_ON_TIME }]);
}

// No pace

#[test]
fn without_a_pace_time_can_be_neither_claimed_nor_given() {
    let mut script = GameScript::begin("brandubh", 0);
    for moves in ["", "d1-c1", "d3-e3"] {
        script.moves(moves);
        for player in [ANN, BO] {
            for action in ABOUT_TIME {
                assert_eq!(script.refused(player, action), Refusal::NoClock);
            }
        }
    }
    script.advance(days(100));
    assert_eq!(script.refused(BO, Action::ClaimTime), Refusal::NoClock);
}

#[test]
fn without_a_pace_a_game_is_closed_after_ninety_days_with_a_reminder_a_week_before() {
    for moves in ["", "d1-c1", "d1-c1 d3-e3"] {
        let mut script = GameScript::begin("brandubh", 0);
        script.advance(days(50)).moves(moves);
        if moves.is_empty() {
            script.now = START_TIME;
        }
        let (last, player) = (script.now, script.to_move());
        script.advance(just_under(days(83))).assert_nothing_due().advance(SECOND);
        assert_eq!(script.tick(), [GameEvent::Reminder { player, deadline: last + days(90) }]);
        script.assert_nothing_due().advance(just_under(days(7))).assert_nothing_due().advance(SECOND);
        assert_eq!(script.tick(), [GameEvent::Ended { result: IDLE }]);
        assert!(!IDLE.counts());
    }
}

#[test]
fn without_a_pace_a_move_on_the_last_day_keeps_the_game_alive() {
    let mut script = GameScript::begin("brandubh", 0);
    script.moves("d1-c1 d3-e3");
    script.run_for(just_under(days(90)));
    script.moves("c1-d1").advance(just_under(days(83))).assert_nothing_due();
    script.advance(SECOND);
    assert!(matches!(script.tick()[..], [GameEvent::Reminder { player: BO, .. }]));
}

#[test]
fn an_offer_does_not_postpone_the_end_after_ninety_days() {
    let mut script = GameScript::begin("brandubh", 0);
    script.moves("d1-c1 d3-e3").advance(days(60));
    script.act(ANN, OFFER_DRAW);
    script.advance(days(23));
    assert!(matches!(script.tick()[..], [GameEvent::Reminder { player: ANN, .. }]));
    script.advance(days(7));
    assert_eq!(script.tick(), [GameEvent::Ended { result: IDLE }]);
}

// The bot was down

#[test]
fn time_that_passes_while_the_bot_is_down_counts() {
    let mut script = GameScript::under_way();
    script.be_down_for(days(2));
    assert_eq!(script.time_left(), DAY);
    script.advance(DAY);
    assert_eq!(script.tick(), [GameEvent::TimeUp { late: Attackers }]);
}

#[test]
fn nobody_is_flagged_in_the_first_hour_after_the_bot_comes_back() {
    let mut script = GameScript::under_way();
    script.be_down_for(days(4));
    let flagged = |script: &GameScript| script.game.clock.flagged.is_some() || script.game.result.is_some();
    for _ in 0..60 {
        script.run_for(Seconds(0));
        assert!(!flagged(&script));
        assert_eq!(script.refused(BO, Action::ClaimTime), Refusal::ClaimOpensSoon);
        script.advance(MINUTE);
    }
    assert_eq!(script.now, script.grace_ends);
    assert_eq!(script.tick(), [GameEvent::TimeUp { late: Attackers }]);
}

#[test]
fn a_player_who_moves_in_the_first_hour_is_not_late() {
    let mut script = GameScript::under_way();
    script.be_down_for(days(10)).advance(just_under(HOUR));
    script.run_for(Seconds(0));
    script.moves("c1-d1");
    assert_eq!(script.time_left(), days(3));
    script.advance(SECOND).assert_nothing_due();
}

#[test]
fn a_game_that_never_began_is_not_ended_in_the_first_hour_either() {
    let mut script = GameScript::begin("brandubh", 1);
    script.be_down_for(days(2));
    script.run_for(just_under(HOUR));
    assert_eq!(script.game.result, None);
    script.advance(SECOND);
    assert_eq!(script.tick(), [GameEvent::Ended { result: NEVER_BEGAN }]);
}

#[test]
fn in_the_first_hour_the_win_is_not_given_without_a_claim() {
    let mut script = ann_is_late();
    script.be_down_for(days(5));
    script.assert_nothing_due().advance(just_under(HOUR)).assert_nothing_due();
    let claimed = script.game.act(BO, Action::ClaimTime, script.now).unwrap();
    assert_eq!(claimed.game.result, Some(BO_WINS_ON_TIME));
    script.advance(SECOND);
    assert_eq!(script.tick(), [GameEvent::Ended { result: BO_WINS_ON_TIME }]);
}

#[test]
fn a_game_without_a_pace_is_not_closed_in_the_first_hour() {
    let mut script = GameScript::begin("brandubh", 0);
    script.moves("d1-c1 d3-e3");
    script.be_down_for(days(120));
    script.run_for(just_under(HOUR));
    assert_eq!(script.game.result, None);
    // The reminder comes first, and after it there is a week to move.
    script.run_for(days(6));
    assert_eq!(script.game.result, None);
    script.advance(days(1));
    assert_eq!(script.tick(), [GameEvent::Ended { result: IDLE }]);
}

#[test]
fn the_grace_hour_does_not_delay_reminders() {
    let mut script = GameScript::under_way();
    script.be_down_for(hours(60));
    assert!(matches!(script.tick()[..], [GameEvent::Reminder { player: ANN, .. }]));
}

// Wrong clocks

#[test]
fn when_the_clock_is_set_back_the_game_does_not_go_back_in_time() {
    let mut script = GameScript::under_way();
    script.advance(DAY).moves("c1-d1");
    let changed = script.game.changed;
    script.set_clock_back(days(2));
    for (player, action) in [(ANN, OFFER_DRAW), (ANN, Action::GiveTime), (BO, play("e3-d3"))] {
        script.act(player, action);
        assert_eq!(script.game.changed, changed);
    }
    script.advance(days(3)).moves("d1-c1");
    assert_eq!(script.game.changed, script.now);
}

#[test]
fn when_the_clock_is_set_back_nobody_is_late_because_of_it() {
    let mut script = GameScript::under_way();
    script.set_clock_back(days(300)).assert_nothing_due();
    assert!(matches!(script.refused(BO, Action::ClaimTime), Refusal::TimeNotUp { .. }));
}

#[test]
fn a_move_while_the_clock_is_set_back_still_gives_the_opponent_a_whole_pace() {
    let mut script = GameScript::begin("brandubh", 1);
    script.moves("d1-c1 d3-e3").set_clock_back(days(2)).moves("c1-d1");
    // The clock is set right again.
    script.advance(days(2));
    assert_eq!(script.game.changed, script.now);
    assert!(script.game.clock.deadline >= script.game.changed + DAY, "Bo's time is over before it has begun");
}

#[test]
fn a_clock_that_restarts_while_the_clock_is_set_back_still_gives_a_whole_pace() {
    let mut script = GameScript::under_way();
    script.set_clock_back(days(2));
    let restarted = script.game.restart_clock(script.now).game;
    assert_eq!(restarted.clock.deadline, restarted.changed + days(3));
}

#[test]
fn a_clock_that_restarts_takes_no_time_away() {
    let mut script = GameScript::under_way();
    script.act(BO, Action::GiveTime);
    let given = script.game.clock.deadline;
    assert!(given > script.now + days(3));
    let elsewhere = Place { channel: ChannelId(99), ..script.game.terms.place };
    for restarted in [script.game.restart_clock(script.now), script.game.relocate(elsewhere, script.now)] {
        assert_eq!(restarted.game.clock.deadline, given);
    }
}

#[test]
fn a_takeback_while_the_clock_is_set_back_still_gives_a_whole_pace() {
    let mut script = GameScript::begin("brandubh", 1);
    script.moves("d1-c1 d3-e3").set_clock_back(days(2));
    script.act(BO, ASK_TAKEBACK);
    script.act(ANN, GRANT_TAKEBACK);
    assert!(script.game.clock.deadline >= script.game.changed + DAY);
}

#[test]
fn the_largest_and_smallest_times_do_not_overflow() {
    let mut script = GameScript::under_way();
    script.now = Timestamp(i64::MAX);
    script.moves("c1-d1");
    assert_eq!(script.game.clock.deadline, Timestamp(i64::MAX));
    script.act(ANN, Action::GiveTime);
    script.tick();
    script.now = Timestamp(i64::MIN);
    script.assert_nothing_due();
}

// Edge cases

#[test]
fn a_reminder_never_names_a_time_that_is_over() {
    let mut script = GameScript::under_way();
    script.be_down_for(days(4));
    if let Some(change) = script.game.tick(script.now, script.grace_ends) {
        for event in change.events {
            if let GameEvent::Reminder { deadline, .. } = event {
                assert!(deadline > script.now, "Ann is told that her time will be up a day ago");
            }
        }
    }
}

#[test]
fn a_game_without_a_pace_is_never_closed_without_a_reminder_before() {
    // The bot is away from before the reminder until after the ninety days, and next looks after its first hour.
    let mut script = GameScript::begin("brandubh", 0);
    script.moves("d1-c1 d3-e3").advance(days(80));
    script.be_down_for(days(15)).advance(HOUR);
    let told = script.tick();
    assert!(matches!(told[..], [GameEvent::Reminder { .. }]), "{told:?}");
}
