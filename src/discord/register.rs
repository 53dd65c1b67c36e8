//! The catalogue as Discord's slash commands, registered in one piece and only when it has changed.

use super::Bot;
use super::rest::client::RestError;
use crate::commands::{COMMANDS, CommandScope, CommandSpec, MAX_FREE_TEXT, OptionKind, OptionSpec};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tracing::{error, info, warn};

/// Under which name it is noted what was registered.
const NOTE: &str = "commands";
const LIMIT: Duration = Duration::from_secs(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// Gives every command as Discord reads it.
#[must_use]
pub fn commands() -> Value {
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

/// Discord's number for the right to manage a server.
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

impl Bot {
    /// Registers the commands, unless they are registered already; tries until it works.
    pub(super) async fn register(self: Arc<Self>, application: u64) {
        let commands = commands();
        let wanted = format!("{application} {:016x}", hash(&commands.to_string()));
        let known = self.blocking(|bot| bot.app.store().note(NOTE)).await;
        if known.as_ref().is_ok_and(|known| known.as_deref() == Some(&wanted)) {
            return;
        }
        let path = format!("/applications/{application}/commands");
        let mut pause = Duration::from_secs(1);
        loop {
            match self.rest.call(Method::PUT, &path, Some(&commands), &[], LIMIT).await {
                Ok(_) => break,
                Err(RestError::TooFast { wait }) => tokio::time::sleep(wait).await,
                Err(error @ RestError::Refused { .. }) => {
                    error!(%error, "Discord does not take the commands");
                    return;
                }
                Err(error) => {
                    warn!(%error, "the commands are not registered yet");
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
        info!(commands = COMMANDS.len(), "commands registered");
        if let Err(problem) = self.blocking(move |bot| bot.app.store().write_note(NOTE, &wanted)).await {
            error!(%problem, "it cannot be noted which commands are registered");
        }
    }
}

/// Gives the FNV-1a hash of a text: the same on every machine and for every version of the compiler.
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
    fn names_and_descriptions_fit() {
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
                "needed ones come first"
            );
            for option in options {
                let name = option["name"].as_str().unwrap();
                assert!(name.chars().all(|outgoing| outgoing.is_ascii_lowercase() || outgoing == '-'), "{name}");
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
