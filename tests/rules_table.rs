//! The table of rules, first part: how the pieces are set up, who moves first and how pieces move.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(dead_code, reason = "every test file uses some of it")]
mod board_pictures;

use board_pictures::{assert_reaches, assert_stands, board, start_of};
use ratatosk::rules::Side::{self, Attackers, Defenders};
use ratatosk::rules::variants::HouseRule::{self, *};
use ratatosk::rules::{Piece, VARIANTS, Variant};

// Set-ups

const CROSS_7: &str = "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/";
const DIAMOND_11: &str = "/3ttttt3/5t5/11/t4T4t/t3TTT3t/tt1TTKTT1tt/t3TTT3t/t4T4t/11/5t5/3ttttt3/";

/// Every layout: the variant, the layout, the start, and how many attackers and defenders there are.
///
/// The default layout of a variant comes first.
const SET_UPS: &[(&str, &str, &str, u32, u32)] = &[
    ("magpie", "circle", "/3t3/1t3t1/3T3/t1TKT1t/3T3/1t3t1/3t3/", 8, 4),
    ("magpie", "cross", CROSS_7, 8, 4),
    ("magpie", "line", "/2t1t2/7/t2T2t/2TKT2/t2T2t/7/2t1t2/", 8, 4),
    ("brandubh", "cross", CROSS_7, 8, 4),
    ("ard-ri", "cross", CROSS_7, 8, 4),
    ("ard-ri", "ring", "/7/2t1t2/1t1T1t1/2TKT2/1t1T1t1/2t1t2/7/", 8, 4),
    ("ard-ri", "full", "/2ttt2/3t3/t1TTT1t/ttTKTtt/t1TTT1t/3t3/2ttt2/", 16, 8),
    ("sea-battle", "cross", "/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/", 16, 8),
    ("york", "diamond", DIAMOND_11, 24, 12),
    ("fetlar", "diamond", DIAMOND_11, 24, 12),
];

#[test]
fn the_layouts_are_those_of_the_table() {
    let layouts = VARIANTS.iter().flat_map(|variant| variant.layouts.iter().map(move |layout| (variant.id, layout.id)));
    for (variant, layout) in layouts {
        let in_table = SET_UPS.iter().any(|set_up| (set_up.0, set_up.1) == (variant, layout));
        assert!(in_table, "add {variant} {layout} to SET_UPS in tests/rules_table.rs");
    }
    for &(variant, layout, record, attackers, defenders) in SET_UPS {
        let game = start_of(variant, layout).record;
        assert_eq!(game.rulebook().write_position(game.start_position()), record, "{variant} {layout}");
        let count = |piece| game.start_position().pieces(piece).len();
        let counts = (count(Piece::Attacker), count(Piece::Defender), count(Piece::King));
        assert_eq!(counts, (attackers, defenders, 1), "{variant} {layout}");
    }
}

#[test]
fn the_default_layouts_come_first() {
    for variant in VARIANTS {
        let first = SET_UPS.iter().find(|set_up| set_up.0 == variant.id).map(|set_up| set_up.1);
        assert_eq!(Some(variant.default_layout().id), first, "{}", variant.id);
    }
}

#[test]
fn the_three_extra_layouts_are_marked_as_ours() {
    let of_house: Vec<_> =
        VARIANTS.iter().flat_map(|v| v.layouts.iter().filter(|l| l.is_house_rule).map(|l| (v.id, l.id))).collect();
    assert_eq!(of_house, [("magpie", "line"), ("ard-ri", "ring"), ("ard-ri", "full")]);
}

#[test]
fn magpie_begins_in_a_circle() {
    assert_stands(
        &start_of("magpie", "circle"),
        "
        7 . . . t . . .
        6 . t . . . t .
        5 . . . T . . .
        4 t . T K T . t
        3 . . . T . . .
        2 . t . . . t .
        1 . . . t . . .
          a b c d e f g",
    );
}

#[test]
fn magpie_may_begin_in_lines() {
    assert_stands(
        &start_of("magpie", "line"),
        "
        7 . . t . t . .
        6 . . . . . . .
        5 t . . T . . t
        4 . . T K T . .
        3 t . . T . . t
        2 . . . . . . .
        1 . . t . t . .
          a b c d e f g",
    );
}

#[test]
fn brandubh_ard_ri_and_the_other_magpie_begin_in_a_cross() {
    for variant in ["brandubh", "ard-ri", "magpie"] {
        assert_stands(
            &start_of(variant, "cross"),
            "
            7 . . . t . . .
            6 . . . t . . .
            5 . . . T . . .
            4 t t T K T t t
            3 . . . T . . .
            2 . . . t . . .
            1 . . . t . . .
              a b c d e f g",
        );
    }
}

#[test]
fn ard_ri_may_begin_in_a_ring() {
    assert_stands(
        &start_of("ard-ri", "ring"),
        "
        7 . . . . . . .
        6 . . t . t . .
        5 . t . T . t .
        4 . . T K T . .
        3 . t . T . t .
        2 . . t . t . .
        1 . . . . . . .
          a b c d e f g",
    );
}

#[test]
fn ard_ri_may_begin_with_sixteen_against_eight() {
    assert_stands(
        &start_of("ard-ri", "full"),
        "
        7 . . t t t . .
        6 . . . t . . .
        5 t . T T T . t
        4 t t T K T t t
        3 t . T T T . t
        2 . . . t . . .
        1 . . t t t . .
          a b c d e f g",
    );
}

#[test]
fn sea_battle_begins_in_a_cross() {
    assert_stands(
        &start_of("sea-battle", "cross"),
        "
        9 . . . t t t . . .
        8 . . . . t . . . .
        7 . . . . T . . . .
        6 t . . . T . . . t
        5 t t T T K T T t t
        4 t . . . T . . . t
        3 . . . . T . . . .
        2 . . . . t . . . .
        1 . . . t t t . . .
          a b c d e f g h i",
    );
}

#[test]
fn york_and_fetlar_begin_in_a_diamond() {
    for variant in ["york", "fetlar"] {
        assert_stands(
            &start_of(variant, "diamond"),
            "
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
               a b c d e f g h i j k",
        );
    }
}

// What the documents do not say

/// Finds what a table of this file says about a variant.
fn row_of<T>(table: &'static [(&str, T)], name: &str, variant: &Variant) -> &'static T {
    let row = table.iter().find(|row| row.0 == variant.id);
    &row.unwrap_or_else(|| panic!("add {} to {name} in tests/rules_table.rs", variant.id)).1
}

/// The house rules of every variant, which its document does not have.
const HOUSE_RULES: &[(&str, &[HouseRule])] = &[
    ("magpie", &[SafeBetweenEnemies, NoMoves, DrawnRepetition, AgreedDraw]),
    ("brandubh", &[Encirclement, Aggressor, AgreedDraw]),
    ("ard-ri", &[Encirclement, Aggressor, AgreedDraw]),
    ("sea-battle", &[SafeBetweenEnemies, NoMoves, DrawnRepetition, AgreedDraw]),
    ("york", &[SafeBetweenEnemies, ThirdOccurrence, Aggressor, AgreedDraw]),
    ("fetlar", &[KingCaptureBesideCentre, AutomaticDraw, AgreedDraw]),
];

#[test]
fn the_rules_that_are_ours_are_marked() {
    for variant in VARIANTS {
        let (house, expected) = (variant.house_rules, row_of(HOUSE_RULES, "HOUSE_RULES", variant));
        assert_eq!(house.len(), expected.len(), "{}: {house:?}", variant.id);
        assert!(expected.iter().all(|rule| house.contains(rule)), "{}: {house:?}", variant.id);
    }
}

/// What every variant calls the king, the defenders and the attackers.
const NAMES: &[(&str, [&str; 3])] = &[
    ("magpie", ["leprechaun", "friends", "thieves"]),
    ("brandubh", ["king", "defenders", "attackers"]),
    ("ard-ri", ["king", "defenders", "attackers"]),
    ("sea-battle", ["cargo ship", "convoy ships", "pirates"]),
    ("york", ["king", "defenders", "attackers"]),
    ("fetlar", ["king", "defenders", "attackers"]),
];

#[test]
fn variants_name_their_pieces() {
    for variant in VARIANTS {
        let words = variant.words;
        let names = [words.king, words.defenders, words.attackers];
        assert_eq!(names, *row_of(NAMES, "NAMES", variant), "{}", variant.id);
    }
    let centre = |variant| Variant::find(variant).unwrap().words.centre;
    assert_eq!(centre("brandubh"), "throne");
    assert_eq!(centre("york"), "castle");
    assert!(centre("fetlar").contains("refuge square"));
    assert!(centre("magpie").contains("marked square"));
}

// Who moves first

/// The side that moves first in every variant.
const FIRST: &[(&str, Side)] = &[
    ("magpie", Attackers),
    ("brandubh", Attackers),
    ("ard-ri", Attackers),
    ("sea-battle", Defenders),
    ("york", Attackers),
    ("fetlar", Attackers),
];

#[test]
fn the_side_that_moves_first_is_that_of_the_table() {
    for variant in VARIANTS {
        for layout in variant.layouts {
            let first = start_of(variant.id, layout.id).record.position().to_move();
            assert_eq!(first, *row_of(FIRST, "FIRST", variant), "{} {}", variant.id, layout.id);
        }
    }
}

#[test]
fn the_players_take_turns() {
    let game = start_of("sea-battle", "cross");
    let whose = |moves| -> Side { game.play_all(moves).record.position().to_move() };
    assert_eq!(whose("e7-f7"), Attackers);
    assert_eq!(whose("e7-f7 d9-c9"), Defenders);
    assert_eq!(whose("e7-f7 d9-c9 f7-e7"), Attackers);
}

// How pieces move

const SMALL: [&str; 3] = ["magpie", "brandubh", "ard-ri"];

const MEN_IN_EACH_OTHERS_WAY: &str = "
    7 . . . . . . .
    6 . . T . . . .
    5 . . . . . . .
    4 . . . . K . .
    3 . t . . . . T
    2 . . . . . . .
    1 . . t . . . .
      a b c d e f g";

#[test]
fn an_attacker_goes_along_rows_and_columns_as_far_as_they_are_empty() {
    for variant in SMALL {
        let game = board(variant, Attackers, MEN_IN_EACH_OTHERS_WAY);
        assert_reaches(&game, "b3", ["b4", "b5", "b6", "b7", "b2", "b1", "a3", "c3", "d3", "e3", "f3"]);
    }
}

#[test]
fn a_defender_goes_along_rows_and_columns_as_far_as_they_are_empty() {
    for variant in SMALL {
        let game = board(variant, Defenders, MEN_IN_EACH_OTHERS_WAY);
        assert_reaches(&game, "c6", ["c7", "c5", "c4", "c3", "c2", "a6", "b6", "d6", "e6", "f6", "g6"]);
    }
}

#[test]
fn pieces_go_to_the_far_edge_of_the_larger_boards() {
    let game = board(
        "sea-battle",
        Attackers,
        "
        9 . . . . . . . . .
        8 . . . . . . . . .
        7 . . . . . T . . .
        6 . . . . . . . . .
        5 . . . . . . . . .
        4 . . . . . . . . .
        3 . t . . . . . . .
        2 . . . . K . . . .
        1 . . . . . . . . .
          a b c d e f g h i",
    );
    assert_reaches(
        &game,
        "b3",
        ["b1", "b2", "b4", "b5", "b6", "b7", "b8", "b9", "a3", "c3", "d3", "e3", "f3", "g3", "h3", "i3"],
    );
    for variant in ["york", "fetlar"] {
        let game = board(
            variant,
            Defenders,
            "
            11 . . . . . . . . . . .
            10 . . . . . . . . . . .
             9 . . . . . . T . . . .
             8 . . . . . . . . . . .
             7 . . t . . . . . . . .
             6 . . . . . . . . . . .
             5 . . . . . . . . . . .
             4 . . . . . . . . . . .
             3 . . . . . . t . . . .
             2 . . . . K . . . . . .
             1 . . . . . . . . . . .
               a b c d e f g h i j k",
        );
        let on_the_row = ["a9", "b9", "c9", "d9", "e9", "f9", "h9", "i9", "j9", "k9"];
        let on_the_column = ["g11", "g10", "g8", "g7", "g6", "g5", "g4"];
        assert_reaches(&game, "g9", on_the_row.into_iter().chain(on_the_column));
    }
}

// How the king moves

#[test]
fn the_king_goes_like_a_rook() {
    for variant in ["brandubh", "ard-ri"] {
        let game = board(variant, Defenders, MEN_IN_EACH_OTHERS_WAY);
        assert_reaches(&game, "e4", ["e5", "e6", "e7", "e3", "e2", "e1", "f4", "g4", "d4", "c4", "b4", "a4"]);
    }
    let game = board(
        "sea-battle",
        Defenders,
        "
        9 . . . . . . . . .
        8 . . . . . . . . .
        7 . . t . . . . . .
        6 . . . . . . . . .
        5 . . . . . . . . .
        4 . . . . . . . . .
        3 . . K . . . T . .
        2 . . . . . . . . .
        1 . . . . . . . . .
          a b c d e f g h i",
    );
    assert_reaches(&game, "c3", ["a3", "b3", "d3", "e3", "f3", "c1", "c2", "c4", "c5", "c6"]);
    for variant in ["york", "fetlar"] {
        let game = board(
            variant,
            Defenders,
            "
            11 . . . . . . . . . . .
            10 . . . . . . . . . . .
             9 . . t . . . . . . . .
             8 . . . . . . . . . . .
             7 . . . . . . . . . . .
             6 . . . . . . . . . . .
             5 . . . . . . . . . . .
             4 . . . . . . . . . . .
             3 . . K . . . . . T . .
             2 . . . . . . . . . . .
             1 . . . . . . . . . . .
               a b c d e f g h i j k",
        );
        let on_the_row = ["a3", "b3", "d3", "e3", "f3", "g3", "h3"];
        assert_reaches(&game, "c3", on_the_row.into_iter().chain(["c1", "c2", "c4", "c5", "c6", "c7", "c8"]));
    }
}

#[test]
fn the_leprechaun_goes_one_square_and_not_diagonally() {
    let game = board("magpie", Defenders, MEN_IN_EACH_OTHERS_WAY);
    assert_reaches(&game, "e4", ["e5", "e3", "f4", "d4"]);
}

#[test]
fn the_leprechaun_does_not_go_to_an_occupied_square() {
    let game = board(
        "magpie",
        Defenders,
        "
        7 . . . . . . .
        6 . . . . . . .
        5 . . . . T . .
        4 . . . . K t .
        3 . . . . . . .
        2 . . . . . . .
        1 . . . . . . .
          a b c d e f g",
    );
    assert_reaches(&game, "e4", ["d4", "e3"]);
}

// The centre

const AROUND_THE_CENTRE_7: &str = "
    7 . . . . . . .
    6 . . . T . K .
    5 . . . . . . .
    4 . t . . . . T
    3 . . . . . . .
    2 . . . . . . .
    1 . . . . . . .
      a b c d e f g";

const AROUND_THE_CENTRE_9: &str = "
    9 . . . . . . . . .
    8 . . . . . . . . .
    7 . . . . T . . . .
    6 . . . . . . . . .
    5 . . t . . . . T .
    4 . . . . . . . . .
    3 . . . . . . K . .
    2 . . . . . . . . .
    1 . . . . . . . . .
      a b c d e f g h i";

const AROUND_THE_CENTRE_11: &str = "
    11 . . . . . . . . . . .
    10 . . . . . . . . . . .
     9 . . . . . T . . . . .
     8 . . . . . . . . . . .
     7 . . . . . . . . . . .
     6 . . t . . . . . . T .
     5 . . . . . . . . . . .
     4 . . . . . . . . . . .
     3 . . . . . . . K . . .
     2 . . . . . . . . . . .
     1 . . . . . . . . . . .
       a b c d e f g h i j k";

#[test]
fn pieces_cross_the_empty_centre_but_do_not_rest_there() {
    for variant in ["magpie", "brandubh"] {
        let attackers = board(variant, Attackers, AROUND_THE_CENTRE_7);
        assert_reaches(&attackers, "b4", ["b1", "b2", "b3", "b5", "b6", "b7", "a4", "c4", "e4", "f4"]);
        let defenders = board(variant, Defenders, AROUND_THE_CENTRE_7);
        assert_reaches(&defenders, "d6", ["a6", "b6", "c6", "e6", "d7", "d5", "d3", "d2", "d1"]);
    }
    for variant in ["york", "fetlar"] {
        let attackers = board(variant, Attackers, AROUND_THE_CENTRE_11);
        let on_the_row = ["a6", "b6", "d6", "e6", "g6", "h6", "i6"];
        let on_the_column = ["c1", "c2", "c3", "c4", "c5", "c7", "c8", "c9", "c10", "c11"];
        assert_reaches(&attackers, "c6", on_the_row.into_iter().chain(on_the_column));
        let defenders = board(variant, Defenders, AROUND_THE_CENTRE_11);
        let on_the_row = ["a9", "b9", "c9", "d9", "e9", "g9", "h9", "i9", "j9", "k9"];
        let on_the_column = ["f11", "f10", "f8", "f7", "f5", "f4", "f3", "f2", "f1"];
        assert_reaches(&defenders, "f9", on_the_row.into_iter().chain(on_the_column));
    }
}

#[test]
fn pieces_rest_on_an_ordinary_centre() {
    let attackers = board("ard-ri", Attackers, AROUND_THE_CENTRE_7);
    assert_reaches(&attackers, "b4", ["b1", "b2", "b3", "b5", "b6", "b7", "a4", "c4", "d4", "e4", "f4"]);
    let defenders = board("ard-ri", Defenders, AROUND_THE_CENTRE_7);
    assert_reaches(&defenders, "d6", ["a6", "b6", "c6", "e6", "d7", "d5", "d4", "d3", "d2", "d1"]);
    let attackers = board("sea-battle", Attackers, AROUND_THE_CENTRE_9);
    let on_the_column = ["c1", "c2", "c3", "c4", "c6", "c7", "c8", "c9"];
    assert_reaches(&attackers, "c5", ["a5", "b5", "d5", "e5", "f5", "g5"].into_iter().chain(on_the_column));
    let defenders = board("sea-battle", Defenders, AROUND_THE_CENTRE_9);
    let on_the_row = ["a7", "b7", "c7", "d7", "f7", "g7", "h7", "i7"];
    let on_the_column = ["e9", "e8", "e6", "e5", "e4", "e3", "e2", "e1"];
    assert_reaches(&defenders, "e7", on_the_row.into_iter().chain(on_the_column));
}

#[test]
fn no_piece_crosses_the_centre_while_the_king_is_there() {
    for variant in SMALL {
        let game = board(
            variant,
            Attackers,
            "
            7 . . . . . . .
            6 . . . . . . .
            5 . . . . . . .
            4 . t . K . . .
            3 . . . . . . .
            2 . . . . . . .
            1 . . . . . . .
              a b c d e f g",
        );
        assert_reaches(&game, "b4", ["b1", "b2", "b3", "b5", "b6", "b7", "a4", "c4"]);
    }
}

#[test]
fn the_king_may_return_to_the_centre_and_cross_it() {
    let picture = "
        7 . . . . . . .
        6 . . . . . . .
        5 . . . K . . .
        4 . . . . . . .
        3 . . . . . . .
        2 . . . t . . .
        1 . . . . . . .
          a b c d e f g";
    for variant in ["brandubh", "ard-ri"] {
        let game = board(variant, Defenders, picture);
        let on_the_column = ["d7", "d6", "d4", "d3"];
        assert_reaches(&game, "d5", ["a5", "b5", "c5", "e5", "f5", "g5"].into_iter().chain(on_the_column));
    }
    assert_reaches(&board("magpie", Defenders, picture), "d5", ["c5", "e5", "d6", "d4"]);
    for variant in ["york", "fetlar"] {
        let game = board(
            variant,
            Defenders,
            "
            11 . . . . . . . . . . .
            10 . . . . . . . . . . .
             9 . . . . . . . . . . .
             8 . . . . . . . . . . .
             7 . . . . T . . . . . .
             6 . . . T K . . t . . .
             5 . . . . T . . . . . .
             4 . . . . . . . . . . .
             3 . . . . . . . . . . .
             2 . . . . . . . . . . .
             1 . . . . . . . . . . .
               a b c d e f g h i j k",
        );
        assert_reaches(&game, "e6", ["f6", "g6"]);
    }
}

// The corners

const ON_THE_EDGE_7: &str = "
    7 . . . T . . .
    6 . . . . . . .
    5 . . . . K . .
    4 t . . . . . .
    3 . . . . . . .
    2 . . . . . . .
    1 . . . . . . .
      a b c d e f g";

const ON_THE_EDGE_11: &str = "
    11 . . . . . T . . . . .
    10 . . . . . . . . . . .
     9 . . . . . . . . . . .
     8 . . . . . . . . . . .
     7 . . . . . . . . . . .
     6 t . . K . . . . . . .
     5 . . . . . . . . . . .
     4 . . . . . . . . . . .
     3 . . . . . . . . . . .
     2 . . . . . . . . . . .
     1 . . . . . . . . . . .
       a b c d e f g h i j k";

#[test]
fn pieces_stop_before_corners_that_are_the_kings() {
    for variant in ["magpie", "brandubh"] {
        let on_the_row = ["b4", "c4", "e4", "f4", "g4"];
        let game = board(variant, Attackers, ON_THE_EDGE_7);
        assert_reaches(&game, "a4", on_the_row.into_iter().chain(["a2", "a3", "a5", "a6"]));
        let game = board(variant, Defenders, ON_THE_EDGE_7);
        let on_the_column = ["d6", "d5", "d3", "d2", "d1"];
        assert_reaches(&game, "d7", on_the_column.into_iter().chain(["b7", "c7", "e7", "f7"]));
    }
    let game = board("fetlar", Attackers, ON_THE_EDGE_11);
    let on_the_column = ["a2", "a3", "a4", "a5", "a7", "a8", "a9", "a10"];
    assert_reaches(&game, "a6", on_the_column.into_iter().chain(["b6", "c6"]));
}

#[test]
fn pieces_rest_on_ordinary_corners() {
    let game = board("ard-ri", Attackers, ON_THE_EDGE_7);
    let on_the_row = ["b4", "c4", "d4", "e4", "f4", "g4"];
    assert_reaches(&game, "a4", on_the_row.into_iter().chain(["a1", "a2", "a3", "a5", "a6", "a7"]));
    let game = board("ard-ri", Defenders, ON_THE_EDGE_7);
    let on_the_column = ["d6", "d5", "d4", "d3", "d2", "d1"];
    assert_reaches(&game, "d7", on_the_column.into_iter().chain(["a7", "b7", "c7", "e7", "f7", "g7"]));
    let game = board("york", Attackers, ON_THE_EDGE_11);
    let on_the_column = ["a1", "a2", "a3", "a4", "a5", "a7", "a8", "a9", "a10", "a11"];
    assert_reaches(&game, "a6", on_the_column.into_iter().chain(["b6", "c6"]));
    let game = board(
        "sea-battle",
        Attackers,
        "
        9 . . . . . . . . .
        8 . . . . . . . . .
        7 . . . . . . . . .
        6 . . . . . . . . .
        5 . . . . . . . . .
        4 . . . . K . . . .
        3 . . . . . . . . .
        2 . . . T . . . . .
        1 . . T t . . . . .
          a b c d e f g h i",
    );
    assert_reaches(&game, "d1", ["e1", "f1", "g1", "h1", "i1"]);
}

#[test]
fn the_king_rests_on_a_corner() {
    let on_the_edge = "
        7 . . . . . . .
        6 . . . . . . .
        5 . . . . . . .
        4 . . . . . . .
        3 . . . . t . .
        2 . . . . T . .
        1 . . T . K . .
          a b c d e f g";
    assert_reaches(&board("brandubh", Defenders, on_the_edge), "e1", ["d1", "f1", "g1"]);
    let beside_a_corner = "
        7 . . . . . . .
        6 . . . . . . .
        5 . . . . . . .
        4 . . . . . . .
        3 . . . . t . .
        2 . . . . . T .
        1 . . . . . K .
          a b c d e f g";
    assert_reaches(&board("magpie", Defenders, beside_a_corner), "f1", ["e1", "g1"]);
}

#[test]
fn squares_reserved_for_the_king_are_listed() {
    for (variant, own) in [
        ("magpie", &["a1", "a7", "d4", "g1", "g7"] as &[&str]),
        ("brandubh", &["a1", "a7", "d4", "g1", "g7"]),
        ("ard-ri", &[]),
        ("sea-battle", &[]),
        ("york", &["f6"]),
        ("fetlar", &["a1", "a11", "f6", "k1", "k11"]),
    ] {
        let rulebook = Variant::find(variant).unwrap().rulebook();
        let names: Vec<_> = rulebook.king_only().into_iter().map(|square| square.to_string()).collect();
        assert_eq!(names, own, "{variant}");
    }
}
