//! Text that tries to break formatting or parsers, and custom ids that no button has.

use crate::experiments::seeded_rng::Rng;
use serde_json::{Value, json};

/// A character that the bot never writes itself: outside of code it shows that user input was not escaped.
pub const MARK: char = '⁂';

/// Snippets that have broken other programs. Those with markup or line breaks contain the mark.
pub const SNIPPETS: &[&str] = &[
    "",
    " ",
    "\0",
    "\u{202e}",
    "\u{2066}\u{202a}",
    "\u{200d}",
    "\u{200b}\u{200b}",
    "\u{feff}",
    "\u{ad}\u{61c}",
    "\u{1b}[2J",
    "👩\u{200d}👩\u{200d}👧\u{200d}👦",
    "𝕿𝖆𝖋𝖑",
    "Z\u{0351}\u{036b}\u{0343}\u{036a}\u{0302}\u{036b}",
    "\n⁂",
    "\r\n\r\n⁂",
    "\u{2028}⁂\u{85}⁂\u{b}⁂",
    "@everyone",
    "@here",
    "<@1>",
    "<@!1>",
    "<@&1>",
    "<#1>",
    "</move:1>",
    "<t:0:R>",
    "<:a:1>",
    "**⁂bold**",
    "__⁂under__",
    "||⁂hidden||",
    "~~⁂gone~~",
    "*⁂",
    "_⁂",
    "\\⁂",
    "`⁂",
    "``⁂``",
    "```\n⁂# heading\n```",
    "# ⁂heading",
    "-# ⁂small",
    "> ⁂quoted\n⁂- list",
    ">>> ⁂quoted",
    "- ⁂list",
    "1. ⁂list",
    "[⁂link](https://example.com)",
    "https://example.com/⁂",
    "'; DROP TABLE games; --",
    "%s%n{}{0}",
    "../../etc/passwd",
    "d1-d4",
    "d1-d4xd5/e4",
    "Kd4-d7--",
    "a1-z99",
    "#1",
    "18446744073709551616",
    "-1",
    "NaN",
    "1e309",
    "٣",
    "ß",
    "İ",
    "\u{1f600}",
];

/// The longest text that Discord lets anybody type for an option.
pub const LONGEST: usize = 6_000;

/// Repeats a snippet up to the longest text.
pub fn repeated(piece: &str) -> String {
    piece.chars().cycle().take(LONGEST).collect()
}

/// Replaces the unknown user in mentions by a real one.
pub fn mentioning(whom: u64, text: &str) -> String {
    text.replace("<@1>", &format!("<@{whom}>")).replace("<@!1>", &format!("<@!{whom}>"))
}

/// Makes a strange text, sometimes a very long one.
pub fn text(rng: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..rng.below(4) {
        text += rng.pick(SNIPPETS);
    }
    match rng.below(20) {
        0 => text + &rng.pick(&["x", "🦑", "\u{202e}ab", "`⁂", "\n⁂", "d1-"]).repeat(100 + rng.below(2_000)),
        _ => text,
    }
}

/// Makes the number of a game, or a text that is not one.
pub fn number(rng: &mut Rng) -> String {
    match rng.below(10) {
        0 => String::from("0"),
        1 => u64::MAX.to_string(),
        2 => String::from("99999999999999999999"),
        3 => format!("-{}", rng.below(100)),
        _ => rng.below(60).to_string(),
    }
}

/// Makes a custom id, mostly one that could be valid.
pub fn code(rng: &mut Rng) -> String {
    const GAME_BUTTONS: &[&str] = &[
        "men",
        "cancel",
        "resign",
        "resign/sure",
        "offer/draw",
        "offer/takeback",
        "offer/rematch",
        "accept/draw",
        "accept/takeback",
        "accept/rematch",
        "decline/draw",
        "decline/takeback",
        "decline/rematch",
        "abort",
        "claim",
        "time",
        "board/any/me",
        "board/text/all",
        "board/picture/all",
        "history/last/me",
        "history/3/all",
        "history/99999/me",
        "rules",
        "squares/d1",
        "squares/k11",
        "preview/d1-d4",
        "preview/a1-a1",
        "move/d1-c1",
        "play/d1-c1",
        "move/d3",
        "play/",
    ];
    const OTHER_BUTTONS: &[&str] =
        &["challenges", "help", "nothing", "games", "rules/york", "rules/chess", "menu", "forget-me", "forget-me/sure"];
    match rng.below(12) {
        0 => text(rng),
        1 => rng.pick(OTHER_BUTTONS).to_owned(),
        2 | 3 => format!("c{}/{}", number(rng), rng.pick(&["accept", "decline", "withdraw", "show", ""])),
        4 => format!("{}/{}", number(rng), rng.pick(GAME_BUTTONS)),
        5 => format!("{}.{}/move/{}", number(rng), number(rng), text(rng)),
        _ => format!("{}.{}/{}", number(rng), number(rng), rng.pick(GAME_BUTTONS)),
    }
}

/// Makes any JSON value.
pub fn value(rng: &mut Rng) -> Value {
    match rng.below(8) {
        0 => Value::Null,
        1 => json!(rng.below(2) == 0),
        2 => json!(i64::MIN),
        3 => json!(1e300),
        4 => json!([text(rng)]),
        5 => json!({ "id": text(rng) }),
        _ => json!(text(rng)),
    }
}
