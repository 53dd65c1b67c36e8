//! Text without Discord's markup.

use ratatosk::game::{PlayerId, Timestamp};
use ratatosk::text::{Markup, MarkupFactory, PlayerNames};

/// Writes player 1 as `@1` and times as `<1800000000>`, and everything else as it is.
pub struct Plain;

impl Markup for Plain {
    fn player(&self, player: PlayerId) -> String {
        format!("@{}", player.0)
    }

    fn time(&self, time: Timestamp) -> String {
        format!("<{}>", time.0)
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

impl MarkupFactory for Plain {
    fn markup<'n>(&'n self, _: &'n dyn PlayerNames, _: Timestamp) -> Box<dyn Markup + 'n> {
        Box::new(Self)
    }
}
