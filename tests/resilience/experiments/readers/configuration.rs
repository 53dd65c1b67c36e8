//! Settings: every fault is told, and neither a fault nor what was understood tells the token.

use ratatosk::config::keys::KEYS;
use ratatosk::config::{Loaded, Purpose, Sources};
use std::ffi::OsString;
use std::fs::File;
use std::io::{Seek, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// The end of a token that nobody may see.
pub const SECRET: &str = "only-this-program-knows-it";
/// Where it stands in a text.
const PLACE: &str = "token = \"$";

/// A file of settings that is written again and again, in its place: one that is emptied first waits for the disk.
pub struct Settings {
    path: PathBuf,
    file: File,
}

impl Settings {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("ratatosk-settings-{}-{count}.toml", std::process::id()));
        let file = File::create(&path).expect("a file can be made");
        Self { path, file }
    }

    /// Takes a text for a file of settings, and for the value of every variable. Where the text says `token = "$`, there is a
    /// token.
    pub fn read(&mut self, text: &str) {
        if text.contains(SECRET) {
            // The fuzzer has guessed it.
            return;
        }
        self.read_file(text);
        for key in KEYS {
            read_variables(vec![(key.variable.into(), text.into())]);
        }
    }

    /// Takes a text for a file of settings; tells whether it was understood.
    pub fn read_file(&mut self, text: &str) -> bool {
        let token = format!("token = \"MTE3NDk4NTc2MTI4MzY1NTY4MA.Gfuzzy.{SECRET}-whatever");
        let text = text.replace(PLACE, &token);
        self.file.rewind().and_then(|()| self.file.write_all(text.as_bytes())).expect("it can be written");
        self.file.set_len(text.len() as u64).expect("it can be written");
        understood(&Sources { file: Some(self.path.clone()), ..Sources::default() })
    }
}

impl Drop for Settings {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Takes these for all variables that are set; tells whether they were understood.
pub fn read_variables(variables: Vec<(OsString, OsString)>) -> bool {
    understood(&Sources { variables, ..Sources::default() })
}

fn understood(sources: &Sources) -> bool {
    let loaded = Loaded::read(sources, Purpose::Bot);
    let told = match &loaded {
        Ok(loaded) => format!("{loaded:?}{:?}", loaded.lines().map(|(_, value, _)| value).collect::<Vec<_>>()),
        Err(faults) => {
            assert!(!faults.is_empty(), "nothing is wrong, and yet it is refused");
            faults.iter().map(ToString::to_string).collect()
        }
    };
    assert!(!told.contains(SECRET), "the token is told: {told}");
    loaded.is_ok()
}
