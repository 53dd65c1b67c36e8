//! Fuzzes configuration files and environment variables.
#![no_main]

use ratatosk_fuzz::readers::configuration::Settings;
use std::cell::RefCell;

thread_local! {
    static SETTINGS: RefCell<Settings> = RefCell::new(Settings::new());
}

libfuzzer_sys::fuzz_target!(|text: &str| SETTINGS.with_borrow_mut(|settings| settings.read(text)));
