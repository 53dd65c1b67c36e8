//! The outbox: messages that are committed together with the change that they report, and wait there to be delivered.

use super::Store;
use super::commit::{RequestId, json};
use super::error::{BadRow, StoreError};
use super::posts::{PostId, StalePost, mark_earlier_posts_stale};
use super::query::{Listing, TableReader, execute, scalar};
use super::row::{RowReader, json_problem};
use super::session::Session;
use super::sql;
use super::writer::Deferral;
use crate::game::{ChallengeId, ChallengeState, ChannelId, GameId, OutboxBody, Place, PlayerId, Subject, Timestamp};
use rusqlite::{Connection, Row};

/// The id of an outbox message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OutboxId(pub u64);

/// A message that is to be delivered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutboxMessage {
    pub id: OutboxId,
    /// Where it is to be posted.
    pub place: Place,
    pub body: OutboxBody,
    /// Whom it pings.
    pub ping: Option<PlayerId>,
    /// How many attempts to deliver it have failed.
    pub attempts: u32,
    /// When the change that it reports happened.
    pub made: Timestamp,
    /// The request that caused it, if one did.
    pub request: Option<RequestId>,
    /// The revision of its game or challenge; `None` if that cannot be read.
    pub revision: Option<Revision>,
}

/// What the post of a message depends on besides the message itself. If it has changed, the post has to be composed
/// again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Revision {
    /// Of a game. Its clock can be restarted without a new version.
    Game {
        version: u64,
        deadline: Timestamp,
    },
    Challenge(ChallengeState),
}

/// An unsent message that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnreadableMessage {
    pub id: OutboxId,
    /// The game that it is about, as far as that can be read.
    pub game: Option<GameId>,
    /// The challenge that it is about, as far as that can be read.
    pub challenge: Option<ChallengeId>,
    pub error: StoreError,
}

/// How a message was delivered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Delivery {
    /// To the game's place, as a post with buttons. Earlier posts about the same game lose theirs.
    WithButtons {
        /// The channel or thread.
        channel: ChannelId,
        post: PostId,
    },
    /// To the game's place, without buttons. Earlier posts about the same game lose theirs.
    WithoutButtons {
        /// The post, if its id is known.
        post: Option<PostId>,
    },
    /// To one player alone. What is posted in the game's place stays as it is.
    Direct {
        /// The post, if its id is known.
        post: Option<PostId>,
    },
}

impl Session<'_> {
    /// Returns the messages to deliver now, the oldest first. Of each game and challenge only the oldest unsent one
    /// is returned, so that they are posted in order.
    pub fn due_messages(&self, now: Timestamp, limit: u32) -> Result<Listing<OutboxMessage>, StoreError> {
        MESSAGES.list(&*self.db()?, sql::DUE_MESSAGES, (now, limit))
    }

    /// Returns the unsent messages that cannot be read, with what is wrong with them.
    pub fn unreadable_messages(&self) -> Result<Vec<UnreadableMessage>, StoreError> {
        let db = &*self.db()?;
        let describe = |bad: BadRow| {
            let id = OutboxId(bad.row);
            // These columns may be damaged, too.
            let subject = |row: &Row<'_>| Ok((row.get(0).ok().flatten(), row.get(1).ok().flatten()));
            let (game, challenge) = db.prepare_cached(sql::MESSAGE_SUBJECT)?.query_row([id], subject)?;
            Ok(UnreadableMessage { id, game, challenge, error: bad.into() })
        };
        MESSAGES.unreadable(db, sql::EVERY_MESSAGE)?.into_iter().map(describe).collect()
    }

    /// Returns a message, if it is unsent.
    pub fn message(&self, id: OutboxId) -> Result<Option<OutboxMessage>, StoreError> {
        MESSAGES.one(&*self.db()?, sql::MESSAGE, [id])
    }

    /// Returns a message, if it is unsent and due.
    pub fn due_message(&self, id: OutboxId, now: Timestamp) -> Result<Option<OutboxMessage>, StoreError> {
        MESSAGES.one(&*self.db()?, sql::DUE_MESSAGE, (id, now))
    }

    /// Returns the id of the newest message, delivered or not; later ones have higher ids.
    pub fn newest_outbox_id(&self) -> Result<OutboxId, StoreError> {
        scalar(&*self.db()?, sql::NEWEST_OUTBOX_ID, [])
    }

    /// Returns the unsent messages about the same game that are older than this one.
    pub fn messages_before(&self, id: OutboxId) -> Result<Vec<OutboxMessage>, StoreError> {
        messages_before(&*self.db()?, id)
    }

    /// Returns what a request did, if it was handled.
    pub fn handled_request(&self, request: RequestId) -> Result<Option<HandledRequest>, StoreError> {
        let db = &*self.db()?;
        if !is_handled(db, request)? {
            return Ok(None);
        }
        let message = match MESSAGES.one(db, sql::HANDLED_REQUEST, [request]) {
            // The request was handled, even if its message cannot be read.
            Err(StoreError::BadRow(_)) => None,
            message => message?,
        };
        Ok(Some(HandledRequest { message }))
    }
}

impl Store {
    /// Makes all unsent messages about the same game as this one due at once.
    pub fn expedite(&self, id: OutboxId) -> Result<(), StoreError> {
        self.write(move |db| execute(db, sql::EXPEDITE, [id]).map(drop))
    }

    /// Records that a message was delivered, and returns once that is on the disk.
    pub fn settle(&self, id: OutboxId, delivery: Delivery, now: Timestamp) -> Result<(), StoreError> {
        self.write(move |db| settle(db, id, delivery, now).map(drop))
    }

    /// Records that a message was delivered, without waiting: the row is written with the next commit. `then` is called
    /// on the writer thread once it is on the disk, with the posts that are to lose their buttons, or with the error.
    ///
    /// If the process dies before that, the next one searches the channel for the post.
    pub fn settle_later(
        &self,
        id: OutboxId,
        delivery: Delivery,
        now: Timestamp,
        then: impl FnOnce(Result<Vec<StalePost>, StoreError>) + Send + 'static,
    ) {
        self.write_later(Deferral::Short, move |db| settle(db, id, delivery, now), then);
    }

    /// Records that a message could not be delivered, and when to try again.
    pub fn postpone(&self, id: OutboxId, until: Timestamp) -> Result<(), StoreError> {
        self.write(move |db| execute(db, sql::POSTPONE, (id, until)).map(drop))
    }

    /// Makes messages due that were added or postponed while the machine's clock was ahead. Writes nothing if there are
    /// none.
    pub fn correct_message_times(&self, now: Timestamp) -> Result<(), StoreError> {
        if scalar(&*self.session()?.db()?, sql::ANY_MESSAGE_TOO_LATE, [now])? {
            self.write(move |db| execute(db, sql::CORRECT_MESSAGE_TIMES, [now]).map(drop))?;
        }
        Ok(())
    }

    /// Records that a message can never be delivered, and why.
    pub fn give_up(&self, id: OutboxId, why: &str, now: Timestamp) -> Result<(), StoreError> {
        let why = why.to_owned();
        self.write(move |db| execute(db, sql::GIVE_UP, (id, now, why)).map(drop))
    }

    /// Deletes requests that were handled, and messages that were delivered or given up, before a time. Returns how many.
    pub fn prune_before(&self, time: Timestamp) -> Result<usize, StoreError> {
        self.write(move |db| {
            Ok(execute(db, sql::DELETE_OLD_REQUESTS, [time])? + execute(db, sql::DELETE_OLD_MESSAGES, [time])?)
        })
    }
}

/// A request that was handled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HandledRequest {
    /// The message that answered it, unless that was deleted or cannot be read.
    pub message: Option<OutboxMessage>,
}

pub(super) fn is_handled(db: &Connection, request: RequestId) -> Result<bool, StoreError> {
    scalar(db, sql::IS_HANDLED, [request])
}

pub(super) fn messages_before(db: &Connection, id: OutboxId) -> Result<Vec<OutboxMessage>, StoreError> {
    Ok(MESSAGES.list(db, sql::MESSAGES_BEFORE, [id])?.rows)
}

fn settle(db: &Connection, id: OutboxId, delivery: Delivery, now: Timestamp) -> Result<Vec<StalePost>, StoreError> {
    let (post, in_place) = match delivery {
        Delivery::WithButtons { channel, post } => {
            execute(db, sql::ADD_POST, (id, channel, post))?;
            (Some(post), true)
        }
        Delivery::WithoutButtons { post } => (post, true),
        Delivery::Direct { post } => (post, false),
    };
    let stale = if in_place { mark_earlier_posts_stale(db, id)? } else { Vec::new() };
    execute(db, sql::SETTLE, (id, now, post))?;
    Ok(stale)
}

/// Reads outbox messages.
pub(super) const MESSAGES: TableReader<OutboxMessage> = TableReader { table: "outbox", read: message };

/// Returns the revision of a game or challenge.
pub(super) fn revision_of(db: &Connection, subject: Subject) -> Result<Option<Revision>, StoreError> {
    let ids = (subject.game(), subject.challenge());
    Ok(db.prepare_cached(sql::REVISION)?.query_row(ids, revision)?)
}

fn revision(row: &Row<'_>) -> rusqlite::Result<Option<Revision>> {
    let game = row.get::<_, Option<u64>>("version")?.zip(row.get("deadline")?);
    let state = row.get_ref("state")?.as_str_or_null()?;
    let state = state.and_then(|state| ChallengeState::ALL.into_iter().find(|known| known.id() == state));
    let challenge = state.map(Revision::Challenge);
    Ok(game.map(|(version, deadline)| Revision::Game { version, deadline }).or(challenge))
}

/// Returns the JSON of a body, without its game or challenge, which has a column of its own.
pub(super) fn body_json(body: &OutboxBody) -> Result<String, StoreError> {
    match body {
        OutboxBody::Game(_, message) => json(message),
        OutboxBody::Challenge(_, message) => json(message),
    }
}

fn message(row: &RowReader<'_>) -> Result<OutboxMessage, StoreError> {
    let text = row.text("body")?;
    let body = match (row.get("game")?, row.get("challenge")?) {
        (Some(game), None) => serde_json::from_str(text).map(|message| OutboxBody::Game(game, message)),
        (None, Some(challenge)) => serde_json::from_str(text).map(|message| OutboxBody::Challenge(challenge, message)),
        _ => return Err(row.bad("game", "a message is about a game or a challenge")),
    };
    Ok(OutboxMessage {
        id: OutboxId(row.id),
        place: row.place()?,
        body: body.map_err(|error| row.bad("body", json_problem(&error)))?,
        ping: row.get("ping")?,
        attempts: row.get("attempts")?,
        made: row.get("made")?,
        request: row.get("request")?,
        revision: revision(row.row()).unwrap_or_default(),
    })
}
