//! The retry loop for REST calls.

use super::client::{Call, RestClient};
use super::error::RestError;
use serde_json::Value;
use std::pin::Pin;
use std::time::{Duration, Instant};
use tracing::{debug, warn};

/// When a failed call is repeated.
#[derive(Clone, Copy)]
pub(crate) struct RetryPolicy {
    /// The timeout of one attempt, cut to what is left until the deadline.
    pub(crate) timeout: Duration,
    /// After this no attempt begins.
    pub(crate) deadline: Option<Instant>,
    pub(crate) attempts: u32,
    /// The pause before the second attempt; each further one is twice as long.
    pub(crate) first_pause: Duration,
    pub(crate) longest_pause: Duration,
    /// Whether each repetition is logged as a warning.
    pub(crate) warn: bool,
}

/// What to do after a failed attempt.
pub(crate) enum RetryDecision<'a> {
    /// Gives up if Discord refused the call; otherwise repeats it after a pause, or after the wait Discord asked for.
    Default,
    /// Repeats the call after a pause, whatever the error was.
    Repeat,
    RepeatAfter(Duration),
    GiveUp,
    /// Ends with this result: the call has taken effect after all.
    Done(Value),
    /// Awaits this future, then does what it returns: for example, to find out whether the call has taken effect.
    Ask(Pin<Box<dyn Future<Output = RetryDecision<'a>> + Send + 'a>>),
}

/// A call that failed for good.
#[derive(Debug)]
pub(crate) struct CallFailed {
    /// The error of the last attempt.
    pub(crate) error: RestError,
    /// Whether any attempt may have taken effect.
    pub(crate) unclear: bool,
}

impl RetryPolicy {
    /// Repeats a call until a deadline.
    pub(crate) const fn until(deadline: Instant, timeout: Duration, pause: Duration) -> Self {
        Self {
            timeout,
            deadline: Some(deadline),
            attempts: u32::MAX,
            first_pause: pause,
            longest_pause: pause,
            warn: false,
        }
    }

    fn time_left(&self) -> Duration {
        self.deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

impl RestClient {
    /// Sends a call until it succeeds or the policy, or `decide`, gives up. `decide` is given the error of each failed
    /// attempt and when the attempt began.
    pub(crate) async fn send_with_retry<'a>(
        &self,
        call: Call<'_>,
        policy: RetryPolicy,
        decide: impl FnMut(&RestError, Instant) -> RetryDecision<'a>,
    ) -> Result<Value, CallFailed> {
        repeat(|timeout| self.send(call, timeout), call.route.name(), policy, decide).await
    }
}

async fn repeat<'a, Sending: Future<Output = Result<Value, RestError>>>(
    mut send: impl FnMut(Duration) -> Sending,
    name: &'static str,
    policy: RetryPolicy,
    mut decide: impl FnMut(&RestError, Instant) -> RetryDecision<'a>,
) -> Result<Value, CallFailed> {
    let (mut pause, mut attempt) = (policy.first_pause, 0);
    let mut failed = CallFailed { error: RestError::TooLate, unclear: false };
    loop {
        let left = policy.time_left();
        if left.is_zero() {
            return Err(failed);
        }
        attempt += 1;
        let begun = Instant::now();
        let error = match send(policy.timeout.min(left)).await {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        failed.unclear |= matches!(error, RestError::Unclear(_));
        let mut next = decide(&error, begun);
        while let RetryDecision::Ask(question) = next {
            next = question.await;
        }
        let wait = match (next, &error) {
            (RetryDecision::Done(value), _) => return Ok(value),
            (RetryDecision::GiveUp, _) | (RetryDecision::Default, RestError::Refused { .. }) => {
                failed.error = error;
                return Err(failed);
            }
            (RetryDecision::RepeatAfter(wait), _) => wait,
            (RetryDecision::Default | RetryDecision::Repeat, RestError::RateLimited { wait }) => *wait,
            (RetryDecision::Default | RetryDecision::Repeat | RetryDecision::Ask(_), _) => {
                let wait = pause;
                pause = (pause * 2).min(policy.longest_pause);
                wait
            }
        };
        let is_last = attempt == policy.attempts || wait >= policy.time_left();
        // To the millisecond, in seconds as in every other line.
        let seconds = (wait.as_secs_f64() * 1000.0).round() / 1000.0;
        failed.error = error;
        let error = &failed.error;
        if is_last {
            debug!(call = name, attempt, %error, "call to Discord failed, giving up: the next attempt would come too late or be one too many");
            return Err(failed);
        }
        if policy.warn {
            warn!(call = name, attempt, %error, "call to Discord failed, retrying in {seconds} s");
        } else {
            debug!(call = name, attempt, %error, "call to Discord failed, retrying in {seconds} s");
        }
        tokio::time::sleep(wait).await;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use serde_json::json;

    const SHORT: RetryPolicy = RetryPolicy {
        timeout: Duration::from_secs(5),
        deadline: None,
        attempts: 3,
        first_pause: Duration::from_millis(1),
        longest_pause: Duration::from_millis(1),
        warn: false,
    };

    fn refused(code: i64) -> RestError {
        RestError::Refused { status: 400, code, message: String::from("no") }
    }

    fn unreachable() -> RestError {
        RestError::Unreachable(String::from("no route"))
    }

    /// Runs the loop against these errors, and success after them; returns the result and the number of attempts.
    async fn run(
        errors: &[RestError],
        policy: RetryPolicy,
        decide: impl FnMut(&RestError, Instant) -> RetryDecision<'static>,
    ) -> (Result<Value, CallFailed>, usize) {
        let mut sent = 0;
        let send = |_| {
            sent += 1;
            std::future::ready(errors.get(sent - 1).cloned().map_or(Ok(json!("done")), Err))
        };
        let result = repeat(send, "test", policy, decide).await;
        (result, sent)
    }

    #[tokio::test]
    async fn a_call_is_repeated_until_it_succeeds() {
        let wait = Duration::from_millis(1);
        let (result, sent) =
            run(&[unreachable(), RestError::RateLimited { wait }], SHORT, |_, _| RetryDecision::Default).await;
        assert_eq!((result.ok(), sent), (Some(json!("done")), 3));
    }

    #[tokio::test]
    async fn a_rejection_is_final_unless_the_caller_knows_better() {
        let (result, sent) = run(&[refused(7)], SHORT, |_, _| RetryDecision::Default).await;
        assert_eq!((result.err().map(|failed| failed.error), sent), (Some(refused(7)), 1));
        let (result, sent) = run(&[refused(7)], SHORT, |_, _| RetryDecision::Repeat).await;
        assert_eq!((result.is_ok(), sent), (true, 2));
    }

    #[tokio::test]
    async fn a_call_that_may_have_taken_effect_once_stays_unclear() {
        let unclear = RestError::Unclear(String::from("cut"));
        let (result, sent) = run(&[unclear, refused(7)], SHORT, |_, _| RetryDecision::Default).await;
        assert_eq!((result.err().map(|failed| (failed.error, failed.unclear)), sent), (Some((refused(7), true)), 2));
    }

    #[tokio::test]
    async fn the_caller_is_told_when_the_failed_attempt_began_and_not_the_first() {
        let wait = Duration::from_millis(20);
        let mut begun = Vec::new();
        let decide = |_: &RestError, at: Instant| {
            begun.push(at);
            RetryDecision::Default
        };
        let (result, _) = run(&[RestError::RateLimited { wait }, unreachable()], SHORT, decide).await;
        assert!(result.is_ok() && begun[1] - begun[0] >= wait);
    }

    #[tokio::test]
    async fn attempts_and_time_are_limited() {
        let (result, sent) =
            run(&[unreachable(), unreachable(), unreachable()], SHORT, |_, _| RetryDecision::Default).await;
        assert_eq!((result.err().map(|failed| failed.unclear), sent), (Some(false), 3));
        let over = RetryPolicy { deadline: Some(Instant::now()), ..SHORT };
        let (result, sent) = run(&[], over, |_, _| RetryDecision::Default).await;
        assert!(result.is_err() && sent == 0);
    }

    #[tokio::test]
    async fn a_wait_after_which_no_attempt_can_follow_is_not_waited_for() {
        let limited = |wait| [RestError::RateLimited { wait }];
        let minute = Duration::from_secs(60);
        let in_a_minute = || RetryPolicy { deadline: Some(Instant::now() + minute), ..SHORT };
        let errors = limited(minute);
        // The call itself is over at once, so the loop ends at its first poll unless it waits.
        let call = run(&errors, in_a_minute(), |_, _| RetryDecision::Default);
        let (result, sent) = tokio::time::timeout(Duration::ZERO, call).await.unwrap();
        assert_eq!((result.err().map(|failed| failed.error), sent), (Some(errors[0].clone()), 1));
        let call = run(&errors, RetryPolicy { attempts: 1, ..in_a_minute() }, |_, _| RetryDecision::Repeat);
        assert!(tokio::time::timeout(Duration::ZERO, call).await.is_ok(), "the same if no attempt is left");
        let errors = limited(Duration::from_millis(1));
        let (result, sent) = run(&errors, in_a_minute(), |_, _| RetryDecision::Default).await;
        assert_eq!((result.is_ok(), sent), (true, 2), "there is time for another one");
    }

    #[tokio::test]
    async fn the_caller_can_find_the_result_by_other_means() {
        let unclear = RestError::Unclear(String::from("cut"));
        let look =
            |_: &RestError, _: Instant| RetryDecision::Ask(Box::pin(async { RetryDecision::Done(json!("found")) }));
        let (result, sent) = run(&[unclear], SHORT, look).await;
        assert_eq!((result.ok(), sent), (Some(json!("found")), 1));
    }
}
