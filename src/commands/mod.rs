//! The catalogue of commands: what a player can type, what it means, and how a button carries it.
//!
//! | question | file |
//! |---|---|
//! | Which commands and options are there? | [`spec`] |
//! | How do typed options become a command? | [`parse`] |
//! | What can a player ask for? | [`command`] |
//! | How does a button carry a command? | [`custom_id`] |

pub mod command;
pub mod custom_id;
pub mod parse;
pub mod spec;

pub use command::{ChallengeAnswer, Command, GameCommand, Person};
pub use parse::{BadCommand, OptionValue};
pub use spec::{COMMANDS, CommandScope, CommandSpec, MAX_FREE_TEXT, OptionKind, OptionSpec};
