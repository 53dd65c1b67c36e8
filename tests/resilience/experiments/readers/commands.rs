//! Commands: accepted only if they exist, with all required options and none twice.

use ratatosk::commands::CommandSpec;
use ratatosk::commands::{Command, OptionValue, Person};
use ratatosk::game::PlayerId;

/// Reads a command, whose name is the first line; then come options such as `variant=york`, and people such as
/// `opponent=@7`. Returns whether it was understood.
pub fn read(text: &str) -> bool {
    let mut lines = text.lines();
    let name = lines.next().unwrap_or_default();
    let said: Vec<(String, OptionValue)> = lines.map(option).collect();
    let names: Vec<String> = said.iter().map(|(name, _)| name.clone()).collect();
    if Command::parse(name, said).is_err() {
        return false;
    }
    let command = CommandSpec::find(name).expect("only what there is can be understood");
    for (n, name) in names.iter().enumerate() {
        assert!(command.option(name).is_some() && !names[..n].contains(name), "{name} is too much");
    }
    for option in command.options.iter().filter(|option| option.required) {
        assert!(names.iter().any(|name| name == option.name), "{} is needed", option.name);
    }
    true
}

fn option(line: &str) -> (String, OptionValue) {
    let (name, said) = line.split_once('=').unwrap_or((line, ""));
    let person = said.strip_prefix('@').and_then(|id| id.parse().ok()).map(|id| {
        OptionValue::Person(Person {
            id: PlayerId(id),
            name: String::from("somebody"),
            is_bot: false,
            can_see_channel: true,
        })
    });
    (name.to_owned(), person.unwrap_or_else(|| OptionValue::Text(said.to_owned())))
}
