//! What servers and players have set: shown, changed, and put to use.

use super::notice::OutboxBody;
use super::reply::{Audience, Reply};
use super::{App, Request, answer_once_more};
use crate::board_view::{Orientation, Theme};
use crate::commands::MAX_FREE_TEXT;
use crate::commands::command::{Command, GameCommand};
use crate::game::{GameId, Place, PlayerSettings, ServerSettings};
use crate::store::{About, Commit, CommitError, Effect, StoreError};
use crate::text::{Markup, endings, refusals, settings};
use tracing::info;

impl App {
    /// Tells what is set where somebody plays.
    pub(super) fn server_settings(&self, place: Place) -> Result<ServerSettings, StoreError> {
        place.server.map_or_else(|| Ok(ServerSettings::default()), |server| self.store.server_settings(server))
    }

    /// Paints the board of a reply the way its reader likes it.
    pub(super) fn dress(&self, request: &Request, reply: &mut Reply) -> Result<(), StoreError> {
        if reply.board.is_none() {
            return Ok(());
        }
        self.paint(request.place, reply)?;
        if reply.audience == Audience::Public {
            return Ok(());
        }
        let player_settings = self.store.player_settings(request.person.id)?;
        let form_was_said =
            matches!(request.command, Command::InGame { game_command: GameCommand::Board { text: Some(_), .. }, .. });
        if !form_was_said {
            reply.board_as_text |= player_settings.as_text.unwrap_or(false);
        }
        if let Some(view) = &mut reply.board {
            view.theme = player_settings.theme.as_deref().and_then(Theme::find).unwrap_or(view.theme);
            if player_settings.flipped == Some(true) {
                view.orientation = Orientation::Flipped;
            }
        }
        Ok(())
    }

    /// Paints the board of a post the way the server likes it.
    pub(super) fn paint(&self, place: Place, post: &mut Reply) -> Result<(), StoreError> {
        if let Some(view) = &mut post.board
            && let Some(theme) = self.server_settings(place)?.theme.as_deref().and_then(Theme::find)
        {
            view.theme = theme;
        }
        Ok(())
    }

    pub(super) fn settings(&self, request: &Request, wanted: &ServerSettings) -> Result<Reply, StoreError> {
        let Some(server) = request.place.server else { return Ok(Reply::private(refusals::only_in_a_server())) };
        let mut set = self.store.server_settings(server)?;
        if *wanted != ServerSettings::default() {
            set.theme = wanted.theme.clone().or(set.theme);
            set.threads = wanted.threads.or(set.threads);
            set.pace = wanted.pace.or(set.pace);
            self.store.set_server_settings(server, set.clone())?;
        }
        Ok(Reply::private(settings::server_settings(&set, request.rights)))
    }

    pub(super) fn preferences(&self, request: &Request, wanted: &PlayerSettings) -> Result<Reply, StoreError> {
        let mut player_settings = self.store.player_settings(request.person.id)?;
        if *wanted != PlayerSettings::default() {
            player_settings.reminders = wanted.reminders.or(player_settings.reminders);
            player_settings.theme = wanted.theme.clone().or(player_settings.theme);
            player_settings.flipped = wanted.flipped.or(player_settings.flipped);
            player_settings.as_text = wanted.as_text.or(player_settings.as_text);
            self.store.set_player_settings(request.person.id, player_settings.clone())?;
        }
        Ok(Reply::private(settings::player_settings(&player_settings)))
    }

    /// Ends a game of this server without a result, and tells both why.
    pub(super) fn end_game(
        &self,
        request: &Request,
        id: GameId,
        reason: &str,
        markup: &dyn Markup,
    ) -> Result<Reply, StoreError> {
        answer_once_more(|| self.try_to_end(request, id, reason, markup))
    }

    /// Ends a game; nothing if it changed meanwhile.
    fn try_to_end(
        &self,
        request: &Request,
        id: GameId,
        reason: &str,
        markup: &dyn Markup,
    ) -> Result<Option<Reply>, StoreError> {
        let here = |place: Place| request.place.server.is_some() && place.server == request.place.server;
        let Some(game) = self.store.game(id)?.filter(|game| here(game.start.place)) else {
            return Ok(Some(Reply::private(refusals::no_such_game(id))));
        };
        let now = self.now();
        let change = match game.moderate(now) {
            Ok(change) => change,
            Err(refusal) => {
                return Ok(Some(Reply::private(refusals::refused(&refusal, &game.start.variant.words, markup))));
            }
        };
        let reason: String = reason.chars().take(MAX_FREE_TEXT).collect();
        let notice = OutboxBody::of(&change.news, &change.game, Some(reason));
        let news = notice.write();
        let effects = vec![
            Effect::Update { game: Box::new(change.game) },
            Effect::Owe { about: About::Game(id), place: game.start.place, news: news.clone(), call: None },
        ];
        match self.store.commit(Commit { request: request.id.map(|id| (id, news)), effects, now }) {
            Ok(saved) => {
                let (player, server) = (request.person.id.0, request.place.server);
                info!(game = id.0, player, server, "a moderator ends a game");
                let mut reply = Reply::private(endings::ended_by_moderator(id));
                reply.elsewhere = saved.owed;
                Ok(Some(reply))
            }
            Err(CommitError::Stale) => Ok(None),
            Err(CommitError::Repeated(done)) => self.answer_again(request, &done, markup).map(Some),
            Err(CommitError::Store(error)) => Err(error),
        }
    }
}
