//! Decides a request and composes its answer. This waits for the disk and draws boards, so it runs on a thread that may
//! block.

use super::app_handle::AppHandle;
use super::followup::FollowupPost;
use super::interaction::{Incoming, IncomingKind, Source, TypedOption};
use super::markup::DiscordMarkupFactory;
use super::message::{Composer, OutgoingMessage, cut};
use super::outbox::claims::Claims;
use super::rest::Attachment;
use crate::app::{Answer, Audience, ChallengeAnswer, Command, GameCommand, Handover, Person, Post, Reply, Request};
use crate::game::{BotPermissions, Place, PlaceLogFields, Subject};
use crate::store::{OutboxId, PendingMessage, RequestId, StoreError};
use crate::text::{delivery, refusals};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tracing::error;

const MAX_SUGGESTION: usize = 100;

/// An answer that is ready to be sent.
pub(super) struct PreparedAnswer {
    pub(super) body: Value,
    pub(super) files: Vec<Attachment>,
    /// What is sent instead if Discord refuses the content.
    pub(super) fallback: Fallback,
    /// The outbox message that is sent with the answer.
    pub(super) carried: Option<Carried>,
    /// Outbox messages that the worker posts.
    pub(super) for_worker: Vec<OutboxId>,
    /// An earlier, delayed message of the game, which the worker posts first.
    pub(super) delayed: Option<OutboxId>,
    /// More text after the answer.
    pub(super) further: Vec<Value>,
}

/// An outbox message that is sent with an answer.
pub(super) enum Carried {
    /// As the answer itself.
    Answer { outbox_id: OutboxId, subject: Subject, has_buttons: bool },
    /// Right after it.
    Followup(FollowupPost),
}

impl Carried {
    pub(super) const fn outbox_id(&self) -> OutboxId {
        match self {
            Self::Answer { outbox_id, .. } => *outbox_id,
            Self::Followup(followup) => followup.outbox_id,
        }
    }

    const fn subject(&self) -> Subject {
        match self {
            Self::Answer { subject, .. } => *subject,
            Self::Followup(followup) => followup.subject,
        }
    }
}

/// What is sent if Discord refuses the content of an answer.
#[derive(Clone, Copy)]
pub(super) enum Fallback {
    NoSuggestions,
    /// Says that the answer could not be shown, and whether the request was saved.
    Apology {
        saved: bool,
    },
}

impl Fallback {
    pub(super) fn body(self) -> Value {
        match self {
            Self::NoSuggestions => suggestions(&[]),
            Self::Apology { saved } => private_answer(&delivery::answer_not_accepted(saved)),
        }
    }
}

impl PreparedAnswer {
    fn new(body: Value) -> Self {
        Self {
            body,
            files: Vec::new(),
            fallback: Fallback::Apology { saved: false },
            carried: None,
            for_worker: Vec::new(),
            delayed: None,
            further: Vec::new(),
        }
    }

    fn private_text(text: &str) -> Self {
        Self::new(private_answer(text))
    }

    fn suggestions(choices: &[Value]) -> Self {
        Self { fallback: Fallback::NoSuggestions, ..Self::new(suggestions(choices)) }
    }

    /// Returns the game or the challenge of its outbox message, for the log.
    pub(super) fn subject_ids(&self) -> (Option<u64>, Option<u64>) {
        self.carried.as_ref().map(|carried| carried.subject().log_ids()).unwrap_or_default()
    }

    /// Returns the outbox message that is sent with it.
    pub(super) fn claimed(&self) -> Option<OutboxId> {
        self.carried.as_ref().map(Carried::outbox_id)
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
    pub(super) fn prepare(&self, incoming: Incoming) -> PreparedAnswer {
        let (request, completes) = (incoming.interaction.id, incoming.kind.is_autocomplete());
        let (player, PlaceLogFields { server, channel }) = (incoming.person.id.0, incoming.place.log_fields());
        // Nothing is left half done: what was committed stays, and locks in the bot survive a panic.
        catch_unwind(AssertUnwindSafe(|| self.decide(incoming))).unwrap_or_else(|_| {
            error!(request = request.0, player, server, channel, "request panicked, apologising to the player");
            if completes { PreparedAnswer::suggestions(&[]) } else { self.apologise(request, None) }
        })
    }

    fn decide(&self, incoming: Incoming) -> PreparedAnswer {
        let Incoming { interaction, person, place, permissions, source, kind } = incoming;
        let command = match kind {
            IncomingKind::EmptyAutocomplete => return PreparedAnswer::suggestions(&[]),
            IncomingKind::Autocomplete(typed) => return self.complete(interaction.id, &typed, &person, place),
            IncomingKind::Rejected(text) => return PreparedAnswer::private_text(&text),
            IncomingKind::Command(command) => command,
        };
        let id = interaction.id;
        let request = Request { id: Some(id), person, place, permissions, command };
        match self.app.report_if_final(self.app.app().handle(&request, &DiscordMarkupFactory)) {
            Ok(reply) => self.compose(reply, source, &request),
            Err(error) => {
                log_failed_request(&request, &error);
                self.apologise(id, Some(&error))
            }
        }
    }

    /// Returns the apology for a request that failed or panicked. It says whether the request was saved before that, and
    /// does not ask to try again what can never work.
    fn apologise(&self, request: RequestId, error: Option<&StoreError>) -> PreparedAnswer {
        let session = self.app.app().store().session();
        let done = session.and_then(|session| session.handled_request(request)).map(|handled| handled.is_some());
        PreparedAnswer::private_text(&match error {
            Some(StoreError::BadRow(bad)) if done == Ok(false) => refusals::unreadable(bad.game(), bad.challenge()),
            _ => refusals::internal_error(request.0, matches!(error, Some(StoreError::Full(_))), done.ok()),
        })
    }

    fn complete(&self, request: RequestId, typed: &TypedOption, person: &Person, place: Place) -> PreparedAnswer {
        let query = typed.query(person, place);
        let found = self.app.report_if_final(self.app.app().autocomplete(&query, &DiscordMarkupFactory));
        let suggestions = found.unwrap_or_else(|error| {
            let (player, PlaceLogFields { server, channel }) = (person.id.0, place.log_fields());
            error!(request = request.0, player, server, channel, %error, "autocompletion failed, suggesting nothing");
            Vec::new()
        });
        let choices = suggestions.iter().map(|suggestion| {
            let name = cut(&suggestion.label, MAX_SUGGESTION);
            json!({ "name": name, "value": cut(&suggestion.value, MAX_SUGGESTION) })
        });
        PreparedAnswer::suggestions(&choices.collect::<Vec<_>>())
    }

    fn compose(&self, reply: Reply, source: Source, request: &Request) -> PreparedAnswer {
        match reply {
            Reply::Answer(answer) => {
                let delayed = answer.handovers.first().and_then(|handover| self.delayed_before(&handover.pending));
                self.compose_answer(answer, source, request, delayed)
            }
            Reply::Post(post) => match &post.pending {
                Some(_) if source == Source::PrivateMessage => self.close_private_message(post, request),
                Some(pending)
                    if request.bot_may_post()
                        && let Some(delayed) = self.delayed_before(pending) =>
                {
                    let mut answer = post.for_one_player();
                    let text = &mut answer.content.text;
                    *text = format!("{text}\n{}", delivery::posted_after_earlier_board());
                    self.compose_answer(answer, source, request, Some(delayed))
                }
                _ => self.compose_post(post, request),
            },
        }
    }

    fn compose_answer(
        &self,
        answer: Answer,
        source: Source,
        request: &Request,
        delayed: Option<OutboxId>,
    ) -> PreparedAnswer {
        let private = answer.audience == Audience::Private;
        let message = self.composer.answer(&answer, request.permissions);
        // Rules do not replace the message with the board: the player goes back to it.
        let shows_rules =
            matches!(request.command, Command::Rules { .. } | Command::InGame { game_command: GameCommand::Rules, .. });
        let updates = source == Source::PrivateMessage && private && !shows_rules;
        let fallback = Fallback::Apology { saved: !answer.handovers.is_empty() };
        PreparedAnswer {
            further: message.further_messages(updates),
            for_worker: self.compose_for_worker(answer.handovers),
            files: message.files.clone(),
            fallback,
            delayed,
            ..PreparedAnswer::new(if updates { message.update() } else { message.answer() })
        }
    }

    fn compose_post(&self, post: Post, request: &Request) -> PreparedAnswer {
        let message = self.composer.post(&post, request.permissions);
        let carried = post.pending.as_ref().map(|pending| {
            let (outbox_id, subject, has_buttons) = (pending.id, pending.subject, message.has_buttons());
            Carried::Answer { outbox_id, subject, has_buttons }
        });
        let mut further = message.further_messages(false);
        // Answering is always allowed, but posting later is not.
        if carried.is_some() && !request.bot_may_post() {
            further.push(private_followup(&delivery::cannot_post_here()));
        }
        let fallback = Fallback::Apology { saved: carried.is_some() };
        let body = message.answer();
        let for_worker = self.compose_for_worker(post.handovers);
        let answer = PreparedAnswer::new(body);
        PreparedAnswer { files: message.files, carried, for_worker, further, fallback, ..answer }
    }

    /// Composes the finished posts for the outbox worker; returns the ids of all messages.
    fn compose_for_worker(&self, handovers: Vec<Handover>) -> Vec<OutboxId> {
        let compose = |handover: Handover| {
            let Handover { pending, post } = handover;
            let (outbox_id, revision) = (pending.id, pending.revision);
            if let (Some(post), Some(revision)) = (post, revision) {
                let post = Post { pending: Some(pending), ..*post };
                self.claims.keep_composed(outbox_id, revision, self.composer.post(&post, BotPermissions::ALL));
            }
            outbox_id
        };
        handovers.into_iter().map(compose).collect()
    }

    /// Answers a click in a private message with a public post: the private message is replaced by a short text, and the
    /// post is a message of its own. Answering with the post would leave the private message open and notify nobody.
    fn close_private_message(&self, post: Post, request: &Request) -> PreparedAnswer {
        let text = OutgoingMessage::private_text(&closing_text(&request.command));
        let fallback = Fallback::Apology { saved: true };
        let closed = PreparedAnswer { fallback, ..PreparedAnswer::new(text.update()) };
        let Some(pending) = &post.pending else { return closed };
        if request.bot_may_post() {
            let delayed = self.delayed_before(pending);
            return PreparedAnswer { for_worker: self.compose_for_worker(post.into_handovers()), delayed, ..closed };
        }
        let (place, permissions) = (request.place, request.permissions);
        let message = self.composer.post(&post, permissions);
        let mut further = message.further_messages(false);
        further.push(private_followup(&delivery::cannot_post_here()));
        let followup = FollowupPost {
            outbox_id: pending.id,
            subject: pending.subject,
            channel: place.thread_or_channel(),
            body: message.json(),
            has_buttons: message.has_buttons(),
            can_be_found: permissions.see && permissions.read_history && !message.files.is_empty(),
            files: message.files,
        };
        let for_worker = self.compose_for_worker(post.handovers);
        PreparedAnswer { carried: Some(Carried::Followup(followup)), for_worker, further, ..closed }
    }

    /// Returns an earlier message about the same game that is delayed, and makes all earlier ones due: the boards of a
    /// game appear in order.
    fn delayed_before(&self, pending: &PendingMessage) -> Option<OutboxId> {
        let (app, earlier) = (self.app.app(), &pending.earlier);
        let delayed = earlier.iter().find(|message| self.claims.is_delayed(message, app.now()))?;
        if let Err(error) = self.app.report_if_final(app.store().expedite(pending.id)) {
            let game = pending.subject.game().map(|game| game.0);
            error!(outbox = pending.id.0, game, %error, "earlier messages of the game cannot be made due, they are posted when their pause is over");
        }
        earlier.iter().for_each(|message| self.claims.end_back_off(message.id));
        Some(delayed.id)
    }
}

fn suggestions(choices: &[Value]) -> Value {
    json!({ "type": 8, "data": { "choices": choices } })
}

pub(super) fn private_answer(text: &str) -> Value {
    OutgoingMessage::private_text(text).answer()
}

fn private_followup(text: &str) -> Value {
    OutgoingMessage::private_text(text).json_with_flags()
}

/// Returns the text that replaces the menu in which a command was chosen.
fn closing_text(command: &Command) -> String {
    match command {
        Command::InGame { game_command: GameCommand::Move { typed, .. }, .. } => delivery::played(typed),
        Command::AnswerChallenge { answer: ChallengeAnswer::Decline | ChallengeAnswer::Withdraw, .. } => {
            delivery::announced_below()
        }
        _ => delivery::board_follows(),
    }
}

/// Logs why a request failed, where, and what to do about it.
fn log_failed_request(request: &Request, error: &StoreError) {
    let (id, player) = (request.id.map(|id| id.0), request.person.id.0);
    let PlaceLogFields { server, channel } = request.place.log_fields();
    if let StoreError::BadRow(bad) = error {
        let (game, challenge) = (bad.game().map(|game| game.0), bad.challenge().map(|challenge| challenge.0));
        error!(request = id, game, challenge, player, server, channel, %error, "request failed, telling the player that the row cannot be read; run `ratatosk check`");
    } else {
        error!(request = id, player, server, channel, %error, "request failed, apologising to the player");
    }
}

#[cfg(test)]
mod tests;
