//! Parses a typed line: a command as in Discord, the number of a button, or `/as NAME` and `/quit`.

use crate::app::{BadCommand, Command, OptionValue, Person};
use crate::commands::{CommandSpec, MAX_FREE_TEXT, OptionKind, OptionSpec};
use crate::game::GameId;
use crate::store::{Store, StoreError};
use crate::text::{help, refusals, sanitize};
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
        number: usize,
        /// How many there are.
        count: usize,
    },
    /// The name or an option of the command is wrong.
    BadCommand(BadCommand),
    /// Free text has no name, so it could be anything.
    UnnamedText {
        /// The option that it probably is.
        option: &'static str,
        text: String,
        /// The line as it should be written.
        line: String,
    },
    /// An option that the command needs is missing, or is in the free text, which takes the rest of the line.
    OptionBehindText {
        command: &'static CommandSpec,
        /// The option for free text.
        option: &'static str,
        /// The missing option.
        missing: &'static str,
    },
    /// The text of this option is longer than [`MAX_FREE_TEXT`].
    TooLong(String),
    /// It is not UTF-8.
    NotText {
        /// Whether lines that were pasted together with it are lost.
        rest_is_lost: bool,
    },
}

impl std::error::Error for LineError {}

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
            Self::BadCommand(BadCommand::NotAChoice { option, value, choices }) => {
                f.write_str(&refusals::bad_option(option, &shortened(value), choices))
            }
            Self::UnnamedText { option, text, line } => {
                write!(f, "If `{text}` is the `{option}`, write its name before it: `{line}`.")
            }
            Self::OptionBehindText { command, option, missing } => write!(
                f,
                "All that follows `{option}:` belongs to it, so write `{missing}` before it, such as {}.",
                help::example(command)
            ),
            Self::TooLong(option) => {
                write!(f, "`{option}` is too long: it can have {MAX_FREE_TEXT} characters at most.")
            }
            Self::NotText { rest_is_lost } => {
                f.write_str("That line is not text that I can read (UTF-8). Please type it again.")?;
                f.write_str(if *rest_is_lost {
                    " If you pasted more lines after it, paste those again, too."
                } else {
                    ""
                })
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
    sanitize::sanitize(text, MAX_QUOTE)
}

fn parse_command(name: &str, rest: &str, store: &Store) -> Result<Result<ParsedLine, LineError>, StoreError> {
    let Some(command) = CommandSpec::find(name) else {
        return Ok(Err(LineError::BadCommand(BadCommand::Unknown(shortened(name)))));
    };
    let mut values = Vec::new();
    let given = options(command, rest);
    if let Some(error) = free_text_error(command, &given) {
        return Ok(Err(error));
    }
    for (option, text) in given {
        let kind = command.option(&option).map(|option| option.kind);
        let value = match kind {
            Some(OptionKind::Player) => match find_person(command, &text, store)? {
                Ok(person) => OptionValue::Person(person),
                Err(why) => return Ok(Err(why)),
            },
            // On Discord, an option without text is not given.
            Some(OptionKind::FreeText) if sanitize::is_blank(&text) => continue,
            Some(OptionKind::FreeText) if text.chars().count() > MAX_FREE_TEXT => {
                return Ok(Err(LineError::TooLong(option)));
            }
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

/// Splits the text after a command into its options: `opponent:ivar variant:york`. The first option needs no name. Free
/// text is the rest of the line as it was typed, so it comes last. Without its name, it is an option without a name.
pub(super) fn options(command: &CommandSpec, rest: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let first = command.options.first();
    let mut rest = rest.trim();
    while !rest.is_empty() {
        if let Some((name, text)) = free_text(command, rest) {
            found.push((name.to_owned(), text.to_owned()));
            break;
        }
        if begins_unnamed_text(command, &found, rest) {
            found.push((String::new(), rest.to_owned()));
            break;
        }
        let (word, behind) = first_word(rest);
        rest = behind;
        if let Some((name, text)) = option_start(word) {
            found.push((name, text.to_owned()));
            continue;
        }
        let first_is_given = first.is_none_or(|first| found.iter().any(|(name, _)| name == first.name));
        match found.last_mut() {
            // A name or a move of several words.
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

/// Returns the option for free text that begins here, and its text: all that follows.
fn free_text<'t>(command: &CommandSpec, rest: &'t str) -> Option<(&'static str, &'t str)> {
    let (name, text) = rest.split_once(':')?;
    let option = free_text_option(command).filter(|option| option.name == name.trim_end().to_lowercase())?;
    Some((option.name, text.trim()))
}

fn free_text_option(command: &CommandSpec) -> Option<&'static OptionSpec> {
    command.options.iter().find(|option| option.kind == OptionKind::FreeText)
}

/// Returns whether free text begins here without its name, in a command that has it. The first option is one word.
fn begins_unnamed_text(command: &CommandSpec, found: &[(String, String)], rest: &str) -> bool {
    let (word, behind) = first_word(rest);
    if free_text_option(command).is_none() || option_start(word).is_some() {
        return false;
    }
    let (next, _) = first_word(behind);
    let is_alone = next.is_empty() || option_start(next).is_some() || free_text(command, behind).is_some();
    let last_is_empty = found.last().is_some_and(|(_, text)| text.is_empty());
    !last_is_empty && (!found.is_empty() || GameId::parse(word).is_none() && !is_alone)
}

/// Returns why free text and the options before it cannot be told apart: free text has no name, or an option that the
/// command needs comes after it.
fn free_text_error(command: &'static CommandSpec, given: &[(String, String)]) -> Option<LineError> {
    let option = free_text_option(command)?.name;
    let (last, text) = given.last()?;
    if last.is_empty() {
        let game =
            given.iter().map(|(_, text)| text.as_str()).find(|text| GameId::parse(text).is_some()).unwrap_or("42");
        let line = format!("/{} {game} {option}:{}", command.name, shortened(text));
        return Some(LineError::UnnamedText { option, text: shortened(text), line });
    }
    let is_missing = |needed: &&OptionSpec| needed.required && !given.iter().any(|(name, _)| name == needed.name);
    let missing = command.options.iter().find(is_missing)?.name;
    (last == option && !sanitize::is_blank(text)).then_some(LineError::OptionBehindText { command, option, missing })
}

/// Splits a text after its first word.
fn first_word(text: &str) -> (&str, &str) {
    text.split_once(char::is_whitespace).map_or((text, ""), |(word, behind)| (word, behind.trim_start()))
}

/// Returns the name of the option that a word begins, and the beginning of its value.
fn option_start(word: &str) -> Option<(String, &str)> {
    let (name, text) = word.split_once(':')?;
    (!name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic())).then(|| (name.to_lowercase(), text))
}

/// Returns whether a word without a name continues the option before it, rather than being the first option.
fn continues(command: &CommandSpec, name: &str, first: Option<&OptionSpec>, word: &str) -> bool {
    let has_several_words = command.option(name).is_some_and(|option| option.kind == OptionKind::Player);
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
        Ok(name) if command.name == "challenge" => find_or_add_person(store, &name).map(Ok),
        Ok(name) => Ok(Err(LineError::UnknownPlayer(name))),
        Err(error) => Ok(Err(error)),
    }
}

/// Returns the player with a name, and adds a new one if there is none.
///
/// # Errors
///
/// Returns an error if the store cannot be read or written.
pub fn find_or_add_person(store: &Store, name: &str) -> Result<Person, StoreError> {
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
    fn free_text_is_the_rest_of_the_line() {
        let reason = "Bad  words:\tsee http://example.org, game:7 and Reason: too";
        for line in [format!("end-game 42 reason:{reason}"), format!("end-game game:42   REASON: {reason} ")] {
            assert_eq!(split(&line), pairs(&[("game", "42"), ("reason", reason)]), "{line}");
        }
        assert_eq!(split("end-game reason:both left game:7"), pairs(&[("reason", "both left game:7")]));
        assert_eq!(split("end-game 42 reason: "), pairs(&[("game", "42"), ("reason", "")]));
        assert_eq!(split("end-game 42 reason :x"), pairs(&[("game", "42"), ("reason", "x")]));
        assert_eq!(split("end-game game: 42 reason:x"), pairs(&[("game", "42"), ("reason", "x")]));
    }

    #[test]
    fn free_text_without_its_name_is_no_part_of_another_option() {
        assert_eq!(split("end-game 5 he left"), pairs(&[("game", "5"), ("", "he left")]));
        assert_eq!(split("end-game 2 because he game:9 left"), pairs(&[("game", "2"), ("", "because he game:9 left")]));
        assert_eq!(split("end-game game:5 he left"), pairs(&[("game", "5"), ("", "he left")]));
        assert_eq!(split("end-game he left"), pairs(&[("", "he left")]));
        assert_eq!(split("end-game five reason:x"), pairs(&[("game", "five"), ("reason", "x")]));
        assert_eq!(split("challenge york :x"), pairs(&[("variant", "york :x")]));
    }

    #[test]
    fn the_example_of_every_command_can_be_typed() {
        let folder = std::env::temp_dir().join(format!("ratatosk-examples-{}", std::process::id()));
        let store = Store::open(&folder.join("table.db")).unwrap();
        store.find_or_add_player("ivar").unwrap();
        for command in crate::commands::COMMANDS {
            let example = help::example(command);
            let parsed = parse_line(example.trim_matches('`'), &store).unwrap();
            assert!(matches!(parsed, Ok(ParsedLine::Command(_))), "{example}: {parsed:?}");
        }
        store.close().unwrap();
        std::fs::remove_dir_all(folder).unwrap();
    }
}
