//! A disk that is slow, full, read-only or broken under the running bot, and files whose last page was torn.

use crate::dice::Dice;
use crate::standin::Discord;
use crate::standin::bot::Bot;
use crate::standin::people::Person;
use crate::store_room::{DAWN, Room, begin, brandubh, play};
use ratatosk::store::Store;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A game that Ann and Bo have begun.
async fn game(discord: &Discord) -> (Person, Person) {
    let (ann, bo) = (discord.user("Ann"), discord.user("Bo"));
    let options = [("variant", "brandubh"), ("opponent", bo.mention()), ("side", "attackers")];
    let challenge = ann.slash("challenge", &options).await;
    bo.click(&challenge, "Accept").await;
    discord.settle().await;
    (ann, bo)
}

#[tokio::test]
async fn a_move_that_a_slow_disk_took_too_long_for_is_played_once_and_posted_once() {
    let discord = Discord::start().await;
    let bot = discord.run_bot().await;
    let (ann, bo) = game(&discord).await;
    // Nobody can write for longer than Discord waits for an answer.
    let slow = rusqlite::Connection::open(bot.database()).unwrap();
    slow.execute_batch("BEGIN IMMEDIATE").unwrap();
    let id = ann.send_slash("move", &[("move", "d1-c1")]).unwrap();
    tokio::time::sleep(Duration::from_millis(3_300)).await;
    slow.execute_batch("ROLLBACK").unwrap();
    assert_eq!(ann.callback(id).await, None, "the answer came too late");
    let post = discord.post_saying(discord.here, "d1-c1").await;
    assert!(post.calls_only(&bo), "{}", post.text());
    bo.slash("move", &[("move", "d3-e3")]).await;
    discord.settle().await;
    assert_eq!(discord.posts_saying(discord.here, "**d1-c1**").len(), 1);
}

/// A disk that fails or is slow when it is told to.
struct BadDisk {
    order: PathBuf,
}

impl BadDisk {
    const FULL: i32 = 28;
    const READ_ONLY: i32 = 30;
    const BROKEN: i32 = 5;

    /// Puts it under a bot that does not run yet; nothing where there is no C compiler.
    fn under(bot: &mut Bot) -> Option<Self> {
        let between = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bad-disk-{}.so", std::process::id()));
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fire/bad_disk.c");
        let made = Command::new("cc").args(["-shared", "-fPIC", source, "-ldl", "-o"]).arg(&between).output();
        if !made.is_ok_and(|output| output.status.success()) {
            println!("skipped: there is no C compiler here");
            return None;
        }
        let order = bot.folder().join("order");
        for (name, path) in [("LD_PRELOAD", &between), ("BAD_DISK", &order)] {
            bot.set(name, path.to_str().unwrap().to_owned().leak());
        }
        Some(Self { order })
    }

    /// Has everything that is written fail.
    fn fails_with(&self, error: i32) {
        std::fs::write(&self.order, error.to_string()).unwrap();
    }

    /// Has everything that is to be safe take so many milliseconds more.
    fn is_slow(&self, milliseconds: u32) {
        std::fs::write(&self.order, format!("-{milliseconds}")).unwrap();
    }

    fn is_well(&self) {
        std::fs::remove_file(&self.order).unwrap();
    }
}

#[tokio::test]
async fn while_nothing_can_be_written_everybody_is_told_so_and_afterwards_all_goes_on() {
    let discord = Discord::start().await;
    let mut bot = discord.stopped_bot();
    let Some(disk) = BadDisk::under(&mut bot) else { return };
    bot.expect_error("there is no room for the database to grow");
    bot.expect_error("the database cannot be used");
    bot.start().await;
    let (ann, bo) = game(&discord).await;
    let moves = [(&ann, "d1-c1"), (&bo, "d3-e3"), (&ann, "c1-d1"), (&bo, "e3-d3"), (&ann, "d1-b1"), (&bo, "d3-f3")];
    let faults = [
        (BadDisk::FULL, "because the disk is full, and nothing was done"),
        (BadDisk::READ_ONLY, "and nothing was done. Try again later"),
        (BadDisk::BROKEN, "and nothing was done. Try again later"),
    ];
    for ((person, typed), (fault, words)) in moves.into_iter().zip(faults.into_iter().cycle()) {
        disk.fails_with(fault);
        let refused = person.slash("move", &[("move", typed)]).await;
        assert!(refused.is_private_for(person) && refused.text().contains(words), "{fault}: {}", refused.text());
        // Looking still works.
        let shown = person.slash("board", &[]).await;
        assert!(shown.is_private_for(person) && !shown.text().contains("went wrong"), "{}", shown.text());
        disk.is_well();
        let played = person.slash("move", &[("move", typed)]).await;
        assert!(played.text().contains(&format!("played **{typed}**")), "after {fault}: {}", played.text());
    }
    discord.settle().await;
    for (_, typed) in moves {
        assert_eq!(discord.posts_saying(discord.here, &format!("played **{typed}**")).len(), 1, "{typed}");
    }
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.said());
    let store = Store::open_beside(&bot.database()).unwrap();
    assert_eq!((store.check().unwrap(), store.tally().unwrap().moves), (Vec::new(), 6));
}

#[tokio::test]
async fn on_a_slow_disk_many_who_move_at_once_are_all_answered_in_time() {
    let discord = Discord::start().await;
    let mut bot = discord.stopped_bot();
    let Some(disk) = BadDisk::under(&mut bot) else { return };
    bot.start().await;
    let mut tables = Vec::new();
    for n in 0..12 {
        let (ann, bo) = (discord.user(&format!("Ann{n}")), discord.user(&format!("Bo{n}")));
        let options = [("variant", "brandubh"), ("opponent", bo.mention()), ("side", "attackers")];
        let challenge = ann.slash("challenge", &options).await;
        bo.click(&challenge, "Accept").await;
        tables.push(ann);
    }
    // One after the other they would need four seconds and more.
    disk.is_slow(350);
    let sent: Vec<_> = tables.iter().map(|ann| ann.send_slash("move", &[("move", "d1-c1")]).unwrap()).collect();
    for (ann, id) in tables.iter().zip(sent) {
        let answer = ann.answer(id).await.unwrap();
        assert!(answer.text().contains("played **d1-c1**"), "{}", answer.text());
    }
    disk.is_well();
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.said());
}

/// A small file system of its own, where the test may mount one.
struct SmallDisk<'r>(&'r Path);

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

#[tokio::test]
async fn who_moves_on_a_full_disk_is_told_so_and_can_move_when_there_is_room() {
    let discord = Discord::start().await;
    let mut bot = discord.stopped_bot();
    let folder = bot.folder().to_owned();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(&folder).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        println!("skipped: no file system can be mounted here");
        return;
    }
    let disk = SmallDisk(&folder);
    // A backup that finds no room would give its own back in the middle of this.
    bot.set("RATATOSK_BACKUP_EVERY", "off");
    bot.expect_error("there is no room for the database to grow");
    bot.start().await;
    let (ann, bo) = game(&discord).await;
    let filler = folder.join("filler");
    // As much as fits, to the last byte.
    let _ = std::fs::write(&filler, vec![0; 4_000_000]);
    let mut refused = None;
    // What was set aside for the log may still take a few.
    for (person, typed) in [(&ann, "d1-c1"), (&bo, "d3-e3"), (&ann, "c1-d1"), (&bo, "e3-d3")].iter().cycle().take(200) {
        let answer = person.slash("move", &[("move", typed)]).await;
        if answer.text().contains("the disk is full") {
            assert!(answer.is_private_for(person));
            refused = Some((*person, *typed));
            break;
        }
        if answer.text().contains("Play it") || !answer.is_public() {
            break;
        }
    }
    std::fs::remove_file(&filler).unwrap();
    if let Some((person, typed)) = refused {
        let answer = person.slash("move", &[("move", typed)]).await;
        assert!(answer.text().contains(typed), "{}", answer.text());
    } else {
        panic!("the disk was never full");
    }
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.said());
    assert_eq!(Store::open_beside(&bot.database()).unwrap().check().unwrap(), []);
    drop(disk);
}

/// Gives the bytes of a database as a power cut leaves it: thirty games in the file, thirty more in the log beside it.
fn cut_off(room: &Room) -> (Vec<u8>, Vec<u8>) {
    let store = room.open();
    for _ in 0..30 {
        play(&store, &begin(&store, brandubh(), DAWN), "d1-b1", DAWN);
    }
    store.close().unwrap();
    let store = room.open();
    for _ in 0..30 {
        play(&store, &begin(&store, brandubh(), DAWN), "d1-b1", DAWN);
    }
    let log = room.path("games.db-wal");
    let bytes = (std::fs::read(room.database()).unwrap(), std::fs::read(log).unwrap());
    store.close().unwrap();
    bytes
}

/// Opens what a power cut has left, and gives how many games and moves are there.
fn games_after(room: &Room, name: &str, file: &[u8], log: &[u8]) -> (u64, u64) {
    let path = room.path(name);
    std::fs::write(&path, file).unwrap();
    std::fs::write(room.path(&format!("{name}-wal")), log).unwrap();
    let store = Store::open(&path).unwrap();
    assert_eq!(store.check().unwrap(), []);
    let tally = store.tally().unwrap();
    store.close().unwrap();
    for suffix in ["", "-wal", "-shm", ".lock"] {
        let _ = std::fs::remove_file(room.path(&format!("{name}{suffix}")));
    }
    (tally.games_running, tally.moves)
}

#[test]
fn a_torn_log_loses_only_what_nobody_was_told_is_safe() {
    let room = Room::new("torn-log");
    let (file, log) = cut_off(&room);
    assert_eq!(games_after(&room, "whole.db", &file, &log), (60, 60));
    let mut dice = Dice::new(5);
    let mut last = (60, 60);
    // Shorter and shorter, in the middle of a page, and the last page full of nonsense.
    let mut cuts: Vec<usize> = (0..25).map(|_| dice.throw(log.len())).collect();
    cuts.sort_unstable_by(|one, other| other.cmp(one));
    for cut in cuts {
        let mut torn = log[..cut].to_vec();
        let from = torn.len().saturating_sub(dice.throw(3_000));
        torn[from..].iter_mut().for_each(|byte| *byte = dice.throw(256) as u8);
        let now = games_after(&room, "torn.db", &file, &torn);
        assert!(now.0 >= 30 && now.0 <= last.0 && (now.0 == now.1 || now.0 == now.1 + 1), "{now:?} after {last:?}");
        last = now;
    }
    assert!(last.0 < 60, "something was torn off");
}

#[test]
fn a_page_that_was_torn_while_it_was_copied_back_is_in_the_log_still() {
    const PAGE: usize = 4096;
    let room = Room::new("torn-page");
    let (file, log) = cut_off(&room);
    // After a header of 32 bytes the log has pages, each behind a header of 24 that begins with its number.
    let frames = log[32..].chunks_exact(24 + PAGE);
    let logged: BTreeSet<usize> =
        frames.map(|frame| u32::from_be_bytes(frame[..4].try_into().unwrap()) as usize).collect();
    let inside: Vec<usize> = logged.into_iter().filter(|page| *page > 1 && page * PAGE <= file.len()).collect();
    assert!(inside.len() > 3, "the log has new versions of {} pages", inside.len());
    for page in inside {
        let mut torn = file.clone();
        let half = (page - 1) * PAGE + PAGE / 2;
        torn[half..page * PAGE].fill(0xA5);
        assert_eq!(games_after(&room, "page.db", &torn, &log), (60, 60), "page {page}");
    }
}

#[test]
fn a_torn_last_page_without_a_log_is_found() {
    let room = Room::new("torn-end");
    cut_off(&room);
    let file = std::fs::read(room.database()).unwrap();
    for missing in [1, 100, 2048, 4095] {
        let path = room.path("end.db");
        std::fs::write(&path, &file[..file.len() - missing]).unwrap();
        let found = Store::open(&path).and_then(|store| store.check());
        assert_ne!(found, Ok(Vec::new()), "{missing} bytes are missing");
    }
}
