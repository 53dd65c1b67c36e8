//! What moderators can do: end a game without a result.

use super::Ctx;
use super::commit::effects_with_message;
use super::refuse::refuse;
use super::reply::{Answer, Handover, Reply};
use crate::commands::MAX_FREE_TEXT;
use crate::game::{GameId, PlaceLogFields};
use crate::store::CommitError;
use crate::text::{endings, refusals, sanitize};
use tracing::info;

/// Ends a game of this server without a result, and tells both players why.
pub(super) fn end_game(ctx: &Ctx<'_>, id: GameId, reason: &str) -> Result<Reply, CommitError> {
    // Discord accepts spaces and invisible characters for a required option.
    if sanitize::is_blank(reason) {
        return Ok(Reply::private(refusals::no_reason()));
    }
    let Some(game) = ctx.session.game(id)?.filter(|game| ctx.request.is_in_server_of(game.terms.place)) else {
        return Ok(Reply::private(refusals::no_such_game(id)));
    };
    let change = match game.moderate(ctx.now) {
        Ok(change) => change,
        Err(refusal) => return Ok(refuse(ctx, &game, &refusal)),
    };
    let reason: String = reason.chars().take(MAX_FREE_TEXT).collect();
    let notice = change.notice(Some(reason));
    let committed = ctx.commit(effects_with_message(change, notice, None))?;
    let PlaceLogFields { server, channel } = game.terms.place.log_fields();
    info!(game = id.0, player = ctx.player().0, server, channel, "a moderator ended the game");
    let handovers = committed.messages.into_iter().map(Handover::without_post).collect();
    Ok(Answer { handovers, ..Answer::private(endings::ended_by_moderator(id)) }.into())
}
