//! Receives gateway events and hands each to the part of the bot that handles it.
//!
//! Serenity runs this on the gateway's thread, in a task for each event and in no particular order. Everything else
//! runs on the bot's own runtime; see [`super::gateway`].

use super::channels::{ChannelWatcher, PlaceEvent};
use super::interaction::Incoming;
use super::invite;
use super::metrics::Metrics;
use super::outbox::claims::Claims;
use super::register::CommandRegistrar;
use super::respond::Responder;
use super::stale_buttons::ButtonSweeper;
use super::watchdog::SessionSignal;
use crate::game::{ChannelId, PlacePart, ServerId};
use crate::text::refusals;
use crate::timer::Timer;
use serenity::all::{Context, Event, Guild, Interaction, RawEventHandler, Ready};
use serenity::async_trait;
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tracing::{debug, info, warn};

/// How many interactions are remembered, in case they are delivered again.
const REMEMBERED: usize = 4096;

/// Handles gateway events.
///
/// It is a raw handler because serenity passes events that it cannot parse only to a raw handler. With a second handler
/// beside it, serenity would copy every event and start two tasks for it.
pub(super) struct Events {
    pub(super) responder: Arc<Responder>,
    pub(super) claims: Arc<Claims>,
    pub(super) channels: Arc<ChannelWatcher>,
    /// Events about places are handled in order.
    pub(super) places: mpsc::UnboundedSender<PlaceEvent>,
    pub(super) sweeper: Arc<ButtonSweeper>,
    pub(super) registrar: Arc<CommandRegistrar>,
    pub(super) timer: Arc<Timer>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) seen: SeenInteractions,
    pub(super) sessions: Arc<SessionSignal>,
    /// Whether the link that invites the bot was logged.
    pub(super) invite_logged: AtomicBool,
    /// Whether the bot is stopping; if so, new requests are refused.
    pub(super) stopping: Arc<AtomicBool>,
    /// The bot's own runtime.
    pub(super) runtime: Handle,
}

/// The latest interactions.
#[derive(Default)]
pub(super) struct SeenInteractions {
    latest: Mutex<(HashSet<u64>, VecDeque<u64>)>,
}

impl SeenInteractions {
    /// Remembers an interaction; returns whether it is new.
    fn insert(&self, id: u64) -> bool {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let (known, order) = &mut *latest;
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

#[async_trait]
impl RawEventHandler for Events {
    async fn raw_event(&self, _: Context, event: Event) {
        match event {
            Event::InteractionCreate(event) => self.interaction(event.interaction),
            Event::Ready(event) => self.ready(&event.ready),
            Event::Resumed(_) => {
                self.sessions.resumed();
                self.claims.wake();
            }
            Event::GuildCreate(event) => self.server_available(&event.guild),
            // An unavailable server has an outage; the bot is still in it.
            Event::GuildDelete(event) if !event.guild.unavailable => {
                self.place_is_gone(PlacePart::Server(ServerId(event.guild.id.get())));
            }
            Event::ChannelDelete(event) => self.place_is_gone(PlacePart::Channel(ChannelId(event.channel.id.get()))),
            Event::ThreadDelete(event) => self.place_is_gone(PlacePart::Thread(ChannelId(event.thread.id.get()))),
            // The bot's permissions may have changed.
            Event::ChannelUpdate(event) => self.sweeper.recheck_channel(ChannelId(event.channel.id.get())),
            Event::ThreadUpdate(event) => {
                let thread = ChannelId(event.thread.id.get());
                if event.thread.thread_metadata.is_some_and(|state| state.archived && !state.locked) {
                    let channels = Arc::clone(&self.channels);
                    self.runtime.spawn(async move { channels.reopen_thread(thread).await });
                }
            }
            Event::Unknown(event) => self.unknown(&event.kind),
            _ => {}
        }
    }
}

impl Events {
    fn interaction(&self, interaction: Interaction) {
        let arrived = Instant::now();
        let id = interaction.id().get();
        if !self.seen.insert(id) {
            debug!(request = id, "interaction was delivered twice, ignoring the second one");
            return;
        }
        let Some(mut incoming) = Incoming::read(interaction) else {
            // The bot has no modals, so Discord sends none.
            debug!(request = id, "interaction is of a kind that the bot does not use, ignoring it");
            return;
        };
        if self.stopping.load(Ordering::Acquire) {
            incoming.reject(refusals::shutting_down());
        }
        self.responder.respond(incoming, arrived);
    }

    fn ready(&self, ready: &Ready) {
        let application = ready.application.id.get();
        info!(bot = ready.user.name, servers = ready.guilds.len(), "connected to Discord");
        if !self.invite_logged.swap(true, Ordering::Relaxed) {
            info!("add the bot to a server with {}", invite::link(application));
        }
        // Events during the time without a connection are lost, but due messages and deadlines are not.
        self.claims.wake();
        self.timer.wake();
        let joined = ready.guilds.iter().map(|guild| ServerId(guild.id.get())).collect();
        let (shard, shards) =
            ready.shard.map_or((0, 1), |shard| (u64::from(shard.id.0), u64::from(shard.total).max(1)));
        self.sessions.begun(shard);
        self.send(PlaceEvent::Connected { joined, shard, shards });
        let registrar = Arc::clone(&self.registrar);
        self.runtime.spawn(async move { registrar.ensure_registered(application).await });
    }

    fn server_available(&self, guild: &Guild) {
        let channels = guild.channels.keys().copied().chain(guild.threads.iter().map(|thread| thread.id));
        let (server, listed) = (ServerId(guild.id.get()), channels.map(|id| ChannelId(id.get())).collect());
        self.send(PlaceEvent::Available { server, listed });
    }

    fn place_is_gone(&self, part: PlacePart) {
        self.send(PlaceEvent::Gone(part));
    }

    fn send(&self, event: PlaceEvent) {
        // The receiver is dropped only when the bot stops.
        let _ = self.places.send(event);
    }

    fn unknown(&self, kind: &str) {
        let first = self.metrics.count_unknown_event(kind);
        // Only the type is logged, not the content. Discord adds types now and then, and one line for each is enough;
        // but behind each interaction a player waits for an answer.
        if first || kind == "INTERACTION_CREATE" {
            warn!(event = kind, "gateway event cannot be parsed, ignoring it");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interaction_is_new_once_and_old_ones_are_forgotten() {
        let seen = SeenInteractions::default();
        assert!(seen.insert(1) && !seen.insert(1));
        let capacity = u64::try_from(REMEMBERED).unwrap_or(u64::MAX);
        assert!((2..=capacity).all(|id| seen.insert(id)));
        assert!(!seen.insert(1), "it is among the latest");
        assert!(seen.insert(capacity + 1) && seen.insert(1), "it was forgotten for a newer one");
    }
}
