//! Everything that exists: users, servers, channels, messages, interactions, and a clock that can be put forward.
//!
//! | question | file |
//! |---|---|
//! | What are users, channels, messages and interactions? | `model` |
//! | How does Discord write them as JSON? | `json` |

mod json;
mod model;

pub use json::iso;
pub use model::{
    Attachment, Callback, Channel, DIRECT, EPHEMERAL, FORUM, Guild, Id, Interaction, Member, Message, NEWS,
    NEWS_THREAD, PRIVATE_THREAD, TEXT, THREAD, User, VOICE, permissions,
};

use crate::gateway::Gateway;
use crate::rest::{FailureRule, PostLimit, RandomFailures, RecordedRequest};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::oneshot;

/// Everything that the fake Discord knows.
#[derive(Debug)]
pub struct DiscordState {
    pub token: String,
    pub bot: Id,
    pub application: Id,
    pub users: BTreeMap<Id, User>,
    pub guilds: BTreeMap<Id, Guild>,
    pub channels: BTreeMap<Id, Channel>,
    pub messages: BTreeMap<Id, Message>,
    /// The messages of each channel, the oldest first.
    channel_messages: BTreeMap<Id, Vec<Id>>,
    pub interactions: BTreeMap<Id, Interaction>,
    /// Clients that wait for the first response to an interaction.
    pub waiting: BTreeMap<Id, oneshot::Sender<()>>,
    /// The interaction that a token belongs to.
    pub tokens: HashMap<String, Id>,
    /// The message that a nonce in a channel belongs to.
    pub nonces: HashMap<(Id, String), Id>,
    pub commands: Vec<Value>,
    /// How often the commands were registered.
    pub registrations: usize,
    pub gateway: Gateway,
    /// How long the bot has for its first response to a new interaction.
    pub response_deadline: Duration,
    pub failure_rules: Vec<FailureRule>,
    /// Requests that are held now, and how often held requests were released.
    pub held_requests: usize,
    pub releases: usize,
    /// How many posts a channel takes, if that is limited.
    pub post_limit: Option<PostLimit>,
    /// How many gateway connections the bot is told to make.
    pub shards: u64,
    pub random_failures: Option<RandomFailures>,
    /// Whether pictures and requests are not kept, for long experiments.
    pub discard_history: bool,
    pub requests: Vec<RecordedRequest>,
    /// Messages and edits that do not say whom they may ping. A bot that repeats what users write always has to say it.
    pub implicit_mentions: Vec<String>,
    /// REST requests that are not answered yet.
    pub in_flight: usize,
    /// The address that the fake listens on.
    pub address: String,
    clock_offset: u64,
    last_id: Id,
}

impl DiscordState {
    pub fn new(address: String) -> Self {
        let mut state = Self {
            token: String::new(),
            bot: 0,
            application: 0,
            users: BTreeMap::new(),
            guilds: BTreeMap::new(),
            channels: BTreeMap::new(),
            messages: BTreeMap::new(),
            channel_messages: BTreeMap::new(),
            interactions: BTreeMap::new(),
            waiting: BTreeMap::new(),
            tokens: HashMap::new(),
            nonces: HashMap::new(),
            commands: Vec::new(),
            registrations: 0,
            gateway: Gateway::default(),
            response_deadline: Duration::from_secs(60),
            failure_rules: Vec::new(),
            held_requests: 0,
            releases: 0,
            post_limit: None,
            shards: 1,
            random_failures: None,
            discard_history: false,
            requests: Vec::new(),
            implicit_mentions: Vec::new(),
            in_flight: 0,
            address,
            clock_offset: 0,
            last_id: 0,
        };
        let bot = 1_174_985_761_283_655_680;
        state.users.insert(bot, User { id: bot, name: String::from("Ratatosk"), bot: true, accepts_messages: false });
        (state.bot, state.application) = (bot, bot);
        // A real token has three parts: the user id in base 64, a time, and a signature. Each fake has its own: a bot that
        // outlived its test must not get into the fake that is given the same port later.
        let (process, time) = (std::process::id(), system_time().as_nanos());
        state.token = format!("MTE3NDk4NTc2MTI4MzY1NTY4MA.GstanD.not-a-real-token-{process}-{time}");
        state
    }

    /// Returns the time in milliseconds.
    pub fn now(&self) -> u64 {
        u64::try_from(system_time().as_millis()).unwrap_or(u64::MAX) + self.clock_offset
    }

    /// Puts the clock forward. Threads that were not used for long enough are archived.
    pub fn advance(&mut self, by: Duration) {
        self.clock_offset += u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        let now = self.now();
        for thread in self.channels.values_mut().filter(|channel| channel.kind == THREAD) {
            thread.archived |= now - thread.active >= thread.archive_after * 60_000;
        }
        self.wake_unanswerable();
    }

    /// Returns whether an interaction can still get its first response: it is neither too old nor lost with a session that
    /// was replaced.
    pub fn can_be_answered(&self, interaction: &Interaction) -> bool {
        let known = |sessions: &Vec<String>| sessions.iter().any(|id| self.gateway.sessions.contains_key(id));
        self.now() <= interaction.answer_by && interaction.sessions.as_ref().is_none_or(known)
    }

    /// Returns how many interactions wait for their first response. Forged ones are not counted.
    pub fn unanswered_interactions(&self) -> usize {
        let waits = |interaction: &&Interaction| interaction.callback.is_none() && !interaction.forged;
        self.interactions.values().filter(waits).filter(|interaction| self.can_be_answered(interaction)).count()
    }

    /// Wakes the clients that wait for a response which cannot come any more.
    pub(crate) fn wake_unanswerable(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain(|id, _| self.interactions.get(id).is_some_and(|interaction| self.can_be_answered(interaction)));
        self.waiting = waiting;
    }

    /// Forgets messages and interactions that are older than `age`.
    pub fn forget(&mut self, age: Duration) {
        let oldest = self.now().saturating_sub(u64::try_from(age.as_millis()).unwrap_or(u64::MAX));
        self.messages.retain(|_, message| message.sent >= oldest);
        self.channel_messages.values_mut().for_each(|room| room.retain(|id| self.messages.contains_key(id)));
        self.interactions.retain(|_, interaction| interaction.sent >= oldest);
        self.tokens.retain(|_, id| self.interactions.contains_key(id));
        self.nonces.retain(|_, id| self.messages.contains_key(id));
        self.gateway.forget();
    }

    /// Returns an id that is newer than all others.
    pub fn new_id(&mut self) -> Id {
        const FIRST_SECOND_OF_2015: u64 = 1_420_070_400_000;
        let id = (self.now() - FIRST_SECOND_OF_2015) << 22;
        self.last_id = id.max(self.last_id + 1);
        self.last_id
    }

    pub fn add_user(&mut self, name: &str, bot: bool) -> Id {
        let id = self.new_id();
        self.users.insert(id, User { id, name: name.to_owned(), bot, accepts_messages: true });
        id
    }

    pub fn add_guild(&mut self, name: &str) -> Id {
        let id = self.new_id();
        self.guilds.insert(id, Guild { id, name: name.to_owned(), members: BTreeMap::new() });
        id
    }

    /// Adds a server with one channel and the bot as a member, and returns both.
    pub fn add_server(&mut self, name: &str) -> (Id, Id) {
        let server = self.add_guild(name);
        let channel = self.add_channel(Some(server), TEXT, "hall");
        let member = Member { nick: None, permissions: permissions::BOT };
        if let Some(guild) = self.guilds.get_mut(&server) {
            guild.members.insert(self.bot, member);
        }
        (server, channel)
    }

    pub fn add_channel(&mut self, guild: Option<Id>, kind: u8, name: &str) -> Id {
        let (id, active) = (self.new_id(), self.now());
        let channel = Channel {
            id,
            kind,
            name: name.to_owned(),
            guild,
            parent: None,
            recipient: None,
            denied: 0,
            hidden_from: BTreeSet::new(),
            archived: false,
            locked: false,
            archive_after: 1440,
            active,
        };
        self.channels.insert(id, channel);
        id
    }

    /// Returns the direct message channel of the bot with a user, and makes it if there is none.
    pub fn direct(&mut self, with: Id) -> Id {
        let known = self.channels.values().find(|channel| channel.recipient == Some(with)).map(|channel| channel.id);
        known.unwrap_or_else(|| {
            let id = self.add_channel(None, DIRECT, "");
            if let Some(channel) = self.channels.get_mut(&id) {
                channel.recipient = Some(with);
            }
            id
        })
    }

    /// Returns the bot's permissions in a channel. A thread has those of its channel.
    pub fn bot_permissions(&self, channel: &Channel) -> u64 {
        if channel.kind == DIRECT {
            return permissions::BOT;
        }
        let inside = channel.guild.and_then(|guild| self.guilds.get(&guild)).and_then(|g| g.members.get(&self.bot));
        let above = channel.parent.and_then(|parent| self.channels.get(&parent)).map_or(0, |parent| parent.denied);
        inside.map_or(0, |member| member.permissions & !channel.denied & !above)
    }

    /// Returns whether a user sees a channel.
    pub fn sees(&self, user: Id, channel: &Channel) -> bool {
        match channel.guild.and_then(|guild| self.guilds.get(&guild)) {
            None => channel.recipient == Some(user),
            Some(guild) => {
                let above = channel.parent.and_then(|parent| self.channels.get(&parent));
                let hidden = |channel: &Channel| channel.hidden_from.contains(&user);
                guild.members.contains_key(&user) && !hidden(channel) && !above.is_some_and(hidden)
            }
        }
    }

    /// Adds a message that is newer than all others.
    pub fn add_message(&mut self, message: Message) {
        self.channel_messages.entry(message.channel).or_default().push(message.id);
        self.messages.insert(message.id, message);
    }

    /// Returns the messages that everybody in a channel sees, the oldest first.
    pub fn posts(&self, channel: Id) -> Vec<&Message> {
        self.visible(channel).collect()
    }

    /// Returns those of them that are the bot's, the newest first.
    pub fn newest_posts(&self, channel: Id) -> impl Iterator<Item = &Message> {
        self.visible(channel).rev().filter(|message| message.author == self.bot)
    }

    fn visible(&self, channel: Id) -> impl DoubleEndedIterator<Item = &Message> {
        let ids = self.channel_messages.get(&channel).map_or(&[][..], Vec::as_slice);
        let messages = ids.iter().filter_map(|id| self.messages.get(id));
        messages.filter(|message| message.reader.is_none() && !message.deleted)
    }

    /// Describes all messages and requests, for the report of a test that failed.
    pub fn describe(&self) -> String {
        let name = |id: &Id| self.users.get(id).map_or_else(|| id.to_string(), |user| user.name.clone());
        let mut text = String::new();
        for message in self.messages.values() {
            let place = self.channels.get(&message.channel).map_or("?", |channel| channel.name.as_str());
            let reader =
                message.reader.as_ref().map_or(String::new(), |reader| format!(" (only for {})", name(reader)));
            let gone = if message.deleted { " (deleted)" } else { "" };
            let pings: Vec<String> = message.pings.iter().map(name).collect();
            text += &format!(
                "#{place}{reader}{gone}: {}\n    buttons {:?}, pings {pings:?}, files {}, edits {}\n",
                message.content,
                message.button_labels(),
                message.attachments.len(),
                message.previous_contents.len()
            );
        }
        for request in &self.requests {
            text += &format!("{} {} -> {}\n", request.method, request.path, request.status);
        }
        text
    }
}

/// Returns the time of the machine, since 1970.
fn system_time() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO)
}
