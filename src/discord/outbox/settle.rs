//! Settles outbox messages that are visible on Discord.

use super::claims::{Claims, PostedMessage};
use crate::discord::app_handle::{AppError, AppHandle};
use crate::discord::stale_buttons::ButtonSweeper;
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

    /// Records that a message was posted, and lets the previous post lose its buttons. If the store fails, the message is
    /// remembered: the worker settles it later instead of posting it again.
    pub(crate) async fn settle(&self, outbox_id: OutboxId, posted: PostedMessage) -> Result<(), AppError> {
        let PostedMessage { channel, message, has_buttons, direct } = posted;
        let delivery = match message {
            _ if direct => Delivery::Direct { message },
            Some(message) if has_buttons => Delivery::WithButtons { channel, message },
            _ => Delivery::WithoutButtons { message },
        };
        // Remembered first: if settling fails, the worker must not post it again.
        self.claims.remember_posted(outbox_id, posted);
        let (done, settled) = oneshot::channel();
        // The receiver is dropped only when the bot stops.
        let then = move |settled| drop(done.send(settled));
        self.app.app().store().settle_later(outbox_id, delivery, self.app.now(), then);
        // The sender is dropped unused only if the writer has ended.
        match self.app.check(settled.await.unwrap_or(Err(StoreError::Stopped))) {
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
    pub(crate) async fn settle_answer(&self, outbox_id: OutboxId, posted: PostedMessage) {
        if let Err(error) = self.settle(outbox_id, posted).await {
            let (outbox, channel, post) = (outbox_id.0, posted.channel.0, posted.message);
            error!(outbox, channel, post, %error, "message was sent but could not be settled, the outbox worker tries again");
        }
    }
}
