//! Copies that are made by themselves: when one is due, what it is called, and which are too many.
//!
//! Everything is read off the names in the folder, so that nothing has to be remembered between two starts.

use crate::game::{Seconds, Timestamp};
use crate::store::{Store, StoreError};
use crate::text::time;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};
use std::{fs, io};
use tracing::{error, info};

/// How often it is looked whether a copy is due: the machine's clock may have been set.
const ROUND: Duration = Duration::from_secs(60);
/// How long is waited after a copy that failed.
const AFTER_FAILURE: Duration = Duration::from_secs(10 * 60);
/// How old an unfinished copy must be for nobody to be writing it any more.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// For how many seconds to come a name is sought that no copy has.
const NAMES_TRIED: Seconds = Seconds(10);

/// Which copies are to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BackupSchedule {
    /// Of which file.
    pub database: PathBuf,
    /// Where they go.
    pub folder: PathBuf,
    /// How often.
    pub every: Duration,
    /// How many are kept.
    pub keep: usize,
}

/// A folder with copies of one database.
#[derive(Clone, Debug)]
pub struct Folder {
    database: PathBuf,
    path: PathBuf,
    /// What the names of its copies begin with: two databases can share a folder.
    name: String,
}

impl Folder {
    /// Names the folder for copies of a database. It is made with the first copy.
    #[must_use]
    pub fn new(database: &Path, path: PathBuf) -> Self {
        let name = database.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        Self { database: database.to_owned(), path, name }
    }

    /// Makes a copy named by the time, and removes the oldest beyond the number to keep.
    pub fn add(&self, now: Timestamp, keep: usize) -> Result<PathBuf, StoreError> {
        let mut moment = now;
        loop {
            let name = self.name_at(moment);
            let path = self.path.join(&name);
            match Store::backup(&self.database, &path) {
                // Somebody else has made one in the same second.
                Err(StoreError::Exists(_)) if moment < now + NAMES_TRIED => moment = moment + Seconds(1),
                made => {
                    made?;
                    self.remove_old(&name, keep);
                    return Ok(path);
                }
            }
        }
    }

    /// Tells whether the newest copy is older than that. One from the future, made before the clock was set back, says
    /// nothing.
    #[must_use]
    pub fn is_due(&self, now: Timestamp, every: Duration) -> bool {
        let (latest, limit) = (self.name_at(now), self.name_at(now - span(every)));
        // In names of this form the order of letters is that of time.
        self.copies().iter().filter(|name| **name <= latest).all(|name| *name <= limit)
    }

    fn name_at(&self, moment: Timestamp) -> String {
        let second = moment.0.rem_euclid(24 * 60 * 60);
        let (hours, minutes, seconds) = (second / 3600, second / 60 % 60, second % 60);
        let day = time::date(moment).replace('.', "-");
        format!("{}-{day}T{hours:02}{minutes:02}{seconds:02}Z.db", self.name)
    }

    /// Gives the names of the copies; a folder that is not there has none.
    fn copies(&self) -> Vec<String> {
        let names = fs::read_dir(&self.path).into_iter().flatten().flatten().map(|file| file.file_name());
        names.filter_map(|name| name.into_string().ok()).filter(|name| self.is_ours(name)).collect()
    }

    /// Tells whether a name is one that we give: whatever else is in the folder is not ours to remove.
    fn is_ours(&self, name: &str) -> bool {
        const PATTERN: &[u8] = b"-0000-00-00T000000Z.db";
        let Some(time) = name.strip_prefix(&self.name) else { return false };
        let fits = |(outgoing, pattern): (u8, &u8)| {
            if *pattern == b'0' { outgoing.is_ascii_digit() } else { outgoing == *pattern }
        };
        time.len() == PATTERN.len() && time.bytes().zip(PATTERN).all(fits)
    }

    fn remove_old(&self, newest: &str, keep: usize) {
        let mut copies = self.copies();
        copies.retain(|name| name.as_str() <= newest);
        copies.sort();
        let too_many = copies.len().saturating_sub(keep.max(1));
        for old in copies.iter().take(too_many).map(|name| self.path.join(name)).chain(self.abandoned()) {
            if let Err(problem) = fs::remove_file(&old) {
                error!(%problem, file = %old.display(), "an old backup cannot be removed");
            }
        }
    }

    /// Gives what is left of copies whose process was killed.
    fn abandoned(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let old = |file: &fs::DirEntry| {
            let age =
                file.metadata().and_then(|about| about.modified()).map(|time| SystemTime::now().duration_since(time));
            matches!(age, Ok(Ok(age)) if age > ABANDONED)
        };
        let paths = files.filter(old).map(|file| file.path());
        paths.filter(|path| self.is_unfinished(path.file_name()).is_some_and(|unfinished| unfinished)).collect()
    }

    fn is_unfinished(&self, name: Option<&OsStr>) -> Option<bool> {
        let (name, process) = name?.to_str()?.strip_suffix(".unfinished")?.rsplit_once('.')?;
        Some(self.is_ours(name) && process.bytes().all(|outgoing| outgoing.is_ascii_digit()))
    }
}

fn span(time: Duration) -> Seconds {
    Seconds(i64::try_from(time.as_secs()).unwrap_or(i64::MAX))
}

/// A thread that makes copies when they are due, until it is dropped.
pub struct BackupWorker {
    /// Never sent anything: that it is gone is the sign to stop.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl BackupWorker {
    /// Starts the thread. It has a connection of its own, and disturbs nobody who plays.
    pub fn start(plan: BackupSchedule, now: fn() -> Timestamp) -> io::Result<Self> {
        let (stop, stopped) = channel();
        let thread = std::thread::Builder::new().name(String::from("backups"));
        let thread = thread.spawn(move || keep(&plan, now, &stopped))?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for BackupWorker {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // If it broke off, that was logged, and there is nothing more to wait for.
            let _ = thread.join();
        }
    }
}

fn keep(plan: &BackupSchedule, now: fn() -> Timestamp, stopped: &Receiver<()>) {
    let folder = Folder::new(&plan.database, plan.folder.clone());
    loop {
        let mut pause = ROUND;
        if folder.is_due(now(), plan.every) {
            match folder.add(now(), plan.keep) {
                Ok(path) => info!(file = %path.display(), "backup made"),
                Err(problem) => {
                    error!(%problem, "no backup could be made; it is tried again in 10 minutes");
                    pause = AFTER_FAILURE;
                }
            }
        }
        if stopped.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}
