//! Nothing that stands in a cell of a damaged database makes the bot panic.
//!
//! The first byte names the cell, the second the kind of what stands in it.
#![no_main]
#![allow(dead_code, unused_imports)]

// What tests call by the name of the program is in this one.
extern crate self as ratatosk;

#[path = "../tests/fire/damage.rs"]
mod damage;
#[path = "../src/game/mod.rs"]
pub mod game;
#[path = "../src/rules/mod.rs"]
pub mod rules;
#[path = "../src/store/mod.rs"]
pub mod store;
#[path = "../tests/store_room/mod.rs"]
mod store_room;

use damage::Damaged;
use libfuzzer_sys::fuzz_target;
use rusqlite::types::Value;
use std::cell::RefCell;

thread_local! {
    static DAMAGED: RefCell<Damaged> = RefCell::new(Damaged::new());
}

fuzz_target!(|bytes: &[u8]| {
    let [cell, kind, value @ ..] = bytes else { return };
    let number = || value.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let wrong = match kind % 8 {
        0 => Value::Null,
        1 => Value::Blob(value.to_vec()),
        2 => Value::Real(f64::from_bits(number())),
        3 | 4 => Value::Integer(number().cast_signed()),
        _ => Value::Text(String::from_utf8_lossy(value).into_owned()),
    };
    DAMAGED.with_borrow_mut(|damaged| {
        let cell = usize::from(*cell) % damaged.cells();
        damaged.read_with(cell, &wrong);
    });
});
