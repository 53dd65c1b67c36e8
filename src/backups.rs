//! Automatic backups: when one is due, what it is called, and which ones are removed.
//!
//! All of that is decided by the file names in the folder, so that no state has to survive a restart.

use crate::game::{Seconds, Timestamp};
use crate::store::{Store, StoreError};
use crate::text::time;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};
use std::{fs, io};
use tracing::{error, info};

/// The time between two checks. It is short, because the machine's clock may have been set.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);
/// The time before a failed backup is tried again.
const RETRY_DELAY: Duration = Duration::from_secs(10 * 60);
/// The age at which an unfinished backup is taken for abandoned.
const ABANDONED_AGE: Duration = Duration::from_secs(60 * 60);

/// How far the time in a name may be ahead, if there is a backup of this second already.
const MAX_NAME_SHIFT: Seconds = Seconds(10);

/// Which backups to make.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackupSchedule {
    pub database: PathBuf,
    pub folder: PathBuf,
    /// The time between two backups.
    pub every: Duration,
    pub keep: usize,
}

/// A folder with backups of one database.
#[derive(Clone, Debug)]
pub struct BackupFolder {
    database: PathBuf,
    path: PathBuf,
    /// What the file names begin with, because two databases can share a folder.
    prefix: String,
}

impl BackupFolder {
    /// Names the folder for backups of a database. It is created with the first backup.
    #[must_use]
    pub fn new(database: &Path, path: PathBuf) -> Self {
        let prefix = database.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        Self { database: database.to_owned(), path, prefix }
    }

    /// Makes a backup named by the time, and removes the oldest beyond the number to keep.
    ///
    /// # Errors
    ///
    /// Returns an error if the database cannot be read or the backup cannot be written.
    pub fn add(&self, now: Timestamp, keep: usize) -> Result<PathBuf, StoreError> {
        let new_folders: Vec<&Path> = self.path.ancestors().take_while(|folder| !folder.exists()).collect();
        let mut moment = now;
        loop {
            let name = self.name_at(moment);
            let path = self.path.join(&name);
            match Store::backup(&self.database, &path) {
                // There is another one of the same second.
                Err(StoreError::Exists(_)) if moment < now + MAX_NAME_SHIFT => moment = moment + Seconds(1),
                made => {
                    made?;
                    new_folders.into_iter().chain([&*path]).for_each(|made| copy_owner(&self.database, made));
                    self.remove_old(&name, keep);
                    return Ok(path);
                }
            }
        }
    }

    /// Returns whether the newest backup is older than the interval. One from the future, made before the clock was set
    /// back, does not count.
    #[must_use]
    pub fn is_due(&self, now: Timestamp, every: Duration) -> bool {
        let (latest, limit) = (self.name_at(now), self.name_at(now - seconds(every)));
        // The names sort by time.
        self.backups().iter().filter(|name| **name <= latest).all(|name| *name <= limit)
    }

    fn name_at(&self, moment: Timestamp) -> String {
        let second = moment.0.rem_euclid(24 * 60 * 60);
        let (hours, minutes, seconds) = (second / 3600, second / 60 % 60, second % 60);
        let day = time::iso_date(moment);
        format!("{}-{day}T{hours:02}{minutes:02}{seconds:02}Z.db", self.prefix)
    }

    /// Returns the names of the backups; none if the folder does not exist.
    fn backups(&self) -> Vec<String> {
        let names = fs::read_dir(&self.path).into_iter().flatten().flatten().map(|file| file.file_name());
        names.filter_map(|name| name.into_string().ok()).filter(|name| self.is_ours(name)).collect()
    }

    /// Returns whether a file has the name of a backup. No other file in the folder is ever removed.
    fn is_ours(&self, name: &str) -> bool {
        const PATTERN: &[u8] = b"-0000-00-00T000000Z.db";
        let Some(time) = name.strip_prefix(&self.prefix) else { return false };
        let matches = |(byte, pattern): (u8, &u8)| {
            if *pattern == b'0' { byte.is_ascii_digit() } else { byte == *pattern }
        };
        time.len() == PATTERN.len() && time.bytes().zip(PATTERN).all(matches)
    }

    fn remove_old(&self, newest: &str, keep: usize) {
        let mut backups = self.backups();
        backups.retain(|name| name.as_str() <= newest);
        backups.sort();
        let too_many = backups.len().saturating_sub(keep.max(1));
        for old in backups.iter().take(too_many).map(|name| self.path.join(name)).chain(self.abandoned()) {
            if let Err(error) = fs::remove_file(&old) {
                error!(%error, file = %old.display(), "old backup cannot be removed, trying again after the next one");
            }
        }
    }

    /// Returns the unfinished backups of processes that were killed.
    fn abandoned(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let old = |file: &fs::DirEntry| {
            let age =
                file.metadata().and_then(|about| about.modified()).map(|time| SystemTime::now().duration_since(time));
            matches!(age, Ok(Ok(age)) if age > ABANDONED_AGE)
        };
        let unfinished = |file: &fs::DirEntry| file.file_name().to_str().is_some_and(|name| self.is_unfinished(name));
        files.filter(old).filter(unfinished).map(|file| file.path()).collect()
    }

    /// Returns whether a file is an unfinished backup: `NAME.PID.unfinished`.
    fn is_unfinished(&self, name: &str) -> bool {
        let parts = name.strip_suffix(".unfinished").and_then(|name| name.rsplit_once('.'));
        parts.is_some_and(|(name, process)| self.is_ours(name) && process.bytes().all(|byte| byte.is_ascii_digit()))
    }
}

/// Gives a file or folder the owner of another, if that is possible: the bot has to be able to write to a folder that
/// root has created for it.
fn copy_owner(from: &Path, to: &Path) {
    #[cfg(unix)]
    if let Ok(owner) = from.metadata() {
        use std::os::unix::fs::{MetadataExt, chown};
        // Only root can do this. The backup is good all the same.
        let _ = chown(to, Some(owner.uid()), Some(owner.gid()));
    }
    #[cfg(not(unix))]
    let _ = (from, to);
}

fn seconds(time: Duration) -> Seconds {
    Seconds(i64::try_from(time.as_secs()).unwrap_or(i64::MAX))
}

/// A thread that makes backups when they are due, until it is dropped.
pub struct BackupWorker {
    /// Nothing is ever sent: dropping it tells the thread to stop.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl BackupWorker {
    /// Starts the thread. It has its own connection to the database, and does not hold up players.
    ///
    /// # Errors
    ///
    /// Returns an error if the thread cannot be started.
    pub fn start(schedule: BackupSchedule, now: fn() -> Timestamp) -> io::Result<Self> {
        let (stop, stopped) = channel();
        let thread = std::thread::Builder::new().name(String::from("backups"));
        let thread = thread.spawn(move || run(&schedule, now, &stopped))?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for BackupWorker {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was logged when it happened.
            let _ = thread.join();
        }
    }
}

fn run(schedule: &BackupSchedule, now: fn() -> Timestamp, stopped: &Receiver<()>) {
    let folder = BackupFolder::new(&schedule.database, schedule.folder.clone());
    loop {
        let mut pause = CHECK_INTERVAL;
        if folder.is_due(now(), schedule.every) {
            match folder.add(now(), schedule.keep) {
                Ok(path) => info!(file = %path.display(), "backup made"),
                Err(error) => {
                    error!(%error, folder = %schedule.folder.display(), "backup failed, retrying in {} minutes", RETRY_DELAY.as_secs() / 60);
                    pause = RETRY_DELAY;
                }
            }
        }
        if stopped.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}
