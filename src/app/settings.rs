//! What servers and players have set: shown, changed, and put to use.

use super::post::Notice;
use super::reply::{Audience, Reply};
use super::wish::{Deed, Wish};
use super::{App, Request, answer_once_more};
use crate::commands::LONGEST_WORDS;
use crate::game::{GameId, House, Place, Taste};
use crate::scene::{Orientation, Theme};
use crate::store::{About, Effect, SaveError, StoreError, Write};
use crate::text::{Voice, answers, house};
use tracing::info;

impl App {
    /// Tells what is set where somebody plays.
    pub(super) fn house(&self, place: Place) -> Result<House, StoreError> {
        place.server.map_or_else(|| Ok(House::default()), |server| self.store.house(server))
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
        let taste = self.store.taste(request.person.id)?;
        let form_was_said = matches!(request.wish, Wish::Do { deed: Deed::Board { text: Some(_), .. }, .. });
        if !form_was_said {
            reply.board_as_text |= taste.as_text.unwrap_or(false);
        }
        if let Some(scene) = &mut reply.board {
            scene.theme = taste.theme.as_deref().and_then(Theme::find).unwrap_or(scene.theme);
            if taste.flipped == Some(true) {
                scene.orientation = Orientation::Flipped;
            }
        }
        Ok(())
    }

    /// Paints the board of a post the way the server likes it.
    pub(super) fn paint(&self, place: Place, post: &mut Reply) -> Result<(), StoreError> {
        if let Some(scene) = &mut post.board
            && let Some(theme) = self.house(place)?.theme.as_deref().and_then(Theme::find)
        {
            scene.theme = theme;
        }
        Ok(())
    }

    pub(super) fn settings(&self, request: &Request, wanted: &House) -> Result<Reply, StoreError> {
        let Some(server) = request.place.server else { return Ok(Reply::private(house::only_in_a_server())) };
        let mut set = self.store.house(server)?;
        if *wanted != House::default() {
            set.theme = wanted.theme.clone().or(set.theme);
            set.threads = wanted.threads.or(set.threads);
            set.pace = wanted.pace.or(set.pace);
            self.store.set_house(server, set.clone())?;
        }
        Ok(Reply::private(house::settings(&set, request.rights)))
    }

    pub(super) fn preferences(&self, request: &Request, wanted: &Taste) -> Result<Reply, StoreError> {
        let mut taste = self.store.taste(request.person.id)?;
        if *wanted != Taste::default() {
            taste.reminders = wanted.reminders.or(taste.reminders);
            taste.theme = wanted.theme.clone().or(taste.theme);
            taste.flipped = wanted.flipped.or(taste.flipped);
            taste.as_text = wanted.as_text.or(taste.as_text);
            self.store.set_taste(request.person.id, taste.clone())?;
        }
        Ok(Reply::private(house::preferences(&taste)))
    }

    /// Ends a game of this server without a result, and tells both why.
    pub(super) fn end_game(
        &self,
        request: &Request,
        id: GameId,
        reason: &str,
        voice: &dyn Voice,
    ) -> Result<Reply, StoreError> {
        answer_once_more(|| self.try_to_end(request, id, reason, voice))
    }

    /// Ends a game; nothing if it changed meanwhile.
    fn try_to_end(
        &self,
        request: &Request,
        id: GameId,
        reason: &str,
        voice: &dyn Voice,
    ) -> Result<Option<Reply>, StoreError> {
        let here = |place: Place| request.place.server.is_some() && place.server == request.place.server;
        let Some(game) = self.store.game(id)?.filter(|game| here(game.start.place)) else {
            return Ok(Some(Reply::private(answers::no_such_game(id))));
        };
        let now = self.now();
        let change = match game.moderate(now) {
            Ok(change) => change,
            Err(refusal) => {
                return Ok(Some(Reply::private(answers::refused(&refusal, &game.start.variant.words, voice))));
            }
        };
        let reason: String = reason.chars().take(LONGEST_WORDS).collect();
        let notice = Notice::of(&change.news, &change.game, Some(reason));
        let news = notice.write();
        let effects = vec![
            Effect::Update { game: Box::new(change.game) },
            Effect::Owe { about: About::Game(id), place: game.start.place, news: news.clone(), call: None },
        ];
        match self.store.save(Write { request: request.id.map(|id| (id, news)), effects, now }) {
            Ok(saved) => {
                let (player, server) = (request.person.id.0, request.place.server);
                info!(game = id.0, player, server, "a moderator ends a game");
                let mut reply = Reply::private(house::game_was_ended(id));
                reply.elsewhere = saved.owed;
                Ok(Some(reply))
            }
            Err(SaveError::Stale) => Ok(None),
            Err(SaveError::Repeated(done)) => self.answer_again(request, &done, voice).map(Some),
            Err(SaveError::Store(error)) => Err(error),
        }
    }
}
