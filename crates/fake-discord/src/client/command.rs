//! The data of a command, as a real client builds it.

use super::{Outcome, Person, not_possible};
use crate::rest::number;
use crate::state::{Channel, DIRECT, DiscordState, Guild, permissions};
use serde_json::{Map, Value, json};

/// The options of a command that a user has filled in, and the users that they name.
#[derive(Default)]
struct FilledOptions {
    sent: Vec<Value>,
    users: Map<String, Value>,
    members: Map<String, Value>,
}

impl Person {
    /// Builds the data of a command. `typing` is the option that is being typed and needs suggestions.
    pub(super) fn command(
        &self,
        state: &DiscordState,
        name: &str,
        options: &[(&str, &str)],
        typing: Option<(&str, &str)>,
    ) -> Outcome<Value> {
        let (command, channel) = self.offered_command(state, name)?;
        let known = command["options"].as_array().cloned().unwrap_or_default();
        let mut filled = FilledOptions::default();
        for (said, value) in options.iter().chain(typing.as_ref()) {
            let Some(option) = known.iter().find(|option| option["name"] == *said) else {
                return not_possible(format!("/{name} has no option {said}"));
            };
            let focused = typing.is_some_and(|(typed, _)| typed == *said);
            if focused && option["autocomplete"] != true {
                return not_possible(format!("{said} is not completed"));
            }
            let value = match option["type"].as_u64() {
                Some(3) if !focused => listed_choice(option, said, value)?,
                Some(4) => json!(value.parse::<i64>().ok()),
                Some(5) => json!(*value == "true"),
                Some(6) => filled.name_user(state, channel, said, value)?,
                _ => json!(value),
            };
            let mut option = json!({ "name": said, "type": option["type"], "value": value });
            if focused {
                option["focused"] = json!(true);
            }
            filled.sent.push(option);
        }
        let is_sent = |option: &Value| filled.sent.iter().any(|sent| sent["name"] == option["name"]);
        let missing = known.iter().find(|option| option["required"] == true && !is_sent(option));
        if let (Some(missing), None) = (missing, typing) {
            return not_possible(format!("{} has to be said", missing["name"]));
        }
        let FilledOptions { sent, users, members } = filled;
        let mut data = json!({ "id": command["id"], "name": name, "type": 1, "options": sent });
        if !users.is_empty() {
            data["resolved"] = json!({ "users": users, "members": members });
        }
        Ok(data)
    }

    /// Finds a command that is offered to the user here, and the channel.
    fn offered_command<'s>(&self, state: &'s DiscordState, name: &str) -> Outcome<(&'s Value, &'s Channel)> {
        let Some(command) = state.commands.iter().find(|command| command["name"] == name) else {
            return not_possible(format!("there is no command /{name}"));
        };
        let Some(channel) = state.channels.get(&self.channel).filter(|channel| state.sees(self.id, channel)) else {
            return not_possible("the channel cannot be seen");
        };
        if channel.archived {
            return not_possible("commands do not work in archived threads");
        }
        let context = u64::from(channel.kind == DIRECT);
        let wanted = command["contexts"].as_array().map(|list| list.iter().any(|known| *known == context));
        if !wanted.unwrap_or(context == 0 || command["dm_permission"] != false) {
            return not_possible(format!("/{name} is not offered here"));
        }
        let needed = number(command["default_member_permissions"].as_str().unwrap_or("0"));
        let member = guild_of(state, channel).and_then(|guild| guild.members.get(&self.id));
        let has = member.map_or(u64::MAX, |member| member.permissions);
        if has & needed != needed {
            return not_possible(format!("/{name} is not offered to everybody"));
        }
        Ok((command, channel))
    }
}

impl FilledOptions {
    /// Reads the user that an option names, and adds what the bot is told about that user.
    fn name_user(&mut self, state: &DiscordState, channel: &Channel, said: &str, value: &str) -> Outcome<Value> {
        let id = value.trim_matches(['<', '@', '>']).to_owned();
        let user = number(&id);
        if !state.users.contains_key(&user) {
            return not_possible(format!("{said} is nobody"));
        }
        self.users.insert(id.clone(), state.user_json(user));
        if let Some(guild) = guild_of(state, channel).filter(|guild| guild.members.contains_key(&user)) {
            let mut member = state.member_json(guild, user, false);
            if channel.hidden_from.contains(&user) {
                member["permissions"] = json!((permissions::MEMBER & !permissions::VIEW).to_string());
            }
            self.members.insert(id.clone(), member);
        }
        Ok(json!(id))
    }
}

/// Returns a text, which has to be one of the choices if the option has any.
fn listed_choice(option: &Value, said: &str, value: &str) -> Outcome<Value> {
    let value = json!(value);
    let choices = option["choices"].as_array().filter(|choices| !choices.is_empty());
    if choices.is_some_and(|choices| !choices.iter().any(|choice| choice["value"] == value)) {
        return not_possible(format!("{said} cannot be {value}"));
    }
    Ok(value)
}

fn guild_of<'s>(state: &'s DiscordState, channel: &Channel) -> Option<&'s Guild> {
    channel.guild.and_then(|guild| state.guilds.get(&guild))
}
