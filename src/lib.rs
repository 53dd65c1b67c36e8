//! Ratatosk: correspondence tafl for Discord. One program, one SQLite file.
//!
//! # Architecture
//!
//! | module | what it is for | what it uses |
//! |---|---|---|
//! | [`rules`] | squares, moves, captures, endings, repetition, variants; pure | nothing |
//! | [`game`] | challenges, games over days, offers, clocks, events; pure | `rules` |
//! | [`board_view`] | what there is to see of a position | `rules` |
//! | [`store`] | SQLite: one writer thread, read snapshots, migrations, the outbox | `rules`, `game` |
//! | [`render`] | a [`board_view::BoardView`] as a picture | `rules`, `board_view` |
//! | [`commands`] | every command, its options, how it is parsed, and how a button carries it | `rules`, `game`, `board_view` |
//! | [`text`] | every sentence that a player reads | `rules`, `game`, `board_view`, `commands` |
//! | [`app`] | one function for each thing a player can want: load, decide, commit, reply | all of the above but `render` |
//! | [`discord`] | gateway, REST client and delivery of the outbox | all of the above, `timer`, `config` |
//! | [`terminal`] | the same bot at a terminal | all of the above but `discord` |
//! | [`timer`] | deadlines and reminders | `game`, `store`, `app` |
//! | [`backups`] | automatic backups | `game`, `store`, `text` |
//! | [`config`] | the configuration file and environment variables | nothing |
//! | [`cli`] | the command line; owns the runtime, signals and exit codes | everything |
//!
//! Dependencies point one way, which `tests/rooms.rs` checks. `rules` and `game` know no clock, no randomness, no file,
//! no network and no async: time and chance come in as arguments. Only `store` names rusqlite, only `render` image,
//! imageproc and png, only `discord` serenity and reqwest. The core returns typed reasons, and `text` has the words.
//!
//! # One move
//!
//! ```text
//! /move d1-d4   discord/    interaction → Command, who, where                            → app::Request
//!               app/        App::handle, on a thread that may block:
//!                 store/      ONE read snapshot (Session): game, settings, names         → Game | private answer
//!                 rules/      "d1-d4", read but not applied yet                          → WrittenMove | IllegalMove
//!                 game/       game.act(player, Action::Move { written, confirmed }, now),
//!                             which applies the move, once                               → Change | Refusal
//!                 text/       what happened → the post, while names can be read from the snapshot
//!                 store/      ONE commit on the writer thread: version and clock checked,
//!                             move, game, clock, outbox message                          → Committed | Stale
//!               app/                                                                     → Reply
//!               render/     BoardView → PNG
//!               discord/    one public answer with the picture; then the outbox message is settled,
//!                           in a commit shared with other deferred writes
//! ```
//!
//! Deciding never holds the writer thread. A decision that is stale when it is to be written is made once more from the
//! start. The answer is sent directly, not deferred and edited, because an edit notifies nobody.
//!
//! # Words
//!
//! | word | its meaning here |
//! |---|---|
//! | request | what a player asks for with a command or a button: on Discord, an interaction |
//! | message | a row of the outbox: something happened to a game or challenge, and is to be posted |
//! | post | what a message becomes on Discord, for everybody in its channel |
//! | answer | the reply to a player's request: private, or the post itself |
//! | place | a channel or thread with its server |
//! | to settle | to record that a message was posted, so that it is never posted again |
//! | to relocate | to let a game go on in another place, because its own is gone or it gets a thread |
//! | stale | of a decision: made about a version that is not the current one; of a post: with buttons that are to be removed |
//! | ply | one move of one side |
//!
//! # How a post is never doubled or lost
//!
//! A change and the message that tells of it are one commit; the message stays in the outbox until it is known to be on
//! Discord. Between the two a process can be killed, a call can break off, and Discord can deliver an interaction twice.
//! Five mechanisms deal with that, each for a different fault:
//!
//! | mechanism | where | the fault it is for |
//! |---|---|---|
//! | seen set | `discord::events::SeenInteractions` | Discord delivers an interaction twice to the same process: the second is dropped before it costs anything |
//! | request row | `requests` table, [`store::Session::handled_request`] | the same, but the process was restarted in between: what was decided is not decided again. The outbox worker posts the message if it was not posted; the answer is private and says that it was done already, or for `/end-game` that the game is over |
//! | stale and repeated | [`store::CommitError`], `app::commit` | two requests decide about the same version of a game, or the same request is handled twice at once: one commit wins, the other starts over and sees it |
//! | nonce | `discord::outbox::delivery` | a call to post a message broke off and is repeated: Discord drops a second message with the same nonce within a few minutes |
//! | reconciliation | `discord::outbox::reconcile` | an answer was sent, or a post was made, and the process died or the call broke off before that was known: before it is posted again, the channel is searched for the picture's name or the answer's interaction |
//!
//! Besides these, `discord::outbox::claims` keeps what this process knows about each message:
//!
//! - A message is reserved for its request from the commit on, for longer than Discord accepts the answer. While a request
//!   answers with it, or the worker posts it, a claim keeps all others from posting it.
//! - If the call that sends the answer breaks off, `discord::respond` asks Discord for the answer before anything else.
//! - A message that was posted but could not be settled is remembered: the worker only settles it.
//! - The answer of a process that was killed may still be on the way: the next process waits before it looks for it.
//!
//! The worker posts everything else, oldest first for each game, until it is settled, or given up with a reason that is
//! logged and stored. A thread that was opened for a game, but not recorded, is found again by its name
//! (`discord::threads`).
//!
//! What can still go wrong: only the worker's posts have a nonce, and reconciliation cannot find a post of the worker
//! without a picture, one in a channel whose history the bot may not read, or one behind 2,000 newer messages. If such a
//! post was made without a reply, and the process died or Discord was out of reach until the nonce had expired, the post
//! appears twice; so does one that follows an answer, if Discord takes longer than 15 seconds to process it. No post is
//! lost except those that were given up, with the reason in the log.

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
