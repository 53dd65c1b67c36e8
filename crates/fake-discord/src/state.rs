//! What there is: people, servers, channels, messages, interactions, and a clock that can be put forward.

use super::gateway::Gateway;
use super::rest::{Allowance, Asked, Fault, Storm};
use serde_json::{Value, json};
use serenity::model::Timestamp;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::oneshot;

pub type Id = u64;

/// The kinds of channels.
pub const TEXT: u8 = 0;
pub const DIRECT: u8 = 1;
pub const VOICE: u8 = 2;
pub const NEWS: u8 = 5;
pub const NEWS_THREAD: u8 = 10;
pub const THREAD: u8 = 11;
pub const PRIVATE_THREAD: u8 = 12;
pub const FORUM: u8 = 15;

/// What can be permitted.
pub mod may {
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
    /// What everybody may do.
    pub const PERSON: u64 = VIEW | SEND | EMBED | ATTACH | READ_HISTORY | USE_COMMANDS | MAKE_THREADS | SEND_IN_THREADS;
}

/// Only its reader sees such a message.
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
    /// With whom the bot talks here, if it is a direct conversation.
    pub recipient: Option<Id>,
    /// What the bot must not do here.
    pub denied: u64,
    /// Who cannot see it.
    pub hidden_from: BTreeSet<Id>,
    pub archived: bool,
    /// Whether a moderator has closed it, so that only moderators open it again.
    pub locked: bool,
    pub archive_after: u64,
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
    /// Who alone sees it, if it is private.
    pub reader: Option<Id>,
    /// Whether it only says that the bot is thinking.
    pub loading: bool,
    pub nonce: Option<String>,
    /// Whom it has called when it was posted.
    pub pings: BTreeSet<Id>,
    /// Whether it has called everybody or a role.
    pub pings_many: bool,
    pub sent: u64,
    pub edited: Option<u64>,
    /// What it said before each edit.
    pub former: Vec<String>,
    pub deleted: bool,
    /// The interaction that it answers.
    pub answers: Option<Id>,
}

/// How the bot has answered an interaction.
#[derive(Clone, PartialEq, Debug)]
pub enum Callback {
    /// With a message.
    Message,
    /// By saying that it is thinking.
    Thinking,
    /// By saying that the message will change.
    UpdateLater,
    /// By changing the message.
    Update,
    /// With what can be typed.
    Choices(Vec<(String, String)>),
}

#[derive(Clone, Debug)]
pub struct Interaction {
    pub id: Id,
    pub token: String,
    pub kind: u8,
    pub user: Id,
    pub channel: Id,
    /// The message whose button was pressed.
    pub source: Option<Id>,
    pub sent: u64,
    pub callback: Option<Callback>,
    /// The message that is the answer.
    pub original: Option<Id>,
}

impl Interaction {
    /// How long the bot may take for a first answer.
    pub const DEADLINE: u64 = 3_000;
    /// How long the token lives.
    pub const LIFE: u64 = 15 * 60 * 1_000;
}

/// All that there is.
#[derive(Debug)]
pub struct World {
    pub token: String,
    pub bot: Id,
    pub application: Id,
    pub users: BTreeMap<Id, User>,
    pub guilds: BTreeMap<Id, Guild>,
    pub channels: BTreeMap<Id, Channel>,
    pub messages: BTreeMap<Id, Message>,
    /// Which messages stand in each channel, the oldest first.
    rooms: BTreeMap<Id, Vec<Id>>,
    pub interactions: BTreeMap<Id, Interaction>,
    /// Who waits for the first answer to an interaction.
    pub waiting: BTreeMap<Id, oneshot::Sender<()>>,
    /// Which interaction a token belongs to.
    pub tokens: HashMap<String, Id>,
    /// Which message a nonce in a channel belongs to.
    pub nonces: HashMap<(Id, String), Id>,
    pub commands: Vec<Value>,
    /// How often the commands were registered.
    pub registrations: usize,
    pub gateway: Gateway,
    pub faults: Vec<Fault>,
    /// How many messages a channel takes, if somebody counts.
    pub allowance: Option<Allowance>,
    /// How many connections the bot is told to make.
    pub shards: u64,
    /// What goes wrong by chance.
    pub storm: Option<Storm>,
    /// Whether pictures and what the bot has asked are not kept: for long experiments.
    pub forgetful: bool,
    pub asked: Vec<Asked>,
    /// Messages and edits that leave it to Discord whom they call, which a bot that repeats what people write must not.
    pub offences: Vec<String>,
    /// How many calls have come, and how many of them are not answered yet.
    pub calls: usize,
    pub under_way: usize,
    /// Where the stand-in listens.
    pub address: String,
    ahead: u64,
    last_id: Id,
}

impl World {
    pub fn new(address: String) -> Self {
        let mut world = Self {
            token: String::new(),
            bot: 0,
            application: 0,
            users: BTreeMap::new(),
            guilds: BTreeMap::new(),
            channels: BTreeMap::new(),
            messages: BTreeMap::new(),
            rooms: BTreeMap::new(),
            interactions: BTreeMap::new(),
            waiting: BTreeMap::new(),
            tokens: HashMap::new(),
            nonces: HashMap::new(),
            commands: Vec::new(),
            registrations: 0,
            gateway: Gateway::default(),
            faults: Vec::new(),
            allowance: None,
            shards: 1,
            storm: None,
            forgetful: false,
            asked: Vec::new(),
            offences: Vec::new(),
            calls: 0,
            under_way: 0,
            address,
            ahead: 0,
            last_id: 0,
        };
        let bot = 1_174_985_761_283_655_680;
        world.users.insert(bot, User { id: bot, name: String::from("Ratatosk"), bot: true, accepts_messages: false });
        (world.bot, world.application) = (bot, bot);
        // The three parts of a real token: whose it is in base 64, when it was made, and a signature.
        world.token = String::from("MTE3NDk4NTc2MTI4MzY1NTY4MA.GstanD.not-a-real-token-only-for-the-stand-in-xx");
        world
    }

    /// Tells the time in milliseconds.
    pub fn now(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX) + self.ahead
    }

    /// Puts the clock forward; threads that nobody has used for long enough are archived.
    pub fn advance(&mut self, by: Duration) {
        self.ahead += u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        let now = self.now();
        for thread in self.channels.values_mut().filter(|channel| channel.kind == THREAD) {
            thread.archived |= now - thread.active >= thread.archive_after * 60_000;
        }
    }

    /// Forgets the messages and interactions of more than so long ago.
    pub fn forget(&mut self, age: Duration) {
        let oldest = self.now().saturating_sub(u64::try_from(age.as_millis()).unwrap_or(u64::MAX));
        self.messages.retain(|_, message| message.sent >= oldest);
        self.rooms.values_mut().for_each(|room| room.retain(|id| self.messages.contains_key(id)));
        self.interactions.retain(|_, interaction| interaction.sent >= oldest);
        self.tokens.retain(|_, id| self.interactions.contains_key(id));
        self.nonces.retain(|_, id| self.messages.contains_key(id));
        self.gateway.forget();
    }

    /// Gives an id that nothing has yet, later than all others.
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

    /// Adds a server with one channel, where the bot is; gives both.
    pub fn found_server(&mut self, name: &str) -> (Id, Id) {
        let server = self.add_guild(name);
        let here = self.add_channel(Some(server), TEXT, "hall");
        let member = Member { nick: None, permissions: may::BOT };
        if let Some(guild) = self.guilds.get_mut(&server) {
            guild.members.insert(self.bot, member);
        }
        (server, here)
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

    /// Gives the direct conversation of the bot with somebody.
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

    /// Tells what the bot may do in a channel; a thread has the permissions of its channel.
    pub fn bot_may(&self, channel: &Channel) -> u64 {
        if channel.kind == DIRECT {
            return may::BOT;
        }
        let inside = channel.guild.and_then(|guild| self.guilds.get(&guild)).and_then(|g| g.members.get(&self.bot));
        let above = channel.parent.and_then(|parent| self.channels.get(&parent)).map_or(0, |parent| parent.denied);
        inside.map_or(0, |member| member.permissions & !channel.denied & !above)
    }

    /// Tells whether somebody sees a channel.
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
        self.rooms.entry(message.channel).or_default().push(message.id);
        self.messages.insert(message.id, message);
    }

    /// Gives the messages that everybody in a channel sees, the oldest first.
    pub fn posts(&self, channel: Id) -> Vec<&Message> {
        self.visible(channel).collect()
    }

    /// Gives those of them that are the bot's, the newest first.
    pub fn newest_posts(&self, channel: Id) -> impl Iterator<Item = &Message> {
        self.visible(channel).rev().filter(|message| message.author == self.bot)
    }

    fn visible(&self, channel: Id) -> impl DoubleEndedIterator<Item = &Message> {
        let room = self.rooms.get(&channel).map_or(&[][..], Vec::as_slice);
        let messages = room.iter().filter_map(|id| self.messages.get(id));
        messages.filter(|message| message.reader.is_none() && !message.deleted)
    }

    /// Tells everything that can be seen, for whoever reads why a test failed.
    pub fn tell(&self) -> String {
        let name = |id: &Id| self.users.get(id).map_or_else(|| id.to_string(), |user| user.name.clone());
        let mut text = String::new();
        for message in self.messages.values() {
            let place = self.channels.get(&message.channel).map_or("?", |channel| channel.name.as_str());
            let reader =
                message.reader.as_ref().map_or(String::new(), |reader| format!(" (only for {})", name(reader)));
            let gone = if message.deleted { " (deleted)" } else { "" };
            let pings: Vec<String> = message.pings.iter().map(name).collect();
            text += &format!(
                "#{place}{reader}{gone}: {}\n    buttons {:?}, calls {pings:?}, files {}, edits {}\n",
                message.content,
                message.labels(),
                message.attachments.len(),
                message.former.len()
            );
        }
        for asked in &self.asked {
            text += &format!("{} {} -> {}\n", asked.method, asked.path, asked.status);
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

    /// Shows a member, with the permissions where the channel is known.
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
        overwrites.extend(channel.hidden_from.iter().map(|user| (*user, 1, may::VIEW)));
        let overwrites = overwrites.into_iter().map(
            |(id, kind, deny)| json!({ "id": id.to_string(), "type": kind, "allow": "0", "deny": deny.to_string() }),
        );
        shown["permission_overwrites"] = overwrites.collect();
        shown["position"] = json!(0);
        shown["topic"] = Value::Null;
        shown["nsfw"] = json!(false);
        shown
    }

    /// Shows a server as it is shown to a bot that has just come.
    pub fn guild_json(&self, guild: &Guild, full: bool) -> Value {
        let id = guild.id.to_string();
        let everyone = json!({
            "id": id, "name": "@everyone", "color": 0, "hoist": false, "managed": false, "mentionable": false,
            "colors": { "primary_color": 0, "secondary_color": null, "tertiary_color": null },
            "permissions": may::PERSON.to_string(), "position": 0, "flags": 0, "icon": null, "unicode_emoji": null,
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
            "id": message.id.to_string(), "channel_id": message.channel.to_string(), "type": if message.answers.is_some() { 20 } else { 0 },
            "author": self.user_json(message.author), "content": message.content, "timestamp": iso(message.sent),
            "edited_timestamp": message.edited.map(iso), "tts": false, "mention_everyone": message.pings_many,
            "mentions": message.pings.iter().map(|id| self.user_json(*id)).collect::<Vec<_>>(), "mention_roles": [],
            "attachments": attachments.collect::<Vec<_>>(), "embeds": message.embeds, "components": message.components,
            "pinned": false, "flags": flags, "nonce": message.nonce,
        });
        if let Some(interaction) = message.answers.and_then(|id| self.interactions.get(&id)) {
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
    /// Tells how large a picture is, as its first bytes say.
    fn dimensions(&self) -> Option<(u32, u32)> {
        let size = self.bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?.get(8..16)?;
        let number = |bytes: &[u8]| bytes.try_into().ok().map(u32::from_be_bytes);
        Some((number(&size[..4])?, number(&size[4..])?))
    }
}

impl Message {
    /// Makes a message that says something, and nothing else.
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
            pings_many: false,
            sent,
            edited: None,
            former: Vec::new(),
            deleted: false,
            answers: None,
        }
    }

    /// Gives all buttons and menus.
    pub fn parts(&self) -> impl Iterator<Item = &Value> {
        self.components.iter().filter_map(|row| row["components"].as_array()).flatten()
    }

    /// Gives what its buttons say.
    pub fn labels(&self) -> Vec<String> {
        let buttons = self.parts().filter(|part| part["type"] == 2);
        buttons.map(|button| button["label"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

/// Writes a time in milliseconds as Discord does.
pub fn iso(time: u64) -> String {
    let seconds = i64::try_from(time / 1000).unwrap_or_default();
    Timestamp::from_unix_timestamp(seconds).map(|time| time.to_string()).unwrap_or_default()
}
