//! Parses a typed line: a command as in Discord, the number of a button, or `/as NAME` and `/quit`.

use crate::app::{BadCommand, Command, OptionValue, Person};
use crate::commands::{CommandSpec, OptionKind, OptionSpec};
use crate::store::{Store, StoreError};
use crate::text::{help, refusals};
use std::fmt;

/// A line that was understood.
#[derive(Debug)]
pub enum ParsedLine {
    /// An empty line or a comment.
    Empty,
    /// Close the terminal.
    Quit,
    /// Another player types from now on.
    SwitchPlayer(String),
    /// Press the button, or choose the menu item, with this number.
    Press(usize),
    /// A command.
    Command(Box<Command>),
}

/// Why a line was not understood. Its `Display` is what the player reads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LineError {
    /// It is neither a command nor a number.
    NotACommand(String),
    /// `/as` needs a name.
    NoName,
    /// The name is empty, too long, or has characters that names cannot have.
    BadName(String),
    /// No player has that name.
    UnknownPlayer(String),
    /// There is no button with this number.
    NoSuchNumber {
        /// The number.
        number: usize,
        /// How many there are.
        count: usize,
    },
    /// The name or an option of the command is wrong.
    BadCommand(BadCommand),
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotACommand(text) => {
                write!(f, "I do not understand `{text}`. Commands begin with a slash; /help lists them.")
            }
            Self::NoName => f.write_str("Say who sits down, such as /as ivar."),
            Self::BadName(name) if name.is_empty() => f.write_str("Say who, with a name of 1 to 32 letters."),
            Self::BadName(name) => {
                write!(f, "`{name}` is not a name: use 1 to 32 letters, digits, spaces, dots, apostrophes, - or _.")
            }
            Self::UnknownPlayer(name) => {
                write!(f, "Nobody called `{name}` has played here. /as {name} lets them sit down.")
            }
            Self::NoSuchNumber { number, count: 0 } => {
                write!(
                    f,
                    "There is nothing to press now, so {number} does nothing. /board shows a game with its buttons."
                )
            }
            Self::NoSuchNumber { number, count } => {
                write!(f, "There is no {number} to press: the last answer has numbers from 1 to {count}.")
            }
            Self::BadCommand(BadCommand::Unknown(name)) => write!(f, "There is no /{name}. /help lists the commands."),
            Self::BadCommand(BadCommand::UnknownOption { command, option }) => {
                let names: Vec<&str> = command.options.iter().map(|option| option.name).collect();
                if names.is_empty() {
                    return write!(f, "/{} is written alone, without anything behind it.", command.name);
                }
                write!(f, "/{} has no option `{}`. It has: {}.", command.name, shortened(option), names.join(", "))
            }
            Self::BadCommand(BadCommand::Twice(option)) => write!(f, "`{option}` was said twice; once is enough."),
            Self::BadCommand(BadCommand::Missing { command, option }) => {
                write!(f, "/{} needs `{option}`, such as {}.", command.name, help::example(command))
            }
            Self::BadCommand(BadCommand::NotAChoice { option, said, choices }) => {
                f.write_str(&refusals::bad_option(option, &shortened(said), choices))
            }
        }
    }
}

/// The longest name that a player can have at the terminal.
const MAX_NAME_LENGTH: usize = 32;

/// Parses a line. Players are looked up in the store by their names.
///
/// # Errors
///
/// Returns an error if the store cannot be read; a line that makes no sense is the inner error.
pub fn parse_line(text: &str, store: &Store) -> Result<Result<ParsedLine, LineError>, StoreError> {
    let text = text.trim_start_matches('\u{FEFF}').trim();
    if text.is_empty() || text.starts_with('#') {
        return Ok(Ok(ParsedLine::Empty));
    }
    if let Ok(number) = text.parse() {
        return Ok(Ok(ParsedLine::Press(number)));
    }
    let Some(command) = text.strip_prefix('/') else {
        return Ok(Err(LineError::NotACommand(shortened(text))));
    };
    let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    match name.to_lowercase().as_str() {
        "quit" | "exit" => Ok(Ok(ParsedLine::Quit)),
        "as" => Ok(match rest.trim() {
            "" => Err(LineError::NoName),
            name => check_name(name).map(ParsedLine::SwitchPlayer),
        }),
        name => parse_command(name, rest, store),
    }
}

fn check_name(name: &str) -> Result<String, LineError> {
    let allowed = |letter: char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_' | '.' | '\'');
    // Names that differ only in their spaces are the same.
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if (1..=MAX_NAME_LENGTH).contains(&name.chars().count()) && name.chars().all(allowed) {
        Ok(name)
    } else {
        Err(LineError::BadName(shortened(&name)))
    }
}

/// Returns the beginning of a text, to be repeated in an error message.
fn shortened(text: &str) -> String {
    const MAX_QUOTE: usize = 40;
    match text.char_indices().nth(MAX_QUOTE) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn parse_command(name: &str, rest: &str, store: &Store) -> Result<Result<ParsedLine, LineError>, StoreError> {
    let Some(command) = CommandSpec::find(name) else {
        return Ok(Err(LineError::BadCommand(BadCommand::Unknown(shortened(name)))));
    };
    let mut values = Vec::new();
    for (option, text) in options(command, rest) {
        let kind = command.option(&option).map(|option| option.kind);
        let value = match kind {
            Some(OptionKind::Player) => match find_person(command, &text, store)? {
                Ok(person) => OptionValue::Person(person),
                Err(why) => return Ok(Err(why)),
            },
            // K is the king in a move, and free text is the player's own.
            Some(OptionKind::Move | OptionKind::FreeText) | None => OptionValue::Text(text),
            Some(_) => OptionValue::Text(text.to_lowercase()),
        };
        values.push((option, value));
    }
    Ok(Command::parse(command.name, values)
        .map(|command| ParsedLine::Command(Box::new(command)))
        .map_err(LineError::BadCommand))
}

/// Splits the text after a command into its options: `opponent:ivar variant:york`. The first option needs no name.
pub(super) fn options(command: &CommandSpec, rest: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let first = command.options.first();
    for word in rest.split_whitespace() {
        if let Some((name, text)) = option_start(command, found.last(), word) {
            found.push((name, text));
            continue;
        }
        let first_is_given = first.is_none_or(|first| found.iter().any(|(name, _)| name == first.name));
        match found.last_mut() {
            // A name, a move or a reason of several words.
            Some((name, text)) if first_is_given || continues(command, name, first, word) => {
                if !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(word);
            }
            _ => found.push((first.map_or("", |first| first.name).to_owned(), word.to_owned())),
        }
    }
    found
}

/// Returns the name of the option that a word begins, and the beginning of its value.
fn option_start(command: &CommandSpec, before: Option<&(String, String)>, word: &str) -> Option<(String, String)> {
    let (name, text) = word.split_once(':')?;
    let name = name.to_lowercase();
    let in_free_text =
        before.and_then(|(before, _)| command.option(before)).is_some_and(|option| option.kind == OptionKind::FreeText);
    // Free text may have colons of its own, so only an option of this command ends it.
    let is_name =
        if in_free_text { command.option(&name).is_some() } else { name.chars().all(|c| c.is_ascii_alphabetic()) };
    is_name.then(|| (name, text.to_owned()))
}

/// Returns whether a word without a name continues the option before it, rather than being the first option.
fn continues(command: &CommandSpec, name: &str, first: Option<&OptionSpec>, word: &str) -> bool {
    let has_several_words =
        command.option(name).is_some_and(|option| matches!(option.kind, OptionKind::Player | OptionKind::FreeText));
    let is_first = first.is_some_and(|first| {
        let choices = first.kind.choices();
        choices.iter().any(|(id, _)| id.eq_ignore_ascii_case(word))
    });
    has_several_words && !is_first
}

/// Finds a player by name. A challenge may name a player who has not played here yet.
fn find_person(command: &CommandSpec, name: &str, store: &Store) -> Result<Result<Person, LineError>, StoreError> {
    let name = name.trim_start_matches('@');
    if let Some(id) = store.session()?.find_player(name)? {
        let name = store.session()?.name_of(id)?.unwrap_or_else(|| name.to_owned());
        return Ok(Ok(Person { id, name, is_bot: false, can_see_channel: true }));
    }
    match check_name(name) {
        Ok(name) if command.name == "challenge" => person(store, &name).map(Ok),
        Ok(name) => Ok(Err(LineError::UnknownPlayer(name))),
        Err(error) => Ok(Err(error)),
    }
}

/// Returns the player with a name, and adds a new one if there is none.
///
/// # Errors
///
/// Returns an error if the store cannot be read or written.
pub fn person(store: &Store, name: &str) -> Result<Person, StoreError> {
    let id = store.find_or_add_player(name)?;
    let name = store.session()?.name_of(id)?.unwrap_or_else(|| name.to_owned());
    Ok(Person { id, name, is_bot: false, can_see_channel: true })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn split(line: &str) -> Vec<(String, String)> {
        let (name, rest) = line.split_once(' ').unwrap();
        options(CommandSpec::find(name).unwrap(), rest)
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn the_first_option_needs_no_name() {
        for line in ["challenge york opponent:Ivar the Boneless", "challenge opponent:Ivar the Boneless york"] {
            let mut found = split(line);
            found.sort();
            assert_eq!(found, pairs(&[("opponent", "Ivar the Boneless"), ("variant", "york")]), "{line}");
        }
        assert_eq!(split("move Kd1 - d4 game:2"), pairs(&[("move", "Kd1 - d4"), ("game", "2")]));
    }

    #[test]
    fn free_text_keeps_colons_and_ends_at_another_option() {
        let reason = ("reason", "Bad words: see http://example.org");
        assert_eq!(split("end-game 7 reason:Bad words: see http://example.org"), pairs(&[("game", "7"), reason]));
        assert_eq!(split("end-game reason:Bad words: see http://example.org game:7"), pairs(&[reason, ("game", "7")]));
    }
}
