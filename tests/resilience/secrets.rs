//! The token, and what interactions are answered with, are nowhere: not in what is printed, not in any file.

use crate::bad_disk::BadDisk;
use crate::beginning::{begin, begin_between};
use crate::modes::{backup_is_made, files};
use crate::standin::Discord;
use crate::standin::bot::Bot;
use crate::standin::model::World;
use crate::standin::rest::Trouble;
use ratatosk::store::Store;
use serde_json::json;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio::task::JoinSet;

/// What every token of an interaction begins with in the stand-in.
const INTERACTION: &str = "aW50ZXJhY3Rpb246";

/// Looks for the secret part of a token, and for tokens of interactions, in what a bot has printed and in every file of its
/// folder; gives how many bytes were looked at.
fn nowhere(token: &str, bot: &Bot) -> usize {
    let secret = token.rsplit('.').next().unwrap();
    let mut looked = bot.said().len();
    for needle in [secret, INTERACTION] {
        assert!(!bot.said().contains(needle), "{needle} was printed:\n{}", bot.said());
        for file in files(bot.folder()) {
            // A backup is written under another name first.
            let Ok(bytes) = std::fs::read(&file) else { continue };
            assert!(!String::from_utf8_lossy(&bytes).contains(needle), "{needle} is in {}", file.display());
            looked += bytes.len();
        }
    }
    looked
}

/// Waits until the bot has said something.
async fn says(bot: &Bot, words: &str) {
    let said = async {
        while !bot.said().contains(words) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(crate::standin::PATIENCE, said).await.unwrap_or_else(|_| {
        panic!("it never said {words:?}, but\n{}", bot.said());
    });
}

#[tokio::test]
async fn the_token_is_nowhere_to_be_found_whatever_fails() {
    let discord = Discord::start().await;
    let token = discord.shared.look(|world| world.token.clone());
    let mut bot = discord.stopped_bot();
    // It tells everything that it can tell.
    for (name, value) in [("RATATOSK_LOG", "trace"), ("RUST_LOG", "trace"), ("RUST_BACKTRACE", "full")] {
        bot.set(name, value);
    }
    let disk = BadDisk::under(&mut bot);
    for words in ["no backup could be made", "request failed", "cannot be used", "no room for the database"] {
        bot.expect_error(words);
    }
    // Where the backup should go there is no folder, and none can be made.
    std::fs::write(bot.folder().join("backups"), "in the way").unwrap();
    bot.start().await;
    says(&bot, "no backup could be made").await;
    let (ann, bo) = begin(&discord).await;
    ann.slash("move", &[("move", "d1-c1")]).await;
    // Every kind of call fails in every way: an answer, a post, and an old post that loses its buttons.
    let slow = Trouble::Slow(Duration::from_millis(3_500));
    let limit = Trouble::Limit(Duration::from_millis(50));
    let refusals = [401, 403, 404, 500].map(Trouble::Fail);
    let troubles = [&refusals[..], &[Trouble::Cut, Trouble::CutAfterDoing, limit, slow]].concat();
    let all_came = |world: &World, route: &str| {
        let mut wanted = world.faults.iter().filter(|fault| fault.route.contains(route));
        wanted.all(|fault| fault.times == 0).then_some(())
    };
    for trouble in &troubles {
        discord.trouble("PATCH /channels/*/messages/*", 1, *trouble);
        let one = discord.user("One");
        begin_between(&one, &discord.user("Other")).await;
        discord.trouble("POST /channels/*/messages", 1, *trouble);
        discord.trouble("POST /interactions/*/*/callback", 1, *trouble);
        one.in_private().send_slash("move", &[("move", "d1-c1")]).unwrap();
        discord.wait_for("the answer to fail", |world| all_came(world, "/interactions/")).await;
    }
    discord.wait_for("every trouble", |world| all_came(world, "")).await;
    for words in
        ["answer failed", "call to Discord failed, retrying", "posting failed, retrying", "leaving it as it is"]
    {
        says(&bot, words).await;
    }
    discord.no_trouble();
    // So does the disk.
    for fault in [BadDisk::FULL, BadDisk::READ_ONLY, BadDisk::BROKEN] {
        disk.fails_with(fault);
        let refused = bo.slash("move", &[("move", "d3-e3")]).await;
        assert!(refused.text().contains("nothing was done"), "{}", refused.text());
        disk.is_well();
    }
    says(&bot, "request failed").await;
    bo.slash("move", &[("move", "nonsense")]).await;
    // Every command that there is, as if everybody were a moderator.
    ann.moderate();
    let commands = discord.shared.look(|world| world.commands.clone());
    for command in &commands {
        let data = json!({ "id": command["id"], "name": command["name"], "type": 1, "options": [] });
        let id = ann.interact(2, data, None).unwrap();
        assert!(ann.answer(id).await.is_ok(), "{} was not answered", command["name"]);
    }
    ann.forge(2, json!("nonsense"), None, |payload| payload["member"] = json!(7)).unwrap();
    discord.invalidate_session(false);
    discord.wait_for("a new session", |world| (world.gateway.identified == 2).then_some(())).await;
    says(&bot, "operation timed out").await;
    // While it runs the log beside the database is looked at, too, and everything that was sent to Discord.
    let mut looked = nowhere(&token, &bot);
    let sent = discord.shared.look(|world| format!("{:?}{:?}", world.asked, world.messages));
    assert!(!sent.contains(token.rsplit('.').next().unwrap()), "the token was sent:\n{sent}");
    // A second run, with a backup.
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.said());
    std::fs::remove_file(bot.folder().join("backups")).unwrap();
    bot.start().await;
    backup_is_made(bot.folder()).await;
    // The token is revoked, and the bot started with it once more: refused at the door.
    discord.revoke_token();
    assert_eq!(bot.exit_code().await, Some(77), "{}", bot.said());
    bot.launch(Some(&token));
    assert_eq!(bot.exit_code().await, Some(77), "{}", bot.said());
    looked += nowhere(&token, &bot);
    println!(
        "after {} kinds of trouble, 3 faults of the disk, a failed backup and a revoked token, the token is nowhere in {} KB",
        troubles.len(),
        looked / 1024
    );
}

#[tokio::test]
async fn no_way_to_fail_at_the_start_tells_the_token() {
    let secret = "MTE3NDk4NTc2MTI4MzY1NTY4MA.GstanD.known-only-to-this-test-and-never-to-be-told";
    let bot = Discord::start().await.stopped_bot();
    Store::open(&bot.database()).unwrap().close().unwrap();
    let file = bot.folder().join("token");
    std::fs::write(&file, secret).unwrap();
    let settings = bot.folder().join("config.toml");
    std::fs::write(&settings, format!("[discord]\ntoken = \"{secret}\"\ntokken = \"{secret}\"\nx = {secret}\n"))
        .unwrap();
    // The commands, and how each of them ends on each way; whoever asks for `health` only wants to know whether all is well.
    const WORDS: [&str; 7] = ["serve", "invite", "check-config", "status", "health", "check", "export"];
    const MISCONFIGURED: [i32; 7] = [78, 78, 78, 78, 1, 78, 78];
    const BAD_TOKEN: [i32; 7] = [78, 78, 78, 0, 1, 0, 0];
    type Way<'w> = (&'w [(&'w str, &'w str)], [i32; 7]);
    let ways: [Way<'_>; 8] = [
        (&[("RATATOSK_DISCORD_API", "http://127.0.0.1:1")], [69, 0, 0, 0, 1, 0, 0]),
        (&[("RATATOSK_DISCORD_API", "http://example.com")], MISCONFIGURED),
        (
            &[("RATATOSK_DATABASE", "/proc/no/such/place.db"), ("RATATOSK_DISCORD_API", "http://127.0.0.1:1")],
            [74, 0, 0, 74, 1, 74, 74],
        ),
        (&[("DISCORD_TOKEN", &format!("{secret}\nX-Other: header"))], BAD_TOKEN),
        (
            &[
                ("DISCORD_TOKEN", ""),
                ("RATATOSK_TOKEN_FILE", file.to_str().unwrap()),
                ("RATATOSK_DISCORD_API", "ftp://x"),
            ],
            MISCONFIGURED,
        ),
        // The token where the name of the file with it belongs, and in a file of settings that has another fault.
        (&[("DISCORD_TOKEN", ""), ("RATATOSK_TOKEN_FILE", secret)], BAD_TOKEN),
        (&[("DISCORD_TOKEN", ""), ("RATATOSK_CONFIG", settings.to_str().unwrap())], MISCONFIGURED),
        (&[("RATATOSK_DISCORD_RESOLVE", "nowhere"), ("RATATOSK_DISCORD_CA", "/nowhere")], MISCONFIGURED),
    ];
    // All at once: who cannot reach Discord tries for a while.
    let mut starts = JoinSet::new();
    for (way, codes) in &ways {
        for (word, code) in WORDS.into_iter().zip(*codes) {
            let mut command = Command::new(env!("CARGO_BIN_EXE_ratatosk"));
            command.arg(word).env_clear().current_dir(bot.folder()).env("DISCORD_TOKEN", secret);
            command.env("RATATOSK_DATABASE", bot.database()).env("RATATOSK_LOG", "trace");
            command.env("RUST_LOG", "trace").env("RUST_BACKTRACE", "full").envs(way.iter().copied());
            let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
            let told = format!("{word} with {way:?}");
            starts.spawn(async move {
                let output = tokio::time::timeout(Duration::from_secs(60), child.wait_with_output()).await;
                (told, code, output.expect("it ends").unwrap())
            });
        }
    }
    let ended = starts.join_all().await;
    for (told, code, output) in &ended {
        let said = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
        assert!(!said.contains("known-only-to"), "{told}: {said}");
        assert_eq!(output.status.code(), Some(*code), "{told}: {said}");
        assert!(!said.trim().is_empty(), "{told}: nothing was said");
    }
    std::fs::remove_file(file).unwrap();
    std::fs::remove_file(settings).unwrap();
    nowhere(secret, &bot);
    println!(
        "{} starts that fail or are beside a wrong setting end as the README says, and none tells the token",
        ended.len()
    );
}
