//! What holds for every variant and every input: counts, symmetries, replays, round trips, and parsers that never panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod seeded_rng;

use proptest::prelude::*;
use ratatosk::rules::rules::{KingMoves, RepetitionRule};
use ratatosk::rules::{
    Move, Piece, Position, Record, Rulebook, Rules, Setup, Side, Square, VARIANTS, Variant, notation, opentafl,
};
use seeded_rng::{Rng, scatter, set_ups};
use std::sync::Arc;

/// Plays random moves until the end, or for at most `plies` plies.
fn random_game(rng: &mut Rng, variant: &Variant, layout: &ratatosk::rules::Layout, plies: usize) -> Record {
    let mut record = variant.new_record(layout);
    for _ in 0..plies {
        let moves: Vec<Move> = record.playable_moves().collect();
        if moves.is_empty() {
            break;
        }
        record.play(rng.pick(&moves)).unwrap();
    }
    record
}

fn pieces(position: &Position) -> [u32; 3] {
    Piece::ALL.map(|piece| position.pieces(piece).len())
}

#[test]
fn pieces_leave_the_board_only_by_capture() {
    let mut rng = Rng::new(11);
    for (variant, layout) in set_ups() {
        for _ in 0..10 {
            let record = random_game(&mut rng, variant, layout, 150);
            let mut before = *record.start_position();
            for ply in record.plies() {
                let [attackers, defenders, kings] = pieces(&before);
                let taken = ply.captures.len();
                let expected = match ply.piece.side() {
                    Side::Attackers => [attackers, defenders - taken, kings - u32::from(ply.captured_king.is_some())],
                    Side::Defenders => [attackers - taken, defenders, kings],
                };
                assert_eq!(pieces(&ply.position), expected, "{ply}");
                before = ply.position;
            }
        }
    }
}

/// Returns the eight ways to turn and mirror a board.
fn symmetry(n: usize, size: u8, square: Square) -> Square {
    let (mut file, mut rank, last) = (square.file(), square.rank(), size - 1);
    if n & 1 != 0 {
        file = last - file;
    }
    if n & 2 != 0 {
        rank = last - rank;
    }
    if n & 4 != 0 {
        (file, rank) = (rank, file);
    }
    Square::new(file, rank).unwrap()
}

fn turned(rulebook: &Rulebook, position: &Position, n: usize) -> Position {
    let size = rulebook.rules().size;
    let mut rows = vec![vec!['1'; size.into()]; size.into()];
    for piece in Piece::ALL {
        for square in position.pieces(piece) {
            let to = symmetry(n, size, square);
            rows[usize::from(size - 1 - to.rank())][usize::from(to.file())] = piece.letter();
        }
    }
    // Empty squares are written as one number, so count them.
    let rank = |row: &Vec<char>| -> String {
        let mut text = String::new();
        let mut gap = 0;
        for letter in row {
            if *letter == '1' {
                gap += 1;
                continue;
            }
            if gap > 0 {
                text += &gap.to_string();
            }
            gap = 0;
            text.push(*letter);
        }
        if gap > 0 { text + &gap.to_string() } else { text }
    };
    let record: String = rows.iter().map(|row| format!("/{}", rank(row))).collect();
    rulebook.read_position(&(record + "/"), position.to_move()).unwrap()
}

#[test]
fn the_board_can_be_turned_and_mirrored() {
    let mut rng = Rng::new(12);
    for (variant, _) in set_ups() {
        let rulebook = variant.rulebook();
        for _ in 0..20 {
            let position = scatter(&mut rng, &rulebook);
            let leaves = rulebook.perft(&position, 2);
            let takes = |p: &Position| {
                rulebook.legal_moves(p).map(|mv| rulebook.apply(p, mv).all_captures().len()).sum::<u32>()
            };
            for n in 1..8 {
                let other = turned(&rulebook, &position, n);
                assert_eq!(rulebook.perft(&other, 2), leaves, "{} {}", variant.id, rulebook.write_position(&position));
                assert_eq!(takes(&other), takes(&position), "{} {}", variant.id, rulebook.write_position(&position));
            }
        }
    }
}

#[test]
fn a_move_is_legal_if_and_only_if_it_is_listed() {
    let mut rng = Rng::new(13);
    for (variant, _) in set_ups() {
        let rulebook = variant.rulebook();
        for _ in 0..25 {
            let position = scatter(&mut rng, &rulebook);
            let listed: Vec<Move> = rulebook.legal_moves(&position).collect();
            let all = (0..11).flat_map(|file| (0..11).map(move |rank| Square::new(file, rank).unwrap()));
            let mut count = 0;
            for from in all.clone() {
                for to in all.clone() {
                    let mv = Move { from, to };
                    let legal = rulebook.is_legal(&position, mv);
                    assert_eq!(legal, listed.contains(&mv), "{mv} in {}", rulebook.write_position(&position));
                    count += usize::from(legal);
                }
            }
            assert_eq!(count, listed.len());
            assert_eq!(rulebook.can_move(&position), count > 0);
        }
    }
}

#[test]
fn encirclement_is_found_wherever_a_plain_flood_fill_finds_it() {
    let mut rng = Rng::new(14);
    let mut encircled = 0;
    for variant in VARIANTS.iter().filter(|variant| variant.rules.encirclement) {
        let rulebook = variant.rulebook();
        for _ in 0..4_000 {
            // Two moves, so that what a position remembers of the first is tested.
            let position = scatter(&mut rng, &rulebook);
            for first in rulebook.legal_moves(&position).take(8) {
                let played = rulebook.apply(&position, first);
                if played.outcome.is_some() {
                    continue;
                }
                for second in rulebook.legal_moves(&played.position).take(8) {
                    let after = rulebook.apply(&played.position, second);
                    if after.piece != Piece::Attacker || after.captured_king.is_some() {
                        continue;
                    }
                    let found = after.outcome == Some(ratatosk::rules::Outcome::Encirclement);
                    assert_eq!(found, rulebook.is_encircled(&after.position), "{}", rulebook.write_position(&position));
                    encircled += usize::from(found);
                }
            }
        }
    }
    assert!(encircled > 100, "only {encircled} rings were met");
}

#[test]
fn written_moves_positions_and_games_are_read_back() {
    let mut rng = Rng::new(15);
    for (variant, layout) in set_ups() {
        for _ in 0..4 {
            let record = random_game(&mut rng, variant, layout, 120);
            let mut again = variant.new_record(layout);
            for ply in record.plies() {
                let written = ply.to_string();
                let played = again.play_typed(&written).unwrap_or_else(|why| panic!("{written}: {why}"));
                assert_eq!(played, ply);
                let rulebook = record.rulebook();
                let position = rulebook.write_position(&ply.position);
                if ply.outcome.is_none() {
                    assert_eq!(rulebook.read_position(&position, ply.position.to_move()), Ok(ply.position));
                }
            }
            assert_eq!(again, record);
            let tags = [("attackers", "Ann [x]\n"), ("date", "2026.11.16")];
            let text = opentafl::write_game(&record, &tags);
            let read = opentafl::read_game(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
            assert_eq!(read.game, record);
            assert_eq!(read.game.rulebook().rules(), &variant.rules);
            assert_eq!(read.tags[0], (String::from("attackers"), String::from("Ann  x  ")));
        }
    }
}

#[test]
fn an_opentafl_record_lists_the_lowest_rank_first() {
    let variant = Variant::find("ard-ri").unwrap();
    let rulebook = variant.rulebook();
    let position = rulebook.read_position("/t6/7/3T3/3K3/7/7/6t/", Side::Attackers).unwrap();
    let text = opentafl::write_rules(&rulebook, &position);
    assert!(text.contains("start:/6t/7/7/3K3/3T3/7/t6/"), "{text}");
    let (read, start) = opentafl::read_rules(&text).unwrap();
    assert_eq!((read.rules(), start), (rulebook.rules(), position));
}

#[test]
fn opentafl_records_of_others_are_read_or_refused_with_the_reason() {
    let fetlar = "dim:11 start:/3ttttt3/5t5/11/t4T4t/t3TTT3t/tt1TTKTT1tt/t3TTT3t/t4T4t/11/5t5/3ttttt3/";
    let (rulebook, _) = opentafl::read_rules(fetlar).unwrap();
    assert!(rulebook.rules().encirclement && rulebook.rules().king_armed);
    let game = format!("[event:Cup]\n{fetlar}\n\n1. d1-d3 e5-e3\n[good|better]\n2. ---\n");
    assert_eq!(opentafl::read_game(&game).unwrap().game.plies().len(), 2);
    for (text, part) in [
        ("", "no line of rules"),
        ("dim:7", "no line of rules"),
        ("dim:7 sw:s start:/7/", "`sw:s`"),
        ("dim:7 esc:x start:/7/", "`x`"),
        ("dim:seven", "`seven`"),
        ("hello", "`hello`"),
        ("[date", "not a tag"),
        ("dim:13 start:/13/13/13/13/13/13/13/13/13/13/13/13/13/", "11 ranks"),
    ] {
        let why = opentafl::read_game(text).unwrap_err().to_string();
        assert!(why.contains(part), "{text}: {why}");
    }
}

/// Generates text that resembles what a parser expects.
fn nearly() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-kK0-9xX/+ -]{0,24}",
        "[KT t0-9/]{0,40}",
        "(dim|esc|surf|atkf|tfr|ka|ks|cen|cor|start|\\[x)[:=][a-zA-Z0-9/\\]]{0,12}[ \n].{0,30}",
        "\\[ratatosk-[a-z-]{0,20}:[a-z]{0,10}\\]\ndim:7 start:/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/\n.{0,20}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_a_parser_panic(text in nearly()) {
        for variant in VARIANTS {
            let rulebook = variant.rulebook();
            let start = variant.start_position(variant.default_layout());
            if let Ok(mv) = notation::read_move(&rulebook, &start, &text) {
                prop_assert!(rulebook.is_legal(&start, mv));
            }
            let _ = notation::read_square(&rulebook, &text);
            if let Ok(position) = rulebook.read_position(&text, Side::Attackers) {
                let written = rulebook.write_position(&position);
                prop_assert_eq!(rulebook.read_position(&written, Side::Attackers), Ok(position));
            }
        }
        let _ = Setup::read(&text);
        let _ = opentafl::read_game(&text);
    }

    #[test]
    fn no_bytes_make_a_parser_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let text = String::from_utf8_lossy(&bytes);
        let rulebook = VARIANTS[0].rulebook();
        let _ = notation::read_move(&rulebook, &VARIANTS[0].start_position(VARIANTS[0].default_layout()), &text);
        let _ = Setup::read(&text);
        let _ = opentafl::read_game(&text);
    }

    #[test]
    fn stored_rules_are_read_back(armed: bool, encirclement: bool, step: bool, size in 0u8..14) {
        let king_moves = if step { KingMoves::Step } else { KingMoves::Line };
        let variant = VARIANTS.iter().find(|variant| variant.rules.king_moves == king_moves).unwrap();
        let repetition = RepetitionRule::AggressorMustVary;
        let rules = Rules { king_armed: armed, encirclement, size, repetition, ..variant.rules };
        let text = serde_json::to_string(&rules).unwrap();
        prop_assert_eq!(serde_json::from_str::<Rules>(&text).unwrap(), rules);
        prop_assert_eq!(Rulebook::new(rules).is_ok(), matches!(size, 5 | 7 | 9 | 11));
    }
}

#[test]
fn replaying_a_game_gives_the_same_game() {
    let mut rng = Rng::new(17);
    for (variant, layout) in set_ups() {
        let record = random_game(&mut rng, variant, layout, 200);
        let mut again = Record::new(Arc::new(variant.rulebook()), *record.start_position());
        for ply in record.plies() {
            again.play(ply.mv).unwrap();
        }
        assert_eq!(again.position(), record.position());
        assert_eq!(again.position().key(), record.position().key());
        assert_eq!(again.outcome(), record.outcome());
        // The key that is updated move by move is the one of the position.
        if record.outcome().is_none() {
            let rulebook = record.rulebook();
            let fresh =
                rulebook.read_position(&rulebook.write_position(record.position()), record.position().to_move());
            assert_eq!(fresh.unwrap().key(), record.position().key());
        }
    }
}
