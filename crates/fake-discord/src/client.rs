//! People: they type commands, press buttons, choose from menus and look at messages, and can do nothing that a real
//! client would not let them do.

use super::model::{Callback, DIRECT, Id, Interaction, Message, World, may};
use super::rest::number;
use super::{Discord, Shared};
use serde_json::{Map, Value, json};
use std::time::Duration;
use tokio::sync::oneshot;

/// Somebody, in a channel.
#[derive(Clone)]
pub struct Person {
    discord: Discord,
    pub id: Id,
    pub here: Id,
    mention: String,
}

/// Why nothing came of what somebody wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// Nobody can do that.
    Impossible(String),
    /// "The application did not respond."
    NoAnswer,
}

/// A message as it is now.
#[derive(Clone)]
pub struct Post {
    discord: Discord,
    pub id: Id,
    /// How it came about, if it answers something.
    pub how: Option<Callback>,
}

type Outcome<T> = Result<T, Failure>;

fn impossible<T>(why: impl Into<String>) -> Outcome<T> {
    Err(Failure::Impossible(why.into()))
}

impl Person {
    pub fn new(discord: Discord, id: Id, here: Id) -> Self {
        Self { discord, id, here, mention: format!("<@{id}>") }
    }

    /// How he is mentioned.
    pub fn mention(&self) -> &str {
        &self.mention
    }

    /// The same person in another channel.
    pub fn at(&self, channel: Id) -> Self {
        Self { here: channel, ..self.clone() }
    }

    /// The same person in the conversation with the bot.
    pub fn in_private(&self) -> Self {
        self.at(self.discord.shared.change(|world| world.direct(self.id)))
    }

    /// Gives himself another name, in the server and everywhere else.
    pub fn call_himself(&self, nick: &str) {
        self.discord.shared.change(|world| world.users.get_mut(&self.id).unwrap().name = nick.to_owned());
        self.member(|member| member.nick = Some(nick.to_owned()));
    }

    /// Makes him a moderator.
    pub fn moderate(&self) {
        self.member(|member| member.permissions |= may::MANAGE_SERVER);
    }

    fn member(&self, change: impl FnOnce(&mut super::model::Member)) {
        self.discord.shared.change(|world| {
            change(world.guilds.get_mut(&self.discord.server).unwrap().members.get_mut(&self.id).unwrap());
        });
    }

    /// Accepts no messages from the bot.
    pub fn close_messages(&self) {
        self.discord.shared.change(|world| world.users.get_mut(&self.id).unwrap().accepts_messages = false);
    }

    /// Hides a channel from him.
    pub fn lose_sight_of(&self, channel: Id) {
        self.discord.shared.change(|world| {
            world.channels.get_mut(&channel).unwrap().hidden_from.insert(self.id);
        });
    }

    /// Says so many lines to the others in the channel.
    pub fn talk(&self, lines: usize) {
        self.discord.shared.change(|world| {
            for n in 0..lines {
                let (id, sent) = (world.new_id(), world.now());
                world.add_message(Message::plain(id, self.here, self.id, &format!("word {n} of {lines}"), sent));
            }
        });
    }

    /// Types a command, and gets its answer.
    pub async fn slash(&self, name: &str, options: &[(&str, &str)]) -> Post {
        self.expect(self.try_slash(name, options).await, &format!("/{name} {options:?}"))
    }

    /// Types a command; gives why nothing came of it.
    pub async fn try_slash(&self, name: &str, options: &[(&str, &str)]) -> Outcome<Post> {
        let id = self.send_slash(name, options)?;
        self.answer(id).await
    }

    /// Types a command, and does not wait for anything.
    pub fn send_slash(&self, name: &str, options: &[(&str, &str)]) -> Outcome<Id> {
        let data = self.discord.shared.look(|world| self.command(world, name, options, None))?;
        self.interact(2, data, None)
    }

    /// Begins to type an option, and gets what can be typed.
    pub async fn complete(&self, name: &str, options: &[(&str, &str)], typing: (&str, &str)) -> Vec<(String, String)> {
        let data = self.discord.shared.look(|world| self.command(world, name, options, Some(typing)));
        let data = self.expect(data, &format!("typing /{name}"));
        let id = self.expect(self.interact(4, data, None), "typing");
        match self.callback(id).await {
            Some(Callback::Choices(choices)) => choices,
            other => panic!("/{name} {typing:?} was not completed: {other:?}"),
        }
    }

    /// Presses a button.
    pub async fn click(&self, post: &Post, label: &str) -> Post {
        self.expect(self.try_click(post, label).await, &format!("a click on {label:?}"))
    }

    /// Presses a button; gives why nothing came of it.
    pub async fn try_click(&self, post: &Post, label: &str) -> Outcome<Post> {
        let id = self.send_click(post, label)?;
        self.answer(id).await
    }

    /// Presses a button, and does not wait for anything.
    pub fn send_click(&self, post: &Post, label: &str) -> Outcome<Id> {
        let message = self.find(post)?;
        let Some(button) = message.parts().find(|part| part["type"] == 2 && part["label"] == label) else {
            return impossible(format!("there is no button {label:?}, only {:?}", message.labels()));
        };
        if button["disabled"] == true || button["style"] == 5 {
            return impossible(format!("the button {label:?} cannot be pressed"));
        }
        let data = json!({ "component_type": 2, "custom_id": button["custom_id"], "id": 1 });
        self.interact(3, data, Some(message))
    }

    /// Presses a button as it was when the post looked as it does now: somebody whose screen has not caught up.
    pub fn remember_button(&self, post: &Post, label: &str) -> (Message, Value) {
        let message = self.expect(self.find(post), "remembering a post");
        let button = message.parts().find(|part| part["label"] == label).cloned().unwrap();
        (message, button)
    }

    /// Presses a button that may be gone by now.
    pub async fn click_remembered(&self, (message, button): &(Message, Value)) -> Post {
        let data = json!({ "component_type": 2, "custom_id": button["custom_id"], "id": 1 });
        let id = self.expect(self.interact(3, data, Some(message.clone())), "a late click");
        self.expect(self.answer(id).await, "a late click")
    }

    /// Chooses from a menu by the first words of what it says.
    pub async fn choose(&self, post: &Post, label: &str) -> Post {
        self.expect(self.try_choose(post, label).await, &format!("choosing {label:?}"))
    }

    /// Chooses from a menu; gives why nothing came of it.
    pub async fn try_choose(&self, post: &Post, label: &str) -> Outcome<Post> {
        let message = self.find(post)?;
        let starts = |option: &&Value| option["label"].as_str().is_some_and(|said| said.starts_with(label));
        let menus = message.parts().filter(|part| part["type"] == 3 && part["disabled"] != true);
        let found = menus.filter_map(|menu| {
            let option = menu["options"].as_array()?.iter().find(starts)?;
            Some((menu["custom_id"].clone(), option["value"].clone()))
        });
        let Some((custom_id, value)) = found.into_iter().next() else {
            return impossible(format!("there is nothing like {label:?} to choose: {:?}", post.choices()));
        };
        let data = json!({ "component_type": 3, "custom_id": custom_id, "values": [value], "id": 1 });
        let id = self.interact(3, data, Some(message))?;
        self.answer(id).await
    }

    fn expect<T>(&self, outcome: Outcome<T>, what: &str) -> T {
        outcome.unwrap_or_else(|failure| {
            let (name, told) = self.discord.shared.look(|world| (world.users[&self.id].name.clone(), world.tell()));
            panic!("{name}: {what}: {failure:?}; this is what there was:\n{told}")
        })
    }

    /// Finds a message that he can see.
    fn find(&self, post: &Post) -> Outcome<Message> {
        self.discord.shared.look(|world| {
            let Some(message) = world.messages.get(&post.id).filter(|message| !message.deleted) else {
                return impossible("the message is not there any more");
            };
            if message.reader.is_some_and(|reader| reader != self.id) {
                return impossible("the message is for somebody else");
            }
            match world.channels.get(&message.channel) {
                Some(channel) if world.sees(self.id, channel) => Ok(message.clone()),
                _ => impossible("the channel cannot be seen"),
            }
        })
    }

    /// Makes the data of a command as a client does.
    fn command(
        &self,
        world: &World,
        name: &str,
        options: &[(&str, &str)],
        typing: Option<(&str, &str)>,
    ) -> Outcome<Value> {
        let Some(command) = world.commands.iter().find(|command| command["name"] == name) else {
            return impossible(format!("there is no command /{name}"));
        };
        let Some(channel) = world.channels.get(&self.here).filter(|channel| world.sees(self.id, channel)) else {
            return impossible("the channel cannot be seen");
        };
        if channel.archived {
            return impossible("commands do not work in archived threads");
        }
        let context = u64::from(channel.kind == DIRECT);
        let wanted = command["contexts"].as_array().map(|list| list.iter().any(|known| *known == context));
        if !wanted.unwrap_or(context == 0 || command["dm_permission"] != false) {
            return impossible(format!("/{name} is not offered here"));
        }
        let needed = number(command["default_member_permissions"].as_str().unwrap_or("0"));
        let guild = channel.guild.and_then(|guild| world.guilds.get(&guild));
        let has = guild.and_then(|guild| guild.members.get(&self.id)).map_or(u64::MAX, |member| member.permissions);
        if has & needed != needed {
            return impossible(format!("/{name} is not offered to everybody"));
        }
        let known = command["options"].as_array().cloned().unwrap_or_default();
        let (mut sent, mut users, mut members) = (Vec::new(), Map::new(), Map::new());
        for (said, value) in options.iter().chain(typing.as_ref()) {
            let Some(option) = known.iter().find(|option| option["name"] == *said) else {
                return impossible(format!("/{name} has no option {said}"));
            };
            let focused = typing.is_some_and(|(typed, _)| typed == *said);
            if focused && option["autocomplete"] != true {
                return impossible(format!("{said} is not completed"));
            }
            let mut value = json!(value);
            match option["type"].as_u64() {
                Some(3) if !focused => {
                    let choices = option["choices"].as_array().filter(|choices| !choices.is_empty());
                    if choices.is_some_and(|choices| !choices.iter().any(|choice| choice["value"] == value)) {
                        return impossible(format!("{said} cannot be {value}"));
                    }
                }
                Some(4) => value = json!(value.as_str().and_then(|text| text.parse::<i64>().ok())),
                Some(5) => value = json!(value == "true"),
                Some(6) => {
                    let id = value.as_str().unwrap_or("").trim_matches(['<', '@', '>']).to_owned();
                    let user = number(&id);
                    if !world.users.contains_key(&user) {
                        return impossible(format!("{said} is nobody"));
                    }
                    users.insert(id.clone(), world.user_json(user));
                    if let Some(guild) = guild.filter(|guild| guild.members.contains_key(&user)) {
                        let mut member = world.member_json(guild, user, false);
                        if channel.hidden_from.contains(&user) {
                            member["permissions"] = json!((may::PERSON & !may::VIEW).to_string());
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
            return impossible(format!("{} has to be said", missing["name"]));
        }
        let mut data = json!({ "id": command["id"], "name": name, "type": 1, "options": sent });
        if !users.is_empty() {
            data["resolved"] = json!({ "users": users, "members": members });
        }
        Ok(data)
    }

    /// Sends an interaction to the bot.
    pub fn interact(&self, kind: u8, data: Value, source: Option<Message>) -> Outcome<Id> {
        self.forge(kind, data, source, |_| {})
    }

    /// Sends an interaction to the bot that may have been changed so that no client would send it.
    pub fn forge(
        &self,
        kind: u8,
        data: Value,
        source: Option<Message>,
        change: impl FnOnce(&mut Value),
    ) -> Outcome<Id> {
        self.discord.shared.change(|world| {
            let (id, sent) = (world.new_id(), world.now());
            let place = source.as_ref().map_or(self.here, |message| message.channel);
            let Some(channel) = world.channels.get(&place).cloned() else { return impossible("the channel is gone") };
            let token = format!("aW50ZXJhY3Rpb246{id}{:x}", id.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let mut shown = world.channel_json(&channel);
            shown["permissions"] = json!(may::PERSON.to_string());
            let mut payload = json!({
                "id": id.to_string(), "application_id": world.application.to_string(), "type": kind, "data": data,
                "channel": shown, "channel_id": place.to_string(), "token": token, "version": 1,
                "app_permissions": world.bot_may(&channel).to_string(), "locale": "en-US", "entitlements": [],
                "attachment_size_limit": 10_485_760,
            });
            match channel.guild.and_then(|guild| world.guilds.get(&guild)) {
                Some(guild) => {
                    let id = guild.id.to_string();
                    payload["member"] = world.member_json(guild, self.id, true);
                    payload["guild_id"] = json!(id);
                    payload["guild_locale"] = json!("en-US");
                    payload["guild"] = json!({ "id": id, "locale": "en-US", "features": [] });
                    payload["context"] = json!(0);
                    payload["authorizing_integration_owners"] = json!({ "0": id });
                }
                None => {
                    payload["user"] = world.user_json(self.id);
                    payload["context"] = json!(1);
                    payload["authorizing_integration_owners"] = json!({ "0": "0" });
                }
            }
            if let Some(message) = &source {
                payload["message"] = world.message_json(message);
            }
            change(&mut payload);
            let source = source.map(|message| message.id);
            world.tokens.insert(token.clone(), id);
            let (user, channel) = (self.id, place);
            let new = Interaction { id, token, kind, user, channel, source, sent, callback: None, original: None };
            world.interactions.insert(id, new);
            let guild = world.channels[&place].guild;
            world.dispatch("INTERACTION_CREATE", guild, &payload);
            Ok(id)
        })
    }

    /// Waits for the bot's first answer, as long as Discord does.
    pub async fn callback(&self, id: Id) -> Option<Callback> {
        let deadline = Duration::from_millis(Interaction::DEADLINE);
        let known = |world: &World| world.interactions.get(&id).and_then(|interaction| interaction.callback.clone());
        let waiting = self.discord.shared.change(|world| match known(world) {
            Some(_) => None,
            None => {
                let (tell, told) = oneshot::channel();
                world.waiting.insert(id, tell);
                Some(told)
            }
        });
        if let Some(told) = waiting {
            let _ = tokio::time::timeout(deadline, told).await;
        }
        self.discord.shared.change(|world| {
            world.waiting.remove(&id);
            known(world)
        })
    }

    /// Waits for the answer that can be read.
    pub async fn answer(&self, id: Id) -> Outcome<Post> {
        let Some(how) = self.callback(id).await else { return Err(Failure::NoAnswer) };
        let shown = |world: &World| {
            let message = world.interactions[&id].original?;
            (!world.messages[&message].loading).then_some(message)
        };
        match tokio::time::timeout(super::PATIENCE, wait(&self.discord.shared, shown)).await {
            Ok(message) => Ok(Post { discord: self.discord.clone(), id: message, how: Some(how) }),
            Err(_) => Err(Failure::NoAnswer),
        }
    }
}

async fn wait<T>(shared: &Shared, see: impl Fn(&World) -> Option<T>) -> T {
    let mut changed = shared.changed.subscribe();
    loop {
        changed.borrow_and_update();
        if let Some(seen) = shared.look(&see) {
            return seen;
        }
        let _ = changed.changed().await;
    }
}

impl Post {
    pub fn new(discord: Discord, id: Id) -> Self {
        Self { discord, id, how: None }
    }

    fn see<T>(&self, see: impl FnOnce(&Message) -> T) -> T {
        self.discord.shared.look(|world| see(&world.messages[&self.id]))
    }

    pub fn text(&self) -> String {
        self.see(|message| message.content.clone())
    }

    /// Gives what it said before it was changed, or what it says if it never was.
    pub fn former_text(&self) -> String {
        self.see(|message| message.former.last().unwrap_or(&message.content).clone())
    }

    pub fn buttons(&self) -> Vec<String> {
        self.see(Message::labels)
    }

    /// Gives what can be chosen from its menus.
    pub fn choices(&self) -> Vec<String> {
        self.see(|message| {
            let options = message.parts().filter_map(|part| part["options"].as_array()).flatten();
            options.map(|option| option["label"].as_str().unwrap_or_default().to_owned()).collect()
        })
    }

    /// Gives what its menu asks.
    pub fn prompt(&self) -> Option<String> {
        self.see(|message| message.parts().find_map(|part| part["placeholder"].as_str().map(str::to_owned)))
    }

    /// Tells whether it calls this person and nobody else.
    pub fn calls_only(&self, person: &Person) -> bool {
        self.see(|message| message.pings.iter().eq([&person.id]) && !message.pings_many)
    }

    /// Tells whether it calls nobody.
    pub fn calls_nobody(&self) -> bool {
        self.see(|message| message.pings.is_empty() && !message.pings_many)
    }

    /// Gives the description of its picture.
    pub fn alt(&self) -> Option<String> {
        self.see(|message| message.attachments.first().and_then(|file| file.description.clone()))
    }

    /// Gives width and height of its picture, decoded to the last row.
    pub fn picture(&self) -> Option<(u32, u32)> {
        let bytes = self.see(|message| message.attachments.first().map(|file| file.bytes.clone()))?;
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().ok()?;
        let mut pixels = vec![0; reader.output_buffer_size()?];
        let frame = reader.next_frame(&mut pixels).ok()?;
        Some((frame.width, frame.height))
    }

    pub fn files(&self) -> Vec<String> {
        self.see(|message| message.attachments.iter().map(|file| file.name.clone()).collect())
    }

    /// Tells whether only this person sees it.
    pub fn is_private_for(&self, person: &Person) -> bool {
        self.see(|message| message.reader == Some(person.id))
    }

    pub fn is_public(&self) -> bool {
        self.see(|message| message.reader.is_none())
    }

    pub fn is_deleted(&self) -> bool {
        self.see(|message| message.deleted)
    }

    /// Tells how often it was changed.
    pub fn edits(&self) -> usize {
        self.see(|message| message.former.len())
    }

    pub fn channel(&self) -> Id {
        self.see(|message| message.channel)
    }

    /// Waits until its buttons are gone.
    pub async fn loses_buttons(&self) {
        let gone = |world: &World| world.messages[&self.id].labels().is_empty().then_some(());
        self.discord.wait_for("the buttons of a former post to go", gone).await;
    }
}
