//! The list of configuration keys. The parser, `example-config` and the table in the README are made from it.

use super::value::RawValue;
use super::{Config, LogFormat, Secret, endpoint};
use std::fmt::Display;
use std::net::SocketAddr;
use std::path::Path;
use tracing::level_filters::LevelFilter;

/// A configuration key.
pub struct Key {
    /// Its name in the file, with the section before the dot.
    pub name: &'static str,
    /// The environment variable for it.
    pub variable: &'static str,
    /// The type of its value, for people.
    pub kind: &'static str,
    /// The default, for people.
    pub default: &'static str,
    /// An example of a value, as in the file.
    pub example: &'static str,
    pub meaning: &'static str,
    pub(super) set: fn(&mut Config, &RawValue<'_>) -> Result<(), String>,
    pub(super) show: fn(&Config) -> String,
}

/// The token in the example file.
pub const SAMPLE_TOKEN: &str = "put-the-token-of-your-bot-here";

/// The environment variable for the token.
pub const TOKEN_VARIABLE: &str = "DISCORD_TOKEN";

pub(super) const LEVELS: &[(&str, LevelFilter)] = &[
    ("error", LevelFilter::ERROR),
    ("warn", LevelFilter::WARN),
    ("info", LevelFilter::INFO),
    ("debug", LevelFilter::DEBUG),
    ("trace", LevelFilter::TRACE),
    ("off", LevelFilter::OFF),
];

const FORMATS: &[(&str, LogFormat)] = &[("text", LogFormat::Text), ("json", LogFormat::Json)];

/// Every key.
pub const KEYS: &[Key] = &[
    Key {
        name: "database",
        variable: "RATATOSK_DATABASE",
        kind: "path",
        default: "`ratatosk/games.db` in your data folder",
        example: "\"/var/lib/ratatosk/games.db\"",
        meaning: "The database. It is created if it does not exist. `--database` takes precedence.",
        set: |config, given| given.path().map(|path| config.database = Some(path)),
        show: |config| path(config.database.as_deref()),
    },
    Key {
        name: "discord.token",
        variable: TOKEN_VARIABLE,
        kind: "text",
        default: "none",
        example: "\"put-the-token-of-your-bot-here\"",
        meaning: "The bot's token. `DISCORD_TOKEN` takes precedence, then the token file, then this.",
        set: |config, given| given.text().map(|token| config.token = Some(Secret::new(token))),
        show: |config| String::from(if config.token.is_some() { "set, and not shown" } else { "none" }),
    },
    Key {
        name: "discord.token_file",
        variable: "RATATOSK_TOKEN_FILE",
        kind: "path",
        default: "none",
        example: "\"/run/secrets/discord-token\"",
        meaning: "A file that contains only the token, such as a container or systemd secret.",
        set: |config, given| given.path().map(|path| config.token_file = Some(path)),
        // If there is no such file, the value may be the token itself.
        show: |config| match &config.token_file {
            Some(file) if !file.exists() => String::from("set, and not shown: there is no such file"),
            file => path(file.as_deref()),
        },
    },
    Key {
        name: "discord.api",
        variable: "RATATOSK_DISCORD_API",
        kind: "address",
        default: "`https://discord.com`",
        example: "\"https://discord.com\"",
        meaning: "The address of Discord, for a proxy in front of it. The token is sent there.",
        set: |config, given| {
            let address = given.text()?;
            endpoint::check_address(&address)?;
            config.discord.api = Some(address);
            Ok(())
        },
        show: |config| config.discord.api.clone().unwrap_or_else(|| String::from("https://discord.com")),
    },
    Key {
        name: "discord.allow_plain_http",
        variable: "RATATOSK_DISCORD_ALLOW_PLAIN_HTTP",
        kind: "true or false",
        default: "`false`",
        example: "false",
        meaning: "Whether `discord.api` may be an `http://` address on another machine. Anyone on the way can then read the token.",
        set: |config, given| given.bool().map(|allowed| config.discord.allow_plain_http = allowed),
        show: |config| config.discord.allow_plain_http.to_string(),
    },
    Key {
        name: "discord.resolve",
        variable: "RATATOSK_DISCORD_RESOLVE",
        kind: "address with port",
        default: "none",
        example: "\"192.0.2.7:443\"",
        meaning: "An address to connect to instead of what discord.com resolves to.",
        set: |config, given| {
            let text = given.text()?;
            let wrong =
                |_| format!("`{}` is not an address with a port, such as 192.0.2.7:443", super::value::shorten(&text));
            let address: SocketAddr = text.parse().map_err(wrong)?;
            if address.port() == 0 {
                return Err(String::from("the port is a number from 1 to 65535, such as 443"));
            }
            config.discord.resolve = Some(address);
            Ok(())
        },
        show: |config| or_none(config.discord.resolve.as_ref()),
    },
    Key {
        name: "discord.ca",
        variable: "RATATOSK_DISCORD_CA",
        kind: "path",
        default: "none",
        example: "\"/etc/ssl/certs/our-own.pem\"",
        meaning: "A file with additional certificates to trust, for networks with their own. They do not apply to the gateway connection, which trusts a built-in list, or the system's certificates in a build with `--no-default-features --features native-tls`.",
        set: |config, given| given.path().map(|path| config.discord.ca = Some(path)),
        show: |config| path(config.discord.ca.as_deref()),
    },
    Key {
        name: "log.level",
        variable: "RATATOSK_LOG",
        kind: "`error`, `warn`, `info`, `debug`, `trace` or `off`",
        default: "`info`",
        example: "\"info\"",
        meaning: "How much the bot logs. The log goes to standard error.",
        set: |config, given| given.choice(LEVELS).map(|level| config.log.level = level),
        show: |config| config.log.level.to_string(),
    },
    Key {
        name: "log.format",
        variable: "RATATOSK_LOG_FORMAT",
        kind: "`text` or `json`",
        default: "`text`",
        example: "\"text\"",
        meaning: "The format of the log; one line per event in both.",
        set: |config, given| given.choice(FORMATS).map(|format| config.log.format = format),
        show: |config| name_of(FORMATS, config.log.format),
    },
    Key {
        name: "backup.every",
        variable: "RATATOSK_BACKUP_EVERY",
        kind: "length of time such as `30m`, `12h`, `1d`, `1w`, or `off`",
        default: "`1d`",
        example: "\"1d\"",
        meaning: "How often the running bot makes a backup.",
        set: |config, given| given.duration().map(|every| config.backup.every = every),
        show: |config| config.backup.every.map_or_else(|| String::from("off"), format_duration),
    },
    Key {
        name: "backup.keep",
        variable: "RATATOSK_BACKUP_KEEP",
        kind: "number",
        default: "`7`",
        example: "7",
        meaning: "How many automatic backups are kept. The oldest are removed first.",
        set: |config, given| given.count().map(|keep| config.backup.keep = keep),
        show: |config| config.backup.keep.to_string(),
    },
    Key {
        name: "backup.folder",
        variable: "RATATOSK_BACKUP_FOLDER",
        kind: "path",
        default: "`backups` beside the database",
        example: "\"/var/lib/ratatosk/backups\"",
        meaning: "The folder for automatic backups. Another disk is safer.",
        set: |config, given| given.path().map(|path| config.backup.folder = Some(path)),
        show: |config| path(config.backup.folder.as_deref()),
    },
];

impl Key {
    /// Returns the key with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.name == name)
    }

    /// Returns the section of the key, and its name in the section.
    #[must_use]
    pub fn section_and_name(&self) -> (Option<&'static str>, &'static str) {
        self.name.split_once('.').map_or((None, self.name), |(section, name)| (Some(section), name))
    }
}

/// Returns the known name that a misspelt one is closest to.
pub(super) fn closest(typed: &str, names: impl Iterator<Item = &'static str> + Clone) -> Option<&'static str> {
    const MIN_SIMILARITY: f64 = 0.85;
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    // The right name in the wrong section, or in none.
    if let Some(moved) = names.clone().find(|name| last(name) == last(typed)) {
        return Some(moved);
    }
    let similarity = |name: &'static str| (strsim::jaro_winkler(typed, name), name);
    let best = names.map(similarity).max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.filter(|(similarity, _)| *similarity > MIN_SIMILARITY).map(|(_, name)| name)
}

fn path(path: Option<&Path>) -> String {
    path.map_or_else(|| String::from("none"), |path| path.display().to_string())
}

fn or_none(value: Option<&impl Display>) -> String {
    value.map_or_else(|| String::from("none"), ToString::to_string)
}

fn name_of<T: PartialEq>(choices: &[(&str, T)], value: T) -> String {
    choices.iter().find(|(_, choice)| *choice == value).map_or_else(String::new, |(name, _)| (*name).to_owned())
}

/// Formats a length of time as it is parsed.
fn format_duration(time: std::time::Duration) -> String {
    let minutes = time.as_secs() / 60;
    match minutes {
        _ if minutes.is_multiple_of(24 * 60) => format!("{}d", minutes / (24 * 60)),
        _ if minutes.is_multiple_of(60) => format!("{}h", minutes / 60),
        _ => format!("{minutes}m"),
    }
}
