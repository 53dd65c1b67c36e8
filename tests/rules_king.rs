//! The table of rules, third part: how the king is captured, and how not.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(dead_code, reason = "every test file uses some of it")]
mod board_pictures;

use board_pictures::{assert_captured_king, assert_nothing_happens, board, with};
use ratatosk::rules::Side::{Attackers, Defenders};

// The same positions of the king in several variants, with different outcomes.

const OPEN_FOUR_SIDES_7: &str = "
    7 . . . . . . .
    6 . . . . . . .
    5 . . . . . T .
    4 . . t . . . .
    3 . t K t . . .
    2 . . . . . . .
    1 . . t . . . .
      a b c d e f g";

const OPEN_FOUR_SIDES_9: &str = "
    9 . . . . . . . . .
    8 . . . . . . . . .
    7 . . . . . T . . .
    6 . . . . . . . . .
    5 . . . . . . . . .
    4 . . t . . . . . .
    3 . t K t . . . . .
    2 . . . . . . . . .
    1 . . t . . . . . .
      a b c d e f g h i";

const OPEN_FOUR_SIDES_11: &str = "
    11 . . . . . . . . . . .
    10 . . . . . . . . . . .
     9 . . . . . T . . . . .
     8 . . . . . . . . . . .
     7 . . . . . . . . . . .
     6 . . . . . . . . . . .
     5 . . . . . . . . . . .
     4 . . t . . . . . . . .
     3 . t K t . . . . . . .
     2 . . . . . . . . . . .
     1 . . t . . . . . . . .
       a b c d e f g h i j k";

const CENTRE_7: &str = "
    7 . . . . . . .
    6 . . . . . . .
    5 . . . t . T .
    4 . . t K t . .
    3 . . . . . . .
    2 . . . . . . .
    1 . . . t . . .
      a b c d e f g";

const CENTRE_9: &str = "
    9 . . . . . . . . .
    8 . . . . . . . . .
    7 . . . . . . . T .
    6 . . . . t . . . .
    5 . . . t K t . . .
    4 . . . . . . . . .
    3 . . . . . . . . .
    2 . . . . . . . . .
    1 . . . . t . . . .
      a b c d e f g h i";

const CENTRE_11: &str = "
    11 . . . . . . . . . . .
    10 . . . . . . . . . . .
     9 . . . . . . . . . . .
     8 . . . . . . . . T . .
     7 . . . . . t . . . . .
     6 . . . . t K t . . . .
     5 . . . . . . . . . . .
     4 . . . . . . . . . . .
     3 . . . . . . . . . . .
     2 . . . . . . . . . . .
     1 . . . . . t . . . . .
       a b c d e f g h i j k";

const BESIDE_CENTRE_7: &str = "
    7 . . . . . . .
    6 . . . . . . .
    5 . . . . . T .
    4 . . . . . . .
    3 . . t K t . .
    2 . . . . . . .
    1 . . . t . . .
      a b c d e f g";

const BESIDE_CENTRE_9: &str = "
    9 . . . . . . . . .
    8 . . . . . . . . .
    7 . . . . . . . T .
    6 . . . . . . . . .
    5 . . . . . . . . .
    4 . . . t K t . . .
    3 . . . . . . . . .
    2 . . . . . . . . .
    1 . . . . t . . . .
      a b c d e f g h i";

const BESIDE_CENTRE_11: &str = "
    11 . . . . . . . . . . .
    10 . . . . . . . . . . .
     9 . . . . . . . . . . .
     8 . . . . . . . . T . .
     7 . . . . . . . . . . .
     6 . . . . . . . . . . .
     5 . . . . t K t . . . .
     4 . . . . . . . . . . .
     3 . . . . . . . . . . .
     2 . . . . . . . . . . .
     1 . . . . . t . . . . .
       a b c d e f g h i j k";

const ON_THE_EDGE_7: &str = "
    7 . . . . . . .
    6 . . . . . . .
    5 t . . . . T .
    4 K . . . . . .
    3 t . . . . . .
    2 . . . . . . .
    1 . t . . . . .
      a b c d e f g";

const BESIDE_A_CORNER_7: &str = "
    7 . . . . . . .
    6 . . . . . . .
    5 . t . . . T .
    4 . . . . . . .
    3 . . . . . . .
    2 . . . . . . .
    1 . K t . . . .
      a b c d e f g";

const TWO_IN_THE_OPEN: &str = "
    7 . . . . . . .
    6 . . . t K . .
    5 . T . . . . .
    4 . . . . . . .
    3 . . . . . . .
    2 . . . . . . .
    1 . . . . . t .
      a b c d e f g";

// Magpie

#[test]
fn magpie_the_leprechaun_in_the_open_is_taken_on_four_sides() {
    assert_captured_king(&board("magpie", Attackers, OPEN_FOUR_SIDES_7).play("c1-c2"), "c3", []);
}

#[test]
fn magpie_three_thieves_do_not_take_the_leprechaun_in_the_open() {
    assert_nothing_happens(&board("magpie", Attackers, &with(OPEN_FOUR_SIDES_7, "b3 .")).play("c1-c2"));
}

#[test]
fn magpie_a_friend_is_not_one_of_the_four_sides() {
    assert_nothing_happens(&board("magpie", Attackers, &with(OPEN_FOUR_SIDES_7, "b3 T")).play("c1-c2"));
}

#[test]
fn magpie_two_thieves_do_not_take_the_leprechaun() {
    let game = board("magpie", Attackers, TWO_IN_THE_OPEN);
    assert_nothing_happens(&game.play("f1-f6"));
}

#[test]
fn magpie_the_leprechaun_on_the_centre_is_taken_by_four() {
    assert_captured_king(&board("magpie", Attackers, CENTRE_7).play("d1-d3"), "d4", []);
}

#[test]
fn magpie_three_thieves_do_not_take_the_leprechaun_on_the_centre() {
    let game = board("magpie", Attackers, &with(CENTRE_7, "d5 ."));
    assert_nothing_happens(&game.play("d1-d3"));
}

#[test]
fn magpie_the_empty_centre_is_one_of_the_four_sides() {
    assert_captured_king(&board("magpie", Attackers, BESIDE_CENTRE_7).play("d1-d2"), "d3", []);
}

#[test]
fn magpie_two_thieves_and_the_centre_are_too_few() {
    let game = board("magpie", Attackers, &with(BESIDE_CENTRE_7, "c3 ."));
    assert_nothing_happens(&game.play("d1-d2"));
}

#[test]
fn magpie_the_edge_is_one_of_the_four_sides() {
    assert_captured_king(&board("magpie", Attackers, ON_THE_EDGE_7).play("b1-b4"), "a4", []);
}

#[test]
fn magpie_the_edge_and_two_thieves_are_too_few() {
    let game = board("magpie", Attackers, &with(ON_THE_EDGE_7, "a3 ."));
    assert_nothing_happens(&game.play("b1-b4"));
}

#[test]
fn magpie_a_corner_is_one_of_the_four_sides() {
    assert_captured_king(&board("magpie", Attackers, BESIDE_A_CORNER_7).play("b5-b2"), "b1", []);
}

#[test]
fn magpie_corner_edge_and_one_thief_are_too_few() {
    let game = board("magpie", Attackers, &with(BESIDE_A_CORNER_7, "c1 ."));
    assert_nothing_happens(&game.play("b5-b2"));
}

// Brandubh

const TWO_ON_A_COLUMN: &str = "
    7 . . . . . . .
    6 . . . . t . .
    5 . T . . K . .
    4 t . . . . . .
    3 . . . . . . .
    2 . . . . . . .
    1 . . . . . . .
      a b c d e f g";

#[test]
fn brandubh_and_ard_ri_the_king_in_the_open_is_taken_between_two_on_a_row() {
    for variant in ["brandubh", "ard-ri"] {
        assert_captured_king(&board(variant, Attackers, TWO_IN_THE_OPEN).play("f1-f6"), "e6", []);
    }
}

#[test]
fn brandubh_and_ard_ri_the_king_in_the_open_is_taken_between_two_on_a_column() {
    for variant in ["brandubh", "ard-ri"] {
        assert_captured_king(&board(variant, Attackers, TWO_ON_A_COLUMN).play("a4-e4"), "e5", []);
    }
}

#[test]
fn brandubh_and_ard_ri_two_attackers_at_a_right_angle_do_not_take_the_king() {
    for variant in ["brandubh", "ard-ri"] {
        let game = board(
            variant,
            Attackers,
            "
            7 . . . . . . .
            6 . . . t K . .
            5 . . . . . . t
            4 . T . . . . .
            3 . . . . . . .
            2 . . . . . . .
            1 . . . . . . .
              a b c d e f g",
        );
        assert_nothing_happens(&game.play("g5-e5"));
    }
}

#[test]
fn brandubh_and_ard_ri_a_defender_is_not_one_of_the_two() {
    for variant in ["brandubh", "ard-ri"] {
        let game = board(variant, Attackers, &with(TWO_IN_THE_OPEN, "d6 T"));
        assert_nothing_happens(&game.play("f1-f6"));
    }
}

#[test]
fn brandubh_the_king_on_the_throne_is_taken_by_four() {
    assert_captured_king(&board("brandubh", Attackers, CENTRE_7).play("d1-d3"), "d4", []);
}

#[test]
fn brandubh_three_do_not_take_the_king_on_the_throne() {
    let game = board("brandubh", Attackers, &with(CENTRE_7, "d5 ."));
    assert_nothing_happens(&game.play("d1-d3"));
    let defended = board("brandubh", Attackers, &with(CENTRE_7, "d5 T"));
    assert_nothing_happens(&defended.play("d1-d3"));
}

#[test]
fn brandubh_two_do_not_take_the_king_on_the_throne() {
    let game = board("brandubh", Attackers, &with(CENTRE_7, "c4 . e4 ."));
    assert_nothing_happens(&game.play("d1-d3"));
}

#[test]
fn brandubh_the_king_beside_the_throne_is_taken_by_three() {
    assert_captured_king(&board("brandubh", Attackers, BESIDE_CENTRE_7).play("d1-d2"), "d3", []);
}

#[test]
fn brandubh_two_do_not_take_the_king_beside_the_throne() {
    let opposite = board(
        "brandubh",
        Attackers,
        "
        7 . . . . . . .
        6 . . . . . . .
        5 . . . . . T .
        4 . . . . . . .
        3 . . t K . . .
        2 . . . . . . .
        1 . . . . t . .
          a b c d e f g",
    );
    assert_nothing_happens(&opposite.play("e1-e3"));
    let at_a_right_angle = board("brandubh", Attackers, &with(BESIDE_CENTRE_7, "c3 ."));
    assert_nothing_happens(&at_a_right_angle.play("d1-d2"));
}

#[test]
fn brandubh_one_and_the_throne_do_not_take_the_king() {
    let game = board("brandubh", Attackers, &with(BESIDE_CENTRE_7, "c3 . e3 ."));
    assert_nothing_happens(&game.play("d1-d2"));
}

#[test]
fn brandubh_the_king_on_the_edge_is_taken_between_two_along_it() {
    let game = board("brandubh", Attackers, &with(ON_THE_EDGE_7, "a3 . a2 t b1 ."));
    assert_captured_king(&game.play("a2-a3"), "a4", []);
}

#[test]
fn brandubh_the_edge_is_not_one_of_the_two() {
    let game = board("brandubh", Attackers, &with(ON_THE_EDGE_7, "a3 ."));
    assert_nothing_happens(&game.play("b1-b4"));
}

#[test]
fn brandubh_the_king_beside_a_corner_is_taken_by_one() {
    let on_the_row = board("brandubh", Attackers, &with(BESIDE_A_CORNER_7, "c1 . e1 t"));
    assert_captured_king(&on_the_row.play("e1-c1"), "b1", []);
    let on_the_column = board(
        "brandubh",
        Attackers,
        "
        7 . . . . . . .
        6 K . . . . . .
        5 . . . t . . .
        4 . . . . . T .
        3 . . . . . . .
        2 . . . . . . .
        1 . . . . . . .
          a b c d e f g",
    );
    assert_captured_king(&on_the_column.play("d5-a5"), "a6", []);
}

#[test]
fn brandubh_the_king_beside_a_corner_is_not_taken_from_the_other_side() {
    let game = board("brandubh", Attackers, &with(BESIDE_A_CORNER_7, "c1 ."));
    assert_nothing_happens(&game.play("b5-b2"));
}

// Ard Ri

#[test]
fn ard_ri_the_king_on_the_centre_is_taken_between_two() {
    let game = board(
        "ard-ri",
        Attackers,
        "
        7 . . . . . . .
        6 . . . . . . .
        5 . . . . . T .
        4 . . t K . . .
        3 . . . . . . .
        2 . . . . . . .
        1 . . . . t . .
          a b c d e f g",
    );
    assert_captured_king(&game.play("e1-e4"), "d4", []);
}

const BETWEEN_THE_CENTRE_AND_ONE: &str = "
    7 . . . . . . .
    6 . . . . . . .
    5 . . . . . T .
    4 . . . . . . .
    3 . . . K . . .
    2 . . . . . . .
    1 . . . t . . .
      a b c d e f g";

#[test]
fn ard_ri_the_king_beside_the_centre_is_taken_between_two() {
    let on_a_row = board("ard-ri", Attackers, &with(BETWEEN_THE_CENTRE_AND_ONE, "a3 t e3 t"));
    assert_captured_king(&on_a_row.play("a3-c3"), "d3", []);
    let on_a_column = board("ard-ri", Attackers, &with(BETWEEN_THE_CENTRE_AND_ONE, "d4 t"));
    assert_captured_king(&on_a_column.play("d1-d2"), "d3", []);
}

#[test]
fn ard_ri_the_empty_centre_is_not_one_of_the_two() {
    assert_nothing_happens(&board("ard-ri", Attackers, BETWEEN_THE_CENTRE_AND_ONE).play("d1-d2"));
}

// Sea Battle

#[test]
fn sea_battle_the_cargo_ship_is_taken_by_four() {
    assert_captured_king(&board("sea-battle", Attackers, OPEN_FOUR_SIDES_9).play("c1-c2"), "c3", []);
}

#[test]
fn sea_battle_three_do_not_take_the_cargo_ship() {
    assert_nothing_happens(&board("sea-battle", Attackers, &with(OPEN_FOUR_SIDES_9, "b3 .")).play("c1-c2"));
    assert_nothing_happens(&board("sea-battle", Attackers, &with(OPEN_FOUR_SIDES_9, "b3 T")).play("c1-c2"));
}

#[test]
fn sea_battle_the_cargo_ship_on_the_centre_is_taken_by_four() {
    assert_captured_king(&board("sea-battle", Attackers, CENTRE_9).play("e1-e4"), "e5", []);
    let three = board("sea-battle", Attackers, &with(CENTRE_9, "e6 ."));
    assert_nothing_happens(&three.play("e1-e4"));
}

#[test]
fn sea_battle_the_cargo_ship_beside_the_centre_is_taken_by_four() {
    let game = board("sea-battle", Attackers, &with(BESIDE_CENTRE_9, "e5 t"));
    assert_captured_king(&game.play("e1-e3"), "e4", []);
}

#[test]
fn sea_battle_the_empty_centre_is_not_one_of_the_four() {
    assert_nothing_happens(&board("sea-battle", Attackers, BESIDE_CENTRE_9).play("e1-e3"));
}

// York

#[test]
fn york_the_king_in_the_open_is_taken_by_four() {
    assert_captured_king(&board("york", Attackers, OPEN_FOUR_SIDES_11).play("c1-c2"), "c3", []);
}

#[test]
fn york_three_do_not_take_the_king_in_the_open() {
    assert_nothing_happens(&board("york", Attackers, &with(OPEN_FOUR_SIDES_11, "b3 .")).play("c1-c2"));
    assert_nothing_happens(&board("york", Attackers, &with(OPEN_FOUR_SIDES_11, "b3 T")).play("c1-c2"));
}

#[test]
fn york_the_king_in_his_castle_is_taken_by_four() {
    assert_captured_king(&board("york", Attackers, CENTRE_11).play("f1-f5"), "f6", []);
    let three = board("york", Attackers, &with(CENTRE_11, "f7 ."));
    assert_nothing_happens(&three.play("f1-f5"));
}

#[test]
fn york_the_king_beside_his_castle_is_taken_by_three() {
    assert_captured_king(&board("york", Attackers, BESIDE_CENTRE_11).play("f1-f4"), "f5", []);
}

#[test]
fn york_two_and_the_castle_are_too_few() {
    let game = board("york", Attackers, &with(BESIDE_CENTRE_11, "e5 ."));
    assert_nothing_happens(&game.play("f1-f4"));
    let defended = board("york", Attackers, &with(BESIDE_CENTRE_11, "e5 T"));
    assert_nothing_happens(&defended.play("f1-f4"));
}

// Fetlar

#[test]
fn fetlar_the_king_in_the_open_is_taken_on_four_sides() {
    assert_captured_king(&board("fetlar", Attackers, OPEN_FOUR_SIDES_11).play("c1-c2"), "c3", []);
}

#[test]
fn fetlar_three_do_not_take_the_king_in_the_open() {
    assert_nothing_happens(&board("fetlar", Attackers, &with(OPEN_FOUR_SIDES_11, "b3 .")).play("c1-c2"));
    assert_nothing_happens(&board("fetlar", Attackers, &with(OPEN_FOUR_SIDES_11, "b3 T")).play("c1-c2"));
}

#[test]
fn fetlar_the_king_on_the_centre_is_taken_by_four() {
    assert_captured_king(&board("fetlar", Attackers, CENTRE_11).play("f1-f5"), "f6", []);
    let three = board("fetlar", Attackers, &with(CENTRE_11, "f7 ."));
    assert_nothing_happens(&three.play("f1-f5"));
}

#[test]
fn fetlar_the_king_beside_the_empty_centre_is_taken_by_three() {
    assert_captured_king(&board("fetlar", Attackers, BESIDE_CENTRE_11).play("f1-f4"), "f5", []);
    let two = board("fetlar", Attackers, &with(BESIDE_CENTRE_11, "e5 ."));
    assert_nothing_happens(&two.play("f1-f4"));
}

#[test]
fn fetlar_the_king_on_the_edge_cannot_be_taken() {
    let game = board(
        "fetlar",
        Attackers,
        "
        11 . . . . . . . . . . .
        10 . . . . . . . . . . .
         9 . . . . . . . . . . .
         8 . . . . . . . . T . .
         7 t . . . . . . . . . .
         6 K . . . . . . . . . .
         5 t . . . . . . . . . .
         4 . . . . . . . . . . .
         3 . . . . . . . . . . .
         2 . . . . . . . . . . .
         1 . t . . . . . . . . .
           a b c d e f g h i j k",
    );
    assert_nothing_happens(&game.play("b1-b6"));
}

#[test]
fn fetlar_the_king_beside_a_corner_cannot_be_taken() {
    let game = board(
        "fetlar",
        Attackers,
        "
        11 . . . . . . . . . . .
        10 . . . . . . . . . . .
         9 . . . . . . . . . . .
         8 . . . . . . . . T . .
         7 . . . . . . . . . . .
         6 . t . . . . . . . . .
         5 . . . . . . . . . . .
         4 . . . . . . . . . . .
         3 . . . . . . . . . . .
         2 . . . . . . . . . . .
         1 . K t . . . . . . . .
           a b c d e f g h i j k",
    );
    assert_nothing_happens(&game.play("b6-b2"));
}

// Common to all

const GAP_FOR_THE_KING: &str = "
    7 . . . . . . .
    6 . . K . . . T
    5 . . . . . . .
    4 . . . . . . t
    3 . t . t . . .
    2 . . . . . . .
    1 . . . . . . .
      a b c d e f g";

#[test]
fn the_king_may_step_between_two_attackers() {
    for variant in ["brandubh", "ard-ri"] {
        assert_nothing_happens(&board(variant, Defenders, GAP_FOR_THE_KING).play("Kc6-c3"));
    }
}

#[test]
fn a_king_who_stepped_between_two_is_not_taken_by_a_third_at_another_side() {
    for variant in ["brandubh", "ard-ri"] {
        let stepped_in = board(variant, Defenders, GAP_FOR_THE_KING).play("Kc6-c3");
        assert_nothing_happens(&stepped_in.play("g4-c4"));
    }
}

#[test]
fn a_king_who_stepped_between_two_is_taken_when_one_leaves_and_comes_back() {
    for variant in ["brandubh", "ard-ri"] {
        let game = board(variant, Defenders, GAP_FOR_THE_KING).play_all("Kc6-c3 b3-a3 g6-f6");
        assert_captured_king(&game.play("a3-b3"), "c3", []);
    }
}

#[test]
fn a_king_who_stepped_between_two_is_taken_by_a_third_and_a_fourth() {
    for variant in ["brandubh", "ard-ri"] {
        let picture = with(GAP_FOR_THE_KING, "g2 t");
        let game = board(variant, Defenders, &picture).play_all("Kc6-c3 g4-c4 g6-f6");
        assert_captured_king(&game.play("g2-c2"), "c3", []);
    }
}

const POCKET_BELOW_THE_CENTRE_7: &str = "
    7 . t . . . . .
    6 . . . . . . .
    5 . . . . . T .
    4 . . . K . . .
    3 . . t . t . .
    2 . . . t . . .
    1 . . . . . . .
      a b c d e f g";

const POCKET_BELOW_THE_CENTRE_11: &str = "
    11 . . . . . . . . . . .
    10 t . . . . . . . . . .
     9 . . . . . . . . . . .
     8 . . . . . . . . T . .
     7 . . . . . . . . . . .
     6 . . . . . K . . . . .
     5 . . . . t . t . . . .
     4 . . . . . t . . . . .
     3 . . . . . . . . . . .
     2 . . . . . . . . . . .
     1 . . . . . . . . . . .
       a b c d e f g h i j k";

#[test]
fn the_king_may_step_from_the_centre_to_where_his_last_side_is_the_centre() {
    for variant in ["magpie", "brandubh"] {
        assert_nothing_happens(&board(variant, Defenders, POCKET_BELOW_THE_CENTRE_7).play("Kd4-d3"));
    }
    for variant in ["york", "fetlar"] {
        assert_nothing_happens(&board(variant, Defenders, POCKET_BELOW_THE_CENTRE_11).play("Kf6-f5"));
    }
}

#[test]
fn the_piece_that_moved_takes_part_in_the_capture_of_the_king() {
    for variant in ["magpie", "brandubh"] {
        let stepped_in = board(variant, Defenders, POCKET_BELOW_THE_CENTRE_7).play("Kd4-d3");
        assert_nothing_happens(&stepped_in.play("b7-b6"));
        let returns = stepped_in.play_all("c3-b3 f5-f6 b3-c3");
        assert_captured_king(&returns, "d3", []);
    }
    for variant in ["york", "fetlar"] {
        let stepped_in = board(variant, Defenders, POCKET_BELOW_THE_CENTRE_11).play("Kf6-f5");
        assert_nothing_happens(&stepped_in.play("a10-a9"));
        let returns = stepped_in.play_all("e5-d5 i8-i9 d5-e5");
        assert_captured_king(&returns, "f5", []);
    }
}

#[test]
fn a_piece_and_the_king_are_taken_at_once() {
    for variant in ["brandubh", "ard-ri"] {
        let game = board(
            variant,
            Attackers,
            "
            7 . . . . . t .
            6 . . . t K . .
            5 . . . . . T .
            4 . . . . . t .
            3 . . . . . . .
            2 . . . . . . .
            1 . . . . . . .
              a b c d e f g",
        );
        assert_captured_king(&game.play("f7-f6"), "e6", ["f5"]);
    }
}
