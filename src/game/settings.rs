//! Settings of servers and players.

use super::clock::Pace;

/// The settings of a server.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ServerSettings {
    /// The id of the theme of boards.
    pub theme: Option<String>,
    /// Whether each game has its own thread.
    pub threads: Option<bool>,
    /// How long a move may take if a challenge does not say.
    pub pace: Option<Pace>,
}

/// The settings of a player.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlayerSettings {
    /// How the player is reminded.
    pub reminders: Option<Reminders>,
    /// The id of the theme of boards that only the player sees.
    pub theme: Option<String>,
    /// Whether the player sees boards upside down, with the first rank on top.
    pub flipped: Option<bool>,
    /// Whether the player gets boards as text instead of pictures.
    pub as_text: Option<bool>,
}

/// Where a player is reminded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reminders {
    /// In the channel or thread of the game.
    #[default]
    Channel,
    /// By a direct message.
    Direct,
    /// Not at all.
    Off,
}

impl Reminders {
    pub const ALL: [Self; 3] = [Self::Channel, Self::Direct, Self::Off];

    /// Returns the name in commands and in the store.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Channel => "channel",
            Self::Direct => "direct",
            Self::Off => "off",
        }
    }

    /// Finds a choice by its name in commands.
    #[must_use]
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reminders| reminders.id() == id)
    }
}
