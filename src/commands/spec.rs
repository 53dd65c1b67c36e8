//! The catalogue: every command with its options, its help and its parse function. Discord and the terminal both read
//! it.

use std::fmt;

use super::command::{Command, GameCommand};
use super::parse::{self, BadCommand, OptionValues};
use crate::board_view::Theme;
use crate::game::{OfferKind, Pace, Reminders, SidePreference};
use crate::rules::{VARIANTS, Variant};

/// Turns the checked options of a command into the command.
type ParseFn = fn(&mut OptionValues) -> Result<Command, BadCommand>;

/// A command as it is listed, registered and parsed.
pub struct CommandSpec {
    /// The name, which is typed after the slash.
    pub name: &'static str,
    /// What it does, in a few words.
    pub help: &'static str,
    /// The options, required ones first.
    pub options: &'static [OptionSpec],
    /// Where it can be used.
    pub scope: CommandScope,
    /// Whether only people who manage the server may use it.
    pub moderators_only: bool,
    pub(super) parse: ParseFn,
}

impl PartialEq for CommandSpec {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for CommandSpec {}

impl fmt::Debug for CommandSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}", self.name)
    }
}

/// Where a command can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandScope {
    /// In a server and in a direct message with the bot.
    Anywhere,
    /// Only in a server.
    Server,
}

/// An option of a command.
#[derive(Debug, PartialEq, Eq)]
pub struct OptionSpec {
    pub name: &'static str,
    /// What it means, in a few words.
    pub help: &'static str,
    /// The values that it takes.
    pub kind: OptionKind,
    /// Whether the command needs it.
    pub required: bool,
}

/// The values that an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// A variant, such as `brandubh`.
    Variant,
    /// A layout of the variant; completed while typing.
    Layout,
    /// A side, or a random one.
    Side,
    /// Days for a move.
    Pace,
    /// A person.
    Player,
    /// The number of one of the player's games; completed while typing.
    Game,
    /// The number of any game that is played here; completed while typing.
    AnyGame,
    /// A move; completed while typing.
    Move,
    /// A picture or text.
    BoardForm,
    /// A theme of board pictures.
    Theme,
    /// On or off.
    Switch,
    /// Where a player is reminded.
    Reminders,
    /// Which way up the board is.
    View,
    /// Any text, at most [`MAX_FREE_TEXT`] characters long.
    FreeText,
}

impl OptionKind {
    /// Returns the id and the label of every choice; nothing if the values are not a short list.
    #[must_use]
    pub fn choices(self) -> Vec<(String, String)> {
        let pair = |id: &str, label: &str| (id.to_owned(), label.to_owned());
        match self {
            Self::Variant => VARIANTS.iter().map(|variant| pair(variant.id, variant.name)).collect(),
            Self::Side => SidePreference::ALL.iter().map(|side| pair(side.id(), side.id())).collect(),
            Self::Pace => Pace::ALL.iter().map(|pace| (pace.id(), pace_label(*pace))).collect(),
            Self::BoardForm => vec![pair("picture", "picture"), pair("text", "text")],
            Self::Theme => Theme::ALL.iter().map(|theme| pair(theme.id(), theme.id())).collect(),
            Self::Switch => vec![pair("on", "on"), pair("off", "off")],
            Self::Reminders => Reminders::ALL.iter().map(|reminders| pair(reminders.id(), reminders.id())).collect(),
            Self::View => vec![pair("upright", "rank 1 below"), pair("flipped", "rank 1 above")],
            Self::Layout | Self::Player | Self::Game | Self::AnyGame | Self::Move | Self::FreeText => Vec::new(),
        }
    }

    /// Returns whether values are suggested while the player types.
    #[must_use]
    pub const fn has_autocomplete(self) -> bool {
        match self {
            Self::Layout | Self::Game | Self::AnyGame | Self::Move => true,
            Self::Variant
            | Self::Side
            | Self::Pace
            | Self::Player
            | Self::BoardForm
            | Self::Theme
            | Self::Switch
            | Self::Reminders
            | Self::View
            | Self::FreeText => false,
        }
    }
}

fn pace_label(pace: Pace) -> String {
    match pace.days() {
        None => String::from("no limit"),
        Some(1) => String::from("1 day a move"),
        Some(days) => format!("{days} days a move"),
    }
}

const fn option(name: &'static str, kind: OptionKind, help: &'static str) -> OptionSpec {
    OptionSpec { name, help, kind, required: false }
}

const fn required(name: &'static str, kind: OptionKind, help: &'static str) -> OptionSpec {
    OptionSpec { name, help, kind, required: true }
}

const GAME: OptionSpec =
    option("game", OptionKind::Game, "The number of the game; needed only where several could be meant");

/// The number of characters that free text may have.
pub const MAX_FREE_TEXT: usize = 200;

const fn anywhere(
    name: &'static str,
    help: &'static str,
    options: &'static [OptionSpec],
    parse: ParseFn,
) -> CommandSpec {
    CommandSpec { name, help, options, scope: CommandScope::Anywhere, moderators_only: false, parse }
}

const fn in_server(
    name: &'static str,
    help: &'static str,
    options: &'static [OptionSpec],
    parse: ParseFn,
) -> CommandSpec {
    CommandSpec { name, help, options, scope: CommandScope::Server, moderators_only: false, parse }
}

const fn for_moderators(
    name: &'static str,
    help: &'static str,
    options: &'static [OptionSpec],
    parse: ParseFn,
) -> CommandSpec {
    CommandSpec { name, help, options, scope: CommandScope::Server, moderators_only: true, parse }
}

/// Every command.
pub static COMMANDS: &[CommandSpec] = &[
    in_server(
        "challenge",
        "Challenge somebody, or anybody, to a game",
        &[
            required("variant", OptionKind::Variant, "Which game"),
            option("opponent", OptionKind::Player, "Whom; leave it out to let anybody accept"),
            option("layout", OptionKind::Layout, "How the men are set up"),
            option("side", OptionKind::Side, "Which side you want"),
            option("pace", OptionKind::Pace, "How long a move may take; 3 days if you do not say"),
        ],
        parse::challenge,
    ),
    anywhere(
        "move",
        "Make a move, such as d1-d4",
        &[required("move", OptionKind::Move, "From where to where, such as d1-d4"), GAME],
        parse::make_move,
    ),
    anywhere(
        "board",
        "Show the board of a game",
        &[GAME, option("as", OptionKind::BoardForm, "As a picture or as text")],
        parse::board,
    ),
    anywhere(
        "games",
        "List running games, those that wait for you first",
        &[option("player", OptionKind::Player, "Whose games; yours if you do not say")],
        |options| Ok(Command::Games { player: options.person("player")? }),
    ),
    anywhere("challenges", "List the challenges made to you, by you, and open to all here", &[], |_| {
        Ok(Command::Challenges)
    }),
    anywhere("resign", "Give up a game; asks first", &[GAME], |options| {
        options.in_game(GameCommand::Resign { confirmed: false })
    }),
    anywhere("draw", "Offer a draw, or accept the one that was offered", &[GAME], |options| {
        options.in_game(GameCommand::Offer(OfferKind::Draw))
    }),
    anywhere("takeback", "Ask to take your last move back, or grant it", &[GAME], |options| {
        options.in_game(GameCommand::Offer(OfferKind::Takeback))
    }),
    anywhere("abort", "Call a game off while not both have moved", &[GAME], |options| {
        options.in_game(GameCommand::Abort)
    }),
    anywhere("claim", "Claim the win when your opponent's time is up", &[GAME], |options| {
        options.in_game(GameCommand::ClaimTime)
    }),
    anywhere("rematch", "Offer to play again with the sides swapped, or accept it", &[GAME], |options| {
        options.in_game(GameCommand::Offer(OfferKind::Rematch))
    }),
    anywhere(
        "block",
        "Accept no challenges and rematches from somebody",
        &[required("player", OptionKind::Player, "Whom to block")],
        |options| Ok(Command::Block(options.required_person("player")?)),
    ),
    anywhere(
        "unblock",
        "Accept challenges from somebody again",
        &[required("player", OptionKind::Player, "Whom to unblock")],
        |options| Ok(Command::Unblock(options.required_person("player")?)),
    ),
    anywhere(
        "rules",
        "Explain the rules of a game",
        &[option("variant", OptionKind::Variant, "Which game; the one played here if you do not say")],
        |options| Ok(Command::Rules { variant: options.text("variant").and_then(|id| Variant::find(&id)) }),
    ),
    anywhere("history", "Go through the moves of a game and get its record", &[GAME], |options| {
        options.in_game(GameCommand::History { ply: None, public: false })
    }),
    anywhere(
        "preferences",
        "Say how you want to be reminded and how boards look to you",
        &[
            option("reminders", OptionKind::Reminders, "In the game's channel, by direct message, or not at all"),
            option("theme", OptionKind::Theme, "How boards are painted for you alone"),
            option("view", OptionKind::View, "From which side you see the board"),
            option("board", OptionKind::BoardForm, "As a picture or as text"),
        ],
        parse::preferences,
    ),
    for_moderators(
        "settings",
        "Say how games are played in this server",
        &[
            option("theme", OptionKind::Theme, "How boards are painted"),
            option("threads", OptionKind::Switch, "Whether each game has its own thread"),
            option("pace", OptionKind::Pace, "How long a move may take if nobody says"),
        ],
        parse::settings,
    ),
    for_moderators(
        "end-game",
        "End a game without a result",
        &[
            required("game", OptionKind::AnyGame, "The number of the game"),
            required("reason", OptionKind::FreeText, "Why; both players are told"),
        ],
        parse::end_game,
    ),
    in_server("doctor", "Check what I may do here and what is missing", &[], |_| Ok(Command::Doctor)),
    anywhere("privacy", "Tell what is kept about you", &[], |_| Ok(Command::Privacy)),
    anywhere("forget-me", "Have everything about you forgotten; asks first", &[], |_| {
        Ok(Command::ForgetMe { confirmed: false })
    }),
    anywhere("help", "Explain what you can do here", &[], |_| Ok(Command::Help)),
];

impl CommandSpec {
    /// Returns the command with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        COMMANDS.iter().find(|command| command.name == name)
    }

    /// Returns the option with this name.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&'static OptionSpec> {
        self.options.iter().find(|option| option.name == name)
    }
}
