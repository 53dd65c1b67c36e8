//! The settings of servers and players: shows them, changes them, and applies them to boards.

use super::Ctx;
use super::reply::{Audience, Content, Reply};
use crate::board_view::{Orientation, Theme};
use crate::commands::{Command, GameCommand};
use crate::game::{Pace, Place, PlayerSettings, ServerSettings};
use crate::store::{Session, StoreError};
use crate::text::{refusals, settings};
use tracing::info;

/// Returns the settings of the server that a place is in.
pub(super) fn server_settings_at(session: &Session<'_>, place: Place) -> Result<ServerSettings, StoreError> {
    place.server.map_or_else(|| Ok(ServerSettings::default()), |server| session.server_settings(server))
}

/// Applies settings to the board of a reply: the server's, and the player's if nobody else sees it.
pub(super) fn apply_to_reply(ctx: &Ctx<'_>, reply: &mut Reply) -> Result<(), StoreError> {
    let audience = reply.audience();
    let content = reply.content_mut();
    if content.board.is_none() {
        return Ok(());
    }
    set_theme(&ctx.server_settings(ctx.request.place)?, content);
    if audience == Audience::Public {
        return Ok(());
    }
    let settings = ctx.player_settings()?;
    let form_was_chosen =
        matches!(ctx.request.command, Command::InGame { game_command: GameCommand::Board { text: Some(_), .. }, .. });
    if !form_was_chosen {
        content.board_as_text |= settings.as_text.unwrap_or(false);
    }
    if let Some(view) = &mut content.board {
        view.theme = settings.theme.as_deref().and_then(Theme::find).unwrap_or(view.theme);
        if settings.flipped == Some(true) {
            view.orientation = Orientation::Flipped;
        }
    }
    Ok(())
}

/// Shows the board in the server's theme, if it has chosen one.
pub(super) fn set_theme(settings: &ServerSettings, content: &mut Content) {
    if let Some(view) = &mut content.board
        && let Some(theme) = settings.theme.as_deref().and_then(Theme::find)
    {
        view.theme = theme;
    }
}

/// Changes the settings of the server, if any are given, and shows them.
pub(super) fn change_server(ctx: &Ctx<'_>, wanted: &ServerSettings) -> Result<Reply, StoreError> {
    let Some(server) = ctx.request.place.server else { return Ok(Reply::private(refusals::only_in_a_server())) };
    if *wanted != ServerSettings::default() {
        ctx.writable_store().change_server_settings(server, wanted.clone())?;
        let (theme, threads) = (wanted.theme.as_deref(), wanted.threads);
        let pace = wanted.pace.map(Pace::id);
        info!(server = server.0, player = ctx.player().0, theme, threads, pace_days = pace, "server settings changed");
    }
    let settings = ctx.session.server_settings(server)?;
    Ok(Reply::private(settings::server_settings(&settings, ctx.request.permissions)))
}

/// Changes the settings of the player, if any are given, and shows them.
pub(super) fn change_player(ctx: &Ctx<'_>, wanted: &PlayerSettings) -> Result<Reply, StoreError> {
    if *wanted != PlayerSettings::default() {
        ctx.writable_store().change_player_settings(ctx.player(), wanted.clone())?;
    }
    Ok(Reply::private(settings::player_settings(&ctx.session.player_settings(ctx.player())?)))
}
