//! Checks that user input cannot change the formatting of messages.

use crate::experiments::hostile_input::MARK;
use fake_discord::state::Message;
use serde_json::Value;

/// The mark in front of text from a user outside of code.
const OWN_WORDS: &str = "The reason: ";

/// Checks every text in a message.
pub fn assert_looks_right(message: &Message) {
    for text in message.previous_contents.iter().chain([&message.content]) {
        prose(text);
    }
    for embed in &message.embeds {
        texts_in(embed).for_each(prose);
    }
    for file in &message.attachments {
        assert_one_line(file.description.as_deref().unwrap_or_default(), "a description");
        assert_one_line(&file.name, "the name of a file");
    }
    for part in message.controls() {
        let items = part["options"].as_array().into_iter().flatten();
        for piece in items.chain([part]) {
            let shown = ["label", "description", "placeholder"].into_iter().filter_map(|name| piece[name].as_str());
            shown.for_each(|text| assert_one_line(text, "a label"));
        }
    }
}

/// Returns every text in a part of a message.
fn texts_in(value: &Value) -> Box<dyn Iterator<Item = &str> + '_> {
    match value {
        Value::String(text) => Box::new(std::iter::once(text.as_str())),
        Value::Array(list) => Box::new(list.iter().flat_map(texts_in)),
        Value::Object(fields) => Box::new(fields.values().flat_map(texts_in)),
        _ => Box::new(std::iter::empty()),
    }
}

/// Checks that a text has no line breaks and no characters that change its direction.
pub fn assert_one_line(text: &str, what: &str) {
    assert!(!text.contains(leaves_its_line), "{what} is out of line: {text:?}");
}

fn leaves_its_line(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn prose(text: &str) {
    if let Some(fault) = fault_in(text) {
        panic!("{fault}: {text:?}");
    }
}

/// Reads a text as Discord does; returns what is wrong with it. Markup must be closed and of a kind that the bot uses,
/// and text from users must be in code, except for reasons, which must not have markup.
fn fault_in(text: &str) -> Option<String> {
    // Only text from users can have other line breaks.
    if text.split('\n').any(|line| line.contains(leaves_its_line)) {
        return Some(String::from("a line is out of line"));
    }
    if text.contains("\n\n\n") {
        return Some(String::from("there is a gap"));
    }
    let blocks: Vec<&str> = text.split("```").collect();
    if blocks.len().is_multiple_of(2) {
        return Some(String::from("a block of code has no end"));
    }
    // Every second piece is in a code block.
    let outside: String = blocks.into_iter().step_by(2).collect();
    outside.split('\n').find_map(fault_in_line)
}

fn fault_in_line(line: &str) -> Option<String> {
    let Some(plain) = without_code_and_escapes(line) else { return Some(format!("code has no end in {line:?}")) };
    // Lists of the bot begin with a dash or a number.
    for start in ["# ", "## ", "### ", "-# ", "> ", ">>> ", "* ", "+ "] {
        if plain.trim_start().starts_with(start) {
            return Some(format!("{line:?} begins with {start:?}"));
        }
    }
    let plain = without_mentions(&plain);
    // Emphasis that the bot uses.
    let pieces: Vec<&str> = plain.split("**").collect();
    if pieces.len().is_multiple_of(2) {
        return Some(format!("** has no end in {line:?}"));
    }
    if pieces.iter().skip(1).step_by(2).any(|strong| strong.contains(MARK)) {
        return Some(format!("text of a user is emphasised in {line:?}"));
    }
    let plain = pieces.concat();
    for mark in ["*", "_", "~~", "||", "](", "://", "<", ">", "@everyone", "@here"] {
        if plain.contains(mark) {
            return Some(format!("{mark} is neither a letter nor ours in {line:?}"));
        }
    }
    let loose = plain.contains(MARK) && !plain.starts_with(OWN_WORDS);
    loose.then(|| format!("text of a user is not in code in {line:?}"))
}

/// Removes code and escaped characters; returns nothing if code does not end in its line.
fn without_code_and_escapes(line: &str) -> Option<String> {
    let (mut plain, mut letters, mut inside) = (String::new(), line.chars(), false);
    while let Some(letter) = letters.next() {
        match letter {
            '`' => {
                inside = !inside;
                plain.push('.');
            }
            _ if inside => {}
            '\\' => {
                letters.next();
                plain.push('.');
            }
            letter => plain.push(letter),
        }
    }
    (!inside).then_some(plain)
}

/// Removes mentions and times, which Discord replaces.
fn without_mentions(line: &str) -> String {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    let is_ours = |inside: &str| {
        let time = inside.strip_prefix("t:").and_then(|time| time.strip_suffix(":R"));
        [inside.strip_prefix('@'), inside.strip_prefix('#'), time].into_iter().flatten().any(is_number)
    };
    let mut plain = String::new();
    for (n, piece) in line.split('<').enumerate() {
        match piece.split_once('>') {
            _ if n == 0 => plain += piece,
            Some((inside, rest)) if is_ours(inside) => plain += rest,
            _ => plain += &format!("<{piece}"),
        }
    }
    plain
}

#[test]
fn the_layout_check_finds_markup_that_leaks() {
    let spoilt = [
        "**bold",
        "`code",
        "```\nblock",
        "two\n\n\nlines",
        "turned \u{202e}",
        "a\rb",
        "# title",
        "> quoted",
        "1. ⁂one",
        "*one*",
        "_one_",
        "~~gone~~",
        "||hidden||",
        "[a](b)",
        "https://example.com",
        "<@&1>",
        "</move:1>",
        "<:a:1>",
        "@everyone",
        "⁂ is loose",
        "The reason: **⁂**",
        "- ⁂",
        "`a`⁂`b`",
    ];
    for text in spoilt {
        assert_ne!(fault_in(text), None, "{text:?} looks right");
    }
    for text in [
        "**<@1>** moves, deadline <t:1:R>; see <#2>.\n```\n| ⁂ > | *\n```\n- `⁂ **` of a list",
        r"The reason: \*\*⁂\*\* \<\@1\> \`\` \[a\]\(b\)",
    ] {
        assert_eq!(fault_in(text), None);
    }
}
