//! Sends interactions to the bot, and waits for the responses.

use super::{ClientError, Outcome, Person, Post, not_possible};
use crate::WAIT_LIMIT;
use crate::state::{Callback, Channel, DiscordState, Id, Interaction, Message, permissions};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::oneshot;

impl Person {
    /// Sends an interaction to the bot.
    pub fn interact(&self, kind: u8, data: Value, source: Option<Message>) -> Outcome<Id> {
        self.send(kind, data, source, None::<fn(&mut Value)>)
    }

    /// Sends an interaction that was changed so that no client would send it.
    pub fn forge(
        &self,
        kind: u8,
        data: Value,
        source: Option<Message>,
        change: impl FnOnce(&mut Value),
    ) -> Outcome<Id> {
        self.send(kind, data, source, Some(change))
    }

    fn send(
        &self,
        kind: u8,
        data: Value,
        source: Option<Message>,
        forge: Option<impl FnOnce(&mut Value)>,
    ) -> Outcome<Id> {
        self.discord.state.update(|state| {
            let (id, sent) = (state.new_id(), state.now());
            let place = source.as_ref().map_or(self.channel, |message| message.channel);
            let Some(channel) = state.channels.get(&place).cloned() else { return not_possible("the channel is gone") };
            let token = format!("aW50ZXJhY3Rpb246{id}{:x}", id.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let mut payload = self.payload(state, &channel, source.as_ref());
            payload["id"] = json!(id.to_string());
            payload["token"] = json!(token);
            payload["type"] = json!(kind);
            payload["data"] = data;
            let forged = forge.is_some();
            if let Some(change) = forge {
                change(&mut payload);
            }
            state.tokens.insert(token.clone(), id);
            let new = Interaction {
                id,
                token,
                kind,
                user: self.id,
                channel: place,
                source: source.map(|message| message.id),
                sent,
                answer_by: sent + u64::try_from(state.response_deadline.as_millis()).unwrap_or(0),
                forged,
                sessions: None,
                payload: payload.clone(),
                callback: None,
                original: None,
            };
            state.interactions.insert(id, new);
            state.dispatch("INTERACTION_CREATE", channel.guild, &payload);
            Ok(id)
        })
    }

    /// Returns the fields of an interaction that tell who acts where, and on which message.
    fn payload(&self, state: &DiscordState, channel: &Channel, source: Option<&Message>) -> Value {
        let mut shown = state.channel_json(channel);
        shown["permissions"] = json!(permissions::MEMBER.to_string());
        let mut payload = json!({
            "application_id": state.application.to_string(), "channel": shown, "channel_id": channel.id.to_string(),
            "version": 1, "app_permissions": state.bot_permissions(channel).to_string(), "locale": "en-US",
            "entitlements": [], "attachment_size_limit": 10_485_760,
        });
        match channel.guild.and_then(|guild| state.guilds.get(&guild)) {
            Some(guild) => {
                let id = guild.id.to_string();
                payload["member"] = state.member_json(guild, self.id, true);
                payload["guild_id"] = json!(id);
                payload["guild_locale"] = json!("en-US");
                payload["guild"] = json!({ "id": id, "locale": "en-US", "features": [] });
                payload["context"] = json!(0);
                payload["authorizing_integration_owners"] = json!({ "0": id });
            }
            None => {
                payload["user"] = state.user_json(self.id);
                payload["context"] = json!(1);
                payload["authorizing_integration_owners"] = json!({ "0": "0" });
            }
        }
        if let Some(message) = source {
            payload["message"] = state.message_json(message);
        }
        payload
    }

    /// Waits for the bot's first response, until Discord would not accept one any more.
    pub async fn callback(&self, id: Id) -> Option<Callback> {
        let known = |state: &DiscordState| state.interactions.get(&id).and_then(|known| known.callback.clone());
        let waiting = self.discord.state.update(|state| {
            let interaction = state.interactions.get(&id)?;
            if interaction.callback.is_some() || !state.can_be_answered(interaction) {
                return None;
            }
            let left = Duration::from_millis(interaction.answer_by.saturating_sub(state.now()) + 1);
            // A channel of its own instead of waiting for any change: under load there are thousands of those.
            let (sender, receiver) = oneshot::channel();
            state.waiting.insert(id, sender);
            Some((left, receiver))
        });
        if let Some((left, receiver)) = waiting {
            let _ = tokio::time::timeout(left, receiver).await;
        }
        self.discord.state.update(|state| {
            state.waiting.remove(&id);
            known(state)
        })
    }

    /// Waits for the response, and for the message if it was deferred.
    pub async fn answer(&self, id: Id) -> Outcome<Post> {
        let Some(response) = self.callback(id).await else { return Err(ClientError::NoResponse) };
        let shown = |state: &DiscordState| {
            let message = state.interactions[&id].original?;
            (!state.messages[&message].loading).then_some(message)
        };
        match tokio::time::timeout(WAIT_LIMIT, self.discord.state.wait(shown)).await {
            Ok(message) => Ok(Post { discord: self.discord.clone(), id: message, response: Some(response) }),
            Err(_) => Err(ClientError::NoResponse),
        }
    }
}
