//! Games that live for days: challenges, moves, offers and clocks. Pure: time and coin tosses come in as arguments.
//!
//! | question | file |
//! |---|---|
//! | How are players, games, places and times identified? | [`ids`], [`time`] |
//! | How does a game begin? | [`challenge`], [`terms`] |
//! | How long may a player think? | [`clock`] |
//! | What is offered, and may it be offered again? | [`offers`]; [`game`] decides |
//! | What can a player do? | [`action`]; [`game`] decides |
//! | What changes? | [`change`] |
//! | Why is something refused? | [`refusal`] |
//! | How did it end, and who won? | [`result`] |
//! | What are people told? | [`event`] |
//! | What can servers and players set? | [`settings`] |
//! | What may the bot do in a channel? | [`permissions`] |
//!
//! [`Game::act`] decides what a player may do, and [`Game::tick`] what happens when time passes. Both return a [`Change`].
//!
//! ```
//! use ratatosk::game::{
//!     Action, ChannelId, Game, GameEvent, GameId, Pace, Place, PlayerId, Players, Refusal, GameTerms, Timestamp,
//! };
//! use ratatosk::rules::Variant;
//!
//! let variant = Variant::find("brandubh").unwrap();
//! let (ann, bo) = (PlayerId(1), PlayerId(2));
//! let terms = GameTerms {
//!     variant,
//!     layout: variant.default_layout(),
//!     rules: variant.rules,
//!     players: Players { attackers: ann, defenders: bo },
//!     pace: Pace::default(),
//!     place: Place { server: None, channel: ChannelId(1), thread: None },
//! };
//! let game = Game::begin(GameId(1), terms, Timestamp(0)).unwrap();
//! let written = game.record.read_move("d1-c1")?;
//! let change = game.act(ann, Action::Move { written, confirmed: false }, Timestamp(60))?;
//! assert_eq!(change.events, [GameEvent::Moved { ply: 0 }]);
//! assert_eq!(change.game.player_to_move(), Some(bo));
//! // The game itself is unchanged; the caller stores the change.
//! assert_eq!(game.act(bo, Action::ClaimTime, Timestamp(60)).unwrap_err(), Refusal::TimeNotUp { deadline: game.clock.deadline });
//! # Ok::<(), Refusal>(())
//! ```

pub mod action;
pub mod challenge;
pub mod change;
pub mod clock;
pub mod event;
#[expect(clippy::module_inception, reason = "the file is named after its type, as the module is")]
pub mod game;
pub mod ids;
pub mod offers;
pub mod permissions;
pub mod refusal;
pub mod result;
pub mod settings;
pub mod terms;
pub mod time;

pub use action::Action;
pub use challenge::{Challenge, ChallengeId, ChallengeState, Proposal, SidePreference};
pub use change::{Change, ClockChange};
pub use clock::{Clock, Pace};
pub use event::{ChallengeMessage, GameEvent, GameMessage, GameNotice, OutboxBody, Subject};
pub use game::Game;
pub use ids::{ChannelId, GameId, Place, PlaceLogFields, PlacePart, PlayerId, Players, ServerId};
pub use offers::{OfferKind, Offers};
pub use permissions::BotPermissions;
pub use refusal::Refusal;
pub use result::GameResult;
pub use settings::{PlayerSettings, Reminders, ServerSettings};
pub use terms::{CannotBegin, GameTerms};
pub use time::{Seconds, Timestamp};
