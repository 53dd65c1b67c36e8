//! Texts of buttons: what a button carries is written as it was read, and there is room for it.

use ratatosk::commands::custom_id;

/// Reads the text of a button; tells whether it is one.
pub fn read(text: &str) -> bool {
    let Some(command) = custom_id::decode(text) else { return false };
    // A typed move may be longer than a button has room for.
    if let Some(written) = custom_id::encode(&command) {
        let again = custom_id::decode(&written).and_then(|command| custom_id::encode(&command));
        assert_eq!(again.as_deref(), Some(written.as_str()));
        assert!(written.len() <= custom_id::MAX_LENGTH, "{written:?} is too long");
    }
    true
}
