//! A panic in the thread that writes the database.

use crate::experiments::bot_process::BotProcess;
use crate::experiments::bot_process::log::STOPPING;
use crate::experiments::start_game::begin;
use crate::preload::preload;
use fake_discord::FakeDiscord;
use ratatosk::store::Store;

#[tokio::test]
async fn the_bot_exits_with_74_when_the_store_writer_panics() {
    let discord = FakeDiscord::start().await;
    let mut bot = BotProcess::stopped(&discord);
    bot.allow_error("writer thread has ended");
    bot.allow_bug("InvalidInput");
    let order = preload(&mut bot, "writer_panic", "WRITER_PANIC");
    bot.start_again().await;
    let (ann, _) = begin(&discord).await;
    bot.wait_until_idle().await;
    std::fs::write(&order, "").unwrap();
    // The thread reads the clock when there is something to write.
    ann.send_slash("move", &[("move", "d1-c1")]).unwrap();
    assert_eq!(bot.exit_code().await, Some(74), "{}", bot.output());
    assert!(bot.output().contains(STOPPING), "it stops in order: {}", bot.output());
    std::fs::remove_file(&order).unwrap();
    assert_eq!(Store::open_read_only(&bot.database()).unwrap().check().unwrap(), []);
    bot.start_again().await;
    assert!(ann.slash("board", &[]).await.text().contains("Brandubh"), "the game goes on after a new start");
}
