//! Texts of buttons: what a button carries is written as it was read, and there is room for it.

use ratatosk::app::code;

/// Reads the text of a button; tells whether it is one.
pub fn read(text: &str) -> bool {
    let Some(wish) = code::read(text) else { return false };
    // A typed move may be longer than a button has room for.
    if let Some(written) = code::write(&wish) {
        let again = code::read(&written).and_then(|wish| code::write(&wish));
        assert_eq!(again.as_deref(), Some(written.as_str()));
        assert!(written.len() <= code::LONGEST, "{written:?} is too long");
    }
    true
}
