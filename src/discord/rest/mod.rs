//! REST calls to Discord.
//!
//! serenity's own client has no timeouts and keeps state for every interaction, so it only runs the gateway. Everything
//! the bot sends goes through [`RestClient`].
//!
//! | question | file |
//! |---|---|
//! | How is a call made? | `client` |
//! | Which endpoints are there? | `route` |
//! | What can go wrong, and did the call take effect? | `error` |
//! | When is it repeated? | `retry` |
//! | How long must new messages wait? | `rate_limit` |

pub(super) mod client;
pub(super) mod error;
mod rate_limit;
pub(super) mod retry;
pub(super) mod route;

pub(super) use client::{Attachment, Call, RestClient};
pub(super) use error::{RestError, code};
pub(super) use retry::{CallFailed, RetryDecision, RetryPolicy};
pub(super) use route::Route;

use std::time::Duration;

/// The timeout of a call that no player waits for.
pub(super) const BACKGROUND_TIMEOUT: Duration = Duration::from_secs(10);
/// The timeout of a call that asks for an answer, or adds to one.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// How long to keep checking for a message that may have arrived.
pub(super) const RETRY_TIME: Duration = Duration::from_secs(30);
