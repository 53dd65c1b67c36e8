//! What a player can want: from a command, a button or a menu, it comes to the same.

use crate::commands::CommandSpec;
use crate::game::{
    ChallengeId, GameId, OfferKind, Pace, PlayerId, PlayerSettings, Reminders, ServerSettings, SidePreference,
};
use crate::rules::{Move, Square, Variant};

/// Who wants something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Person {
    /// The player.
    pub id: PlayerId,
    /// What he is called.
    pub name: String,
    /// Whether it is a program.
    pub bot: bool,
    /// Whether he sees the place where he is spoken of.
    pub sees: bool,
}

/// What a player wants.
#[derive(Clone, Debug)]
pub enum Command {
    /// To challenge somebody or anybody.
    Challenge {
        /// To which game.
        variant: String,
        /// Whom.
        opponent: Option<Person>,
        /// With which set-up.
        layout: Option<String>,
        /// With which side.
        side: Option<SidePreference>,
        /// At which pace.
        pace: Option<Pace>,
    },
    /// To answer a challenge.
    Answer {
        /// Which one.
        challenge: ChallengeId,
        /// How.
        answer: Answer,
    },
    /// To see the challenges.
    Challenges,
    /// To see one challenge with its buttons.
    ShowChallenge(ChallengeId),
    /// To do something in a game.
    InGame {
        /// In which game, if it was said.
        game: Option<GameId>,
        /// The version of the game that the player saw, if a button knows it.
        version: Option<u64>,
        /// What.
        game_command: GameCommand,
    },
    /// To see lists of games.
    Games {
        /// Whose; the player's own if it was not said.
        player: Option<Person>,
    },
    /// To hear no more from somebody.
    Block(Person),
    /// To hear from somebody again.
    Unblock(Person),
    /// To read the rules.
    Rules {
        /// Of which game.
        variant: Option<&'static Variant>,
    },
    /// To see or change what is set in the server; what is not said stays.
    Settings(ServerSettings),
    /// To see or change what one has set for oneself; what is not said stays.
    Preferences(PlayerSettings),
    /// To end somebody's game without a result.
    EndGame {
        /// Which one.
        game: GameId,
        /// Why.
        reason: String,
    },
    /// To know what the bot may do here.
    Doctor,
    /// To know what is kept.
    Privacy,
    /// To be forgotten.
    ForgetMe {
        /// Whether the player was asked.
        confirmed: bool,
    },
    /// To change nothing.
    Nothing,
    /// To know what can be done.
    Help,
}

/// How a challenge is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It becomes a game.
    Accept,
    /// The opponent does not want to.
    Decline,
    /// The challenger does not want to any more.
    Withdraw,
}

/// What a player can do in a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameCommand {
    /// Play what was typed.
    Move {
        /// As it was typed.
        typed: String,
        /// Whether the player knows what a third occurrence brings.
        confirmed: bool,
    },
    /// See the men that can move.
    ChoosePiece,
    /// See where a man can go.
    ChooseSquare(Square),
    /// See what a move would look like.
    Preview(Move),
    /// Close the private menu without doing anything.
    Cancel,
    /// Give up.
    Resign {
        /// Whether the player was asked.
        confirmed: bool,
    },
    /// Offer or ask for something, or accept the same.
    Offer(OfferKind),
    /// Accept what was offered.
    Accept(OfferKind),
    /// Refuse what was offered.
    Decline(OfferKind),
    /// Call the game off.
    Abort,
    /// Take the win on time.
    Claim,
    /// Give the opponent more time.
    GiveTime,
    /// See the board.
    Board {
        /// As text or picture, if it was said.
        text: Option<bool>,
        /// For everybody to see.
        public: bool,
    },
    /// See the game after so many plies; at the end if it was not said.
    History {
        /// After how many.
        ply: Option<usize>,
        /// For everybody to see.
        public: bool,
    },
    /// Read the rules of this very game.
    Rules,
}

/// What was said for an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Text.
    Text(String),
    /// A person.
    Person(Person),
}

/// Why what was said makes no command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BadCommand {
    /// There is no such command.
    Unknown(String),
    /// There is no such option.
    UnknownOption {
        /// The command.
        command: &'static CommandSpec,
        /// The option.
        option: String,
    },
    /// An option is missing.
    Missing {
        /// The command.
        command: &'static CommandSpec,
        /// The option.
        option: &'static str,
    },
    /// An option was said more than once.
    Twice(&'static str),
    /// An option was said that is none of those there are.
    NotAChoice {
        /// The option.
        option: &'static str,
        /// What was said.
        said: String,
        /// What can be said.
        choices: Vec<String>,
    },
}

impl GameCommand {
    /// Tells whether a deed only looks at a game, whoever plays it.
    #[must_use]
    pub const fn looks(&self) -> bool {
        matches!(self, Self::Board { .. } | Self::History { .. } | Self::Rules)
    }

    /// Tells whether a deed can change a game, and does not only prepare for it.
    #[must_use]
    pub const fn acts(&self) -> bool {
        match self {
            Self::Move { .. }
            | Self::Resign { confirmed: true }
            | Self::Offer(_)
            | Self::Accept(_)
            | Self::Decline(_)
            | Self::Abort
            | Self::Claim
            | Self::GiveTime => true,
            Self::ChoosePiece
            | Self::ChooseSquare(_)
            | Self::Preview(_)
            | Self::Cancel
            | Self::Resign { confirmed: false }
            | Self::Board { .. }
            | Self::History { .. }
            | Self::Rules => false,
        }
    }
}

impl Command {
    /// Tells whether it is noted that the wish was fulfilled, so that it is known if it comes again.
    #[must_use]
    pub const fn is_noted(&self) -> bool {
        match self {
            Self::Challenge { .. } | Self::Answer { .. } | Self::EndGame { .. } => true,
            Self::InGame { game_command, .. } => game_command.acts(),
            _ => false,
        }
    }

    /// Understands a command with its options.
    pub fn understand(name: &str, said: Vec<(String, Value)>) -> Result<Self, BadCommand> {
        let command = CommandSpec::find(name).ok_or_else(|| BadCommand::Unknown(name.to_owned()))?;
        let mut values = Values::check(command, said)?;
        let in_game = |values: &mut Values, game_command| -> Result<Self, BadCommand> {
            Ok(Self::InGame { game: values.game()?, version: None, game_command })
        };
        Ok(match command.name {
            "challenge" => Self::Challenge {
                variant: values.needed("variant")?,
                opponent: values.person("opponent")?,
                layout: values.text("layout"),
                side: values
                    .text("side")
                    .and_then(|id| SidePreference::ALL.into_iter().find(|command| command.id() == id)),
                pace: values.text("pace").and_then(|id| Pace::from_days(id.parse().ok())),
            },
            "move" => {
                let typed = values.needed("move")?;
                let (typed, named) = split_game(&typed);
                let game_command = GameCommand::Move { typed: typed.to_owned(), confirmed: false };
                Self::InGame { game: values.game()?.or(named), version: None, game_command }
            }
            "board" => {
                let text = values.text("as").map(|form| form == "text");
                in_game(&mut values, GameCommand::Board { text, public: false })?
            }
            "games" => Self::Games { player: values.person("player")? },
            "challenges" => Self::Challenges,
            "resign" => in_game(&mut values, GameCommand::Resign { confirmed: false })?,
            "draw" => in_game(&mut values, GameCommand::Offer(OfferKind::Draw))?,
            "takeback" => in_game(&mut values, GameCommand::Offer(OfferKind::Takeback))?,
            "rematch" => in_game(&mut values, GameCommand::Offer(OfferKind::Rematch))?,
            "abort" => in_game(&mut values, GameCommand::Abort)?,
            "claim" => in_game(&mut values, GameCommand::Claim)?,
            "block" => Self::Block(values.needed_person("player")?),
            "unblock" => Self::Unblock(values.needed_person("player")?),
            "rules" => Self::Rules { variant: values.text("variant").and_then(|id| Variant::find(&id)) },
            "history" => in_game(&mut values, GameCommand::History { ply: None, public: false })?,
            "settings" => Self::Settings(ServerSettings {
                theme: values.text("theme"),
                threads: values.text("threads").map(|switch| switch == "on"),
                pace: values.text("pace").and_then(|id| Pace::from_days(id.parse().ok())),
            }),
            "preferences" => Self::Preferences(PlayerSettings {
                reminders: values.text("reminders").and_then(|id| Reminders::find(&id)),
                theme: values.text("theme"),
                flipped: values.text("view").map(|view| view == "flipped"),
                as_text: values.text("board").map(|form| form == "text"),
            }),
            "end-game" => {
                let missing = BadCommand::Missing { command, option: "game" };
                Self::EndGame { game: values.game()?.ok_or(missing)?, reason: values.needed("reason")? }
            }
            "doctor" => Self::Doctor,
            "privacy" => Self::Privacy,
            "forget-me" => Self::ForgetMe { confirmed: false },
            _ => Self::Help,
        })
    }
}

/// Takes a move apart that was completed where several games wait, such as `d1-d4 in #42`.
pub fn split_game(typed: &str) -> (&str, Option<GameId>) {
    match typed.rsplit_once(" in #").map(|(mv, number)| (mv, number.trim().parse())) {
        Some((mv, Ok(number))) => (mv, Some(GameId(number))),
        _ => (typed, None),
    }
}

/// The options of a command, each one that the command has and, where there is a list, one of the list.
struct Values {
    command: &'static CommandSpec,
    said: Vec<(String, Value)>,
}

impl Values {
    fn check(command: &'static CommandSpec, said: Vec<(String, Value)>) -> Result<Self, BadCommand> {
        for (n, (name, value)) in said.iter().enumerate() {
            let unknown = || BadCommand::UnknownOption { command, option: name.clone() };
            let option = command.option(name).ok_or_else(unknown)?;
            if said[..n].iter().any(|(earlier, _)| earlier == name) {
                return Err(BadCommand::Twice(option.name));
            }
            let choices: Vec<String> = option.kind.choices().into_iter().map(|(id, _)| id).collect();
            if let Value::Text(text) = value
                && !choices.is_empty()
                && !choices.contains(text)
            {
                return Err(BadCommand::NotAChoice { option: option.name, said: text.clone(), choices });
            }
        }
        Ok(Self { command, said })
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.said.iter().position(|(said, _)| said == name)?;
        Some(self.said.swap_remove(at).1)
    }

    fn text(&mut self, name: &str) -> Option<String> {
        self.take(name).map(|value| match value {
            Value::Text(text) => text,
            Value::Person(person) => person.name,
        })
    }

    fn needed(&mut self, name: &'static str) -> Result<String, BadCommand> {
        let command = self.command;
        self.text(name).ok_or(BadCommand::Missing { command, option: name })
    }

    fn person(&mut self, name: &'static str) -> Result<Option<Person>, BadCommand> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Person(person)) => Ok(Some(person)),
            Some(Value::Text(said)) => Err(BadCommand::NotAChoice { option: name, said, choices: Vec::new() }),
        }
    }

    fn needed_person(&mut self, name: &'static str) -> Result<Person, BadCommand> {
        let command = self.command;
        self.person(name)?.ok_or(BadCommand::Missing { command, option: name })
    }

    fn game(&mut self) -> Result<Option<GameId>, BadCommand> {
        let Some(said) = self.text("game") else { return Ok(None) };
        match said.trim().trim_start_matches('#').parse() {
            Ok(number) => Ok(Some(GameId(number))),
            Err(_) => Err(BadCommand::NotAChoice { option: "game", said, choices: Vec::new() }),
        }
    }
}
