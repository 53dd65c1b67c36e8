//! A disk that is slow, full, read-only or broken under the running bot.

use crate::bad_disk::BadDisk;
use crate::experiments::bot_process::BotProcess;
use crate::experiments::start_game::{begin, begin_between};
use crate::experiments::store_fixture::small_disk::SmallDisk;
use fake_discord::FakeDiscord;
use fake_discord::rest::Failure;
use fake_discord::state::DiscordState;
use ratatosk::store::Store;

#[tokio::test]
async fn a_move_that_waited_too_long_for_the_disk_is_played_and_posted_once() {
    let discord = FakeDiscord::start().await;
    let mut bot = BotProcess::stopped(&discord);
    let disk = BadDisk::under(&mut bot);
    bot.start_again().await;
    let (ann, bo) = begin(&discord).await;
    bot.wait_until_idle().await;
    disk.hold_flushes();
    let id = ann.send_slash("move", &[("move", "d1-c1")]).unwrap();
    disk.wait_until_held().await;
    discord.expire_interactions();
    assert_eq!(ann.callback(id).await, None, "it waits for the disk");
    disk.recover();
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
async fn on_a_slow_disk_answers_wait_for_the_flush_and_share_it() {
    // The bot has eight threads that wait for the disk. Seven moves leave one for requests that only read.
    const GAMES: usize = 7;
    const PLAY: (&str, &[(&str, &str)]) = ("move", &[("move", "d1-c1")]);
    let discord = FakeDiscord::start().await;
    let mut bot = BotProcess::stopped(&discord);
    let disk = BadDisk::under(&mut bot);
    bot.start_again().await;
    let mut movers = Vec::new();
    for n in 0..GAMES {
        let (ann, bo) = (discord.add_user(&format!("Ann{n}")), discord.add_user(&format!("Bo{n}")));
        begin_between(&ann, &bo).await;
        movers.push(ann);
    }
    bot.wait_until_idle().await;
    disk.hold_flushes();
    // While the first move waits for the disk, the others come.
    let mut sent = vec![movers[0].send_slash(PLAY.0, PLAY.1).unwrap()];
    disk.wait_until_held().await;
    sent.extend(movers[1..].iter().map(|person| person.send_slash(PLAY.0, PLAY.1).unwrap()));
    // The bot handles requests in the order in which they come: when it has answered these, it has begun with the moves.
    for person in &movers[1..] {
        person.slash("board", &[]).await;
    }
    let answered = |state: &DiscordState| sent.iter().filter(|id| state.interactions[*id].callback.is_some()).count();
    assert_eq!(discord.state.read(answered), 0, "moves were answered before they were on the disk");
    // Holds all answers until the flushes are counted: the bot records each answer that arrives, which needs a flush.
    discord.fail_next("POST /interactions/*/*/callback", usize::MAX, Failure::Hold);
    disk.release_flushes();
    discord.wait_until_held(GAMES).await;
    let flushes = disk.flushes();
    discord.clear_failures();
    disk.recover();
    for (person, id) in movers.iter().zip(&sent) {
        let answer = person.answer(*id).await.unwrap();
        assert!(answer.text().contains("played **d1-c1**"), "{}", answer.text());
    }
    assert!(flushes < GAMES, "{flushes} flushes: they did not share them");
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.output());
    println!("{GAMES} moves that came while the disk was held were on it after {flushes} flushes");
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
    // A few moves may fit into the space that the log already has.
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
