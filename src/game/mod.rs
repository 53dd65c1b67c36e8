//! Games that live for days: challenges, moves, offers and clocks. Pure: time and dice come in as arguments.
//!
//! | question | file |
//! |---|---|
//! | Who, where, when? | [`ids`], [`time`] |
//! | How does a game begin? | [`challenge`] |
//! | How long may a player think? | [`clock`] |
//! | What is offered, and may it be offered again? | [`offers`] |
//! | What can a player do, and what comes of it? | [`action`], [`game`] |
//! | Why not? | [`refusal`] |
//!
//! [`Game::act`] is the only place that decides what a player may do, [`Game::tick`] the only one that decides what time
//! does, and one function ends a game, whatever the cause.

pub mod action;
pub mod challenge;
pub mod clock;
pub mod event;
#[expect(clippy::module_inception, reason = "the type it is about has the name of the room")]
pub mod game;
pub mod ids;
pub mod offers;
pub mod refusal;
pub mod settings;
pub mod time;

pub use action::{Action, Change, ClockChange};
pub use challenge::{Challenge, ChallengeId, ChallengeState, Proposal, SidePreference};
pub use clock::{Clock, Pace};
pub use event::{GameEvent, GameNotice, OutboxBody, Subject};
pub use game::{Ending, Game, GameResult, Start};
pub use ids::{GameId, Place, PlayerId, Players};
pub use offers::{OfferKind, Offers};
pub use refusal::Refusal;
pub use settings::{BotPermissions, PlayerSettings, Reminders, ServerSettings};
pub use time::{Seconds, Timestamp};
