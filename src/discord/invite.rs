//! The link that adds the bot to a server.

use crate::config::Secret;

/// The permissions that the bot asks for, each with its reason.
pub const PERMISSIONS: &[(&str, u64, &str)] = &[
    ("View Channels", 1 << 10, "to post boards and take the buttons off old ones"),
    ("Send Messages", 1 << 11, "to post reminders, results, and boards after moves that were made elsewhere"),
    ("Embed Links", 1 << 14, "to show texts that are too long for one message, such as rules"),
    ("Attach Files", 1 << 15, "to show the board as a picture; without it the board is text"),
    (
        "Read Message History",
        1 << 16,
        "to see after a crash which boards were posted; without it one may appear twice, with buttons on both",
    ),
    ("Create Public Threads", 1 << 35, "to give each game its own thread, where the server wants it"),
    ("Send Messages in Threads", 1 << 38, "to post boards there"),
];

/// Returns the link.
#[must_use]
pub fn link(application: u64) -> String {
    let permissions = PERMISSIONS.iter().fold(0, |all, (_, bit, _)| all | bit);
    format!(
        "https://discord.com/oauth2/authorize?client_id={application}&scope=bot+applications.commands&permissions={permissions}"
    )
}

/// Reads the application's id from a token, whose first part is that id in base 64.
#[must_use]
pub fn application(token: &Secret) -> Option<u64> {
    let first = token.expose().split('.').next()?;
    String::from_utf8(decode(first)?).ok()?.parse().ok().filter(|number| *number > 0)
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for letter in text.trim_end_matches('=').bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).ok()?);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_contains_the_application_id() {
        let token = |text: &str| Secret::new(text);
        assert_eq!(application(&token("MTIzNDU2Nzg5MDEyMzQ1Njc4.abc.def")), Some(123_456_789_012_345_678));
        assert_eq!(application(&token("MTIzNDU2Nzg5MDEyMzQ1Njc4OQ==.abc.def")), Some(1_234_567_890_123_456_789));
        assert_eq!(application(&token("nothing")), None);
        assert_eq!(application(&token("")), None);
    }

    #[test]
    fn the_link_asks_for_the_permissions_of_the_list_and_no_more() {
        assert!(link(5).ends_with("client_id=5&scope=bot+applications.commands&permissions=309237763072"));
    }
}
