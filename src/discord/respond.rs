//! A request is answered: decided and painted on a thread that may wait, then sent within Discord's three seconds.

use super::Bot;
use super::followup::{FollowupPost, LOOKING, ONE_LOOK};
use super::interaction::{Incoming, IncomingKind, InteractionHandle, Source};
use super::message::{OutgoingMessage, cut};
use super::outbox::claims::PostedMessage;
use super::rest::client::{Attachment, NOT_TAKEN, RestError, id};
use crate::app::{Answer, Audience, Command, GameCommand, Reply, Request};
use crate::store::{OutboxId, RequestId, StoreError};
use crate::text::{answers, settings};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};
use tracing::{debug, error, warn};

/// Discord waits three seconds for the first answer; a little of that is on the way.
const IN_TIME: Duration = Duration::from_millis(2_900);
/// After so long Discord takes no first answer any more, not even one that it has had in its hands for a while.
const OVER: Duration = Duration::from_secs(4);
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// Returns how much longer a response may take. This is zero, but for tests: they run debug builds on machines that may be
/// busy with something else, against a fake Discord that waits for longer than three seconds.
fn extra_time() -> Duration {
    static EXTRA: LazyLock<Duration> = LazyLock::new(|| {
        let seconds = std::env::var("TEST_EXTRA_RESPONSE_SECONDS").ok().filter(|_| cfg!(debug_assertions));
        Duration::from_secs(seconds.and_then(|seconds| seconds.parse().ok()).unwrap_or(0))
    });
    *EXTRA
}

/// The longest that a suggestion can be.
const LONGEST_SUGGESTION: usize = 100;

/// Somebody has answered this interaction already.
const ANSWERED: i64 = 40060;

/// An answer that is ready to be sent.
struct PreparedResponse {
    body: Value,
    files: Vec<Attachment>,
    /// What is sent instead if Discord does not take that.
    plain: Value,
    /// The owed message that this is, and whether it has buttons.
    owed: Option<(OutboxId, bool)>,
    /// The owed messages that are to be posted besides.
    elsewhere: Vec<OutboxId>,
    /// The owed message that has to be posted before those.
    ahead: Option<OutboxId>,
    /// The owed message that follows.
    follower: Option<FollowupPost>,
    /// What is said after the answer.
    afterwards: Vec<Value>,
}

/// What became of an answer.
enum SendOutcome {
    Delivered(Option<u64>),
    /// The one who asked got a plain word instead.
    Replaced,
    Lost,
    /// It may have arrived: nobody could find out.
    Unknown,
}

impl Bot {
    /// Answers one interaction.
    pub(super) async fn answer(self: &Arc<Self>, heard: Incoming, arrived: Instant) {
        let ticket = heard.ticket.clone();
        let channel = heard.place.thread.unwrap_or(heard.place.channel);
        if heard.rights.see {
            self.sees_again(channel);
        }
        let bot = Arc::clone(self);
        let prepared = tokio::task::spawn_blocking(move || bot.prepare(heard)).await;
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(broken) => {
                // Otherwise the program ends before it was begun, and whoever asked has to ask again.
                if broken.is_panic() {
                    error!(request = ticket.id, "a request broke off; nothing is answered");
                }
                return;
            }
        };
        let follower = prepared.follower.as_ref();
        let owed = prepared.owed.map(|(owed, _)| owed).or(follower.map(|follower| follower.owed));
        // From here on the outbox leaves the message alone until its fate is known.
        let held = owed.map(|owed| self.outbox.hold(owed));
        let watched = prepared.ahead.or(prepared.elsewhere.first().copied()).map(|owed| self.outbox.watch(owed));
        prepared.elsewhere.iter().for_each(|owed| self.outbox.release(*owed));
        let fate = self.send(&ticket, &prepared, arrived).await;
        self.metrics.answered(arrived.elapsed());
        debug!(request = ticket.id, ms = arrived.elapsed().as_millis(), "answered");
        if let Some((owed, has_buttons)) = prepared.owed {
            match fate {
                SendOutcome::Delivered(message) => {
                    let standing = PostedMessage { channel, message, has_buttons, apart: false };
                    self.settle_answer(owed, standing).await;
                }
                SendOutcome::Unknown => {
                    self.outbox.note_a_try(owed);
                    self.outbox.release(owed);
                }
                SendOutcome::Replaced | SendOutcome::Lost => self.outbox.release(owed),
            }
        }
        if let Some(follower) = follower {
            match fate {
                SendOutcome::Delivered(_) | SendOutcome::Replaced => self.follow_up(&ticket, follower).await,
                SendOutcome::Unknown | SendOutcome::Lost => self.outbox.release(follower.owed),
            }
        }
        drop(held);
        if matches!(fate, SendOutcome::Delivered(_)) {
            self.say_more(&ticket, &prepared.afterwards).await;
            if let Some(watched) = watched {
                let bot = Arc::clone(self);
                // The request is answered: nothing waits for what may come of it.
                tokio::spawn(async move { bot.tell_what_became(&ticket, &prepared.body, watched).await });
            }
        }
    }

    /// Notes that an answer was the message that is owed.
    pub(super) async fn settle_answer(self: &Arc<Self>, owed: OutboxId, standing: PostedMessage) {
        if let Err(problem) = self.settle(owed, standing).await {
            error!(owed = owed.0, %problem, "a message stands but could not be noted; that is done later");
        }
    }

    /// Decides and paints; this waits for the disk.
    fn prepare(&self, heard: Incoming) -> PreparedResponse {
        let Incoming { ticket, person, place, rights, source, what } = heard;
        let suggest = |choices: Vec<Value>| json!({ "type": 8, "data": { "choices": choices } });
        let command = match what {
            IncomingKind::TypingInVain => return PreparedResponse::of(suggest(Vec::new())),
            IncomingKind::Typing(typed) => {
                let typing = typed.by(&person, place);
                let suggestions = self.app.complete(&typing, &self.markup).unwrap_or_else(|problem| {
                    error!(%problem, "nothing can be suggested");
                    Vec::new()
                });
                let choices = suggestions.iter().map(|suggestion| {
                    let name = cut(&suggestion.label, LONGEST_SUGGESTION);
                    json!({ "name": name, "value": cut(&suggestion.value, LONGEST_SUGGESTION) })
                });
                return PreparedResponse {
                    plain: suggest(Vec::new()),
                    ..PreparedResponse::of(suggest(choices.collect()))
                };
            }
            IncomingKind::Nonsense(words) => return PreparedResponse::of(OutgoingMessage::words(&words).answer()),
            IncomingKind::Command(command) => command,
        };
        let request = Request { id: Some(RequestId(ticket.id)), person, place, rights, command };
        match self.app.handle(&request, &self.markup) {
            Ok(reply) => self.wrap(reply, source, &request),
            Err(problem) => {
                error!(request = ticket.id, %problem, "a request failed");
                // It may have been saved, and only what is shown could not be read.
                let done = self.app.store().done(RequestId(ticket.id)).map(|done| done.is_some());
                let words = answers::error(ticket.id, store_is_full(&problem), done.ok());
                PreparedResponse::of(OutgoingMessage::words(&words).answer())
            }
        }
    }

    fn wrap(&self, mut reply: Reply, source: Source, request: &Request) -> PreparedResponse {
        let Request { rights, place, .. } = request;
        let writes = rights.see && if place.thread.is_some() { rights.post_in_threads } else { rights.post };
        let board = reply.owed.filter(|_| reply.audience == Audience::Public);
        if let Some(owed) = board.filter(|_| source == Source::PrivateMessage) {
            // The private message closes. An answer to a private message would leave it open; a new post calls, too.
            let plain = OutgoingMessage::words(&answers::not_taken(true)).answer();
            let closed = PreparedResponse {
                plain,
                ..PreparedResponse::of(OutgoingMessage::words(&closing(&request.command)).update())
            };
            if writes {
                return PreparedResponse { elsewhere: vec![owed], ahead: self.stuck_before(owed), ..closed };
            }
            let outgoing = OutgoingMessage::write(&reply, &self.renderer, *rights);
            let (body, has_buttons) = (outgoing.json(), outgoing.has_buttons());
            let channel = place.thread.unwrap_or(place.channel);
            let mut afterwards = outgoing.more(false);
            afterwards.push(OutgoingMessage::words(&settings::cannot_post_here()).aside());
            let can_be_found = rights.see && rights.read_history && !outgoing.files.is_empty();
            let follower = FollowupPost { owed, channel, body, files: outgoing.files, has_buttons, can_be_found };
            return PreparedResponse { follower: Some(follower), afterwards, ..closed };
        }
        let next = board.filter(|_| writes).or(reply.elsewhere.first().copied());
        let ahead = next.and_then(|owed| self.stuck_before(owed));
        if ahead.is_some() && board.is_some() {
            reply = Reply { owed: None, elsewhere: Vec::from_iter(board), ..reply.for_one_player() };
            reply.text = format!("{}\n{}", reply.text, answers::all_see_it_soon());
        }
        let private = reply.audience == Audience::Private;
        let outgoing = OutgoingMessage::write(&reply, &self.renderer, *rights);
        // Who looks the rules up wants to have the board back.
        let looks_up =
            matches!(request.command, Command::Rules { .. } | Command::InGame { game_command: GameCommand::Rules, .. });
        let replaces = source == Source::PrivateMessage && private && !looks_up;
        let body = if replaces { outgoing.update() } else { outgoing.answer() };
        let owed = reply.owed.map(|owed| (owed, outgoing.has_buttons()));
        let mut afterwards = outgoing.more(replaces);
        // An answer is always possible, but what comes without being asked for is not.
        if owed.is_some() && !private && !writes {
            afterwards.push(OutgoingMessage::words(&settings::cannot_post_here()).aside());
        }
        let done = owed.is_some() || !reply.elsewhere.is_empty();
        let plain = OutgoingMessage::words(&answers::not_taken(done)).answer();
        PreparedResponse {
            body,
            files: outgoing.files,
            plain,
            owed,
            elsewhere: reply.elsewhere,
            ahead,
            follower: None,
            afterwards,
        }
    }

    /// Gives the earlier message about the same game that still waits to be posted, and has it hurry up: boards of one
    /// game are to appear in order.
    fn stuck_before(&self, owed: OutboxId) -> Option<OutboxId> {
        let store = self.app.store();
        let before = store.owed_before(owed).unwrap_or_default();
        let stuck = before.iter().find(|earlier| self.outbox.is_stuck(earlier, self.app.now()))?;
        before.iter().for_each(|earlier| self.outbox.rouse(earlier.id));
        if let Err(problem) = store.hurry(owed) {
            error!(owed = owed.0, %problem, "what is owed cannot be hurried up");
        }
        before.iter().for_each(|earlier| self.outbox.rouse(earlier.id));
        Some(stuck.id)
    }

    /// Sends an answer, again if need be, and finds out whether it arrived.
    async fn send(&self, ticket: &InteractionHandle, prepared: &PreparedResponse, arrived: Instant) -> SendOutcome {
        let path = format!("/interactions/{}/{}/callback?with_response=true", ticket.id, ticket.token);
        let (mut unclear, mut plain, mut pause) = (false, false, FIRST_PAUSE);
        loop {
            let left = (IN_TIME + extra_time()).saturating_sub(arrived.elapsed());
            if left.is_zero() {
                break;
            }
            let (body, files) =
                if plain { (&prepared.plain, &[][..]) } else { (&prepared.body, prepared.files.as_slice()) };
            let error = match self.rest.call(Method::POST, &path, Some(body), files, left).await {
                Ok(_) if plain => return SendOutcome::Replaced,
                Ok(answer) => return SendOutcome::Delivered(id(&answer["resource"]["message"])),
                Err(error) => error,
            };
            match &error {
                RestError::Refused { code: ANSWERED, .. } => {
                    unclear = true;
                    break;
                }
                RestError::Refused { status, .. } if NOT_TAKEN.contains(status) && !plain => {
                    warn!(request = ticket.id, %error, "an answer was refused; a plain one is sent");
                    plain = true;
                    continue;
                }
                RestError::Refused { .. } => {
                    warn!(request = ticket.id, %error, "an answer was refused");
                    break;
                }
                RestError::TooFast { wait } => tokio::time::sleep((*wait).min(left)).await,
                RestError::NotReached(_) => tokio::time::sleep(pause.min(left)).await,
                RestError::Unclear(_) => {
                    unclear = true;
                    tokio::time::sleep(pause.min(left)).await;
                }
            }
            pause *= 2;
            debug!(request = ticket.id, %error, "an answer is sent again");
        }
        // An answer that nobody is owed need not be looked for.
        let awaited = prepared.owed.is_some() || prepared.follower.is_some();
        if unclear && !plain && awaited { self.look(ticket, arrived).await } else { SendOutcome::Lost }
    }

    /// Looks whether an answer has arrived.
    async fn look(&self, ticket: &InteractionHandle, arrived: Instant) -> SendOutcome {
        let began = Instant::now();
        let path = format!("/webhooks/{}/{}/messages/@original", ticket.application, ticket.token);
        while began.elapsed() < LOOKING {
            match self.rest.get(&path, ONE_LOOK).await {
                Ok(message) => return SendOutcome::Delivered(id(&message)),
                Err(RestError::Refused { .. }) if arrived.elapsed() >= OVER => return SendOutcome::Lost,
                // It is not there, but Discord may still be at it.
                Err(RestError::Refused { .. }) => tokio::time::sleep(OVER.saturating_sub(arrived.elapsed())).await,
                Err(RestError::TooFast { wait }) => tokio::time::sleep(wait.min(LOOKING)).await,
                Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
            }
        }
        warn!(request = ticket.id, "it stays unknown whether an answer arrived; it will be posted if it is not found");
        SendOutcome::Unknown
    }
}

impl PreparedResponse {
    fn of(body: Value) -> Self {
        let plain = OutgoingMessage::words(&answers::not_taken(false)).answer();
        Self {
            body,
            files: Vec::new(),
            plain,
            owed: None,
            elsewhere: Vec::new(),
            ahead: None,
            follower: None,
            afterwards: Vec::new(),
        }
    }
}

/// Says what was done, in place of the menu with which it was chosen.
fn closing(command: &Command) -> String {
    match command {
        Command::InGame { game_command: GameCommand::Move { typed, .. }, .. } => answers::played(typed),
        Command::Answer { answer: Answer::Decline | Answer::Withdraw, .. } => answers::told_below(),
        _ => answers::see_the_post(),
    }
}

const fn store_is_full(problem: &StoreError) -> bool {
    matches!(problem, StoreError::Full(_))
}
