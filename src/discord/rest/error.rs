//! Errors of REST calls. Each one says whether the call may have taken effect.

use std::fmt;
use std::time::Duration;

/// Discord's error codes that the bot reacts to.
pub(crate) mod code {
    pub(crate) const UNKNOWN_CHANNEL: i64 = 10003;
    /// Too many edits of messages that are older than an hour.
    pub(crate) const TOO_MANY_OLD_EDITS: i64 = 30046;
    /// The interaction already has an answer.
    pub(crate) const ALREADY_ANSWERED: i64 = 40060;
    pub(crate) const MISSING_ACCESS: i64 = 50001;
    /// The player does not accept direct messages.
    pub(crate) const CANNOT_MESSAGE_USER: i64 = 50007;
    pub(crate) const MISSING_PERMISSIONS: i64 = 50013;
    pub(crate) const THREAD_ARCHIVED: i64 = 50083;
    /// The player shares no server with the bot any more.
    pub(crate) const NO_SHARED_SERVER: i64 = 50278;
    pub(crate) const THREAD_LOCKED: i64 = 160_005;
}

/// Why a call failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum RestError {
    /// Discord rejected the call; it had no effect.
    Refused { status: u16, code: i64, message: String },
    /// Discord asks to wait; the call had no effect.
    RateLimited { wait: Duration },
    /// The time for the call was over before it was sent.
    TooLate,
    /// Discord was not reached; the call had no effect.
    Unreachable(String),
    /// The connection broke or the server failed, as the text says; the call may have taken effect.
    Unclear(String),
}

impl RestError {
    /// Returns Discord's error code; 0 if there is none.
    pub(crate) const fn code(&self) -> i64 {
        match self {
            Self::Refused { code, .. } => *code,
            _ => 0,
        }
    }

    pub(crate) const fn is_unauthorized(&self) -> bool {
        matches!(self, Self::Refused { status: 401, .. })
    }

    /// Returns whether Discord does not accept the content: it is malformed or too large.
    pub(crate) const fn is_invalid_content(&self) -> bool {
        matches!(self, Self::Refused { status: 400 | 413, .. })
    }
}

impl std::error::Error for RestError {}

impl fmt::Display for RestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { status, code, message } => write!(f, "Discord refuses ({status}, {code}): {message}"),
            Self::RateLimited { wait } => write!(f, "Discord asks to wait {:.1} s", wait.as_secs_f32()),
            Self::TooLate => f.write_str("the time for the call was over before it was sent"),
            Self::Unreachable(why) => write!(f, "Discord cannot be reached: {why}"),
            Self::Unclear(why) => f.write_str(why),
        }
    }
}
