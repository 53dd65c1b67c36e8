//! Configuration: every error is reported, and neither errors nor settings show the token.

use ratatosk::config::keys::KEYS;
use ratatosk::config::{LoadedConfig, Purpose, Sources};
use std::ffi::OsString;
use std::fs::File;
use std::io::{Seek, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// The secret part of a token.
pub const SECRET: &str = "only-this-program-knows-it";
/// Where the token is put into a text.
const PLACE: &str = "token = \"$";

/// A configuration file that is overwritten in place, because truncating it first waits for the disk.
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

    /// Reads a text as a configuration file, and as the value of every variable. `token = "$` is replaced by a token.
    pub fn read(&mut self, text: &str) {
        if text.contains(SECRET) {
            // The secret is in the input itself, so an error may repeat it.
            return;
        }
        self.read_file(text);
        for key in KEYS {
            read_variables(vec![(key.variable.into(), text.into())]);
        }
    }

    /// Reads a text as a configuration file. Returns whether it was understood.
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

/// Reads environment variables. Returns whether they were understood.
pub fn read_variables(variables: Vec<(OsString, OsString)>) -> bool {
    understood(&Sources { variables, ..Sources::default() })
}

fn understood(sources: &Sources) -> bool {
    let loaded = LoadedConfig::read(sources, Purpose::Bot);
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
