//! No text makes the reading of records panic, and what is read can be written and read again.
#![no_main]
#![allow(dead_code)]

#[path = "../src/rules/mod.rs"]
mod rules;

use libfuzzer_sys::fuzz_target;
use rules::opentafl;

fuzz_target!(|text: &str| {
    if let Ok(read) = opentafl::read_game(text) {
        let again = opentafl::write_game(&read.game, &[]);
        assert!(opentafl::read_game(&again).is_ok_and(|other| other.game == read.game), "{again}");
    }
});
