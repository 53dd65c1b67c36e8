//! How fast Discord lets the bot post: it says after each post how many more a channel takes, and for how long none.
//!
//! Only what is not an answer asks here first. Answers have three seconds and limits of their own.

use reqwest::header::HeaderMap;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a pause Discord may ask for before we do not believe it.
pub(in crate::discord) const LONGEST_PAUSE: Duration = Duration::from_secs(600);

/// Until when nothing is to be posted.
#[derive(Default)]
pub(in crate::discord) struct Limits {
    until: Mutex<Until>,
}

#[derive(Default)]
struct Until {
    everywhere: Option<Instant>,
    channels: HashMap<u64, Instant>,
}

impl Limits {
    fn until(&self) -> MutexGuard<'_, Until> {
        self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what the answer to a call says about further ones.
    pub(in crate::discord) fn note(&self, path: &str, status: u16, headers: &HeaderMap) {
        let said = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let seconds = |name| said(name).and_then(|text| text.parse().ok()).and_then(pause);
        let refused = status == 429;
        let now = Instant::now();
        if refused && (said("x-ratelimit-global").is_some() || said("x-ratelimit-scope") == Some("global")) {
            if let Some(pause) = seconds("retry-after").filter(|_| !is_answer(path)) {
                let mut until = self.until();
                until.everywhere = until.everywhere.max(Some(now + pause));
            }
            return;
        }
        let Some(channel) = posts_in(path) else { return };
        let spent = refused || said("x-ratelimit-remaining") == Some("0");
        if let Some(pause) = seconds("x-ratelimit-reset-after").or_else(|| seconds("retry-after")).filter(|_| spent) {
            let mut until = self.until();
            until.channels.retain(|_, end| *end > now);
            until.channels.insert(channel, now + pause);
        }
    }

    /// Tells how long to wait before a call because there were too many of all kinds together.
    pub(in crate::discord) fn pause_everywhere(&self, path: &str) -> Duration {
        from_now(self.until().everywhere.filter(|_| !is_answer(path)))
    }

    /// Tells how long to wait before something is posted in a channel.
    pub(in crate::discord) fn pause(&self, channel: u64) -> Duration {
        let until = self.until();
        from_now(until.channels.get(&channel).copied().max(until.everywhere))
    }
}

fn from_now(end: Option<Instant>) -> Duration {
    end.map_or(Duration::ZERO, |end| end.saturating_duration_since(Instant::now()))
}

/// Believes a number of seconds, within reason.
pub(in crate::discord) fn pause(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok().map(|pause| pause.min(LONGEST_PAUSE))
}

/// Tells whether a call answers somebody; Discord's limit for everything does not count those.
pub(in crate::discord) fn is_answer(path: &str) -> bool {
    path.starts_with("/interactions/") || path.starts_with("/webhooks/")
}

/// Gives the channel that a call posts in: edits and the rest have limits of their own.
fn posts_in(path: &str) -> Option<u64> {
    path.strip_prefix("/channels/")?.strip_suffix("/messages")?.parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};

    fn headers(said: &[(&'static str, &'static str)]) -> HeaderMap {
        let header =
            |said: &(&'static str, &'static str)| (HeaderName::from_static(said.0), HeaderValue::from_static(said.1));
        said.iter().map(header).collect()
    }

    #[test]
    fn a_channel_that_takes_no_more_is_left_alone() {
        let limits = Limits::default();
        let left = |n| headers(&[("x-ratelimit-remaining", n), ("x-ratelimit-reset-after", "4.5")]);
        limits.note("/channels/7/messages", 200, &left("1"));
        assert_eq!(limits.pause(7), Duration::ZERO);
        limits.note("/channels/7/messages/99", 200, &left("0"));
        assert_eq!(limits.pause(7), Duration::ZERO, "edits count for themselves");
        limits.note("/channels/7/messages", 200, &left("0"));
        assert!(limits.pause(7) > Duration::from_secs(4) && limits.pause(8).is_zero());
    }

    #[test]
    fn a_limit_for_everything_holds_for_every_channel_but_comes_from_no_answer() {
        let limits = Limits::default();
        let global = headers(&[("x-ratelimit-global", "true"), ("retry-after", "9")]);
        limits.note("/interactions/1/abc/callback?with_response=true", 429, &global);
        assert!(limits.pause(7).is_zero());
        limits.note("/channels/8/messages", 429, &global);
        assert!(limits.pause(7) > Duration::from_secs(8));
        assert!(
            limits.pause_everywhere("/channels/7/messages/9") > Duration::from_secs(8),
            "nor is anything else called"
        );
        assert!(limits.pause_everywhere("/webhooks/1/abc").is_zero(), "but answers");
        limits.note("/channels/8/messages", 429, &headers(&[("x-ratelimit-scope", "global"), ("retry-after", "1e9")]));
        assert!(limits.pause(7) <= LONGEST_PAUSE);
    }
}
