//! What follows an answer: the board where the bot may answer but not post, further text, and what became of a message
//! that belongs in another channel.

use super::interaction::InteractionHandle;
use super::markup::channel_mention;
use super::message::{MAX_CONTENT, OutgoingMessage, allowed_mentions, fits};
use super::outbox::claims::{Claims, PostOutcome, PostedMessage};
use super::outbox::reconcile::Reconciler;
use super::outbox::settle::Settler;
use super::rest::client::parse_id;
use super::rest::{
    ANSWER_TIMEOUT, Attachment, Call, RETRY_TIME, RestClient, RestError, RetryDecision, RetryPolicy, Route,
};
use crate::game::{ChannelId, Subject};
use crate::store::{OutboxId, PostId};
use crate::text::delivery;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tracing::{debug, warn};

const PAUSE: Duration = Duration::from_millis(500);
/// How long Discord may take to process a call before the bot considers it lost.
const PROCESSING_TIME: Duration = Duration::from_secs(15);
/// How long to wait for the outcome of a message that belongs in another channel.
const OUTCOME_TIME: Duration = Duration::from_secs(10);

/// An outbox message that is sent after an answer.
pub(super) struct FollowupPost {
    pub(super) outbox_id: OutboxId,
    pub(super) subject: Subject,
    pub(super) channel: ChannelId,
    pub(super) body: Value,
    pub(super) files: Vec<Attachment>,
    pub(super) has_buttons: bool,
    /// Whether the bot can look for it in the channel.
    pub(super) can_be_found: bool,
}

/// Sends what follows an answer.
pub(super) struct FollowupSender {
    pub(super) rest: RestClient,
    pub(super) claims: Arc<Claims>,
    pub(super) settler: Arc<Settler>,
    pub(super) reconciler: Arc<Reconciler>,
}

impl FollowupSender {
    /// Sends an outbox message after an answer. A follow-up has no nonce, so after a broken call the bot looks for it; if
    /// it cannot look, the message stays in the outbox.
    pub(super) async fn post_followup(&self, interaction: &InteractionHandle, followup: &FollowupPost) {
        let FollowupPost { outbox_id, subject, channel, body, files, has_buttons, can_be_found } = followup;
        let call = Call::with_files(followup_route(interaction), body, files);
        let policy = RetryPolicy::until(Instant::now() + RETRY_TIME, ANSWER_TIMEOUT, PAUSE);
        let decide = |error: &RestError, begun: Instant| {
            if !matches!(error, RestError::Unclear(_)) {
                return RetryDecision::Default;
            }
            RetryDecision::Ask(Box::pin(async move {
                if !*can_be_found {
                    return RetryDecision::GiveUp;
                }
                // After a timeout, Discord may still be processing the call. After a broken connection, looking once is
                // enough.
                let over = if begun.elapsed() >= ANSWER_TIMEOUT { begun + PROCESSING_TIME } else { begun };
                match self.reconciler.find_until(over, *outbox_id, *channel).await {
                    Ok(Some(post)) => RetryDecision::Done(post),
                    Ok(None) => RetryDecision::RepeatAfter(Duration::ZERO),
                    Err(_) => RetryDecision::GiveUp,
                }
            }))
        };
        match self.rest.send_with_retry(call, policy, decide).await {
            Ok(created) => {
                let (channel, post, has_buttons) = (*channel, parse_id(&created).map(PostId), *has_buttons);
                let posted = PostedMessage { channel, post, has_buttons, direct: false };
                self.settler.settle_answer(*outbox_id, *subject, posted).await;
            }
            Err(failed) => {
                let error = failed.error;
                let (request, player, (game, challenge)) = (interaction.id.0, interaction.player.0, subject.log_ids());
                warn!(request, player, outbox = outbox_id.0, game, challenge, channel = channel.0, %error, "board could not follow its answer, leaving it to the outbox worker");
                self.claims.mark_failure_logged(*outbox_id);
                if failed.unclear {
                    self.claims.mark_maybe_sent(*outbox_id);
                }
                self.claims.leave_to_worker(*outbox_id);
            }
        }
    }

    /// Adds to an answer what became of the message that belongs in another channel, if the player should know.
    pub(super) async fn add_outcome(
        &self,
        interaction: &InteractionHandle,
        answer: &Value,
        outbox_id: OutboxId,
        outcome: oneshot::Receiver<PostOutcome>,
    ) {
        let Ok(Ok(outcome)) = tokio::time::timeout(OUTCOME_TIME, outcome).await else { return };
        let text = match outcome {
            PostOutcome::Posted => return,
            PostOutcome::InThread(thread) => delivery::thread_link(&channel_mention(thread)),
            PostOutcome::WithoutThread { channel } => delivery::no_thread(&channel_mention(channel)),
            PostOutcome::Forbidden { channel, missing } => {
                delivery::not_posted_missing_permission(missing, &channel_mention(channel))
            }
            PostOutcome::Locked { thread } => delivery::not_posted_thread_locked(&channel_mention(thread)),
            PostOutcome::ChannelGone => delivery::not_posted_channel_gone(),
            PostOutcome::ServerGone => delivery::not_posted_not_in_server(),
        };
        let content = format!("{}\n{text}", answer["data"]["content"].as_str().unwrap_or_default());
        if !fits(&content, MAX_CONTENT) {
            let message = OutgoingMessage::private_text(&text).json_with_flags();
            return self.send_further(interaction, &[message], Some(outbox_id)).await;
        }
        // Fields that are absent stay as they are, such as the picture.
        let edit = json!({ "content": content, "allowed_mentions": allowed_mentions(&[]) });
        let route = Route::EditAnswer { application: interaction.application, token: &interaction.token };
        if let Err(error) = self.rest.send(Call::with_body(route, &edit), ANSWER_TIMEOUT).await {
            let (request, player, outbox) = (interaction.id.0, interaction.player.0, outbox_id.0);
            debug!(request, player, outbox, %error, "the outcome cannot be added to an answer, the player is not told");
        }
    }

    /// Sends more text after an answer. Tries again only if Discord asks to wait: losing the text does little harm.
    /// `outbox_id` says for the log what the answer is about.
    pub(super) async fn send_further(
        &self,
        interaction: &InteractionHandle,
        messages: &[Value],
        outbox_id: Option<OutboxId>,
    ) {
        for message in messages {
            let deadline = Instant::now() + ANSWER_TIMEOUT;
            let policy = RetryPolicy { attempts: 2, ..RetryPolicy::until(deadline, ANSWER_TIMEOUT, PAUSE) };
            let call = Call::with_body(followup_route(interaction), message);
            let decide = |error: &RestError, _: Instant| match error {
                RestError::RateLimited { .. } => RetryDecision::Default,
                _ => RetryDecision::GiveUp,
            };
            if let Err(failed) = self.rest.send_with_retry(call, policy, decide).await {
                let (request, player, error) = (interaction.id.0, interaction.player.0, failed.error);
                debug!(request, player, outbox = outbox_id.map(|id| id.0), %error, "text after an answer cannot be sent, not retrying");
                return;
            }
        }
    }
}

const fn followup_route(interaction: &InteractionHandle) -> Route<'_> {
    Route::PostFollowup { application: interaction.application, token: interaction.token.as_str() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::discord::interaction::{Incoming, Source};
    use crate::discord::test_bot::{ATTACKER, TestBot, first_move};
    use crate::discord::test_log::collect_lines;
    use crate::discord::wait_until;
    use fake_discord::rest::Failure;
    use fake_discord::state::permissions;

    const FOLLOWUP: &str = "POST /webhooks/*/*";

    /// Returns a player's move in a private menu, in a channel where the bot may answer but not post.
    fn choose_move(test: &TestBot) -> Incoming {
        let mut request = test.interact(first_move(test.start_posted_game()), Source::PrivateMessage);
        test.discord.deny_bot(test.place.channel.0, permissions::SEND);
        request.permissions.post = false;
        request
    }

    /// Returns whether the player has received a private message with this text.
    fn is_told(test: &TestBot, text: &str) -> bool {
        test.discord.state.read(|state| {
            state.messages.values().any(|message| message.reader == Some(ATTACKER.0) && message.content == text)
        })
    }

    #[tokio::test]
    async fn the_board_follows_an_answer_where_the_bot_may_not_post() {
        let test = TestBot::start().await;
        let request = choose_move(&test);
        let interaction = request.interaction.clone();
        test.respond(request);
        test.wait_until_answered().await;
        assert_eq!(test.answer_to(&interaction), delivery::played("d2-c2"));
        assert_eq!(test.posts().len(), 1);
        assert!(!test.is_undelivered(test.newest_message()));
        assert!(is_told(&test, &delivery::cannot_post_here()));
    }

    #[tokio::test]
    async fn a_board_that_arrived_without_a_confirmation_is_found_and_not_sent_again() {
        let test = TestBot::start().await;
        let request = choose_move(&test);
        test.discord.fail_next(FOLLOWUP, 1, Failure::CloseAfterEffect);
        test.respond(request);
        test.wait_until_answered().await;
        assert_eq!(test.posts().len(), 1);
        assert!(!test.is_undelivered(test.newest_message()));
    }

    #[tokio::test]
    async fn a_board_that_may_have_arrived_where_the_bot_cannot_look_is_left_to_the_worker() {
        let test = TestBot::start().await;
        let mut request = choose_move(&test);
        request.permissions.read_history = false;
        test.discord.fail_next(FOLLOWUP, 1, Failure::CloseAfterEffect);
        let (lines, logging) = collect_lines();
        test.respond(request);
        test.wait_until_answered().await;
        drop(logging);
        assert_eq!(test.posts().len(), 1, "it is not sent blindly again");
        let store = test.store();
        let message = store.session().unwrap().message(test.newest_message()).unwrap().unwrap();
        assert!(test.bot.claims.is_maybe_sent(&message), "the worker looks for it");
        assert!(test.bot.claims.claim_in_channel(&message, test.place.channel, message.made).is_some());
        let logged = "board could not follow its answer, leaving it to the outbox worker";
        assert!(lines.lock().unwrap().iter().any(|line| line == logged));
    }

    #[tokio::test]
    async fn a_board_that_discord_may_still_be_processing_is_looked_for_even_if_its_retry_is_refused() {
        let test = TestBot::start().await;
        let request = choose_move(&test);
        // The search after the first attempt finds nothing.
        test.discord.fail_next(FOLLOWUP, 1, Failure::Status(500));
        test.discord.fail_next(FOLLOWUP, 1, Failure::Status(404));
        test.respond(request);
        test.wait_until_answered().await;
        assert_eq!(test.discord.requests_to("GET /channels/*/messages").len(), 1);
        assert!(test.posts().is_empty());
        let message = test.store().session().unwrap().message(test.newest_message()).unwrap().unwrap();
        assert!(test.bot.claims.is_maybe_sent(&message), "the worker looks for it before it posts");
    }

    #[tokio::test]
    async fn a_board_that_discord_processes_slowly_is_waited_for_and_not_sent_again() {
        let test = TestBot::start().await;
        let request = choose_move(&test);
        test.discord.fail_next(FOLLOWUP, 1, Failure::Hold);
        test.respond(request);
        // The call is over, and the channel has nothing yet.
        let has_looked = || !test.discord.requests_to("GET /channels/*/messages").is_empty();
        assert!(wait_until(fake_discord::WAIT_LIMIT, has_looked).await, "the bot looks for the board");
        assert!(test.posts().is_empty());
        test.discord.clear_failures();
        test.wait_until_answered().await;
        assert_eq!(test.posts().len(), 1);
        assert!(!test.is_undelivered(test.newest_message()));
    }

    #[tokio::test]
    async fn each_part_of_a_long_answer_has_its_own_time() {
        let test = TestBot::start().await;
        let request = test.interact(first_move(test.start_posted_game()), Source::Command);
        let interaction = request.interaction.clone();
        test.respond(request);
        test.wait_until_answered().await;
        // Together they take longer than one call may.
        test.discord.fail_next(FOLLOWUP, 4, Failure::Delay(ANSWER_TIMEOUT * 2 / 7));
        let parts: Vec<String> = (1..=4).map(|part| format!("part {part}")).collect();
        let messages: Vec<Value> =
            parts.iter().map(|part| OutgoingMessage::private_text(part).json_with_flags()).collect();
        test.bot.responder.followups.send_further(&interaction, &messages, None).await;
        assert!(parts.iter().all(|part| is_told(&test, part)));
    }

    #[tokio::test]
    async fn the_player_is_told_below_the_answer_why_nobody_else_sees_it() {
        let test = TestBot::start().await;
        let mut request = test.interact(first_move(test.start_posted_game()), Source::Command);
        request.reject(String::from("Played."));
        let interaction = request.interaction.clone();
        test.respond(request);
        test.wait_until_answered().await;
        let add = async |answer: &str, outcome| {
            let (report, reported) = oneshot::channel();
            report.send(outcome).unwrap();
            let (answer, outbox_id) = (json!({ "data": { "content": answer } }), test.newest_message());
            test.bot.responder.followups.add_outcome(&interaction, &answer, outbox_id, reported).await;
        };
        add("Played.", PostOutcome::Posted).await;
        assert_eq!(test.answer_to(&interaction), "Played.");
        let why = delivery::not_posted_channel_gone();
        add("Played.", PostOutcome::ChannelGone).await;
        assert_eq!(test.answer_to(&interaction), format!("Played.\n{why}"));
        assert!(!is_told(&test, &why));
        add(&"a".repeat(MAX_CONTENT), PostOutcome::ChannelGone).await;
        assert!(is_told(&test, &why), "in a message of its own, if the answer has no room");
    }
}
