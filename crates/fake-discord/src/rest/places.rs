//! Routes of users, the application and its commands, servers, channels and threads.

use super::{ApiRequest, ApiResult, not_found, number};
use crate::state::{Channel, DiscordState, Guild, NEWS, NEWS_THREAD, TEXT, THREAD, permissions};
use crate::validation::{ApiError, Validator, api_error};
use serde_json::{Value, json};

impl DiscordState {
    /// Serves `/users/…`.
    pub(super) fn serve_user(&mut self, below: &[&str], call: &ApiRequest) -> ApiResult {
        match (call.method.as_str(), below) {
            ("GET", ["@me"]) => Ok((200, self.user_json(self.bot))),
            ("GET", [id]) => match self.users.get(&number(id)) {
                Some(user) => Ok((200, self.user_json(user.id))),
                None => api_error(404, 10013, "Unknown User"),
            },
            ("GET", ["@me", "guilds"]) => {
                let inside = self.guilds.values().filter(|guild| guild.members.contains_key(&self.bot));
                let shown = |guild: &Guild| {
                    json!({
                        "id": guild.id.to_string(), "name": guild.name, "icon": null, "owner": false,
                        "permissions": permissions::BOT.to_string(), "features": [],
                    })
                };
                Ok((200, inside.map(shown).collect()))
            }
            ("POST", ["@me", "channels"]) => self.open_direct(&call.body),
            _ => not_found(),
        }
    }

    /// Serves `/applications/…` and `/oauth2/applications/…`.
    pub(super) fn serve_application(&mut self, steps: &[&str], call: &ApiRequest) -> ApiResult {
        let app = self.application.to_string();
        match (call.method.as_str(), steps) {
            ("GET", ["applications", "@me"] | ["oauth2", "applications", "@me"]) => Ok((200, self.application_json())),
            ("GET", ["applications", id, "commands"]) if *id == app => Ok((200, json!(self.commands))),
            ("PUT", ["applications", id, "commands"]) if *id == app => self.overwrite_commands(&call.body),
            _ => not_found(),
        }
    }

    /// Serves `/guilds/<id>/…`.
    pub(super) fn serve_guild(&self, id: &str, below: &[&str], method: &str) -> ApiResult {
        match (method, below) {
            ("GET", []) => {
                let guild = self.guild(id)?;
                Ok((200, self.guild_json(guild, false)))
            }
            ("GET", ["channels"]) => {
                let guild = self.guild(id)?.id;
                let here = self.channels.values().filter(|c| c.guild == Some(guild) && c.kind != THREAD);
                Ok((200, here.map(|channel| self.channel_json(channel)).collect()))
            }
            ("GET", ["threads", "active"]) => {
                let guild = self.guild(id)?.id;
                let open = self.channels.values().filter(|c| c.guild == Some(guild) && c.kind == THREAD && !c.archived);
                let open: Vec<Value> = open.map(|thread| self.channel_json(thread)).collect();
                Ok((200, json!({ "threads": open, "members": [] })))
            }
            ("GET", ["members", user]) => {
                let guild = self.guild(id)?;
                let user = if *user == "@me" { self.bot } else { number(user) };
                match self.member_json(guild, user, true) {
                    Value::Null => api_error(404, 10007, "Unknown Member"),
                    member => Ok((200, member)),
                }
            }
            _ => not_found(),
        }
    }

    /// Serves `/channels/<id>/…` except for messages.
    pub(super) fn serve_channel(&mut self, id: &str, below: &[&str], call: &ApiRequest) -> ApiResult {
        match (call.method.as_str(), below) {
            ("GET", []) => {
                let channel = self.channel(id)?;
                Ok((200, self.channel_json(channel)))
            }
            ("PATCH", []) => self.edit_channel(id, &call.body),
            ("POST", ["threads"]) => {
                let kind = match self.channel(id)?.kind {
                    TEXT => THREAD,
                    NEWS => NEWS_THREAD,
                    // A thread in a forum needs a first message, and other channels have no threads.
                    _ => return api_error(400, 50024, "Cannot execute action on this channel type"),
                };
                if call.body["type"] != kind {
                    return api_error(400, 50024, "Cannot execute action on this channel type");
                }
                self.make_thread(id, &call.body)
            }
            ("PUT", ["thread-members", _]) | ("POST", ["typing"]) => self.channel(id).map(|_| (204, Value::Null)),
            _ => not_found(),
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

    fn overwrite_commands(&mut self, body: &Value) -> ApiResult {
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

    fn guild(&self, id: &str) -> Result<&Guild, ApiError> {
        match self.guilds.get(&number(id)) {
            None => api_error(404, 10004, "Unknown Guild"),
            Some(guild) if !guild.members.contains_key(&self.bot) => api_error(403, 50001, "Missing Access"),
            Some(guild) => Ok(guild),
        }
    }

    /// Returns a channel that the bot can see.
    pub(super) fn channel(&self, id: &str) -> Result<&Channel, ApiError> {
        match self.channels.get(&number(id)) {
            None => api_error(404, 10003, "Unknown Channel"),
            Some(channel) if self.bot_permissions(channel) & permissions::VIEW == 0 => {
                api_error(403, 50001, "Missing Access")
            }
            Some(channel) => Ok(channel),
        }
    }

    pub(super) fn require(&self, channel: &Channel, needed: u64) -> Result<(), ApiError> {
        if self.bot_permissions(channel) & needed == needed {
            Ok(())
        } else {
            api_error(403, 50013, "Missing Permissions")
        }
    }

    fn open_direct(&mut self, body: &Value) -> ApiResult {
        let with = body["recipient_id"].as_u64().unwrap_or_else(|| number(body["recipient_id"].as_str().unwrap_or("")));
        if self.users.get(&with).is_none_or(|user| user.bot) {
            return api_error(400, 50033, "Invalid Recipient(s)");
        }
        let id = self.direct(with);
        Ok((200, self.channel_json(&self.channels[&id])))
    }

    fn edit_channel(&mut self, id: &str, body: &Value) -> ApiResult {
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

    pub(super) fn make_thread(&mut self, id: &str, body: &Value) -> ApiResult {
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
}
