//! Challenges, and what decides whether two players may begin a game.

use super::Store;
use super::error::StoreError;
use super::query::{Listing, TableReader, column, execute, scalar};
use super::row::RowReader;
use super::session::Session;
use super::sql;
use crate::game::challenge::{AcceptanceContext, ChallengeContext};
use crate::game::{Challenge, ChallengeId, ChallengeState, Place, PlayerId, Proposal, SidePreference, Timestamp};
use rusqlite::Connection;

impl Session<'_> {
    /// Returns a challenge in any state.
    pub fn challenge(&self, id: ChallengeId) -> Result<Option<Challenge>, StoreError> {
        CHALLENGES.one(&*self.db()?, sql::CHALLENGE, [id])
    }

    /// Lists the open challenges that concern a player: those to and by the player, and those to anybody in a channel and
    /// its threads, except where one of the two has blocked the other.
    pub fn open_challenges(
        &self,
        player: PlayerId,
        channel_of: Option<Place>,
        now: Timestamp,
    ) -> Result<Listing<Challenge>, StoreError> {
        let db = &*self.db()?;
        let mut challenges = CHALLENGES.list(db, sql::CHALLENGES_TO, (player, now))?;
        challenges.append(CHALLENGES.list(db, sql::CHALLENGES_BY, (player, now))?);
        if let Some(Place { server, channel, .. }) = channel_of {
            challenges.append(CHALLENGES.list(db, sql::CHALLENGES_TO_ANYBODY, (server, now, player, channel))?);
        }
        Ok(challenges)
    }

    /// Lists all challenges by or to a player, in any state.
    pub fn challenges_of(&self, player: PlayerId) -> Result<Listing<Challenge>, StoreError> {
        CHALLENGES.list(&*self.db()?, sql::CHALLENGES_OF, [player])
    }

    /// Counts the open challenges to a player.
    pub fn count_challenges_to(&self, player: PlayerId, now: Timestamp) -> Result<usize, StoreError> {
        scalar(&*self.db()?, sql::COUNT_CHALLENGES_TO, (player, now))
    }

    /// Returns what decides whether a challenge may be made, except whether the opponent is a bot.
    pub fn challenge_context(&self, proposal: &Proposal, now: Timestamp) -> Result<ChallengeContext, StoreError> {
        challenge_context(&*self.db()?, proposal, now)
    }

    /// Returns what decides whether a challenge or a rematch may be accepted.
    pub fn acceptance_context(&self, you: PlayerId, them: PlayerId) -> Result<AcceptanceContext, StoreError> {
        acceptance_context(&*self.db()?, you, them)
    }

    /// Returns the open challenges that have expired by now, the longest overdue first.
    pub fn due_challenges(&self, now: Timestamp, limit: u32) -> Result<Vec<ChallengeId>, StoreError> {
        column(&*self.db()?, sql::DUE_CHALLENGES, (now, limit))
    }
}

impl Store {
    /// Closes a challenge as expired, even if its row cannot be read.
    pub fn expire_challenge(&self, id: ChallengeId) -> Result<(), StoreError> {
        self.write(move |db| execute(db, sql::EXPIRE_CHALLENGE, [id]).map(drop))
    }
}

/// Reads challenges.
pub(super) const CHALLENGES: TableReader<Challenge> = TableReader { table: "challenges", read: challenge };

fn challenge(row: &RowReader<'_>) -> Result<Challenge, StoreError> {
    let (variant, layout) = row.variant()?;
    let proposal = Proposal {
        challenger: row.get("challenger")?,
        opponent: row.get("opponent")?,
        variant,
        layout,
        side: row.named("side", &SidePreference::ALL, SidePreference::id)?,
        pace: row.pace()?,
        place: row.place()?,
    };
    let state = row.named("state", &ChallengeState::ALL, ChallengeState::id)?;
    Ok(Challenge { id: ChallengeId(row.id), proposal, made: row.get("made")?, state })
}

pub(super) fn challenge_context(
    db: &Connection,
    proposal: &Proposal,
    now: Timestamp,
) -> Result<ChallengeContext, StoreError> {
    let Proposal { challenger, opponent, variant, .. } = *proposal;
    let mut context = ChallengeContext {
        open_challenges: scalar(db, sql::COUNT_CHALLENGES_BY, (challenger, now))?,
        running_games: count_running(db, challenger)?,
        ..ChallengeContext::default()
    };
    if let Some(opponent) = opponent {
        context.blocked = either_blocked(db, challenger, opponent)?;
        context.same_challenge = scalar(db, sql::SAME_CHALLENGE, (challenger, opponent, variant.id, now))?;
    }
    Ok(context)
}

pub(super) fn acceptance_context(
    db: &Connection,
    you: PlayerId,
    them: PlayerId,
) -> Result<AcceptanceContext, StoreError> {
    Ok(AcceptanceContext {
        blocked: either_blocked(db, you, them)?,
        your_games: count_running(db, you)?,
        their_games: count_running(db, them)?,
    })
}

fn count_running(db: &Connection, player: PlayerId) -> Result<u32, StoreError> {
    scalar(db, sql::COUNT_RUNNING, [player])
}

fn either_blocked(db: &Connection, one: PlayerId, other: PlayerId) -> Result<bool, StoreError> {
    scalar(db, sql::EITHER_BLOCKED, (one, other))
}
