//! The program as a process of its own, run against the fake Discord: started, stopped, killed and started again.

#![allow(dead_code, reason = "each test program uses its own part")]

pub mod database;
pub mod log;
pub mod start_game;

use super::temp_folder::TempFolder;
use database::Database;
use fake_discord::state::Message;
use fake_discord::{FakeDiscord, WAIT_LIMIT};
use log::Allowed;
use ratatosk::app::App;
use ratatosk::game::Timestamp;
use ratatosk::store::Store;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How often to check for a fact that nothing announces, such as a row in the database.
pub const POLL: Duration = Duration::from_millis(20);

/// Waits until `check` returns `None`. Panics with its last reason after [`WAIT_LIMIT`].
pub async fn wait_until(what: &str, check: impl AsyncFn() -> Option<String>) {
    let began = Instant::now();
    while let Some(missing) = check().await {
        assert!(began.elapsed() < WAIT_LIMIT, "timed out waiting for {what}: {missing}");
        tokio::time::sleep(POLL).await;
    }
}

fn real_time() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Timestamp(i64::try_from(since.as_secs()).unwrap())
}

/// Creates a folder in memory, if possible. On a busy disk a commit may take longer than the program has for an answer.
fn folder_in_memory() -> TempFolder {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { TempFolder::new_in(memory, "discord") } else { TempFolder::new("discord") }
}

/// The program and its database.
pub struct BotProcess {
    discord: FakeDiscord,
    folder: TempFolder,
    child: Option<Child>,
    /// The address that the program uses instead of the fake Discord's.
    wrong_address: Option<String>,
    readers: Vec<JoinHandle<()>>,
    output: Arc<watch::Sender<String>>,
    /// How much of the output was checked for errors.
    checked: usize,
    /// The errors and bugs that the test causes on purpose, which do not fail it.
    allowed: Allowed,
    /// Environment variables in addition to the usual ones.
    pub variables: Vec<(&'static str, &'static str)>,
    without_umask: bool,
    real_answer_limit: bool,
}

impl BotProcess {
    /// Starts the program, and waits until it is connected and has registered its commands.
    pub async fn start(discord: &FakeDiscord) -> Self {
        let mut bot = Self::stopped(discord);
        bot.start_again().await;
        bot
    }

    /// Returns a program that is not started yet.
    pub fn stopped(discord: &FakeDiscord) -> Self {
        Self::with_folder(discord, folder_in_memory())
    }

    /// Returns a program that is not started yet, whose database is on the disk even if it could be in memory.
    pub fn stopped_on_disk(discord: &FakeDiscord) -> Self {
        Self::with_folder(discord, TempFolder::new("discord"))
    }

    fn with_folder(discord: &FakeDiscord, folder: TempFolder) -> Self {
        Self {
            discord: discord.clone(),
            folder,
            child: None,
            wrong_address: None,
            readers: Vec::new(),
            output: Arc::new(watch::channel(String::new()).0),
            checked: 0,
            allowed: Allowed::default(),
            variables: Vec::new(),
            without_umask: false,
            real_answer_limit: false,
        }
    }

    /// Sets an environment variable for the next starts.
    pub fn set(&mut self, name: &'static str, value: &'static str) {
        self.variables.push((name, value));
    }

    /// Keeps errors with these words from failing the test.
    pub fn allow_error(&mut self, words: &'static str) {
        self.allowed.errors.push(words);
    }

    /// Keeps bugs that are reported with these words from failing the test.
    pub fn allow_bug(&mut self, words: &'static str) {
        self.allowed.bugs.push(words);
    }

    /// Starts the program with umask 0, so that it has to restrict its files itself.
    pub fn without_umask(&mut self) {
        self.without_umask = true;
    }

    /// Sets whether the program gives up an answer when Discord's three seconds are over, from its next start on. At
    /// first it tries for as long as the fake Discord waits, so that a busy machine does not fail a test.
    pub fn use_real_answer_limit(&mut self, real: bool) {
        self.real_answer_limit = real;
    }

    /// Makes the program look for Discord at another address from its next start on.
    pub fn use_wrong_address(&mut self, base: &str) {
        self.wrong_address = Some(base.to_owned());
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the path of the database.
    pub fn database(&self) -> PathBuf {
        self.folder.path().join("games.db")
    }

    /// Opens the database beside the program.
    pub fn open_database(&self) -> Database {
        Database::open(&self.database())
    }

    /// Returns the id of the running process.
    pub fn process(&self) -> Option<u32> {
        self.child.as_ref().and_then(Child::id)
    }

    /// Starts the program without waiting, with another token if one is given.
    pub fn launch(&mut self, token: Option<&str>) {
        let known = self.discord.state.read(|state| state.token.clone());
        // Another build of the program can be tested, too.
        let program = std::env::var("RATATOSK_PROGRAM").unwrap_or_else(|_| env!("CARGO_BIN_EXE_ratatosk").to_owned());
        let mut command = if self.without_umask {
            let mut shell = Command::new("sh");
            shell.args(["-c", "umask 0; exec \"$0\" serve", &program]);
            shell
        } else {
            let mut command = Command::new(program);
            command.arg("serve");
            command
        };
        command.env_clear().current_dir(self.folder.path());
        command.env("DISCORD_TOKEN", token.unwrap_or(&known));
        command.env("RATATOSK_DISCORD_API", self.wrong_address.clone().unwrap_or_else(|| self.discord.base()));
        command.env("RATATOSK_DATABASE", self.database()).envs(self.variables.iter().copied());
        if !self.real_answer_limit {
            command.env("TEST_EXTRA_ANSWER_SECONDS", "50");
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        self.read_lines(child.stdout.take());
        self.read_lines(child.stderr.take());
        self.child = Some(child);
    }

    fn read_lines(&mut self, stream: Option<impl AsyncRead + Unpin + Send + 'static>) {
        let (output, Some(stream)) = (Arc::clone(&self.output), stream) else { return };
        self.readers.push(tokio::spawn(async move {
            let mut lines = BufReader::new(stream).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                output.send_modify(|output| *output += &format!("{line}\n"));
            }
        }));
    }

    /// Starts the program, and waits until it is connected and has registered its commands.
    pub async fn start_again(&mut self) {
        let before = self.discord.state.read(|state| state.gateway.identified);
        self.launch(None);
        let discord = self.discord.clone();
        let ready = discord.wait_until("the bot to log in and to register its commands", |state| {
            (state.gateway.identified > before && !state.commands.is_empty()).then_some(())
        });
        let child = self.child.as_mut().unwrap();
        tokio::select! {
            () = ready => {}
            status = child.wait() => panic!("the bot ended with {status:?}; its output:\n{}", self.output()),
        }
    }

    /// Returns everything that the program has printed.
    pub fn output(&self) -> String {
        self.output.borrow().clone()
    }

    /// Waits until the program has printed some words.
    pub async fn wait_for_log(&self, words: &str) {
        self.wait_for_log_times(words, 1).await;
    }

    /// Waits until the program has printed a whole line with some words, and returns the first one.
    pub async fn log_line(&self, words: &str) -> String {
        self.wait_for_log(words).await;
        self.output().lines().find(|line| line.contains(words)).unwrap_or_default().to_owned()
    }

    /// Waits until the program has printed some words at least `times` times.
    pub async fn wait_for_log_times(&self, words: &str, times: usize) {
        let mut changes = self.output.subscribe();
        let printed = changes.wait_for(|output| output.matches(words).count() >= times);
        if tokio::time::timeout(WAIT_LIMIT, printed).await.is_err() {
            panic!("the bot did not print {words:?} {times} times; its output:\n{}", self.output());
        }
    }

    /// Counts the messages that wait to be posted and the old posts that still have buttons, and describes the messages.
    fn unfinished(&self) -> rusqlite::Result<(usize, String)> {
        let database = self.open_database();
        let (messages, which) = database.unposted()?;
        let stale = database.stale_posts()?;
        // The store is told of a removed button only with its next commit, which may be the heartbeat's, a minute later.
        let has_buttons = self.discord.state.read(|state| {
            let is_there = |message: &&Message| !message.deleted && state.channels.contains_key(&message.channel);
            let unedited = |(id, is_challenge): &&(u64, bool)| {
                state.messages.get(id).filter(is_there).is_some_and(|message| {
                    let lacks_board = message.attachments.is_empty() && !message.content.contains("```");
                    !message.components.is_empty() || (*is_challenge && lacks_board)
                })
            };
            stale.iter().filter(unedited).count()
        });
        Ok((messages + has_buttons, which))
    }

    /// Waits until the bot has nothing left to do: every interaction and every request is answered, no message waits to
    /// be posted and no old post has buttons. Then nothing more can appear by itself until a clock runs out.
    ///
    /// Panics if there was no progress for [`WAIT_LIMIT`].
    pub async fn wait_until_idle(&self) {
        let (mut least, mut since) = (usize::MAX, Instant::now());
        loop {
            let (interactions, requests) =
                self.discord.state.read(|state| (state.unanswered_interactions(), state.in_flight));
            let (messages, which) = self.unfinished().unwrap_or_else(|error| (1, format!("not readable: {error}")));
            let left = interactions + requests + messages;
            if left == 0 {
                return;
            }
            if left < least {
                (least, since) = (left, Instant::now());
            }
            if since.elapsed() > WAIT_LIMIT {
                let output = self.output();
                let last: Vec<&str> = output.lines().rev().take(40).collect();
                panic!(
                    "the bot does not become idle: {interactions} interactions, {requests} requests and {messages} messages \
                     or posts are left, of which these messages: {which}\nits last output, newest first:\n{}",
                    last.join("\n")
                );
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Waits until the database says that a channel, thread or server is gone, or that it is back.
    pub async fn wait_until_gone(&self, place: u64, gone: bool) {
        wait_until(
            if gone { "a place to be recorded as gone" } else { "a place to be recorded as back" },
            async || (self.open_database().is_gone(place) != Some(gone)).then(|| self.output()),
        )
        .await;
    }

    /// Ends the program as a power cut does.
    pub async fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().await.unwrap();
            self.read_the_rest().await;
        }
        self.wait_until_disconnected().await;
    }

    /// Sends a signal such as `TERM`.
    pub async fn signal(&self, signal: &str) {
        let process = self.process().unwrap();
        let sent = Command::new("kill").args(["-s", signal, &process.to_string()]).status().await.unwrap();
        assert!(sent.success(), "the program had ended before:\n{}", self.output());
    }

    /// Stops the program by a signal such as `TERM`, and returns its exit code.
    pub async fn stop(&mut self, signal: &str) -> Option<i32> {
        self.signal(signal).await;
        let code = self.exit_code().await;
        self.wait_until_disconnected().await;
        code
    }

    /// Waits until the program has ended, and returns its exit code.
    pub async fn exit_code(&mut self) -> Option<i32> {
        let mut child = self.child.take().unwrap();
        match tokio::time::timeout(WAIT_LIMIT, child.wait()).await {
            Ok(status) => {
                let code = status.unwrap().code();
                // The test compares the code.
                if code != Some(0) {
                    self.allow_error(ratatosk::cli::FAILURE_MESSAGE);
                }
                self.read_the_rest().await;
                code
            }
            Err(_) => panic!("the program did not end; its output:\n{}", self.output()),
        }
    }

    /// Reads the rest of the output of a program that has ended, and checks it for errors.
    async fn read_the_rest(&mut self) {
        for reader in self.readers.drain(..) {
            let _ = reader.await;
        }
        self.check_output();
    }

    /// Panics if the program has reported a bug, or an error that is not allowed, since the last check.
    fn check_output(&mut self) {
        let output = self.output();
        let new = &output[self.checked..];
        if let Some(line) = log::first_bad_line(new, &self.allowed) {
            panic!("the program has printed: {line}\nin all:\n{new}");
        }
        self.checked = output.len();
    }

    /// Stops the program for some hours: everything in its database becomes that much older.
    pub async fn pass_hours(&mut self, hours: i64) {
        self.stop_for(hours).await;
        self.start_again().await;
    }

    /// Lets some hours pass in which only the timer does anything, long after its grace period. The messages about
    /// that are posted at the next start.
    pub async fn pass_hours_with_timer(&mut self, hours: i64) {
        self.pass_hours_with_timer_and(hours, |_| {}).await;
    }

    /// Lets hours pass with the timer, and changes the database before the next start.
    pub async fn pass_hours_with_timer_and(&mut self, hours: i64, change: impl FnOnce(&Database)) {
        self.stop_for(hours).await;
        let app = App::new(Store::open(&self.database()).unwrap(), real_time, || true);
        app.handle_due(Timestamp(0)).unwrap();
        app.store().clone().close().unwrap();
        change(&self.open_database());
        self.start_again().await;
    }

    async fn stop_for(&mut self, hours: i64) {
        assert_eq!(self.stop("TERM").await, Some(0), "{}", self.output());
        self.open_database().make_older(hours * 3600);
        self.discord.advance(Duration::from_secs(hours.unsigned_abs() * 3600));
    }

    /// Kills the program, and starts it again.
    pub async fn restart(&mut self) {
        self.kill().await;
        self.start_again().await;
    }

    async fn wait_until_disconnected(&self) {
        let gone = |state: &fake_discord::state::DiscordState| (!state.gateway.connected()).then_some(());
        self.discord.wait_until("the connection to end", gone).await;
    }
}

impl Drop for BotProcess {
    /// Checks the output, or keeps database and log where the test failed.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return self.check_output();
        }
        let log = self.folder.path().join("output.log");
        if std::fs::write(&log, self.output()).is_ok() {
            self.folder.keep();
        }
        eprintln!("the database and the bot's output are kept in {}", self.folder.path().display());
    }
}
