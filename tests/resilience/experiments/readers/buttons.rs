//! Custom ids of buttons: what was read is written the same, and is short enough.

use ratatosk::commands::custom_id;

/// Reads a custom id. Returns whether it is valid.
pub fn read(text: &str) -> bool {
    let Some(command) = custom_id::decode(text) else { return false };
    // A typed move may be too long for a button.
    if let Some(written) = custom_id::encode(&command) {
        let again = custom_id::decode(&written).and_then(|command| custom_id::encode(&command));
        assert_eq!(again.as_deref(), Some(written.as_str()));
        assert!(written.len() <= custom_id::MAX_LENGTH, "{written:?} is too long");
    }
    true
}
