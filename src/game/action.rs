//! What a player can do in a game, and what comes of it.

use super::clock::Clock;
use super::event::GameEvent;
use super::game::{Game, Start};
use super::offers::OfferKind;
use crate::rules::Move;

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
    pub events: Vec<GameEvent>,
    /// The game that begins because of it.
    pub rematch: Option<Start>,
    /// What it does to the clock. Kept apart from the board, so that only a change of the clock writes the clock.
    pub clock: ClockChange,
}

/// What a change does to the clock of its game.
///
/// The clock can change without a new version of the game: by a reminder, or because a place is there again. A
/// change that relies on a clock therefore says which one, and the store refuses it if the clock has changed by then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockChange {
    /// Leaves the clock alone, whatever it shows.
    None,
    /// Leaves the clock alone, but was decided by what this clock shows.
    ReliesOn(Clock),
    /// Replaces this clock by that of the changed game.
    Replaces(Clock),
}
