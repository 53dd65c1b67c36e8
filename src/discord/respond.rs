//! Answers interactions within Discord's three seconds, and finds out whether the answer has arrived.

use super::followup::FollowupSender;
use super::interaction::{Incoming, InteractionHandle};
use super::message::is_private;
use super::metrics::Metrics;
use super::outbox::claims::{Claims, PostedMessage};
use super::outbox::settle::Settler;
use super::prepare::{Carried, PreparedAnswer, Preparer};
use super::rest::client::parse_id;
use super::rest::{
    ANSWER_TIMEOUT, Call, CallFailed, RETRY_TIME, RestClient, RestError, RetryDecision, RetryPolicy, Route, code,
};
use super::stale_buttons::ButtonSweeper;
use crate::game::{ChannelId, PlayerId};
use crate::store::PostId;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tracing::{debug, info, warn};

/// Discord waits three seconds for the first answer, including the time on the network.
const ANSWER_DEADLINE: Duration = Duration::from_millis(2_900);
/// After this time Discord cannot accept the first answer any more, not even one that it is still processing.
const ANSWER_OVER: Duration = Duration::from_secs(4);
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// What became of an answer.
enum AnswerOutcome {
    /// It arrived, as this post if Discord has returned its id.
    Delivered(Option<PostId>),
    /// The player got a plain text instead.
    Replaced,
    Lost,
    /// Discord did not say whether it arrived.
    Unknown,
}

/// Answers interactions.
pub(super) struct Responder {
    pub(super) preparer: Preparer,
    pub(super) rest: RestClient,
    pub(super) claims: Arc<Claims>,
    pub(super) settler: Arc<Settler>,
    pub(super) followups: FollowupSender,
    pub(super) sweeper: Arc<ButtonSweeper>,
    pub(super) metrics: Arc<Metrics>,
    /// How much longer an answer may take than Discord allows: see [`super::BotConfig::extra_answer_time`].
    pub(super) extra_answer_time: Duration,
    /// The bot's own runtime.
    pub(super) runtime: Handle,
    /// Whether the bot is stopping; what fails now is posted at the next start.
    pub(super) stopping: Arc<AtomicBool>,
    /// Shared by every request that is being answered.
    pub(super) in_flight: Arc<()>,
}

impl Responder {
    /// Starts to answer an interaction. The caller's thread does none of the work.
    pub(super) fn respond(self: &Arc<Self>, incoming: Incoming, arrived: Instant) {
        let (responder, in_flight) = (Arc::clone(self), Arc::clone(&self.in_flight));
        let interaction = incoming.interaction.clone();
        let channel = incoming.place.thread_or_channel();
        if incoming.permissions.see {
            self.sweeper.recheck_channel(channel);
        }
        // From the gateway's thread to one that may block, and from there to a task that sends.
        self.runtime.spawn_blocking(move || {
            let prepared = responder.preparer.prepare(incoming);
            // From here on the outbox worker leaves the message alone.
            let claim = prepared.claimed().map(|outbox_id| responder.claims.claim(outbox_id));
            Handle::current().spawn(async move {
                responder.deliver(interaction, channel, prepared, arrived).await;
                drop((claim, in_flight));
            });
        });
    }

    /// Returns whether no request is being answered.
    pub(super) fn is_idle(&self) -> bool {
        Arc::strong_count(&self.in_flight) == 1
    }

    async fn deliver(
        self: &Arc<Self>,
        interaction: InteractionHandle,
        channel: ChannelId,
        prepared: PreparedAnswer,
        arrived: Instant,
    ) {
        let watched = prepared.delayed.or(prepared.for_worker.first().copied());
        let watched = watched.map(|outbox_id| (outbox_id, self.claims.watch(outbox_id)));
        prepared.for_worker.iter().for_each(|outbox_id| self.claims.leave_to_worker(*outbox_id));
        let outcome = self.send(&interaction, &prepared, arrived).await;
        if let AnswerOutcome::Delivered(post) = outcome {
            let took = arrived.elapsed();
            self.metrics.count_answer(took);
            // A JSON log would write the u128 of `as_millis` as a string.
            let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
            let (outbox, (game, challenge)) = (prepared.claimed().map(|id| id.0), prepared.subject_ids());
            let (request, post) = (interaction.id.0, post.map(|post| post.0));
            debug!(request, ms, outbox, game, challenge, channel = channel.0, post, "answered");
        }
        match &prepared.carried {
            None => {}
            Some(Carried::Answer { outbox_id, subject, has_buttons }) => match outcome {
                AnswerOutcome::Delivered(post) => {
                    let posted = PostedMessage { channel, post, has_buttons: *has_buttons, direct: false };
                    self.settler.settle_answer(*outbox_id, *subject, posted).await;
                }
                AnswerOutcome::Unknown => {
                    self.claims.mark_maybe_sent(*outbox_id);
                    self.claims.leave_to_worker(*outbox_id);
                }
                AnswerOutcome::Replaced | AnswerOutcome::Lost => self.claims.leave_to_worker(*outbox_id),
            },
            Some(Carried::Followup(followup)) => match outcome {
                AnswerOutcome::Delivered(_) | AnswerOutcome::Replaced => {
                    self.followups.post_followup(&interaction, followup).await
                }
                AnswerOutcome::Unknown | AnswerOutcome::Lost => self.claims.leave_to_worker(followup.outbox_id),
            },
        }
        if !matches!(outcome, AnswerOutcome::Delivered(_)) {
            return;
        }
        self.followups.send_further(&interaction, &prepared.further, prepared.claimed()).await;
        if let Some((outbox_id, outcome)) = watched {
            let responder = Arc::clone(self);
            // The request is answered, so stopping does not wait for this.
            tokio::spawn(async move {
                responder.followups.add_outcome(&interaction, &prepared.body, outbox_id, outcome).await;
            });
        }
    }

    /// Sends an answer, repeatedly if need be, and finds out whether it arrived.
    async fn send(
        &self,
        interaction: &InteractionHandle,
        prepared: &PreparedAnswer,
        arrived: Instant,
    ) -> AnswerOutcome {
        let InteractionHandle { id, player: PlayerId(player), token, .. } = interaction;
        let (route, request) = (Route::AnswerInteraction { interaction: *id, token }, id.0);
        let limit = ANSWER_DEADLINE + self.extra_answer_time;
        let policy = RetryPolicy { longest_pause: limit, ..RetryPolicy::until(arrived + limit, limit, FIRST_PAUSE) };
        let call = Call::with_files(route, &prepared.body, &prepared.files);
        let failed = match self.rest.send_with_retry(call, policy, |_, _| RetryDecision::Default).await {
            Ok(answer) => return AnswerOutcome::Delivered(parse_id(&answer["resource"]["message"]).map(PostId)),
            Err(failed) => failed,
        };
        let (error, (game, challenge)) = (&failed.error, prepared.subject_ids());
        let already_answered = error.code() == code::ALREADY_ANSWERED;
        if error.is_invalid_content() && !already_answered {
            warn!(request, player, game, challenge, %error, "answer refused, sending a plain text instead");
            return self.send_fallback(interaction, prepared, policy).await;
        }
        let outbox = prepared.claimed().map(|outbox_id| outbox_id.0);
        // Only a message from the outbox is worth looking for.
        let next = if outbox.is_some() && failed.unclear {
            "asking Discord whether it arrived"
        } else {
            self.next_step(outbox)
        };
        if already_answered {
            info!(request, player, game, challenge, outbox, %error, "the player has an answer already, not sending another one");
        } else if self.is_stopping() {
            info!(request, player, game, challenge, outbox, %error, "answer failed while the bot stops, {next}");
        } else {
            prepared.claimed().iter().for_each(|outbox_id| self.claims.mark_failure_logged(*outbox_id));
            warn!(request, player, game, challenge, outbox, %error, "answer failed, {next}");
        }
        if outbox.is_some() && (failed.unclear || already_answered) {
            self.find_sent_answer(interaction, prepared, arrived).await
        } else {
            AnswerOutcome::Lost
        }
    }

    /// Sends a plain text in place of an answer that Discord does not accept.
    async fn send_fallback(
        &self,
        interaction: &InteractionHandle,
        prepared: &PreparedAnswer,
        policy: RetryPolicy,
    ) -> AnswerOutcome {
        let InteractionHandle { id, player: PlayerId(player), token, .. } = interaction;
        let request = id.0;
        let fallback = prepared.fallback.body();
        let call = Call::with_body(Route::AnswerInteraction { interaction: *id, token }, &fallback);
        let Err(failed) = self.rest.send_with_retry(call, policy, |_, _| RetryDecision::Default).await else {
            return AnswerOutcome::Replaced;
        };
        let (outbox, (game, challenge)) = (prepared.claimed().map(|outbox_id| outbox_id.0), prepared.subject_ids());
        let (error, next) = (failed.error, self.next_step(outbox));
        warn!(request, player, game, challenge, outbox, %error, "plain text failed, too, {next}");
        AnswerOutcome::Lost
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    /// Returns what happens after an answer was lost, for the log. `outbox` is the message that it should have
    /// delivered.
    fn next_step(&self, outbox: Option<u64>) -> &'static str {
        match outbox {
            Some(_) if self.is_stopping() => "it is posted before the bot has stopped, or at the next start",
            Some(_) => "leaving it to the outbox worker",
            None => "the player gets none",
        }
    }

    /// Asks Discord whether an answer has arrived.
    async fn find_sent_answer(
        &self,
        interaction: &InteractionHandle,
        prepared: &PreparedAnswer,
        arrived: Instant,
    ) -> AnswerOutcome {
        let (request, player, (game, challenge)) = (interaction.id.0, interaction.player.0, prepared.subject_ids());
        let outbox = prepared.claimed().map(|outbox_id| outbox_id.0);
        let over = arrived + ANSWER_OVER + self.extra_answer_time;
        let route = Route::GetAnswer { application: interaction.application, token: &interaction.token };
        let policy = RetryPolicy::until(Instant::now() + RETRY_TIME, ANSWER_TIMEOUT, Duration::from_secs(1));
        let decide = |error: &RestError, _: Instant| match error {
            // It is not there, but Discord may still be processing it.
            RestError::Refused { .. } if Instant::now() < over => {
                RetryDecision::RepeatAfter(over.saturating_duration_since(Instant::now()))
            }
            _ => RetryDecision::Default,
        };
        match self.rest.send_with_retry(Call::to(route), policy, decide).await {
            // The same request was answered before but not carried out: by an apology, or by a refusal that no longer
            // holds.
            Ok(answer) if matches!(prepared.carried, Some(Carried::Answer { .. })) && is_private(&answer) => {
                let next = self.next_step(outbox);
                info!(request, player, game, challenge, outbox, "the player was told something else before, {next}");
                AnswerOutcome::Lost
            }
            Ok(answer) => {
                let post = parse_id(&answer);
                info!(
                    request,
                    player, game, challenge, outbox, post, "the answer has arrived, not sending another one"
                );
                AnswerOutcome::Delivered(post.map(PostId))
            }
            // After this time, Discord cannot be processing it any more.
            Err(CallFailed { error: error @ RestError::Refused { .. }, .. }) if Instant::now() >= over => {
                let next = self.next_step(outbox);
                info!(request, player, game, challenge, outbox, %error, "the answer has not arrived, {next}");
                AnswerOutcome::Lost
            }
            Err(CallFailed { error, .. }) => {
                warn!(request, player, game, challenge, outbox, %error, "it is unknown whether an answer arrived, the outbox worker looks for it");
                AnswerOutcome::Unknown
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::discord::interaction::{Incoming, Source};
    use crate::discord::prepare::private_answer;
    use crate::discord::test_bot::{TestBot, first_move};
    use crate::discord::wait_until;
    use crate::text::delivery;
    use fake_discord::WAIT_LIMIT;
    use fake_discord::rest::Failure;

    const ANSWER: &str = "POST /interactions/*/*/callback";

    /// Starts a game, and lets a player make a move in it.
    fn make_move(test: &TestBot) -> Incoming {
        test.interact(first_move(test.start_posted_game()), Source::Command)
    }

    /// Runs the worker until the channel has a post, which has to be the only one.
    async fn worker_posts(test: &TestBot) {
        let channel = test.place.channel.0;
        let settled = async {
            test.discord.wait_until("a post", |state| state.posts(channel).first().map(|post| post.id)).await;
            assert!(wait_until(WAIT_LIMIT, || test.bot.claims.is_idle()).await);
        };
        tokio::select! {
            () = Arc::clone(&test.bot.outbox).run() => {}
            () = settled => {}
        }
        assert_eq!(test.posts().len(), 1);
        assert!(!test.is_undelivered(test.newest_message()));
    }

    #[tokio::test]
    async fn a_lost_answer_is_posted_by_the_worker() {
        let test = TestBot::start().await;
        let request = make_move(&test);
        test.discord.expire_interactions();
        test.respond(request);
        worker_posts(&test).await;
    }

    #[tokio::test]
    async fn the_responder_is_not_idle_while_a_request_is_being_answered() {
        let test = TestBot::start().await;
        assert!(test.bot.responder.is_idle());
        test.discord.fail_next(ANSWER, 1, Failure::Hold);
        test.respond(make_move(&test));
        test.discord.wait_until_held(1).await;
        assert!(!test.bot.responder.is_idle(), "stopping waits");
        test.discord.clear_failures();
        test.wait_until_answered().await;
        assert_eq!(test.posts().len(), 1);
        assert!(!test.is_undelivered(test.newest_message()), "idle means that it is settled, too");
    }

    #[tokio::test]
    async fn an_answer_that_arrived_without_a_confirmation_is_not_posted_again() {
        let test = TestBot::start().await;
        test.discord.fail_next(ANSWER, 1, Failure::CloseAfterEffect);
        test.respond(make_move(&test));
        test.wait_until_answered().await;
        assert_eq!(test.posts().len(), 1);
        assert!(!test.is_undelivered(test.newest_message()) && test.bot.claims.remembered().is_empty());
    }

    #[tokio::test]
    async fn a_request_that_was_answered_privately_before_is_posted_by_the_worker() {
        let test = TestBot::start().await;
        let request = make_move(&test);
        // An earlier process was stopped, and apologised; then Discord delivers the interaction once more.
        let InteractionHandle { id, token, .. } = &request.interaction;
        let apology = private_answer("nothing was done");
        let call = Call::with_body(Route::AnswerInteraction { interaction: *id, token }, &apology);
        test.bot.responder.rest.send(call, WAIT_LIMIT).await.unwrap();
        test.respond(request);
        test.wait_until_answered().await;
        assert!(test.posts().is_empty() && test.is_undelivered(test.newest_message()));
        worker_posts(&test).await;
    }

    #[tokio::test]
    async fn an_answer_that_discord_may_process_for_longer_than_the_bot_asks_is_looked_for_by_the_worker() {
        let test = TestBot::start().await;
        // The test's Discord accepts an answer for longer than the bot asks for one.
        test.discord.fail_next(ANSWER, 1, Failure::Status(500));
        test.discord.fail_next(ANSWER, 1, Failure::Status(404));
        test.respond(make_move(&test));
        test.wait_until_answered().await;
        let message = test.store().session().unwrap().message(test.newest_message()).unwrap().unwrap();
        assert!(test.bot.claims.is_maybe_sent(&message));
    }

    #[tokio::test]
    async fn an_answer_that_discord_does_not_accept_becomes_a_text_and_the_worker_posts_the_board() {
        let test = TestBot::start().await;
        test.discord.fail_next(ANSWER, 1, Failure::Status(400));
        let request = make_move(&test);
        let interaction = request.interaction.clone();
        test.respond(request);
        test.wait_until_answered().await;
        assert_eq!(test.answer_to(&interaction), delivery::answer_not_accepted(true));
        assert!(test.posts().is_empty(), "only the player sees the text");
        worker_posts(&test).await;
    }
}
