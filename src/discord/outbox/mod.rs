//! The outbox: messages that were saved together with a change, and are delivered until they are posted.
//!
//! Most of them are the answer to an interaction and settled with it (`super::respond`). The [`worker`] posts the rest:
//! what the timer caused, what belongs into another channel, answers that failed, and what an earlier process left.

pub(super) mod claims;
pub(super) mod delivery;
pub(super) mod reconcile;
pub(super) mod settle;
pub(super) mod worker;
