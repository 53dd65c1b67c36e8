//! REST calls to Discord.
//!
//! serenity's own client has no timeouts and keeps state for every interaction, so it only runs the gateway. Everything
//! the bot sends goes through [`RestClient`].

pub(super) mod client;
pub(super) mod error;
mod rate_limit;
pub(super) mod retry;
pub(super) mod route;

pub(super) use client::{Attachment, Call, RestClient};
pub(super) use error::{RestError, code};
pub(super) use retry::{Next, RetryPolicy};
pub(super) use route::Route;
