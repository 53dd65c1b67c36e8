//! The exit codes, as whoever started the program sees them.

/// All is well, or the bot has stopped because it was asked to.
pub const DONE: u8 = 0;
/// Something failed.
pub const FAILED: u8 = 1;
/// The command line makes no sense.
pub const USAGE: u8 = 2;
/// Discord cannot be reached.
pub const UNREACHABLE: u8 = 69;
/// The database cannot be read or written.
pub const CANNOT_READ_OR_WRITE: u8 = 74;
/// Another process has the database.
pub const IN_USE: u8 = 75;
/// Discord refuses the token.
pub const TOKEN_REFUSED: u8 = 77;
/// Something is set wrongly.
pub const MISCONFIGURED: u8 = 78;

/// Every code with its meaning, as the README has them.
pub const CODES: &[(u8, &str)] = &[
    (DONE, "done; the bot: stopped on request"),
    (FAILED, "failed; `health`: not well; the table: a line from a pipe was not understood"),
    (USAGE, "wrong command line"),
    (UNREACHABLE, "Discord cannot be reached"),
    (CANNOT_READ_OR_WRITE, "the database cannot be read or written"),
    (IN_USE, "another process has the database"),
    (TOKEN_REFUSED, "Discord refuses the token"),
    (MISCONFIGURED, "wrong configuration"),
];

/// The codes after which starting again would change nothing: somebody has to look.
pub const FINAL: &[u8] = &[USAGE, TOKEN_REFUSED, MISCONFIGURED];
