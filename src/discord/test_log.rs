//! Runs code of a test at each line of the log.

use std::fmt::{Debug, Write};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use tracing::field::{Field, Visit};
use tracing::subscriber::{DefaultGuard, set_default};
use tracing::{Dispatch, Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// A second subscriber, which does nothing. While there is only one, tracing disables every line that another thread is
/// the first to log, for all threads.
static SECOND: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(tracing_subscriber::registry()));

struct OnLine<F>(F);

/// The message of an event, without its other fields.
#[derive(Default)]
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            let _ = write!(self.0, "{value:?}");
        }
    }
}

impl<S: Subscriber, F: Fn(&str) + 'static> Layer<S> for OnLine<F> {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut message = Message::default();
        event.record(&mut message);
        (self.0)(&message.0);
    }
}

/// Calls a function with the message of each event that this thread logs, until the guard is dropped.
pub(super) fn on_each_line(then: impl Fn(&str) + Send + Sync + 'static) -> DefaultGuard {
    LazyLock::force(&SECOND);
    set_default(tracing_subscriber::registry().with(OnLine(then)))
}

/// Collects the messages of the events that this thread logs, until the guard is dropped.
pub(super) fn collect_lines() -> (Arc<Mutex<Vec<String>>>, DefaultGuard) {
    let lines = Arc::<Mutex<Vec<String>>>::default();
    let collected = Arc::clone(&lines);
    let logging = on_each_line(move |line| {
        collected.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_owned());
    });
    (lines, logging)
}
