//! What a player can do in a game, and what comes of it.

use super::game::{Game, GameResult, Start};
use super::ids::PlayerId;
use super::offers::OfferKind;
use super::time::Timestamp;
use crate::rules::{Move, Side};
use serde::{Deserialize, Serialize};

/// What a player can do in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Play a move.
    Move {
        /// The move.
        mv: Move,
        /// Whether the player knows that it brings a position about for the third time.
        confirmed: bool,
    },
    /// Give up.
    Resign,
    /// Offer or ask for something; if the opponent has offered the same, accept it.
    Offer(OfferKind),
    /// Accept what was offered.
    Accept(OfferKind),
    /// Refuse what was offered.
    Decline(OfferKind),
    /// Call the game off while not both have moved.
    Abort,
    /// Take the win because the opponent's time is up.
    ClaimTime,
    /// Give the opponent one more pace.
    GiveTime,
}

/// A game as it is after something happened, with what there is to tell.
#[derive(Clone, Debug)]
pub struct Change {
    /// The game afterwards, its version one higher; the same after a mere reminder, which changes nothing on the board.
    pub game: Game,
    /// What happened, in order.
    pub news: Vec<GameEvent>,
    /// The game that begins because of it.
    pub rematch: Option<Start>,
}

/// Something that happened in a game and that people are told.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "news", rename_all = "kebab-case")]
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
