//! The lines of the log that tests wait for, in one place.

use ratatosk::cli::BUG;

pub const BACKUP_FAILED: &str = "no backup could be made";
pub const BACKUP_MADE: &str = "backup made";
pub const CONNECTION_LOST: &str = "the connection to Discord is lost";
pub const FOUND_ON_DISCORD: &str = "a message stands already";
pub const GIVEN_UP: &str = "given up";
pub const MESSAGE_RETRIED: &str = "an owed message is tried again";
pub const PLACE_GONE: &str = "a place is gone";
pub const REQUEST_FAILED: &str = "a request failed";
pub const RESPONSE_REFUSED: &str = "an answer was refused";
pub const RESPONSE_RETRIED: &str = "an answer is sent again";
pub const STALE_BUTTONS_STAY: &str = "a post stays";
pub const STARTED: &str = "Ratatosk begins";
pub const STOPPING: &str = "stopping";
pub const STORE_FAILED: &str = "cannot be read or noted";
pub const TIMED_OUT: &str = "operation timed out";
pub const MOVE_MADE: &str = "a game goes on";

/// Returns the first line that reports a bug, or an error without any of the allowed words.
pub fn first_bad_line<'o>(output: &'o str, allowed: &[&str]) -> Option<&'o str> {
    output.lines().find(|line| {
        let has = |words: &&str| line.contains(*words);
        let is_error = line.split_whitespace().nth(1) == Some("ERROR") || line.contains("\"level\":\"ERROR\"");
        [BUG, "broke off", "panicked at"].iter().any(has) || (is_error && !allowed.iter().any(has))
    })
}

/// Returns the seconds that lines with some words say the next try waits ("… in 4 s").
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
