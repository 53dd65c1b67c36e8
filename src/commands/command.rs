//! What a player can ask for, whether by a command, a button or a menu.

use crate::game::{
    ChallengeId, Game, GameId, OfferKind, Pace, PlayerId, PlayerSettings, ServerSettings, SidePreference,
};
use crate::rules::{Move, Square, Variant};
use std::fmt;

/// A person who uses a command or is named in one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Person {
    pub id: PlayerId,
    pub name: String,
    /// Whether the account belongs to a program.
    pub is_bot: bool,
    /// Whether the person can see the channel in which the command was used.
    pub can_see_channel: bool,
}

/// What a player asks for.
#[derive(Clone, Debug)]
pub enum Command {
    Challenge {
        variant: String,
        /// The opponent; anybody can accept if there is none.
        opponent: Option<Person>,
        layout: Option<String>,
        /// The side the challenger wants.
        side: Option<SidePreference>,
        /// How long a move may take.
        pace: Option<Pace>,
    },
    AnswerChallenge {
        challenge: ChallengeId,
        answer: ChallengeAnswer,
    },
    Challenges,
    /// Show one challenge with its buttons.
    ShowChallenge(ChallengeId),
    /// Do something in a game.
    InGame {
        /// The game, if it was named.
        game: Option<GameId>,
        /// The version of the game that a button belongs to.
        version: Option<u64>,
        game_command: GameCommand,
    },
    /// List games.
    Games {
        /// Whose games; the player's own if there is none.
        player: Option<Person>,
    },
    Block(Person),
    Unblock(Person),
    /// Show the rules.
    Rules {
        /// The variant; that of the game played here if there is none.
        variant: Option<&'static Variant>,
    },
    /// Show the settings of the server, and change those that are given.
    Settings(ServerSettings),
    /// Show the player's own settings, and change those that are given.
    Preferences(PlayerSettings),
    /// End a game of other players without a result.
    EndGame {
        game: GameId,
        reason: String,
    },
    /// Show which permissions the bot has here.
    Doctor,
    /// Show what is stored about players.
    Privacy,
    /// Delete everything about the player.
    ForgetMe {
        /// Whether the player has confirmed it.
        confirmed: bool,
    },
    /// Answer a question with "no".
    Cancel,
    Help,
}

/// An answer to a challenge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChallengeAnswer {
    /// Accept it, which begins a game.
    Accept,
    /// Decline it, as the opponent.
    Decline,
    /// Withdraw it, as the challenger.
    Withdraw,
}

/// Writes what was done, for the log.
impl fmt::Display for ChallengeAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Accept => "accepted",
            Self::Decline => "declined",
            Self::Withdraw => "withdrawn",
        })
    }
}

/// What a player can do in a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameCommand {
    Move {
        /// The move as it was typed.
        typed: String,
        /// Whether the player has confirmed a move that repeats a position for the third time.
        confirmed: bool,
    },
    /// Show the pieces that can move.
    ChoosePiece,
    /// Show where a piece can move to.
    ChooseSquare(Square),
    /// Show the board after a move, without making it.
    Preview(Move),
    /// Close the private menu without doing anything.
    Cancel,
    Resign {
        /// Whether the player has confirmed it.
        confirmed: bool,
    },
    /// Make an offer, or accept the opponent's offer of the same kind.
    Offer(OfferKind),
    Accept(OfferKind),
    Decline(OfferKind),
    Abort,
    ClaimTime,
    GiveTime,
    Board {
        /// Whether to show it as text; as the player prefers if there is none.
        text: Option<bool>,
        /// Whether everybody sees the answer.
        public: bool,
    },
    /// Show the game after a number of plies.
    History {
        /// The number of plies; the end of the game if there is none.
        ply: Option<usize>,
        /// Whether everybody sees the answer.
        public: bool,
    },
    Rules,
}

/// What a command in a game can do to the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum GameCommandKind {
    /// It only shows the game.
    View,
    /// It asks or answers a question before a change: which piece, which square, really resign, cancel.
    Dialog,
    Change,
}

impl GameCommand {
    /// Returns the command of a button that works only while the game is as it is now.
    #[must_use]
    pub const fn for_this_version(self, game: &Game) -> Command {
        Command::InGame { game: Some(game.id), version: Some(game.version), game_command: self }
    }

    /// Returns the command of a button that always works.
    #[must_use]
    pub const fn for_any_version(self, game: &Game) -> Command {
        Command::InGame { game: Some(game.id), version: None, game_command: self }
    }

    const fn kind(&self) -> GameCommandKind {
        match self {
            Self::Board { .. } | Self::History { .. } | Self::Rules => GameCommandKind::View,
            Self::ChoosePiece
            | Self::ChooseSquare(_)
            | Self::Preview(_)
            | Self::Cancel
            | Self::Resign { confirmed: false } => GameCommandKind::Dialog,
            Self::Move { .. }
            | Self::Resign { confirmed: true }
            | Self::Offer(_)
            | Self::Accept(_)
            | Self::Decline(_)
            | Self::Abort
            | Self::ClaimTime
            | Self::GiveTime => GameCommandKind::Change,
        }
    }

    /// Returns whether the command only shows a game, which people who do not play in it may ask for too.
    #[must_use]
    pub const fn is_view(&self) -> bool {
        matches!(self.kind(), GameCommandKind::View)
    }

    /// Returns whether the command can change a game.
    #[must_use]
    pub const fn changes_game(&self) -> bool {
        matches!(self.kind(), GameCommandKind::Change)
    }
}

impl Command {
    /// Returns whether a request with this command is recorded, so that the same request is not carried out twice.
    #[must_use]
    pub const fn is_recorded(&self) -> bool {
        match self {
            Self::Challenge { .. } | Self::AnswerChallenge { .. } | Self::EndGame { .. } => true,
            Self::InGame { game_command, .. } => game_command.changes_game(),
            Self::Challenges
            | Self::ShowChallenge(_)
            | Self::Games { .. }
            | Self::Block(_)
            | Self::Unblock(_)
            | Self::Rules { .. }
            | Self::Settings(_)
            | Self::Preferences(_)
            | Self::Doctor
            | Self::Privacy
            | Self::ForgetMe { .. }
            | Self::Cancel
            | Self::Help => false,
        }
    }
}
