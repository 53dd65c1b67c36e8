//! Messages that are owed are posted by the bot itself, until they stand where they belong.
//!
//! Most owed messages are the answer to somebody, and settled with it. What remains is posted from here: what the timer
//! brought about, what belongs into another place, what could not be answered, what a stopped process left behind.

use crate::app::Destination;
use crate::discord::Bot;
use crate::discord::channels::UNKNOWN_CHANNEL;
use crate::discord::markup::place_mention;
use crate::discord::message::OutgoingMessage;
use crate::discord::outbox::claims::{PostOutcome, PostedMessage};
use crate::discord::rest::client::{NOT_TAKEN, RestError, id};
use crate::game::{BotPermissions, Place, PlayerId, Seconds};
use crate::store::{OutboxId, OutboxMessage, StoreError};
use crate::text::delivery;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tracing::{error, warn};

/// How many are posted at the same time.
const AT_ONCE: usize = 4;
const BATCH: u32 = 500;
const LIMIT: Duration = Duration::from_secs(10);
const ROUND: Duration = Duration::from_secs(2);
/// How long the bot waits for a place that it may not see or write in before it gives a message up.
const PATIENCE: Seconds = Seconds::days(7);
/// How long it waits for a player to speak somewhere else when the place is gone, and how often it looks.
const HOMELESS: Seconds = Seconds::days(30);
const LOOK_FOR_HOME: Seconds = Seconds(10 * 60);
/// How often Discord may not take a message, which is some minutes long, before it is believed that it never will.
const MOST_REFUSALS: u32 = 8;

const NOTHING_TO_TELL: &str = "there is nothing to tell any more";

/// Discord's numbers for why the bot may not write somewhere now.
pub(in crate::discord) const MISSING_ACCESS: i64 = 50001;
pub(in crate::discord) const MISSING_PERMISSIONS: i64 = 50013;
pub(in crate::discord) const THREAD_IS_ARCHIVED: i64 = 50083;
const THREAD_IS_LOCKED: i64 = 160_005;
/// Its numbers for a player whom the bot cannot write to: his door is closed, or they share no server any more.
const DOOR_IS_CLOSED: [i64; 2] = [50007, 50278];

/// What became of a message that was sent.
enum Sent {
    Stands(PostedMessage),
    NothingToTell,
    InVain(RestError),
}

impl Bot {
    /// Posts what is owed, for ever.
    pub(in crate::discord) async fn post_what_is_owed(self: Arc<Self>) {
        let room = Arc::new(Semaphore::new(AT_ONCE));
        // How many could not be posted just now: those behind them are looked at all the same.
        let mut passed_over = 0;
        loop {
            let now = self.app.now();
            let limit = BATCH.saturating_add(passed_over);
            let owed = self.blocking(move |bot| bot.app.store().owed(now, limit)).await;
            let owed = owed.unwrap_or_else(|problem| {
                error!(%problem, "it cannot be read what is owed");
                Vec::new()
            });
            let all = owed.len() < limit as usize;
            let mut nap = ROUND;
            passed_over = 0;
            for item in owed {
                let channel = item.place.thread.unwrap_or(item.place.channel);
                let pause = self.rest.pause(channel);
                if !pause.is_zero() {
                    nap = nap.min(pause);
                    passed_over += 1;
                    continue;
                }
                let Some(turn) = self.outbox.take(&item, channel, now) else {
                    passed_over += 1;
                    continue;
                };
                let Ok(permit) = Arc::clone(&room).acquire_owned().await else { return };
                let bot = Arc::clone(&self);
                tokio::spawn(async move {
                    bot.post(item.id).await;
                    drop((permit, turn));
                });
            }
            if all {
                // Woken by whoever releases something; what was postponed is found by looking now and then.
                self.outbox.wait(nap).await;
            }
        }
    }

    async fn post(self: &Arc<Self>, owed: OutboxId) {
        if let Err(problem) = self.try_to_post(owed).await {
            let pause = self.outbox.rest(owed).as_secs();
            error!(owed = owed.0, %problem, "an owed message cannot be read or noted; it is tried again in {pause} s");
        }
    }

    async fn try_to_post(self: &Arc<Self>, owed: OutboxId) -> Result<(), StoreError> {
        // Since the list was made, it may have been posted, put off or moved.
        let item = self.blocking(move |bot| bot.app.store().owed_now(owed, bot.app.now())).await?;
        let Some(owed) = &item else { return Ok(()) };
        self.outbox.begin(owed.id);
        if let Some(standing) = self.outbox.standing(owed.id) {
            return self.settle(owed.id, standing).await;
        }
        if self.bring(owed).await? {
            self.outbox.report(owed.id, PostOutcome::Posted);
        }
        Ok(())
    }

    /// Brings a message where it belongs; tells whether it stands there.
    async fn bring(self: &Arc<Self>, owed: &OutboxMessage) -> Result<bool, StoreError> {
        let item = owed.clone();
        match self.blocking(move |bot| bot.app.destination(&item)).await? {
            Destination::Place => self.post_in(owed, owed.place, "").await,
            Destination::Nowhere => self.close(owed, "the player does not want it").await,
            Destination::Gone => self.wait_for_a_place(owed).await,
            Destination::Channel { game } => match self.takes_messages(owed.place.channel).await {
                Ok(true) => {
                    let place = Place { thread: None, ..owed.place };
                    self.blocking(move |bot| bot.app.store().move_game(game, place)).await?;
                    self.post_in(owed, place, "").await
                }
                // The thread is gone, and the game cannot go on in what it was a thread of.
                Ok(false) => self.wait_for_a_place(owed).await,
                Err(error) => self.put_off(owed, &error).await,
            },
            Destination::Direct(player) => self.post_to(owed, player).await,
            Destination::NewThread { game, name, players, from } => match self.open_thread(owed, from, &name).await {
                Ok(Some(thread)) => {
                    let place = Place { thread: Some(thread), ..owed.place };
                    self.blocking(move |bot| bot.app.store().move_game(game, place)).await?;
                    self.outbox.report(owed.id, PostOutcome::InThread(thread));
                    let posted = self.post_in(owed, place, "").await;
                    let others = [players.attackers, players.defenders].into_iter();
                    // Whoever is called is in the thread by that.
                    for player in others.filter(|player| Some(*player) != owed.call && !player.is_former()) {
                        self.bring_into(thread, player).await;
                    }
                    posted
                }
                // Then the game is played where it is.
                Ok(None) | Err(RestError::Refused { .. }) => {
                    if from != owed.place {
                        self.blocking(move |bot| bot.app.store().move_game(game, from)).await?;
                    }
                    let posted = self.post_in(owed, from, "").await?;
                    if posted {
                        let channel = from.thread.unwrap_or(from.channel);
                        self.outbox.report(owed.id, PostOutcome::WithoutThread { channel });
                    }
                    Ok(posted)
                }
                Err(error) => self.put_off(owed, &error).await,
            },
        }
    }

    /// Posts a message to one player; if he has closed his door, in the game's place, and from then on always there.
    async fn post_to(self: &Arc<Self>, owed: &OutboxMessage, player: PlayerId) -> Result<bool, StoreError> {
        let whom = json!({ "recipient_id": player.0.to_string() });
        let opened = self.rest.call(Method::POST, "/users/@me/channels", Some(&whom), &[], LIMIT).await;
        let sent = match opened.map(|channel| id(&channel)) {
            Ok(Some(channel)) => {
                // A link leads to the board whose buttons work: those here would stay when the turn has passed.
                let there = place_mention(owed.place.thread.unwrap_or(owed.place.channel));
                self.send_owed(owed, channel, &delivery::game_location(&there), true).await?
            }
            Ok(None) => Sent::InVain(RestError::Unclear(String::from("Discord does not say where the player is"))),
            Err(error) => Sent::InVain(error),
        };
        match sent {
            Sent::Stands(standing) => self.settle(owed.id, standing).await.map(|()| true),
            Sent::NothingToTell => self.close(owed, NOTHING_TO_TELL).await,
            Sent::InVain(error) if DOOR_IS_CLOSED.contains(&error.code()) => {
                let posted = self.post_in(owed, owed.place, &delivery::direct_messages_closed()).await?;
                // Not before he could read it.
                if posted && let Err(problem) = self.blocking(move |bot| bot.app.give_up_direct_messages(player)).await
                {
                    error!(%problem, "it cannot be noted that direct messages are closed; they are tried again");
                }
                Ok(posted)
            }
            Sent::InVain(error @ RestError::Refused { .. }) if self.is_refused_for_good(owed) => {
                warn!(owed = owed.id.0, %error, "a message for one player goes to the game's place");
                self.post_in(owed, owed.place, "").await
            }
            Sent::InVain(error) => self.try_later(owed, &error).await,
        }
    }

    /// Posts a message in a place, with a few words more; tells whether it stands there.
    async fn post_in(self: &Arc<Self>, owed: &OutboxMessage, place: Place, more: &str) -> Result<bool, StoreError> {
        let channel = place.thread.unwrap_or(place.channel);
        let error = match self.send_owed(owed, channel, more, false).await? {
            Sent::Stands(standing) => {
                self.settle(owed.id, standing).await?;
                self.sees_again(channel);
                return Ok(true);
            }
            Sent::NothingToTell => return self.close(owed, NOTHING_TO_TELL).await,
            Sent::InVain(error) => error,
        };
        if let Some(missing) = missing_right(&error, place) {
            self.outbox.report(owed.id, PostOutcome::Forbidden { channel, missing });
        }
        if matches!(error.code(), THREAD_IS_ARCHIVED | THREAD_IS_LOCKED) {
            self.outbox.report(owed.id, PostOutcome::Locked { thread: channel });
        }
        if error.code() == UNKNOWN_CHANNEL {
            // The next try will know that, and where else to go.
            self.lose_place(channel).await;
        }
        self.put_off(owed, &error).await
    }

    /// Sends a message to a channel with a few words more, unless it stands there already: if need be without a picture,
    /// and without buttons if it is for one player apart.
    async fn send_owed(
        self: &Arc<Self>,
        owed: &OutboxMessage,
        channel: u64,
        more: &str,
        apart: bool,
    ) -> Result<Sent, StoreError> {
        match self.find_trace(owed, channel).await {
            Ok(None) => {}
            Ok(Some(trace)) => {
                let (message, has_buttons) = (Some(trace.message), trace.has_buttons);
                return Ok(Sent::Stands(PostedMessage { channel, message, has_buttons, apart }));
            }
            Err(error) => return Ok(Sent::InVain(error)),
        }
        let mut pictures = true;
        loop {
            let item = owed.clone();
            let outgoing = self.blocking(move |bot| bot.write_owed(&item, pictures)).await?;
            let Some(mut outgoing) = outgoing else { return Ok(Sent::NothingToTell) };
            if apart {
                outgoing = outgoing.without_buttons();
            }
            match self.deliver(owed, channel, &outgoing, more).await {
                Ok(message) => {
                    let has_buttons = outgoing.has_buttons();
                    return Ok(Sent::Stands(PostedMessage { channel, message, has_buttons, apart }));
                }
                // Perhaps only pictures are not allowed there, or this one is not taken.
                Err(error)
                    if !outgoing.files.is_empty()
                        && (error.code() == MISSING_PERMISSIONS || NOT_TAKEN.contains(&error.status())) =>
                {
                    pictures = false;
                }
                Err(error) => return Ok(Sent::InVain(error)),
            }
        }
    }

    /// Notes that an owed message stands, and has the former post tidied up. What cannot be noted now is remembered: it
    /// is noted later, and not posted again.
    pub(in crate::discord) async fn settle(
        self: &Arc<Self>,
        owed: OutboxId,
        standing: PostedMessage,
    ) -> Result<(), StoreError> {
        let PostedMessage { channel, message, has_buttons, apart } = standing;
        let settled = self.blocking(move |bot| {
            let (store, now) = (bot.app.store(), bot.app.now());
            match message {
                _ if apart => store.settle_apart(owed, message, now),
                Some(message) if has_buttons => store.settle_post(owed, channel, message, now),
                _ => store.settle(owed, message, now),
            }
        });
        let settled = settled.await;
        match settled {
            Ok(()) => self.outbox.forget(owed),
            Err(_) => self.outbox.remember(owed, standing),
        }
        self.tidy.notify_one();
        settled
    }

    async fn deliver(
        &self,
        owed: &OutboxMessage,
        channel: u64,
        outgoing: &OutgoingMessage,
        more: &str,
    ) -> Result<Option<u64>, RestError> {
        let mut said = outgoing.json();
        if !more.is_empty() {
            said["content"] = json!(format!("{}\n{more}", said["content"].as_str().unwrap_or_default()));
        }
        // The same message twice within a few minutes is one message to Discord.
        said["nonce"] = json!(format!("{}-{}", owed.id.0, owed.made.0));
        said["enforce_nonce"] = json!(true);
        let path = format!("/channels/{channel}/messages");
        let message = self.rest.call(Method::POST, &path, Some(&said), &outgoing.files, LIMIT).await?;
        Ok(id(&message))
    }

    fn write_owed(&self, owed: &OutboxMessage, pictures: bool) -> Result<Option<OutgoingMessage>, StoreError> {
        // It may have been settled since the list was made.
        if self.app.store().owed_item(owed.id)?.is_none() {
            return Ok(None);
        }
        let post = self.app.owed_post(owed, &self.markup)?;
        let rights = BotPermissions { attach: pictures, ..BotPermissions::ALL };
        Ok(post.map(|post| OutgoingMessage::write(&post, &self.renderer, rights)))
    }

    /// Leaves a message alone until a player speaks somewhere else, which moves the game there.
    async fn wait_for_a_place(self: &Arc<Self>, owed: &OutboxMessage) -> Result<bool, StoreError> {
        let (server, now) = (owed.place.server, self.app.now());
        let expelled =
            self.blocking(move |bot| server.map_or(Ok(false), |id| bot.app.store().server_is_gone(id))).await?;
        self.outbox.report(owed.id, if expelled { PostOutcome::Expelled } else { PostOutcome::Homeless });
        // Nobody plays a challenge that nobody can see; a game goes on.
        if owed.game.is_none() || now > owed.made + HOMELESS {
            return self.close(owed, "its place is gone").await;
        }
        let owed = owed.id;
        self.blocking(move |bot| bot.app.store().postpone(owed, now + LOOK_FOR_HOME)).await?;
        Ok(false)
    }

    /// Decides when a message is tried again, or that it never will be.
    async fn put_off(self: &Arc<Self>, owed: &OutboxMessage, error: &RestError) -> Result<bool, StoreError> {
        let hopeless = match error.code() {
            MISSING_ACCESS | MISSING_PERMISSIONS | THREAD_IS_ARCHIVED | THREAD_IS_LOCKED => {
                let waited_long = self.app.now() > owed.made + PATIENCE;
                waited_long.then_some("the bot may not write there")
            }
            _ if NOT_TAKEN.contains(&error.status()) && self.is_refused_for_good(owed) => {
                Some("Discord does not take it")
            }
            _ => None,
        };
        let Some(why) = hopeless else { return self.try_later(owed, error).await };
        warn!(owed = owed.id.0, game = owed.game.map(|game| game.0), %error, "a message is given up: {why}");
        self.close(owed, why).await
    }

    /// Counts a refusal. What Discord does not understand now it will not understand later; but some say 400 when they
    /// are ill.
    fn is_refused_for_good(&self, owed: &OutboxMessage) -> bool {
        self.outbox.count_refusal(owed.id) >= MOST_REFUSALS
    }

    async fn try_later(self: &Arc<Self>, owed: &OutboxMessage, error: &RestError) -> Result<bool, StoreError> {
        let pause = match error {
            RestError::TooFast { wait } => i64::try_from(wait.as_secs()).unwrap_or(0) + 1,
            // 1, 2, 4 … seconds, and in the end a quarter of an hour where it is refused; but a broken connection may be
            // mended at any moment, and somebody waits for the board.
            RestError::Refused { .. } => (1_i64 << owed.attempts.min(10)).min(900),
            RestError::NotReached(_) | RestError::Unclear(_) => (1_i64 << owed.attempts.min(5)).min(30),
        };
        warn!(owed = owed.id.0, attempts = owed.attempts + 1, %error, "an owed message is tried again in {pause} s");
        let (owed, until) = (owed.id, self.app.now() + Seconds(pause));
        self.outbox.keep_released(owed);
        self.blocking(move |bot| bot.app.store().postpone(owed, until)).await?;
        Ok(false)
    }

    async fn close(self: &Arc<Self>, owed: &OutboxMessage, why: &'static str) -> Result<bool, StoreError> {
        let owed = owed.id;
        self.blocking(move |bot| bot.app.store().give_up(owed, why, bot.app.now())).await?;
        self.outbox.forget(owed);
        Ok(false)
    }
}

/// Names the right that the bot lacks in a place, if that is the trouble.
const fn missing_right(error: &RestError, place: Place) -> Option<&'static str> {
    match error.code() {
        MISSING_ACCESS => Some("View Channel"),
        MISSING_PERMISSIONS if place.thread.is_some() => Some("Send Messages in Threads"),
        MISSING_PERMISSIONS => Some("Send Messages"),
        _ => None,
    }
}
