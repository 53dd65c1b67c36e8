//! Registers the command list as Discord's slash commands: all at once, and only when it has changed.

use super::app_handle::AppHandle;
use super::rest::{Call, RestClient, RetryDecision, RetryPolicy, Route};
use crate::commands::{COMMANDS, CommandScope, CommandSpec, MAX_FREE_TEXT, OptionKind, OptionSpec};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tracing::{debug, error, info};

/// The name of the store's note that says what is registered.
const NOTE: &str = "commands";
const RETRY: RetryPolicy = RetryPolicy {
    timeout: Duration::from_secs(20),
    deadline: None,
    attempts: u32::MAX,
    first_pause: Duration::from_secs(1),
    longest_pause: Duration::from_secs(300),
    warn: true,
};

/// Returns every command as Discord's JSON.
#[must_use]
fn commands() -> Value {
    COMMANDS.iter().map(command).collect()
}

fn command(command: &CommandSpec) -> Value {
    let contexts: &[u8] = match command.scope {
        CommandScope::Server => &[0],
        CommandScope::Anywhere => &[0, 1],
    };
    let mut json = json!({
        "type": 1,
        "name": command.name,
        "description": command.help,
        "options": command.options.iter().map(option).collect::<Vec<_>>(),
        "integration_types": [0],
        "contexts": contexts,
    });
    if command.moderators_only {
        json["default_member_permissions"] = json!(MANAGE_SERVER.to_string());
    }
    json
}

/// Discord's bit of the permission to manage a server.
const MANAGE_SERVER: u64 = 1 << 5;

fn option(option: &OptionSpec) -> Value {
    const STRING: u8 = 3;
    const USER: u8 = 6;
    let kind = if option.kind == OptionKind::Player { USER } else { STRING };
    let mut json =
        json!({ "type": kind, "name": option.name, "description": option.help, "required": option.required });
    let choices = option.kind.choices().into_iter().map(|(value, name)| json!({ "name": name, "value": value }));
    let choices: Vec<Value> = choices.collect();
    if !choices.is_empty() {
        json["choices"] = json!(choices);
    } else if option.kind.has_autocomplete() {
        json["autocomplete"] = json!(true);
    } else if option.kind == OptionKind::FreeText {
        json["max_length"] = json!(MAX_FREE_TEXT);
    }
    json
}

/// Registers the commands with Discord.
pub(super) struct CommandRegistrar {
    app: AppHandle,
    rest: RestClient,
    /// The application whose commands this process has registered; 0 before that.
    application: AtomicU64,
}

impl CommandRegistrar {
    pub(super) const fn new(app: AppHandle, rest: RestClient) -> Self {
        Self { app, rest, application: AtomicU64::new(0) }
    }

    /// Registers the commands unless Discord has them already; repeats until it works.
    pub(super) async fn ensure_registered(&self, application: u64) {
        if self.application.swap(application, Ordering::AcqRel) == application {
            return;
        }
        let commands = commands();
        let version = format!("{application} {:016x}", hash(&commands.to_string()));
        match self.app.run(|app| app.store().session()?.note(NOTE)).await {
            Ok(registered) if registered.as_deref() == Some(&version) => return,
            Ok(_) => {}
            Err(error) => debug!(%error, "registered commands cannot be read, registering them again"),
        }
        let call = Call::with_body(Route::PutCommands { application }, &commands);
        if let Err(failed) = self.rest.send_with_retry(call, RETRY, |_, _| RetryDecision::Default).await {
            error!(error = %failed.error, "registering the commands failed, they stay as they are until the next start");
            return;
        }
        info!(commands = COMMANDS.len(), "commands registered");
        if let Err(error) = self.app.run(move |app| app.store().write_note(NOTE, &version)).await {
            error!(%error, "registered commands cannot be saved, registering them again at the next start");
        }
    }
}

/// Returns the FNV-1a hash of a text, which is the same on every machine and for every compiler version.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn length(text: &Value) -> usize {
        text.as_str().unwrap().chars().count()
    }

    #[test]
    fn names_and_descriptions_are_within_discords_limits() {
        let commands = commands();
        let commands = commands.as_array().unwrap();
        assert!(commands.len() <= 100);
        for command in commands {
            let mut letters = length(&command["name"]) + length(&command["description"]);
            assert!(
                (1..=32).contains(&length(&command["name"])) && (1..=100).contains(&length(&command["description"]))
            );
            let options = command["options"].as_array().unwrap();
            assert!(options.len() <= 25);
            assert!(
                options.is_sorted_by_key(|option| !option["required"].as_bool().unwrap()),
                "required options come first"
            );
            for option in options {
                let name = option["name"].as_str().unwrap();
                assert!(name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-'), "{name}");
                assert!((1..=32).contains(&name.len()) && (1..=100).contains(&length(&option["description"])));
                letters += name.len() + length(&option["description"]);
                let choices = option["choices"].as_array().map_or(&[][..], Vec::as_slice);
                assert!(choices.len() <= 25);
                for choice in choices {
                    assert!(
                        (1..=100).contains(&length(&choice["name"])) && (1..=100).contains(&length(&choice["value"]))
                    );
                    letters += length(&choice["name"]) + length(&choice["value"]);
                }
            }
            assert!(letters <= 8000);
        }
    }
}
