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
//! | How did it end, and who won? | [`result`] |
//!
//! [`Game::act`] is the only place that decides what a player may do, [`Game::tick`] the only one that decides what time
//! does, and one function ends a game, whatever the cause.
//!
//! ```
//! use ratatosk::game::{
//!     Action, ChannelId, Game, GameEvent, GameId, Pace, Place, PlayerId, Players, Refusal, Start, Timestamp,
//! };
//! use ratatosk::rules::Variant;
//!
//! let variant = Variant::find("brandubh").unwrap();
//! let (ann, bo) = (PlayerId(1), PlayerId(2));
//! let start = Start {
//!     variant,
//!     layout: variant.usual_layout(),
//!     rules: variant.rules,
//!     players: Players { attackers: ann, defenders: bo },
//!     pace: Pace::default(),
//!     place: Place { server: None, channel: ChannelId(1), thread: None },
//! };
//! let game = Game::begin(GameId(1), start, Timestamp(0)).unwrap();
//! let candidate = game.record.read("d1-c1").map_err(Refusal::from)?;
//! let change = game.play_candidate(ann, candidate, false, Timestamp(60))?;
//! assert_eq!(change.events, [GameEvent::Moved { ply: 0 }]);
//! assert_eq!(change.game.player_to_move(), Some(bo));
//! // The game itself is unchanged; the caller stores the change.
//! assert_eq!(game.act(bo, Action::ClaimTime, Timestamp(60)).unwrap_err(), Refusal::TimeNotUp { deadline: game.clock.deadline });
//! # Ok::<(), Refusal>(())
//! ```

pub mod action;
pub mod challenge;
pub mod clock;
pub mod event;
#[expect(clippy::module_inception, reason = "the type it is about has the name of the room")]
pub mod game;
pub mod ids;
pub mod offers;
pub mod refusal;
pub mod result;
pub mod settings;
pub mod time;

pub use action::{Action, Change, ClockChange};
pub use challenge::{Challenge, ChallengeId, ChallengeState, Proposal, SidePreference};
pub use clock::{Clock, Pace};
pub use event::{GameEvent, GameNotice, OutboxBody, Subject};
pub use game::{Game, Start};
pub use ids::{ChannelId, GameId, Place, PlacePart, PlayerId, Players, ServerId};
pub use offers::{OfferKind, Offers};
pub use refusal::Refusal;
pub use result::GameResult;
pub use settings::{BotPermissions, PlayerSettings, Reminders, ServerSettings};
pub use time::{Seconds, Timestamp};
