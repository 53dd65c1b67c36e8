//! Threads for games, in servers that want one for each game.

use super::message::cut;
use super::outbox::claims::Claims;
use super::rest::client::parse_id;
use super::rest::{BACKGROUND_TIMEOUT, Call, RestClient, RestError, Route, code};
use crate::game::{ChannelId, Place, PlayerId};
use crate::store::OutboxMessage;
use serde_json::{Value, json};
use std::sync::Arc;
use tracing::debug;

const MAX_THREAD_NAME: usize = 100;
/// A week, the longest time that Discord offers.
const ARCHIVE_AFTER_MINUTES: u32 = 10_080;

/// Discord's numbers for kinds of channels.
const TEXT: u64 = 0;
const ANNOUNCEMENTS: u64 = 5;
const ANNOUNCEMENT_THREAD: u64 = 10;
const PUBLIC_THREAD: u64 = 11;
const PRIVATE_THREAD: u64 = 12;
const FORUM: u64 = 15;
const MEDIA: u64 = 16;

/// Creates threads; a part of the outbox worker.
pub(super) struct Threads {
    rest: RestClient,
    claims: Arc<Claims>,
}

impl Threads {
    pub(super) const fn new(rest: RestClient, claims: Arc<Claims>) -> Self {
        Self { rest, claims }
    }

    /// Opens the thread for a game whose first message this is; returns `None` where the game cannot have one.
    pub(super) async fn open(
        &self,
        message: &OutboxMessage,
        from: Place,
        name: &str,
    ) -> Result<Option<ChannelId>, RestError> {
        if let Some(current) = from.thread {
            match self.kind_of(current).await {
                // A private game stays private.
                Ok(PRIVATE_THREAD) => return Ok(None),
                Err(error) if error.code() != code::UNKNOWN_CHANNEL => return Err(error),
                Ok(_) | Err(_) => {}
            }
        }
        let channel = message.place.channel;
        let kind = match self.kind_of(channel).await? {
            TEXT => PUBLIC_THREAD,
            ANNOUNCEMENTS => ANNOUNCEMENT_THREAD,
            _ => return Ok(None),
        };
        let name = cut(name, MAX_THREAD_NAME);
        if self.claims.is_maybe_sent(message)
            && let Some(thread) = self.find(message.place, &name).await?
        {
            return Ok(Some(thread));
        }
        let thread = json!({ "name": name, "type": kind, "auto_archive_duration": ARCHIVE_AFTER_MINUTES });
        let created =
            self.rest.send(Call::with_body(Route::CreateThread { channel }, &thread), BACKGROUND_TIMEOUT).await?;
        let no_id = || RestError::Unclear(String::from("Discord did not return the new thread's id"));
        parse_id(&created).map(|id| Some(ChannelId(id))).ok_or_else(no_id)
    }

    /// Finds the thread that an earlier attempt has created unnoticed. Its name contains the number of the game.
    async fn find(&self, place: Place, name: &str) -> Result<Option<ChannelId>, RestError> {
        let Some(server) = place.server else { return Ok(None) };
        let active = self.rest.get(Route::GetActiveThreads { server }, BACKGROUND_TIMEOUT).await?;
        let parent = place.channel.to_string();
        let ours = |thread: &&Value| thread["name"] == name && thread["parent_id"] == parent.as_str();
        Ok(active["threads"].as_array().into_iter().flatten().find(ours).and_then(parse_id).map(ChannelId))
    }

    /// Adds a player to the thread of a message's game without a notification.
    pub(super) async fn add_player(&self, message: &OutboxMessage, thread: ChannelId, player: PlayerId) {
        let route = Route::AddThreadMember { thread, player };
        if let Err(error) = self.rest.send(Call::to(route), BACKGROUND_TIMEOUT).await {
            let (outbox, (game, _)) = (message.id.0, message.body.subject().log_ids());
            debug!(outbox, game, channel = thread.0, player = player.0, %error, "player cannot be added to a thread, and has to open it");
        }
    }

    /// Returns whether a channel accepts messages itself; a forum has only threads. If the bot may not look, it assumes
    /// so.
    pub(super) async fn accepts_messages(&self, channel: ChannelId) -> Result<bool, RestError> {
        match self.kind_of(channel).await {
            Ok(kind) => Ok(!matches!(kind, FORUM | MEDIA)),
            Err(RestError::Refused { .. }) => Ok(true),
            Err(error) => Err(error),
        }
    }

    async fn kind_of(&self, channel: ChannelId) -> Result<u64, RestError> {
        let found = self.rest.get(Route::GetChannel { channel }, BACKGROUND_TIMEOUT).await?;
        found["type"]
            .as_u64()
            .ok_or_else(|| RestError::Unclear(String::from("Discord did not return the channel's type")))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::discord::test_bot::TestBot;
    use fake_discord::state::{self, permissions};

    const NAME: &str = "Brandubh #1: Anna against Bjarne";

    fn threads(test: &TestBot) -> Threads {
        Threads::new(test.bot.rest.clone(), Arc::clone(&test.bot.claims))
    }

    fn set_kind(test: &TestBot, channel: u64, kind: u8) {
        test.discord.state.update(|state| state.channels.get_mut(&channel).unwrap().kind = kind);
    }

    #[tokio::test]
    async fn a_game_gets_a_thread_where_the_channel_can_have_one() {
        let test = TestBot::start().await;
        let ((_, message), place) = (test.start_game(), test.place);
        for (kind, has_threads) in
            [(state::TEXT, true), (state::NEWS, true), (state::VOICE, false), (state::FORUM, false)]
        {
            set_kind(&test, place.channel.0, kind);
            let thread = threads(&test).open(&message, place, NAME).await.unwrap();
            assert_eq!(thread.is_some(), has_threads, "{kind}");
            if let Some(thread) = thread {
                let (name, parent) = test.discord.state.read(|state| {
                    let made = &state.channels[&thread.0];
                    (made.name.clone(), made.parent)
                });
                assert_eq!((name.as_str(), parent), (NAME, Some(place.channel.0)));
            }
        }
    }

    #[tokio::test]
    async fn a_game_in_a_private_thread_stays_private() {
        let test = TestBot::start().await;
        let (_, message) = test.start_game();
        let private = test.discord.create_thread("secret");
        set_kind(&test, private, state::PRIVATE_THREAD);
        let from = Place { thread: Some(ChannelId(private)), ..test.place };
        assert_eq!(threads(&test).open(&message, from, NAME).await, Ok(None));
        // In a thread that is gone there is nothing to keep private.
        test.discord.delete_thread(private);
        assert!(threads(&test).open(&message, from, NAME).await.unwrap().is_some());
    }

    #[tokio::test]
    async fn a_thread_that_an_earlier_attempt_created_is_used_and_not_that_of_another_channel() {
        let test = TestBot::start().await;
        let ((_, message), place) = (test.start_game(), test.place);
        let elsewhere = test.discord.create_channel("elsewhere");
        let other = test.discord.create_thread(NAME);
        test.discord.state.update(|state| state.channels.get_mut(&other).unwrap().parent = Some(elsewhere));
        test.bot.claims.mark_maybe_sent(message.id);
        let created = threads(&test).open(&message, place, NAME).await.unwrap();
        assert!(created.is_some() && created != Some(ChannelId(other)));
        assert_eq!(threads(&test).open(&message, place, NAME).await, Ok(created));
        assert_eq!(test.discord.requests_to("POST /channels/*/threads").len(), 1);
    }

    #[tokio::test]
    async fn only_a_forum_accepts_no_messages_and_a_hidden_channel_is_tried() {
        let test = TestBot::start().await;
        let channel = test.place.channel;
        assert_eq!(threads(&test).accepts_messages(channel).await, Ok(true));
        set_kind(&test, channel.0, state::FORUM);
        assert_eq!(threads(&test).accepts_messages(channel).await, Ok(false));
        test.discord.deny_bot(channel.0, permissions::VIEW);
        assert_eq!(threads(&test).accepts_messages(channel).await, Ok(true));
    }
}
