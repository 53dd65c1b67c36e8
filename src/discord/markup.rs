//! Names, times and emphasis as Discord writes them; and on labels, where it shows nothing but letters.

use crate::app::App;
use crate::game::{Moment, PlayerId};
use crate::text::{self, Voice, tame};
use std::sync::Arc;

/// How the bot speaks on Discord.
pub(super) struct DiscordVoice {
    labels: LabelVoice,
}

/// How the same is written on labels.
struct LabelVoice {
    app: Arc<App>,
}

impl DiscordVoice {
    pub(super) const fn new(app: Arc<App>) -> Self {
        Self { labels: LabelVoice { app } }
    }
}

impl Voice for DiscordVoice {
    /// Discord shows the name that the reader knows the player by, so that no name is ever read as markup. It calls
    /// nobody unless the message allows it.
    fn player(&self, player: PlayerId) -> String {
        if player.is_former() { self.labels.app.name_of(player) } else { mention(player) }
    }

    fn moment(&self, moment: Moment) -> String {
        format!("<t:{}:R>", moment.0)
    }

    fn strong(&self, words: &str) -> String {
        format!("**{words}**")
    }

    fn harmless(&self, words: &str) -> String {
        let mut safe = String::with_capacity(words.len());
        for letter in tame::tame(words, usize::MAX).chars() {
            if letter.is_ascii_punctuation() {
                safe.push('\\');
            }
            safe.push(letter);
        }
        safe
    }

    fn on_labels(&self) -> &dyn Voice {
        &self.labels
    }
}

impl Voice for LabelVoice {
    fn player(&self, player: PlayerId) -> String {
        self.app.name_of(player)
    }

    fn moment(&self, moment: Moment) -> String {
        text::relative(self.app.now(), moment)
    }

    fn strong(&self, words: &str) -> String {
        words.to_owned()
    }

    fn harmless(&self, words: &str) -> String {
        words.to_owned()
    }

    fn on_labels(&self) -> &dyn Voice {
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
