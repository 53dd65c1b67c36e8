//! Names, times and emphasis as Discord writes them; and on labels, where it shows nothing but letters.

use crate::app::App;
use crate::game::{PlayerId, Timestamp};
use crate::text::{Markup, sanitize, time};
use std::sync::Arc;

/// How the bot speaks on Discord.
pub(super) struct DiscordMarkup {
    labels: PlainMarkup,
}

/// How the same is written on labels.
struct PlainMarkup {
    app: Arc<App>,
}

impl DiscordMarkup {
    pub(super) const fn new(app: Arc<App>) -> Self {
        Self { labels: PlainMarkup { app } }
    }
}

impl Markup for DiscordMarkup {
    /// Discord shows the name that the reader knows the player by, so that no name is ever read as markup. It calls
    /// nobody unless the message allows it.
    fn player(&self, player: PlayerId) -> String {
        if player.is_former() { self.labels.app.name_of(player) } else { mention(player) }
    }

    fn time(&self, moment: Timestamp) -> String {
        format!("<t:{}:R>", moment.0)
    }

    fn bold(&self, words: &str) -> String {
        format!("**{words}**")
    }

    fn escape(&self, words: &str) -> String {
        let mut safe = String::with_capacity(words.len());
        for outgoing in sanitize::tame(words, usize::MAX).chars() {
            if outgoing.is_ascii_punctuation() {
                safe.push('\\');
            }
            safe.push(outgoing);
        }
        safe
    }

    fn plain(&self) -> &dyn Markup {
        &self.labels
    }
}

impl Markup for PlainMarkup {
    fn player(&self, player: PlayerId) -> String {
        self.app.name_of(player)
    }

    fn time(&self, moment: Timestamp) -> String {
        time::relative(self.app.now(), moment)
    }

    fn bold(&self, words: &str) -> String {
        words.to_owned()
    }

    fn escape(&self, words: &str) -> String {
        words.to_owned()
    }

    fn plain(&self) -> &dyn Markup {
        self
    }
}

/// Writes a player so that Discord shows the name.
pub(super) fn mention(player: PlayerId) -> String {
    format!("<@{}>", player.0)
}

/// Writes a channel or thread so that Discord shows its name and leads there.
pub(super) fn place_mention(channel: u64) -> String {
    format!("<#{channel}>")
}
