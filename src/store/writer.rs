//! The one thread that writes. What waits for it shares a commit, so that many players need few waits for the disk.

use super::error::{CommitError, StoreError};
use rusqlite::Connection;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How many pieces of work can wait; whoever brings more waits himself.
const QUEUE: usize = 256;

/// How many pieces of work share a commit at most.
const GROUP: usize = 256;

/// After how many pieces of work the log is copied back into the file even if there is no pause. Each writes a few
/// pages, so that the log stays below some 30 MB.
const LOG: usize = 1000;

/// How long a pause must be for the log to be copied back.
const PAUSE: Duration = Duration::from_millis(500);

/// The way to the thread that writes.
pub(super) struct Writer {
    orders: SyncSender<Order>,
    thread: Mutex<Option<JoinHandle<Result<(), StoreError>>>>,
}

enum Order {
    Work(Box<dyn Job>),
    Stop,
}

/// A piece of work that is done in its own savepoint and answered after the commit.
trait Job: Send {
    /// Does the work; what it did is kept if it went well.
    fn run(&mut self, db: &Connection) -> Result<(), CommitError>;
    /// Turns what was done into an error, because nothing of it was committed.
    fn spoil(&mut self, error: &StoreError);
    /// Tells the one who waits.
    fn answer(self: Box<Self>);
}

struct Task<T, W> {
    work: Option<W>,
    outcome: Result<T, CommitError>,
    answer: SyncSender<Result<T, CommitError>>,
}

impl<T, W> Job for Task<T, W>
where
    T: Send,
    W: FnOnce(&Connection) -> Result<T, CommitError> + Send,
{
    fn run(&mut self, db: &Connection) -> Result<(), CommitError> {
        if let Some(work) = self.work.take() {
            self.outcome = work(db);
        }
        self.outcome.as_ref().map(|_| ()).map_err(CommitError::clone)
    }

    fn spoil(&mut self, error: &StoreError) {
        self.outcome = Err(error.clone().into());
    }

    fn answer(self: Box<Self>) {
        // Somebody who no longer waits needs no answer.
        let _ = self.answer.send(self.outcome);
    }
}

impl Writer {
    /// Gives the connection to a thread of its own.
    pub(super) fn start(db: Connection) -> Result<Self, StoreError> {
        let (orders, queue) = sync_channel(QUEUE);
        let thread = std::thread::Builder::new().name(String::from("store writer")).spawn(move || serve(db, &queue));
        let thread = thread.map_err(|error| StoreError::Io(error.to_string()))?;
        Ok(Self { orders, thread: Mutex::new(Some(thread)) })
    }

    /// Has a piece of work done and waits until it is on the disk.
    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, CommitError> + Send + 'static,
    ) -> Result<T, CommitError> {
        let (answer, answered) = sync_channel(1);
        let task = Task { work: Some(work), outcome: Err(StoreError::StopReason.into()), answer };
        self.orders.send(Order::Work(Box::new(task))).map_err(|_| StoreError::StopReason)?;
        answered.recv().map_err(|_| StoreError::StopReason)?
    }

    /// Finishes what waits, copies the log back and ends the thread.
    pub(super) fn stop(&self) -> Result<(), StoreError> {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(thread) = thread else { return Ok(()) };
        // If nobody takes the order the thread has ended already.
        let _ = self.orders.send(Order::Stop);
        thread.join().unwrap_or(Err(StoreError::StopReason))
    }
}

fn serve(db: Connection, queue: &Receiver<Order>) -> Result<(), StoreError> {
    let mut logged = 0;
    loop {
        let order = if logged == 0 {
            queue.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            queue.recv_timeout(PAUSE)
        };
        let first = match order {
            Ok(Order::Work(job)) => job,
            Ok(Order::Stop) | Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                copy_log_back(&db);
                logged = 0;
                continue;
            }
        };
        let (mut group, mut stop) = (vec![first], false);
        while group.len() < GROUP
            && let Ok(order) = queue.try_recv()
        {
            match order {
                Order::Work(job) => group.push(job),
                Order::Stop => {
                    stop = true;
                    break;
                }
            }
        }
        if let Err(error) = commit(&db, &mut group) {
            group.iter_mut().for_each(|job| job.spoil(&error));
        }
        logged += group.len();
        group.into_iter().for_each(Job::answer);
        if stop {
            break;
        }
        if logged >= LOG {
            copy_log_back(&db);
            logged = 0;
        }
    }
    // Whatever is left in the log is safe there, too: the next one who opens the file finds it.
    let _ = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    db.close().map_err(|(_, error)| error.into())
}

/// Does the work of a group in one transaction: what fails leaves nothing behind, the rest is committed together.
fn commit(db: &Connection, group: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
    let finished = do_group(db, group);
    if finished.is_err() && !db.is_autocommit() {
        // SQLite has reported the first error; a second one would say nothing new.
        let _ = db.execute_batch("ROLLBACK");
    }
    finished
}

fn do_group(db: &Connection, group: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
    let order = |sql| db.prepare_cached(sql)?.execute([]);
    order("BEGIN IMMEDIATE")?;
    for job in group {
        order("SAVEPOINT work")?;
        if let Err(error) = job.run(db) {
            if db.is_autocommit() {
                // The error was so grave that SQLite has undone the work of all.
                return Err(match error {
                    CommitError::Store(error) => error,
                    CommitError::Stale | CommitError::Repeated(_) => StoreError::Io(error.to_string()),
                });
            }
            order("ROLLBACK TO work")?;
        }
        order("RELEASE work")?;
    }
    order("COMMIT")?;
    Ok(())
}

/// Copies what the log holds back into the file, as far as nobody still reads it from there. Nothing is lost if it
/// fails: the log is kept, and the next write says so if the disk is at fault.
fn copy_log_back(db: &Connection) {
    let _ = db.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use std::sync::mpsc::channel;

    fn numbers() -> Connection {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch("CREATE TABLE numbers (n INTEGER PRIMARY KEY CHECK (n >= 0)) STRICT").unwrap();
        db
    }

    fn add(db: &Connection, n: i64) -> Result<usize, CommitError> {
        Ok(db.execute("INSERT INTO numbers VALUES (?1)", [n])?)
    }

    fn all(db: &Connection) -> Vec<i64> {
        let mut numbers = db.prepare("SELECT n FROM numbers ORDER BY n").unwrap();
        numbers.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    type Answer<T> = Receiver<Result<T, CommitError>>;

    fn job<T: Send + 'static>(
        work: impl FnOnce(&Connection) -> Result<T, CommitError> + Send + 'static,
    ) -> (Box<dyn Job>, Answer<T>) {
        let (answer, answered) = sync_channel(1);
        (Box::new(Task { work: Some(work), outcome: Err(StoreError::StopReason.into()), answer }), answered)
    }

    #[test]
    fn a_bad_one_does_not_spoil_its_neighbours() {
        let db = numbers();
        let (first, good) = job(|db| add(db, 1));
        // This one writes something before it fails.
        let (second, bad) = job(|db| add(db, 2).and_then(|_| add(db, -1)));
        let (third, stale) = job(|db| add(db, 3).and(Err::<(), _>(CommitError::Stale)));
        let (fourth, last) = job(|db| add(db, 4));
        let mut group = vec![first, second, third, fourth];
        commit(&db, &mut group).unwrap();
        group.into_iter().for_each(Job::answer);
        assert_eq!(all(&db), [1, 4]);
        assert_eq!((good.recv().unwrap(), last.recv().unwrap()), (Ok(1), Ok(1)));
        assert!(matches!(bad.recv().unwrap(), Err(CommitError::Store(StoreError::Refused(_)))));
        assert_eq!(stale.recv().unwrap(), Err(CommitError::Stale));
    }

    #[test]
    fn if_the_commit_fails_nobody_is_told_that_it_went_well() {
        let db = numbers();
        db.execute_batch(
            "PRAGMA foreign_keys = ON; CREATE TABLE later (n REFERENCES numbers (n) DEFERRABLE INITIALLY DEFERRED)",
        )
        .unwrap();
        let (first, good) = job(|db| add(db, 1));
        // The commit itself finds this one out.
        let (second, bad) = job(|db| Ok(db.execute("INSERT INTO later VALUES (9)", [])?));
        let mut group = vec![first, second];
        let error = commit(&db, &mut group).unwrap_err();
        group.iter_mut().for_each(|job| job.spoil(&error));
        group.into_iter().for_each(Job::answer);
        assert!(good.recv().unwrap().is_err() && bad.recv().unwrap().is_err());
        assert!(all(&db).is_empty() && db.is_autocommit());
        let (job, answer) = job(|db| add(db, 5));
        let mut group = vec![job];
        commit(&db, &mut group).unwrap();
        group.into_iter().for_each(Job::answer);
        assert_eq!((answer.recv().unwrap(), all(&db)), (Ok(1), vec![5]), "and the next one is written as ever");
    }

    #[test]
    fn work_that_waits_shares_a_commit() {
        let path = std::env::temp_dir().join(format!("ratatosk-group-{}.db", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let db = Connection::open(&path).unwrap();
        db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE numbers (n INTEGER)")
            .unwrap();
        db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        let writer = Writer::start(db).unwrap();
        let ((go, wait), (busy, is_busy)) = (channel::<()>(), channel());
        std::thread::scope(|scope| {
            let writer = &writer;
            scope.spawn(move || {
                let hold = move |db: &Connection| {
                    busy.send(()).unwrap();
                    wait.recv().unwrap();
                    add(db, 0)
                };
                writer.run(hold).unwrap();
            });
            is_busy.recv().unwrap();
            for n in 1..=20 {
                scope.spawn(move || writer.run(move |db| add(db, n)).unwrap());
            }
            std::thread::sleep(Duration::from_millis(200));
            go.send(()).unwrap();
        });
        let other = Connection::open(&path).unwrap();
        assert_eq!(all(&other), (0..=20).collect::<Vec<_>>());
        let frames: i64 = other.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get(1)).unwrap();
        assert_eq!(frames, 2, "the one page was written by the first one, and once more by the twenty others together");
        writer.stop().unwrap();
        assert_eq!(writer.run(|db| add(db, 99)), Err(CommitError::Store(StoreError::StopReason)));
        assert_eq!(writer.stop(), Ok(()));
        drop(other);
        std::fs::remove_file(&path).unwrap();
    }
}
