//! Compares the rules with a second, slow and obvious implementation that shares no code with them.
//!
//! Moves, captures and endings are compared for every variant. Who is the aggressor in a repetition is compared on 7x7
//! boards only.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod oracle;
mod seeded_rng;

use ratatosk::rules::repetition::Freedom;
use ratatosk::rules::{
    Basis, Layout, Move, Outcome, Position, Record, Rulebook, Side, Square, SquareSet, VARIANTS, Variant,
};
use seeded_rng::{Rng, scatter, set_ups};
use std::collections::BTreeSet;

fn plain_square(square: Square) -> oracle::Square {
    (square.file().into(), square.rank().into())
}

fn plain_squares(set: SquareSet) -> BTreeSet<oracle::Square> {
    set.into_iter().map(plain_square).collect()
}

fn plain_side(side: Side) -> oracle::Side {
    match side {
        Side::Attackers => oracle::Side::Attackers,
        Side::Defenders => oracle::Side::Defenders,
    }
}

fn plain_reason(outcome: Outcome) -> Option<oracle::Reason> {
    match outcome {
        Outcome::KingCaptured => Some(oracle::Reason::KingCaptured),
        Outcome::KingEscaped => Some(oracle::Reason::KingEscaped),
        Outcome::Encirclement => Some(oracle::Reason::Encirclement),
        Outcome::NoMoves { .. } => Some(oracle::Reason::NoMoves),
        Outcome::Repetition { .. } => None,
    }
}

/// Returns every set-up of the variants that the oracle knows, with the oracle's rules.
fn known_set_ups() -> impl Iterator<Item = (&'static Variant, &'static Layout, &'static oracle::Rules)> {
    set_ups().filter_map(|(variant, layout)| {
        let rules = oracle::GAMES.iter().find(|rules| rules.name == variant.id)?;
        Some((variant, layout, rules))
    })
}

#[test]
fn the_oracle_knows_every_variant() {
    let known: Vec<&str> = oracle::GAMES.iter().map(|rules| rules.name).collect();
    for variant in VARIANTS {
        let id = variant.id;
        assert!(known.contains(&id), "add the rules of {id:?}, as its document has them, to tests/oracle/variants.rs");
    }
    for name in known {
        assert!(Variant::find(name).is_some(), "{name:?} in tests/oracle/variants.rs is not a variant");
    }
}

/// Returns a position as the oracle reads it.
fn plain_board(rulebook: &Rulebook, position: &Position) -> oracle::Board {
    let board = oracle::Board::parse(&rulebook.write_position(position), plain_side(position.to_move()));
    board.unwrap_or_else(|wrong| panic!("the oracle cannot read a position: {wrong}"))
}

/// What the comparisons covered.
#[derive(Default, Debug)]
struct Met {
    moves: usize,
    captures: usize,
    endings: BTreeSet<&'static str>,
}

/// Compares every move of a position: which there are, what they capture, how they end the game.
fn compare(rules: &oracle::Rules, rulebook: &Rulebook, position: &Position, met: &mut Met) {
    let written = rulebook.write_position(position);
    let board = plain_board(rulebook, position);
    let moves: Vec<Move> = rulebook.legal_moves(position).collect();
    let plain: BTreeSet<_> = moves.iter().map(|mv| (plain_square(mv.from), plain_square(mv.to))).collect();
    assert_eq!(plain, oracle::legal_moves(rules, &board), "{} {written} {:?}", rules.name, position.to_move());
    assert_eq!(plain.len(), moves.len(), "a move is listed twice in {written}");
    for mv in moves {
        let case = format!("{} {written} {:?} {mv}", rules.name, position.to_move());
        let ours = rulebook.apply(position, mv);
        let theirs = oracle::play_legal_move(rules, &board, plain_square(mv.from), plain_square(mv.to));
        assert_eq!(plain_squares(ours.all_captures()), theirs.captures, "{case}");
        assert_eq!(rulebook.write_position(&ours.position), theirs.board.record(), "{case}");
        assert_eq!(plain_side(ours.position.to_move()), theirs.board.to_move, "{case}");
        let ending = ours.outcome.map(|outcome| (outcome.winner().map(plain_side), plain_reason(outcome).unwrap()));
        assert_eq!(ending, theirs.ending, "{case}");
        met.moves += 1;
        met.captures += ours.all_captures().len() as usize;
        met.endings.extend(ours.outcome.map(Outcome::id));
    }
}

#[test]
fn random_games_agree_with_the_oracle() {
    let mut rng = Rng::new(1);
    for (variant, layout, rules) in known_set_ups() {
        let (rulebook, mut met) = (variant.rulebook(), Met::default());
        for _ in 0..6 {
            let mut position = variant.start_position(layout);
            for _ in 0..100 {
                compare(rules, &rulebook, &position, &mut met);
                let moves: Vec<Move> = rulebook.legal_moves(&position).collect();
                let played = rulebook.apply(&position, rng.pick(&moves));
                if played.outcome.is_some() {
                    break;
                }
                position = played.position;
            }
        }
        assert!(met.captures > 100, "{} {}: {met:?}", variant.id, layout.id);
    }
}

#[test]
fn random_positions_agree_with_the_oracle() {
    let mut rng = Rng::new(2);
    for (variant, layout, rules) in
        known_set_ups().filter(|(variant, layout, _)| variant.default_layout().id == layout.id)
    {
        let (rulebook, mut met) = (variant.rulebook(), Met::default());
        for _ in 0..250 {
            compare(rules, &rulebook, &scatter(&mut rng, &rulebook), &mut met);
        }
        let endings = met.endings.len();
        // Captured, escaped, no moves, and encirclement where it counts.
        let possible = 3 + usize::from(variant.rules.encirclement);
        assert_eq!(endings, possible, "{} {}: {met:?}", variant.id, layout.id);
    }
}

/// Plays random moves, often back and forth, until a position occurs for the third time.
fn wander_until_third(rng: &mut Rng, record: &mut Record) -> bool {
    for _ in 0..60 {
        let moves: Vec<Move> = record.playable_moves().collect();
        // Going back makes repetitions likely.
        let back = record.plies().len().checked_sub(2).map(|n| record.plies()[n].mv);
        let back = back.map(|mv| Move { from: mv.to, to: mv.from }).filter(|mv| moves.contains(mv));
        let mv = back.filter(|_| rng.below(10) > 0).unwrap_or_else(|| rng.pick(&moves));
        if record.try_move(mv).unwrap().repetition().is_some() {
            record.play(mv).unwrap();
            return true;
        }
        if record.play(mv).unwrap().outcome.is_some() {
            return false;
        }
    }
    false
}

#[test]
fn repetition_verdicts_agree_with_the_oracle() {
    let mut rng = Rng::new(3);
    let mut judged = 0;
    let usual = known_set_ups().filter(|(variant, layout, _)| variant.default_layout().id == layout.id);
    for (variant, layout, rules) in usual.filter(|(variant, ..)| variant.rules.size == 7) {
        let mut tries = 0;
        let mut cycles = 0;
        while cycles < 1 && tries < 40 {
            tries += 1;
            // The verdict does not depend on what follows from it, so Magpie can be judged as well.
            let rulebook = ratatosk::rules::Rules {
                repetition: ratatosk::rules::rules::RepetitionRule::AggressorLoses,
                ..variant.rules
            };
            let rulebook = std::sync::Arc::new(Rulebook::new(rulebook).unwrap());
            let mut record = Record::new(std::sync::Arc::clone(&rulebook), variant.start_position(layout));
            for _ in 0..rng.below(30) {
                let moves: Vec<Move> = record.playable_moves().collect();
                if !moves.is_empty() {
                    record.play(rng.pick(&moves)).unwrap();
                }
            }
            if record.outcome().is_some() || !wander_until_third(&mut rng, &mut record) {
                continue;
            }
            cycles += 1;
            judged += 1;
            let last = record.plies().last().unwrap().mv;
            let mut before = record.clone();
            before.take_back(1);
            let ours = before.try_move(last).unwrap().repetition().unwrap().clone();
            let positions =
                std::iter::once(record.start_position()).chain(record.plies().iter().map(|ply| &ply.position));
            let boards: Vec<oracle::Board> = positions.map(|position| plain_board(&rulebook, position)).collect();
            let moves: Vec<_> =
                record.plies().iter().map(|ply| (plain_square(ply.mv.from), plain_square(ply.mv.to))).collect();
            let theirs = oracle::judge(rules, &boards, &moves);
            let verdict = ours.verdict.unwrap();
            assert_eq!(ours.occurrences, theirs.occurrences);
            assert_eq!(verdict.aggressor.map(plain_side), theirs.aggressor);
            let same = |ours: &Freedom, theirs: &oracle::Freedom| {
                assert_eq!(
                    (ours.ways_out.into(), ours.others.into(), ours.turn),
                    (theirs.ways_out, theirs.others, theirs.turn)
                );
            };
            same(&verdict.attackers, &theirs.attackers);
            same(&verdict.defenders, &theirs.defenders);
            assert_eq!(
                match verdict.basis {
                    Basis::NobodyFree => oracle::Basis::NobodyFree,
                    Basis::OneMuchFreer => oracle::Basis::OneMuchFreer,
                    Basis::CompletedIt => oracle::Basis::CompletedIt,
                },
                theirs.basis
            );
        }
    }
    assert!(judged >= 3, "there were only {judged} cycles");
}
