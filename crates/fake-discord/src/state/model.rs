//! Users, servers, channels, messages and interactions.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

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
