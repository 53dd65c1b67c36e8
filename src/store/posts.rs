//! Posts that still have their buttons, and which of them are to lose theirs.

use super::Store;
use super::error::StoreError;
use super::outbox::OutboxId;
use super::row::stored;
use super::session::Session;
use super::sql;
use crate::game::{ChallengeId, ChannelId};
use rusqlite::{Connection, Row};

/// A post whose buttons are to be removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StalePost {
    /// The outbox message that it was.
    pub outbox: OutboxId,
    /// The challenge that it shows, if it does.
    pub challenge: Option<ChallengeId>,
    /// The channel or thread where it is.
    pub channel: ChannelId,
    /// The id of the message.
    pub message: u64,
}

impl Session<'_> {
    /// Returns posts whose buttons are to be removed.
    pub fn stale_posts(&self, limit: u32) -> Result<Vec<StalePost>, StoreError> {
        let mut posts = self.db()?.prepare_cached(sql::STALE_POSTS)?;
        Ok(posts.query_map([limit], stale_post)?.collect::<Result<_, _>>()?)
    }
}

impl Store {
    /// Notes that a post has no buttons any more. The note shares the next commit; `then` is called once it is on the
    /// disk, or with what went wrong.
    pub fn forget_post_later(&self, post: OutboxId, then: impl FnOnce(Result<(), StoreError>) + Send + 'static) {
        self.keep_later(
            move |db| {
                db.prepare_cached(sql::FORGET_POST)?.execute([stored(post.0)])?;
                Ok(())
            },
            then,
        );
    }
}

/// Marks the earlier posts about the same game as stale, and returns every post about it that is.
pub(super) fn stale_posts_of(db: &Connection, id: OutboxId) -> Result<Vec<StalePost>, StoreError> {
    db.prepare_cached(sql::FORMER_POSTS)?.execute([stored(id.0)])?;
    let mut posts = db.prepare_cached(sql::STALE_POSTS_OF)?;
    Ok(posts.query_map([stored(id.0)], stale_post)?.collect::<Result<_, _>>()?)
}

fn stale_post(row: &Row<'_>) -> rusqlite::Result<StalePost> {
    let number = |number: i64| number.cast_unsigned();
    let challenge: Option<i64> = row.get(1)?;
    Ok(StalePost {
        outbox: OutboxId(number(row.get(0)?)),
        challenge: challenge.map(|challenge| ChallengeId(number(challenge))),
        channel: ChannelId(number(row.get(2)?)),
        message: number(row.get(3)?),
    })
}
