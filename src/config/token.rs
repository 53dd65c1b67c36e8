//! Whether something can be a token. No message has any of it: a wrong one may be right except for a letter.

use super::Secret;
use super::keys::SAMPLE_TOKEN;
use std::path::Path;

pub(super) fn read_file(path: &Path) -> Result<Secret, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    check(&text)
}

pub(super) fn check(text: &str) -> Result<Secret, String> {
    let text = text.trim();
    let token = text.strip_prefix("Bot ").unwrap_or(text).trim();
    if token == SAMPLE_TOKEN {
        return Err(String::from(
            "this is the token of the example; put your own bot's there, from its page on \
             https://discord.com/developers/applications (Bot, Reset Token)",
        ));
    }
    let fits = !token.is_empty() && token.chars().all(|letter| letter.is_ascii_graphic());
    if fits {
        Ok(Secret::new(token))
    } else {
        Err(String::from("this is not a bot's token: it is empty or has a space in it"))
    }
}
