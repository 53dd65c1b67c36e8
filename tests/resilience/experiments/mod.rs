//! Experiments that test the bot's promises, and what they are made of. The tests run them for seconds, the bench
//! `benches/resilience` for as long as wanted.
//!
//! | question | file |
//! |---|---|
//! | The bot is killed at random | [`crash`] |
//! | Requests fail and connections break | [`network`] |
//! | Users send anything | [`crowd`], [`option_sweep`], [`hostile_input`], [`message_layout`] |
//! | Many play at once | [`load`] |
//! | Clocks jump, many deadlines at once | [`clock`] |
//! | Parsers get almost valid input, tables are damaged | [`parsers`], [`readers`] |
//! | What two players do, and what must come of it | [`player_pair`], [`player_actions`], [`expected_post`], [`challenges`], [`audit`] |
//! | Players who must not be disturbed | [`bystanders`], [`bot_messages`] |

#![allow(dead_code, reason = "tests and bench use different parts")]

pub mod audit;
pub mod bot_messages;
#[path = "../../bot_process/mod.rs"]
pub mod bot_process;
pub mod bystanders;
pub mod challenges;
pub mod clock;
pub mod crash;
pub mod crowd;
pub mod expected_post;
pub mod hostile_input;
pub mod load;
pub mod message_layout;
pub mod network;
pub mod option_sweep;
pub mod parsers;
pub mod player_actions;
pub mod player_pair;
pub mod readers;
#[path = "../../seeded_rng/mod.rs"]
pub mod seeded_rng;

pub use bot_process::start_game;
pub use readers::{store_fixture, temp_folder};
