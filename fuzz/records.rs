//! Fuzzes records of games.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| drop(ratatosk_fuzz::readers::records::read(text)));
