//! What is due without anybody asking: reminders, flags, expired challenges.

use super::App;
use super::notice::OutboxBody;
use super::play::{called_by_time, effects_of};
use crate::game::{Clock, Game, Seconds, Timestamp};
use crate::store::{About, Commit, CommitError, Effect, OutboxId, StoreError};
use tracing::info;

/// How many rows are looked at in one go.
const BATCH: u32 = 100;

impl App {
    /// Does what is due in games and challenges. Nobody is flagged before `grace_ends`.
    ///
    /// Gives the messages that are owed because of it.
    pub fn do_what_is_due(&self, grace_ends: Timestamp) -> Result<Vec<OutboxId>, StoreError> {
        let now = self.now();
        let (mut owed, mut seen) = (Vec::new(), Vec::new());
        loop {
            let due = self.store.due_games(now, BATCH)?;
            // What stays due although it was looked at is left for the next time.
            if due == seen {
                break;
            }
            for id in &due {
                let game = match self.store.game(*id) {
                    Ok(Some(game)) => game,
                    Ok(None) => continue,
                    // One game that cannot be read must not stop the clocks of the others; `check` names it.
                    Err(StoreError::BadRow(_)) => {
                        self.store.snooze(*id, now + Seconds::days(1))?;
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                if self.store.is_gone(game.start.place)? {
                    self.stop_clock(&game, now)?;
                    continue;
                }
                let Some(change) = game.tick(now, grace_ends) else {
                    // The alarm was only an early guess; or the grace after a restart holds it back.
                    let next = game.clock.next_due();
                    let next = if next <= now { grace_ends.max(now + Seconds(60)) } else { next };
                    self.store.snooze(*id, next)?;
                    continue;
                };
                let effects = effects_of(&change, called_by_time(&change));
                match self.store.commit(Commit { request: None, effects, now }) {
                    Ok(saved) => {
                        info!(game = id.0, server = game.start.place.server, news = ?change.news, "time brings something");
                        owed.extend(saved.owed);
                        // One that has rung and rings on would keep those behind it from being heard.
                        self.store.snooze(*id, change.game.clock.next_due())?;
                    }
                    // Somebody moved just now: then nothing is due any more.
                    Err(CommitError::Stale | CommitError::Repeated(_)) => {}
                    Err(CommitError::Store(error)) => return Err(error),
                }
            }
            if due.len() < BATCH as usize {
                break;
            }
            seen = due;
        }
        self.expire_challenges(now, &mut owed)?;
        self.store.recall_owed(now)?;
        Ok(owed)
    }

    /// Gives the player whose turn it is all of his time again, because nobody can reach the game.
    pub(super) fn stop_clock(&self, game: &Game, now: Timestamp) -> Result<(), StoreError> {
        let clock = Clock::start(game.start.pace, now);
        let next = clock.next_due();
        let effects = vec![Effect::Wind { game: game.id, version: game.version, clock }];
        match self.store.commit(Commit { request: None, effects, now }) {
            Ok(_) | Err(CommitError::Stale | CommitError::Repeated(_)) => {}
            Err(CommitError::Store(error)) => return Err(error),
        }
        // Saving only ever brings an alarm forward.
        self.store.snooze(game.id, next)
    }

    fn expire_challenges(&self, now: Timestamp, owed: &mut Vec<OutboxId>) -> Result<(), StoreError> {
        let mut seen = Vec::new();
        loop {
            let due = self.store.due_challenges(now, BATCH)?;
            if due == seen {
                return Ok(());
            }
            for id in &due {
                let expired = match self.store.challenge(*id) {
                    Ok(challenge) => challenge.and_then(|challenge| challenge.tick(now)),
                    // Nobody can be told, but it must not keep the others waiting; `check` names it.
                    Err(StoreError::BadRow(_)) => {
                        self.store.expire_challenge(*id)?;
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                let Some(challenge) = expired else { continue };
                let owe = Effect::Owe {
                    about: About::Challenge(challenge.id),
                    place: challenge.proposal.place,
                    news: OutboxBody::ChallengeClosed.write(),
                    call: Some(challenge.proposal.challenger),
                };
                let effects = vec![Effect::Answer { challenge }, owe];
                match self.store.commit(Commit { request: None, effects, now }) {
                    Ok(saved) => owed.extend(saved.owed),
                    Err(CommitError::Stale | CommitError::Repeated(_)) => {}
                    Err(CommitError::Store(error)) => return Err(error),
                }
            }
            if due.len() < BATCH as usize {
                return Ok(());
            }
            seen = due;
        }
    }
}
