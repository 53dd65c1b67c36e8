//! What a position threatens: where the king can escape, whether he can be captured, whether one move may win.

use super::geometry::{BESIDE, DIRECTIONS, NEXT, grow, lines};
use super::moves::Move;
use super::piece::{Piece, Side};
use super::position::Position;
use super::rulebook::Rulebook;
use super::rules::{ClosedSides, NoMoves};
use super::square::SquareSet;

impl Rulebook {
    /// Returns the winning squares that the king reaches with one move, whichever side is to move.
    #[must_use]
    pub fn escape_squares(&self, position: &Position) -> SquareSet {
        position.king().map_or(SquareSet::EMPTY, |king| self.targets(position, king) & self.goal())
    }

    /// Returns whether the attackers could capture the king with one move, whichever side is to move.
    ///
    /// ```
    /// use ratatosk::rules::{Side, Variant};
    ///
    /// let rulebook = Variant::find("brandubh").unwrap().rulebook();
    /// // The attacker on a6 can go to a3, which puts the king on b3 between two attackers.
    /// let position = rulebook.read_position("/7/t6/7/7/1Kt4/7/7/", Side::Defenders)?;
    /// assert!(rulebook.king_in_danger(&position));
    /// # Ok::<(), ratatosk::rules::BadSetup>(())
    /// ```
    #[must_use]
    pub fn king_in_danger(&self, position: &Position) -> bool {
        let Some(king) = position.king().filter(|king| !self.goal.contains(*king)) else { return false };
        // A piece captures the king only by moving next to him.
        let captures = |position: &Position, mv: Move| {
            BESIDE[king.index()].contains(mv.to) && self.apply(position, mv).captured_king.is_some()
        };
        let position = position.with_turn(Side::Attackers);
        self.may_capture_king(&position) && self.legal_moves(&position).any(|mv| captures(&position, mv))
    }

    /// Returns whether the side to move may have a winning move. If not, it certainly has none.
    pub(super) fn may_win(&self, position: &Position) -> bool {
        let side = position.to_move();
        self.may_block(position, side.opponent())
            || match side {
                Side::Attackers => self.may_capture_king(position) || self.may_encircle(position),
                Side::Defenders => !self.escape_squares(position).is_empty(),
            }
    }

    /// Returns whether one move against this side may leave it without a legal move.
    fn may_block(&self, position: &Position, side: Side) -> bool {
        // A piece with a free square beside it loses that square only to a piece that goes there, and is captured only
        // by a piece beside it. Either way the mover ends beside it, and one square has four neighbours at most.
        let piece = side.common_piece();
        let free = self.rest(piece) - position.occupied();
        let mobile = position.pieces(piece) & grow(free, self.board);
        self.rules().no_moves == NoMoves::Loses && mobile.len() <= DIRECTIONS as u32
    }

    /// Returns whether closing one more side may capture the king.
    fn may_capture_king(&self, position: &Position) -> bool {
        let Some(king) = position.king() else { return false };
        let closed = NEXT[king.index()].iter().filter(|side| self.closes(position, **side)).count();
        match self.sides_needed(position.pieces(Piece::King)) {
            ClosedSides::Two => closed >= 1,
            ClosedSides::Four => closed >= DIRECTIONS - 1,
        }
    }

    /// Returns whether one move may cut the king's side off from the edge.
    fn may_encircle(&self, position: &Position) -> bool {
        // Two lines from the king to the edge share no square but his own: one attacker cannot close both.
        let attackers = position.pieces(Piece::Attacker);
        let open_lines = |king| lines(king, self.board).into_iter().filter(|line| !line.meets(attackers)).count();
        self.rules().encirclement && position.king().is_some_and(|king| open_lines(king) < 2)
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::walk;
    use super::*;

    /// The slow way: write the position, read it back with the attackers to move, and try every move.
    fn captured_by_some_move(rulebook: &Rulebook, position: &Position) -> bool {
        rulebook.read_position(&rulebook.write_position(position), Side::Attackers).is_ok_and(|theirs| {
            rulebook.legal_moves(&theirs).any(|mv| rulebook.apply(&theirs, mv).captured_king.is_some())
        })
    }

    #[test]
    fn the_king_is_in_danger_where_some_move_of_the_attackers_captures_him() {
        let (mut endangered, mut over) = (0, 0);
        for (rulebook, position) in walk(4_000) {
            // With the positions after each move, also those after which the game is over.
            let after: Vec<_> = rulebook.legal_moves(&position).map(|mv| rulebook.apply(&position, mv)).collect();
            over += after.iter().filter(|played| played.outcome.is_some()).count();
            for position in after.iter().map(|played| &played.position).chain([&position]) {
                let expected = captured_by_some_move(&rulebook, position);
                assert_eq!(rulebook.king_in_danger(position), expected, "{}", rulebook.write_position(position));
                endangered += usize::from(expected);
            }
        }
        assert!(endangered > 1_000, "the king was in danger in only {endangered} positions");
        assert!(over > 100, "the game was over in only {over} positions");
    }
}
