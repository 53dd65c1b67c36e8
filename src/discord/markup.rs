//! Writes names, times and emphasis in Discord's markup, and in plain text for labels, which show no markup.

use crate::game::{ChannelId, PlayerId, Timestamp};
use crate::text::{Markup, MarkupFactory, PlayerNames, sanitize, time};

/// Makes Discord's markup for a reply.
pub(super) struct DiscordMarkupFactory;

impl MarkupFactory for DiscordMarkupFactory {
    fn markup<'n>(&'n self, names: &'n dyn PlayerNames, now: Timestamp) -> Box<dyn Markup + 'n> {
        Box::new(DiscordMarkup { labels: PlainMarkup { names, now } })
    }
}

/// Discord's markup for messages.
struct DiscordMarkup<'n> {
    labels: PlainMarkup<'n>,
}

/// Plain text for labels of buttons and menus.
struct PlainMarkup<'n> {
    names: &'n dyn PlayerNames,
    now: Timestamp,
}

impl Markup for DiscordMarkup<'_> {
    /// Writes a mention: Discord shows the name that the reader knows, and no name can be taken for markup. It notifies
    /// nobody unless the message allows it.
    fn player(&self, player: PlayerId) -> String {
        if player.is_former() { self.labels.player(player) } else { mention(player) }
    }

    fn time(&self, time: Timestamp) -> String {
        format!("<t:{}:R>", time.0)
    }

    fn bold(&self, words: &str) -> String {
        format!("**{words}**")
    }

    fn escape(&self, words: &str) -> String {
        let mut safe = String::with_capacity(words.len());
        for letter in sanitize::sanitize(words, usize::MAX).chars() {
            if letter.is_ascii_punctuation() {
                safe.push('\\');
            }
            safe.push(letter);
        }
        safe
    }

    fn plain(&self) -> &dyn Markup {
        &self.labels
    }
}

impl Markup for PlainMarkup<'_> {
    fn player(&self, player: PlayerId) -> String {
        self.names.name(player)
    }

    fn time(&self, time: Timestamp) -> String {
        time::relative(self.now, time)
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

/// Returns the markup that shows a player's name.
pub(super) fn mention(player: PlayerId) -> String {
    format!("<@{}>", player.0)
}

/// Returns the markup that shows and links a channel or thread.
pub(super) fn channel_mention(channel: ChannelId) -> String {
    format!("<#{channel}>")
}
