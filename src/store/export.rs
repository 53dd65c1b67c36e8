//! Visits stored games one by one, for `ratatosk export`.

use super::Store;
use super::error::StoreError;
use super::games::{load, next_game};
use super::players::read_name;
use super::query::column;
use super::session::Session;
use super::sql;
use crate::game::{Game, GameId, PlayerId, Timestamp};
use crate::rules::Side;
use std::io;

/// Which games to export.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportFilter {
    /// All games.
    All,
    Game(GameId),
    /// The games of one player.
    Player(PlayerId),
}

/// Takes a game, and a function that returns the names of its players.
pub type Visitor<'v> = dyn FnMut(Game, &dyn Fn(PlayerId) -> String) -> io::Result<()> + 'v;

/// The names of the players of a game, as far as they are known.
struct Names {
    attackers: Option<String>,
    defenders: Option<String>,
}

impl Session<'_> {
    /// Returns when the moves of a game were made, in order.
    pub fn move_times(&self, game: GameId) -> Result<Vec<Timestamp>, StoreError> {
        column(&*self.db()?, sql::MOVE_TIMES, [game])
    }
}

impl Store {
    /// Visits games in the order of their ids. Each is read in a snapshot of its own, so that a running bot can start its
    /// log over meanwhile.
    ///
    /// # Errors
    /// [`StoreError::Output`] if the visitor fails. A game that cannot be read does not keep the others from being
    /// visited: its [`StoreError::BadRow`] is returned at the end.
    pub fn each_game(&self, filter: ExportFilter, visit: &mut Visitor<'_>) -> Result<(), StoreError> {
        let mut bad = None;
        let mut show = |id: GameId| match self.named_game(id) {
            Ok(Some((game, names))) => {
                let players = game.terms.players;
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
            ExportFilter::All => {
                let mut last = 0;
                while let Some(id) = self.read(|db| next_game(db, last))? {
                    last = id.0;
                    show(id)?;
                }
            }
            ExportFilter::Game(id) => show(id)?,
            ExportFilter::Player(player) => {
                let games = self.read(|db| column(db, sql::GAMES_OF, [player]))?;
                games.into_iter().try_for_each(show)?;
            }
        }
        bad.map_or(Ok(()), Err)
    }

    fn named_game(&self, id: GameId) -> Result<Option<(Game, Names)>, StoreError> {
        self.read(|db| {
            let Some(game) = load(db, id, None)? else { return Ok(None) };
            let name = |side| read_name(db, game.terms.players.of(side));
            let names = Names { attackers: name(Side::Attackers)?, defenders: name(Side::Defenders)? };
            Ok(Some((game, names)))
        })
    }
}
