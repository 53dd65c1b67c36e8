//! `ratatosk terminal`: the bot at a terminal, without Discord.

use super::Failure;
use super::clock::{coin_toss, system_time};
use super::config::ConfigArgs;
use super::paths::DefaultDatabase;
use crate::config::Purpose;
use crate::terminal::{self, TerminalError};
use clap::Args;
use std::io::ErrorKind;

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ratatosk terminal\n  ratatosk terminal --database evening.db\n  ratatosk terminal < script.txt"
)]
pub(super) struct TerminalArgs {
    #[command(flatten)]
    pub(super) config: ConfigArgs,
}

pub(super) fn run(args: &ConfigArgs) -> Result<(), Failure> {
    let (_, path) = args.load_with_database(Purpose::WithoutDiscord, DefaultDatabase::Terminal)?;
    match terminal::open(&path, system_time, coin_toss) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Failure::LineFailed),
        Err(TerminalError::Store(error)) => Err(Failure::Database(path, error)),
        // Unlike a list that is cut off, a script that was not run to its end has failed.
        Err(TerminalError::Io(error)) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::ScriptCutOff),
        Err(TerminalError::Io(error)) => Err(error.into()),
    }
}
