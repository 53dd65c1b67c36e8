//! How a value that was given becomes one of ours, or a sentence that says what would be right.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What was written. It cannot be printed, for it may be the token.
pub(super) enum Value {
    /// In a variable or a flag, where everything is text.
    Typed(OsString),
    /// In the file: text in quotes.
    Text(String),
    /// In the file: a number.
    Number(Option<i64>),
    /// In the file: `true` or `false`.
    Truth(bool),
    /// In the file: anything else, by what it is.
    Other(&'static str),
}

/// A value and where it was written.
pub(super) struct Given<'g> {
    pub(super) value: Value,
    /// The folder of the file, which paths in it begin at.
    pub(super) folder: Option<&'g Path>,
}

const MINUTE: u64 = 60;
/// Longer than anybody waits, and short enough to reckon with.
const LONGEST: u64 = 10 * 365 * 24 * 60 * MINUTE;

impl Given<'_> {
    pub(super) fn text(&self) -> Result<String, String> {
        let text = match &self.value {
            Value::Typed(typed) => typed.to_str().ok_or("this is not UTF-8 text")?,
            Value::Text(text) => text,
            other => return Err(format!("{} stands here, but it should be text in quotes", other.kind())),
        };
        match text.trim() {
            "" => Err(String::from("this is empty; leave the line out to have the usual")),
            text => Ok(text.to_owned()),
        }
    }

    pub(super) fn path(&self) -> Result<PathBuf, String> {
        let path = match &self.value {
            // A name of a file need not be text.
            Value::Typed(typed) => PathBuf::from(typed),
            _ => PathBuf::from(self.text()?),
        };
        if path.starts_with("~") {
            return Err(String::from("only a shell knows what ~ means; write the whole path"));
        }
        Ok(self.folder.map_or(path.clone(), |folder| folder.join(path)))
    }

    pub(super) fn truth(&self) -> Result<bool, String> {
        match &self.value {
            Value::Truth(truth) => Ok(*truth),
            Value::Typed(typed) if typed == "true" => Ok(true),
            Value::Typed(typed) if typed == "false" => Ok(false),
            _ => Err(String::from("write true or false, without quotes")),
        }
    }

    /// Reads how many there should be: at least one.
    pub(super) fn count(&self) -> Result<usize, String> {
        let number = match &self.value {
            Value::Number(number) => *number,
            Value::Typed(typed) => typed.to_str().and_then(|typed| typed.trim().parse().ok()),
            _ => None,
        };
        let count = number.and_then(|number| usize::try_from(number).ok()).filter(|count| (1..=10_000).contains(count));
        count.ok_or_else(|| String::from("write a number from 1 to 10000, without quotes"))
    }

    /// Reads a length of time such as `12h`; none is `off`.
    pub(super) fn time(&self) -> Result<Option<Duration>, String> {
        let text = self.text()?;
        if text == "off" {
            return Ok(None);
        }
        let wrong = || format!("`{}` is no time; write it as 30m, 12h, 1d or 1w, or off", shown(&text));
        let (number, unit) = text.split_at_checked(text.len() - 1).ok_or_else(wrong)?;
        let unit = match unit {
            "m" => MINUTE,
            "h" => 60 * MINUTE,
            "d" => 24 * 60 * MINUTE,
            "w" => 7 * 24 * 60 * MINUTE,
            _ => return Err(wrong()),
        };
        let number: u64 = number.trim().parse().map_err(|_| wrong())?;
        let seconds = number.checked_mul(unit).filter(|seconds| (MINUTE..=LONGEST).contains(seconds));
        seconds.map(|seconds| Some(Duration::from_secs(seconds))).ok_or_else(wrong)
    }

    /// Reads one word out of a few.
    pub(super) fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, String> {
        let text = self.text()?;
        let chosen = choices.iter().find(|(name, _)| name.eq_ignore_ascii_case(&text));
        let names = || choices.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        chosen.map(|(_, value)| *value).ok_or_else(|| format!("`{}` is none of {}", shown(&text), names()))
    }
}

impl Value {
    const fn kind(&self) -> &'static str {
        match self {
            Self::Typed(_) | Self::Text(_) => "text",
            Self::Number(_) => "a number",
            Self::Truth(_) => "true or false",
            Self::Other(kind) => kind,
        }
    }
}

/// Shortens what is repeated in a message: whoever has put the token in the wrong place must not read it in a log.
pub(super) fn shown(text: &str) -> String {
    // A token is longer, and so is its first part.
    const ENOUGH: usize = 23;
    let mut letters = text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter });
    let short: String = letters.by_ref().take(ENOUGH).collect();
    if letters.next().is_some() { format!("{}…", short.chars().take(8).collect::<String>()) } else { short }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn time(text: &str) -> Result<Option<Duration>, String> {
        Given { value: Value::Text(text.to_owned()), folder: None }.time()
    }

    #[test]
    fn times_are_written_as_people_say_them() {
        let hours = |hours: u64| Ok(Some(Duration::from_secs(hours * 60 * 60)));
        assert_eq!(time("12h"), hours(12));
        assert_eq!(time("90m"), Ok(Some(Duration::from_secs(90 * 60))));
        assert_eq!(time(" 1 d"), hours(24));
        assert_eq!(time("2w"), hours(24 * 14));
        assert_eq!(time("off"), Ok(None));
        for wrong in ["", "1", "d", "0h", "-1d", "1.5d", "1y", "1dé", "99999999999w", "18446744073709551615w", "é"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn paths_in_a_file_begin_at_its_folder() {
        let path = |text: &str, folder: Option<&Path>| Given { value: Value::Text(text.to_owned()), folder }.path();
        let folder = Some(Path::new("/etc/ratatosk"));
        assert_eq!(path("games.db", folder).unwrap(), Path::new("/etc/ratatosk/games.db"));
        assert_eq!(path("/srv/games.db", folder).unwrap(), Path::new("/srv/games.db"));
        assert!(path("~/games.db", folder).unwrap_err().contains("whole path"));
        let typed = Given { value: Value::Typed(OsString::from("games.db")), folder: None };
        assert_eq!(typed.path().unwrap(), Path::new("games.db"));
    }

    #[test]
    fn what_is_long_is_not_repeated() {
        assert_eq!(shown("every\nday"), "every\u{fffd}day");
        assert_eq!(shown(&"x".repeat(70)), "xxxxxxxx…");
    }
}
