//! What answers look like at a terminal.

use crate::board_view::BoardView;
use crate::game::{PlayerId, Subject, Timestamp};
use crate::store::{BadRow, OutboxMessage, StoreError, UnreadableMessage};
use crate::text::{self, Colouring, Markup, MarkupFactory, PlayerNames, sanitize, time};
use std::io::{self, IsTerminal};
use std::path::Path;

/// The first words in an interactive terminal.
pub(super) const WELCOME: &str = "Ratatosk's local table: tafl for two people at one terminal, or for trying it out.\n\
    Begin with:  /challenge opponent:ivar variant:brandubh   then  /as ivar   and   1   to accept.\n\
    /help lists the commands, /as NAME changes the seat, /quit leaves. Every game is kept.";

/// What `/help` says about the terminal alone.
pub(super) const TERMINAL_HELP: &str = "At this table: /as NAME lets somebody else sit down, a number presses what has that \
    number, /quit leaves.";

/// Says who types from now on.
pub(super) fn switched_player(name: &str, known: bool) -> String {
    let new = if known { "" } else { " (new here)" };
    format!("{name} sits down{new}.")
}

/// Says whom a message notifies.
pub(super) fn notified(name: &str) -> String {
    format!("→ {name} is called.")
}

/// Says that the file with a record was not written, and why.
pub(super) fn record_not_written(error: &io::Error) -> String {
    format!("The record could not be saved: {error}. When that is mended, ask for it again.")
}

/// Says what is stored in a way that cannot be read.
pub(super) fn unreadable_row(bad: &BadRow) -> String {
    let what = match bad.table {
        "games" | "moves" => format!("Game #{}", bad.row),
        "challenges" => format!("Challenge {}", bad.row),
        "outbox" => String::from("A message"),
        _ => String::from("Something that is needed for this"),
    };
    format!("{what} cannot be read: {bad}. `ratatosk check` lists everything that cannot be read.")
}

/// Says that the file of the database is not the one that was opened any more.
pub(super) fn database_gone(database: &Path) -> String {
    format!(
        "{} was deleted or replaced while it was open: what is played here is not kept. `/history` still saves the record \
         of a game; then leave with /quit.",
        database.display()
    )
}

/// Says that a message cannot be shown because its game or challenge cannot be read.
pub(super) fn unreadable_message(message: &OutboxMessage, error: &StoreError) -> String {
    let subject = match message.body.subject() {
        Subject::Game(game) => format!(" about game {game}"),
        Subject::Challenge(challenge) => format!(" about challenge {}", challenge.0),
    };
    format!("A message{subject} cannot be shown: {error}. It is kept; `ratatosk check` lists what cannot be read.")
}

/// Says that a message cannot be read itself, and is given up.
pub(super) fn message_given_up(message: &UnreadableMessage) -> String {
    let UnreadableMessage { id, game, challenge, error } = message;
    let subject = match (game, challenge) {
        (Some(game), _) => format!(" about game {game}"),
        (None, Some(challenge)) => format!(" about challenge {}", challenge.0),
        (None, None) => String::new(),
    };
    format!("Message {}{subject} cannot be read, and is given up: {error}.", id.0)
}

/// Returns whether standard output is a terminal with colours, and the user has not turned them off.
pub(crate) fn colours_wanted() -> bool {
    // See no-color.org: any value but the empty one turns colours off.
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    io::stdout().is_terminal() && !refused && !dumb
}

/// How boards and numbers are printed.
pub(super) struct TerminalStyle {
    pub(super) colours: bool,
}

impl TerminalStyle {
    pub(super) fn detect() -> Self {
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

impl MarkupFactory for TerminalStyle {
    fn markup<'n>(&'n self, names: &'n dyn PlayerNames, now: Timestamp) -> Box<dyn Markup + 'n> {
        Box::new(TerminalMarkup { names, now, colours: self.colours })
    }
}

/// Markup for a terminal: names in plain text, bold by escape codes.
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

    fn bold(&self, text: &str) -> String {
        if self.colours { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
    }

    fn escape(&self, text: &str) -> String {
        let shown = |letter: &char| *letter == '\t' || !letter.is_control() && !sanitize::is_invisible(*letter);
        text.chars().filter(shown).collect()
    }

    fn plain(&self) -> &dyn Markup {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_game_that_cannot_be_read_is_called_a_game() {
        let said = |table| {
            unreadable_row(&BadRow { table, row: 7, column: "variant", problem: String::from("no such variant") })
        };
        for table in ["games", "moves"] {
            assert!(said(table).starts_with("Game #7 cannot be read: "), "{}", said(table));
        }
        assert!(said("challenges").starts_with("Challenge 7 cannot be read: "));
        assert!(said("outbox").starts_with("A message cannot be read: "));
        assert!(said("players").starts_with("Something that is needed for this cannot be read: "));
    }
}
