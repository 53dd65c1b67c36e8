//! All files of the program can be read by their owner only, whatever the umask is.

use crate::experiments::bot_process::{BotProcess, wait_until};
use crate::experiments::start_game::begin;
use fake_discord::FakeDiscord;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns all files in a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Waits until the bot has made a backup by itself.
pub async fn backup_is_made(folder: &Path) {
    let is_made = || files(&folder.join("backups")).iter().any(|file| file.extension() == Some("db".as_ref()));
    wait_until("a backup", async || (!is_made()).then(|| format!("{:?}", files(folder)))).await;
}

/// Makes a database with the last but one schema, and returns the number of the newest.
fn older_database(path: &Path) -> usize {
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations")).unwrap();
    let mut steps: Vec<PathBuf> = folder.map(|file| file.unwrap().path()).collect();
    steps.sort();
    let newest = steps.len();
    let db = rusqlite::Connection::open(path).unwrap();
    for step in &steps[..newest - 1] {
        db.execute_batch(&std::fs::read_to_string(step).unwrap()).unwrap();
    }
    let header = format!("PRAGMA user_version = {}; PRAGMA application_id = 0x5274736B", newest - 1);
    db.execute_batch(&header).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    newest
}

#[tokio::test]
async fn files_of_the_bot_are_readable_only_by_their_owner() {
    let discord = FakeDiscord::start().await;
    let mut bot = BotProcess::stopped(&discord);
    let schema = older_database(&bot.database());
    bot.without_umask();
    bot.start_again().await;
    let (ann, _) = begin(&discord).await;
    ann.slash("move", &[("move", "d1-c1")]).await;
    let copy = bot.folder().join("copy.db");
    let backup = Command::new("sh")
        .args(["-c", "umask 0; exec \"$0\" backup \"$1\" --database \"$2\"", env!("CARGO_BIN_EXE_ratatosk")])
        .args([&copy, &bot.database()])
        .output();
    assert!(backup.unwrap().status.success());
    backup_is_made(bot.folder()).await;
    let mut seen = Vec::new();
    for file in files(bot.folder()) {
        // A backup that is still being written may have another name by now.
        let Ok(about) = std::fs::metadata(&file) else { continue };
        let mode = about.permissions().mode() & 0o777;
        assert_eq!(mode & 0o077, 0, "{} can be read by others: {mode:o}", file.display());
        seen.push(file.file_name().unwrap().to_string_lossy().into_owned());
    }
    println!("{} files, all of them for their owner only", seen.len());
    seen.retain(|name| !name.starts_with("games-20"));
    seen.sort();
    let before = format!("games.db.before-schema-{schema}.bak");
    assert_eq!(seen, ["copy.db", "games.db", "games.db-shm", "games.db-wal", &before, "games.db.lock"]);
}
