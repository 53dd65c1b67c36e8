//! What a position promises before anybody moves: whether a win can be near, and where the king stands to it.

use super::geometry::{DIRECTIONS, NEXT, grow, lines};
use super::moves::common_piece;
use super::piece::{Piece, Side};
use super::position::Position;
use super::rulebook::Rulebook;
use super::rules::{NoMoves, Sides};
use super::square::SquareSet;

impl Rulebook {
    /// Gives the squares of his goal that the king reaches with one move, whoever's turn it is.
    #[must_use]
    pub fn open_roads(&self, position: &Position) -> SquareSet {
        position.king().map_or(SquareSet::EMPTY, |king| self.targets(position, king) & self.goal())
    }

    /// Tells whether the player whose turn it is can perhaps win with one move. If not, he cannot for certain.
    pub(super) fn may_win(&self, position: &Position) -> bool {
        let side = position.to_move();
        self.may_paralyse(position, side.opponent())
            || match side {
                Side::Attackers => self.may_take_king(position) || self.may_encircle(position),
                Side::Defenders => !self.open_roads(position).is_empty(),
            }
    }

    /// Tells whether one move against this side can perhaps leave it without a legal move.
    fn may_paralyse(&self, position: &Position, side: Side) -> bool {
        // A man who has a free square beside him loses it only to a man who goes there, and is taken only by a man
        // beside him. Either way the mover ends beside him, and there is room for four such men at most.
        let piece = common_piece(side);
        let free = self.rest(piece) - position.occupied();
        let mobile = position.pieces(piece) & grow(free, self.board);
        self.rules().no_moves == NoMoves::Loses && mobile.len() <= DIRECTIONS as u32
    }

    /// Tells whether enough sides of the king are closed for one more to take him, perhaps.
    fn may_take_king(&self, position: &Position) -> bool {
        let Some(king) = position.king() else { return false };
        let closed = NEXT[king.index()].iter().filter(|side| self.closes(position, **side)).count();
        match self.sides_needed(position.pieces(Piece::King)) {
            Sides::Two => closed >= 1,
            Sides::Four => closed >= DIRECTIONS - 1,
        }
    }

    /// Tells whether one move can perhaps cut the king's side off from the edge.
    fn may_encircle(&self, position: &Position) -> bool {
        // Two lines from the king to the edge share no square but his own: one man cannot close both.
        let attackers = position.pieces(Piece::Attacker);
        let open_lines = |king| lines(king, self.board).into_iter().filter(|line| !line.meets(attackers)).count();
        self.rules().encirclement && position.king().is_some_and(|king| open_lines(king) < 2)
    }
}
