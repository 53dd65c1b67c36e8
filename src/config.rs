//! What whoever runs the bot has set: for now by variables of the environment. Every fault is told at once.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

/// Something that must not be shown: it prints as dots, and only [`Secret::expose`] gives it away.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps something secret.
    #[must_use]
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// Gives the secret away, to where it has to go.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// Everything that can be set.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Config {
    /// The bot's token, if there is one.
    pub token: Option<Secret>,
    /// The file with the games; the usual one if none is named.
    pub database: Option<PathBuf>,
    /// How Discord is reached.
    pub discord: Road,
}

/// How Discord is reached.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Road {
    /// Another base address than Discord's, such as `http://127.0.0.1:8080`.
    pub api: Option<String>,
    /// An address to use instead of the one that the name has.
    pub resolve: Option<SocketAddr>,
    /// A file with a certificate to trust besides the usual ones.
    pub ca: Option<PathBuf>,
}

/// Something that is set wrongly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Which variable.
    pub key: &'static str,
    /// What is wrong with it, and what would be right.
    pub problem: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.problem)
    }
}

/// The token itself.
pub const TOKEN: &str = "DISCORD_TOKEN";
/// A file with the token.
pub const TOKEN_FILE: &str = "RATATOSK_TOKEN_FILE";
const DATABASE: &str = "RATATOSK_DATABASE";
const API: &str = "RATATOSK_DISCORD_API";
const RESOLVE: &str = "RATATOSK_DISCORD_RESOLVE";
const CA: &str = "RATATOSK_DISCORD_CA";

impl Config {
    /// Reads the variables of the environment.
    pub fn from_environment() -> Result<Self, Vec<Fault>> {
        Self::read(&|name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
    }

    /// Reads variables by name. What is set to nothing is not set.
    pub fn read(variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, Vec<Fault>> {
        let set = |name| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let mut faults = Vec::new();
        let mut sound = |key, read: Result<_, String>| match read {
            Ok(value) => Some(value),
            Err(problem) => {
                faults.push(Fault { key, problem });
                None
            }
        };
        let token = match (set(TOKEN), set(TOKEN_FILE)) {
            (Some(token), _) => sound(TOKEN, read_token(&token)),
            (None, Some(file)) => sound(TOKEN_FILE, read_token_file(&file)),
            (None, None) => None,
        };
        let mut faults_of_road = Vec::new();
        let mut on_road = |key, problem: String| faults_of_road.push(Fault { key, problem });
        let api = set(API).filter(|address| match check_api(address) {
            Ok(()) => true,
            Err(problem) => {
                on_road(API, problem);
                false
            }
        });
        let resolve = set(RESOLVE).and_then(|address| match address.parse() {
            Ok(address) => Some(address),
            Err(_) => {
                on_road(RESOLVE, format!("`{address}` is no address with a port, such as 127.0.0.1:8443"));
                None
            }
        });
        let ca = set(CA).map(PathBuf::from);
        if let Some(path) = ca.as_ref().filter(|path| !path.is_file()) {
            on_road(CA, format!("there is no file {}", path.display()));
        }
        faults.extend(faults_of_road);
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Self { token, database: set(DATABASE).map(PathBuf::from), discord: Road { api, resolve, ca } })
    }
}

fn read_token_file(path: &str) -> Result<Secret, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path} cannot be read: {error}"))?;
    read_token(text.trim())
}

fn read_token(text: &str) -> Result<Secret, String> {
    let token = text.strip_prefix("Bot ").unwrap_or(text).trim();
    let fits = !token.is_empty() && token.chars().all(|letter| letter.is_ascii_graphic());
    // Never with the token in it, not even a wrong one: it may be right except for a letter.
    if fits { Ok(Secret::new(token)) } else { Err(String::from("this is not a bot's token")) }
}

/// Checks that the token would not travel in the open.
fn check_api(address: &str) -> Result<(), String> {
    if address.starts_with("https://") {
        return Ok(());
    }
    let Some(rest) = address.strip_prefix("http://") else {
        return Err(format!("`{address}` does not begin with https:// or http://"));
    };
    let host = rest.split('/').next().unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let numbers: Option<IpAddr> = name.trim_matches(['[', ']']).parse().ok();
    if name == "localhost" || numbers.is_some_and(|address| address.is_loopback()) {
        Ok(())
    } else {
        Err(format!("the token would travel in the open to {host}; use https:// or an address of this machine"))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Config, Vec<Fault>> {
        Config::read(&|name| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn nothing_set_is_fine() {
        assert_eq!(read(&[("DISCORD_TOKEN", " ")]), Ok(Config::default()));
    }

    #[test]
    fn a_token_is_never_shown() {
        let config = read(&[("DISCORD_TOKEN", "Bot abc.def.ghi\n")]).unwrap();
        assert_eq!(config.token.as_ref().unwrap().expose(), "abc.def.ghi");
        assert!(!format!("{config:?}").contains("abc"));
        let faults = read(&[("DISCORD_TOKEN", "abc def")]).unwrap_err();
        assert!(!faults[0].to_string().contains("abc"), "{faults:?}");
    }

    #[test]
    fn every_fault_is_told_at_once() {
        let faults = read(&[
            ("RATATOSK_TOKEN_FILE", "/nowhere/token"),
            ("RATATOSK_DISCORD_API", "http://example.com"),
            ("RATATOSK_DISCORD_RESOLVE", "here"),
            ("RATATOSK_DISCORD_CA", "/nowhere/ca.pem"),
        ]);
        let keys: Vec<&str> = faults.unwrap_err().iter().map(|fault| fault.key).collect();
        assert_eq!(keys, [TOKEN_FILE, API, RESOLVE, CA]);
    }

    #[test]
    fn plain_http_stays_on_this_machine() {
        for (address, fine) in [
            ("https://proxy.example.com", true),
            ("http://127.0.0.1:8080", true),
            ("http://[::1]:8080/", true),
            ("http://localhost", true),
            ("http://192.168.1.2:8080", false),
            ("http://127.0.0.1.example.com", false),
            ("127.0.0.1:8080", false),
        ] {
            assert_eq!(read(&[("RATATOSK_DISCORD_API", address)]).is_ok(), fine, "{address}");
        }
    }
}
