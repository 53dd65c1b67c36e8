//! Goes through stored games one by one.

use super::Store;
use super::error::StoreError;
use super::games::{load, next_game};
use super::players::read_name;
use super::row::stored;
use super::session::Session;
use super::sql;
use crate::game::{Game, GameId, PlayerId, Timestamp};
use crate::rules::Side;
use std::io;

/// Which games are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Export {
    /// All.
    All,
    /// One.
    Game(GameId),
    /// Those of one player.
    Player(PlayerId),
}

/// Takes one game, with a way to tell what its players are called.
pub type Visitor<'v> = dyn FnMut(Game, &dyn Fn(PlayerId) -> String) -> io::Result<()> + 'v;

/// What the players of a game are called.
struct Names {
    attackers: Option<String>,
    defenders: Option<String>,
}

impl Session<'_> {
    /// Returns when the moves of a game were made, in their order.
    pub fn move_times(&self, game: GameId) -> Result<Vec<Timestamp>, StoreError> {
        let mut times = self.db()?.prepare_cached(sql::MOVE_TIMES)?;
        let times = times.query_map([stored(game.0)], |row| row.get(0).map(Timestamp))?;
        Ok(times.collect::<Result<_, _>>()?)
    }
}

impl Store {
    /// Shows games one after the other, by their numbers, with what their players are called.
    ///
    /// Each is read by itself, so that a running bot is not held up. A game that makes no sense is passed over, and
    /// its error given at the end.
    pub fn each_game(&self, filter: Export, visit: &mut Visitor<'_>) -> Result<(), StoreError> {
        let mut bad = None;
        let mut show = |id: GameId| match self.named_game(id) {
            Ok(Some((game, names))) => {
                let players = game.start.players;
                let name = move |player: PlayerId| {
                    let known = players.side_of(player).and_then(|side| match side {
                        Side::Attackers => names.attackers.clone(),
                        Side::Defenders => names.defenders.clone(),
                    });
                    known.unwrap_or_else(|| player.0.to_string())
                };
                visit(game, &name)
                    .map_err(|error| StoreError::Output { kind: error.kind(), problem: error.to_string() })
            }
            Ok(None) => Ok(()),
            Err(error @ StoreError::BadRow(_)) => {
                bad.get_or_insert(error);
                Ok(())
            }
            Err(error) => Err(error),
        };
        match filter {
            Export::All => {
                let mut last = 0;
                while let Some(id) = self.read(|db| next_game(db, last))? {
                    last = id.0;
                    show(id)?;
                }
            }
            Export::Game(id) => show(id)?,
            Export::Player(player) => self.games_of(player)?.into_iter().try_for_each(show)?,
        }
        bad.map_or(Ok(()), Err)
    }

    fn named_game(&self, id: GameId) -> Result<Option<(Game, Names)>, StoreError> {
        self.read(|db| {
            let Some(game) = load(db, id)? else { return Ok(None) };
            let name = |side| read_name(db, game.start.players.of(side));
            let names = Names { attackers: name(Side::Attackers)?, defenders: name(Side::Defenders)? };
            Ok(Some((game, names)))
        })
    }

    fn games_of(&self, player: PlayerId) -> Result<Vec<GameId>, StoreError> {
        let mut games: Vec<GameId> = self.read(|db| {
            let mut ids = db.prepare_cached(sql::GAMES_OF)?;
            let ids = ids.query_map([stored(player.0)], |row| row.get(0).map(|id: i64| GameId(id.cast_unsigned())))?;
            Ok(ids.collect::<Result<_, _>>()?)
        })?;
        games.sort_unstable();
        Ok(games)
    }
}
