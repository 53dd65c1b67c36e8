//! Repetition: what counts as one, who is the aggressor, and what follows in each game.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(dead_code, reason = "every test file uses some of it")]
mod board_pictures;

use board_pictures::{
    Game, assert_drawn, assert_goes_on, assert_nothing_happens, assert_stands, assert_won_by, board, mv, start_of, with,
};
use ratatosk::rules::Side::{self, Attackers, Defenders};
use ratatosk::rules::repetition::Freedom;
use ratatosk::rules::{
    Basis, Consequence, IllegalMove, Move, Outcome, Position, Record, Repetition, Verdict, notation,
};

const DRAWN: Outcome = Outcome::Repetition { aggressor: None };

/// Returns what a move would repeat for the third time or more, also if it is refused for that.
fn repetition_after(record: &Record, mv: Move) -> Result<Option<Repetition>, IllegalMove> {
    match record.try_move(mv) {
        Ok(candidate) => Ok(candidate.repetition().cloned()),
        Err(IllegalMove::MustVary(repetition)) => Ok(Some(*repetition)),
        Err(why) => Err(why),
    }
}

fn read(game: &Game, typed: &str) -> Move {
    notation::read_move(game.record.rulebook(), game.record.position(), typed).unwrap()
}

#[track_caller]
fn repetition(game: &Game, typed: &str) -> Repetition {
    let repetition = repetition_after(&game.record, read(game, typed)).unwrap();
    repetition.unwrap_or_else(|| panic!("{typed} repeats nothing for the third time\n{game}"))
}

// The definition of a way out, written out slowly, to check the referee's reasons.

fn wins(record: &Record, position: &Position, mv: Move) -> bool {
    let outcome = record.rulebook().play(position, mv).unwrap().outcome;
    outcome.is_some_and(|outcome| outcome.winner() == Some(position.to_move()))
}

fn can_win_at_once(record: &Record, position: &Position) -> bool {
    record.rulebook().legal_moves(position).any(|mv| wins(record, position, mv))
}

fn can_force_a_win_within_three_plies(record: &Record, position: &Position) -> bool {
    let every_reply_allows_a_win = |mv: Move| {
        let threat = record.rulebook().play(position, mv).unwrap();
        threat.outcome.is_none()
            && record.rulebook().legal_moves(&threat.position).all(|reply| {
                let replied = record.rulebook().play(&threat.position, reply).unwrap();
                replied.outcome.is_none() && can_win_at_once(record, &replied.position)
            })
    };
    can_win_at_once(record, position) || record.rulebook().legal_moves(position).any(every_reply_allows_a_win)
}

fn is_way_out(record: &Record, in_record: &[Position], position: &Position, mv: Move) -> bool {
    let played = record.rulebook().play(position, mv).unwrap();
    match played.outcome {
        // A player's own move never wins for the opponent.
        Some(_) => true,
        None => !in_record.contains(&played.position) && !can_force_a_win_within_three_plies(record, &played.position),
    }
}

/// Returns the ways out and the number of other moves at one ply.
fn ways_out(game: &Game, completing: Move, turn: usize) -> (Vec<Move>, usize) {
    let record = &game.record;
    let completed = record.rulebook().play(record.position(), completing).unwrap();
    let plies = || record.plies().iter().chain([&completed]);
    let in_record: Vec<Position> =
        [*record.start_position()].into_iter().chain(plies().map(|ply| ply.position)).collect();
    let chosen = plies().nth(turn).unwrap().mv;
    let others: Vec<Move> = record.rulebook().legal_moves(&in_record[turn]).filter(|mv| *mv != chosen).collect();
    let ways_out = others.iter().copied().filter(|mv| is_way_out(record, &in_record, &in_record[turn], *mv));
    (ways_out.collect(), others.len())
}

/// Returns the verdict on a move that completes a repetition, after checking all of its reasons.
#[track_caller]
fn proved_verdict(game: &Game, typed: &str) -> Verdict {
    let completing = read(game, typed);
    let Repetition { occurrences, verdict, .. } = repetition(game, typed);
    let verdict = verdict.unwrap();
    let [.., previous, now] = occurrences[..] else { panic!("{occurrences:?}") };
    assert_eq!(verdict.cycle, previous..now, "the cycle goes from the previous occurrence to this one");
    assert_eq!(now, game.record.plies().len() + 1);
    assert_eq!(verdict.completed_by, game.record.position().to_move());

    let first = game.record.start_position().to_move();
    let as_pair = |freedom: &Freedom| (freedom.ways_out as usize, (freedom.others as usize).max(1));
    for side in Side::BOTH {
        let given = verdict.freedom(side);
        let is_less = |(a, b): (usize, usize), (c, d): (usize, usize)| a * d < c * b;
        for turn in verdict.cycle.clone() {
            let whose = if turn % 2 == 0 { first } else { first.opponent() };
            if whose != side {
                continue;
            }
            let (ways_out, others) = ways_out(game, completing, turn);
            let here = (ways_out.len(), others.max(1));
            assert!(!is_less(here, as_pair(given)), "{side:?} had only {here:?} at ply {turn}, not {given:?}\n{game}");
            if turn == given.turn {
                assert_eq!(
                    (ways_out.len(), others),
                    (given.ways_out as usize, given.others as usize),
                    "{side:?}\n{game}"
                );
                assert_eq!(given.example.is_some(), !ways_out.is_empty(), "{given:?}");
                assert!(given.example.is_none_or(|example| ways_out.contains(&example)), "{given:?}\n{game}");
            }
        }
        assert!(verdict.cycle.contains(&given.turn), "{given:?}");
    }

    let ((a, of_a), (d, of_d)) = (as_pair(&verdict.attackers), as_pair(&verdict.defenders));
    let expected = if a == 0 && d == 0 {
        (None, Basis::NobodyFree)
    } else if 2 * a * of_d < d * of_a {
        (Some(Defenders), Basis::OneMuchFreer)
    } else if 2 * d * of_a < a * of_d {
        (Some(Attackers), Basis::OneMuchFreer)
    } else {
        (Some(verdict.completed_by), Basis::CompletedIt)
    };
    assert_eq!((verdict.aggressor, verdict.basis), expected);
    verdict
}

fn share(freedom: &Freedom) -> (u32, u32) {
    (freedom.ways_out, freedom.others)
}

// What is a repetition

const FETLAR_TO_AND_FRO: &str = "d11-c11 f8-e8 c11-d11 e8-f8";

#[test]
fn the_first_position_counts_as_its_first_occurrence() {
    let start = start_of("fetlar", "diamond");
    assert_eq!(start.record.occurrences(), 1);
    let twice = start.play_all(FETLAR_TO_AND_FRO);
    assert_eq!(twice.record.occurrences(), 2);
    assert_goes_on(&twice);
    let thrice = twice.play_all(FETLAR_TO_AND_FRO);
    assert_eq!(thrice.record.occurrences(), 3);
    assert_drawn(&thrice, DRAWN);
    assert_eq!(thrice.record.plies().len(), 8);
}

#[test]
fn a_position_counts_from_its_first_occurrence_wherever_that_is() {
    let game = start_of("fetlar", "diamond").play_all("k4-j4 h6-h7");
    let thrice = game.play_all(FETLAR_TO_AND_FRO).play_all("d11-c11 f8-e8 c11-d11");
    let seen = repetition(&thrice, "e8-f8");
    assert_eq!(seen.occurrences, [2, 6, 10]);
    assert_drawn(&thrice.play("e8-f8"), DRAWN);
}

#[test]
fn the_same_pieces_with_the_other_side_to_move_are_another_position() {
    let start = start_of("fetlar", "diamond");
    // The attackers come back in three moves, the defenders in two.
    let other_side = start.play_all("d11-c11 f8-e8 c11-b11 e8-f8 b11-d11");
    let as_at_first = "
        11 . . . t t t t t . . .
        10 . . . . . t . . . . .
         9 . . . . . . . . . . .
         8 t . . . . T . . . . t
         7 t . . . T T T . . . t
         6 t t . T T K T T . t t
         5 t . . . T T T . . . t
         4 t . . . . T . . . . t
         3 . . . . . . . . . . .
         2 . . . . . t . . . . .
         1 . . . t t t t t . . .
           a b c d e f g h i j k";
    assert_stands(&other_side, as_at_first);
    assert_eq!(other_side.record.position().to_move(), Defenders);
    assert_eq!(other_side.record.occurrences(), 1);
    // The other way round: the pieces are arranged like this for the third time, but the position occurs for the second.
    let same_side = other_side.play_all("f8-e8 d11-c11 e8-d8 c11-d11 d8-f8");
    assert_stands(&same_side, as_at_first);
    assert_eq!(same_side.record.occurrences(), 2);
    assert_goes_on(&same_side);
}

const FEW_MEN: &str = "
    11 . . . . . . . . . . .
    10 . . . . . . . . . . .
     9 . . . . . . . . . . .
     8 . t . . . . . . . . .
     7 . . . . . . . . . . .
     6 . . . . . . . . . . .
     5 . . . . . . . . . . .
     4 . . . . . . . . . . .
     3 . . . . . K . T . . .
     2 . t . . . . . . . . .
     1 . . . . . . . . . . .
       a b c d e f g h i j k";

#[test]
fn two_attackers_that_swap_squares_give_the_same_position() {
    let exchanged = board("fetlar", Attackers, FEW_MEN).play_all("b8-c8 h3-h4 b2-b8 h4-h3 c8-c2 h3-h4 c2-b2 h4-h3");
    assert_stands(&exchanged, FEW_MEN);
    assert_eq!(exchanged.record.occurrences(), 2);
}

#[test]
fn a_king_and_a_defender_that_swap_squares_give_another_position() {
    let exchanged = board("fetlar", Attackers, FEW_MEN).play_all("b8-c8 Kf3-f5 c8-b8 h3-f3 b8-c8 Kf5-h5 c8-b8 Kh5-h3");
    assert_stands(&exchanged, &with(FEW_MEN, "f3 T h3 K"));
    assert_eq!(exchanged.record.occurrences(), 1);
}

// Drawn at once

#[test]
fn magpie_sea_battle_and_fetlar_are_drawn_at_the_third_occurrence() {
    for (variant, layout, moves) in [
        ("magpie", "circle", "d7-e7 d5-e5 e7-d7 e5-d5"),
        ("sea-battle", "cross", "e7-f7 d9-c9 f7-e7 c9-d9"),
        ("fetlar", "diamond", FETLAR_TO_AND_FRO),
    ] {
        let twice = start_of(variant, layout).play_all(moves);
        assert_goes_on(&twice);
        let (last, others) = (moves.split(' ').next_back().unwrap(), &moves[..moves.rfind(' ').unwrap()]);
        let before = twice.play_all(others);
        assert_goes_on(&before);
        let expected = Repetition { occurrences: vec![0, 4, 8], consequence: Consequence::Draw, verdict: None };
        assert_eq!(repetition(&before, last), expected, "{variant}");
        let drawn = before.play(last);
        assert_drawn(&drawn, DRAWN);
        assert_eq!(drawn.refusal(moves.split(' ').next().unwrap()), IllegalMove::GameOver(DRAWN));
    }
}

// The side-stepping example of the Historical document

/// The king steps aside to find an open path; an attacker blocks his line every time.
const SIDE_STEPPING: &str = "
    7 . . . . . . .
    6 . . . . . . .
    5 . . . . . . .
    4 . . . . . . .
    3 . . T T . . .
    2 . T K . T . .
    1 . . t . . . .
      a b c d e f g";

const AFTER_THE_SIDE_STEP: &str = "
    7 . . . . . . .
    6 . . . . . . .
    5 . . . . . . .
    4 . . . . . . .
    3 . . T T . . .
    2 . T . K T . .
    1 . . t . . . .
      a b c d e f g";

#[test]
fn the_side_that_steps_aside_loses_against_the_side_that_must_block() {
    for variant in ["brandubh", "ard-ri"] {
        // The attackers begin, so the king completes the third occurrence.
        let start = board(variant, Attackers, AFTER_THE_SIDE_STEP);
        let before = start.play_all("c1-d1 Kd2-c2 d1-c1 Kc2-d2 c1-d1 Kd2-c2 d1-c1");
        assert_goes_on(&before);
        let after = before.play("Kc2-d2");
        assert_won_by(&after, Attackers, Outcome::Repetition { aggressor: Some(Defenders) });
    }
}

#[test]
fn a_forced_blocker_does_not_lose_by_completing_the_third_occurrence() {
    for variant in ["brandubh", "ard-ri"] {
        // The king's side begins, so the blocker completes the third occurrence.
        let start = board(variant, Defenders, SIDE_STEPPING);
        let before = start.play_all("Kc2-d2 c1-d1 Kd2-c2 d1-c1 Kc2-d2 c1-d1 Kd2-c2");
        let verdict = proved_verdict(&before, "d1-c1");
        assert_eq!(verdict.completed_by, Attackers);
        assert_eq!(verdict.aggressor, Some(Defenders));
        assert_eq!(verdict.basis, Basis::OneMuchFreer);
        let after = before.play("d1-c1");
        assert_won_by(&after, Attackers, Outcome::Repetition { aggressor: Some(Defenders) });
    }
}

#[test]
fn the_verdict_on_side_stepping_follows_from_counted_moves() {
    let start = board("brandubh", Defenders, SIDE_STEPPING);
    let before = start.play_all("Kc2-d2 c1-d1 Kd2-c2 d1-c1 Kc2-d2 c1-d1 Kd2-c2");
    let seen = repetition(&before, "d1-c1");
    assert_eq!(seen.occurrences, [0, 4, 8]);
    assert_eq!(seen.consequence, Consequence::Loss(Defenders));
    let verdict = proved_verdict(&before, "d1-c1");
    assert_eq!(verdict.cycle, 4..8);
    // The blocker has four other moves (b1, c2, e1 and f1 when the king stands on d2); after each, the king goes to
    // the bottom row and then to a corner.
    assert_eq!(share(&verdict.attackers), (0, 4));
    assert_eq!(verdict.attackers.example, None);
    assert!([5, 7].contains(&verdict.attackers.turn));
    // The king can only step aside, but the defenders have 7 + 6 + 8 + 9 moves, and one attacker threatens nothing.
    assert_eq!(share(&verdict.defenders), (30, 30));
    assert!([4, 6].contains(&verdict.defenders.turn));
}

#[test]
fn a_second_occurrence_has_no_consequence() {
    for variant in ["brandubh", "ard-ri"] {
        let before = board(variant, Attackers, AFTER_THE_SIDE_STEP).play_all("c1-d1 Kd2-c2 d1-c1");
        assert_eq!(repetition_after(&before.record, mv("c2-d2")), Ok(None));
        let after = before.play("Kc2-d2");
        assert_eq!(after.record.occurrences(), 2);
        assert_nothing_happens(&after);
    }
}

// Both forced

/// The side that does not block loses at once; the king has only one move, to and fro.
const BOTH_FORCED_11: &str = "
    11 . . . . . . . . . . .
    10 . . . . . . . . . . .
     9 . . . . . . . . . . .
     8 . . . . . . . . . . .
     7 . . . . . . . . . . .
     6 . . . . . . . . . . .
     5 . . . . . . . . . . .
     4 . . . . . . . . . . .
     3 . . t t . . . . . . .
     2 . t K . t . . . . . .
     1 . . t . . . . . . . .
       a b c d e f g h i j k";

#[test]
fn york_is_drawn_when_neither_side_could_avoid_it() {
    let start = board("york", Defenders, BOTH_FORCED_11);
    let before = start.play_all("Kc2-d2 c1-d1 Kd2-c2 d1-c1 Kc2-d2 c1-d1 Kd2-c2");
    let verdict = proved_verdict(&before, "d1-c1");
    assert_eq!(verdict.attackers.ways_out, 0);
    assert_eq!(share(&verdict.defenders), (0, 0), "no other legal move");
    assert_eq!((verdict.aggressor, verdict.basis), (None, Basis::NobodyFree));
    assert_eq!(repetition(&before, "d1-c1").consequence, Consequence::Draw);
    assert_drawn(&before.play("d1-c1"), DRAWN);
}

/// On f5 the king's only other move is to f4, between f3 and the attacker that goes to f5. On g5 he threatens both
/// corners.
const BOTH_FORCED_7: &str = "
    7 . . . . . . .
    6 . . . . . t .
    5 . . . . t . K
    4 . . . . . . .
    3 . t . . . . .
    2 . . . . . . .
    1 . . . . . . .
      a b c d e f g";

#[test]
fn brandubh_is_drawn_when_each_side_was_forced_at_one_of_its_turns() {
    let start = board("brandubh", Defenders, BOTH_FORCED_7);
    let before = start.play_all("Kg5-f5 b3-f3 Kf5-g5 f3-b3 Kg5-f5 b3-f3 Kf5-g5");
    let verdict = proved_verdict(&before, "f3-b3");
    assert_eq!((verdict.attackers.ways_out, verdict.attackers.turn), (0, 7));
    assert_eq!((share(&verdict.defenders), verdict.defenders.turn), ((0, 1), 6));
    assert_eq!((verdict.aggressor, verdict.basis), (None, Basis::NobodyFree));
    assert_drawn(&before.play("f3-b3"), DRAWN);
}

// Both free

#[test]
fn when_both_are_free_the_side_that_completes_it_loses() {
    // No king comes out and no ring closes within three plies of the start: every new position is a way out.
    let start = start_of("brandubh", "cross");
    let before = start.play_all("d7-c7 d3-c3 c7-d7 c3-d3 d7-c7 d3-c3 c7-d7");
    let verdict = proved_verdict(&before, "c3-d3");
    assert_eq!(share(&verdict.attackers), (39, 39));
    assert_eq!(verdict.defenders.ways_out, verdict.defenders.others);
    assert_eq!((verdict.aggressor, verdict.basis), (Some(Defenders), Basis::CompletedIt));
    assert_won_by(&before.play("c3-d3"), Attackers, Outcome::Repetition { aggressor: Some(Defenders) });
}

#[test]
fn when_both_are_free_it_may_be_the_attackers_who_complete_it() {
    let start = start_of("brandubh", "cross").play("a4-a3");
    let before = start.play_all("d3-c3 d7-c7 c3-d3 c7-d7 d3-c3 d7-c7 c3-d3");
    let verdict = proved_verdict(&before, "c7-d7");
    assert_eq!(verdict.cycle, 5..9);
    assert_eq!((verdict.aggressor, verdict.basis), (Some(Attackers), Basis::CompletedIt));
    assert_won_by(&before.play("c7-d7"), Defenders, Outcome::Repetition { aggressor: Some(Attackers) });
}

#[test]
fn exactly_half_the_freedom_is_not_less_than_half() {
    let start = board(
        "brandubh",
        Defenders,
        "
        7 . . . T . . .
        6 . . t . . . .
        5 . . . . . . .
        4 . . . . . t .
        3 . . . . . . .
        2 . K . . . . .
        1 . . . . . . .
          a b c d e f g",
    );
    let before = start.play_all("Kb2-b6 f4-a4 Kb6-b2 a4-f4 Kb2-b6 f4-a4 Kb6-b2");
    let verdict = proved_verdict(&before, "a4-f4");
    // One tenth against one fifth.
    assert_eq!(share(&verdict.attackers), (2, 20));
    assert_eq!(share(&verdict.defenders), (3, 15));
    assert_eq!((verdict.aggressor, verdict.basis), (Some(Attackers), Basis::CompletedIt));
}

#[test]
fn freedoms_are_compared_as_exact_fractions() {
    let start = board(
        "brandubh",
        Attackers,
        "
        7 . . . . . . .
        6 . . T . . . .
        5 . . . . . . .
        4 t . . . . . .
        3 K . . t . . .
        2 t . . . . . .
        1 . . . . . . .
          a b c d e f g",
    );
    let before = start.play_all("d3-c3 c6-a6 c3-d3 a6-c6 d3-c3 c6-a6 c3-d3");
    let verdict = proved_verdict(&before, "a6-c6");
    // Twice one ninth is 44 of 198, and five of twenty-two are 45.
    assert_eq!(share(&verdict.defenders), (1, 9));
    assert_eq!(share(&verdict.attackers), (5, 22));
    assert_eq!(verdict.completed_by, Defenders);
    assert_eq!((verdict.aggressor, verdict.basis), (Some(Attackers), Basis::OneMuchFreer));
    assert_won_by(&before.play("a6-c6"), Defenders, Outcome::Repetition { aggressor: Some(Attackers) });
}

// Ways out

#[test]
fn a_move_to_a_position_in_the_record_is_no_way_out() {
    // Before the cycle, the attacker went to b7 instead of c7.
    let start = start_of("brandubh", "cross").play_all("d7-b7 d3-c3 b7-d7 c3-d3");
    let before = start.play_all("d7-c7 d3-c3 c7-d7");
    let verdict = proved_verdict(&before, "c3-d3");
    assert_eq!(verdict.cycle, 4..8);
    assert_eq!((share(&verdict.attackers), verdict.attackers.turn), ((38, 39), 4));
    assert_eq!(verdict.defenders.ways_out, verdict.defenders.others);
}

#[test]
fn the_cycle_begins_at_the_previous_occurrence() {
    let start = start_of("brandubh", "cross");
    let twice = start.play_all("d7-c7 d3-c3 c7-b7 c3-b3 b7-d7 b3-d3");
    assert_eq!(twice.record.occurrences(), 2);
    let before = twice.play_all("d7-e7 d3-e3 e7-d7");
    assert_eq!(repetition(&before, "e3-d3").occurrences, [0, 6, 10]);
    assert_eq!(proved_verdict(&before, "e3-d3").cycle, 6..10);
}

// York

/// The king steps aside between c2 and d2; the attackers above him have time, the one below him has none.
const YORK_SIDE_STEPPING: &str = "
    11 . . . . . . . . . . .
    10 . . . . . . . . . . .
     9 . . t t . . . . . . .
     8 . . . . . . . . . . .
     7 . . . . . . . . . . .
     6 . . . . . . . . . T .
     5 . . . . . . . . . . .
     4 . . . . . . . . . . .
     3 . . T T . . . . . . .
     2 . t K . t . . . . . .
     1 . . t . . . . . . . .
       a b c d e f g h i j k";

const TO_AND_FRO: &str = "Kc2-d2 c1-d1 Kd2-c2 d1-c1";

#[test]
fn york_the_other_player_may_complete_it_and_the_game_goes_on() {
    let before = board("york", Defenders, YORK_SIDE_STEPPING).play_all(TO_AND_FRO).play_all("Kc2-d2 c1-d1 Kd2-c2");
    let verdict = proved_verdict(&before, "d1-c1");
    assert_eq!((verdict.aggressor, verdict.completed_by), (Some(Defenders), Attackers));
    assert_eq!((verdict.attackers.ways_out, verdict.basis), (0, Basis::OneMuchFreer));
    assert_eq!(repetition(&before, "d1-c1").consequence, Consequence::GoesOn);
    let after = before.play("d1-c1");
    assert_nothing_happens(&after);
    assert_eq!(after.record.occurrences(), 3);
}

#[test]
fn york_the_aggressor_is_refused_and_told_why() {
    let thrice = board("york", Defenders, YORK_SIDE_STEPPING).play_all(TO_AND_FRO).play_all(TO_AND_FRO);
    let IllegalMove::MustVary(reasons) = thrice.refusal("Kc2-d2") else { panic!("{:?}", thrice.refusal("Kc2-d2")) };
    assert_eq!(reasons.occurrences, [1, 5, 9]);
    assert_eq!(reasons.consequence, Consequence::Refused);
    let verdict = proved_verdict(&thrice, "Kc2-d2");
    assert_eq!(reasons.verdict, Some(verdict.clone()));
    assert_eq!((verdict.aggressor, verdict.completed_by), (Some(Defenders), Defenders));
    assert_eq!(verdict.cycle, 5..9);
}

#[test]
fn york_a_refusal_leaves_other_moves_and_changes_nothing() {
    let thrice = board("york", Defenders, YORK_SIDE_STEPPING).play_all(TO_AND_FRO).play_all(TO_AND_FRO);
    let mut record = thrice.record.clone();
    assert!(matches!(record.play(mv("c2-d2")), Err(IllegalMove::MustVary(_))));
    assert_eq!(record, thrice.record);
    assert_nothing_happens(&thrice.play("j6-j7"));
}

#[test]
fn york_refused_moves_are_legal_but_not_offered() {
    let thrice = board("york", Defenders, YORK_SIDE_STEPPING).play_all(TO_AND_FRO).play_all(TO_AND_FRO);
    let refused = mv("c2-d2");
    let legal: Vec<Move> = thrice.record.rulebook().legal_moves(thrice.record.position()).collect();
    let offered: Vec<Move> = thrice.record.playable_moves().collect();
    assert!(legal.contains(&refused));
    assert!(thrice.record.rulebook().is_legal(thrice.record.position(), refused));
    let expected: Vec<Move> = legal.into_iter().filter(|mv| *mv != refused).collect();
    assert_eq!(offered, expected);
    assert!(!offered.is_empty());
}

#[test]
fn york_a_repetition_after_which_the_game_goes_on_is_offered() {
    let before = board("york", Defenders, YORK_SIDE_STEPPING).play_all(TO_AND_FRO).play_all("Kc2-d2 c1-d1 Kd2-c2");
    assert!(before.record.playable_moves().any(|offered| offered == mv("d1-c1")));
    let legal = before.record.rulebook().legal_moves(before.record.position()).count();
    assert_eq!(before.record.playable_moves().count(), legal);
}

#[test]
fn york_a_fourth_occurrence_is_judged_by_its_own_cycle() {
    let thrice = board("york", Defenders, YORK_SIDE_STEPPING).play_all(TO_AND_FRO).play_all(TO_AND_FRO);
    let before = thrice.play_all("j6-j7 c9-c10 j7-j6");
    let seen = repetition(&before, "c10-c9");
    assert_eq!(seen.occurrences, [0, 4, 8, 12]);
    let verdict = proved_verdict(&before, "c10-c9");
    assert_eq!(verdict.cycle, 8..12);
    // Of the king's side's other moves, only the king's step to d2 leads into the record.
    assert_eq!((share(&verdict.defenders), verdict.defenders.turn), ((39, 40), 8));
    // The attackers on b2, c1 and e2 must stay where they are, c9 and d9 need not.
    assert!(verdict.attackers.ways_out > 0);
    assert_eq!((verdict.aggressor, verdict.basis), (Some(Defenders), Basis::OneMuchFreer));
    assert_eq!(seen.consequence, Consequence::GoesOn);
    let after = before.play("c10-c9");
    assert_nothing_happens(&after);
    assert_eq!(after.record.occurrences(), 4);
    assert!(matches!(after.refusal("Kc2-d2"), IllegalMove::MustVary(_)));
}

#[test]
fn york_when_both_are_free_the_side_that_would_complete_it_must_vary() {
    let start = start_of("york", "diamond");
    let before = start.play_all("d11-c11 f8-e8 c11-d11 e8-f8 d11-c11 f8-e8 c11-d11");
    let IllegalMove::MustVary(reasons) = before.refusal("e8-f8") else { panic!("{:?}", before.refusal("e8-f8")) };
    let verdict = reasons.verdict.unwrap();
    assert_eq!(verdict.attackers.ways_out, verdict.attackers.others);
    assert_eq!(verdict.defenders.ways_out, verdict.defenders.others);
    assert_eq!((verdict.aggressor, verdict.basis), (Some(Defenders), Basis::CompletedIt));
    assert_goes_on(&before.play("e8-e9"));
}

/// The king goes to and fro in his prison; the attackers could take him at once by going into it.
const PRISON: &str = "
    11 . . . . . . . . . . .
    10 . . . . . . . . . . .
     9 . . . . . . . . . . .
     8 . . . . . . . . . . .
     7 . . . . . . . . . . .
     6 . . . . . . . . . . t
     5 . . . . . . . . . . .
     4 . . . . . . . . . . .
     3 . . t t . . . . . . .
     2 . t K . t . . . . . .
     1 . . t t . . . . . . .
       a b c d e f g h i j k";

#[test]
fn york_the_attackers_may_be_the_aggressor_as_well() {
    let before = board("york", Attackers, PRISON).play_all("k6-k7 Kc2-d2 k7-k6 Kd2-c2 k6-k7 Kc2-d2 k7-k6");
    let verdict = proved_verdict(&before, "Kd2-c2");
    assert_eq!(share(&verdict.defenders), (0, 0), "no other legal move");
    assert_eq!((verdict.aggressor, verdict.basis), (Some(Attackers), Basis::OneMuchFreer));
    let after = before.play("Kd2-c2");
    assert_nothing_happens(&after);
    assert!(matches!(after.refusal("k6-k7"), IllegalMove::MustVary(_)));
    assert!(!after.record.playable_moves().any(|offered| offered == mv("k6-k7")));
}

#[test]
fn york_a_refused_move_is_no_example_of_what_can_be_played() {
    // The first move of the list is the one that may not be played.
    let start = board("york", Attackers, &with(PRISON, "k6 . a6 t"));
    let thrice = start.play_all("a6-a1 Kc2-d2 a1-a6 Kd2-c2 a6-a1 Kc2-d2 a1-a6 Kd2-c2");
    assert!(matches!(thrice.refusal("a6-a1"), IllegalMove::MustVary(_)));
    let IllegalMove::NotUnderstood { example: Some(example) } = thrice.refusal("what?") else { panic!("{thrice}") };
    assert!(thrice.record.playable_moves().any(|offered| offered == example), "{example} is refused\n{thrice}");
}

#[test]
fn a_move_that_wins_at_once_is_a_way_out() {
    let before = board("york", Attackers, PRISON).play_all("k6-k7 Kc2-d2 k7-k6 Kd2-c2 k6-k7 Kc2-d2 k7-k6");
    let freedom = proved_verdict(&before, "Kd2-c2").attackers;
    // The king was on d2 when the attackers were the least free: going to c2 took him.
    assert_eq!(freedom.turn, 6);
    let (found, others) = ways_out(&before, mv("d2-c2"), freedom.turn);
    assert_eq!(share(&freedom), (found.len() as u32, others as u32));
    assert!(found.contains(&mv("c3-c2")), "{found:?}");
    assert_won_by(
        &board("york", Attackers, &with(PRISON, "c2 . d2 K")).play("c3-c2"),
        Attackers,
        Outcome::KingCaptured,
    );
    // Opening the wall beside him lets him out at once.
    assert!(!found.contains(&mv("e2-e3")), "{found:?}");
}

// Taking moves back

#[test]
fn positions_that_were_taken_back_leave_the_record() {
    let mut game = start_of("fetlar", "diamond").play_all(FETLAR_TO_AND_FRO);
    assert_eq!(game.record.occurrences(), 2);
    game.record.take_back(1);
    assert_eq!(game.record.plies().len(), 3);
    game.record.take_back(3);
    assert_eq!(game.record.occurrences(), 1);
    let again = game.play_all(FETLAR_TO_AND_FRO);
    assert_eq!(again.record.occurrences(), 2);
    assert_goes_on(&again);
}

#[test]
fn a_third_occurrence_that_was_taken_back_did_not_happen() {
    let mut game = start_of("fetlar", "diamond").play_all(FETLAR_TO_AND_FRO).play_all(FETLAR_TO_AND_FRO);
    assert_drawn(&game, DRAWN);
    game.record.take_back(1);
    assert_eq!(game.record.outcome(), None);
    assert_goes_on(&game.play("e8-e9"));
    assert_drawn(&game.play("e8-f8"), DRAWN);
}

#[test]
fn a_position_that_was_taken_back_is_a_way_out_again() {
    // As above, but the visit to b7 was taken back before the moves of the cycle.
    let mut start = start_of("brandubh", "cross").play_all("d7-b7 d3-c3");
    start.record.take_back(2);
    let before = start.play_all("d7-c7 d3-c3 c7-d7 c3-d3 d7-c7 d3-c3 c7-d7");
    assert_eq!(share(&proved_verdict(&before, "c3-d3").attackers), (39, 39));
}

#[test]
fn more_cannot_be_taken_back_than_was_played() {
    let mut game = start_of("fetlar", "diamond").play("d11-c11");
    game.record.take_back(5);
    assert_eq!(game.record, start_of("fetlar", "diamond").record);
}

// Candidates

#[test]
fn a_candidate_tells_what_playing_would_do_and_plays_nothing() {
    for (before, completing, consequence) in [
        (
            start_of("fetlar", "diamond").play_all(FETLAR_TO_AND_FRO).play_all("d11-c11 f8-e8 c11-d11"),
            "e8-f8",
            Consequence::Draw,
        ),
        (
            board("brandubh", Attackers, AFTER_THE_SIDE_STEP).play_all("c1-d1 Kd2-c2 d1-c1 Kc2-d2 c1-d1 Kd2-c2 d1-c1"),
            "c2-d2",
            Consequence::Loss(Defenders),
        ),
        (
            board("york", Defenders, YORK_SIDE_STEPPING).play_all(TO_AND_FRO).play_all(TO_AND_FRO),
            "c2-d2",
            Consequence::Refused,
        ),
        (
            board("york", Defenders, YORK_SIDE_STEPPING).play_all(TO_AND_FRO).play_all("Kc2-d2 c1-d1 Kd2-c2"),
            "d1-c1",
            Consequence::GoesOn,
        ),
    ] {
        let untouched = before.record.clone();
        let told = repetition_after(&before.record, mv(completing)).unwrap().unwrap();
        assert_eq!(before.record, untouched);
        assert_eq!(told.consequence, consequence, "{before}");
        let mut record = before.record.clone();
        let outcome = record.play(mv(completing)).map(|played| played.outcome);
        let expected = match consequence {
            Consequence::Draw => Ok(Some(DRAWN)),
            Consequence::Loss(side) => Ok(Some(Outcome::Repetition { aggressor: Some(side) })),
            Consequence::Refused => Err(IllegalMove::MustVary(Box::new(told))),
            Consequence::GoesOn => Ok(None),
        };
        assert_eq!(outcome, expected, "{before}");
    }
}

#[test]
fn a_candidate_repeats_nothing_if_its_position_is_new() {
    let before =
        board("brandubh", Attackers, AFTER_THE_SIDE_STEP).play_all("c1-d1 Kd2-c2 d1-c1 Kc2-d2 c1-d1 Kd2-c2 d1-c1");
    assert_eq!(repetition_after(&before.record, mv("b2-b3")), Ok(None));
    assert_eq!(repetition_after(&before.record, mv("a7-a6")), Err(IllegalMove::NoPiece(mv("a7-a6").from)));
}

#[test]
fn all_moves_are_offered_where_none_is_refused() {
    let before =
        board("brandubh", Attackers, AFTER_THE_SIDE_STEP).play_all("c1-d1 Kd2-c2 d1-c1 Kc2-d2 c1-d1 Kd2-c2 d1-c1");
    let legal: Vec<Move> = before.record.rulebook().legal_moves(before.record.position()).collect();
    assert_eq!(before.record.playable_moves().collect::<Vec<_>>(), legal);
    assert!(legal.contains(&mv("c2-d2")));
}
