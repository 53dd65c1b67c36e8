//! The outbox: messages committed together with the change they tell of, and kept until they are delivered.

use super::Store;
use super::commit::RequestId;
use super::error::StoreError;
use super::posts::{StalePost, stale_posts_of};
use super::query::{Listing, Query};
use super::row::{RowReader, maybe_stored, stored};
use super::session::Session;
use super::sql;
use crate::game::{ChallengeId, ChannelId, GameId, OutboxBody, Place, PlayerId, Subject, Timestamp};
use rusqlite::Connection;

/// The id of an outbox message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OutboxId(pub u64);

/// A message that is to be delivered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutboxMessage {
    /// Its id.
    pub id: OutboxId,
    /// What it is about.
    pub subject: Subject,
    /// Where it is to be posted.
    pub place: Place,
    /// What it tells.
    pub body: OutboxBody,
    /// Whom it pings.
    pub ping: Option<PlayerId>,
    /// How many deliveries have failed.
    pub attempts: u32,
    /// When what it tells of happened.
    pub made: Timestamp,
    /// The request that caused it, if one did.
    pub request: Option<RequestId>,
}

/// How a message was delivered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Delivery {
    /// To the game's place, as a post with buttons. Earlier posts about the same game lose theirs.
    WithButtons {
        /// The channel or thread.
        channel: ChannelId,
        /// The id of the posted message.
        message: u64,
    },
    /// To the game's place, without buttons. Earlier posts about the same game lose theirs.
    WithoutButtons {
        /// The id of the posted message, if Discord told it.
        message: Option<u64>,
    },
    /// To one player alone. What is posted in the game's place stays as it is.
    Direct {
        /// The id of the posted message, if Discord told it.
        message: Option<u64>,
    },
}

impl Session<'_> {
    /// Returns the messages to deliver now, the oldest first: of each game only the oldest, so that nobody reads of a
    /// later move first. An unreadable one keeps no other game waiting.
    pub fn due_messages(&self, now: Timestamp, limit: u32) -> Result<Listing<OutboxMessage>, StoreError> {
        MESSAGES.list(self.db()?, sql::DUE_MESSAGES, (now.0, limit))
    }

    /// Returns the undelivered messages that cannot be read, with what is wrong with them.
    pub fn unreadable_messages(&self) -> Result<Vec<(OutboxId, StoreError)>, StoreError> {
        let faults = MESSAGES.faults(self.db()?, sql::EVERY_MESSAGE)?;
        Ok(faults
            .into_iter()
            .filter_map(|error| match &error {
                StoreError::BadRow(bad) => Some((OutboxId(bad.row), error)),
                _ => None,
            })
            .collect())
    }

    /// Returns a message, if it is still to be delivered.
    pub fn message(&self, id: OutboxId) -> Result<Option<OutboxMessage>, StoreError> {
        MESSAGES.one(self.db()?, sql::MESSAGE, [stored(id.0)])
    }

    /// Returns a message, if it is to be delivered now.
    pub fn due_message(&self, id: OutboxId, now: Timestamp) -> Result<Option<OutboxMessage>, StoreError> {
        MESSAGES.one(self.db()?, sql::DUE_MESSAGE, (stored(id.0), now.0))
    }

    /// Returns the id of the newest message, delivered or not; later ones have higher ids.
    pub fn newest_outbox_id(&self) -> Result<OutboxId, StoreError> {
        let id: i64 = self.db()?.prepare_cached(sql::NEWEST_OUTBOX_ID)?.query_row([], |row| row.get(0))?;
        Ok(OutboxId(id.cast_unsigned()))
    }

    /// Returns the messages about the same game that are older than this one and still to be delivered.
    pub fn messages_before(&self, id: OutboxId) -> Result<Vec<OutboxMessage>, StoreError> {
        messages_before(self.db()?, id)
    }

    /// Returns what a request did, if it was handled before.
    pub fn handled_request(&self, request: RequestId) -> Result<Option<HandledRequest>, StoreError> {
        let db = self.db()?;
        if !is_handled(db, request)? {
            return Ok(None);
        }
        let message = match MESSAGES.one(db, sql::HANDLED_REQUEST, [stored(request.0)]) {
            // That it was handled is certain, even if it cannot be read any more what it did.
            Err(StoreError::BadRow(_)) => None,
            message => message?,
        };
        Ok(Some(HandledRequest { message }))
    }
}

impl Store {
    /// Makes everything about the same game as this message due at once.
    pub fn expedite(&self, id: OutboxId) -> Result<(), StoreError> {
        self.keep(move |db| {
            db.prepare_cached(sql::EXPEDITE)?.execute([stored(id.0)])?;
            Ok(())
        })
    }

    /// Notes that a message was delivered, and waits until that is on the disk.
    pub fn settle(&self, id: OutboxId, delivery: Delivery, now: Timestamp) -> Result<(), StoreError> {
        self.keep(move |db| settle(db, id, delivery, now).map(drop))
    }

    /// Notes that a message was delivered, without waiting: the note shares the next commit. `then` is called on the
    /// writer's thread once it is on the disk, with the posts that are to lose their buttons, or with what went wrong.
    ///
    /// If the process dies before, the next one finds the post where it was delivered.
    pub fn settle_later(
        &self,
        id: OutboxId,
        delivery: Delivery,
        now: Timestamp,
        then: impl FnOnce(Result<Vec<StalePost>, StoreError>) + Send + 'static,
    ) {
        self.keep_later(move |db| settle(db, id, delivery, now), then);
    }

    /// Notes that a message could not be delivered and when to try again.
    pub fn postpone(&self, id: OutboxId, until: Timestamp) -> Result<(), StoreError> {
        self.keep(move |db| {
            db.prepare_cached(sql::POSTPONE)?.execute((stored(id.0), until.0))?;
            Ok(())
        })
    }

    /// Pulls messages forward that were made, or postponed, while the machine's clock was ahead. Writes nothing if there
    /// are none.
    pub fn pull_messages_forward(&self, now: Timestamp) -> Result<(), StoreError> {
        let any = self.session()?.db()?.prepare_cached(sql::ANY_TO_PULL_FORWARD)?.exists([now.0])?;
        if !any {
            return Ok(());
        }
        self.keep(move |db| {
            db.prepare_cached(sql::PULL_FORWARD)?.execute([now.0])?;
            Ok(())
        })
    }

    /// Notes that a message can never be delivered, and why.
    pub fn give_up(&self, id: OutboxId, why: &str, now: Timestamp) -> Result<(), StoreError> {
        let why = why.to_owned();
        self.keep(move |db| {
            db.prepare_cached(sql::GIVE_UP)?.execute((stored(id.0), now.0, why))?;
            Ok(())
        })
    }

    /// Deletes handled requests, and messages that were delivered or given up, from before a time; returns how many.
    pub fn forget_requests_before(&self, time: Timestamp) -> Result<usize, StoreError> {
        self.keep(move |db| {
            let forget = |sql| db.prepare_cached(sql)?.execute([time.0]);
            Ok(forget(sql::FORGET_REQUESTS)? + forget(sql::FORGET_MESSAGES)?)
        })
    }
}

/// What a request did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HandledRequest {
    /// The message that told of it, if it is still known.
    pub message: Option<OutboxMessage>,
}

pub(super) fn is_handled(db: &Connection, request: RequestId) -> Result<bool, StoreError> {
    Ok(db.prepare_cached(sql::IS_HANDLED)?.query_row([stored(request.0)], |row| row.get(0))?)
}

pub(super) fn messages_before(db: &Connection, id: OutboxId) -> Result<Vec<OutboxMessage>, StoreError> {
    Ok(MESSAGES.list(db, sql::MESSAGES_BEFORE, [stored(id.0)])?.rows)
}

fn settle(db: &Connection, id: OutboxId, delivery: Delivery, now: Timestamp) -> Result<Vec<StalePost>, StoreError> {
    let (message, in_place) = match delivery {
        Delivery::WithButtons { channel, message } => {
            db.prepare_cached(sql::KEEP_POST)?.execute((stored(id.0), stored(channel.0), stored(message)))?;
            (Some(message), true)
        }
        Delivery::WithoutButtons { message } => (message, true),
        Delivery::Direct { message } => (message, false),
    };
    let stale = if in_place { stale_posts_of(db, id)? } else { Vec::new() };
    db.prepare_cached(sql::SETTLE)?.execute((stored(id.0), now.0, maybe_stored(message)))?;
    Ok(stale)
}

/// How outbox messages are read.
pub(super) const MESSAGES: Query<OutboxMessage> = Query { table: "outbox", read: message };

fn message(row: &RowReader<'_>) -> Result<OutboxMessage, StoreError> {
    let subject = match (row.maybe_number("game")?, row.maybe_number("challenge")?) {
        (Some(game), None) => Subject::Game(GameId(game)),
        (None, Some(challenge)) => Subject::Challenge(ChallengeId(challenge)),
        _ => return Err(row.bad("game", "a message is about a game or a challenge")),
    };
    Ok(OutboxMessage {
        id: OutboxId(row.id),
        subject,
        place: row.place()?,
        body: serde_json::from_str(row.text("body")?).map_err(|error| row.bad("body", error))?,
        ping: row.maybe_player("ping")?,
        attempts: row.value("attempts")?,
        made: row.moment("made")?,
        request: row.maybe_number("request")?.map(RequestId),
    })
}
