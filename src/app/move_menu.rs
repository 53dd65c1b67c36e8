//! Choosing a move step by step: which piece, where to, and what it would look like.

use super::Ctx;
use super::notice::view_now;
use super::refuse::{refuse, refuse_unless_to_move};
use super::reply::{ButtonStyle, Content, Item, Menu, Reply};
use crate::board_view::BoardView;
use crate::commands::GameCommand;
use crate::game::{Game, Refusal};
use crate::rules::{IllegalMove, Move, Played, Square, SquareSet};
use crate::text::{labels, prompts, refusals, repetition};

/// Shows the pieces that can move, those that can capture first.
pub(super) fn choose_piece(ctx: &Ctx<'_>, game: &Game) -> Reply {
    if let Some(reply) = refuse_unless_to_move(ctx, game) {
        return reply;
    }
    let pieces = movable_pieces(game);
    let items = pieces.iter().map(|(square, captures)| Item {
        label: labels::piece_at(game, *square),
        detail: if *captures { String::from("can take") } else { String::new() },
        command: GameCommand::ChooseSquare(*square).for_this_version(game),
    });
    let mut view = view_now(game);
    view.highlights = pieces.iter().map(|(square, _)| *square).collect();
    Content::text(prompts::choose_piece(game))
        .board(view)
        .menu(Menu::new("Who moves?", items))
        .button("Cancel", ButtonStyle::Plain, GameCommand::Cancel.for_this_version(game))
        .into()
}

/// Returns the pieces that can move and whether they can capture; those that can come first.
pub(super) fn movable_pieces(game: &Game) -> Vec<(Square, bool)> {
    let mut pieces: Vec<(Square, bool)> = Vec::new();
    for mv in game.record.playable_moves() {
        let played = game.record.rulebook().apply(game.record.position(), mv);
        let captures = !played.all_captures().is_empty();
        match pieces.iter_mut().find(|(square, _)| *square == mv.from) {
            Some((_, any)) => *any |= captures,
            None => pieces.push((mv.from, captures)),
        }
    }
    pieces.sort_by_key(|(square, captures)| (!captures, *square));
    pieces
}

/// Shows where a piece can go.
pub(super) fn choose_square(ctx: &Ctx<'_>, game: &Game, from: Square) -> Reply {
    if let Some(reply) = refuse_unless_to_move(ctx, game) {
        return reply;
    }
    let moves: Vec<Played> = moves_from(game, from);
    if moves.is_empty() {
        let illegal = match game.record.position().at(from) {
            None => IllegalMove::NoPiece(from),
            Some(piece) if Some(piece.side()) != game.to_move() => IllegalMove::OpponentsPiece { square: from, piece },
            Some(piece) => return Reply::private(refusals::piece_cannot_move(game, piece, from)),
        };
        return refuse(ctx, game, &Refusal::Move(illegal));
    }
    let items = moves.iter().map(|played| Item {
        label: played.to_string(),
        detail: labels::move_effect(played, &game.terms.variant.words),
        command: GameCommand::Preview(played.mv).for_this_version(game),
    });
    let mut view = view_now(game);
    view.highlights = moves.iter().map(|played| played.mv.to).collect::<SquareSet>() | SquareSet::of(from);
    Content::text(prompts::choose_square(game, from))
        .board(view)
        .menu(Menu::new(&prompts::square_menu_title(game, from), items))
        .button("Back", ButtonStyle::Plain, GameCommand::ChoosePiece.for_this_version(game))
        .button("Cancel", ButtonStyle::Plain, GameCommand::Cancel.for_this_version(game))
        .into()
}

/// Returns the moves of one piece, in the order of the squares.
pub(super) fn moves_from(game: &Game, from: Square) -> Vec<Played> {
    let moves = game.record.playable_moves().filter(|mv| mv.from == from);
    moves.map(|mv| game.record.rulebook().apply(game.record.position(), mv)).collect()
}

/// Shows what a move would look like; nothing is played yet.
pub(super) fn preview(ctx: &Ctx<'_>, game: &Game, mv: Move) -> Reply {
    if let Some(reply) = refuse_unless_to_move(ctx, game) {
        return reply;
    }
    let candidate = match game.record.try_move(mv) {
        Ok(candidate) => candidate,
        Err(illegal) => return refuse(ctx, game, &illegal.into()),
    };
    let (played, repetition) = (candidate.played().without_repetition(), candidate.repetition());
    let view = BoardView::after(game.terms.variant, game.record.rulebook(), &played);
    let mut text = prompts::preview(game, &played);
    if let Some(repetition) = repetition {
        text = format!("{text}\n{}", repetition::explain(repetition, &game.terms.variant.words));
    }
    let play = GameCommand::Move { typed: played.to_string(), confirmed: repetition.is_some() };
    Content::text(text)
        .board(view)
        .button("Play it", ButtonStyle::Main, play.for_this_version(game))
        .button("Back", ButtonStyle::Plain, GameCommand::ChooseSquare(mv.from).for_this_version(game))
        .button("Cancel", ButtonStyle::Plain, GameCommand::Cancel.for_this_version(game))
        .into()
}
