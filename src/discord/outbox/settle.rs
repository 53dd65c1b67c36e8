//! Settles outbox messages that are visible on Discord.

use super::claims::{Claims, PostedMessage};
use crate::discord::app_handle::{AppError, AppHandle};
use crate::discord::stale_buttons::ButtonSweeper;
use crate::store::OutboxId;
use std::sync::Arc;
use tracing::error;

/// Notes in the store what was posted.
pub(crate) struct Settler {
    app: AppHandle,
    claims: Arc<Claims>,
    sweeper: Arc<ButtonSweeper>,
}

impl Settler {
    pub(crate) const fn new(app: AppHandle, claims: Arc<Claims>, sweeper: Arc<ButtonSweeper>) -> Self {
        Self { app, claims, sweeper }
    }

    /// Notes that a message was posted, and lets the previous post lose its buttons. If the store fails, the message is
    /// remembered: the worker settles it later instead of posting it again.
    pub(crate) async fn settle(&self, outbox_id: OutboxId, posted: PostedMessage) -> Result<(), AppError> {
        let PostedMessage { channel, message, has_buttons, direct } = posted;
        let settled = self.app.run(move |app| {
            let (store, now) = (app.store(), app.now());
            match message {
                _ if direct => store.settle_apart(outbox_id, message, now),
                Some(message) if has_buttons => store.settle_post(outbox_id, channel, message, now),
                _ => store.settle(outbox_id, message, now),
            }
        });
        let settled = settled.await;
        match settled {
            Ok(()) => self.claims.forget(outbox_id),
            Err(_) => self.claims.remember_posted(outbox_id, posted),
        }
        self.sweeper.wake();
        settled
    }

    /// Settles a message that was sent as an answer.
    pub(crate) async fn settle_answer(&self, outbox_id: OutboxId, posted: PostedMessage) {
        if let Err(error) = self.settle(outbox_id, posted).await {
            error!(outbox = outbox_id.0, %error, "message was sent but could not be settled, retrying later");
        }
    }
}
