//! The REST routes that the bot uses, with the errors that Discord returns.
//!
//! | question | file |
//! |---|---|
//! | How does a request fail? | `failures` |
//! | What do users, servers, channels and commands return? | `places` |
//! | How is a message posted, edited, listed and deleted? | `messages` |
//! | Whom does a message ping? | `mentions` |
//! | How does the bot respond to an interaction? | `interactions` |

mod failures;
mod interactions;
mod mentions;
mod messages;
mod places;

pub use failures::{Failure, FailureRule, PostLimit, RandomFailures};

use crate::state::{DiscordState, Id};
use crate::validation::{ApiError, api_error};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The status and the body of a response, or an error.
type ApiResult = Result<(u16, Value), ApiError>;

/// A request to the REST API.
#[derive(Debug, Default)]
pub struct ApiRequest {
    pub method: String,
    /// The path without `/api/v10`.
    pub path: String,
    pub query: String,
    pub token: Option<String>,
    pub body: Value,
    pub files: BTreeMap<usize, File>,
}

/// A file that came with a request.
#[derive(Clone, Debug)]
pub struct File {
    pub name: String,
    pub kind: String,
    pub bytes: Vec<u8>,
}

/// A request that was answered.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    pub method: String,
    pub path: String,
    /// The status of the response; 0 if the connection was cut.
    pub status: u16,
    pub body: Value,
    /// When it was answered, by Discord's clock in milliseconds.
    pub at: u64,
}

impl DiscordState {
    /// Carries out a request, and returns status and body.
    pub fn serve(&mut self, call: &ApiRequest) -> ApiResult {
        let steps: Vec<&str> = call.path.trim_matches('/').split('/').collect();
        let webhook = matches!(steps[..], ["webhooks" | "interactions", ..]);
        if !webhook && call.token.as_deref() != Some(&format!("Bot {}", self.token)) {
            return api_error(401, 0, "401: Unauthorized");
        }
        match steps[..] {
            ["gateway", ref below @ ..] => self.serve_gateway(&call.method, below),
            ["users", ref below @ ..] => self.serve_user(below, call),
            ["applications" | "oauth2", ..] => self.serve_application(&steps, call),
            ["guilds", id, ref below @ ..] => self.serve_guild(id, below, &call.method),
            ["channels", id, "messages", ref below @ ..] => self.serve_message(id, below, call),
            ["channels", id, ref below @ ..] => self.serve_channel(id, below, call),
            ["interactions" | "webhooks", ..] => self.serve_interaction(&steps, call),
            _ => not_found(),
        }
    }

    fn serve_gateway(&self, method: &str, below: &[&str]) -> ApiResult {
        let url = format!("ws://{}", self.address);
        match (method, below) {
            ("GET", []) => Ok((200, json!({ "url": url }))),
            ("GET", ["bot"]) => {
                let limit = json!({ "total": 1000, "remaining": 999, "reset_after": 14_400_000, "max_concurrency": 1 });
                Ok((200, json!({ "url": url, "shards": self.shards, "session_start_limit": limit })))
            }
            _ => not_found(),
        }
    }
}

/// Returns the error for a route that does not exist.
fn not_found() -> ApiResult {
    api_error(404, 0, "404: Not Found")
}

/// Reads an id. Returns 0, which nothing has as its id, if the text is not a number.
pub fn number(text: &str) -> Id {
    text.parse().unwrap_or(0)
}

/// Returns an id or a text that may have come as a number.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
