//! Removes the buttons of earlier posts. That happens after the new post, which also reopens an archived thread.

use super::app_handle::AppHandle;
use super::message::{Composer, allowed_mentions};
use super::rest::{Call, RestClient, RestError, Route, code};
use crate::app::App;
use crate::game::{BotPermissions, ChallengeId};
use crate::store::{Post, StoreError};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tracing::{debug, error};

const BATCH: u32 = 50;
const TIMEOUT: Duration = Duration::from_secs(10);
/// The pause after a failure; it doubles each time.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// After this time, channels in which the bot may not edit are tried again.
const RECHECK_HIDDEN: Duration = Duration::from_secs(60 * 60);

/// Removes buttons from posts that are not the latest of their game.
pub(super) struct ButtonSweeper {
    app: AppHandle,
    composer: Arc<Composer>,
    rest: RestClient,
    wake: Notify,
    /// Channels in which the bot may not edit its posts, so that they keep their buttons for now.
    hidden: Mutex<HashSet<u64>>,
}

/// What the sweeper keeps between rounds.
struct Backlog {
    /// Posts in channels that are hidden or paused; the next round reads that many more, to reach those behind them.
    skipped: u32,
    /// Channels whose rate limit is spent, and until when.
    paused: HashMap<u64, Instant>,
    pause: Duration,
    hidden_since: Instant,
}

/// The result for one post.
#[derive(PartialEq, Eq)]
enum SweepOutcome {
    Done,
    Failed,
    /// The channel's rate limit is spent for this time.
    RateLimited(Duration),
    Forbidden,
}

impl ButtonSweeper {
    pub(super) fn new(app: AppHandle, composer: Arc<Composer>, rest: RestClient) -> Self {
        Self { app, composer, rest, wake: Notify::new(), hidden: Mutex::default() }
    }

    /// Lets the sweeper look for posts to edit.
    pub(super) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Notes that the bot sees a channel, so that its posts there can be edited again.
    pub(super) fn channel_is_visible(&self, channel: u64) {
        if self.hidden().remove(&channel) {
            self.wake();
        }
    }

    fn hidden(&self) -> MutexGuard<'_, HashSet<u64>> {
        self.hidden.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes stale buttons, for ever.
    pub(super) async fn run(self: Arc<Self>) {
        let mut backlog =
            Backlog { skipped: 0, paused: HashMap::new(), pause: FIRST_PAUSE, hidden_since: Instant::now() };
        loop {
            if let Some(pause) = self.sweep(&mut backlog).await {
                let _ = tokio::time::timeout(pause, self.wake.notified()).await;
            }
        }
    }

    /// Edits a batch of posts; returns how long to wait, or `None` if there are more.
    async fn sweep(&self, backlog: &mut Backlog) -> Option<Duration> {
        if backlog.hidden_since.elapsed() > RECHECK_HIDDEN {
            self.hidden().clear();
            backlog.hidden_since = Instant::now();
        }
        let limit = BATCH + std::mem::take(&mut backlog.skipped);
        let stale = self.app.run(move |app| app.store().stale_posts(limit)).await.unwrap_or_else(|error| {
            error!(%error, "posts with stale buttons cannot be read");
            Vec::new()
        });
        let more = stale.len() >= limit as usize;
        let mut failed = false;
        for post in stale {
            backlog.paused.retain(|_, end| *end > Instant::now());
            if self.hidden().contains(&post.channel) || backlog.paused.contains_key(&post.channel) {
                backlog.skipped += 1;
                continue;
            }
            match self.remove_buttons(post).await {
                SweepOutcome::Done => {}
                SweepOutcome::Failed => failed = true,
                SweepOutcome::RateLimited(pause) => {
                    backlog.paused.insert(post.channel, Instant::now() + pause);
                    backlog.skipped += 1;
                }
                SweepOutcome::Forbidden => {
                    self.hidden().insert(post.channel);
                    backlog.skipped += 1;
                }
            }
        }
        if more && !failed {
            return None;
        }
        let pause = if failed { backlog.pause } else { LONGEST_PAUSE };
        backlog.pause = if failed { (backlog.pause * 2).min(LONGEST_PAUSE) } else { FIRST_PAUSE };
        let limits = backlog.paused.values().map(|end| end.saturating_duration_since(Instant::now()));
        Some(limits.min().map_or(pause, |end| end.min(pause)))
    }

    async fn remove_buttons(&self, post: Post) -> SweepOutcome {
        // Fields that are absent stay as they are, such as the picture.
        let mut edit = json!({ "components": [], "allowed_mentions": allowed_mentions(&[]) });
        let closed = self.closed_challenge(post).await;
        if let Some(closed) = &closed {
            edit["content"] = json!(closed.beside_picture);
        }
        let edited = match self.edit(post, &edit).await {
            Ok(message) => match closed.filter(|closed| closed.lacks_board(&message)) {
                Some(closed) => {
                    edit["content"] = json!(closed.with_board);
                    self.edit(post, &edit).await.map(|_| ())
                }
                None => Ok(()),
            },
            Err(error) => Err(error),
        };
        if let Err(error) = edited
            && let Some(outcome) = outcome_of(post, &error)
        {
            return outcome;
        }
        match self.app.run(move |app| app.store().forget_post(post.owed)).await {
            Ok(()) => SweepOutcome::Done,
            Err(error) => {
                error!(post = post.message, %error, "a post without buttons cannot be saved, retrying later");
                SweepOutcome::Failed
            }
        }
    }

    /// Composes the new text of a post if it shows a challenge.
    async fn closed_challenge(&self, post: Post) -> Option<ClosedChallenge> {
        let challenge = post.challenge?;
        let composer = Arc::clone(&self.composer);
        let closed = self.app.run(move |app| closed_challenge(app, &composer, challenge)).await;
        closed.unwrap_or_else(|error| {
            let challenge = challenge.0;
            error!(challenge, post = post.message, %error, "closed challenge cannot be read, its post keeps its text");
            None
        })
    }

    async fn edit(&self, post: Post, edit: &Value) -> Result<Value, RestError> {
        let route = Route::EditMessage { channel: post.channel, message: post.message };
        self.rest.send(Call::with_body(route, edit), TIMEOUT).await
    }
}

/// Decides what to do after a failed edit; returns `None` if the post needs no edit any more.
fn outcome_of(post: Post, error: &RestError) -> Option<SweepOutcome> {
    let (channel, message) = (post.channel, post.message);
    match error {
        RestError::RateLimited { wait } => Some(SweepOutcome::RateLimited(*wait)),
        RestError::Refused { code: code::TOO_MANY_OLD_EDITS, .. } => Some(SweepOutcome::RateLimited(LONGEST_PAUSE)),
        RestError::Refused {
            code: code::MISSING_ACCESS | code::MISSING_PERMISSIONS | code::THREAD_ARCHIVED, ..
        } => {
            debug!(channel, post = message, %error, "post keeps its buttons until the bot may edit it");
            Some(SweepOutcome::Forbidden)
        }
        // It was deleted, perhaps with its channel: nobody can press its buttons.
        RestError::Refused { .. } => {
            debug!(channel, post = message, %error, "post cannot be edited, leaving it as it is");
            None
        }
        RestError::Unreachable(_) | RestError::Unclear(_) => {
            debug!(channel, post = message, %error, "editing a post failed, retrying later");
            Some(SweepOutcome::Failed)
        }
    }
}

/// The new text of the post of a closed challenge.
struct ClosedChallenge {
    beside_picture: String,
    /// The same with the board as text, for a post without a picture.
    with_board: String,
}

impl ClosedChallenge {
    /// Returns whether the edited post has no picture, so that its board was lost with its old text.
    fn lacks_board(&self, message: &Value) -> bool {
        message["attachments"].as_array().is_some_and(Vec::is_empty)
    }
}

/// Composes what the post of a closed challenge says.
fn closed_challenge(
    app: &App,
    composer: &Composer,
    challenge: ChallengeId,
) -> Result<Option<ClosedChallenge>, StoreError> {
    let Some(mut reply) = app.closed_challenge(challenge, &composer.markup)? else { return Ok(None) };
    let with_board = composer.compose(&reply, BotPermissions { attach: false, ..BotPermissions::ALL });
    reply.board = None;
    let beside_picture = composer.compose(&reply, BotPermissions::ALL);
    let [beside_picture, with_board] = [beside_picture, with_board].map(|message| message.content().to_owned());
    Ok(Some(ClosedChallenge { beside_picture, with_board }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::OutboxId;

    const POST: Post = Post { owed: OutboxId(1), channel: 2, message: 3, challenge: None };

    fn refused(code: i64) -> RestError {
        RestError::Refused { status: 400, code, message: String::new() }
    }

    #[test]
    fn a_post_that_is_gone_is_done() {
        assert!(outcome_of(POST, &refused(10008)).is_none());
    }

    #[test]
    fn a_post_that_may_not_be_edited_waits_for_the_permission() {
        for code in [code::MISSING_ACCESS, code::MISSING_PERMISSIONS, code::THREAD_ARCHIVED] {
            assert!(outcome_of(POST, &refused(code)) == Some(SweepOutcome::Forbidden), "{code}");
        }
    }

    #[test]
    fn a_spent_rate_limit_pauses_the_channel() {
        let wait = Duration::from_secs(7);
        assert!(outcome_of(POST, &RestError::RateLimited { wait }) == Some(SweepOutcome::RateLimited(wait)));
        let old = outcome_of(POST, &refused(code::TOO_MANY_OLD_EDITS));
        assert!(old == Some(SweepOutcome::RateLimited(LONGEST_PAUSE)));
    }
}
