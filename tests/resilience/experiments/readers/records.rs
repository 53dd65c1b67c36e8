//! Records of games: what is read can be written and read again, and is the same.

use ratatosk::rules::{Record, opentafl};

/// Reads a record, and returns the game if it is one.
pub fn read(text: &str) -> Option<Record> {
    let read = opentafl::read_game(text).ok()?;
    let again = opentafl::write_game(&read.game, &[]);
    let same = opentafl::read_game(&again).is_ok_and(|other| other.game == read.game);
    assert!(same, "it is written as {again:?}");
    Some(read.game)
}
