//! Another program changes the database under the running bot.

use crate::experiments::bot_process::BotProcess;
use crate::experiments::bot_process::log::STOPPING;
use crate::experiments::start_game::begin;
use fake_discord::FakeDiscord;
use std::io::{Seek, SeekFrom, Write};

#[tokio::test]
async fn the_bot_exits_with_74_when_a_table_is_dropped() {
    // The first one is needed for a move, the second one for every request.
    for table in ["moves", "gone"] {
        let discord = FakeDiscord::start().await;
        let mut bot = BotProcess::start(&discord).await;
        bot.allow_error("but not the table");
        let (ann, _) = begin(&discord).await;
        bot.wait_until_idle().await;
        let other = rusqlite::Connection::open(bot.database()).unwrap();
        other.execute_batch(&format!("PRAGMA foreign_keys = OFF; DROP TABLE {table}")).unwrap();
        ann.send_slash("move", &[("move", "d1-c1")]).unwrap();
        assert_eq!(bot.exit_code().await, Some(74), "{}", bot.output());
        let log = bot.output();
        assert!(log.contains(STOPPING), "it stops in order: {log}");
        let reason = format!("the database is not as ratatosk made it (it has schema 7, but not the table {table})");
        assert!(log.contains(&reason), "{log}");
        assert!(!log.contains("this is a bug"), "{log}");
    }
}

#[tokio::test]
async fn the_bot_exits_when_an_index_is_dropped_and_the_next_start_makes_it_again() {
    let discord = FakeDiscord::start().await;
    let mut bot = BotProcess::start(&discord).await;
    bot.allow_error("the database lacks the index");
    let (ann, bo) = begin(&discord).await;
    bot.wait_until_idle().await;
    let other = rusqlite::Connection::open(bot.database()).unwrap();
    other.execute_batch("DROP INDEX open_challenges_by_opponent; DROP INDEX open_challenges_by_challenger").unwrap();
    ann.send_slash("challenge", &[("variant", "brandubh"), ("opponent", bo.mention())]).unwrap();
    assert_eq!(bot.exit_code().await, Some(74), "{}", bot.output());
    bot.start_again().await;
    bot.wait_for_log("the index open_challenges_by_opponent of challenges was missing and was made again").await;
}

#[tokio::test]
async fn the_bot_exits_with_74_when_its_database_is_damaged() {
    let discord = FakeDiscord::start().await;
    let mut bot = BotProcess::start(&discord).await;
    bot.allow_error("the database is damaged");
    let (ann, _) = begin(&discord).await;
    bot.wait_until_idle().await;
    let other = rusqlite::Connection::open(bot.database()).unwrap();
    other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(other);
    // Everything but the header.
    let mut file = std::fs::OpenOptions::new().write(true).open(bot.database()).unwrap();
    let length = file.metadata().unwrap().len();
    file.seek(SeekFrom::Start(4096)).unwrap();
    file.write_all(&vec![0x5a; usize::try_from(length).unwrap() - 4096]).unwrap();
    ann.send_slash("move", &[("move", "d1-c1")]).unwrap();
    assert_eq!(bot.exit_code().await, Some(74), "{}", bot.output());
    assert!(bot.output().contains("the database is damaged") && bot.output().contains("restore a backup"));
}
