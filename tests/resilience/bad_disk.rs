//! Makes the disk of a running bot fail or slow, by a library that is preloaded into it.

use crate::experiments::bot_process::BotProcess;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

/// A disk that fails on demand.
pub struct BadDisk {
    order: PathBuf,
}

impl BadDisk {
    pub const FULL: i32 = 28;
    pub const READ_ONLY: i32 = 30;
    pub const BROKEN: i32 = 5;

    /// Preloads the library into a bot that is not started yet.
    pub fn under(bot: &mut BotProcess) -> Self {
        let order = bot.folder().join("order");
        for (name, path) in [("LD_PRELOAD", library()), ("BAD_DISK", order.as_path())] {
            bot.set(name, path.to_str().unwrap().to_owned().leak());
        }
        Self { order }
    }

    /// Makes all writes fail.
    pub fn fails_with(&self, error: i32) {
        std::fs::write(&self.order, error.to_string()).unwrap();
    }

    /// Makes every flush take longer.
    pub fn is_slow(&self, flush: Duration) {
        std::fs::write(&self.order, format!("-{}", flush.as_millis())).unwrap();
    }

    /// Returns how many flushes there were while the disk was slow.
    pub fn flushes(&self) -> usize {
        std::fs::metadata(self.order.with_extension("flushes")).map_or(0, |file| file.len() as usize)
    }

    pub fn is_well(&self) {
        std::fs::remove_file(&self.order).unwrap();
    }
}

/// Returns the library, compiled once. There is a C compiler, because SQLite needs one.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (new, library) = (folder.join(format!("bad-disk-{}.so", std::process::id())), folder.join("bad-disk.so"));
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/resilience/bad_disk.c");
        let made = Command::new("cc").args(["-shared", "-fPIC", source, "-ldl", "-o"]).arg(&new).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        // Another run of the tests may be using the old one.
        std::fs::rename(new, &library).unwrap();
        library
    })
}
