//! Where a reply is posted, and what a player is told when it cannot be posted there.

use super::sanitize::quoted;
use crate::game::{BotPermissions, GameId};

/// Confirms an action whose board is posted below.
#[must_use]
pub fn board_follows() -> String {
    String::from("Done. The board follows below.")
}

/// Confirms an action that is announced below.
#[must_use]
pub fn announced_below() -> String {
    String::from("Done. Everybody is told below.")
}

/// Confirms a move whose board is posted below.
#[must_use]
pub fn played(mv: &str) -> String {
    format!("Played {}. The board follows below.", quoted(mv))
}

/// Says that the others see this board only after an earlier one.
#[must_use]
pub fn posted_after_earlier_board() -> String {
    String::from("An earlier board of this game is only now being posted: everybody will see this one right after it.")
}

/// Says that Discord did not accept the answer, and what to do.
#[must_use]
pub fn answer_not_accepted(done: bool) -> String {
    if done {
        String::from("It is done, but Discord did not take my answer. `/board` shows how your game stands.")
    } else {
        String::from("Discord did not take my answer, so I can only say that. Try `/board as:text`, or `/help`.")
    }
}

/// Lists the bot's permissions here, and what does not work without each missing one.
#[must_use]
pub fn doctor(permissions: BotPermissions) -> String {
    let BotPermissions { see, post, embed, attach, make_threads, post_in_threads, read_history } = permissions;
    let checks = [
        (see, "View Channel", "I cannot post here by myself or take the buttons off old boards"),
        (post, "Send Messages", "moves made elsewhere, reminders and lost time are not told here"),
        (attach, "Attach Files", "boards are text instead of pictures"),
        (embed, "Embed Links", "texts that are too long for one message come in several"),
        (read_history, "Read Message History", "after a crash a board may appear twice"),
        (make_threads, "Create Public Threads", "games cannot have their own threads and stay in the channel"),
        (post_in_threads, "Send Messages in Threads", "boards cannot be posted in threads"),
    ];
    let mut lines: Vec<String> = checks
        .iter()
        .map(
            |(granted, name, worse)| {
                if *granted { format!("- {name}: yes") } else { format!("- {name}: **missing**; {worse}") }
            },
        )
        .collect();
    let all = checks.iter().all(|(granted, ..)| *granted);
    lines.insert(0, String::from(if all { "Everything is fine here." } else { "Something is missing here:" }));
    if !all {
        lines.push(String::from("Whoever manages this server can grant it to my role, or in this channel's settings."));
    }
    lines.join("\n")
}

/// Says that the bot can answer here, but not post by itself.
#[must_use]
pub fn cannot_post_here() -> String {
    String::from(
        "I can answer here, but I may not send messages by myself: reminders, lost time and moves made elsewhere will not be \
         told in this channel. `/doctor` tells what is missing.",
    )
}

/// Says that the board was not posted because the bot lacks a permission.
#[must_use]
pub fn not_posted_missing_permission(permission: &str, place: &str) -> String {
    format!(
        "The others do not see this yet: I lack the permission {permission} in {place}, which whoever manages the server can grant."
    )
}

/// Says that the board was not posted because the thread is locked.
#[must_use]
pub fn not_posted_thread_locked(thread: &str) -> String {
    format!(
        "The others do not see this yet: the thread {thread} is locked. Whoever manages the server can unlock it; then \
         everything that happened is posted there."
    )
}

/// Says that the board was not posted because the channel was deleted.
#[must_use]
pub fn not_posted_channel_gone() -> String {
    String::from(
        "The others do not see this yet: the game's channel is gone, and the next command of a player in that server moves \
         the game there.",
    )
}

/// Says that the board was not posted because the bot was removed from the server.
#[must_use]
pub fn not_posted_not_in_server() -> String {
    String::from(
        "The others do not see this yet: I am not in that server any more. No clock runs meanwhile, and the board follows \
         once somebody who manages the server has invited me again.",
    )
}

/// Says that the record is too long for a message, and how to get it.
#[must_use]
pub fn record_too_long() -> String {
    String::from(
        "I lack the permission Attach Files here, and the record is too long for a message. Use `/history` in a direct \
         message with me, or ask whoever manages the server to grant it.",
    )
}

/// Says where the game of a reminder is played.
#[must_use]
pub fn game_location(place: &str) -> String {
    format!("The game is in {place}. You can also move here with `/move`.")
}

/// Says that a reminder could not be sent by direct message.
#[must_use]
pub fn direct_messages_closed() -> String {
    String::from(
        "Your direct messages are closed to me, so I will remind you here from now on. `/preferences` changes it.",
    )
}

/// Says that a game starts in its own thread.
#[must_use]
pub fn game_starts_in_thread() -> String {
    String::from("The game begins in a thread of its own.")
}

/// Links to the thread of a game.
#[must_use]
pub fn thread_link(thread: &str) -> String {
    format!("Here it is: {thread}")
}

/// Says that no thread could be opened for a game.
#[must_use]
pub fn no_thread(place: &str) -> String {
    format!("I could not open one here after all, so it is played in {place}.")
}

/// Returns the name of a game's thread.
#[must_use]
pub fn thread_name(variant: &str, game: GameId, attackers: &str, defenders: &str) -> String {
    format!("{variant} {game}: {attackers} against {defenders}")
}
