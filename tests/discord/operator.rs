//! What an operator sees: heartbeat, backups, the log.

use crate::bot_process::log::{self, Allowed, first_bad_line};
use crate::bot_process::{BotProcess, wait_until};
use crate::fixture::{Fixture, assert_private};
use ratatosk::cli::PANIC_MESSAGE;
use serde_json::Value;
use tokio::process::Command;

/// Runs another command of the program beside the bot. Returns the exit code and the output.
async fn ask(bot: &BotProcess, command: &str) -> (i32, String) {
    let mut asking = Command::new(env!("CARGO_BIN_EXE_ratatosk"));
    let output = asking.args([command, "--database"]).arg(bot.database()).env_clear().output().await.unwrap();
    let told = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(told).unwrap())
}

/// Waits until `ratatosk health` ends with a code and prints some words.
pub async fn health(bot: &BotProcess, code: i32, part: &str) {
    wait_until("`ratatosk health` to change", async || {
        let (found, printed) = ask(bot, "health").await;
        (found != code || !printed.contains(part)).then(|| format!("{found}: {printed}\n{}", bot.output()))
    })
    .await;
}

#[tokio::test]
async fn health_and_status_follow_a_running_bot() {
    let mut e = Fixture::start().await;
    health(&e.bot, 0, "").await;
    let board = e.start_game("brandubh").await;
    e.play(board, "d1-c1").await;
    let (code, told) = ask(&e.bot, "status").await;
    assert_eq!(code, 0, "{told}");
    for part in
        ["running, and connected to Discord", "games running      1\n", "moves              1\n", "unsent messages"]
    {
        assert!(told.contains(part), "{told}");
    }
    e.discord.refuse_gateway(true);
    e.discord.cut_gateway();
    health(&e.bot, 1, "not connected to Discord").await;
    e.discord.refuse_gateway(false);
    health(&e.bot, 0, "").await;
    assert_eq!(e.bot.stop("TERM").await, Some(0));
    health(&e.bot, 1, "was stopped").await;
}

#[tokio::test]
async fn a_short_loss_of_the_connection_is_one_line_of_the_log_and_the_invite_is_not_repeated() {
    let e = Fixture::start().await;
    e.bot.wait_for_log(log::ALL_CONNECTED).await;
    e.discord.cut_gateway();
    e.discord.wait_until("the session to be resumed", |state| (state.gateway.resumed == 1).then_some(())).await;
    // Which of the two it is depends on how busy the machine is.
    wait_until("a line about the loss", async || {
        let output = e.bot.output();
        let told = ["was lost for less than 2 s and is resumed", "connected to Discord again, after"];
        (!told.iter().any(|words| output.contains(words))).then_some(output)
    })
    .await;
    e.discord.invalidate_session(false);
    e.bot.wait_for_log_times(" connected to Discord bot=", 2).await;
    assert_eq!(e.bot.output().matches(log::INVITE).count(), 1, "{}", e.bot.output());
}

#[tokio::test]
async fn the_heartbeat_of_an_earlier_process_does_not_count() {
    let mut e = Fixture::start().await;
    health(&e.bot, 0, "").await;
    e.bot.kill().await;
    health(&e.bot, 1, "is not running").await;
    let before = e.bot.output().len();
    e.bot.variables = vec![("RATATOSK_LOG_FORMAT", "json")];
    e.bot.use_wrong_address("http://127.0.0.1:9");
    e.bot.launch(None);
    health(&e.bot, 1, "starting, and not connected to Discord yet").await;
    assert_eq!(e.bot.exit_code().await, Some(69));
    health(&e.bot, 1, "is not running").await;
    // The last line says why, in the same format.
    let said = e.bot.output()[before..].to_owned();
    let last: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap_or_else(|_| panic!("{said}"));
    assert_eq!((&last["level"], &last["exit_code"]), (&Value::from("ERROR"), &Value::from(69)), "{said}");
    assert!(last["reason"].as_str().unwrap().contains("cannot be reached"), "{said}");
}

#[tokio::test]
async fn the_bot_makes_one_backup_a_day() {
    let mut e = Fixture::start().await;
    let folder = e.bot.database().with_file_name("backups");
    let copies =
        || std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|file| file.path()).collect::<Vec<_>>();
    e.bot.wait_for_log(log::BACKUP_MADE).await;
    assert!(copies().iter().all(|path| path.extension().is_some_and(|ending| ending == "db")), "{:?}", copies());
    e.bot.restart().await;
    e.idle().await;
    assert_eq!(e.bot.stop("TERM").await, Some(0), "{}", e.bot.output());
    assert_eq!(copies().len(), 1);
}

#[tokio::test]
async fn the_json_log_names_the_game_and_no_secrets() {
    let mut e = Fixture::start().await;
    assert_eq!(e.bot.stop("TERM").await, Some(0));
    let before = e.bot.output().len();
    e.bot.variables = vec![("RATATOSK_LOG_FORMAT", "json"), ("RATATOSK_LOG", "trace"), ("RATATOSK_DATABSE", "typo")];
    e.bot.start_again().await;
    let board = e.start_game("brandubh").await;
    let board = e.play(board, "d1-c1").await;
    let first = board.clone();
    assert_private(&e.bo.slash("move", &[("move", "my secret plan")]).await, &e.bo, "");
    e.play(board, "d3-e3").await;
    assert_eq!(e.bot.stop("TERM").await, Some(0));
    let said = e.bot.output()[before..].to_owned();
    let events: Vec<Value> =
        said.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect();
    let find = |message: &str| {
        events.iter().find(|event| event["message"] == message).unwrap_or_else(|| panic!("no `{message}` in\n{said}"))
    };
    let begins = find(log::STARTED);
    assert_eq!((&begins["schema"], &begins["version"]), (&Value::from(7), &Value::from(env!("CARGO_PKG_VERSION"))));
    let moved = find(log::MOVE_MADE);
    assert_eq!((&moved["game"], &moved["move"]), (&Value::from(1), &Value::from("d1-c1")));
    assert!(moved["player"].is_u64() && moved["server"].is_u64(), "{moved}");
    assert_eq!((&moved["events"], &moved["channel"]), (&Value::from("move 1 played"), &Value::from(e.channel())));
    assert_eq!(find("challenge made")["channel"], e.channel());
    let answered = events.iter().find(|event| event["message"] == "answered" && event["post"] == first.id);
    let answered = answered.unwrap_or_else(|| panic!("no line says as which message the move was posted:\n{said}"));
    assert!(answered["ms"].is_u64() && answered["game"] == 1 && answered["channel"] == e.channel(), "{answered}");
    assert_eq!(find(log::STOPPED)["unsent"], 0);
    assert!(!said.contains(log::CONNECTION_LOST), "the bot has closed it itself: {said}");
    assert!(said.contains("add the bot to a server with https://discord.com/oauth2/authorize?client_id="));
    assert!(said.contains("did you mean RATATOSK_DATABASE?"), "{said}");
    for secret in ["not-a-real-token", "secret plan"] {
        assert!(!said.contains(secret), "{said}");
    }
}

#[test]
fn bugs_and_unexpected_errors_in_the_log_fail_a_test() {
    let allowed = Allowed { errors: vec!["the disk is full"], bugs: vec!["a bug of the test"] };
    let bug =
        format!("2026-11-16T20:00:00Z ERROR {PANIC_MESSAGE} location=\"src/x.rs:1:1\" panic=\"the disk is full\"");
    for line in [
        &bug,
        "{\"timestamp\":\"2026-11-16T20:00:00Z\",\"level\":\"ERROR\",\"message\":\"request failed\"}",
        "2026-11-16T20:00:00Z ERROR request panicked, apologising to the player request=1 error=the disk is full",
        "2026-11-16T20:00:00Z ERROR request failed, apologising to the player request=1 error=the database is locked",
        "thread 'main' (1) panicked at src/main.rs:1:1:",
    ] {
        assert_eq!(first_bad_line(&format!("Ratatosk is starting\n{line}\nstopped\n"), &allowed), Some(line));
    }
    for line in [
        "2026-11-16T20:00:00Z ERROR request failed, apologising to the player request=1 error=the disk is full",
        "2026-11-16T20:00:00Z ERROR bug location=\"src/x.rs:1:1\" panic=\"a bug of the test panicked at once\"",
        "2026-11-16T20:00:00Z  WARN posting failed, retrying in 1 s error=an ERROR of Discord",
    ] {
        assert_eq!(first_bad_line(line, &allowed), None);
    }
}
