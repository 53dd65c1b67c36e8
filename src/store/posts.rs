//! Posts whose buttons are to be taken off one day, and small things to remember between two starts.

use super::Store;
use super::error::StoreError;
use super::outbox::OutboxId;
use super::row::stored;
use super::sql;
use crate::game::{ChallengeId, Timestamp};
use rusqlite::OptionalExtension;

/// A post with buttons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Post {
    /// The owed message that it was.
    pub owed: OutboxId,
    /// The challenge that it shows, if it does.
    pub challenge: Option<ChallengeId>,
    /// The channel or thread where it stands.
    pub channel: u64,
    /// The number of the message.
    pub message: u64,
}

impl Store {
    /// Notes that a message with buttons was delivered, and where it stands: the game may have moved meanwhile. Earlier
    /// posts of the same game are to lose theirs.
    pub fn settle_post(&self, owed: OutboxId, channel: u64, message: u64, now: Timestamp) -> Result<(), StoreError> {
        self.keep(move |db| {
            db.prepare_cached(sql::KEEP_POST)?.execute((stored(owed.0), stored(channel), stored(message)))?;
            db.prepare_cached(sql::FORMER_POSTS)?.execute([stored(owed.0)])?;
            db.prepare_cached(sql::SETTLE)?.execute((stored(owed.0), now.0, stored(message)))?;
            Ok(())
        })
    }

    /// Gives posts whose buttons are to be taken off.
    pub fn stale_posts(&self, limit: u32) -> Result<Vec<Post>, StoreError> {
        self.read(|db| {
            let mut posts = db.prepare_cached(sql::STALE_POSTS)?;
            let number = |number: i64| number.cast_unsigned();
            let posts = posts.query_map([limit], |row| {
                let challenge: Option<i64> = row.get(1)?;
                Ok(Post {
                    owed: OutboxId(number(row.get(0)?)),
                    challenge: challenge.map(|challenge| ChallengeId(number(challenge))),
                    channel: number(row.get(2)?),
                    message: number(row.get(3)?),
                })
            })?;
            Ok(posts.collect::<Result<_, _>>()?)
        })
    }

    /// Notes that a post has no buttons any more.
    pub fn forget_post(&self, post: OutboxId) -> Result<(), StoreError> {
        self.keep(move |db| {
            db.prepare_cached(sql::FORGET_POST)?.execute([stored(post.0)])?;
            Ok(())
        })
    }

    /// Reads a note.
    pub fn note(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.read(|db| Ok(db.prepare_cached(sql::NOTE)?.query_row([name], |row| row.get(0)).optional()?))
    }

    /// Writes a note in place of the former one.
    pub fn write_note(&self, name: &'static str, note: &str) -> Result<(), StoreError> {
        let note = note.to_owned();
        self.keep(move |db| {
            db.prepare_cached(sql::WRITE_NOTE)?.execute((name, note))?;
            Ok(())
        })
    }
}
