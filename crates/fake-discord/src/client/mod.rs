//! Users: they type commands, press buttons, choose from menus and look at messages, and can do nothing that a real
//! client would not let them do.
//!
//! | question | file |
//! |---|---|
//! | Which commands can a user send, with which options? | `command` |
//! | How is an interaction sent, and how does its response come back? | `interaction` |
//! | What does a user see of a message? | `post` |

mod command;
mod interaction;
mod post;

pub use post::Post;

use crate::FakeDiscord;
use crate::state::{Callback, Id, Member, Message, permissions};
use serde_json::{Value, json};

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

    /// Writes messages in the channel, as many as `lines`.
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
}
