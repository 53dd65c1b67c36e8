//! How an answer looks at a terminal.

use crate::board_view::BoardView;
use crate::game::{PlayerId, Timestamp};
use crate::text::{self, Colouring, Markup, PlayerNames, Style, time};
use std::io::{self, IsTerminal};

/// What somebody reads who sits down.
pub(super) const WELCOME: &str = "Ratatosk's local table: tafl for two people at one terminal, or for trying it out.\n\
    Begin with:  /challenge opponent:ivar variant:brandubh   then  /as ivar   and   1   to accept.\n\
    /help lists the commands, /as NAME changes the seat, /quit leaves. Every game is kept.";

/// What only the table has.
pub(super) const TABLE_HELP: &str = "At this table: /as NAME lets somebody else sit down, a number presses what has that \
    number, /quit leaves.";

/// Says who sits down.
pub(super) fn sits_down(name: &str, known: bool) -> String {
    let new = if known { "" } else { " (new here)" };
    format!("{name} sits down{new}.")
}

/// Says who is called.
pub(super) fn called(name: &str) -> String {
    format!("→ {name} is called.")
}

/// Tells whether standard output is a terminal that has colours, and nobody minds them.
pub(crate) fn colours_wanted() -> bool {
    // See no-color.org: whoever sets this to anything wants none.
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    io::stdout().is_terminal() && !refused && !dumb
}

/// How boards and numbers look here.
pub(super) struct Look {
    colours: bool,
}

impl Look {
    pub(super) fn here() -> Self {
        Self { colours: colours_wanted() }
    }

    pub(super) fn board(&self, view: &BoardView) -> String {
        let colouring = if self.colours { Colouring::Ansi } else { Colouring::Plain };
        let mut board = text::board(view, colouring);
        if !board.ends_with('\n') {
            board.push('\n');
        }
        board
    }

    pub(super) fn number(&self, number: usize) -> String {
        if self.colours { format!("\x1b[1m[{number}]\x1b[0m") } else { format!("[{number}]") }
    }
}

/// Makes the markup of a terminal.
pub(super) struct TerminalStyle {
    pub(super) colours: bool,
}

impl Style for TerminalStyle {
    fn markup<'n>(&'n self, names: &'n dyn PlayerNames, now: Timestamp) -> Box<dyn Markup + 'n> {
        Box::new(TerminalMarkup { names, now, colours: self.colours })
    }
}

/// Names and times at a terminal.
struct TerminalMarkup<'n> {
    names: &'n dyn PlayerNames,
    now: Timestamp,
    colours: bool,
}

impl Markup for TerminalMarkup<'_> {
    fn player(&self, player: PlayerId) -> String {
        self.names.name(player)
    }

    fn time(&self, time: Timestamp) -> String {
        time::relative(self.now, time)
    }

    fn bold(&self, words: &str) -> String {
        if self.colours { format!("\x1b[1m{words}\x1b[0m") } else { words.to_owned() }
    }

    fn escape(&self, words: &str) -> String {
        words.chars().filter(|outgoing| !outgoing.is_control()).collect()
    }

    fn plain(&self) -> &dyn Markup {
        self
    }
}
