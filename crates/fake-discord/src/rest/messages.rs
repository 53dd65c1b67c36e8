//! Routes of messages: post, edit, list and delete, and the message of a response.

use super::{ApiRequest, ApiResult, File, not_found, number, plain};
use crate::state::{
    Attachment, Channel, DIRECT, DiscordState, EPHEMERAL, FORUM, Id, Interaction, Message, THREAD, permissions,
};
use crate::validation::{ApiError, Validator, api_error};
use serde_json::{Value, json};
use std::collections::BTreeMap;

impl DiscordState {
    /// Serves `/channels/<id>/messages/…`.
    pub(super) fn serve_message(&mut self, id: &str, below: &[&str], call: &ApiRequest) -> ApiResult {
        match (call.method.as_str(), below) {
            ("GET", []) => self.list_messages(id, &call.query),
            ("POST", []) => self.post(id, call),
            ("GET", [message]) => {
                let id = self.message_in(id, message)?;
                Ok((200, self.message_json(&self.messages[&id])))
            }
            ("PATCH", [message]) => self.edit_post(id, message, call),
            ("DELETE", [message]) => {
                let id = self.message_in(id, message)?;
                self.delete(id);
                Ok((204, Value::Null))
            }
            ("POST", [_, "threads"]) => self.make_thread(id, &call.body),
            _ => not_found(),
        }
    }

    /// Finds a message for the channel's routes, which do not return ephemeral ones.
    fn message_in(&self, channel: &str, message: &str) -> Result<Id, ApiError> {
        let channel = self.channel(channel)?;
        self.require(channel, permissions::READ_HISTORY)?;
        match self.messages.get(&number(message)) {
            Some(found) if found.channel == channel.id && found.reader.is_none() && !found.deleted => Ok(found.id),
            _ => api_error(404, 10008, "Unknown Message"),
        }
    }

    fn list_messages(&self, id: &str, query: &str) -> ApiResult {
        let channel = self.channel(id)?;
        let asked = |key: &str| {
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.filter(|(name, _)| *name == key).map(|(_, value)| number(value)).next()
        };
        if self.bot_permissions(channel) & permissions::READ_HISTORY == 0 {
            return Ok((200, json!([])));
        }
        let mut found = self.posts(channel.id);
        found.retain(|m| asked("after").is_none_or(|id| m.id > id) && asked("before").is_none_or(|id| m.id < id));
        if asked("after").is_none() {
            found.reverse();
        }
        let limit = usize::try_from(asked("limit").unwrap_or(50)).unwrap_or(50);
        found.truncate(limit.clamp(1, 100));
        found.sort_by_key(|message| std::cmp::Reverse(message.id));
        Ok((200, found.into_iter().map(|message| self.message_json(message)).collect()))
    }

    fn post(&mut self, id: &str, call: &ApiRequest) -> ApiResult {
        let channel = self.channel(id)?.clone();
        self.require_posting(&channel, call)?;
        let mut form = Validator::default();
        form.message("", &call.body, call.files.len());
        form.result()?;
        let nonce = match &call.body["nonce"] {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            number => Some(number.to_string()),
        };
        const REMEMBERED: u64 = 5 * 60 * 1000;
        if call.body["enforce_nonce"] == true && nonce.is_some() {
            let recent = |m: &&Message| self.now() - m.sent < REMEMBERED;
            let same = nonce.as_ref().and_then(|nonce| self.nonces.get(&(channel.id, nonce.clone())));
            if let Some(known) = same.and_then(|id| self.messages.get(id)).filter(recent) {
                return Ok((200, self.message_json(known)));
            }
        }
        let id = self.make_message(channel.id, &call.body, &call.files, None)?;
        if let Some(message) = self.messages.get_mut(&id) {
            message.nonce.clone_from(&nonce);
        }
        if let Some(nonce) = nonce {
            self.nonces.insert((channel.id, nonce), id);
        }
        let mut shown = self.message_json(&self.messages[&id]);
        if let Some(guild) = channel.guild {
            shown["guild_id"] = json!(guild.to_string());
        }
        self.dispatch("MESSAGE_CREATE", channel.guild, &shown);
        Ok((200, self.message_json(&self.messages[&id])))
    }

    /// Returns an error unless the bot can post this message in a channel.
    fn require_posting(&self, channel: &Channel, call: &ApiRequest) -> Result<(), ApiError> {
        match channel.kind {
            DIRECT => {
                let open = channel.recipient.and_then(|user| self.users.get(&user)).is_some_and(|u| u.accepts_messages);
                if !open {
                    return api_error(403, 50007, "Cannot send messages to this user");
                }
            }
            THREAD => self.require(channel, permissions::SEND_IN_THREADS)?,
            FORUM => return api_error(400, 50008, "Cannot send messages in a non-text channel"),
            _ => self.require(channel, permissions::SEND)?,
        }
        if channel.locked {
            return api_error(400, 50083, "Thread is archived");
        }
        if !call.files.is_empty() {
            self.require(channel, permissions::ATTACH)?;
        }
        if call.body["embeds"].as_array().is_some_and(|embeds| !embeds.is_empty()) {
            self.require(channel, permissions::EMBED)?;
        }
        Ok(())
    }

    fn edit_post(&mut self, channel: &str, message: &str, call: &ApiRequest) -> ApiResult {
        let id = self.message_in(channel, message)?;
        let channel = self.channel(channel)?;
        if channel.archived {
            return api_error(400, 50083, "Thread is archived");
        }
        if self.messages[&id].author != self.bot {
            return api_error(403, 50005, "Cannot edit a message authored by another user");
        }
        if !call.files.is_empty() {
            self.require(channel, permissions::ATTACH)?;
        }
        self.edit(id, "", &call.body, &call.files)?;
        Ok((200, self.message_json(&self.messages[&id])))
    }

    pub(super) fn delete(&mut self, id: Id) {
        if let Some(message) = self.messages.get_mut(&id) {
            message.deleted = true;
        }
    }

    /// Adds a message: a post of the bot, or the response to an interaction.
    pub(super) fn make_message(
        &mut self,
        channel: Id,
        body: &Value,
        files: &BTreeMap<usize, File>,
        responds_to: Option<&Interaction>,
    ) -> Result<Id, ApiError> {
        let ephemeral = responds_to.filter(|_| body["flags"].as_u64().unwrap_or(0) & EPHEMERAL != 0);
        let (id, sent) = (self.new_id(), self.now());
        let mut message = Message::plain(id, channel, self.bot, body["content"].as_str().unwrap_or_default(), sent);
        message.components = body["components"].as_array().cloned().unwrap_or_default();
        message.embeds = body["embeds"].as_array().cloned().unwrap_or_default();
        message.reader = ephemeral.map(|interaction| interaction.user);
        message.interaction = responds_to.map(|interaction| interaction.id);
        message.attachments = self.uploaded(body, files);
        if message.content.is_empty() && message.attachments.is_empty() && message.embeds.is_empty() {
            return api_error(400, 50006, "Cannot send an empty message");
        }
        self.note_implicit_mentions(body);
        self.ping_users(&mut message, &body["allowed_mentions"]);
        self.add_message(message);
        if let Some(channel) = self.channels.get_mut(&channel) {
            channel.active = sent;
            channel.archived &= ephemeral.is_some();
        }
        Ok(id)
    }

    /// Returns the files that came with a message, with their descriptions.
    fn uploaded(&mut self, body: &Value, files: &BTreeMap<usize, File>) -> Vec<Attachment> {
        let described = |n: usize| {
            let said = body["attachments"].as_array().into_iter().flatten();
            let mut about = said.filter(|about| plain(&about["id"]) == n.to_string());
            about.find_map(|about| about["description"].as_str().map(str::to_owned))
        };
        let mut attachments = Vec::new();
        for (n, file) in files {
            let File { name, kind, mut bytes } = file.clone();
            if self.discard_history {
                // Enough for the size of the picture.
                bytes.truncate(24);
                bytes.shrink_to_fit();
            }
            attachments.push(Attachment { id: self.new_id(), name, kind, bytes, description: described(*n) });
        }
        attachments
    }

    /// Edits a message. `at` is the path of its fields in the body.
    pub(super) fn edit(
        &mut self,
        id: Id,
        at: &str,
        body: &Value,
        files: &BTreeMap<usize, File>,
    ) -> Result<(), ApiError> {
        let mut form = Validator::default();
        form.message(at, body, files.len());
        form.result()?;
        self.note_implicit_mentions(body);
        let (new, now) = (self.uploaded(body, files), self.now());
        let Some(message) = self.messages.get_mut(&id).filter(|message| !message.deleted) else {
            return api_error(404, 10008, "Unknown Message");
        };
        let before = message.clone();
        if !message.loading {
            message.previous_contents.push(message.content.clone());
            message.edited = Some(now);
        }
        message.loading = false;
        if let Some(content) = body.get("content") {
            message.content = content.as_str().unwrap_or_default().to_owned();
        }
        if let Some(components) = body.get("components") {
            message.components = components.as_array().cloned().unwrap_or_default();
        }
        if let Some(embeds) = body.get("embeds") {
            message.embeds = embeds.as_array().cloned().unwrap_or_default();
        }
        if let Some(kept) = body["attachments"].as_array() {
            message.attachments.retain(|file| kept.iter().any(|about| plain(&about["id"]) == file.id.to_string()));
        }
        message.attachments.extend(new);
        if message.content.is_empty() && message.attachments.is_empty() && message.embeds.is_empty() {
            *message = before;
            return api_error(400, 50006, "Cannot send an empty message");
        }
        let (channel, public) = (message.channel, message.reader.is_none());
        let guild = self.channels.get(&channel).and_then(|channel| channel.guild);
        if public {
            let mut shown = self.message_json(&self.messages[&id]);
            if let Some(guild) = guild {
                shown["guild_id"] = json!(guild.to_string());
            }
            self.dispatch("MESSAGE_UPDATE", guild, &shown);
        }
        Ok(())
    }
}
