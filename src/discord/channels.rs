//! Follows which channels, threads and servers exist: games in one that is gone have no running clocks.

use super::app_handle::AppHandle;
use super::outbox::claims::Claims;
use super::rest::{BACKGROUND_TIMEOUT, Call, RestClient, Route, code};
use crate::game::{ChannelId, PlaceLogFields, PlacePart, ServerId};
use serde_json::json;
use std::collections::HashSet;
use std::sync::Arc;
use tokio::sync::mpsc;
use tracing::{debug, error, info};

/// What Discord tells about places.
#[derive(Debug)]
pub(super) enum PlaceEvent {
    /// A channel, thread or server is gone.
    Gone(PlacePart),
    /// A server is available, with these channels and threads.
    Available { server: ServerId, listed: HashSet<ChannelId> },
    /// A shard is connected, and is in these servers of its share.
    Connected { joined: HashSet<ServerId>, shard: u64, shards: u64 },
}

/// Tells the store which places of games are gone or back.
pub(super) struct ChannelWatcher {
    app: AppHandle,
    rest: RestClient,
    claims: Arc<Claims>,
}

impl ChannelWatcher {
    pub(super) const fn new(app: AppHandle, rest: RestClient, claims: Arc<Claims>) -> Self {
        Self { app, rest, claims }
    }

    /// Handles events about places for ever, and in order: a server that the bot leaves and joins again must not be taken
    /// for gone because its events were handled the other way round.
    pub(super) async fn run(self: Arc<Self>, mut events: mpsc::UnboundedReceiver<PlaceEvent>) {
        while let Some(event) = events.recv().await {
            match event {
                PlaceEvent::Gone(place) => self.place_is_gone(place).await,
                PlaceEvent::Connected { joined, shard, shards } => {
                    self.check_servers(&joined, move |server| (server.0 >> 22) % shards == shard).await;
                }
                PlaceEvent::Available { server, listed } => {
                    self.place_exists(PlacePart::Server(server)).await;
                    // This asks Discord, which may take a while.
                    let watcher = Arc::clone(&self);
                    tokio::spawn(async move { watcher.check_channels(server, &listed).await });
                }
            }
        }
    }

    /// Records that a channel, thread or server is gone.
    pub(super) async fn place_is_gone(&self, place: PlacePart) {
        let (PlaceLogFields { server, channel }, kind) = (place.log_fields(), place.kind());
        let mark = self.app.run(move |app| {
            let is_new = app.store().mark_gone(place, app.now())?;
            Ok(if is_new { Some(app.store().session()?.has_running_games(place)?) } else { None })
        });
        match mark.await {
            Ok(Some(true)) => info!(server, channel, "{kind} is gone, the clocks of its games stop"),
            Ok(Some(false)) => debug!(server, channel, "{kind} is gone, no game runs there"),
            // Discord tells of it more than once: as an event, and when the bot posts there or looks for it.
            Ok(None) => {}
            Err(error) => {
                error!(server, channel, %error, "cannot save that a {kind} is gone, the clocks of its games run on until the next check");
            }
        }
    }

    /// Records that a channel, thread or server exists. If it was gone, messages that waited for it are posted.
    pub(super) async fn place_exists(&self, place: PlacePart) {
        let (PlaceLogFields { server, channel }, kind) = (place.log_fields(), place.kind());
        match self.app.run(move |app| app.store().mark_back(place, app.now())).await {
            Ok(true) => {
                info!(server, channel, "{kind} is back, the clocks of its games restart and what waited is posted");
                self.claims.wake();
            }
            Ok(false) => {}
            Err(error) => {
                error!(server, channel, %error, "cannot save that a {kind} is back, its games wait until a player uses a command there");
            }
        }
    }

    /// Records which servers of games the bot is not in any more: it may have been removed while it was not connected. Each
    /// shard knows its own share of the servers.
    pub(super) async fn check_servers(&self, joined: &HashSet<ServerId>, in_shard: impl Fn(ServerId) -> bool) {
        let servers = self.app.run(|app| app.store().session()?.servers_of_games()).await.unwrap_or_else(|error| {
            error!(%error, "the servers of games cannot be read, checking them at the next connection");
            Vec::new()
        });
        for server in servers.into_iter().filter(|server| in_shard(*server) && !joined.contains(server)) {
            self.place_is_gone(PlacePart::Server(server)).await;
        }
    }

    /// Checks that the channels and threads of a server's games exist: some may have been deleted while the bot was not
    /// connected. `listed` are those that Discord has named.
    pub(super) async fn check_channels(&self, server: ServerId, listed: &HashSet<ChannelId>) {
        let channels =
            self.app.run(move |app| app.store().session()?.channels_of_games(server)).await.unwrap_or_else(|error| {
                error!(server = server.0, %error, "the channels of games cannot be read, checking them when the server is available again");
                Vec::new()
            });
        for place in channels {
            let channel = ChannelId(place.number());
            if listed.contains(&channel) {
                self.place_exists(place).await;
                continue;
            }
            // Archived threads and channels that the bot cannot see are not listed.
            match self.rest.get(Route::GetChannel { channel }, BACKGROUND_TIMEOUT).await {
                Ok(found) => {
                    self.place_exists(place).await;
                    let thread = &found["thread_metadata"];
                    if thread["archived"] == true && thread["locked"] != true {
                        self.reopen_thread(channel).await;
                    }
                }
                Err(error) if error.code() == code::UNKNOWN_CHANNEL => self.place_is_gone(place).await,
                Err(error) => {
                    debug!(channel = channel.0, %error, "cannot find out whether the channel exists, leaving it as it is")
                }
            }
        }
    }

    /// Reopens an archived thread if a game runs in it: commands and buttons do not work in an archived one.
    pub(super) async fn reopen_thread(&self, thread: ChannelId) {
        let games = self.app.run(move |app| app.store().session()?.games_in_thread(thread)).await;
        if !games.is_ok_and(|games| games > 0) {
            return;
        }
        let open = json!({ "archived": false });
        match self.rest.send(Call::with_body(Route::EditChannel { channel: thread }, &open), BACKGROUND_TIMEOUT).await {
            Ok(_) => debug!(channel = thread.0, "archived thread reopened"),
            Err(error) => debug!(channel = thread.0, %error, "thread stays archived until the next post"),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::discord::test_bot::{TestBot, start_game};
    use crate::discord::test_log::collect_lines;
    use crate::game::Place;
    use fake_discord::WAIT_LIMIT;
    use fake_discord::state::permissions;
    use std::time::Duration;

    impl TestBot {
        fn is_gone(&self, place: Place) -> bool {
            self.store().session().unwrap().is_gone(place).unwrap()
        }

        /// Starts a game in a new thread, which is archived; returns where.
        fn start_game_in_archived_thread(&self) -> Place {
            let thread = self.discord.create_thread("game");
            self.discord.archive_thread(thread);
            let place = Place { thread: Some(ChannelId(thread)), ..self.place };
            start_game(self.test.handle.app(), place);
            place
        }

        fn is_archived(&self, thread: ChannelId) -> bool {
            self.discord.state.read(|state| state.channels[&thread.0].archived)
        }
    }

    #[tokio::test]
    async fn a_server_that_the_bot_leaves_and_joins_is_noted_in_order() {
        let test = TestBot::start().await;
        test.start_game();
        let server = test.place.server.unwrap();
        let gone = || PlaceEvent::Gone(PlacePart::Server(server));
        let back = || PlaceEvent::Available { server, listed: HashSet::from([test.place.channel]) };
        for (told, is_gone) in [(vec![gone(), back()], false), (vec![gone(), gone(), back(), gone()], true)] {
            let (places, events) = mpsc::unbounded_channel();
            let (lines, logging) = collect_lines();
            told.into_iter().for_each(|event| places.send(event).unwrap());
            drop(places);
            Arc::clone(&test.bot.channels).run(events).await;
            drop(logging);
            assert_eq!(test.is_gone(test.place), is_gone);
            let told: Vec<String> = lines.lock().unwrap().iter().filter(|l| l.starts_with("server")).cloned().collect();
            let gone = "server is gone, the clocks of its games stop";
            let back = "server is back, the clocks of its games restart and what waited is posted";
            // Nothing is logged twice, although Discord tells it twice.
            assert_eq!(told, if is_gone { vec![gone, back, gone] } else { vec![gone, back] });
        }
    }

    #[tokio::test]
    async fn the_worker_is_woken_when_a_place_is_back() {
        let test = TestBot::start().await;
        let (channel, channels) = (PlacePart::Channel(test.place.channel), &test.bot.channels);
        channels.place_is_gone(channel).await;
        channels.place_exists(channel).await;
        let woken = tokio::time::timeout(WAIT_LIMIT, test.bot.claims.wait_for_work(Duration::MAX)).await;
        assert!(woken.is_ok());
    }

    #[tokio::test]
    async fn a_channel_that_was_deleted_unnoticed_is_gone_and_a_hidden_one_is_not() {
        let test = TestBot::start().await;
        let [deleted, hidden] = ["deleted", "hidden"].map(|name| {
            let place = Place { channel: ChannelId(test.discord.create_channel(name)), ..test.place };
            start_game(test.test.handle.app(), place);
            place
        });
        test.discord.delete_channel(deleted.channel.0);
        test.discord.deny_bot(hidden.channel.0, permissions::VIEW);
        test.bot.channels.check_channels(test.place.server.unwrap(), &HashSet::new()).await;
        assert!(test.is_gone(deleted) && !test.is_gone(hidden));
    }

    #[tokio::test]
    async fn an_archived_thread_is_reopened_if_a_game_runs_in_it_and_nobody_has_locked_it() {
        let test = TestBot::start().await;
        let [open, locked] = [(); 2].map(|()| test.start_game_in_archived_thread().thread.unwrap());
        test.discord.state.update(|state| state.channels.get_mut(&locked.0).unwrap().locked = true);
        let unused = ChannelId(test.discord.create_thread("talk"));
        test.discord.archive_thread(unused.0);
        test.bot.channels.check_channels(test.place.server.unwrap(), &HashSet::new()).await;
        test.bot.channels.reopen_thread(unused).await;
        assert_eq!([open, locked, unused].map(|thread| test.is_archived(thread)), [false, true, true]);
    }

    #[tokio::test]
    async fn a_shard_says_nothing_about_the_servers_of_others() {
        let test = TestBot::start().await;
        let [ours, left, of_others] = [2, 4, 5].map(|number| {
            let place = Place { server: Some(ServerId(number << 22)), ..test.place };
            start_game(test.test.handle.app(), place);
            place
        });
        let (places, events) = mpsc::unbounded_channel();
        let joined = HashSet::from([ours.server.unwrap()]);
        places.send(PlaceEvent::Connected { joined, shard: 0, shards: 2 }).unwrap();
        drop(places);
        Arc::clone(&test.bot.channels).run(events).await;
        assert_eq!([ours, left, of_others].map(|place| test.is_gone(place)), [false, true, false]);
    }
}
