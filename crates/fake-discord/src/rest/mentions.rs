//! Mentions: whom a message may ping, and whom it does.

use super::{number, plain};
use crate::state::{DiscordState, Id, Message};
use serde_json::{Value, json};

impl DiscordState {
    /// Notes a message that does not say whom it may ping: Discord would ping everybody who is mentioned in it.
    pub(super) fn note_implicit_mentions(&mut self, body: &Value) {
        if body["allowed_mentions"]["parse"] != json!([]) {
            self.implicit_mentions.push(body.to_string());
        }
    }

    /// Pings the users that a message mentions, if it may and they can see it.
    pub(super) fn ping_users(&self, message: &mut Message, allowed: &Value) {
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
