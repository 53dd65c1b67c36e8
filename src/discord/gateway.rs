//! The line on which the bot listens to Discord: serenity, on a thread of its own.
//!
//! When Discord closes a connection because it wants another number of them, serenity goes round without a pause until a
//! heartbeat is missed. Whatever shared its thread would stand still: answers, signals, signs of life.

use super::events::Events;
use super::rest::client::{self as rest, RestClient, RestError};
use super::{Bot, FIRST_CALL, StopReason};
use crate::config::{Endpoint, Secret};
use serenity::Client;
use serenity::all::{ClientBuilder, GatewayError, GatewayIntents, HttpBuilder};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Handle, Runtime};
use tracing::warn;

/// How long starting waits before it asks again.
const FIRST_PAUSES: [u64; 3] = [1, 3, 5];

/// Makes the thread on which serenity listens.
pub(super) fn runtime() -> std::io::Result<Runtime> {
    Builder::new_multi_thread().worker_threads(1).max_blocking_threads(1).thread_name("gateway").enable_all().build()
}

/// Where Discord's gateway is, and over how many connections it wants to be asked.
pub(super) struct Gateway {
    pub(super) address: String,
    pub(super) shards: u32,
}

/// Asks Discord where the gateway is; by that the token is tried, too.
pub(super) async fn find_gateway(rest: &RestClient) -> Result<Gateway, StopReason> {
    let mut pauses = FIRST_PAUSES.iter();
    loop {
        let error = match rest.get("/gateway/bot", FIRST_CALL).await {
            Ok(told) => {
                let missing = || StopReason::Failed(String::from("Discord does not say where its gateway is"));
                let address = told["url"].as_str().ok_or_else(missing)?.to_owned();
                let shards = told["shards"].as_u64().and_then(|shards| u32::try_from(shards).ok()).unwrap_or(1).max(1);
                return Ok(Gateway { address, shards });
            }
            Err(error) => error,
        };
        if error.status() == 401 {
            return Err(StopReason::TokenRefused);
        }
        let Some(pause) = pauses.next() else { return Err(StopReason::NotReached(error.to_string())) };
        warn!(%error, "trying again in {pause} s");
        let pause = match error {
            RestError::TooFast { wait } => wait,
            _ => Duration::from_secs(*pause),
        };
        tokio::time::sleep(pause).await;
    }
}

/// Makes a client that listens apart from everything else.
pub(super) async fn connect(
    bot: &Arc<Bot>,
    token: &Secret,
    endpoint: &Endpoint,
    address: String,
    apart: &Handle,
) -> Result<Client, StopReason> {
    let http = rest::client(endpoint, None).map_err(StopReason::Misconfigured)?;
    // Only the gateway's address is asked for with this one, so that there is nothing to limit.
    let mut http = HttpBuilder::new(token.expose()).client(http).ratelimiter_disabled(true);
    if let Some(api) = &endpoint.api {
        http = http.proxy(api.clone());
    }
    // Servers and their channels; nothing that Discord calls privileged.
    let intents = GatewayIntents::GUILDS;
    let ears = Arc::new(Events { bot: Arc::clone(bot) });
    let client = ClientBuilder::new_with_http(http.build(), intents)
        .event_handler_arc(Arc::clone(&ears))
        .raw_event_handler(Events { bot: Arc::clone(bot) });
    // What it begins by itself, it begins where it is made.
    let client = apart.spawn(async move { client.await }).await;
    let client = client.map_err(|_| StopReason::Failed(String::from("connecting broke off")))?;
    let client = client.map_err(|error| why_ended(&error))?;
    // If asking failed, it would go to the usual address with our token.
    *client.ws_url.lock().await = address;
    Ok(client)
}

pub(super) fn why_ended(error: &serenity::Error) -> StopReason {
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
        // Its words may have addresses with tokens in them.
        serenity::Error::Http(_) => StopReason::NotReached(String::from("Discord cannot be reached")),
        error => StopReason::NotReached(format!("the connection to Discord ended: {error}")),
    }
}
