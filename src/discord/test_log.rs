//! Runs code of a test at each line of the log.

use std::fmt::{Debug, Write};
use std::sync::Once;
use tracing::field::{Field, Visit};
use tracing::subscriber::{DefaultGuard, set_default, set_global_default};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

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
    static GLOBAL: Once = Once::new();
    // While there is only one subscriber, tracing decides for good whether a line is of interest on the thread that is
    // the first to log it. Without a global one, a test on another thread would switch off lines that this test needs.
    GLOBAL.call_once(|| {
        let _ = set_global_default(tracing_subscriber::registry());
    });
    set_default(tracing_subscriber::registry().with(OnLine(then)))
}
