//! REST calls to Discord.

pub(super) mod client;
pub(super) mod rate_limit;
