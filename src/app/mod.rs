//! Use cases: one function for each thing a player can want. Each loads, decides, commits and replies.
//!
//! | question | file |
//! |---|---|
//! | What is in a reply? | [`reply`] |
//! | What is committed, and what if another request was quicker, or one comes twice? | `commit` |
//! | Which game is meant? | `resolve_game` |
//! | How does a game begin? | `challenges` |
//! | How does it go on? | `play`, with menus from `move_menu` and buttons from `board_buttons` |
//! | Why can a player not do something? | `refuse` |
//! | What is posted about it, and where? | `notice` |
//! | Who is pinged? | where a message is committed: `play`, `challenges`, `deadlines` |
//! | What can be looked at? | `views`, with lines of lists from `game_summary` |
//! | What can be set? | `settings` |
//! | What can moderators do, and whom does a player not want to play with? | `moderation`, `blocks` |
//! | What if a channel is gone? | `relocation` |
//! | How is a player forgotten? | `forget_me` |
//! | What can be typed next? | [`autocomplete`] |
//! | What happens when a deadline passes? | `deadlines` |
//!
//! Every call may wait for the disk: async callers use a thread that may block.

pub mod autocomplete;
mod blocks;
mod board_buttons;
mod challenges;
mod commit;
mod deadlines;
mod forget_me;
mod game_summary;
mod moderation;
mod move_menu;
mod notice;
mod play;
mod refuse;
mod relocation;
pub mod reply;
mod resolve_game;
mod settings;
mod views;

pub use crate::commands::{BadCommand, ChallengeAnswer, Command, GameCommand, OptionValue, Person};
pub use notice::Destination;
pub use reply::{Answer, Audience, Button, ButtonStyle, Content, File, Handover, Item, Menu, Post, Reply};
pub use views::record_text;

use crate::game::{BotPermissions, GameId, Place, PlayerId, PlayerSettings, ServerId, ServerSettings, Timestamp};
use crate::store::{CommitError, PendingMessage, RequestId, Session, Store, StoreError};
use crate::text::{Markup, MarkupFactory, PlayerNames, delivery, help, labels, privacy, prompts};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use tracing::warn;

/// Something that a player asks for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The id by which the request is recognised if it is delivered twice.
    pub id: Option<RequestId>,
    pub person: Person,
    pub place: Place,
    pub permissions: BotPermissions,
    pub command: Command,
}

impl Request {
    /// Returns whether it was made in a server rather than in a direct message.
    #[must_use]
    pub const fn in_server(&self) -> bool {
        self.place.server.is_some()
    }

    /// Returns whether a place is in the same server.
    #[must_use]
    pub fn is_in_server_of(&self, place: Place) -> bool {
        self.in_server() && self.place.server == place.server
    }

    /// Returns whether a place is in the same channel or one of its threads, so that a player here can read there.
    #[must_use]
    pub fn is_in_channel_of(&self, place: Place) -> bool {
        self.is_in_server_of(place) && self.place.channel == place.channel
    }

    /// Returns whether the bot may post here without being asked.
    #[must_use]
    pub const fn bot_may_post(&self) -> bool {
        let BotPermissions { see, post, post_in_threads, .. } = self.permissions;
        see && if self.place.thread.is_some() { post_in_threads } else { post }
    }
}

/// The bot without a connection to its players: the store, a clock and a coin to toss.
pub struct App {
    store: Store,
    now: Box<dyn Fn() -> Timestamp + Send + Sync>,
    coin_toss: Box<dyn Fn() -> bool + Send + Sync>,
}

impl App {
    /// Creates the app.
    pub fn new(
        store: Store,
        now: impl Fn() -> Timestamp + Send + Sync + 'static,
        coin_toss: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { store, now: Box::new(now), coin_toss: Box::new(coin_toss) }
    }

    /// Returns the store.
    #[must_use]
    pub const fn store(&self) -> &Store {
        &self.store
    }

    /// Returns the time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.now)()
    }

    /// Returns the name of a player as plain text.
    #[must_use]
    pub fn name_of(&self, player: PlayerId) -> String {
        match self.store.session() {
            Ok(session) => SessionNames::new(&session).name(player),
            Err(_) => labels::somebody().to_owned(),
        }
    }

    /// Does what a player asks for. If that is impossible, the reply says why.
    ///
    /// # Errors
    /// Fails if the store does.
    pub fn handle(&self, request: &Request, markups: &dyn MarkupFactory) -> Result<Reply, StoreError> {
        let game = Cell::new(None);
        let mut relocated_here = Vec::new();
        let mut reply = commit::retry(|| self.attempt(request, markups, &game, &mut relocated_here))?;
        let handovers = relocation::give_up_superfluous(self, relocated_here, markups);
        reply.handovers_mut().extend(handovers.into_iter().map(Handover::without_post));
        Ok(reply)
    }

    /// Handles a request once, from one read snapshot. Games that it moved to this place are added to `relocated_here`.
    fn attempt(
        &self,
        request: &Request,
        markups: &dyn MarkupFactory,
        game: &Cell<Option<GameId>>,
        relocated_here: &mut Vec<PendingMessage>,
    ) -> Result<Reply, CommitError> {
        let now = self.now();
        let mut session = self.store.session()?;
        if relocation::is_due(&session, request, now)? {
            // The new session below has to see what is written now.
            drop(session);
            relocated_here.extend(relocation::apply(self, request));
            session = self.store.session()?;
        }
        let names = SessionNames::new(&session);
        let markup = markups.markup(&names, now);
        let ctx = Ctx::new(self, request, &names, &*markup, now, game);
        let mut reply = match request.id.filter(|_| request.command.is_recorded()) {
            Some(id) => match session.handled_request(id)? {
                Some(handled) => notice::answer_again(handled),
                None => ctx.dispatch()?,
            },
            None => ctx.dispatch()?,
        };
        settings::apply_to_reply(&ctx, &mut reply)?;
        Ok(reply)
    }
}

/// A request that is being handled, and what it reads from.
struct Ctx<'a> {
    app: &'a App,
    request: &'a Request,
    /// The one read snapshot of the request.
    session: &'a Session<'a>,
    names: &'a SessionNames<'a>,
    markup: &'a dyn Markup,
    now: Timestamp,
    /// The game that the request is about, once it is found. A second attempt must not choose another one.
    game: &'a Cell<Option<GameId>>,
    /// Settings that were read: of servers, and of the player.
    server_settings: RefCell<HashMap<Option<ServerId>, ServerSettings>>,
    player_settings: OnceCell<PlayerSettings>,
}

impl<'a> Ctx<'a> {
    fn new(
        app: &'a App,
        request: &'a Request,
        names: &'a SessionNames<'a>,
        markup: &'a dyn Markup,
        now: Timestamp,
        game: &'a Cell<Option<GameId>>,
    ) -> Self {
        let (server_settings, player_settings) = (RefCell::default(), OnceCell::new());
        Self { app, request, session: names.session, names, markup, now, game, server_settings, player_settings }
    }

    fn player(&self) -> PlayerId {
        self.request.person.id
    }

    /// Returns the settings of the server that a place is in. They are read once, before a commit ends the snapshot.
    fn server_settings(&self, place: Place) -> Result<ServerSettings, StoreError> {
        if let Some(settings) = self.server_settings.borrow().get(&place.server) {
            return Ok(settings.clone());
        }
        let settings = settings::server_settings_at(self.session, place)?;
        self.server_settings.borrow_mut().insert(place.server, settings.clone());
        Ok(settings)
    }

    /// Returns the settings of the player. They are read once, before a commit ends the snapshot.
    fn player_settings(&self) -> Result<&PlayerSettings, StoreError> {
        if let Some(settings) = self.player_settings.get() {
            return Ok(settings);
        }
        let settings = self.session.player_settings(self.player())?;
        Ok(self.player_settings.get_or_init(|| settings))
    }

    fn dispatch(&self) -> Result<Reply, CommitError> {
        Ok(match &self.request.command {
            Command::Challenge { variant, opponent, layout, side, pace } => {
                let options = challenges::ChallengeOptions { variant, opponent, layout, side: *side, pace: *pace };
                challenges::challenge(self, &options)?
            }
            Command::AnswerChallenge { challenge, answer } => challenges::answer(self, *challenge, *answer)?,
            Command::Challenges => challenges::list(self)?,
            Command::ShowChallenge(id) => challenges::show(self, *id)?,
            Command::InGame { game, version, game_command } => play::in_game(self, *game, *version, game_command)?,
            Command::Games { player } => views::games(self, player.as_ref())?,
            Command::Block(person) => blocks::block(self, person)?,
            Command::Unblock(person) => blocks::unblock(self, person)?,
            Command::Rules { variant } => views::rules(self, *variant)?,
            Command::Settings(wanted) => settings::change_server(self, wanted)?,
            Command::Preferences(wanted) => settings::change_player(self, wanted)?,
            Command::EndGame { game, reason } => moderation::end_game(self, *game, reason)?,
            Command::Doctor => Reply::private(delivery::doctor(self.request.permissions)),
            Command::Privacy => Reply::private(privacy::notice()),
            Command::ForgetMe { confirmed: false } => forget_me::ask(self)?,
            Command::ForgetMe { confirmed: true } => forget_me::forget(self)?,
            Command::Cancel => Reply::private(prompts::cancelled()),
            Command::Help => Reply::private(help::help(self.request.in_server())),
        })
    }
}

/// What players are called, from one read snapshot. Lists fetch all of their names at once.
struct SessionNames<'s> {
    session: &'s Session<'s>,
    known: RefCell<HashMap<PlayerId, String>>,
}

impl<'s> SessionNames<'s> {
    fn new(session: &'s Session<'s>) -> Self {
        Self { session, known: RefCell::default() }
    }

    /// Fetches the names of several players in one query.
    fn fetch(&self, players: impl IntoIterator<Item = PlayerId>) -> Result<(), StoreError> {
        let known = &mut *self.known.borrow_mut();
        let mut wanted: Vec<PlayerId> = players.into_iter().filter(|player| !known.contains_key(player)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        if wanted.is_empty() {
            return Ok(());
        }
        let mut names = self.session.names_of(&wanted)?;
        let mut name = |player| names.remove(&player).unwrap_or_else(|| labels::somebody().to_owned());
        known.extend(wanted.into_iter().map(|player| (player, name(player))));
        Ok(())
    }
}

impl PlayerNames for SessionNames<'_> {
    fn name(&self, player: PlayerId) -> String {
        if player.is_former() {
            return labels::former_player().to_owned();
        }
        if let Some(name) = self.known.borrow().get(&player) {
            return name.clone();
        }
        let found = self.session.name_of(player).inspect_err(|error| {
            warn!(player = player.0, %error, "name of a player cannot be read, not naming the player");
        });
        let name = found.ok().flatten().unwrap_or_else(|| labels::somebody().to_owned());
        self.known.borrow_mut().insert(player, name.clone());
        name
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_player_without_a_name_is_looked_up_once() {
        let folder = std::env::temp_dir().join(format!("ratatosk-names-{}", std::process::id()));
        let store = Store::open(&folder.join("games.db")).unwrap();
        let (ann, nameless) = (PlayerId(1), PlayerId(2));
        store.remember_player(ann, "Ann").unwrap();
        let session = store.session().unwrap();
        let names = SessionNames::new(&session);
        names.fetch([ann, nameless, ann]).unwrap();
        // From now on, looking up a name begins a new snapshot, which is counted.
        session.end_snapshot();
        let before = store.counters().read_transactions;
        assert_eq!([ann, nameless].map(|player| names.name(player)), ["Ann", labels::somebody()]);
        names.fetch([nameless]).unwrap();
        assert_eq!(store.counters().read_transactions, before);
        drop(session);
        store.close().unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
