//! Everything that exists: users, servers, channels, messages, interactions, and a clock that can be put forward.

use crate::gateway::Gateway;
use crate::rest::{FailureRule, PostLimit, RandomFailures, RecordedRequest};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::oneshot;

pub type Id = u64;

/// The types of channels.
pub const TEXT: u8 = 0;
pub const DIRECT: u8 = 1;
pub const VOICE: u8 = 2;
pub const NEWS: u8 = 5;
pub const NEWS_THREAD: u8 = 10;
pub const THREAD: u8 = 11;
pub const PRIVATE_THREAD: u8 = 12;
pub const FORUM: u8 = 15;

/// Permission bits.
pub mod permissions {
    pub const MANAGE_SERVER: u64 = 1 << 5;
    pub const VIEW: u64 = 1 << 10;
    pub const SEND: u64 = 1 << 11;
    pub const EMBED: u64 = 1 << 14;
    pub const ATTACH: u64 = 1 << 15;
    pub const READ_HISTORY: u64 = 1 << 16;
    pub const USE_COMMANDS: u64 = 1 << 31;
    pub const MANAGE_THREADS: u64 = 1 << 34;
    pub const MAKE_THREADS: u64 = 1 << 35;
    pub const SEND_IN_THREADS: u64 = 1 << 38;
    /// What a bot that was invited properly may do.
    pub const BOT: u64 = VIEW | SEND | EMBED | ATTACH | READ_HISTORY | MAKE_THREADS | MANAGE_THREADS | SEND_IN_THREADS;
    /// What every member may do.
    pub const MEMBER: u64 = VIEW | SEND | EMBED | ATTACH | READ_HISTORY | USE_COMMANDS | MAKE_THREADS | SEND_IN_THREADS;
}

/// The flag of a message that only one user sees.
pub const EPHEMERAL: u64 = 1 << 6;
const LOADING: u64 = 1 << 7;

#[derive(Clone, Debug)]
pub struct User {
    pub id: Id,
    pub name: String,
    pub bot: bool,
    pub accepts_messages: bool,
}

#[derive(Clone, Debug)]
pub struct Member {
    pub nick: Option<String>,
    pub permissions: u64,
}

#[derive(Clone, Debug)]
pub struct Guild {
    pub id: Id,
    pub name: String,
    pub members: BTreeMap<Id, Member>,
}

#[derive(Clone, Debug)]
pub struct Channel {
    pub id: Id,
    pub kind: u8,
    pub name: String,
    pub guild: Option<Id>,
    pub parent: Option<Id>,
    /// The user, if it is a direct message channel.
    pub recipient: Option<Id>,
    /// The permissions that the bot is denied here.
    pub denied: u64,
    /// Users who cannot see it.
    pub hidden_from: BTreeSet<Id>,
    pub archived: bool,
    /// Whether only moderators can unarchive it.
    pub locked: bool,
    /// Minutes without messages after which it is archived.
    pub archive_after: u64,
    /// When it was last used, in milliseconds.
    pub active: u64,
}

#[derive(Clone, Debug)]
pub struct Attachment {
    pub id: Id,
    pub name: String,
    pub description: Option<String>,
    pub kind: String,
    pub bytes: Vec<u8>,
}

#[derive(Clone, Debug)]
pub struct Message {
    pub id: Id,
    pub channel: Id,
    pub author: Id,
    pub content: String,
    pub components: Vec<Value>,
    pub embeds: Vec<Value>,
    pub attachments: Vec<Attachment>,
    /// The only user who sees it, if it is ephemeral.
    pub reader: Option<Id>,
    /// Whether it is a deferred response that only says that the bot is thinking.
    pub loading: bool,
    pub nonce: Option<String>,
    /// Users that it pinged when it was posted.
    pub pings: BTreeSet<Id>,
    /// Whether it pinged everybody or a role.
    pub pings_group: bool,
    pub sent: u64,
    pub edited: Option<u64>,
    /// The content before each edit.
    pub previous_contents: Vec<String>,
    pub deleted: bool,
    /// The interaction that it responds to.
    pub interaction: Option<Id>,
}

/// The bot's first response to an interaction.
#[derive(Clone, PartialEq, Debug)]
pub enum Callback {
    /// A message.
    Message,
    /// A deferred message.
    Deferred,
    /// A deferred update of the message with the button.
    DeferredUpdate,
    /// An update of the message with the button.
    Update,
    /// Suggestions for an option.
    Choices(Vec<(String, String)>),
}

#[derive(Clone, Debug)]
pub struct Interaction {
    pub id: Id,
    pub token: String,
    pub kind: u8,
    pub user: Id,
    pub channel: Id,
    /// The message whose button or menu was used.
    pub source: Option<Id>,
    /// When it was created, in milliseconds.
    pub sent: u64,
    /// Until when it can get its first response.
    pub answer_by: u64,
    /// Whether it was changed so that no client would send it.
    pub forged: bool,
    /// The gateway sessions that it was sent to; none while it is held back.
    pub sessions: Option<Vec<String>>,
    /// The event that the bot got.
    pub payload: Value,
    pub callback: Option<Callback>,
    /// The message that is the response.
    pub original: Option<Id>,
}

impl Interaction {
    /// How long the token can be used for later responses, in milliseconds.
    pub const LIFE: u64 = 15 * 60 * 1_000;
}

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
    /// Messages and edits that leave it to Discord whom they ping, which a bot that repeats what users write must not.
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
        // A real token has three parts: the user id in base 64, a time, and a signature.
        state.token = String::from("MTE3NDk4NTc2MTI4MzY1NTY4MA.GstanD.not-a-real-token-only-for-the-stand-in-xx");
        state
    }

    /// Returns the time in milliseconds.
    pub fn now(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX) + self.clock_offset
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

    pub fn user_json(&self, id: Id) -> Value {
        let Some(user) = self.users.get(&id) else { return Value::Null };
        json!({
            "id": user.id.to_string(), "username": user.name.to_lowercase(), "global_name": user.name,
            "discriminator": "0", "avatar": null, "bot": user.bot, "system": false, "public_flags": 0, "flags": 0,
            "mfa_enabled": false, "banner": null, "accent_color": null, "locale": "en-US", "premium_type": 0,
        })
    }

    /// Returns a member as JSON.
    pub fn member_json(&self, guild: &Guild, id: Id, with_user: bool) -> Value {
        let Some(member) = guild.members.get(&id) else { return Value::Null };
        let mut shown = json!({
            "nick": member.nick, "avatar": null, "banner": null, "roles": [], "joined_at": iso(0),
            "premium_since": null, "deaf": false, "mute": false, "flags": 0, "pending": false,
            "permissions": member.permissions.to_string(), "communication_disabled_until": null,
        });
        if with_user {
            shown["user"] = self.user_json(id);
        }
        shown
    }

    pub fn channel_json(&self, channel: &Channel) -> Value {
        let id = channel.id.to_string();
        let mut shown = json!({ "id": id, "type": channel.kind, "last_message_id": null, "flags": 0 });
        if channel.kind == DIRECT {
            shown["recipients"] = json!([self.user_json(channel.recipient.unwrap_or(0))]);
            return shown;
        }
        let guild = channel.guild.unwrap_or(0).to_string();
        shown["guild_id"] = json!(guild);
        shown["name"] = json!(channel.name);
        shown["parent_id"] = json!(channel.parent.map(|parent| parent.to_string()));
        shown["rate_limit_per_user"] = json!(0);
        if channel.kind == THREAD {
            shown["owner_id"] = json!(self.bot.to_string());
            shown["message_count"] = json!(0);
            shown["member_count"] = json!(1);
            shown["thread_metadata"] = json!({
                "archived": channel.archived, "auto_archive_duration": channel.archive_after, "locked": channel.locked,
                "archive_timestamp": iso(channel.active), "create_timestamp": iso(channel.active),
            });
            return shown;
        }
        let mut overwrites = Vec::new();
        if channel.denied != 0 {
            overwrites.push((self.bot, 1, channel.denied));
        }
        overwrites.extend(channel.hidden_from.iter().map(|user| (*user, 1, permissions::VIEW)));
        let overwrites = overwrites.into_iter().map(
            |(id, kind, deny)| json!({ "id": id.to_string(), "type": kind, "allow": "0", "deny": deny.to_string() }),
        );
        shown["permission_overwrites"] = overwrites.collect();
        shown["position"] = json!(0);
        shown["topic"] = Value::Null;
        shown["nsfw"] = json!(false);
        shown
    }

    /// Returns a server as JSON; `full` is what a bot gets in GUILD_CREATE.
    pub fn guild_json(&self, guild: &Guild, full: bool) -> Value {
        let id = guild.id.to_string();
        let everyone = json!({
            "id": id, "name": "@everyone", "color": 0, "hoist": false, "managed": false, "mentionable": false,
            "colors": { "primary_color": 0, "secondary_color": null, "tertiary_color": null },
            "permissions": permissions::MEMBER.to_string(), "position": 0, "flags": 0, "icon": null, "unicode_emoji": null,
        });
        let mut shown = json!({
            "id": id, "name": guild.name, "icon": null, "splash": null, "discovery_splash": null, "owner_id": "1",
            "afk_channel_id": null, "afk_timeout": 300, "verification_level": 0, "default_message_notifications": 0,
            "explicit_content_filter": 0, "roles": [everyone], "emojis": [], "features": [], "mfa_level": 0,
            "application_id": null, "system_channel_id": null, "system_channel_flags": 0, "rules_channel_id": null,
            "vanity_url_code": null, "description": null, "banner": null, "premium_tier": 0,
            "preferred_locale": "en-US", "public_updates_channel_id": null, "nsfw_level": 0, "stickers": [],
            "premium_progress_bar_enabled": false, "safety_alerts_channel_id": null, "incidents_data": null,
        });
        if full {
            let here = |channel: &&Channel| channel.guild == Some(guild.id);
            let channels = self.channels.values().filter(here);
            let (threads, channels): (Vec<&Channel>, Vec<&Channel>) = channels.partition(|c| c.kind == THREAD);
            let list = |channels: Vec<&Channel>| channels.iter().map(|c| self.channel_json(c)).collect::<Value>();
            shown["joined_at"] = json!(iso(0));
            shown["large"] = json!(false);
            shown["unavailable"] = json!(false);
            shown["member_count"] = json!(guild.members.len());
            shown["voice_states"] = json!([]);
            shown["members"] = json!([self.member_json(guild, self.bot, true)]);
            shown["channels"] = list(channels);
            shown["threads"] = list(threads.into_iter().filter(|thread| !thread.archived).collect());
            shown["presences"] = json!([]);
            shown["stage_instances"] = json!([]);
            shown["guild_scheduled_events"] = json!([]);
            shown["soundboard_sounds"] = json!([]);
        }
        shown
    }

    pub fn message_json(&self, message: &Message) -> Value {
        let attachments = message.attachments.iter().map(|file| {
            let url = format!("http://{}/attachments/{}/{}", self.address, file.id, file.name);
            let mut shown = json!({
                "id": file.id.to_string(), "filename": file.name, "size": file.bytes.len(), "url": url,
                "proxy_url": url, "content_type": file.kind,
            });
            if let Some(description) = &file.description {
                shown["description"] = json!(description);
            }
            if let Some((width, height)) = file.dimensions() {
                shown["width"] = json!(width);
                shown["height"] = json!(height);
            }
            shown
        });
        let flags = message.reader.map_or(0, |_| EPHEMERAL) | if message.loading { LOADING } else { 0 };
        let mut shown = json!({
            "id": message.id.to_string(), "channel_id": message.channel.to_string(), "type": if message.interaction.is_some() { 20 } else { 0 },
            "author": self.user_json(message.author), "content": message.content, "timestamp": iso(message.sent),
            "edited_timestamp": message.edited.map(iso), "tts": false, "mention_everyone": message.pings_group,
            "mentions": message.pings.iter().map(|id| self.user_json(*id)).collect::<Vec<_>>(), "mention_roles": [],
            "attachments": attachments.collect::<Vec<_>>(), "embeds": message.embeds, "components": message.components,
            "pinned": false, "flags": flags, "nonce": message.nonce,
        });
        if let Some(interaction) = message.interaction.and_then(|id| self.interactions.get(&id)) {
            let owner = self.channels.get(&message.channel).and_then(|channel| channel.guild).unwrap_or(0);
            shown["interaction_metadata"] = json!({
                "id": interaction.id.to_string(), "type": interaction.kind, "user": self.user_json(interaction.user),
                "authorizing_integration_owners": { "0": owner.to_string() },
            });
            if let Some(pressed) = interaction.source {
                shown["interaction_metadata"]["interacted_message_id"] = json!(pressed.to_string());
            }
        }
        shown
    }
}

impl Attachment {
    /// Reads the size of a PNG from its header.
    fn dimensions(&self) -> Option<(u32, u32)> {
        let size = self.bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?.get(8..16)?;
        let number = |bytes: &[u8]| bytes.try_into().ok().map(u32::from_be_bytes);
        Some((number(&size[..4])?, number(&size[4..])?))
    }
}

impl Message {
    /// Makes a message with content and nothing else.
    pub fn plain(id: Id, channel: Id, author: Id, content: &str, sent: u64) -> Self {
        Self {
            id,
            channel,
            author,
            content: content.to_owned(),
            components: Vec::new(),
            embeds: Vec::new(),
            attachments: Vec::new(),
            reader: None,
            loading: false,
            nonce: None,
            pings: BTreeSet::new(),
            pings_group: false,
            sent,
            edited: None,
            previous_contents: Vec::new(),
            deleted: false,
            interaction: None,
        }
    }

    /// Returns all buttons and menus.
    pub fn controls(&self) -> impl Iterator<Item = &Value> {
        self.components.iter().filter_map(|row| row["components"].as_array()).flatten()
    }

    /// Returns the labels of its buttons.
    pub fn button_labels(&self) -> Vec<String> {
        let buttons = self.controls().filter(|part| part["type"] == 2);
        buttons.map(|button| button["label"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

/// Writes a time in milliseconds since 1970 as `2026-11-16T20:00:00Z`.
pub fn iso(time: u64) -> String {
    let (days, seconds) = (time / 86_400_000, time / 1000 % 86_400);
    // Years begin in March here, so that the leap day is the last of its year.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day_of_month:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::iso;

    #[test]
    fn times_are_written_with_the_right_date() {
        for (time, written) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399_000, "2000-02-28T23:59:59Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_800_000_000_999, "2027-01-15T08:00:00Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(iso(time), written);
        }
    }
}
