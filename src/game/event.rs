//! Events of a game, and the bodies of the outbox messages that announce them.

use super::challenge::ChallengeId;
use super::ids::{GameId, PlayerId};
use super::offers::OfferKind;
use super::result::GameResult;
use super::time::Timestamp;
use crate::rules::Side;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Something that happened in a game and that is announced.
///
/// Stored as JSON in outbox messages, so names in JSON never change.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum GameEvent {
    Began,
    Moved {
        /// Its ply, counted from 0.
        ply: usize,
    },
    /// An offer was made.
    Offered {
        kind: OfferKind,
        by: Side,
    },
    /// An offer was declined, explicitly or by moving instead.
    Declined {
        kind: OfferKind,
        by: Side,
    },
    /// An offer ended because its maker moved, or because the position it was made in was taken back.
    Withdrawn {
        kind: OfferKind,
        by: Side,
    },
    /// Moves were taken back.
    TookBack {
        /// How many plies.
        plies: usize,
        /// The side that asked for it.
        by: Side,
    },
    /// The player to move was given more time.
    TimeGiven {
        deadline: Timestamp,
    },
    /// The time of the player to move runs out soon.
    Reminder {
        player: PlayerId,
        /// When it runs out.
        deadline: Timestamp,
    },
    /// The time of the side to move is up, and the opponent may claim the win.
    TimeUp {
        /// The side whose time is up.
        late: Side,
    },
    Ended {
        result: GameResult,
    },
}

impl GameEvent {
    /// Describes events for the log, in one line.
    #[must_use]
    pub fn summary(events: &[Self]) -> String {
        events.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

/// Writes a few words for the log, without names.
impl fmt::Display for GameEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Began => f.write_str("began"),
            Self::Moved { ply } => write!(f, "move {} played", ply + 1),
            Self::Offered { kind, by } => write!(f, "{} offered by the {}", kind.id(), by.id()),
            Self::Declined { kind, by } => write!(f, "{} declined by the {}", kind.id(), by.id()),
            Self::Withdrawn { kind, by } => write!(f, "{} offer of the {} withdrawn", kind.id(), by.id()),
            Self::TookBack { plies: 1, by } => write!(f, "1 ply taken back for the {}", by.id()),
            Self::TookBack { plies, by } => write!(f, "{plies} plies taken back for the {}", by.id()),
            Self::TimeGiven { .. } => f.write_str("more time given"),
            Self::Reminder { .. } => f.write_str("reminder"),
            Self::TimeUp { late } => write!(f, "time of the {} is up", late.id()),
            Self::Ended { result } => match result.winner() {
                Some(winner) => write!(f, "ended ({}), the {} won", result.ending(), winner.id()),
                None => write!(f, "ended ({})", result.ending()),
            },
        }
    }
}

/// What an outbox message is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Subject {
    Game(GameId),
    Challenge(ChallengeId),
}

impl Subject {
    /// Returns the game, if the message is about one.
    #[must_use]
    pub const fn game(self) -> Option<GameId> {
        match self {
            Self::Game(game) => Some(game),
            Self::Challenge(_) => None,
        }
    }

    /// Returns the challenge, if the message is about one.
    #[must_use]
    pub const fn challenge(self) -> Option<ChallengeId> {
        match self {
            Self::Game(_) => None,
            Self::Challenge(challenge) => Some(challenge),
        }
    }

    /// Returns the number of the game or that of the challenge, for the log.
    #[must_use]
    pub fn log_ids(self) -> (Option<u64>, Option<u64>) {
        (self.game().map(|game| game.0), self.challenge().map(|challenge| challenge.0))
    }
}

/// The content of an outbox message: what it is about, and what happened. It has no text: the text is made when the
/// message is delivered.
///
/// ```
/// use ratatosk::game::{GameId, OutboxBody, Subject};
///
/// let body = OutboxBody::began(GameId(42));
/// assert_eq!(body.subject(), Subject::Game(GameId(42)));
/// assert_eq!(body.reminded_player(), None);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OutboxBody {
    Game(GameId, GameMessage),
    Challenge(ChallengeId, ChallengeMessage),
}

/// What an outbox message says about a game.
///
/// Stored as JSON, so names in JSON never change.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GameMessage {
    /// Something happened in the game.
    #[serde(rename = "game")]
    Notice(GameNotice),
    /// The game continues in another place, because its own was deleted.
    Relocated {
        /// The version of the game after it was relocated.
        version: u64,
    },
}

/// What an outbox message says about a challenge.
///
/// Stored as JSON, so names in JSON never change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ChallengeMessage {
    #[serde(rename = "challenged")]
    Made,
    /// It was declined or withdrawn, or has expired.
    #[serde(rename = "challenge-closed")]
    Closed,
}

/// What happened in a game, with enough of the game to see at delivery whether it has moved on since.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct GameNotice {
    /// What happened, in order.
    pub events: Vec<GameEvent>,
    /// How many plies the game had afterwards.
    pub plies: usize,
    /// The reason that a moderator gave for ending the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The last move at that time. It may be taken back before the message is posted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_move: Option<String>,
    /// The position at that time: after a takeback the same move can lead to another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
}

impl GameNotice {
    /// Returns the notice that a game began.
    #[must_use]
    pub fn began() -> Self {
        Self { events: vec![GameEvent::Began], ..Self::default() }
    }
}

impl OutboxBody {
    /// Returns the body of the message that a game began.
    #[must_use]
    pub fn began(game: GameId) -> Self {
        Self::Game(game, GameMessage::Notice(GameNotice::began()))
    }

    #[must_use]
    pub const fn subject(&self) -> Subject {
        match self {
            Self::Game(game, _) => Subject::Game(*game),
            Self::Challenge(challenge, _) => Subject::Challenge(*challenge),
        }
    }

    /// Returns the player who is reminded, if the message is a reminder and nothing else.
    #[must_use]
    pub fn reminded_player(&self) -> Option<PlayerId> {
        match self.notice()?.events.as_slice() {
            [GameEvent::Reminder { player, .. }] => Some(*player),
            _ => None,
        }
    }

    /// Returns whether this announces the beginning of a game.
    #[must_use]
    pub fn is_beginning(&self) -> bool {
        self.notice().is_some_and(|notice| notice.events.contains(&GameEvent::Began))
    }

    /// Returns what happened in a game, unless it was only relocated.
    #[must_use]
    pub const fn notice(&self) -> Option<&GameNotice> {
        match self {
            Self::Game(_, GameMessage::Notice(notice)) => Some(notice),
            Self::Game(_, GameMessage::Relocated { .. }) | Self::Challenge(..) => None,
        }
    }
}
