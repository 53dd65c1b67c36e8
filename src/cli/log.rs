//! The log on the standard error: one line an event, whatever is in it, and never the token.

use super::Failure;
use crate::config::{Log, LogFormat, Secret};
use std::io::{self, Write};
use std::sync::Arc;
use tracing::error;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Begins to write what happens. Only our own events: those of serenity and of what it stands on can have the tokens of
/// interactions in them.
pub(super) fn begin(log: Log, token: &Secret) {
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_target(false)
        .with_writer(Lines { token: Arc::from(token.expose()) });
    let ours = Targets::new().with_target(env!("CARGO_CRATE_NAME"), log.level);
    let all = tracing_subscriber::registry().with(ours);
    // It is refused where there is a log already, which will do.
    let _ = match log.format {
        LogFormat::Text => all.with(lines).try_init(),
        LogFormat::Json => {
            all.with(lines.json().flatten_event(true).with_current_span(false).with_span_list(false)).try_init()
        }
    };
    // A bug is an event, too, and takes one line.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        let problem = panic.payload_as_str().unwrap_or_default();
        error!(place, problem, "something broke; this is a bug, please report it");
    }));
}

/// Writes why the bot ended where programs read the log; people are told like everybody else.
pub(super) fn end(log: Log, failure: Failure) -> Failure {
    if log.format == LogFormat::Text || log.level == LevelFilter::OFF {
        return failure;
    }
    for line in failure.lines() {
        error!("{line}");
    }
    Failure::Logged(Box::new(failure))
}

/// Writes lines to the standard error.
struct Lines {
    token: Arc<str>,
}

/// Writes one event, which comes as a whole.
struct Line<W> {
    token: Arc<str>,
    to: W,
}

impl<'w> MakeWriter<'w> for Lines {
    type Writer = Line<io::Stderr>;

    fn make_writer(&'w self) -> Self::Writer {
        Line { token: Arc::clone(&self.token), to: io::stderr() }
    }
}

impl<W: Write> Write for Line<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let line = one_line(text.trim_end_matches('\n')).replace(&*self.token, "…");
        self.to.write_all(format!("{line}\n").as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Writes out whatever could end the line or move about in a terminal, in a way that JSON understands, too: what a player is
/// called must not look like an event.
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
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn an_event_is_one_line_without_the_token() {
        let mut line = Line { token: Arc::from("abc.def"), to: Vec::new() };
        let event = "INFO \u{1b}[2J a player called \"x\nERROR forged\u{2028}\r\" with abc.def\n";
        line.write_all(event.as_bytes()).unwrap();
        let written = String::from_utf8(line.to).unwrap();
        assert_eq!(written, "INFO \\u001b[2J a player called \"x\\nERROR forged\\u2028\\u000d\" with …\n");
    }
}
