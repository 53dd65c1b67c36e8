//! Cleans text that players typed before it is shown: one line, no control characters, limited length.

/// The longest name that is shown; Discord's own limit is 32.
const MAX_NAME_LENGTH: usize = 40;
/// The longest quote of what was typed.
const MAX_QUOTE_LENGTH: usize = 60;

/// Returns a name as it is stored and shown; `somebody` if nothing in it is visible.
#[must_use]
pub fn name(typed: &str) -> String {
    let name = sanitize(typed, MAX_NAME_LENGTH);
    if name.is_empty() { super::labels::somebody().to_owned() } else { name }
}

/// Quotes what was typed, as inline code.
pub(super) fn quoted(typed: &str) -> String {
    format!("`{}`", sanitize(&typed.replace('`', ""), MAX_QUOTE_LENGTH))
}

/// Replaces line breaks, removes characters that are invisible or change the text direction, and shortens the rest.
#[must_use]
pub fn sanitize(text: &str, max_length: usize) -> String {
    let visible = text.chars().filter(|letter| !is_invisible(*letter));
    let visible: String = visible.map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let line = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= max_length {
        return line;
    }
    let short: String = line.chars().take(max_length.saturating_sub(1)).collect();
    format!("{}…", short.trim_end())
}

/// Returns whether nothing in a text can be seen: it is empty, or has only spaces and invisible characters.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    // Joiners, variation selectors, the fillers of Hangul and the empty pattern of Braille show nothing by themselves.
    let shows_nothing = |letter| {
        matches!(
            letter,
            '\u{200c}' | '\u{200d}' | '\u{fe00}'
                ..='\u{fe0f}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{2800}'
        )
    };
    text.chars()
        .all(|letter| letter.is_whitespace() || letter.is_control() || is_invisible(letter) || shows_nothing(letter))
}

/// Returns whether a character is invisible or changes the text direction. Joiners are kept: some scripts and emoji need
/// them.
#[must_use]
pub const fn is_invisible(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_in_one_line_and_direction() {
        assert_eq!(name("Ann\u{202e}gnorw\nsi \u{200b}this"), "Anngnorw si this");
        assert_eq!(name("\u{200f}\u{2066}\n\0"), crate::text::labels::somebody());
        assert_eq!(name("👩\u{200d}👩\u{200d}👧"), "👩\u{200d}👩\u{200d}👧");
        assert_eq!(quoted("`` @everyone\n```"), "`@everyone`");
        assert_eq!(sanitize("ääääää", 4), "äää…");
    }

    #[test]
    fn text_without_anything_to_see_is_blank() {
        for blank in ["", " \t\n", "\u{200b}", "\u{202e} \u{2066}", "\u{200d}\u{fe0f}", "\u{3164}\u{2800}"] {
            assert!(is_blank(blank), "{blank:?}");
        }
        for visible in [".", "\u{200b}x", "👩\u{200d}👧"] {
            assert!(!is_blank(visible), "{visible:?}");
        }
    }
}
