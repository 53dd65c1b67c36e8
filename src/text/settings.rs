//! Settings of a server, preferences of a player, and blocks.

use super::{Markup, labels};
use crate::board_view::Theme;
use crate::game::{BotPermissions, PlayerId, PlayerSettings, Reminders, ServerSettings};

/// Confirms a block, and says how many challenges it closed.
#[must_use]
pub fn blocked(player: PlayerId, new: bool, closed: usize, markup: &dyn Markup) -> String {
    let name = markup.player(player);
    let closed = match closed {
        0 => "",
        1 => " The open challenge between you is closed.",
        _ => " The open challenges between you are closed.",
    };
    if new {
        format!(
            "{name} can no longer challenge you or offer you a rematch.{closed} Running games go on. `/unblock` undoes it."
        )
    } else {
        format!("You have blocked {name} already.{closed} `/unblock` undoes it.")
    }
}

/// Confirms that a block was removed.
#[must_use]
pub fn unblocked(player: PlayerId, was: bool, markup: &dyn Markup) -> String {
    let name = markup.player(player);
    if was { format!("{name} can challenge you again.") } else { format!("You have not blocked {name}.") }
}

/// Lists the settings of a server.
#[must_use]
pub fn server_settings(server_settings: &ServerSettings, permissions: BotPermissions) -> String {
    let theme = server_settings.theme.as_deref().unwrap_or(Theme::default().id());
    let pace = labels::pace(server_settings.pace.unwrap_or_default()).to_lowercase();
    let threads = server_settings.threads.unwrap_or(false);
    let mut text = format!(
        "In this server boards are painted in `{theme}`, {}, and a challenge that does not say otherwise has {pace}. \
         `/settings` with an option changes it.",
        if threads { "each game has its own thread" } else { "games are played in the channel" },
    );
    if threads && !(permissions.make_threads && permissions.post_in_threads) {
        text += "\nI may not make threads or write in them here, so games stay in the channel. `/doctor` tells more.";
    }
    text
}

/// Lists the preferences of a player.
#[must_use]
pub fn player_settings(player_settings: &PlayerSettings) -> String {
    let reminders = match player_settings.reminders.unwrap_or_default() {
        Reminders::Channel => "You are reminded in the game's channel",
        Reminders::Direct => "You are reminded by direct message",
        Reminders::Off => "You are not reminded",
    };
    let theme = player_settings
        .theme
        .as_ref()
        .map_or_else(|| String::from("as the server likes it"), |id| format!("in `{id}`"));
    let form = if player_settings.as_text == Some(true) { "as text" } else { "as a picture" };
    let side = if player_settings.flipped == Some(true) { "with rank 1 above" } else { "with rank 1 below" };
    format!(
        "{reminders}. What only you see is painted {theme}, {form}, {side}. `/preferences` with an option changes it."
    )
}
