//! The rules of tafl: which moves are legal, what they capture and how a game ends. Pure: no clock, no randomness, no
//! files.
//!
//! | question | file |
//! |---|---|
//! | What can differ between games? | [`rules`] |
//! | Which games are there? | [`variants`] |
//! | Which squares and pieces are there? | [`square`], [`piece`], `geometry` |
//! | Where do the pieces stand? | [`position`], [`setup`] |
//! | Which moves are legal, and why is one not? | [`moves`], [`illegal_move`] |
//! | What does a move do? | [`apply`] |
//! | What does a position threaten? | `threats` |
//! | What happened before, and who must vary? | [`record`], [`plies`], [`repetition`] |
//! | How are moves and games written? | [`notation`], [`opentafl`] |
//! | How many continuations are there? | `perft` |
//!
//! [`Rules`] are options, a [`Rulebook`] answers by them about one [`Position`], and a [`Record`] is a whole game:
//!
//! ```
//! use ratatosk::rules::{Outcome, Side, Variant};
//!
//! let variant = Variant::find("ard-ri").unwrap();
//! let mut game = variant.new_record(variant.default_layout());
//! for typed in ["a4-a7", "c4-c7", "b4-b1", "Kd4-b4", "d1-c1", "b4-a4"] {
//!     game.play_typed(typed)?;
//! }
//! let outcome = game.outcome().unwrap();
//! assert_eq!((outcome, outcome.winner()), (Outcome::KingEscaped, Some(Side::Defenders)));
//! # Ok::<(), ratatosk::rules::IllegalMove>(())
//! ```

pub mod apply;
pub mod illegal_move;
pub mod moves;
pub mod notation;
pub mod opentafl;
pub mod piece;
pub mod plies;
pub mod position;
pub mod record;
pub mod repetition;
#[expect(clippy::module_inception, reason = "the file is named after its type, as the module is")]
pub mod rules;
pub mod setup;
pub mod square;
pub mod variants;

mod geometry;
mod perft;
#[cfg(test)]
mod random;
mod rulebook;
mod threats;

pub use apply::{Outcome, Played};
pub use illegal_move::IllegalMove;
pub use moves::Move;
pub use notation::WrittenMove;
pub use piece::{Piece, PieceSet, Side};
pub use plies::Plies;
pub use position::Position;
pub use record::{Candidate, Record};
pub use repetition::{Basis, Consequence, Repetition, Verdict};
pub use rulebook::Rulebook;
pub use rules::Rules;
pub use setup::{BadSetup, Setup};
pub use square::{Square, SquareSet};
pub use variants::{Layout, VARIANTS, Variant};
