//! REST as a bot sees it: every route that the bot uses, with Discord's refusals; and faults on demand.

use super::limits::{Form, Refusal, refuse};
use super::model::{
    Attachment, Callback, Channel, DIRECT, EPHEMERAL, FORUM, Id, Interaction, Message, NEWS, NEWS_THREAD, TEXT, THREAD,
    World, may,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// A request that has come.
#[derive(Debug, Default)]
pub struct Call {
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

/// A request as it is remembered.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    pub path: String,
    /// What was answered; 0 if the connection was cut.
    pub status: u16,
    pub body: Value,
}

/// Something that is to go wrong.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Such as `POST /channels/*/messages`.
    pub route: String,
    /// How often.
    pub times: usize,
    pub trouble: Trouble,
}

/// What goes wrong.
#[derive(Clone, Copy, Debug)]
pub enum Trouble {
    /// An error instead of what was asked.
    Fail(u16),
    /// An error, although what was asked was done.
    FailAfterDoing(u16),
    /// The connection is closed without an answer, and nothing was done.
    Cut,
    /// The connection is closed without an answer, although what was asked was done.
    CutAfterDoing,
    /// The connection is reset, and nothing was done.
    Reset,
    /// The connection is reset, although what was asked was done.
    ResetAfterDoing,
    /// What was asked was done, but the answer breaks off after its headers.
    Torn,
    /// Too many requests to this route.
    Limit(Duration),
    /// Too many requests of all kinds together.
    LimitAll(Duration),
    /// It takes a while before it is done, whether or not the bot still waits.
    Slow(Duration),
    /// It is done at once, but the receipt takes a while.
    SlowReceipt(Duration),
}

/// Told the method and the path of a request, it gives the trouble.
type Chance = dyn FnMut(&str, &str) -> Option<Trouble> + Send;

/// What goes wrong by chance.
pub struct Storm(pub Box<Chance>);

impl std::fmt::Debug for Storm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Storm")
    }
}

/// How many messages a channel takes in how long, and those that it took, as Discord counts them.
#[derive(Clone, Debug)]
pub struct Allowance {
    pub most: usize,
    pub within: Duration,
    pub taken: BTreeMap<String, Vec<u64>>,
}

impl Fault {
    pub fn fits(&self, method: &str, path: &str) -> bool {
        let Some((verb, route)) = self.route.split_once(' ') else { return false };
        let (route, path): (Vec<&str>, Vec<&str>) = (route.split('/').collect(), path.split('/').collect());
        let same = route.iter().zip(&path).all(|(wanted, step)| *wanted == "*" || wanted == step);
        self.times > 0 && verb == method && route.len() == path.len() && same
    }
}

impl World {
    /// Gives what is to go wrong with this request.
    pub fn trouble(&mut self, method: &str, path: &str) -> Option<Trouble> {
        if let Some(fault) = self.faults.iter_mut().find(|fault| fault.fits(method, path)) {
            fault.times -= 1;
            return Some(fault.trouble);
        }
        self.storm.as_mut().and_then(|Storm(chance)| chance(method, path))
    }

    /// Counts a message that is to be posted; gives how many more there may be and when the count begins anew, or
    /// nothing where nobody counts.
    pub fn allowance(&mut self, method: &str, path: &str) -> Option<(Result<usize, ()>, Duration)> {
        let now = self.now();
        if method != "POST" || !path.starts_with("/channels/") || !path.ends_with("/messages") {
            return None;
        }
        let Allowance { most, within, taken } = self.allowance.as_mut()?;
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

    /// Does what was asked.
    pub fn serve(&mut self, call: &Call) -> Result<(u16, Value), Refusal> {
        let steps: Vec<&str> = call.path.trim_matches('/').split('/').collect();
        let webhook = matches!(steps[..], ["webhooks" | "interactions", ..]);
        if !webhook && call.token.as_deref() != Some(&format!("Bot {}", self.token)) {
            return refuse(401, 0, "401: Unauthorized");
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
                None => refuse(404, 10013, "Unknown User"),
            },
            ("GET", ["users", "@me", "guilds"]) => {
                let inside = self.guilds.values().filter(|guild| guild.members.contains_key(&self.bot));
                Ok((
                    200,
                    inside
                        .map(|guild| {
                            json!({ "id": guild.id.to_string(), "name": guild.name, "icon": null,
                    "owner": false, "permissions": may::BOT.to_string(), "features": [] })
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
                    Value::Null => refuse(404, 10007, "Unknown Member"),
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
                    _ => return refuse(400, 50024, "Cannot execute action on this channel type"),
                };
                if call.body["type"] != kind {
                    return refuse(400, 50024, "Cannot execute action on this channel type");
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
            _ => refuse(404, 0, "404: Not Found"),
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

    fn overwrite_commands(&mut self, body: &Value) -> Result<(u16, Value), Refusal> {
        let mut form = Form::default();
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
                let said = command[key].take();
                command[key] = said;
            }
        }
        self.commands = commands;
        self.registrations += 1;
        Ok((200, json!(self.commands)))
    }

    fn guild(&self, id: &str) -> Result<&super::model::Guild, Refusal> {
        match self.guilds.get(&number(id)) {
            None => refuse(404, 10004, "Unknown Guild"),
            Some(guild) if !guild.members.contains_key(&self.bot) => refuse(403, 50001, "Missing Access"),
            Some(guild) => Ok(guild),
        }
    }

    /// Gives a channel that the bot can see.
    fn channel(&self, id: &str) -> Result<&Channel, Refusal> {
        match self.channels.get(&number(id)) {
            None => refuse(404, 10003, "Unknown Channel"),
            Some(channel) if self.bot_may(channel) & may::VIEW == 0 => refuse(403, 50001, "Missing Access"),
            Some(channel) => Ok(channel),
        }
    }

    fn permit(&self, channel: &Channel, needed: u64) -> Result<(), Refusal> {
        if self.bot_may(channel) & needed == needed { Ok(()) } else { refuse(403, 50013, "Missing Permissions") }
    }

    fn open_direct(&mut self, body: &Value) -> Result<(u16, Value), Refusal> {
        let with = body["recipient_id"].as_u64().unwrap_or_else(|| number(body["recipient_id"].as_str().unwrap_or("")));
        if self.users.get(&with).is_none_or(|user| user.bot) {
            return refuse(400, 50033, "Invalid Recipient(s)");
        }
        let id = self.direct(with);
        Ok((200, self.channel_json(&self.channels[&id])))
    }

    fn edit_channel(&mut self, id: &str, body: &Value) -> Result<(u16, Value), Refusal> {
        let channel = self.channel(id)?;
        let (id, now) = (channel.id, self.now());
        if channel.archived && body["archived"] != false {
            return refuse(400, 50083, "Thread is archived");
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

    fn make_thread(&mut self, id: &str, body: &Value) -> Result<(u16, Value), Refusal> {
        let above = self.channel(id)?;
        self.permit(above, may::MAKE_THREADS)?;
        let (parent, guild, hidden) = (above.id, above.guild, above.hidden_from.clone());
        let name = body["name"].as_str().unwrap_or_default();
        if name.is_empty() || name.encode_utf16().count() > 100 {
            let at = json!({ "_errors": [{ "code": "BASE_TYPE_BAD_LENGTH", "message": "Must be between 1 and 100 in length." }] });
            let body = json!({ "code": 50035, "message": "Invalid Form Body", "errors": { "name": at } });
            return Err(Refusal { status: 400, body });
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

    /// Finds a message that a channel's routes know: not a private one.
    fn message_in(&self, channel: &str, message: &str) -> Result<Id, Refusal> {
        let channel = self.channel(channel)?;
        self.permit(channel, may::READ_HISTORY)?;
        match self.messages.get(&number(message)) {
            Some(found) if found.channel == channel.id && found.reader.is_none() && !found.deleted => Ok(found.id),
            _ => refuse(404, 10008, "Unknown Message"),
        }
    }

    fn list_messages(&self, id: &str, query: &str) -> Result<(u16, Value), Refusal> {
        let channel = self.channel(id)?;
        let asked = |key: &str| {
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.filter(|(name, _)| *name == key).map(|(_, value)| number(value)).next()
        };
        if self.bot_may(channel) & may::READ_HISTORY == 0 {
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

    fn post(&mut self, id: &str, call: &Call) -> Result<(u16, Value), Refusal> {
        let channel = self.channel(id)?.clone();
        match channel.kind {
            DIRECT => {
                let open = channel.recipient.and_then(|user| self.users.get(&user)).is_some_and(|u| u.accepts_messages);
                if !open {
                    return refuse(403, 50007, "Cannot send messages to this user");
                }
            }
            THREAD => self.permit(&channel, may::SEND_IN_THREADS)?,
            FORUM => return refuse(400, 50008, "Cannot send messages in a non-text channel"),
            _ => self.permit(&channel, may::SEND)?,
        }
        if channel.locked {
            return refuse(400, 50083, "Thread is archived");
        }
        if !call.files.is_empty() {
            self.permit(&channel, may::ATTACH)?;
        }
        if call.body["embeds"].as_array().is_some_and(|embeds| !embeds.is_empty()) {
            self.permit(&channel, may::EMBED)?;
        }
        let mut form = Form::default();
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

    fn edit_post(&mut self, channel: &str, message: &str, call: &Call) -> Result<(u16, Value), Refusal> {
        let id = self.message_in(channel, message)?;
        let channel = self.channel(channel)?;
        if channel.archived {
            return refuse(400, 50083, "Thread is archived");
        }
        if self.messages[&id].author != self.bot {
            return refuse(403, 50005, "Cannot edit a message authored by another user");
        }
        if !call.files.is_empty() {
            self.permit(channel, may::ATTACH)?;
        }
        self.edit(id, "", &call.body, &call.files)?;
        Ok((200, self.message_json(&self.messages[&id])))
    }

    fn delete(&mut self, id: Id) {
        if let Some(message) = self.messages.get_mut(&id) {
            message.deleted = true;
        }
    }

    /// Posts a message: of the bot itself, or as the answer to an interaction.
    fn make_message(
        &mut self,
        channel: Id,
        body: &Value,
        files: &BTreeMap<usize, File>,
        answers: Option<&Interaction>,
    ) -> Result<Id, Refusal> {
        let private = answers.filter(|_| body["flags"].as_u64().unwrap_or(0) & EPHEMERAL != 0);
        let (id, sent) = (self.new_id(), self.now());
        let mut message = Message::plain(id, channel, self.bot, body["content"].as_str().unwrap_or_default(), sent);
        message.components = body["components"].as_array().cloned().unwrap_or_default();
        message.embeds = body["embeds"].as_array().cloned().unwrap_or_default();
        message.reader = private.map(|interaction| interaction.user);
        message.answers = answers.map(|interaction| interaction.id);
        message.attachments = self.uploaded(body, files);
        if message.content.is_empty() && message.attachments.is_empty() && message.embeds.is_empty() {
            return refuse(400, 50006, "Cannot send an empty message");
        }
        self.note_offence(body);
        self.call_people(&mut message, &body["allowed_mentions"]);
        self.add_message(message);
        if let Some(channel) = self.channels.get_mut(&channel) {
            channel.active = sent;
            channel.archived &= private.is_some();
        }
        Ok(id)
    }

    /// Takes the files that came with a message, each with what is said about it.
    fn uploaded(&mut self, body: &Value, files: &BTreeMap<usize, File>) -> Vec<Attachment> {
        let described = |n: usize| {
            let said = body["attachments"].as_array().into_iter().flatten();
            let mut about = said.filter(|about| plain(&about["id"]) == n.to_string());
            about.find_map(|about| about["description"].as_str().map(str::to_owned))
        };
        let mut attachments = Vec::new();
        for (n, file) in files {
            let File { name, kind, mut bytes } = file.clone();
            if self.forgetful {
                // Enough to know how large the picture was.
                bytes.truncate(24);
                bytes.shrink_to_fit();
            }
            attachments.push(Attachment { id: self.new_id(), name, kind, bytes, description: described(*n) });
        }
        attachments
    }

    /// Notes a message that does not say itself whom it calls: then everybody is called whom somebody's words mention.
    fn note_offence(&mut self, body: &Value) {
        if body["allowed_mentions"]["parse"] != json!([]) {
            self.offences.push(body.to_string());
        }
    }

    /// Calls whom a message mentions, if it is allowed to and he can see it.
    fn call_people(&self, message: &mut Message, allowed: &Value) {
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
        message.pings_many = (parsed("everyone") && (text.contains("@everyone") || text.contains("@here")))
            || (text.contains("<@&")
                && (parsed("roles") || allowed["roles"].as_array().is_some_and(|r| !r.is_empty())));
    }

    /// Changes a message; `at` is where in the body its fields are.
    fn edit(&mut self, id: Id, at: &str, body: &Value, files: &BTreeMap<usize, File>) -> Result<(), Refusal> {
        let mut form = Form::default();
        form.message(at, body, files.len());
        form.result()?;
        self.note_offence(body);
        let (new, now) = (self.uploaded(body, files), self.now());
        let Some(message) = self.messages.get_mut(&id).filter(|message| !message.deleted) else {
            return refuse(404, 10008, "Unknown Message");
        };
        let before = message.clone();
        if !message.loading {
            message.former.push(message.content.clone());
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
            return refuse(400, 50006, "Cannot send an empty message");
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

    fn callback(&mut self, id: &str, token: &str, call: &Call) -> Result<(u16, Value), Refusal> {
        let now = self.now();
        let known = self.interactions.get(&number(id)).filter(|interaction| interaction.token == token).cloned();
        let Some(interaction) = known else { return refuse(404, 10062, "Unknown interaction") };
        if interaction.callback.is_some() {
            return refuse(400, 40060, "Interaction has already been acknowledged.");
        }
        if now - interaction.sent > Interaction::DEADLINE {
            return refuse(404, 10062, "Unknown interaction");
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
            return Err(Refusal { status: 400, body });
        }
        let (callback, original) = match kind {
            4 => {
                let mut form = Form::default();
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
                (Callback::Thinking, Some(made))
            }
            6 => (Callback::UpdateLater, interaction.source),
            7 => {
                let source = interaction.source.unwrap_or(0);
                self.edit(source, "data.", data, &call.files)?;
                (Callback::Update, interaction.source)
            }
            _ => {
                let mut form = Form::default();
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

    /// Finds the interaction of a token that still lives and was answered.
    fn answered(&self, token: &str) -> Result<Interaction, Refusal> {
        let Some(interaction) = self.tokens.get(token).and_then(|id| self.interactions.get(id)) else {
            return refuse(404, 10015, "Unknown Webhook");
        };
        if self.now() - interaction.sent > Interaction::LIFE {
            return refuse(401, 50027, "Invalid Webhook Token");
        }
        if interaction.callback.is_none() {
            return refuse(404, 10015, "Unknown Webhook");
        }
        Ok(interaction.clone())
    }

    fn follow_up(&mut self, token: &str, call: &Call) -> Result<(u16, Value), Refusal> {
        let interaction = self.answered(token)?;
        let mut form = Form::default();
        form.message("", &call.body, call.files.len());
        form.result()?;
        // The first thing that is said after "thinking" takes its place.
        let thinking = interaction.original.filter(|id| self.messages.get(id).is_some_and(|m| m.loading && !m.deleted));
        let id = match thinking {
            Some(id) => {
                self.edit(id, "", &call.body, &call.files)?;
                let mut message = self.messages[&id].clone();
                self.call_people(&mut message, &call.body["allowed_mentions"]);
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
        call: &Call,
    ) -> Result<(u16, Value), Refusal> {
        let interaction = self.answered(token)?;
        let wanted = if message == "@original" { interaction.original } else { Some(number(message)) };
        let ours = |message: &&Message| {
            !message.deleted && (Some(message.id) == interaction.original || message.answers == Some(interaction.id))
        };
        let Some(id) = wanted.and_then(|id| self.messages.get(&id)).filter(ours).map(|message| message.id) else {
            return refuse(404, 10008, "Unknown Message");
        };
        match method {
            "GET" => Ok((200, self.message_json(&self.messages[&id]))),
            "PATCH" => {
                let archived = self.channels.get(&interaction.channel).is_some_and(|channel| channel.archived);
                if archived && self.messages[&id].reader.is_none() {
                    return refuse(400, 50083, "Thread is archived");
                }
                self.edit(id, "", &call.body, &call.files)?;
                Ok((200, self.message_json(&self.messages[&id])))
            }
            "DELETE" => {
                self.delete(id);
                Ok((204, Value::Null))
            }
            _ => refuse(405, 0, "405: Method Not Allowed"),
        }
    }
}

/// Reads an id; nothing has the id 0.
pub fn number(text: &str) -> Id {
    text.parse().unwrap_or(0)
}

/// Gives an id or a text that may have come as a number.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Leaves out what is written as code, where nobody is called.
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
