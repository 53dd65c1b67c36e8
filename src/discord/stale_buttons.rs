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
    forbidden: Mutex<HashMap<ChannelId, Forbidden>>,
}

/// A channel in which the bot was not allowed to edit a post.
struct Forbidden {
    /// Whether posts there are skipped. Activity in the channel ends that, but not before the pause is over, which
    /// doubles each time.
    skipped: bool,
    /// Whether something has happened in the channel since then.
    recheck: bool,
    since: Instant,
    pause: Duration,
}

/// What the sweeper keeps between rounds.
struct Backlog {
    /// Posts that are not tried now; the next round reads that many more, to reach those behind them.
    skipped: u32,
    /// Channels whose rate limit is spent, and until when.
    paused: HashMap<ChannelId, Instant>,
    /// Posts whose edit failed. They are not tried again before `retry_at`, whatever wakes the sweeper.
    failed: HashSet<OutboxId>,
    retry_at: Option<Instant>,
    /// The pause after the next failure.
    pause: Duration,
    /// When the store is checked again at the latest.
    full_check_at: Instant,
    forbidden_cleared: Instant,
}

impl Backlog {
    fn new(now: Instant) -> Self {
        Self {
            skipped: 0,
            paused: HashMap::new(),
            failed: HashSet::new(),
            retry_at: None,
            pause: FIRST_PAUSE,
            full_check_at: now,
            forbidden_cleared: now,
        }
    }

    /// Returns when the store is checked again, if nothing else happens.
    fn next_check_at(&self) -> Instant {
        let limits = self.paused.values().copied();
        limits.chain(self.retry_at).fold(self.full_check_at, Instant::min)
    }

    /// Returns whether the store has to be checked again. If so, posts whose pause is over no longer wait.
    fn is_due(&mut self, now: Instant) -> bool {
        if now < self.next_check_at() {
            return false;
        }
        self.paused.retain(|_, end| *end > now);
        if self.retry_at.is_some_and(|at| at <= now) {
            self.retry_at = None;
            // The next batch includes them again, so it need not be larger because of them.
            self.skipped = self.skipped.saturating_sub(u32::try_from(self.failed.len()).unwrap_or(u32::MAX));
            self.failed.clear();
        }
        true
    }

    /// Returns whether a post is not to be tried now.
    fn waits(&self, post: StalePost, now: Instant) -> bool {
        self.failed.contains(&post.outbox) || self.paused.get(&post.channel).is_some_and(|end| *end > now)
    }

    /// Sets when failed posts are tried again, after a batch with failures. Posts that fail until then wait for the
    /// same time. The pause doubles each time.
    fn back_off(&mut self, now: Instant) {
        if self.retry_at.is_none() {
            self.retry_at = Some(now + self.pause);
            self.pause = (self.pause * 2).min(MAX_PAUSE);
        }
    }

    /// Schedules the next full check of the store, and resets the pause if no failed post waits.
    fn store_checked(&mut self, now: Instant) {
        self.full_check_at = now + MAX_PAUSE;
        if self.failed.is_empty() {
            self.pause = FIRST_PAUSE;
        }
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

    /// Wakes the sweeper, which looks for stale posts in the store.
    pub(super) fn wake(&self) {
        self.check_store.store(true, Ordering::Relaxed);
        self.wake.notify_one();
    }

    /// Adds posts that have just become stale, so that the sweeper need not look for them in the store. If there are
    /// too many, the sweeper finds them there later.
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

    /// Records that the bot sees a channel, so that its posts there can be edited again once the pause is over.
    pub(super) fn recheck_channel(&self, channel: ChannelId) {
        let mut forbidden = lock(&self.forbidden);
        let Some(channel) = forbidden.get_mut(&channel) else { return };
        if channel.skipped && !std::mem::replace(&mut channel.recheck, true) {
            self.wake.notify_one();
        }
    }

    /// Stops skipping channels where something has happened and whose pause is over. Returns when the next of the other
    /// pauses ends.
    fn allow_rechecks(&self, now: Instant) -> Option<Instant> {
        let mut next = None;
        for channel in lock(&self.forbidden).values_mut().filter(|channel| channel.skipped && channel.recheck) {
            let end = channel.since + channel.pause;
            if end <= now {
                channel.skipped = false;
                self.check_store.store(true, Ordering::Relaxed);
            } else {
                next = Some(next.map_or(end, |earliest: Instant| earliest.min(end)));
            }
        }
        next
    }

    /// Records that the bot may not edit in a channel. The first time there is no pause: any activity in the channel
    /// makes the sweeper try again.
    fn forbid(&self, channel: ChannelId) {
        let mut forbidden = lock(&self.forbidden);
        let pause =
            forbidden.get(&channel).map_or(Duration::ZERO, |known| (known.pause * 2).clamp(FIRST_PAUSE, MAX_PAUSE));
        forbidden.insert(channel, Forbidden { skipped: true, recheck: false, since: Instant::now(), pause });
    }

    /// Removes stale buttons, forever.
    pub(super) async fn run(self: Arc<Self>) {
        let mut backlog = Backlog::new(Instant::now());
        loop {
            let newly_stale = std::mem::take(&mut *lock(&self.newly_stale));
            // Posts whose edit fails are found in the store again.
            self.sweep_posts(newly_stale, &mut backlog).await;
            // Both calls may free posts to be tried again, so they come before the check of the store.
            let next_recheck = self.allow_rechecks(Instant::now());
            let is_due = backlog.is_due(Instant::now());
            if (self.check_store.swap(false, Ordering::Relaxed) || is_due) && self.sweep(&mut backlog).await {
                self.check_store.store(true, Ordering::Relaxed);
                continue;
            }
            // A fixed time, so that frequent wakes cannot postpone it.
            let next = next_recheck.into_iter().fold(backlog.next_check_at(), Instant::min);
            let _ = tokio::time::timeout_at(next.into(), self.wake.notified()).await;
        }
    }

    /// Edits a batch of posts; returns whether there are more that may be edited now.
    async fn sweep(&self, backlog: &mut Backlog) -> bool {
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
        // If every edit failed, Discord cannot be reached.
        if self.sweep_posts(stale, backlog).await && more {
            return true;
        }
        backlog.store_checked(Instant::now());
        false
    }

    /// Edits some posts; returns whether one of them was edited, or none failed.
    async fn sweep_posts(&self, stale: Vec<StalePost>, backlog: &mut Backlog) -> bool {
        let (mut done, mut failed) = (false, false);
        for post in stale {
            if lock(&self.edited).contains(&post.outbox) {
                continue;
            }
            let is_forbidden = lock(&self.forbidden).get(&post.channel).is_some_and(|channel| channel.skipped);
            if is_forbidden || backlog.waits(post, Instant::now()) {
                backlog.skipped += 1;
                continue;
            }
            match self.remove_buttons(post).await {
                SweepOutcome::Done => {
                    lock(&self.forbidden).remove(&post.channel);
                    done = true;
                }
                SweepOutcome::Failed => {
                    backlog.failed.insert(post.outbox);
                    backlog.skipped += 1;
                    failed = true;
                }
                SweepOutcome::RateLimited(pause) => {
                    backlog.paused.insert(post.channel, Instant::now() + pause);
                    backlog.skipped += 1;
                }
                SweepOutcome::Forbidden => {
                    self.forbid(post.channel);
                    backlog.skipped += 1;
                }
            }
        }
        if failed {
            backlog.back_off(Instant::now());
        }
        done || !failed
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
        // It was deleted, perhaps with its channel: nobody can press its buttons. A refused token says nothing about
        // the post.
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
mod tests;
