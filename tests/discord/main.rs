//! The bot on a stand-in for Discord, with people who play on it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod clocks;
mod endings;
mod evening;
mod games;
mod in_process;
mod notes;
mod operator;
mod proof;
mod registered;
mod running;
mod settings;
mod standin;
mod trouble;
