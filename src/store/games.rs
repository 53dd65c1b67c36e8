//! Games: read as rows for lists, or replayed move by move.

use super::Store;
use super::error::StoreError;
use super::query::{Listing, TableReader, column, execute, maybe_scalar, scalar};
use super::record_cache::RecordCache;
use super::row::{RowReader, json_problem};
use super::session::Session;
use super::sql;
use crate::game::{
    Challenge, Clock, Game, GameId, GameResult, GameTerms, Offers, Pace, Place, PlayerId, Players, Timestamp,
};
use crate::rules::{Layout, Record, Rules, Side, Variant};
use rusqlite::{Connection, Row};
use std::cmp::Reverse;

/// What is known about a game without replaying it.
#[derive(Clone, Copy, Debug)]
pub struct GameRow {
    pub id: GameId,
    /// Grows by one with every change.
    pub version: u64,
    pub variant: &'static Variant,
    /// The set-up of the pieces.
    pub layout: &'static Layout,
    pub players: Players,
    pub place: Place,
    /// How many moves were made.
    pub plies: usize,
    /// Whose turn it is; `None` if the game has ended.
    pub to_move: Option<Side>,
    /// When the time for the next move is up.
    pub deadline: Timestamp,
    /// How long a move may take.
    pub pace: Pace,
    /// When the time was found to be up; since then the win can be claimed.
    pub flagged: Option<Timestamp>,
    /// What the players have offered each other.
    pub offers: Offers,
    pub changed: Timestamp,
    /// How it ended, if it has.
    pub result: Option<GameResult>,
}

impl Session<'_> {
    /// Loads a game and replays it through its rules, unless its record is cached.
    ///
    /// # Errors
    /// [`StoreError::BadRow`] also if the moves do not lead to the stored position and result.
    pub fn game(&self, id: GameId) -> Result<Option<Game>, StoreError> {
        load(&*self.db()?, id, self.cache())
    }

    /// Returns what is known about a game without replaying it.
    pub fn game_row(&self, id: GameId) -> Result<Option<GameRow>, StoreError> {
        GAME_ROWS.one(&*self.db()?, sql::GAME_ROW, [id])
    }

    /// Lists the running games of a player: those in which it is the player's turn first, then by deadline.
    pub fn running_games(&self, player: PlayerId) -> Result<Listing<GameRow>, StoreError> {
        let mut games = GAME_ROWS.list(&*self.db()?, sql::RUNNING_GAMES, [player])?;
        games.rows.sort_by_key(|game| {
            let is_their_turn = game.to_move.is_some_and(|side| game.players.of(side) == player);
            (Reverse(is_their_turn), game.deadline, game.id)
        });
        Ok(games)
    }

    /// Lists the finished games of a player, the newest first.
    pub fn finished_games(&self, player: PlayerId, limit: u32) -> Result<Listing<GameRow>, StoreError> {
        GAME_ROWS.list(&*self.db()?, sql::FINISHED_GAMES, (player, limit))
    }

    /// Lists the running games of a thread, or of a channel with all of its threads.
    pub fn games_in(&self, place: Place) -> Result<Listing<GameRow>, StoreError> {
        match place.thread {
            Some(thread) => GAME_ROWS.list(&*self.db()?, sql::GAMES_IN_THREAD, [thread]),
            None => GAME_ROWS.list(&*self.db()?, sql::GAMES_IN_CHANNEL, [place.channel]),
        }
    }

    /// Returns the games whose clocks are to be checked now, the longest overdue first.
    pub fn due_games(&self, now: Timestamp, limit: u32) -> Result<Vec<GameId>, StoreError> {
        column(&*self.db()?, sql::DUE_GAMES, (now, limit))
    }

    /// Returns when the next game or challenge is to be checked, if there is any.
    pub fn next_wake(&self) -> Result<Option<Timestamp>, StoreError> {
        let db = &*self.db()?;
        let next: [Option<Timestamp>; 2] = [scalar(db, sql::NEXT_GAME_WAKE, [])?, scalar(db, sql::NEXT_EXPIRY, [])?];
        Ok(next.into_iter().flatten().min())
    }
}

impl Store {
    /// Corrects the clocks of games and challenges that were set while the machine's clock was ahead, so that no
    /// deadline is further away than a new one would be. No player loses time. Returns how many were corrected.
    pub fn correct_clocks(&self, now: Timestamp) -> Result<usize, StoreError> {
        self.write(move |db| {
            let mut corrected = execute(db, sql::SHORTEN_CHALLENGES, (now, Challenge::LIFE.0))?;
            for pace in Pace::ALL {
                corrected += execute(db, sql::SHORTEN_CLOCKS, (pace.days(), now, pace.max_time_left().0))?;
            }
            Ok(corrected)
        })
    }

    /// Sets when the clock of a running game is checked next. If the game has changed since the caller read it and
    /// something is due earlier than that, its clock is checked when that is due.
    pub fn set_wake_time(&self, game: GameId, time: Timestamp) -> Result<(), StoreError> {
        self.write(move |db| {
            // A game whose clock cannot be read gets the given time: `list` leaves such a row out.
            let time = match WAKE_TIMES.list(db, sql::CLOCK, [game])?.first() {
                Some((due, wake_at)) if due > wake_at => time.min(*due),
                // Nothing new is due: the caller has seen everything, and wants the next check at `time`.
                _ => time,
            };
            execute(db, sql::SET_WAKE_TIME, (game, time)).map(drop)
        })
    }
}

pub(super) const GAME_ROWS: TableReader<GameRow> = TableReader { table: "games", read: game_row };

fn game_row(row: &RowReader<'_>) -> Result<GameRow, StoreError> {
    let (variant, layout) = row.variant()?;
    let result = result(row)?;
    let to_move = row.side("to_move")?;
    let offers = row.maybe_text("offers")?.map_or(Ok(Offers::default()), serde_json::from_str);
    Ok(GameRow {
        id: GameId(row.id),
        version: version(row)?,
        variant,
        layout,
        players: Players { attackers: row.get("attackers")?, defenders: row.get("defenders")? },
        place: row.place()?,
        plies: row.get("plies")?,
        to_move: result.is_none().then_some(to_move),
        deadline: row.get("deadline")?,
        pace: row.pace()?,
        flagged: row.get("flagged")?,
        offers: offers.map_err(|error| row.bad("offers", json_problem(&error)))?.with_rematched(row.get("rematched")?),
        changed: row.get("changed")?,
        result,
    })
}

/// Reads the version of a game. It grows by one with every change, and has to remain a number that SQLite can store.
fn version(row: &RowReader<'_>) -> Result<u64, StoreError> {
    let version = row.get("version")?;
    if version > u64::from(u32::MAX) {
        return Err(row.bad("version", format_args!("no game has changed {version} times")));
    }
    Ok(version)
}

fn result(row: &RowReader<'_>) -> Result<Option<GameResult>, StoreError> {
    let winner = row.maybe_text("winner")?.map(|_| row.side("winner")).transpose()?;
    match (row.maybe_text("ending")?, winner) {
        (Some(ending), winner) => {
            GameResult::find(ending, winner).map(Some).map_err(|problem| row.bad("ending", problem))
        }
        (None, None) => Ok(None),
        (None, Some(_)) => Err(row.bad("winner", "the game has a winner and has not ended")),
    }
}

/// When something is due in a running game, and when its clock is checked next.
const WAKE_TIMES: TableReader<(Timestamp, Timestamp)> =
    TableReader { table: "games", read: |row| Ok((clock(row)?.next_due(), row.get("wake_at")?)) };

pub(super) fn clock(row: &RowReader<'_>) -> Result<Clock, StoreError> {
    Ok(Clock {
        pace: row.pace()?,
        deadline: row.get("deadline")?,
        reminded: row.get("reminded")?,
        flagged: row.get("flagged")?,
    })
}

/// Loads a game and replays it, unless its record is cached.
pub(super) fn load(db: &Connection, id: GameId, cache: Option<&RecordCache>) -> Result<Option<Game>, StoreError> {
    let mut statement = db.prepare_cached(sql::GAME)?;
    let mut rows = statement.query([id])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let game = read_game(db, row, cache)?;
    if let Some(cache) = cache {
        cache.insert(id, game.version, game.record.clone());
    }
    Ok(Some(game))
}

fn read_game(db: &Connection, row: &Row<'_>, cache: Option<&RecordCache>) -> Result<Game, StoreError> {
    let row = &RowReader::new("games", row)?;
    let GameRow { id, version, variant, layout, players, place, plies, pace, offers, changed, result, .. } =
        game_row(row)?;
    let rules = row.maybe_text("rules")?.ok_or_else(|| row.bad("ruleset", "there is no such row of rulesets"))?;
    let rules: Rules = serde_json::from_str(rules).map_err(|error| row.bad("ruleset", json_problem(&error)))?;
    let terms = GameTerms { variant, layout, rules, players, pace, place };
    let record = match cache.and_then(|cache| cache.get(id, version)) {
        Some(record) => record,
        None => {
            let record = terms.record_from(row.text("start")?);
            replay_moves(db, id, record.map_err(|why| row.bad("ruleset", why))?)?
        }
    };
    if record.plies().len() != plies {
        let moves = match record.plies().len() {
            1 => String::from("there is 1 move"),
            moves => format!("there are {moves} moves"),
        };
        return Err(row.bad("plies", format_args!("{plies}, but {moves}")));
    }
    let position = record.rulebook().write_position(record.position());
    if position != row.text("position")? {
        return Err(row.bad("position", format_args!("the moves lead to {position}")));
    }
    if record.position().to_move() != row.side("to_move")? {
        return Err(row.bad("to_move", "it is the other side's turn after these moves"));
    }
    check_result(row, &record, result)?;
    Ok(Game { id, version, terms, record, began: row.get("began")?, changed, clock: clock(row)?, offers, result })
}

fn replay_moves(db: &Connection, game: GameId, mut record: Record) -> Result<Record, StoreError> {
    let mut statement = db.prepare_cached(sql::MOVES)?;
    let mut rows = statement.query([game])?;
    while let Some(row) = rows.next()? {
        let bad = |column, problem: String| StoreError::bad_row("moves", game.0, column, problem);
        let ply: usize = row.get(0).map_err(|error| bad("ply", error.to_string()))?;
        let played = row.get_ref(1)?.as_str().map_err(|error| bad("played", error.to_string()))?;
        if ply != record.plies().len() {
            let missing = record.plies().len() + 1;
            return Err(bad("ply", format!("move {} stands where move {missing} should", ply + 1)));
        }
        let replayed = record.play_typed(played).copied();
        let replayed = replayed
            .map_err(|_| bad("played", format!("move {}, `{played}`, cannot be played where it stands", ply + 1)))?;
        // A typed move may leave its captures out; a stored one has them.
        if replayed.to_string() != played {
            return Err(bad("played", format!("move {}, `{played}`, is {replayed} by the rules", ply + 1)));
        }
    }
    Ok(record)
}

/// Checks that the stored result is the one on the board if the game has ended there. Otherwise the stored result must
/// not be one that only the board can give.
fn check_result(row: &RowReader<'_>, record: &Record, result: Option<GameResult>) -> Result<(), StoreError> {
    let on_board = record.outcome().map(GameResult::OnBoard);
    let claimed = result.filter(|result| matches!(result, GameResult::OnBoard(_)) || on_board.is_some());
    if claimed == on_board {
        return Ok(());
    }
    let (stored, found) = (in_words(result), in_words(on_board));
    Err(row.bad("ending", format_args!("it is stored as {stored}, but the moves lead to {found}")))
}

fn in_words(result: Option<GameResult>) -> String {
    let Some(result) = result else { return String::from("a game that goes on") };
    match result.winner() {
        Some(winner) => format!("won by the {} ({})", winner.id(), result.ending()),
        None => format!("won by nobody ({})", result.ending()),
    }
}

/// Returns the id of the first game after another one.
pub(super) fn next_game(db: &Connection, after: u64) -> Result<Option<GameId>, StoreError> {
    let next = maybe_scalar(db, sql::NEXT_GAME, [GameId(after)])?;
    match next {
        // In a damaged file rows may be out of order, and the caller's loop would never end.
        Some(GameId(id)) if id <= after || id > i64::MAX.cast_unsigned() => {
            Err(StoreError::Damaged(format!("game {id} follows game {after}, out of order")))
        }
        next => Ok(next),
    }
}
