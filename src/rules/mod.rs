//! The rules of tafl: what is legal, what is taken and how a game ends. Pure: no clock, no dice, no files.
//!
//! | question | file |
//! |---|---|
//! | What can differ between games? | [`options`] |
//! | Which games are there? | [`variants`] |
//! | Which squares and men are there? | [`square`], [`men`], `geometry` |
//! | Where does everybody stand? | [`position`], [`setup`] |
//! | Where may a man go, and why not? | [`moves`], [`refusal`] |
//! | What does a move do? | [`play`] |
//! | Can a win be near? | `outlook` |
//! | What happened before, and who must vary? | [`record`], [`repetition`] |
//! | How is it written? | [`notation`], [`opentafl`] |
//! | How many ways are there? | `perft` |
//!
//! [`Rules`] are options, a [`Rulebook`] answers by them about one [`Position`], and a [`Record`] knows the whole game.

pub mod men;
pub mod moves;
pub mod notation;
pub mod opentafl;
pub mod options;
pub mod play;
pub mod position;
pub mod record;
pub mod refusal;
pub mod repetition;
pub mod setup;
pub mod square;
pub mod variants;

mod geometry;
mod outlook;
mod perft;
#[cfg(test)]
mod random;
mod rulebook;

pub use men::{Man, Men, Side};
pub use moves::Move;
pub use options::Rules;
pub use play::{Outcome, Played, Reason};
pub use position::Position;
pub use record::Record;
pub use refusal::Refusal;
pub use repetition::{Basis, Consequence, Recurrence, Verdict};
pub use rulebook::Rulebook;
pub use setup::{BadSetup, Setup};
pub use square::{Square, SquareSet};
pub use variants::{Layout, VARIANTS, Variant};
