//! Checks all messages of the bot: Discord has accepted them, their formatting is intact, and they ping no bystander.

use crate::experiments::bystanders::Bystanders;
use crate::experiments::message_layout::{assert_looks_right, assert_one_line};
use fake_discord::FakeDiscord;
use fake_discord::state::{DiscordState, THREAD};

/// How many messages there were.
#[derive(Debug, Default)]
pub struct MessageCounts {
    pub posts: usize,
    pub private: usize,
    /// Posts with a moderator's own words in them.
    pub reasons: usize,
    pub threads: usize,
}

impl MessageCounts {
    /// Checks all messages since the last call, and forgets the ephemeral ones.
    pub fn look(&mut self, discord: &FakeDiscord, bystanders: &Bystanders) {
        discord.assert_mentions_are_explicit();
        discord.state.update(|state| {
            nothing_was_refused(state);
            for message in state.messages.values().filter(|message| !bystanders.knew(message.id)) {
                assert!(!message.pings_group && message.pings.len() <= 2, "calls many: {}", message.content);
                assert!(message.pings.is_disjoint(bystanders.people()), "calls a stranger: {}", message.content);
                assert_looks_right(message);
            }
            let threads = state.channels.values().filter(|channel| channel.kind == THREAD);
            self.threads = threads.inspect(|thread| assert_one_line(&thread.name, "the name of a thread")).count();
            let (private, posts): (Vec<_>, Vec<_>) = state.messages.values().partition(|m| m.reader.is_some());
            self.private += private.len();
            self.posts = posts.len();
            self.reasons = posts.iter().filter(|post| post.content.contains("\nThe reason: ")).count();
            // Posts are kept, because their buttons are pressed later.
            state.messages.retain(|_, message| message.reader.is_none());
            state.interactions.retain(|_, interaction| interaction.callback.is_none());
            state.tokens.retain(|_, id| state.interactions.contains_key(id));
            state.gateway.forget();
        });
    }
}

/// Checks that Discord has accepted every message.
fn nothing_was_refused(state: &mut DiscordState) {
    let refused = state.requests.drain(..).filter(|request| request.status == 400);
    let told = refused.map(|request| format!("{} {} {}", request.method, request.path, request.body));
    let refused: Vec<String> = told.filter(|told| told.contains("content") || told.contains("choices")).collect();
    assert!(refused.is_empty(), "Discord refused {} messages, such as {}", refused.len(), refused[0]);
}
