//! Checks the form of a token. No error message repeats any of it: it may differ from the right one in a single letter.

use super::Secret;
use super::keys::SAMPLE_TOKEN;
use super::value::shorten;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The size from which a file is refused; a token is much shorter.
const MAX_SIZE: u64 = 4096;

/// Reads a token from a file. No error message has the name of the file, because it may be the token itself.
pub(super) fn read_file(path: &Path) -> Result<Secret, String> {
    let mut bytes = Vec::new();
    if path.is_dir() {
        return Err(String::from("this is a folder; name a file"));
    }
    File::open(path)
        .and_then(|file| file.take(MAX_SIZE + 1).read_to_end(&mut bytes))
        .map_err(|error| format!("the file that it names cannot be read: {error}"))?;
    if bytes.len() as u64 > MAX_SIZE {
        return Err(String::from("the file that it names is too long; it should contain only the token"));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| String::from("the file that it names is not UTF-8 text; it should contain only the token"))?;
    // Some editors begin every file with a byte order mark.
    parse(text.trim_start_matches('\u{feff}'))
}

/// Checks the form of a token.
pub(super) fn parse(text: &str) -> Result<Secret, String> {
    let text = text.trim();
    let token = text.strip_prefix("Bot ").unwrap_or(text).trim();
    if token == SAMPLE_TOKEN {
        return Err(String::from(
            "this is the token of the example; put your own bot's there, from its page on \
             https://discord.com/developers/applications (Bot, Reset Token)",
        ));
    }
    let is_name = |name: &str| name.trim().bytes().all(|letter| letter.is_ascii_uppercase() || letter == b'_');
    if token.split_once('=').is_some_and(|(name, _)| is_name(name)) {
        return Err(String::from("there is a name and = before the token; write the token alone"));
    }
    if token.contains(['"', '\'']) {
        return Err(String::from("there are quotes around the token; write it without them"));
    }
    let fits = !token.is_empty() && token.chars().all(|letter| letter.is_ascii_graphic());
    if fits {
        Ok(Secret::new(token))
    } else {
        Err(String::from("this is not a bot's token: it is empty or has a space in it"))
    }
}

/// Shortens every word of a text that has the form of a token. A token may be given in the wrong place, as the name of a
/// file for example, and errors repeat what was given.
pub fn redact_tokens(text: &str) -> String {
    let is_separator = |letter: char| !(letter.is_ascii_alphanumeric() || "_-.".contains(letter));
    let redact = |piece: &str| {
        let word = piece.trim_end_matches(is_separator);
        if looks_like_token(word) { shorten(word) + &piece[word.len()..] } else { piece.to_owned() }
    };
    text.split_inclusive(is_separator).map(redact).collect()
}

/// Returns whether a word begins with three parts that are as long as those of a token: the bot's id, a time and a key.
fn looks_like_token(word: &str) -> bool {
    let parts: Vec<usize> = word.split('.').map(str::len).collect();
    matches!(parts[..], [id, time, key, ..] if id >= 18 && time >= 5 && key >= 25)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_token_file_contains_only_the_token() {
        let path = std::env::temp_dir().join(format!("ratatosk-token-file-{}", std::process::id()));
        let read = |text: &[u8]| {
            std::fs::write(&path, text).unwrap();
            read_file(&path).map(|token| token.expose().to_owned())
        };
        assert_eq!(read(b"\xef\xbb\xbfabc.def.ghi\r\n").unwrap(), "abc.def.ghi");
        for (text, why) in [
            (&b"DISCORD_TOKEN=abc.def.ghi\n"[..], "a name and = before"),
            (b"\"abc.def.ghi\"", "quotes"),
            (b"\xff\xfea\0b\0c\0", "not UTF-8"),
            (&[b'a'; 5000], "too long"),
            (b"\n", "empty"),
        ] {
            let told = read(text).unwrap_err();
            assert!(told.contains(why) && !told.contains("abc"), "{told}");
        }
        std::fs::remove_file(&path).unwrap();
        assert!(read_file(&path).unwrap_err().starts_with("the file that it names cannot be read: "));
        assert!(read_file(&std::env::temp_dir()).unwrap_err().contains("folder"));
        #[cfg(unix)]
        assert!(read_file(Path::new("/dev/zero")).unwrap_err().contains("too long"), "it has no end");
    }

    #[test]
    fn only_what_has_the_form_of_a_token_is_shortened() {
        let token = "MTE3NDk4NTc2MTI4MzY1NTY4MA.GstanD.not-a-real-token_not-a-real-token-0";
        let text = format!("error: there is no `/a b/{token}`, or --config={token}.toml");
        assert_eq!(redact_tokens(&text), "error: there is no `/a b/MTE3NDk4…`, or --config=MTE3NDk4…");
        for harmless in ["", "games.before-schema-7.bak", "a sentence. Another one… ends.", "ᚱ.db", "1.2.3"] {
            assert_eq!(redact_tokens(harmless), harmless);
        }
    }
}
