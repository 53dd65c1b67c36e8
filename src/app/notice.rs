//! What everybody reads in the game's place after something has happened, and again if it is owed.

use super::challenges::{challenge_post, closed_post};
use super::reply::{Reply, Style};
use super::wish::{Deed, Wish};
use super::{App, Request};
use crate::game::{Game, GameId, News, OfferKind, Place, PlayerId, Players, Reminders, Rights};
use crate::rules::Side;
use crate::scene::{Scene, Standing};
use crate::store::{Done, Owed, OwedId, StoreError};
use crate::text::{self, Voice, answers, house, news};
use serde::{Deserialize, Serialize};

/// What there is to tell, as it is kept with what is owed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Notice {
    /// Something happened in a game; afterwards it had so many plies.
    Game {
        news: Vec<News>,
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

impl Notice {
    pub(super) fn began() -> Self {
        Self::Game { news: vec![News::Began], plies: 0, reason: None, moved: None, position: None }
    }

    /// Tells what has just happened in a game.
    pub(super) fn of(news: &[News], game: &Game, reason: Option<String>) -> Self {
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
    pub fn owed_post(&self, owed: &Owed, voice: &dyn Voice) -> Result<Option<Reply>, StoreError> {
        let Some(notice) = Notice::read(&owed.news) else { return Ok(None) };
        let post = match (&notice, owed.game, owed.challenge) {
            (Notice::Game { news, plies, .. }, Some(game), _) => match self.store.game(game)? {
                Some(game) if has_moved_on(&game, news, *plies) || taken_back(&game, &notice).is_some() => {
                    late_post(&game, news, *plies, taken_back(&game, &notice), voice).map(|post| (post, None))
                }
                Some(game) => Some((self.game_post(&game, &notice, voice), owed.call)),
                None => None,
            },
            (Notice::Rehoused { version }, Some(game), _) => match self.store.game(game)? {
                // Whatever happened in it since then shows where it goes on.
                Some(game) if game.version == *version => {
                    let post = Reply::public(news::rehoused(&game, voice)).board(scene_now(&game));
                    Some((buttons(post, &game, &[]), owed.call))
                }
                _ => None,
            },
            (Notice::Challenged, _, Some(challenge)) => {
                // Whom it calls it knows itself: nobody, once it is closed.
                self.store.challenge(challenge)?.map(|challenge| (challenge_post(&challenge, voice), None))
            }
            (Notice::ChallengeClosed, _, Some(challenge)) => {
                self.store.challenge(challenge)?.map(|challenge| (closed_post(&challenge, voice), owed.call))
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
    pub fn destination(&self, owed: &Owed) -> Result<Destination, StoreError> {
        let news = match Notice::read(&owed.news) {
            Some(Notice::Game { news, .. }) => news,
            _ => Vec::new(),
        };
        if let [News::Reminder { player, .. }] = news.as_slice() {
            match self.store.taste(*player)?.reminders.unwrap_or_default() {
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
        if !news.contains(&News::Began) || !self.wants_thread(owed.place)? {
            return Ok(Destination::Place);
        }
        let Some(game) = owed.game.map(|game| self.store.listed(game)).transpose()?.flatten() else {
            return Ok(Destination::Place);
        };
        let (attackers, defenders) = (self.name_of(game.players.attackers), self.name_of(game.players.defenders));
        let name = house::thread_name(game.variant.name, game.id, &attackers, &defenders);
        Ok(Destination::NewThread { game: game.id, name, players: game.players, from: game.place })
    }

    /// Notes that a player cannot be written to directly.
    pub fn give_up_direct_messages(&self, player: PlayerId) -> Result<(), StoreError> {
        let mut taste = self.store.taste(player)?;
        taste.reminders = Some(Reminders::Channel);
        self.store.set_taste(player, taste)
    }

    /// Tells whether a game that begins somewhere gets a thread there, as far as it is known.
    pub(super) fn gets_thread(&self, request: &Request, place: Place) -> Result<bool, StoreError> {
        let Rights { see, make_threads, post_in_threads, .. } = request.rights;
        Ok(see && make_threads && post_in_threads && self.wants_thread(place)?)
    }

    fn wants_thread(&self, place: Place) -> Result<bool, StoreError> {
        Ok(place.thread.is_none() && self.house(place)?.threads == Some(true))
    }

    /// Answers a request that was delivered before the way it was answered then.
    pub(super) fn answer_again(&self, request: &Request, done: &Done, voice: &dyn Voice) -> Result<Reply, StoreError> {
        let nothing = || Reply::private(answers::done_already());
        let Some(notice) = Notice::read(&done.did) else { return Ok(nothing()) };
        match (&notice, done.game, done.challenge) {
            (Notice::Game { reason: Some(_), .. }, Some(game), _) => Ok(Reply::private(house::game_was_ended(game))),
            (Notice::Game { .. }, Some(game), _) => self.answer_with_stored(request, game, &notice, None, voice),
            (Notice::Challenged, _, Some(challenge)) => {
                Ok(self.store.challenge(challenge)?.map_or_else(nothing, |challenge| challenge_post(&challenge, voice)))
            }
            (Notice::ChallengeClosed, _, Some(challenge)) => {
                Ok(self.store.challenge(challenge)?.map_or_else(nothing, |challenge| closed_post(&challenge, voice)))
            }
            _ => Ok(nothing()),
        }
    }

    /// Answers as [`App::answer_with_post`] does, with the game as it is stored.
    pub(super) fn answer_with_stored(
        &self,
        request: &Request,
        game: GameId,
        notice: &Notice,
        owed: Option<OwedId>,
        voice: &dyn Voice,
    ) -> Result<Reply, StoreError> {
        match self.store.game(game)? {
            Some(game) => self.answer_with_post(request, &game, notice, owed, voice),
            None => Ok(Reply::private(answers::no_such_game(game))),
        }
    }

    /// Answers with the game's post, where the game is; elsewhere with a word that it is done, and the post stays owed.
    pub(super) fn answer_with_post(
        &self,
        request: &Request,
        game: &Game,
        notice: &Notice,
        owed: Option<OwedId>,
        voice: &dyn Voice,
    ) -> Result<Reply, StoreError> {
        let mut post = self.game_post(game, notice, voice);
        let began = matches!(notice, Notice::Game { news, .. } if news.contains(&News::Began));
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
    pub(super) fn game_post(&self, game: &Game, notice: &Notice, voice: &dyn Voice) -> Reply {
        let Notice::Game { news, plies, reason, .. } = notice else { return Reply::default() };
        let mut text = news::post(game, news, voice);
        if let Some(reason) = reason {
            text = format!("{text}\n{}", house::reason(reason, voice));
        }
        let mut reply = Reply::public(text).board(scene_after(game, *plies));
        if reason.is_some() {
            // Neither has asked for it, so both are to hear of it.
            reply.call = Side::BOTH.map(|side| game.start.players.of(side)).to_vec();
        }
        buttons(reply, game, news)
    }
}

/// Says that a game begins in a thread of its own, where its first board is owed.
pub(super) fn begins_in_its_thread(owed: Option<OwedId>) -> Reply {
    let mut reply = Reply::private(house::in_its_thread());
    reply.elsewhere = Vec::from_iter(owed);
    reply
}

/// Makes a post about something after which the game has moved on: it calls nobody, and its buttons would be old ones.
fn late_post(game: &Game, news: &[News], plies: usize, gone: Option<&str>, voice: &dyn Voice) -> Option<Reply> {
    let post = Reply::public(news::late_post(game, news, plies, gone, voice)?);
    // What was taken back since cannot be shown any more.
    let there = gone.is_none() && plies <= game.record.plies().len();
    let was_over = tells_the_end(news) || is_about_a_rematch(news);
    let scene = if was_over { scene_after(game, plies) } else { captioned(scene_at(game, plies)) };
    Some(if there { post.board(scene) } else { post })
}

fn tells_the_end(news: &[News]) -> bool {
    news.iter().any(|item| matches!(item, News::Ended { .. }))
}

/// Tells whether this happened when the game was over already.
fn is_about_a_rematch(news: &[News]) -> bool {
    news.iter().any(|item| match item {
        News::Offered { kind, .. } | News::Declined { kind, .. } => *kind == OfferKind::Rematch,
        _ => false,
    })
}

/// Tells whether a game is not any more where it was when this happened, after so many plies.
fn has_moved_on(game: &Game, news: &[News], plies: usize) -> bool {
    plies != game.record.plies().len() || !(tells_the_end(news) || news.iter().all(|item| still_holds(game, item)))
}

/// Tells whether something that happened is still how a game stands: nothing but a rematch matters once it is over.
fn still_holds(game: &Game, news: &News) -> bool {
    match news {
        News::Offered { kind, by } => game.offers.standing(*kind) == Some(*by),
        News::Declined { kind: OfferKind::Rematch, .. } => true,
        News::Reminder { deadline, .. } => game.result.is_none() && game.clock.deadline == *deadline,
        News::TimeUp { .. } => game.result.is_none() && game.clock.flagged.is_some(),
        _ => game.result.is_none(),
    }
}

/// Gives the move that was the last one then, if it does not stand in the game any more.
fn taken_back<'n>(game: &Game, notice: &'n Notice) -> Option<&'n str> {
    let Notice::Game { plies, moved: Some(moved), position, .. } = notice else { return None };
    let stands = plies.checked_sub(1).and_then(|last| game.record.plies().get(last)).is_some_and(|played| {
        let there = || game.record.book().write_position(&played.position);
        played.mv.to_string() == *moved && position.as_ref().is_none_or(|then| *then == there())
    });
    (!stands).then_some(moved)
}

/// Shows a game as it stands.
pub(super) fn scene_now(game: &Game) -> Scene {
    scene_after(game, game.record.plies().len())
}

/// Shows a game as it stood after so many plies, and how it ended if those are all.
pub(super) fn scene_after(game: &Game, plies: usize) -> Scene {
    let mut scene = scene_at(game, plies);
    if plies >= game.record.plies().len()
        && let Some(result) = game.result
    {
        let decided = Standing::decided(result.winner);
        scene.end(if result.ending.has_result() { decided } else { Standing::NoResult });
    }
    captioned(scene)
}

/// Shows the position after so many plies, whatever came of it.
fn scene_at(game: &Game, plies: usize) -> Scene {
    let (variant, book) = (game.start.variant, game.record.book());
    match plies.checked_sub(1).and_then(|last| game.record.plies().get(last)) {
        Some(played) => Scene::after(variant, book, played),
        None => Scene::of(variant, book, game.record.start()),
    }
}

/// Writes on the frame whose turn it is or who has won.
pub(super) fn captioned(mut scene: Scene) -> Scene {
    scene.caption = text::caption(&scene);
    scene
}

/// Adds the buttons that make sense now.
pub(super) fn buttons(mut reply: Reply, game: &Game, news: &[News]) -> Reply {
    let wish = |deed| Wish::Do { game: Some(game.id), version: Some(game.version), deed };
    let rules = Wish::Do { game: Some(game.id), version: None, deed: Deed::Rules };
    if game.result.is_some() {
        return match game.offers.standing(OfferKind::Rematch) {
            Some(_) => reply.button("Accept rematch", Style::Main, wish(Deed::Accept(OfferKind::Rematch))).button(
                "Decline",
                Style::Plain,
                wish(Deed::Decline(OfferKind::Rematch)),
            ),
            // It goes on in the rematch.
            None if game.offers.rematched() => reply,
            // Nobody plays against somebody who was forgotten.
            None if Side::BOTH.iter().any(|side| game.start.players.of(*side).is_former()) => reply,
            None => reply.button("Rematch", Style::Main, wish(Deed::Offer(OfferKind::Rematch))),
        };
    }
    reply = reply.button("Move", Style::Main, wish(Deed::ChooseMan));
    let time_is_up = game.clock.flagged.is_some() || news.iter().any(|item| matches!(item, News::TimeUp { .. }));
    if time_is_up {
        reply = reply.button("Claim the win", Style::Danger, wish(Deed::Claim)).button(
            "Give more time",
            Style::Plain,
            wish(Deed::GiveTime),
        );
    }
    reply = match game.offers.standing(OfferKind::Draw) {
        Some(_) => reply.button("Accept draw", Style::Main, wish(Deed::Accept(OfferKind::Draw))).button(
            "Decline draw",
            Style::Plain,
            wish(Deed::Decline(OfferKind::Draw)),
        ),
        None => reply.button("Draw", Style::Plain, wish(Deed::Offer(OfferKind::Draw))),
    };
    if game.offers.standing(OfferKind::Takeback).is_some() {
        reply = reply.button("Grant takeback", Style::Main, wish(Deed::Accept(OfferKind::Takeback))).button(
            "Refuse takeback",
            Style::Plain,
            wish(Deed::Decline(OfferKind::Takeback)),
        );
    }
    reply.button("Resign", Style::Danger, wish(Deed::Resign { confirmed: false })).button("Rules", Style::Plain, rules)
}
