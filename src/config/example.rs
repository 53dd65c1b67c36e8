//! The file to begin with, made from the list of keys.

use super::keys::{KEYS, TOKEN};
use std::fmt::Write;

/// How long a line of it is at most.
const WIDTH: usize = 100;

/// Writes `config.example.toml`: every key with its meaning, all but the token as a comment.
#[must_use]
pub fn example() -> String {
    let mut file = String::from(
        "# Settings of Ratatosk. Put your bot's token in, save this as config.toml, and see whether all is well:\n\
         #   ratatosk check-config --config config.toml\n\
         # To set something else, take the # away from its line. Paths that do not begin with / begin at the folder\n\
         # of this file. A variable of the environment comes before what stands here.\n",
    );
    let mut former = None;
    for key in KEYS {
        let (section, name) = key.place();
        file.push('\n');
        if let Some(section) = section.filter(|section| former != Some(*section)) {
            // Writing to a text cannot fail.
            let _ = writeln!(file, "[{section}]");
            former = Some(section);
        }
        for line in wrapped(&key.meaning.replace('`', "")) {
            let _ = writeln!(file, "# {line}");
        }
        let _ = writeln!(file, "# Default: {}. Variable: {}.", key.default.replace('`', ""), key.variable);
        let mark = if key.variable == TOKEN { "" } else { "# " };
        let _ = writeln!(file, "{mark}{name} = {}", key.example);
    }
    file
}

fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + word.len() + 3 <= WIDTH => *line += &format!(" {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
