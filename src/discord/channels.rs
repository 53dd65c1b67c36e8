//! Follows which channels, threads and servers exist: games in one that is gone have no running clocks.

use super::app_handle::AppHandle;
use super::outbox::claims::Claims;
use super::rest::{BACKGROUND_TIMEOUT, Call, RestClient, Route, code};
use crate::game::{ChannelId, PlaceLogFields, PlacePart, ServerId};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tokio::sync::{Mutex, mpsc};
use tracing::{debug, error, info};

/// What Discord reports about places.
#[derive(Debug)]
pub(super) enum PlaceEvent {
    /// A channel, thread or server is gone.
    Gone(PlacePart),
    /// A server is available, with these channels and threads.
    Available { server: ServerId, listed: HashSet<ChannelId> },
    /// A shard is connected; the bot is in these of the shard's servers.
    Connected { joined: HashSet<ServerId>, shard: u64, shards: u64 },
}

/// Tells the store which places of games are gone or back.
pub(super) struct ChannelWatcher {
    app: AppHandle,
    rest: RestClient,
    claims: Arc<Claims>,
    /// Locked while recording whether a place is gone, so that older news never overwrites newer.
    checks: Mutex<Checks>,
}

/// The places that Discord is being asked about. Its answer takes a while, and by then something newer may be known.
#[derive(Default)]
struct Checks {
    /// How many checks have begun.
    begun: u64,
    /// The newest unanswered check of each place, unless something newer is known about the place.
    open: HashMap<PlacePart, u64>,
}

impl Checks {
    /// Begins to check some places; returns the number of the check.
    fn begin(&mut self, parts: &[PlacePart]) -> u64 {
        self.begun += 1;
        self.open.extend(parts.iter().map(|part| (*part, self.begun)));
        self.begun
    }

    /// Returns whether what a check will find is still the newest that is known about a place.
    fn is_open(&self, check: u64, part: PlacePart) -> bool {
        self.open.get(&part) == Some(&check)
    }

    /// Ends a check of a place; returns whether what it has found is the newest that is known about the place.
    fn finish(&mut self, check: u64, part: PlacePart) -> bool {
        let open = self.is_open(check, part);
        if open {
            self.open.remove(&part);
        }
        open
    }

    /// Ends every check of a place, because something newer is known about it.
    fn end(&mut self, part: PlacePart) {
        self.open.remove(&part);
    }
}

impl ChannelWatcher {
    pub(super) fn new(app: AppHandle, rest: RestClient, claims: Arc<Claims>) -> Self {
        Self { app, rest, claims, checks: Mutex::default() }
    }

    /// Handles events about places forever, and in order: a server that the bot leaves and joins again must not be
    /// recorded as gone because its events were handled in the wrong order.
    pub(super) async fn run(self: Arc<Self>, mut events: mpsc::UnboundedReceiver<PlaceEvent>) {
        while let Some(event) = events.recv().await {
            match event {
                PlaceEvent::Gone(part) => self.place_is_gone(part).await,
                PlaceEvent::Connected { joined, shard, shards } => {
                    self.check_servers(&joined, move |server| (server.0 >> 22) % shards == shard).await;
                }
                PlaceEvent::Available { server, listed } => {
                    self.place_exists(PlacePart::Server(server)).await;
                    let (check, unlisted) = self.handle_listed(server, &listed).await;
                    // This asks Discord, which may take a while.
                    let watcher = Arc::clone(&self);
                    tokio::spawn(async move { watcher.check_unlisted(check, unlisted).await });
                }
            }
        }
    }

    /// Records that a channel, thread or server is gone.
    pub(super) async fn place_is_gone(&self, part: PlacePart) {
        let mut checks = self.checks.lock().await;
        checks.end(part);
        self.record_gone(part).await;
    }

    /// Records that a channel, thread or server exists. If it was gone, messages that waited for it are posted.
    pub(super) async fn place_exists(&self, part: PlacePart) {
        let mut checks = self.checks.lock().await;
        checks.end(part);
        self.record_back(part).await;
    }

    /// Records what a check has found, unless something newer is known about the place.
    async fn record_checked(&self, check: u64, part: PlacePart, exists: bool) {
        let mut checks = self.checks.lock().await;
        if !checks.finish(check, part) {
            debug!(
                channel = part.number(),
                exists, "something newer is known about the channel, ignoring what the check found"
            );
            return;
        }
        if exists { self.record_back(part).await } else { self.record_gone(part).await }
    }

    async fn record_gone(&self, part: PlacePart) {
        let (PlaceLogFields { server, channel }, kind) = (part.log_fields(), part.kind());
        let mark = self.app.run(move |app| {
            let is_new = app.store().mark_gone(part, app.now())?;
            Ok(if is_new { Some(app.store().session()?.has_running_games(part)?) } else { None })
        });
        match mark.await {
            Ok(Some(true)) => info!(server, channel, "{kind} is gone, the clocks of its games stop"),
            Ok(Some(false)) => debug!(server, channel, "{kind} is gone, no game runs there"),
            // Discord reports it more than once: as an event, and when the bot posts there or asks about it.
            Ok(None) => {}
            Err(error) => {
                error!(server, channel, %error, "cannot save that a {kind} is gone, the clocks of its games run on until the next check");
            }
        }
    }

    async fn record_back(&self, part: PlacePart) {
        let (PlaceLogFields { server, channel }, kind) = (part.log_fields(), part.kind());
        match self.app.run(move |app| app.store().mark_back(part, app.now())).await {
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

    /// Records which servers with games the bot is not in any more: it may have been removed while it was not
    /// connected. Each shard knows its own share of the servers.
    pub(super) async fn check_servers(&self, joined: &HashSet<ServerId>, in_shard: impl Fn(ServerId) -> bool) {
        let servers = self.app.run(|app| app.store().session()?.servers_of_games()).await.unwrap_or_else(|error| {
            error!(%error, "the servers of games cannot be read, checking them at the next connection");
            Vec::new()
        });
        for server in servers.into_iter().filter(|server| in_shard(*server) && !joined.contains(server)) {
            self.place_is_gone(PlacePart::Server(server)).await;
        }
    }

    /// Records that the listed channels and threads of a server's games exist. Begins a check of the others, some of
    /// which may have been deleted while the bot was not connected; returns the number of the check, and those others.
    async fn handle_listed(&self, server: ServerId, listed: &HashSet<ChannelId>) -> (u64, Vec<PlacePart>) {
        let channels =
            self.app.run(move |app| app.store().session()?.channels_of_games(server)).await.unwrap_or_else(|error| {
                error!(server = server.0, %error, "the channels of games cannot be read, checking them when the server is available again");
                Vec::new()
            });
        let is_listed = |part: &PlacePart| listed.contains(&ChannelId(part.number()));
        let (listed, unlisted): (Vec<_>, Vec<_>) = channels.into_iter().partition(is_listed);
        for part in listed {
            self.place_exists(part).await;
        }
        (self.checks.lock().await.begin(&unlisted), unlisted)
    }

    /// Asks Discord whether channels and threads exist that it has not listed: archived threads, channels that the bot
    /// cannot see, and those that are gone.
    async fn check_unlisted(&self, check: u64, unlisted: Vec<PlacePart>) {
        for part in unlisted {
            let channel = ChannelId(part.number());
            if !self.checks.lock().await.is_open(check, part) {
                continue;
            }
            match self.rest.get(Route::GetChannel { channel }, BACKGROUND_TIMEOUT).await {
                Ok(found) => {
                    self.record_checked(check, part, true).await;
                    let thread = &found["thread_metadata"];
                    if thread["archived"] == true && thread["locked"] != true {
                        self.reopen_thread(channel).await;
                    }
                }
                Err(error) if error.code() == code::UNKNOWN_CHANNEL => self.record_checked(check, part, false).await,
                Err(error) => {
                    self.checks.lock().await.finish(check, part);
                    debug!(channel = channel.0, %error, "cannot find out whether the channel exists, leaving it as it is");
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
    use crate::discord::wait_until;
    use crate::game::Place;
    use fake_discord::WAIT_LIMIT;
    use fake_discord::rest::Failure;
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

        /// Starts a game in a new channel; returns where.
        fn start_game_in_channel(&self, name: &str) -> Place {
            let place = Place { channel: ChannelId(self.discord.create_channel(name)), ..self.place };
            start_game(self.test.handle.app(), place);
            place
        }

        /// Checks the channels of all games, of which Discord has listed none.
        async fn check_channels(&self) {
            let channels = &self.bot.channels;
            let (check, unlisted) = channels.handle_listed(self.place.server.unwrap(), &HashSet::new()).await;
            channels.check_unlisted(check, unlisted).await;
        }

        /// Reports the server as available with some channels, and deletes a channel as soon as Discord is asked about
        /// an unlisted one. Returns when the check has ended.
        async fn delete_during_check(&self, listed: &[Place], deleted: Place, failure: Failure) {
            let (places, events) = mpsc::unbounded_channel();
            let holders = Arc::strong_count(&self.bot.channels);
            self.discord.fail_next("GET /channels/*", 1, failure);
            let listed = listed.iter().map(|place| place.channel).collect();
            places.send(PlaceEvent::Available { server: self.place.server.unwrap(), listed }).unwrap();
            let running = tokio::spawn(Arc::clone(&self.bot.channels).run(events));
            self.discord.wait_until_held(1).await;
            self.discord.delete_channel(deleted.channel.0);
            places.send(PlaceEvent::Gone(PlacePart::Channel(deleted.channel))).unwrap();
            drop(places);
            running.await.unwrap();
            assert!(self.is_gone(deleted));
            self.discord.clear_failures();
            let has_ended = || Arc::strong_count(&self.bot.channels) == holders;
            assert!(wait_until(WAIT_LIMIT, has_ended).await, "the check does not end");
        }
    }

    #[tokio::test]
    async fn a_server_that_the_bot_leaves_and_joins_is_recorded_in_order() {
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
        let [deleted, hidden] = ["deleted", "hidden"].map(|name| test.start_game_in_channel(name));
        test.discord.delete_channel(deleted.channel.0);
        test.discord.deny_bot(hidden.channel.0, permissions::VIEW);
        test.check_channels().await;
        assert!(test.is_gone(deleted) && !test.is_gone(hidden));
    }

    #[tokio::test]
    async fn a_channel_that_is_deleted_during_a_check_is_gone_whether_it_was_listed_or_not() {
        let test = TestBot::start().await;
        let [unlisted, listed] = ["unlisted", "listed"].map(|name| test.start_game_in_channel(name));
        // Discord is asked about the unlisted one first.
        assert!(unlisted.channel < listed.channel);
        test.delete_during_check(&[listed], listed, Failure::Hold).await;
        assert!(test.is_gone(listed) && !test.is_gone(unlisted));
        // Discord finds the channel, but its answer arrives after the channel was deleted.
        test.delete_during_check(&[], unlisted, Failure::HoldResponse).await;
        assert!(test.is_gone(unlisted));
    }

    #[test]
    fn what_an_older_check_finds_is_out_of_date_once_a_newer_one_has_begun() {
        let (mut checks, place) = (Checks::default(), PlacePart::Channel(ChannelId(1)));
        let older = checks.begin(&[place]);
        checks.end(place);
        assert!(!checks.is_open(older, place));
        let newer = checks.begin(&[place]);
        assert!(!checks.finish(older, place) && checks.finish(newer, place));
        assert!(checks.open.is_empty(), "nothing is kept");
    }

    #[tokio::test]
    async fn an_archived_thread_is_reopened_if_a_game_runs_in_it_and_nobody_has_locked_it() {
        let test = TestBot::start().await;
        let [open, locked] = [(); 2].map(|()| test.start_game_in_archived_thread().thread.unwrap());
        test.discord.state.update(|state| state.channels.get_mut(&locked.0).unwrap().locked = true);
        let unused = ChannelId(test.discord.create_thread("talk"));
        test.discord.archive_thread(unused.0);
        test.check_channels().await;
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
