//! Everything that the bot has said since somebody last looked: Discord has taken it, it looks right, and it calls only
//! those who want to play.

use crate::layout::{in_one_line, looks_right};
use crate::quiet::Quiet;
use crate::standin::Discord;
use crate::standin::model::{THREAD, World};

/// How much was said.
#[derive(Debug, Default)]
pub struct Said {
    pub posts: usize,
    pub private: usize,
    /// Posts with a moderator's own words in them.
    pub reasons: usize,
    pub threads: usize,
}

impl Said {
    /// Looks at everything, and forgets what was private.
    pub fn look(&mut self, discord: &Discord, quiet: &Quiet) {
        discord.nobody_is_called_by_chance();
        discord.shared.change(|world| {
            nothing_was_refused(world);
            for message in world.messages.values().filter(|message| !quiet.knew(message.id)) {
                assert!(!message.pings_many && message.pings.len() <= 2, "calls many: {}", message.content);
                assert!(message.pings.is_disjoint(quiet.people()), "calls a stranger: {}", message.content);
                looks_right(message);
            }
            let threads = world.channels.values().filter(|channel| channel.kind == THREAD);
            self.threads = threads.inspect(|thread| in_one_line(&thread.name, "the name of a thread")).count();
            let (private, posts): (Vec<_>, Vec<_>) = world.messages.values().partition(|m| m.reader.is_some());
            self.private += private.len();
            self.posts = posts.len();
            self.reasons = posts.iter().filter(|post| post.content.contains("\nThe reason: ")).count();
            // The posts stay: people press their buttons. What was private is nobody's business any more.
            world.messages.retain(|_, message| message.reader.is_none());
            world.interactions.retain(|_, interaction| interaction.callback.is_none());
            world.tokens.retain(|_, id| world.interactions.contains_key(id));
            world.gateway.forget();
        });
    }
}

/// Finds that Discord has taken every message.
fn nothing_was_refused(world: &mut World) {
    let refused = world.asked.drain(..).filter(|asked| asked.status == 400);
    let told = refused.map(|asked| format!("{} {} {}", asked.method, asked.path, asked.body));
    let refused: Vec<String> = told.filter(|told| told.contains("content") || told.contains("choices")).collect();
    assert!(refused.is_empty(), "Discord refused {} messages, such as {}", refused.len(), refused[0]);
}
