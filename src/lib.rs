//! Ratatosk: correspondence tafl for Discord. One program, one SQLite file.
//!
//! # The rooms
//!
//! | room | what it is for | whom it knows |
//! |---|---|---|
//! | [`rules`] | what is legal, what is taken, how a game ends; pure | nobody |
//! | [`game`] | challenges, games over days, offers, clocks; pure | `rules` |
//! | [`board_view`] | what there is to see of a position | `rules` |
//! | [`store`] | the file that loses nothing: one thread that writes, migrations, owed messages | `game` |
//! | [`render`] | a view becomes a picture | `board_view` |
//! | [`commands`] | the catalogue of commands | `game`, `board_view` |
//! | [`text`] | every sentence that a player reads | `game`, `board_view`, `commands` |
//! | [`app`] | one function for each thing a player can want | all of the above |
//! | [`terminal`] | the bot at a terminal | `app` and all above it, `render` |
//! | [`discord`] | the bot on Discord | `app` and all above it, `render`, `timer`, `config` |
//! | [`timer`] | what is due without anybody asking | `app`, `store`, `game` |
//! | [`config`] | what whoever runs the bot has set | nobody |
//! | [`backups`] | copies of the file that are made by themselves | `store`, `text` |
//! | [`cli`] | the command line, from which `main` gets its exit code | everybody |
//!
//! Arrows point one way. `rules` and `game` know no clock, no dice, no file and no network: time and chance come in as
//! arguments. Only `store` names rusqlite, only `render` image, imageproc and png,
//! only `discord` serenity. The core gives typed reasons, and `text`
//! has the words.
//!
//! # One move
//!
//! ```text
//! /move d1-d4   discord/      who, where, what was typed (at a terminal: terminal/)      → app::Request
//!               app/          App::handle, one function:
//!                 store/        the player's game here, on a reading connection    → Game | a private sentence
//!                 rules/        "d1-d4" → Move, against the position               → Move | Refusal that says why
//!                 game/         game.act(player, Action::Move { .. }, now)         → Change | Refusal
//!                 store/        one transaction on the writer: version checked, move row, game row, owed message
//!               app/                                                               → Reply
//!               render/       BoardView → PNG
//!               discord/      one public answer with the picture; the owed message is settled
//! ```
//!
//! Deciding never holds the writer: a referee's verdict may take a while. A stale version is tried once more from the
//! start. If the process dies after the commit, the owed message is delivered at the next start: a move that was accepted
//! is never lost and never unseen.

pub mod app;
pub mod backups;
pub mod board_view;
pub mod cli;
pub mod commands;
pub mod config;
pub mod discord;
pub mod game;
pub mod render;
pub mod rules;
pub mod store;
pub mod terminal;
pub mod text;
pub mod timer;
