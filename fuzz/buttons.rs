//! Fuzzes the custom ids of buttons.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = ratatosk_fuzz::readers::buttons::read(text);
});
