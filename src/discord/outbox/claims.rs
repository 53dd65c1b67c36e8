//! Whose business an owed message is just now: somebody's who answers with it, or the bot's, who posts it. And what this
//! process knows of it besides, whatever the store can note.

use crate::game::{Seconds, Timestamp};
use crate::store::{OutboxId, OutboxMessage};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, oneshot};

/// An answer may be under way for a message this young, unless somebody has released it or the process that would
/// answer has ended.
const YOUNG: Seconds = Seconds(8);
/// Whoever is called by a message sees it before Discord has told us so, but not much.
const SLOW: Duration = Duration::from_secs(1);
/// How long a message with which the store does not deal is left alone in the end.
const LONGEST_REST: Duration = Duration::from_secs(15 * 60);

/// Which owed messages are whose business.
pub(in crate::discord) struct Claims {
    wake: Notify,
    /// The last message that an earlier process owed: nobody answers with that or those before.
    inherited: OutboxId,
    state: Mutex<ClaimsState>,
}

#[derive(Default)]
struct ClaimsState {
    /// Being answered or posted just now, by how many, and since when.
    held: HashMap<OutboxId, (u32, Instant)>,
    /// To be posted without waiting, since when.
    released: HashMap<OutboxId, Instant>,
    /// Where something is being posted just now.
    writing: HashSet<u64>,
    /// Those who want to know what becomes of a message.
    watchers: HashMap<OutboxId, Vec<oneshot::Sender<PostOutcome>>>,
    /// What happened to messages that are still owed.
    past: HashMap<OutboxId, DeliveryHistory>,
}

/// What happened in this process to a message that is still owed.
#[derive(Default)]
struct DeliveryHistory {
    /// Whether something may have been done for it without anybody hearing of it.
    tried: bool,
    /// How often Discord did not take it.
    refusals: u32,
    /// How often the store did not deal with it, and until when it is left alone for that.
    stumbles: u32,
    rests_until: Option<Instant>,
    /// As what it stands, if all that is missing is a note of that.
    stands: Option<PostedMessage>,
}

/// As what a message stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::discord) struct PostedMessage {
    /// The channel or thread.
    pub(in crate::discord) channel: u64,
    /// The number of the message, where Discord has told it.
    pub(in crate::discord) message: Option<u64>,
    pub(in crate::discord) has_buttons: bool,
    /// Whether one player alone sees it, so that what stands in the game's place stays as it is.
    pub(in crate::discord) apart: bool,
}

/// What became of a try to post a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::discord) enum PostOutcome {
    /// It stands where it belongs.
    Posted,
    /// There is a thread for it now.
    InThread(u64),
    /// It stands, but no thread could be made for it.
    WithoutThread {
        /// Where it stands.
        channel: u64,
    },
    /// The bot may not post there.
    Forbidden {
        /// Where.
        channel: u64,
        /// What is missing there.
        missing: &'static str,
    },
    /// A moderator has closed its thread, so that nobody else can open it.
    Locked {
        /// Which one.
        thread: u64,
    },
    /// Its place is gone.
    Homeless,
    /// The bot is not in the server any more.
    Expelled,
}

/// Keeps everybody else from posting a message as long as it lives.
pub(in crate::discord) struct Claim {
    outbox: Arc<Claims>,
    owed: OutboxId,
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut state = self.outbox.state();
        if let Some((holders, _)) = state.held.get_mut(&self.owed) {
            *holders -= 1;
            if *holders == 0 {
                state.held.remove(&self.owed);
            }
        }
        drop(state);
        self.outbox.wake.notify_one();
    }
}

/// Keeps everything else from being posted in the same channel as long as it lives: so messages stand there in order,
/// and it is known how many more Discord takes.
pub(in crate::discord) struct ChannelTurn {
    outbox: Arc<Claims>,
    channel: u64,
    hold: Option<Claim>,
}

impl Drop for ChannelTurn {
    fn drop(&mut self) {
        self.outbox.state().writing.remove(&self.channel);
        // Last, because it wakes whoever waits for the channel.
        drop(self.hold.take());
    }
}

impl Claims {
    /// Makes an outbox that goes on where an earlier process ended, with the last message it owed.
    pub(in crate::discord) fn new(inherited: OutboxId) -> Self {
        Self { wake: Notify::new(), inherited, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, ClaimsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a message from being posted.
    pub(in crate::discord) fn hold(self: &Arc<Self>, owed: OutboxId) -> Claim {
        self.hold_since(owed, Instant::now())
    }

    fn hold_since(self: &Arc<Self>, owed: OutboxId, since: Instant) -> Claim {
        self.state().held.entry(owed).or_insert((0, since)).0 += 1;
        Claim { outbox: Arc::clone(self), owed }
    }

    /// Has a message posted as soon as nobody holds it.
    pub(in crate::discord) fn release(&self, owed: OutboxId) {
        self.keep_released(owed);
        self.wake.notify_one();
    }

    /// Has a message posted when it is due again, without waiting for anybody else.
    pub(in crate::discord) fn keep_released(&self, owed: OutboxId) {
        self.state().released.entry(owed).or_insert_with(Instant::now);
    }

    /// Waits until there may be something to post, but not for long.
    pub(in crate::discord) async fn wait(&self, most: Duration) {
        let _ = tokio::time::timeout(most, self.wake.notified()).await;
    }

    /// Has the outbox look at what is owed.
    pub(in crate::discord) fn nudge(&self) {
        self.wake.notify_one();
    }

    /// Notes that something may have been done for a message, so that it is looked for before it is posted. This need
    /// not outlive the process: whatever that leaves behind is looked for by the next one.
    pub(in crate::discord) fn note_a_try(&self, owed: OutboxId) {
        self.state().past.entry(owed).or_default().tried = true;
    }

    /// Tells whether something may have been done for a message already.
    pub(in crate::discord) fn was_tried(&self, owed: &OutboxMessage) -> bool {
        let here = self.state().past.get(&owed.id).is_some_and(|past| past.tried);
        here || owed.attempts > 0 || owed.id <= self.inherited
    }

    /// Notes that Discord did not take a message; tells how often that was.
    pub(in crate::discord) fn count_refusal(&self, owed: OutboxId) -> u32 {
        let mut state = self.state();
        let past = state.past.entry(owed).or_default();
        past.refusals += 1;
        past.refusals
    }

    /// Leaves a message alone with which the store did not deal, longer each time; tells for how long.
    pub(in crate::discord) fn rest(&self, owed: OutboxId) -> Duration {
        let mut state = self.state();
        let past = state.past.entry(owed).or_default();
        let pause = Duration::from_secs(1 << past.stumbles.min(10)).min(LONGEST_REST);
        past.stumbles += 1;
        past.tried = true;
        past.rests_until = Some(Instant::now() + pause);
        pause
    }

    /// Has a message that rests tried again without waiting.
    pub(in crate::discord) fn rouse(&self, owed: OutboxId) {
        if let Some(past) = self.state().past.get_mut(&owed) {
            past.rests_until = None;
        }
    }

    /// Remembers that a message stands, until that is noted.
    pub(in crate::discord) fn remember(&self, owed: OutboxId, standing: PostedMessage) {
        self.state().past.entry(owed).or_default().stands = Some(standing);
    }

    /// Tells as what a message stands that could not be noted.
    pub(in crate::discord) fn standing(&self, owed: OutboxId) -> Option<PostedMessage> {
        self.state().past.get(&owed).and_then(|past| past.stands)
    }

    /// Forgets a message that is not owed any more.
    pub(in crate::discord) fn forget(&self, owed: OutboxId) {
        let mut state = self.state();
        state.past.remove(&owed);
        state.released.remove(&owed);
    }

    /// Tells whether a message waits to be posted, or is on its way for so long that nobody can have seen it.
    pub(in crate::discord) fn is_stuck(&self, owed: &OutboxMessage, now: Timestamp) -> bool {
        let tried = self.was_tried(owed);
        let state = self.state();
        match state.held.get(&owed.id) {
            // What was tried before in vain is late already.
            Some((_, since)) => tried || since.elapsed() > SLOW,
            // A young one is about to be answered, or was just now.
            None => state.released.contains_key(&owed.id) || self.has_waited(owed, now),
        }
    }

    /// Tells whether nobody can be about to answer with a message any more.
    fn has_waited(&self, owed: &OutboxMessage, now: Timestamp) -> bool {
        owed.id <= self.inherited || now >= owed.made + YOUNG
    }

    /// Listens to what becomes of a message.
    pub(in crate::discord) fn watch(&self, owed: OutboxId) -> oneshot::Receiver<PostOutcome> {
        let (tell, told) = oneshot::channel();
        let mut state = self.state();
        // Whoever did not want to wait any longer is gone.
        state.watchers.retain(|_, watchers| watchers.iter().any(|watcher| !watcher.is_closed()));
        state.watchers.entry(owed).or_default().push(tell);
        told
    }

    /// Tells those who listen what has become of a message.
    pub(in crate::discord) fn report(&self, owed: OutboxId, attempt: PostOutcome) {
        let watchers = self.state().watchers.remove(&owed).unwrap_or_default();
        for watcher in watchers {
            // Nobody may be listening any more.
            let _ = watcher.send(attempt);
        }
    }

    pub(in crate::discord) fn is_idle(&self) -> bool {
        let state = self.state();
        state.held.is_empty() && state.released.is_empty()
    }

    /// Takes a message to post it in a channel, if it is its time and nobody else has the message or the channel.
    pub(in crate::discord) fn take(
        self: &Arc<Self>,
        owed: &OutboxMessage,
        channel: u64,
        now: Timestamp,
    ) -> Option<ChannelTurn> {
        let mut state = self.state();
        let wanted = state.released.contains_key(&owed.id) || self.has_waited(owed, now);
        let rests = state.past.get(&owed.id).and_then(|past| past.rests_until).is_some_and(|end| end > Instant::now());
        if !wanted || rests || state.held.contains_key(&owed.id) || !state.writing.insert(channel) {
            return None;
        }
        // What has waited for its turn is on its way since then.
        let since = state.released.get(&owed.id).copied().unwrap_or_else(Instant::now);
        drop(state);
        Some(ChannelTurn { outbox: Arc::clone(self), channel, hold: Some(self.hold_since(owed.id, since)) })
    }

    /// Notes that a message that was released is being posted.
    pub(in crate::discord) fn begin(&self, owed: OutboxId) {
        self.state().released.remove(&owed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{GameId, Place};

    const NOW: Timestamp = Timestamp(1_000);

    fn owed(id: u64, made: Timestamp) -> OutboxMessage {
        let place = Place { server: None, channel: 1, thread: None };
        let (id, game, news) = (OutboxId(id), Some(GameId(1)), String::from("{}"));
        OutboxMessage { id, game, challenge: None, place, news, call: None, made, attempts: 0, request: None }
    }

    fn outbox() -> Arc<Claims> {
        Arc::new(Claims::new(OutboxId(5)))
    }

    #[test]
    fn a_message_that_is_just_being_answered_is_not_stuck() {
        let (outbox, new) = (outbox(), owed(6, NOW));
        assert!(!outbox.is_stuck(&new, NOW), "somebody is about to answer with it");
        let held = outbox.hold(new.id);
        assert!(!outbox.is_stuck(&new, NOW), "somebody answers with it");
        assert!(!outbox.is_stuck(&new, NOW + YOUNG), "whatever the clock says");
        drop(held);
        assert!(!outbox.is_stuck(&new, NOW), "it was answered, but that is not noted yet");
    }

    #[test]
    fn a_message_that_nobody_answers_with_is_stuck() {
        let outbox = outbox();
        assert!(outbox.is_stuck(&owed(6, NOW), NOW + YOUNG), "it has waited for too long");
        assert!(outbox.is_stuck(&owed(5, NOW), NOW), "whoever would have answered is gone");
        let lost = owed(7, NOW);
        outbox.release(lost.id);
        assert!(outbox.is_stuck(&lost, NOW), "the answer was lost");
    }

    #[test]
    fn a_message_on_its_way_for_long_is_stuck() {
        let (outbox, slow) = (outbox(), owed(6, NOW));
        let held = outbox.hold(slow.id);
        if let Some((_, since)) = outbox.state().held.get_mut(&slow.id) {
            *since -= SLOW * 2;
        }
        assert!(outbox.is_stuck(&slow, NOW));
        drop(held);
    }

    #[test]
    fn a_message_that_stumbled_rests_longer_each_time_and_is_looked_for_before_it_is_posted() {
        let (outbox, new) = (outbox(), owed(6, NOW));
        let later = NOW + YOUNG;
        assert!(!outbox.was_tried(&new) && outbox.take(&new, 1, later).is_some());
        let pauses: Vec<u64> = (0..12).map(|_| outbox.rest(new.id).as_secs()).collect();
        assert_eq!(pauses[..5], [1, 2, 4, 8, 16]);
        assert_eq!(pauses.last(), Some(&LONGEST_REST.as_secs()));
        assert!(outbox.was_tried(&new) && outbox.take(&new, 1, later).is_none(), "it is left alone");
        assert!(outbox.take(&owed(7, NOW), 1, later).is_some(), "the channel is not");
        outbox.rouse(new.id);
        assert!(outbox.take(&new, 1, later).is_some(), "somebody waits for it");
    }

    #[test]
    fn a_message_that_is_not_owed_any_more_leaves_nothing_behind() {
        let (outbox, new) = (outbox(), owed(6, NOW));
        outbox.release(new.id);
        outbox.count_refusal(new.id);
        outbox.remember(new.id, PostedMessage { channel: 1, message: Some(2), has_buttons: true, apart: false });
        outbox.forget(new.id);
        assert!(outbox.is_idle() && outbox.state().past.is_empty());
    }

    #[test]
    fn a_message_that_was_released_stays_so_until_it_is_really_posted() {
        let (outbox, new) = (outbox(), owed(6, NOW));
        outbox.release(new.id);
        // The list that it was taken from was an old one, and it is not due again.
        drop(outbox.take(&new, 1, NOW));
        let turn = outbox.take(&new, 1, NOW);
        assert!(turn.is_some());
        outbox.begin(new.id);
        drop(turn);
        assert!(outbox.take(&new, 1, NOW).is_none());
    }

    #[test]
    fn a_message_that_waited_before_it_went_on_its_way_is_stuck() {
        let (outbox, slow) = (outbox(), owed(6, NOW));
        outbox.release(slow.id);
        if let Some(since) = outbox.state().released.get_mut(&slow.id) {
            *since -= SLOW * 2;
        }
        let turn = outbox.take(&slow, 1, NOW);
        assert!(turn.is_some() && outbox.is_stuck(&slow, NOW));
        outbox.begin(slow.id);
        drop(turn);
        outbox.release(slow.id);
        let turn = outbox.take(&slow, 1, NOW);
        assert!(turn.is_some() && !outbox.is_stuck(&slow, NOW), "this time it was quick");
        drop(turn);
    }

    #[test]
    fn a_message_on_its_way_once_more_is_stuck() {
        let outbox = outbox();
        let again = OutboxMessage { attempts: 1, ..owed(6, NOW) };
        let held = [outbox.hold(again.id), outbox.hold(OutboxId(5))];
        assert!(outbox.is_stuck(&again, NOW), "nobody saw it the first time");
        assert!(outbox.is_stuck(&owed(5, NOW), NOW), "nor what an earlier process owed");
        drop(held);
    }

    #[tokio::test]
    async fn whoever_watches_hears_once_what_became_of_a_message() {
        let outbox = outbox();
        let (one, other) = (outbox.watch(OutboxId(6)), outbox.watch(OutboxId(6)));
        outbox.report(OutboxId(7), PostOutcome::Homeless);
        outbox.report(OutboxId(6), PostOutcome::Posted);
        outbox.report(OutboxId(6), PostOutcome::Homeless);
        assert_eq!((one.await, other.await), (Ok(PostOutcome::Posted), Ok(PostOutcome::Posted)));
        drop(outbox.watch(OutboxId(8)));
        drop(outbox.watch(OutboxId(9)));
        assert_eq!(outbox.state().watchers.len(), 1, "who is gone is forgotten");
    }
}
