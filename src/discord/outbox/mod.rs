//! The outbox: messages that were saved together with a change, and are delivered until they are posted.
//!
//! Most of them are the answer to an interaction and settled with it (`super::respond`). The [`worker`] posts the rest:
//! what the timer caused, what belongs in another channel, answers that failed, and what an earlier process left.
//!
//! | question | file |
//! |---|---|
//! | Which messages are due? | `worker` |
//! | Who posts a message, and what happened to it so far? | `claims` |
//! | Where does it go, and what if that fails? | `delivery` |
//! | Was it posted before? | `reconcile` |
//! | How is it recorded that it was posted? | `settle` |

pub(super) mod claims;
pub(super) mod delivery;
pub(super) mod reconcile;
pub(super) mod settle;
pub(super) mod worker;

use crate::store::OutboxMessage;

/// What the log says about a message.
struct LogFields {
    outbox: u64,
    game: Option<u64>,
    challenge: Option<u64>,
    /// The channel or thread.
    channel: u64,
}

impl LogFields {
    fn of(message: &OutboxMessage) -> Self {
        let OutboxMessage { id, body, place, .. } = message;
        let (game, challenge) = body.subject().log_ids();
        Self { outbox: id.0, game, challenge, channel: place.thread_or_channel().0 }
    }
}
