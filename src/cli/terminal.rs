//! `ratatosk table`: the local table.

use super::Failure;
use super::paths::Usual;
use super::settings::GamesArgs;
use crate::config::Purpose;
use crate::game::Timestamp;
use crate::terminal::{self, TerminalError};
use clap::Args;
use std::time::{SystemTime, UNIX_EPOCH};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  ratatosk table\n  ratatosk table --database evening.db\n  ratatosk table < script.txt"
)]
pub(super) struct TerminalArgs {
    #[command(flatten)]
    pub(super) games: GamesArgs,
}

pub(super) fn run(args: &GamesArgs) -> Result<(), Failure> {
    let (_, path) = args.find(Purpose::Games, Usual::Terminal)?;
    match terminal::open(&path, system_time, toss) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Failure::NotUnderstood),
        Err(TerminalError::Store(error)) => Err(error.into()),
        Err(TerminalError::Io(error)) => Err(error.into()),
    }
}

/// Tells the time by the machine's clock.
pub(super) fn system_time() -> Timestamp {
    // Before 1970 the clock is plainly wrong; zero is as good as any other wrong time.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}

/// Tosses a coin.
pub(super) fn toss() -> bool {
    use std::hash::{BuildHasher, RandomState};
    // The keys of each state are random: that is all that the dice need.
    RandomState::new().hash_one(0u8).is_multiple_of(2)
}
