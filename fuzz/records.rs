//! Fuzzes the reading of records of games.
#![no_main]
#![allow(dead_code)]

// What tests call by the name of the program is in this one.
extern crate self as ratatosk;

#[path = "../tests/resilience/readers/records.rs"]
mod reader;
#[path = "../src/rules/mod.rs"]
pub mod rules;

libfuzzer_sys::fuzz_target!(|text: &str| drop(reader::read(text)));
