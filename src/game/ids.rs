//! Ids of players, games, servers and channels, and where a game is played.

use crate::rules::Side;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A player: on Discord the number of the user.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlayerId(pub u64);

impl PlayerId {
    /// Returns whether the player was deleted: such a player has a number that Discord never assigns.
    #[must_use]
    pub const fn is_former(self) -> bool {
        self.0.cast_signed() < 0
    }
}

/// The number of a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GameId(pub u64);

impl GameId {
    /// Reads the number of a game as players type it: `42` or `#42`.
    #[must_use]
    pub fn parse(typed: &str) -> Option<Self> {
        typed.trim().trim_start_matches('#').parse().ok().map(Self)
    }
}

/// Writes `#42`.
impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// The number of a server.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ServerId(pub u64);

/// Writes the number alone.
impl fmt::Display for ServerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The number of a channel or thread: on Discord a thread is a channel in another one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChannelId(pub u64);

/// Writes the number alone.
impl fmt::Display for ChannelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Where a game is played, or where a request was made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Place {
    /// The server; none in a direct message.
    pub server: Option<ServerId>,
    pub channel: ChannelId,
    /// The thread in the channel, if it is one.
    pub thread: Option<ChannelId>,
}

impl Place {
    /// Returns the server, the channel and the thread, as far as there are any.
    pub fn parts(self) -> impl Iterator<Item = PlacePart> {
        let Self { server, channel, thread } = self;
        let (server, thread) = (server.map(PlacePart::Server), thread.map(PlacePart::Thread));
        [server, Some(PlacePart::Channel(channel)), thread].into_iter().flatten()
    }

    /// Returns where a message is posted: in the thread, or else in the channel.
    #[must_use]
    pub fn thread_or_channel(self) -> ChannelId {
        self.thread.unwrap_or(self.channel)
    }

    /// Returns what the log says about it.
    #[must_use]
    pub fn log_fields(self) -> PlaceLogFields {
        let server = self.server.map(|server| server.0);
        PlaceLogFields { server, channel: Some(self.thread_or_channel().0) }
    }
}

/// A part of a place, which can be deleted and come back by itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PlacePart {
    Server(ServerId),
    Channel(ChannelId),
    Thread(ChannelId),
}

impl PlacePart {
    /// Returns the number of the server, channel or thread.
    #[must_use]
    pub const fn number(self) -> u64 {
        match self {
            Self::Server(ServerId(number)) | Self::Channel(ChannelId(number)) | Self::Thread(ChannelId(number)) => {
                number
            }
        }
    }

    /// Returns what it is, for the log and the store.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Server(_) => "server",
            Self::Channel(_) => "channel",
            Self::Thread(_) => "thread",
        }
    }

    /// Returns its number for the log.
    #[must_use]
    pub const fn log_fields(self) -> PlaceLogFields {
        match self {
            Self::Server(ServerId(number)) => PlaceLogFields { server: Some(number), channel: None },
            Self::Channel(ChannelId(number)) | Self::Thread(ChannelId(number)) => {
                PlaceLogFields { server: None, channel: Some(number) }
            }
        }
    }
}

/// What the log says about a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlaceLogFields {
    pub server: Option<u64>,
    /// The channel or thread.
    pub channel: Option<u64>,
}

/// The two players of a game.
///
/// ```
/// use ratatosk::game::{PlayerId, Players};
/// use ratatosk::rules::Side;
///
/// let (ann, bo) = (PlayerId(1), PlayerId(2));
/// let players = Players { attackers: ann, defenders: bo };
/// assert_eq!(players.side_of(bo), Some(Side::Defenders));
/// assert_eq!(players.opponent_of(ann), Some(bo));
/// assert_eq!(players.opponent_of(PlayerId(3)), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Players {
    pub attackers: PlayerId,
    /// The player of the king's side.
    pub defenders: PlayerId,
}

impl Players {
    /// Returns the player of a side.
    #[must_use]
    pub const fn of(&self, side: Side) -> PlayerId {
        match side {
            Side::Attackers => self.attackers,
            Side::Defenders => self.defenders,
        }
    }

    /// Returns the side of a player; `None` if the player is not in the game.
    #[must_use]
    pub fn side_of(&self, player: PlayerId) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| self.of(*side) == player)
    }

    /// Returns the opponent of a player; `None` if the player is not in the game.
    #[must_use]
    pub fn opponent_of(&self, player: PlayerId) -> Option<PlayerId> {
        self.side_of(player).map(|side| self.of(side.opponent()))
    }

    /// Returns both players, the attackers' first.
    #[must_use]
    pub const fn both(&self) -> [PlayerId; 2] {
        [self.attackers, self.defenders]
    }

    /// Returns the players with their sides swapped.
    #[must_use]
    pub const fn swapped(self) -> Self {
        Self { attackers: self.defenders, defenders: self.attackers }
    }
}
