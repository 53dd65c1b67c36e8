//! Fuzzes records of games.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| _ = ratatosk_fuzz::readers::records::read(text));
