//! REST client. Every call has a timeout, and its error says whether the call may have taken effect. Repeating it
//! is up to the caller; see [`super::retry`].

use super::error::RestError;
use super::rate_limit::{self, MAX_PAUSE, RateLimits};
use super::route::Route;
use crate::config::{Endpoint, Secret};
use crate::game::ChannelId;
use bytes::Bytes;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, USER_AGENT};
use reqwest::multipart::{Form, Part};
use reqwest::{Body, Certificate, Client, ClientBuilder, Response};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const DISCORD: &str = "https://discord.com";
const BOT_USER_AGENT: &str = concat!("DiscordBot (https://crates.io/crates/ratatosk, ", env!("CARGO_PKG_VERSION"), ")");

/// Calls Discord. Clones share connections and rate limits.
#[derive(Clone)]
pub(crate) struct RestClient {
    client: Client,
    base: String,
    limits: Arc<RateLimits>,
    /// Whether Discord has refused the bot's token since [`Self::take_token_refused`] was last called.
    token_refused: Arc<AtomicBool>,
}

/// A file that is sent with a message. Clones share the bytes.
#[derive(Clone, Debug)]
pub(crate) struct Attachment {
    pub(crate) name: String,
    pub(crate) mime: &'static str,
    pub(crate) bytes: Bytes,
    /// The text for readers who cannot see the picture.
    pub(crate) description: Option<String>,
}

/// A call that can be made any number of times.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) route: Route<'a>,
    body: Option<&'a Value>,
    files: &'a [Attachment],
}

impl<'a> Call<'a> {
    pub(crate) const fn to(route: Route<'a>) -> Self {
        Self { route, body: None, files: &[] }
    }

    pub(crate) const fn with_body(route: Route<'a>, body: &'a Value) -> Self {
        Self { route, body: Some(body), files: &[] }
    }

    pub(crate) const fn with_files(route: Route<'a>, body: &'a Value, files: &'a [Attachment]) -> Self {
        Self { route, body: Some(body), files }
    }
}

impl RestClient {
    /// Creates a client; the error says what is wrong with the configuration.
    pub(crate) fn new(token: &Secret, endpoint: &Endpoint) -> Result<Self, String> {
        let client = http_client(endpoint, Some(token))?;
        let base = endpoint.api.as_deref().unwrap_or(DISCORD).trim_end_matches('/');
        Ok(Self { client, base: format!("{base}/api/v10"), limits: Arc::default(), token_refused: Arc::default() })
    }

    /// Returns whether Discord has refused the bot's token since the last call of this function.
    pub(crate) fn take_token_refused(&self) -> bool {
        self.token_refused.swap(false, Ordering::Relaxed)
    }

    /// Returns how long to wait before posting in a channel.
    pub(crate) fn channel_pause(&self, channel: ChannelId) -> Duration {
        self.limits.channel_pause(channel)
    }

    /// Makes a call without a body.
    pub(crate) async fn get(&self, route: Route<'_>, timeout: Duration) -> Result<Value, RestError> {
        self.send(Call::to(route), timeout).await
    }

    /// Makes a call once.
    pub(crate) async fn send(&self, call: Call<'_>, timeout: Duration) -> Result<Value, RestError> {
        let Call { route, body, files } = call;
        // Discord extends the block of a bot that calls while it is blocked.
        let wait = self.limits.global_pause(&route);
        if !wait.is_zero() {
            return Err(RestError::RateLimited { wait });
        }
        let mut request =
            self.client.request(route.method(), format!("{}{}", self.base, route.path())).timeout(timeout);
        if let Some(body) = body {
            let json = body.to_string();
            request = if files.is_empty() {
                request.header(CONTENT_TYPE, "application/json").body(json)
            } else {
                request.multipart(form(json, files).map_err(RestError::Unreachable)?)
            };
        }
        let response = request.send().await.map_err(|error| {
            let never_sent = error.is_connect() || error.is_builder();
            let cause = root_cause(&error.without_url());
            if never_sent { RestError::Unreachable(cause) } else { connection_failed(&cause) }
        })?;
        let status = response.status().as_u16();
        self.limits.update(&route, status, response.headers());
        if status == 401 && !route.answers_interaction() {
            self.token_refused.store(true, Ordering::Relaxed);
        }
        read(response).await
    }
}

/// Creates an HTTP client for the configured endpoint.
pub(crate) fn http_client(endpoint: &Endpoint, token: Option<&Secret>) -> Result<Client, String> {
    let mut headers = HeaderMap::new();
    headers.insert(USER_AGENT, HeaderValue::from_static(BOT_USER_AGENT));
    if let Some(token) = token {
        let mut value = HeaderValue::from_str(&format!("Bot {}", token.expose()))
            .map_err(|_| String::from("the token contains characters that no token has"))?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    let mut builder: ClientBuilder = Client::builder()
        .default_headers(headers)
        .connect_timeout(Duration::from_secs(5))
        .timeout(Duration::from_secs(20))
        .tcp_nodelay(true)
        .https_only(!endpoint.api.as_deref().is_some_and(|api| api.starts_with("http://")));
    if let Some(address) = endpoint.resolve {
        // The second is the same name, written in full.
        builder = builder.resolve("discord.com", address).resolve("discord.com.", address);
    }
    let Some(path) = &endpoint.ca else { return builder.build().map_err(|error| root_cause(&error)) };
    let invalid = |why: &dyn std::error::Error| format!("discord.ca: {}: {}", path.display(), root_cause(why));
    let pem = std::fs::read(path).map_err(|error| invalid(&error))?;
    let certificates = Certificate::from_pem_bundle(&pem).map_err(|error| invalid(&error))?;
    builder = certificates.into_iter().fold(builder, ClientBuilder::add_root_certificate);
    // Building parses the certificates, so its error is about them.
    builder.build().map_err(|error| invalid(&error))
}

fn form(json: String, files: &[Attachment]) -> Result<Form, String> {
    let json = Part::text(json).mime_str("application/json").map_err(|error| error.to_string())?;
    let mut form = Form::new().part("payload_json", json);
    for (number, file) in files.iter().enumerate() {
        let part = Part::stream(Body::from(file.bytes.clone())).file_name(file.name.clone());
        let part = part.mime_str(file.mime).map_err(|error| error.to_string())?;
        form = form.part(format!("files[{number}]"), part);
    }
    Ok(form)
}

async fn read(response: Response) -> Result<Value, RestError> {
    let status = response.status();
    let retry_after = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse::<f64>().ok());
    let body = response.bytes().await.map_err(|error| {
        // The response broke off after its status line: the call has most likely taken effect.
        connection_failed(&root_cause(&error.without_url()))
    })?;
    if status.is_success() {
        return Ok(if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap_or(Value::Null) });
    }
    if status.is_server_error() {
        return Err(RestError::Unclear(format!("Discord answers {status}")));
    }
    let json: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    if status.as_u16() == 429 {
        let seconds = json["retry_after"].as_f64().or(retry_after).unwrap_or(1.0);
        let wait = rate_limit::pause(seconds).unwrap_or(MAX_PAUSE);
        return Err(RestError::RateLimited { wait });
    }
    let message = match (json["message"].as_str(), &json["errors"]) {
        (None, _) => status.to_string(),
        (Some(message), Value::Null) => message.to_owned(),
        (Some(message), errors) => format!("{message} {errors}"),
    };
    Err(RestError::Refused { status: status.as_u16(), code: json["code"].as_i64().unwrap_or(0), message })
}

fn connection_failed(cause: &str) -> RestError {
    RestError::Unclear(format!("the connection to Discord failed: {cause}"))
}

/// Returns the innermost cause of an error; the outer ones only say that a call failed.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

/// Reads the id of a post, channel, thread or application.
pub(crate) fn parse_id(object: &Value) -> Option<u64> {
    object["id"].as_str().and_then(|id| id.parse().ok())
}
