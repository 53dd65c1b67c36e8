//! Discord's permissions: what the bot may do in a channel, and the name of what it lacks.

use super::rest::{RestError, code};
use crate::game::{BotPermissions, Place};
use serenity::all::Permissions;

/// Reads what the bot may do where an interaction comes from. Outside servers, everything is allowed.
pub(super) fn bot_permissions(permissions: Option<Permissions>) -> BotPermissions {
    let Some(granted) = permissions else { return BotPermissions::ALL };
    let has = |wanted: Permissions| granted.contains(wanted);
    BotPermissions {
        see: has(Permissions::VIEW_CHANNEL),
        post: has(Permissions::SEND_MESSAGES),
        embed: has(Permissions::EMBED_LINKS),
        attach: has(Permissions::ATTACH_FILES),
        make_threads: has(Permissions::CREATE_PUBLIC_THREADS),
        post_in_threads: has(Permissions::SEND_MESSAGES_IN_THREADS),
        read_history: has(Permissions::READ_MESSAGE_HISTORY),
    }
}

/// Returns the name of the permission whose absence made posting in a place fail, if that was the cause.
pub(super) const fn missing_permission(error: &RestError, place: Place) -> Option<&'static str> {
    match error.code() {
        code::MISSING_ACCESS => Some("View Channel"),
        code::MISSING_PERMISSIONS if place.thread.is_some() => Some("Send Messages in Threads"),
        code::MISSING_PERMISSIONS => Some("Send Messages"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{ChannelId, ServerId};

    const CHANNEL: Place = Place { server: Some(ServerId(1)), channel: ChannelId(10), thread: None };

    #[test]
    fn each_permission_is_read_by_itself() {
        assert_eq!(bot_permissions(None), BotPermissions::ALL);
        let granted = Permissions::VIEW_CHANNEL | Permissions::SEND_MESSAGES_IN_THREADS;
        let read = bot_permissions(Some(granted));
        assert!(read.see && read.post_in_threads);
        assert!(!(read.post || read.embed || read.attach || read.make_threads || read.read_history));
    }

    #[test]
    fn the_missing_permission_has_the_name_that_discord_shows() {
        let refused = |code| RestError::Refused { status: 403, code, message: String::new() };
        let thread = Place { thread: Some(ChannelId(100)), ..CHANNEL };
        assert_eq!(missing_permission(&refused(code::MISSING_ACCESS), CHANNEL), Some("View Channel"));
        assert_eq!(missing_permission(&refused(code::MISSING_PERMISSIONS), CHANNEL), Some("Send Messages"));
        assert_eq!(missing_permission(&refused(code::MISSING_PERMISSIONS), thread), Some("Send Messages in Threads"));
        assert_eq!(missing_permission(&refused(code::UNKNOWN_CHANNEL), CHANNEL), None);
    }
}
