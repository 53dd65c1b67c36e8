//! Forgetting a player: hands out what is stored, resigns running games, closes challenges and removes the name.

use super::commit::effects_with_message;
use super::reply::{Answer, ButtonStyle, Content, File, Handover, Reply};
use super::resolve_game::readable_game;
use super::{App, Ctx, challenges, views};
use crate::commands::Command;
use crate::game::{Action, GameId, PlayerId};
use crate::store::{PendingMessage, StoreError};
use crate::text::{PlayerNames, lists, privacy};
use tracing::info;

/// No more games are added to the file once it is larger than this, so that Discord accepts it.
const MAX_EXPORT_BYTES: usize = 8_000_000;

/// Asks whether the player wants to be forgotten, and hands out what is stored.
pub(super) fn ask(ctx: &Ctx<'_>) -> Result<Reply, StoreError> {
    if !ctx.request.permissions.attach {
        return Ok(Reply::private(privacy::forget_needs_files()));
    }
    let player = ctx.player();
    let (running, finished) = (ctx.session.running_games(player)?, ctx.session.finished_games(player, u32::MAX)?);
    ctx.names.fetch(running.iter().chain(finished.iter()).flat_map(|game| game.players.both()))?;
    let mut text = everything_but_games(ctx)?;
    let (mut unreadable, mut left_out) = (running.unreadable + finished.unreadable, 0);
    for row in running.iter().chain(finished.iter()) {
        if text.len() > MAX_EXPORT_BYTES {
            left_out += 1;
        } else if let Some(game) = readable_game(ctx.session, row.id)? {
            let times = ctx.session.move_times(game.id)?;
            text += &format!("\n{}{}\n", views::record_of(ctx, &game), privacy::export_game_details(&game, &times));
        } else {
            unreadable += 1;
        }
    }
    let missing = privacy::games_left_out(left_out, player) + &lists::unreadable(unreadable, "game");
    text += &missing;
    let question = privacy::confirm_forget(running.len(), finished.len()) + &missing;
    let content = Content::text(question)
        .button("Forget me", ButtonStyle::Danger, Command::ForgetMe { confirmed: true })
        .button("Cancel", ButtonStyle::Plain, Command::Cancel);
    Ok(Content { file: Some(File { name: String::from("ratatosk-everything.txt"), text }), ..content }.into())
}

/// Writes what is stored about a player besides games: name, preferences, blocks and challenges.
fn everything_but_games(ctx: &Ctx<'_>) -> Result<String, StoreError> {
    let (player, session) = (ctx.player(), ctx.session);
    let settings = session.player_settings(player)?;
    let mut text = privacy::export_header(player, &ctx.request.person.name, &settings, ctx.now);
    let (blocks, challenges) = (session.blocks_of(player)?, session.challenges_of(player)?);
    let challenged = challenges.iter().flat_map(|challenge| challenge.proposal.players());
    ctx.names.fetch(blocks.iter().map(|(blocked, _)| *blocked).chain(challenged))?;
    let name = |player: PlayerId| ctx.names.name(player);
    for (blocked, since) in blocks {
        text += &privacy::export_block(blocked, &name(blocked), since);
    }
    for challenge in challenges.iter() {
        text += &privacy::export_challenge(challenge, &name);
    }
    text += &lists::unreadable(challenges.unreadable, "challenge");
    Ok(text)
}

/// Resigns the player's running games, closes the open challenges, and forgets the player.
pub(super) fn forget(ctx: &Ctx<'_>) -> Result<Reply, StoreError> {
    let (app, player) = (ctx.app, ctx.player());
    let mut messages = Vec::new();
    let running = ctx.session.running_games(player)?;
    let store = ctx.writable_store();
    // Games that cannot be read or have just ended are not resigned.
    let (mut resigned, mut not_resigned) = (0, running.unreadable);
    for row in running {
        let about_game = resign(app, player, row.id)?;
        if about_game.is_empty() {
            not_resigned += 1;
        } else {
            resigned += 1;
            info!(game = row.id.0, "game resigned by /forget-me");
        }
        messages.extend(about_game);
    }
    messages.extend(challenges::close_all(app, player, None)?);
    store.forget_player(player)?;
    // Without the player's id: the log would keep it after the player is forgotten.
    info!(resigned, not_resigned, "a player was forgotten, after running games were resigned");
    let handovers = messages.into_iter().map(Handover::without_post).collect();
    Ok(Answer { handovers, ..Answer::private(privacy::forgotten()) }.into())
}

/// Resigns a game and returns the messages about it. An unreadable game stays as it is; the player is forgotten there,
/// too.
fn resign(app: &App, player: PlayerId, id: GameId) -> Result<Vec<PendingMessage>, StoreError> {
    let committed = app.retry_without_request(|| {
        let Some(game) = readable_game(&app.store.session()?, id)? else { return Ok(None) };
        let Ok(change) = game.act(player, Action::Resign, app.now()) else { return Ok(None) };
        let opponent = game.terms.players.opponent_of(player);
        let notice = change.notice(None);
        Ok(Some(effects_with_message(change, notice, opponent)))
    })?;
    Ok(committed.map(|committed| committed.messages).unwrap_or_default())
}
