//! No text makes the reading of buttons and commands panic, and what a button carries is written as it was read.
//!
//! The first line is a button, or the name of a command whose options follow: `variant=york`.
#![no_main]
#![allow(dead_code, unused_imports)]

#[path = "../src/commands.rs"]
mod commands;
#[path = "../src/game/mod.rs"]
mod game;
#[path = "../src/rules/mod.rs"]
mod rules;
#[path = "../src/scene.rs"]
mod scene;
#[path = "../src/app"]
mod app {
    pub mod code;
    pub mod wish;
}

use app::code;
use app::wish::{Value, Wish};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let written = code::read(text).and_then(|wish| code::write(&wish));
    if let Some(written) = written {
        let again = code::read(&written).and_then(|wish| code::write(&wish));
        assert_eq!(again.as_deref(), Some(written.as_str()));
        assert!(written.len() <= code::LONGEST);
    }
    let mut lines = text.lines();
    let name = lines.next().unwrap_or_default();
    let option = |line: &str| {
        let (option, value) = line.split_once('=').unwrap_or((line, ""));
        (option.to_owned(), Value::Text(value.to_owned()))
    };
    let _ = Wish::understand(name, lines.map(option).collect());
});
