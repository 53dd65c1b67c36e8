//! What a player does in a game: moves, offers, resignation, claims.

use super::commit::effects_with_message;
use super::refuse::{refuse, refuse_unless_to_move};
use super::reply::{Answer, ButtonStyle, Content, Post, Reply};
use super::resolve_game::{self, Resolved};
use super::{Ctx, challenges, deadlines, move_menu, notice, relocation, views};
use crate::commands::GameCommand;
use crate::game::{
    Action, Change, Game, GameEvent, GameId, GameTerms, OfferKind, Place, PlaceLogFields, PlayerId, Refusal,
};
use crate::rules::notation;
use crate::store::{CommitError, Effect, NewBody};
use crate::text::{prompts, refusals};
use tracing::info;

/// Carries out a command in the named game, or else in the only game that it can be about.
pub(super) fn in_game(
    ctx: &Ctx<'_>,
    named: Option<GameId>,
    version: Option<u64>,
    command: &GameCommand,
) -> Result<Reply, CommitError> {
    let game = match resolve_game::resolve(ctx, named.or(ctx.game.get()), command)? {
        Resolved::Game(game) => game,
        Resolved::Reply(reply) => return Ok(*reply),
    };
    ctx.game.set(Some(game.id));
    if needs_current_version(command) && version.is_some_and(|seen| seen != game.version) {
        return Ok(Reply::private(match command {
            GameCommand::Move { typed, .. } if is_last_move(&game, ctx.player(), typed) => {
                refusals::already_played(typed)
            }
            _ => refusals::game_has_moved_on(game.id),
        }));
    }
    match command {
        GameCommand::Move { typed, confirmed } => play(ctx, &game, typed, *confirmed),
        GameCommand::ChoosePiece => Ok(move_menu::choose_piece(ctx, &game)),
        GameCommand::ChooseSquare(from) => Ok(move_menu::choose_square(ctx, &game, *from)),
        GameCommand::Preview(mv) => Ok(move_menu::preview(ctx, &game, *mv)),
        GameCommand::Cancel => Ok(Reply::private(prompts::cancelled())),
        GameCommand::Resign { confirmed: false } => Ok(ask_to_resign(ctx, &game)),
        GameCommand::Resign { confirmed: true } => act(ctx, &game, Action::Resign),
        GameCommand::Offer(kind @ OfferKind::Rematch) => rematch(ctx, &game, Action::Offer(*kind)),
        GameCommand::Accept(kind @ OfferKind::Rematch) => rematch(ctx, &game, Action::Accept(*kind)),
        GameCommand::Offer(kind) => act(ctx, &game, Action::Offer(*kind)),
        GameCommand::Accept(kind) => act(ctx, &game, Action::Accept(*kind)),
        GameCommand::Decline(kind) => act(ctx, &game, Action::Decline(*kind)),
        GameCommand::Abort => act(ctx, &game, Action::Abort),
        GameCommand::ClaimTime => claim(ctx, &game),
        GameCommand::GiveTime => act(ctx, &game, Action::GiveTime),
        GameCommand::Board { text, public } => Ok(views::board(ctx, &game, *text, *public)),
        GameCommand::History { ply, public } => views::history(ctx, &game, *ply, *public),
        GameCommand::Rules => Ok(views::rules_of_game(&game.terms)),
    }
}

fn play(ctx: &Ctx<'_>, game: &Game, typed: &str, confirmed: bool) -> Result<Reply, CommitError> {
    if let Some(reply) = refuse_unless_to_move(ctx, game) {
        return Ok(reply);
    }
    if let Ok(square) = notation::read_square(game.record.rulebook(), typed) {
        return Ok(move_menu::choose_square(ctx, game, square));
    }
    // A text that is too long for a move is read as an empty one, which is refused as not understood.
    let typed = if typed.len() > resolve_game::MAX_MOVE_BYTES { "" } else { typed };
    match game.record.read_move(typed) {
        Ok(written) => act(ctx, game, Action::Move { written, confirmed }),
        Err(illegal) => Ok(refuse(ctx, game, &illegal.into())),
    }
}

fn rematch(ctx: &Ctx<'_>, game: &Game, action: Action) -> Result<Reply, CommitError> {
    if let Some(opponent) = game.terms.players.opponent_of(ctx.player()) {
        if opponent.is_former() {
            return Ok(refuse(ctx, game, &Refusal::Unavailable));
        }
        if let Err(refusal) = ctx.session.acceptance_context(ctx.player(), opponent)?.check_allowed() {
            let refusal = challenges::name_own_block(ctx, refusal, Some(opponent))?;
            return Ok(refuse(ctx, game, &refusal));
        }
    }
    act(ctx, game, action)
}

/// Claims the win on time, unless the clock stands still because the game's place is gone.
fn claim(ctx: &Ctx<'_>, game: &Game) -> Result<Reply, CommitError> {
    let is_allowed = game.act(ctx.player(), Action::ClaimTime, ctx.now).is_ok();
    if is_allowed && ctx.session.is_gone(relocation::place_to_play(ctx, game.terms.place)?)? {
        ctx.session.end_snapshot();
        if !deadlines::restart_clock(ctx.app, game)? {
            return Err(CommitError::Stale);
        }
        return Ok(Reply::private(refusals::clock_is_paused()));
    }
    act(ctx, game, Action::ClaimTime)
}

/// Lets the game decide about an action, commits the change, and replies with the post about it.
fn act(ctx: &Ctx<'_>, game: &Game, action: Action) -> Result<Reply, CommitError> {
    let mut change = match game.act(ctx.player(), action, ctx.now) {
        Ok(change) => change,
        Err(refusal) => return Ok(refuse(ctx, game, &refusal)),
    };
    // A finished game in a deleted channel is moved here, so that its rematch can begin.
    let place = relocation::place_to_play(ctx, game.terms.place)?;
    if place != game.terms.place {
        change.relocate_to(place);
    }
    if let Some(terms) = change.rematch {
        return begin_rematch(ctx, change, GameTerms { place, ..terms });
    }
    let opponent = game.terms.players.opponent_of(ctx.player());
    let notice = change.notice(None);
    // Composed before the commit, which ends the snapshot that names are read from.
    let post = notice::game_post(&change.game, &notice, opponent, ctx.markup);
    let (mv, events) = (change.mv().map(|mv| mv.to_string()), GameEvent::summary(&change.events));
    let committed = ctx.commit(effects_with_message(change, notice, opponent))?;
    let PlaceLogFields { server, channel } = place.log_fields();
    info!(game = game.id.0, player = ctx.player().0, server, channel, "move" = mv, events, "game changed");
    let pending = committed.messages.into_iter().next();
    notice::reply_with_post(ctx, place, Post { pending, ..post })
}

/// Begins the rematch that a change leads to.
fn begin_rematch(ctx: &Ctx<'_>, change: Change, terms: GameTerms) -> Result<Reply, CommitError> {
    // If the server wants threads, each game gets its own. Until it exists, the rematch is where the previous game was,
    // and it stays there if no thread can be created.
    let channel = Place { thread: None, ..terms.place };
    let leaves_thread = terms.place.thread.is_some() && notice::gets_thread(ctx, channel)?;
    let posted = if leaves_thread { channel } else { terms.place };
    let first = terms.players.of(terms.rules.first);
    let previous = change.game.id;
    let effects = vec![
        change.into(),
        Effect::CheckMayPlay(terms.players),
        Effect::BeginGame(terms),
        Effect::AddMessage { body: NewBody::GameBegan, place: posted, ping: Some(first) },
    ];
    let committed = ctx.commit(effects)?;
    let (rematch, player) = (committed.game.map(|game| game.0), ctx.player().0);
    let PlaceLogFields { server, channel } = posted.log_fields();
    info!(game = previous.0, rematch, player, server, channel, "rematch begins");
    notice::reply_with_new_game(ctx, committed, terms, leaves_thread)
}

/// Returns whether the same player has just made this move, by pressing a button twice.
fn is_last_move(game: &Game, player: PlayerId, typed: &str) -> bool {
    let Some(last) = game.record.plies().last() else { return false };
    let side = game.terms.players.side_of(player);
    let waits = side.is_some_and(|side| game.to_move() == Some(side.opponent()));
    waits && (typed == last.to_string() || typed == last.mv.to_string())
}

/// Returns whether a command is only valid for the board on which it was chosen, and not for a later one.
const fn needs_current_version(command: &GameCommand) -> bool {
    command.changes_game() || matches!(command, GameCommand::ChooseSquare(_) | GameCommand::Preview(_))
}

/// Asks whether to resign.
fn ask_to_resign(ctx: &Ctx<'_>, game: &Game) -> Reply {
    if game.terms.players.side_of(ctx.player()).is_none() {
        return refuse(ctx, game, &Refusal::NotYourGame);
    }
    if let Some(result) = game.result {
        return refuse(ctx, game, &Refusal::Over(result));
    }
    let answer: Answer = Content::text(prompts::confirm_resign(game))
        .button("Resign", ButtonStyle::Danger, GameCommand::Resign { confirmed: true }.for_this_version(game))
        .button("Cancel", ButtonStyle::Plain, GameCommand::Cancel.for_this_version(game))
        .privately();
    answer.into()
}
