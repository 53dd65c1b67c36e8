//! Rate limits for new messages. After each post Discord says how many more the channel takes, and when that is reset.
//!
//! Answers to interactions do not wait here: they have three seconds and limits of their own.

use super::route::Route;
use crate::game::ChannelId;
use reqwest::header::HeaderMap;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The longest pause that is accepted from Discord.
pub(super) const MAX_PAUSE: Duration = Duration::from_secs(600);

/// The shortest pause: a call that is repeated at once would only be refused again.
const MIN_PAUSE: Duration = Duration::from_millis(250);

/// Until when nothing may be posted.
#[derive(Default)]
pub(super) struct RateLimits {
    blocked: Mutex<Blocked>,
}

#[derive(Default)]
struct Blocked {
    everywhere: Option<Instant>,
    channels: HashMap<ChannelId, Instant>,
}

impl RateLimits {
    fn blocked(&self) -> MutexGuard<'_, Blocked> {
        self.blocked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the rate limit headers of a response.
    pub(super) fn update(&self, route: &Route<'_>, status: u16, headers: &HeaderMap) {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let seconds = |name| text(name).and_then(|text| text.parse().ok()).and_then(pause);
        let refused = status == 429;
        let now = Instant::now();
        if refused && (text("x-ratelimit-global").is_some() || text("x-ratelimit-scope") == Some("global")) {
            if let Some(pause) = seconds("retry-after").filter(|_| !route.answers_interaction()) {
                let mut blocked = self.blocked();
                blocked.everywhere = blocked.everywhere.max(Some(now + pause));
            }
            return;
        }
        let Some(channel) = route.posts_in() else { return };
        let spent = refused || text("x-ratelimit-remaining") == Some("0");
        if let Some(pause) = seconds("x-ratelimit-reset-after").or_else(|| seconds("retry-after")).filter(|_| spent) {
            let mut blocked = self.blocked();
            blocked.channels.retain(|_, end| *end > now);
            blocked.channels.insert(channel, now + pause);
        }
    }

    /// Returns how long the global limit still blocks a call.
    pub(super) fn global_pause(&self, route: &Route<'_>) -> Duration {
        time_until(self.blocked().everywhere.filter(|_| !route.answers_interaction()))
    }

    /// Returns how long to wait before posting in a channel.
    pub(super) fn channel_pause(&self, channel: ChannelId) -> Duration {
        let blocked = self.blocked();
        time_until(blocked.channels.get(&channel).copied().max(blocked.everywhere))
    }
}

fn time_until(end: Option<Instant>) -> Duration {
    end.map_or(Duration::ZERO, |end| end.saturating_duration_since(Instant::now()))
}

/// Converts a number of seconds from Discord, within [`MIN_PAUSE`] and [`MAX_PAUSE`].
pub(super) fn pause(seconds: f64) -> Option<Duration> {
    // A number of any size becomes a pause; NaN does not.
    let limited = seconds.clamp(0.0, MAX_PAUSE.as_secs_f64());
    Duration::try_from_secs_f64(limited).ok().map(|pause| pause.max(MIN_PAUSE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{PostId, RequestId};
    use reqwest::header::{HeaderName, HeaderValue};

    const SEVEN: ChannelId = ChannelId(7);
    const EIGHT: ChannelId = ChannelId(8);

    fn headers(values: &[(&'static str, &'static str)]) -> HeaderMap {
        let header = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        values.iter().map(header).collect()
    }

    #[test]
    fn a_channel_without_remaining_posts_is_blocked_until_the_reset() {
        let limits = RateLimits::default();
        let remaining = |n| headers(&[("x-ratelimit-remaining", n), ("x-ratelimit-reset-after", "500.5")]);
        limits.update(&Route::PostMessage { channel: SEVEN }, 200, &remaining("1"));
        assert_eq!(limits.channel_pause(SEVEN), Duration::ZERO);
        limits.update(&Route::EditMessage { channel: SEVEN, post: PostId(99) }, 200, &remaining("0"));
        assert_eq!(limits.channel_pause(SEVEN), Duration::ZERO, "edits have a limit of their own");
        limits.update(&Route::PostMessage { channel: SEVEN }, 200, &remaining("0"));
        assert!(limits.channel_pause(SEVEN) > MAX_PAUSE / 2 && limits.channel_pause(EIGHT).is_zero());
    }

    #[test]
    fn a_global_limit_blocks_every_channel_but_no_answer() {
        let limits = RateLimits::default();
        let global = headers(&[("x-ratelimit-global", "true"), ("retry-after", "500")]);
        limits.update(&Route::AnswerInteraction { interaction: RequestId(1), token: "abc" }, 429, &global);
        assert!(limits.channel_pause(SEVEN).is_zero(), "an answer's limit is its own");
        let post = Route::PostMessage { channel: EIGHT };
        limits.update(&post, 429, &global);
        assert!(limits.channel_pause(SEVEN) > MAX_PAUSE / 2);
        let edit = Route::EditMessage { channel: SEVEN, post: PostId(9) };
        assert!(limits.global_pause(&edit) > MAX_PAUSE / 2);
        assert!(limits.global_pause(&Route::PostFollowup { application: 1, token: "abc" }).is_zero());
        limits.update(&post, 429, &headers(&[("x-ratelimit-scope", "global"), ("retry-after", "1e9")]));
        assert!(limits.channel_pause(SEVEN) <= MAX_PAUSE);
    }

    #[test]
    fn a_pause_is_neither_zero_nor_endless() {
        assert_eq!([-5.0, 0.0, 0.001].map(pause), [Some(MIN_PAUSE); 3]);
        assert_eq!([1e9, f64::MAX].map(pause), [Some(MAX_PAUSE); 2]);
        assert_eq!(pause(2.5), Some(Duration::from_millis(2500)));
    }
}
