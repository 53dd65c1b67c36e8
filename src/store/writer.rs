//! The writer thread. Jobs that are queued at the same time share a commit, so that many players need few waits for the
//! disk.
//!
//! A panic in a job ends the thread: nothing of its transaction is committed, and every waiting and later caller gets
//! [`StoreError::Stopped`]. That includes callers who only read, because the read pool is closed with the thread: the
//! next request of any kind ends the program.

use super::checkpoint::Checkpoints;
use super::error::{CommitError, StoreError};
use super::read_pool::ReadPool;
use rusqlite::Connection;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How many jobs can be queued; further callers block until there is room.
const QUEUE_CAPACITY: usize = 256;

/// How many jobs share a commit at most.
const MAX_JOBS_PER_COMMIT: usize = 256;

/// How long a deferred job waits at most for a commit to share.
const MAX_DEFERRAL: Duration = Duration::from_millis(25);

/// How long the writer has to be idle before the log is copied back.
const IDLE_BEFORE_CHECKPOINT: Duration = Duration::from_millis(500);

/// Sends jobs to the writer thread.
pub(super) struct Writer {
    orders: SyncSender<Order>,
    thread: Mutex<Option<JoinHandle<Result<(), StoreError>>>>,
    commits: Arc<AtomicU64>,
}

enum Order {
    /// A caller waits for this job.
    Run(Box<dyn Job>),
    /// This job may wait for a commit to share.
    Defer(Box<dyn Job>, Deferral),
    Stop,
}

/// How long a job may wait for a commit to share.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Deferral {
    /// For [`MAX_DEFERRAL`].
    Short,
    /// Until something else is committed, or the store is closed.
    Unlimited,
}

/// A piece of work that runs in its own savepoint; its caller is answered after the commit.
trait Job: Send {
    /// Does the work. Nothing of it is committed if it fails.
    fn run(&mut self, db: &Connection) -> Result<(), CommitError>;
    /// Replaces the outcome by an error, because the commit failed.
    fn fail(&mut self, error: &StoreError);
    /// Passes the outcome to the caller.
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
    /// Starts the thread that owns the connection. The read pool is closed when the thread ends.
    pub(super) fn start(db: Connection, readers: Arc<ReadPool>) -> Result<Self, StoreError> {
        let (orders, queue) = sync_channel(QUEUE_CAPACITY);
        let commits = Arc::new(AtomicU64::new(0));
        let state = WriterState {
            db,
            deferred: Vec::new(),
            deferred_since: None,
            checkpoints: Checkpoints::default(),
            commits: Arc::clone(&commits),
        };
        let thread = std::thread::Builder::new().name(String::from("store writer")).spawn(move || {
            let _readers = CloseOnDrop(readers);
            state.serve(&queue)
        });
        let thread = thread.map_err(|error| StoreError::Io(error.to_string()))?;
        Ok(Self { orders, thread: Mutex::new(Some(thread)), commits })
    }

    /// Runs a job, and returns once it is on the disk.
    pub(super) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, CommitError> + Send + 'static,
    ) -> Result<T, CommitError> {
        let (answer, answered) = sync_channel(1);
        // A caller that no longer waits needs no answer.
        let job = job(work, move |outcome| drop(answer.send(outcome)));
        self.orders.send(Order::Run(job)).map_err(|_| StoreError::Stopped)?;
        answered.recv().map_err(|_| StoreError::Stopped)?
    }

    /// Runs a job with the next commit. `answer` is called on the writer thread, or dropped if the thread has ended.
    pub(super) fn run_later<T: Send + 'static>(
        &self,
        deferral: Deferral,
        work: impl FnOnce(&Connection) -> Result<T, CommitError> + Send + 'static,
        answer: impl FnOnce(Result<T, CommitError>) + Send + 'static,
    ) {
        // If the thread has ended, the job is dropped together with `answer`.
        let _ = self.orders.send(Order::Defer(job(work, answer), deferral));
    }

    /// Returns the number of commits so far.
    pub(super) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    /// Finishes queued and deferred jobs, copies the log back and ends the thread.
    pub(super) fn stop(&self) -> Result<(), StoreError> {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(thread) = thread else { return Ok(()) };
        // Fails only if the thread has ended.
        let _ = self.orders.send(Order::Stop);
        thread.join().unwrap_or(Err(StoreError::Stopped))
    }
}

/// Closes the read pool when it is dropped, also by a panic.
struct CloseOnDrop(Arc<ReadPool>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// The data of the writer thread, which alone uses the connection.
struct WriterState {
    db: Connection,
    deferred: Vec<Box<dyn Job>>,
    /// When the oldest deferred job with a short deferral arrived.
    deferred_since: Option<Instant>,
    checkpoints: Checkpoints,
    commits: Arc<AtomicU64>,
}

impl WriterState {
    fn serve(mut self, queue: &Receiver<Order>) -> Result<(), StoreError> {
        loop {
            match self.next_order(queue) {
                Ok(Order::Run(first)) => {
                    let stop = self.commit_queued(first, queue);
                    if stop {
                        break;
                    }
                }
                Ok(Order::Defer(job, deferral)) => self.defer(job, deferral),
                Ok(Order::Stop) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if self.deferred_since.is_none() => {
                    self.checkpoints.checkpoint_passive(&self.db)
                }
                Err(RecvTimeoutError::Timeout) => self.commit(Vec::new()),
            }
            if self.deferred.len() >= MAX_JOBS_PER_COMMIT {
                self.commit(Vec::new());
            }
            self.checkpoints.restart_log_if_long(&self.db);
        }
        if !self.deferred.is_empty() {
            self.commit(Vec::new());
        }
        Checkpoints::truncate_log(&self.db);
        self.db.close().map_err(|(_, error)| error.into())
    }

    /// Waits for the next order, or until a deferred job or a checkpoint is due.
    fn next_order(&self, queue: &Receiver<Order>) -> Result<Order, RecvTimeoutError> {
        match self.deferred_since {
            Some(since) => queue.recv_timeout(MAX_DEFERRAL.saturating_sub(since.elapsed())),
            None if self.checkpoints.is_needed() => queue.recv_timeout(IDLE_BEFORE_CHECKPOINT),
            None => queue.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
    }

    fn defer(&mut self, job: Box<dyn Job>, deferral: Deferral) {
        self.deferred.push(job);
        if deferral == Deferral::Short {
            self.deferred_since.get_or_insert_with(Instant::now);
        }
    }

    /// Commits a job together with those that are queued behind it; returns whether the thread is to stop.
    fn commit_queued(&mut self, first: Box<dyn Job>, queue: &Receiver<Order>) -> bool {
        let (mut group, mut stop) = (vec![first], false);
        while group.len() < MAX_JOBS_PER_COMMIT
            && let Ok(order) = queue.try_recv()
        {
            match order {
                Order::Run(job) => group.push(job),
                Order::Defer(job, deferral) => self.defer(job, deferral),
                Order::Stop => {
                    stop = true;
                    break;
                }
            }
        }
        self.commit(group);
        stop
    }

    /// Commits a group together with all deferred jobs, and answers all of them.
    fn commit(&mut self, mut group: Vec<Box<dyn Job>>) {
        group.append(&mut self.deferred);
        self.deferred_since = None;
        match commit(&self.db, &mut group) {
            Ok(()) => {
                self.commits.fetch_add(1, Ordering::Relaxed);
            }
            Err(error) => group.iter_mut().for_each(|job| job.fail(&error)),
        }
        // Counted even after an error: if the disk is full, a checkpoint makes room in the log.
        self.checkpoints.count(group.len());
        group.into_iter().for_each(Job::answer);
    }
}

/// Runs a group of jobs in one transaction. A job that fails is rolled back alone, and the others are committed.
///
/// # Errors
/// Fails if nothing was committed.
fn commit(db: &Connection, group: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
    let committed = run_group(db, group);
    if committed.is_err() && !db.is_autocommit() {
        // The first error is the one to report.
        let _ = db.execute_batch("ROLLBACK");
    }
    committed
}

fn run_group(db: &Connection, group: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
    let execute = |sql| db.prepare_cached(sql)?.execute([]);
    execute("BEGIN IMMEDIATE")?;
    for job in group {
        execute("SAVEPOINT job")?;
        if let Err(error) = job.run(db) {
            if db.is_autocommit() {
                // After some errors, such as a full disk, SQLite rolls the whole transaction back.
                return Err(error.into_store_error());
            }
            execute("ROLLBACK TO job")?;
        }
        execute("RELEASE job")?;
    }
    execute("COMMIT")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;
    use std::sync::mpsc::channel;

    fn numbers() -> Connection {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch("CREATE TABLE numbers (n INTEGER PRIMARY KEY CHECK (n >= 0)) STRICT").unwrap();
        db
    }

    fn start(db: Connection) -> Writer {
        Writer::start(db, Arc::new(ReadPool::new(std::path::PathBuf::new()))).unwrap()
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

    #[test]
    fn a_job_that_fails_does_not_affect_the_others() {
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
        // Only the commit checks this one.
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
        assert_eq!((answer.recv().unwrap(), all(&db)), (Ok(1), vec![5]), "the next job is written as usual");
    }

    #[test]
    fn jobs_that_are_queued_at_the_same_time_share_a_commit() {
        let writer = start(numbers());
        let enqueue = |(job, answer)| {
            writer.orders.send(Order::Run(job)).unwrap();
            answer
        };
        let ((go, wait), (busy, is_busy)) = (channel::<()>(), channel());
        let first = enqueue(waited_for(move |db| {
            busy.send(()).unwrap();
            wait.recv().unwrap();
            add(db, 0)
        }));
        is_busy.recv().unwrap();
        let others: Vec<_> = (1..=20).map(|n| enqueue(waited_for(move |db| add(db, n)))).collect();
        go.send(()).unwrap();
        assert_eq!(first.recv().unwrap(), Ok(1));
        others.iter().for_each(|answer| assert_eq!(answer.recv().unwrap(), Ok(1)));
        assert_eq!(writer.commits(), 2, "the first one, and the twenty others together");
        assert_eq!(writer.run(|db| Ok(all(db))), Ok((0..=20).collect()));
        writer.stop().unwrap();
        assert_eq!(writer.run(|db| add(db, 99)), Err(CommitError::Store(StoreError::Stopped)));
        assert_eq!(writer.stop(), Ok(()));
    }

    #[test]
    fn a_deferred_job_shares_the_next_commit_or_gets_its_own_soon() {
        let writer = start(numbers());
        let (done, results) = channel();
        let tell = |done: &std::sync::mpsc::Sender<usize>| {
            let done = done.clone();
            move |outcome: Result<usize, CommitError>| done.send(outcome.unwrap()).unwrap()
        };
        writer.run_later(Deferral::Unlimited, |db| add(db, 1), tell(&done));
        writer.run_later(Deferral::Unlimited, |db| add(db, 2), tell(&done));
        writer.run(|db| add(db, 3)).unwrap();
        assert_eq!((results.recv(), results.recv()), (Ok(1), Ok(1)));
        assert_eq!(writer.commits(), 1, "all three together");
        writer.run_later(Deferral::Short, |db| add(db, 4), tell(&done));
        assert_eq!(results.recv(), Ok(1), "nothing else comes");
        assert_eq!(writer.commits(), 2);
        writer.run_later(Deferral::Short, |db| add(db, 5), tell(&done));
        writer.stop().unwrap();
        assert_eq!(results.recv(), Ok(1), "a deferred job is written before the thread ends");
    }

    #[test]
    fn a_panic_in_a_job_ends_the_writer_and_every_caller_is_told() {
        let writer = start(numbers());
        let stopped = Err(CommitError::Store(StoreError::Stopped));
        assert_eq!(writer.run(|_| -> Result<(), CommitError> { panic!("a bug") }), stopped);
        assert_eq!(writer.run(|db| add(db, 1).map(drop)), stopped, "later callers are told, too");
        writer.run_later(Deferral::Short, |db| add(db, 2), |_| {});
        assert_eq!(writer.stop(), Err(StoreError::Stopped), "and so is the caller who stops it");
    }
}
