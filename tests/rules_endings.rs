//! The table of rules, fourth part: how games end, and a made-up game of other options.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(dead_code, reason = "every test file uses some of it")]
mod board_pictures;

use board_pictures::{
    assert_captured_king, assert_goes_on, assert_no_moves, assert_nothing_happens, assert_taken, assert_won_by, board,
    board_by, mv, with,
};
use ratatosk::rules::Side::{Attackers, Defenders};
use ratatosk::rules::rules::{
    Centre, ClosedSides, Corners, Goal, KingCapture, KingMoves, NoMoves, RepetitionRule, UnplayableRules,
};
use ratatosk::rules::{IllegalMove, Outcome, Piece, PieceSet, Rulebook, Rules};

// The king escapes

const KING_ON_THE_EDGE_7: &str = "
    7 . . . . . . .
    6 . . . . . . .
    5 . . . . . t .
    4 . . . . . . .
    3 . . . . . . .
    2 . . . . . . .
    1 . K . . . . .
      a b c d e f g";

const KING_INSIDE_7: &str = "
    7 . . . . . . .
    6 . . . . . . .
    5 . . . . . t .
    4 . . . . . . .
    3 . . . . . . .
    2 . K . . . . .
    1 . . . . . . .
      a b c d e f g";

const KING_INSIDE_9: &str = "
    9 . . . . . . . . .
    8 . . . . . . . . .
    7 . . . . . . . . .
    6 . . . . . . . . .
    5 . . . . . . t . .
    4 . . . . . . . . .
    3 . . . . . . . . .
    2 . . K . . . . . .
    1 . . . . . . . . .
      a b c d e f g h i";

const KING_INSIDE_11: &str = "
    11 . . . . . . . . . . .
    10 . . . . . . . . . . .
     9 . . . . . . . . . . .
     8 . . . . . . . . . . .
     7 . . . . . . . . . . .
     6 . . . . . . t . . . .
     5 . . . . . . . . . . .
     4 . . . . . . . . . . .
     3 . . . . . . . . . . .
     2 . . K . . . . . . . .
     1 . . . . . . . . . . .
       a b c d e f g h i j k";

#[test]
fn the_king_wins_in_a_corner() {
    for variant in ["magpie", "brandubh"] {
        let after = board(variant, Defenders, KING_ON_THE_EDGE_7).play("Kb1-a1");
        assert_won_by(&after, Defenders, Outcome::KingEscaped);
    }
    let after = board("fetlar", Defenders, &with(KING_INSIDE_11, "c2 . c1 K")).play("Kc1-k1");
    assert_won_by(&after, Defenders, Outcome::KingEscaped);
}

#[test]
fn the_king_wins_in_each_corner() {
    for (picture, escape) in [
        (with(KING_INSIDE_7, "b2 . a4 K"), "Ka4-a1"),
        (with(KING_INSIDE_7, "b2 . a4 K"), "Ka4-a7"),
        (with(KING_INSIDE_7, "b2 . g4 K"), "Kg4-g1"),
        (with(KING_INSIDE_7, "b2 . g4 K"), "Kg4-g7"),
    ] {
        assert_won_by(&board("brandubh", Defenders, &picture).play(escape), Defenders, Outcome::KingEscaped);
    }
}

#[test]
fn the_edge_is_not_enough_where_the_corner_is_the_goal() {
    for variant in ["magpie", "brandubh"] {
        assert_nothing_happens(&board(variant, Defenders, KING_INSIDE_7).play("Kb2-b1"));
    }
    assert_nothing_happens(&board("fetlar", Defenders, KING_INSIDE_11).play("Kc2-c1"));
}

#[test]
fn the_king_wins_on_every_side_of_the_edge() {
    for escape in ["Kb2-b1", "Kb2-a2", "Kb2-b7", "Kb2-g2"] {
        assert_won_by(&board("ard-ri", Defenders, KING_INSIDE_7).play(escape), Defenders, Outcome::KingEscaped);
    }
    for escape in ["Kc2-c1", "Kc2-a2", "Kc2-c9", "Kc2-i2"] {
        assert_won_by(&board("sea-battle", Defenders, KING_INSIDE_9).play(escape), Defenders, Outcome::KingEscaped);
    }
    for escape in ["Kc2-c1", "Kc2-a2", "Kc2-c11", "Kc2-k2"] {
        assert_won_by(&board("york", Defenders, KING_INSIDE_11).play(escape), Defenders, Outcome::KingEscaped);
    }
}

#[test]
fn inside_the_edge_the_king_has_not_won() {
    assert_nothing_happens(&board("ard-ri", Defenders, KING_INSIDE_7).play("Kb2-f2"));
    assert_nothing_happens(&board("sea-battle", Defenders, KING_INSIDE_9).play("Kc2-h2"));
    assert_nothing_happens(&board("york", Defenders, KING_INSIDE_11).play("Kc2-j2"));
}

#[test]
fn a_defender_does_not_win_on_the_edge() {
    let game = board("ard-ri", Defenders, &with(KING_INSIDE_7, "d4 T"));
    assert_nothing_happens(&game.play("d4-d1"));
}

#[test]
fn the_king_escapes_even_between_two_attackers() {
    let game = board("ard-ri", Defenders, &with(KING_INSIDE_7, "a1 t c1 t"));
    let after = game.play("Kb2-b1");
    assert_taken(&after, []);
    assert_won_by(&after, Defenders, Outcome::KingEscaped);
}

// Encirclement

const NEARLY_A_RING_7: &str = "
    7 . . . . . . .
    6 . . . t . . .
    5 . . t . t . .
    4 . t . K . t .
    3 . . t . . . t
    2 . . . t . . .
    1 . . . . . . .
      a b c d e f g";

#[test]
fn brandubh_and_ard_ri_a_closed_ring_around_the_king_and_all_of_his_pieces_wins() {
    for variant in ["brandubh", "ard-ri"] {
        let after = board(variant, Attackers, NEARLY_A_RING_7).play("g3-e3");
        assert_taken(&after, []);
        assert_won_by(&after, Attackers, Outcome::Encirclement);
        let with_pieces = board(variant, Attackers, &with(NEARLY_A_RING_7, "c4 T d3 T")).play("g3-e3");
        assert_won_by(&with_pieces, Attackers, Outcome::Encirclement);
    }
}

#[test]
fn a_ring_with_a_gap_does_not_win() {
    for variant in ["brandubh", "ard-ri"] {
        assert_nothing_happens(&board(variant, Attackers, NEARLY_A_RING_7).play("g3-f3"));
    }
}

#[test]
fn a_ring_that_leaves_one_piece_outside_does_not_win() {
    for variant in ["brandubh", "ard-ri"] {
        assert_nothing_happens(&board(variant, Attackers, &with(NEARLY_A_RING_7, "f6 T")).play("g3-e3"));
    }
}

#[test]
fn a_piece_on_the_edge_is_connected_to_it() {
    for variant in ["brandubh", "ard-ri"] {
        // The piece on a4 cannot move at all.
        let game = board(variant, Attackers, &with(NEARLY_A_RING_7, "a5 t a4 T a3 t"));
        assert_nothing_happens(&game.play("g3-e3"));
    }
}

#[test]
fn a_ring_wins_when_the_last_piece_outside_is_taken() {
    for variant in ["brandubh", "ard-ri"] {
        let game = board(variant, Attackers, &with(NEARLY_A_RING_7, "e3 t g3 . a5 t a4 T a2 t"));
        let after = game.play("a2-a3");
        assert_taken(&after, ["a4"]);
        assert_won_by(&after, Attackers, Outcome::Encirclement);
    }
}

#[test]
fn a_ring_wins_when_the_last_piece_outside_is_taken_far_from_it() {
    for variant in ["brandubh", "ard-ri"] {
        let game = board(variant, Attackers, &with(NEARLY_A_RING_7, "e3 t g3 . e7 t f7 T g5 t"));
        // Nothing yet: the piece on f7 is outside.
        assert_nothing_happens(&game.play("g5-g4"));
        let game = board(variant, Attackers, &with(NEARLY_A_RING_7, "e3 t g3 . f7 t f6 T g5 t"));
        let after = game.play("g5-f5");
        assert_taken(&after, ["f6"]);
        assert_won_by(&after, Attackers, Outcome::Encirclement);
    }
}

#[test]
fn a_ring_that_has_stood_for_a_while_wins_when_the_last_piece_outside_is_taken() {
    let game = board("brandubh", Attackers, &with(NEARLY_A_RING_7, "b7 t f6 T"));
    let ring_stands = game.play_all("g3-e3 f6-f7");
    assert_nothing_happens(&ring_stands);
    // Against the corner, and far from the ring.
    let after = ring_stands.play("b7-e7");
    assert_taken(&after, ["f7"]);
    assert_won_by(&after, Attackers, Outcome::Encirclement);
}

const WAY_OUT_OVER_THE_THRONE: &str = "
    7 . . . . . . .
    6 . . . . . . .
    5 . . . . . . .
    4 . . . . . . .
    3 t . . . t . .
    2 . . t K t . .
    1 . . . t . . .
      a b c d e f g";

#[test]
fn a_ring_is_not_closed_by_the_empty_throne() {
    assert_nothing_happens(&board("brandubh", Attackers, WAY_OUT_OVER_THE_THRONE).play("a3-c3"));
}

#[test]
fn the_way_over_the_throne_must_lead_to_the_edge() {
    let game = board("brandubh", Attackers, &with(WAY_OUT_OVER_THE_THRONE, "c4 t d5 t e4 t"));
    assert_won_by(&game.play("a3-c3"), Attackers, Outcome::Encirclement);
}

const BREAKABLE_RING: &str = "
    7 . . . . . . .
    6 . . t . t . .
    5 . t T t . t .
    4 . t K . T t .
    3 . . t t . . .
    2 . . . . . . .
    1 . . . . t . .
      a b c d e f g";

#[test]
fn the_ring_need_not_be_unbreakable() {
    // With the next move the king's side could have taken d5 and broken out.
    let could_break_out = board("ard-ri", Defenders, BREAKABLE_RING).play("e4-e5");
    assert_taken(&could_break_out, ["d5"]);
    let after = board("ard-ri", Attackers, BREAKABLE_RING).play("e1-e3");
    assert_taken(&after, []);
    assert_won_by(&after, Attackers, Outcome::Encirclement);
}

#[test]
fn magpie_a_ring_does_not_win() {
    assert_nothing_happens(&board("magpie", Attackers, NEARLY_A_RING_7).play("g3-e3"));
}

#[test]
fn sea_battle_a_ring_does_not_win() {
    let game = board(
        "sea-battle",
        Attackers,
        "
        9 . . . . . . . . .
        8 . . . . . . . . .
        7 . . . . t . . . .
        6 . . . t . t . . .
        5 . . t . K . t . .
        4 . . . t . . . . t
        3 . . . . t . . . .
        2 . . . . . . . . .
        1 . . . . . . . . .
          a b c d e f g h i",
    );
    assert_nothing_happens(&game.play("i4-f4"));
}

#[test]
fn york_and_fetlar_a_ring_does_not_win() {
    for variant in ["york", "fetlar"] {
        let game = board(
            variant,
            Attackers,
            "
            11 . . . . . . . . . . .
            10 . . . . . . . . . . .
             9 . . . . . . . . . . .
             8 . . . . . t . . . . .
             7 . . . . t . t . . . .
             6 . . . t . K . t . . .
             5 . . . . t . . . . . t
             4 . . . . . t . . . . .
             3 . . . . . . . . . . .
             2 . . . . . . . . . . .
             1 . . . . . . . . . . .
               a b c d e f g h i j k",
        );
        assert_nothing_happens(&game.play("k5-g5"));
    }
}

// No legal move

const STUCK_BESIDE_THE_CORNER_7: &str = "
    7 . . . . . . .
    6 . T . . . . .
    5 . . . . . . .
    4 . . . K . . .
    3 . . . . . . .
    2 . . . . . . .
    1 . t T . . . .
      a b c d e f g";

const STUCK_IN_THE_CORNER_7: &str = "
    7 . . . . . . .
    6 T . . . . . .
    5 . . . . . . .
    4 . . . K . . .
    3 . . . . . . .
    2 . . . . . . .
    1 t T . . . . .
      a b c d e f g";

const STUCK_IN_THE_CORNER_9: &str = "
    9 . . . . . . . . .
    8 T . . . . . . . .
    7 . . . . . . . . .
    6 . . . . . . . . .
    5 . . . . K . . . .
    4 . . . . . . . . .
    3 . . . . . . . . .
    2 . . . . . . . . .
    1 t T . . . . . . .
      a b c d e f g h i";

const STUCK_11: &str = "
    11 . . . . . . . . . . .
    10 . T . . . . . . . . .
     9 . . . . . . . . . . .
     8 . . . . . . . . . . .
     7 . . . . . . . . . . .
     6 . . . . . K . . . . .
     5 . . . . . . . . . . .
     4 . . . . . . . . . . .
     3 . . . . . . . . . . .
     2 . . . . . . . . . . .
     1 . t T . . . . . . . .
       a b c d e f g h i j k";

#[test]
fn attackers_without_a_move_lose() {
    for variant in ["magpie", "brandubh"] {
        let after = board(variant, Defenders, STUCK_BESIDE_THE_CORNER_7).play("b6-b2");
        assert_taken(&after, []);
        assert_no_moves(&after, Some(Defenders));
    }
    let after = board("ard-ri", Defenders, STUCK_IN_THE_CORNER_7).play("a6-a2");
    assert_taken(&after, []);
    assert_no_moves(&after, Some(Defenders));
    let after = board("sea-battle", Defenders, STUCK_IN_THE_CORNER_9).play("a8-a2");
    assert_taken(&after, []);
    assert_no_moves(&after, Some(Defenders));
    let after = board("york", Defenders, &with(STUCK_11, "a1 t b1 T c1 . a10 T b10 .")).play("a10-a2");
    assert_taken(&after, []);
    assert_no_moves(&after, Some(Defenders));
}

#[test]
fn fetlar_attackers_without_a_move_draw() {
    let after = board("fetlar", Defenders, STUCK_11).play("b10-b2");
    assert_taken(&after, []);
    assert_no_moves(&after, None);
}

#[test]
fn attackers_can_still_move_to_ordinary_corners() {
    // In York, the piece on b1 may step into the corner.
    assert_nothing_happens(&board("york", Defenders, STUCK_11).play("b10-b2"));
}

#[test]
fn magpie_and_brandubh_a_kings_side_that_cannot_move_loses() {
    for variant in ["magpie", "brandubh"] {
        let after = board(
            variant,
            Attackers,
            "
            7 . . . . . . .
            6 . . . . . . .
            5 t . . . . . .
            4 K . . . . . t
            3 T t . . . . .
            2 t . . . . . .
            1 . . . . . . .
              a b c d e f g",
        )
        .play("g4-b4");
        assert_taken(&after, []);
        assert_no_moves(&after, Some(Attackers));
    }
}

#[test]
fn ard_ri_a_kings_side_that_cannot_move_loses() {
    let after = board(
        "ard-ri",
        Attackers,
        "
        7 . . . . . . .
        6 . . . . . . .
        5 t t . . . . .
        4 T K . . . . t
        3 t T t . . . .
        2 . t . . . . .
        1 . . . . . . .
          a b c d e f g",
    )
    .play("g4-c4");
    assert_taken(&after, []);
    assert_no_moves(&after, Some(Attackers));
}

#[test]
fn sea_battle_a_kings_side_that_cannot_move_loses() {
    let after = board(
        "sea-battle",
        Attackers,
        "
        9 . . . . . . . . .
        8 . . . . . . . . .
        7 . . . . t . . . .
        6 . . . t T t . . .
        5 . . . t K t . . .
        4 . . . . . . . . .
        3 . . . . . . . . .
        2 . . . . . . . . .
        1 . . . . t . . . .
          a b c d e f g h i",
    )
    .play("e1-e4");
    assert_taken(&after, []);
    assert_no_moves(&after, Some(Attackers));
}

const SIEGE_WITHOUT_A_MOVE: &str = "
    11 . . . . . . . . . . .
    10 . . . . . . . . . . .
     9 . . . . . . . . . . .
     8 . . . . . t . . . . .
     7 . . . . t T t . . . .
     6 . . . . t K t . . . .
     5 . . . . . . . . . . .
     4 . . . . . . . . . . .
     3 . . . . . . . . . . .
     2 . . . . . . . . . . .
     1 . . . . . t . . . . .
       a b c d e f g h i j k";

#[test]
fn york_a_kings_side_that_cannot_move_loses() {
    let after = board("york", Attackers, SIEGE_WITHOUT_A_MOVE).play("f1-f5");
    assert_taken(&after, []);
    assert_no_moves(&after, Some(Attackers));
}

#[test]
fn fetlar_a_kings_side_that_cannot_move_draws() {
    let after = board("fetlar", Attackers, SIEGE_WITHOUT_A_MOVE).play("f1-f5");
    assert_taken(&after, []);
    assert_no_moves(&after, None);
}

#[test]
fn fetlar_a_lone_king_shut_in_at_the_edge_draws() {
    let after = board(
        "fetlar",
        Attackers,
        "
        11 . . . . . . . . . . .
        10 . . . . . . . . . . .
         9 . . . . . . . . . . .
         8 . . . . . . . . . . .
         7 t . . . . . . . . . .
         6 K . . . . . . . . . .
         5 t . . . . . . . . . .
         4 . . . . . . . . . . .
         3 . . . . . . . . . . .
         2 . . . . . . . . . . .
         1 . t . . . . . . . . .
           a b c d e f g h i j k",
    )
    .play("b1-b6");
    assert_taken(&after, []);
    assert_no_moves(&after, None);
}

// All attackers taken

#[test]
fn attackers_that_are_all_captured_lose() {
    let picture = "
        7 . . . . . . .
        6 . T . . . . .
        5 . t . . . . .
        4 . . . . . T .
        3 . . . . . . .
        2 . . . . K . .
        1 . . . . . . .
          a b c d e f g";
    for variant in ["magpie", "brandubh", "ard-ri"] {
        let after = board(variant, Defenders, picture).play("f4-b4");
        assert_taken(&after, ["b5"]);
        assert_no_moves(&after, Some(Defenders));
    }
    let after = board(
        "sea-battle",
        Defenders,
        "
        9 . . . . . . . . .
        8 . . . . . . . . .
        7 . T . . . . . . .
        6 . t . . . . . . .
        5 . . . . K . . . .
        4 . . . . . . . . .
        3 . . . . . . . . .
        2 . . . . . . . . .
        1 . T . . . . . . .
          a b c d e f g h i",
    )
    .play("b1-b5");
    assert_taken(&after, ["b6"]);
    assert_no_moves(&after, Some(Defenders));
    let after = board("york", Defenders, LAST_ATTACKER_11).play("b1-b7");
    assert_taken(&after, ["b8"]);
    assert_no_moves(&after, Some(Defenders));
}

const LAST_ATTACKER_11: &str = "
    11 . . . . . . . . . . .
    10 . . . . . . . . . . .
     9 . T . . . . . . . . .
     8 . t . . . . . . . . .
     7 . . . . . . . . . . .
     6 . . . . . K . . . . .
     5 . . . . . . . . . . .
     4 . . . . . . . . . . .
     3 . . . . . . . . . . .
     2 . . . . . . . . . . .
     1 . T . . . . . . . . .
       a b c d e f g h i j k";

#[test]
fn fetlar_taking_all_attackers_draws() {
    let after = board("fetlar", Defenders, LAST_ATTACKER_11).play("b1-b7");
    assert_taken(&after, ["b8"]);
    assert_no_moves(&after, None);
}

// The order of endings

#[test]
fn a_captured_king_counts_before_encirclement_and_before_no_moves() {
    // The king was the last piece of his side: no piece is connected to the edge, and none can move.
    for variant in ["brandubh", "ard-ri"] {
        let after = board(
            variant,
            Attackers,
            "
            7 . . . . . . .
            6 . . . t K . .
            5 . . . . . . .
            4 . . . . . . .
            3 . . . . . . .
            2 . . . . . . .
            1 . . . . . t .
              a b c d e f g",
        )
        .play("f1-f6");
        assert_captured_king(&after, "e6", []);
    }
}

#[test]
fn encirclement_counts_before_no_moves() {
    let after = board(
        "brandubh",
        Attackers,
        "
        7 . . . . . . .
        6 . . . . . . .
        5 . . . . . . t
        4 . . t K t . .
        3 . . t T t . .
        2 . . . t . . .
        1 . . . . . . .
          a b c d e f g",
    )
    .play("g5-d5");
    assert_taken(&after, []);
    assert_eq!(after.record.rulebook().legal_moves(after.record.position()).count(), 0);
    assert_won_by(&after, Attackers, Outcome::Encirclement);
}

#[test]
fn an_escape_counts_before_no_moves() {
    let after = board(
        "ard-ri",
        Defenders,
        "
        7 . . . . . . .
        6 . . . . . . .
        5 . . . . . . .
        4 . . . . . . .
        3 . . . K . . .
        2 . . . . . . .
        1 . T t . . . .
          a b c d e f g",
    )
    .play("Kd3-d1");
    assert_taken(&after, ["c1"]);
    assert_won_by(&after, Defenders, Outcome::KingEscaped);
}

#[test]
fn pieces_are_taken_before_the_kings_side_is_found_to_have_no_move() {
    // If the piece on b7 had not been captured, it could have gone to b6.
    let after = board(
        "sea-battle",
        Attackers,
        "
        9 . . . . . . . . .
        8 . t . . . . . . .
        7 t T . . t . . . .
        6 . . . t T t . . .
        5 . . . t K t . . .
        4 . . . . t . . . .
        3 . . . . . . . . .
        2 . . . . . . . . .
        1 . . t . . . . . .
          a b c d e f g h i",
    )
    .play("c1-c7");
    assert_taken(&after, ["b7"]);
    assert_no_moves(&after, Some(Attackers));
}

#[test]
fn after_the_end_nothing_can_be_played() {
    let after = board("ard-ri", Defenders, KING_INSIDE_7).play("Kb2-b1");
    let over = Outcome::KingEscaped;
    assert_eq!(after.refusal("f5-f4"), IllegalMove::GameOver(over));
    assert_eq!(after.record.playable_moves().count(), 0);
}

// A game made up here

/// Nine by nine with an armed king, corners and encirclement; the king's side begins, as in none of our corner games.
const MADE_UP: Rules = Rules {
    size: 9,
    first: Defenders,
    goal: Goal::Corner,
    king_moves: KingMoves::Line,
    king_armed: true,
    centre: Centre {
        rest: PieceSet::KING,
        cross: PieceSet::ALL,
        hostile: PieceSet::ATTACKERS,
        hostile_when_empty: PieceSet::ALL,
    },
    corners: Corners { rest: PieceSet::KING, hostile: PieceSet::ALL },
    king_capture: KingCapture {
        open: ClosedSides::Two,
        on_centre: ClosedSides::Four,
        beside_centre: ClosedSides::Four,
        edge_closes: false,
    },
    capture_against_besieged_king: false,
    encirclement: true,
    no_moves: NoMoves::Loses,
    repetition: RepetitionRule::Draws,
};

const MADE_UP_START: &str = "
    9 . . . . t . . . .
    8 . . . . . . . . .
    7 . . . . t . . . .
    6 . . . . T . . . .
    5 t . t T K T t . t
    4 . . . . T . . . .
    3 . . . . t . . . .
    2 . . . . . . . . .
    1 . . . . t . . . .
      a b c d e f g h i";

#[test]
fn a_made_up_game_is_won_in_the_corner() {
    let game = board_by(MADE_UP, MADE_UP.first, MADE_UP_START);
    assert_eq!(game.refusal("a5-a9"), IllegalMove::OpponentsPiece { square: mv("a5-a9").from, piece: Piece::Attacker });
    let game = game.play_all("e4-c4 i5-i4").play("e6-c6");
    assert_taken(&game, ["c5"]);
    let game = game.play_all("a5-a4 Ke5-e6 e9-d9 Ke6-i6 d9-c9");
    assert_goes_on(&game);
    let game = game.play("Ki6-i9--");
    assert_won_by(&game, Defenders, Outcome::KingEscaped);
}

#[test]
fn a_made_up_game_is_won_by_taking_the_king() {
    let game = board_by(MADE_UP, MADE_UP.first, MADE_UP_START).play_all("e6-b6 a5-a6 Ke5-e6 g5-g6 Ke6-d6 g6-e6");
    // One attacker beside him in the open is not enough.
    assert_nothing_happens(&game);
    let game = game.play_all("b6-b8 a6-c6");
    assert_captured_king(&game, "d6", []);
}

#[test]
fn a_made_up_game_is_won_by_encirclement() {
    let game = board_by(
        MADE_UP,
        Attackers,
        "
        9 . . . . . . . . .
        8 . . . . . . . . .
        7 . . . . t . . . .
        6 . . . t . t . . .
        5 . . t . K . t . .
        4 . . . t . . . . t
        3 . . . . t . . . .
        2 . . . . . . . . .
        1 . . . . . . . . .
          a b c d e f g h i",
    );
    assert_won_by(&game.play("i4-f4"), Attackers, Outcome::Encirclement);
}

const UNARMED_ON_THE_CENTRE: &str = "
    9 . . . . . . . . .
    8 . . T . . . . . .
    7 . . . . . . . . .
    6 . . . . . . . t .
    5 . . . t K . . . .
    4 . . . . . . . . .
    3 . . . . . . . . .
    2 . . . . . . . . .
    1 . . . . . . . . .
      a b c d e f g h i";

#[test]
fn a_centre_that_is_always_hostile_takes_pieces_beside_an_unarmed_king() {
    let unarmed = Rules { king_armed: false, ..MADE_UP };
    assert_taken(&board_by(unarmed, Defenders, UNARMED_ON_THE_CENTRE).play("c8-c5"), ["d5"]);
    let only_when_empty = Rules { centre: Centre { hostile: PieceSet::NONE, ..MADE_UP.centre }, ..unarmed };
    assert_nothing_happens(&board_by(only_when_empty, Defenders, UNARMED_ON_THE_CENTRE).play("c8-c5"));
}

#[test]
fn options_that_make_no_game_are_refused() {
    assert_eq!(Rulebook::new(Rules { size: 8, ..MADE_UP }).err(), Some(UnplayableRules::Size(8)));
    assert_eq!(Rulebook::new(Rules { size: 13, ..MADE_UP }).err(), Some(UnplayableRules::Size(13)));
    let closed = Rules { corners: Corners { rest: PieceSet::COMMON, hostile: PieceSet::NONE }, ..MADE_UP };
    assert_eq!(Rulebook::new(closed).err(), Some(UnplayableRules::GoalClosedToKing));
    let unreachable = Rules { centre: Centre { cross: PieceSet::NONE, ..MADE_UP.centre }, ..MADE_UP };
    assert_eq!(Rulebook::new(unreachable).err(), Some(UnplayableRules::RestWithoutCrossing));
}
