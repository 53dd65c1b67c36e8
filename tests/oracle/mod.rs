//! A slow, obvious, independent reference implementation ("oracle") of tafl games.
//!
//! It is written for readers who know tafl and want to check that the rules were understood. A board
//! is a map from squares to pieces; every rule is one small function, named after the rule, with the
//! rule above it. Nothing here is fast, and nothing here is shared with the code that it checks.
//!
//! | file | question |
//! |---|---|
//! | `board.rs` | what is a square, a piece, a board; how is a position written |
//! | `variants.rs` | how do the games differ (the tables of the rules, as data) |
//! | `moves.rs` | which moves are legal |
//! | `captures.rs` | which pieces does a move capture |
//! | `king.rs` | is the king captured |
//! | `endings.rs` | what happens when a move is played, and is the game over |
//! | `repetition.rs` | who is the aggressor when a position occurs for the third time |
//!
//! Positions that no game can reach (a defender on the throne, a king who stood on a winning square
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
pub use endings::{Played, Reason, play_legal_move};
pub use moves::legal_moves;
pub use repetition::{Basis, Freedom, Verdict, is_way_out, judge};
pub use variants::{GAMES, Goal, Hostile, KingInDanger, KingMoves, KingOnTheEdge, NoLegalMove, Rules, ThirdOccurrence};
