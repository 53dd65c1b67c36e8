//! Messages that are owed are posted by the bot itself, until they stand where they belong.
//!
//! Most owed messages are the answer to somebody, and settled with it. What remains is posted from here: what the timer
//! brought about, what belongs into another place, what could not be answered, what a stopped process left behind.

use super::Bot;
use super::letter::{Letter, cut};
use super::outbox::Attempt;
use super::places::UNKNOWN_CHANNEL;
use super::voice::place_mention;
use super::wire::{NOT_TAKEN, Trouble, id};
use crate::app::Destination;
use crate::game::{Place, PlayerId, Rights, Span};
use crate::store::{Owed, StoreError};
use crate::text::house;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tracing::{debug, error, warn};

/// How many are posted at the same time.
const AT_ONCE: usize = 4;
const BATCH: u32 = 500;
const LIMIT: Duration = Duration::from_secs(10);
const ROUND: Duration = Duration::from_secs(2);
/// How long the bot waits for a place that it may not see or write in before it gives a message up.
const PATIENCE: Span = Span::days(7);
/// How long it waits for a player to speak somewhere else when the place is gone, and how often it looks.
const HOMELESS: Span = Span::days(30);
const LOOK_FOR_HOME: Span = Span(10 * 60);

const LONGEST_THREAD_NAME: usize = 100;
const NOTHING_TO_TELL: &str = "there is nothing to tell any more";

/// Discord's numbers for why the bot may not write somewhere; all but the second may change.
pub(super) const MISSING_ACCESS: i64 = 50001;
const CLOSED_TO_US: i64 = 50007;
pub(super) const MISSING_PERMISSIONS: i64 = 50013;
pub(super) const THREAD_IS_ARCHIVED: i64 = 50083;
const THREAD_IS_LOCKED: i64 = 160_005;
/// A forum, for example, has threads but takes no messages itself.
const NO_TEXT_CHANNEL: i64 = 50008;

impl Bot {
    /// Posts what is owed, for ever.
    pub(super) async fn post_what_is_owed(self: Arc<Self>) {
        let room = Arc::new(Semaphore::new(AT_ONCE));
        loop {
            let now = self.app.now();
            let owed = self.blocking(move |bot| bot.app.store().owed(now, BATCH)).await;
            let owed = owed.unwrap_or_else(|problem| {
                error!(%problem, "it cannot be read what is owed");
                Vec::new()
            });
            let mut nap = ROUND;
            for item in owed {
                let channel = item.place.thread.unwrap_or(item.place.channel);
                let pause = self.wire.pause(channel);
                if !pause.is_zero() {
                    nap = nap.min(pause);
                    continue;
                }
                let Some(turn) = self.outbox.take(&item, channel, now) else { continue };
                let Ok(permit) = Arc::clone(&room).acquire_owned().await else { return };
                let bot = Arc::clone(&self);
                tokio::spawn(async move {
                    bot.post(item).await;
                    drop((permit, turn));
                });
            }
            // Woken by whoever releases something; what was postponed is found by looking now and then.
            self.outbox.wait(nap).await;
        }
    }

    async fn post(self: &Arc<Self>, owed: Owed) {
        if let Err(problem) = self.try_to_post(&owed).await {
            error!(owed = owed.id.0, %problem, "an owed message cannot be read or noted");
        }
    }

    async fn try_to_post(self: &Arc<Self>, owed: &Owed) -> Result<(), StoreError> {
        let item = owed.clone();
        match self.blocking(move |bot| bot.app.destination(&item)).await? {
            Destination::Place => self.post_in(owed, owed.place, "").await,
            Destination::Nowhere => self.close(owed, "the player does not want it").await,
            Destination::Gone => self.wait_for_a_place(owed).await,
            Destination::Channel { game } => {
                let place = Place { thread: None, ..owed.place };
                self.blocking(move |bot| bot.app.store().move_game(game, place)).await?;
                self.post_in(owed, place, "").await
            }
            Destination::Direct(player) => self.post_to(owed, player).await,
            Destination::NewThread { game, name, players } => match self.make_thread(owed, &name).await {
                Ok(thread) => {
                    let place = Place { thread: Some(thread), ..owed.place };
                    self.blocking(move |bot| bot.app.store().move_game(game, place)).await?;
                    self.outbox.report(owed.id, Attempt::InThread(thread));
                    let posted = self.post_in(owed, place, "").await;
                    let others = [players.attackers, players.defenders].into_iter();
                    // Whoever is called is in the thread by that.
                    for player in others.filter(|player| Some(*player) != owed.call && !player.is_former()) {
                        self.bring_into(thread, player).await;
                    }
                    posted
                }
                // Then the game is played in the channel.
                Err(Trouble::Refused { .. }) => self.post_in(owed, owed.place, "").await,
                Err(trouble) => self.put_off(owed, &trouble).await,
            },
        }
    }

    async fn make_thread(&self, owed: &Owed, name: &str) -> Result<u64, Trouble> {
        let (name, channel) = (cut(name, LONGEST_THREAD_NAME), owed.place.channel);
        if self.outbox.was_tried(owed)
            && let Some(made) = self.find_thread(owed.place, &name).await?
        {
            return Ok(made);
        }
        // Public; it stays open for a week without a word, which is as long as Discord lets it.
        let thread = json!({ "name": name, "type": 11, "auto_archive_duration": 10_080 });
        let path = format!("/channels/{channel}/threads");
        let made = self.wire.call(Method::POST, &path, Some(&thread), &[], LIMIT).await?;
        id(&made).ok_or_else(|| Trouble::Unclear(String::from("Discord does not say which thread it made")))
    }

    /// Brings a player into a thread without calling him.
    async fn bring_into(&self, thread: u64, player: PlayerId) {
        let path = format!("/channels/{thread}/thread-members/{}", player.0);
        if let Err(trouble) = self.wire.call(Method::PUT, &path, None, &[], LIMIT).await {
            debug!(thread, %trouble, "a player has to find the thread himself");
        }
    }

    /// Finds the thread that an earlier try has made without hearing of it. The number of the game is in its name.
    async fn find_thread(&self, place: Place, name: &str) -> Result<Option<u64>, Trouble> {
        let Some(server) = place.server else { return Ok(None) };
        let open = self.wire.get(&format!("/guilds/{server}/threads/active"), LIMIT).await?;
        let parent = place.channel.to_string();
        let ours = |thread: &&Value| thread["name"] == name && thread["parent_id"] == parent.as_str();
        Ok(open["threads"].as_array().into_iter().flatten().find(ours).and_then(id))
    }

    /// Posts a message to one player; if he has closed his door, in the game's place, and from then on always there.
    async fn post_to(self: &Arc<Self>, owed: &Owed, player: PlayerId) -> Result<(), StoreError> {
        let whom = json!({ "recipient_id": player.0.to_string() });
        let opened = self.wire.call(Method::POST, "/users/@me/channels", Some(&whom), &[], LIMIT).await;
        let sent = match opened.map(|channel| id(&channel)) {
            Ok(Some(channel)) => {
                let item = owed.clone();
                let Some(letter) = self.blocking(move |bot| bot.write_owed(&item, true)).await? else {
                    return self.close(owed, NOTHING_TO_TELL).await;
                };
                // A link leads to the board whose buttons work: those here would stay when the turn has passed.
                let there = place_mention(owed.place.thread.unwrap_or(owed.place.channel));
                self.deliver(owed, channel, &letter.without_buttons(), &house::where_the_game_is(&there)).await
            }
            Ok(None) => Err(Trouble::Unclear(String::from("Discord does not say where the player is"))),
            Err(trouble) => Err(trouble),
        };
        match sent {
            Ok(message) => {
                let owed = owed.id;
                self.blocking(move |bot| bot.app.store().settle_apart(owed, message, bot.app.now())).await
            }
            Err(Trouble::Refused { .. }) => {
                let words = self.blocking(move |bot| bot.app.give_up_direct_messages(player)).await?;
                self.post_in(owed, owed.place, &words).await
            }
            Err(trouble) => self.put_off(owed, &trouble).await,
        }
    }

    /// Posts a message in a place, with a few words more.
    async fn post_in(self: &Arc<Self>, owed: &Owed, place: Place, more: &str) -> Result<(), StoreError> {
        let channel = place.thread.unwrap_or(place.channel);
        match self.find_trace(owed, channel).await {
            Ok(None) => {}
            Ok(Some(trace)) => {
                self.settle(owed.id, Some(trace.message).filter(|_| trace.has_buttons), Some(trace.message)).await;
                self.outbox.report(owed.id, Attempt::Posted);
                return Ok(());
            }
            // Without having looked, it might stand there twice.
            Err(trouble) => return self.put_off(owed, &trouble).await,
        }
        let mut pictures = true;
        loop {
            let item = owed.clone();
            let Some(letter) = self.blocking(move |bot| bot.write_owed(&item, pictures)).await? else {
                return self.close(owed, NOTHING_TO_TELL).await;
            };
            match self.deliver(owed, channel, &letter, more).await {
                Ok(message) => {
                    self.settle(owed.id, message.filter(|_| letter.has_buttons()), message).await;
                    self.sees_again(channel);
                    self.outbox.report(owed.id, Attempt::Posted);
                    return Ok(());
                }
                // Perhaps only pictures are not allowed there, or this one is not taken.
                Err(trouble)
                    if !letter.files.is_empty()
                        && (trouble.code() == MISSING_PERMISSIONS || NOT_TAKEN.contains(&trouble.status())) =>
                {
                    pictures = false;
                }
                Err(trouble) => {
                    if let Some(missing) = missing_right(&trouble, place) {
                        self.outbox.report(owed.id, Attempt::Forbidden { channel, missing });
                    }
                    if matches!(trouble.code(), THREAD_IS_ARCHIVED | THREAD_IS_LOCKED) {
                        self.outbox.report(owed.id, Attempt::Locked { thread: channel });
                    }
                    match (trouble.code(), owed.game) {
                        // The next try will know that, and where else to go.
                        (UNKNOWN_CHANNEL, _) => self.lose_place(channel).await,
                        // The thread is gone, and the game cannot go on in what it was a thread of.
                        (NO_TEXT_CHANNEL, Some(game)) if place != owed.place => {
                            let before = owed.place;
                            self.blocking(move |bot| bot.app.store().move_game(game, before)).await?;
                            return self.wait_for_a_place(owed).await;
                        }
                        _ => {}
                    }
                    return self.put_off(owed, &trouble).await;
                }
            }
        }
    }

    async fn deliver(&self, owed: &Owed, channel: u64, letter: &Letter, more: &str) -> Result<Option<u64>, Trouble> {
        let mut said = letter.json();
        if !more.is_empty() {
            said["content"] = json!(format!("{}\n{more}", said["content"].as_str().unwrap_or_default()));
        }
        // The same message twice within a few minutes is one message to Discord.
        said["nonce"] = json!(format!("{}-{}", owed.id.0, owed.made.0));
        said["enforce_nonce"] = json!(true);
        let path = format!("/channels/{channel}/messages");
        let message = self.wire.call(Method::POST, &path, Some(&said), &letter.files, LIMIT).await?;
        Ok(id(&message))
    }

    fn write_owed(&self, owed: &Owed, pictures: bool) -> Result<Option<Letter>, StoreError> {
        // It may have been settled since the list was made.
        if self.app.store().owed_item(owed.id)?.is_none() {
            return Ok(None);
        }
        let post = self.app.owed_post(owed, &self.voice)?;
        let rights = Rights { attach: pictures, ..Rights::ALL };
        Ok(post.map(|post| Letter::write(&post, &self.renderer, rights)))
    }

    /// Leaves a message alone until a player speaks somewhere else, which moves the game there.
    async fn wait_for_a_place(self: &Arc<Self>, owed: &Owed) -> Result<(), StoreError> {
        self.outbox.report(owed.id, Attempt::Homeless);
        let now = self.app.now();
        // Nobody plays a challenge that nobody can see; a game goes on.
        if owed.game.is_none() || now > owed.made + HOMELESS {
            return self.close(owed, "its place is gone").await;
        }
        let owed = owed.id;
        self.blocking(move |bot| bot.app.store().postpone(owed, now + LOOK_FOR_HOME)).await
    }

    /// Decides when a message is tried again, or that it never will be.
    async fn put_off(self: &Arc<Self>, owed: &Owed, trouble: &Trouble) -> Result<(), StoreError> {
        let now = self.app.now();
        let waited_long = now > owed.made + PATIENCE;
        let hopeless = match trouble.code() {
            CLOSED_TO_US => Some("direct messages are closed"),
            MISSING_ACCESS | MISSING_PERMISSIONS | THREAD_IS_ARCHIVED | THREAD_IS_LOCKED => {
                waited_long.then_some("the bot may not write there")
            }
            // What Discord does not understand now it will not understand later; but some say 400 when they are ill.
            _ if NOT_TAKEN.contains(&trouble.status()) && owed.attempts >= 5 => Some("Discord does not take it"),
            _ => None,
        };
        if let Some(why) = hopeless {
            warn!(owed = owed.id.0, game = owed.game.map(|game| game.0), %trouble, "a message is given up: {why}");
            return self.close(owed, why).await;
        }
        let pause = match trouble {
            Trouble::TooFast { wait } => i64::try_from(wait.as_secs()).unwrap_or(0) + 1,
            // 1, 2, 4 … seconds, and in the end a quarter of an hour.
            _ => (1_i64 << owed.attempts.min(10)).min(900),
        };
        warn!(owed = owed.id.0, attempts = owed.attempts + 1, %trouble, "an owed message is tried again in {pause} s");
        let (owed, until) = (owed.id, now + Span(pause));
        self.outbox.keep_released(owed);
        self.blocking(move |bot| bot.app.store().postpone(owed, until)).await
    }

    async fn close(self: &Arc<Self>, owed: &Owed, why: &'static str) -> Result<(), StoreError> {
        let owed = owed.id;
        self.blocking(move |bot| bot.app.store().give_up(owed, why, bot.app.now())).await
    }
}

/// Names the right that the bot lacks in a place, if that is the trouble.
const fn missing_right(trouble: &Trouble, place: Place) -> Option<&'static str> {
    match trouble.code() {
        MISSING_ACCESS => Some("View Channel"),
        MISSING_PERMISSIONS if place.thread.is_some() => Some("Send Messages in Threads"),
        MISSING_PERMISSIONS => Some("Send Messages"),
        _ => None,
    }
}
