//! `/help`, and how a command is written.

use crate::commands::{COMMANDS, CommandScope, CommandSpec, OptionKind, OptionSpec};

/// Lists the commands that work in a server or in a direct message.
#[must_use]
pub fn help(in_server: bool) -> String {
    let mut text = String::from(if in_server {
        "Tafl over days: challenge somebody, move when you have a minute. Most of it can also be done with the buttons \
         below a board.\n"
    } else {
        "Tafl over days. Games begin in a server; here you can look at yours and move in them. Most of it can also be \
         done with the buttons below a board.\n"
    });
    for command in COMMANDS.iter().filter(|command| in_server || command.scope == CommandScope::Anywhere) {
        let whose = if command.moderators_only { " (for those who manage the server)" } else { "" };
        text += &format!("{} {}{whose}\n", usage(command), command.help);
    }
    text + "Moves are written from where to where, such as `d1-d4`. You will be called when it is your turn."
}

/// Returns an example of a command, as it can be typed at the terminal.
#[must_use]
pub fn example(command: &CommandSpec) -> String {
    let value = |option: &OptionSpec| match option.kind {
        OptionKind::Move => String::from("d1-d4"),
        OptionKind::Player => String::from("ivar"),
        OptionKind::Game | OptionKind::AnyGame => String::from("42"),
        kind => kind.choices().into_iter().next().map_or_else(|| String::from("…"), |(id, _)| id),
    };
    let required = command.options.iter().filter(|option| option.required).enumerate();
    // The first option needs no name.
    let values = required.map(|(n, option)| match n {
        0 => value(option),
        _ => format!("{}:{}", option.name, value(option)),
    });
    let words: Vec<String> = std::iter::once(command.name.to_owned()).chain(values).collect();
    format!("`/{}`", words.join(" "))
}

/// Returns the name of a command with its required options.
fn usage(command: &CommandSpec) -> String {
    let mut text = format!("`/{}", command.name);
    for option in command.options.iter().filter(|option| option.required) {
        text += &format!(" {}:…", option.name);
    }
    text + "`"
}
