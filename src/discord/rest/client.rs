//! Calls to Discord: each with a time limit, each ending in a clear answer to "did it take effect?".
//!
//! serenity's own calls have no time limits, repeat nothing, and keep something of every interaction; so only the gateway
//! is serenity's, and what the bot sends goes through here. Whoever sends decides about repeating.

use crate::config::{Endpoint, Secret};
use crate::discord::rest::rate_limit::{self, LONGEST_PAUSE, Limits};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, USER_AGENT};
use reqwest::multipart::{Form, Part};
use reqwest::{Certificate, Client, ClientBuilder, Method, Response};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const DISCORD: &str = "https://discord.com";
const WHO: &str = concat!("DiscordBot (https://crates.io/crates/ratatosk, ", env!("CARGO_PKG_VERSION"), ")");

/// What Discord answers to what it does not understand, or finds too large.
pub(in crate::discord) const NOT_TAKEN: [u16; 2] = [400, 413];

/// A way to call Discord.
#[derive(Clone)]
pub(in crate::discord) struct RestClient {
    client: Client,
    base: String,
    limits: Arc<Limits>,
    /// Whether Discord has refused the token since it was last asked.
    doubted: Arc<AtomicBool>,
}

/// A file that goes with a message.
#[derive(Clone, Debug)]
pub(in crate::discord) struct Attachment {
    pub(in crate::discord) name: String,
    pub(in crate::discord) kind: &'static str,
    pub(in crate::discord) bytes: Vec<u8>,
    /// What a picture shows, for those who cannot see it.
    pub(in crate::discord) description: Option<String>,
}

/// Why a call came to nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::discord) enum RestError {
    /// Discord has understood and refuses; nothing was done.
    Refused { status: u16, code: i64, message: String },
    /// Too many calls; nothing was done.
    TooFast { wait: Duration },
    /// Discord was not reached; nothing was done.
    NotReached(String),
    /// The connection was cut, or something broke on the other side: it may have been done.
    Unclear(String),
}

impl RestError {
    /// Gives Discord's number for a refusal; 0 if it is none.
    pub(in crate::discord) const fn code(&self) -> i64 {
        match self {
            Self::Refused { code, .. } => *code,
            _ => 0,
        }
    }

    pub(in crate::discord) const fn status(&self) -> u16 {
        match self {
            Self::Refused { status, .. } => *status,
            _ => 0,
        }
    }
}

impl fmt::Display for RestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { status, code, message } => write!(f, "Discord refuses ({status}, {code}): {message}"),
            Self::TooFast { wait } => write!(f, "Discord asks to wait {:.1} s", wait.as_secs_f32()),
            Self::NotReached(why) => write!(f, "Discord cannot be reached: {why}"),
            Self::Unclear(why) => write!(f, "the connection to Discord failed: {why}"),
        }
    }
}

impl RestClient {
    /// Gets ready to call Discord.
    pub(in crate::discord) fn new(token: &Secret, endpoint: &Endpoint) -> Result<Self, String> {
        let client = client(endpoint, Some(token))?;
        let base = endpoint.api.as_deref().unwrap_or(DISCORD).trim_end_matches('/');
        Ok(Self { client, base: format!("{base}/api/v10"), limits: Arc::default(), doubted: Arc::default() })
    }

    /// Tells whether Discord has refused the token since this was last asked.
    pub(in crate::discord) fn is_doubted(&self) -> bool {
        self.doubted.swap(false, Ordering::Relaxed)
    }

    /// Tells how long to wait before something is posted in a channel unasked.
    pub(in crate::discord) fn pause(&self, channel: u64) -> Duration {
        self.limits.pause(channel)
    }

    pub(in crate::discord) async fn get(&self, path: &str, limit: Duration) -> Result<Value, RestError> {
        self.call(Method::GET, path, None, &[], limit).await
    }

    /// Calls Discord with what is to be said, and the files that go with it.
    pub(in crate::discord) async fn call(
        &self,
        method: Method,
        path: &str,
        said: Option<&Value>,
        files: &[Attachment],
        limit: Duration,
    ) -> Result<Value, RestError> {
        // While Discord asks to wait with everything, whoever calls all the same is shut out for longer.
        let wait = self.limits.pause_everywhere(path);
        if !wait.is_zero() {
            return Err(RestError::TooFast { wait });
        }
        let mut call = self.client.request(method, format!("{}{path}", self.base)).timeout(limit);
        if let Some(said) = said {
            let said = said.to_string();
            call = if files.is_empty() {
                call.header("content-type", "application/json").body(said)
            } else {
                call.multipart(form(said, files).map_err(RestError::NotReached)?)
            };
        }
        let response = call.send().await.map_err(|error| {
            let never_left = error.is_connect() || error.is_builder();
            let why = innermost(&error.without_url());
            if never_left { RestError::NotReached(why) } else { RestError::Unclear(why) }
        })?;
        let status = response.status().as_u16();
        self.limits.note(path, status, response.headers());
        // An answer is refused so when its own token is too old.
        if status == 401 && !rate_limit::is_answer(path) {
            self.doubted.store(true, Ordering::Relaxed);
        }
        read(response).await
    }
}

/// Makes an HTTP client that goes the way that was set.
pub(in crate::discord) fn client(endpoint: &Endpoint, token: Option<&Secret>) -> Result<Client, String> {
    let mut headers = HeaderMap::new();
    headers.insert(USER_AGENT, HeaderValue::from_static(WHO));
    if let Some(token) = token {
        let mut bot = HeaderValue::from_str(&format!("Bot {}", token.expose()))
            .map_err(|_| String::from("the token has letters that no token has"))?;
        bot.set_sensitive(true);
        headers.insert(AUTHORIZATION, bot);
    }
    let mut builder: ClientBuilder = Client::builder()
        .default_headers(headers)
        .connect_timeout(Duration::from_secs(5))
        .timeout(Duration::from_secs(20))
        .tcp_nodelay(true)
        .https_only(!endpoint.api.as_deref().is_some_and(|api| api.starts_with("http://")));
    if let Some(address) = endpoint.resolve {
        builder = builder.resolve("discord.com", address);
    }
    let Some(path) = &endpoint.ca else { return builder.build().map_err(|error| innermost(&error)) };
    let wrong = |why: &dyn std::error::Error| format!("discord.ca: {}: {}", path.display(), innermost(why));
    let pem = std::fs::read(path).map_err(|error| wrong(&error))?;
    let certificates = Certificate::from_pem_bundle(&pem).map_err(|error| wrong(&error))?;
    builder = certificates.into_iter().fold(builder, ClientBuilder::add_root_certificate);
    // Only now is it looked at what the certificates say.
    builder.build().map_err(|error| wrong(&error))
}

fn form(said: String, files: &[Attachment]) -> Result<Form, String> {
    let json = Part::text(said).mime_str("application/json").map_err(|error| error.to_string())?;
    let mut form = Form::new().part("payload_json", json);
    for (number, file) in files.iter().enumerate() {
        let part = Part::bytes(file.bytes.clone()).file_name(file.name.clone());
        let part = part.mime_str(file.kind).map_err(|error| error.to_string())?;
        form = form.part(format!("files[{number}]"), part);
    }
    Ok(form)
}

async fn read(response: Response) -> Result<Value, RestError> {
    let status = response.status();
    let pause = response.headers().get("retry-after").and_then(|pause| pause.to_str().ok()?.parse::<f64>().ok());
    let body = response.bytes().await.map_err(|error| {
        // The answer was cut off after its first line: what was asked for has most likely been done.
        RestError::Unclear(innermost(&error.without_url()))
    })?;
    if status.is_success() {
        return Ok(if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap_or(Value::Null) });
    }
    if status.is_server_error() {
        return Err(RestError::Unclear(format!("Discord answers {status}")));
    }
    let told: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    if status.as_u16() == 429 {
        let seconds = told["retry_after"].as_f64().or(pause).unwrap_or(1.0);
        let wait = rate_limit::pause(seconds).unwrap_or(LONGEST_PAUSE);
        return Err(RestError::TooFast { wait });
    }
    let message = match (told["message"].as_str(), &told["errors"]) {
        (None, _) => status.to_string(),
        (Some(message), Value::Null) => message.to_owned(),
        (Some(message), errors) => format!("{message} {errors}"),
    };
    Err(RestError::Refused { status: status.as_u16(), code: told["code"].as_i64().unwrap_or(0), message })
}

/// Gives the cause at the bottom of an error: the rest only says that a request failed.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

/// Reads the number of a message, a channel or whatever Discord has told of.
pub(in crate::discord) fn id(told: &Value) -> Option<u64> {
    told["id"].as_str().and_then(|id| id.parse().ok())
}
