//! Finds messages that were posted but never confirmed: the call broke off, or the process was killed.

use super::claims::Claims;
use super::delivery::LogFields;
use crate::discord::app_handle::AppHandle;
use crate::discord::rest::client::id;
use crate::discord::rest::{RestClient, RestError, Route, TIMEOUT};
use crate::game::ChannelId;
use crate::store::{OutboxId, OutboxMessage};
use serde_json::Value;
use std::sync::Arc;
use tracing::info;

/// The start of the time in Discord's ids, in milliseconds.
const DISCORD_EPOCH: i64 = 1_420_070_400_000;
/// How far Discord's clock and ours may differ, in seconds.
const CLOCK_SKEW: i64 = 60;
/// Messages per request, and the most requests: players may talk beside their games.
const PAGE: usize = 100;
const PAGES: usize = 20;

/// Returns the file name of a message's picture, by which the message can be found again.
pub(crate) fn picture_name(outbox_id: Option<OutboxId>) -> String {
    outbox_id.map_or_else(|| String::from("board.png"), |id| format!("board-{}.png", id.0))
}

/// Returns whether a message has buttons or a menu.
pub(crate) fn has_components(message: &Value) -> bool {
    message["components"].as_array().is_some_and(|rows| !rows.is_empty())
}

/// Looks for outbox messages in channels.
pub(crate) struct Reconciler {
    app: AppHandle,
    rest: RestClient,
    claims: Arc<Claims>,
}

impl Reconciler {
    pub(crate) const fn new(app: AppHandle, rest: RestClient, claims: Arc<Claims>) -> Self {
        Self { app, rest, claims }
    }

    /// Looks for a message if an attempt may have succeeded unnoticed. Where the bot may not read the history, nothing is
    /// found.
    pub(crate) async fn find_if_maybe_sent(
        &self,
        message: &OutboxMessage,
        channel: ChannelId,
    ) -> Result<Option<Value>, RestError> {
        if !self.claims.is_maybe_sent(message) {
            return Ok(None);
        }
        match self.find(message, channel).await {
            Err(RestError::Refused { .. }) => Ok(None),
            found => found,
        }
    }

    /// Looks for a message by its id.
    pub(crate) async fn find_by_id(&self, outbox_id: OutboxId, channel: ChannelId) -> Result<Option<Value>, RestError> {
        let message = self.app.run(move |app| app.store().session()?.message(outbox_id)).await;
        let unreadable = || RestError::Unclear(String::from("the outbox message cannot be read"));
        self.find(&message.ok().flatten().ok_or_else(unreadable)?, channel).await
    }

    async fn find(&self, message: &OutboxMessage, channel: ChannelId) -> Result<Option<Value>, RestError> {
        let since = (message.made.0.saturating_sub(CLOCK_SKEW).saturating_mul(1000) - DISCORD_EPOCH).max(0) << 22;
        let mut after = since.cast_unsigned();
        for _ in 0..PAGES {
            let mut page = self.rest.get(Route::GetMessages { channel, after, limit: PAGE }, TIMEOUT).await?;
            let page = page.as_array_mut().map(std::mem::take).unwrap_or_default();
            let newest = page.iter().filter_map(id).max().filter(|_| page.len() >= PAGE);
            if let Some(found) = self.find_among(page, message).await {
                let LogFields { outbox, game, challenge, .. } = LogFields::of(message);
                let (channel, post) = (channel.0, id(&found));
                info!(outbox, game, challenge, channel, post, "message was posted before, not posting it again");
                return Ok(Some(found));
            }
            match newest {
                Some(newest) => after = newest,
                None => break,
            }
        }
        Ok(None)
    }

    /// Finds an outbox message among others: by its picture, or as the answer to its request.
    async fn find_among(&self, mut page: Vec<Value>, message: &OutboxMessage) -> Option<Value> {
        // No other bot uses these file names or answers our interactions.
        page.retain(|found| found["author"]["bot"] == true);
        let name = picture_name(Some(message.id));
        let has_picture = |found: &Value| {
            let mut files = found["attachments"].as_array().into_iter().flatten();
            files.any(|file| file["filename"] == name.as_str())
        };
        match page.iter().position(has_picture) {
            Some(index) => Some(page.swap_remove(index)),
            None => self.find_answer_among(page, message).await,
        }
    }

    /// Finds the answer to the request that caused a message: the only sign of a message without a picture.
    async fn find_answer_among(&self, page: Vec<Value>, message: &OutboxMessage) -> Option<Value> {
        let request = message.request?;
        // A request may cause several messages, and only one of them is its answer.
        let handled = self.app.run(move |app| app.store().session()?.handled_request(request)).await.ok().flatten()?;
        if handled.message?.id != message.id {
            return None;
        }
        let interaction = request.0.to_string();
        page.into_iter().find(|found| found["interaction_metadata"]["id"] == interaction.as_str())
    }
}
