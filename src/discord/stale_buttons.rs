//! Removes the buttons of earlier posts. That happens after the new post, which also reopens an archived thread.

use super::app_handle::AppHandle;
use super::markup::DiscordMarkupFactory;
use super::message::{Composer, allowed_mentions};
use super::rest::{BACKGROUND_TIMEOUT, Call, RestClient, RestError, Route, code};
use crate::app::App;
use crate::game::{BotPermissions, ChallengeId, ChannelId};
use crate::store::{OutboxId, StalePost, StoreError};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tracing::{debug, error};

const BATCH: u32 = 50;
/// How many posts that have just become stale are kept in memory.
const MAX_NEWLY_STALE: usize = 256;
/// The pause after a failure; it doubles each time.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const MAX_PAUSE: Duration = Duration::from_secs(60);
/// After this time, channels in which the bot may not edit are tried again.
const RECHECK_FORBIDDEN: Duration = Duration::from_secs(60 * 60);

/// Removes buttons from posts that are not the latest of their game.
pub(super) struct ButtonSweeper {
    app: AppHandle,
    composer: Arc<Composer>,
    rest: RestClient,
    wake: Notify,
    /// Whether the store may have stale posts that are not in `newly_stale`.
    check_store: AtomicBool,
    /// Posts that have just become stale.
    newly_stale: Mutex<Vec<StalePost>>,
    /// Posts that have lost their buttons, while the store does not know it yet.
    edited: Arc<Mutex<HashSet<OutboxId>>>,
    /// Channels in which the bot may not edit its posts, so that they keep their buttons for now.
    forbidden: Mutex<HashSet<ChannelId>>,
}

/// What the sweeper keeps between rounds.
struct Backlog {
    /// Posts in channels that are forbidden or paused; the next round reads that many more, to reach those behind them.
    skipped: u32,
    /// Channels whose rate limit is spent, and until when.
    paused: HashMap<ChannelId, Instant>,
    /// The pause after the next failure, and whether the last round had one.
    pause: Duration,
    failed: bool,
    forbidden_cleared: Instant,
}

impl Backlog {
    /// Returns how long to wait before the store is checked again, if nothing else happens.
    fn next_check(&self) -> Duration {
        let pause = if self.failed { self.pause } else { MAX_PAUSE };
        let limits = self.paused.values().map(|end| end.saturating_duration_since(Instant::now()));
        limits.min().map_or(pause, |end| end.min(pause))
    }
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
        Self {
            app,
            composer,
            rest,
            wake: Notify::new(),
            check_store: AtomicBool::new(true),
            newly_stale: Mutex::default(),
            edited: Arc::default(),
            forbidden: Mutex::default(),
        }
    }

    /// Lets the sweeper look for posts to edit.
    pub(super) fn wake(&self) {
        self.check_store.store(true, Ordering::Relaxed);
        self.wake.notify_one();
    }

    /// Takes posts that have just become stale, which saves looking for them in the store. While the sweeper is behind, it
    /// finds them there.
    pub(super) fn add(&self, mut posts: Vec<StalePost>) {
        let mut newly_stale = lock(&self.newly_stale);
        // A post stays stale until it is edited, so it may be found again by the next message of its game.
        posts.retain(|post| newly_stale.iter().all(|known| known.outbox != post.outbox));
        if newly_stale.len() + posts.len() > MAX_NEWLY_STALE {
            self.check_store.store(true, Ordering::Relaxed);
        } else {
            newly_stale.extend(posts);
        }
        drop(newly_stale);
        self.wake.notify_one();
    }

    /// Returns the posts that have just become stale and are not edited yet.
    #[cfg(test)]
    pub(super) fn newly_stale_posts(&self) -> Vec<crate::store::PostId> {
        lock(&self.newly_stale).iter().map(|post| post.id).collect()
    }

    /// Records that the bot sees a channel, so that its posts there can be edited again.
    pub(super) fn recheck_channel(&self, channel: ChannelId) {
        if lock(&self.forbidden).remove(&channel) {
            self.wake();
        }
    }

    /// Removes stale buttons, for ever.
    pub(super) async fn run(self: Arc<Self>) {
        let mut backlog = Backlog {
            skipped: 0,
            paused: HashMap::new(),
            pause: FIRST_PAUSE,
            failed: false,
            forbidden_cleared: Instant::now(),
        };
        loop {
            let newly_stale = std::mem::take(&mut *lock(&self.newly_stale));
            if !newly_stale.is_empty() && !self.sweep_posts(newly_stale, &mut backlog).await {
                // What did not work is found in the store again.
                self.check_store.store(true, Ordering::Relaxed);
            }
            let pause = match self.check_store.swap(false, Ordering::Relaxed) {
                true => self.sweep(&mut backlog).await,
                false => Some(backlog.next_check()),
            };
            if let Some(pause) = pause
                && tokio::time::timeout(pause, self.wake.notified()).await.is_err()
            {
                self.check_store.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Edits a batch of posts; returns how long to wait, or `None` if there are more.
    async fn sweep(&self, backlog: &mut Backlog) -> Option<Duration> {
        if backlog.forbidden_cleared.elapsed() > RECHECK_FORBIDDEN {
            lock(&self.forbidden).clear();
            backlog.forbidden_cleared = Instant::now();
        }
        let edited = u32::try_from(lock(&self.edited).len()).unwrap_or(BATCH);
        let limit = BATCH + std::mem::take(&mut backlog.skipped) + edited;
        let stale = self.app.run(move |app| app.store().session()?.stale_posts(limit)).await.unwrap_or_else(|error| {
            error!(%error, "posts with stale buttons cannot be read, retrying in {} s", MAX_PAUSE.as_secs());
            Vec::new()
        });
        let more = stale.len() >= limit as usize;
        let failed = !self.sweep_posts(stale, backlog).await;
        if more && !failed {
            self.check_store.store(true, Ordering::Relaxed);
            return None;
        }
        backlog.pause = if failed { (backlog.pause * 2).min(MAX_PAUSE) } else { FIRST_PAUSE };
        backlog.failed = failed;
        Some(backlog.next_check())
    }

    /// Edits some posts; returns whether none of them failed.
    async fn sweep_posts(&self, stale: Vec<StalePost>, backlog: &mut Backlog) -> bool {
        let mut failed = false;
        for post in stale {
            if lock(&self.edited).contains(&post.outbox) {
                continue;
            }
            backlog.paused.retain(|_, end| *end > Instant::now());
            if lock(&self.forbidden).contains(&post.channel) || backlog.paused.contains_key(&post.channel) {
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
                    lock(&self.forbidden).insert(post.channel);
                    backlog.skipped += 1;
                }
            }
        }
        !failed
    }

    async fn remove_buttons(&self, post: StalePost) -> SweepOutcome {
        // Fields that are absent stay as they are, such as the picture.
        let mut edit = json!({ "components": [], "allowed_mentions": allowed_mentions(&[]) });
        let closed = self.closed_challenge(post).await;
        if let Some(closed) = &closed {
            edit["content"] = json!(closed.beside_picture);
        }
        let edited = match self.edit(post, &edit).await {
            Ok(edited) => match closed.filter(|closed| closed.lacks_board(&edited)) {
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
        self.record_removed(post);
        SweepOutcome::Done
    }

    /// Records in the store that a post has no buttons any more. That can wait for the next commit.
    fn record_removed(&self, post: StalePost) {
        let edited = Arc::clone(&self.edited);
        lock(&edited).insert(post.outbox);
        self.app.app().store().record_buttons_removed(post.outbox, move |recorded| {
            if let Err(error) = recorded {
                error!(outbox = post.outbox.0, channel = post.channel.0, post = post.id.0, %error, "cannot save that a post has no buttons any more, editing it again later");
            }
            lock(&edited).remove(&post.outbox);
        });
    }

    /// Composes the new text of a post if it shows a challenge.
    async fn closed_challenge(&self, post: StalePost) -> Option<ClosedChallenge> {
        let challenge = post.challenge?;
        let composer = Arc::clone(&self.composer);
        let closed = self.app.run(move |app| closed_challenge(app, &composer, challenge)).await;
        closed.unwrap_or_else(|error| {
            error!(challenge = challenge.0, channel = post.channel.0, post = post.id.0, %error, "a closed challenge cannot be read, its post keeps its text");
            None
        })
    }

    async fn edit(&self, post: StalePost, edit: &Value) -> Result<Value, RestError> {
        let route = Route::EditMessage { channel: post.channel, post: post.id };
        self.rest.send(Call::with_body(route, edit), BACKGROUND_TIMEOUT).await
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Decides what to do after a failed edit; returns `None` if the post needs no edit any more.
fn outcome_of(post: StalePost, error: &RestError) -> Option<SweepOutcome> {
    let (outbox, channel, post) = (post.outbox.0, post.channel.0, post.id.0);
    match error {
        RestError::RateLimited { wait } => Some(SweepOutcome::RateLimited(*wait)),
        RestError::Refused { code: code::TOO_MANY_OLD_EDITS, .. } => Some(SweepOutcome::RateLimited(MAX_PAUSE)),
        RestError::Refused {
            code: code::MISSING_ACCESS | code::MISSING_PERMISSIONS | code::THREAD_ARCHIVED, ..
        } => {
            debug!(outbox, channel, post, %error, "post keeps its buttons until the bot may edit it");
            Some(SweepOutcome::Forbidden)
        }
        // It was deleted, perhaps with its channel: nobody can press its buttons. A refused token says nothing about it.
        RestError::Refused { .. } if !error.is_unauthorized() => {
            debug!(outbox, channel, post, %error, "post cannot be edited, leaving it as it is");
            None
        }
        RestError::Refused { .. } | RestError::TooLate | RestError::Unreachable(_) | RestError::Unclear(_) => {
            debug!(outbox, channel, post, %error, "editing a post failed, retrying within a minute");
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
    fn lacks_board(&self, edited: &Value) -> bool {
        edited["attachments"].as_array().is_some_and(Vec::is_empty)
    }
}

fn closed_challenge(
    app: &App,
    composer: &Composer,
    challenge: ChallengeId,
) -> Result<Option<ClosedChallenge>, StoreError> {
    let Some(mut post) = app.closed_challenge(challenge, &DiscordMarkupFactory)? else { return Ok(None) };
    let with_board = composer.post(&post, BotPermissions { attach: false, ..BotPermissions::ALL });
    post.content.board = None;
    let beside_picture = composer.post(&post, BotPermissions::ALL);
    let [beside_picture, with_board] = [beside_picture, with_board].map(|message| message.content().to_owned());
    Ok(Some(ClosedChallenge { beside_picture, with_board }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::config::{Endpoint, Secret};
    use crate::discord::app_handle::tests::TestApp;
    use crate::store::PostId;

    const POST: StalePost = StalePost { id: PostId(3), channel: ChannelId(2), outbox: OutboxId(1), challenge: None };

    fn refused(code: i64) -> RestError {
        RestError::Refused { status: 400, code, message: String::new() }
    }

    #[test]
    fn a_post_that_is_gone_is_done() {
        assert!(outcome_of(POST, &refused(10008)).is_none());
    }

    #[test]
    fn a_post_is_edited_later_if_the_token_is_refused() {
        let unauthorized = RestError::Refused { status: 401, code: 0, message: String::new() };
        assert!(outcome_of(POST, &unauthorized) == Some(SweepOutcome::Failed));
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
        assert!(old == Some(SweepOutcome::RateLimited(MAX_PAUSE)));
    }

    #[tokio::test]
    async fn memory_is_bounded_while_the_sweeper_is_behind() {
        let test = TestApp::new();
        // Nothing listens there.
        let endpoint = Endpoint { api: Some(String::from("http://127.0.0.1:9")), ..Endpoint::default() };
        let rest = RestClient::new(&Secret::new("token"), &endpoint).unwrap();
        let sweeper = ButtonSweeper::new(test.handle.clone(), Arc::new(Composer::new()), rest);
        sweeper.check_store.store(false, Ordering::Relaxed);
        let post = |number: usize| StalePost { outbox: OutboxId(number as u64), ..POST };
        sweeper.add((0..MAX_NEWLY_STALE).map(post).collect());
        sweeper.add(vec![post(0)]);
        assert!(!sweeper.check_store.load(Ordering::Relaxed), "it is known already");
        sweeper.add(vec![post(MAX_NEWLY_STALE)]);
        assert_eq!(lock(&sweeper.newly_stale).len(), MAX_NEWLY_STALE);
        assert!(sweeper.check_store.load(Ordering::Relaxed), "the others are found in the store");
    }
}
