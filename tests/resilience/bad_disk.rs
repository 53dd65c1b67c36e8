//! Makes the disk of a running bot fail or wait, with a library that is preloaded into it.

use crate::experiments::bot_process::{BotProcess, wait_until};
use crate::preload::preload;
use std::path::PathBuf;

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
        self.give_order(&error.to_string());
    }

    /// Makes every flush wait until [`Self::release_flushes`] or [`Self::recover`].
    pub fn hold_flushes(&self) {
        self.give_order("hold");
    }

    /// Lets flushes go on, and still counts them.
    pub fn release_flushes(&self) {
        self.give_order("count");
    }

    /// Replaces the file of orders in one step, so that the library never reads a part of it.
    fn give_order(&self, order: &str) {
        let new = self.order.with_extension("new");
        std::fs::write(&new, order).unwrap();
        std::fs::rename(new, &self.order).unwrap();
    }

    /// Returns how many flushes there were since they were held for the first time.
    pub fn flushes(&self) -> usize {
        std::fs::metadata(self.order.with_extension("flushes")).map_or(0, |file| file.len() as usize)
    }

    /// Waits until a flush is held.
    pub async fn wait_until_held(&self) {
        wait_until("a flush to be held", async || (self.flushes() == 0).then(|| String::from("there was none"))).await;
    }

    pub fn recover(&self) {
        std::fs::remove_file(&self.order).unwrap();
    }
}
