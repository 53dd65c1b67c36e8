//! A folder for one test, which is removed afterwards.

#![allow(dead_code, clippy::panic, reason = "each test program uses its own part")]

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub struct TempFolder {
    path: PathBuf,
    is_kept: bool,
}

impl TempFolder {
    /// Creates a new folder among the temporary files of the system.
    pub fn new(name: &str) -> Self {
        Self::new_in(&std::env::temp_dir(), name)
    }

    /// Creates a new folder in another one, which is created if it is missing.
    pub fn new_in(parent: &Path, name: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        fs::create_dir_all(parent).unwrap_or_else(|error| panic!("{}: {error}", parent.display()));
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("ratatosk-{name}-{}-{count}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Self { path, is_kept: false },
                // An earlier process had the same id, or one in another container has it now.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => panic!("{}: {error}", path.display()),
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves the folder where it is.
    pub fn keep(&mut self) {
        self.is_kept = true;
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}
