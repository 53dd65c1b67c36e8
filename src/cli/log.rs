//! The log on standard error: one line per event, and never the token.

use super::Failure;
use crate::config::{LogConfig, LogFormat, Secret};
use std::io::{self, Write};
use std::sync::Arc;
use tracing::error;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// The log message of a panic.
pub const PANIC_MESSAGE: &str = "the program panicked; this is a bug, please report it";

/// Starts the log. Only our own events are written: those of serenity and its dependencies can contain interaction
/// tokens.
pub(super) fn init(log: LogConfig, token: &Secret) {
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_target(false)
        .with_writer(LogWriter { token: Arc::from(token.expose()) });
    let ours = Targets::new().with_target(env!("CARGO_CRATE_NAME"), log.level);
    let all = tracing_subscriber::registry().with(ours);
    // Fails only if there is a log already.
    let _ = match log.format {
        LogFormat::Text => all.with(lines).try_init(),
        LogFormat::Json => {
            all.with(lines.json().flatten_event(true).with_current_span(false).with_span_list(false)).try_init()
        }
    };
    // A panic is one line of the log like every other event.
    std::panic::set_hook(Box::new(|panic| {
        let location = panic.location().map(ToString::to_string);
        let panic = panic.payload_as_str().unwrap_or_default();
        error!(location, panic, "{PANIC_MESSAGE}");
    }));
}

/// The log message of a bot that ends because of a failure.
pub const FAILURE_MESSAGE: &str = "ended after a failure";

/// Writes the failure of the bot to the log. If the log is off, returns it to be printed like the failure of any other
/// command.
pub(super) fn report(log: LogConfig, failure: Failure) -> Failure {
    if log.level == LevelFilter::OFF {
        return failure;
    }
    let exit_code = failure.code();
    let reason = failure.lines().join("; ");
    error!(exit_code, reason, "{FAILURE_MESSAGE}");
    Failure::Logged(Box::new(failure))
}

/// Reports a failure from before the log was started, such as a wrong configuration. If the log is JSON, writes it
/// there; otherwise returns it to be printed like the failure of any other command.
pub(super) fn report_early(log: LogConfig, failure: Failure) -> Failure {
    if log.format != LogFormat::Json {
        return failure;
    }
    // No message about a configuration contains the token.
    init(log, &Secret::new(""));
    report(log, failure)
}

/// Writes events to standard error.
struct LogWriter {
    token: Arc<str>,
}

/// Writes one event, which arrives in a single `write`.
struct LogLine<W> {
    token: Arc<str>,
    to: W,
}

impl<'w> MakeWriter<'w> for LogWriter {
    type Writer = LogLine<io::Stderr>;

    fn make_writer(&'w self) -> Self::Writer {
        LogLine { token: Arc::clone(&self.token), to: io::stderr() }
    }
}

impl<W: Write> Write for LogLine<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let mut line = one_line(text.trim_end_matches('\n'));
        // Without a token there is nothing to hide; an empty text would be found everywhere.
        if !self.token.is_empty() {
            line = line.replace(&*self.token, "…");
        }
        self.to.write_all(format!("{line}\n").as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Escapes line breaks and control characters as JSON does, so that a player's name cannot look like another event.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => line.push_str("\\n"),
            letter if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}') => {
                line.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            letter => line.push(letter),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;
    use crate::config::Config;
    use std::process::Command;

    const TOKEN: &str = "MTE3NDk4NTc2MTI4MzY1NTY4MA.Gpanic.never-to-be-told-even-by-a-bug";

    #[test]
    fn an_event_is_one_line_without_the_token() {
        let mut line = LogLine { token: Arc::from("abc.def"), to: Vec::new() };
        let event = "INFO \u{1b}[2J a player called \"x\nERROR forged\u{2028}\r\" with abc.def\n";
        line.write_all(event.as_bytes()).unwrap();
        let written = String::from_utf8(line.to).unwrap();
        assert_eq!(written, "INFO \\u001b[2J a player called \"x\\nERROR forged\\u2028\\u000d\" with …\n");
    }

    /// Panics in every way in which a bug could print the token.
    #[test]
    #[ignore = "run by the test below, in a process of its own"]
    fn bug() {
        let format = if std::env::var_os("RATATOSK_TEST_JSON").is_some() { LogFormat::Json } else { LogFormat::Text };
        let token = Secret::new(TOKEN);
        let config = Config { token: Some(token.clone()), ..Config::default() };
        init(LogConfig { level: LevelFilter::TRACE, format }, &token);
        let bugs: [fn(&Config); 4] = [
            |config| panic!("a bug shows {:?} and {}", config, config.token.as_ref().unwrap().expose()),
            |config| config.token.clone().map_or(Ok(()), Err).expect("a bug shows the secret"),
            |config| assert_eq!(config.token.as_ref().map(Secret::expose), None, "a bug\nin two lines"),
            |config| std::panic::panic_any(config.token.as_ref().unwrap().expose().to_owned()),
        ];
        for bug in bugs {
            let config = config.clone();
            assert!(std::thread::spawn(move || bug(&config)).join().is_err());
        }
    }

    #[test]
    fn a_bug_is_one_line_of_the_log_without_the_token() {
        for json in [false, true] {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", "cli::log::tests::bug", "--ignored", "--nocapture"]).env("RUST_BACKTRACE", "full");
            if json {
                command.env("RATATOSK_TEST_JSON", "1");
            }
            let output = command.output().unwrap();
            let told = String::from_utf8(output.stderr).unwrap();
            let lines: Vec<&str> = told.lines().collect();
            assert_eq!(lines.len(), 4, "{told}");
            assert!(lines.iter().all(|line| line.contains(PANIC_MESSAGE)), "{told}");
            let all = told + &String::from_utf8(output.stdout).unwrap();
            assert!(!all.contains("never-to-be-told"), "{all}");
        }
    }
}
