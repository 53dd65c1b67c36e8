//! Who delivers an outbox message: the request that answers with it, or the outbox worker. Also keeps what this process
//! knows about a message besides its row.

use crate::discord::message::OutgoingMessage;
use crate::game::{ChannelId, Seconds, Timestamp};
use crate::store::{OutboxId, OutboxMessage, PostId, Revision};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, oneshot};

/// A message younger than this may still be sent as an answer, unless it was left to the worker or is older than this
/// process. The time is longer than Discord waits for an answer.
const RESERVED_FOR_ANSWER: Seconds = Seconds(8);
/// How long an answer of an earlier process may still arrive: Discord accepts one for three seconds.
const ANSWER_ON_THE_WAY: Seconds = Seconds(5);
/// How long a composed message is kept for the worker: its picture takes memory.
const KEEP_COMPOSED: Duration = Duration::from_secs(2);
/// A message that takes longer than this to send counts as delayed. Until then, players may see it before Discord has
/// confirmed it.
const DELAYED_AFTER: Duration = Duration::from_secs(1);
/// The longest pause for a message after store failures or panics.
const MAX_BACK_OFF: Duration = Duration::from_secs(15 * 60);

/// Which outbox messages are being delivered, and what is known about the others.
pub(crate) struct Claims {
    wake: Notify,
    /// The newest message of an earlier process: nobody answers with it or an older one any more.
    newest_of_earlier_process: OutboxId,
    /// How long a message is reserved for the answer to its request.
    reserved: Seconds,
    state: Mutex<ClaimsState>,
}

#[derive(Default)]
struct ClaimsState {
    /// Messages that are being sent: by how many tasks, and since when.
    claimed: HashMap<OutboxId, (u32, Instant)>,
    /// Messages that the worker may post without waiting for an answer, and since when.
    left_to_worker: HashMap<OutboxId, Instant>,
    /// Released messages that cannot be posted now: an earlier one of their game, or a rate limit, is in the way.
    blocked: HashSet<OutboxId>,
    /// Channels in which a message is being posted.
    busy_channels: HashSet<ChannelId>,
    /// Who waits for the outcome of a message.
    watchers: HashMap<OutboxId, Vec<oneshot::Sender<PostOutcome>>>,
    /// Messages that were composed together with the answer to their request.
    composed: HashMap<OutboxId, ComposedMessage>,
    /// What happened to messages that are not settled yet.
    history: HashMap<OutboxId, DeliveryHistory>,
}

struct ComposedMessage {
    message: OutgoingMessage,
    /// The game or challenge that it shows.
    revision: Revision,
    since: Instant,
}

/// What happened in this process to a message that is not settled yet.
#[derive(Default)]
struct DeliveryHistory {
    /// Whether an attempt may have succeeded without a confirmation.
    maybe_sent: bool,
    rejections: u32,
    /// Whether a failure to send it was logged; then its success is logged, too.
    failure_logged: bool,
    /// Whether it was logged that it waits for a channel.
    wait_logged: bool,
    /// How often the store failed for it, and until when it is left alone because of that.
    store_failures: u32,
    backs_off_until: Option<Instant>,
    /// Where it was posted, if only settling it failed.
    posted: Option<PostedMessage>,
}

/// Where and how a message was posted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PostedMessage {
    /// The channel or thread.
    pub(crate) channel: ChannelId,
    /// The post, if Discord has returned its id.
    pub(crate) post: Option<PostId>,
    pub(crate) has_buttons: bool,
    /// Whether it is a direct message, which replaces no post in the game's channel.
    pub(crate) direct: bool,
}

/// What became of an attempt to post a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PostOutcome {
    Posted,
    /// A thread was created for the game.
    InThread(ChannelId),
    /// It was posted, but no thread could be created.
    WithoutThread {
        channel: ChannelId,
    },
    /// The bot lacks a permission.
    Forbidden {
        channel: ChannelId,
        missing: &'static str,
    },
    /// Only a moderator can open the thread again.
    Locked {
        thread: ChannelId,
    },
    /// The channel was deleted.
    ChannelGone,
    /// The bot was removed from the server.
    ServerGone,
}

/// Keeps the worker from posting a message while it exists.
pub(crate) struct Claim {
    claims: Arc<Claims>,
    outbox_id: OutboxId,
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut state = self.claims.state();
        if let Some((holders, _)) = state.claimed.get_mut(&self.outbox_id) {
            *holders -= 1;
            if *holders == 0 {
                state.claimed.remove(&self.outbox_id);
            }
        }
        let wake = !state.left_to_worker.is_empty();
        drop(state);
        // An answer that was settled leaves nothing to post, so the worker sleeps on.
        if wake {
            self.claims.wake();
        }
    }
}

/// Keeps other messages from being posted in the same channel while it exists: messages appear in order, and the rate
/// limit is known before the next one is sent.
pub(crate) struct ChannelClaim {
    claims: Arc<Claims>,
    channel: ChannelId,
    claim: Option<Claim>,
}

impl Drop for ChannelClaim {
    fn drop(&mut self) {
        self.claims.state().busy_channels.remove(&self.channel);
        drop(self.claim.take());
        // Another message may have waited for the channel.
        self.claims.wake();
    }
}

impl Claims {
    /// Starts with the newest outbox message of earlier processes, and with how much longer an answer may take than Discord
    /// allows: see [`BotConfig::extra_answer_time`](crate::discord::BotConfig::extra_answer_time).
    pub(crate) fn new(newest_of_earlier_process: OutboxId, extra_answer_time: Duration) -> Self {
        let extra_answer_time = i64::try_from(extra_answer_time.as_secs()).unwrap_or(i64::MAX);
        let reserved = Seconds(RESERVED_FOR_ANSWER.0.saturating_add(extra_answer_time));
        Self { wake: Notify::new(), newest_of_earlier_process, reserved, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, ClaimsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the worker from posting a message.
    pub(crate) fn claim(self: &Arc<Self>, outbox_id: OutboxId) -> Claim {
        self.claim_since(outbox_id, Instant::now())
    }

    fn claim_since(self: &Arc<Self>, outbox_id: OutboxId, since: Instant) -> Claim {
        self.state().claimed.entry(outbox_id).or_insert((0, since)).0 += 1;
        Claim { claims: Arc::clone(self), outbox_id }
    }

    /// Keeps a composed message for the worker, which posts it at once, and the revision that it shows.
    pub(crate) fn keep_composed(&self, outbox_id: OutboxId, revision: Revision, message: OutgoingMessage) {
        let (mut state, since) = (self.state(), Instant::now());
        state.composed.retain(|_, composed| composed.since.elapsed() < KEEP_COMPOSED);
        state.composed.insert(outbox_id, ComposedMessage { message, revision, since });
    }

    /// Takes the composed message, unless its game or challenge has changed since.
    pub(crate) fn take_composed(&self, message: &OutboxMessage) -> Option<OutgoingMessage> {
        let composed = self.state().composed.remove(&message.id)?;
        (message.revision == Some(composed.revision)).then_some(composed.message)
    }

    /// Lets the worker post a message as soon as nobody claims it.
    pub(crate) fn leave_to_worker(&self, outbox_id: OutboxId) {
        let mut state = self.state();
        state.left_to_worker.entry(outbox_id).or_insert_with(Instant::now);
        state.blocked.remove(&outbox_id);
        drop(state);
        self.wake();
    }

    /// Returns the messages that the worker may post as soon as nobody claims them.
    pub(crate) fn left_to_worker(&self) -> HashSet<OutboxId> {
        self.state().left_to_worker.keys().copied().collect()
    }

    /// Records which messages that are left to the worker cannot be posted now, so that stopping does not wait for them.
    pub(crate) fn set_blocked(&self, blocked: HashSet<OutboxId>) {
        self.state().blocked = blocked;
    }

    /// Waits until there may be something to post, at most for the given time.
    pub(crate) async fn wait_for_work(&self, at_most: Duration) {
        let _ = tokio::time::timeout(at_most, self.wake.notified()).await;
    }

    /// Wakes the worker, which looks for due messages.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Wakes the worker after a pause.
    pub(crate) fn wake_after(self: &Arc<Self>, pause: Duration) {
        let claims = Arc::clone(self);
        tokio::spawn(async move {
            tokio::time::sleep(pause).await;
            claims.wake();
        });
    }

    /// Records that a message may have been sent, so that the worker looks for it before posting. Only this process needs
    /// to know: the next one looks for every message of an earlier process.
    pub(crate) fn mark_maybe_sent(&self, outbox_id: OutboxId) {
        self.state().history.entry(outbox_id).or_default().maybe_sent = true;
    }

    /// Returns whether a message may have been sent already, by this process or an earlier one.
    pub(crate) fn is_maybe_sent(&self, message: &OutboxMessage) -> bool {
        let here = self.state().history.get(&message.id).is_some_and(|history| history.maybe_sent);
        here || message.attempts > 0 || message.id <= self.newest_of_earlier_process
    }

    /// Records that a failure to send a message was logged.
    pub(crate) fn mark_failure_logged(&self, outbox_id: OutboxId) {
        self.state().history.entry(outbox_id).or_default().failure_logged = true;
    }

    /// Returns whether a failure to send or settle a message was logged, or an earlier process left it unsent, which is
    /// logged at the start.
    pub(crate) fn is_failure_logged(&self, message: &OutboxMessage) -> bool {
        let logged = |history: &DeliveryHistory| history.failure_logged || history.store_failures > 0;
        let here = || self.state().history.get(&message.id).is_some_and(logged);
        message.attempts > 0 || message.id <= self.newest_of_earlier_process || here()
    }

    /// Records that the log says that a message waits for a channel; returns whether this is the first time.
    pub(crate) fn mark_wait_logged(&self, outbox_id: OutboxId) -> bool {
        !std::mem::replace(&mut self.state().history.entry(outbox_id).or_default().wait_logged, true)
    }

    /// Counts a rejection by Discord and returns how many there were.
    pub(crate) fn count_rejection(&self, outbox_id: OutboxId) -> u32 {
        let mut state = self.state();
        let history = state.history.entry(outbox_id).or_default();
        history.rejections += 1;
        history.rejections
    }

    /// Leaves a message alone after the store failed or its delivery panicked, longer each time; returns for how long.
    pub(crate) fn back_off(&self, outbox_id: OutboxId) -> Duration {
        let mut state = self.state();
        let history = state.history.entry(outbox_id).or_default();
        let pause = Duration::from_secs(1 << history.store_failures.min(10)).min(MAX_BACK_OFF);
        history.store_failures += 1;
        history.maybe_sent = true;
        history.backs_off_until = Some(Instant::now() + pause);
        pause
    }

    /// Returns whether a message was left alone because of the store, for a pause that may be over by now.
    #[cfg(test)]
    pub(super) fn backs_off(&self, outbox_id: OutboxId) -> bool {
        self.state().history.get(&outbox_id).is_some_and(|history| history.backs_off_until.is_some())
    }

    /// Ends the back-off of a message, so that the worker may try it again now.
    pub(crate) fn end_back_off(&self, outbox_id: OutboxId) {
        if let Some(history) = self.state().history.get_mut(&outbox_id) {
            history.backs_off_until = None;
        }
    }

    /// Remembers that a message was posted, until it is settled.
    pub(crate) fn remember_posted(&self, outbox_id: OutboxId, posted: PostedMessage) {
        self.state().history.entry(outbox_id).or_default().posted = Some(posted);
    }

    /// Returns where a message was posted that could not be settled.
    pub(crate) fn posted(&self, outbox_id: OutboxId) -> Option<PostedMessage> {
        self.state().history.get(&outbox_id).and_then(|history| history.posted)
    }

    /// Forgets a message that is settled or given up.
    pub(crate) fn forget(&self, outbox_id: OutboxId) {
        let mut state = self.state();
        state.history.remove(&outbox_id);
        state.left_to_worker.remove(&outbox_id);
        state.composed.remove(&outbox_id);
    }

    /// Returns the messages about which something is remembered. The worker has to forget the closed ones: a task can
    /// leave a message to the worker after another task has settled it.
    pub(crate) fn remembered(&self) -> Vec<OutboxId> {
        let state = self.state();
        let left_to_worker = state.left_to_worker.keys().filter(|id| !state.history.contains_key(id));
        left_to_worker.chain(state.history.keys()).copied().collect()
    }

    /// Returns whether a message waits to be posted, or takes so long to send that players have probably not seen it.
    pub(crate) fn is_delayed(&self, message: &OutboxMessage, now: Timestamp) -> bool {
        let maybe_sent = self.is_maybe_sent(message);
        let state = self.state();
        if state.history.get(&message.id).is_some_and(|history| history.posted.is_some()) {
            // It is visible; only the record of that is missing.
            return false;
        }
        match state.claimed.get(&message.id) {
            // An earlier attempt failed, so it is late already.
            Some((_, since)) => maybe_sent || since.elapsed() > DELAYED_AFTER,
            None => state.left_to_worker.contains_key(&message.id) || self.may_worker_post(&state, message, now),
        }
    }

    /// Returns whether no request answers with a message any more: its process has ended, its reserved time is over, or
    /// the worker has already tried to post it.
    fn may_worker_post(&self, state: &ClaimsState, message: &OutboxMessage, now: Timestamp) -> bool {
        // An attempt after which the store failed is not counted in the row.
        let tried = |history: &DeliveryHistory| history.store_failures > 0 || history.posted.is_some();
        let tried = message.attempts > 0 || state.history.get(&message.id).is_some_and(tried);
        message.id <= self.newest_of_earlier_process || tried || now >= message.made + self.reserved
    }

    /// Returns a receiver for the outcome of a message.
    pub(crate) fn watch(&self, outbox_id: OutboxId) -> oneshot::Receiver<PostOutcome> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.state();
        state.watchers.retain(|_, watchers| watchers.iter().any(|watcher| !watcher.is_closed()));
        state.watchers.entry(outbox_id).or_default().push(sender);
        receiver
    }

    /// Tells the watchers of a message its outcome.
    pub(crate) fn report(&self, outbox_id: OutboxId, outcome: PostOutcome) {
        let watchers = self.state().watchers.remove(&outbox_id).unwrap_or_default();
        for watcher in watchers {
            // The watcher may have stopped waiting.
            let _ = watcher.send(outcome);
        }
    }

    /// Returns whether nothing is being sent, and no message that is left to the worker can be posted now.
    pub(crate) fn is_idle(&self) -> bool {
        let state = self.state();
        state.claimed.is_empty() && state.left_to_worker.keys().all(|outbox_id| state.blocked.contains(outbox_id))
    }

    /// Claims a message and its channel for the worker, if both are free and the message need not wait.
    pub(crate) fn claim_in_channel(
        self: &Arc<Self>,
        message: &OutboxMessage,
        channel: ChannelId,
        now: Timestamp,
    ) -> Option<ChannelClaim> {
        let mut state = self.state();
        let history = state.history.get(&message.id);
        let backs_off = history.and_then(|history| history.backs_off_until).is_some_and(|end| end > Instant::now());
        let may_post = state.left_to_worker.contains_key(&message.id) || self.may_worker_post(&state, message, now);
        if !may_post
            || backs_off
            || self.may_still_arrive(message, now)
            || state.claimed.contains_key(&message.id)
            || !state.busy_channels.insert(channel)
        {
            return None;
        }
        // The time that the message has waited for its turn counts towards its delay.
        let since = state.left_to_worker.get(&message.id).copied().unwrap_or_else(Instant::now);
        drop(state);
        Some(ChannelClaim { claims: Arc::clone(self), channel, claim: Some(self.claim_since(message.id, since)) })
    }

    /// Returns whether an earlier process may have died while its answer was on the way: looking for the post now would
    /// find nothing, and posting the message would duplicate it.
    fn may_still_arrive(&self, message: &OutboxMessage, now: Timestamp) -> bool {
        let is_new = message.made <= now && now < message.made + ANSWER_ON_THE_WAY;
        message.id <= self.newest_of_earlier_process && message.request.is_some() && is_new
    }

    /// Records that a message that was left to the worker is being posted.
    pub(crate) fn start_posting(&self, outbox_id: OutboxId) {
        self.state().left_to_worker.remove(&outbox_id);
    }
}

#[cfg(test)]
mod tests;
