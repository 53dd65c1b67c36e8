//! What a process that was killed has left behind: a message that stands in the channel, but was not noted any more.

use super::Bot;
use super::answer::id;
use crate::store::{Owed, OwedId};
use serde_json::Value;
use std::time::Duration;
use tracing::info;

const LIMIT: Duration = Duration::from_secs(10);
/// Discord's first second, in milliseconds; its numbers count from there.
const EPOCH: i64 = 1_420_070_400_000;
/// How far the clocks of two machines may be apart, in seconds.
const CLOCKS_APART: i64 = 60;

/// A message that was found.
pub(super) struct Trace {
    pub(super) message: u64,
    pub(super) has_buttons: bool,
}

/// Names the picture of an owed message, so that the message can be told from all others.
pub(super) fn picture_name(owed: Option<OwedId>) -> String {
    owed.map_or_else(|| String::from("board.png"), |owed| format!("board-{}.png", owed.0))
}

impl Bot {
    /// Looks whether a message that an earlier process owed was delivered by it. Where the bot may not read what stands
    /// in a channel, or the board was no picture, nothing is found.
    pub(super) async fn find_trace(&self, owed: &Owed, channel: u64) -> Option<Trace> {
        if owed.made > self.started {
            return None;
        }
        let since = (owed.made.0.saturating_sub(CLOCKS_APART).saturating_mul(1000) - EPOCH).max(0) << 22;
        let path = format!("/channels/{channel}/messages?after={since}&limit=100");
        let messages = self.wire.get(&path, LIMIT).await.ok()?;
        let name = picture_name(Some(owed.id));
        let ours = |message: &&Value| {
            let mut files = message["attachments"].as_array().into_iter().flatten();
            // No other bot names its pictures so, and people are told from bots.
            message["author"]["bot"] == true && files.any(|file| file["filename"] == name.as_str())
        };
        let found = messages.as_array()?.iter().find(ours)?;
        info!(owed = owed.id.0, "a message stands already");
        let has_buttons = found["components"].as_array().is_some_and(|rows| !rows.is_empty());
        Some(Trace { message: id(found)?, has_buttons })
    }
}
