//! The gateway connection, run by serenity on a thread of its own.
//!
//! When Discord closes a connection because it wants another number of shards, serenity loops without a pause until a
//! heartbeat is missed. On a shared thread that would block everything else: answers, signals, the heartbeat.

use super::events::Events;
use super::rest::client::http_client;
use super::rest::{Call, RestClient, RestError, RetryDecision, RetryPolicy, Route};
use super::{StopReason, not_reached};
use crate::config::{Endpoint, Secret};
use serenity::Client;
use serenity::all::{ClientBuilder, GatewayError, GatewayIntents, HttpBuilder};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// How often and how long the start tries to reach Discord.
const RETRY: RetryPolicy = RetryPolicy {
    timeout: Duration::from_secs(10),
    deadline: None,
    attempts: 4,
    first_pause: Duration::from_secs(1),
    longest_pause: Duration::from_secs(4),
    warn: true,
};

/// Where the gateway is, and how many shards Discord wants.
pub(super) struct Gateway {
    pub(super) address: String,
    pub(super) shards: u32,
}

/// Asks Discord for the gateway. This also checks the token.
pub(super) async fn find_gateway(rest: &RestClient, endpoint: &Endpoint) -> Result<Gateway, StopReason> {
    let decide = |error: &RestError, _: Instant| {
        if error.is_unauthorized() { RetryDecision::GiveUp } else { RetryDecision::Repeat }
    };
    let found = rest.send_with_retry(Call::to(Route::GetGateway), RETRY, decide).await.map_err(|failed| {
        if failed.error.is_unauthorized() { StopReason::TokenRefused } else { not_reached(&failed.error, endpoint) }
    })?;
    let missing = || {
        StopReason::Failed(String::from(
            "Discord did not return the gateway's address; check that discord.api is Discord's address",
        ))
    };
    let address = found["url"].as_str().ok_or_else(missing)?.to_owned();
    let shards = found["shards"].as_u64().and_then(|shards| u32::try_from(shards).ok()).unwrap_or(1).max(1);
    Ok(Gateway { address, shards })
}

/// Creates a client whose tasks run on the gateway's runtime.
pub(super) async fn connect(
    events: Events,
    token: &Secret,
    endpoint: &Endpoint,
    address: String,
    gateway_runtime: &Handle,
) -> Result<Client, StopReason> {
    let http = http_client(endpoint, None).map_err(StopReason::Misconfigured)?;
    // Serenity's client only asks for the gateway's address, so it needs no rate limiter.
    let mut http = HttpBuilder::new(token.expose()).client(http).ratelimiter_disabled(true);
    if let Some(api) = &endpoint.api {
        http = http.proxy(api.clone());
    }
    // Servers and their channels; nothing that Discord calls privileged.
    let intents = GatewayIntents::GUILDS;
    let client = ClientBuilder::new_with_http(http.build(), intents).raw_event_handler(events);
    // The client starts tasks on the runtime where it is created.
    let client = gateway_runtime.spawn(async move { client.await }).await;
    let client = client.map_err(|_| StopReason::Failed(String::from("creating the gateway client panicked")))?;
    let client = client.map_err(|error| stop_reason(&error))?;
    // If asking for the address failed, serenity would use Discord's own address with our token.
    *client.ws_url.lock().await = address;
    Ok(client)
}

/// Returns why the bot stops after an error of the gateway.
pub(super) fn stop_reason(error: &serenity::Error) -> StopReason {
    match error {
        serenity::Error::Gateway(GatewayError::InvalidAuthentication | GatewayError::NoAuthentication) => {
            StopReason::TokenRefused
        }
        serenity::Error::Gateway(
            error @ (GatewayError::DisallowedGatewayIntents | GatewayError::InvalidGatewayIntents),
        ) => StopReason::Failed(format!("Discord does not let the bot in: {error}")),
        serenity::Error::Http(serenity::all::HttpError::UnsuccessfulRequest(response)) => {
            match response.status_code.as_u16() {
                401 => StopReason::TokenRefused,
                status => StopReason::NotReached(format!("Discord answers {status}")),
            }
        }
        // The error's text may contain addresses with tokens.
        serenity::Error::Http(_) => StopReason::NotReached(String::from("Discord cannot be reached")),
        error => StopReason::NotReached(format!("the connection to Discord ended: {error}")),
    }
}
