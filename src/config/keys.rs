//! The one list of everything that can be set. The reading, `example-config` and the table in the README follow it.

use super::value::Given;
use super::{Config, LogFormat, Secret, endpoint};
use std::fmt::Display;
use std::path::Path;
use tracing::level_filters::LevelFilter;

/// Something that can be set.
pub struct Key {
    /// Its name in the file, with the section before the dot.
    pub name: &'static str,
    /// The variable that sets it, too.
    pub variable: &'static str,
    /// What kind of value it has.
    pub kind: &'static str,
    /// What holds if nobody sets it.
    pub default: &'static str,
    /// What could stand in the file.
    pub example: &'static str,
    /// What it is for.
    pub meaning: &'static str,
    pub(super) set: fn(&mut Config, &Given<'_>) -> Result<(), String>,
    pub(super) show: fn(&Config) -> String,
}

/// The token that stands in the example.
pub const SAMPLE_TOKEN: &str = "put-the-token-of-your-bot-here";

/// The variable with the token itself.
pub const TOKEN: &str = "DISCORD_TOKEN";

pub(super) const LEVELS: &[(&str, LevelFilter)] = &[
    ("error", LevelFilter::ERROR),
    ("warn", LevelFilter::WARN),
    ("info", LevelFilter::INFO),
    ("debug", LevelFilter::DEBUG),
    ("trace", LevelFilter::TRACE),
    ("off", LevelFilter::OFF),
];

const FORMATS: &[(&str, LogFormat)] = &[("text", LogFormat::Text), ("json", LogFormat::Json)];

/// Everything that can be set.
pub const KEYS: &[Key] = &[
    Key {
        name: "database",
        variable: "RATATOSK_DATABASE",
        kind: "path",
        default: "`ratatosk/games.db` in your data folder",
        example: "\"/var/lib/ratatosk/games.db\"",
        meaning: "The file with the games. It is made if it is not there. `--database` comes first.",
        set: |config, given| given.path().map(|path| config.database = Some(path)),
        show: |config| path(config.database.as_deref()),
    },
    Key {
        name: "discord.token",
        variable: TOKEN,
        kind: "text",
        default: "none",
        example: "\"put-the-token-of-your-bot-here\"",
        meaning: "The bot's token. `DISCORD_TOKEN` comes first, then the token file, then this.",
        set: |config, given| given.text().map(|token| config.token = Some(Secret::new(token))),
        show: |config| String::from(if config.token.is_some() { "set, and not shown" } else { "none" }),
    },
    Key {
        name: "discord.token_file",
        variable: "RATATOSK_TOKEN_FILE",
        kind: "path",
        default: "none",
        example: "\"/run/secrets/discord-token\"",
        meaning: "A file with the token and nothing else, such as a secret of a container or of systemd.",
        set: |config, given| given.path().map(|path| config.token_file = Some(path)),
        // What is no file may be the token itself.
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
        meaning: "Where Discord is, for a proxy in front of it. The token goes there.",
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
        meaning: "Whether `discord.api` may be an `http://` address on another machine. Whoever listens on the way then reads the token.",
        set: |config, given| given.truth().map(|truth| config.discord.allow_plain_http = truth),
        show: |config| config.discord.allow_plain_http.to_string(),
    },
    Key {
        name: "discord.resolve",
        variable: "RATATOSK_DISCORD_RESOLVE",
        kind: "address with port",
        default: "none",
        example: "\"192.0.2.7:443\"",
        meaning: "An address to use for discord.com instead of the one that its name has.",
        set: |config, given| {
            let text = given.text()?;
            let wrong =
                |_| format!("`{}` is no address with a port, such as 192.0.2.7:443", super::value::shown(&text));
            text.parse().map(|address| config.discord.resolve = Some(address)).map_err(wrong)
        },
        show: |config| or_none(config.discord.resolve.as_ref()),
    },
    Key {
        name: "discord.ca",
        variable: "RATATOSK_DISCORD_CA",
        kind: "path",
        default: "none",
        example: "\"/etc/ssl/certs/our-own.pem\"",
        meaning: "A file with certificates to trust besides the usual ones, for networks with their own. The connection to the gateway does not know them: it trusts a list that is built in, or the system's certificates in a build with `--no-default-features --features native-tls`.",
        set: |config, given| given.path().map(|path| config.discord.ca = Some(path)),
        show: |config| path(config.discord.ca.as_deref()),
    },
    Key {
        name: "log.level",
        variable: "RATATOSK_LOG",
        kind: "`error`, `warn`, `info`, `debug`, `trace` or `off`",
        default: "`info`",
        example: "\"info\"",
        meaning: "How much the bot writes to its log, the standard error.",
        set: |config, given| given.choice(LEVELS).map(|level| config.log.level = level),
        show: |config| config.log.level.to_string(),
    },
    Key {
        name: "log.format",
        variable: "RATATOSK_LOG_FORMAT",
        kind: "`text` or `json`",
        default: "`text`",
        example: "\"text\"",
        meaning: "How it writes: either way one line an event.",
        set: |config, given| given.choice(FORMATS).map(|format| config.log.format = format),
        show: |config| name_of(FORMATS, config.log.format),
    },
    Key {
        name: "backup.every",
        variable: "RATATOSK_BACKUP_EVERY",
        kind: "time such as `30m`, `12h`, `1d`, `1w`, or `off`",
        default: "`1d`",
        example: "\"1d\"",
        meaning: "How often the running bot makes a backup.",
        set: |config, given| given.time().map(|every| config.backup.every = every),
        show: |config| config.backup.every.map_or_else(|| String::from("off"), written),
    },
    Key {
        name: "backup.keep",
        variable: "RATATOSK_BACKUP_KEEP",
        kind: "number",
        default: "`7`",
        example: "7",
        meaning: "How many of these backups are kept. The oldest go first.",
        set: |config, given| given.count().map(|keep| config.backup.keep = keep),
        show: |config| config.backup.keep.to_string(),
    },
    Key {
        name: "backup.folder",
        variable: "RATATOSK_BACKUP_FOLDER",
        kind: "path",
        default: "`backups` beside the database",
        example: "\"/var/lib/ratatosk/backups\"",
        meaning: "Where these backups are. Another disk is better.",
        set: |config, given| given.path().map(|path| config.backup.folder = Some(path)),
        show: |config| path(config.backup.folder.as_deref()),
    },
];

impl Key {
    /// Finds a key by its name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.name == name)
    }

    /// Gives the section that the key stands in, and its name there.
    #[must_use]
    pub fn place(&self) -> (Option<&'static str>, &'static str) {
        self.name.split_once('.').map_or((None, self.name), |(section, name)| (Some(section), name))
    }
}

/// Gives the name that somebody may have meant, out of those that there are.
pub(super) fn meant(typed: &str, names: impl Iterator<Item = &'static str> + Clone) -> Option<&'static str> {
    const LIKE: f64 = 0.85;
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    // The right name in the wrong section, or in none.
    if let Some(moved) = names.clone().find(|name| last(name) == last(typed)) {
        return Some(moved);
    }
    let likeness = |name: &'static str| (strsim::jaro_winkler(typed, name), name);
    let best = names.map(likeness).max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.filter(|(likeness, _)| *likeness > LIKE).map(|(_, name)| name)
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

/// Writes a time as it is read.
fn written(time: std::time::Duration) -> String {
    let minutes = time.as_secs() / 60;
    match minutes {
        _ if minutes.is_multiple_of(24 * 60) => format!("{}d", minutes / (24 * 60)),
        _ if minutes.is_multiple_of(60) => format!("{}h", minutes / 60),
        _ => format!("{minutes}m"),
    }
}
