//! What whoever runs the bot sees of it: signs of life, backups, the log.

use crate::evening::{Evening, told_in_private};
use crate::standin::bot::Bot;
use serde_json::Value;
use std::time::{Duration, Instant};
use tokio::process::Command;

/// Asks about a bot, as another process does; gives the exit code and what was printed.
async fn ask(bot: &Bot, command: &str) -> (i32, String) {
    let mut asking = Command::new(env!("CARGO_BIN_EXE_ratatosk"));
    let asked = asking.args([command, "--database"]).arg(bot.database()).env_clear().output().await.unwrap();
    let told = [asked.stdout, asked.stderr].concat();
    (asked.status.code().unwrap(), String::from_utf8(told).unwrap())
}

/// Waits until `ratatosk health` says this.
async fn health(bot: &Bot, code: i32, part: &str) {
    let began = Instant::now();
    loop {
        let (found, told) = ask(bot, "health").await;
        if found == code && told.contains(part) {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "{found}: {told}\n{}", bot.said());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test]
async fn a_running_bot_gives_signs_of_life() {
    let mut e = Evening::begins().await;
    health(&e.bot, 0, "").await;
    let board = e.game("brandubh").await;
    e.moves(board, "d1-c1").await;
    let (code, told) = ask(&e.bot, "status").await;
    assert_eq!(code, 0, "{told}");
    for part in
        ["runs, and is connected to Discord", "games running      1\n", "moves              1\n", "owed messages"]
    {
        assert!(told.contains(part), "{told}");
    }
    e.discord.shut_gateway(true);
    e.discord.cut_gateway();
    health(&e.bot, 1, "not connected to Discord").await;
    e.discord.shut_gateway(false);
    health(&e.bot, 0, "").await;
    assert_eq!(e.bot.stop("TERM").await, Some(0));
    health(&e.bot, 1, "was stopped").await;
}

#[tokio::test]
async fn nobody_believes_what_an_earlier_process_has_left() {
    let mut e = Evening::begins().await;
    health(&e.bot, 0, "").await;
    e.bot.kill().await;
    health(&e.bot, 1, "does not run").await;
    let before = e.bot.said().len();
    e.bot.variables = vec![("RATATOSK_LOG_FORMAT", "json")];
    e.bot.lead_astray("http://127.0.0.1:9");
    e.bot.expect_error("Discord cannot be reached");
    e.bot.launch(None);
    health(&e.bot, 1, "not connected to Discord").await;
    assert_eq!(e.bot.exit_code().await, Some(69));
    health(&e.bot, 1, "does not run").await;
    // The last line says why, as all lines are written.
    let said = e.bot.said()[before..].to_owned();
    let last: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap_or_else(|_| panic!("{said}"));
    assert!(last["message"].as_str().unwrap().contains("cannot be reached"), "{said}");
}

#[tokio::test]
async fn a_running_bot_makes_a_backup_and_another_start_on_the_same_day_none() {
    let mut e = Evening::begins().await;
    let folder = e.bot.database().with_file_name("backups");
    let copies =
        || std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|file| file.path()).collect::<Vec<_>>();
    let began = Instant::now();
    // It is said after it was done.
    while !e.bot.said().contains("backup made") {
        assert!(began.elapsed() < Duration::from_secs(10), "{}", e.bot.said());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(copies().iter().all(|path| path.extension().is_some_and(|ending| ending == "db")), "{:?}", copies());
    e.bot.restart().await;
    e.discord.settle().await;
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.said());
    assert_eq!(copies().len(), 1);
}

#[tokio::test]
async fn the_log_is_one_json_object_a_line_with_the_game_and_without_secrets() {
    let mut e = Evening::begins().await;
    assert_eq!(e.bot.stop("TERM").await, Some(0));
    let before = e.bot.said().len();
    e.bot.variables = vec![("RATATOSK_LOG_FORMAT", "json"), ("RATATOSK_LOG", "trace"), ("RATATOSK_DATABSE", "typo")];
    e.bot.start().await;
    let board = e.game("brandubh").await;
    let board = e.moves(board, "d1-c1").await;
    told_in_private(&e.bo.slash("move", &[("move", "my secret plan")]).await, &e.bo, "");
    e.moves(board, "d3-e3").await;
    assert_eq!(e.bot.stop("TERM").await, Some(0));
    let said = e.bot.said()[before..].to_owned();
    let events: Vec<Value> =
        said.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect();
    let find = |message: &str| {
        events.iter().find(|event| event["message"] == message).unwrap_or_else(|| panic!("no `{message}` in\n{said}"))
    };
    let begins = find("Ratatosk is starting");
    assert_eq!((&begins["schema"], &begins["version"]), (&Value::from(4), &Value::from(env!("CARGO_PKG_VERSION"))));
    let moved = find("a game goes on");
    assert_eq!((&moved["game"], &moved["moved"]), (&Value::from(1), &Value::from("d1-c1")));
    assert!(moved["player"].is_u64() && moved["server"].is_u64(), "{moved}");
    assert!(said.contains("invite it with https://discord.com/oauth2/authorize?client_id="));
    assert!(said.contains("did you mean RATATOSK_DATABASE?"), "{said}");
    for secret in ["not-a-real-token", "secret plan"] {
        assert!(!said.contains(secret), "{said}");
    }
}
