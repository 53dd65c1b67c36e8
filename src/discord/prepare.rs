//! Decides a request and composes its answer. This waits for the disk and paints, so it runs on a thread that may block.

use super::app_handle::AppHandle;
use super::followup::FollowupPost;
use super::interaction::{Incoming, IncomingKind, Source, TypedOption};
use super::message::{Composer, OutgoingMessage, cut};
use super::outbox::claims::Claims;
use super::rest::Attachment;
use crate::app::{Answer, Audience, Command, GameCommand, Person, Reply, Request};
use crate::game::Place;
use crate::store::{OutboxId, RequestId, StoreError};
use crate::text::{answers, settings};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tracing::error;

const LONGEST_SUGGESTION: usize = 100;

/// An answer that is ready to be sent.
pub(super) struct PreparedResponse {
    pub(super) body: Value,
    pub(super) files: Vec<Attachment>,
    /// Sent instead if Discord refuses the content.
    pub(super) fallback: Value,
    /// The outbox message that the answer itself is, and whether it has buttons.
    pub(super) answers: Option<(OutboxId, bool)>,
    /// Outbox messages that the worker posts.
    pub(super) elsewhere: Vec<OutboxId>,
    /// A delayed message that has to be posted before those.
    pub(super) delayed: Option<OutboxId>,
    /// The outbox message that is sent after the answer.
    pub(super) followup: Option<FollowupPost>,
    /// More text after the answer.
    pub(super) further: Vec<Value>,
}

impl PreparedResponse {
    fn new(body: Value) -> Self {
        Self {
            body,
            files: Vec::new(),
            fallback: private_answer(&answers::not_taken(false)),
            answers: None,
            elsewhere: Vec::new(),
            delayed: None,
            followup: None,
            further: Vec::new(),
        }
    }

    fn private_text(text: &str) -> Self {
        Self::new(private_answer(text))
    }

    fn suggestions(choices: &[Value]) -> Self {
        let body = |choices: &[Value]| json!({ "type": 8, "data": { "choices": choices } });
        Self { fallback: body(&[]), ..Self::new(body(choices)) }
    }

    /// Returns the outbox message that is sent as the answer or right after it.
    pub(super) fn claimed(&self) -> Option<OutboxId> {
        let followup = self.followup.as_ref().map(|followup| followup.outbox_id);
        self.answers.map(|(outbox_id, _)| outbox_id).or(followup)
    }
}

/// Prepares answers.
pub(super) struct Preparer {
    app: AppHandle,
    composer: Arc<Composer>,
    claims: Arc<Claims>,
}

impl Preparer {
    pub(super) const fn new(app: AppHandle, composer: Arc<Composer>, claims: Arc<Claims>) -> Self {
        Self { app, composer, claims }
    }

    /// Prepares the answer to an interaction; an apology if that panics.
    pub(super) fn prepare(&self, incoming: Incoming) -> PreparedResponse {
        let (request, completes) = (RequestId(incoming.interaction.id), incoming.kind.is_autocomplete());
        // Nothing is left half done: what was committed stays, and locks in the bot survive a panic.
        catch_unwind(AssertUnwindSafe(|| self.decide(incoming))).unwrap_or_else(|_| {
            error!(request = request.0, "deciding or painting panicked, apologising to the player");
            if completes { PreparedResponse::suggestions(&[]) } else { self.apologise(request, false) }
        })
    }

    fn decide(&self, incoming: Incoming) -> PreparedResponse {
        let Incoming { interaction, person, place, permissions, source, kind } = incoming;
        let command = match kind {
            IncomingKind::EmptyAutocomplete => return PreparedResponse::suggestions(&[]),
            IncomingKind::Autocomplete(typed) => return self.complete(&typed, &person, place),
            IncomingKind::Rejected(text) => return PreparedResponse::private_text(&text),
            IncomingKind::Command(command) => command,
        };
        let id = RequestId(interaction.id);
        let request = Request { id: Some(id), person, place, rights: permissions, command };
        match self.app.check(self.app.app().handle(&request, &self.composer.markup)) {
            Ok(reply) => self.compose(reply, source, &request),
            Err(error) => {
                error!(request = id.0, player = request.person.id.0, %error, "request failed, apologising to the player");
                self.apologise(id, matches!(error, StoreError::Full(_)))
            }
        }
    }

    /// Returns the apology for a request that failed. It may have been saved before, and the apology says so.
    fn apologise(&self, request: RequestId, disk_full: bool) -> PreparedResponse {
        let done = self.app.app().store().done(request).map(|done| done.is_some());
        PreparedResponse::private_text(&answers::error(request.0, disk_full, done.ok()))
    }

    fn complete(&self, typed: &TypedOption, person: &Person, place: Place) -> PreparedResponse {
        let query = typed.query(person, place);
        let found = self.app.check(self.app.app().complete(&query, &self.composer.markup));
        let suggestions = found.unwrap_or_else(|error| {
            error!(player = person.id.0, %error, "autocompletion failed, suggesting nothing");
            Vec::new()
        });
        let choices = suggestions.iter().map(|suggestion| {
            let name = cut(&suggestion.label, LONGEST_SUGGESTION);
            json!({ "name": name, "value": cut(&suggestion.value, LONGEST_SUGGESTION) })
        });
        PreparedResponse::suggestions(&choices.collect::<Vec<_>>())
    }

    fn compose(&self, mut reply: Reply, source: Source, request: &Request) -> PreparedResponse {
        let public = reply.owed.filter(|_| reply.audience == Audience::Public);
        if let Some(outbox_id) = public.filter(|_| source == Source::PrivateMessage) {
            return self.close_private_message(&reply, outbox_id, request);
        }
        let may_post = request.bot_may_post();
        let next = public.filter(|_| may_post).or(reply.elsewhere.first().copied());
        let delayed = next.and_then(|outbox_id| self.delayed_before(outbox_id));
        if delayed.is_some() && public.is_some() {
            reply = Reply { owed: None, elsewhere: Vec::from_iter(public), ..reply.for_one_player() };
            reply.text = format!("{}\n{}", reply.text, answers::all_see_it_soon());
        }
        let private = reply.audience == Audience::Private;
        let message = self.composer.compose(&reply, request.rights);
        // Rules do not replace the message with the board: the player goes back to it.
        let shows_rules =
            matches!(request.command, Command::Rules { .. } | Command::InGame { game_command: GameCommand::Rules, .. });
        let updates = source == Source::PrivateMessage && private && !shows_rules;
        let body = if updates { message.update() } else { message.answer() };
        let answers = reply.owed.map(|outbox_id| (outbox_id, message.has_buttons()));
        let mut further = message.further_messages(updates);
        // Answering is always allowed, but posting later is not.
        if answers.is_some() && !private && !may_post {
            further.push(private_followup(&settings::cannot_post_here()));
        }
        let done = answers.is_some() || !reply.elsewhere.is_empty();
        let fallback = private_answer(&answers::not_taken(done));
        PreparedResponse {
            body,
            files: message.files,
            fallback,
            answers,
            elsewhere: reply.elsewhere,
            delayed,
            followup: None,
            further,
        }
    }

    /// Answers a click in a private message with a public post: the private message is replaced by a short text, and the
    /// post is a message of its own. Answering with the post would leave the private message open and notify nobody.
    fn close_private_message(&self, reply: &Reply, outbox_id: OutboxId, request: &Request) -> PreparedResponse {
        let text = OutgoingMessage::private_text(&closing_text(&request.command));
        let fallback = private_answer(&answers::not_taken(true));
        let closed = PreparedResponse { fallback, ..PreparedResponse::new(text.update()) };
        if request.bot_may_post() {
            let delayed = self.delayed_before(outbox_id);
            return PreparedResponse { elsewhere: vec![outbox_id], delayed, ..closed };
        }
        let (place, permissions) = (request.place, request.rights);
        let message = self.composer.compose(reply, permissions);
        let mut further = message.further_messages(false);
        further.push(private_followup(&settings::cannot_post_here()));
        let followup = FollowupPost {
            outbox_id,
            channel: place.thread.unwrap_or(place.channel),
            body: message.json(),
            has_buttons: message.has_buttons(),
            can_be_found: permissions.see && permissions.read_history && !message.files.is_empty(),
            files: message.files,
        };
        PreparedResponse { followup: Some(followup), further, ..closed }
    }

    /// Returns an earlier message about the same game that is delayed, and makes all earlier ones due: the boards of a
    /// game appear in order.
    fn delayed_before(&self, outbox_id: OutboxId) -> Option<OutboxId> {
        let app = self.app.app();
        let earlier = self.app.check(app.store().owed_before(outbox_id)).unwrap_or_else(|error| {
            error!(outbox = outbox_id.0, %error, "earlier messages cannot be read, not waiting for them");
            Vec::new()
        });
        let delayed = earlier.iter().find(|message| self.claims.is_delayed(message, app.now()))?;
        if let Err(error) = self.app.check(app.store().hurry(outbox_id)) {
            error!(outbox = outbox_id.0, %error, "earlier messages cannot be made due, waiting for their pause");
        }
        earlier.iter().for_each(|message| self.claims.end_back_off(message.id));
        Some(delayed.id)
    }
}

fn private_answer(text: &str) -> Value {
    OutgoingMessage::private_text(text).answer()
}

fn private_followup(text: &str) -> Value {
    OutgoingMessage::private_text(text).private_followup()
}

/// Returns the text that replaces the menu in which a command was chosen.
fn closing_text(command: &Command) -> String {
    match command {
        Command::InGame { game_command: GameCommand::Move { typed, .. }, .. } => answers::played(typed),
        Command::Answer { answer: Answer::Decline | Answer::Withdraw, .. } => answers::told_below(),
        _ => answers::see_the_post(),
    }
}
