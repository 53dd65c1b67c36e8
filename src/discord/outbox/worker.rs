//! The outbox worker: finds due messages and has them delivered until they are visible where they belong.

use super::LogFields;
use super::claims::Claims;
use super::delivery::Deliverer;
use crate::discord::app_handle::{AppError, AppHandle};
use crate::discord::rest::RestClient;
use crate::game::Timestamp;
use crate::store::{OutboxMessage, UnreadableMessage};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tracing::error;

const PARALLEL_POSTS: usize = 4;
const BATCH: u32 = 500;
/// How often the worker looks for messages whose pause is over.
const ROUND: Duration = Duration::from_secs(2);

const UNREADABLE: &str = "it cannot be read";

/// Posts outbox messages.
pub(crate) struct OutboxWorker {
    app: AppHandle,
    rest: RestClient,
    claims: Arc<Claims>,
    deliverer: Deliverer,
}

/// What the worker found in one round.
struct Round {
    /// Messages that could not be posted now; the next round reads that many more, to reach those behind them.
    skipped: u32,
    /// Whether every due message was looked at.
    complete: bool,
    /// How long to wait for the next round.
    pause: Duration,
}

impl OutboxWorker {
    pub(crate) fn new(deliverer: Deliverer) -> Self {
        let Deliverer { app, rest, claims, .. } = &deliverer;
        Self { app: app.clone(), rest: rest.clone(), claims: Arc::clone(claims), deliverer }
    }

    /// Posts due messages, forever.
    pub(crate) async fn run(self: Arc<Self>) {
        let slots = Arc::new(Semaphore::new(PARALLEL_POSTS));
        let mut skipped = 0;
        loop {
            let round = self.start_due_posts(&slots, BATCH.saturating_add(skipped)).await;
            skipped = round.skipped;
            if round.complete {
                self.claims.wait_for_work(round.pause).await;
            }
        }
    }

    async fn start_due_posts(self: &Arc<Self>, slots: &Arc<Semaphore>, limit: u32) -> Round {
        let (now, mut held_up) = (self.app.now(), self.claims.left_to_worker());
        let due = self.due_messages(now, limit).await.unwrap_or_else(|error| {
            error!(%error, "due outbox messages cannot be read, retrying in {} s", ROUND.as_secs());
            Vec::new()
        });
        let mut round = Round { skipped: 0, complete: due.len() < limit as usize, pause: ROUND };
        for message in due {
            let channel = message.place.thread_or_channel();
            let limited_for = self.rest.channel_pause(channel);
            if !limited_for.is_zero() {
                round.pause = round.pause.min(limited_for);
                round.skipped += 1;
                continue;
            }
            held_up.remove(&message.id);
            let Some(claim) = self.claims.claim_in_channel(&message, channel, now) else {
                round.skipped += 1;
                continue;
            };
            // The semaphore is never closed.
            let Ok(slot) = Arc::clone(slots).acquire_owned().await else { continue };
            let worker = Arc::clone(self);
            tokio::spawn(async move {
                worker.post(&message).await;
                drop((slot, claim));
            });
        }
        if round.complete {
            self.claims.set_blocked(held_up);
        }
        round
    }

    /// Reads the due messages, and forgets those that were closed in the meantime.
    async fn due_messages(&self, now: Timestamp, limit: u32) -> Result<Vec<OutboxMessage>, AppError> {
        let remembered = self.claims.remembered();
        let read = self.app.run(move |app| {
            let session = app.store().session()?;
            let due = session.due_messages(now, limit)?;
            let unreadable = if due.unreadable > 0 { session.unreadable_messages()? } else { Vec::new() };
            let mut closed = remembered;
            closed.retain(|id| !due.iter().any(|message| message.id == *id));
            closed.retain(|id| matches!(session.message(*id), Ok(None)));
            drop(session);
            for UnreadableMessage { id, game, challenge, error } in unreadable {
                // It can never be delivered, and it holds up the later messages of its game.
                let (game, challenge) = (game.map(|game| game.0), challenge.map(|challenge| challenge.0));
                error!(outbox = id.0, game, challenge, %error, "giving up an outbox message that cannot be read");
                app.store().give_up(id, UNREADABLE, app.now())?;
            }
            Ok((due.rows, closed))
        });
        let (due, closed) = read.await?;
        closed.into_iter().for_each(|id| self.claims.forget(id));
        Ok(due)
    }

    async fn post(&self, message: &OutboxMessage) {
        let Err(error) = self.deliverer.deliver(message.id).await else { return };
        let pause = self.claims.back_off(message.id);
        self.claims.wake_after(pause);
        let pause = pause.as_secs();
        let LogFields { outbox, game, challenge, channel } = LogFields::of(message);
        match error {
            AppError::Store(error) => {
                error!(outbox, game, challenge, channel, %error, "outbox message cannot be read or saved as posted, retrying in {pause} s");
            }
            AppError::Panicked => {
                error!(
                    outbox,
                    game, challenge, channel, "delivering an outbox message panicked, retrying in {pause} s"
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;
    use crate::app::App;
    use crate::discord::app_handle::tests::TestApp;
    use crate::discord::message::picture_name;
    use crate::discord::outbox::delivery::tests::{PLACE, offline_deliverer};
    use crate::discord::test_bot::{TestBot, start_game};
    use crate::discord::test_log::collect_lines;
    use crate::discord::wait_until;
    use crate::game::Seconds;
    use crate::store::OutboxId;
    use fake_discord::WAIT_LIMIT;
    use fake_discord::rest::Failure;

    const POST: &str = "POST /channels/*/messages";

    impl TestBot {
        /// Starts two games in the channel, whose first boards the worker may post.
        fn leave_two_boards_to_worker(&self) -> [OutboxId; 2] {
            let boards = [self.start_game().1.id, self.start_game().1.id];
            boards.iter().for_each(|board| self.bot.claims.leave_to_worker(*board));
            boards
        }

        /// Runs the worker until so many boards are posted; returns their pictures' names in the order of the channel.
        async fn pictures_posted(&self, count: usize) -> Vec<String> {
            let channel = self.place.channel.0;
            let posted = self.discord.wait_until("posts", |state| {
                let posts = state.posts(channel);
                (posts.len() >= count).then(|| posts.iter().map(|post| post.attachments[0].name.clone()).collect())
            });
            tokio::select! {
                () = Arc::clone(&self.bot.outbox).run() => Vec::new(),
                posted = posted => posted,
            }
        }
    }

    #[tokio::test]
    async fn a_message_left_to_the_worker_after_it_was_settled_does_not_delay_stopping() {
        let test = TestApp::new();
        let worker = OutboxWorker::new(offline_deliverer(&test));
        // The store has no open message with this id.
        worker.claims.leave_to_worker(OutboxId(7));
        assert!(!worker.claims.is_idle());
        assert_eq!(worker.due_messages(test.handle.now(), 10).await, Ok(Vec::new()));
        assert!(worker.claims.is_idle() && worker.claims.remembered().is_empty());
    }

    #[tokio::test]
    async fn a_channel_gets_one_board_at_a_time_and_the_older_one_first() {
        let test = TestBot::start().await;
        let boards = test.leave_two_boards_to_worker();
        let slots = Arc::new(Semaphore::new(PARALLEL_POSTS));
        test.discord.fail_next(POST, 1, Failure::Hold);
        for skipped in [1, 2] {
            // In the second round, the older one is being posted.
            assert_eq!(test.bot.outbox.start_due_posts(&slots, BATCH).await.skipped, skipped);
            test.discord.wait_until_held(1).await;
        }
        test.discord.clear_failures();
        assert_eq!(test.pictures_posted(2).await, boards.map(|board| picture_name(Some(board))));
    }

    #[tokio::test]
    async fn a_channel_that_takes_no_more_posts_is_left_alone_until_it_does() {
        let test = TestBot::start().await;
        test.discord.limit_posts(1, Duration::from_secs(500));
        test.bot.claims.leave_to_worker(test.start_game().1.id);
        test.pictures_posted(1).await;
        // Now it is settled, too, and the channel is not busy.
        assert!(wait_until(WAIT_LIMIT, || test.bot.claims.is_idle()).await);
        test.bot.claims.leave_to_worker(test.start_game().1.id);
        let round = test.bot.outbox.start_due_posts(&Arc::new(Semaphore::new(PARALLEL_POSTS)), BATCH).await;
        assert_eq!(round.skipped, 1);
        assert!(test.bot.claims.is_idle(), "stopping does not wait for the channel");
        assert!(test.discord.requests_to(POST).iter().all(|request| request.status == 200), "none was refused");
    }

    #[tokio::test]
    async fn a_message_whose_delivery_panics_is_left_alone_for_a_while_and_then_looked_for() {
        let test = TestApp::new();
        let (_, message) = start_game(test.handle.app(), PLACE);
        let store = test.handle.app().store().clone();
        let app = App::new(store, || panic!("a bug that this test made"), || true);
        let (app, _stopped) = AppHandle::new(Arc::new(app));
        let worker = OutboxWorker::new(Deliverer { app, ..offline_deliverer(&test) });
        worker.claims.leave_to_worker(message.id);
        let (lines, logging) = collect_lines();
        worker.post(&message).await;
        drop(logging);
        assert_eq!(*lines.lock().unwrap(), ["delivering an outbox message panicked, retrying in 1 s"]);
        assert!(worker.claims.backs_off(message.id) && worker.claims.is_maybe_sent(&message));
        worker.claims.end_back_off(message.id);
        assert!(worker.claims.claim_in_channel(&message, PLACE.channel, message.made).is_some());
    }

    #[tokio::test]
    async fn stopping_does_not_wait_for_a_message_behind_a_postponed_one() {
        let test = TestBot::start().await;
        let (game, first) = test.start_game();
        let second = test.add_message(game);
        let round = async || test.bot.outbox.start_due_posts(&Arc::new(Semaphore::new(PARALLEL_POSTS)), BATCH).await;
        test.bot.claims.leave_to_worker(second);
        test.store().postpone(first.id, test.now() + Seconds::HOUR).unwrap();
        assert!(!test.bot.claims.is_idle(), "the worker has not looked at it yet");
        round().await;
        assert!(test.bot.claims.is_idle());
        // Now it can be posted.
        test.store().give_up(first.id, "posted", test.now()).unwrap();
        round().await;
        assert!(!test.bot.claims.is_idle() || !test.is_undelivered(second));
        test.pictures_posted(1).await;
    }
}
