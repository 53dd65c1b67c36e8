//! Posts, which are messages on Discord: those that still have their buttons, and which of them are to lose theirs.

use super::Store;
use super::error::StoreError;
use super::outbox::OutboxId;
use super::query::execute;
use super::session::Session;
use super::sql;
use super::writer::Deferral;
use crate::game::{ChallengeId, ChannelId};
use rusqlite::{Connection, Row};
use std::fmt;

/// The id of a post on Discord. The row of the outbox that was posted has another one: [`OutboxId`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PostId(pub u64);

/// Writes the number alone.
impl fmt::Display for PostId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A post whose buttons are to be removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StalePost {
    pub id: PostId,
    /// The channel or thread where it is.
    pub channel: ChannelId,
    /// The message that was posted.
    pub outbox: OutboxId,
    /// The challenge that it shows, if it shows one.
    pub challenge: Option<ChallengeId>,
}

impl Session<'_> {
    /// Returns posts whose buttons are to be removed.
    pub fn stale_posts(&self, limit: u32) -> Result<Vec<StalePost>, StoreError> {
        let db = self.db()?;
        let mut posts = db.prepare_cached(sql::STALE_POSTS)?;
        Ok(posts.query_map([limit], stale_post)?.collect::<Result<_, _>>()?)
    }
}

impl Store {
    /// Records that a post has no buttons any more, together with the next commit, whenever that is: if this is lost,
    /// the post is edited once more. `then` is called on the writer thread once it is on the disk, or with the error.
    pub fn record_buttons_removed(&self, post: OutboxId, then: impl FnOnce(Result<(), StoreError>) + Send + 'static) {
        self.write_later(Deferral::Unlimited, move |db| execute(db, sql::DELETE_POST, [post]).map(drop), then);
    }
}

/// Marks the posts about the same game that are earlier than this message as stale, and returns all stale posts about it.
pub(super) fn mark_earlier_posts_stale(db: &Connection, id: OutboxId) -> Result<Vec<StalePost>, StoreError> {
    execute(db, sql::MARK_EARLIER_POSTS_STALE, [id])?;
    let mut posts = db.prepare_cached(sql::STALE_POSTS_OF)?;
    Ok(posts.query_map([id], stale_post)?.collect::<Result<_, _>>()?)
}

fn stale_post(row: &Row<'_>) -> rusqlite::Result<StalePost> {
    Ok(StalePost { outbox: row.get(0)?, challenge: row.get(1)?, channel: row.get(2)?, id: row.get(3)? })
}
