//! The token is nowhere, and the files are their owner's.

use crate::standin::Discord;
use crate::standin::bot::Bot;
use crate::standin::people::Person;
use crate::standin::rest::Trouble;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Gives all files in a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Looks for the token, or its secret part, in what was printed and in every file.
fn nowhere(token: &str, printed: &str, folder: &Path) {
    let secret = token.rsplit('.').next().unwrap();
    assert!(!printed.contains(secret), "the token was printed:\n{printed}");
    for file in files(folder) {
        // A backup is written under another name first.
        let Ok(bytes) = std::fs::read(&file) else { continue };
        let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
        assert!(!found, "the token is in {}", file.display());
    }
}

/// Makes a bot that tells everything it can tell.
fn talkative(discord: &Discord) -> Bot {
    let mut bot = discord.stopped_bot();
    bot.set("RATATOSK_LOG", "trace");
    bot.set("RUST_BACKTRACE", "full");
    bot.set("RUST_LOG", "trace");
    bot
}

async fn play_a_little(discord: &Discord) -> (Person, Person) {
    let (ann, bo) = (discord.user("Ann"), discord.user("Bo"));
    let options = [("variant", "brandubh"), ("opponent", bo.mention()), ("side", "attackers")];
    let challenge = ann.slash("challenge", &options).await;
    bo.click(&challenge, "Accept").await;
    ann.slash("move", &[("move", "d1-c1")]).await;
    (ann, bo)
}

#[tokio::test]
async fn the_token_is_nowhere_to_be_found() {
    let discord = Discord::start().await;
    let token = discord.shared.look(|world| world.token.clone());
    let mut bot = talkative(&discord);
    bot.start().await;
    let (ann, bo) = play_a_little(&discord).await;
    // Everything that can fail fails once.
    for trouble in [Trouble::Fail(500), Trouble::Cut, Trouble::Limit(Duration::from_millis(50)), Trouble::Fail(403)] {
        discord.trouble("POST /interactions/*/*/callback", 1, trouble);
        discord.trouble("PATCH /channels/*/messages/*", 1, trouble);
        discord.trouble("POST /channels/*/messages", 1, trouble);
        let _ = ann.try_slash("games", &[]).await;
    }
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
    // While it runs the log beside the database is looked at, too, and everything that was sent to Discord.
    let backups = bot.folder().join("backups");
    while !(backups.is_dir() && files(&backups).iter().any(|file| file.extension() == Some("db".as_ref()))) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let sent = discord.shared.look(|world| format!("{:?}{:?}", world.asked, world.messages));
    nowhere(&token, &(bot.said() + &sent), bot.folder());
    // The token is revoked.
    discord.shared.change(|world| world.token = String::from("MTE3NDk4NTc2MTI4MzY1NTY4MA.Gother.another-token-now"));
    discord.close_gateway(4004);
    assert_eq!(bot.exit_code().await, Some(77), "{}", bot.said());
    // And started with it once more: refused at the door.
    bot.launch(Some(&token));
    assert_eq!(bot.exit_code().await, Some(77));
    nowhere(&token, &bot.said(), bot.folder());
}

#[tokio::test]
async fn no_way_to_fail_at_the_start_tells_the_token() {
    let discord = Discord::start().await;
    let secret = "MTE3NDk4NTc2MTI4MzY1NTY4MA.GstanD.known-only-to-this-test-and-never-to-be-told";
    let folder = discord.stopped_bot();
    let file = folder.folder().join("token");
    std::fs::write(&file, secret).unwrap();
    let settings = folder.folder().join("config.toml");
    std::fs::write(&settings, format!("[discord]\ntoken = \"{secret}\"\ntokken = \"{secret}\"\nx = {secret}\n"))
        .unwrap();
    let ways: [&[(&str, &str)]; 8] = [
        &[("RATATOSK_DISCORD_API", "http://127.0.0.1:1")],
        &[("RATATOSK_DISCORD_API", "http://example.com")],
        &[("RATATOSK_DATABASE", "/proc/no/such/place.db"), ("RATATOSK_DISCORD_API", "http://127.0.0.1:1")],
        &[("DISCORD_TOKEN", &format!("{secret}\nX-Other: header")), ("RATATOSK_DISCORD_API", "http://127.0.0.1:1")],
        &[("DISCORD_TOKEN", ""), ("RATATOSK_TOKEN_FILE", file.to_str().unwrap()), ("RATATOSK_DISCORD_API", "ftp://x")],
        // The token where the name of the file with it belongs, and in a file of settings that has another fault.
        &[("DISCORD_TOKEN", ""), ("RATATOSK_TOKEN_FILE", secret)],
        &[("DISCORD_TOKEN", ""), ("RATATOSK_CONFIG", settings.to_str().unwrap())],
        &[("RATATOSK_DISCORD_RESOLVE", "nowhere"), ("RATATOSK_DISCORD_CA", "/nowhere")],
    ];
    for way in ways {
        for word in ["serve", "invite", "check-config", "status", "health", "check", "export"] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_ratatosk"));
            command.arg(word).env_clear().current_dir(folder.folder()).env("DISCORD_TOKEN", secret);
            command.env("RATATOSK_DATABASE", folder.database()).env("RATATOSK_LOG", "trace");
            command.env("RUST_LOG", "trace").env("RUST_BACKTRACE", "full").envs(way.iter().copied());
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            // Whoever waits for Discord has said what there is to say; the others have ended.
            let wait = if matches!(word, "serve" | "invite") { 600 } else { 100 };
            tokio::time::sleep(Duration::from_millis(wait)).await;
            let _ = child.kill();
            let output = child.wait_with_output().unwrap();
            let said =
                format!("{:?}{:?}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(!said.contains("known-only-to"), "{way:?}: {said}");
        }
    }
    std::fs::remove_file(file).unwrap();
    std::fs::remove_file(settings).unwrap();
    nowhere(secret, "", folder.folder());
}

#[tokio::test]
async fn what_is_stored_is_for_its_owner_only() {
    let discord = Discord::start().await;
    let mut bot = discord.stopped_bot();
    bot.without_umask();
    bot.start().await;
    play_a_little(&discord).await;
    let copy = bot.folder().join("copy.db");
    let backup = Command::new("sh")
        .args(["-c", "umask 0; exec \"$0\" backup \"$1\" --database \"$2\"", env!("CARGO_BIN_EXE_ratatosk")])
        .args([&copy, &bot.database()])
        .output();
    assert!(backup.unwrap().status.success());
    // The bot makes its first backup by itself.
    let backups = bot.folder().join("backups");
    while !(backups.is_dir() && files(&backups).iter().any(|file| file.extension() == Some("db".as_ref()))) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let mut seen = Vec::new();
    for file in files(bot.folder()) {
        let Ok(about) = std::fs::metadata(&file) else { continue };
        let mode = about.permissions().mode() & 0o777;
        assert_eq!(mode & 0o077, 0, "{} can be read by others: {mode:o}", file.display());
        seen.push(file.file_name().unwrap().to_string_lossy().into_owned());
    }
    seen.retain(|name| !name.starts_with("games-20"));
    seen.sort();
    assert_eq!(seen, ["copy.db", "games.db", "games.db-shm", "games.db-wal", "games.db.lock"]);
}
