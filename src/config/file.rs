//! Parses the configuration file. Every value has its line, and all errors are found at once.

use super::error::{ConfigError, Origin};
use super::keys::{KEYS, Key, closest};
use super::value::{Value, shorten};
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// The size from which a file is refused.
const MAX_SIZE: u64 = 1 << 20;

/// A value in the file.
pub(super) struct Entry {
    pub(super) key: &'static Key,
    pub(super) value: Value,
    pub(super) line: usize,
}

/// The values in a file, and what is wrong with it.
#[derive(Default)]
pub(super) struct Contents {
    pub(super) entries: Vec<Entry>,
    pub(super) errors: Vec<ConfigError>,
}

/// Reads a file.
pub(super) fn read(path: &Path) -> Contents {
    let failed = |problem: String| {
        let origin = Origin::File { path: path.to_owned(), line: None };
        Contents { entries: Vec::new(), errors: vec![ConfigError { origin, key: None, problem }] }
    };
    let mut bytes = Vec::new();
    if let Err(error) = File::open(path).and_then(|file| file.take(MAX_SIZE + 1).read_to_end(&mut bytes)) {
        return failed(cannot_read(path, &error));
    }
    if bytes.len() as u64 > MAX_SIZE {
        return failed(String::from("the file is larger than 1 MB, the limit for a configuration file"));
    }
    match String::from_utf8(bytes) {
        Ok(text) => parse(&text, path),
        Err(error) => {
            let line = line_of(error.as_bytes(), error.utf8_error().valid_up_to());
            failed(format!("this is not UTF-8 text: look at line {line}"))
        }
    }
}

fn cannot_read(path: &Path, error: &io::Error) -> String {
    match error.kind() {
        _ if path.is_dir() => String::from("this is a folder; name the file in it"),
        io::ErrorKind::NotFound => {
            String::from("there is no such file; `ratatosk example-config` prints one to start from")
        }
        io::ErrorKind::PermissionDenied => String::from("permission denied; check its owner and mode"),
        _ => format!("it cannot be read: {error}"),
    }
}

/// Parses the text of a file.
pub(super) fn parse(text: &str, path: &Path) -> Contents {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader { text, path, contents: Contents::default() };
    for error in errors {
        // Only the message: the rest of the error shows the line, which may be that of the token.
        let message = error.message();
        // The parser reports this for a word without quotes that begins like `inf` or a number.
        let hint = if message.starts_with("invalid float") { "; text needs quotes" } else { "" };
        let span = error.span().unwrap_or_default();
        let key = message.starts_with("duplicate key").then(|| reader.key_at(&span)).flatten();
        reader.error(span, key, format!("{message}{hint}"));
    }
    let unreadable: Vec<Origin> = reader.contents.errors.iter().map(|error| error.origin.clone()).collect();
    reader.walk("", table.get_ref());
    let mut contents = reader.contents;
    contents.entries.sort_by_key(|entry| entry.line);
    // A line that cannot be parsed gets no second error.
    let readable = |line| !unreadable.contains(&Origin::File { path: path.to_owned(), line: Some(line) });
    contents.entries.retain(|entry| readable(entry.line));
    contents
}

struct Reader<'r> {
    text: &'r str,
    path: &'r Path,
    contents: Contents,
}

impl Reader<'_> {
    fn walk(&mut self, section: &str, table: &DeTable<'_>) {
        for (name, value) in table {
            let full =
                if section.is_empty() { name.get_ref().to_string() } else { format!("{section}.{}", name.get_ref()) };
            let begins = format!("{full}.");
            let is_section = KEYS.iter().any(|key| key.name.starts_with(&begins));
            match (Key::find(&full), value.get_ref()) {
                (Some(key), value) => {
                    let line = self.line(&name.span());
                    self.contents.entries.push(Entry { key, value: read_value(value), line });
                }
                (None, DeValue::Table(table)) if is_section => self.walk(&full, table),
                (None, _) if is_section => {
                    let problem = format!("this is a section: write its keys below a line [{full}]");
                    self.error(name.span(), Some(full), problem);
                }
                (None, DeValue::Table(_)) => {
                    let hint = closest(&full, sections()).map_or_else(
                        || format!("the sections are {}", sections().map(in_brackets).collect::<Vec<_>>().join(", ")),
                        |known| format!("did you mean {}?", in_brackets(known)),
                    );
                    self.error(name.span(), Some(shorten(&full)), format!("there is no such section; {hint}"));
                }
                (None, _) => {
                    let hint = closest(&full, KEYS.iter().map(|key| key.name)).map_or_else(
                        || String::from("`ratatosk example-config` prints all keys"),
                        |known| format!("did you mean {known}?"),
                    );
                    self.error(name.span(), Some(shorten(&full)), format!("there is no such key; {hint}"));
                }
            }
        }
    }

    fn error(&mut self, span: Range<usize>, key: Option<String>, problem: String) {
        let origin = Origin::File { path: self.path.to_owned(), line: Some(self.line(&span)) };
        self.contents.errors.push(ConfigError { origin, key, problem });
    }

    /// Returns the key at a position, with its section if there is such a key.
    fn key_at(&self, span: &Range<usize>) -> Option<String> {
        let name = self.text.get(span.clone())?;
        let mut headings = self.text.get(..span.start)?.lines().filter_map(|line| line.trim().strip_prefix('['));
        let section = headings.next_back().and_then(|heading| heading.split(']').next()).unwrap_or_default();
        let full = format!("{}.{name}", section.trim());
        Some(if Key::find(&full).is_some() { full } else { shorten(name) })
    }

    fn line(&self, span: &Range<usize>) -> usize {
        line_of(self.text.as_bytes(), span.start)
    }
}

/// Returns each section once; the keys of a section are next to each other.
fn sections() -> impl Iterator<Item = &'static str> + Clone {
    let section = |index: usize| KEYS.get(index).and_then(|key| key.section_and_name().0);
    (0..KEYS.len()).filter(move |index| *index == 0 || section(*index) != section(index - 1)).filter_map(section)
}

fn in_brackets(section: &str) -> String {
    format!("[{section}]")
}

fn read_value(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => Value::Number(i64::from_str_radix(number.as_str(), number.radix()).ok()),
        DeValue::Boolean(truth) => Value::Bool(*truth),
        DeValue::Float(_) => Value::Other("a decimal number"),
        DeValue::Datetime(_) => Value::Other("a date"),
        DeValue::Array(_) => Value::Other("a list"),
        DeValue::Table(_) => Value::Other("a section"),
    }
}

fn line_of(text: &[u8], at: usize) -> usize {
    text.iter().take(at).filter(|byte| **byte == b'\n').count() + 1
}
