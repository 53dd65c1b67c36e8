//! What a player can do in a game, and the change that results.

use super::clock::Clock;
use super::event::GameEvent;
use super::game::Game;
use super::ids::Place;
use super::offers::OfferKind;
use super::terms::GameTerms;
use crate::rules::Move;

/// What a player can do in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Play a move.
    Move {
        mv: Move,
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

/// What an action or the passing of time does to a game. The caller stores it.
#[derive(Clone, Debug)]
pub struct Change {
    /// The game afterwards. Its version is one higher, except after a reminder, which changes only the clock.
    pub game: Game,
    /// What happened, in order.
    pub events: Vec<GameEvent>,
    /// The rematch that begins, if an offered one was accepted.
    pub rematch: Option<GameTerms>,
    /// What happens to the clock. The store writes the clock only if this says so.
    pub clock: ClockChange,
    /// Whether the game goes on in another place. The store writes the place only if this says so.
    pub relocated: bool,
}

impl Change {
    /// Lets the game go on in another place.
    pub fn relocate_to(&mut self, place: Place) {
        self.game.terms.place = place;
        self.relocated = true;
    }

    /// Returns the move that was made, if one was.
    #[must_use]
    pub fn mv(&self) -> Option<Move> {
        self.events.iter().find_map(|event| match event {
            GameEvent::Moved { ply } => self.game.record.plies().get(*ply).map(|played| played.mv),
            _ => None,
        })
    }
}

/// What a change does to the clock of its game.
///
/// The clock can change without a new version of the game: by a reminder, or because a deleted channel is back. A
/// change that depends on the clock therefore carries the clock it was decided by, and the store refuses the change if
/// the stored clock is another one by then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockChange {
    /// Leaves the clock alone and does not depend on it.
    None,
    /// Leaves the clock alone, but was decided by this clock.
    ReliesOn(Clock),
    /// Replaces this clock by the one of the changed game.
    Replaces(Clock),
    /// Replaces this clock, and nothing else changes: the version stays, so that buttons that were posted before still work.
    ReplacesOnly(Clock),
}
