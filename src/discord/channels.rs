//! Places come and go: channels and threads are deleted or archived, servers show the bot the door.

use super::Bot;
use reqwest::Method;
use serde_json::json;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tracing::{debug, error, info};

const LIMIT: Duration = Duration::from_secs(10);

/// Discord's number for a channel or thread that was deleted.
pub(super) const UNKNOWN_CHANNEL: i64 = 10003;

impl Bot {
    /// Notes that a channel, thread or server is gone: nobody loses on time there.
    pub(super) async fn lose_place(self: &Arc<Self>, id: u64) {
        info!(place = id, "a place is gone");
        if let Err(problem) = self.blocking(move |bot| bot.app.store().place_is_gone(id, bot.app.now())).await {
            error!(%problem, "it cannot be noted that a place is gone");
        }
    }

    /// Notes that a channel, thread or server is there.
    pub(super) async fn find_place(self: &Arc<Self>, id: u64) {
        match self.blocking(move |bot| bot.app.store().place_is_back(id, bot.app.now())).await {
            Ok(false) => {}
            // What waited for it can be posted.
            Ok(true) => self.outbox.nudge(),
            Err(problem) => error!(%problem, "it cannot be noted that a place is there again"),
        }
    }

    /// Looks whether the bot is still in the servers where games go on; it may have been shown the door while nobody
    /// listened. Each connection to Discord has its own share of all servers.
    pub(super) async fn look_for_servers(self: &Arc<Self>, inside: &HashSet<u64>, share: impl Fn(u64) -> bool) {
        let played = self.blocking(|bot| bot.app.store().servers_of_games()).await.unwrap_or_else(|problem| {
            error!(%problem, "it cannot be read where games are played");
            Vec::new()
        });
        for server in played.into_iter().filter(|server| share(*server) && !inside.contains(server)) {
            self.lose_place(server).await;
        }
    }

    /// Looks whether the places of the games in a server are still there, some of which may have gone while nobody
    /// listened; these are there for certain.
    pub(super) async fn look_for_places(self: &Arc<Self>, server: u64, there: &HashSet<u64>) {
        let played = self.blocking(move |bot| bot.app.store().places_of_games(server)).await;
        let played = played.unwrap_or_else(|problem| {
            error!(%problem, "it cannot be read where games are played");
            Vec::new()
        });
        for place in played {
            if there.contains(&place) {
                self.find_place(place).await;
                continue;
            }
            // Discord names neither archived threads nor all that the bot may not see: only an answer tells.
            match self.rest.get(&format!("/channels/{place}"), LIMIT).await {
                Ok(found) => {
                    self.find_place(place).await;
                    let thread = &found["thread_metadata"];
                    if thread["archived"] == true && thread["locked"] != true {
                        self.reopen(place).await;
                    }
                }
                Err(error) if error.code() == UNKNOWN_CHANNEL => self.lose_place(place).await,
                Err(error) => debug!(place, %error, "it stays unknown whether a place is there"),
            }
        }
    }

    /// Opens a thread again in which a game goes on: commands and buttons do not work in an archived one.
    pub(super) async fn reopen(self: &Arc<Self>, thread: u64) {
        let playing = self.blocking(move |bot| bot.app.store().games_in_thread(thread)).await;
        if !playing.is_ok_and(|games| games > 0) {
            return;
        }
        let path = format!("/channels/{thread}");
        let open = json!({ "archived": false });
        match self.rest.call(Method::PATCH, &path, Some(&open), &[], LIMIT).await {
            Ok(_) => debug!(thread, "a thread is open again"),
            // The next post opens it.
            Err(error) => debug!(thread, %error, "a thread stays archived"),
        }
    }
}
