//! How names, times and emphasis are written where the text is read: on Discord, at a terminal, in a file.

use crate::game::{PlayerId, Timestamp};

/// Writes what looks different from place to place.
pub trait Markup {
    /// Names a player.
    fn player(&self, player: PlayerId) -> String;
    /// Tells a time, seen from now: "in 3 days".
    fn moment(&self, moment: Timestamp) -> String;
    /// Makes words stand out.
    fn strong(&self, words: &str) -> String;
    /// Writes somebody's own words so that nothing in them is read as markup.
    fn harmless(&self, words: &str) -> String;
    /// Writes the same for labels and lists, where nothing but letters can be shown.
    fn on_labels(&self) -> &dyn Markup;
}
