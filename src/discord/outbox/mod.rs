//! The outbox: messages that were committed with a change, delivered until they stand where they belong.

pub(super) mod claims;
pub(super) mod reconcile;
pub(super) mod worker;
