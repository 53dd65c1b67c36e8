//! A small file system of its own, where the test may mount one.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A small file system, which is unmounted afterwards.
pub struct SmallDisk {
    at: PathBuf,
}

impl SmallDisk {
    /// Mounts it with options such as `size=1m`. Returns nothing, and prints so, where mounting is not allowed.
    pub fn mount(at: &Path, options: &str) -> Option<Self> {
        std::fs::create_dir_all(at).unwrap();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(at).output();
        if !mounted.is_ok_and(|output| output.status.success()) {
            println!("skipped: no file system can be mounted here");
            return None;
        }
        Some(Self { at: at.to_owned() })
    }

    /// Changes its options.
    pub fn remount(&self, options: &str) {
        let mounted = Command::new("mount").args(["-o", &format!("remount,{options}")]).arg(&self.at).status();
        assert!(mounted.unwrap().success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.at).status();
    }
}
