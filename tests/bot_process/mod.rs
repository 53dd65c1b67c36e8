//! The program itself, run as somebody who hosts it would run it: started, stopped, killed and started again.

use super::{Discord, PATIENCE};
use ratatosk::app::App;
use ratatosk::cli::BUG;
use ratatosk::game::Timestamp;
use ratatosk::store::Store;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

fn real_time() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Timestamp(i64::try_from(since.as_secs()).unwrap())
}

/// A folder that is gone afterwards, unless somebody wants to look at it.
struct Folder {
    path: PathBuf,
    is_kept: bool,
}

impl Folder {
    fn new() -> Self {
        static LAST: AtomicUsize = AtomicUsize::new(0);
        let name = format!("ratatosk-discord-{}-{}", std::process::id(), LAST.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self { path, is_kept: false }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

/// The running program and its database.
pub struct Bot {
    discord: Discord,
    folder: Folder,
    child: Option<Child>,
    /// Where it looks for Discord, if not where it is.
    astray: Option<String>,
    listeners: Vec<JoinHandle<()>>,
    said: Arc<Mutex<String>>,
    /// How much of that was looked through for faults.
    searched: usize,
    /// Words of the errors that are no surprise.
    expected: Vec<&'static str>,
    /// Variables of the environment besides the usual ones.
    pub variables: Vec<(&'static str, &'static str)>,
    /// Whether new files are for everybody unless the program takes care.
    without_umask: bool,
}

impl Discord {
    /// Starts the bot, and waits until it has logged in and its commands are known.
    pub async fn run_bot(&self) -> Bot {
        let mut bot = self.stopped_bot();
        bot.start().await;
        bot
    }

    /// Gives a bot that does not run yet.
    pub fn stopped_bot(&self) -> Bot {
        Bot {
            discord: self.clone(),
            folder: Folder::new(),
            child: None,
            astray: None,
            listeners: Vec::new(),
            said: Arc::default(),
            searched: 0,
            expected: Vec::new(),
            variables: Vec::new(),
            without_umask: false,
        }
    }
}

impl Bot {
    /// Sets a variable of the environment for the next starts.
    pub fn set(&mut self, name: &'static str, value: &'static str) {
        self.variables.push((name, value));
    }

    /// Has an error with these words be no surprise: the test brings it about.
    pub fn expect_error(&mut self, words: &'static str) {
        self.expected.push(words);
    }

    /// Lets the program make files for everybody, if it does not take care.
    pub fn without_umask(&mut self) {
        self.without_umask = true;
    }

    pub fn folder(&self) -> &Path {
        &self.folder.path
    }

    /// Gives the number of the running process.
    pub fn process(&self) -> Option<u32> {
        self.child.as_ref().and_then(Child::id)
    }

    /// Starts the program, with another token if one is given.
    pub fn launch(&mut self, token: Option<&str>) {
        let known = self.discord.shared.look(|world| world.token.clone());
        // Another build of the program can be tried, too.
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
        command.env_clear().current_dir(&self.folder.path);
        command.env("DISCORD_TOKEN", token.unwrap_or(&known));
        command.env("RATATOSK_DISCORD_API", self.astray.clone().unwrap_or_else(|| self.discord.base()));
        command.env("RATATOSK_DATABASE", self.database()).envs(self.variables.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        self.listen(child.stdout.take());
        self.listen(child.stderr.take());
        self.child = Some(child);
    }

    fn listen(&mut self, stream: Option<impl AsyncRead + Unpin + Send + 'static>) {
        let (said, Some(stream)) = (Arc::clone(&self.said), stream) else { return };
        self.listeners.push(tokio::spawn(async move {
            let mut lines = BufReader::new(stream).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                *said.lock().unwrap() += &format!("{line}\n");
            }
        }));
    }

    /// Has the program look for Discord at another address from its next start on.
    pub fn lead_astray(&mut self, base: &str) {
        self.astray = Some(base.to_owned());
    }

    /// Starts the program, and waits until it is ready.
    pub async fn start(&mut self) {
        let before = self.discord.shared.look(|world| world.gateway.identified);
        self.launch(None);
        let discord = self.discord.clone();
        let ready = discord.wait_for("the bot to log in and to register its commands", |world| {
            (world.gateway.identified > before && !world.commands.is_empty()).then_some(())
        });
        let child = self.child.as_mut().unwrap();
        tokio::select! {
            () = ready => {}
            status = child.wait() => panic!("the bot ended with {status:?} and said:\n{}", self.said()),
        }
    }

    /// Everything that the program has printed.
    pub fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    pub fn database(&self) -> PathBuf {
        self.folder.path.join("games.db")
    }

    /// Ends the program as a power cut does.
    pub async fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().await.unwrap();
            self.hear_the_last().await;
        }
        self.gone().await;
    }

    /// Asks the program to end by a signal such as `TERM`, and gives its exit code.
    pub async fn stop(&mut self, signal: &str) -> Option<i32> {
        let process = self.child.as_ref().and_then(Child::id).unwrap();
        let asked = Command::new("kill").args(["-s", signal, &process.to_string()]).status().await.unwrap();
        assert!(asked.success(), "the program had ended before:\n{}", self.said());
        let code = self.exit_code().await;
        self.gone().await;
        code
    }

    /// Waits until the program has ended, and gives its exit code.
    pub async fn exit_code(&mut self) -> Option<i32> {
        let mut child = self.child.take().unwrap();
        match tokio::time::timeout(Duration::from_secs(15), child.wait()).await {
            Ok(status) => {
                self.hear_the_last().await;
                status.unwrap().code()
            }
            Err(_) => panic!("the program did not end; it said:\n{}", self.said()),
        }
    }

    /// Hears what a program that has ended still said, and whether anything was wrong with it.
    async fn hear_the_last(&mut self) {
        for listener in self.listeners.drain(..) {
            let _ = listener.await;
        }
        self.nothing_broke();
    }

    /// Looks through what the program has said since the last look.
    fn nothing_broke(&mut self) {
        let said = self.said();
        let new = &said[self.searched..];
        if let Some(fault) = fault_in(new, &self.expected) {
            panic!("the program has said: {fault}\nin all:\n{new}");
        }
        self.searched = said.len();
    }

    /// Stops the program for so many hours: afterwards everything that it remembers is that much longer ago.
    pub async fn sleep(&mut self, hours: i64) {
        self.stop_for(hours).await;
        self.start().await;
    }

    /// Lets so many hours pass in which nobody does anything but the timer, long after the hour of grace. What that
    /// brought about is told at the next start.
    pub async fn doze(&mut self, hours: i64) {
        self.stop_for(hours).await;
        let app = App::new(Store::open(&self.database()).unwrap(), real_time, || true);
        app.do_what_is_due(Timestamp(0)).unwrap();
        app.store().clone().close().unwrap();
        self.start().await;
    }

    async fn stop_for(&mut self, hours: i64) {
        assert_eq!(self.stop("TERM").await, Some(0), "{}", self.said());
        for (table, times) in [
            ("games", "began changed deadline wake_at flagged ended"),
            ("moves", "at"),
            ("challenges", "made expires"),
            ("owed", "made due closed"),
            ("requests", "at"),
        ] {
            let set: Vec<String> = times.split(' ').map(|time| format!("{time} = {time} - {}", hours * 3600)).collect();
            self.alter(&format!("UPDATE {table} SET {}", set.join(", ")));
        }
        self.discord.advance(Duration::from_secs(hours.unsigned_abs() * 3600));
    }

    /// Changes the database of a program that does not run.
    pub fn alter(&self, sql: &str) {
        rusqlite::Connection::open(self.database()).unwrap().execute(sql, []).unwrap();
    }

    /// Kills the program, and starts it again.
    pub async fn restart(&mut self) {
        self.kill().await;
        self.start().await;
    }

    async fn gone(&self) {
        let gone = self.discord.wait_for("the connection to end", |world| (!world.gateway.connected()).then_some(()));
        let _ = tokio::time::timeout(PATIENCE, gone).await;
    }
}

/// Finds a line that tells of a bug, or of an error that is none of those that are expected.
pub fn fault_in<'s>(said: &'s str, expected: &[&str]) -> Option<&'s str> {
    said.lines().find(|line| {
        let has = |words: &&str| line.contains(*words);
        let is_error = line.split_whitespace().nth(1) == Some("ERROR") || line.contains("\"level\":\"ERROR\"");
        [BUG, "broke off", "panicked at"].iter().any(has) || (is_error && !expected.iter().any(has))
    })
}

impl Drop for Bot {
    /// Nobody has to stop a bot to know that nothing broke; and where a test failed, there is something to look at.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return self.nothing_broke();
        }
        let log = self.folder.path.join("said.log");
        self.folder.is_kept = std::fs::write(&log, self.said()).is_ok();
        eprintln!("the database and what the bot said are kept in {}", self.folder.path.display());
    }
}
