//! No text makes the reading of moves, squares and positions panic, and what is read as a move is legal.
#![no_main]
#![allow(dead_code)]

// The rules alone, which know nobody: the rest of the program would take minutes to build with counters in it.
#[path = "../src/rules/mod.rs"]
mod rules;

use libfuzzer_sys::fuzz_target;
use rules::{Side, VARIANTS, notation};

fuzz_target!(|text: &str| {
    for variant in VARIANTS {
        let (book, start) = (variant.book(), variant.start(variant.usual_layout()));
        let _ = notation::read_square(&book, text);
        if let Ok(mv) = notation::read_move(&book, &start, text) {
            assert!(book.is_legal(&start, mv));
        }
        if let Ok(position) = book.read_position(text, Side::Attackers) {
            assert_eq!(book.read_position(&book.write_position(&position), Side::Attackers), Ok(position));
        }
    }
});
