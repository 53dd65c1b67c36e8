//! Commits: a decision is written completely or not at all.

use super::Store;
use super::challenges::{acceptance_context, challenge_context};
use super::error::{CommitError, StoreError};
use super::outbox::{OutboxId, OutboxMessage, Revision, body_json, is_handled, messages_before, revision_of};
use super::places::relocate;
use super::players::{ensure_player, write_name};
use super::query::{execute, maybe_scalar};
use super::sql;
use crate::game::{
    Challenge, ChallengeId, ChallengeMessage, Change, Clock, ClockChange, Game, GameId, GameTerms, Offers, OutboxBody,
    Place, PlayerId, Players, Proposal, Subject, Timestamp,
};
use crate::rules::Side;
use rusqlite::{Connection, OptionalExtension};

/// The id of a request: on Discord, that of the interaction. Discord may deliver one twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RequestId(pub u64);

/// A decision to write: all of it, or nothing.
#[derive(Clone, Debug)]
pub struct Commit {
    /// The request that asked for it. If the request comes again, it is answered with the commit's first message.
    pub request: Option<RequestId>,
    /// What is written, in this order.
    pub effects: Vec<Effect>,
    /// When it happened.
    pub now: Timestamp,
}

/// One part of a decision.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Adds a challenge; stale if it is not allowed any more.
    AddChallenge(Proposal),
    /// Writes the state of a challenge; stale unless it is open in the file.
    CloseChallenge(Challenge),
    /// Writes nothing; stale if these two may not begin a game with each other any more.
    CheckMayPlay(Players),
    /// Adds a game.
    BeginGame(GameTerms),
    /// Writes what a change did to its game; stale unless the version is one more than in the file, and the clock in
    /// the file is the one that the change relies on. If only the clock changes, writes only the clock; stale unless
    /// the version is the same as in the file. If the game goes on in another place, so do its unsent messages, which
    /// are due at once. If a rematch begins, the posts about the game become stale.
    ChangeGame(Box<Change>),
    /// Writes the name of a player.
    SetName { player: PlayerId, name: String },
    /// Adds a message to the outbox.
    AddMessage {
        body: NewBody,
        /// Where it is to be posted.
        place: Place,
        /// Whom it pings.
        ping: Option<PlayerId>,
    },
}

impl From<Change> for Effect {
    fn from(change: Change) -> Self {
        Self::ChangeGame(Box::new(change))
    }
}

/// What a new message says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NewBody {
    /// Something about a game or challenge that exists.
    Known(OutboxBody),
    /// The game of this commit begins.
    GameBegan,
    /// The challenge of this commit was made.
    ChallengeMade,
}

/// What a commit has added.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Committed {
    /// The game that has begun.
    pub game: Option<GameId>,
    /// The challenge that was made.
    pub challenge: Option<ChallengeId>,
    /// The messages, in their order.
    pub messages: Vec<PendingMessage>,
}

/// A message that was just added to the outbox.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PendingMessage {
    pub id: OutboxId,
    pub subject: Subject,
    /// The revision of its game or challenge after the commit; `None` if that cannot be read.
    pub revision: Option<Revision>,
    /// Undelivered earlier messages about the same game. They have to be delivered first.
    pub earlier: Vec<OutboxMessage>,
}

impl Store {
    /// Writes a decision, and returns once it is on the disk.
    ///
    /// # Errors
    /// [`CommitError::Stale`] if what the decision relies on has changed since, [`CommitError::Repeated`] if the same
    /// request was handled before. After every error, nothing of the decision is written.
    pub fn commit(&self, commit: Commit) -> Result<Committed, CommitError> {
        let Commit { request, effects, now } = commit;
        let records = effects.iter().filter_map(|effect| match effect {
            Effect::ChangeGame(change) => Some((change.game.id, change.game.version, change.game.record.clone())),
            _ => None,
        });
        let records: Vec<_> = records.collect();
        let committed = self.writer()?.run(move |db| {
            if request.map_or(Ok(false), |request| is_handled(db, request))? {
                return Err(CommitError::Repeated);
            }
            let mut committed = Committed::default();
            for effect in &effects {
                write(db, effect, request, now, &mut committed)?;
            }
            if let Some(request) = request {
                let answer = committed.messages.first().map(|message| message.id);
                execute(db, sql::ADD_REQUEST, (request, answer, now))?;
            }
            Ok(committed)
        })?;
        if let Some(cache) = &self.inner.cache {
            records.into_iter().for_each(|(game, version, record)| cache.insert(game, version, record));
        }
        Ok(committed)
    }
}

fn write(
    db: &Connection,
    effect: &Effect,
    request: Option<RequestId>,
    now: Timestamp,
    committed: &mut Committed,
) -> Result<(), CommitError> {
    match effect {
        Effect::AddChallenge(proposal) => {
            proposal.check_allowed(&challenge_context(db, proposal, now)?).map_err(|_| CommitError::Stale)?;
            committed.challenge = Some(add_challenge(db, proposal, now)?);
        }
        Effect::CheckMayPlay(players) => {
            let acceptance = acceptance_context(db, players.attackers, players.defenders)?;
            acceptance.check_allowed().map_err(|_| CommitError::Stale)?;
        }
        Effect::CloseChallenge(challenge) => {
            if execute(db, sql::CLOSE_CHALLENGE, (challenge.id, challenge.state.id()))? == 0 {
                return Err(CommitError::Stale);
            }
            execute(db, sql::MARK_CHALLENGE_POSTS_STALE, [challenge.id])?;
        }
        Effect::BeginGame(terms) => committed.game = Some(begin(db, terms, now)?),
        Effect::ChangeGame(change) => write_change(db, change)?,
        Effect::SetName { player, name } => write_name(db, *player, name)?,
        Effect::AddMessage { body, place, ping } => {
            let body = body.resolve(committed)?;
            let message = add_message(db, &body, *place, *ping, request, now)?;
            committed.messages.push(message);
        }
    }
    Ok(())
}

impl NewBody {
    /// Returns the body with the id of its game or challenge.
    fn resolve(&self, committed: &Committed) -> Result<OutboxBody, StoreError> {
        let body = match self {
            Self::Known(body) => Some(body.clone()),
            Self::GameBegan => committed.game.map(OutboxBody::began),
            Self::ChallengeMade => committed.challenge.map(|id| OutboxBody::Challenge(id, ChallengeMessage::Made)),
        };
        body.ok_or_else(|| {
            StoreError::Refused(String::from("a message about a game or challenge that is not made before it"))
        })
    }
}

fn add_message(
    db: &Connection,
    body: &OutboxBody,
    place: Place,
    ping: Option<PlayerId>,
    request: Option<RequestId>,
    now: Timestamp,
) -> Result<PendingMessage, StoreError> {
    let Place { server, channel, thread } = place;
    let subject = body.subject();
    let (json, reminds) = (body_json(body)?, body.reminded_player());
    let values = (subject.game(), subject.challenge(), server, channel, thread, json, reminds, ping, now, request);
    execute(db, sql::ADD_MESSAGE, values)?;
    let id = OutboxId(db.last_insert_rowid().cast_unsigned());
    Ok(PendingMessage { id, subject, revision: revision_of(db, subject)?, earlier: messages_before(db, id)? })
}

fn begin(db: &Connection, terms: &GameTerms, now: Timestamp) -> Result<GameId, StoreError> {
    let (record, clock) = (terms.record()?, Clock::start(terms.pace, now));
    let GameTerms { variant, layout, rules, players, pace, place } = terms;
    let Players { attackers, defenders } = *players;
    let Place { server, channel, thread } = *place;
    ensure_player(db, attackers)?;
    ensure_player(db, defenders)?;
    let values = (
        variant.id,
        layout.id,
        ruleset(db, &json(rules)?, layout.start_position)?,
        attackers,
        defenders,
        pace.days(),
        server,
        channel,
        thread,
        now,
        record.rulebook().write_position(record.position()),
        record.position().to_move().id(),
        clock.deadline,
        clock.next_due(),
    );
    execute(db, sql::ADD_GAME, values)?;
    Ok(GameId(db.last_insert_rowid().cast_unsigned()))
}

fn add_challenge(db: &Connection, proposal: &Proposal, made: Timestamp) -> Result<ChallengeId, StoreError> {
    let Proposal { challenger, opponent, variant, layout, side, pace, place } = *proposal;
    let Place { server, channel, thread } = place;
    ensure_player(db, challenger)?;
    if let Some(opponent) = opponent {
        ensure_player(db, opponent)?;
    }
    let values = (
        challenger,
        opponent,
        variant.id,
        layout.id,
        side.id(),
        pace.days(),
        server,
        channel,
        thread,
        made,
        made + Challenge::LIFE,
    );
    execute(db, sql::ADD_CHALLENGE, values)?;
    Ok(ChallengeId(db.last_insert_rowid().cast_unsigned()))
}

/// Returns the id of some rules and their first position; adds them if they are new.
fn ruleset(db: &Connection, rules: &str, start: &str) -> Result<i64, StoreError> {
    if let Some(id) = maybe_scalar(db, sql::FIND_RULESET, [rules, start])? {
        return Ok(id);
    }
    execute(db, sql::ADD_RULESET, [rules, start])?;
    Ok(db.last_insert_rowid())
}

/// The stored values of a game that a change is checked against.
struct StoredGame {
    version: u64,
    plies: usize,
    /// `None` if the game has ended.
    wake_at: Option<Timestamp>,
    deadline: Timestamp,
    reminded: bool,
    flagged: Option<Timestamp>,
}

impl StoredGame {
    fn has_clock(&self, clock: &Clock) -> bool {
        (self.deadline, self.reminded, self.flagged) == (clock.deadline, clock.reminded, clock.flagged)
    }
}

fn update_clock(db: &Connection, game: &Game, before: &Clock) -> Result<(), CommitError> {
    let stored = stored_game(db, game.id)?;
    if stored.version != game.version || stored.wake_at.is_none() || !stored.has_clock(before) {
        return Err(CommitError::Stale);
    }
    Ok(set_clock(db, game.id, &game.clock)?)
}

fn write_change(db: &Connection, change: &Change) -> Result<(), CommitError> {
    let Change { game, rematch, relocated, .. } = change;
    match change.clock {
        ClockChange::Untouched => update(db, game, None, false)?,
        ClockChange::ReliesOn(clock) => update(db, game, Some(clock), false)?,
        ClockChange::Replaces(clock) => update(db, game, Some(clock), true)?,
        ClockChange::ReplacesOnly(clock) => update_clock(db, game, &clock)?,
    }
    if *relocated {
        relocate(db, game.id, game.terms.place)?;
    }
    if rematch.is_some() {
        execute(db, sql::MARK_GAME_POSTS_STALE, [game.id])?;
    }
    Ok(())
}

/// Writes a game except for its place; stale unless the clock in the file is the one that was relied on.
fn update(db: &Connection, game: &Game, relied_on: Option<Clock>, sets_clock: bool) -> Result<(), CommitError> {
    let id = game.id;
    let before = stored_game(db, id)?;
    if Some(game.version) != before.version.checked_add(1) {
        return Err(CommitError::Stale);
    }
    if relied_on.is_some_and(|clock| !before.has_clock(&clock)) {
        return Err(CommitError::Stale);
    }
    let (plies, current) = (game.record.plies(), game.record.position());
    let (position, to_move) = (game.record.rulebook().write_position(current), current.to_move().id());
    let offers = if game.offers == Offers::default() { None } else { Some(json(&game.offers)?) };
    let values = (id, game.version, game.changed, plies.len(), position, to_move, offers, game.offers.rematched());
    execute(db, sql::UPDATE_GAME, values)?;
    // One change either adds moves or takes some back, so the number of plies says which rows differ.
    if plies.len() < before.plies {
        execute(db, sql::DELETE_MOVES, (id, plies.len()))?;
    }
    for (ply, played) in plies.iter().enumerate().skip(before.plies) {
        execute(db, sql::ADD_MOVE, (id, ply, played.to_string(), game.changed))?;
    }
    if sets_clock {
        set_clock(db, id, &game.clock)?;
    }
    match (game.result, before.wake_at) {
        (Some(result), Some(_)) => {
            let winner = result.winner().map(Side::id);
            execute(db, sql::END_GAME, (id, winner, result.ending(), game.changed))?;
        }
        // A wake time that is too early does no harm, one that is too late does.
        (None, Some(wake_at)) if sets_clock && game.clock.next_due() < wake_at => {
            execute(db, sql::SET_WAKE_TIME, (id, game.clock.next_due()))?;
        }
        (None, None) => return Err(StoreError::Refused(format!("game {id} is over")).into()),
        // The game goes on with its wake time, or it had ended before.
        (None, Some(_)) | (Some(_), None) => {}
    }
    Ok(())
}

/// Writes the clock of a game. The wake time may stay: if it is too early, it is corrected when the clock is checked.
fn set_clock(db: &Connection, game: GameId, clock: &Clock) -> Result<(), StoreError> {
    execute(db, sql::SET_CLOCK, (game, clock.deadline, clock.reminded, clock.flagged)).map(drop)
}

fn stored_game(db: &Connection, id: GameId) -> Result<StoredGame, StoreError> {
    let found = db.prepare_cached(sql::STORED_GAME)?.query_row([id], |row| {
        Ok(StoredGame {
            version: row.get(0)?,
            plies: row.get(1)?,
            wake_at: row.get(2)?,
            deadline: row.get(3)?,
            reminded: row.get(4)?,
            flagged: row.get(5)?,
        })
    });
    found.optional()?.ok_or_else(|| StoreError::Refused(format!("there is no game {id}")))
}

/// Returns a value as JSON.
pub(super) fn json(value: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Refused(error.to_string()))
}
