//! Follows which channels, threads and servers exist: games in one that is gone have no running clocks.

use super::app_handle::AppHandle;
use super::outbox::claims::Claims;
use super::rest::{Call, RestClient, Route, TIMEOUT, code};
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
            match self.rest.get(Route::GetChannel { channel }, TIMEOUT).await {
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
        match self.rest.send(Call::with_body(Route::EditChannel { channel: thread }, &open), TIMEOUT).await {
            Ok(_) => debug!(channel = thread.0, "archived thread reopened"),
            Err(error) => debug!(channel = thread.0, %error, "thread stays archived until the next post"),
        }
    }
}
