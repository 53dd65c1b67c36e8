//! What a player can do in a game.

use super::offers::OfferKind;
use crate::rules::WrittenMove;

/// What a player can do in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Play a move.
    Move {
        written: WrittenMove,
        /// Whether the player has confirmed a move that repeats a position for the third time.
        confirmed: bool,
    },
    Resign,
    /// Make an offer, or accept the opponent's offer of the same kind.
    Offer(OfferKind),
    Accept(OfferKind),
    Decline(OfferKind),
    /// Call the game off, which is possible until both sides have moved.
    Abort,
    /// Claim the win because the opponent's time is up.
    ClaimTime,
    /// Give the opponent the time of one more move.
    GiveTime,
}
