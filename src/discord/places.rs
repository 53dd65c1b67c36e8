//! Places come and go: channels and threads are deleted or archived, servers show the bot the door.

use super::Bot;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tracing::{debug, error, info};

const LIMIT: Duration = Duration::from_secs(10);

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
        if let Err(problem) = self.blocking(move |bot| bot.app.store().place_is_back(id)).await {
            error!(%problem, "it cannot be noted that a place is there again");
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
        match self.wire.call(Method::PATCH, &path, Some(&open), &[], LIMIT).await {
            Ok(_) => debug!(thread, "a thread is open again"),
            // The next post opens it.
            Err(trouble) => debug!(thread, %trouble, "a thread stays archived"),
        }
    }
}
