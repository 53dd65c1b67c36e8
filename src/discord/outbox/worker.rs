//! Messages that are owed are posted by the bot itself, until they stand where they belong.
//!
//! Most owed messages are the answer to somebody, and settled with it. What remains is posted from here: what the timer
//! brought about, what belongs into another place, what could not be answered, what a stopped process left behind.

use super::Bot;
use super::letter::Letter;
use super::outbox::{Attempt, Standing};
use super::places::UNKNOWN_CHANNEL;
use super::voice::place_mention;
use super::wire::{NOT_TAKEN, Trouble, id};
use crate::app::Destination;
use crate::game::{Place, PlayerId, Rights, Span};
use crate::store::{Owed, OwedId, StoreError};
use crate::text::house;
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
const PATIENCE: Span = Span::days(7);
/// How long it waits for a player to speak somewhere else when the place is gone, and how often it looks.
const HOMELESS: Span = Span::days(30);
const LOOK_FOR_HOME: Span = Span(10 * 60);
/// How often Discord may not take a message, which is some minutes long, before it is believed that it never will.
const MOST_REFUSALS: u32 = 8;

const NOTHING_TO_TELL: &str = "there is nothing to tell any more";

/// Discord's numbers for why the bot may not write somewhere now.
pub(super) const MISSING_ACCESS: i64 = 50001;
pub(super) const MISSING_PERMISSIONS: i64 = 50013;
pub(super) const THREAD_IS_ARCHIVED: i64 = 50083;
const THREAD_IS_LOCKED: i64 = 160_005;
/// Its numbers for a player whom the bot cannot write to: his door is closed, or they share no server any more.
const DOOR_IS_CLOSED: [i64; 2] = [50007, 50278];

/// What became of a message that was sent.
enum Sent {
    Stands(Standing),
    NothingToTell,
    InVain(Trouble),
}

impl Bot {
    /// Posts what is owed, for ever.
    pub(super) async fn post_what_is_owed(self: Arc<Self>) {
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
                let pause = self.wire.pause(channel);
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

    async fn post(self: &Arc<Self>, owed: OwedId) {
        if let Err(problem) = self.try_to_post(owed).await {
            let pause = self.outbox.rest(owed).as_secs();
            error!(owed = owed.0, %problem, "an owed message cannot be read or noted; it is tried again in {pause} s");
        }
    }

    async fn try_to_post(self: &Arc<Self>, owed: OwedId) -> Result<(), StoreError> {
        // Since the list was made, it may have been posted, put off or moved.
        let item = self.blocking(move |bot| bot.app.store().owed_now(owed, bot.app.now())).await?;
        let Some(owed) = &item else { return Ok(()) };
        self.outbox.begin(owed.id);
        if let Some(standing) = self.outbox.standing(owed.id) {
            return self.settle(owed.id, standing).await;
        }
        if self.bring(owed).await? {
            self.outbox.report(owed.id, Attempt::Posted);
        }
        Ok(())
    }

    /// Brings a message where it belongs; tells whether it stands there.
    async fn bring(self: &Arc<Self>, owed: &Owed) -> Result<bool, StoreError> {
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
                Err(trouble) => self.put_off(owed, &trouble).await,
            },
            Destination::Direct(player) => self.post_to(owed, player).await,
            Destination::NewThread { game, name, players, from } => match self.open_thread(owed, from, &name).await {
                Ok(Some(thread)) => {
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
                // Then the game is played where it is.
                Ok(None) | Err(Trouble::Refused { .. }) => {
                    if from != owed.place {
                        self.blocking(move |bot| bot.app.store().move_game(game, from)).await?;
                    }
                    let posted = self.post_in(owed, from, "").await?;
                    if posted {
                        let channel = from.thread.unwrap_or(from.channel);
                        self.outbox.report(owed.id, Attempt::WithoutThread { channel });
                    }
                    Ok(posted)
                }
                Err(trouble) => self.put_off(owed, &trouble).await,
            },
        }
    }

    /// Posts a message to one player; if he has closed his door, in the game's place, and from then on always there.
    async fn post_to(self: &Arc<Self>, owed: &Owed, player: PlayerId) -> Result<bool, StoreError> {
        let whom = json!({ "recipient_id": player.0.to_string() });
        let opened = self.wire.call(Method::POST, "/users/@me/channels", Some(&whom), &[], LIMIT).await;
        let sent = match opened.map(|channel| id(&channel)) {
            Ok(Some(channel)) => {
                // A link leads to the board whose buttons work: those here would stay when the turn has passed.
                let there = place_mention(owed.place.thread.unwrap_or(owed.place.channel));
                self.send_owed(owed, channel, &house::where_the_game_is(&there), true).await?
            }
            Ok(None) => Sent::InVain(Trouble::Unclear(String::from("Discord does not say where the player is"))),
            Err(trouble) => Sent::InVain(trouble),
        };
        match sent {
            Sent::Stands(standing) => self.settle(owed.id, standing).await.map(|()| true),
            Sent::NothingToTell => self.close(owed, NOTHING_TO_TELL).await,
            Sent::InVain(trouble) if DOOR_IS_CLOSED.contains(&trouble.code()) => {
                let posted = self.post_in(owed, owed.place, &house::direct_messages_are_closed()).await?;
                // Not before he could read it.
                if posted && let Err(problem) = self.blocking(move |bot| bot.app.give_up_direct_messages(player)).await
                {
                    error!(%problem, "it cannot be noted that direct messages are closed; they are tried again");
                }
                Ok(posted)
            }
            Sent::InVain(trouble @ Trouble::Refused { .. }) if self.is_refused_for_good(owed) => {
                warn!(owed = owed.id.0, %trouble, "a message for one player goes to the game's place");
                self.post_in(owed, owed.place, "").await
            }
            Sent::InVain(trouble) => self.try_later(owed, &trouble).await,
        }
    }

    /// Posts a message in a place, with a few words more; tells whether it stands there.
    async fn post_in(self: &Arc<Self>, owed: &Owed, place: Place, more: &str) -> Result<bool, StoreError> {
        let channel = place.thread.unwrap_or(place.channel);
        let trouble = match self.send_owed(owed, channel, more, false).await? {
            Sent::Stands(standing) => {
                self.settle(owed.id, standing).await?;
                self.sees_again(channel);
                return Ok(true);
            }
            Sent::NothingToTell => return self.close(owed, NOTHING_TO_TELL).await,
            Sent::InVain(trouble) => trouble,
        };
        if let Some(missing) = missing_right(&trouble, place) {
            self.outbox.report(owed.id, Attempt::Forbidden { channel, missing });
        }
        if matches!(trouble.code(), THREAD_IS_ARCHIVED | THREAD_IS_LOCKED) {
            self.outbox.report(owed.id, Attempt::Locked { thread: channel });
        }
        if trouble.code() == UNKNOWN_CHANNEL {
            // The next try will know that, and where else to go.
            self.lose_place(channel).await;
        }
        self.put_off(owed, &trouble).await
    }

    /// Sends a message to a channel with a few words more, unless it stands there already: if need be without a picture,
    /// and without buttons if it is for one player apart.
    async fn send_owed(
        self: &Arc<Self>,
        owed: &Owed,
        channel: u64,
        more: &str,
        apart: bool,
    ) -> Result<Sent, StoreError> {
        match self.find_trace(owed, channel).await {
            Ok(None) => {}
            Ok(Some(trace)) => {
                let (message, has_buttons) = (Some(trace.message), trace.has_buttons);
                return Ok(Sent::Stands(Standing { channel, message, has_buttons, apart }));
            }
            Err(trouble) => return Ok(Sent::InVain(trouble)),
        }
        let mut pictures = true;
        loop {
            let item = owed.clone();
            let letter = self.blocking(move |bot| bot.write_owed(&item, pictures)).await?;
            let Some(mut letter) = letter else { return Ok(Sent::NothingToTell) };
            if apart {
                letter = letter.without_buttons();
            }
            match self.deliver(owed, channel, &letter, more).await {
                Ok(message) => {
                    let has_buttons = letter.has_buttons();
                    return Ok(Sent::Stands(Standing { channel, message, has_buttons, apart }));
                }
                // Perhaps only pictures are not allowed there, or this one is not taken.
                Err(trouble)
                    if !letter.files.is_empty()
                        && (trouble.code() == MISSING_PERMISSIONS || NOT_TAKEN.contains(&trouble.status())) =>
                {
                    pictures = false;
                }
                Err(trouble) => return Ok(Sent::InVain(trouble)),
            }
        }
    }

    /// Notes that an owed message stands, and has the former post tidied up. What cannot be noted now is remembered: it
    /// is noted later, and not posted again.
    pub(super) async fn settle(self: &Arc<Self>, owed: OwedId, standing: Standing) -> Result<(), StoreError> {
        let Standing { channel, message, has_buttons, apart } = standing;
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
    async fn wait_for_a_place(self: &Arc<Self>, owed: &Owed) -> Result<bool, StoreError> {
        let (server, now) = (owed.place.server, self.app.now());
        let expelled =
            self.blocking(move |bot| server.map_or(Ok(false), |id| bot.app.store().server_is_gone(id))).await?;
        self.outbox.report(owed.id, if expelled { Attempt::Expelled } else { Attempt::Homeless });
        // Nobody plays a challenge that nobody can see; a game goes on.
        if owed.game.is_none() || now > owed.made + HOMELESS {
            return self.close(owed, "its place is gone").await;
        }
        let owed = owed.id;
        self.blocking(move |bot| bot.app.store().postpone(owed, now + LOOK_FOR_HOME)).await?;
        Ok(false)
    }

    /// Decides when a message is tried again, or that it never will be.
    async fn put_off(self: &Arc<Self>, owed: &Owed, trouble: &Trouble) -> Result<bool, StoreError> {
        let hopeless = match trouble.code() {
            MISSING_ACCESS | MISSING_PERMISSIONS | THREAD_IS_ARCHIVED | THREAD_IS_LOCKED => {
                let waited_long = self.app.now() > owed.made + PATIENCE;
                waited_long.then_some("the bot may not write there")
            }
            _ if NOT_TAKEN.contains(&trouble.status()) && self.is_refused_for_good(owed) => {
                Some("Discord does not take it")
            }
            _ => None,
        };
        let Some(why) = hopeless else { return self.try_later(owed, trouble).await };
        warn!(owed = owed.id.0, game = owed.game.map(|game| game.0), %trouble, "a message is given up: {why}");
        self.close(owed, why).await
    }

    /// Counts a refusal. What Discord does not understand now it will not understand later; but some say 400 when they
    /// are ill.
    fn is_refused_for_good(&self, owed: &Owed) -> bool {
        self.outbox.count_refusal(owed.id) >= MOST_REFUSALS
    }

    async fn try_later(self: &Arc<Self>, owed: &Owed, trouble: &Trouble) -> Result<bool, StoreError> {
        let pause = match trouble {
            Trouble::TooFast { wait } => i64::try_from(wait.as_secs()).unwrap_or(0) + 1,
            // 1, 2, 4 … seconds, and in the end a quarter of an hour where it is refused; but a broken connection may be
            // mended at any moment, and somebody waits for the board.
            Trouble::Refused { .. } => (1_i64 << owed.attempts.min(10)).min(900),
            Trouble::NotReached(_) | Trouble::Unclear(_) => (1_i64 << owed.attempts.min(5)).min(30),
        };
        warn!(owed = owed.id.0, attempts = owed.attempts + 1, %trouble, "an owed message is tried again in {pause} s");
        let (owed, until) = (owed.id, self.app.now() + Span(pause));
        self.outbox.keep_released(owed);
        self.blocking(move |bot| bot.app.store().postpone(owed, until)).await?;
        Ok(false)
    }

    async fn close(self: &Arc<Self>, owed: &Owed, why: &'static str) -> Result<bool, StoreError> {
        let owed = owed.id;
        self.blocking(move |bot| bot.app.store().give_up(owed, why, bot.app.now())).await?;
        self.outbox.forget(owed);
        Ok(false)
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
