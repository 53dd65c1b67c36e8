//! The program `ratatosk`: the command line goes in, an exit code comes out.

use clap::Parser;
use ratatosk::cli::{self, CommandLine};
use std::process::ExitCode;

fn main() -> ExitCode {
    match CommandLine::try_parse() {
        Ok(line) => cli::run(line),
        Err(error) => cli::answer_usage(&error),
    }
}
