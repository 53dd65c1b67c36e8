//! Settles outbox messages that are visible on Discord.

use super::claims::{Claims, PostedMessage};
use crate::discord::app_handle::{AppError, AppHandle};
use crate::discord::stale_buttons::ButtonSweeper;
use crate::game::Subject;
use crate::store::{Delivery, OutboxId, StoreError};
use std::sync::Arc;
use tokio::sync::oneshot;
use tracing::error;

/// Records in the store what was posted.
pub(crate) struct Settler {
    app: AppHandle,
    claims: Arc<Claims>,
    sweeper: Arc<ButtonSweeper>,
}

impl Settler {
    pub(crate) const fn new(app: AppHandle, claims: Arc<Claims>, sweeper: Arc<ButtonSweeper>) -> Self {
        Self { app, claims, sweeper }
    }

    /// Records that a message was posted, and has the buttons of the previous post removed. If the store fails, the
    /// message is remembered: the worker settles it later instead of posting it again.
    pub(crate) async fn settle(&self, outbox_id: OutboxId, posted: PostedMessage) -> Result<(), AppError> {
        let PostedMessage { channel, post, has_buttons, direct } = posted;
        let delivery = match post {
            _ if direct => Delivery::Direct { post },
            Some(post) if has_buttons => Delivery::WithButtons { channel, post },
            _ => Delivery::WithoutButtons { post },
        };
        // Remembered first: if settling fails, the worker must not post it again.
        self.claims.remember_posted(outbox_id, posted);
        let (done, settled) = oneshot::channel();
        // The receiver is dropped only when the bot stops.
        let then = move |settled| drop(done.send(settled));
        self.app.app().store().settle_later(outbox_id, delivery, self.app.now(), then);
        // The sender is dropped unused only if the writer has ended.
        match self.app.report_if_final(settled.await.unwrap_or(Err(StoreError::Stopped))) {
            Ok(stale) => {
                self.claims.forget(outbox_id);
                if stale.is_empty() {
                    // Other posts may be stale, such as that of an accepted challenge.
                    self.sweeper.wake();
                } else {
                    self.sweeper.add(stale);
                }
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Settles a message that was sent as an answer.
    pub(crate) async fn settle_answer(&self, outbox_id: OutboxId, subject: Subject, posted: PostedMessage) {
        if let Err(error) = self.settle(outbox_id, posted).await {
            let (outbox, channel, post) = (outbox_id.0, posted.channel.0, posted.post.map(|post| post.0));
            let (game, challenge) = subject.log_ids();
            error!(outbox, game, challenge, channel, post, %error, "message was posted, but that could not be saved, the outbox worker tries again");
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::discord::Bot;
    use crate::discord::test_bot::TestBot;
    use crate::discord::test_log::collect_lines;
    use crate::store::PostId;
    use serde_json::json;

    fn posted(test: &TestBot, post: PostId) -> PostedMessage {
        PostedMessage { channel: test.place.channel, post: Some(post), has_buttons: true, direct: false }
    }

    #[tokio::test]
    async fn a_settled_message_is_closed_and_leaves_nothing_in_the_claims() {
        let test = TestBot::start().await;
        let ((_, message), Bot { claims, responder, .. }) = (test.start_game(), &test.bot);
        claims.mark_maybe_sent(message.id);
        claims.leave_to_worker(message.id);
        assert_eq!(responder.settler.settle(message.id, posted(&test, PostId(7))).await, Ok(()));
        assert!(!test.is_undelivered(message.id));
        assert!(claims.is_idle() && claims.remembered().is_empty());
    }

    #[tokio::test]
    async fn a_message_that_cannot_be_settled_is_remembered_as_posted() {
        let test = TestBot::start().await;
        let (_, message) = test.start_game();
        let (lines, logging) = collect_lines();
        test.store().clone().close().unwrap();
        test.bot.responder.settler.settle_answer(message.id, message.body.subject(), posted(&test, PostId(7))).await;
        drop(logging);
        // With this, the worker settles it later and does not post it again.
        assert_eq!(test.bot.claims.posted(message.id), Some(posted(&test, PostId(7))));
        let logged = "message was posted, but that could not be saved, the outbox worker tries again";
        assert!(lines.lock().unwrap().iter().any(|line| line == logged));
    }

    #[tokio::test]
    async fn the_previous_post_of_a_game_loses_its_buttons_at_once() {
        let test = TestBot::start().await;
        let game = test.start_posted_game();
        let add_post = || test.add_post(None, |post| post.components = vec![json!({ "type": 1, "components": [] })]);
        let has_buttons = |post| test.discord.state.read(|state| !state.messages[&post].components.is_empty());
        let mut posts = Vec::new();
        for number in 0..3 {
            let (post, message) = (add_post(), test.add_message(game));
            posts.push(post);
            assert_eq!(test.bot.responder.settler.settle(message, posted(&test, PostId(post))).await, Ok(()));
            // The sweeper is told at once. It would find them by itself, but only after a minute.
            let stale: Vec<u64> = test.bot.sweeper.newly_stale_posts().iter().map(|post| post.0).collect();
            assert_eq!(stale, posts[..number]);
        }
        let sweeping = tokio::spawn(Arc::clone(&test.bot.sweeper).run());
        for stale in &posts[..2] {
            test.discord.wait_until("an edit", |state| state.messages[stale].components.is_empty().then_some(())).await;
        }
        assert!(has_buttons(posts[2]), "the newest keeps them");
        sweeping.abort();
    }
}
