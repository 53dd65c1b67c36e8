//! What everybody reads in the game's place after something has happened, and again if it is owed.

use super::challenges::{challenge_post, closed_post};
use super::reply::{Reply, Style};
use super::{App, Request};
use crate::board_view::{BoardStatus, BoardView};
use crate::commands::command::{Command, GameCommand};
use crate::game::{BotPermissions, Game, GameEvent, GameId, OfferKind, Place, PlayerId, Players, Reminders};
use crate::rules::Side;
use crate::store::{BadRow, Done, OutboxId, OutboxMessage, StoreError};
use crate::text::{self, Markup, answers, events, settings};
use serde::{Deserialize, Serialize};

/// What there is to tell, as it is kept with what is owed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum OutboxBody {
    /// Something happened in a game; afterwards it had so many plies.
    Game {
        news: Vec<GameEvent>,
        plies: usize,
        /// What a moderator has to say about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// The last move then: it may have been taken back, and another one made in its place, before this is posted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        moved: Option<String>,
        /// The position then: the same move may have led to another one since.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<String>,
    },
    /// A challenge was made.
    Challenged,
    /// A challenge was declined or withdrawn.
    ChallengeClosed,
    /// A game goes on in another place, because its own is gone; by that it got this version.
    Rehoused { version: u64 },
}

/// Where an owed message goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Destination {
    /// To the game's place.
    Place,
    /// To a thread that is made for the game.
    NewThread {
        /// The game.
        game: GameId,
        /// What the thread is called.
        name: String,
        /// Who plays in it.
        players: Players,
        /// Where the game is until then.
        from: Place,
    },
    /// To a player alone.
    Direct(PlayerId),
    /// To nobody: the player does not want it.
    Nowhere,
    /// To nobody yet: its place is gone, and a player has to speak somewhere else.
    Gone,
    /// To the channel, where the game goes on because its thread is gone.
    Channel {
        /// The game.
        game: GameId,
    },
}

impl OutboxBody {
    pub(super) fn began() -> Self {
        Self::Game { news: vec![GameEvent::Began], plies: 0, reason: None, moved: None, position: None }
    }

    /// Tells what has just happened in a game.
    pub(super) fn of(news: &[GameEvent], game: &Game, reason: Option<String>) -> Self {
        let plies = game.record.plies();
        let moved = plies.last().map(|played| played.mv.to_string());
        let position = Some(game.record.book().write_position(game.record.position()));
        Self::Game { news: news.to_vec(), plies: plies.len(), reason, moved, position }
    }

    /// Writes the notice for the store.
    pub(super) fn write(&self) -> String {
        // Plain enums and numbers always become JSON; nothing in them can fail to.
        serde_json::to_string(self).unwrap_or_default()
    }

    fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

impl App {
    /// Makes the post that is owed; nothing if it is about something that does not exist any more.
    pub fn owed_post(&self, owed: &OutboxMessage, markup: &dyn Markup) -> Result<Option<Reply>, StoreError> {
        let notice = OutboxBody::read(&owed.news).ok_or_else(|| {
            let problem = String::from("this version cannot read it");
            StoreError::BadRow(Box::new(BadRow { table: "owed", row: owed.id.0, column: "news", problem }))
        })?;
        let post = match (&notice, owed.game, owed.challenge) {
            (OutboxBody::Game { news, plies, .. }, Some(game), _) => match self.store.game(game)? {
                Some(game) if has_moved_on(&game, news, *plies) || taken_back(&game, &notice).is_some() => {
                    late_post(&game, news, *plies, taken_back(&game, &notice), markup).map(|post| (post, None))
                }
                Some(game) => Some((self.game_post(&game, &notice, markup), owed.call)),
                None => None,
            },
            (OutboxBody::Rehoused { version }, Some(game), _) => match self.store.game(game)? {
                // Whatever happened in it since then shows where it goes on.
                Some(game) if game.version == *version => {
                    let post = Reply::public(events::rehoused(&game, markup)).board(view_now(&game));
                    Some((buttons(post, &game, &[]), owed.call))
                }
                _ => None,
            },
            (OutboxBody::Challenged, _, Some(challenge)) => {
                // Whom it calls it knows itself: nobody, once it is closed.
                self.store.challenge(challenge)?.map(|challenge| (challenge_post(&challenge, markup), None))
            }
            (OutboxBody::ChallengeClosed, _, Some(challenge)) => {
                self.store.challenge(challenge)?.map(|challenge| (closed_post(&challenge, markup), owed.call))
            }
            _ => None,
        };
        let Some((mut post, call)) = post else { return Ok(None) };
        self.paint(owed.place, &mut post)?;
        post.owed = Some(owed.id);
        if post.call.is_empty() {
            post.call.extend(call);
        }
        Ok(Some(post))
    }

    /// Tells where an owed message goes.
    pub fn destination(&self, owed: &OutboxMessage) -> Result<Destination, StoreError> {
        let news = match OutboxBody::read(&owed.news) {
            Some(OutboxBody::Game { news, .. }) => news,
            _ => Vec::new(),
        };
        if let [GameEvent::Reminder { player, .. }] = news.as_slice() {
            match self.store.player_settings(*player)?.reminders.unwrap_or_default() {
                Reminders::Channel => {}
                Reminders::Direct => return Ok(Destination::Direct(*player)),
                Reminders::Off => return Ok(Destination::Nowhere),
            }
        }
        if self.store.is_gone(owed.place)? {
            let channel = Place { thread: None, ..owed.place };
            return Ok(match owed.game {
                Some(game) if !self.store.is_gone(channel)? => Destination::Channel { game },
                _ => Destination::Gone,
            });
        }
        if !news.contains(&GameEvent::Began) || !self.wants_thread(owed.place)? {
            return Ok(Destination::Place);
        }
        let Some(game) = owed.game.map(|game| self.store.game_row(game)).transpose()?.flatten() else {
            return Ok(Destination::Place);
        };
        let (attackers, defenders) = (self.name_of(game.players.attackers), self.name_of(game.players.defenders));
        let name = settings::thread_name(game.variant.name, game.id, &attackers, &defenders);
        Ok(Destination::NewThread { game: game.id, name, players: game.players, from: game.place })
    }

    /// Notes that a player cannot be written to directly.
    pub fn give_up_direct_messages(&self, player: PlayerId) -> Result<(), StoreError> {
        let mut player_settings = self.store.player_settings(player)?;
        player_settings.reminders = Some(Reminders::Channel);
        self.store.set_player_settings(player, player_settings)
    }

    /// Tells whether a game that begins somewhere gets a thread there, as far as it is known.
    pub(super) fn gets_thread(&self, request: &Request, place: Place) -> Result<bool, StoreError> {
        let BotPermissions { see, make_threads, post_in_threads, .. } = request.rights;
        Ok(see && make_threads && post_in_threads && self.wants_thread(place)?)
    }

    fn wants_thread(&self, place: Place) -> Result<bool, StoreError> {
        Ok(place.thread.is_none() && self.server_settings(place)?.threads == Some(true))
    }

    /// Answers a request that was delivered before the way it was answered then.
    pub(super) fn answer_again(
        &self,
        request: &Request,
        done: &Done,
        markup: &dyn Markup,
    ) -> Result<Reply, StoreError> {
        let nothing = || Reply::private(answers::done_already());
        let Some(notice) = OutboxBody::read(&done.did) else { return Ok(nothing()) };
        match (&notice, done.game, done.challenge) {
            (OutboxBody::Game { reason: Some(_), .. }, Some(game), _) => {
                Ok(Reply::private(settings::game_was_ended(game)))
            }
            (OutboxBody::Game { .. }, Some(game), _) => self.answer_with_stored(request, game, &notice, None, markup),
            (OutboxBody::Challenged, _, Some(challenge)) => Ok(self
                .store
                .challenge(challenge)?
                .map_or_else(nothing, |challenge| challenge_post(&challenge, markup))),
            (OutboxBody::ChallengeClosed, _, Some(challenge)) => {
                Ok(self.store.challenge(challenge)?.map_or_else(nothing, |challenge| closed_post(&challenge, markup)))
            }
            _ => Ok(nothing()),
        }
    }

    /// Answers as [`App::answer_with_post`] does, with the game as it is stored.
    pub(super) fn answer_with_stored(
        &self,
        request: &Request,
        game: GameId,
        notice: &OutboxBody,
        owed: Option<OutboxId>,
        markup: &dyn Markup,
    ) -> Result<Reply, StoreError> {
        match self.store.game(game)? {
            Some(game) => self.answer_with_post(request, &game, notice, owed, markup),
            None => Ok(Reply::private(answers::no_such_game(game))),
        }
    }

    /// Answers with the game's post, where the game is; elsewhere with a word that it is done, and the post stays owed.
    pub(super) fn answer_with_post(
        &self,
        request: &Request,
        game: &Game,
        notice: &OutboxBody,
        owed: Option<OutboxId>,
        markup: &dyn Markup,
    ) -> Result<Reply, StoreError> {
        let mut post = self.game_post(game, notice, markup);
        let began = matches!(notice, OutboxBody::Game { news, .. } if news.contains(&GameEvent::Began));
        let opponent = game.start.players.side_of(request.person.id).map(Side::opponent);
        let next = if began { game.player_to_move() } else { opponent.map(|side| game.start.players.of(side)) };
        post.call = Vec::from_iter(next);
        if began && self.gets_thread(request, game.start.place)? {
            return Ok(begins_in_its_thread(owed));
        }
        if request.place == game.start.place {
            post.owed = owed;
            return Ok(post);
        }
        post.elsewhere = Vec::from_iter(owed);
        Ok(post.for_one_player())
    }

    /// Makes the post that tells what happened in a game.
    pub(super) fn game_post(&self, game: &Game, notice: &OutboxBody, markup: &dyn Markup) -> Reply {
        let OutboxBody::Game { news, plies, reason, .. } = notice else { return Reply::default() };
        let mut text = events::post(game, news, markup);
        if let Some(reason) = reason {
            text = format!("{text}\n{}", settings::reason(reason, markup));
        }
        let mut reply = Reply::public(text).board(view_after(game, *plies));
        if reason.is_some() {
            // Neither has asked for it, so both are to hear of it.
            reply.call = Side::BOTH.map(|side| game.start.players.of(side)).to_vec();
        }
        buttons(reply, game, news)
    }
}

/// Says that a game begins in a thread of its own, where its first board is owed.
pub(super) fn begins_in_its_thread(owed: Option<OutboxId>) -> Reply {
    let mut reply = Reply::private(settings::in_its_thread());
    reply.elsewhere = Vec::from_iter(owed);
    reply
}

/// Makes a post about something after which the game has moved on: it calls nobody, and its buttons would be old ones.
fn late_post(game: &Game, news: &[GameEvent], plies: usize, gone: Option<&str>, markup: &dyn Markup) -> Option<Reply> {
    let post = Reply::public(events::late_post(game, news, plies, gone, markup)?);
    // What was taken back since cannot be shown any more.
    let there = gone.is_none() && plies <= game.record.plies().len();
    let was_over = tells_the_end(news) || is_about_a_rematch(news);
    let view = if was_over { view_after(game, plies) } else { captioned(view_at(game, plies)) };
    Some(if there { post.board(view) } else { post })
}

fn tells_the_end(news: &[GameEvent]) -> bool {
    news.iter().any(|item| matches!(item, GameEvent::Ended { .. }))
}

/// Tells whether this happened when the game was over already.
fn is_about_a_rematch(news: &[GameEvent]) -> bool {
    news.iter().any(|item| match item {
        GameEvent::Offered { kind, .. } | GameEvent::Declined { kind, .. } => *kind == OfferKind::Rematch,
        _ => false,
    })
}

/// Tells whether a game is not any more where it was when this happened, after so many plies.
fn has_moved_on(game: &Game, news: &[GameEvent], plies: usize) -> bool {
    plies != game.record.plies().len() || !(tells_the_end(news) || news.iter().all(|item| still_holds(game, item)))
}

/// Tells whether something that happened is still how a game stands: nothing but a rematch matters once it is over.
fn still_holds(game: &Game, news: &GameEvent) -> bool {
    match news {
        GameEvent::Offered { kind, by } => game.offers.standing(*kind) == Some(*by),
        GameEvent::Declined { kind: OfferKind::Rematch, .. } => true,
        GameEvent::Reminder { deadline, .. } => game.result.is_none() && game.clock.deadline == *deadline,
        GameEvent::TimeUp { .. } => game.result.is_none() && game.clock.flagged.is_some(),
        _ => game.result.is_none(),
    }
}

/// Gives the move that was the last one then, if it does not stand in the game any more.
fn taken_back<'n>(game: &Game, notice: &'n OutboxBody) -> Option<&'n str> {
    let OutboxBody::Game { plies, moved: Some(moved), position, .. } = notice else { return None };
    let stands = plies.checked_sub(1).and_then(|last| game.record.plies().get(last)).is_some_and(|played| {
        let there = || game.record.book().write_position(&played.position);
        played.mv.to_string() == *moved && position.as_ref().is_none_or(|then| *then == there())
    });
    (!stands).then_some(moved)
}

/// Shows a game as it stands.
pub(super) fn view_now(game: &Game) -> BoardView {
    view_after(game, game.record.plies().len())
}

/// Shows a game as it stood after so many plies, and how it ended if those are all.
pub(super) fn view_after(game: &Game, plies: usize) -> BoardView {
    let mut view = view_at(game, plies);
    if plies >= game.record.plies().len()
        && let Some(result) = game.result
    {
        let decided = BoardStatus::decided(result.winner);
        view.end(if result.ending.has_result() { decided } else { BoardStatus::NoResult });
    }
    captioned(view)
}

/// Shows the position after so many plies, whatever came of it.
fn view_at(game: &Game, plies: usize) -> BoardView {
    let (variant, book) = (game.start.variant, game.record.book());
    match plies.checked_sub(1).and_then(|last| game.record.plies().get(last)) {
        Some(played) => BoardView::after(variant, book, played),
        None => BoardView::of(variant, book, game.record.start()),
    }
}

/// Writes on the frame whose turn it is or who has won.
pub(super) fn captioned(mut view: BoardView) -> BoardView {
    view.caption = text::caption(&view);
    view
}

/// Adds the buttons that make sense now.
pub(super) fn buttons(mut reply: Reply, game: &Game, news: &[GameEvent]) -> Reply {
    let command = |game_command| Command::InGame { game: Some(game.id), version: Some(game.version), game_command };
    let rules = Command::InGame { game: Some(game.id), version: None, game_command: GameCommand::Rules };
    if game.result.is_some() {
        return match game.offers.standing(OfferKind::Rematch) {
            Some(_) => reply
                .button("Accept rematch", Style::Main, command(GameCommand::Accept(OfferKind::Rematch)))
                .button("Decline", Style::Plain, command(GameCommand::Decline(OfferKind::Rematch))),
            // It goes on in the rematch.
            None if game.offers.rematched() => reply,
            // Nobody plays against somebody who was forgotten.
            None if Side::BOTH.iter().any(|side| game.start.players.of(*side).is_former()) => reply,
            None => reply.button("Rematch", Style::Main, command(GameCommand::Offer(OfferKind::Rematch))),
        };
    }
    reply = reply.button("Move", Style::Main, command(GameCommand::ChoosePiece));
    let time_is_up = game.clock.flagged.is_some() || news.iter().any(|item| matches!(item, GameEvent::TimeUp { .. }));
    if time_is_up {
        reply = reply.button("Claim the win", Style::Danger, command(GameCommand::Claim)).button(
            "Give more time",
            Style::Plain,
            command(GameCommand::GiveTime),
        );
    }
    reply = match game.offers.standing(OfferKind::Draw) {
        Some(_) => reply.button("Accept draw", Style::Main, command(GameCommand::Accept(OfferKind::Draw))).button(
            "Decline draw",
            Style::Plain,
            command(GameCommand::Decline(OfferKind::Draw)),
        ),
        None => reply.button("Draw", Style::Plain, command(GameCommand::Offer(OfferKind::Draw))),
    };
    if game.offers.standing(OfferKind::Takeback).is_some() {
        reply = reply.button("Grant takeback", Style::Main, command(GameCommand::Accept(OfferKind::Takeback))).button(
            "Refuse takeback",
            Style::Plain,
            command(GameCommand::Decline(OfferKind::Takeback)),
        );
    }
    reply.button("Resign", Style::Danger, command(GameCommand::Resign { confirmed: false })).button(
        "Rules",
        Style::Plain,
        rules,
    )
}
