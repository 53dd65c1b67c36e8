//! Parses the values of keys. Each error says what would be right.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A value as it was written. It has no `Debug`, because it may be the token.
pub(super) enum Value {
    /// From a variable or an option, where everything is text.
    Untyped(OsString),
    /// From the file: text in quotes.
    Text(String),
    /// From the file: a number, if it fits.
    Number(Option<i64>),
    /// From the file: `true` or `false`.
    Bool(bool),
    /// From the file: anything else, with the name of its type.
    Other(&'static str),
}

/// A value, and the folder that its paths are relative to.
pub(super) struct RawValue<'g> {
    pub(super) value: Value,
    /// The folder of the configuration file.
    pub(super) folder: Option<&'g Path>,
}

const MINUTE: u64 = 60;
/// The longest length of time, short enough for any arithmetic.
const MAX_SECONDS: u64 = 10 * 365 * 24 * 60 * MINUTE;

impl RawValue<'_> {
    pub(super) fn text(&self) -> Result<String, String> {
        let text = match &self.value {
            Value::Untyped(typed) => typed.to_str().ok_or("this is not UTF-8 text")?,
            Value::Text(text) => text,
            other => return Err(format!("{} was found where text in quotes is expected", other.kind())),
        };
        match text.trim() {
            "" => Err(String::from("this is empty; remove it to use the default")),
            text => Ok(text.to_owned()),
        }
    }

    pub(super) fn path(&self) -> Result<PathBuf, String> {
        let path = match &self.value {
            // A path need not be UTF-8.
            Value::Untyped(typed) => PathBuf::from(typed),
            _ => PathBuf::from(self.text()?),
        };
        if path.starts_with("~") {
            return Err(String::from("~ is only expanded by a shell; write the whole path"));
        }
        Ok(self.folder.map_or(path.clone(), |folder| folder.join(path)))
    }

    pub(super) fn bool(&self) -> Result<bool, String> {
        match &self.value {
            Value::Bool(value) => Ok(*value),
            Value::Untyped(typed) if typed == "true" => Ok(true),
            Value::Untyped(typed) if typed == "false" => Ok(false),
            _ => Err(String::from("write true or false, without quotes")),
        }
    }

    /// Parses a count of at least one.
    pub(super) fn count(&self) -> Result<usize, String> {
        let number = match &self.value {
            Value::Number(number) => *number,
            Value::Untyped(typed) => typed.to_str().and_then(|typed| typed.trim().parse().ok()),
            _ => None,
        };
        let count = number.and_then(|number| usize::try_from(number).ok()).filter(|count| (1..=10_000).contains(count));
        count.ok_or_else(|| String::from("write a number from 1 to 10000, without quotes"))
    }

    /// Parses a length of time such as `12h`; `off` is none.
    pub(super) fn duration(&self) -> Result<Option<Duration>, String> {
        let text = self.text()?;
        if text == "off" {
            return Ok(None);
        }
        let wrong = || format!("`{}` is not a length of time; write 30m, 12h, 1d or 1w, or off", shorten(&text));
        let (number, unit) = text.split_at_checked(text.len() - 1).ok_or_else(wrong)?;
        let unit = match unit {
            "m" => MINUTE,
            "h" => 60 * MINUTE,
            "d" => 24 * 60 * MINUTE,
            "w" => 7 * 24 * 60 * MINUTE,
            _ => return Err(wrong()),
        };
        let number: u64 = number.trim().parse().map_err(|_| wrong())?;
        let seconds = number.checked_mul(unit).filter(|seconds| (MINUTE..=MAX_SECONDS).contains(seconds));
        seconds.map(|seconds| Some(Duration::from_secs(seconds))).ok_or_else(wrong)
    }

    /// Parses one of a few words.
    pub(super) fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, String> {
        let text = self.text()?;
        let chosen = choices.iter().find(|(name, _)| name.eq_ignore_ascii_case(&text));
        let names = || choices.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        chosen.map(|(_, value)| *value).ok_or_else(|| format!("`{}` is not one of {}", shorten(&text), names()))
    }
}

impl Value {
    const fn kind(&self) -> &'static str {
        match self {
            Self::Untyped(_) | Self::Text(_) => "text",
            Self::Number(_) => "a number",
            Self::Bool(_) => "true or false",
            Self::Other(kind) => kind,
        }
    }
}

/// Shortens a value for an error message, so that a token in the wrong place does not get into a log.
pub(super) fn shorten(text: &str) -> String {
    // A token is longer, and so is its first part.
    const MAX_SHOWN: usize = 23;
    let mut letters = text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter });
    let short: String = letters.by_ref().take(MAX_SHOWN).collect();
    if letters.next().is_some() { format!("{}…", short.chars().take(8).collect::<String>()) } else { short }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn time(text: &str) -> Result<Option<Duration>, String> {
        RawValue { value: Value::Text(text.to_owned()), folder: None }.duration()
    }

    #[test]
    fn lengths_of_time_have_units() {
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
    fn paths_in_a_file_are_relative_to_its_folder() {
        let path = |text: &str, folder: Option<&Path>| RawValue { value: Value::Text(text.to_owned()), folder }.path();
        let folder = Some(Path::new("/etc/ratatosk"));
        assert_eq!(path("games.db", folder).unwrap(), Path::new("/etc/ratatosk/games.db"));
        assert_eq!(path("/srv/games.db", folder).unwrap(), Path::new("/srv/games.db"));
        assert!(path("~/games.db", folder).unwrap_err().contains("whole path"));
        let typed = RawValue { value: Value::Untyped(OsString::from("games.db")), folder: None };
        assert_eq!(typed.path().unwrap(), Path::new("games.db"));
    }

    #[test]
    fn long_values_are_shortened() {
        assert_eq!(shorten("every\nday"), "every\u{fffd}day");
        assert_eq!(shorten(&"x".repeat(70)), "xxxxxxxx…");
    }
}
