//! Why moves are refused, and how moves are read and written.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(dead_code, reason = "every test file uses some of it")]
mod board_pictures;

use board_pictures::{Game, assert_captured_king, board, board_by, mv, square, squares, start_of, with};
use ratatosk::rules::Side::{Attackers, Defenders};
use ratatosk::rules::rules::Centre;
use ratatosk::rules::{BadSetup, IllegalMove, Outcome, Piece, PieceSet, Rules, Variant};

// Refusals

#[test]
fn there_is_no_piece_on_the_square() {
    assert_eq!(start_of("brandubh", "cross").refusal("c3-c5"), IllegalMove::NoPiece(square("c3")));
}

#[test]
fn it_is_the_opponents_piece() {
    let game = start_of("brandubh", "cross");
    assert_eq!(game.refusal("d5-c5"), IllegalMove::OpponentsPiece { square: square("d5"), piece: Piece::Defender });
    assert_eq!(game.refusal("d4-d5"), IllegalMove::OpponentsPiece { square: square("d4"), piece: Piece::King });
    let game = start_of("sea-battle", "cross");
    assert_eq!(game.refusal("d9-c9"), IllegalMove::OpponentsPiece { square: square("d9"), piece: Piece::Attacker });
}

#[test]
fn the_squares_are_not_in_line() {
    let (from, to) = (square("d1"), square("e2"));
    assert_eq!(start_of("brandubh", "cross").refusal("d1-e2"), IllegalMove::NotInLine { from, to });
    let (from, to) = (square("d1"), square("f2"));
    assert_eq!(start_of("brandubh", "cross").refusal("d1-f2"), IllegalMove::NotInLine { from, to });
}

#[test]
fn the_move_ends_where_it_begins() {
    assert_eq!(start_of("brandubh", "cross").refusal("d1-d1"), IllegalMove::StandsStill(square("d1")));
}

#[test]
fn a_piece_is_in_the_way() {
    let game = start_of("brandubh", "cross");
    let in_the_way = |square_name, piece| IllegalMove::InTheWay { square: square(square_name), piece };
    assert_eq!(game.refusal("a4-c4"), in_the_way("b4", Piece::Attacker));
    assert_eq!(game.refusal("b4-c4"), in_the_way("c4", Piece::Defender));
    let game = board(
        "brandubh",
        Attackers,
        "
        7 . . . . . . .
        6 . . . . . . .
        5 . . . . . . .
        4 t . T . . . .
        3 . . . . . . .
        2 . t . K . t .
        1 . . . . . . .
          a b c d e f g",
    );
    // The nearest piece in the way is named, not the last.
    assert_eq!(game.refusal("b2-g2"), in_the_way("d2", Piece::King));
    assert_eq!(game.refusal("f2-a2"), in_the_way("d2", Piece::King));
    assert_eq!(game.refusal("a4-g4"), in_the_way("c4", Piece::Defender));
}

#[test]
fn only_the_king_may_rest_on_the_centre() {
    let picture = "
        7 . . . . . . .
        6 . . . T . . .
        5 . . . . . . .
        4 t . . . . . .
        3 . . . . . . .
        2 . . . . . K .
        1 . . . . . . .
          a b c d e f g";
    for variant in ["magpie", "brandubh"] {
        let no_rest = |piece| IllegalMove::NoRest { square: square("d4"), piece };
        assert_eq!(board(variant, Attackers, picture).refusal("a4-d4"), no_rest(Piece::Attacker));
        assert_eq!(board(variant, Defenders, picture).refusal("d6-d4"), no_rest(Piece::Defender));
    }
}

#[test]
fn only_the_king_may_rest_on_a_corner() {
    for (variant, layout, typed, corner) in [
        ("magpie", "circle", "a4-a7", "a7"),
        ("brandubh", "cross", "d1-g1", "g1"),
        ("fetlar", "diamond", "d1-a1", "a1"),
    ] {
        let refusal = start_of(variant, layout).refusal(typed);
        assert_eq!(refusal, IllegalMove::NoRest { square: square(corner), piece: Piece::Attacker }, "{variant}");
    }
}

#[test]
fn the_leprechaun_goes_one_square() {
    let game = board(
        "magpie",
        Defenders,
        "
        7 . . . . . . .
        6 . . . . . . .
        5 . . . . . . .
        4 . . . . K . .
        3 . . . . . . .
        2 . . . . . . .
        1 . . t . . . .
          a b c d e f g",
    );
    let single_step = |to| IllegalMove::SingleStep { from: square("e4"), to: square(to) };
    assert_eq!(game.refusal("e4-e6"), single_step("e6"));
    assert_eq!(game.refusal("Ke4-a4"), single_step("a4"));
}

#[test]
fn the_square_is_off_the_board() {
    let game = start_of("brandubh", "cross");
    let off = |file, rank| IllegalMove::OffTheBoard { file, rank, size: 7 };
    assert_eq!(game.refusal("d1-d9"), off('d', 9));
    assert_eq!(game.refusal("d1-d8"), off('d', 8));
    assert_eq!(game.refusal("d1-d0"), off('d', 0));
    assert_eq!(game.refusal("h1-g1"), off('h', 1));
    assert_eq!(game.refusal("Z3-a3"), off('z', 3));
    assert_eq!(game.refusal("d1-c1xd11"), off('d', 11));
    assert!(matches!(game.refusal("d1-d99999999999999999999"), IllegalMove::OffTheBoard { file: 'd', size: 7, .. }));
    let game = start_of("york", "diamond");
    assert_eq!(game.refusal("d1-d12"), IllegalMove::OffTheBoard { file: 'd', rank: 12, size: 11 });
    assert_eq!(game.refusal("l1-a1"), IllegalMove::OffTheBoard { file: 'l', rank: 1, size: 11 });
}

#[test]
fn a_move_that_was_not_typed_is_refused_off_the_board_as_well() {
    let mut game = start_of("brandubh", "cross");
    let refusal = game.record.play(mv("d1-h1")).err();
    assert_eq!(refusal, Some(IllegalMove::OffTheBoard { file: 'h', rank: 1, size: 7 }));
}

#[test]
fn the_game_is_over() {
    let game = board("ard-ri", Defenders, KING_NEAR_THE_EDGE).play("Kd2-d1");
    let over = Outcome::KingEscaped;
    assert_eq!(game.refusal("a4-a5"), IllegalMove::GameOver(over));
    assert_eq!(game.refusal("what?"), IllegalMove::GameOver(over));
    assert_eq!(game.record.try_move(mv("a4-a5")).map(|_| ()), Err(IllegalMove::GameOver(over)));
}

#[test]
fn text_that_is_not_a_move_is_refused_with_an_example() {
    let positions = [
        start_of("brandubh", "cross"),
        start_of("sea-battle", "cross"),
        board("ard-ri", Defenders, KING_NEAR_THE_EDGE),
        board("magpie", Attackers, KING_NEAR_THE_EDGE),
    ];
    for game in positions {
        for typed in [
            "",
            " ",
            "d4",
            "K",
            "Kd4",
            "d1-",
            "-d4",
            "hello",
            "d1-d4 please",
            "d1 d2 d3",
            "1d-4d",
            "11-22",
            "d1-d4x",
            "d1-d4xd5/",
            "d1-d4xx",
            "d1-d4+++",
            "d1+d4",
            "dd1-d4",
            "d-1-d4",
            "♔d1-d4",
            "d1\u{0}d4",
        ] {
            let IllegalMove::NotUnderstood { example: Some(example) } = game.refusal(typed) else {
                panic!("{typed:?}: {:?}", game.refusal(typed));
            };
            assert!(
                game.record.rulebook().is_legal(game.record.position(), example),
                "{example} after {typed:?}\n{game}"
            );
        }
    }
}

#[test]
fn the_move_captures_other_pieces_than_are_written() {
    let game = board("brandubh", Attackers, THREE_CAN_BE_TAKEN);
    let taken = squares(["b3", "c4", "d3"]);
    for (typed, written) in [
        ("c1-c3xb3", squares(["b3"])),
        ("c1-c3xb3/c4", squares(["b3", "c4"])),
        ("c1-c3xb3/c4/d3/e3", squares(["b3", "c4", "d3", "e3"])),
        ("c1-c3xf6", squares(["f6"])),
    ] {
        assert_eq!(game.refusal(typed), IllegalMove::WrongCaptures { written, captured: taken }, "{typed}");
    }
    let quiet = IllegalMove::WrongCaptures { written: squares(["c4"]), captured: squares([]) };
    assert_eq!(game.refusal("c1-c2xc4"), quiet);
}

#[test]
fn a_wrong_list_of_captures_is_wrong_even_if_the_king_is_taken() {
    let game = board("brandubh", Attackers, MAN_AND_KING_CAN_BE_TAKEN);
    let taken = squares(["e6", "f5"]);
    assert_eq!(game.refusal("f7-f6xe6"), IllegalMove::WrongCaptures { written: squares(["e6"]), captured: taken });
    assert_eq!(game.refusal("f7-f6xd6++"), IllegalMove::WrongCaptures { written: squares(["d6"]), captured: taken });
}

#[test]
fn the_piece_there_is_not_the_king() {
    let game = start_of("brandubh", "cross");
    assert_eq!(game.refusal("Kd1-c1"), IllegalMove::NotTheKing { square: square("d1"), piece: Piece::Attacker });
    let game = board("ard-ri", Defenders, KING_NEAR_THE_EDGE);
    assert_eq!(game.refusal("Kf5-f6"), IllegalMove::NotTheKing { square: square("f5"), piece: Piece::Defender });
}

#[test]
fn the_king_is_not_taken_although_it_was_written() {
    assert_eq!(start_of("brandubh", "cross").refusal("d1-c1++"), IllegalMove::KingNotCaptured);
    assert_eq!(board("ard-ri", Defenders, KING_NEAR_THE_EDGE).refusal("Kd2-d1++"), IllegalMove::KingNotCaptured);
}

#[test]
fn the_king_does_not_escape_although_it_was_written() {
    let game = board("brandubh", Defenders, KING_NEAR_THE_EDGE);
    assert_eq!(game.refusal("Kd2-d1--"), IllegalMove::KingNotEscaped);
    let game = board("brandubh", Attackers, MAN_AND_KING_CAN_BE_TAKEN);
    assert_eq!(game.refusal("f7-f6--"), IllegalMove::KingNotEscaped);
}

#[test]
fn this_kind_of_piece_may_not_cross() {
    // None of our games has such a centre.
    let brandubh = Variant::find("brandubh").unwrap().rules;
    let rules = Rules { centre: Centre { cross: PieceSet::KING, ..brandubh.centre }, ..brandubh };
    let game = board_by(
        rules,
        Attackers,
        "
        7 . . . . . . .
        6 . . . . . . .
        5 . . . . . . .
        4 t . . . . . .
        3 . . . . . . .
        2 . . . . . K .
        1 . . . . . . .
          a b c d e f g",
    );
    let refusal = IllegalMove::NoCrossing { square: square("d4"), piece: Piece::Attacker };
    assert_eq!(game.refusal("a4-e4"), refusal);
    assert_eq!(game.play("a4-c4").last().piece, Piece::Attacker);
}

#[test]
fn a_refused_move_changes_nothing() {
    let game = start_of("brandubh", "cross").play("d1-c1");
    let mut record = game.record.clone();
    for wrong in ["d1-c1", "d4-d5", "c4-d4", "d4-e5", "d5-d8"] {
        let answer = record.play_typed(wrong).map(|_| ());
        assert!(answer.is_err(), "{wrong}");
        assert_eq!(record, game.record);
    }
}

#[test]
fn a_refusal_is_written_out_for_logs() {
    let game = start_of("brandubh", "cross");
    for (typed, why) in [
        ("what?", "not a move; a move is written like a4-a2"),
        ("h9-a1", "h9 is not on the board of 7x7 squares"),
        ("a1-a2", "there is no piece on a1"),
        ("d5-c5", "the defender on d5 is not to move"),
        ("Kd1-c1", "the piece on d1 is not the king but an attacker"),
        ("d1-d1", "the move ends on d1, where it begins"),
        ("d1-e2", "d1 and e2 are not on one row or column"),
        ("d1-d4", "the way is blocked by the attacker on d2"),
        ("d1-a1", "an attacker may not end a move on a1"),
        ("d1-c1xc2/c3", "captures are written as c2, c3, but the move captures none"),
        ("d1-c1++", "written with ++, but the move does not capture the king"),
        ("d1-c1--", "written with --, but the king does not escape"),
    ] {
        assert_eq!(game.refusal(typed).to_string(), why, "{typed}");
    }
    let over = board("ard-ri", Defenders, KING_NEAR_THE_EDGE).play("Kd2-d1");
    assert_eq!(over.refusal("a4-a5").to_string(), "the game is over: king-escaped");
}

// Positions that cannot be played on

#[track_caller]
fn assert_cannot_be_played_on(variant: &str, record: &str, fault: BadSetup) {
    let rulebook = Variant::find(variant).unwrap().rulebook();
    for side in [Attackers, Defenders] {
        assert_eq!(rulebook.read_position(record, side).err(), Some(fault), "{variant} {record}");
    }
}

#[test]
fn a_position_must_have_the_size_of_the_board() {
    let small = "/3t3/7/7/3K3/7/7/3t3/";
    assert_cannot_be_played_on("sea-battle", small, BadSetup::WrongSize { given: 7, needed: 9 });
    assert_cannot_be_played_on("york", small, BadSetup::WrongSize { given: 7, needed: 11 });
}

#[test]
fn a_position_must_have_one_king() {
    assert_cannot_be_played_on("brandubh", "/3t3/7/7/7/7/7/3t3/", BadSetup::Kings(0));
    assert_cannot_be_played_on("brandubh", "/3t3/7/7/3K3/3K3/7/3t3/", BadSetup::Kings(2));
}

#[test]
fn the_king_must_not_be_at_his_goal_already() {
    assert_cannot_be_played_on("brandubh", "/K2t3/7/7/7/7/7/3t3/", BadSetup::KingAtGoal(square("a7")));
    assert_cannot_be_played_on("ard-ri", "/7/7/7/K6/7/7/3t3/", BadSetup::KingAtGoal(square("a4")));
    assert!(Variant::find("brandubh").unwrap().rulebook().read_position("/7/7/7/K6/7/7/3t3/", Attackers).is_ok());
}

#[test]
fn no_other_piece_may_stand_where_only_the_king_rests() {
    let on = |name, piece| BadSetup::NoRest { square: square(name), piece };
    assert_cannot_be_played_on("brandubh", "/7/7/3K3/3T3/7/7/3t3/", on("d4", Piece::Defender));
    assert_cannot_be_played_on("magpie", "/7/7/3K3/7/7/7/t6/", on("a1", Piece::Attacker));
    let rulebook = Variant::find("ard-ri").unwrap().rulebook();
    assert!(rulebook.read_position("/7/7/3K3/3T3/7/7/t6/", Attackers).is_ok());
}

#[test]
fn a_position_must_be_written_rank_by_rank() {
    assert_cannot_be_played_on("brandubh", "3t3/7/7/3K3/7/7/3t3", BadSetup::NoSlashes);
    assert_cannot_be_played_on("brandubh", "/3t3/7/7/3Q3/7/7/3t3/", BadSetup::UnknownLetter('Q'));
    let too_long = BadSetup::RankLength { rank: 1, squares: 8, ranks: 7 };
    assert_cannot_be_played_on("brandubh", "/3t3/7/7/3K3/7/7/3t4/", too_long);
}

// Typed moves

const KING_NEAR_THE_EDGE: &str = "
    7 . . . . . . .
    6 . . . . . . .
    5 . . . . . T .
    4 t . . . . . .
    3 . . . . . . .
    2 . . . K . . .
    1 . . . . . . .
      a b c d e f g";

const ONE_CAN_BE_TAKEN: &str = "
    7 . . . . . . .
    6 . . . . . . .
    5 . t T . . t .
    4 . . . K . . .
    3 . . . . . . .
    2 . . . . . . .
    1 . . . . . . .
      a b c d e f g";

const THREE_CAN_BE_TAKEN: &str = "
    7 . . . . . . .
    6 . . . . . K .
    5 . . t . . . .
    4 . . T . . . .
    3 t T . T t . .
    2 . . . . . . .
    1 . . t . . . .
      a b c d e f g";

const MAN_AND_KING_CAN_BE_TAKEN: &str = "
    7 . . . . . t .
    6 . . . t K . .
    5 . . . . . T .
    4 . . . . . t .
    3 . . . . . . .
    2 . . . . . . .
    1 . . . . . . .
      a b c d e f g";

#[track_caller]
fn assert_read_as(game: &Game, typed: &str, meant: &str) {
    let read = game.record.try_typed(typed).map(|candidate| candidate.mv());
    assert_eq!(read, Ok(mv(meant)), "{typed:?}\n{game}");
}

#[test]
fn moves_are_read_with_and_without_a_dash() {
    let game = board("brandubh", Attackers, ONE_CAN_BE_TAKEN);
    for typed in ["f5-d5", "f5d5", "f5 d5", "f5 - d5", "f5- d5", "f5   d5", "f5--d5", "f5 to d5", "f5tod5", "f5\td5"] {
        assert_read_as(&game, typed, "f5-d5");
    }
}

#[test]
fn every_kind_of_dash_is_read() {
    let game = board("brandubh", Attackers, ONE_CAN_BE_TAKEN);
    for dash in "-\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2015}\u{2212}\u{FE58}\u{FE63}\u{FF0D}".chars() {
        assert_read_as(&game, &format!("f5{dash}d5"), "f5-d5");
        assert_read_as(&game, &format!("F5 {dash} D5xC5"), "f5-d5");
    }
}

#[test]
fn arrows_are_read() {
    let game = board("brandubh", Attackers, ONE_CAN_BE_TAKEN);
    for typed in ["f5->d5", "f5 -> d5", "f5>d5", "f5→d5", "f5 → d5"] {
        assert_read_as(&game, typed, "f5-d5");
    }
}

#[test]
fn case_and_surrounding_space_do_not_matter() {
    let game = board("brandubh", Attackers, ONE_CAN_BE_TAKEN);
    for typed in ["F5-D5", "F5 D5", "F5D5", "f5 TO d5", "F5 To D5", "  f5-d5", "f5-d5  ", "\n f5-d5\t\n", "\u{a0}f5-d5"]
    {
        assert_read_as(&game, typed, "f5-d5");
    }
}

#[test]
fn captures_may_be_written() {
    let game = board("brandubh", Attackers, ONE_CAN_BE_TAKEN);
    for typed in ["f5-d5xc5", "F5-D5XC5", "f5d5xc5", "f5 d5 x c5", "f5-d5 xc5", "f5 to d5 x c5", "f5-d5×c5"] {
        assert_read_as(&game, typed, "f5-d5");
    }
    let game = board("brandubh", Attackers, THREE_CAN_BE_TAKEN);
    for typed in
        ["c1-c3", "c1-c3xb3/c4/d3", "c1-c3xb3xc4xd3", "c1-c3xd3/b3/c4", "c1-c3 x b3 / c4 / d3", "C1C3XB3XC4/D3"]
    {
        assert_read_as(&game, typed, "c1-c3");
    }
}

#[test]
fn the_kings_capture_may_be_left_out() {
    let game = board("brandubh", Attackers, MAN_AND_KING_CAN_BE_TAKEN);
    for typed in ["f7-f6", "f7-f6++", "f7-f6xf5", "f7-f6xf5++", "f7-f6xf5/e6", "f7-f6xe6xf5", "f7-f6xe6/f5++"] {
        assert_read_as(&game, typed, "f7-f6");
    }
    assert_captured_king(&game.play("f7-f6"), "e6", ["f5"]);
}

#[test]
fn the_king_may_be_named() {
    let game = board("ard-ri", Defenders, KING_NEAR_THE_EDGE);
    for typed in
        ["Kd2-g2", "kd2-g2", "KD2-G2", "K d2-g2", "Kd2g2", "kd2 to g2", "d2-g2", "Kd2-g2--", "d2-g2--", "Kd2–g2 --"]
    {
        assert_read_as(&game, typed, "d2-g2");
    }
}

#[test]
fn on_large_boards_k_is_also_a_file() {
    let game = board(
        "fetlar",
        Defenders,
        "
        11 . . . . . . . . . . .
        10 . . . . . . . . . . .
         9 . . . . . . . . . . T
         8 . . . . . . . . . . .
         7 . . . . . . . . . . .
         6 t . . . . . . . . . .
         5 . . . . . . . . . . .
         4 . . . . . . . . . . K
         3 . . . . . . . . . . .
         2 . . . . . . . . . . .
         1 . . . . . . . . . . .
           a b c d e f g h i j k",
    );
    for typed in ["k4-k1", "K4-K1", "Kk4-k1", "kk4k1", "KK4-K1", "K k4 k1", "k4k1--"] {
        assert_read_as(&game, typed, "k4-k1");
    }
    for typed in ["k9-k10", "K9K10", "k9 k10"] {
        assert_read_as(&game, typed, "k9-k10");
    }
    assert_eq!(game.refusal("Kk9-k10"), IllegalMove::NotTheKing { square: square("k9"), piece: Piece::Defender });
}

#[test]
fn ranks_above_nine_are_read() {
    let game = start_of("york", "diamond");
    for typed in ["d11-d10", "d11d10", "D11 D10", "d11 to d10"] {
        assert_read_as(&game, typed, "d11-d10");
    }
    assert_read_as(&game, "d11c11", "d11-c11");
}

// Written moves

#[test]
fn a_quiet_move_is_written_plainly() {
    assert_eq!(start_of("brandubh", "cross").play("D1 c1").last().to_string(), "d1-c1");
    assert_eq!(start_of("york", "diamond").play("d11d10").last().to_string(), "d11-d10");
}

#[test]
fn captures_are_written_after_an_x_and_slashes() {
    assert_eq!(board("brandubh", Attackers, ONE_CAN_BE_TAKEN).play("f5d5").last().to_string(), "f5-d5xc5");
    let three = board("brandubh", Attackers, THREE_CAN_BE_TAKEN);
    assert_eq!(three.play("c1c3xd3xc4xb3").last().to_string(), "c1-c3xb3/c4/d3");
}

#[test]
fn the_kings_move_is_written_with_a_k() {
    let game = board("brandubh", Defenders, KING_NEAR_THE_EDGE);
    assert_eq!(game.play("d2-f2").last().to_string(), "Kd2-f2");
    let takes = board("brandubh", Defenders, &with(KING_NEAR_THE_EDGE, "b1 t"));
    assert_eq!(takes.play_all("d2-d1 a4-a5 d1-c1").last().to_string(), "Kd1-c1xb1");
}

#[test]
fn two_pluses_are_written_when_the_king_is_taken_and_his_square_is_not() {
    let game = board("brandubh", Attackers, MAN_AND_KING_CAN_BE_TAKEN);
    assert_eq!(game.play("f7-f6").last().to_string(), "f7-f6xf5++");
    let game = board("brandubh", Attackers, &with(MAN_AND_KING_CAN_BE_TAKEN, "f4 ."));
    assert_eq!(game.play("f7-f6").last().to_string(), "f7-f6++");
}

#[test]
fn two_minuses_are_written_when_the_king_escapes() {
    let game = board("ard-ri", Defenders, KING_NEAR_THE_EDGE);
    assert_eq!(game.play("d2-d1").last().to_string(), "Kd2-d1--");
    let game = board("ard-ri", Defenders, &with(KING_NEAR_THE_EDGE, "b1 T c1 t"));
    assert_eq!(game.play("d2-d1").last().to_string(), "Kd2-d1xc1--");
}

#[test]
fn other_endings_are_not_written() {
    let game = board(
        "brandubh",
        Attackers,
        "
        7 . . . . . . .
        6 . . . t . . .
        5 . . t . t . .
        4 . t . K . t .
        3 . . t . . . t
        2 . . . t . . .
        1 . . . . . . .
          a b c d e f g",
    );
    let encircled = game.play("g3-e3");
    assert_eq!(encircled.record.outcome(), Some(Outcome::Encirclement));
    assert_eq!(encircled.last().to_string(), "g3-e3");
}

#[test]
fn what_was_written_can_be_read_again() {
    for (game, typed) in [
        (start_of("brandubh", "cross"), "d1c1"),
        (board("brandubh", Attackers, THREE_CAN_BE_TAKEN), "c1c3"),
        (board("brandubh", Attackers, MAN_AND_KING_CAN_BE_TAKEN), "f7f6"),
        (board("ard-ri", Defenders, KING_NEAR_THE_EDGE), "d2d1"),
        (board("ard-ri", Defenders, &with(KING_NEAR_THE_EDGE, "b1 T c1 t")), "d2d1"),
    ] {
        let once = game.play(typed);
        assert_eq!(game.play(&once.last().to_string()).record, once.record, "{typed}\n{game}");
    }
}

#[test]
fn reading_a_move_does_not_apply_it() {
    let game = start_of("brandubh", "cross");
    // The way is blocked, which shows only when the move is applied.
    let read = game.record.read_move("d1-d6").unwrap();
    assert_eq!(read.mv, mv("d1-d6"));
    assert!(matches!(game.record.try_move(read), Err(IllegalMove::InTheWay { .. })));
}

#[test]
fn what_a_typed_move_says_is_checked_when_it_is_applied() {
    let game = start_of("brandubh", "cross");
    let read = game.record.read_move("d1-c1xc2").unwrap();
    let refused = IllegalMove::WrongCaptures { written: squares(["c2"]), captured: squares([]) };
    assert_eq!(game.record.try_move(read), Err(refused));
}
