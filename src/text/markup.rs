//! How names, times and emphasis are written: on Discord, at a terminal, in a file.

use crate::game::{PlayerId, Timestamp};

/// Formats the parts of a sentence that are written differently on Discord and at a terminal.
pub trait Markup {
    /// Names a player.
    fn player(&self, player: PlayerId) -> String;
    /// Writes a time relative to now: "in 3 days".
    fn time(&self, time: Timestamp) -> String;
    /// Makes text bold.
    fn bold(&self, text: &str) -> String;
    /// Escapes what a player typed, so that nothing in it is read as markup.
    fn escape(&self, text: &str) -> String;
    /// Returns the markup for labels and menus, which show plain text only.
    fn plain(&self) -> &dyn Markup;
}

/// Knows what players are called.
pub trait PlayerNames {
    /// Returns the name of a player as plain text.
    fn name(&self, player: PlayerId) -> String;
}

/// Makes the markup for one reply: Discord's or the terminal's.
pub trait MarkupFactory {
    /// Returns the markup, with what it needs to write names and times.
    fn markup<'n>(&'n self, names: &'n dyn PlayerNames, now: Timestamp) -> Box<dyn Markup + 'n>;
}
