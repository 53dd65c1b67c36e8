//! Says why a player cannot do something in a game.

use super::Ctx;
use super::reply::{ButtonStyle, Content, Reply};
use crate::commands::GameCommand;
use crate::game::{Game, Refusal};
use crate::text::refusals;

/// Says why something is refused, with a button if the player only has to confirm it.
pub(super) fn refuse(ctx: &Ctx<'_>, game: &Game, refusal: &Refusal) -> Reply {
    let content = Content::text(refusals::refused(refusal, &game.terms.variant.words, ctx.markup));
    let Refusal::Confirm { mv, .. } = refusal else { return content.into() };
    let play = GameCommand::Move { typed: mv.to_string(), confirmed: true };
    content
        .button("Play it", ButtonStyle::Danger, play.for_this_version(game))
        .button("Cancel", ButtonStyle::Plain, GameCommand::Cancel.for_this_version(game))
        .into()
}

/// Returns the reply that says why the player cannot move in a game; `None` if the player can.
pub(super) fn refuse_unless_to_move(ctx: &Ctx<'_>, game: &Game) -> Option<Reply> {
    game.check_turn(ctx.player()).err().map(|refusal| refuse(ctx, game, &refusal))
}
