//! Finds the game that a command is about, if the player did not name one.

use super::Ctx;
use super::game_summary::summary;
use super::reply::{Content, Item, Menu, Reply};
use crate::commands::{Command, GameCommand};
use crate::game::{Game, GameId, OfferKind, Pace, PlayerId, Refusal};
use crate::rules::IllegalMove;
use crate::store::{GameRow, Session, StoreError};
use crate::text::{lists, prompts, refusals};

/// The longest accepted move in bytes: longer than any real move with all its captures and spaces, and short enough for
/// the `custom_id` of a button.
pub(super) const MAX_MOVE_BYTES: usize = 60;

/// The game, or what to reply because there is none or the player has to choose.
pub(super) enum Resolved {
    Game(Box<Game>),
    Reply(Box<Reply>),
}

impl Resolved {
    fn reply(text: String) -> Self {
        Self::Reply(Box::new(Reply::private(text)))
    }
}

/// Finds the game: the one that was named; the one whose thread this is; the player's only one here; the only one here
/// in which it is the player's turn. Otherwise asks the player, whose choice carries out the same command.
pub(super) fn resolve(ctx: &Ctx<'_>, named: Option<GameId>, command: &GameCommand) -> Result<Resolved, StoreError> {
    if let Some(id) = named {
        return load_visible(ctx, id);
    }
    let mut here = candidates(ctx, command)?;
    let several = here.len() > 1;
    keep_possible(ctx, command, &mut here);
    if several && here.is_empty() {
        let moving = matches!(command, GameCommand::Move { .. });
        return Ok(Resolved::reply(refusals::possible_in_no_game(moving)));
    }
    let waiting: Vec<&GameRow> = here.iter().filter(|game| waits_for(game, ctx.player())).collect();
    match (here.as_slice(), waiting.as_slice()) {
        ([], _) => Ok(Resolved::reply(why_none(ctx, command)?)),
        ([only], _) => load_visible(ctx, only.id),
        (_, [only]) if concerns_running(command) => load_visible(ctx, only.id),
        // The text is too long for the menu that would ask which game, and for any real move.
        ([first, ..], _) if matches!(command, GameCommand::Move { typed, .. } if typed.len() > MAX_MOVE_BYTES) => {
            let refusal = Refusal::Move(IllegalMove::NotUnderstood { example: None });
            Ok(Resolved::reply(refusals::refused(&refusal, &first.variant.words, ctx.markup)))
        }
        _ => Ok(Resolved::Reply(Box::new(ask_which(ctx, &here, command)?))),
    }
}

fn ask_which(ctx: &Ctx<'_>, games: &[GameRow], command: &GameCommand) -> Result<Reply, StoreError> {
    ctx.names.fetch(games.iter().flat_map(|game| game.players.both()))?;
    let items = games.iter().map(|game| Item {
        label: lists::game_label(game.id, game.variant),
        detail: lists::game_detail(&summary(game, ctx.player()), ctx.markup.plain()),
        command: Command::InGame { game: Some(game.id), version: None, game_command: command.clone() },
    });
    let text = match command {
        GameCommand::Move { typed, .. } => prompts::which_game(games.len(), Some(typed)),
        command if command.is_view() => prompts::which_game_to_view(games.len()),
        _ => prompts::which_game(games.len(), None),
    };
    Ok(Content::text(text).menu(Menu::new("Which game?", items)).into())
}

/// Says why there is no game for a command: the player's game is over, or not over yet, or there is none.
fn why_none(ctx: &Ctx<'_>, command: &GameCommand) -> Result<String, StoreError> {
    let (player, running, request) = (ctx.player(), concerns_running(command), ctx.request);
    let others = if running {
        ctx.session.finished_games(player, Menu::MAX_ITEMS as u32)?
    } else {
        ctx.session.running_games(player)?
    };
    let here = |game: &&GameRow| !request.in_server() || game.place.server == request.place.server;
    let in_this_place = others.iter().find(|game| game.place == request.place);
    Ok(match in_this_place.or_else(|| others.iter().find(here)) {
        Some(game) if running => refusals::game_is_over(game.id),
        Some(game) => refusals::game_not_over(game.id),
        None => refusals::no_game_here(request.in_server()),
    })
}

/// Removes the games in which a command is impossible. If the opponent has made such an offer in some games, keeps only
/// those.
fn keep_possible(ctx: &Ctx<'_>, command: &GameCommand, games: &mut Vec<GameRow>) {
    if games.len() < 2 {
        return;
    }
    let player = ctx.player();
    games.retain(|game| match command {
        GameCommand::Move { .. } | GameCommand::ChoosePiece => waits_for(game, player),
        GameCommand::ClaimTime => !waits_for(game, player) && game.pace != Pace::NONE && game.deadline <= ctx.now,
        GameCommand::GiveTime => !waits_for(game, player) && game.pace != Pace::NONE,
        GameCommand::Abort => game.plies < 2,
        GameCommand::Offer(OfferKind::Takeback) => game.plies > 0,
        GameCommand::ChooseSquare(_)
        | GameCommand::Preview(_)
        | GameCommand::Cancel
        | GameCommand::Resign { .. }
        | GameCommand::Offer(OfferKind::Draw | OfferKind::Rematch)
        | GameCommand::Accept(_)
        | GameCommand::Decline(_)
        | GameCommand::Board { .. }
        | GameCommand::History { .. }
        | GameCommand::Rules => true,
    });
    // If the opponent's time is up in some of the games, the player means one of those.
    let is_up = |game: &GameRow| game.deadline <= ctx.now;
    if *command == GameCommand::GiveTime && games.iter().any(is_up) {
        games.retain(is_up);
    }
    let (GameCommand::Offer(kind) | GameCommand::Accept(kind) | GameCommand::Decline(kind)) = command else { return };
    let offered = |game: &GameRow| {
        let by = game.offers.offered_by(*kind);
        by.is_some_and(|by| game.players.of(by.opponent()) == player)
    };
    if games.iter().any(offered) {
        games.retain(offered);
    } else if *kind == OfferKind::Rematch {
        // Nobody has offered a rematch, so the command is about the game that ended last.
        games.truncate(1);
    }
}

/// Loads a game that the player may see from here: the player's own, or one of this server.
pub(super) fn load_visible(ctx: &Ctx<'_>, id: GameId) -> Result<Resolved, StoreError> {
    let visible = |game: &Game| {
        game.terms.players.side_of(ctx.player()).is_some() || ctx.request.is_in_server_of(game.terms.place)
    };
    Ok(match ctx.session.game(id)?.filter(visible) {
        Some(game) => Resolved::Game(Box::new(game)),
        None => Resolved::reply(refusals::no_such_game(id)),
    })
}

/// Loads a game; `None` if there is none or it cannot be read. `ratatosk check` lists unreadable games.
pub(super) fn readable_game(session: &Session<'_>, id: GameId) -> Result<Option<Game>, StoreError> {
    match session.game(id) {
        Err(StoreError::BadRow(_)) => Ok(None),
        loaded => loaded,
    }
}

/// Returns the games here in which it is the player's turn.
pub(super) fn waiting(ctx: &Ctx<'_>, command: &GameCommand) -> Result<Vec<GameRow>, StoreError> {
    let mut games = candidates(ctx, command)?;
    games.retain(|game| waits_for(game, ctx.player()));
    Ok(games)
}

/// Returns the games that a command can be about, those in which it is the player's turn first.
fn candidates(ctx: &Ctx<'_>, command: &GameCommand) -> Result<Vec<GameRow>, StoreError> {
    let (place, player, running) = (ctx.request.place, ctx.player(), concerns_running(command));
    if place.thread.is_some() && running {
        let mut games = ctx.session.games_in(place)?.rows;
        // If several games share a thread, the player can only look at those of others.
        if games.len() > 1 && !command.is_view() {
            games.retain(|game| game.players.side_of(player).is_some());
        }
        if !games.is_empty() {
            return Ok(games);
        }
    }
    let here = |game: &GameRow| {
        if place.server.is_none() {
            true
        } else if place.thread.is_some() && game.place.thread.is_some() && !running {
            game.place.thread == place.thread
        } else {
            game.place.server == place.server
        }
    };
    let mut games = if running { ctx.session.running_games(player)?.rows } else { Vec::new() };
    games.retain(here);
    if games.is_empty() && concerns_finished(command) {
        games = ctx.session.finished_games(player, Menu::MAX_ITEMS as u32)?.rows;
        games.retain(here);
        if running {
            games.truncate(1);
        }
    }
    Ok(games)
}

fn waits_for(game: &GameRow, player: PlayerId) -> bool {
    game.to_move.is_some_and(|side| game.players.of(side) == player)
}

/// Returns whether a command makes sense in a running game.
const fn concerns_running(command: &GameCommand) -> bool {
    match command {
        GameCommand::Offer(kind) | GameCommand::Accept(kind) | GameCommand::Decline(kind) => match kind {
            OfferKind::Draw | OfferKind::Takeback => true,
            OfferKind::Rematch => false,
        },
        GameCommand::Move { .. }
        | GameCommand::ChoosePiece
        | GameCommand::ChooseSquare(_)
        | GameCommand::Preview(_)
        | GameCommand::Cancel
        | GameCommand::Resign { .. }
        | GameCommand::Abort
        | GameCommand::ClaimTime
        | GameCommand::GiveTime
        | GameCommand::Board { .. }
        | GameCommand::History { .. }
        | GameCommand::Rules => true,
    }
}

/// Returns whether a command makes sense in a finished game.
const fn concerns_finished(command: &GameCommand) -> bool {
    !concerns_running(command) || command.is_view()
}
