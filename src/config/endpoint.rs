//! Checks the address of Discord and the file of certificates.

use super::value::shorten;
use std::fs::File;
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::Path;

/// How much of a file is read; larger than any bundle of certificates.
const MAX_SIZE: u64 = 16 << 20;

/// Checks the form of an address. No error message repeats the text before an @, because it may contain a password.
pub(super) fn check_address(address: &str) -> Result<(), String> {
    if address.contains('@') {
        return Err(String::from("write the address without a name and a password before an @"));
    }
    let Some(rest) = ["https://", "http://"].iter().find_map(|scheme| address.strip_prefix(scheme)) else {
        return Err(format!("`{}` does not begin with https:// or http://", shorten(address)));
    };
    if address.contains(['?', '#']) {
        return Err(format!("`{}` is more than an address: leave out what begins with ? or #", shorten(address)));
    }
    let (host, name, port) = split_host(rest);
    if !names_machine(host, name) {
        return Err(format!("`{}` does not name a machine, such as discord.com or 127.0.0.1", shorten(address)));
    }
    // A colon without a port is valid: the scheme has a default port.
    let is_number =
        |port: &str| port.bytes().all(|digit| digit.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port > 0);
    if !port.is_empty() && port != ":" && !port.strip_prefix(':').is_some_and(is_number) {
        return Err(format!("`{}` has a port that is not a number from 1 to 65535", shorten(address)));
    }
    Ok(())
}

/// Returns whether a host is an IP address or has the form of a name.
fn names_machine(host: &str, name: &str) -> bool {
    if host.starts_with('[') {
        return name.parse::<Ipv6Addr>().is_ok();
    }
    // URL parsers take a name whose last part is a number for an IPv4 address. A full name may end with a dot.
    let name = name.strip_suffix('.').unwrap_or(name);
    if name.rsplit('.').next().is_some_and(|label| label.bytes().all(|byte| byte.is_ascii_digit())) {
        return name.parse::<Ipv4Addr>().is_ok();
    }
    let is_label = |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || "-_".contains(c));
    name.split('.').all(is_label)
}

/// Splits an address without its scheme. Returns the host with its port, its name alone, and the port with its colon.
fn split_host(rest: &str) -> (&str, &str, &str) {
    let host = rest.split('/').next().unwrap_or_default();
    // An IPv6 address is in brackets.
    let in_brackets = host.strip_prefix('[').and_then(|host| host.split_once(']'));
    let (name, port) = in_brackets.unwrap_or_else(|| host.split_at(host.find(':').unwrap_or(host.len())));
    (host, name, port)
}

/// Checks that the token would not be sent unencrypted to another machine.
pub(super) fn check_encryption(address: &str, allow_plain_http: bool) -> Result<(), String> {
    let Some(rest) = address.strip_prefix("http://") else { return Ok(()) };
    let (host, name, port) = split_host(rest);
    let name = if port.is_empty() || port.starts_with(':') { name } else { host };
    let numbers: Option<IpAddr> = name.parse().ok();
    if allow_plain_http || name == "localhost" || numbers.is_some_and(|address| address.is_loopback()) {
        return Ok(());
    }
    Err(format!(
        "the token would be sent unencrypted to {}; use https:// or an address of this machine, or set \
         discord.allow_plain_http if you trust the network",
        shorten(host)
    ))
}

/// Checks that a file contains certificates.
pub(super) fn check_certificates(path: &Path) -> Result<(), String> {
    let shown = path.display();
    if path.is_dir() {
        return Err(format!("{shown} is a folder; name the file with the certificates"));
    }
    if !path.exists() {
        return Err(format!("there is no file {shown}"));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_SIZE).read_to_end(&mut bytes))
        .map_err(|error| format!("{shown} cannot be read: {error}"))?;
    if String::from_utf8_lossy(&bytes).contains("-----BEGIN CERTIFICATE-----") {
        return Ok(());
    }
    Err(format!("{shown} has no certificate in it; one begins with the line -----BEGIN CERTIFICATE-----"))
}
