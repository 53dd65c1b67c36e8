//! What moderators can do: end a game without a result.

use super::Ctx;
use super::reply::{Answer, Handover, Reply};
use crate::commands::MAX_FREE_TEXT;
use crate::game::{GameId, OutboxBody, Subject};
use crate::store::{About, CommitError, Effect};
use crate::text::{endings, refusals};
use tracing::info;

/// Ends a game of this server without a result, and tells both players why.
pub(super) fn end_game(ctx: &Ctx<'_>, id: GameId, reason: &str) -> Result<Reply, CommitError> {
    let Some(game) = ctx.session.game(id)?.filter(|game| ctx.request.is_in_server_of(game.start.place)) else {
        return Ok(Reply::private(refusals::no_such_game(id)));
    };
    let change = match game.moderate(ctx.now) {
        Ok(change) => change,
        Err(refusal) => {
            return Ok(Reply::private(refusals::refused(&refusal, &game.start.variant.words, ctx.markup)));
        }
    };
    let reason: String = reason.chars().take(MAX_FREE_TEXT).collect();
    let body = OutboxBody::of(&change.events, &change.game, Some(reason));
    let committed = ctx.commit(vec![
        Effect::Update { game: Box::new(change.game), clock: change.clock },
        Effect::Post { about: About::Subject(Subject::Game(id)), place: game.start.place, body, ping: None },
    ])?;
    let server = ctx.request.place.server.map(|id| id.0);
    info!(game = id.0, moderator = ctx.player().0, server, "game ended by a moderator");
    let handovers = committed.messages.into_iter().map(Handover::unfinished).collect();
    Ok(Answer { handovers, ..Answer::private(endings::ended_by_moderator(id)) }.into())
}
