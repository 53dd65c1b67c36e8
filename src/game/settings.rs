//! What servers and players have set, and what the bot may do: plain values.

use super::clock::Pace;

/// What those who manage a server have set.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ServerSettings {
    /// How boards are painted; a theme's name.
    pub theme: Option<String>,
    /// Whether each game has its own thread.
    pub threads: Option<bool>,
    /// How long a move may take if nobody says.
    pub pace: Option<Pace>,
}

/// What a player has set.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlayerSettings {
    /// How the player is reminded.
    pub reminders: Option<Reminders>,
    /// How boards are painted for the player alone; a theme's name.
    pub theme: Option<String>,
    /// Whether the player sees the board from the other side.
    pub flipped: Option<bool>,
    /// Whether the player reads the board as text.
    pub as_text: Option<bool>,
}

/// How a player is reminded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reminders {
    /// In the game's place.
    #[default]
    Channel,
    /// By a direct message.
    Direct,
    /// Not at all.
    Off,
}

impl Reminders {
    /// Every way to be reminded.
    pub const ALL: [Self; 3] = [Self::Channel, Self::Direct, Self::Off];

    /// Names it as commands do.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Channel => "channel",
            Self::Direct => "direct",
            Self::Off => "off",
        }
    }

    /// Finds it by what commands call it.
    #[must_use]
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.id() == id)
    }
}

/// What the bot may do where it was asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BotPermissions {
    /// See the place.
    pub see: bool,
    /// Post there by itself.
    pub post: bool,
    /// Show long texts below a message.
    pub embed: bool,
    /// Attach pictures and files.
    pub attach: bool,
    /// Make threads.
    pub make_threads: bool,
    /// Post in threads.
    pub post_in_threads: bool,
    /// Read what stands there already.
    pub read_history: bool,
}

impl BotPermissions {
    /// Nothing is forbidden.
    pub const ALL: Self = Self {
        see: true,
        post: true,
        embed: true,
        attach: true,
        make_threads: true,
        post_in_threads: true,
        read_history: true,
    };
}
