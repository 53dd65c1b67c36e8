//! Makes the disk of a running bot fail or slow, by a library that is preloaded into it.

use crate::experiments::bot_process::BotProcess;
use crate::preload::preload;
use std::path::PathBuf;
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
        Self { order: preload(bot, "bad_disk", "BAD_DISK") }
    }

    /// Makes all writes fail.
    pub fn fail_with(&self, error: i32) {
        std::fs::write(&self.order, error.to_string()).unwrap();
    }

    /// Makes every flush take longer.
    pub fn slow_down(&self, flush: Duration) {
        std::fs::write(&self.order, format!("-{}", flush.as_millis())).unwrap();
    }

    /// Returns how many flushes there were while the disk was slow.
    pub fn flushes(&self) -> usize {
        std::fs::metadata(self.order.with_extension("flushes")).map_or(0, |file| file.len() as usize)
    }

    pub fn recover(&self) {
        std::fs::remove_file(&self.order).unwrap();
    }
}
