//! Blocks: players from whom a player wants no challenges.

use super::reply::{Answer, Handover, Reply};
use super::{Ctx, challenges};
use crate::commands::Person;
use crate::store::StoreError;
use crate::text::{refusals, settings};

/// Blocks a player, and closes the challenges between the two.
pub(super) fn block(ctx: &Ctx<'_>, person: &Person) -> Result<Reply, StoreError> {
    if person.id == ctx.player() {
        return Ok(Reply::private(refusals::cannot_block_yourself()));
    }
    let store = ctx.writable_store();
    store.remember_player(person.id, &person.name)?;
    let is_new = store.block(ctx.player(), person.id, ctx.now)?;
    let closed = challenges::close_all(ctx.app, ctx.player(), Some(person.id))?;
    let text = settings::blocked(person.id, is_new, closed.len(), ctx.markup);
    let handovers = closed.into_iter().map(Handover::without_post).collect();
    Ok(Answer { handovers, ..Answer::private(text) }.into())
}

/// Unblocks a player.
pub(super) fn unblock(ctx: &Ctx<'_>, person: &Person) -> Result<Reply, StoreError> {
    let was_blocked = ctx.writable_store().unblock(ctx.player(), person.id)?;
    Ok(Reply::private(settings::unblocked(person.id, was_blocked, ctx.markup)))
}
