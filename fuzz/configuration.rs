//! No text makes the reading of settings panic, every fault is told, and none of them tells the token.
//!
//! The text is taken for a file of settings, and once more for the value of every variable.
#![no_main]
#![allow(dead_code, unused_imports)]

#[path = "../src/config/mod.rs"]
mod config;

use config::{Loaded, Purpose, Sources, keys::KEYS};
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;

/// The end of a token that nobody may see.
const SECRET: &str = "only-this-program-knows-it";

static FILE: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("ratatosk-fuzz-{}.toml", std::process::id())));

fn read(sources: &Sources) {
    let told = match Loaded::read(sources, Purpose::Bot) {
        Ok(loaded) => format!("{loaded:?}{:?}", loaded.lines().map(|(_, value, _)| value).collect::<Vec<_>>()),
        Err(faults) => {
            assert!(!faults.is_empty());
            faults.iter().map(ToString::to_string).collect()
        }
    };
    assert!(!told.contains(SECRET), "{told}");
}

fuzz_target!(|text: &str| {
    // A token stands where tokens stand.
    let text = text.replace("token = \"$", &format!("token = \"MTE3NDk4NTc2MTI4MzY1NTY4MA.Gfuzzy.{SECRET}-whatever"));
    if std::fs::write(&*FILE, &text).is_ok() {
        read(&Sources { file: Some(FILE.clone()), ..Sources::default() });
    }
    for key in KEYS.iter().filter(|key| !text.contains(SECRET) || key.name == "discord.token") {
        read(&Sources { variables: vec![(key.variable.into(), text.clone().into())], ..Sources::default() });
    }
});
