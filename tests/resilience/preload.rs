//! Compiles C libraries that are preloaded into a running bot, to make the system calls of the program fail.

use crate::experiments::bot_process::BotProcess;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// Preloads the library of a C file beside this one into a bot that is not started yet. The library reads its orders from
/// the file that is returned, whose path it finds in the environment variable `order`; the file does not exist yet.
pub fn preload(bot: &mut BotProcess, source: &str, order: &'static str) -> PathBuf {
    let file = bot.folder().join("order");
    for (name, path) in [("LD_PRELOAD", library(source).as_path()), (order, file.as_path())] {
        bot.set(name, path.to_str().unwrap().to_owned().leak());
    }
    file
}

/// Returns the library of a C file, compiled once. There is a C compiler, because SQLite needs one.
fn library(source: &str) -> PathBuf {
    static COMPILED: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let library = folder.join(format!("{source}.so"));
    let mut compiled = COMPILED.lock().unwrap();
    if !compiled.iter().any(|before| before == source) {
        let new = folder.join(format!("{source}-{}.so", std::process::id()));
        let code = format!("{}/tests/resilience/{source}.c", env!("CARGO_MANIFEST_DIR"));
        let made = Command::new("cc").args(["-shared", "-fPIC", &code, "-ldl", "-o"]).arg(&new).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        // Another run of the tests may be using the old one.
        std::fs::rename(new, &library).unwrap();
        compiled.push(source.to_owned());
    }
    library
}
