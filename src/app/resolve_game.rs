//! Which game is meant, where it was not said.

use super::deeds::LONGEST_MOVE;
use super::look::summary;
use super::reply::{Item, Menu, Reply};
use super::wish::{Deed, Wish};
use super::{App, Request};
use crate::game::{Game, GameId, OfferKind, Pace, Refusal};
use crate::store::{Listed, StoreError};
use crate::text::{Voice, answers};

/// A game, or what to answer because none or several could be meant.
pub(super) enum Found {
    Game(Box<Game>),
    Reply(Box<Reply>),
}

impl Found {
    fn reply(reply: Reply) -> Self {
        Self::Reply(Box::new(reply))
    }
}

impl App {
    /// Finds the game that is meant: the one that was named; the one whose thread this is; the player's only one here;
    /// the only one here that waits for the player. Otherwise asks, and keeps what was wanted.
    pub(super) fn find_game(
        &self,
        request: &Request,
        named: Option<GameId>,
        deed: &Deed,
        voice: &dyn Voice,
    ) -> Result<Found, StoreError> {
        if let Some(id) = named {
            return self.load_visible(request, id);
        }
        let mut here = self.candidates(request, deed)?;
        let several = here.len() > 1;
        self.keep_possible(request, deed, &mut here);
        if several && here.is_empty() {
            return Ok(Found::reply(Reply::private(answers::nowhere_possible(matches!(deed, Deed::Move { .. })))));
        }
        let waiting: Vec<&Listed> = here.iter().filter(|game| waits_for(game, request)).collect();
        match (here.as_slice(), waiting.as_slice()) {
            ([], _) => Ok(Found::reply(Reply::private(self.why_none(request, deed)?))),
            ([only], _) => self.load_visible(request, only.id),
            (_, [only]) if concerns_running(deed) => self.load_visible(request, only.id),
            // No button has room for it, and no game has such a move.
            ([first, ..], _) if matches!(deed, Deed::Move { typed, .. } if typed.len() > LONGEST_MOVE) => {
                let refusal = Refusal::Move(crate::rules::Refusal::NotUnderstood { example: None });
                let words = &first.variant.words;
                Ok(Found::reply(Reply::private(answers::refused(&refusal, words, voice))))
            }
            _ => {
                let items = here.iter().map(|game| Item {
                    label: answers::listed_label(game.id, game.variant),
                    detail: answers::listed_detail(&summary(game, request.person.id), voice.on_labels()),
                    wish: Wish::Do { game: Some(game.id), version: None, deed: deed.clone() },
                });
                let menu = Menu::new("Which game?", items);
                let text = match deed {
                    Deed::Move { typed, .. } => answers::which_game(here.len(), Some(typed)),
                    deed if deed.looks() => answers::which_game_to_see(here.len()),
                    _ => answers::which_game(here.len(), None),
                };
                Ok(Found::reply(Reply::private(text).menu(menu)))
            }
        }
    }

    /// Says why no game can be meant: it is over, or not over yet, or there is none.
    fn why_none(&self, request: &Request, deed: &Deed) -> Result<String, StoreError> {
        let (player, running) = (request.person.id, concerns_running(deed));
        let others = if running {
            self.store.finished_games(player, Menu::MOST as u32)?
        } else {
            self.store.running_games(player)?
        };
        let here = |game: &&Listed| !request.in_server() || game.place.server == request.place.server;
        let in_this_very_place = others.iter().find(|game| game.place == request.place);
        Ok(match in_this_very_place.or_else(|| others.iter().find(here)) {
            Some(game) if running => answers::is_over(game.id),
            Some(game) => answers::still_goes_on(game.id),
            None => answers::no_game_here(request.in_server()),
        })
    }

    /// Leaves out the games in which a thing cannot be done; and where something was offered, those in which it was not.
    fn keep_possible(&self, request: &Request, deed: &Deed, games: &mut Vec<Listed>) {
        if games.len() < 2 {
            return;
        }
        let (now, player) = (self.now(), request.person.id);
        games.retain(|game| match deed {
            Deed::Move { .. } | Deed::ChooseMan => waits_for(game, request),
            Deed::Claim | Deed::GiveTime => {
                !waits_for(game, request) && game.pace != Pace::NONE && game.deadline <= now
            }
            Deed::Abort => game.plies < 2,
            Deed::Offer(OfferKind::Takeback) => game.plies > 0,
            _ => true,
        });
        let (Deed::Offer(kind) | Deed::Accept(kind) | Deed::Decline(kind)) = deed else { return };
        let offered = |game: &Listed| {
            let by = game.offers.standing(*kind);
            by.is_some_and(|by| game.players.of(by.opponent()) == player)
        };
        if games.iter().any(offered) {
            games.retain(offered);
        } else if *kind == OfferKind::Rematch {
            // Nobody waits for an answer, so it is the game that ended last.
            games.truncate(1);
        }
    }

    /// Loads a game that this player may see from here: his own, or one of this server.
    pub(super) fn load_visible(&self, request: &Request, id: GameId) -> Result<Found, StoreError> {
        let visible = |game: &Game| {
            game.start.players.side_of(request.person.id).is_some() || request.is_in_server_of(game.start.place)
        };
        Ok(match self.store.game(id)?.filter(visible) {
            Some(game) => Found::Game(Box::new(game)),
            None => Found::reply(Reply::private(answers::no_such_game(id))),
        })
    }

    /// Loads a game; nothing if there is none, or one that makes no sense, which `check` names.
    pub(super) fn readable_game(&self, id: GameId) -> Result<Option<Game>, StoreError> {
        match self.store.game(id) {
            Err(StoreError::BadRow(_)) => Ok(None),
            loaded => loaded,
        }
    }

    /// Gives the games here in which it is the player's turn.
    pub(super) fn waiting(&self, request: &Request, deed: &Deed) -> Result<Vec<GameId>, StoreError> {
        let mut games = self.candidates(request, deed)?;
        games.retain(|game| waits_for(game, request));
        Ok(games.iter().map(|game| game.id).collect())
    }

    /// Gives the games that could be meant, those that wait for the player first.
    fn candidates(&self, request: &Request, deed: &Deed) -> Result<Vec<Listed>, StoreError> {
        if request.place.thread.is_some() && concerns_running(deed) {
            let mut games = self.store.games_in(request.place)?.rows;
            // Where several games share a thread, those of others can only be looked at.
            if games.len() > 1 && !deed.looks() {
                games.retain(|game| game.players.side_of(request.person.id).is_some());
            }
            if !games.is_empty() {
                return Ok(games);
            }
        }
        let here = |game: &Listed| match request.place {
            place if place.server.is_none() => true,
            place if place.thread.is_some() && game.place.thread.is_some() && !concerns_running(deed) => {
                game.place.thread == place.thread
            }
            place => game.place.server == place.server,
        };
        let running = concerns_running(deed);
        let mut games = if running { self.store.running_games(request.person.id)?.rows } else { Vec::new() };
        games.retain(here);
        if games.is_empty() && concerns_finished(deed) {
            games = self.store.finished_games(request.person.id, Menu::MOST as u32)?.rows;
            games.retain(here);
            if running {
                games.truncate(1);
            }
        }
        Ok(games)
    }
}

fn waits_for(game: &Listed, request: &Request) -> bool {
    game.to_move.is_some_and(|side| game.players.of(side) == request.person.id)
}

/// Tells whether a deed can be done in a running game.
const fn concerns_running(deed: &Deed) -> bool {
    !matches!(
        deed,
        Deed::Offer(OfferKind::Rematch) | Deed::Accept(OfferKind::Rematch) | Deed::Decline(OfferKind::Rematch)
    )
}

/// Tells whether a deed can be done in a finished game.
const fn concerns_finished(deed: &Deed) -> bool {
    !concerns_running(deed) || deed.looks()
}
