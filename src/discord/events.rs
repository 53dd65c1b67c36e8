//! What comes in from Discord: that it is ready, and interactions. Each event has a task of its own, in no order, and
//! everything is done at home: see `line`.

use super::Bot;
use super::interaction::Incoming;
use super::invite;
use crate::text::refusals;
use serenity::all::{
    ChannelId, Context, Event, EventHandler, Guild, GuildChannel, Interaction, Message, PartialGuildChannel,
    RawEventHandler, Ready, ResumedEvent, UnavailableGuild,
};
use serenity::async_trait;
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tracing::{debug, info, warn};

/// How many interactions are remembered, in case they are delivered again.
const REMEMBERED: usize = 4096;

/// Listens to Discord.
pub(super) struct Events {
    pub(super) bot: Arc<Bot>,
}

/// The interactions that came in last.
#[derive(Default)]
pub(super) struct SeenInteractions {
    last: Mutex<(HashSet<u64>, VecDeque<u64>)>,
}

impl SeenInteractions {
    /// Tells whether an interaction comes for the first time.
    fn is_new(&self, id: u64) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, order) = &mut *last;
        if !known.insert(id) {
            return false;
        }
        order.push_back(id);
        if order.len() > REMEMBERED
            && let Some(oldest) = order.pop_front()
        {
            known.remove(&oldest);
        }
        true
    }
}

impl Events {
    /// Does something at home.
    fn at_home<F: Future<Output = ()> + Send + 'static>(&self, work: impl FnOnce(Arc<Bot>) -> F) {
        self.bot.home.spawn(work(Arc::clone(&self.bot)));
    }
}

#[async_trait]
impl EventHandler for Events {
    async fn ready(&self, _: Context, ready: Ready) {
        info!(bot = ready.user.name, servers = ready.guilds.len(), "connected to Discord");
        info!("invite it with {}", invite::link(ready.application.id.get()));
        // What happened while nobody listened is lost, but what is owed and due is not.
        self.bot.outbox.nudge();
        self.bot.timer.nudge();
        let inside: HashSet<u64> = ready.guilds.iter().map(|guild| guild.id.get()).collect();
        let shard = ready.shard.map_or((0, 1), |shard| (u64::from(shard.id.0), u64::from(shard.total)));
        let application = ready.application.id.get();
        self.at_home(|bot| async move {
            bot.look_for_servers(&inside, |server| (server >> 22) % shard.1.max(1) == shard.0).await;
            if bot.application.swap(application, Ordering::AcqRel) != application {
                bot.register(application).await;
            }
        });
    }

    async fn resume(&self, _: Context, _: ResumedEvent) {
        debug!("connected to Discord again");
        self.bot.outbox.nudge();
    }

    async fn guild_create(&self, _: Context, guild: Guild, _: Option<bool>) {
        let channels = guild.channels.keys().copied().chain(guild.threads.iter().map(|thread| thread.id));
        let (server, there): (u64, HashSet<u64>) = (guild.id.get(), channels.map(ChannelId::get).collect());
        self.at_home(|bot| async move {
            bot.find_place(server).await;
            bot.look_for_places(server, &there).await;
        });
    }

    async fn guild_delete(&self, _: Context, guild: UnavailableGuild, _: Option<Guild>) {
        // An outage of Discord's is no farewell.
        if !guild.unavailable {
            self.at_home(|bot| async move { bot.lose_place(guild.id.get()).await });
        }
    }

    async fn channel_update(&self, _: Context, _: Option<GuildChannel>, channel: GuildChannel) {
        // Perhaps it is allowed there what was not.
        self.bot.sees_again(channel.id.get());
    }

    async fn channel_delete(&self, _: Context, channel: GuildChannel, _: Option<Vec<Message>>) {
        self.at_home(|bot| async move { bot.lose_place(channel.id.get()).await });
    }

    async fn thread_delete(&self, _: Context, thread: PartialGuildChannel, _: Option<GuildChannel>) {
        self.at_home(|bot| async move { bot.lose_place(thread.id.get()).await });
    }

    async fn thread_update(&self, _: Context, _: Option<GuildChannel>, thread: GuildChannel) {
        if thread.thread_metadata.is_some_and(|state| state.archived && !state.locked) {
            self.at_home(|bot| async move { bot.reopen(thread.id.get()).await });
        }
    }

    async fn interaction_create(&self, _: Context, interaction: Interaction) {
        let arrived = Instant::now();
        if !self.bot.seen.is_new(interaction.id().get()) {
            debug!(request = interaction.id().get(), "an interaction was delivered twice");
            return;
        }
        let busy = Arc::clone(&self.bot.busy);
        let Some(mut heard) = Incoming::understand(interaction) else { return };
        if self.bot.stopping.load(Ordering::Acquire) {
            heard.refuse(refusals::shutting_down());
        }
        self.at_home(|bot| async move {
            bot.answer(heard, arrived).await;
            drop(busy);
        });
    }
}

#[async_trait]
impl RawEventHandler for Events {
    async fn raw_event(&self, _: Context, event: Event) {
        if let Event::Unknown(event) = event {
            let first = self.bot.metrics.unread(&event.kind);
            // Its name only: what is in it is somebody's business. Discord invents new kinds, of which one line is enough;
            // but whoever gets no answer should be found in the log.
            if first || event.kind == "INTERACTION_CREATE" {
                warn!(event = event.kind, "an event could not be read");
            }
        }
    }
}
