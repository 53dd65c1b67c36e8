//! The exit codes of the program.

/// Success, or the bot has stopped because it was asked to.
pub const SUCCESS: u8 = 0;
/// The command failed.
pub const FAILED: u8 = 1;
/// The command line is wrong.
pub const USAGE: u8 = 2;
/// Discord cannot be reached.
pub const UNREACHABLE: u8 = 69;
/// The database cannot be read or written.
pub const DATABASE_ERROR: u8 = 74;
/// Another process has the database open.
pub const IN_USE: u8 = 75;
/// Discord refuses the token.
pub const TOKEN_REFUSED: u8 = 77;
/// The configuration is wrong.
pub const MISCONFIGURED: u8 = 78;

/// Every code with its meaning, as in the README.
pub const CODES: &[(u8, &str)] = &[
    (SUCCESS, "success; `serve`: stopped on request"),
    (
        FAILED,
        "failure; `health`: unhealthy; `terminal`: a line from a pipe was not understood or not run, a stored game or message cannot be shown, a record could not be saved, or the output was closed before the end",
    ),
    (USAGE, "wrong command line"),
    (UNREACHABLE, "Discord cannot be reached"),
    (DATABASE_ERROR, "the database cannot be read or written"),
    (IN_USE, "another process has the database open"),
    (TOKEN_REFUSED, "Discord refuses the token"),
    (MISCONFIGURED, "wrong configuration"),
];

/// The codes after which a restart would not help.
pub const NO_RESTART: &[u8] = &[USAGE, TOKEN_REFUSED, MISCONFIGURED];
