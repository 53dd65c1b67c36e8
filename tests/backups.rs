//! Automatic backups: they are made on time, old ones are removed, and no other file is touched.
#![allow(clippy::unwrap_used)]

mod store_fixture;
mod temp_folder;

use ratatosk::backups::{BackupFolder, BackupSchedule, BackupWorker};
use ratatosk::game::{Seconds, Timestamp};
use ratatosk::store::Store;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use store_fixture::{NOW, TempStore, begin, brandubh, wait_for};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn backups_are_named_by_the_time_and_the_oldest_are_removed() {
    let temp = TempStore::new("copies");
    let store = temp.open();
    begin(&store, brandubh(), NOW);
    let folder = BackupFolder::new(&temp.database(), temp.path("backups"));
    for day in 0..5 {
        let copy = folder.add(NOW + Seconds::days(day), 3).unwrap();
        assert_eq!(Store::open_read_only(&copy).unwrap().session().unwrap().stats().unwrap().games_running, 1);
    }
    assert_eq!(
        names(&temp.path("backups")),
        ["games-2027-01-17T080000Z.db", "games-2027-01-18T080000Z.db", "games-2027-01-19T080000Z.db"]
    );
}

#[test]
fn other_files_are_left_alone() {
    let temp = TempStore::new("not-ours");
    temp.open().close().unwrap();
    let path = temp.path("backups");
    fs::create_dir(&path).unwrap();
    let others = [
        "games-before-the-move.db",
        "games-2020-01-01T000000Z.db.gz",
        "games-2020-01-01T000000Z.db-wal",
        "games-2020-01-01T0000xxZ.db",
        "other-2020-01-01T000000Z.db",
        "games-2020-01-01T000000Z.db.notes.unfinished",
        "games-2020-01-01T000000Z.db.77.unfinished",
        "notes.txt",
    ];
    for name in others {
        fs::write(path.join(name), "dear diary").unwrap();
    }
    fs::write(path.join("games-2020-01-01T000000Z.db"), "an old copy").unwrap();
    // An old unfinished backup of a killed process is removed; a recent one may still be written to.
    let left = path.join("games-2020-01-01T000000Z.db.4711.unfinished");
    let file = fs::File::create(&left).unwrap();
    file.set_modified(std::time::SystemTime::now() - DAY).unwrap();
    let folder = BackupFolder::new(&temp.database(), path.clone());
    folder.add(NOW, 1).unwrap();
    let mut expected = others.map(String::from).to_vec();
    expected.push(String::from("games-2027-01-15T080000Z.db"));
    expected.sort();
    assert_eq!(names(&path), expected);
}

#[test]
fn a_backup_is_due_when_the_newest_one_is_old_even_after_a_restart() {
    let temp = TempStore::new("due");
    temp.open().close().unwrap();
    let folder = || BackupFolder::new(&temp.database(), temp.path("backups"));
    assert!(folder().is_due(NOW, DAY), "there is none yet");
    folder().add(NOW, 5).unwrap();
    assert!(!folder().is_due(NOW + Seconds(1), DAY));
    assert!(!folder().is_due(NOW + Seconds::days(1) - Seconds(1), DAY));
    assert!(folder().is_due(NOW + Seconds::days(1), DAY));
    // The clock was once a year ahead: that backup neither counts nor pushes out the others.
    folder().add(NOW + Seconds::days(365), 5).unwrap();
    assert!(folder().is_due(NOW + Seconds::days(1), DAY));
    folder().add(NOW + Seconds::days(1), 1).unwrap();
    assert!(!folder().is_due(NOW + Seconds::days(1), DAY));
    assert_eq!(names(&temp.path("backups")), ["games-2027-01-16T080000Z.db", "games-2028-01-15T080000Z.db"]);
}

#[test]
fn the_worker_makes_the_first_backup_at_once() {
    let temp = TempStore::new("keeper");
    let store = temp.open();
    begin(&store, brandubh(), NOW);
    let folder = temp.path("elsewhere/backups");
    let plan = BackupSchedule { database: temp.database(), folder: folder.clone(), every: DAY, keep: 2 };
    let start = || BackupWorker::start(plan.clone(), || Timestamp(1_800_000_000)).unwrap();
    let worker = start();
    wait_for("a backup", || folder.exists() && names(&folder) == ["games-2027-01-15T080000Z.db"]);
    drop(worker);
    // Another start on the same day does not make another one.
    drop(start());
    assert_eq!(names(&folder).len(), 1);
}

#[test]
fn a_folder_that_cannot_be_created_is_an_error_and_the_worker_can_still_be_stopped() {
    let temp = TempStore::new("cannot");
    temp.open().close().unwrap();
    fs::write(temp.path("file"), "").unwrap();
    let plan = BackupSchedule { database: temp.database(), folder: temp.path("file/backups"), every: DAY, keep: 2 };
    let folder = BackupFolder::new(&temp.database(), temp.path("file/backups"));
    assert!(folder.is_due(NOW, DAY) && folder.add(NOW, 1).is_err());
    // After a failure the worker waits for ten minutes, but not when it is to stop.
    static TIMES_ASKED: AtomicUsize = AtomicUsize::new(0);
    let clock = || {
        TIMES_ASKED.fetch_add(1, Ordering::Relaxed);
        NOW
    };
    let worker = BackupWorker::start(plan, clock).unwrap();
    wait_for("the worker to try", || TIMES_ASKED.load(Ordering::Relaxed) >= 2);
    let stopping = std::thread::spawn(move || drop(worker));
    wait_for("the worker to stop", || stopping.is_finished());
    stopping.join().unwrap();
}
