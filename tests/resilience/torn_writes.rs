//! A power failure during a write: a truncated write-ahead log, a page that was half written by a checkpoint, a truncated
//! database file.

use crate::experiments::bot_process::BotProcess;
use crate::experiments::seeded_rng::Rng;
use crate::experiments::start_game::begin;
use crate::experiments::store_fixture::{self, NOW, TempStore, brandubh, play};
use fake_discord::FakeDiscord;
use fake_discord::client::Person;
use ratatosk::store::Store;
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const PAGE: usize = 4096;

/// A write-ahead log: a header, then pages, each with a header of its own.
struct Log<'l>(&'l [u8]);

/// A page in a log.
struct Frame {
    page: usize,
    /// Whether a transaction ends with it.
    commits: bool,
    /// Where it ends in the log.
    end: usize,
}

impl<'l> Log<'l> {
    const HEADER: usize = 32;
    const FRAME: usize = 24 + PAGE;

    /// Returns its pages up to the first one of an earlier log, which has another salt.
    fn frames(&self) -> impl Iterator<Item = Frame> + use<'l> {
        let log = self.0;
        let number = |at: usize| u32::from_be_bytes(log[at..at + 4].try_into().unwrap()) as usize;
        let ours = |at: &usize| at + Self::FRAME <= log.len() && log[at + 8..at + 16] == log[16..24];
        (Self::HEADER..).step_by(Self::FRAME).take_while(move |at| ours(at)).map(move |at| Frame {
            page: number(at),
            commits: number(at + 4) > 0,
            end: at + Self::FRAME,
        })
    }

    /// Returns how many transactions end before an offset.
    fn commits_before(&self, place: usize) -> u64 {
        self.frames().filter(|frame| frame.commits && frame.end <= place).count() as u64
    }
}

/// Returns the bytes of a database and its log after a power failure: thirty games in the file, thirty more in the log.
fn cut_off(temp: &TempStore) -> (Vec<u8>, Vec<u8>) {
    let games = |store: &Store| {
        (0..30).for_each(|_| drop(play(store, &store_fixture::begin(store, brandubh(), NOW), "d1-b1", NOW)));
    };
    let store = temp.open();
    games(&store);
    store.close().unwrap();
    let store = temp.open();
    // An open read transaction prevents the checkpoint.
    let reader = Connection::open(temp.database()).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM games").unwrap();
    games(&store);
    let bytes = (std::fs::read(temp.database()).unwrap(), std::fs::read(temp.path("games.db-wal")).unwrap());
    drop(reader);
    store.close().unwrap();
    bytes
}

/// Writes a database and its log.
fn put(path: &Path, file: &[u8], log: &[u8]) {
    std::fs::write(path, file).unwrap();
    std::fs::write(beside(path, "-wal"), log).unwrap();
    let _ = std::fs::remove_file(beside(path, "-shm"));
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    path.with_file_name(format!("{}{suffix}", path.file_name().unwrap().to_str().unwrap()))
}

/// Opens a database and its log, and returns how many games and moves there are.
fn games_after(temp: &TempStore, file: &[u8], log: &[u8]) -> (u64, u64) {
    let path = temp.path("torn.db");
    put(&path, file, log);
    let store = Store::open(&path).unwrap();
    assert_eq!(store.check().unwrap(), []);
    let stats = store.session().unwrap().stats().unwrap();
    store.close().unwrap();
    (stats.games_running, stats.moves)
}

#[test]
fn a_torn_log_keeps_every_commit_before_the_tear() {
    const TEARS: usize = 40;
    let temp = TempStore::new("torn-log");
    let (file, log) = cut_off(&temp);
    let whole = Log(&log);
    assert_eq!(whole.commits_before(log.len()), 60, "each game was begun and moved in");
    let mut rng = Rng::new(5);
    let mut lost = 0;
    for tear in 0..TEARS {
        // Truncated anywhere, or every other time right after a page; then nothing or garbage follows.
        let ends: Vec<usize> = whole.frames().map(|frame| frame.end).collect();
        let cut = if tear % 2 == 0 { rng.below(log.len()) } else { rng.pick(&ends) };
        let mut torn = log[..cut].to_vec();
        torn.extend((0..rng.below(2) * rng.below(6_000)).map(|_| rng.below(256) as u8));
        let kept = whole.commits_before(cut);
        // One transaction starts a game, the next one is a move.
        let expected = (30 + kept.div_ceil(2), 30 + kept / 2);
        assert_eq!(games_after(&temp, &file, &torn), expected, "torn at {cut} of {}", log.len());
        lost += 60 - kept;
    }
    println!("of {TEARS} torn logs nothing was lost but the {lost} transactions behind the tears");
}

#[test]
fn a_page_torn_during_a_checkpoint_is_restored_from_the_log() {
    let temp = TempStore::new("torn-page");
    let (file, log) = cut_off(&temp);
    let logged: BTreeSet<usize> = Log(&log).frames().map(|frame| frame.page).collect();
    let inside: Vec<usize> = logged.into_iter().filter(|page| *page > 1 && page * PAGE <= file.len()).collect();
    assert!(inside.len() > 3, "the log has new versions of {} pages", inside.len());
    for page in &inside {
        let mut torn = file.clone();
        let half = (page - 1) * PAGE + PAGE / 2;
        torn[half..page * PAGE].fill(0xA5);
        assert_eq!(games_after(&temp, &torn, &log), (60, 60), "page {page}");
    }
    println!("{} pages that were torn while they were copied back were whole again", inside.len());
}

/// Prevents checkpoints, plays moves, kills the bot after the last answer, and returns the bytes of database and log.
async fn killed_after(bot: &mut BotProcess, moves: &[(&Person, &str)]) -> (Vec<u8>, Vec<u8>) {
    let reader = Connection::open(bot.database()).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM games").unwrap();
    for (person, typed) in moves {
        let answer = person.slash("move", &[("move", typed)]).await;
        assert!(answer.text().contains(&format!("played **{typed}**")), "{}", answer.text());
    }
    bot.kill().await;
    // Before the last connection is closed, which makes a checkpoint.
    let bytes = (std::fs::read(bot.database()).unwrap(), std::fs::read(beside(&bot.database(), "-wal")).unwrap());
    drop(reader);
    bytes
}

/// Counts the moves that are stored.
fn moves_in(path: &Path) -> u64 {
    let db = Connection::open(path).unwrap();
    db.query_row("SELECT count(*) FROM moves", [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn a_game_goes_on_after_a_power_cut_during_a_move() {
    let temp = TempStore::new("torn-move");
    let discord = FakeDiscord::start().await;
    let mut bot = BotProcess::start(&discord).await;
    let (ann, bo) = begin(&discord).await;
    // A transaction that was being written, without an answer: nothing is lost.
    let (file, mut log) = killed_after(&mut bot, &[(&ann, "d1-c1"), (&bo, "d3-e3"), (&ann, "c1-d1")]).await;
    log.extend_from_within(Log::HEADER..Log::HEADER + Log::FRAME / 2);
    put(&bot.database(), &file, &log);
    bot.start_again().await;
    assert_eq!(moves_in(&bot.database()), 3);
    // A disk that reported a write too early: the move in the truncated part is lost.
    let (file, log) = killed_after(&mut bot, &[(&bo, "e3-d3"), (&ann, "d1-b1")]).await;
    let commits = Log(&log).frames().filter(|frame| frame.commits).map(|frame| frame.end);
    let mut whole = Log::HEADER;
    for end in commits {
        let copy = temp.path(&format!("{end}.db"));
        put(&copy, &file, &log[..end]);
        if moves_in(&copy) == 4 {
            whole = end;
        }
    }
    assert!(whole > Log::HEADER && whole + Log::FRAME <= log.len(), "the last move is in the log");
    put(&bot.database(), &file, &log[..whole + Log::FRAME / 2]);
    bot.start_again().await;
    assert_eq!(moves_in(&bot.database()), 4);
    for (person, typed) in [(&ann, "d1-b1"), (&bo, "d3-f3")] {
        let answer = person.slash("move", &[("move", typed)]).await;
        assert!(answer.text().contains(&format!("played **{typed}**")), "{}", answer.text());
    }
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.output());
    let store = Store::open_read_only(&bot.database()).unwrap();
    assert_eq!((store.check().unwrap(), store.session().unwrap().stats().unwrap().moves), (Vec::new(), 6));
    println!("of two torn logs the bot has lost one move that was torn, and the game went on");
}

/// Runs a command of the program on the database. Returns the exit code and the output.
fn run_command(bot: &BotProcess, words: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ratatosk"));
    command.args(words).arg("--database").arg(bot.database()).current_dir(bot.folder()).env_clear();
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[tokio::test]
async fn a_file_whose_last_page_is_torn_is_refused_and_left_unchanged() {
    let discord = FakeDiscord::start().await;
    let mut bot = BotProcess::start(&discord).await;
    let (ann, _) = begin(&discord).await;
    ann.slash("move", &[("move", "d1-c1")]).await;
    bot.wait_until_idle().await;
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.output());
    let whole = std::fs::read(bot.database()).unwrap();
    let missing = [1, 100, PAGE / 2, PAGE - 1];
    for missing in missing {
        let torn = &whole[..whole.len() - missing];
        put(&bot.database(), torn, &[]);
        let before = bot.output().len();
        bot.launch(None);
        assert_eq!(bot.exit_code().await, Some(74), "{missing} bytes are missing: {}", bot.output());
        let said = bot.output()[before..].to_owned();
        assert!(said.contains("the database is damaged") && said.contains("restore a backup"), "{said}");
        assert!(
            std::fs::read(bot.database()).unwrap() == torn,
            "{missing} bytes are missing, and something was written"
        );
        for words in [&["check"][..], &["export"], &["status"], &["backup", "copy.db"]] {
            let (code, said) = run_command(&bot, words);
            assert_eq!(code, Some(74), "{words:?}: {said}");
            assert!(said.contains("the database is damaged"), "{words:?}: {said}");
        }
        assert!(!bot.folder().join("copy.db").exists(), "a copy would look sound");
    }
    // A page that is half garbage is found by `check`. Rows fill a page from its end.
    let mut torn = whole.clone();
    put(&bot.database(), &whole, &[]);
    let page = bot.open_database().first_page_of("moves");
    torn[page * PAGE - PAGE / 2..page * PAGE].fill(0xA5);
    put(&bot.database(), &torn, &[]);
    let (code, said) = run_command(&bot, &["check"]);
    assert!(code == Some(74) && said.contains("the file: "), "{code:?}: {said}");
    // A backup in its place works.
    let backups = std::fs::read_dir(bot.folder().join("backups")).unwrap();
    let newest = backups.map(|file| file.unwrap().path()).max().unwrap();
    std::fs::copy(newest, bot.database()).unwrap();
    bot.start_again().await;
    assert_eq!(bot.stop("TERM").await, Some(0), "{}", bot.output());
    println!("{} files with a torn last page were refused and left as they were", missing.len());
}
