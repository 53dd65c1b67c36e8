//! A disk that is slow, full, read-only or broken under the running bot.

use crate::bad_disk::BadDisk;
use crate::experiments::bot_process::BotProcess;
use crate::experiments::start_game::{begin, begin_between};
use crate::experiments::store_fixture::small_disk::SmallDisk;
use fake_discord::{FakeDiscord, WAIT_LIMIT};
use ratatosk::store::Store;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

#[tokio::test]
async fn a_move_that_waited_too_long_for_the_disk_is_played_and_posted_once() {
    let discord = FakeDiscord::start().await;
    let bot = BotProcess::start(&discord).await;
    let (ann, bo) = begin(&discord).await;
    // A lock on the database for longer than Discord waits for a response here, and for less than the bot waits for it.
    let slow = rusqlite::Connection::open(bot.database()).unwrap();
    slow.execute_batch("BEGIN IMMEDIATE").unwrap();
    discord.set_response_deadline(Duration::from_millis(500));
    let id = ann.send_slash("move", &[("move", "d1-c1")]).unwrap();
    assert_eq!(ann.callback(id).await, None, "it waits for the disk");
    slow.execute_batch("ROLLBACK").unwrap();
    discord.set_response_deadline(WAIT_LIMIT);
    let post = discord.post_saying(discord.channel, "d1-c1").await;
    assert!(post.pings_only(&bo), "{}", post.text());
    bo.slash("move", &[("move", "d3-e3")]).await;
    bot.wait_until_idle().await;
    assert_eq!(discord.posts_saying(discord.channel, "**d1-c1**").len(), 1);
    println!("a move that waited for the disk for longer than Discord waits was posted once");
}

#[tokio::test]
async fn moves_are_refused_while_the_disk_fails_and_work_afterwards() {
    let discord = FakeDiscord::start().await;
    let mut bot = BotProcess::stopped(&discord);
    let disk = BadDisk::under(&mut bot);
    bot.allow_error("there is no room for the database to grow");
    bot.allow_error("the database cannot be used");
    bot.start_again().await;
    let (ann, bo) = begin(&discord).await;
    let moves = [(&ann, "d1-c1"), (&bo, "d3-e3"), (&ann, "c1-d1"), (&bo, "e3-d3"), (&ann, "d1-b1"), (&bo, "d3-f3")];
    let faults = [
        (BadDisk::FULL, "because the disk is full, and nothing was done"),
        (BadDisk::READ_ONLY, "and nothing was done. Try again later"),
        (BadDisk::BROKEN, "and nothing was done. Try again later"),
    ];
    for ((person, typed), (fault, words)) in moves.into_iter().zip(faults.into_iter().cycle()) {
        disk.fail_with(fault);
        let refused = person.slash("move", &[("move", typed)]).await;
        assert!(refused.is_private_for(person) && refused.text().contains(words), "{fault}: {}", refused.text());
        // Reading still works.
        let shown = person.slash("board", &[]).await;
        assert!(shown.is_private_for(person) && !shown.text().contains("went wrong"), "{}", shown.text());
        disk.recover();
        let played = person.slash("move", &[("move", typed)]).await;
        assert!(played.text().contains(&format!("played **{typed}**")), "after {fault}: {}", played.text());
    }
    bot.wait_until_idle().await;
    for (_, typed) in moves {
        assert_eq!(discord.posts_saying(discord.channel, &format!("played **{typed}**")).len(), 1, "{typed}");
    }
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.output());
    let store = Store::open_read_only(&bot.database()).unwrap();
    assert_eq!((store.check().unwrap(), store.session().unwrap().stats().unwrap().moves), (Vec::new(), 6));
    println!("{} moves were refused by a full, read-only or broken disk, and played when it was well", moves.len());
}

#[tokio::test]
async fn on_a_slow_disk_responses_wait_for_the_flush_and_share_it() {
    const TABLES: usize = 20;
    // Long enough for several moves to arrive meanwhile, also on a busy machine.
    const FLUSH: Duration = Duration::from_millis(500);
    let discord = FakeDiscord::start().await;
    let mut bot = BotProcess::stopped(&discord);
    let disk = BadDisk::under(&mut bot);
    bot.start_again().await;
    let mut movers = Vec::new();
    for n in 0..TABLES {
        let (ann, bo) = (discord.add_user(&format!("Ann{n}")), discord.add_user(&format!("Bo{n}")));
        begin_between(&ann, &bo).await;
        movers.push(ann);
    }
    bot.wait_until_idle().await;
    disk.slow_down(FLUSH);
    // The first move starts the write-ahead log, which waits for the disk in any case.
    let first = movers.remove(0);
    first.slash("move", &[("move", "d1-c1")]).await;
    let flushes = disk.flushes();
    let mut moving = JoinSet::new();
    for person in movers {
        moving.spawn(async move {
            let sent = Instant::now();
            let answer = person.slash("move", &[("move", "d1-c1")]).await;
            (sent.elapsed(), answer.text())
        });
    }
    let answers = moving.join_all().await;
    let flushes = disk.flushes() - flushes;
    disk.recover();
    for (took, text) in &answers {
        assert!(text.contains("played **d1-c1**"), "{text}");
        assert!(*took >= FLUSH, "answered after {took:?}, before it was safe");
    }
    let (quickest, slowest) = (answers.iter().min().unwrap().0, answers.iter().max().unwrap().0);
    // A move is one flush, and one more notes that it was posted.
    assert!(flushes < answers.len(), "{flushes} flushes: they did not share them");
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.output());
    println!(
        "on a disk that takes {FLUSH:?}, {} moves at once were answered after {quickest:.2?} to {slowest:.2?}, with {flushes} flushes",
        answers.len()
    );
}

#[tokio::test]
async fn a_move_on_a_full_disk_is_refused_and_works_when_there_is_room() {
    let discord = FakeDiscord::start().await;
    let mut bot = BotProcess::stopped(&discord);
    let folder = bot.folder().to_owned();
    let Some(disk) = SmallDisk::mount(&folder, "size=2m") else { return };
    // A failed backup would free its space in the middle of this.
    bot.set("RATATOSK_BACKUP_EVERY", "off");
    bot.allow_error("there is no room for the database to grow");
    bot.start_again().await;
    let (ann, bo) = begin(&discord).await;
    let filler = folder.join("filler");
    // Fills the disk to the last byte.
    let _ = std::fs::write(&filler, vec![0; 4_000_000]);
    // The space that the log has already may take a few moves.
    let moves = [(&ann, "d1-c1"), (&bo, "d3-e3"), (&ann, "c1-d1"), (&bo, "e3-d3")].into_iter().cycle();
    let mut taken = 0;
    for (person, typed) in moves {
        let answer = person.slash("move", &[("move", typed)]).await;
        if answer.is_public() {
            taken += 1;
            continue;
        }
        assert!(answer.text().contains("the disk is full"), "after {taken} moves: {}", answer.text());
        assert!(answer.is_private_for(person));
        std::fs::remove_file(&filler).unwrap();
        let answer = person.slash("move", &[("move", typed)]).await;
        assert!(answer.is_public() && answer.text().contains(typed), "{}", answer.text());
        break;
    }
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.output());
    assert_eq!(Store::open_read_only(&bot.database()).unwrap().check().unwrap(), []);
    drop(disk);
    println!("the full disk took {taken} moves more, refused the next one, and took it when there was room");
}
