//! The parts of the bot, put together as in the program, and a fake Discord that they call.
#![allow(clippy::unwrap_used)]

use super::Bot;
use super::app_handle::tests::TestApp;
use super::interaction::{Incoming, IncomingKind, InteractionHandle, Source};
use super::rest::RestClient;
use super::wait_until;
use crate::app::{App, Command, GameCommand, Person};
use crate::config::{Endpoint, Secret};
use crate::game::{
    BotPermissions, ChannelId, GameId, GameTerms, OutboxBody, Pace, Place, PlayerId, Players, ServerId, Timestamp,
};
use crate::rules::Variant;
use crate::store::{Commit, Effect, NewBody, OutboxId, OutboxMessage, RequestId, Store};
use fake_discord::state::{Attachment, Id, Interaction, Message, User};
use fake_discord::{FakeDiscord, WAIT_LIMIT};
use serde_json::Value;
use std::time::{Duration, Instant};

pub(super) const ATTACKER: PlayerId = PlayerId(1);
pub(super) const DEFENDER: PlayerId = PlayerId(2);

/// A bot in one server with one channel. Nothing runs until a test starts it.
pub(super) struct TestBot {
    pub(super) bot: Bot,
    pub(super) discord: FakeDiscord,
    /// The channel.
    pub(super) place: Place,
    pub(super) test: TestApp,
}

impl TestBot {
    pub(super) async fn start() -> Self {
        let (test, discord) = (TestApp::new(), FakeDiscord::start().await);
        let now = test.handle.now();
        // What is posted has to be newer than what was saved.
        let ahead = u64::try_from(now.0 * 1000).unwrap().saturating_sub(discord.state.read(|state| state.now()));
        discord.advance(Duration::from_millis(ahead));
        let token = discord.state.update(|state| {
            for PlayerId(id) in [ATTACKER, DEFENDER] {
                state.users.insert(id, User { id, name: id.to_string(), bot: false, accepts_messages: true });
            }
            Secret::new(&state.token)
        });
        let endpoint = Endpoint { api: Some(discord.base()), ..Endpoint::default() };
        let app = App::new(test.handle.app().store().clone(), move || now, || true);
        let (bot, _) = Bot::new(app, &token, &endpoint, WAIT_LIMIT).unwrap();
        let place = Place { server: Some(ServerId(discord.server)), channel: ChannelId(discord.channel), thread: None };
        Self { bot, discord, place, test }
    }

    /// Starts a game in the channel, and returns it with the message about its first board.
    pub(super) fn start_game(&self) -> (GameId, OutboxMessage) {
        start_game(self.test.handle.app(), self.place)
    }

    /// Starts a game whose first board is posted.
    pub(super) fn start_posted_game(&self) -> GameId {
        let (game, message) = self.start_game();
        self.store().give_up(message.id, "posted", self.now()).unwrap();
        game
    }

    /// Adds another message about a game to the outbox.
    pub(super) fn add_message(&self, game: GameId) -> OutboxId {
        let body = NewBody::Known(OutboxBody::began(game));
        let effects = vec![Effect::AddMessage { body, place: self.place, ping: None }];
        self.store().commit(Commit { request: None, effects, now: self.now() }).unwrap().messages[0].id
    }

    pub(super) fn store(&self) -> &Store {
        self.test.handle.app().store()
    }

    pub(super) fn now(&self) -> Timestamp {
        self.test.handle.now()
    }

    /// Returns whether a message is still to be posted.
    pub(super) fn is_undelivered(&self, message: OutboxId) -> bool {
        self.store().session().unwrap().message(message).unwrap().is_some()
    }

    /// Returns the newest message of the outbox.
    pub(super) fn newest_message(&self) -> OutboxId {
        self.store().session().unwrap().newest_outbox_id().unwrap()
    }

    /// Creates an interaction of the attacker on the fake Discord, which waits for its answer from now on.
    pub(super) fn interact(&self, command: Command, source: Source) -> Incoming {
        let id = self.discord.state.update(|state| {
            let (id, sent, channel) = (state.new_id(), state.now(), self.place.channel.0);
            let pressed = (source != Source::Command).then(|| {
                let mut pressed = Message::plain(state.new_id(), channel, state.bot, "menu", sent);
                pressed.reader = (source == Source::PrivateMessage).then_some(ATTACKER.0);
                state.add_message(pressed.clone());
                pressed.id
            });
            let interaction = Interaction {
                id,
                token: token_of(id),
                kind: if pressed.is_some() { 3 } else { 2 },
                user: ATTACKER.0,
                channel,
                source: pressed,
                sent,
                answer_by: sent + 60_000,
                forged: false,
                sessions: None,
                payload: Value::Null,
                callback: None,
                original: None,
            };
            state.tokens.insert(interaction.token.clone(), id);
            state.interactions.insert(id, interaction);
            id
        });
        let application = self.discord.state.read(|state| state.application);
        incoming(RequestId(id), application, self.place, command, source)
    }

    /// Answers without the limit of three seconds, because the machine may be busy.
    pub(super) fn respond(&self, incoming: Incoming) {
        self.bot.responder.respond(incoming, Instant::now() + Duration::from_secs(60));
    }

    /// Waits until every request is answered, as stopping does.
    pub(super) async fn wait_until_answered(&self) {
        assert!(wait_until(WAIT_LIMIT, || self.bot.responder.is_idle()).await, "a request is not answered");
    }

    /// Returns the content of every public message in the channel.
    pub(super) fn posts(&self) -> Vec<String> {
        self.discord.state.read(|state| state.posts(self.place.channel.0).iter().map(|m| m.content.clone()).collect())
    }

    /// Returns the content of the answer to an interaction.
    pub(super) fn answer_to(&self, interaction: &InteractionHandle) -> String {
        self.discord.state.read(|state| {
            let original = state.interactions[&interaction.id.0].original.unwrap();
            state.messages[&original].content.clone()
        })
    }

    /// Adds a post to the channel; returns its id.
    pub(super) fn add_post(&self, author: Option<PlayerId>, change: impl FnOnce(&mut Message)) -> Id {
        self.discord.state.update(|state| {
            let (id, sent) = (state.new_id(), state.now());
            let author = author.map_or(state.bot, |player| player.0);
            let mut post = Message::plain(id, self.place.channel.0, author, "text", sent);
            change(&mut post);
            state.add_message(post);
            id
        })
    }
}

/// Makes a client that cannot reach Discord.
pub(super) fn offline_client() -> RestClient {
    // Nothing listens there.
    let endpoint = Endpoint { api: Some(String::from("http://127.0.0.1:9")), ..Endpoint::default() };
    RestClient::new(&Secret::new("token"), &endpoint).unwrap()
}

/// Starts a game, and returns it with the message about its first board.
pub(super) fn start_game(app: &App, place: Place) -> (GameId, OutboxMessage) {
    start_game_at(app, place, app.now())
}

/// Starts a game at a time, and returns it with the message about its first board.
pub(super) fn start_game_at(app: &App, place: Place, now: Timestamp) -> (GameId, OutboxMessage) {
    let variant = Variant::find("brandubh").unwrap();
    let players = Players { attackers: ATTACKER, defenders: DEFENDER };
    let (layout, rules, pace) = (variant.default_layout(), variant.rules, Pace::default());
    let post = Effect::AddMessage { body: NewBody::GameBegan, place, ping: None };
    let start = Effect::BeginGame(GameTerms { variant, layout, rules, players, pace, place });
    let commit = Commit { request: None, effects: vec![start, post], now };
    let committed = app.store().commit(commit).unwrap();
    let message = app.store().session().unwrap().message(committed.messages[0].id).unwrap().unwrap();
    (committed.game.unwrap(), message)
}

/// A move that the attackers can begin with.
pub(super) fn first_move(game: GameId) -> Command {
    let game_command = GameCommand::Move { typed: String::from("d2-c2"), confirmed: false };
    Command::InGame { game: Some(game), version: None, game_command }
}

/// What the bot reads from an interaction of the attacker.
pub(super) fn incoming(id: RequestId, application: u64, place: Place, command: Command, source: Source) -> Incoming {
    let name = String::from("Anna");
    Incoming {
        interaction: InteractionHandle { id, player: ATTACKER, application, token: token_of(id.0) },
        person: Person { id: ATTACKER, name, is_bot: false, can_see_channel: true },
        place,
        permissions: BotPermissions::ALL,
        source,
        kind: IncomingKind::Command(command),
    }
}

/// A file with this name.
pub(super) fn picture(name: &str) -> Attachment {
    let kind = String::from("image/png");
    Attachment { id: 1, name: name.to_owned(), description: None, kind, bytes: Vec::new() }
}

fn token_of(interaction: u64) -> String {
    format!("token-{interaction}")
}
