//! Challenges, and what has to be known about players before they play.

use super::Store;
use super::error::StoreError;
use super::query::{Listing, Query};
use super::row::{RowReader, stored, stored_place};
use super::session::Session;
use super::sql;
use crate::game::challenge::{Acceptance, ChallengeContext};
use crate::game::{Challenge, ChallengeId, ChallengeState, Place, PlayerId, Proposal, SidePreference, Timestamp};
use rusqlite::Connection;

impl Session<'_> {
    /// Gives a challenge, whatever has become of it.
    pub fn challenge(&self, id: ChallengeId) -> Result<Option<Challenge>, StoreError> {
        let db = self.db()?;
        CHALLENGES.one(db, sql::CHALLENGE, [stored(id.0)])
    }

    /// Lists the challenges that can be answered: those to a player, those by him, and those to anybody in a channel
    /// and its threads, except where one has blocked the other.
    pub fn open_challenges(
        &self,
        player: PlayerId,
        beside: Option<Place>,
        now: Timestamp,
    ) -> Result<Listing<Challenge>, StoreError> {
        let id = stored(player.0);
        let db = self.db()?;
        let mut challenges = CHALLENGES.list(db, sql::CHALLENGES_TO, (id, now.0))?;
        challenges.join(CHALLENGES.list(db, sql::CHALLENGES_BY, (id, now.0))?);
        if let Some(place) = beside {
            let (server, channel, _) = stored_place(place);
            let asked = (server, now.0, id, channel);
            challenges.join(CHALLENGES.list(db, sql::CHALLENGES_TO_ALL, asked)?);
        }
        Ok(challenges)
    }

    /// Lists every challenge that was made by a player or to him, whatever has become of it.
    pub fn challenges_of(&self, player: PlayerId) -> Result<Listing<Challenge>, StoreError> {
        let db = self.db()?;
        CHALLENGES.list(db, sql::CHALLENGES_OF, [stored(player.0)])
    }

    /// Counts the challenges that wait for a player's answer.
    pub fn count_challenges_to(&self, player: PlayerId, now: Timestamp) -> Result<usize, StoreError> {
        let asked = (stored(player.0), now.0);
        let db = self.db()?;
        Ok(db.prepare_cached(sql::COUNT_CHALLENGES_TO)?.query_row(asked, |row| row.get(0))?)
    }

    /// Gives what has to be known before a challenge is made, except whether the opponent is a bot.
    pub fn challenge_context(&self, proposal: &Proposal, now: Timestamp) -> Result<ChallengeContext, StoreError> {
        let db = self.db()?;
        challenge_context(db, proposal, now)
    }

    /// Gives what has to be known before a challenge or a rematch is accepted.
    pub fn acceptance(&self, you: PlayerId, them: PlayerId) -> Result<Acceptance, StoreError> {
        let db = self.db()?;
        acceptance(db, you, them)
    }

    /// Gives the challenges whose time is up, those that have waited longest first.
    pub fn due_challenges(&self, now: Timestamp, limit: u32) -> Result<Vec<ChallengeId>, StoreError> {
        let db = self.db()?;
        let mut due = db.prepare_cached(sql::DUE_CHALLENGES)?;
        let due = due.query_map((now.0, limit), |row| row.get(0).map(|id: i64| ChallengeId(id.cast_unsigned())))?;
        Ok(due.collect::<Result<_, _>>()?)
    }
}

impl Store {
    /// Closes a challenge whose time is up, even if nothing else of it makes sense.
    pub fn expire_challenge(&self, id: ChallengeId) -> Result<(), StoreError> {
        self.keep(move |db| {
            db.prepare_cached(sql::EXPIRE_CHALLENGE)?.execute([stored(id.0)])?;
            Ok(())
        })
    }
}

/// How challenges are read.
pub(super) const CHALLENGES: Query<Challenge> = Query { table: "challenges", read: challenge };

fn challenge(cells: &RowReader<'_>) -> Result<Challenge, StoreError> {
    let (variant, layout) = cells.variant()?;
    let proposal = Proposal {
        challenger: cells.player("challenger")?,
        opponent: cells.maybe_player("opponent")?,
        variant,
        layout,
        side: cells.named("side", &SidePreference::ALL, SidePreference::id)?,
        pace: cells.pace()?,
        place: cells.place()?,
    };
    let state = cells.named("state", &ChallengeState::ALL, ChallengeState::id)?;
    Ok(Challenge { id: ChallengeId(cells.id), proposal, made: cells.moment("made")?, state })
}

pub(super) fn challenge_context(
    db: &Connection,
    proposal: &Proposal,
    now: Timestamp,
) -> Result<ChallengeContext, StoreError> {
    let id = stored(proposal.challenger.0);
    let mut challenge_context = ChallengeContext {
        open_challenges: db.prepare_cached(sql::COUNT_CHALLENGES)?.query_row((id, now.0), |row| row.get(0))?,
        running_games: count_running(db, proposal.challenger)?,
        ..ChallengeContext::default()
    };
    if let Some(opponent) = proposal.opponent {
        let asked = (id, stored(opponent.0), proposal.variant.id, now.0);
        challenge_context.blocked = either_blocked(db, proposal.challenger, opponent)?;
        challenge_context.same_challenge =
            db.prepare_cached(sql::SAME_CHALLENGE)?.query_row(asked, |row| row.get(0))?;
    }
    Ok(challenge_context)
}

pub(super) fn acceptance(db: &Connection, you: PlayerId, them: PlayerId) -> Result<Acceptance, StoreError> {
    Ok(Acceptance {
        blocked: either_blocked(db, you, them)?,
        your_games: count_running(db, you)?,
        their_games: count_running(db, them)?,
    })
}

fn count_running(db: &Connection, player: PlayerId) -> Result<u32, StoreError> {
    Ok(db.prepare_cached(sql::COUNT_RUNNING)?.query_row([stored(player.0)], |row| row.get(0))?)
}

fn either_blocked(db: &Connection, one: PlayerId, other: PlayerId) -> Result<bool, StoreError> {
    let asked = (stored(one.0), stored(other.0));
    Ok(db.prepare_cached(sql::EITHER_BLOCKED)?.query_row(asked, |row| row.get(0))?)
}
