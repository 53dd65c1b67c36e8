//! Checkpoints: they copy the write-ahead log back into the database file, which keeps the log short.
//!
//! SQLite starts its log over only once all of it was copied back and no snapshot reads from it. While many players move,
//! some snapshot is always open, so that an ordinary checkpoint never gets that far and the log grows without limit. A
//! restarting checkpoint holds commits back until the open snapshots have ended. New snapshots do not prolong it: they
//! begin at the end of the log and, once that was copied back, read from the database file alone.

use super::file::BUSY_TIMEOUT;
use rusqlite::Connection;
use std::time::Duration;

/// After how many jobs the log is started over even without a pause. Each job writes a few pages, so that the log stays
/// below some 30 MB.
const JOBS_PER_LOG: usize = 1000;

/// How long commits are held back for open snapshots. A request reads for a few milliseconds; a backup or an export takes
/// longer, and the log grows until it has ended.
const MAX_HOLD: Duration = Duration::from_millis(100);

/// Decides when the log is copied back. Errors are ignored: the log keeps what was not copied back, and if the disk is at
/// fault, the next commit reports it.
#[derive(Default)]
pub(super) struct Checkpoints {
    /// How many jobs have run since the last checkpoint.
    jobs: usize,
}

impl Checkpoints {
    /// Adds to the number of jobs since the last checkpoint.
    pub(super) fn count(&mut self, jobs: usize) {
        self.jobs += jobs;
    }

    /// Returns whether the log may hold anything to copy back.
    pub(super) fn is_needed(&self) -> bool {
        self.jobs > 0
    }

    /// Copies back what can be copied without waiting for open snapshots.
    pub(super) fn checkpoint_passive(&mut self, db: &Connection) {
        self.jobs = 0;
        let _ = checkpoint(db, "PASSIVE");
    }

    /// Starts the log over if it has become long.
    pub(super) fn restart_log_if_long(&mut self, db: &Connection) {
        if self.jobs >= JOBS_PER_LOG {
            self.jobs = 0;
            let _ = restart_log(db);
        }
    }

    /// Copies everything back and empties the log, before the file is closed.
    pub(super) fn truncate_log(db: &Connection) {
        let _ = checkpoint(db, "TRUNCATE");
    }
}

fn restart_log(db: &Connection) -> rusqlite::Result<()> {
    db.busy_timeout(MAX_HOLD)?;
    let restarted = checkpoint(db, "RESTART");
    db.busy_timeout(BUSY_TIMEOUT)?;
    restarted
}

fn checkpoint(db: &Connection, kind: &str) -> rusqlite::Result<()> {
    db.query_row(&format!("PRAGMA wal_checkpoint({kind})"), [], |_| Ok(()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::file::{connect_reader, connect_writer, create_private, with_suffix};
    use super::*;
    use std::fs::File;
    use std::io::Read;
    use std::path::Path;

    /// Reads how often the log was started over: the log's header counts it.
    fn restarts(log: &Path) -> u32 {
        let mut header = [0; 16];
        File::open(log).unwrap().read_exact(&mut header).unwrap();
        u32::from_be_bytes(header[12..].try_into().unwrap())
    }

    #[test]
    fn the_log_starts_over_although_some_snapshot_is_always_open() {
        let path = std::env::temp_dir().join(format!("ratatosk-checkpoint-{}.db", std::process::id()));
        create_private(&path).unwrap();
        let (mut db, log) = (connect_writer(&path).unwrap(), with_suffix(&path, "-wal"));
        db.execute_batch("CREATE TABLE numbers (n INTEGER)").unwrap();
        let write = |db: &Connection| db.execute("INSERT INTO numbers VALUES (1)", []).unwrap();
        let [earlier, later] = [connect_reader(&path).unwrap(), connect_reader(&path).unwrap()];
        let begin = |reader: &Connection| reader.execute_batch("BEGIN; SELECT count(*) FROM numbers").unwrap();
        let end = |reader: &Connection| reader.execute_batch("COMMIT").unwrap();
        let other = connect_writer(&path).unwrap();
        other.busy_timeout(Duration::ZERO).unwrap();
        let are_commits_held = || other.execute_batch("BEGIN IMMEDIATE; ROLLBACK").is_err();
        let before = restarts(&log);
        // A machine that is busy with something else may let the time for a checkpoint run out, but not every time.
        for _ in 0..50 {
            begin(&earlier);
            write(&db);
            let checkpoint = std::thread::spawn(move || {
                Checkpoints { jobs: JOBS_PER_LOG }.restart_log_if_long(&db);
                db
            });
            while !are_commits_held() && !checkpoint.is_finished() {
                std::thread::yield_now();
            }
            begin(&later);
            end(&earlier);
            end(&later);
            db = checkpoint.join().unwrap();
            write(&db);
            if restarts(&log) > before {
                break;
            }
        }
        assert!(restarts(&log) > before, "the log only grows");
        drop((db, other, earlier, later));
        std::fs::remove_file(&path).unwrap();
    }
}
