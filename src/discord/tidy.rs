//! Former posts lose their buttons: after the new one stands, so that an archived thread is open again by then.

use super::Bot;
use super::letter::{Letter, allowed_mentions};
use super::wire::Trouble;
use crate::game::Rights;
use crate::store::{Post, StoreError};
use reqwest::Method;
use serde_json::{Value, json};
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
        // What is not named here stays, such as the picture.
        let mut bare = json!({ "components": [], "allowed_mentions": allowed_mentions(&[]) });
        let closed = self.blocking(move |bot| bot.closed_challenge(post)).await.unwrap_or_else(|problem| {
            error!(%problem, "it cannot be read what became of a challenge");
            None
        });
        if let Some(closed) = &closed {
            bare["content"] = json!(closed.beside_picture);
        }
        loop {
            match self.wire.call(Method::PATCH, &path, Some(&bare), &[], LIMIT).await {
                Ok(message) => match closed.as_ref().filter(|closed| closed.lacks_board(&message, &bare)) {
                    Some(closed) => bare["content"] = json!(closed.with_board),
                    None => break,
                },
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

    /// Writes what became of the challenge that a post shows, if it shows one.
    fn closed_challenge(&self, post: Post) -> Result<Option<Closed>, StoreError> {
        let Some(challenge) = post.challenge else { return Ok(None) };
        let Some(mut shown) = self.app.closed_challenge(challenge, &self.voice)? else { return Ok(None) };
        let written_out = Letter::write(&shown, &self.renderer, Rights { attach: false, ..Rights::ALL });
        shown.board = None;
        let text = Letter::write(&shown, &self.renderer, Rights::ALL);
        let [beside_picture, with_board] = [text, written_out].map(|letter| letter.content().to_owned());
        Ok(Some(Closed { beside_picture, with_board }))
    }
}

/// What the post of a closed challenge says.
struct Closed {
    beside_picture: String,
    /// The same where the board was written out because there could be no picture.
    with_board: String,
}

impl Closed {
    /// Tells whether a post that was changed had no picture, so that its board is gone with the former text.
    fn lacks_board(&self, message: &Value, said: &Value) -> bool {
        let no_picture = message["attachments"].as_array().is_some_and(Vec::is_empty);
        no_picture && said["content"] == json!(self.beside_picture)
    }
}
