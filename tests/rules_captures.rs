//! The table of rules, second part: how pieces other than the king are captured.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(dead_code, reason = "every test file uses some of it")]
mod board_pictures;

use board_pictures::{
    assert_captured_king, assert_goes_on, assert_nothing_happens, assert_stands, assert_taken, board, with,
};
use ratatosk::rules::Side::{Attackers, Defenders};

const SMALL: [&str; 3] = ["magpie", "brandubh", "ard-ri"];
const LARGE: [&str; 2] = ["york", "fetlar"];

// Between two enemies

#[test]
fn a_defender_is_taken_between_two_attackers_on_a_row() {
    for variant in SMALL {
        let game = board(
            variant,
            Attackers,
            "
            7 . . . . . . .
            6 . . . . . . .
            5 . t T . . t .
            4 . . . K . . .
            3 . . . . . . .
            2 . . . . . . .
            1 . . . . . . .
              a b c d e f g",
        );
        let after = game.play("f5-d5");
        assert_taken(&after, ["c5"]);
        assert_goes_on(&after);
        assert_stands(
            &after,
            "
            7 . . . . . . .
            6 . . . . . . .
            5 . t . t . . .
            4 . . . K . . .
            3 . . . . . . .
            2 . . . . . . .
            1 . . . . . . .
              a b c d e f g",
        );
    }
}

#[test]
fn an_attacker_is_taken_between_two_defenders_on_a_column() {
    for variant in SMALL {
        let game = board(
            variant,
            Defenders,
            "
            7 . . . . . . .
            6 . T . . . . .
            5 . t . . . . .
            4 . . . . . T .
            3 . . . . . . t
            2 . . . . K . .
            1 . . . . . . .
              a b c d e f g",
        );
        let after = game.play("f4-b4");
        assert_taken(&after, ["b5"]);
        assert_goes_on(&after);
    }
}

const TWO_AND_TWO_9: &str = "
    9 . . . . . . . . .
    8 . t . . . . . T .
    7 . T . . . . . t .
    6 . . . . . . . . .
    5 . . . . . . . . .
    4 . . . . . . . . .
    3 . . . . . . K . .
    2 . . . . . . . . .
    1 . t . . . . . T .
      a b c d e f g h i";

const TWO_AND_TWO_11: &str = "
    11 . . . . . . . . . . .
    10 . t . . . . . . . T .
     9 . T . . . . . . . t .
     8 . . . . . . . . . . .
     7 . . . . . . . . . . .
     6 . . . . . . . . . . .
     5 . . . . . . . . . . .
     4 . . . . . . . . . . .
     3 . . . . . . . . K . .
     2 . . . . . . . . . . .
     1 . t . . . . . . . T .
       a b c d e f g h i j k";

#[test]
fn pieces_are_taken_between_two_enemies_on_the_larger_boards() {
    assert_taken(&board("sea-battle", Attackers, TWO_AND_TWO_9).play("b1-b6"), ["b7"]);
    assert_taken(&board("sea-battle", Defenders, TWO_AND_TWO_9).play("h1-h6"), ["h7"]);
    for variant in LARGE {
        assert_taken(&board(variant, Attackers, TWO_AND_TWO_11).play("b1-b8"), ["b9"]);
        assert_taken(&board(variant, Defenders, TWO_AND_TWO_11).play("j1-j8"), ["j9"]);
    }
}

#[test]
fn no_piece_is_captured_diagonally() {
    for variant in SMALL {
        let game = board(
            variant,
            Attackers,
            "
            7 . . . . . . .
            6 t . . . . . .
            5 . T . . . . .
            4 . . . . . t .
            3 . . . . . K .
            2 . . . . . . .
            1 . . . . . . .
              a b c d e f g",
        );
        assert_nothing_happens(&game.play("f4-c4"));
    }
}

#[test]
fn up_to_three_defenders_are_taken_at_once() {
    for variant in SMALL {
        let game = board(
            variant,
            Attackers,
            "
            7 . . . . . . .
            6 . . . . . K .
            5 . . t . . . .
            4 . . T . . . .
            3 t T . T t . .
            2 . . . . . . .
            1 . . t . . . .
              a b c d e f g",
        );
        let after = game.play("c1-c3");
        assert_taken(&after, ["b3", "c4", "d3"]);
        assert_goes_on(&after);
    }
}

#[test]
fn up_to_three_attackers_are_taken_at_once() {
    for variant in SMALL {
        let game = board(
            variant,
            Defenders,
            "
            7 . . . . . . .
            6 . . . . . K .
            5 . . T . . . .
            4 . . t . . . .
            3 T t . t T . .
            2 . . . . . . t
            1 . . T . . . .
              a b c d e f g",
        );
        let after = game.play("c1-c3");
        assert_taken(&after, ["b3", "c4", "d3"]);
        assert_goes_on(&after);
    }
}

#[test]
fn three_are_taken_at_once_on_the_larger_boards() {
    let after = board(
        "sea-battle",
        Attackers,
        "
        9 . . . . . . . . .
        8 . . t . . . . . .
        7 . . T . . . . . .
        6 t T . T t . . . .
        5 . . . . . . . . .
        4 . . . . . . . . .
        3 . . . . . . K . .
        2 . . . . . . . . .
        1 . . t . . . . . .
          a b c d e f g h i",
    )
    .play("c1-c6");
    assert_taken(&after, ["b6", "c7", "d6"]);
    for variant in LARGE {
        let after = board(
            variant,
            Defenders,
            "
            11 . . . . . . . . . . .
            10 . . T . . . . . . . .
             9 . . t . . . . . . . .
             8 T t . t T . . . . . .
             7 . . . . . . . . . . .
             6 . . . . . . . . . . .
             5 . . . . . . . . . . .
             4 . . . . . . . . . t .
             3 . . . . . . . . K . .
             2 . . . . . . . . . . .
             1 . . T . . . . . . . .
               a b c d e f g h i j k",
        )
        .play("c1-c8");
        assert_taken(&after, ["b8", "c9", "d8"]);
    }
}

#[test]
fn each_piece_is_captured_only_against_its_own_partner() {
    for variant in SMALL {
        // There is no piece behind d3.
        let game = board(
            variant,
            Attackers,
            "
            7 . . . . . . .
            6 . . . . . K .
            5 . . t . . . .
            4 . . T . . . .
            3 t T . T . . .
            2 . . . . . . .
            1 . . t . . . .
              a b c d e f g",
        );
        assert_taken(&game.play("c1-c3"), ["b3", "c4"]);
    }
}

#[test]
fn two_in_a_row_are_not_taken() {
    for variant in SMALL {
        let game = board(
            variant,
            Attackers,
            "
            7 . . . . . . .
            6 . . . . . . .
            5 . t T T . . t
            4 . . . . . . .
            3 . . . . . K .
            2 . . . . . . .
            1 . . . . . . .
              a b c d e f g",
        );
        assert_nothing_happens(&game.play("g5-e5"));
        let game = board(
            variant,
            Defenders,
            "
            7 . . . . . . .
            6 . . . . . . .
            5 . T t t . . T
            4 . . . . . . .
            3 . . . . . K .
            2 . . . . . . .
            1 . . . . . . .
              a b c d e f g",
        );
        assert_nothing_happens(&game.play("g5-e5"));
    }
}

#[test]
fn a_piece_is_not_captured_against_one_of_its_own_side() {
    for variant in SMALL {
        let game = board(
            variant,
            Attackers,
            "
            7 . . . . . . .
            6 . . . . . . .
            5 . . T K . . .
            4 . . . . . . .
            3 . . . . . . .
            2 . . . . . . .
            1 . t . . . . .
              a b c d e f g",
        );
        assert_nothing_happens(&game.play("b1-b5"));
    }
}

// Safe between enemies

const GAP_BETWEEN_ATTACKERS: &str = "
    7 . . . . . . .
    6 . . T . K . .
    5 . . . . . . .
    4 . . . . . . t
    3 . t . t . . .
    2 . . . . . . .
    1 . . . . . . .
      a b c d e f g";

#[test]
fn a_defender_may_step_between_two_attackers() {
    for variant in SMALL {
        assert_nothing_happens(&board(variant, Defenders, GAP_BETWEEN_ATTACKERS).play("c6-c3"));
    }
}

#[test]
fn an_attacker_may_step_between_two_defenders() {
    for variant in SMALL {
        let game = board(
            variant,
            Attackers,
            "
            7 . . . . . . .
            6 . . t . K . .
            5 . . . . . . .
            4 . . . . . . T
            3 . T . T . . .
            2 . . . . . . .
            1 . . . . . . .
              a b c d e f g",
        );
        let stepped_in = game.play("c6-c3");
        assert_nothing_happens(&stepped_in);
        // A third attacker on another side is not one of the two.
        assert_nothing_happens(&stepped_in.play("g4-c4"));
    }
}

#[test]
fn a_piece_that_stepped_between_two_is_not_captured_by_a_third_on_another_side() {
    for variant in SMALL {
        let stepped_in = board(variant, Defenders, GAP_BETWEEN_ATTACKERS).play("c6-c3");
        assert_nothing_happens(&stepped_in.play("g4-c4"));
    }
}

#[test]
fn a_piece_that_stepped_between_two_is_captured_when_one_leaves_and_comes_back() {
    for variant in SMALL {
        let game = board(variant, Defenders, GAP_BETWEEN_ATTACKERS).play_all("c6-c3 b3-a3 Ke6-e5");
        assert_nothing_happens(&game);
        assert_taken(&game.play("a3-b3"), ["c3"]);
    }
}

#[test]
fn pieces_may_step_between_two_enemies_on_the_larger_boards() {
    let picture = "
        9 . . . . . . . . .
        8 . . T . . . t . .
        7 . . . . . . . . .
        6 . . . . . . . . .
        5 . . . . K . . . .
        4 . . . . . . . . .
        3 . t . t . T . T .
        2 . . . . . . . . .
        1 . . . . . . . . .
          a b c d e f g h i";
    assert_nothing_happens(&board("sea-battle", Defenders, picture).play("c8-c3"));
    assert_nothing_happens(&board("sea-battle", Attackers, picture).play("g8-g3"));
    for variant in LARGE {
        let picture = "
            11 . . . . . . . . . . .
            10 . . T . . . . . t . .
             9 . . . . . . . . . . .
             8 . . . . . . . . . . .
             7 . . . . . . . . . . .
             6 . . . . . K . . . . .
             5 . . . . . . . . . . .
             4 . . . . . . . . . . .
             3 . t . t . . . T . T .
             2 . . . . . . . . . . .
             1 . . . . . . . . . . .
               a b c d e f g h i j k";
        assert_nothing_happens(&board(variant, Defenders, picture).play("c10-c3"));
        assert_nothing_happens(&board(variant, Attackers, picture).play("i10-i3"));
    }
}

#[test]
fn a_piece_that_steps_between_two_enemies_may_capture_one_of_them() {
    for variant in SMALL {
        let game = board(
            variant,
            Attackers,
            "
            7 . . . . . . .
            6 . . . . . K .
            5 . . t . . . .
            4 . . . . . . .
            3 . T . T t . .
            2 . . . . . . .
            1 . . . . . . .
              a b c d e f g",
        );
        let after = game.play("c5-c3");
        assert_taken(&after, ["d3"]);
        assert_goes_on(&after);
    }
}

// The edge

#[test]
fn no_piece_is_captured_against_the_edge() {
    for variant in SMALL {
        let picture = "
            7 . . T . . . .
            6 . . . . . . t
            5 . . . . . . .
            4 . . . . . . .
            3 t . . . T . .
            2 . . . . . K .
            1 . . . . . . .
              a b c d e f g";
        assert_nothing_happens(&board(variant, Attackers, picture).play("g6-c6"));
        assert_nothing_happens(&board(variant, Defenders, picture).play("e3-b3"));
    }
    let picture = "
        9 . . T . . . . . .
        8 . . . . . . . . t
        7 . . . . . . . . .
        6 . . . . . . . . .
        5 . . . . K . . . .
        4 . . . . . . . . .
        3 t . . . T . . . .
        2 . . . . . . . . .
        1 . . . . . . . . .
          a b c d e f g h i";
    assert_nothing_happens(&board("sea-battle", Attackers, picture).play("i8-c8"));
    assert_nothing_happens(&board("sea-battle", Defenders, picture).play("e3-b3"));
    for variant in LARGE {
        let picture = "
            11 . . T . . . . . . . .
            10 . . . . . . . . . . t
             9 . . . . . . . . . . .
             8 . . . . . . . . . . .
             7 . . . . . . . . . . .
             6 . . . . . K . . . . .
             5 . . . . . . . . . . .
             4 . . . . . . . . . . .
             3 t . . . T . . . . . .
             2 . . . . . . . . . . .
             1 . . . . . . . . . . .
               a b c d e f g h i j k";
        assert_nothing_happens(&board(variant, Attackers, picture).play("k10-c10"));
        assert_nothing_happens(&board(variant, Defenders, picture).play("e3-b3"));
    }
}

// The corners

const BESIDE_CORNERS_7: &str = "
    7 . . . . . t .
    6 . . . . . . .
    5 . . . . . T .
    4 . . . K . . .
    3 t . . . . . .
    2 . . . . . . T
    1 . t . . . T .
      a b c d e f g";

const BESIDE_CORNERS_11: &str = "
    11 . . . . . . . . . . .
    10 . . . . . . . . . . .
     9 . . . . . . . . . . .
     8 . . . . . . . . . . .
     7 . . . . . . . . . . .
     6 . . . . . K . . . . t
     5 . . . . . . . . . . .
     4 . . . . . . . . . . .
     3 . . . . . . . . . . .
     2 . . . . . . . . . . T
     1 . t . . . T . . . . .
       a b c d e f g h i j k";

const BESIDE_CORNERS_9: &str = "
    9 . . . . . . . . .
    8 . . . . . . . . .
    7 . . . . . . . . .
    6 . . . . . . . . t
    5 . . . . K . . . .
    4 . . . . . . . . .
    3 . . . . . . . . .
    2 . . . . . . . . T
    1 . t . . . T . . .
      a b c d e f g h i";

#[test]
fn an_attacker_is_taken_against_a_hostile_corner() {
    for variant in ["magpie", "brandubh"] {
        assert_taken(&board(variant, Defenders, BESIDE_CORNERS_7).play("f1-c1"), ["b1"]);
    }
    assert_taken(&board("fetlar", Defenders, BESIDE_CORNERS_11).play("f1-c1"), ["b1"]);
}

#[test]
fn a_defender_is_taken_against_a_hostile_corner() {
    for variant in ["magpie", "brandubh"] {
        assert_taken(&board(variant, Attackers, BESIDE_CORNERS_7).play("a3-g3"), ["g2"]);
    }
    assert_taken(&board("fetlar", Attackers, BESIDE_CORNERS_11).play("k6-k3"), ["k2"]);
}

#[test]
fn no_piece_is_captured_against_an_ordinary_corner() {
    assert_nothing_happens(&board("ard-ri", Defenders, BESIDE_CORNERS_7).play("f1-c1"));
    assert_nothing_happens(&board("ard-ri", Attackers, BESIDE_CORNERS_7).play("a3-g3"));
    assert_nothing_happens(&board("sea-battle", Defenders, BESIDE_CORNERS_9).play("f1-c1"));
    assert_nothing_happens(&board("sea-battle", Attackers, BESIDE_CORNERS_9).play("i6-i3"));
    assert_nothing_happens(&board("york", Defenders, BESIDE_CORNERS_11).play("f1-c1"));
    assert_nothing_happens(&board("york", Attackers, BESIDE_CORNERS_11).play("k6-k3"));
}

#[test]
fn a_piece_beside_a_corner_is_not_taken_from_another_side() {
    for variant in ["magpie", "brandubh"] {
        let game = board(
            variant,
            Defenders,
            "
            7 . . . . . . .
            6 . T . . . . .
            5 . . . . . . .
            4 . . . K . . .
            3 . . . . . . .
            2 . . . . . . .
            1 . t . . . . .
              a b c d e f g",
        );
        assert_nothing_happens(&game.play("b6-b2"));
    }
}

#[test]
fn a_corner_and_a_partner_take_two_at_once() {
    for variant in ["magpie", "brandubh"] {
        let game = board(
            variant,
            Attackers,
            "
            7 . . . . . . .
            6 . . . . . . .
            5 . . . . . K .
            4 . . . . . . .
            3 . . t . . . .
            2 . . T . . . .
            1 . T . . . t .
              a b c d e f g",
        );
        assert_taken(&game.play("f1-c1"), ["b1", "c2"]);
    }
}

// The empty centre

const BESIDE_THE_EMPTY_CENTRE_7: &str = "
    7 . T . . . . .
    6 . . . . . K .
    5 . . . . . . .
    4 . . t . T . .
    3 . . . . . . .
    2 . . . . . . .
    1 . . . . . t .
      a b c d e f g";

const BESIDE_THE_EMPTY_CENTRE_9: &str = "
    9 . . . . . . . . .
    8 . . T . . . . . .
    7 . . . . . . . K .
    6 . . . . . . . . .
    5 . . . t . T . . .
    4 . . . . . . . . .
    3 . . . . . . . . .
    2 . . . . . . t . .
    1 . . . . . . . . .
      a b c d e f g h i";

const BESIDE_THE_EMPTY_CENTRE_11: &str = "
    11 . . . . . . . . . . .
    10 . . . T . . . . . . .
     9 . . . . . . . . K . .
     8 . . . . . . . . . . .
     7 . . . . . . . . . . .
     6 . . . . t . T . . . .
     5 . . . . . . . . . . .
     4 . . . . . . . . . . .
     3 . . . . . . . . . . .
     2 . . . . . . . t . . .
     1 . . . . . . . . . . .
       a b c d e f g h i j k";

#[test]
fn an_attacker_is_taken_against_the_empty_centre() {
    for variant in ["magpie", "brandubh"] {
        assert_taken(&board(variant, Defenders, BESIDE_THE_EMPTY_CENTRE_7).play("b7-b4"), ["c4"]);
    }
    assert_taken(&board("fetlar", Defenders, BESIDE_THE_EMPTY_CENTRE_11).play("d10-d6"), ["e6"]);
}

#[test]
fn a_defender_is_taken_against_the_empty_centre() {
    for variant in ["magpie", "brandubh"] {
        assert_taken(&board(variant, Attackers, BESIDE_THE_EMPTY_CENTRE_7).play("f1-f4"), ["e4"]);
    }
    assert_taken(&board("fetlar", Attackers, BESIDE_THE_EMPTY_CENTRE_11).play("h2-h6"), ["g6"]);
}

#[test]
fn no_piece_is_captured_against_an_ordinary_centre_or_the_castle_of_york() {
    assert_nothing_happens(&board("ard-ri", Defenders, BESIDE_THE_EMPTY_CENTRE_7).play("b7-b4"));
    assert_nothing_happens(&board("ard-ri", Attackers, BESIDE_THE_EMPTY_CENTRE_7).play("f1-f4"));
    assert_nothing_happens(&board("sea-battle", Defenders, BESIDE_THE_EMPTY_CENTRE_9).play("c8-c5"));
    assert_nothing_happens(&board("sea-battle", Attackers, BESIDE_THE_EMPTY_CENTRE_9).play("g2-g5"));
    assert_nothing_happens(&board("york", Defenders, BESIDE_THE_EMPTY_CENTRE_11).play("d10-d6"));
    assert_nothing_happens(&board("york", Attackers, BESIDE_THE_EMPTY_CENTRE_11).play("h2-h6"));
}

#[test]
fn a_piece_beside_the_empty_centre_is_not_taken_from_another_side() {
    for variant in ["magpie", "brandubh"] {
        let game = board(
            variant,
            Attackers,
            "
            7 . . . . . . .
            6 . . . . . . .
            5 . . . . . . .
            4 . . T . . . .
            3 . . . . . K .
            2 . . . . . . .
            1 . . t . . . .
              a b c d e f g",
        );
        assert_nothing_happens(&game.play("c1-c3"));
    }
}

// The centre with the king on it

const BESIDE_THE_SITTING_KING_7: &str = "
    7 . T . . . . .
    6 . . . . . . .
    5 . . . . . . .
    4 . . t K T . .
    3 . . . . . . .
    2 . . . . . . .
    1 . . . . . t .
      a b c d e f g";

const BESIDE_THE_SITTING_KING_9: &str = "
    9 . . . . . . . . .
    8 . . T . . . . . .
    7 . . . . . . . . .
    6 . . . . . . . . .
    5 . . . t K T . . .
    4 . . . . . . . . .
    3 . . . . . . . . .
    2 . . . . . . t . .
    1 . . . . . . . . .
      a b c d e f g h i";

const BESIDE_THE_SITTING_KING_11: &str = "
    11 . . . . . . . . . . .
    10 . . . T . . . . . . .
     9 . . . . . . . . . . .
     8 . . . . . . . . . . .
     7 . . . . . . . . . . .
     6 . . . . t K T . . . .
     5 . . . . . . . . . . .
     4 . . . . . . . . . . .
     3 . . . . . . . . . . .
     2 . . . . . . . t . . .
     1 . . . . . . . . . . .
       a b c d e f g h i j k";

#[test]
fn a_defender_is_not_taken_against_the_centre_while_his_king_is_there() {
    for variant in SMALL {
        assert_nothing_happens(&board(variant, Attackers, BESIDE_THE_SITTING_KING_7).play("f1-f4"));
    }
    assert_nothing_happens(&board("sea-battle", Attackers, BESIDE_THE_SITTING_KING_9).play("g2-g5"));
    for variant in LARGE {
        assert_nothing_happens(&board(variant, Attackers, BESIDE_THE_SITTING_KING_11).play("h2-h6"));
    }
}

#[test]
fn an_attacker_is_taken_against_the_king_on_the_centre() {
    for variant in SMALL {
        assert_taken(&board(variant, Defenders, BESIDE_THE_SITTING_KING_7).play("b7-b4"), ["c4"]);
    }
    assert_taken(&board("fetlar", Defenders, BESIDE_THE_SITTING_KING_11).play("d10-d6"), ["e6"]);
}

#[test]
fn an_attacker_is_not_taken_against_an_unarmed_king_on_the_centre() {
    assert_nothing_happens(&board("sea-battle", Defenders, BESIDE_THE_SITTING_KING_9).play("c8-c5"));
    assert_nothing_happens(&board("york", Defenders, BESIDE_THE_SITTING_KING_11).play("d10-d6"));
}

// The king's help

const KING_WAITS_7: &str = "
    7 . . . . . . .
    6 . T . . . . .
    5 . . . . . . t
    4 . . . . . . .
    3 . . t K . . .
    2 . . . . . . .
    1 . . . . . . .
      a b c d e f g";

const KING_COMES_7: &str = "
    7 . . . . . . .
    6 . . . . . . .
    5 . . . . . . t
    4 . . . . . . .
    3 . . t T . . .
    2 . K . . . . .
    1 . . . . . . .
      a b c d e f g";

const KING_9: &str = "
    9 . . . . . . . . .
    8 . . . . . . . . .
    7 . T . . . . . . .
    6 . . . . . . t . .
    5 . . . . . . . . .
    4 . . . . . . . . .
    3 . . t K . . . . .
    2 . . . . . t . . .
    1 . . . . . T . . .
      a b c d e f g h i";

const KING_11: &str = "
    11 . . . . . . . . . . .
    10 . . . . . . . . . . .
     9 . T . . . . . . . . .
     8 . . . . . . . . . . .
     7 . . . . . . . . t . .
     6 . . . . . . . . . . .
     5 . . . . . . . . . . .
     4 . . . . . . . . . . .
     3 . . t K . . . . . . .
     2 . . . . . t . . . . .
     1 . . . . . T . . . . .
       a b c d e f g h i j k";

#[test]
fn an_armed_king_takes_part_in_a_capture() {
    for variant in SMALL {
        assert_taken(&board(variant, Defenders, KING_WAITS_7).play("b6-b3"), ["c3"]);
        assert_taken(&board(variant, Defenders, KING_COMES_7).play("b2-b3"), ["c3"]);
    }
    assert_taken(&board("fetlar", Defenders, KING_11).play("b9-b3"), ["c3"]);
    assert_taken(&board("fetlar", Defenders, KING_11).play("Kd3-f3"), ["f2"]);
}

#[test]
fn an_unarmed_king_takes_no_part_in_a_capture() {
    assert_nothing_happens(&board("sea-battle", Defenders, KING_9).play("b7-b3"));
    assert_nothing_happens(&board("sea-battle", Defenders, KING_9).play("Kd3-f3"));
    assert_nothing_happens(&board("york", Defenders, KING_11).play("b9-b3"));
    assert_nothing_happens(&board("york", Defenders, KING_11).play("Kd3-f3"));
}

#[test]
fn an_armed_king_takes_pieces_against_hostile_squares() {
    let brandubh = board(
        "brandubh",
        Defenders,
        "
        7 . . . . . . .
        6 . . . . . . .
        5 . . . . . . t
        4 . . t . . . .
        3 . . . . . . .
        2 . K . . . . .
        1 . t . . . . .
          a b c d e f g",
    );
    assert_taken(&brandubh.play("Kb2-b4"), ["c4"]);
    let corner = board(
        "brandubh",
        Defenders,
        "
        7 . . . . . . .
        6 . . . . . . .
        5 . . . . . . t
        4 . . . . . . .
        3 . . . . . . .
        2 . . K . . . .
        1 . t . . . . .
          a b c d e f g",
    );
    assert_taken(&corner.play("Kc2-c1"), ["b1"]);
}

// York's besieged king

const BELEAGUERED: &str = "
    11 . . . . . . . . . . .
    10 . . . . . . . . . . .
     9 . . . . . . . . . . .
     8 . . t . . . . . . . .
     7 . . . . . T . . . . .
     6 . . . . t K t . . . .
     5 . . . . . t . . . . .
     4 . . . . . . . . . . .
     3 . . . . . . . . . . .
     2 . . . . . . . . T . .
     1 . . . . . . . . . . .
       a b c d e f g h i j k";

#[test]
fn york_the_last_defender_is_captured_against_the_besieged_king() {
    let after = board("york", Attackers, BELEAGUERED).play("c8-f8");
    assert_taken(&after, ["f7"]);
}

#[test]
fn york_the_besieged_king_himself_is_not_captured_by_it() {
    let after = board("york", Attackers, BELEAGUERED).play("c8-f8");
    assert_goes_on(&after);
    // But he is captured by the fourth attacker that goes to where the defender was.
    let later = after.play("i2-i3");
    assert_captured_king(&later.play("f8-f7"), "f6", []);
}

#[test]
fn york_the_last_defender_may_stand_on_any_side() {
    let game = board(
        "york",
        Attackers,
        "
        11 . . . . . . . . . . .
        10 . . . . . . . . . . .
         9 . . . . . . . . . . .
         8 . . . t . . . . . . .
         7 . . . . . t . . . . .
         6 . . . . T K t . . . .
         5 . . . . . t . . . . .
         4 . . . . . . . . . . .
         3 . . . . . . . . . . .
         2 . . . . . . . . . . .
         1 . . . . . . . . . . .
           a b c d e f g h i j k",
    );
    assert_taken(&game.play("d8-d6"), ["e6"]);
}

#[test]
fn york_a_third_besieger_that_arrives_last_captures_nothing() {
    let game = board(
        "york",
        Attackers,
        "
        11 . . . . . . . . . . .
        10 . . . . . . . . . . .
         9 . . . . . . . . . . .
         8 . . . . . t . . . . .
         7 . . . . . T . . . . .
         6 . . . . t K t . . . .
         5 . . . . . . . . . . .
         4 . . . . . . . . . . .
         3 . . . . . . . . . . .
         2 . . . . . t . . . . .
         1 . . . . . . . . . . .
           a b c d e f g h i j k",
    );
    assert_nothing_happens(&game.play("f2-f5"));
}

#[test]
fn york_two_besiegers_are_too_few() {
    let game = board("york", Attackers, &with(BELEAGUERED, "f5 ."));
    assert_nothing_happens(&game.play("c8-f8"));
}

#[test]
fn york_two_besiegers_and_two_defenders_are_too_few() {
    let game = board("york", Attackers, &with(BELEAGUERED, "f5 T"));
    assert_nothing_happens(&game.play("c8-f8"));
}

#[test]
fn york_the_attacker_must_go_to_the_far_side() {
    let game = board(
        "york",
        Attackers,
        "
        11 . . . . . . . . . . .
        10 . . . . . . . . . . .
         9 . . . . . . . . . . .
         8 . . . . . . . . . . .
         7 . . t . . T . . . . .
         6 . . . . t K t . . . .
         5 . . . . . t . . . . .
         4 . . . . . . . . . . .
         3 . . . . . . . . . . .
         2 . . . . . . . . . . .
         1 . . . . . . . . . . .
           a b c d e f g h i j k",
    );
    assert_nothing_happens(&game.play("c7-e7"));
}

#[test]
fn york_the_king_must_be_in_his_castle() {
    let game = board(
        "york",
        Attackers,
        "
        11 . . . . . . . . . . .
        10 . . . . . . . . . . .
         9 . . . . . . . . . . .
         8 . . . . . . . . . . .
         7 . . . . . . . . . . .
         6 . . . . . . . . . . .
         5 . . t . . . . . . . .
         4 . . . . . . . T . . .
         3 . . . . . . t K t . .
         2 . . . . . . . t . . .
         1 . . . . . . . . . . .
           a b c d e f g h i j k",
    );
    assert_nothing_happens(&game.play("c5-h5"));
}

#[test]
fn york_a_king_outside_the_castle_is_not_besieged() {
    let game = board(
        "york",
        Attackers,
        "
        11 . . . . . . . . . . .
        10 . . . . . . . . . . .
         9 . . . . . . . . . . .
         8 . . . . . . . . . . .
         7 . . . . . T . . . . .
         6 . . . . t . t . . . .
         5 t . . . . t . . . . .
         4 . . T . . . . . . . .
         3 . . K . . . . . . . .
         2 . . . . . . . . . . .
         1 . . . . . . . . . . .
           a b c d e f g h i j k",
    );
    assert_nothing_happens(&game.play("a5-c5"));
}

#[test]
fn york_two_are_captured_at_once_against_the_besieged_king_and_another_partner() {
    let game = board("york", Attackers, &with(BELEAGUERED, "g8 T h8 t"));
    assert_taken(&game.play("c8-f8"), ["f7", "g8"]);
}

#[test]
fn only_york_captures_pieces_against_a_besieged_king() {
    assert_nothing_happens(&board("fetlar", Attackers, BELEAGUERED).play("c8-f8"));
    let game = board(
        "sea-battle",
        Attackers,
        "
        9 . . . . . . . . .
        8 . . . . . . . . .
        7 . . t . . . . . .
        6 . . . . T . . . .
        5 . . . t K t . . .
        4 . . . . t . . . .
        3 . . . . . . . . .
        2 . . . . . . . . .
        1 . . . . . . . . .
          a b c d e f g h i",
    );
    assert_nothing_happens(&game.play("c7-e7"));
    for variant in ["magpie", "brandubh"] {
        let game = board(
            variant,
            Attackers,
            "
            7 . . . . . . .
            6 . t . . . . .
            5 . . . T . . .
            4 . . t K t . .
            3 . . . t . . .
            2 . . . . . . .
            1 . . . . . . .
              a b c d e f g",
        );
        assert_nothing_happens(&game.play("b6-d6"));
    }
}
