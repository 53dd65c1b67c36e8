//! Somebody's own words, made fit to stand in a sentence of ours: in one line, in one direction, not too long.

/// The longest name that is shown; Discord's own limit is 32.
const LONGEST_NAME: usize = 40;
/// The longest piece of what was typed that is repeated.
const LONGEST_QUOTE: usize = 60;

/// Gives a name as it is kept and shown; `somebody` if there is nothing in it to see.
#[must_use]
pub fn name(said: &str) -> String {
    let name = sanitize(said, LONGEST_NAME);
    if name.is_empty() { super::labels::somebody().to_owned() } else { name }
}

/// Repeats what was typed, as code.
#[must_use]
pub fn quoted(said: &str) -> String {
    format!("`{}`", sanitize(&said.replace('`', ""), LONGEST_QUOTE))
}

/// Takes out line breaks and whatever cannot be seen or turns the direction of writing, and cuts the rest.
#[must_use]
pub fn sanitize(said: &str, most: usize) -> String {
    let visible = said.chars().filter(|outgoing| !is_invisible(*outgoing));
    let visible: String = visible.map(|outgoing| if outgoing.is_control() { ' ' } else { outgoing }).collect();
    let line = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let short: String = line.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", short.trim_end())
}

/// Tells whether a letter shows nothing or turns the direction of writing. Joiners stay: some scripts and pictures need
/// them.
const fn is_invisible(outgoing: char) -> bool {
    matches!(
        outgoing,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_in_their_line_and_direction() {
        assert_eq!(name("Ann\u{202e}gnorw\nsi \u{200b}this"), "Anngnorw si this");
        assert_eq!(name("\u{200f}\u{2066}\n\0"), crate::text::labels::somebody());
        assert_eq!(name("👩\u{200d}👩\u{200d}👧"), "👩\u{200d}👩\u{200d}👧");
        assert_eq!(quoted("`` @everyone\n```"), "`@everyone`");
        assert_eq!(sanitize("ääääää", 4), "äää…");
    }
}
