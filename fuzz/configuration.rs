//! Fuzzes the reading of settings.
#![no_main]
#![allow(dead_code, unused_imports)]

// What tests call by the name of the program is in this one.
extern crate self as ratatosk;

#[path = "../src/config/mod.rs"]
pub mod config;
#[path = "../tests/resilience/readers/configuration.rs"]
mod reader;

use std::cell::RefCell;

thread_local! {
    static SETTINGS: RefCell<reader::Settings> = RefCell::new(reader::Settings::new());
}

libfuzzer_sys::fuzz_target!(|text: &str| SETTINGS.with_borrow_mut(|settings| settings.read(text)));
