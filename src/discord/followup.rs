//! What follows an answer: the board where the bot may answer but not post, and words for the one who asked.

use super::Bot;
use super::hear::Ticket;
use super::letter::{LONGEST_CONTENT, Letter, allowed_mentions};
use super::outbox::{Attempt, Standing};
use super::voice::place_mention;
use super::wire::{Trouble, Upload, id};
use crate::store::OwedId;
use crate::text::house;
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
pub(super) struct Follower {
    pub(super) owed: OwedId,
    /// Where it will stand.
    pub(super) channel: u64,
    pub(super) body: Value,
    pub(super) files: Vec<Upload>,
    pub(super) has_buttons: bool,
    /// Whether the bot could find it there.
    pub(super) can_be_found: bool,
}

impl Bot {
    /// Has an owed message follow an answer that has arrived. Discord tells such messages apart by nothing, so that
    /// after a broken call it is looked whether it stands; who cannot look leaves it owed.
    pub(super) async fn follow_up(self: &Arc<Self>, ticket: &Ticket, follower: &Follower) {
        let Follower { owed, channel, body, files, has_buttons, can_be_found } = follower;
        let began = Instant::now();
        while began.elapsed() < LOOKING {
            let trouble = match self.wire.call(Method::POST, &after(ticket), Some(body), files, ONE_LOOK).await {
                Ok(message) => {
                    let (channel, message, has_buttons) = (*channel, id(&message), *has_buttons);
                    let standing = Standing { channel, message, has_buttons, apart: false };
                    return self.settle_answer(*owed, standing).await;
                }
                Err(trouble) => trouble,
            };
            debug!(request = ticket.id, %trouble, "a board does not follow its answer yet");
            match trouble {
                Trouble::TooFast { wait } => tokio::time::sleep(wait.min(LOOKING)).await,
                Trouble::NotReached(_) => tokio::time::sleep(PAUSE).await,
                Trouble::Refused { .. } => break,
                Trouble::Unclear(_) => {
                    tokio::time::sleep(PAUSE).await;
                    let looked = if *can_be_found { self.trace_of(*owed, *channel).await.ok() } else { None };
                    match looked {
                        Some(Some(trace)) => {
                            let (message, has_buttons) = (Some(trace.message), trace.has_buttons);
                            let standing = Standing { channel: *channel, message, has_buttons, apart: false };
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
    pub(super) async fn tell_what_became(&self, ticket: &Ticket, answer: &Value, became: oneshot::Receiver<Attempt>) {
        let words = match tokio::time::timeout(WATCHED, became).await {
            Ok(Ok(Attempt::InThread(thread))) => house::here_is_the_thread(&place_mention(thread)),
            Ok(Ok(Attempt::WithoutThread { channel })) => house::no_thread_here(&place_mention(channel)),
            Ok(Ok(Attempt::Forbidden { channel, missing })) => house::others_lack_it(missing, &place_mention(channel)),
            Ok(Ok(Attempt::Locked { thread })) => house::others_are_locked_out(&place_mention(thread)),
            Ok(Ok(Attempt::Homeless)) => house::others_lack_it_for_good(),
            Ok(Ok(Attempt::Expelled)) => house::others_lack_it_outside(),
            Ok(Ok(Attempt::Posted) | Err(_)) | Err(_) => return,
        };
        let said = answer["data"]["content"].as_str().unwrap_or_default();
        let content = format!("{said}\n{words}");
        if content.encode_utf16().count() > LONGEST_CONTENT {
            return self.say_more(ticket, &[Letter::words(&words).aside()]).await;
        }
        // What is not named here stays, such as the picture.
        let longer = json!({ "content": content, "allowed_mentions": allowed_mentions(&[]) });
        let path = format!("{}/messages/@original", after(ticket));
        if let Err(trouble) = self.wire.call(Method::PATCH, &path, Some(&longer), &[], ONE_LOOK).await {
            debug!(request = ticket.id, %trouble, "what an answer lacks was lost");
        }
    }

    /// Says something after an answer. It does not matter much whether it arrives.
    pub(super) async fn say_more(&self, ticket: &Ticket, messages: &[Value]) {
        let path = after(ticket);
        for said in messages {
            let mut sent = self.wire.call(Method::POST, &path, Some(said), &[], ONE_LOOK).await;
            if let Err(Trouble::TooFast { wait }) = sent {
                tokio::time::sleep(wait.min(LOOKING)).await;
                sent = self.wire.call(Method::POST, &path, Some(said), &[], ONE_LOOK).await;
            }
            if let Err(trouble) = sent {
                debug!(request = ticket.id, %trouble, "what follows an answer was lost");
                return;
            }
        }
    }
}

fn after(ticket: &Ticket) -> String {
    format!("/webhooks/{}/{}", ticket.application, ticket.token)
}
