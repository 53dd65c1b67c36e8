//! Former posts lose their buttons: after the new one stands, so that an archived thread is open again by then.

use super::Bot;
use super::message::{OutgoingMessage, allowed_mentions};
use super::outbox::worker::{MISSING_ACCESS, MISSING_PERMISSIONS, THREAD_IS_ARCHIVED};
use super::rest::client::RestError;
use crate::game::BotPermissions;
use crate::store::{Post, StoreError};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tracing::{debug, error};

const BATCH: u32 = 50;
const LIMIT: Duration = Duration::from_secs(10);
/// After how long it is tried again what did not work: so long at first, and then twice as long each time.
const SOON: Duration = Duration::from_secs(1);
const LATER: Duration = Duration::from_secs(60);
/// After how long it is tried again where nobody told the bot that it may.
const HIDDEN_FOR: Duration = Duration::from_secs(60 * 60);
/// Discord's numbers for what the bot may not change now.
const NOT_ALLOWED: [i64; 3] = [MISSING_ACCESS, MISSING_PERMISSIONS, THREAD_IS_ARCHIVED];
/// Its number for too many changes of messages that are older than an hour.
const TOO_MANY_OLD_ONES: i64 = 30046;

/// Channels in which the bot may not change its posts, so that they keep their buttons until it may.
#[derive(Default)]
pub(super) struct HiddenChannels {
    channels: Mutex<HashSet<u64>>,
}

impl HiddenChannels {
    fn channels(&self) -> MutexGuard<'_, HashSet<u64>> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets that a channel is hidden; tells whether it was.
    fn uncover(&self, channel: u64) -> bool {
        self.channels().remove(&channel)
    }
}

/// What became of a post that was to lose its buttons.
#[derive(PartialEq, Eq)]
enum SweepOutcome {
    Done,
    /// It is tried again soon.
    NotNow,
    /// Nothing more can be changed in its channel for so long.
    TooFast(Duration),
    /// It is tried again when the bot may.
    Forbidden,
}

impl Bot {
    /// Takes the buttons off former posts, for ever.
    pub(super) async fn tidy_up(self: Arc<Self>) {
        // How many posts stand where the bot may not change them.
        let mut skipped = 0;
        let mut looked = Instant::now();
        let mut later = SOON;
        // Where nothing more can be changed before a moment: each channel has a limit of its own.
        let mut paused: HashMap<u64, Instant> = HashMap::new();
        loop {
            if looked.elapsed() > HIDDEN_FOR {
                self.hidden.channels().clear();
                looked = Instant::now();
            }
            let limit = BATCH + skipped;
            let stale = self.blocking(move |bot| bot.app.store().stale_posts(limit)).await.unwrap_or_else(|problem| {
                error!(%problem, "it cannot be read which posts are old");
                Vec::new()
            });
            let more = stale.len() >= limit as usize;
            let mut all_done = true;
            skipped = 0;
            for post in stale {
                paused.retain(|_, end| *end > Instant::now());
                if self.hidden.channels().contains(&post.channel) || paused.contains_key(&post.channel) {
                    skipped += 1;
                    continue;
                }
                match self.take_buttons_off(post).await {
                    SweepOutcome::Done => {}
                    SweepOutcome::NotNow => all_done = false,
                    SweepOutcome::TooFast(pause) => {
                        paused.insert(post.channel, Instant::now() + pause);
                        skipped += 1;
                    }
                    SweepOutcome::Forbidden => {
                        self.hidden.channels().insert(post.channel);
                        skipped += 1;
                    }
                }
            }
            if !(more && all_done) {
                // What did not work is tried again after a while, or when there is more to do.
                let ends = paused.values().map(|end| end.saturating_duration_since(Instant::now()));
                let again = if all_done { LATER } else { later };
                later = if all_done { SOON } else { (later * 2).min(LATER) };
                let nap = ends.min().map_or(again, |end| end.min(again));
                let _ = tokio::time::timeout(nap, self.tidy.notified()).await;
            }
        }
    }

    /// Notes that the bot sees a channel: what is to be done there may be possible again.
    pub(super) fn sees_again(&self, channel: u64) {
        if self.hidden.uncover(channel) {
            self.tidy.notify_one();
        }
    }

    async fn take_buttons_off(self: &Arc<Self>, post: Post) -> SweepOutcome {
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
            match self.rest.call(Method::PATCH, &path, Some(&bare), &[], LIMIT).await {
                Ok(message) => match closed.as_ref().filter(|closed| closed.lacks_board(&message, &bare)) {
                    Some(closed) => bare["content"] = json!(closed.with_board),
                    None => break,
                },
                Err(RestError::TooFast { wait }) => return SweepOutcome::TooFast(wait),
                Err(error) if error.code() == TOO_MANY_OLD_ONES => return SweepOutcome::TooFast(LATER),
                Err(error) if NOT_ALLOWED.contains(&error.code()) => {
                    debug!(post = post.message, %error, "a post keeps its buttons until the bot may take them off");
                    return SweepOutcome::Forbidden;
                }
                // Deleted, or gone with its channel: then nobody can press its buttons.
                Err(error @ RestError::Refused { .. }) => {
                    debug!(post = post.message, %error, "a post stays as it is");
                    break;
                }
                Err(error) => {
                    debug!(post = post.message, %error, "a post keeps its buttons for now");
                    return SweepOutcome::NotNow;
                }
            }
        }
        match self.blocking(move |bot| bot.app.store().forget_post(post.owed)).await {
            Ok(()) => SweepOutcome::Done,
            Err(problem) => {
                error!(%problem, "it cannot be noted that a post has no buttons any more");
                SweepOutcome::NotNow
            }
        }
    }

    /// Writes what became of the challenge that a post shows, if it shows one.
    fn closed_challenge(&self, post: Post) -> Result<Option<Closed>, StoreError> {
        let Some(challenge) = post.challenge else { return Ok(None) };
        let Some(mut shown) = self.app.closed_challenge(challenge, &self.markup)? else { return Ok(None) };
        let written_out =
            OutgoingMessage::write(&shown, &self.renderer, BotPermissions { attach: false, ..BotPermissions::ALL });
        shown.board = None;
        let text = OutgoingMessage::write(&shown, &self.renderer, BotPermissions::ALL);
        let [beside_picture, with_board] = [text, written_out].map(|outgoing| outgoing.content().to_owned());
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
