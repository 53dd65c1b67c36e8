//! The commands: what there is to type, what it means, and how a button carries it.
//!
//! | question | file |
//! |---|---|
//! | Which commands and options are there? | [`spec`] |
//! | IncomingKind does a player want? | [`command`] |
//! | How does a button say it? | [`custom_id`] |

pub mod command;
pub mod custom_id;
pub mod spec;

pub use command::{Answer, BadCommand, Command, GameCommand, Person, Value};
pub use spec::{COMMANDS, CommandScope, CommandSpec, LONGEST_WORDS, OptionKind, OptionSpec, pace_id};
