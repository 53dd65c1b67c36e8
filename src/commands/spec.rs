//! The catalogue: every command, its options and its help. Discord and the local table both read it.

use crate::board_view::Theme;
use crate::game::{Pace, Reminders, SidePreference};
use crate::rules::VARIANTS;

/// A command.
#[derive(Debug, PartialEq, Eq)]
pub struct CommandSpec {
    /// What is typed after the slash.
    pub name: &'static str,
    /// What it does, in a few words.
    pub help: &'static str,
    /// What can be said with it, what is needed first.
    pub options: &'static [OptionSpec],
    /// Where it can be used.
    pub place: CommandScope,
    /// Whether it is for those who manage the server.
    pub moderators: bool,
}

/// Where a command can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandScope {
    /// In a server and in a direct message with the bot.
    Anywhere,
    /// Only in a server.
    Server,
}

const fn anywhere(name: &'static str, help: &'static str, options: &'static [OptionSpec]) -> CommandSpec {
    CommandSpec { name, help, options, place: CommandScope::Anywhere, moderators: false }
}

const fn for_moderators(name: &'static str, help: &'static str, options: &'static [OptionSpec]) -> CommandSpec {
    CommandSpec { name, help, options, place: CommandScope::Server, moderators: true }
}

const fn in_server(name: &'static str, help: &'static str, options: &'static [OptionSpec]) -> CommandSpec {
    CommandSpec { name, help, options, place: CommandScope::Server, moderators: false }
}

/// Something that can be said with a command.
#[derive(Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// Its name.
    pub name: &'static str,
    /// What it means, in a few words.
    pub help: &'static str,
    /// What can be said.
    pub kind: OptionKind,
    /// Whether it has to be said.
    pub required: bool,
}

/// What can be said for an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// A game, such as `brandubh`.
    Variant,
    /// A way to set the men up; completes, because it depends on the game.
    Layout,
    /// A side, or whatever the dice say.
    Side,
    /// Days for a move.
    Pace,
    /// A person.
    Player,
    /// The number of a game; completes.
    Game,
    /// The number of anybody's game that goes on here; completes.
    AnyGame,
    /// A move; completes.
    Move,
    /// A picture or text.
    BoardForm,
    /// How boards are painted.
    Theme,
    /// On or off.
    Switch,
    /// How one is reminded.
    Reminders,
    /// From which side the board is seen.
    View,
    /// Words.
    Words,
}

impl OptionKind {
    /// Gives everything that can be said, as what is meant and what is shown; nothing if it is not a short list.
    #[must_use]
    pub fn choices(self) -> Vec<(String, String)> {
        let pair = |id: &str, label: &str| (id.to_owned(), label.to_owned());
        match self {
            Self::Variant => VARIANTS.iter().map(|variant| pair(variant.id, variant.name)).collect(),
            Self::Side => SidePreference::ALL.iter().map(|command| pair(command.id(), command.id())).collect(),
            Self::Pace => Pace::ALL.iter().map(|pace| (pace_id(*pace), pace_label(*pace))).collect(),
            Self::BoardForm => vec![pair("picture", "picture"), pair("text", "text")],
            Self::Theme => Theme::ALL.iter().map(|theme| pair(theme.id(), theme.id())).collect(),
            Self::Switch => vec![pair("on", "on"), pair("off", "off")],
            Self::Reminders => Reminders::ALL.iter().map(|way| pair(way.id(), way.id())).collect(),
            Self::View => vec![pair("upright", "rank 1 below"), pair("flipped", "rank 1 above")],
            Self::Layout | Self::Player | Self::Game | Self::AnyGame | Self::Move | Self::Words => Vec::new(),
        }
    }

    /// Tells whether it is completed while it is typed.
    #[must_use]
    pub const fn completes(self) -> bool {
        matches!(self, Self::Layout | Self::Game | Self::AnyGame | Self::Move)
    }
}

/// Names a pace as commands do: `3`, or `none`.
#[must_use]
pub fn pace_id(pace: Pace) -> String {
    pace.days().map_or_else(|| String::from("none"), |days| days.to_string())
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

const fn needed(name: &'static str, kind: OptionKind, help: &'static str) -> OptionSpec {
    OptionSpec { name, help, kind, required: true }
}

const GAME: OptionSpec =
    option("game", OptionKind::Game, "The number of the game; needed only where several could be meant");

/// How many characters words may have.
pub const LONGEST_WORDS: usize = 200;

/// Every command.
pub static COMMANDS: &[CommandSpec] = &[
    in_server(
        "challenge",
        "Challenge somebody, or anybody, to a game",
        &[
            needed("variant", OptionKind::Variant, "Which game"),
            option("opponent", OptionKind::Player, "Whom; leave it out to let anybody accept"),
            option("layout", OptionKind::Layout, "How the men are set up"),
            option("side", OptionKind::Side, "Which side you want"),
            option("pace", OptionKind::Pace, "How long a move may take; 3 days if you do not say"),
        ],
    ),
    anywhere(
        "move",
        "Make a move, such as d1-d4",
        &[needed("move", OptionKind::Move, "From where to where, such as d1-d4"), GAME],
    ),
    anywhere(
        "board",
        "Show the board of a game",
        &[GAME, option("as", OptionKind::BoardForm, "As a picture or as text")],
    ),
    anywhere(
        "games",
        "List running games, those that wait for you first",
        &[option("player", OptionKind::Player, "Whose games; yours if you do not say")],
    ),
    anywhere("challenges", "List the challenges made to you, by you, and open to all here", &[]),
    anywhere("resign", "Give up a game; asks first", &[GAME]),
    anywhere("draw", "Offer a draw, or accept the one that was offered", &[GAME]),
    anywhere("takeback", "Ask to take your last move back, or grant it", &[GAME]),
    anywhere("abort", "Call a game off while not both have moved", &[GAME]),
    anywhere("claim", "Claim the win when your opponent's time is up", &[GAME]),
    anywhere("rematch", "Offer to play again with the sides swapped, or accept it", &[GAME]),
    anywhere(
        "block",
        "Accept no challenges and rematches from somebody",
        &[needed("player", OptionKind::Player, "Whom to block")],
    ),
    anywhere(
        "unblock",
        "Accept challenges from somebody again",
        &[needed("player", OptionKind::Player, "Whom to unblock")],
    ),
    anywhere(
        "rules",
        "Explain the rules of a game",
        &[option("variant", OptionKind::Variant, "Which game; the one played here if you do not say")],
    ),
    anywhere("history", "Go through the moves of a game and get its record", &[GAME]),
    anywhere(
        "preferences",
        "Say how you want to be reminded and how boards look to you",
        &[
            option("reminders", OptionKind::Reminders, "In the game's channel, by direct message, or not at all"),
            option("theme", OptionKind::Theme, "How boards are painted for you alone"),
            option("view", OptionKind::View, "From which side you see the board"),
            option("board", OptionKind::BoardForm, "As a picture or as text"),
        ],
    ),
    for_moderators(
        "settings",
        "Say how games are played in this server",
        &[
            option("theme", OptionKind::Theme, "How boards are painted"),
            option("threads", OptionKind::Switch, "Whether each game has its own thread"),
            option("pace", OptionKind::Pace, "How long a move may take if nobody says"),
        ],
    ),
    for_moderators(
        "end-game",
        "End a game without a result",
        &[
            needed("game", OptionKind::AnyGame, "The number of the game"),
            needed("reason", OptionKind::Words, "Why; both players are told"),
        ],
    ),
    in_server("doctor", "Check what I may do here and what is missing", &[]),
    anywhere("privacy", "Tell what is kept about you", &[]),
    anywhere("forget-me", "Have everything about you forgotten; asks first", &[]),
    anywhere("help", "Explain what you can do here", &[]),
];

impl CommandSpec {
    /// Finds a command by its name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        COMMANDS.iter().find(|command| command.name == name)
    }

    /// Finds an option of the command by its name.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<&'static OptionSpec> {
        self.options.iter().find(|option| option.name == name)
    }
}
