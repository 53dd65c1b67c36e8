//! Names and times without any markup.

use ratatosk::game::{PlayerId, Timestamp};
use ratatosk::text::Markup;

/// Writes everything as it is.
pub struct Plain;

impl Markup for Plain {
    fn player(&self, player: PlayerId) -> String {
        player.0.to_string()
    }

    fn time(&self, moment: Timestamp) -> String {
        moment.0.to_string()
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
