//! Names and times without any markup.

use ratatosk::game::{PlayerId, Timestamp};
use ratatosk::text::{Markup, PlayerNames, Style};

/// Writes everything as it is.
pub struct Plain;

impl Markup for Plain {
    fn player(&self, player: PlayerId) -> String {
        player.0.to_string()
    }

    fn time(&self, time: Timestamp) -> String {
        time.0.to_string()
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

impl Style for Plain {
    fn markup<'n>(&'n self, _: &'n dyn PlayerNames, _: Timestamp) -> Box<dyn Markup + 'n> {
        Box::new(Self)
    }
}
