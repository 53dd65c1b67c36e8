//! The program against the fake Discord, with users who play on it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../bot_process/mod.rs"]
mod bot_process;
mod clocks;
mod endings;
mod fixture;
mod games;
mod in_process;
mod log_texts;
mod operator;
mod registered;
mod rest_failures;
mod restarts;
#[path = "../seeded_rng/mod.rs"]
mod seeded_rng;
mod settings;
mod store_failures;
#[path = "../store_fixture/mod.rs"]
mod store_fixture;
#[path = "../temp_folder/mod.rs"]
mod temp_folder;
