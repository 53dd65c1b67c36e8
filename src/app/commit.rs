//! Commits, and what happens when another request was quicker or one comes twice. The only place in `app` that
//! handles [`CommitError::Stale`] and [`CommitError::Repeated`].

use super::reply::Reply;
use super::{App, Ctx};
use crate::game::{
    Challenge, ChallengeMessage, ChallengeState, Change, GameMessage, GameNotice, OutboxBody, Place, PlayerId,
};
use crate::store::{Commit, CommitError, Committed, Effect, NewBody, Store, StoreError};
use crate::text::refusals;

/// How many times a request is tried before the player is told that the game has changed.
const ATTEMPTS: usize = 2;

/// Handles a request, and starts over once if its decision was stale. If the request is a repetition, the second
/// attempt finds the first one in the store and says that it was done already.
pub(super) fn retry(mut attempt: impl FnMut() -> Result<Reply, CommitError>) -> Result<Reply, StoreError> {
    for _ in 0..ATTEMPTS {
        match attempt() {
            Ok(reply) => return Ok(reply),
            Err(CommitError::Stale | CommitError::Repeated) => {}
            Err(CommitError::Store(error)) => return Err(error),
        }
    }
    Ok(Reply::private(refusals::changed_meanwhile()))
}

impl Ctx<'_> {
    /// Writes what the request decided, with the player's name if it is a new one.
    pub(super) fn commit(&self, mut effects: Vec<Effect>) -> Result<Committed, CommitError> {
        let person = &self.request.person;
        if self.session.name_of(person.id)?.as_deref() != Some(&person.name) {
            effects.push(Effect::SetName { player: person.id, name: person.name.clone() });
        }
        // Read what the reply needs now, because the commit ends the snapshot: none stays open while it waits for the
        // disk.
        self.server_settings(self.request.place)?;
        for effect in &effects {
            if let Effect::AddMessage { place, .. } = effect
                && *place != self.request.place
            {
                self.server_settings(*place)?;
                self.player_settings()?;
            }
        }
        self.writable_store().commit(Commit { request: self.request.id, effects, now: self.now })
    }

    /// Ends the snapshot and returns the store for a write. An open snapshot would keep the write-ahead log growing.
    pub(super) fn writable_store(&self) -> &Store {
        self.session.end_snapshot();
        &self.app.store
    }
}

impl App {
    /// Decides and writes without a request, and starts over once if the decision was stale. Returns `None` if there is
    /// nothing to decide, or the second decision was stale, too.
    pub(super) fn retry_without_request(
        &self,
        mut decide: impl FnMut() -> Result<Option<Vec<Effect>>, StoreError>,
    ) -> Result<Option<Committed>, StoreError> {
        for _ in 0..ATTEMPTS {
            let Some(effects) = decide()? else { break };
            let committed = self.commit_without_request(effects)?;
            if committed.is_some() {
                return Ok(committed);
            }
        }
        Ok(None)
    }

    /// Writes a decision that no request asked for; returns `None` if it was stale.
    pub(super) fn commit_without_request(&self, effects: Vec<Effect>) -> Result<Option<Committed>, StoreError> {
        match self.store.commit(Commit { request: None, effects, now: self.now() }) {
            Ok(committed) => Ok(Some(committed)),
            Err(CommitError::Stale | CommitError::Repeated) => Ok(None),
            Err(CommitError::Store(error)) => Err(error),
        }
    }
}

/// Returns what to commit for a change: the change itself, and the message about it.
pub(super) fn effects_with_message(change: Change, notice: GameNotice, ping: Option<PlayerId>) -> Vec<Effect> {
    let (game, place) = (change.game.id, change.game.terms.place);
    let body = NewBody::Known(OutboxBody::Game(game, GameMessage::Notice(notice)));
    vec![change.into(), Effect::AddMessage { body, place, ping }]
}

/// Returns what to commit for a challenge that was declined or withdrawn or has expired.
pub(super) fn closing_effects(closed: Challenge, place: Place) -> Vec<Effect> {
    // A player who withdraws a challenge need not be told.
    let ping = (closed.state != ChallengeState::Withdrawn).then_some(closed.proposal.challenger);
    let body = NewBody::Known(OutboxBody::Challenge(closed.id, ChallengeMessage::Closed));
    vec![Effect::CloseChallenge(closed), Effect::AddMessage { body, place, ping }]
}
