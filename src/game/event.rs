//! What happened, as it is kept until people have been told: game events and the bodies of outbox messages.

use super::challenge::ChallengeId;
use super::game::Game;
use super::ids::{GameId, PlayerId};
use super::offers::OfferKind;
use super::result::GameResult;
use super::time::Timestamp;
use crate::rules::Side;
use serde::{Deserialize, Serialize};

/// Something that happened in a game and that people are told.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum GameEvent {
    /// The game began.
    Began,
    /// A move was played; the ply is counted from 0.
    Moved {
        /// Which one.
        ply: usize,
    },
    /// Something was offered or asked for.
    Offered {
        /// What.
        kind: OfferKind,
        /// By whom.
        by: Side,
    },
    /// It was refused, by a word or by moving on.
    Declined {
        /// What.
        kind: OfferKind,
        /// Who refused.
        by: Side,
    },
    /// The one who asked has moved on.
    Withdrawn {
        /// What.
        kind: OfferKind,
        /// By whom.
        by: Side,
    },
    /// Moves were taken back.
    TookBack {
        /// How many plies.
        plies: usize,
        /// On whose request.
        by: Side,
    },
    /// The player whose turn it is got more time.
    TimeGiven {
        /// Until when he may think now.
        deadline: Timestamp,
    },
    /// A player's time runs out soon.
    Reminder {
        /// Whose.
        player: PlayerId,
        /// When.
        deadline: Timestamp,
    },
    /// A player's time is up, and the opponent may claim the win.
    TimeUp {
        /// Whose.
        late: Side,
    },
    /// The game is over.
    Ended {
        /// How.
        result: GameResult,
    },
}

/// What an outbox message is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Subject {
    /// A game.
    Game(GameId),
    /// A challenge.
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
}

/// What an outbox message tells. It keeps what happened, not its words: those are chosen when it is delivered.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutboxBody {
    /// Something happened in a game.
    Game(GameNotice),
    /// A challenge was made.
    Challenged,
    /// A challenge was declined, withdrawn or has expired.
    ChallengeClosed,
    /// A game goes on in another place, because its own is gone.
    Relocated {
        /// The version that the game got by moving.
        version: u64,
    },
}

/// What happened in a game, with enough of the game to tell later whether it still holds.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct GameNotice {
    /// What happened, in order.
    pub events: Vec<GameEvent>,
    /// How many plies the game had afterwards.
    pub plies: usize,
    /// What a moderator has to say about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The last move at that time. It may be taken back, and another one made, before the message is posted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_move: Option<String>,
    /// The position at that time: the same move may have led to another one since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
}

impl OutboxBody {
    /// Tells that a game began.
    #[must_use]
    pub fn began() -> Self {
        Self::Game(GameNotice { events: vec![GameEvent::Began], ..GameNotice::default() })
    }

    /// Tells what has just happened in a game, with the words of a moderator if one did it.
    #[must_use]
    pub fn of(events: &[GameEvent], game: &Game, reason: Option<String>) -> Self {
        let plies = game.record.plies();
        Self::Game(GameNotice {
            events: events.to_vec(),
            plies: plies.len(),
            reason,
            last_move: plies.last().map(|played| played.mv.to_string()),
            position: Some(game.record.book().write_position(game.record.position())),
        })
    }

    /// Returns the player whom this reminds, if it is nothing but a reminder.
    #[must_use]
    pub fn reminded_player(&self) -> Option<PlayerId> {
        match self {
            Self::Game(GameNotice { events, .. }) => match events.as_slice() {
                [GameEvent::Reminder { player, .. }] => Some(*player),
                _ => None,
            },
            _ => None,
        }
    }

    /// Tells whether this is the beginning of a game.
    #[must_use]
    pub fn is_beginning(&self) -> bool {
        matches!(self, Self::Game(notice) if notice.events.contains(&GameEvent::Began))
    }
}
