//! Which game is meant, where it was not said.

use super::play::LONGEST_MOVE;
use super::reply::{Item, Menu, Reply};
use super::views::summary;
use super::{App, Request};
use crate::commands::command::{Command, GameCommand};
use crate::game::{Game, GameId, OfferKind, Pace, Refusal};
use crate::store::{GameRow, StoreError};
use crate::text::{Markup, lists, prompts, refusals};

/// A game, or what to answer because none or several could be meant.
pub(super) enum Resolved {
    Game(Box<Game>),
    Reply(Box<Reply>),
}

impl Resolved {
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
        game_command: &GameCommand,
        markup: &dyn Markup,
    ) -> Result<Resolved, StoreError> {
        if let Some(id) = named {
            return self.load_visible(request, id);
        }
        let mut here = self.candidates(request, game_command)?;
        let several = here.len() > 1;
        self.keep_possible(request, game_command, &mut here);
        if several && here.is_empty() {
            return Ok(Resolved::reply(Reply::private(refusals::possible_in_no_game(matches!(
                game_command,
                GameCommand::Move { .. }
            )))));
        }
        let waiting: Vec<&GameRow> = here.iter().filter(|game| waits_for(game, request)).collect();
        match (here.as_slice(), waiting.as_slice()) {
            ([], _) => Ok(Resolved::reply(Reply::private(self.why_none(request, game_command)?))),
            ([only], _) => self.load_visible(request, only.id),
            (_, [only]) if concerns_running(game_command) => self.load_visible(request, only.id),
            // No button has room for it, and no game has such a move.
            ([first, ..], _) if matches!(game_command, GameCommand::Move { typed, .. } if typed.len() > LONGEST_MOVE) =>
            {
                let refusal = Refusal::Move(crate::rules::IllegalMove::NotUnderstood { example: None });
                let words = &first.variant.words;
                Ok(Resolved::reply(Reply::private(refusals::refused(&refusal, words, markup))))
            }
            _ => {
                let items = here.iter().map(|game| Item {
                    label: lists::game_label(game.id, game.variant),
                    detail: lists::game_detail(&summary(game, request.person.id), markup.plain()),
                    command: Command::InGame { game: Some(game.id), version: None, game_command: game_command.clone() },
                });
                let menu = Menu::new("Which game?", items);
                let text = match game_command {
                    GameCommand::Move { typed, .. } => prompts::which_game(here.len(), Some(typed)),
                    game_command if game_command.is_view() => prompts::which_game_to_view(here.len()),
                    _ => prompts::which_game(here.len(), None),
                };
                Ok(Resolved::reply(Reply::private(text).menu(menu)))
            }
        }
    }

    /// Says why no game can be meant: it is over, or not over yet, or there is none.
    fn why_none(&self, request: &Request, game_command: &GameCommand) -> Result<String, StoreError> {
        let (player, running) = (request.person.id, concerns_running(game_command));
        let others = if running {
            self.store.finished_games(player, Menu::MOST as u32)?
        } else {
            self.store.running_games(player)?
        };
        let here = |game: &&GameRow| !request.in_server() || game.place.server == request.place.server;
        let in_this_very_place = others.iter().find(|game| game.place == request.place);
        Ok(match in_this_very_place.or_else(|| others.iter().find(here)) {
            Some(game) if running => refusals::game_is_over(game.id),
            Some(game) => refusals::game_not_over(game.id),
            None => refusals::no_game_here(request.in_server()),
        })
    }

    /// Leaves out the games in which a thing cannot be done; and where something was offered, those in which it was not.
    fn keep_possible(&self, request: &Request, game_command: &GameCommand, games: &mut Vec<GameRow>) {
        if games.len() < 2 {
            return;
        }
        let (now, player) = (self.now(), request.person.id);
        games.retain(|game| match game_command {
            GameCommand::Move { .. } | GameCommand::ChoosePiece => waits_for(game, request),
            GameCommand::Claim | GameCommand::GiveTime => {
                !waits_for(game, request) && game.pace != Pace::NONE && game.deadline <= now
            }
            GameCommand::Abort => game.plies < 2,
            GameCommand::Offer(OfferKind::Takeback) => game.plies > 0,
            _ => true,
        });
        let (GameCommand::Offer(kind) | GameCommand::Accept(kind) | GameCommand::Decline(kind)) = game_command else {
            return;
        };
        let offered = |game: &GameRow| {
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
    pub(super) fn load_visible(&self, request: &Request, id: GameId) -> Result<Resolved, StoreError> {
        let visible = |game: &Game| {
            game.start.players.side_of(request.person.id).is_some() || request.is_in_server_of(game.start.place)
        };
        Ok(match self.store.game(id)?.filter(visible) {
            Some(game) => Resolved::Game(Box::new(game)),
            None => Resolved::reply(Reply::private(refusals::no_such_game(id))),
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
    pub(super) fn waiting(&self, request: &Request, game_command: &GameCommand) -> Result<Vec<GameId>, StoreError> {
        let mut games = self.candidates(request, game_command)?;
        games.retain(|game| waits_for(game, request));
        Ok(games.iter().map(|game| game.id).collect())
    }

    /// Gives the games that could be meant, those that wait for the player first.
    fn candidates(&self, request: &Request, game_command: &GameCommand) -> Result<Vec<GameRow>, StoreError> {
        if request.place.thread.is_some() && concerns_running(game_command) {
            let mut games = self.store.games_in(request.place)?.rows;
            // Where several games share a thread, those of others can only be looked at.
            if games.len() > 1 && !game_command.is_view() {
                games.retain(|game| game.players.side_of(request.person.id).is_some());
            }
            if !games.is_empty() {
                return Ok(games);
            }
        }
        let here = |game: &GameRow| match request.place {
            place if place.server.is_none() => true,
            place if place.thread.is_some() && game.place.thread.is_some() && !concerns_running(game_command) => {
                game.place.thread == place.thread
            }
            place => game.place.server == place.server,
        };
        let running = concerns_running(game_command);
        let mut games = if running { self.store.running_games(request.person.id)?.rows } else { Vec::new() };
        games.retain(here);
        if games.is_empty() && concerns_finished(game_command) {
            games = self.store.finished_games(request.person.id, Menu::MOST as u32)?.rows;
            games.retain(here);
            if running {
                games.truncate(1);
            }
        }
        Ok(games)
    }
}

fn waits_for(game: &GameRow, request: &Request) -> bool {
    game.to_move.is_some_and(|side| game.players.of(side) == request.person.id)
}

/// Tells whether a deed can be done in a running game.
const fn concerns_running(game_command: &GameCommand) -> bool {
    !matches!(
        game_command,
        GameCommand::Offer(OfferKind::Rematch)
            | GameCommand::Accept(OfferKind::Rematch)
            | GameCommand::Decline(OfferKind::Rematch)
    )
}

/// Tells whether a deed can be done in a finished game.
const fn concerns_finished(game_command: &GameCommand) -> bool {
    !concerns_running(game_command) || game_command.is_view()
}
