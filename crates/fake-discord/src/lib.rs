//! A Discord server for tests: REST and gateway on the loopback address, users who act on it, and failures on demand.
//!
//! | question | file |
//! |---|---|
//! | What exists on the server? | [`state`] |
//! | Which REST routes are there, and how can they fail? | [`rest`] |
//! | Which messages and commands does Discord reject? | [`validation`] |
//! | What is the bot told over the gateway? | [`gateway`] |
//! | What can users do and see? | [`client`] |
//! | How do HTTP requests get in, and how are connections cut? | `server`, `connection` |
//!
//! The crate knows nothing about the bot under test. See the README for an example.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on panics")]

pub mod client;
mod connection;
pub mod gateway;
pub mod rest;
mod server;
pub mod state;
pub mod validation;

use client::{Person, Post};
use connection::{ConnectionCutter, CuttableListener};
use gateway::Frame;
use rest::{Failure, FailureRule, PostLimit, RandomFailures, RecordedRequest};
use serde_json::json;
use state::{DiscordState, Id, Member, Message, permissions};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// The longest wait for anything that has to happen. Only a broken program reaches it, however busy the machine is.
pub const WAIT_LIMIT: Duration = Duration::from_secs(120);

/// The time that the real Discord gives a bot for its first response to an interaction.
pub const REAL_RESPONSE_DEADLINE: Duration = Duration::from_secs(3);

/// The state, and a counter for those who wait for it to change.
pub struct SharedState {
    state: Mutex<DiscordState>,
    changed: watch::Sender<u64>,
}

impl SharedState {
    /// Reads the state.
    pub fn read<T>(&self, see: impl FnOnce(&DiscordState) -> T) -> T {
        see(&self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the state and wakes those who wait.
    pub fn update<T>(&self, change: impl FnOnce(&mut DiscordState) -> T) -> T {
        let changed = change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.send_modify(|times| *times += 1);
        changed
    }

    /// Waits until `see` returns something.
    pub(crate) async fn wait<T>(&self, see: impl Fn(&DiscordState) -> Option<T>) -> T {
        let mut changed = self.changed.subscribe();
        loop {
            changed.borrow_and_update();
            if let Some(seen) = self.read(&see) {
                return seen;
            }
            let _ = changed.changed().await;
        }
    }
}

/// The fake Discord, seen from one server with one channel that the bot is in. Clones share their state.
#[derive(Clone)]
pub struct FakeDiscord {
    pub state: Arc<SharedState>,
    pub server: Id,
    pub channel: Id,
}

impl FakeDiscord {
    /// Starts listening on a free port, until the runtime ends.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut state = DiscordState::new(listener.local_addr().unwrap().to_string());
        let (server, channel) = state.add_server("Asgard");
        let state = Arc::new(SharedState { state: Mutex::new(state), changed: watch::channel(0).0 });
        let service = server::router(Arc::clone(&state)).into_make_service_with_connect_info::<ConnectionCutter>();
        tokio::spawn(async move { axum::serve(CuttableListener(listener), service).await });
        Self { state, server, channel }
    }

    /// Adds another server with one channel, invites the bot, and returns the same Discord seen from there.
    pub fn another_server(&self, name: &str) -> Self {
        let (server, channel) = self.state.update(|state| {
            let (server, channel) = state.add_server(name);
            let shown = state.guild_json(&state.guilds[&server], true);
            state.dispatch("GUILD_CREATE", Some(server), &shown);
            (server, channel)
        });
        Self { state: Arc::clone(&self.state), server, channel }
    }

    /// Returns the base address for REST.
    pub fn base(&self) -> String {
        format!("http://{}", self.state.read(|state| state.address.clone()))
    }

    /// Adds a user who is a member of the server.
    pub fn add_user(&self, name: &str) -> Person {
        let id = self.state.update(|state| state.add_user(name, false));
        self.add_member(id)
    }

    /// Makes a user who exists already a member of this server.
    pub fn add_member(&self, id: Id) -> Person {
        let member = Member { nick: None, permissions: permissions::MEMBER };
        self.state.update(|state| state.guilds.get_mut(&self.server).unwrap().members.insert(id, member));
        Person::new(self.clone(), id, self.channel)
    }

    /// Adds a text channel to the server.
    pub fn create_channel(&self, name: &str) -> Id {
        self.state.update(|state| {
            let id = state.add_channel(Some(self.server), state::TEXT, name);
            let shown = state.channel_json(&state.channels[&id]);
            state.dispatch("CHANNEL_CREATE", Some(self.server), &shown);
            id
        })
    }

    /// Adds a thread to the server's channel. It is archived after a day without messages.
    pub fn create_thread(&self, name: &str) -> Id {
        self.state.update(|state| {
            let id = state.add_channel(Some(self.server), state::THREAD, name);
            state.channels.get_mut(&id).unwrap().parent = Some(self.channel);
            let shown = state.channel_json(&state.channels[&id]);
            state.dispatch("THREAD_CREATE", Some(self.server), &shown);
            id
        })
    }

    /// Deletes a channel with its messages.
    pub fn delete_channel(&self, id: Id) {
        self.state.update(|state| {
            let shown = state.channel_json(&state.channels[&id]);
            state.channels.remove(&id);
            state.dispatch("CHANNEL_DELETE", Some(self.server), &shown);
        });
    }

    /// Archives a thread.
    pub fn archive_thread(&self, id: Id) {
        self.state.update(|state| {
            state.channels.get_mut(&id).unwrap().archived = true;
            let shown = state.channel_json(&state.channels[&id]);
            state.dispatch("THREAD_UPDATE", Some(self.server), &shown);
        });
    }

    /// Deletes a thread with its messages.
    pub fn delete_thread(&self, id: Id) {
        self.state.update(|state| {
            let parent = state.channels[&id].parent.map(|parent| parent.to_string());
            let (thread, guild) = (id.to_string(), self.server.to_string());
            let gone = json!({ "id": thread, "guild_id": guild, "parent_id": parent, "type": state::THREAD });
            state.channels.remove(&id);
            state.dispatch("THREAD_DELETE", Some(self.server), &gone);
        });
    }

    /// Removes the bot from the server.
    pub fn kick_bot(&self) {
        self.state.update(|state| {
            let bot = state.bot;
            state.guilds.get_mut(&self.server).unwrap().members.remove(&bot);
            state.dispatch("GUILD_DELETE", Some(self.server), &json!({ "id": self.server.to_string() }));
        });
    }

    /// Adds the bot to the server again.
    pub fn invite_bot(&self) {
        self.state.update(|state| {
            let member = Member { nick: None, permissions: permissions::BOT };
            state.guilds.get_mut(&self.server).unwrap().members.insert(state.bot, member);
            let shown = state.guild_json(&state.guilds[&self.server], true);
            state.dispatch("GUILD_CREATE", Some(self.server), &shown);
        });
    }

    /// Limits the posts in each channel, and says so in the headers as Discord does.
    pub fn limit_posts(&self, most: usize, within: Duration) {
        let limit = PostLimit { most, within, taken: Default::default() };
        self.state.update(|state| state.post_limit = Some(limit));
    }

    /// Replaces the bot's token and closes its connections.
    pub fn revoke_token(&self) {
        self.state.update(|state| state.token = String::from("MTE3NDk4NTc2MTI4MzY1NTY4MA.Newer1.than-before"));
        self.close_gateway(4004);
    }

    /// Denies the bot permissions in a channel, in addition to those that it is denied already.
    pub fn deny_bot(&self, channel: Id, denied: u64) {
        self.state.update(|state| {
            state.channels.get_mut(&channel).unwrap().denied |= denied;
            let shown = state.channel_json(&state.channels[&channel]);
            state.dispatch("CHANNEL_UPDATE", Some(self.server), &shown);
        });
    }

    /// Returns the bot all permissions in a channel again.
    pub fn allow_bot(&self, channel: Id) {
        self.state.update(|state| {
            state.channels.get_mut(&channel).unwrap().denied = 0;
            let shown = state.channel_json(&state.channels[&channel]);
            state.dispatch("CHANNEL_UPDATE", Some(self.server), &shown);
        });
    }

    /// Puts Discord's clock forward.
    pub fn advance(&self, by: Duration) {
        self.state.update(|state| state.advance(by));
    }

    /// Sets how long the bot has for its first response to an interaction that is sent from now on.
    ///
    /// At first it is a minute, so that a test does not fail because the machine is busy. Tests of what happens when the
    /// bot is too late use [`REAL_RESPONSE_DEADLINE`] or [`Self::expire_interactions`].
    pub fn set_response_deadline(&self, deadline: Duration) {
        self.state.update(|state| state.response_deadline = deadline);
    }

    /// Puts the clock forward until no interaction that was sent so far can get its first response any more.
    pub fn expire_interactions(&self) {
        self.state.update(|state| state.advance(state.response_deadline + Duration::from_secs(1)));
    }

    /// Makes the next requests to a route, such as `POST /channels/*/messages`, fail.
    pub fn fail_next(&self, route: &str, times: usize, failure: Failure) {
        self.state.update(|state| state.failure_rules.push(FailureRule { route: route.to_owned(), times, failure }));
    }

    /// Makes requests fail by chance: `choose` gets the method and the path of each.
    pub fn fail_randomly(&self, choose: impl FnMut(&str, &str) -> Option<Failure> + Send + 'static) {
        self.state.update(|state| state.random_failures = Some(RandomFailures(Box::new(choose))));
    }

    /// Ends all failures, and lets requests go on that [`Failure::Hold`] or [`Failure::HoldResponse`] holds.
    pub fn clear_failures(&self) {
        self.state.update(|state| {
            state.failure_rules.clear();
            state.random_failures = None;
            state.releases += 1;
        });
    }

    /// Waits until at least `count` requests are held by [`Failure::Hold`] or [`Failure::HoldResponse`].
    pub async fn wait_until_held(&self, count: usize) {
        self.wait_until("requests to be held", |state| (state.held_requests >= count).then_some(())).await;
    }

    /// Holds interactions back from now on.
    pub fn hold_interactions(&self) {
        self.state.update(|state| {
            state.gateway.held.get_or_insert_default();
        });
    }

    /// Delivers the interactions that were held back, the last one first.
    pub fn release_held_in_reverse(&self) {
        self.state.update(DiscordState::release_held_in_reverse);
    }

    /// Delivers the next interaction twice.
    pub fn duplicate_next_interaction(&self) {
        self.state.update(|state| state.gateway.duplicate += 1);
    }

    /// Delivers an interaction again, to the session that the bot has now.
    pub fn redeliver(&self, interaction: Id) {
        self.state.update(|state| {
            let (payload, channel) = {
                let known = &state.interactions[&interaction];
                (known.payload.clone(), known.channel)
            };
            let guild = state.channels[&channel].guild;
            state.dispatch("INTERACTION_CREATE", guild, &payload);
        });
    }

    /// Drops the bot's gateway connections without a close frame.
    pub fn cut_gateway(&self) {
        self.state.update(|state| state.gateway.send_all(|| Frame::Drop));
    }

    /// Closes the bot's gateway connections with a code.
    pub fn close_gateway(&self, code: u16) {
        self.state.update(|state| state.gateway.send_all(|| Frame::Close(code, "")));
    }

    /// Asks the bot to reconnect.
    pub fn ask_to_reconnect(&self) {
        self.state.update(|state| state.gateway.send_all(|| Frame::Payload(json!({ "op": 7, "d": null }))));
    }

    /// Tells the bot that its session is invalid.
    pub fn invalidate_session(&self, resumable: bool) {
        self.state.update(|state| state.gateway.send_all(|| Frame::Payload(json!({ "op": 9, "d": resumable }))));
    }

    /// Refuses gateway connections, or accepts them again.
    pub fn refuse_gateway(&self, refuse: bool) {
        self.state.update(|state| state.gateway.closed = refuse);
    }

    /// Waits until `see` returns something, and returns that. Panics with everything that is known after [`WAIT_LIMIT`].
    pub async fn wait_until<T>(&self, what: &str, see: impl Fn(&DiscordState) -> Option<T>) -> T {
        match tokio::time::timeout(WAIT_LIMIT, self.state.wait(&see)).await {
            Ok(seen) => seen,
            Err(_) => panic!("timed out waiting for {what}; the state:\n{}", self.state.read(DiscordState::describe)),
        }
    }

    /// Waits until a request was answered with a status such as 403.
    pub async fn wait_for_status(&self, status: u16) {
        let answered = |state: &DiscordState| state.requests.iter().any(|request| request.status == status);
        self.wait_until(&format!("a response with status {status}"), |state| answered(state).then_some(())).await;
    }

    /// Waits for the newest public post in a channel that contains some words.
    pub async fn post_saying(&self, channel: Id, words: &str) -> Post {
        let found = |state: &DiscordState| {
            let posts = state.posts(channel);
            posts.iter().rev().find(|post| post.content.contains(words)).map(|post| post.id)
        };
        let id = self.wait_until(&format!("a post that says {words:?}"), found).await;
        Post::new(self.clone(), id)
    }

    /// Returns the public posts in a channel that contain some words.
    pub fn posts_saying(&self, channel: Id, words: &str) -> Vec<Post> {
        let says = |message: &&Message| message.content.contains(words);
        let ids: Vec<Id> =
            self.state.read(|state| state.posts(channel).into_iter().filter(says).map(|m| m.id).collect());
        ids.into_iter().map(|id| Post::new(self.clone(), id)).collect()
    }

    /// Panics if a message or an edit did not say whom it may ping: then Discord pings everybody who is mentioned.
    pub fn assert_mentions_are_explicit(&self) {
        let found = self.state.read(|state| state.implicit_mentions.clone());
        assert!(found.is_empty(), "{} messages may ping anybody, such as {}", found.len(), found[0]);
    }

    /// Returns the requests to a route, such as `POST /channels/*/messages`.
    pub fn requests_to(&self, route: &str) -> Vec<RecordedRequest> {
        let rule = FailureRule { route: route.to_owned(), times: 1, failure: Failure::Close };
        let matches = |request: &&RecordedRequest| rule.matches(&request.method, &request.path);
        self.state.read(|state| state.requests.iter().filter(matches).cloned().collect())
    }
}
