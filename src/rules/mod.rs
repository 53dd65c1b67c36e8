//! The rules of tafl: what is legal, what is taken and how a game ends. Pure: no clock, no dice, no files.
//!
//! | question | file |
//! |---|---|
//! | What can differ between games? | [`rules`] |
//! | Which games are there? | [`variants`] |
//! | Which squares and men are there? | [`square`], [`piece`], `geometry` |
//! | Where does everybody stand? | [`position`], [`setup`] |
//! | Where may a man go, and why not? | [`moves`], [`refusal`] |
//! | What does a move do? | [`apply`] |
//! | Can a win be near? | `threats` |
//! | What happened before, and who must vary? | [`record`], [`repetition`] |
//! | How is it written? | [`notation`], [`opentafl`] |
//! | How many ways are there? | `perft` |
//!
//! [`Rules`] are options, a [`Rulebook`] answers by them about one [`Position`], and a [`Record`] knows the whole game.

pub mod apply;
pub mod moves;
pub mod notation;
pub mod opentafl;
pub mod piece;
pub mod position;
pub mod record;
pub mod refusal;
pub mod repetition;
#[expect(clippy::module_inception, reason = "the type it is about has the name of the room")]
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

pub use apply::{Outcome, Played, Reason};
pub use moves::Move;
pub use piece::{Piece, PieceSet, Side};
pub use position::Position;
pub use record::Record;
pub use refusal::IllegalMove;
pub use repetition::{Basis, Consequence, Recurrence, Verdict};
pub use rulebook::Rulebook;
pub use rules::Rules;
pub use setup::{BadSetup, Setup};
pub use square::{Square, SquareSet};
pub use variants::{Layout, VARIANTS, Variant};
