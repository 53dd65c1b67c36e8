//! Fuzzes commands and their options.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = ratatosk_fuzz::readers::commands::read(text);
});
