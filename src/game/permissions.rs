//! What the bot may do in a channel.

/// What the bot may do in the channel of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BotPermissions {
    /// See the channel.
    pub see: bool,
    /// Post messages without being asked.
    pub post: bool,
    /// Use embeds, which have room for long texts.
    pub embed: bool,
    /// Attach pictures and files.
    pub attach: bool,
    /// Create threads.
    pub make_threads: bool,
    pub post_in_threads: bool,
    /// Read earlier messages.
    pub read_history: bool,
}

impl BotPermissions {
    /// Every permission.
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
