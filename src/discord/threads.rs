//! Threads: one for each game where the server wants it, and what kinds of channels have any.

use super::Bot;
use super::channels::UNKNOWN_CHANNEL;
use super::message::cut;
use super::rest::client::{RestError, id};
use crate::game::{Place, PlayerId};
use crate::store::OutboxMessage;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;
use tracing::debug;

const LIMIT: Duration = Duration::from_secs(10);
const LONGEST_NAME: usize = 100;

/// Discord's numbers for kinds of channels.
const TEXT: u64 = 0;
const ANNOUNCEMENTS: u64 = 5;
const ANNOUNCEMENT_THREAD: u64 = 10;
const PUBLIC_THREAD: u64 = 11;
const PRIVATE_THREAD: u64 = 12;
const FORUM: u64 = 15;
const MEDIA: u64 = 16;

impl Bot {
    /// Opens a thread for a game that is somewhere now; nothing where it cannot have one.
    pub(super) async fn open_thread(
        &self,
        owed: &OutboxMessage,
        from: Place,
        name: &str,
    ) -> Result<Option<u64>, RestError> {
        if let Some(former) = from.thread {
            match self.kind_of(former).await {
                // What was private stays so.
                Ok(PRIVATE_THREAD) => return Ok(None),
                Err(error) if error.code() != UNKNOWN_CHANNEL => return Err(error),
                Ok(_) | Err(_) => {}
            }
        }
        // Threads of a forum are begun by people; other kinds have none.
        let kind = match self.kind_of(owed.place.channel).await? {
            TEXT => PUBLIC_THREAD,
            ANNOUNCEMENTS => ANNOUNCEMENT_THREAD,
            _ => return Ok(None),
        };
        let name = cut(name, LONGEST_NAME);
        if self.outbox.was_tried(owed)
            && let Some(made) = self.find_thread(owed.place, &name).await?
        {
            return Ok(Some(made));
        }
        // It stays open for a week without a word, which is as long as Discord lets it.
        let thread = json!({ "name": name, "type": kind, "auto_archive_duration": 10_080 });
        let path = format!("/channels/{}/threads", owed.place.channel);
        let made = self.rest.call(Method::POST, &path, Some(&thread), &[], LIMIT).await?;
        let unsaid = || RestError::Unclear(String::from("Discord does not say which thread it made"));
        id(&made).map(Some).ok_or_else(unsaid)
    }

    /// Finds the thread that an earlier try has made without hearing of it. The number of the game is in its name.
    async fn find_thread(&self, place: Place, name: &str) -> Result<Option<u64>, RestError> {
        let Some(server) = place.server else { return Ok(None) };
        let open = self.rest.get(&format!("/guilds/{server}/threads/active"), LIMIT).await?;
        let parent = place.channel.to_string();
        let ours = |thread: &&Value| thread["name"] == name && thread["parent_id"] == parent.as_str();
        Ok(open["threads"].as_array().into_iter().flatten().find(ours).and_then(id))
    }

    /// Brings a player into a thread without calling him.
    pub(super) async fn bring_into(&self, thread: u64, player: PlayerId) {
        let path = format!("/channels/{thread}/thread-members/{}", player.0);
        if let Err(error) = self.rest.call(Method::PUT, &path, None, &[], LIMIT).await {
            debug!(thread, %error, "a player has to find the thread himself");
        }
    }

    /// Tells whether a channel takes messages itself, as far as the bot may know: a forum has nothing but threads.
    pub(super) async fn takes_messages(&self, channel: u64) -> Result<bool, RestError> {
        match self.kind_of(channel).await {
            Ok(kind) => Ok(!matches!(kind, FORUM | MEDIA)),
            Err(RestError::Refused { .. }) => Ok(true),
            Err(error) => Err(error),
        }
    }

    async fn kind_of(&self, channel: u64) -> Result<u64, RestError> {
        let told = self.rest.get(&format!("/channels/{channel}"), LIMIT).await?;
        told["type"].as_u64().ok_or_else(|| RestError::Unclear(String::from("Discord does not say what a channel is")))
    }
}
