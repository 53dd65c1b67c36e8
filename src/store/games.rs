//! Games as they are read: listed by their rows, or replayed move by move.

use super::Store;
use super::error::StoreError;
use super::query::{Listing, Query};
use super::row::{RowReader, stored};
use super::session::Session;
use super::sql;
use crate::game::{
    Challenge, Clock, Game, GameId, GameResult, Offers, Pace, Place, PlayerId, Players, Start, Timestamp,
};
use crate::rules::{Layout, Record, Rules, Side, Variant};
use rusqlite::{Connection, OptionalExtension, Row};
use std::cmp::Reverse;

/// What is known of a game without replaying it.
#[derive(Clone, Copy, Debug)]
pub struct GameRow {
    /// Its number.
    pub id: GameId,
    /// Grows by one with every change.
    pub version: u64,
    /// Which game.
    pub variant: &'static Variant,
    /// How the men were set up.
    pub layout: &'static Layout,
    /// Who plays.
    pub players: Players,
    /// Where it is played.
    pub place: Place,
    /// How many moves were made.
    pub plies: usize,
    /// Whose turn it is, while the game goes on.
    pub to_move: Option<Side>,
    /// When the time is up.
    pub deadline: Timestamp,
    /// How long a move may take.
    pub pace: Pace,
    /// Since when the time is up and the win can be claimed.
    pub flagged: Option<Timestamp>,
    /// What the players have offered each other.
    pub offers: Offers,
    /// When it last changed.
    pub changed: Timestamp,
    /// How it ended, if it did.
    pub result: Option<GameResult>,
}

impl Session<'_> {
    /// Loads a game and replays it through its rules, unless that was done for this version before.
    pub fn game(&self, id: GameId) -> Result<Option<Game>, StoreError> {
        let Some(cache) = self.cache() else { return load(self.db()?, id) };
        let game = load_with(self.db()?, id, |version| cache.get(id, version))?;
        if let Some(game) = &game {
            cache.insert(id, game.version, game.record.clone());
        }
        Ok(game)
    }

    /// Gives what is known of a game without replaying it.
    pub fn game_row(&self, id: GameId) -> Result<Option<GameRow>, StoreError> {
        let db = self.db()?;
        GAME_ROWS.one(db, sql::GAME_ROW, [stored(id.0)])
    }

    /// Lists the games that a player plays: those that wait for him first, then by what is left of the time.
    pub fn running_games(&self, player: PlayerId) -> Result<Listing<GameRow>, StoreError> {
        let mut games = GAME_ROWS.list(self.db()?, sql::RUNNING_GAMES, [stored(player.0)])?;
        games.rows.sort_by_key(|game| {
            let waits = game.to_move.is_some_and(|side| game.players.of(side) == player);
            (Reverse(waits), game.deadline, game.id)
        });
        Ok(games)
    }

    /// Lists the games that a player has finished, the newest first.
    pub fn finished_games(&self, player: PlayerId, limit: u32) -> Result<Listing<GameRow>, StoreError> {
        let db = self.db()?;
        GAME_ROWS.list(db, sql::FINISHED_GAMES, (stored(player.0), limit))
    }

    /// Lists the running games of a thread, or of a channel with all of its threads.
    pub fn games_in(&self, place: Place) -> Result<Listing<GameRow>, StoreError> {
        let db = self.db()?;
        match place.thread {
            Some(thread) => GAME_ROWS.list(db, sql::GAMES_IN_THREAD, [stored(thread.0)]),
            None => GAME_ROWS.list(db, sql::GAMES_IN_CHANNEL, [stored(place.channel.0)]),
        }
    }

    /// Gives the games whose clocks want to be looked at, those that have waited longest first.
    pub fn due_games(&self, now: Timestamp, limit: u32) -> Result<Vec<GameId>, StoreError> {
        let db = self.db()?;
        let mut due = db.prepare_cached(sql::DUE_GAMES)?;
        let due = due.query_map((now.0, limit), |row| row.get(0).map(|id: i64| GameId(id.cast_unsigned())))?;
        Ok(due.collect::<Result<_, _>>()?)
    }

    /// Tells when the next game or challenge wants to be looked at.
    pub fn next_wake(&self) -> Result<Option<Timestamp>, StoreError> {
        let db = self.db()?;
        let first = |sql| db.prepare_cached(sql)?.query_row([], |row| row.get::<_, Option<i64>>(0));
        let moments = [first(sql::NEXT_ALARM)?, first(sql::NEXT_EXPIRY)?];
        Ok(moments.into_iter().flatten().min().map(Timestamp))
    }
}

impl Store {
    /// Sets clocks and challenges right that were set while the machine's clock was ahead: nobody waits for a year
    /// because of that, and nobody loses time. Tells how many there were.
    pub fn set_clocks_right(&self, now: Timestamp) -> Result<usize, StoreError> {
        self.keep(move |db| {
            let mut set = db.prepare_cached(sql::SHORTEN_CHALLENGES)?.execute((now.0, Challenge::LIFE.0))?;
            for pace in Pace::ALL {
                set += db.prepare_cached(sql::SHORTEN_CLOCKS)?.execute((pace.days(), now.0, pace.most_left().0))?;
            }
            Ok(set)
        })
    }

    /// Has a game's clock looked at no earlier than this. What became due in the meantime still comes in time.
    pub fn snooze(&self, game: GameId, until: Timestamp) -> Result<(), StoreError> {
        self.keep(move |db| {
            let mut clock = db.prepare_cached(sql::CLOCK)?;
            let mut rows = clock.query([stored(game.0)])?;
            let Some(row) = rows.next()? else { return Ok(()) };
            let cells = RowReader::new("games", row)?;
            let (due, alarm) = (clock_of(&cells)?.next_due(), cells.moment("wake_at")?);
            drop(rows);
            // Somebody may have moved since the caller looked: then something else is due, and maybe earlier. If what
            // is due is what the alarm rang for, the caller knows of it and wants to wait all the same.
            let until = if due > alarm { until.min(due) } else { until };
            db.prepare_cached(sql::MOVE_ALARM)?.execute((stored(game.0), until.0))?;
            Ok(())
        })
    }
}

pub(super) const GAME_ROWS: Query<GameRow> = Query { table: "games", read: game_row };

fn game_row(cells: &RowReader<'_>) -> Result<GameRow, StoreError> {
    let (variant, layout) = cells.variant()?;
    let result = result(cells)?;
    let to_move = cells.side("to_move")?;
    let offers = cells.maybe_text("offers")?.map_or(Ok(Offers::default()), serde_json::from_str);
    Ok(GameRow {
        id: GameId(cells.id),
        version: cells.value("version")?,
        variant,
        layout,
        players: Players { attackers: cells.player("attackers")?, defenders: cells.player("defenders")? },
        place: cells.place()?,
        plies: cells.value("plies")?,
        to_move: result.is_none().then_some(to_move),
        deadline: cells.moment("deadline")?,
        pace: cells.pace()?,
        flagged: cells.maybe_moment("flagged")?,
        offers: offers.map_err(|error| cells.bad("offers", error))?.with_rematched(cells.value("rematched")?),
        changed: cells.moment("changed")?,
        result,
    })
}

fn result(cells: &RowReader<'_>) -> Result<Option<GameResult>, StoreError> {
    let winner = cells.maybe_named("winner", &Side::BOTH, Side::id)?;
    match (cells.maybe_text("ending")?, winner) {
        (Some(ending), winner) => {
            GameResult::find(ending, winner).map(Some).map_err(|problem| cells.bad("ending", problem))
        }
        (None, None) => Ok(None),
        (None, Some(_)) => Err(cells.bad("winner", "the game has a winner and has not ended")),
    }
}

fn clock_of(cells: &RowReader<'_>) -> Result<Clock, StoreError> {
    Ok(Clock {
        pace: cells.pace()?,
        deadline: cells.moment("deadline")?,
        reminded: cells.value("reminded")?,
        flagged: cells.maybe_moment("flagged")?,
    })
}

/// Loads a game and replays it; what does not fit together is an error.
pub(super) fn load(db: &Connection, id: GameId) -> Result<Option<Game>, StoreError> {
    load_with(db, id, |_| None)
}

/// Loads a game and replays it, unless its record at that version is known.
fn load_with(
    db: &Connection,
    id: GameId,
    known: impl FnOnce(u64) -> Option<Record>,
) -> Result<Option<Game>, StoreError> {
    let mut statement = db.prepare_cached(sql::GAME)?;
    let mut rows = statement.query([stored(id.0)])?;
    match rows.next()? {
        Some(row) => read_game(db, row, known).map(Some),
        None => Ok(None),
    }
}

fn read_game(db: &Connection, row: &Row<'_>, known: impl FnOnce(u64) -> Option<Record>) -> Result<Game, StoreError> {
    let cells = RowReader::new("games", row)?;
    let GameRow { id, version, variant, layout, players, place, plies, pace, offers, changed, result, .. } =
        game_row(&cells)?;
    let rules: Rules = serde_json::from_str(cells.text("rules")?).map_err(|error| cells.bad("ruleset", error))?;
    let start = Start { variant, layout, rules, players, pace, place };
    let record = match known(version) {
        Some(record) => record,
        None => {
            let record = start.record_from(cells.text("start")?);
            replay_moves(db, id, record.map_err(|why| cells.bad("ruleset", StoreError::from(why)))?)?
        }
    };
    if record.plies().len() != plies {
        return Err(cells.bad("plies", format_args!("{plies}, but there are {} moves", record.plies().len())));
    }
    let position = record.book().write_position(record.position());
    if position != cells.text("position")? {
        return Err(cells.bad("position", format_args!("the moves lead to {position}")));
    }
    if record.position().to_move() != cells.side("to_move")? {
        return Err(cells.bad("to_move", "it is the other side's turn after these moves"));
    }
    check_result(&cells, &record, result)?;
    Ok(Game {
        id,
        version,
        start,
        record,
        began: cells.moment("began")?,
        changed,
        clock: clock_of(&cells)?,
        offers,
        result,
    })
}

fn replay_moves(db: &Connection, game: GameId, mut record: Record) -> Result<Record, StoreError> {
    let mut statement = db.prepare_cached(sql::MOVES)?;
    let mut rows = statement.query([stored(game.0)])?;
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
        // Reading is generous: a capture that is left out is not missed. What we have written ourselves is exact.
        if replayed.to_string() != played {
            return Err(bad("played", format!("move {}, `{played}`, is {replayed} by the rules", ply + 1)));
        }
    }
    Ok(record)
}

/// Checks that a game that ended on the board has that result, and no other game has.
fn check_result(cells: &RowReader<'_>, record: &Record, result: Option<GameResult>) -> Result<(), StoreError> {
    let on_board = record.outcome().map(GameResult::OnBoard);
    let claimed = result.filter(|result| matches!(result, GameResult::OnBoard(_)) || on_board.is_some());
    if claimed == on_board {
        return Ok(());
    }
    let (stored, found) = (in_words(result), in_words(on_board));
    Err(cells.bad("ending", format_args!("it is stored as {stored}, but the moves lead to {found}")))
}

fn in_words(result: Option<GameResult>) -> String {
    let Some(result) = result else { return String::from("a game that goes on") };
    match result.winner() {
        Some(winner) => format!("won by the {} ({})", winner.id(), result.ending()),
        None => format!("won by nobody ({})", result.ending()),
    }
}

/// Gives the number of the first game after another one.
pub(super) fn next_game(db: &Connection, after: u64) -> Result<Option<GameId>, StoreError> {
    let id: Option<i64> = db.prepare_cached(sql::NEXT_GAME)?.query_row([stored(after)], |row| row.get(0)).optional()?;
    match id.map(i64::cast_unsigned) {
        // In a damaged file rows are not in order, and whoever goes from one to the next would go round for ever.
        Some(id) if id <= after || id > i64::MAX.cast_unsigned() => {
            Err(StoreError::Damaged(format!("game {id} comes after game {after}")))
        }
        id => Ok(id.map(GameId)),
    }
}
