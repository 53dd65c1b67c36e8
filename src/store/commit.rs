//! One change, decided elsewhere, written in one piece or not at all.

use super::Store;
use super::challenges::{acceptance, challenge_context};
use super::error::{CommitError, StoreError};
use super::outbox::OutboxId;
use super::players::mention;
use super::row::{maybe_stored, stored};
use super::sql;
use crate::game::{
    Challenge, ChallengeId, Clock, Game, GameId, Offers, Place, PlayerId, Players, Proposal, Start, Timestamp,
};
use crate::rules::Side;
use rusqlite::{Connection, OptionalExtension};

/// The number of a request: on Discord that of the interaction. The same one may come twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RequestId(pub u64);

/// A change: everything in it is written, or nothing.
#[derive(Clone, Debug)]
pub struct Commit {
    /// The request that asked for it, and what it did, to be answered again if it comes again.
    pub request: Option<(RequestId, String)>,
    /// What is written.
    pub effects: Vec<Effect>,
    /// When it happened.
    pub now: Timestamp,
}

/// One part of a change.
#[derive(Clone, Debug)]
pub enum Effect {
    /// A new challenge; stale if something forbids it by now.
    Challenge(Proposal),
    /// What has become of a challenge; stale unless it is still open in the file.
    Answer {
        /// The challenge with its new state.
        challenge: Challenge,
    },
    /// Nothing to write, but stale if these two may not begin a game with each other by now.
    MayPlay(Players),
    /// A new game.
    Begin {
        /// What it begins with.
        start: Start,
    },
    /// A game as it is now; stale unless its version is one more than in the file.
    Update {
        /// The game.
        game: Box<Game>,
    },
    /// A game of which only the clock is another one; stale unless its version is that in the file.
    Wind {
        /// The game.
        game: GameId,
        /// Its version.
        version: u64,
        /// Its clock.
        clock: Clock,
    },
    /// A message that is owed. Messages are written last, in their order.
    Owe {
        /// What it is about.
        about: About,
        /// Where it is to be posted.
        place: Place,
        /// What it tells, as JSON.
        news: String,
        /// Whom it calls.
        call: Option<PlayerId>,
    },
}

/// What a message is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum About {
    /// A game.
    Game(GameId),
    /// The game that begins with this change.
    NewGame,
    /// A challenge.
    Challenge(ChallengeId),
    /// The challenge that is made with this change.
    NewChallenge,
}

/// What came of a change.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Committed {
    /// The number of the game that has begun.
    pub game: Option<GameId>,
    /// The number of the challenge that was made.
    pub challenge: Option<ChallengeId>,
    /// The numbers of the messages that are owed, in their order.
    pub owed: Vec<OutboxId>,
}

/// What a request did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Done {
    /// What it did, as it was written with it.
    pub did: String,
    /// The game that it began, or changed.
    pub game: Option<GameId>,
    /// The challenge that it made, or answered.
    pub challenge: Option<ChallengeId>,
}

impl Store {
    /// Writes a change, and comes back when it is on the disk.
    pub fn commit(&self, commit: Commit) -> Result<Committed, CommitError> {
        // Whatever can be worked out before is not done by the thread that everybody waits for.
        let Commit { request, effects, now } = commit;
        let changed = effects.iter().filter_map(|effect| match effect {
            Effect::Update { game } => Some((game.id, game.version, game.record.clone())),
            _ => None,
        });
        let changed: Vec<_> = changed.collect();
        let steps = effects.into_iter().map(|effect| Step::prepare(effect, now)).collect::<Result<Vec<_>, _>>()?;
        let saved = self.write(move |db| {
            if let Some(done) = request.as_ref().map(|(request, _)| done(db, *request)).transpose()?.flatten() {
                return Err(CommitError::Repeated(Box::new(done)));
            }
            let mut saved = Committed::default();
            for step in &steps {
                step.write(db, now, &mut saved)?;
            }
            close_rematched(db, &steps)?;
            for step in &steps {
                step.write_owed(db, now, request.as_ref().map(|(request, _)| *request), &mut saved)?;
            }
            if let Some((request, did)) = request {
                remember(db, request, &did, now, &steps, &saved)?;
            }
            Ok(saved)
        })?;
        if let Some(recent) = &self.inner.recent {
            changed.into_iter().for_each(|(game, version, record)| recent.keep(game, version, record));
        }
        Ok(saved)
    }
}

/// An effect with everything worked out.
enum Step {
    Challenge(Proposal),
    Answer(Challenge),
    MayPlay(Players),
    Begin { start: Start, rules: String, position: String, to_move: Side, clock: Clock },
    Update { game: Box<Game>, position: String, offers: Option<String> },
    Wind { game: GameId, version: u64, clock: Clock },
    Owe { about: About, place: Place, news: String, call: Option<PlayerId> },
}

impl Step {
    fn prepare(effect: Effect, now: Timestamp) -> Result<Self, StoreError> {
        Ok(match effect {
            Effect::Challenge(proposal) => Self::Challenge(proposal),
            Effect::Answer { challenge } => Self::Answer(challenge),
            Effect::MayPlay(players) => Self::MayPlay(players),
            Effect::Begin { start } => {
                let record = start.record()?;
                Self::Begin {
                    start,
                    rules: json(&start.rules)?,
                    position: record.book().write_position(record.position()),
                    to_move: record.position().to_move(),
                    clock: Clock::start(start.pace, now),
                }
            }
            Effect::Update { game } => Self::Update {
                position: game.record.book().write_position(game.record.position()),
                offers: if game.offers == Offers::default() { None } else { Some(json(&game.offers)?) },
                game,
            },
            Effect::Wind { game, version, clock } => Self::Wind { game, version, clock },
            Effect::Owe { about, place, news, call } => Self::Owe { about, place, news, call },
        })
    }

    fn write(&self, db: &Connection, now: Timestamp, saved: &mut Committed) -> Result<(), CommitError> {
        match self {
            Self::Challenge(proposal) => {
                proposal.check(&challenge_context(db, proposal, now)?).map_err(|_| CommitError::Stale)?;
                saved.challenge = Some(make_challenge(db, proposal, now)?);
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
                let Start { variant, layout, players, pace, place, .. } = start;
                let Players { attackers, defenders } = *players;
                mention(db, attackers)?;
                mention(db, defenders)?;
                db.prepare_cached(sql::BEGIN_GAME)?.execute((
                    variant.id,
                    layout.id,
                    ruleset(db, rules, layout.start)?,
                    stored(attackers.0),
                    stored(defenders.0),
                    pace.days(),
                    maybe_stored(place.server),
                    stored(place.channel),
                    maybe_stored(place.thread),
                    now.0,
                    position,
                    to_move.id(),
                    clock.deadline.0,
                    clock.next_due().0,
                ))?;
                saved.game = Some(GameId(db.last_insert_rowid().cast_unsigned()));
            }
            Self::Update { game, position, offers } => update(db, game, position, offers.as_deref())?,
            Self::Wind { game, version, clock } => wind(db, *game, *version, clock)?,
            Self::Owe { .. } => {}
        }
        Ok(())
    }

    fn write_owed(
        &self,
        db: &Connection,
        now: Timestamp,
        request: Option<RequestId>,
        saved: &mut Committed,
    ) -> Result<(), StoreError> {
        let Self::Owe { about, place, news, call } = self else { return Ok(()) };
        let (game, challenge) = match *about {
            About::Game(game) => (Some(game), None),
            About::NewGame => (saved.game, None),
            About::Challenge(challenge) => (None, Some(challenge)),
            About::NewChallenge => (None, saved.challenge),
        };
        db.prepare_cached(sql::OWE)?.execute((
            game.map(|game| stored(game.0)),
            challenge.map(|challenge| stored(challenge.0)),
            maybe_stored(place.server),
            stored(place.channel),
            maybe_stored(place.thread),
            news,
            call.map(|player| stored(player.0)),
            now.0,
            request.map(|request| stored(request.0)),
        ))?;
        saved.owed.push(OutboxId(db.last_insert_rowid().cast_unsigned()));
        Ok(())
    }
}

/// Has the last post of a game lose its buttons when another game begins out of it.
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

/// Notes that a request was done, what it did and to what.
fn remember(
    db: &Connection,
    request: RequestId,
    did: &str,
    now: Timestamp,
    steps: &[Step],
    saved: &Committed,
) -> Result<(), StoreError> {
    let changed = steps.iter().find_map(|step| match step {
        Step::Update { game, .. } => Some(game.id),
        _ => None,
    });
    let answered = steps.iter().find_map(|step| match step {
        Step::Answer(challenge) => Some(challenge.id),
        _ => None,
    });
    db.prepare_cached(sql::REMEMBER_REQUEST)?.execute((
        stored(request.0),
        did,
        saved.game.or(changed).map(|game| stored(game.0)),
        saved.challenge.or(answered).map(|challenge| stored(challenge.0)),
        now.0,
    ))?;
    Ok(())
}

/// Looks up what a request did, if it was done before.
pub(super) fn done(db: &Connection, request: RequestId) -> Result<Option<Done>, StoreError> {
    let number = |number: Option<i64>| number.map(i64::cast_unsigned);
    let found = db.prepare_cached(sql::DONE)?.query_row([stored(request.0)], |row| {
        Ok(Done {
            did: row.get(0)?,
            game: number(row.get(1)?).map(GameId),
            challenge: number(row.get(2)?).map(ChallengeId),
        })
    });
    Ok(found.optional()?)
}

fn make_challenge(db: &Connection, proposal: &Proposal, made: Timestamp) -> Result<ChallengeId, StoreError> {
    let Proposal { challenger, opponent, variant, layout, side, pace, place } = *proposal;
    mention(db, challenger)?;
    if let Some(opponent) = opponent {
        mention(db, opponent)?;
    }
    db.prepare_cached(sql::MAKE_CHALLENGE)?.execute((
        stored(challenger.0),
        opponent.map(|player| stored(player.0)),
        variant.id,
        layout.id,
        side.id(),
        pace.days(),
        maybe_stored(place.server),
        stored(place.channel),
        maybe_stored(place.thread),
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

/// A game as it stands in the file, as far as a change needs it.
struct StoredGame {
    version: u64,
    plies: usize,
    /// None if the game is over.
    wake_at: Option<Timestamp>,
    place: Place,
}

fn update(db: &Connection, game: &Game, position: &str, offers: Option<&str>) -> Result<(), CommitError> {
    let id = stored(game.id.0);
    let before = stored_game(db, game.id)?;
    if Some(game.version) != before.version.checked_add(1) {
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
        game.clock.deadline.0,
        game.clock.reminded,
        game.clock.flagged.map(|moment| moment.0),
        offers,
    ))?;
    // One change either adds moves or takes some back, so that the number says which rows are not the same.
    if plies.len() < before.plies {
        db.prepare_cached(sql::CUT_MOVES)?.execute((id, plies.len()))?;
    }
    for (ply, played) in plies.iter().enumerate().skip(before.plies) {
        db.prepare_cached(sql::ADD_MOVE)?.execute((id, ply, played.to_string(), game.changed.0))?;
    }
    let due = game.clock.next_due();
    match (game.result, before.wake_at) {
        (Some(result), Some(_)) => {
            let winner = result.winner.map(Side::id);
            db.prepare_cached(sql::END_GAME)?.execute((id, winner, result.ending.id(), game.changed.0))?;
        }
        // An alarm that rings too early does no harm, one that rings too late does.
        (None, Some(alarm)) if due < alarm => {
            db.prepare_cached(sql::MOVE_ALARM)?.execute((id, due.0))?;
        }
        (None, None) => return Err(StoreError::Refused(format!("game {} is over", game.id)).into()),
        (None | Some(_), _) => {}
    }
    if game.start.place != before.place {
        let Place { server, channel, thread } = game.start.place;
        let place = (id, maybe_stored(server), stored(channel), maybe_stored(thread));
        db.prepare_cached(sql::MOVE_GAME)?.execute(place)?;
        db.prepare_cached(sql::REHOUSE_OWED)?.execute(place)?;
    }
    Ok(())
}

fn wind(db: &Connection, game: GameId, version: u64, clock: &Clock) -> Result<(), CommitError> {
    let flagged = clock.flagged.map(|moment| moment.0);
    let wound = (stored(game.0), stored(version), clock.deadline.0, clock.reminded, flagged);
    if db.prepare_cached(sql::WIND_CLOCK)?.execute(wound)? == 0 {
        return Err(CommitError::Stale);
    }
    // An alarm that rings too early does no harm: whoever has wound the clock puts it off.
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
                server: maybe_number(3)?,
                channel: row.get::<_, i64>(4)?.cast_unsigned(),
                thread: maybe_number(5)?,
            },
        })
    });
    found.optional()?.ok_or_else(|| StoreError::Refused(format!("there is no game {id}")))
}

fn json(value: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Refused(error.to_string()))
}
