//! No text makes the reading of settings panic, every fault is told, and none of them tells the token.
//!
//! The text is taken for a file of settings, and once more for the value of every variable.
#![no_main]
#![allow(dead_code, unused_imports)]

#[path = "../src/config/mod.rs"]
mod config;

use config::{Loaded, Purpose, Sources, keys::KEYS};
use libfuzzer_sys::fuzz_target;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::LazyLock;

/// The end of a token that nobody may see.
const SECRET: &str = "only-this-program-knows-it";

/// A file of settings. It is written in its place: one that is emptied first waits for the disk.
static FILE: LazyLock<(PathBuf, File)> = LazyLock::new(|| {
    let path = std::env::temp_dir().join(format!("ratatosk-fuzz-{}.toml", std::process::id()));
    let file = File::create(&path).expect("a file can be made");
    (path, file)
});

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
    if text.contains(SECRET) {
        // The fuzzer has guessed it.
        return;
    }
    // A token stands where tokens stand.
    let text = text.replace("token = \"$", &format!("token = \"MTE3NDk4NTc2MTI4MzY1NTY4MA.Gfuzzy.{SECRET}-whatever"));
    let (path, file) = &*FILE;
    file.write_all_at(text.as_bytes(), 0).and_then(|()| file.set_len(text.len() as u64)).expect("it can be written");
    read(&Sources { file: Some(path.clone()), ..Sources::default() });
    for key in KEYS.iter().filter(|key| !text.contains(SECRET) || key.name == "discord.token") {
        read(&Sources { variables: vec![(key.variable.into(), text.clone().into())], ..Sources::default() });
    }
});
