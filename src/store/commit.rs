//! One decision, written in one piece or not at all.

use super::Store;
use super::challenges::{acceptance, challenge_context};
use super::error::{CommitError, StoreError};
use super::outbox::{OutboxId, OutboxMessage, is_handled, messages_before};
use super::players::{mention, write_name};
use super::row::{stored, stored_place};
use super::sql;
use crate::game::{
    Challenge, ChallengeId, ChannelId, Clock, ClockChange, Game, GameId, Offers, OutboxBody, Place, PlayerId, Players,
    Proposal, ServerId, Start, Subject, Timestamp,
};
use crate::rules::Side;
use rusqlite::{Connection, OptionalExtension};

/// The id of a request: on Discord that of the interaction. The same one may be delivered twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RequestId(pub u64);

/// A decision to write: all of it, or nothing.
#[derive(Clone, Debug)]
pub struct Commit {
    /// The request that asked for it. Its first message tells what the request did, if the request comes again.
    pub request: Option<RequestId>,
    /// What is written.
    pub effects: Vec<Effect>,
    /// When it happened.
    pub now: Timestamp,
}

/// One part of a decision.
#[derive(Clone, Debug)]
pub enum Effect {
    /// Adds a challenge; stale if something forbids it by now.
    Challenge(Proposal),
    /// Sets the state of a challenge; stale unless it is still open in the file.
    Answer(Challenge),
    /// Writes nothing, but is stale if these two may not begin a game with each other by now.
    MayPlay(Players),
    /// Adds a game.
    Begin(Start),
    /// Writes a game; stale unless its version is one more than in the file and its clock is the one relied on.
    Update {
        /// The game.
        game: Box<Game>,
        /// What happens to its clock.
        clock: ClockChange,
    },
    /// Replaces the clock of a game and leaves its version alone; stale unless version and clock are those in the file.
    SetClock {
        /// The game.
        game: GameId,
        /// Its version.
        version: u64,
        /// Its clock before.
        before: Clock,
        /// Its clock afterwards.
        after: Clock,
    },
    /// Remembers what a player is called now.
    Name {
        /// The player.
        player: PlayerId,
        /// The name.
        name: String,
    },
    /// Adds a message to the outbox. Messages are written last, in their order.
    Post {
        /// What it is about.
        about: About,
        /// Where it is to be posted.
        place: Place,
        /// What it tells.
        body: OutboxBody,
        /// Whom it pings.
        ping: Option<PlayerId>,
    },
}

/// What a new message is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum About {
    /// Something that exists.
    Subject(Subject),
    /// The game that begins with this commit.
    NewGame,
    /// The challenge that is made with this commit.
    NewChallenge,
}

/// What came of a commit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Committed {
    /// The game that has begun.
    pub game: Option<GameId>,
    /// The challenge that was made.
    pub challenge: Option<ChallengeId>,
    /// The messages that are to be delivered now, in their order.
    pub messages: Vec<Pending>,
}

/// A message that was just added to the outbox.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pending {
    /// Its id.
    pub id: OutboxId,
    /// Earlier messages about the same game that are still to be delivered: boards of one game appear in order.
    pub earlier: Vec<OutboxMessage>,
}

impl Store {
    /// Writes a decision, and returns when it is on the disk.
    ///
    /// # Errors
    /// [`CommitError::Stale`] if the decision is about something that has changed since, [`CommitError::Repeated`] if
    /// the same request was handled before. Then, and if the file cannot be written, nothing of it is.
    pub fn commit(&self, commit: Commit) -> Result<Committed, CommitError> {
        // Everything that can be prepared is, because all writers wait for the one thread.
        let Commit { request, effects, now } = commit;
        let changed = effects.iter().filter_map(|effect| match effect {
            Effect::Update { game, .. } => Some((game.id, game.version, game.record.clone())),
            _ => None,
        });
        let changed: Vec<_> = changed.collect();
        let steps = effects.into_iter().map(|effect| Step::prepare(effect, now)).collect::<Result<Vec<_>, _>>()?;
        let committed = self.write(move |db| {
            if request.map_or(Ok(false), |request| is_handled(db, request))? {
                return Err(CommitError::Repeated);
            }
            let mut committed = Committed::default();
            for step in &steps {
                step.write(db, now, &mut committed)?;
            }
            close_rematched(db, &steps)?;
            for step in &steps {
                step.write_message(db, now, request, &mut committed)?;
            }
            if let Some(request) = request {
                let answer = committed.messages.first().map(|message| stored(message.id.0));
                db.prepare_cached(sql::REMEMBER_REQUEST)?.execute((stored(request.0), answer, now.0))?;
            }
            Ok(committed)
        })?;
        if let Some(cache) = &self.inner.cache {
            changed.into_iter().for_each(|(game, version, record)| cache.insert(game, version, record));
        }
        Ok(committed)
    }
}

/// An effect with everything prepared that needs no database.
enum Step {
    Challenge(Proposal),
    Answer(Challenge),
    MayPlay(Players),
    Begin { start: Start, rules: String, position: String, to_move: Side, clock: Clock },
    Update { game: Box<Game>, clock: ClockChange, position: String, offers: Option<String> },
    SetClock { game: GameId, version: u64, before: Clock, after: Clock },
    Name { player: PlayerId, name: String },
    Post { about: About, place: Place, body: String, reminds: Option<PlayerId>, ping: Option<PlayerId> },
}

impl Step {
    fn prepare(effect: Effect, now: Timestamp) -> Result<Self, StoreError> {
        Ok(match effect {
            Effect::Challenge(proposal) => Self::Challenge(proposal),
            Effect::Answer(challenge) => Self::Answer(challenge),
            Effect::MayPlay(players) => Self::MayPlay(players),
            Effect::Begin(start) => {
                let record = start.record()?;
                Self::Begin {
                    start,
                    rules: json(&start.rules)?,
                    position: record.book().write_position(record.position()),
                    to_move: record.position().to_move(),
                    clock: Clock::start(start.pace, now),
                }
            }
            Effect::Update { game, clock } => Self::Update {
                position: game.record.book().write_position(game.record.position()),
                offers: if game.offers == Offers::default() { None } else { Some(json(&game.offers)?) },
                game,
                clock,
            },
            Effect::SetClock { game, version, before, after } => Self::SetClock { game, version, before, after },
            Effect::Name { player, name } => Self::Name { player, name },
            Effect::Post { about, place, body, ping } => {
                Self::Post { about, place, reminds: body.reminded_player(), body: json(&body)?, ping }
            }
        })
    }

    fn write(&self, db: &Connection, now: Timestamp, committed: &mut Committed) -> Result<(), CommitError> {
        match self {
            Self::Challenge(proposal) => {
                proposal.check(&challenge_context(db, proposal, now)?).map_err(|_| CommitError::Stale)?;
                committed.challenge = Some(make_challenge(db, proposal, now)?);
            }
            Self::MayPlay(players) => {
                let acceptance = acceptance(db, players.attackers, players.defenders)?;
                acceptance.check().map_err(|_| CommitError::Stale)?;
            }
            Self::Answer(challenge) => {
                let answered = (stored(challenge.id.0), challenge.state.id());
                if db.prepare_cached(sql::ANSWER_CHALLENGE)?.execute(answered)? == 0 {
                    return Err(CommitError::Stale);
                }
                db.prepare_cached(sql::CHALLENGE_POSTS)?.execute([stored(challenge.id.0)])?;
            }
            Self::Begin { start, rules, position, to_move, clock } => {
                committed.game = Some(begin(db, start, rules, position, *to_move, clock, now)?);
            }
            Self::Update { game, clock, position, offers } => {
                update(db, game, *clock, position, offers.as_deref())?;
            }
            Self::SetClock { game, version, before, after } => {
                let stored = stored_game(db, *game)?;
                if stored.version != *version || stored.wake_at.is_none() || !stored.has_clock(before) {
                    return Err(CommitError::Stale);
                }
                set_clock(db, *game, after)?;
            }
            Self::Name { player, name } => write_name(db, *player, name)?,
            Self::Post { .. } => {}
        }
        Ok(())
    }

    fn write_message(
        &self,
        db: &Connection,
        now: Timestamp,
        request: Option<RequestId>,
        committed: &mut Committed,
    ) -> Result<(), StoreError> {
        let Self::Post { about, place, body, reminds, ping } = self else { return Ok(()) };
        let (game, challenge) = match *about {
            About::Subject(subject) => (subject.game(), subject.challenge()),
            About::NewGame => (committed.game, None),
            About::NewChallenge => (None, committed.challenge),
        };
        let (server, channel, thread) = stored_place(*place);
        db.prepare_cached(sql::ADD_MESSAGE)?.execute((
            game.map(|game| stored(game.0)),
            challenge.map(|challenge| stored(challenge.0)),
            server,
            channel,
            thread,
            body,
            reminds.map(|player| stored(player.0)),
            ping.map(|player| stored(player.0)),
            now.0,
            request.map(|request| stored(request.0)),
        ))?;
        let id = OutboxId(db.last_insert_rowid().cast_unsigned());
        committed.messages.push(Pending { id, earlier: messages_before(db, id)? });
        Ok(())
    }
}

/// Marks the last post of a game as stale when another game begins out of it.
fn close_rematched(db: &Connection, steps: &[Step]) -> Result<(), StoreError> {
    if !steps.iter().any(|step| matches!(step, Step::Begin { .. })) {
        return Ok(());
    }
    for step in steps {
        if let Step::Update { game, .. } = step {
            db.prepare_cached(sql::GAME_POSTS)?.execute([stored(game.id.0)])?;
        }
    }
    Ok(())
}

fn begin(
    db: &Connection,
    start: &Start,
    rules: &str,
    position: &str,
    to_move: Side,
    clock: &Clock,
    now: Timestamp,
) -> Result<GameId, StoreError> {
    let Start { variant, layout, players, pace, place, .. } = start;
    let Players { attackers, defenders } = *players;
    mention(db, attackers)?;
    mention(db, defenders)?;
    let (server, channel, thread) = stored_place(*place);
    db.prepare_cached(sql::BEGIN_GAME)?.execute((
        variant.id,
        layout.id,
        ruleset(db, rules, layout.start)?,
        stored(attackers.0),
        stored(defenders.0),
        pace.days(),
        server,
        channel,
        thread,
        now.0,
        position,
        to_move.id(),
        clock.deadline.0,
        clock.next_due().0,
    ))?;
    Ok(GameId(db.last_insert_rowid().cast_unsigned()))
}

fn make_challenge(db: &Connection, proposal: &Proposal, made: Timestamp) -> Result<ChallengeId, StoreError> {
    let Proposal { challenger, opponent, variant, layout, side, pace, place } = *proposal;
    mention(db, challenger)?;
    if let Some(opponent) = opponent {
        mention(db, opponent)?;
    }
    let (server, channel, thread) = stored_place(place);
    db.prepare_cached(sql::MAKE_CHALLENGE)?.execute((
        stored(challenger.0),
        opponent.map(|player| stored(player.0)),
        variant.id,
        layout.id,
        side.id(),
        pace.days(),
        server,
        channel,
        thread,
        made.0,
        (made + Challenge::LIFE).0,
    ))?;
    Ok(ChallengeId(db.last_insert_rowid().cast_unsigned()))
}

/// Finds the row of some rules, or makes it.
fn ruleset(db: &Connection, rules: &str, start: &str) -> Result<i64, StoreError> {
    let found = db.prepare_cached(sql::FIND_RULESET)?.query_row([rules, start], |row| row.get(0)).optional()?;
    if let Some(id) = found {
        return Ok(id);
    }
    db.prepare_cached(sql::ADD_RULESET)?.execute([rules, start])?;
    Ok(db.last_insert_rowid())
}

/// A game as it is in the file, as far as a change needs it.
struct StoredGame {
    version: u64,
    plies: usize,
    /// None if the game is over.
    wake_at: Option<Timestamp>,
    place: Place,
    deadline: Timestamp,
    reminded: bool,
    flagged: Option<Timestamp>,
}

impl StoredGame {
    fn has_clock(&self, clock: &Clock) -> bool {
        (self.deadline, self.reminded, self.flagged) == (clock.deadline, clock.reminded, clock.flagged)
    }
}

fn update(
    db: &Connection,
    game: &Game,
    clock: ClockChange,
    position: &str,
    offers: Option<&str>,
) -> Result<(), CommitError> {
    let id = stored(game.id.0);
    let before = stored_game(db, game.id)?;
    if Some(game.version) != before.version.checked_add(1) {
        return Err(CommitError::Stale);
    }
    if let ClockChange::ReliesOn(clock) | ClockChange::Replaces(clock) = clock
        && !before.has_clock(&clock)
    {
        return Err(CommitError::Stale);
    }
    let plies = game.record.plies();
    db.prepare_cached(sql::CHANGE_GAME)?.execute((
        id,
        stored(game.version),
        game.changed.0,
        plies.len(),
        position,
        game.record.position().to_move().id(),
        offers,
        game.offers.rematched(),
    ))?;
    // One change either adds moves or takes some back, so the number of plies says which rows differ.
    if plies.len() < before.plies {
        db.prepare_cached(sql::CUT_MOVES)?.execute((id, plies.len()))?;
    }
    for (ply, played) in plies.iter().enumerate().skip(before.plies) {
        db.prepare_cached(sql::ADD_MOVE)?.execute((id, ply, played.to_string(), game.changed.0))?;
    }
    if matches!(clock, ClockChange::Replaces(_)) {
        set_clock(db, game.id, &game.clock)?;
    }
    match (game.result, before.wake_at) {
        (Some(result), Some(_)) => {
            let winner = result.winner().map(Side::id);
            db.prepare_cached(sql::END_GAME)?.execute((id, winner, result.ending(), game.changed.0))?;
        }
        // An alarm that rings too early does no harm, one that rings too late does.
        (None, Some(alarm)) if matches!(clock, ClockChange::Replaces(_)) && game.clock.next_due() < alarm => {
            db.prepare_cached(sql::MOVE_ALARM)?.execute((id, game.clock.next_due().0))?;
        }
        (None, None) => return Err(StoreError::Refused(format!("game {} is over", game.id)).into()),
        (None | Some(_), _) => {}
    }
    if game.start.place != before.place {
        let (server, channel, thread) = stored_place(game.start.place);
        let place = (id, server, channel, thread);
        db.prepare_cached(sql::MOVE_GAME)?.execute(place)?;
        db.prepare_cached(sql::RELOCATE_MESSAGES)?.execute(place)?;
    }
    Ok(())
}

/// Writes the clock of a game. The alarm may stay: one that rings too early is put off when the clock is looked at.
fn set_clock(db: &Connection, game: GameId, clock: &Clock) -> Result<(), StoreError> {
    let flagged = clock.flagged.map(|time| time.0);
    db.prepare_cached(sql::SET_CLOCK)?.execute((stored(game.0), clock.deadline.0, clock.reminded, flagged))?;
    Ok(())
}

fn stored_game(db: &Connection, id: GameId) -> Result<StoredGame, StoreError> {
    let found = db.prepare_cached(sql::STORED_GAME)?.query_row([stored(id.0)], |row| {
        let maybe_number = |column| row.get(column).map(|number: Option<i64>| number.map(i64::cast_unsigned));
        Ok(StoredGame {
            version: row.get(0)?,
            plies: row.get(1)?,
            wake_at: row.get::<_, Option<i64>>(2)?.map(Timestamp),
            place: Place {
                server: maybe_number(3)?.map(ServerId),
                channel: ChannelId(row.get::<_, i64>(4)?.cast_unsigned()),
                thread: maybe_number(5)?.map(ChannelId),
            },
            deadline: Timestamp(row.get(6)?),
            reminded: row.get(7)?,
            flagged: row.get::<_, Option<i64>>(8)?.map(Timestamp),
        })
    });
    found.optional()?.ok_or_else(|| StoreError::Refused(format!("there is no game {id}")))
}

pub(super) fn json(value: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Refused(error.to_string()))
}
