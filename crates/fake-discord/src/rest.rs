//! The REST routes that the bot uses, with the errors that Discord returns, and failures on demand.

use crate::state::{
    Attachment, Callback, Channel, DIRECT, DiscordState, EPHEMERAL, FORUM, Id, Interaction, Message, NEWS, NEWS_THREAD,
    TEXT, THREAD, permissions,
};
use crate::validation::{ApiError, Validator, api_error};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// A request to the REST API.
#[derive(Debug, Default)]
pub struct ApiRequest {
    pub method: String,
    /// The path without `/api/v10`.
    pub path: String,
    pub query: String,
    pub token: Option<String>,
    pub body: Value,
    pub files: BTreeMap<usize, File>,
}

/// A file that came with a request.
#[derive(Clone, Debug)]
pub struct File {
    pub name: String,
    pub kind: String,
    pub bytes: Vec<u8>,
}

/// A request that was answered.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    pub method: String,
    pub path: String,
    /// The status of the response; 0 if the connection was cut.
    pub status: u16,
    pub body: Value,
    /// When it was answered, by Discord's clock in milliseconds.
    pub at: u64,
}

/// Makes requests to a route fail.
#[derive(Clone, Debug)]
pub struct FailureRule {
    /// Such as `POST /channels/*/messages`.
    pub route: String,
    /// How many more requests fail.
    pub times: usize,
    pub failure: Failure,
}

/// How a request fails.
#[derive(Clone, Copy, Debug)]
pub enum Failure {
    /// Returns a status without effect.
    Status(u16),
    /// Returns a status although the request took effect.
    StatusAfterEffect(u16),
    /// Closes the connection without a response and without effect.
    Close,
    /// Closes the connection without a response, although the request took effect.
    CloseAfterEffect,
    /// Resets the connection without effect.
    Reset,
    /// Resets the connection, although the request took effect.
    ResetAfterEffect,
    /// Takes effect, but closes the connection after the headers of the response.
    TruncateResponse,
    /// Returns 429 for this route, without effect.
    RateLimit(Duration),
    /// Returns 429 for all routes together, without effect.
    GlobalRateLimit(Duration),
    /// Takes effect after a delay, whether or not the bot still waits.
    Delay(Duration),
    /// Takes effect at once, but responds after a delay.
    DelayResponse(Duration),
    /// Takes effect and responds once failures are cleared.
    Hold,
    /// Takes effect at once, but responds once failures are cleared.
    HoldResponse,
}

/// Chooses a failure for a request by its method and path.
type ChooseFailure = dyn FnMut(&str, &str) -> Option<Failure> + Send;

/// Makes requests fail by chance.
pub struct RandomFailures(pub Box<ChooseFailure>);

impl std::fmt::Debug for RandomFailures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RandomFailures")
    }
}

/// How many posts a channel takes in how long, and when it took some, by the path of the route.
#[derive(Clone, Debug)]
pub struct PostLimit {
    pub most: usize,
    pub within: Duration,
    pub taken: BTreeMap<String, Vec<u64>>,
}

impl FailureRule {
    /// Returns whether the rule applies to a request.
    pub fn matches(&self, method: &str, path: &str) -> bool {
        let Some((verb, route)) = self.route.split_once(' ') else { return false };
        let (route, path): (Vec<&str>, Vec<&str>) = (route.split('/').collect(), path.split('/').collect());
        let same = route.iter().zip(&path).all(|(wanted, step)| *wanted == "*" || wanted == step);
        self.times > 0 && verb == method && route.len() == path.len() && same
    }
}

impl DiscordState {
    /// Returns how a request is to fail, if it is.
    pub fn next_failure(&mut self, method: &str, path: &str) -> Option<Failure> {
        if let Some(rule) = self.failure_rules.iter_mut().find(|rule| rule.matches(method, path)) {
            rule.times -= 1;
            return Some(rule.failure);
        }
        self.random_failures.as_mut().and_then(|RandomFailures(choose)| choose(method, path))
    }

    /// Counts a post. Returns how many more the channel takes and when the count starts anew, or nothing if posts are not
    /// limited.
    pub fn count_post(&mut self, method: &str, path: &str) -> Option<(Result<usize, ()>, Duration)> {
        let now = self.now();
        if method != "POST" || !path.starts_with("/channels/") || !path.ends_with("/messages") {
            return None;
        }
        let PostLimit { most, within, taken } = self.post_limit.as_mut()?;
        let span = u64::try_from(within.as_millis()).unwrap_or(u64::MAX);
        let taken = taken.entry(path.to_owned()).or_default();
        taken.retain(|at| now - at < span);
        let left = most.checked_sub(taken.len() + 1);
        if left.is_some() {
            taken.push(now);
        }
        let reset = taken.first().map_or(0, |first| span - (now - first));
        Some((left.ok_or(()), Duration::from_millis(reset)))
    }

    /// Carries out a request, and returns status and body.
    pub fn serve(&mut self, call: &ApiRequest) -> Result<(u16, Value), ApiError> {
        let steps: Vec<&str> = call.path.trim_matches('/').split('/').collect();
        let webhook = matches!(steps[..], ["webhooks" | "interactions", ..]);
        if !webhook && call.token.as_deref() != Some(&format!("Bot {}", self.token)) {
            return api_error(401, 0, "401: Unauthorized");
        }
        let url = format!("ws://{}", self.address);
        let app = self.application.to_string();
        match (call.method.as_str(), &steps[..]) {
            ("GET", ["gateway"]) => Ok((200, json!({ "url": url }))),
            ("GET", ["gateway", "bot"]) => {
                let limit = json!({ "total": 1000, "remaining": 999, "reset_after": 14_400_000, "max_concurrency": 1 });
                Ok((200, json!({ "url": url, "shards": self.shards, "session_start_limit": limit })))
            }
            ("GET", ["users", "@me"]) => Ok((200, self.user_json(self.bot))),
            ("GET", ["users", id]) => match self.users.get(&number(id)) {
                Some(user) => Ok((200, self.user_json(user.id))),
                None => api_error(404, 10013, "Unknown User"),
            },
            ("GET", ["users", "@me", "guilds"]) => {
                let inside = self.guilds.values().filter(|guild| guild.members.contains_key(&self.bot));
                Ok((
                    200,
                    inside
                        .map(|guild| {
                            json!({ "id": guild.id.to_string(), "name": guild.name, "icon": null,
                    "owner": false, "permissions": permissions::BOT.to_string(), "features": [] })
                        })
                        .collect(),
                ))
            }
            ("POST", ["users", "@me", "channels"]) => self.open_direct(&call.body),
            ("GET", ["applications", "@me"] | ["oauth2", "applications", "@me"]) => Ok((200, self.application_json())),
            ("GET", ["applications", id, "commands"]) if *id == app => Ok((200, json!(self.commands))),
            ("PUT", ["applications", id, "commands"]) if *id == app => self.overwrite_commands(&call.body),
            ("GET", ["guilds", id]) => {
                let guild = self.guild(id)?;
                Ok((200, self.guild_json(guild, false)))
            }
            ("GET", ["guilds", id, "channels"]) => {
                let guild = self.guild(id)?.id;
                let here = self.channels.values().filter(|c| c.guild == Some(guild) && c.kind != THREAD);
                Ok((200, here.map(|channel| self.channel_json(channel)).collect()))
            }
            ("GET", ["guilds", id, "threads", "active"]) => {
                let guild = self.guild(id)?.id;
                let open = self.channels.values().filter(|c| c.guild == Some(guild) && c.kind == THREAD && !c.archived);
                let open: Vec<Value> = open.map(|thread| self.channel_json(thread)).collect();
                Ok((200, json!({ "threads": open, "members": [] })))
            }
            ("GET", ["guilds", id, "members", user]) => {
                let guild = self.guild(id)?;
                let user = if *user == "@me" { self.bot } else { number(user) };
                match self.member_json(guild, user, true) {
                    Value::Null => api_error(404, 10007, "Unknown Member"),
                    member => Ok((200, member)),
                }
            }
            ("GET", ["channels", id]) => {
                let channel = self.channel(id)?;
                Ok((200, self.channel_json(channel)))
            }
            ("PATCH", ["channels", id]) => self.edit_channel(id, &call.body),
            ("POST", ["channels", id, "threads"]) => {
                let kind = match self.channel(id)?.kind {
                    TEXT => THREAD,
                    NEWS => NEWS_THREAD,
                    // A forum wants a first message with it, and others have none.
                    _ => return api_error(400, 50024, "Cannot execute action on this channel type"),
                };
                if call.body["type"] != kind {
                    return api_error(400, 50024, "Cannot execute action on this channel type");
                }
                self.make_thread(id, &call.body)
            }
            ("POST", ["channels", id, "messages", _, "threads"]) => self.make_thread(id, &call.body),
            ("PUT", ["channels", id, "thread-members", _]) => self.channel(id).map(|_| (204, Value::Null)),
            ("POST", ["channels", id, "typing"]) => self.channel(id).map(|_| (204, Value::Null)),
            ("GET", ["channels", id, "messages"]) => self.list_messages(id, &call.query),
            ("POST", ["channels", id, "messages"]) => self.post(id, call),
            ("GET", ["channels", id, "messages", message]) => {
                let id = self.message_in(id, message)?;
                Ok((200, self.message_json(&self.messages[&id])))
            }
            ("PATCH", ["channels", id, "messages", message]) => self.edit_post(id, message, call),
            ("DELETE", ["channels", id, "messages", message]) => {
                let id = self.message_in(id, message)?;
                self.delete(id);
                Ok((204, Value::Null))
            }
            ("POST", ["interactions", id, token, "callback"]) => self.callback(id, token, call),
            ("POST", ["webhooks", id, token]) if *id == app => self.follow_up(token, call),
            (method, ["webhooks", id, token, "messages", message]) if *id == app => {
                self.webhook_message(method, token, message, call)
            }
            _ => api_error(404, 0, "404: Not Found"),
        }
    }

    fn application_json(&self) -> Value {
        json!({
            "id": self.application.to_string(), "name": "Ratatosk", "icon": null, "description": "", "summary": "",
            "bot_public": true, "bot_require_code_grant": false, "verify_key": "0".repeat(64), "flags": 0,
            "hook": true, "integration_types_config": { "0": {} }, "team": null,
            "owner": self.user_json(self.bot), "bot": self.user_json(self.bot),
        })
    }

    fn overwrite_commands(&mut self, body: &Value) -> Result<(u16, Value), ApiError> {
        let mut form = Validator::default();
        form.commands(body);
        form.result()?;
        let mut commands = body.as_array().cloned().unwrap_or_default();
        for command in &mut commands {
            let known = self.commands.iter().find(|known| known["name"] == command["name"]).map(|c| c["id"].clone());
            command["id"] = known.unwrap_or_else(|| json!(self.new_id().to_string()));
            command["application_id"] = json!(self.application.to_string());
            command["version"] = json!(self.new_id().to_string());
            if command["type"].is_null() {
                command["type"] = json!(1);
            }
            for key in ["default_member_permissions", "name_localizations", "description_localizations"] {
                // Discord writes these out even if they are null.
                let value = command[key].take();
                command[key] = value;
            }
        }
        self.commands = commands;
        self.registrations += 1;
        Ok((200, json!(self.commands)))
    }

    fn guild(&self, id: &str) -> Result<&crate::state::Guild, ApiError> {
        match self.guilds.get(&number(id)) {
            None => api_error(404, 10004, "Unknown Guild"),
            Some(guild) if !guild.members.contains_key(&self.bot) => api_error(403, 50001, "Missing Access"),
            Some(guild) => Ok(guild),
        }
    }

    /// Returns a channel that the bot can see.
    fn channel(&self, id: &str) -> Result<&Channel, ApiError> {
        match self.channels.get(&number(id)) {
            None => api_error(404, 10003, "Unknown Channel"),
            Some(channel) if self.bot_permissions(channel) & permissions::VIEW == 0 => {
                api_error(403, 50001, "Missing Access")
            }
            Some(channel) => Ok(channel),
        }
    }

    fn require(&self, channel: &Channel, needed: u64) -> Result<(), ApiError> {
        if self.bot_permissions(channel) & needed == needed {
            Ok(())
        } else {
            api_error(403, 50013, "Missing Permissions")
        }
    }

    fn open_direct(&mut self, body: &Value) -> Result<(u16, Value), ApiError> {
        let with = body["recipient_id"].as_u64().unwrap_or_else(|| number(body["recipient_id"].as_str().unwrap_or("")));
        if self.users.get(&with).is_none_or(|user| user.bot) {
            return api_error(400, 50033, "Invalid Recipient(s)");
        }
        let id = self.direct(with);
        Ok((200, self.channel_json(&self.channels[&id])))
    }

    fn edit_channel(&mut self, id: &str, body: &Value) -> Result<(u16, Value), ApiError> {
        let channel = self.channel(id)?;
        let (id, now) = (channel.id, self.now());
        if channel.archived && body["archived"] != false {
            return api_error(400, 50083, "Thread is archived");
        }
        if let Some(channel) = self.channels.get_mut(&id) {
            if let Some(archived) = body["archived"].as_bool() {
                channel.archived = archived;
                channel.active = now;
            }
            if let Some(minutes) = body["auto_archive_duration"].as_u64() {
                channel.archive_after = minutes;
            }
            if let Some(name) = body["name"].as_str() {
                channel.name = name.to_owned();
            }
        }
        Ok((200, self.channel_json(&self.channels[&id])))
    }

    fn make_thread(&mut self, id: &str, body: &Value) -> Result<(u16, Value), ApiError> {
        let above = self.channel(id)?;
        self.require(above, permissions::MAKE_THREADS)?;
        let (parent, guild, hidden) = (above.id, above.guild, above.hidden_from.clone());
        let name = body["name"].as_str().unwrap_or_default();
        if name.is_empty() || name.encode_utf16().count() > 100 {
            let at = json!({ "_errors": [{ "code": "BASE_TYPE_BAD_LENGTH", "message": "Must be between 1 and 100 in length." }] });
            let body = json!({ "code": 50035, "message": "Invalid Form Body", "errors": { "name": at } });
            return Err(ApiError { status: 400, body });
        }
        let id = self.add_channel(guild, THREAD, name);
        if let Some(thread) = self.channels.get_mut(&id) {
            thread.parent = Some(parent);
            thread.hidden_from = hidden;
            thread.archive_after = body["auto_archive_duration"].as_u64().unwrap_or(1440);
        }
        let shown = self.channel_json(&self.channels[&id]);
        self.dispatch("THREAD_CREATE", guild, &shown);
        Ok((201, shown))
    }

    /// Finds a message by the channel's routes, which do not know ephemeral ones.
    fn message_in(&self, channel: &str, message: &str) -> Result<Id, ApiError> {
        let channel = self.channel(channel)?;
        self.require(channel, permissions::READ_HISTORY)?;
        match self.messages.get(&number(message)) {
            Some(found) if found.channel == channel.id && found.reader.is_none() && !found.deleted => Ok(found.id),
            _ => api_error(404, 10008, "Unknown Message"),
        }
    }

    fn list_messages(&self, id: &str, query: &str) -> Result<(u16, Value), ApiError> {
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

    fn post(&mut self, id: &str, call: &ApiRequest) -> Result<(u16, Value), ApiError> {
        let channel = self.channel(id)?.clone();
        match channel.kind {
            DIRECT => {
                let open = channel.recipient.and_then(|user| self.users.get(&user)).is_some_and(|u| u.accepts_messages);
                if !open {
                    return api_error(403, 50007, "Cannot send messages to this user");
                }
            }
            THREAD => self.require(&channel, permissions::SEND_IN_THREADS)?,
            FORUM => return api_error(400, 50008, "Cannot send messages in a non-text channel"),
            _ => self.require(&channel, permissions::SEND)?,
        }
        if channel.locked {
            return api_error(400, 50083, "Thread is archived");
        }
        if !call.files.is_empty() {
            self.require(&channel, permissions::ATTACH)?;
        }
        if call.body["embeds"].as_array().is_some_and(|embeds| !embeds.is_empty()) {
            self.require(&channel, permissions::EMBED)?;
        }
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

    fn edit_post(&mut self, channel: &str, message: &str, call: &ApiRequest) -> Result<(u16, Value), ApiError> {
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

    fn delete(&mut self, id: Id) {
        if let Some(message) = self.messages.get_mut(&id) {
            message.deleted = true;
        }
    }

    /// Adds a message: a post of the bot, or the response to an interaction.
    fn make_message(
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

    /// Notes a message that does not say whom it may ping: Discord would ping everybody who is mentioned in it.
    fn note_implicit_mentions(&mut self, body: &Value) {
        if body["allowed_mentions"]["parse"] != json!([]) {
            self.implicit_mentions.push(body.to_string());
        }
    }

    /// Pings the users that a message mentions, if it may and they can see it.
    fn ping_users(&self, message: &mut Message, allowed: &Value) {
        let text = without_code(&message.content);
        let parsed = |kind: &str| {
            allowed.is_null() || allowed["parse"].as_array().is_some_and(|parse| parse.contains(&json!(kind)))
        };
        let named = |kind: &str, id: Id| {
            let list = allowed[kind].as_array().into_iter().flatten();
            list.map(plain).any(|said| said == id.to_string())
        };
        let channel = self.channels.get(&message.channel);
        for mention in text.split("<@").skip(1) {
            let user = number(mention.trim_start_matches('!').split('>').next().unwrap_or_default());
            let reached = match message.reader {
                Some(reader) => reader == user,
                None => channel.is_some_and(|channel| self.sees(user, channel)),
            };
            if self.users.contains_key(&user) && reached && (parsed("users") || named("users", user)) {
                message.pings.insert(user);
            }
        }
        message.pings_group = (parsed("everyone") && (text.contains("@everyone") || text.contains("@here")))
            || (text.contains("<@&")
                && (parsed("roles") || allowed["roles"].as_array().is_some_and(|r| !r.is_empty())));
    }

    /// Edits a message. `at` is the path of its fields in the body.
    fn edit(&mut self, id: Id, at: &str, body: &Value, files: &BTreeMap<usize, File>) -> Result<(), ApiError> {
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

    fn callback(&mut self, id: &str, token: &str, call: &ApiRequest) -> Result<(u16, Value), ApiError> {
        let now = self.now();
        let known = self.interactions.get(&number(id)).filter(|interaction| interaction.token == token).cloned();
        let Some(interaction) = known else { return api_error(404, 10062, "Unknown interaction") };
        if interaction.callback.is_some() {
            return api_error(400, 40060, "Interaction has already been acknowledged.");
        }
        if now > interaction.answer_by {
            return api_error(404, 10062, "Unknown interaction");
        }
        let (kind, data) = (call.body["type"].as_u64().unwrap_or(0), &call.body["data"]);
        let component = interaction.source.is_some();
        let fits = match kind {
            4 | 5 => interaction.kind != 4,
            6 | 7 => component,
            8 => interaction.kind == 4,
            _ => false,
        };
        if !fits {
            let at = json!({ "_errors": [{ "code": "INTERACTION_CALLBACK_TYPE_INVALID", "message": "Interaction callback type is invalid" }] });
            let body = json!({ "code": 50035, "message": "Invalid Form Body", "errors": { "type": at } });
            return Err(ApiError { status: 400, body });
        }
        let (callback, original) = match kind {
            4 => {
                let mut form = Validator::default();
                form.message("data.", data, call.files.len());
                form.result()?;
                let made = self.make_message(interaction.channel, data, &call.files, Some(&interaction))?;
                (Callback::Message, Some(made))
            }
            5 => {
                let nobody = json!({ "parse": [] });
                let thinking = json!({ "content": "…", "flags": data["flags"], "allowed_mentions": nobody });
                let made = self.make_message(interaction.channel, &thinking, &BTreeMap::new(), Some(&interaction))?;
                if let Some(message) = self.messages.get_mut(&made) {
                    message.loading = true;
                    message.content = String::new();
                }
                (Callback::Deferred, Some(made))
            }
            6 => (Callback::DeferredUpdate, interaction.source),
            7 => {
                let source = interaction.source.unwrap_or(0);
                self.edit(source, "data.", data, &call.files)?;
                (Callback::Update, interaction.source)
            }
            _ => {
                let mut form = Validator::default();
                form.choices("data.choices", &data["choices"]);
                form.result()?;
                let choices = data["choices"].as_array().into_iter().flatten();
                let pair = |choice: &Value| (plain(&choice["name"]), plain(&choice["value"]));
                (Callback::Choices(choices.map(pair).collect()), None)
            }
        };
        if let Some(known) = self.interactions.get_mut(&interaction.id) {
            known.callback = Some(callback);
            known.original = original;
        }
        if let Some(waiting) = self.waiting.remove(&interaction.id) {
            let _ = waiting.send(());
        }
        if call.query.contains("with_response=true") {
            let message = original.map(|id| self.message_json(&self.messages[&id]));
            let about =
                json!({ "id": id, "type": interaction.kind, "response_message_id": original.map(|id| id.to_string()) });
            return Ok((200, json!({ "interaction": about, "resource": { "type": kind, "message": message } })));
        }
        Ok((204, Value::Null))
    }

    /// Finds the interaction of a token that can still be used and has had its first response.
    fn answered(&self, token: &str) -> Result<Interaction, ApiError> {
        let Some(interaction) = self.tokens.get(token).and_then(|id| self.interactions.get(id)) else {
            return api_error(404, 10015, "Unknown Webhook");
        };
        if self.now() - interaction.sent > Interaction::LIFE {
            return api_error(401, 50027, "Invalid Webhook Token");
        }
        if interaction.callback.is_none() {
            return api_error(404, 10015, "Unknown Webhook");
        }
        Ok(interaction.clone())
    }

    fn follow_up(&mut self, token: &str, call: &ApiRequest) -> Result<(u16, Value), ApiError> {
        let interaction = self.answered(token)?;
        let mut form = Validator::default();
        form.message("", &call.body, call.files.len());
        form.result()?;
        // The first follow-up replaces a deferred response.
        let deferred = interaction.original.filter(|id| self.messages.get(id).is_some_and(|m| m.loading && !m.deleted));
        let id = match deferred {
            Some(id) => {
                self.edit(id, "", &call.body, &call.files)?;
                let mut message = self.messages[&id].clone();
                self.ping_users(&mut message, &call.body["allowed_mentions"]);
                self.messages.insert(id, message);
                id
            }
            None => self.make_message(interaction.channel, &call.body, &call.files, Some(&interaction))?,
        };
        Ok((200, self.message_json(&self.messages[&id])))
    }

    fn webhook_message(
        &mut self,
        method: &str,
        token: &str,
        message: &str,
        call: &ApiRequest,
    ) -> Result<(u16, Value), ApiError> {
        let interaction = self.answered(token)?;
        let wanted = if message == "@original" { interaction.original } else { Some(number(message)) };
        let ours = |message: &&Message| {
            !message.deleted
                && (Some(message.id) == interaction.original || message.interaction == Some(interaction.id))
        };
        let Some(id) = wanted.and_then(|id| self.messages.get(&id)).filter(ours).map(|message| message.id) else {
            return api_error(404, 10008, "Unknown Message");
        };
        match method {
            "GET" => Ok((200, self.message_json(&self.messages[&id]))),
            "PATCH" => {
                let archived = self.channels.get(&interaction.channel).is_some_and(|channel| channel.archived);
                if archived && self.messages[&id].reader.is_none() {
                    return api_error(400, 50083, "Thread is archived");
                }
                self.edit(id, "", &call.body, &call.files)?;
                Ok((200, self.message_json(&self.messages[&id])))
            }
            "DELETE" => {
                self.delete(id);
                Ok((204, Value::Null))
            }
            _ => api_error(405, 0, "405: Method Not Allowed"),
        }
    }
}

/// Reads an id. Nothing has the id 0.
pub fn number(text: &str) -> Id {
    text.parse().unwrap_or(0)
}

/// Returns an id or a text that may have come as a number.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Removes code, in which mentions do not ping.
fn without_code(text: &str) -> String {
    let outside = |text: &str, fence: &str| {
        let pieces: Vec<&str> = text.split(fence).collect();
        let odd_one_out = pieces.len().is_multiple_of(2);
        let last = pieces.len() - 1;
        let kept = pieces.iter().enumerate().filter(|(n, _)| n % 2 == 0 || (odd_one_out && *n == last));
        kept.map(|(_, piece)| *piece).collect::<Vec<_>>().join(" ")
    };
    outside(&outside(text, "```"), "`")
}
