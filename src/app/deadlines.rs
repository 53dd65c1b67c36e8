//! What happens without a request when a deadline passes: reminders, lost games, expired challenges.

use super::App;
use super::commit::{closing_effects, effects_with_message};
use crate::game::{ChallengeId, Change, Game, GameEvent, GameId, PlaceLogFields, PlayerId, Seconds, Timestamp};
use crate::store::{PendingMessage, StoreError};
use tracing::{debug, error, info};

/// How many rows are read at once.
const BATCH: u32 = 100;

impl App {
    /// Does what is due in games and challenges. Nobody is flagged before `grace_ends`. Returns the messages to deliver.
    ///
    /// # Errors
    /// Fails if the store does.
    pub fn handle_due(&self, grace_ends: Timestamp) -> Result<Vec<PendingMessage>, StoreError> {
        let now = self.now();
        let mut messages = Vec::new();
        let due_games = || self.store.session()?.due_games(now, BATCH);
        in_batches(due_games, &mut messages, |game| tick_game(self, game, now, grace_ends))?;
        let due_challenges = || self.store.session()?.due_challenges(now, BATCH);
        in_batches(due_challenges, &mut messages, |challenge| expire_challenge(self, challenge, now))?;
        self.store.correct_message_times(now)?;
        Ok(messages)
    }
}

/// Handles everything that is due, a batch at a time, and collects the messages about it. Stops at a full batch that
/// stays due after it was handled; the next call tries it again.
fn in_batches<T: Copy + PartialEq>(
    due: impl Fn() -> Result<Vec<T>, StoreError>,
    messages: &mut Vec<PendingMessage>,
    handle: impl Fn(T) -> Result<Vec<PendingMessage>, StoreError>,
) -> Result<(), StoreError> {
    let mut previous = Vec::new();
    loop {
        let batch = due()?;
        if batch == previous {
            return Ok(());
        }
        for item in &batch {
            messages.extend(handle(*item)?);
        }
        if batch.len() < BATCH as usize {
            return Ok(());
        }
        previous = batch;
    }
}

/// Reminds or flags the player to move in one game, if that is due.
fn tick_game(app: &App, id: GameId, now: Timestamp, grace_ends: Timestamp) -> Result<Vec<PendingMessage>, StoreError> {
    let session = app.store.session()?;
    let game = match session.game(id) {
        Ok(Some(game)) => game,
        Ok(None) => return Ok(Vec::new()),
        // One unreadable game must not stop the clocks of the others.
        Err(error @ StoreError::BadRow(_)) => {
            error!(game = id.0, %error, "game cannot be read, checking its clock again in a day; run `ratatosk check`");
            app.store.set_wake_time(id, now + Seconds::days(1))?;
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    let is_gone = session.is_gone(game.terms.place)?;
    drop(session);
    if is_gone {
        restart_clock(app, &game)?;
        return Ok(Vec::new());
    }
    let Some(change) = game.tick(now, grace_ends) else {
        // The game was listed too early, or nobody is flagged before the grace period ends.
        let next = game.clock.next_due();
        let next = if next <= now { grace_ends.max(now + Seconds(60)) } else { next };
        app.store.set_wake_time(id, next)?;
        return Ok(Vec::new());
    };
    // If the decision is stale, a player has moved just now, and nothing is due any more.
    let notice = change.notice(None);
    let (ping, events, next_due) =
        (whom_to_ping(&change), GameEvent::summary(&change.events), change.game.clock.next_due());
    let Some(committed) = app.commit_without_request(effects_with_message(change, notice, ping))? else {
        return Ok(Vec::new());
    };
    let PlaceLogFields { server, channel } = game.terms.place.log_fields();
    let pings = ping.map(|player| player.0);
    info!(game = id.0, pings, server, channel, events, "a reminder or deadline of a game is due, posting about it");
    // A game that stayed due would keep later ones out of the batch.
    app.store.set_wake_time(id, next_due)?;
    Ok(committed.messages)
}

/// Returns the player who is pinged about a change that a deadline caused.
fn whom_to_ping(change: &Change) -> Option<PlayerId> {
    let players = change.game.terms.players;
    change.events.iter().find_map(|event| match event {
        GameEvent::Reminder { player, .. } => Some(*player),
        // The player who did not move in time knows; the other one has waited.
        GameEvent::TimeUp { .. } | GameEvent::Ended { .. } => {
            Some(players.of(change.game.record.position().to_move().opponent()))
        }
        GameEvent::Began
        | GameEvent::Moved { .. }
        | GameEvent::Offered { .. }
        | GameEvent::Declined { .. }
        | GameEvent::Withdrawn { .. }
        | GameEvent::TookBack { .. }
        | GameEvent::TimeGiven { .. } => None,
    })
}

/// Gives the player to move the full time again, because nobody can reach the game. Returns `false` if the game or its
/// clock has changed in the meantime.
pub(super) fn restart_clock(app: &App, game: &Game) -> Result<bool, StoreError> {
    let change = game.restart_clock(app.now());
    let next_due = change.game.clock.next_due();
    if app.commit_without_request(vec![change.into()])?.is_none() {
        return Ok(false);
    }
    let PlaceLogFields { server, channel } = game.terms.place.log_fields();
    debug!(game = game.id.0, server, channel, "clock restarted, because the game's place is gone");
    // A commit never makes its game due later, so the wake time is set here.
    app.store.set_wake_time(game.id, next_due)?;
    Ok(true)
}

fn expire_challenge(app: &App, id: ChallengeId, now: Timestamp) -> Result<Vec<PendingMessage>, StoreError> {
    let expired = match app.store.session()?.challenge(id) {
        Ok(challenge) => challenge.and_then(|challenge| challenge.tick(now)),
        // Nobody can be told about it, and the other challenges must still expire.
        Err(error @ StoreError::BadRow(_)) => {
            error!(challenge = id.0, %error, "unreadable challenge closed; `ratatosk check` names the fault");
            app.store.expire_challenge(id)?;
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    let Some(challenge) = expired else { return Ok(Vec::new()) };
    // If the decision is stale, the challenge has been answered just now.
    let committed = app.commit_without_request(closing_effects(challenge, challenge.proposal.place))?;
    let Some(committed) = committed else { return Ok(Vec::new()) };
    let PlaceLogFields { server, channel } = challenge.proposal.place.log_fields();
    info!(challenge = id.0, server, channel, "challenge expired");
    Ok(committed.messages)
}
