//! Games whose channel, thread or server is gone: when a player uses a command somewhere in the server, the player's
//! games go on there. A request from a place also proves that this place exists.

use super::reply::Content;
use super::resolve_game::readable_game;
use super::{App, Ctx, Request};
use crate::game::{Game, GameId, GameMessage, OutboxBody, Place, PlaceLogFields, Seconds, Timestamp};
use crate::store::{Effect, NewBody, PendingMessage, Session, StoreError};
use crate::text::MarkupFactory;
use tracing::{info, warn};

/// How long after its end a game is still moved, so that its last message can be posted.
const FINISHED_GAME_WINDOW: Seconds = Seconds::days(30);

/// Returns whether the store says that a request's place is gone, or the player has games to relocate there; usually not.
///
/// # Errors
/// Fails with an error that every request would meet. After any other, this request only moves no games.
pub(super) fn is_due(session: &Session<'_>, request: &Request, now: Timestamp) -> Result<bool, StoreError> {
    let is_gone = session.is_gone(request.place);
    match is_gone.and_then(|gone| Ok(gone || !games_to_relocate(session, request, now)?.is_empty())) {
        Err(error) if !error.is_final() && !matches!(error, StoreError::Bug(_)) => {
            log_failure(request, "looking for games whose channel is gone", &error);
            Ok(false)
        }
        is_due => is_due,
    }
}

fn log_failure(request: &Request, what: &str, error: &StoreError) {
    let (player, PlaceLogFields { server, channel }) = (request.person.id.0, request.place.log_fields());
    warn!(player, server, channel, %error, "{what} failed, the next request tries it again");
}

/// Returns the player's games in this server whose place is gone.
fn games_to_relocate(session: &Session<'_>, request: &Request, now: Timestamp) -> Result<Vec<GameId>, StoreError> {
    match request.place.server.filter(|_| request.bot_may_post()) {
        Some(server) => session.games_to_relocate(request.person.id, server, now - FINISHED_GAME_WINDOW),
        None => Ok(Vec::new()),
    }
}

/// Records that the place exists, and moves the player's games there whose own place is gone. Returns the messages about
/// those games; none if that fails.
pub(super) fn apply(app: &App, request: &Request) -> Vec<PendingMessage> {
    relocate_all(app, request).unwrap_or_else(|error| {
        log_failure(request, "moving games whose channel is gone", &error);
        Vec::new()
    })
}

fn relocate_all(app: &App, request: &Request) -> Result<Vec<PendingMessage>, StoreError> {
    if app.store.session()?.is_gone(request.place)? {
        for part in request.place.parts() {
            if app.store.mark_back(part, app.now())? {
                let (PlaceLogFields { server, channel }, kind) = (part.log_fields(), part.kind());
                let player = request.person.id.0;
                info!(server, channel, player, "{kind} is back: a player uses it, the clocks of its games restart");
            }
        }
    }
    // Read again: if the place is back, some of the games may not have to move.
    let now = app.now();
    let games = games_to_relocate(&app.store.session()?, request, now)?;
    let mut messages = Vec::new();
    for game in games {
        messages.extend(relocate(app, request, game)?);
    }
    Ok(messages)
}

/// Moves a game to the place of a request, with its unsent messages. Its players could not reach it, so the player
/// to move is pinged and gets the whole time again.
fn relocate(app: &App, request: &Request, id: GameId) -> Result<Vec<PendingMessage>, StoreError> {
    // An unreadable game is skipped, so that the others still move.
    let Some(game) = readable_game(&app.store.session()?, id)? else { return Ok(Vec::new()) };
    let effects = effects_with_notice(&game, request.place, app.now());
    // If the decision is stale, a player has just done something in the game: the next request moves it.
    let Some(committed) = app.commit_without_request(effects)? else { return Ok(Vec::new()) };
    let (PlaceLogFields { server, channel }, player) = (request.place.log_fields(), request.person.id.0);
    info!(game = id.0, player, server, channel, "game goes on in this channel, because its own is gone");
    Ok(committed.messages)
}

/// Returns what to commit to move a game, and to tell its players about it in the new place if it still runs.
fn effects_with_notice(game: &Game, place: Place, now: Timestamp) -> Vec<Effect> {
    let change = game.relocate(place, now);
    let notice = change.game.result.is_none().then(|| Effect::AddMessage {
        body: NewBody::Known(OutboxBody::Game(game.id, GameMessage::Relocated { version: change.game.version })),
        place,
        ping: change.game.player_to_move(),
    });
    std::iter::once(change.into()).chain(notice).collect()
}

impl App {
    /// Moves a game to another place, because it gets a thread or cannot get one. Returns `false` if there is no such
    /// game, or if it changed during both attempts.
    ///
    /// # Errors
    /// Fails if the store does, and with [`StoreError::BadRow`] if the game cannot be read.
    pub fn relocate_game(&self, id: GameId, place: Place) -> Result<bool, StoreError> {
        let committed = self.retry_without_request(|| {
            let game = self.store.session()?.game(id)?;
            Ok(game.map(|game| vec![game.relocate(place, self.now()).into()]))
        })?;
        Ok(committed.is_some())
    }

    /// Moves a game out of a thread that is gone, and returns the message that tells its players, unless another
    /// message shows the board in the new place anyway. Returns `None` if there is no such game, or if it changed
    /// during both attempts.
    ///
    /// # Errors
    /// Fails if the store does, and with [`StoreError::BadRow`] if the game cannot be read.
    pub fn leave_thread(
        &self,
        id: GameId,
        place: Place,
        markups: &dyn MarkupFactory,
    ) -> Result<Option<Vec<PendingMessage>>, StoreError> {
        let committed = self.retry_without_request(|| {
            let game = self.store.session()?.game(id)?;
            Ok(game.map(|game| effects_with_notice(&game, place, self.now())))
        })?;
        Ok(committed.map(|committed| give_up_superfluous(self, committed.messages, markups)))
    }
}

/// Keeps the messages about moved games that are still needed, and gives up the others: another message shows the board
/// in the new place anyway.
pub(super) fn give_up_superfluous(
    app: &App,
    mut relocated: Vec<PendingMessage>,
    markups: &dyn MarkupFactory,
) -> Vec<PendingMessage> {
    relocated.retain(|message| match is_needed(app, message, markups) {
        Ok(needed) => needed,
        Err(error) => {
            let (outbox, (game, _)) = (message.id.0, message.subject.log_ids());
            warn!(outbox, game, %error, "message about a moved game cannot be read, leaving it to the outbox worker");
            false
        }
    });
    relocated
}

fn is_needed(app: &App, relocated: &PendingMessage, markups: &dyn MarkupFactory) -> Result<bool, StoreError> {
    let session = app.store.session()?;
    let Some(message) = session.message(relocated.id)? else { return Ok(false) };
    let earlier = session.messages_before(relocated.id)?;
    drop(session);
    let mut needed = app.post(&message, markups)?.is_some();
    for message in earlier {
        let has_buttons = |content: Content| !content.buttons.is_empty();
        needed &= !app.post(&message, markups)?.is_some_and(|post| has_buttons(post.content));
    }
    if !needed {
        app.store.give_up(relocated.id, "another message shows the board in the new place", app.now())?;
    }
    Ok(needed)
}

/// Returns where a game goes on: in its place, or here if its place is gone from this server and the bot may post here.
pub(super) fn place_to_play(ctx: &Ctx<'_>, place: Place) -> Result<Place, StoreError> {
    let request = ctx.request;
    let could_be_here = request.is_in_server_of(place) && request.place != place && request.bot_may_post();
    Ok(if could_be_here && ctx.session.is_gone(place)? { request.place } else { place })
}
