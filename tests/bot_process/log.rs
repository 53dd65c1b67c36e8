//! The lines of the log that tests wait for, in one place. Each text occurs in the sources; `tests/discord/log_texts.rs`
//! checks that.

pub const ALL_CONNECTED: &str = "all shards are connected to Discord";
pub const ALREADY_ANSWERED: &str = "the player has an answer already";
pub const BACKUP_FAILED: &str = "backup failed";
pub const BACKUP_MADE: &str = "backup made";
pub const CONNECTION_LOST: &str = "the connection to Discord is lost";
pub const DIRECT_MESSAGES_CLOSED: &str = "player takes no direct messages";
pub const FORGOTTEN: &str = "a player was forgotten";
pub const FOUND_ON_DISCORD: &str = "message was posted before";
pub const GIVEN_UP: &str = "giving up";
pub const INVITE: &str = "add the bot to a server with";
pub const MESSAGE_RETRIED: &str = "posting failed, retrying";
pub const MOVE_MADE: &str = "game changed";
pub const PLACE_BACK: &str = " is back, the clocks of its games restart";
pub const PLACE_GONE: &str = " is gone, the clocks of its games stop";
pub const POSTED_AFTER_FAILURES: &str = "posted after an earlier failure or restart";
pub const REQUEST_FAILED: &str = "request failed";
pub const ANSWER_REFUSED: &str = "answer failed";
pub const ANSWER_RETRIED: &str = "call to Discord failed, retrying";
pub const SETTINGS_CHANGED: &str = "server settings changed";
pub const STALE_BUTTONS_STAY: &str = "leaving it as it is";
pub const STARTED: &str = "Ratatosk is starting";
pub const STOPPED: &str = "stopped; what is not posted yet is posted at the next start";
pub const STOPPING: &str = "stopping";
pub const STORE_FAILED: &str = "cannot be read or saved as posted";
pub const UNREADABLE: &str = "giving up an outbox message that cannot be read";

/// Occurs in every line about a panic: in the one about the panic itself, in those about the work that it ended, and in
/// the message that Rust prints before the log is set up.
pub const PANICKED: &str = "panicked";

/// Words of log lines that a test causes on purpose.
#[derive(Default)]
pub struct Allowed {
    pub errors: Vec<&'static str>,
    pub bugs: Vec<&'static str>,
}

/// Returns the first line that reports a bug or an error that is not allowed.
pub fn first_bad_line<'o>(output: &'o str, allowed: &Allowed) -> Option<&'o str> {
    output.lines().find(|line| {
        let has = |words: &&str| line.contains(*words);
        let is_error = line.split_whitespace().nth(1) == Some("ERROR") || line.contains("\"level\":\"ERROR\"");
        if line.contains(PANICKED) {
            !allowed.bugs.iter().any(has)
        } else {
            is_error && !allowed.errors.iter().any(has)
        }
    })
}

/// Returns the pauses before the next try, in seconds, that log lines with some words announce ("… in 4 s").
pub fn retry_pauses(output: &str, words: &str) -> Vec<u64> {
    let lines = output.lines().filter(|line| line.contains(words));
    let pause = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.windows(3).rev().find_map(|three| match three {
            ["in", number, unit] if unit.starts_with('s') => number.parse().ok(),
            _ => None,
        })
    };
    lines.filter_map(pause).collect()
}
