//! Delivers one outbox message: decides where it goes, posts it there, and settles, postpones or gives it up.

use super::claims::{Claims, PostOutcome, PostedMessage};
use super::reconcile::{Reconciler, has_components};
use super::settle::Settler;
use crate::app::Destination;
use crate::discord::app_handle::{AppError, AppHandle};
use crate::discord::channels::ChannelWatcher;
use crate::discord::markup::{DiscordStyle, channel_mention};
use crate::discord::message::{Composer, OutgoingMessage};
use crate::discord::permissions::missing_permission;
use crate::discord::rest::client::id;
use crate::discord::rest::{Call, RestClient, RestError, Route, code};
use crate::discord::stale_buttons::ButtonSweeper;
use crate::discord::threads::Threads;
use crate::game::{BotPermissions, GameId, Place, PlayerId, Players, Seconds};
use crate::store::{OutboxId, OutboxMessage};
use crate::text::delivery;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tracing::{debug, error, info, warn};

const TIMEOUT: Duration = Duration::from_secs(10);
/// How long the bot waits for a permission before it gives a message up.
const WAIT_FOR_PERMISSION: Seconds = Seconds::days(7);
/// How long a message without a channel waits for the game to move, and how often that is checked.
const WAIT_FOR_CHANNEL: Seconds = Seconds::days(30);
const CHECK_FOR_CHANNEL: Seconds = Seconds(10 * 60);
/// After so many refusals of its content, which takes some minutes, a message is given up.
const MOST_REFUSALS: u32 = 8;

const NOTHING_TO_POST: &str = "there is nothing to tell any more";

/// The result of sending a message.
enum SendResult {
    Posted(PostedMessage),
    NothingToPost,
    Failed(RestError),
}

/// Delivers outbox messages.
pub(crate) struct Delivery {
    pub(crate) app: AppHandle,
    pub(crate) composer: Arc<Composer>,
    pub(crate) rest: RestClient,
    pub(crate) claims: Arc<Claims>,
    pub(crate) reconciler: Arc<Reconciler>,
    pub(crate) settler: Arc<Settler>,
    pub(crate) threads: Threads,
    pub(crate) channels: Arc<ChannelWatcher>,
    pub(crate) sweeper: Arc<ButtonSweeper>,
}

impl Delivery {
    /// Delivers a message if it is due; reports to its watchers if it is visible then.
    pub(crate) async fn deliver(&self, outbox_id: OutboxId) -> Result<(), AppError> {
        let posted = self.claims.posted(outbox_id);
        // Since the list of due messages was read, it may have been settled, postponed or moved.
        let read = self.app.run(move |app| {
            let Some(message) = app.store().session()?.due_message(outbox_id, app.now())? else { return Ok(None) };
            // A message that only has to be settled is not read any further: its game may be damaged.
            let destination = if posted.is_some() { Ok(Destination::Nowhere) } else { app.destination(&message) };
            Ok(Some((message, destination)))
        });
        let Some((message, destination)) = read.await? else { return Ok(()) };
        self.claims.start_posting(outbox_id);
        if let Some(posted) = posted {
            return self.settler.settle(outbox_id, posted).await;
        }
        let destination = self.app.check(destination)?;
        if self.deliver_to(&message, destination).await? {
            self.claims.report(outbox_id, PostOutcome::Posted);
        }
        Ok(())
    }

    /// Delivers a message to its destination; returns whether it is visible there.
    async fn deliver_to(&self, message: &OutboxMessage, destination: Destination) -> Result<bool, AppError> {
        match destination {
            Destination::Place => self.post_in(message, message.place, "").await,
            Destination::Nowhere => self.discard(message, "the player does not want it").await,
            Destination::Gone => self.wait_for_channel(message).await,
            Destination::Channel { game } => self.post_beside_thread(message, game).await,
            Destination::Direct(player) => self.post_to_player(message, player).await,
            Destination::NewThread { game, name, players, from } => {
                match self.threads.open(message, from, &name).await {
                    Ok(Some(thread)) => self.post_in_new_thread(message, game, thread, players).await,
                    Ok(None) | Err(RestError::Refused { .. }) => self.post_without_thread(message, game, from).await,
                    Err(error) => self.retry_or_give_up(message, &error).await,
                }
            }
        }
    }

    /// Moves a game whose thread is gone to the thread's channel, and posts there.
    async fn post_beside_thread(&self, message: &OutboxMessage, game: GameId) -> Result<bool, AppError> {
        match self.threads.accepts_messages(message.place.channel).await {
            Ok(true) => {
                let place = Place { thread: None, ..message.place };
                self.app.run(move |app| app.store().move_game(game, place)).await?;
                self.post_in(message, place, "").await
            }
            Ok(false) => self.wait_for_channel(message).await,
            Err(error) => self.retry_or_give_up(message, &error).await,
        }
    }

    async fn post_in_new_thread(
        &self,
        message: &OutboxMessage,
        game: GameId,
        thread: u64,
        players: Players,
    ) -> Result<bool, AppError> {
        let place = Place { thread: Some(thread), ..message.place };
        self.app.run(move |app| app.store().move_game(game, place)).await?;
        self.claims.report(message.id, PostOutcome::InThread(thread));
        let posted = self.post_in(message, place, "").await;
        // The player whom the message mentions joins the thread by that.
        let others = [players.attackers, players.defenders].into_iter();
        for player in others.filter(|player| Some(*player) != message.ping && !player.is_former()) {
            self.threads.add_player(thread, player).await;
        }
        posted
    }

    async fn post_without_thread(&self, message: &OutboxMessage, game: GameId, place: Place) -> Result<bool, AppError> {
        if place != message.place {
            self.app.run(move |app| app.store().move_game(game, place)).await?;
        }
        let posted = self.post_in(message, place, "").await?;
        if posted {
            let channel = place.thread.unwrap_or(place.channel);
            self.claims.report(message.id, PostOutcome::WithoutThread { channel });
        }
        Ok(posted)
    }

    /// Sends a direct message. If the player does not accept any, posts in the game's channel, now and in future.
    async fn post_to_player(&self, message: &OutboxMessage, player: PlayerId) -> Result<bool, AppError> {
        let recipient = json!({ "recipient_id": player.0.to_string() });
        let opened = self.rest.send(Call::with_body(Route::OpenDirectChannel, &recipient), TIMEOUT).await;
        let sent = match opened.map(|channel| id(&channel)) {
            Ok(Some(channel)) => {
                // It has a link instead of buttons, which would stay after the turn has passed.
                let link = channel_mention(message.place.thread.unwrap_or(message.place.channel));
                self.send(message, channel, &delivery::game_location(&link), true).await?
            }
            Ok(None) => {
                SendResult::Failed(RestError::Unclear(String::from("Discord did not return the direct channel's id")))
            }
            Err(error) => SendResult::Failed(error),
        };
        match sent {
            SendResult::Posted(posted) => self.settler.settle(message.id, posted).await.map(|()| true),
            SendResult::NothingToPost => self.discard(message, NOTHING_TO_POST).await,
            SendResult::Failed(error) if matches!(error.code(), code::CANNOT_MESSAGE_USER | code::NO_SHARED_SERVER) => {
                let posted = self.post_in(message, message.place, &delivery::direct_messages_closed()).await?;
                // Only after the player could read it.
                if posted && let Err(error) = self.app.run(move |app| app.give_up_direct_messages(player)).await {
                    error!(player = player.0, %error, "closed direct messages cannot be saved, they will be tried again");
                }
                Ok(posted)
            }
            SendResult::Failed(error @ RestError::Refused { .. }) if self.is_refused_for_good(message) => {
                warn!(outbox = message.id.0, player = player.0, %error, "direct message refused, posting in the channel");
                self.post_in(message, message.place, "").await
            }
            SendResult::Failed(error) => self.retry_later(message, &error).await,
        }
    }

    /// Posts a message in a place, with additional text; returns whether it is visible there.
    async fn post_in(&self, message: &OutboxMessage, place: Place, suffix: &str) -> Result<bool, AppError> {
        let channel = place.thread.unwrap_or(place.channel);
        let error = match self.send(message, channel, suffix, false).await? {
            SendResult::Posted(posted) => {
                self.settler.settle(message.id, posted).await?;
                self.sweeper.channel_is_visible(channel);
                return Ok(true);
            }
            SendResult::NothingToPost => return self.discard(message, NOTHING_TO_POST).await,
            SendResult::Failed(error) => error,
        };
        if let Some(missing) = missing_permission(&error, place) {
            self.claims.report(message.id, PostOutcome::Forbidden { channel, missing });
        }
        if matches!(error.code(), code::THREAD_ARCHIVED | code::THREAD_LOCKED) {
            self.claims.report(message.id, PostOutcome::Locked { thread: channel });
        }
        if error.code() == code::UNKNOWN_CHANNEL {
            // The next attempt finds another destination.
            self.channels.place_is_gone(channel).await;
        }
        self.retry_or_give_up(message, &error).await
    }

    /// Sends a message to a channel unless it is there already; without its picture if that is refused, and without
    /// buttons if it is a direct message.
    async fn send(
        &self,
        message: &OutboxMessage,
        channel: u64,
        suffix: &str,
        direct: bool,
    ) -> Result<SendResult, AppError> {
        match self.reconciler.find_if_maybe_sent(message, channel).await {
            Ok(None) => {}
            Ok(Some(found)) => {
                let (message, has_buttons) = (id(&found), has_components(&found));
                return Ok(SendResult::Posted(PostedMessage { channel, message, has_buttons, direct }));
            }
            Err(error) => return Ok(SendResult::Failed(error)),
        }
        let mut pictures = true;
        loop {
            let Some(mut outgoing) = self.compose(message, pictures).await? else {
                return Ok(SendResult::NothingToPost);
            };
            if direct {
                outgoing = outgoing.without_buttons();
            }
            match self.create_message(message, channel, &outgoing, suffix).await {
                Ok(message) => {
                    let has_buttons = outgoing.has_buttons();
                    return Ok(SendResult::Posted(PostedMessage { channel, message, has_buttons, direct }));
                }
                // Perhaps only the picture is refused.
                Err(error)
                    if !outgoing.files.is_empty()
                        && (error.code() == code::MISSING_PERMISSIONS || error.is_invalid_content()) =>
                {
                    debug!(outbox = message.id.0, channel, %error, "picture refused, posting the board as text");
                    pictures = false;
                }
                Err(error) => return Ok(SendResult::Failed(error)),
            }
        }
    }

    async fn create_message(
        &self,
        message: &OutboxMessage,
        channel: u64,
        outgoing: &OutgoingMessage,
        suffix: &str,
    ) -> Result<Option<u64>, RestError> {
        let mut body = outgoing.json();
        if !suffix.is_empty() {
            body["content"] = json!(format!("{}\n{suffix}", body["content"].as_str().unwrap_or_default()));
        }
        // Discord drops a second message with the same nonce within a few minutes.
        body["nonce"] = json!(format!("{}-{}", message.id.0, message.made.0));
        body["enforce_nonce"] = json!(true);
        let call = Call::with_files(Route::PostMessage { channel }, &body, &outgoing.files);
        Ok(id(&self.rest.send(call, TIMEOUT).await?))
    }

    /// Composes a message; returns `None` if it is settled or there is nothing to tell any more.
    async fn compose(&self, message: &OutboxMessage, pictures: bool) -> Result<Option<OutgoingMessage>, AppError> {
        if let Some(ready) = self.claims.take_ready(message.id).filter(|_| pictures) {
            return Ok(Some(ready));
        }
        let (outbox_id, composer) = (message.id, Arc::clone(&self.composer));
        let permissions = BotPermissions { attach: pictures, ..BotPermissions::ALL };
        let compose = self.app.run(move |app| {
            // It is read again: moving its game to another place changes it.
            let Some(message) = app.store().session()?.message(outbox_id)? else { return Ok(None) };
            let post = app.post(&message, &DiscordStyle)?;
            Ok(post.map(|post| composer.post(&post, permissions)))
        });
        compose.await
    }

    /// Postpones a message until the game has moved to another channel.
    async fn wait_for_channel(&self, message: &OutboxMessage) -> Result<bool, AppError> {
        let (server, now) = (message.place.server, self.app.now());
        let server_gone = self
            .app
            .run(move |app| server.map_or(Ok(false), |server| app.store().session()?.server_is_gone(server)))
            .await?;
        let outcome = if server_gone { PostOutcome::ServerGone } else { PostOutcome::ChannelGone };
        self.claims.report(message.id, outcome);
        // A challenge that nobody can see is not played; a game goes on.
        if message.subject.game().is_none() || now > message.made + WAIT_FOR_CHANNEL {
            return self.discard(message, "its place is gone").await;
        }
        let outbox_id = message.id;
        self.app.run(move |app| app.store().postpone(outbox_id, now + CHECK_FOR_CHANNEL)).await?;
        Ok(false)
    }

    async fn retry_or_give_up(&self, message: &OutboxMessage, error: &RestError) -> Result<bool, AppError> {
        let reason = match error.code() {
            code::MISSING_ACCESS | code::MISSING_PERMISSIONS | code::THREAD_ARCHIVED | code::THREAD_LOCKED => {
                let too_long = self.app.now() > message.made + WAIT_FOR_PERMISSION;
                too_long.then_some("the bot may not write there")
            }
            _ if error.is_invalid_content() && self.is_refused_for_good(message) => Some("Discord does not take it"),
            _ => None,
        };
        let Some(reason) = reason else { return self.retry_later(message, error).await };
        warn!(outbox = message.id.0, %error, "giving up an outbox message");
        self.discard(message, reason).await
    }

    /// Counts a refusal, and returns whether there were enough to give up. A single one may be Discord's own problem.
    fn is_refused_for_good(&self, message: &OutboxMessage) -> bool {
        self.claims.count_refusal(message.id) >= MOST_REFUSALS
    }

    async fn retry_later(&self, message: &OutboxMessage, error: &RestError) -> Result<bool, AppError> {
        let pause = match error {
            RestError::RateLimited { wait } => i64::try_from(wait.as_secs()).unwrap_or(0) + 1,
            // A broken connection may be back any moment, and a player waits for the board.
            RestError::Unreachable(_) | RestError::Unclear(_) => (1_i64 << message.attempts.min(5)).min(30),
            RestError::Refused { .. } => (1_i64 << message.attempts.min(10)).min(900),
        };
        let (outbox_id, attempts) = (message.id, message.attempts + 1);
        warn!(outbox = outbox_id.0, attempts, %error, "posting failed, retrying in {pause} s");
        let until = self.app.now() + Seconds(pause);
        self.claims.mark_released(outbox_id);
        self.app.run(move |app| app.store().postpone(outbox_id, until)).await?;
        Ok(false)
    }

    /// Closes a message that will not be posted.
    async fn discard(&self, message: &OutboxMessage, reason: &'static str) -> Result<bool, AppError> {
        info!(outbox = message.id.0, subject = ?message.subject, reason, "closing an outbox message without posting it");
        self.close(message.id, reason).await?;
        Ok(false)
    }

    /// Closes a message for good.
    pub(crate) async fn close(&self, outbox_id: OutboxId, reason: &'static str) -> Result<(), AppError> {
        self.app.run(move |app| app.store().give_up(outbox_id, reason, app.now())).await?;
        self.claims.forget(outbox_id);
        Ok(())
    }
}
