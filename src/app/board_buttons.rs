//! The buttons below a board: those that make sense in the game as it is.

use super::reply::{ButtonStyle, Content};
use crate::commands::GameCommand;
use crate::game::{Game, GameEvent, OfferKind, PlayerId};

/// Adds the buttons that make sense after some events.
pub(super) fn add(content: Content, game: &Game, events: &[GameEvent]) -> Content {
    if game.result.is_some() { after_the_end(content, game) } else { while_it_runs(content, game, events) }
}

fn after_the_end(content: Content, game: &Game) -> Content {
    let button = |content: Content, label, style, command: GameCommand| {
        content.button(label, style, command.for_this_version(game))
    };
    let has_former_player = game.terms.players.both().into_iter().any(PlayerId::is_former);
    match game.offers.offered_by(OfferKind::Rematch) {
        Some(_) => {
            let accept = GameCommand::Accept(OfferKind::Rematch);
            let content = button(content, "Accept rematch", ButtonStyle::Main, accept);
            button(content, "Decline", ButtonStyle::Plain, GameCommand::Decline(OfferKind::Rematch))
        }
        None if game.offers.rematched() || has_former_player => content,
        None => button(content, "Rematch", ButtonStyle::Main, GameCommand::Offer(OfferKind::Rematch)),
    }
}

fn while_it_runs(mut content: Content, game: &Game, events: &[GameEvent]) -> Content {
    let mut button = |label, style, command: GameCommand| {
        content = std::mem::take(&mut content).button(label, style, command.for_this_version(game));
    };
    button("Move", ButtonStyle::Main, GameCommand::ChoosePiece);
    let flagged_just_now = events.iter().any(|event| matches!(event, GameEvent::TimeUp { .. }));
    if game.clock.flagged.is_some() || flagged_just_now {
        button("Claim the win", ButtonStyle::Danger, GameCommand::ClaimTime);
        button("Give more time", ButtonStyle::Plain, GameCommand::GiveTime);
    }
    match game.offers.offered_by(OfferKind::Draw) {
        Some(_) => {
            button("Accept draw", ButtonStyle::Main, GameCommand::Accept(OfferKind::Draw));
            button("Decline draw", ButtonStyle::Plain, GameCommand::Decline(OfferKind::Draw));
        }
        None => button("Draw", ButtonStyle::Plain, GameCommand::Offer(OfferKind::Draw)),
    }
    if game.offers.offered_by(OfferKind::Takeback).is_some() {
        button("Grant takeback", ButtonStyle::Main, GameCommand::Accept(OfferKind::Takeback));
        button("Refuse takeback", ButtonStyle::Plain, GameCommand::Decline(OfferKind::Takeback));
    }
    button("Resign", ButtonStyle::Danger, GameCommand::Resign { confirmed: false });
    content.button("Rules", ButtonStyle::Plain, GameCommand::Rules.for_any_version(game))
}
