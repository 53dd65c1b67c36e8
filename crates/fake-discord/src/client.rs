//! Users: they type commands, press buttons, choose from menus and look at messages, and can do nothing that a real
//! client would not let them do.

use crate::rest::number;
use crate::state::{Callback, DIRECT, DiscordState, Id, Interaction, Member, Message, permissions};
use crate::{FakeDiscord, WAIT_LIMIT};
use serde_json::{Map, Value, json};
use std::time::Duration;
use tokio::sync::oneshot;

/// A user who looks at a channel.
#[derive(Clone)]
pub struct Person {
    discord: FakeDiscord,
    pub id: Id,
    pub channel: Id,
    mention: String,
}

/// Why a user could not do something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClientError {
    /// A real client would not let the user do that.
    NotPossible(String),
    /// "The application did not respond."
    NoResponse,
}

/// A message, read anew each time.
#[derive(Clone)]
pub struct Post {
    discord: FakeDiscord,
    pub id: Id,
    /// The kind of response that it is, if it responds to this user's interaction.
    pub response: Option<Callback>,
}

type Outcome<T> = Result<T, ClientError>;

fn not_possible<T>(why: impl Into<String>) -> Outcome<T> {
    Err(ClientError::NotPossible(why.into()))
}

impl Person {
    pub fn new(discord: FakeDiscord, id: Id, channel: Id) -> Self {
        Self { discord, id, channel, mention: format!("<@{id}>") }
    }

    /// Returns the text that mentions the user.
    pub fn mention(&self) -> &str {
        &self.mention
    }

    /// Returns the same user in another channel.
    pub fn at(&self, channel: Id) -> Self {
        Self { channel, ..self.clone() }
    }

    /// Returns the same user in the direct messages with the bot.
    pub fn in_dm(&self) -> Self {
        self.at(self.discord.state.update(|state| state.direct(self.id)))
    }

    /// Changes the user's name, in the server and everywhere else.
    pub fn set_name(&self, nick: &str) {
        self.discord.state.update(|state| state.users.get_mut(&self.id).unwrap().name = nick.to_owned());
        self.member(|member| member.nick = Some(nick.to_owned()));
    }

    /// Lets the user manage the server.
    pub fn make_moderator(&self) {
        self.member(|member| member.permissions |= permissions::MANAGE_SERVER);
    }

    fn member(&self, change: impl FnOnce(&mut Member)) {
        self.discord.state.update(|state| {
            change(state.guilds.get_mut(&self.discord.server).unwrap().members.get_mut(&self.id).unwrap());
        });
    }

    /// Refuses direct messages from the bot.
    pub fn close_dms(&self) {
        self.discord.state.update(|state| state.users.get_mut(&self.id).unwrap().accepts_messages = false);
    }

    /// Hides a channel from the user.
    pub fn hide_channel(&self, channel: Id) {
        self.discord.state.update(|state| {
            state.channels.get_mut(&channel).unwrap().hidden_from.insert(self.id);
        });
    }

    /// Writes so many messages in the channel.
    pub fn chat(&self, lines: usize) {
        self.discord.state.update(|state| {
            for n in 0..lines {
                let (id, sent) = (state.new_id(), state.now());
                state.add_message(Message::plain(id, self.channel, self.id, &format!("word {n} of {lines}"), sent));
            }
        });
    }

    /// Uses a command, and returns the response.
    pub async fn slash(&self, name: &str, options: &[(&str, &str)]) -> Post {
        self.expect(self.try_slash(name, options).await, &format!("/{name} {options:?}"))
    }

    /// Uses a command, and returns the response or why there is none.
    pub async fn try_slash(&self, name: &str, options: &[(&str, &str)]) -> Outcome<Post> {
        let id = self.send_slash(name, options)?;
        self.answer(id).await
    }

    /// Uses a command without waiting for the response.
    pub fn send_slash(&self, name: &str, options: &[(&str, &str)]) -> Outcome<Id> {
        let data = self.discord.state.read(|state| self.command(state, name, options, None))?;
        self.interact(2, data, None)
    }

    /// Starts to type an option, and returns the suggestions.
    pub async fn complete(&self, name: &str, options: &[(&str, &str)], typing: (&str, &str)) -> Vec<(String, String)> {
        let data = self.discord.state.read(|state| self.command(state, name, options, Some(typing)));
        let data = self.expect(data, &format!("typing /{name}"));
        let id = self.expect(self.interact(4, data, None), "typing");
        match self.callback(id).await {
            Some(Callback::Choices(choices)) => choices,
            other => panic!("/{name} {typing:?} was not completed: {other:?}"),
        }
    }

    /// Presses a button, and returns the response.
    pub async fn click(&self, post: &Post, label: &str) -> Post {
        self.expect(self.try_click(post, label).await, &format!("a click on {label:?}"))
    }

    /// Presses a button, and returns the response or why there is none.
    pub async fn try_click(&self, post: &Post, label: &str) -> Outcome<Post> {
        let id = self.send_click(post, label)?;
        self.answer(id).await
    }

    /// Presses a button without waiting for the response.
    pub fn send_click(&self, post: &Post, label: &str) -> Outcome<Id> {
        let message = self.find(post)?;
        let Some(button) = message.controls().find(|part| part["type"] == 2 && part["label"] == label) else {
            return not_possible(format!("there is no button {label:?}, only {:?}", message.button_labels()));
        };
        if button["disabled"] == true || button["style"] == 5 {
            return not_possible(format!("the button {label:?} cannot be pressed"));
        }
        let data = json!({ "component_type": 2, "custom_id": button["custom_id"], "id": 1 });
        self.interact(3, data, Some(message))
    }

    /// Returns a button as it is now, to be pressed later by a user whose screen has not caught up.
    pub fn remember_button(&self, post: &Post, label: &str) -> (Message, Value) {
        let message = self.expect(self.find(post), "remembering a post");
        let button = message.controls().find(|part| part["label"] == label).cloned().unwrap();
        (message, button)
    }

    /// Presses a button that may be gone.
    pub async fn click_remembered(&self, (message, button): &(Message, Value)) -> Post {
        let data = json!({ "component_type": 2, "custom_id": button["custom_id"], "id": 1 });
        let id = self.expect(self.interact(3, data, Some(message.clone())), "a late click");
        self.expect(self.answer(id).await, "a late click")
    }

    /// Chooses the entry of a menu that starts with `label`, and returns the response.
    pub async fn choose(&self, post: &Post, label: &str) -> Post {
        self.expect(self.try_choose(post, label).await, &format!("choosing {label:?}"))
    }

    /// Chooses the entry of a menu, and returns the response or why there is none.
    pub async fn try_choose(&self, post: &Post, label: &str) -> Outcome<Post> {
        let message = self.find(post)?;
        let starts = |option: &&Value| option["label"].as_str().is_some_and(|said| said.starts_with(label));
        let menus = message.controls().filter(|part| part["type"] == 3 && part["disabled"] != true);
        let found = menus.filter_map(|menu| {
            let option = menu["options"].as_array()?.iter().find(starts)?;
            Some((menu["custom_id"].clone(), option["value"].clone()))
        });
        let Some((custom_id, value)) = found.into_iter().next() else {
            return not_possible(format!("there is nothing like {label:?} to choose: {:?}", post.choices()));
        };
        let data = json!({ "component_type": 3, "custom_id": custom_id, "values": [value], "id": 1 });
        let id = self.interact(3, data, Some(message))?;
        self.answer(id).await
    }

    fn expect<T>(&self, outcome: Outcome<T>, what: &str) -> T {
        outcome.unwrap_or_else(|failure| {
            let (name, state) = self.discord.state.read(|state| (state.users[&self.id].name.clone(), state.describe()));
            panic!("{name}: {what}: {failure:?}; the state:\n{state}")
        })
    }

    /// Finds a message that the user can see.
    fn find(&self, post: &Post) -> Outcome<Message> {
        self.discord.state.read(|state| {
            let Some(message) = state.messages.get(&post.id).filter(|message| !message.deleted) else {
                return not_possible("the message is not there any more");
            };
            if message.reader.is_some_and(|reader| reader != self.id) {
                return not_possible("the message is for somebody else");
            }
            match state.channels.get(&message.channel) {
                Some(channel) if state.sees(self.id, channel) => Ok(message.clone()),
                _ => not_possible("the channel cannot be seen"),
            }
        })
    }

    /// Builds the data of a command as a client does.
    fn command(
        &self,
        state: &DiscordState,
        name: &str,
        options: &[(&str, &str)],
        typing: Option<(&str, &str)>,
    ) -> Outcome<Value> {
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
        let guild = channel.guild.and_then(|guild| state.guilds.get(&guild));
        let has = guild.and_then(|guild| guild.members.get(&self.id)).map_or(u64::MAX, |member| member.permissions);
        if has & needed != needed {
            return not_possible(format!("/{name} is not offered to everybody"));
        }
        let known = command["options"].as_array().cloned().unwrap_or_default();
        let (mut sent, mut users, mut members) = (Vec::new(), Map::new(), Map::new());
        for (said, value) in options.iter().chain(typing.as_ref()) {
            let Some(option) = known.iter().find(|option| option["name"] == *said) else {
                return not_possible(format!("/{name} has no option {said}"));
            };
            let focused = typing.is_some_and(|(typed, _)| typed == *said);
            if focused && option["autocomplete"] != true {
                return not_possible(format!("{said} is not completed"));
            }
            let mut value = json!(value);
            match option["type"].as_u64() {
                Some(3) if !focused => {
                    let choices = option["choices"].as_array().filter(|choices| !choices.is_empty());
                    if choices.is_some_and(|choices| !choices.iter().any(|choice| choice["value"] == value)) {
                        return not_possible(format!("{said} cannot be {value}"));
                    }
                }
                Some(4) => value = json!(value.as_str().and_then(|text| text.parse::<i64>().ok())),
                Some(5) => value = json!(value == "true"),
                Some(6) => {
                    let id = value.as_str().unwrap_or("").trim_matches(['<', '@', '>']).to_owned();
                    let user = number(&id);
                    if !state.users.contains_key(&user) {
                        return not_possible(format!("{said} is nobody"));
                    }
                    users.insert(id.clone(), state.user_json(user));
                    if let Some(guild) = guild.filter(|guild| guild.members.contains_key(&user)) {
                        let mut member = state.member_json(guild, user, false);
                        if channel.hidden_from.contains(&user) {
                            member["permissions"] = json!((permissions::MEMBER & !permissions::VIEW).to_string());
                        }
                        members.insert(id.clone(), member);
                    }
                    value = json!(id);
                }
                _ => {}
            }
            let mut option = json!({ "name": said, "type": option["type"], "value": value });
            if focused {
                option["focused"] = json!(true);
            }
            sent.push(option);
        }
        let missing = known.iter().find(|o| o["required"] == true && !sent.iter().any(|s| s["name"] == o["name"]));
        if let (Some(missing), None) = (missing, typing) {
            return not_possible(format!("{} has to be said", missing["name"]));
        }
        let mut data = json!({ "id": command["id"], "name": name, "type": 1, "options": sent });
        if !users.is_empty() {
            data["resolved"] = json!({ "users": users, "members": members });
        }
        Ok(data)
    }

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
            let mut shown = state.channel_json(&channel);
            shown["permissions"] = json!(permissions::MEMBER.to_string());
            let mut payload = json!({
                "id": id.to_string(), "application_id": state.application.to_string(), "type": kind, "data": data,
                "channel": shown, "channel_id": place.to_string(), "token": token, "version": 1,
                "app_permissions": state.bot_permissions(&channel).to_string(), "locale": "en-US", "entitlements": [],
                "attachment_size_limit": 10_485_760,
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
            if let Some(message) = &source {
                payload["message"] = state.message_json(message);
            }
            let forged = forge.is_some();
            if let Some(change) = forge {
                change(&mut payload);
            }
            let source = source.map(|message| message.id);
            state.tokens.insert(token.clone(), id);
            let (user, channel) = (self.id, place);
            let new = Interaction {
                id,
                token,
                kind,
                user,
                channel,
                source,
                sent,
                answer_by: sent + u64::try_from(state.response_deadline.as_millis()).unwrap_or(0),
                forged,
                sessions: None,
                payload: payload.clone(),
                callback: None,
                original: None,
            };
            state.interactions.insert(id, new);
            let guild = state.channels[&place].guild;
            state.dispatch("INTERACTION_CREATE", guild, &payload);
            Ok(id)
        })
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

impl Post {
    pub fn new(discord: FakeDiscord, id: Id) -> Self {
        Self { discord, id, response: None }
    }

    fn see<T>(&self, see: impl FnOnce(&Message) -> T) -> T {
        self.discord.state.read(|state| see(&state.messages[&self.id]))
    }

    pub fn text(&self) -> String {
        self.see(|message| message.content.clone())
    }

    /// Returns the text before the last edit, or the text if it was never edited.
    pub fn previous_text(&self) -> String {
        self.see(|message| message.previous_contents.last().unwrap_or(&message.content).clone())
    }

    pub fn buttons(&self) -> Vec<String> {
        self.see(Message::button_labels)
    }

    /// Returns the entries of its menus.
    pub fn choices(&self) -> Vec<String> {
        self.see(|message| {
            let options = message.controls().filter_map(|part| part["options"].as_array()).flatten();
            options.map(|option| option["label"].as_str().unwrap_or_default().to_owned()).collect()
        })
    }

    /// Returns the placeholder of its menu.
    pub fn prompt(&self) -> Option<String> {
        self.see(|message| message.controls().find_map(|part| part["placeholder"].as_str().map(str::to_owned)))
    }

    /// Returns whether it pinged this user and nobody else.
    pub fn pings_only(&self, person: &Person) -> bool {
        self.see(|message| message.pings.iter().eq([&person.id]) && !message.pings_group)
    }

    /// Returns whether it pinged nobody.
    pub fn pings_nobody(&self) -> bool {
        self.see(|message| message.pings.is_empty() && !message.pings_group)
    }

    /// Returns the alt text of its picture.
    pub fn alt_text(&self) -> Option<String> {
        self.see(|message| message.attachments.first().and_then(|file| file.description.clone()))
    }

    /// Returns width and height of its picture, which is decoded to the last row.
    pub fn picture_size(&self) -> Option<(u32, u32)> {
        let bytes = self.see(|message| message.attachments.first().map(|file| file.bytes.clone()))?;
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().ok()?;
        let mut pixels = vec![0; reader.output_buffer_size()?];
        let frame = reader.next_frame(&mut pixels).ok()?;
        Some((frame.width, frame.height))
    }

    pub fn files(&self) -> Vec<String> {
        self.see(|message| message.attachments.iter().map(|file| file.name.clone()).collect())
    }

    /// Returns whether it is ephemeral for this user.
    pub fn is_private_for(&self, person: &Person) -> bool {
        self.see(|message| message.reader == Some(person.id))
    }

    pub fn is_public(&self) -> bool {
        self.see(|message| message.reader.is_none())
    }

    pub fn is_deleted(&self) -> bool {
        self.see(|message| message.deleted)
    }

    /// Returns how often it was edited.
    pub fn edits(&self) -> usize {
        self.see(|message| message.previous_contents.len())
    }

    pub fn channel(&self) -> Id {
        self.see(|message| message.channel)
    }

    /// Waits until its buttons are removed.
    pub async fn wait_until_buttons_are_gone(&self) {
        let gone = |state: &DiscordState| state.messages[&self.id].button_labels().is_empty().then_some(());
        self.discord.wait_until("the buttons of a post to be removed", gone).await;
    }
}
