//! Places come and go: what somebody says proves that a place is there, and games whose place is gone go on where a
//! player speaks.

use super::notice::OutboxBody;
use super::{App, Request};
use crate::game::{Clock, Game, GameId, Place, Seconds};
use crate::store::{About, Commit, CommitError, Effect, OutboxId, StoreError};
use crate::text::Markup;
use tracing::info;

/// For how long the end of a game that nobody could read is worth telling; what is owed about it waits as long.
const WORTH_TELLING: Seconds = Seconds::days(30);

impl App {
    /// Takes note of where somebody speaks: that place is there, whatever was heard, and the games of this player whose
    /// places are gone from the server go on there. Gives the messages that are owed because of it.
    pub(super) fn arrive(&self, request: &Request) -> Result<Vec<OutboxId>, StoreError> {
        let Place { server, channel, thread } = request.place;
        let now = self.now();
        if self.store.is_gone(request.place)? {
            for place in [server, Some(channel), thread].into_iter().flatten() {
                self.store.place_is_back(place, now)?;
            }
        }
        let mut owed = Vec::new();
        if let Some(server) = server.filter(|_| request.bot_may_post()) {
            for game in self.store.homeless_games(request.person.id, server, now - WORTH_TELLING)? {
                owed.extend(self.rehouse(request, game)?);
            }
        }
        Ok(owed)
    }

    /// Moves a game here, with what is owed about it. Nobody could reach it, so that whoever is to move is called and
    /// gets all of his time again.
    fn rehouse(&self, request: &Request, id: GameId) -> Result<Vec<OutboxId>, StoreError> {
        // One that cannot be read must not keep the others away.
        let Some(game) = self.readable_game(id)? else { return Ok(Vec::new()) };
        let (place, now) = (request.place, self.now());
        let goes_on = game.result.is_none();
        let mut moved = Game { version: game.version + 1, ..game };
        moved.start.place = place;
        let mut effects = Vec::new();
        if goes_on {
            moved.clock = Clock::start(moved.start.pace, now.max(moved.changed));
            let news = OutboxBody::Rehoused { version: moved.version }.write();
            effects.push(Effect::Owe { about: About::Game(id), place, news, call: moved.player_to_move() });
        }
        effects.push(Effect::Update { game: Box::new(moved) });
        match self.store.commit(Commit { request: None, effects, now }) {
            Ok(saved) => {
                info!(game = id.0, server = place.server, "a game whose place is gone goes on elsewhere");
                Ok(saved.owed)
            }
            // Somebody does something in it just now: the next command moves it.
            Err(CommitError::Stale | CommitError::Repeated(_)) => Ok(Vec::new()),
            Err(CommitError::Store(error)) => Err(error),
        }
    }

    /// Tells whether the message that a game has moved is to be posted. It is given up if what was done in the game or
    /// was owed about it before shows the board there anyway.
    pub(super) fn needs_a_post(&self, moved: OutboxId, markup: &dyn Markup) -> Result<bool, StoreError> {
        let Some(owed) = self.store.owed_item(moved)? else { return Ok(false) };
        let mut needed = self.owed_post(&owed, markup)?.is_some();
        for earlier in self.store.owed_before(moved)? {
            needed &= self.owed_post(&earlier, markup)?.is_none_or(|post| post.buttons.is_empty());
        }
        if !needed {
            self.store.give_up(moved, "the board is posted anyway", self.now())?;
        }
        Ok(needed)
    }

    /// Tells where a game is played that was to be played somewhere: here, if that place is gone from this server and
    /// the bot may post here.
    pub(super) fn place_to_play(&self, request: &Request, meant: Place) -> Result<Place, StoreError> {
        let same_server = request.in_server() && request.place.server == meant.server;
        let could_be_here = same_server && request.place != meant && request.bot_may_post();
        Ok(if could_be_here && self.store.is_gone(meant)? { request.place } else { meant })
    }
}
