//! What a player does in a game: moves, offers, resignation, claims.

use super::reply::{Answer, ButtonStyle, Content, Post, Reply};
use super::resolve_game::{self, Resolved};
use super::{Ctx, challenges, deadlines, move_menu, notice, relocation, views};
use crate::commands::{Command, GameCommand};
use crate::game::{
    Action, Change, ClockChange, Game, GameEvent, GameId, OfferKind, OutboxBody, Place, PlayerId, Refusal, Start,
    Subject,
};
use crate::rules::notation;
use crate::store::{About, CommitError, Effect};
use crate::text::{prompts, refusals};
use tracing::info;

/// More bytes than any move needs, with all its captures and spaces; a button has room for so many.
pub(super) const LONGEST_MOVE: usize = 60;

/// Does something in a game: the one that was named, or the one that must be meant.
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
    if needs_this_board(command) && version.is_some_and(|seen| seen != game.version) {
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
        GameCommand::Claim => act(ctx, &game, Action::ClaimTime),
        GameCommand::GiveTime => act(ctx, &game, Action::GiveTime),
        GameCommand::Board { text, public } => Ok(views::board(ctx, &game, *text, *public)),
        GameCommand::History { ply, public } => views::history(ctx, &game, *ply, *public),
        GameCommand::Rules => Ok(views::rules_of_game(&game.start)),
    }
}

fn play(ctx: &Ctx<'_>, game: &Game, typed: &str, confirmed: bool) -> Result<Reply, CommitError> {
    if let Some(reply) = not_to_move(ctx, game) {
        return Ok(reply);
    }
    if let Ok(square) = notation::read_square(game.record.book(), typed) {
        return Ok(move_menu::choose_square(ctx, game, square));
    }
    let typed = if typed.len() > LONGEST_MOVE { "" } else { typed };
    match game.record.read(typed) {
        Ok(candidate) => {
            let action = Action::Move { mv: candidate.mv(), confirmed };
            conclude(ctx, game, action, game.play_candidate(ctx.player(), candidate, confirmed, ctx.now))
        }
        Err(illegal) => Ok(refuse(ctx, game, &illegal.into())),
    }
}

fn rematch(ctx: &Ctx<'_>, game: &Game, action: Action) -> Result<Reply, CommitError> {
    if let Some(side) = game.start.players.side_of(ctx.player()) {
        let opponent = game.start.players.of(side.opponent());
        if opponent.is_former() {
            return Ok(refuse(ctx, game, &Refusal::Unavailable));
        }
        if let Err(refusal) = ctx.session.acceptance(ctx.player(), opponent)?.check() {
            let refusal = challenges::blame(ctx, refusal, Some(opponent))?;
            return Ok(refuse(ctx, game, &refusal));
        }
    }
    act(ctx, game, action)
}

/// Lets the game decide what comes of an action.
fn act(ctx: &Ctx<'_>, game: &Game, action: Action) -> Result<Reply, CommitError> {
    conclude(ctx, game, action, game.act(ctx.player(), action, ctx.now))
}

/// Commits what the game has decided, and replies with the post about it.
fn conclude(
    ctx: &Ctx<'_>,
    game: &Game,
    action: Action,
    decided: Result<Change, Refusal>,
) -> Result<Reply, CommitError> {
    let mut change = match decided {
        Ok(change) => change,
        Err(refusal @ Refusal::Confirm(_)) => return Ok(ask_to_play(ctx, game, &refusal, action)),
        Err(refusal) => return Ok(refuse(ctx, game, &refusal)),
    };
    // A game that was over when its channel was deleted moves only now, for its rematch.
    let place = relocation::place_to_play(ctx, game.start.place)?;
    change.game.start.place = place;
    if action == Action::ClaimTime && ctx.session.is_gone(place)? {
        deadlines::restart_clock(ctx.app, game)?;
        return Ok(Reply::private(refusals::clock_is_paused()));
    }
    if let Some(start) = change.rematch {
        return begin_rematch(ctx, change, Start { place, ..start });
    }
    let actor = game.start.players.side_of(ctx.player());
    let opponent = actor.map(|side| game.start.players.of(side.opponent()));
    let body = OutboxBody::of(&change.events, &change.game, None);
    let committed = ctx.commit(vec![
        Effect::Update { game: Box::new(change.game.clone()), clock: change.clock },
        Effect::Post { about: About::Subject(Subject::Game(game.id)), place, body: body.clone(), ping: opponent },
    ])?;
    log_action(ctx, game.id, action, &change.events);
    let pending = committed.messages.into_iter().next();
    let post = Post { ping: Vec::from_iter(opponent), pending, ..notice::game_post(&change.game, &body, ctx.markup) };
    notice::reply_with_post(ctx, &change.game, post)
}

/// Begins the rematch that a change leads to.
fn begin_rematch(ctx: &Ctx<'_>, change: Change, start: Start) -> Result<Reply, CommitError> {
    // Each game has its own thread, where the server wants it. Until it exists the game is where the former one was, and
    // stays there if there can be none.
    let channel = Place { thread: None, ..start.place };
    let leaves_thread = start.place.thread.is_some() && notice::gets_thread(ctx, channel)?;
    let posted = if leaves_thread { channel } else { start.place };
    let first = start.players.of(start.rules.first);
    let (former, events) = (change.game.id, change.events);
    let committed = ctx.commit(vec![
        Effect::Update { game: Box::new(change.game), clock: change.clock },
        Effect::MayPlay(start.players),
        Effect::Begin(start),
        Effect::Post { about: About::NewGame, place: posted, body: OutboxBody::began(), ping: Some(first) },
    ])?;
    info!(
        game = former.0,
        rematch = committed.game.map(|game| game.0),
        player = ctx.player().0,
        ?events,
        "rematch begins"
    );
    notice::reply_with_new_game(ctx, committed, start, leaves_thread)
}

fn log_action(ctx: &Ctx<'_>, game: GameId, action: Action, events: &[GameEvent]) {
    let (player, server) = (ctx.player().0, ctx.request.place.server);
    let mv = match action {
        Action::Move { mv, .. } => Some(mv.to_string()),
        _ => None,
    };
    info!(game = game.0, player, server = server.map(|id| id.0), mv, ?events, "game changed");
}

/// Tells whether the same player has just made this move, by pressing a button twice.
fn is_last_move(game: &Game, player: PlayerId, typed: &str) -> bool {
    let Some(last) = game.record.plies().last() else { return false };
    let side = game.start.players.side_of(player);
    let waits = side.is_some_and(|side| game.to_move() == Some(side.opponent()));
    waits && (typed == last.to_string() || typed == last.mv.to_string())
}

/// Returns what is to be written of a change that time, and not a player, brought about.
pub(super) fn effects_of(change: &Change, ping: Option<PlayerId>) -> Vec<Effect> {
    let game = &change.game;
    let body = OutboxBody::of(&change.events, game, None);
    let post = Effect::Post { about: About::Subject(Subject::Game(game.id)), place: game.start.place, body, ping };
    let changed = match (change.events.as_slice(), change.clock) {
        // A reminder leaves the version alone, and with it the buttons of earlier posts.
        ([GameEvent::Reminder { .. }], ClockChange::Replaces(before)) => {
            Effect::SetClock { game: game.id, version: game.version, before, after: game.clock }
        }
        (_, clock) => Effect::Update { game: Box::new(game.clone()), clock },
    };
    vec![changed, post]
}

/// Tells whether a command is meant for the board on which it was chosen, and must not be done on a later one.
const fn needs_this_board(command: &GameCommand) -> bool {
    command.changes_game() || matches!(command, GameCommand::ChooseSquare(_) | GameCommand::Preview(_))
}

pub(super) fn refuse(ctx: &Ctx<'_>, game: &Game, refusal: &Refusal) -> Reply {
    Reply::private(refusals::refused(refusal, &game.start.variant.words, ctx.markup))
}

/// Returns the command of a button that belongs to this very state of a game.
pub(super) const fn on_this_board(game: &Game, game_command: GameCommand) -> Command {
    Command::InGame { game: Some(game.id), version: Some(game.version), game_command }
}

/// Returns the command of a button that works on whatever state a game is in.
pub(super) const fn on_any_board(game: &Game, game_command: GameCommand) -> Command {
    Command::InGame { game: Some(game.id), version: None, game_command }
}

/// Says why the player cannot move here at all, if that is so.
pub(super) fn not_to_move(ctx: &Ctx<'_>, game: &Game) -> Option<Reply> {
    let refusal = match (game.start.players.side_of(ctx.player()), game.result) {
        (None, _) => Refusal::NotYourGame,
        (Some(_), Some(result)) => Refusal::Over(result),
        (side, None) if side != game.to_move() => Refusal::NotYourTurn,
        _ => return None,
    };
    Some(refuse(ctx, game, &refusal))
}

/// Asks whether a move that completes a third occurrence is meant.
fn ask_to_play(ctx: &Ctx<'_>, game: &Game, refusal: &Refusal, action: Action) -> Reply {
    let question = Content::text(refusals::refused(refusal, &game.start.variant.words, ctx.markup));
    let Action::Move { mv, .. } = action else { return question.into() };
    let play = GameCommand::Move { typed: mv.to_string(), confirmed: true };
    question
        .button("Play it", ButtonStyle::Danger, on_this_board(game, play))
        .button("Cancel", ButtonStyle::Plain, on_this_board(game, GameCommand::Cancel))
        .into()
}

/// Asks whether a resignation is meant.
fn ask_to_resign(ctx: &Ctx<'_>, game: &Game) -> Reply {
    if game.start.players.side_of(ctx.player()).is_none() {
        return refuse(ctx, game, &Refusal::NotYourGame);
    }
    if let Some(result) = game.result {
        return refuse(ctx, game, &Refusal::Over(result));
    }
    let answer: Answer = Content::text(prompts::confirm_resign(game))
        .button("Resign", ButtonStyle::Danger, on_this_board(game, GameCommand::Resign { confirmed: true }))
        .button("Cancel", ButtonStyle::Plain, on_this_board(game, GameCommand::Cancel))
        .privately();
    answer.into()
}
