//! Messages that are owed: written with the change they tell of, and kept until they were delivered.

use super::Store;
use super::commit::{Done, RequestId, done};
use super::error::StoreError;
use super::query::Query;
use super::row::{RowReader, maybe_stored, stored};
use super::sql;
use crate::game::{ChallengeId, GameId, Place, PlayerId, Timestamp};

/// The number of an owed message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OutboxId(pub u64);

/// A message that is owed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutboxMessage {
    /// Its number.
    pub id: OutboxId,
    /// The game that it is about, if it is.
    pub game: Option<GameId>,
    /// The challenge that it is about, if it is.
    pub challenge: Option<ChallengeId>,
    /// Where it is to be posted.
    pub place: Place,
    /// What it tells, as JSON.
    pub news: String,
    /// Whom it calls.
    pub call: Option<PlayerId>,
    /// How often it was tried in vain.
    pub attempts: u32,
    /// When what it tells of happened.
    pub made: Timestamp,
    /// The request that has brought it about, if somebody asked.
    pub request: Option<RequestId>,
}

impl Store {
    /// Gives the messages that are to be delivered now, the oldest first: of each game only the oldest that is owed,
    /// so that nobody reads of a later move first. One that makes no sense keeps no other game waiting; `check` names it.
    pub fn owed(&self, now: Timestamp, limit: u32) -> Result<Vec<OutboxMessage>, StoreError> {
        self.read(|db| Ok(OWED.list(db, sql::OWED, (now.0, limit))?.rows))
    }

    /// Gives a message, if it is still owed.
    pub fn owed_item(&self, id: OutboxId) -> Result<Option<OutboxMessage>, StoreError> {
        self.read(|db| OWED.one(db, sql::OWED_ITEM, [stored(id.0)]))
    }

    /// Gives a message, if it is still owed and to be delivered now.
    pub fn owed_now(&self, id: OutboxId, now: Timestamp) -> Result<Option<OutboxMessage>, StoreError> {
        self.read(|db| OWED.one(db, sql::OWED_NOW, (stored(id.0), now.0)))
    }

    /// Gives the number of the message that was owed last; later ones have higher numbers.
    pub fn newest_owed(&self) -> Result<OutboxId, StoreError> {
        self.read(|db| Ok(db.prepare_cached(sql::NEWEST_OWED)?.query_row([], |row| row.get(0))?))
            .map(|id: i64| OutboxId(id.cast_unsigned()))
    }

    /// Gives the messages about the same game that are owed and older than this one.
    pub fn owed_before(&self, id: OutboxId) -> Result<Vec<OutboxMessage>, StoreError> {
        self.read(|db| Ok(OWED.list(db, sql::OWED_BEFORE, [stored(id.0)])?.rows))
    }

    /// Has everything that is owed about the same game as this message tried again without waiting.
    pub fn hurry(&self, id: OutboxId) -> Result<(), StoreError> {
        self.keep(move |db| {
            db.prepare_cached(sql::HURRY)?.execute([stored(id.0)])?;
            Ok(())
        })
    }

    /// Notes that a message was delivered, and as which one. Earlier posts of the same game are to lose their buttons.
    pub fn settle(&self, owed: OutboxId, message: Option<u64>, now: Timestamp) -> Result<(), StoreError> {
        self.keep(move |db| {
            db.prepare_cached(sql::FORMER_POSTS)?.execute([stored(owed.0)])?;
            db.prepare_cached(sql::SETTLE)?.execute((stored(owed.0), now.0, maybe_stored(message)))?;
            Ok(())
        })
    }

    /// Notes that a message was delivered to one player alone: what stands in the game's place stays as it is.
    pub fn settle_apart(&self, owed: OutboxId, message: Option<u64>, now: Timestamp) -> Result<(), StoreError> {
        self.keep(move |db| {
            db.prepare_cached(sql::SETTLE)?.execute((stored(owed.0), now.0, maybe_stored(message)))?;
            Ok(())
        })
    }

    /// Notes that a message could not be delivered and when to try again.
    pub fn postpone(&self, owed: OutboxId, until: Timestamp) -> Result<(), StoreError> {
        self.keep(move |db| {
            db.prepare_cached(sql::POSTPONE)?.execute((stored(owed.0), until.0))?;
            Ok(())
        })
    }

    /// Brings messages forward that were made, or put off, while the machine's clock was ahead.
    pub fn recall_owed(&self, now: Timestamp) -> Result<(), StoreError> {
        self.keep(move |db| {
            db.prepare_cached(sql::RECALL_OWED)?.execute([now.0])?;
            Ok(())
        })
    }

    /// Notes that a message can never be delivered, and why.
    pub fn give_up(&self, owed: OutboxId, why: &str, now: Timestamp) -> Result<(), StoreError> {
        let why = why.to_owned();
        self.keep(move |db| {
            db.prepare_cached(sql::GIVE_UP)?.execute((stored(owed.0), now.0, why))?;
            Ok(())
        })
    }

    /// Tells what a request that was delivered before did, if it was.
    pub fn done(&self, request: RequestId) -> Result<Option<Done>, StoreError> {
        self.read(|db| done(db, request))
    }

    /// Forgets the requests that were done, and the messages that were delivered or given up, before a moment; tells
    /// how many.
    pub fn forget_requests_before(&self, moment: Timestamp) -> Result<usize, StoreError> {
        self.keep(move |db| {
            let forget = |sql| db.prepare_cached(sql)?.execute([moment.0]);
            Ok(forget(sql::FORGET_REQUESTS)? + forget(sql::FORGET_OWED)?)
        })
    }
}

/// How owed messages are read.
pub(super) const OWED: Query<OutboxMessage> = Query { table: "owed", read: owed };

fn owed(cells: &RowReader<'_>) -> Result<OutboxMessage, StoreError> {
    Ok(OutboxMessage {
        id: OutboxId(cells.id),
        game: cells.maybe_number("game")?.map(GameId),
        challenge: cells.maybe_number("challenge")?.map(ChallengeId),
        place: cells.place()?,
        news: cells.text("news")?.to_owned(),
        call: cells.maybe_player("call")?,
        attempts: cells.value("attempts")?,
        made: cells.moment("made")?,
        request: cells.maybe_number("request")?.map(RequestId),
    })
}
