//! What a typed line means: a command written as in Discord, a number that presses a button, or a change of seats.

use crate::app::{BadCommand, Command, OptionValue, Person};
use crate::commands::{CommandSpec, OptionKind, OptionSpec};
use crate::store::{Store, StoreError};
use crate::text::{help, refusals};
use std::fmt;

/// What a line means.
#[derive(Debug)]
pub enum ParsedLine {
    /// Nothing: an empty line or a comment.
    Nothing,
    /// Leave the table.
    Quit,
    /// Somebody else sits down.
    Sit(String),
    /// Press the button or choose the item with this number.
    Press(usize),
    /// A command.
    Command(Box<Command>),
}

/// Why a line means nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotUnderstood {
    /// It is no command.
    NoCommand(String),
    /// `/as` needs a name.
    NoName,
    /// A name that is too long or empty.
    BadName(String),
    /// Nobody has that name.
    Nobody(String),
    /// There is no button with this number.
    NoSuchNumber {
        /// The number.
        number: usize,
        /// How many there are.
        most: usize,
    },
    /// The options make no sense.
    Bad(BadCommand),
}

impl fmt::Display for NotUnderstood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCommand(text) => {
                write!(f, "I do not understand `{text}`. Commands begin with a slash; /help lists them.")
            }
            Self::NoName => f.write_str("Say who sits down, such as /as ivar."),
            Self::BadName(name) if name.is_empty() => f.write_str("Say who, with a name of 1 to 32 letters."),
            Self::BadName(name) => {
                write!(f, "`{name}` is not a name: use 1 to 32 letters, digits, spaces, dots, apostrophes, - or _.")
            }
            Self::Nobody(name) => write!(f, "Nobody called `{name}` has played here. /as {name} lets them sit down."),
            Self::NoSuchNumber { number, most: 0 } => {
                write!(
                    f,
                    "There is nothing to press now, so {number} does nothing. /board shows a game with its buttons."
                )
            }
            Self::NoSuchNumber { number, most } => {
                write!(f, "There is no {number} to press: the last answer has numbers from 1 to {most}.")
            }
            Self::Bad(BadCommand::Unknown(name)) => write!(f, "There is no /{name}. /help lists the commands."),
            Self::Bad(BadCommand::UnknownOption { command, option }) => {
                let names: Vec<&str> = command.options.iter().map(|option| option.name).collect();
                if names.is_empty() {
                    return write!(f, "/{} is written alone, without anything behind it.", command.name);
                }
                write!(f, "/{} has no option `{}`. It has: {}.", command.name, shortened(option), names.join(", "))
            }
            Self::Bad(BadCommand::Twice(option)) => write!(f, "`{option}` was said twice; once is enough."),
            Self::Bad(BadCommand::Missing { command, option }) => {
                write!(f, "/{} needs `{option}`, such as {}.", command.name, help::example(command))
            }
            Self::Bad(BadCommand::NotAChoice { option, said, choices }) => {
                f.write_str(&refusals::bad_option(option, &shortened(said), choices))
            }
        }
    }
}

/// The longest name at the table.
const LONGEST_NAME: usize = 32;

/// Finds out what a line means. Names of people are looked up in the store.
pub fn read(text: &str, store: &Store) -> Result<Result<ParsedLine, NotUnderstood>, StoreError> {
    let text = text.trim_start_matches('\u{FEFF}').trim();
    if text.is_empty() || text.starts_with('#') {
        return Ok(Ok(ParsedLine::Nothing));
    }
    if let Ok(number) = text.parse() {
        return Ok(Ok(ParsedLine::Press(number)));
    }
    let Some(command) = text.strip_prefix('/') else {
        return Ok(Err(NotUnderstood::NoCommand(shortened(text))));
    };
    let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    match name.to_lowercase().as_str() {
        "quit" | "exit" => Ok(Ok(ParsedLine::Quit)),
        "as" => Ok(match rest.trim() {
            "" => Err(NotUnderstood::NoName),
            name => check_name(name).map(ParsedLine::Sit),
        }),
        name => read_command(name, rest, store),
    }
}

fn check_name(name: &str) -> Result<String, NotUnderstood> {
    let fine = |outgoing: char| outgoing.is_alphanumeric() || matches!(outgoing, ' ' | '-' | '_' | '.' | '\'');
    // However many spaces were typed, it is the same name.
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if (1..=LONGEST_NAME).contains(&name.chars().count()) && name.chars().all(fine) {
        Ok(name)
    } else {
        Err(NotUnderstood::BadName(shortened(&name)))
    }
}

/// Gives the beginning of what was typed, for saying what is wrong with it.
fn shortened(text: &str) -> String {
    const ENOUGH: usize = 40;
    match text.char_indices().nth(ENOUGH) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn read_command(name: &str, rest: &str, store: &Store) -> Result<Result<ParsedLine, NotUnderstood>, StoreError> {
    let Some(command) = CommandSpec::find(name) else {
        return Ok(Err(NotUnderstood::Bad(BadCommand::Unknown(shortened(name)))));
    };
    let mut said = Vec::new();
    for (option, text) in options(command, rest) {
        let kind = command.option(&option).map(|option| option.kind);
        let value = match kind {
            Some(OptionKind::Player) => match find_person(command, &text, store)? {
                Ok(person) => OptionValue::Person(person),
                Err(why) => return Ok(Err(why)),
            },
            // Words are understood in any case, as in Discord's own lists.
            Some(OptionKind::Move) | None => OptionValue::Text(text),
            Some(_) => OptionValue::Text(text.to_lowercase()),
        };
        said.push((option, value));
    }
    Ok(Command::parse(command.name, said)
        .map(|command| ParsedLine::Command(Box::new(command)))
        .map_err(NotUnderstood::Bad))
}

/// Splits what follows a command into its options: `opponent:ivar variant:york`, the first one also bare.
pub(super) fn options(command: &CommandSpec, rest: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let first = command.options.first();
    for word in rest.split_whitespace() {
        let named = word.split_once(':').filter(|(name, _)| name.chars().all(|c| c.is_ascii_alphabetic()));
        if let Some((name, text)) = named {
            found.push((name.to_lowercase(), text.to_owned()));
            continue;
        }
        let first_is_said = first.is_none_or(|first| found.iter().any(|(name, _)| name == first.name));
        match found.last_mut() {
            // A name or a move of several words.
            Some((name, text)) if first_is_said || goes_on(command, name, first, word) => {
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

/// Tells whether a bare word goes on with the option before it rather than being the first one, which was not said yet.
fn goes_on(command: &CommandSpec, name: &str, first: Option<&OptionSpec>, word: &str) -> bool {
    // Only names have several words; and a word that can be the first option is that.
    let is_name = command.option(name).is_some_and(|option| option.kind == OptionKind::Player);
    let is_first = first.is_some_and(|first| {
        let choices = first.kind.choices();
        choices.iter().any(|(id, _)| id.eq_ignore_ascii_case(word))
    });
    is_name && !is_first
}

/// Finds somebody by name. A challenge may go to somebody who has not sat down yet.
fn find_person(command: &CommandSpec, name: &str, store: &Store) -> Result<Result<Person, NotUnderstood>, StoreError> {
    let name = name.trim_start_matches('@');
    if let Some(id) = store.session()?.find_player(name)? {
        let name = store.session()?.name_of(id)?.unwrap_or_else(|| name.to_owned());
        return Ok(Ok(Person { id, name, is_bot: false, can_see_channel: true }));
    }
    match check_name(name) {
        Ok(name) if command.name == "challenge" => person(store, &name).map(Ok),
        Ok(name) => Ok(Err(NotUnderstood::Nobody(name))),
        Err(why) => Ok(Err(why)),
    }
}

/// Gives the person with a name, new or known.
pub fn person(store: &Store, name: &str) -> Result<Person, StoreError> {
    let id = store.player_named(name)?;
    let name = store.session()?.name_of(id)?.unwrap_or_else(|| name.to_owned());
    Ok(Person { id, name, is_bot: false, can_see_channel: true })
}
