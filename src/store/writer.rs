//! The writer thread. Jobs that wait for it share a commit, so that many players need few waits for the disk.
//!
//! A panic in a job ends the thread: nothing of its transaction is committed, everybody who waits gets
//! [`StoreError::Stopped`], and so does every later caller, which ends the program.

use super::error::{CommitError, StoreError};
use rusqlite::Connection;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How many jobs can wait; further callers block until there is room.
const QUEUE: usize = 256;

/// How many jobs share a commit at most.
const GROUP: usize = 256;

/// How long a job that nobody waits for may wait for a commit to share.
const SHARE: Duration = Duration::from_millis(25);

/// After how many jobs the write-ahead log is copied back into the file even without a pause. Each writes a few pages, so
/// that the log stays below some 30 MB.
const LOG: usize = 1000;

/// How long a pause must be for the log to be copied back.
const PAUSE: Duration = Duration::from_millis(500);

/// Sends jobs to the writer thread.
pub(super) struct Writer {
    orders: SyncSender<Order>,
    thread: Mutex<Option<JoinHandle<Result<(), StoreError>>>>,
    commits: Arc<AtomicU64>,
}

enum Order {
    /// Somebody waits for it.
    Now(Box<dyn Job>),
    /// It may wait for a commit to share.
    Later(Box<dyn Job>),
    Stop,
}

/// A piece of work that runs in its own savepoint and is answered after the commit.
trait Job: Send {
    /// Does the work; it is kept if it succeeds.
    fn run(&mut self, db: &Connection) -> Result<(), CommitError>;
    /// Turns the outcome into an error, because nothing was committed.
    fn fail(&mut self, error: &StoreError);
    /// Tells the caller.
    fn answer(self: Box<Self>);
}

struct Task<T, W, A> {
    work: Option<W>,
    outcome: Result<T, CommitError>,
    answer: A,
}

impl<T, W, A> Job for Task<T, W, A>
where
    T: Send,
    W: FnOnce(&Connection) -> Result<T, CommitError> + Send,
    A: FnOnce(Result<T, CommitError>) + Send,
{
    fn run(&mut self, db: &Connection) -> Result<(), CommitError> {
        if let Some(work) = self.work.take() {
            self.outcome = work(db);
        }
        self.outcome.as_ref().map(|_| ()).map_err(CommitError::clone)
    }

    fn fail(&mut self, error: &StoreError) {
        self.outcome = Err(error.clone().into());
    }

    fn answer(self: Box<Self>) {
        (self.answer)(self.outcome);
    }
}

fn job<T: Send + 'static>(
    work: impl FnOnce(&Connection) -> Result<T, CommitError> + Send + 'static,
    answer: impl FnOnce(Result<T, CommitError>) + Send + 'static,
) -> Box<dyn Job> {
    Box::new(Task { work: Some(work), outcome: Err(StoreError::Stopped.into()), answer })
}

impl Writer {
    /// Starts the thread that owns the connection.
    pub(super) fn start(db: Connection) -> Result<Self, StoreError> {
        let (orders, queue) = sync_channel(QUEUE);
        let commits = Arc::new(AtomicU64::new(0));
        let server = Server { db, waiting: Vec::new(), waiting_since: None, logged: 0, commits: Arc::clone(&commits) };
        let thread = std::thread::Builder::new().name(String::from("store writer")).spawn(move || server.serve(&queue));
        let thread = thread.map_err(|error| StoreError::Io(error.to_string()))?;
        Ok(Self { orders, thread: Mutex::new(Some(thread)), commits })
    }

    /// Runs a job and waits until it is on the disk.
    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, CommitError> + Send + 'static,
    ) -> Result<T, CommitError> {
        let (answer, answered) = sync_channel(1);
        // A caller that no longer waits needs no answer.
        let job = job(work, move |outcome| drop(answer.send(outcome)));
        self.orders.send(Order::Now(job)).map_err(|_| StoreError::Stopped)?;
        answered.recv().map_err(|_| StoreError::Stopped)?
    }

    /// Runs a job with the next commit, or soon if there is none. `answer` is called on the writer's thread, or not at
    /// all if the thread has ended.
    pub(super) fn run_later<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, CommitError> + Send + 'static,
        answer: impl FnOnce(Result<T, CommitError>) + Send + 'static,
    ) {
        // If the thread has ended, so will the program; the message is found again by the next one.
        let _ = self.orders.send(Order::Later(job(work, answer)));
    }

    /// Counts the commits so far.
    pub(super) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    /// Finishes what waits, copies the log back and ends the thread.
    pub(super) fn stop(&self) -> Result<(), StoreError> {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(thread) = thread else { return Ok(()) };
        // If nobody takes the order, the thread has ended already.
        let _ = self.orders.send(Order::Stop);
        thread.join().unwrap_or(Err(StoreError::Stopped))
    }
}

/// What the writer thread works with.
struct Server {
    db: Connection,
    /// Jobs that wait for a commit to share, and since when.
    waiting: Vec<Box<dyn Job>>,
    waiting_since: Option<Instant>,
    /// How many jobs were done since the log was copied back.
    logged: usize,
    commits: Arc<AtomicU64>,
}

impl Server {
    fn serve(mut self, queue: &Receiver<Order>) -> Result<(), StoreError> {
        loop {
            match self.next(queue) {
                Ok(Order::Now(first)) => {
                    let stop = self.commit_group(first, queue);
                    if stop {
                        break;
                    }
                }
                Ok(Order::Later(job)) => self.put_aside(job),
                Ok(Order::Stop) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if self.waiting.is_empty() => self.copy_log_back(),
                Err(RecvTimeoutError::Timeout) => self.commit(Vec::new()),
            }
            if self.waiting.len() >= GROUP {
                self.commit(Vec::new());
            }
            if self.logged >= LOG {
                self.copy_log_back();
            }
        }
        if !self.waiting.is_empty() {
            self.commit(Vec::new());
        }
        // Whatever is left in the log is safe there, too: the next one who opens the file finds it.
        let _ = self.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        self.db.close().map_err(|(_, error)| error.into())
    }

    /// Waits for the next order: without a limit if there is nothing else to do.
    fn next(&self, queue: &Receiver<Order>) -> Result<Order, RecvTimeoutError> {
        match self.waiting_since {
            Some(since) => queue.recv_timeout(SHARE.saturating_sub(since.elapsed())),
            None if self.logged > 0 => queue.recv_timeout(PAUSE),
            None => queue.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
    }

    fn put_aside(&mut self, job: Box<dyn Job>) {
        self.waiting.push(job);
        self.waiting_since.get_or_insert_with(Instant::now);
    }

    /// Commits a job together with whatever else is in the queue; returns whether the thread is to stop.
    fn commit_group(&mut self, first: Box<dyn Job>, queue: &Receiver<Order>) -> bool {
        let (mut group, mut stop) = (vec![first], false);
        while group.len() < GROUP
            && let Ok(order) = queue.try_recv()
        {
            match order {
                Order::Now(job) => group.push(job),
                Order::Later(job) => self.put_aside(job),
                Order::Stop => {
                    stop = true;
                    break;
                }
            }
        }
        self.commit(group);
        stop
    }

    /// Commits a group with everything that waited for a commit to share, and answers all of them.
    fn commit(&mut self, mut group: Vec<Box<dyn Job>>) {
        group.append(&mut self.waiting);
        self.waiting_since = None;
        if let Err(error) = commit(&self.db, &mut group) {
            group.iter_mut().for_each(|job| job.fail(&error));
        }
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.logged += group.len();
        group.into_iter().for_each(Job::answer);
    }

    /// Copies what the log holds back into the file, as far as nobody still reads it from there. Nothing is lost if it
    /// fails: the log is kept, and the next write says so if the disk is at fault.
    fn copy_log_back(&mut self) {
        let _ = self.db.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        self.logged = 0;
    }
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
                    CommitError::Stale | CommitError::Repeated => StoreError::Io(error.to_string()),
                });
            }
            order("ROLLBACK TO work")?;
        }
        order("RELEASE work")?;
    }
    order("COMMIT")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;
    use std::sync::mpsc::{Sender, channel};

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

    fn waited_for<T: Send + 'static>(
        work: impl FnOnce(&Connection) -> Result<T, CommitError> + Send + 'static,
    ) -> (Box<dyn Job>, Answer<T>) {
        let (answer, answered) = sync_channel(1);
        (job(work, move |outcome| answer.send(outcome).unwrap()), answered)
    }

    /// A job that keeps the writer busy, so that others wait in the queue.
    struct Held {
        release: Sender<()>,
        answer: Answer<()>,
    }

    impl Held {
        fn release(self) {
            self.release.send(()).unwrap();
            assert_eq!(self.answer.recv().unwrap(), Ok(()));
        }
    }

    /// Keeps a writer busy, and returns when it is.
    fn hold(writer: &Writer) -> Held {
        let ((release, released), (busy, is_busy)) = (channel(), channel());
        let answer = enqueue(writer, move |_| {
            busy.send(()).unwrap();
            released.recv().unwrap();
            Ok(())
        });
        is_busy.recv().unwrap();
        Held { release, answer }
    }

    /// Puts a job into the queue, as [`Writer::run`] does, but does not wait for it.
    fn enqueue<T: Send + 'static>(
        writer: &Writer,
        work: impl FnOnce(&Connection) -> Result<T, CommitError> + Send + 'static,
    ) -> Answer<T> {
        let (job, answer) = waited_for(work);
        assert!(writer.orders.send(Order::Now(job)).is_ok());
        answer
    }

    #[test]
    fn a_failed_job_does_not_affect_others_in_its_commit() {
        let db = numbers();
        let (first, good) = waited_for(|db| add(db, 1));
        // This one writes something before it fails.
        let (second, bad) = waited_for(|db| add(db, 2).and_then(|_| add(db, -1)));
        let (third, stale) = waited_for(|db| add(db, 3).and(Err::<(), _>(CommitError::Stale)));
        let (fourth, last) = waited_for(|db| add(db, 4));
        let mut group = vec![first, second, third, fourth];
        commit(&db, &mut group).unwrap();
        group.into_iter().for_each(Job::answer);
        assert_eq!(all(&db), [1, 4]);
        assert_eq!((good.recv().unwrap(), last.recv().unwrap()), (Ok(1), Ok(1)));
        assert!(matches!(bad.recv().unwrap(), Err(CommitError::Store(StoreError::Refused(_)))));
        assert_eq!(stale.recv().unwrap(), Err(CommitError::Stale));
    }

    #[test]
    fn if_the_commit_fails_every_job_fails() {
        let db = numbers();
        db.execute_batch(
            "PRAGMA foreign_keys = ON; CREATE TABLE later (n REFERENCES numbers (n) DEFERRABLE INITIALLY DEFERRED)",
        )
        .unwrap();
        let (first, good) = waited_for(|db| add(db, 1));
        // The commit itself finds this one out.
        let (second, bad) = waited_for(|db| Ok(db.execute("INSERT INTO later VALUES (9)", [])?));
        let mut group = vec![first, second];
        let error = commit(&db, &mut group).unwrap_err();
        group.iter_mut().for_each(|job| job.fail(&error));
        group.into_iter().for_each(Job::answer);
        assert!(good.recv().unwrap().is_err() && bad.recv().unwrap().is_err());
        assert!(all(&db).is_empty() && db.is_autocommit());
        let (job, answer) = waited_for(|db| add(db, 5));
        let mut group = vec![job];
        commit(&db, &mut group).unwrap();
        group.into_iter().for_each(Job::answer);
        assert_eq!((answer.recv().unwrap(), all(&db)), (Ok(1), vec![5]), "and the next one is written as ever");
    }

    #[test]
    fn waiting_jobs_share_a_commit() {
        let path = std::env::temp_dir().join(format!("ratatosk-group-{}.db", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let db = Connection::open(&path).unwrap();
        db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE numbers (n INTEGER)")
            .unwrap();
        db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        let writer = Writer::start(db).unwrap();
        let held = hold(&writer);
        let answers: Vec<_> = (1..=20).map(|n| enqueue(&writer, move |db| add(db, n))).collect();
        held.release();
        answers.into_iter().for_each(|answer| assert_eq!(answer.recv().unwrap(), Ok(1)));
        let other = Connection::open(&path).unwrap();
        assert_eq!(all(&other), (1..=20).collect::<Vec<_>>());
        let frames: i64 = other.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get(1)).unwrap();
        assert_eq!(frames, 1, "the one page was written once, by all twenty together");
        writer.stop().unwrap();
        assert_eq!(writer.run(|db| add(db, 99)), Err(CommitError::Store(StoreError::Stopped)));
        assert_eq!(writer.stop(), Ok(()));
        drop(other);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_later_job_shares_the_next_commit_or_gets_its_own() {
        let writer = Writer::start(numbers()).unwrap();
        let (told, heard) = channel();
        let tell = |told: &std::sync::mpsc::Sender<usize>| {
            let told = told.clone();
            move |outcome: Result<usize, CommitError>| told.send(outcome.unwrap()).unwrap()
        };
        let held = hold(&writer);
        writer.run_later(|db| add(db, 1), tell(&told));
        writer.run_later(|db| add(db, 2), tell(&told));
        let answer = enqueue(&writer, |db| add(db, 3));
        held.release();
        assert_eq!(answer.recv().unwrap(), Ok(1));
        assert_eq!((heard.recv(), heard.recv()), (Ok(1), Ok(1)));
        assert_eq!(writer.commits(), 2, "the job that held the writer, and all three together");
        writer.run_later(|db| add(db, 4), tell(&told));
        assert_eq!(heard.recv(), Ok(1), "nothing else comes");
        assert_eq!(writer.commits(), 3);
        writer.run_later(|db| add(db, 5), tell(&told));
        writer.stop().unwrap();
        assert_eq!(heard.recv(), Ok(1), "what waits is written before the thread ends");
    }

    #[test]
    fn a_panic_in_a_job_stops_the_writer_and_every_caller_gets_an_error() {
        let writer = Writer::start(numbers()).unwrap();
        let stopped = Err(CommitError::Store(StoreError::Stopped));
        assert_eq!(writer.run(|_| -> Result<(), CommitError> { panic!("a bug") }), stopped);
        assert_eq!(writer.run(|db| add(db, 1).map(drop)), stopped, "it does not go on as if nothing had happened");
        writer.run_later(|db| add(db, 2), |_| {});
        assert_eq!(writer.stop(), Err(StoreError::Stopped), "and stopping tells it, too");
    }
}
