//! The bot's token and the tokens of interactions appear neither in the output nor in any file.

use crate::bad_disk::BadDisk;
use crate::experiments::bot_process::BotProcess;
use crate::experiments::bot_process::log;
use crate::experiments::start_game::{begin, begin_between};
use crate::file_permissions::{backup_is_made, files};
use fake_discord::rest::Failure;
use fake_discord::state::DiscordState;
use fake_discord::{FakeDiscord, REAL_RESPONSE_DEADLINE, WAIT_LIMIT};
use ratatosk::store::Store;
use serde_json::json;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio::task::JoinSet;

/// The start of every interaction token of the fake Discord.
const INTERACTION: &str = "aW50ZXJhY3Rpb246";

/// Checks that the secret part of the token and interaction tokens are neither in the output of a bot nor in any file of
/// its folder. Returns how many bytes were searched.
fn nowhere(token: &str, bot: &BotProcess) -> usize {
    let secret = token.rsplit('.').next().unwrap();
    let mut looked = bot.output().len();
    for needle in [secret, INTERACTION] {
        assert!(!bot.output().contains(needle), "{needle} was printed:\n{}", bot.output());
        for file in files(bot.folder()) {
            // A backup is written under another name first.
            let Ok(bytes) = std::fs::read(&file) else { continue };
            assert!(!String::from_utf8_lossy(&bytes).contains(needle), "{needle} is in {}", file.display());
            looked += bytes.len();
        }
    }
    looked
}

/// What reqwest says of a request that took too long.
const TIMED_OUT: &str = "operation timed out";

/// Makes every kind of request fail in every way: an answer, a post, and an edit of an old post. Returns in how many
/// ways.
async fn fail_every_request(discord: &FakeDiscord, bot: &mut BotProcess) -> usize {
    let slow = Failure::Delay(Duration::from_millis(3_500));
    let limit = Failure::RateLimit(Duration::from_millis(50));
    let refusals = [401, 403, 404, 500].map(Failure::Status);
    let failures = [&refusals[..], &[Failure::Close, Failure::CloseAfterEffect, limit, slow]].concat();
    let mut movers = Vec::new();
    for _ in &failures {
        let one = discord.add_user("One");
        begin_between(&one, &discord.add_user("Other")).await;
        movers.push(one);
    }
    bot.wait_until_idle().await;
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.output());
    // A slow answer is to time out.
    bot.use_real_answer_limit(true);
    bot.start_again().await;
    discord.set_response_deadline(REAL_RESPONSE_DEADLINE);
    let all_came = |state: &DiscordState, route: &str| {
        let mut wanted = state.failure_rules.iter().filter(|rule| rule.route.contains(route));
        wanted.all(|rule| rule.times == 0).then_some(())
    };
    for (failure, mover) in failures.iter().zip(&movers) {
        for route in ["PATCH /channels/*/messages/*", "POST /channels/*/messages", "POST /interactions/*/*/callback"] {
            discord.fail_next(route, 1, *failure);
        }
        mover.in_dm().send_slash("move", &[("move", "d1-c1")]).unwrap();
        discord.wait_until("the answer to fail", |state| all_came(state, "/interactions/")).await;
    }
    discord.wait_until("every failure", |state| all_came(state, "")).await;
    for words in [log::ANSWER_REFUSED, log::ANSWER_RETRIED, log::MESSAGE_RETRIED, log::STALE_BUTTONS_STAY, TIMED_OUT] {
        bot.wait_for_log(words).await;
    }
    discord.clear_failures();
    discord.set_response_deadline(WAIT_LIMIT);
    bot.use_real_answer_limit(false);
    failures.len()
}

#[tokio::test]
async fn the_token_is_never_printed_stored_or_sent_whatever_fails() {
    let discord = FakeDiscord::start().await;
    let token = discord.state.read(|state| state.token.clone());
    let mut bot = BotProcess::stopped(&discord);
    // The most verbose log.
    for (name, value) in [("RATATOSK_LOG", "trace"), ("RUST_LOG", "trace"), ("RUST_BACKTRACE", "full")] {
        bot.set(name, value);
    }
    let disk = BadDisk::under(&mut bot);
    for words in ["backup failed", "request failed", "cannot be used", "no room for the database"] {
        bot.allow_error(words);
    }
    // A file is in the way of the folder for backups.
    std::fs::write(bot.folder().join("backups"), "in the way").unwrap();
    bot.start_again().await;
    bot.wait_for_log(log::BACKUP_FAILED).await;
    let (ann, bo) = begin(&discord).await;
    ann.slash("move", &[("move", "d1-c1")]).await;
    // The disk fails in every way.
    for fault in [BadDisk::FULL, BadDisk::READ_ONLY, BadDisk::BROKEN] {
        disk.fail_with(fault);
        let refused = bo.slash("move", &[("move", "d3-e3")]).await;
        assert!(refused.text().contains("nothing was done"), "{}", refused.text());
        disk.recover();
    }
    bot.wait_for_log(log::REQUEST_FAILED).await;
    bo.slash("move", &[("move", "nonsense")]).await;
    // Every command, by a moderator.
    ann.make_moderator();
    let commands = discord.state.read(|state| state.commands.clone());
    for command in &commands {
        let data = json!({ "id": command["id"], "name": command["name"], "type": 1, "options": [] });
        let id = ann.interact(2, data, None).unwrap();
        assert!(ann.answer(id).await.is_ok(), "{} was not answered", command["name"]);
    }
    ann.forge(2, json!("nonsense"), None, |payload| payload["member"] = json!(7)).unwrap();
    discord.invalidate_session(false);
    discord.wait_until("a new session", |state| (state.gateway.identified == 2).then_some(())).await;
    let failures = fail_every_request(&discord, &mut bot).await;
    // While the bot runs, the write-ahead log is searched, too, and everything that was sent to Discord.
    let mut looked = nowhere(&token, &bot);
    let sent = discord.state.read(|state| format!("{:?}{:?}", state.requests, state.messages));
    assert!(!sent.contains(token.rsplit('.').next().unwrap()), "the token was sent:\n{sent}");
    // A second run, with a backup.
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.output());
    std::fs::remove_file(bot.folder().join("backups")).unwrap();
    bot.start_again().await;
    backup_is_made(bot.folder()).await;
    // The token is revoked, and the bot is started with it again.
    discord.revoke_token();
    assert_eq!(bot.exit_code().await, Some(77), "{}", bot.output());
    bot.launch(Some(&token));
    assert_eq!(bot.exit_code().await, Some(77), "{}", bot.output());
    looked += nowhere(&token, &bot);
    println!(
        "after {} kinds of failures, 3 faults of the disk, a failed backup and a revoked token, the token is nowhere in {} KB",
        failures,
        looked / 1024
    );
}

#[tokio::test]
async fn failed_starts_never_print_the_token() {
    let secret = "MTE3NDk4NTc2MTI4MzY1NTY4MA.GstanD.known-only-to-this-test-and-never-to-be-told";
    let bot = BotProcess::stopped(&FakeDiscord::start().await);
    Store::open(&bot.database()).unwrap().close().unwrap();
    let file = bot.folder().join("token");
    std::fs::write(&file, secret).unwrap();
    let settings = bot.folder().join("config.toml");
    std::fs::write(&settings, format!("[discord]\ntoken = \"{secret}\"\ntokken = \"{secret}\"\nx = {secret}\n"))
        .unwrap();
    // The commands, and their exit codes in each case; `health` only has 0 and 1.
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
        // The token instead of the name of its file, and in a configuration file with another error.
        (&[("DISCORD_TOKEN", ""), ("RATATOSK_TOKEN_FILE", secret)], BAD_TOKEN),
        (&[("DISCORD_TOKEN", ""), ("RATATOSK_CONFIG", settings.to_str().unwrap())], MISCONFIGURED),
        (&[("RATATOSK_DISCORD_RESOLVE", "nowhere"), ("RATATOSK_DISCORD_CA", "/nowhere")], MISCONFIGURED),
    ];
    // All at once, because those that cannot reach Discord try for a while.
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
                let output = tokio::time::timeout(WAIT_LIMIT, child.wait_with_output()).await;
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
