//! Fuzzes the reading of the texts of buttons.
#![no_main]
#![allow(dead_code, unused_imports)]

// What tests call by the name of the program is in this one.
extern crate self as ratatosk;

#[path = "../src/app"]
pub mod app {
    pub mod code;
    pub mod command;
}
#[path = "../src/commands.rs"]
pub mod commands;
#[path = "../src/game/mod.rs"]
pub mod game;
#[path = "../tests/resilience/readers/buttons.rs"]
mod reader;
#[path = "../src/rules/mod.rs"]
pub mod rules;
#[path = "../src/scene.rs"]
pub mod board_view;

libfuzzer_sys::fuzz_target!(|text: &str| {
    reader::read(text);
});
