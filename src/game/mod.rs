//! Games that live for days: challenges, moves, offers and clocks. Pure: time and dice come in as arguments.
//!
//! | question | file |
//! |---|---|
//! | Who, where, when? | [`people`], [`time`] |
//! | How does a game begin? | [`challenge`] |
//! | How long may a player think? | [`clock`] |
//! | What is offered, and may it be offered again? | [`offers`] |
//! | What can a player do, and what comes of it? | [`action`], [`play`] |
//! | Why not? | [`refusal`] |
//!
//! [`Game::act`] is the only place that decides what a player may do, [`Game::tick`] the only one that decides what time
//! does, and one function ends a game, whatever the cause.

pub mod action;
pub mod challenge;
pub mod clock;
pub mod offers;
pub mod people;
pub mod play;
pub mod refusal;
pub mod taste;
pub mod time;

pub use action::{Action, Change, News};
pub use challenge::{Challenge, ChallengeId, ChallengeState, Proposal, SideWish};
pub use clock::{Clock, Pace};
pub use offers::{OfferKind, Offers};
pub use people::{GameId, Place, PlayerId, Players};
pub use play::{Ending, Game, GameResult, Start};
pub use refusal::Refusal;
pub use taste::{House, Reminders, Rights, Taste};
pub use time::{Moment, Span};
