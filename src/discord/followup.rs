//! What follows an answer: the board where the bot may answer but not post, and words for the one who asked.

use super::Bot;
use super::interaction::InteractionHandle;
use super::markup::place_mention;
use super::message::{LONGEST_CONTENT, OutgoingMessage, allowed_mentions};
use super::outbox::claims::{PostOutcome, PostedMessage};
use super::rest::client::{Attachment, RestError, id};
use crate::store::OutboxId;
use crate::text::delivery;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tracing::{debug, warn};

/// How long is looked whether something has arrived.
pub(super) const LOOKING: Duration = Duration::from_secs(30);
pub(super) const ONE_LOOK: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(500);
/// How long somebody waits to hear what became of a message that belongs somewhere else.
const WATCHED: Duration = Duration::from_secs(10);

/// An owed message that follows an answer.
pub(super) struct FollowupPost {
    pub(super) owed: OutboxId,
    /// Where it will stand.
    pub(super) channel: u64,
    pub(super) body: Value,
    pub(super) files: Vec<Attachment>,
    pub(super) has_buttons: bool,
    /// Whether the bot could find it there.
    pub(super) can_be_found: bool,
}

impl Bot {
    /// Has an owed message follow an answer that has arrived. Discord tells such messages apart by nothing, so that
    /// after a broken call it is looked whether it stands; who cannot look leaves it owed.
    pub(super) async fn follow_up(self: &Arc<Self>, ticket: &InteractionHandle, follower: &FollowupPost) {
        let FollowupPost { owed, channel, body, files, has_buttons, can_be_found } = follower;
        let began = Instant::now();
        while began.elapsed() < LOOKING {
            let error = match self.rest.call(Method::POST, &after(ticket), Some(body), files, ONE_LOOK).await {
                Ok(message) => {
                    let (channel, message, has_buttons) = (*channel, id(&message), *has_buttons);
                    let standing = PostedMessage { channel, message, has_buttons, apart: false };
                    return self.settle_answer(*owed, standing).await;
                }
                Err(error) => error,
            };
            debug!(request = ticket.id, %error, "a board does not follow its answer yet");
            match error {
                RestError::TooFast { wait } => tokio::time::sleep(wait.min(LOOKING)).await,
                RestError::NotReached(_) => tokio::time::sleep(PAUSE).await,
                RestError::Refused { .. } => break,
                RestError::Unclear(_) => {
                    tokio::time::sleep(PAUSE).await;
                    let looked = if *can_be_found { self.trace_of(*owed, *channel).await.ok() } else { None };
                    match looked {
                        Some(Some(trace)) => {
                            let (message, has_buttons) = (Some(trace.message), trace.has_buttons);
                            let standing = PostedMessage { channel: *channel, message, has_buttons, apart: false };
                            return self.settle_answer(*owed, standing).await;
                        }
                        Some(None) => {}
                        None => {
                            self.outbox.note_a_try(*owed);
                            break;
                        }
                    }
                }
            }
        }
        warn!(request = ticket.id, owed = owed.0, "a board could not follow its answer and stays owed");
        self.outbox.release(*owed);
    }

    /// Adds to an answer what has become of the message that belongs somewhere else, if the one who asked should know.
    pub(super) async fn tell_what_became(
        &self,
        ticket: &InteractionHandle,
        answer: &Value,
        became: oneshot::Receiver<PostOutcome>,
    ) {
        let words = match tokio::time::timeout(WATCHED, became).await {
            Ok(Ok(PostOutcome::InThread(thread))) => delivery::thread_link(&place_mention(thread)),
            Ok(Ok(PostOutcome::WithoutThread { channel })) => delivery::no_thread(&place_mention(channel)),
            Ok(Ok(PostOutcome::Forbidden { channel, missing })) => {
                delivery::not_posted_missing_permission(missing, &place_mention(channel))
            }
            Ok(Ok(PostOutcome::Locked { thread })) => delivery::not_posted_thread_locked(&place_mention(thread)),
            Ok(Ok(PostOutcome::Homeless)) => delivery::not_posted_channel_gone(),
            Ok(Ok(PostOutcome::Expelled)) => delivery::not_posted_not_in_server(),
            Ok(Ok(PostOutcome::Posted) | Err(_)) | Err(_) => return,
        };
        let said = answer["data"]["content"].as_str().unwrap_or_default();
        let content = format!("{said}\n{words}");
        if content.encode_utf16().count() > LONGEST_CONTENT {
            return self.say_more(ticket, &[OutgoingMessage::words(&words).aside()]).await;
        }
        // What is not named here stays, such as the picture.
        let longer = json!({ "content": content, "allowed_mentions": allowed_mentions(&[]) });
        let path = format!("{}/messages/@original", after(ticket));
        if let Err(error) = self.rest.call(Method::PATCH, &path, Some(&longer), &[], ONE_LOOK).await {
            debug!(request = ticket.id, %error, "what an answer lacks was lost");
        }
    }

    /// Says something after an answer. It does not matter much whether it arrives.
    pub(super) async fn say_more(&self, ticket: &InteractionHandle, messages: &[Value]) {
        let path = after(ticket);
        for said in messages {
            let mut sent = self.rest.call(Method::POST, &path, Some(said), &[], ONE_LOOK).await;
            if let Err(RestError::TooFast { wait }) = sent {
                tokio::time::sleep(wait.min(LOOKING)).await;
                sent = self.rest.call(Method::POST, &path, Some(said), &[], ONE_LOOK).await;
            }
            if let Err(error) = sent {
                debug!(request = ticket.id, %error, "what follows an answer was lost");
                return;
            }
        }
    }
}

fn after(ticket: &InteractionHandle) -> String {
    format!("/webhooks/{}/{}", ticket.application, ticket.token)
}
