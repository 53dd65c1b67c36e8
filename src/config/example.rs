//! `config.example.toml`, made from the list of keys.

use super::keys::{KEYS, TOKEN_VARIABLE};
use std::fmt::Write;

/// The length of its longest line.
const WIDTH: usize = 100;

/// Returns the text of `config.example.toml`: every key with its meaning, all but the token commented out.
#[must_use]
pub fn example() -> String {
    let mut file = String::from(
        "# Configuration of Ratatosk. Put in your bot's token, save this as config.toml, and check it:\n\
         #   ratatosk check-config --config config.toml\n\
         # To change another key, remove the # from its line. Relative paths start at the folder of this file.\n\
         # Environment variables take precedence over this file.\n",
    );
    let mut previous = None;
    for key in KEYS {
        let (section, name) = key.section_and_name();
        file.push('\n');
        if let Some(section) = section.filter(|section| previous != Some(*section)) {
            // Writing to a String cannot fail.
            let _ = writeln!(file, "[{section}]");
            previous = Some(section);
        }
        for line in wrapped(&key.meaning.replace('`', "")) {
            let _ = writeln!(file, "# {line}");
        }
        let _ = writeln!(file, "# Default: {}. Variable: {}.", key.default.replace('`', ""), key.variable);
        let mark = if key.variable == TOKEN_VARIABLE { "" } else { "# " };
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
