//! What a broken call or a killed process has left behind: a message that stands in the channel, but was not noted.

use crate::discord::Bot;
use crate::discord::rest::client::{RestError, id};
use crate::store::{OutboxId, OutboxMessage};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tracing::info;

const LIMIT: Duration = Duration::from_secs(10);
/// Discord's first second, in milliseconds; its numbers count from there.
const EPOCH: i64 = 1_420_070_400_000;
/// How far the clocks of two machines may be apart, in seconds.
const CLOCKS_APART: i64 = 60;
/// How many messages Discord tells of at once, and how often it is asked at most: people may talk beside their games.
const PAGE: usize = 100;
const PAGES: usize = 20;

/// A message that was found.
pub(in crate::discord) struct FoundPost {
    pub(in crate::discord) message: u64,
    pub(in crate::discord) has_buttons: bool,
}

/// Names the picture of an owed message, so that the message can be told from all others.
pub(in crate::discord) fn picture_name(owed: Option<OutboxId>) -> String {
    owed.map_or_else(|| String::from("board.png"), |owed| format!("board-{}.png", owed.0))
}

impl Bot {
    /// Looks whether a message was delivered although nobody heard of it: by an earlier process, or by a try that broke
    /// off. Where the bot may not read what stands in a channel, nothing is found.
    pub(in crate::discord) async fn find_trace(
        self: &Arc<Self>,
        owed: &OutboxMessage,
        channel: u64,
    ) -> Result<Option<FoundPost>, RestError> {
        if !self.outbox.was_tried(owed) {
            return Ok(None);
        }
        match self.look_for(owed.clone(), channel).await {
            Err(RestError::Refused { .. }) => Ok(None),
            looked => looked,
        }
    }

    /// Looks whether a message stands, as far as the bot may look.
    pub(in crate::discord) async fn trace_of(
        self: &Arc<Self>,
        owed: OutboxId,
        channel: u64,
    ) -> Result<Option<FoundPost>, RestError> {
        let item = self.blocking(move |bot| bot.app.store().owed_item(owed)).await;
        let gone = || RestError::Unclear(String::from("what is owed cannot be read"));
        self.look_for(item.ok().flatten().ok_or_else(gone)?, channel).await
    }

    async fn look_for(self: &Arc<Self>, owed: OutboxMessage, channel: u64) -> Result<Option<FoundPost>, RestError> {
        let first = (owed.made.0.saturating_sub(CLOCKS_APART).saturating_mul(1000) - EPOCH).max(0) << 22;
        let mut since = first.cast_unsigned();
        for _ in 0..PAGES {
            let path = format!("/channels/{channel}/messages?after={since}&limit={PAGE}");
            let mut messages = self.rest.get(&path, LIMIT).await?;
            let messages = messages.as_array_mut().map(std::mem::take).unwrap_or_default();
            let newest = messages.iter().filter_map(id).max().filter(|_| messages.len() >= PAGE);
            if let Some(found) = self.find_among(messages, &owed).await {
                info!(owed = owed.id.0, "a message stands already");
                let has_buttons = found["components"].as_array().is_some_and(|rows| !rows.is_empty());
                return Ok(id(&found).map(|message| FoundPost { message, has_buttons }));
            }
            match newest {
                Some(newest) => since = newest,
                None => break,
            }
        }
        Ok(None)
    }

    /// Finds an owed message among others: by its picture, or as the answer to the request that has brought it about.
    async fn find_among(self: &Arc<Self>, mut messages: Vec<Value>, owed: &OutboxMessage) -> Option<Value> {
        // No other bot names its pictures so, or answers our requests; and people are told from bots.
        messages.retain(|message| message["author"]["bot"] == true);
        let name = picture_name(Some(owed.id));
        let shows = |message: &Value| {
            let mut files = message["attachments"].as_array().into_iter().flatten();
            files.any(|file| file["filename"] == name.as_str())
        };
        match messages.iter().position(shows) {
            Some(found) => Some(messages.swap_remove(found)),
            None => self.answer_among(messages, owed).await,
        }
    }

    /// Finds the answer to the request that has brought an owed message about: all that tells one without a picture.
    async fn answer_among(self: &Arc<Self>, messages: Vec<Value>, owed: &OutboxMessage) -> Option<Value> {
        let request = owed.request?;
        // A request may bring several messages about, of which one is its answer.
        let done = self.blocking(move |bot| bot.app.store().done(request)).await.ok().flatten()?;
        if done.did != owed.news {
            return None;
        }
        let asked = request.0.to_string();
        messages.into_iter().find(|message| message["interaction_metadata"]["id"] == asked.as_str())
    }
}
