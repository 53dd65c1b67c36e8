//! Fuzzes the reading of moves, squares and positions.
#![no_main]
#![allow(dead_code)]

// What tests call by the name of the program is in this one.
extern crate self as ratatosk;

#[path = "../tests/resilience/readers/moves.rs"]
mod reader;
// The rules alone, which know nobody: the rest of the program would take minutes to build with counters in it.
#[path = "../src/rules/mod.rs"]
pub mod rules;

libfuzzer_sys::fuzz_target!(|text: &str| reader::read(text));
