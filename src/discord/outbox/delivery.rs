//! Delivers one outbox message: decides where it goes, posts it there, and settles, postpones or gives it up.

use super::LogFields;
use super::claims::{Claims, PostOutcome, PostedMessage};
use super::reconcile::{Reconciler, has_components};
use super::settle::Settler;
use crate::app::{App, Destination};
use crate::discord::app_handle::{AppError, AppHandle};
use crate::discord::channels::ChannelWatcher;
use crate::discord::markup::{DiscordMarkupFactory, channel_mention};
use crate::discord::message::{Composer, OutgoingMessage};
use crate::discord::permissions::missing_permission;
use crate::discord::rest::client::parse_id;
use crate::discord::rest::{BACKGROUND_TIMEOUT, Call, RestClient, RestError, Route, code};
use crate::discord::stale_buttons::ButtonSweeper;
use crate::discord::threads::Threads;
use crate::game::{
    BotPermissions, ChannelId, GameId, Place, PlaceLogFields, PlacePart, PlayerId, Players, Seconds, Subject, Timestamp,
};
use crate::store::{OutboxId, OutboxMessage, PostId, StoreError};
use crate::text::delivery;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tracing::{debug, error, info, warn};

/// How long the bot waits for a permission before it gives a message up.
const WAIT_FOR_PERMISSION: Seconds = Seconds::days(7);
/// How long a message without a channel waits for the game to move, and how often that is checked.
const WAIT_FOR_CHANNEL: Seconds = Seconds::days(30);
const CHECK_FOR_CHANNEL: Seconds = Seconds(10 * 60);
/// A message is given up after this many rejections of its content, which take some minutes.
const MAX_REJECTIONS: u32 = 8;

/// The result of sending a message.
enum PostAttempt {
    Posted(PostedMessage),
    NothingToPost,
    Failed(RestError),
}

/// What became of a message that was to be postponed.
enum Postponed {
    Waits,
    /// It is due again: its game has moved, or its channel is back.
    Due,
    /// It is settled, given up or deleted.
    Closed,
}

/// Delivers outbox messages.
pub(crate) struct Deliverer {
    pub(crate) app: AppHandle,
    pub(crate) composer: Arc<Composer>,
    pub(crate) rest: RestClient,
    pub(crate) claims: Arc<Claims>,
    pub(crate) reconciler: Arc<Reconciler>,
    pub(crate) settler: Arc<Settler>,
    pub(crate) threads: Threads,
    pub(crate) channels: Arc<ChannelWatcher>,
    pub(crate) sweeper: Arc<ButtonSweeper>,
    /// Whether the bot is stopping; what fails now is posted at the next start.
    pub(crate) stopping: Arc<AtomicBool>,
}

impl Deliverer {
    /// Delivers a message if it is due, and tells its watchers if it is visible afterwards.
    pub(crate) async fn deliver(&self, outbox_id: OutboxId) -> Result<(), AppError> {
        let posted = self.claims.posted(outbox_id);
        // Since the list of due messages was read, this one may have been settled, postponed or moved.
        let read = self.app.run(move |app| {
            let Some(message) = app.store().session()?.due_message(outbox_id, app.now())? else { return Ok(None) };
            // A message that only has to be settled is not read any further: its game may be damaged.
            let destination = if posted.is_some() { Ok(Destination::Nowhere) } else { app.destination(&message) };
            Ok(Some((message, destination)))
        });
        let Some((message, destination)) = read.await? else { return Ok(()) };
        self.claims.start_posting(outbox_id);
        if let Some(posted) = posted {
            return self.settle(&message, posted).await;
        }
        let destination = self.app.report_if_final(destination)?;
        if self.deliver_to(&message, destination).await? {
            self.claims.report(outbox_id, PostOutcome::Posted);
        }
        Ok(())
    }

    /// Delivers a message to its destination; returns whether it is visible there.
    async fn deliver_to(&self, message: &OutboxMessage, destination: Destination) -> Result<bool, AppError> {
        match destination {
            Destination::Place => self.post(message, "").await,
            Destination::Nowhere => self.discard(message, "the player does not want it").await,
            Destination::Gone => self.wait_for_channel(message, destination).await,
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

    /// Settles a message that was posted, and logs where; at info level if a failure was logged before.
    async fn settle(&self, message: &OutboxMessage, posted: PostedMessage) -> Result<(), AppError> {
        let failed_before = self.claims.is_failure_logged(message);
        self.settler.settle(message.id, posted).await?;
        let LogFields { outbox, game, challenge, .. } = LogFields::of(message);
        let (channel, post, attempts) = (posted.channel.0, posted.post.map(|post| post.0), message.attempts + 1);
        if failed_before {
            info!(outbox, game, challenge, channel, post, attempts, "posted after an earlier failure or restart");
        } else {
            debug!(outbox, game, challenge, channel, post, "posted");
        }
        Ok(())
    }

    /// Moves a game whose thread is gone to the thread's channel, and posts there.
    async fn post_beside_thread(&self, message: &OutboxMessage, game: GameId) -> Result<bool, AppError> {
        let place = Place { thread: None, ..message.place };
        match self.threads.accepts_messages(place.channel).await {
            Ok(true) => {
                let told = self.app.run(move |app| app.leave_thread(game, place, &DiscordMarkupFactory)).await?;
                told.iter().flatten().for_each(|message| self.claims.leave_to_worker(message.id));
                self.post_in_new_place(message, game, place, told.is_some()).await
            }
            Ok(false) => self.wait_for_channel(message, Destination::Channel { game }).await,
            Err(error) => self.retry_or_give_up(message, &error).await,
        }
    }

    async fn post_in_new_thread(
        &self,
        message: &OutboxMessage,
        game: GameId,
        thread: ChannelId,
        players: Players,
    ) -> Result<bool, AppError> {
        let place = Place { thread: Some(thread), ..message.place };
        let relocated = self.app.run(move |app| app.relocate_game(game, place)).await?;
        if relocated {
            self.claims.report(message.id, PostOutcome::InThread(thread));
        }
        let posted = self.post_in_new_place(message, game, place, relocated).await;
        // Discord adds the player whom the message mentions.
        for player in players.both().into_iter().filter(|it| Some(*it) != message.ping && !it.is_former()) {
            self.threads.add_player(message, thread, player).await;
        }
        posted
    }

    async fn post_without_thread(&self, message: &OutboxMessage, game: GameId, place: Place) -> Result<bool, AppError> {
        let posted = if place == message.place {
            self.post(message, "").await?
        } else {
            let relocated = self.app.run(move |app| app.relocate_game(game, place)).await?;
            self.post_in_new_place(message, game, place, relocated).await?
        };
        if posted {
            let channel = place.thread_or_channel();
            self.claims.report(message.id, PostOutcome::WithoutThread { channel });
        }
        Ok(posted)
    }

    /// Posts a message in the place to which its game was moved; returns whether it is visible.
    async fn post_in_new_place(
        &self,
        message: &OutboxMessage,
        game: GameId,
        place: Place,
        relocated: bool,
    ) -> Result<bool, AppError> {
        let outbox_id = message.id;
        let read = self.app.run(move |app| app.store().session()?.message(outbox_id)).await?;
        let Some(message) = read.filter(|_| relocated) else {
            // The game changed at the same time. The next attempt finds a thread that was made for it.
            self.claims.mark_maybe_sent(outbox_id);
            self.claims.leave_to_worker(outbox_id);
            return Ok(false);
        };
        let PlaceLogFields { server, channel } = place.log_fields();
        info!(game = game.0, server, channel, "game goes on in this channel or thread");
        self.post(&message, "").await
    }

    /// Sends a direct message. If the player does not accept any, posts in the game's channel, now and in future.
    async fn post_to_player(&self, message: &OutboxMessage, player: PlayerId) -> Result<bool, AppError> {
        let recipient = json!({ "recipient_id": player.0.to_string() });
        let opened = self.rest.send(Call::with_body(Route::OpenDirectChannel, &recipient), BACKGROUND_TIMEOUT).await;
        let sent = match opened.map(|channel| parse_id(&channel).map(ChannelId)) {
            Ok(Some(channel)) => {
                // A link instead of buttons, because buttons would stay after the turn has passed.
                let link = channel_mention(message.place.thread_or_channel());
                self.send(message, channel, &delivery::game_location(&link), true).await?
            }
            Ok(None) => {
                PostAttempt::Failed(RestError::Unclear(String::from("Discord did not return the direct channel's id")))
            }
            Err(error) => PostAttempt::Failed(error),
        };
        match sent {
            PostAttempt::Posted(posted) => self.settle(message, posted).await.map(|()| true),
            PostAttempt::NothingToPost => self.discard_outdated(message).await,
            PostAttempt::Failed(error)
                if matches!(error.code(), code::CANNOT_MESSAGE_USER | code::NO_SHARED_SERVER) =>
            {
                let posted = self.post(message, &delivery::direct_messages_closed()).await?;
                // Only now can the player have read about it.
                if posted {
                    self.give_up_direct_messages(message, player).await;
                }
                Ok(posted)
            }
            PostAttempt::Failed(error @ RestError::Refused { .. }) if self.is_finally_rejected(message) => {
                let LogFields { outbox, game, channel, .. } = LogFields::of(message);
                warn!(outbox, game, player = player.0, channel, %error, "direct message refused, posting in the game's channel");
                self.post(message, "").await
            }
            PostAttempt::Failed(error) => self.retry_later(message, &error).await,
        }
    }

    /// Records that a player takes no direct messages.
    async fn give_up_direct_messages(&self, message: &OutboxMessage, player: PlayerId) {
        let (LogFields { outbox, game, channel, .. }, player_id) = (LogFields::of(message), player.0);
        match self.app.run(move |app| app.give_up_direct_messages(player)).await {
            Ok(()) => {
                info!(
                    outbox,
                    game,
                    player = player_id,
                    channel,
                    "player takes no direct messages, reminding in the game's channel from now on"
                );
            }
            Err(error) => {
                error!(outbox, game, player = player_id, channel, %error, "cannot save that a player takes no direct messages, trying one again next time");
            }
        }
    }

    /// Posts a message in its place, with additional text; returns whether it is visible there.
    async fn post(&self, message: &OutboxMessage, suffix: &str) -> Result<bool, AppError> {
        let channel = message.place.thread_or_channel();
        let error = match self.send(message, channel, suffix, false).await? {
            PostAttempt::Posted(posted) => {
                self.settle(message, posted).await?;
                self.sweeper.recheck_channel(channel);
                return Ok(true);
            }
            PostAttempt::NothingToPost => return self.discard_outdated(message).await,
            PostAttempt::Failed(error) => error,
        };
        if let Some(missing) = missing_permission(&error, message.place) {
            self.claims.report(message.id, PostOutcome::Forbidden { channel, missing });
        }
        if matches!(error.code(), code::THREAD_ARCHIVED | code::THREAD_LOCKED) {
            self.claims.report(message.id, PostOutcome::Locked { thread: channel });
        }
        if error.code() == code::UNKNOWN_CHANNEL {
            // The next attempt finds another destination.
            let is_thread = message.place.thread.is_some();
            let place = if is_thread { PlacePart::Thread(channel) } else { PlacePart::Channel(channel) };
            self.channels.place_is_gone(place).await;
        }
        self.retry_or_give_up(message, &error).await
    }

    /// Sends a message to a channel unless it is there already; without its picture if that is refused, and without
    /// buttons if it is a direct message.
    async fn send(
        &self,
        message: &OutboxMessage,
        channel: ChannelId,
        suffix: &str,
        direct: bool,
    ) -> Result<PostAttempt, AppError> {
        // For a repeated nonce, Discord returns the earlier post, which may have other buttons than the new one.
        let posted = |post: &Value| {
            let (post, has_buttons) = (parse_id(post).map(PostId), has_components(post));
            Ok(PostAttempt::Posted(PostedMessage { channel, post, has_buttons, direct }))
        };
        match self.reconciler.find_if_maybe_sent(message, channel).await {
            Ok(None) => {}
            Ok(Some(found)) => return posted(&found),
            Err(error) => return Ok(PostAttempt::Failed(error)),
        }
        let mut pictures = true;
        loop {
            let Some(mut outgoing) = self.compose(message, pictures).await? else {
                return Ok(PostAttempt::NothingToPost);
            };
            if direct {
                outgoing = outgoing.without_buttons();
            }
            match self.create_post(message, channel, &outgoing, suffix).await {
                Ok(created) => return posted(&created),
                // Perhaps only the picture is refused.
                Err(error)
                    if !outgoing.files.is_empty()
                        && (error.code() == code::MISSING_PERMISSIONS || error.is_invalid_content()) =>
                {
                    let LogFields { outbox, game, challenge, .. } = LogFields::of(message);
                    debug!(outbox, game, challenge, channel = channel.0, %error, "picture refused, posting the board as text");
                    pictures = false;
                }
                Err(error) => return Ok(PostAttempt::Failed(error)),
            }
        }
    }

    async fn create_post(
        &self,
        message: &OutboxMessage,
        channel: ChannelId,
        outgoing: &OutgoingMessage,
        suffix: &str,
    ) -> Result<Value, RestError> {
        let mut body = outgoing.json();
        if !suffix.is_empty() {
            body["content"] = json!(format!("{}\n{suffix}", body["content"].as_str().unwrap_or_default()));
        }
        // Discord drops a second message with the same nonce within a few minutes.
        body["nonce"] = json!(format!("{}-{}", message.id.0, message.made.0));
        body["enforce_nonce"] = json!(true);
        let call = Call::with_files(Route::PostMessage { channel }, &body, &outgoing.files);
        self.rest.send(call, BACKGROUND_TIMEOUT).await
    }

    /// Composes a message; returns `None` if it is settled or outdated.
    async fn compose(&self, message: &OutboxMessage, pictures: bool) -> Result<Option<OutgoingMessage>, AppError> {
        if let Some(composed) = self.claims.take_composed(message).filter(|_| pictures) {
            return Ok(Some(composed));
        }
        let (outbox_id, composer) = (message.id, Arc::clone(&self.composer));
        let permissions = BotPermissions { attach: pictures, ..BotPermissions::ALL };
        let compose = self.app.run(move |app| {
            // Read again, because moving its game to another place changes the message.
            let Some(message) = app.store().session()?.message(outbox_id)? else { return Ok(None) };
            let post = app.post(&message, &DiscordMarkupFactory)?;
            Ok(post.map(|post| composer.post(&post, permissions)))
        });
        compose.await
    }

    /// Postpones a message until its channel is back or the game has moved to another one.
    async fn wait_for_channel(&self, message: &OutboxMessage, destination: Destination) -> Result<bool, AppError> {
        let (server, now) = (message.place.server, self.app.now());
        let server_gone = self
            .app
            .run(move |app| server.map_or(Ok(false), |server| app.store().session()?.server_is_gone(server)))
            .await?;
        // A game can go on elsewhere, but nobody accepts a challenge that nobody can see.
        let waits = message.body.subject().game().is_some() && now <= message.made + WAIT_FOR_CHANNEL;
        if !waits {
            self.discard(message, "its place is gone").await?;
        } else {
            let still_gone = move |app: &App, message: &OutboxMessage| Ok(app.destination(message)? == destination);
            let Postponed::Waits = self.postpone(message, now + CHECK_FOR_CHANNEL, still_gone).await? else {
                return Ok(false);
            };
            if self.claims.mark_wait_logged(message.id) {
                let LogFields { outbox, game, channel, .. } = LogFields::of(message);
                let minutes = CHECK_FOR_CHANNEL.0 / 60;
                info!(
                    outbox,
                    game,
                    channel,
                    "channel is gone, the message waits until it is back or a player moves the game; checking every {minutes} minutes"
                );
            }
        }
        let outcome = if server_gone { PostOutcome::ServerGone } else { PostOutcome::ChannelGone };
        self.claims.report(message.id, outcome);
        Ok(false)
    }

    async fn retry_or_give_up(&self, message: &OutboxMessage, error: &RestError) -> Result<bool, AppError> {
        let reason = match error.code() {
            code::MISSING_ACCESS | code::MISSING_PERMISSIONS | code::THREAD_ARCHIVED | code::THREAD_LOCKED => {
                let too_long = self.app.now() > message.made + WAIT_FOR_PERMISSION;
                too_long.then_some("the bot may not write there")
            }
            _ if error.is_invalid_content() && self.is_finally_rejected(message) => Some("Discord refused its content"),
            _ => None,
        };
        let Some(reason) = reason else { return self.retry_later(message, error).await };
        let LogFields { outbox, game, challenge, channel } = LogFields::of(message);
        warn!(outbox, game, challenge, channel, reason, %error, "giving up an outbox message");
        self.close(message.id, reason).await
    }

    /// Counts a rejection, and returns whether there were enough to give up. A single one may be Discord's own problem.
    fn is_finally_rejected(&self, message: &OutboxMessage) -> bool {
        self.claims.count_rejection(message.id) >= MAX_REJECTIONS
    }

    async fn retry_later(&self, message: &OutboxMessage, error: &RestError) -> Result<bool, AppError> {
        let pause = match error {
            RestError::RateLimited { wait } => i64::try_from(wait.as_secs()).unwrap_or(0) + 1,
            // A broken connection may be back any moment, and a player waits for the board.
            RestError::TooLate | RestError::Unreachable(_) | RestError::Unclear(_) => {
                (1_i64 << message.attempts.min(5)).min(30)
            }
            RestError::Refused { .. } => (1_i64 << message.attempts.min(10)).min(900),
        };
        // Times are whole seconds, and the current one has begun already.
        let pause = pause + 1;
        let place = message.place;
        let same_place = move |_: &App, message: &OutboxMessage| Ok(message.place == place);
        let LogFields { outbox, game, challenge, channel } = LogFields::of(message);
        match self.postpone(message, self.app.now() + Seconds(pause), same_place).await? {
            Postponed::Waits => {}
            Postponed::Due => {
                warn!(outbox, game, challenge, channel, %error, "posting failed, the game goes on in another channel, posting there at once");
                return Ok(false);
            }
            Postponed::Closed => {
                info!(outbox, game, challenge, channel, %error, "posting failed, the message was closed meanwhile");
                return Ok(false);
            }
        }
        let attempts = message.attempts + 1;
        if self.stopping.load(Ordering::Acquire) {
            info!(outbox, game, challenge, channel, attempts, %error, "not posted while the bot stops, posting at the next start");
            return Ok(false);
        }
        self.claims.wake_after(Duration::from_secs(pause.unsigned_abs()));
        if error.code() == code::UNKNOWN_CHANNEL {
            warn!(outbox, game, challenge, channel, attempts, %error, "posting failed, looking for another channel in {pause} s");
        } else {
            warn!(outbox, game, challenge, channel, attempts, %error, "posting failed, retrying in {pause} s");
        }
        Ok(false)
    }

    /// Postpones a message, unless its reason to wait is gone, which `still_holds` checks: a player may have moved the
    /// game since the message was read. Then the message is due at once.
    async fn postpone(
        &self,
        message: &OutboxMessage,
        until: Timestamp,
        still_holds: impl FnOnce(&App, &OutboxMessage) -> Result<bool, StoreError> + Send + 'static,
    ) -> Result<Postponed, AppError> {
        let outbox_id = message.id;
        let postpone = self.app.run(move |app| {
            app.store().postpone(outbox_id, until)?;
            // From here on, moving the game also makes the message due.
            let Some(message) = app.store().session()?.message(outbox_id)? else { return Ok(Postponed::Closed) };
            if still_holds(app, &message)? {
                return Ok(Postponed::Waits);
            }
            app.store().expedite(outbox_id)?;
            Ok(Postponed::Due)
        });
        postpone.await
    }

    /// Closes a message that is outdated, or whose game or challenge does not exist.
    async fn discard_outdated(&self, message: &OutboxMessage) -> Result<bool, AppError> {
        let subject = message.body.subject();
        let exists = self.app.run(move |app| {
            let session = app.store().session()?;
            Ok(match subject {
                Subject::Game(game) => session.game_row(game)?.is_some(),
                Subject::Challenge(challenge) => session.challenge(challenge)?.is_some(),
            })
        });
        if exists.await? {
            return self.discard(message, "it is outdated").await;
        }
        let reason = "its game or challenge is not in the database";
        let LogFields { outbox, game, challenge, channel } = LogFields::of(message);
        warn!(outbox, game, challenge, channel, reason, "giving up an outbox message");
        self.close(message.id, reason).await
    }

    /// Closes a message that will not be posted.
    async fn discard(&self, message: &OutboxMessage, reason: &'static str) -> Result<bool, AppError> {
        let LogFields { outbox, game, challenge, channel } = LogFields::of(message);
        info!(outbox, game, challenge, channel, reason, "closing an outbox message without posting it");
        self.close(message.id, reason).await
    }

    async fn close(&self, outbox_id: OutboxId, reason: &'static str) -> Result<bool, AppError> {
        self.app.run(move |app| app.store().give_up(outbox_id, reason, app.now())).await?;
        self.claims.forget(outbox_id);
        Ok(false)
    }
}

#[cfg(test)]
pub(super) mod tests;
