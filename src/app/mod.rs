//! What a player can want, one function for each thing: load, decide, save, reply.
//!
//! | question | file |
//! |---|---|
//! | IncomingKind can be wanted? | [`wish`], as a button's text in [`code`] |
//! | IncomingKind do people get to see? | [`reply`], posts in `notice` |
//! | Which game is meant? | `resolve_game` |
//! | How does a game begin? | `challenges` |
//! | How does it go on? | `play` |
//! | IncomingKind can be looked at? | `views` |
//! | IncomingKind can be set, and by whom? | `settings` |
//! | IncomingKind if a place is gone? | `relocation` |
//! | How is somebody forgotten? | `forget_me` |
//! | IncomingKind can be typed next? | [`autocomplete`] |
//! | IncomingKind is due, what is owed? | `deadlines` |
//!
//! Everything here blocks: whoever calls from async code does so on a thread that may.

pub mod autocomplete;
mod challenges;
mod deadlines;
mod forget_me;
mod notice;
mod play;
mod relocation;
pub mod reply;
mod resolve_game;
mod settings;
mod views;

pub use crate::commands::{BadCommand, ChallengeAnswer, Command, GameCommand, OptionValue, Person};
pub use notice::Destination;
pub use reply::{Audience, Button, File, Item, Menu, Reply, Style};
pub use views::record_text;

use crate::game::{BotPermissions, Place, Timestamp};
use crate::store::{OutboxId, RequestId, Store, StoreError};
use crate::text::{Markup, delivery, help, privacy, prompts, refusals};
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
    pub rights: BotPermissions,
    /// What.
    pub command: Command,
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
        let BotPermissions { see, post, post_in_threads, .. } = self.rights;
        see && if self.place.thread.is_some() { post_in_threads } else { post }
    }
}

/// The bot without any way to talk to it: the store, a clock and dice.
pub struct App {
    store: Store,
    now: Box<dyn Fn() -> Timestamp + Send + Sync>,
    dice: Box<dyn Fn() -> bool + Send + Sync>,
}

impl App {
    /// Makes the bot.
    pub fn new(
        store: Store,
        now: impl Fn() -> Timestamp + Send + Sync + 'static,
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
    pub fn now(&self) -> Timestamp {
        (self.now)()
    }

    /// Does what somebody wants. What cannot be done is said in the reply; an error is the store's.
    pub fn handle(&self, request: &Request, markup: &dyn Markup) -> Result<Reply, StoreError> {
        if request.command.is_recorded() {
            if let Some(done) = request.id.map(|id| self.store.done(id)).transpose()?.flatten() {
                return self.answer_again(request, &done, markup);
            }
            note(self.store.remember_player(request.person.id, &request.person.name));
        }
        let moved = note(self.arrive(request)).unwrap_or_default();
        let mut reply = self.fulfil(request, markup)?;
        let needs_a_post = |moved: &OutboxId| note(self.needs_a_post(*moved, markup)) == Some(true);
        reply.elsewhere.extend(moved.into_iter().filter(needs_a_post));
        self.dress(request, &mut reply)?;
        Ok(reply)
    }

    fn fulfil(&self, request: &Request, markup: &dyn Markup) -> Result<Reply, StoreError> {
        match &request.command {
            Command::Challenge { variant, opponent, layout, side, pace } => {
                let terms = challenges::ChallengeTerms { variant, opponent, layout, side: *side, pace: *pace };
                self.challenge(request, &terms, markup)
            }
            Command::AnswerChallenge { challenge, answer } => {
                self.answer_challenge(request, *challenge, *answer, markup)
            }
            Command::Challenges => self.list_challenges(request, markup),
            Command::ShowChallenge(id) => self.show_challenge(request, *id, markup),
            Command::InGame { game, version, game_command } => {
                self.act_in_game(request, *game, *version, game_command, markup)
            }
            Command::Games { player } => self.list_games(request, player.as_ref(), markup),
            Command::Block(person) => self.block(request, person, markup),
            Command::Unblock(person) => self.unblock(request, person, markup),
            Command::Rules { variant } => self.explain_rules(request, *variant),
            Command::Settings(server_settings) => self.settings(request, server_settings),
            Command::Preferences(player_settings) => self.preferences(request, player_settings),
            Command::EndGame { game, reason } => self.end_game(request, *game, reason, markup),
            Command::Doctor => Ok(Reply::private(delivery::doctor(request.rights))),
            Command::Privacy => Ok(Reply::private(privacy::notice())),
            Command::ForgetMe { confirmed: false } => self.ask_to_forget(request),
            Command::ForgetMe { confirmed: true } => self.forget(request),
            Command::Cancel => Ok(Reply::private(prompts::cancelled())),
            Command::Help => Ok(Reply::private(help::help(request.in_server()))),
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
    Ok(once_more(attempt)?.unwrap_or_else(|| Reply::private(refusals::changed_meanwhile())))
}
