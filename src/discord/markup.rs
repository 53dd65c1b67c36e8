//! Writes names, times and emphasis in Discord's markup, and in plain text for labels, which show no markup.

use crate::app::App;
use crate::game::{PlayerId, Timestamp};
use crate::text::{self, Markup, sanitize};
use std::sync::Arc;

/// Discord's markup for messages.
pub(super) struct DiscordMarkup {
    labels: PlainMarkup,
}

/// Plain text for labels of buttons and menus.
struct PlainMarkup {
    app: Arc<App>,
}

impl DiscordMarkup {
    pub(super) const fn new(app: Arc<App>) -> Self {
        Self { labels: PlainMarkup { app } }
    }
}

impl Markup for DiscordMarkup {
    /// Writes a mention: Discord shows the name that the reader knows, and no name can be taken for markup. It notifies
    /// nobody unless the message allows it.
    fn player(&self, player: PlayerId) -> String {
        if player.is_former() { self.labels.app.name_of(player) } else { mention(player) }
    }

    fn moment(&self, moment: Timestamp) -> String {
        format!("<t:{}:R>", moment.0)
    }

    fn strong(&self, words: &str) -> String {
        format!("**{words}**")
    }

    fn harmless(&self, words: &str) -> String {
        let mut safe = String::with_capacity(words.len());
        for letter in sanitize::tame(words, usize::MAX).chars() {
            if letter.is_ascii_punctuation() {
                safe.push('\\');
            }
            safe.push(letter);
        }
        safe
    }

    fn on_labels(&self) -> &dyn Markup {
        &self.labels
    }
}

impl Markup for PlainMarkup {
    fn player(&self, player: PlayerId) -> String {
        self.app.name_of(player)
    }

    fn moment(&self, moment: Timestamp) -> String {
        text::relative(self.app.now(), moment)
    }

    fn strong(&self, words: &str) -> String {
        words.to_owned()
    }

    fn harmless(&self, words: &str) -> String {
        words.to_owned()
    }

    fn on_labels(&self) -> &dyn Markup {
        self
    }
}

/// Returns the markup that shows a player's name.
pub(super) fn mention(player: PlayerId) -> String {
    format!("<@{}>", player.0)
}

/// Returns the markup that shows and links a channel or thread.
pub(super) fn channel_mention(channel: u64) -> String {
    format!("<#{channel}>")
}
