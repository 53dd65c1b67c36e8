//! What a player can want, one function for each thing: load, decide, save, reply.
//!
//! | question | file |
//! |---|---|
//! | What can be wanted? | [`wish`], as a button's text in [`code`] |
//! | What do people get to see? | [`reply`], posts in `post` |
//! | Which game is meant? | `find` |
//! | How does a game begin? | `challenges` |
//! | How does it go on? | `deeds` |
//! | What can be looked at? | `look` |
//! | What can be set, and by whom? | `house` |
//! | What if a place is gone? | `places` |
//! | How is somebody forgotten? | `leave` |
//! | What can be typed next? | [`complete`] |
//! | What is due, what is owed? | `upkeep` |
//!
//! Everything here blocks: whoever calls from async code does so on a thread that may.

mod challenges;
pub mod code;
pub mod complete;
mod deeds;
mod find;
mod house;
mod leave;
mod look;
mod places;
mod post;
pub mod reply;
mod upkeep;
pub mod wish;

pub use look::record_text;
pub use post::Destination;
pub use reply::{Audience, Button, File, Item, Menu, Reply, Style};
pub use wish::{Answer, BadCommand, Deed, Person, Value, Wish};

use crate::game::{Moment, Place, Rights};
use crate::store::{OwedId, RequestId, Store, StoreError};
use crate::text::{Voice, answers};
use tracing::warn;

/// Somebody wants something.
#[derive(Clone, Debug)]
pub struct Request {
    /// The number of the request, by which it is recognised if it is delivered twice.
    pub id: Option<RequestId>,
    /// Who.
    pub person: Person,
    /// Where.
    pub place: Place,
    /// What the bot may do there.
    pub rights: Rights,
    /// What.
    pub wish: Wish,
}

impl Request {
    /// Tells whether it was made in a server, where others are, and not in a direct message.
    #[must_use]
    pub const fn in_server(&self) -> bool {
        self.place.server.is_some()
    }

    /// Tells whether a place is in the server where somebody speaks.
    #[must_use]
    pub fn is_in_server_of(&self, place: Place) -> bool {
        self.in_server() && self.place.server == place.server
    }

    /// Tells whether somebody who speaks here also sees what is in another place: the same channel, with its threads.
    #[must_use]
    pub fn is_beside(&self, place: Place) -> bool {
        self.is_in_server_of(place) && self.place.channel == place.channel
    }

    /// Tells whether the bot may post here by itself.
    #[must_use]
    pub const fn bot_may_post(&self) -> bool {
        let Rights { see, post, post_in_threads, .. } = self.rights;
        see && if self.place.thread.is_some() { post_in_threads } else { post }
    }
}

/// The bot without any way to talk to it: the store, a clock and dice.
pub struct App {
    store: Store,
    now: Box<dyn Fn() -> Moment + Send + Sync>,
    dice: Box<dyn Fn() -> bool + Send + Sync>,
}

impl App {
    /// Makes the bot.
    pub fn new(
        store: Store,
        now: impl Fn() -> Moment + Send + Sync + 'static,
        dice: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { store, now: Box::new(now), dice: Box::new(dice) }
    }

    /// Gives the store.
    #[must_use]
    pub const fn store(&self) -> &Store {
        &self.store
    }

    /// Tells the time.
    #[must_use]
    pub fn now(&self) -> Moment {
        (self.now)()
    }

    /// Does what somebody wants. What cannot be done is said in the reply; an error is the store's.
    pub fn handle(&self, request: &Request, voice: &dyn Voice) -> Result<Reply, StoreError> {
        if request.wish.is_noted() {
            if let Some(done) = request.id.map(|id| self.store.done(id)).transpose()?.flatten() {
                return self.answer_again(request, &done, voice);
            }
            note(self.store.remember_player(request.person.id, &request.person.name));
        }
        let moved = note(self.arrive(request)).unwrap_or_default();
        let mut reply = self.fulfil(request, voice)?;
        let needs_a_post = |moved: &OwedId| note(self.needs_a_post(*moved, voice)) == Some(true);
        reply.elsewhere.extend(moved.into_iter().filter(needs_a_post));
        self.dress(request, &mut reply)?;
        Ok(reply)
    }

    fn fulfil(&self, request: &Request, voice: &dyn Voice) -> Result<Reply, StoreError> {
        match &request.wish {
            Wish::Challenge { variant, opponent, layout, side, pace } => {
                let terms = challenges::Terms { variant, opponent, layout, side: *side, pace: *pace };
                self.challenge(request, &terms, voice)
            }
            Wish::Answer { challenge, answer } => self.answer_challenge(request, *challenge, *answer, voice),
            Wish::Challenges => self.list_challenges(request, voice),
            Wish::ShowChallenge(id) => self.show_challenge(request, *id, voice),
            Wish::Do { game, version, deed } => self.act_in_game(request, *game, *version, deed, voice),
            Wish::Games { player } => self.list_games(request, player.as_ref(), voice),
            Wish::Block(person) => self.block(request, person, voice),
            Wish::Unblock(person) => self.unblock(request, person, voice),
            Wish::Rules { variant } => self.explain_rules(request, *variant),
            Wish::Settings(house) => self.settings(request, house),
            Wish::Preferences(taste) => self.preferences(request, taste),
            Wish::EndGame { game, reason } => self.end_game(request, *game, reason, voice),
            Wish::Doctor => Ok(Reply::private(crate::text::house::doctor(request.rights))),
            Wish::Privacy => Ok(Reply::private(crate::text::house::privacy())),
            Wish::ForgetMe { confirmed: false } => self.ask_to_forget(request),
            Wish::ForgetMe { confirmed: true } => self.forget(request),
            Wish::Nothing => Ok(Reply::private(answers::cancelled())),
            Wish::Help => Ok(Reply::private(answers::help(request.in_server()))),
        }
    }
}

/// Goes on without what was to be noted by the way, if it cannot be now: the next request brings it again.
fn note<T>(noted: Result<T, StoreError>) -> Option<T> {
    noted.inspect_err(|problem| warn!(%problem, "something cannot be noted by the way")).ok()
}

/// Does something for which somebody else may be too quick: then it is tried once more from the start.
fn once_more<T>(mut attempt: impl FnMut() -> Result<Option<T>, StoreError>) -> Result<Option<T>, StoreError> {
    match attempt()? {
        None => attempt(),
        done => Ok(done),
    }
}

/// Answers with what came of trying [`once_more`]; who is late then, too, has to look first.
fn answer_once_more(attempt: impl FnMut() -> Result<Option<Reply>, StoreError>) -> Result<Reply, StoreError> {
    Ok(once_more(attempt)?.unwrap_or_else(|| Reply::private(answers::too_late())))
}
