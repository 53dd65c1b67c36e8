//! Former posts lose their buttons: after the new one stands, so that an archived thread is open again by then.

use super::Bot;
use super::letter::allowed_mentions;
use super::wire::Trouble;
use crate::store::Post;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tracing::{debug, error};

const BATCH: u32 = 50;
const LIMIT: Duration = Duration::from_secs(10);
const LATER: Duration = Duration::from_secs(60);

impl Bot {
    /// Takes the buttons off former posts, for ever.
    pub(super) async fn tidy_up(self: Arc<Self>) {
        loop {
            let stale = self.blocking(|bot| bot.app.store().stale_posts(BATCH)).await.unwrap_or_else(|problem| {
                error!(%problem, "it cannot be read which posts are old");
                Vec::new()
            });
            let more = stale.len() == BATCH as usize;
            let mut all_done = true;
            for post in stale {
                all_done &= self.take_buttons_off(post).await;
            }
            if !(more && all_done) {
                // What did not work is tried again after a while, or when there is more to do.
                let _ = tokio::time::timeout(LATER, self.tidy.notified()).await;
            }
        }
    }

    async fn take_buttons_off(self: &Arc<Self>, post: Post) -> bool {
        let path = format!("/channels/{}/messages/{}", post.channel, post.message);
        let bare = json!({ "components": [], "allowed_mentions": allowed_mentions(None) });
        loop {
            match self.wire.call(Method::PATCH, &path, Some(&bare), &[], LIMIT).await {
                Ok(_) => break,
                Err(Trouble::TooFast { wait }) => tokio::time::sleep(wait).await,
                // Deleted, or out of reach: then nobody can press its buttons, or they are refused.
                Err(trouble @ Trouble::Refused { .. }) => {
                    debug!(post = post.message, %trouble, "a post stays as it is");
                    break;
                }
                Err(trouble) => {
                    debug!(post = post.message, %trouble, "a post keeps its buttons for now");
                    return false;
                }
            }
        }
        match self.blocking(move |bot| bot.app.store().forget_post(post.owed)).await {
            Ok(()) => true,
            Err(problem) => {
                error!(%problem, "it cannot be noted that a post has no buttons any more");
                false
            }
        }
    }
}
