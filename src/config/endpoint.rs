//! Whether the way to Discord is a good one for the token.

use super::value::shown;
use std::fs::File;
use std::io::Read;
use std::net::IpAddr;
use std::path::Path;

/// More than all the certificates of the world.
const LONGEST: u64 = 16 << 20;

/// Checks an address by itself. No message has what stands before an @ in it.
pub(super) fn check_address(address: &str) -> Result<(), String> {
    if address.contains('@') {
        return Err(String::from("write the address without a name and a password before an @"));
    }
    if ["https://", "http://"].iter().any(|scheme| address.starts_with(scheme)) {
        return Ok(());
    }
    Err(format!("`{}` does not begin with https:// or http://", shown(address)))
}

/// Checks that the token would not travel in the open.
pub(super) fn check_open(address: &str, allow_plain_http: bool) -> Result<(), String> {
    let Some(rest) = address.strip_prefix("http://") else { return Ok(()) };
    let host = rest.split('/').next().unwrap_or_default();
    // An address with colons of its own stands in brackets.
    let in_brackets = host.strip_prefix('[').and_then(|host| host.split_once(']'));
    let (name, port) = in_brackets.unwrap_or_else(|| host.split_at(host.find(':').unwrap_or(host.len())));
    let name = if port.is_empty() || port.starts_with(':') { name } else { host };
    let numbers: Option<IpAddr> = name.parse().ok();
    if allow_plain_http || name == "localhost" || numbers.is_some_and(|address| address.is_loopback()) {
        return Ok(());
    }
    Err(format!(
        "the token would travel in the open to {}; use https:// or an address of this machine, or set \
         discord.allow_plain_http if nobody can listen on the way",
        shown(host)
    ))
}

/// Checks that a file has certificates in it.
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
        .and_then(|file| file.take(LONGEST).read_to_end(&mut bytes))
        .map_err(|error| format!("{shown} cannot be read: {error}"))?;
    if String::from_utf8_lossy(&bytes).contains("-----BEGIN CERTIFICATE-----") {
        return Ok(());
    }
    Err(format!("{shown} has no certificate in it; one begins with the line -----BEGIN CERTIFICATE-----"))
}
