//! Fuzzes the cells of a damaged database.
#![no_main]
#![allow(dead_code, unused_imports)]

// What tests call by the name of the program is in this one.
extern crate self as ratatosk;

#[path = "../src/app/mod.rs"]
pub mod app;
#[path = "../src/commands.rs"]
pub mod commands;
#[path = "../tests/resilience/damage.rs"]
mod damage;
#[path = "../src/game/mod.rs"]
pub mod game;
#[path = "../tests/resilience/plain.rs"]
mod plain;
#[path = "../tests/resilience/readers/rows.rs"]
mod reader;
#[path = "../src/rules/mod.rs"]
pub mod rules;
#[path = "../src/scene.rs"]
pub mod board_view;
#[path = "../src/store/mod.rs"]
pub mod store;
#[path = "../tests/store_room/mod.rs"]
mod store_room;
#[path = "../src/text/mod.rs"]
pub mod text;

use damage::Damaged;
use std::cell::RefCell;

thread_local! {
    static DAMAGED: RefCell<Damaged> = RefCell::new(Damaged::new());
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    DAMAGED.with_borrow_mut(|damaged| reader::read(damaged, bytes));
});
