//! Turns a command's name and options into a [`Command`]. Each entry of the catalogue has its own parse function.

use super::command::{Command, GameCommand, Person};
use super::spec::CommandSpec;
use crate::game::{GameId, Pace, PlayerSettings, Reminders, ServerSettings, SidePreference};
use std::fmt;

/// The value of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionValue {
    Text(String),
    Person(Person),
}

/// Why a command with its options cannot be parsed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BadCommand {
    /// There is no such command.
    Unknown(String),
    /// The command has no such option.
    UnknownOption { command: &'static CommandSpec, option: String },
    /// A required option is missing.
    Missing { command: &'static CommandSpec, option: &'static str },
    /// An option was given more than once.
    Twice(&'static str),
    /// The value is not one of the option's choices.
    NotAChoice {
        option: &'static str,
        value: String,
        /// The choices; empty if there is no list of them.
        choices: Vec<String>,
    },
}

impl std::error::Error for BadCommand {}

/// Says what is wrong in technical terms; players read the sentences of `text`.
impl fmt::Display for BadCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => write!(f, "there is no command `{name}`"),
            Self::UnknownOption { command, option } => write!(f, "/{} has no option `{option}`", command.name),
            Self::Missing { command, option } => write!(f, "/{} needs the option `{option}`", command.name),
            Self::Twice(option) => write!(f, "the option `{option}` was given twice"),
            Self::NotAChoice { option, value, .. } => write!(f, "`{value}` is no value of the option `{option}`"),
        }
    }
}

impl Command {
    /// Parses a command from its name and its options.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with the name or the first bad option.
    pub fn parse(name: &str, options: Vec<(String, OptionValue)>) -> Result<Self, BadCommand> {
        let command = CommandSpec::find(name).ok_or_else(|| BadCommand::Unknown(name.to_owned()))?;
        (command.parse)(&mut OptionValues::new(command, options)?)
    }
}

/// Splits a suggested move that names its game, such as `d1-d4 in #42`.
#[must_use]
pub fn split_game(typed: &str) -> (&str, Option<GameId>) {
    match typed.rsplit_once(" in #").map(|(mv, number)| (mv, number.trim().parse())) {
        Some((mv, Ok(number))) => (mv, Some(GameId(number))),
        _ => (typed, None),
    }
}

/// The options given with a command. Each is an option of the command, given once, and one of its choices if it has
/// any.
#[derive(Debug)]
pub(super) struct OptionValues {
    command: &'static CommandSpec,
    values: Vec<(String, OptionValue)>,
}

impl OptionValues {
    /// Collects the options, and says which one is wrong.
    fn new(command: &'static CommandSpec, values: Vec<(String, OptionValue)>) -> Result<Self, BadCommand> {
        for (n, (name, value)) in values.iter().enumerate() {
            let unknown = || BadCommand::UnknownOption { command, option: name.clone() };
            let option = command.option(name).ok_or_else(unknown)?;
            if values[..n].iter().any(|(earlier, _)| earlier == name) {
                return Err(BadCommand::Twice(option.name));
            }
            let choices: Vec<String> = option.kind.choices().into_iter().map(|(id, _)| id).collect();
            if let OptionValue::Text(text) = value
                && !choices.is_empty()
                && !choices.contains(text)
            {
                return Err(BadCommand::NotAChoice { option: option.name, value: text.clone(), choices });
            }
        }
        Ok(Self { command, values })
    }

    fn take(&mut self, name: &str) -> Option<OptionValue> {
        let at = self.values.iter().position(|(given, _)| given == name)?;
        Some(self.values.swap_remove(at).1)
    }

    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        self.take(name).map(|value| match value {
            OptionValue::Text(text) => text,
            OptionValue::Person(person) => person.name,
        })
    }

    fn required_text(&mut self, name: &'static str) -> Result<String, BadCommand> {
        self.text(name).ok_or(BadCommand::Missing { command: self.command, option: name })
    }

    pub(super) fn person(&mut self, name: &'static str) -> Result<Option<Person>, BadCommand> {
        match self.take(name) {
            None => Ok(None),
            Some(OptionValue::Person(person)) => Ok(Some(person)),
            Some(OptionValue::Text(value)) => Err(BadCommand::NotAChoice { option: name, value, choices: Vec::new() }),
        }
    }

    pub(super) fn required_person(&mut self, name: &'static str) -> Result<Person, BadCommand> {
        self.person(name)?.ok_or(BadCommand::Missing { command: self.command, option: name })
    }

    fn game(&mut self) -> Result<Option<GameId>, BadCommand> {
        let Some(value) = self.text("game") else { return Ok(None) };
        match GameId::parse(&value) {
            Some(game) => Ok(Some(game)),
            None => Err(BadCommand::NotAChoice { option: "game", value, choices: Vec::new() }),
        }
    }

    fn pace(&mut self) -> Option<Pace> {
        self.text("pace").and_then(|id| Pace::find(&id))
    }

    /// Returns a command in the game that the option `game` names, if it was given.
    pub(super) fn in_game(&mut self, game_command: GameCommand) -> Result<Command, BadCommand> {
        Ok(Command::InGame { game: self.game()?, version: None, game_command })
    }
}

pub(super) fn challenge(options: &mut OptionValues) -> Result<Command, BadCommand> {
    let side = options.text("side");
    Ok(Command::Challenge {
        variant: options.required_text("variant")?,
        opponent: options.person("opponent")?,
        layout: options.text("layout"),
        side: side.and_then(|id| SidePreference::ALL.into_iter().find(|side| side.id() == id)),
        pace: options.pace(),
    })
}

pub(super) fn make_move(options: &mut OptionValues) -> Result<Command, BadCommand> {
    let typed = options.required_text("move")?;
    let (typed, named) = split_game(&typed);
    let game_command = GameCommand::Move { typed: typed.to_owned(), confirmed: false };
    Ok(Command::InGame { game: options.game()?.or(named), version: None, game_command })
}

pub(super) fn board(options: &mut OptionValues) -> Result<Command, BadCommand> {
    let text = options.text("as").map(|form| form == "text");
    options.in_game(GameCommand::Board { text, public: false })
}

pub(super) fn preferences(options: &mut OptionValues) -> Result<Command, BadCommand> {
    Ok(Command::Preferences(PlayerSettings {
        reminders: options.text("reminders").and_then(|id| Reminders::find(&id)),
        theme: options.text("theme"),
        flipped: options.text("view").map(|view| view == "flipped"),
        as_text: options.text("board").map(|form| form == "text"),
    }))
}

pub(super) fn settings(options: &mut OptionValues) -> Result<Command, BadCommand> {
    Ok(Command::Settings(ServerSettings {
        theme: options.text("theme"),
        threads: options.text("threads").map(|switch| switch == "on"),
        pace: options.pace(),
    }))
}

pub(super) fn end_game(options: &mut OptionValues) -> Result<Command, BadCommand> {
    let missing = BadCommand::Missing { command: options.command, option: "game" };
    Ok(Command::EndGame { game: options.game()?.ok_or(missing)?, reason: options.required_text("reason")? })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::commands::COMMANDS;
    use crate::game::{OfferKind, PlayerId};

    fn parse(name: &str, options: &[(&str, &str)]) -> Result<Command, BadCommand> {
        let value = |name: &str, text: &str| (name.to_owned(), OptionValue::Text(text.to_owned()));
        Command::parse(name, options.iter().map(|(name, text)| value(name, text)).collect())
    }

    fn player(name: &str) -> OptionValue {
        let person = Person { id: PlayerId(7), name: name.to_owned(), is_bot: false, can_see_channel: true };
        OptionValue::Person(person)
    }

    #[test]
    fn only_help_is_parsed_as_help() {
        for spec in COMMANDS {
            let value = |option: &crate::commands::OptionSpec| match option.kind.choices().first() {
                Some((id, _)) => OptionValue::Text(id.clone()),
                None if option.name == "player" => player("ivar"),
                None => OptionValue::Text(String::from("42")),
            };
            let required = spec.options.iter().filter(|option| option.required);
            let given = required.map(|option| (option.name.to_owned(), value(option))).collect();
            let command = Command::parse(spec.name, given).unwrap();
            assert_eq!(matches!(command, Command::Help), spec.name == "help", "/{}: {command:?}", spec.name);
        }
    }

    #[test]
    fn a_challenge_keeps_every_option() {
        let command =
            parse("challenge", &[("variant", "brandubh"), ("side", "defenders"), ("pace", "7"), ("layout", "cross")]);
        let Ok(Command::Challenge { variant, opponent: None, layout, side, pace }) = command else {
            panic!("{command:?}")
        };
        assert_eq!((variant.as_str(), layout.as_deref()), ("brandubh", Some("cross")));
        assert_eq!((side, pace), (Some(SidePreference::Defenders), Pace::from_days(Some(7))));
    }

    #[test]
    fn a_suggested_move_names_its_game_unless_the_option_does() {
        for (options, game) in [
            (&[("move", "d1-d4 in #42")][..], Some(GameId(42))),
            (&[("move", "d1-d4 in #42"), ("game", "#7")], Some(GameId(7))),
            (&[("move", "d1-d4")], None),
        ] {
            let command = parse("move", options);
            let Ok(Command::InGame { game: named, game_command: GameCommand::Move { typed, .. }, .. }) = command else {
                panic!("{command:?}")
            };
            assert_eq!((typed.as_str(), named), ("d1-d4", game));
        }
    }

    #[test]
    fn a_draw_in_a_named_game_is_an_offer_there() {
        let command = parse("draw", &[("game", " #12 ")]);
        assert!(
            matches!(
                command,
                Ok(Command::InGame {
                    game: Some(GameId(12)),
                    version: None,
                    game_command: GameCommand::Offer(OfferKind::Draw)
                })
            ),
            "{command:?}"
        );
    }

    #[test]
    fn bad_options_are_named() {
        assert_eq!(parse("checkers", &[]).unwrap_err(), BadCommand::Unknown(String::from("checkers")));
        assert!(
            matches!(parse("draw", &[("colour", "red")]), Err(BadCommand::UnknownOption { option, .. }) if option == "colour")
        );
        assert!(matches!(parse("move", &[]), Err(BadCommand::Missing { option: "move", .. })));
        assert!(matches!(parse("end-game", &[("reason", "x")]), Err(BadCommand::Missing { option: "game", .. })));
        assert_eq!(parse("draw", &[("game", "1"), ("game", "2")]).unwrap_err(), BadCommand::Twice("game"));
        assert!(matches!(parse("draw", &[("game", "x")]), Err(BadCommand::NotAChoice { option: "game", .. })));
        assert!(matches!(parse("block", &[("player", "ivar")]), Err(BadCommand::NotAChoice { option: "player", .. })));
        let bad_side = parse("challenge", &[("variant", "brandubh"), ("side", "white")]);
        assert!(matches!(bad_side, Err(BadCommand::NotAChoice { option: "side", choices, .. }) if choices.len() == 3));
    }
}
