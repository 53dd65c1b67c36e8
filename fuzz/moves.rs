//! Fuzzes moves, squares and positions.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| ratatosk_fuzz::readers::moves::read(text));
