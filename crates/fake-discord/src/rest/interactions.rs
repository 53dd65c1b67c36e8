//! Responses to interactions: the callback, follow-ups, and edits by the interaction's token.

use super::{ApiRequest, ApiResult, not_found, number, plain};
use crate::state::{Callback, DiscordState, Id, Interaction, Message};
use crate::validation::{ApiError, Validator, api_error};
use serde_json::{Value, json};
use std::collections::BTreeMap;

impl DiscordState {
    /// Serves `/interactions/…` and `/webhooks/…`.
    pub(super) fn serve_interaction(&mut self, steps: &[&str], call: &ApiRequest) -> ApiResult {
        let app = self.application.to_string();
        match (call.method.as_str(), steps) {
            ("POST", ["interactions", id, token, "callback"]) => self.callback(id, token, call),
            ("POST", ["webhooks", id, token]) if *id == app => self.follow_up(token, call),
            (method, ["webhooks", id, token, "messages", message]) if *id == app => {
                self.webhook_message(method, token, message, call)
            }
            _ => not_found(),
        }
    }

    fn callback(&mut self, id: &str, token: &str, call: &ApiRequest) -> ApiResult {
        let now = self.now();
        let known = self.interactions.get(&number(id)).filter(|interaction| interaction.token == token).cloned();
        let Some(interaction) = known else { return api_error(404, 10062, "Unknown interaction") };
        if interaction.callback.is_some() {
            return api_error(400, 40060, "Interaction has already been acknowledged.");
        }
        if now > interaction.answer_by {
            return api_error(404, 10062, "Unknown interaction");
        }
        let kind = call.body["type"].as_u64().unwrap_or(0);
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
        let (callback, original) = self.respond(&interaction, kind, call)?;
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

    /// Carries out the response of a callback. Returns what kind it is, and the message that it made or belongs to.
    fn respond(
        &mut self,
        interaction: &Interaction,
        kind: u64,
        call: &ApiRequest,
    ) -> Result<(Callback, Option<Id>), ApiError> {
        let data = &call.body["data"];
        Ok(match kind {
            4 => {
                let mut form = Validator::default();
                form.message("data.", data, call.files.len());
                form.result()?;
                let made = self.make_message(interaction.channel, data, &call.files, Some(interaction))?;
                (Callback::Message, Some(made))
            }
            5 => {
                let nobody = json!({ "parse": [] });
                let thinking = json!({ "content": "…", "flags": data["flags"], "allowed_mentions": nobody });
                let made = self.make_message(interaction.channel, &thinking, &BTreeMap::new(), Some(interaction))?;
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
        })
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

    fn follow_up(&mut self, token: &str, call: &ApiRequest) -> ApiResult {
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

    fn webhook_message(&mut self, method: &str, token: &str, message: &str, call: &ApiRequest) -> ApiResult {
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
