//! A slow, obvious, independent reference implementation ("oracle") of six tafl games.
//!
//! It is written to be read by somebody who knows tafl and wants to check that the rules were
//! understood. A board is a map from squares to men; every rule is one small function, named after
//! the rule, with the rule above it. Nothing here is fast, and nothing here is shared with the core
//! that it checks.
//!
//! | file | question |
//! |---|---|
//! | `board.rs` | what is a square, a man, a board; how is a position written |
//! | `variants.rs` | how do the six games differ (the tables of the rules, as data) |
//! | `moves.rs` | which moves are legal |
//! | `captures.rs` | which men does a move take |
//! | `king.rs` | is the king taken |
//! | `endings.rs` | what happens when a move is played, and is the game over |
//! | `repetition.rs` | who is the aggressor when a position occurs for the third time |
//!
//! Positions that no game can reach (a man on the throne, a king who stood on a winning square
//! before the move) are answered by the letter of the rules, too; the comments say how.

// A test that includes this module uses only the part of it that it needs.
#![allow(dead_code, unused_imports)]

mod board;
mod captures;
mod endings;
mod king;
mod moves;
mod repetition;
mod variants;

pub use board::{Board, Piece, Side, Square};
pub use endings::{Played, Reason, play};
pub use moves::legal_moves;
pub use repetition::{Basis, Freedom, Verdict, is_way_out, judge};
pub use variants::{
    Goal, Hostile, KingInDanger, KingMoves, KingOnTheEdge, NoLegalMove, Rules, ThirdOccurrence, rules, start,
};
