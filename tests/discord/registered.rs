//! A snapshot of the registered commands. The fake Discord checks that they are within Discord's limits.

use crate::bot_process::BotProcess;
use fake_discord::FakeDiscord;
use serde_json::Value;
use std::path::Path;

/// Formats the commands as text, with one line for a command, an option or its choices.
fn written(commands: &[Value]) -> String {
    let mut text = String::new();
    let said = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    for command in commands {
        let rights = &command["default_member_permissions"];
        let contexts = &command["contexts"];
        text += &format!(
            "/{}: {} [contexts {contexts}, rights {rights}]\n",
            said(&command["name"]),
            said(&command["description"])
        );
        for option in command["options"].as_array().into_iter().flatten() {
            let needed = if option["required"] == true { ", needed" } else { "" };
            let completed = if option["autocomplete"] == true { ", completed" } else { "" };
            let (name, help) = (said(&option["name"]), said(&option["description"]));
            text += &format!("    {name}: {help} [type {}{needed}{completed}]\n", option["type"]);
            for choice in option["choices"].as_array().into_iter().flatten() {
                text += &format!("        {}: {}\n", said(&choice["value"]), said(&choice["name"]));
            }
        }
    }
    text
}

#[tokio::test]
async fn the_registered_commands_are_those_of_the_snapshot() {
    let discord = FakeDiscord::start().await;
    let _bot = BotProcess::start(&discord).await;
    let commands = discord.state.read(|state| written(&state.commands));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/discord/commands.txt");
    if std::env::var_os("RATATOSK_RENEW_GOLDEN").is_some() {
        std::fs::write(&path, &commands).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let missing = |from: &str, of: &str, sign: char| -> String {
        let lines = of.lines().filter(|line| !from.lines().any(|it| it == *line));
        lines.map(|line| format!("{sign}{line}\n")).collect()
    };
    assert!(
        commands == known,
        "the commands are not those of tests/discord/commands.txt, as after a new variant, command or option:\n{}{}\
         If that is meant: RATATOSK_RENEW_GOLDEN=1 cargo test --test discord registered",
        missing(&commands, &known, '-'),
        missing(&known, &commands, '+'),
    );
}
