//! Failures on demand: which requests fail and how, and how many posts a channel takes.

use crate::state::DiscordState;
use std::collections::BTreeMap;
use std::time::Duration;

/// Makes requests to a route fail.
#[derive(Clone, Debug)]
pub struct FailureRule {
    /// Such as `POST /channels/*/messages`.
    pub route: String,
    /// How many more requests fail.
    pub times: usize,
    pub failure: Failure,
}

/// How a request fails.
#[derive(Clone, Copy, Debug)]
pub enum Failure {
    /// Returns a status without effect.
    Status(u16),
    /// Returns a status although the request took effect.
    StatusAfterEffect(u16),
    /// Closes the connection without a response and without effect.
    Close,
    /// Closes the connection without a response, although the request took effect.
    CloseAfterEffect,
    /// Resets the connection without effect.
    Reset,
    /// Resets the connection, although the request took effect.
    ResetAfterEffect,
    /// Takes effect, but closes the connection after the headers of the response.
    TruncateResponse,
    /// Returns 429 for this route, without effect.
    RateLimit(Duration),
    /// Returns 429 for all routes together, without effect.
    GlobalRateLimit(Duration),
    /// Takes effect after a delay, whether or not the bot still waits.
    Delay(Duration),
    /// Takes effect at once, but responds after a delay.
    DelayResponse(Duration),
    /// Takes effect and responds once failures are cleared.
    Hold,
    /// Takes effect at once, but responds once failures are cleared.
    HoldResponse,
}

/// Chooses a failure for a request by its method and path.
type ChooseFailure = dyn FnMut(&str, &str) -> Option<Failure> + Send;

/// Makes requests fail by chance.
pub struct RandomFailures(pub Box<ChooseFailure>);

impl std::fmt::Debug for RandomFailures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RandomFailures")
    }
}

/// How many posts a channel takes in how long, and when it took some, by the path of the route.
#[derive(Clone, Debug)]
pub struct PostLimit {
    pub most: usize,
    pub within: Duration,
    pub taken: BTreeMap<String, Vec<u64>>,
}

impl FailureRule {
    /// Returns whether the rule applies to a request.
    pub fn matches(&self, method: &str, path: &str) -> bool {
        let Some((verb, route)) = self.route.split_once(' ') else { return false };
        let (route, path): (Vec<&str>, Vec<&str>) = (route.split('/').collect(), path.split('/').collect());
        let same = route.iter().zip(&path).all(|(wanted, step)| *wanted == "*" || wanted == step);
        self.times > 0 && verb == method && route.len() == path.len() && same
    }
}

impl DiscordState {
    /// Returns how a request is to fail, if it is.
    pub fn next_failure(&mut self, method: &str, path: &str) -> Option<Failure> {
        if let Some(rule) = self.failure_rules.iter_mut().find(|rule| rule.matches(method, path)) {
            rule.times -= 1;
            return Some(rule.failure);
        }
        self.random_failures.as_mut().and_then(|RandomFailures(choose)| choose(method, path))
    }

    /// Counts a post. Returns how many more the channel takes and when the count starts again, or nothing if posts are not
    /// limited.
    pub fn count_post(&mut self, method: &str, path: &str) -> Option<(Result<usize, ()>, Duration)> {
        let now = self.now();
        if method != "POST" || !path.starts_with("/channels/") || !path.ends_with("/messages") {
            return None;
        }
        let PostLimit { most, within, taken } = self.post_limit.as_mut()?;
        let span = u64::try_from(within.as_millis()).unwrap_or(u64::MAX);
        let taken = taken.entry(path.to_owned()).or_default();
        taken.retain(|at| now - at < span);
        let left = most.checked_sub(taken.len() + 1);
        if left.is_some() {
            taken.push(now);
        }
        let reset = taken.first().map_or(0, |first| span - (now - first));
        Some((left.ok_or(()), Duration::from_millis(reset)))
    }
}
