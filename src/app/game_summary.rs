//! What a list shows of a game.

use crate::game::PlayerId;
use crate::store::GameRow;
use crate::text::lists::GameSummary;

/// Returns what a list shows of a game, seen by one of its players.
pub(super) fn summary(game: &GameRow, player: PlayerId) -> GameSummary {
    GameSummary {
        id: game.id,
        variant: game.variant,
        players: game.players,
        player,
        reader: player,
        plies: game.plies,
        to_move: game.to_move,
        pace: game.pace,
        deadline: game.deadline,
        time_is_up: game.flagged.is_some(),
        offers: game.offers,
        result: game.result,
    }
}
