//! Which moves are legal, and why a move is not.

use super::geometry::{BESIDE, any_beside, between, reach};
use super::illegal_move::IllegalMove;
use super::piece::Piece;
use super::position::Position;
use super::rulebook::Rulebook;
use super::rules::KingMoves;
use super::square::{Square, SquareSet};

/// A move: the square that a piece leaves, and the square that it goes to.
///
/// ```
/// use ratatosk::rules::{Move, Square};
///
/// let mv = Move { from: Square::parse("d1").unwrap(), to: Square::parse("d4").unwrap() };
/// assert_eq!(mv.to_string(), "d1-d4");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    pub from: Square,
    pub to: Square,
}

impl Rulebook {
    /// Returns every legal move of the side to move, in the order of the squares. Ignores repetition.
    #[must_use]
    pub fn legal_moves(&self, position: &Position) -> LegalMoves<'_> {
        LegalMoves {
            rulebook: self,
            king: position.pieces(Piece::King),
            common: position.to_move().common_piece(),
            occupied: position.occupied(),
            pieces: position.side(position.to_move()),
            from: Square::from_index(0),
            targets: SquareSet::EMPTY,
        }
    }

    /// Returns the squares to which the piece on `from` may go, whichever side is to move.
    #[must_use]
    pub fn targets(&self, position: &Position, from: Square) -> SquareSet {
        position.at(from).map_or(SquareSet::EMPTY, |piece| self.targets_of(piece, from, position.occupied()))
    }

    /// Returns whether a move is legal, ignoring repetition.
    #[must_use]
    pub fn is_legal(&self, position: &Position, mv: Move) -> bool {
        self.check_move(position, mv).is_ok()
    }

    /// Returns the piece that would make this move. Ignores repetition.
    ///
    /// # Errors
    /// Says why the move is not legal.
    pub fn check_move(&self, position: &Position, mv: Move) -> Result<Piece, IllegalMove> {
        let Move { from, to } = mv;
        for square in [from, to] {
            if !self.board.contains(square) {
                return Err(IllegalMove::off_the_board(square, self.rules().size));
            }
        }
        let piece = position.at(from).ok_or(IllegalMove::NoPiece(from))?;
        if piece.side() != position.to_move() {
            return Err(IllegalMove::OpponentsPiece { square: from, piece });
        }
        if from == to {
            return Err(IllegalMove::StandsStill(from));
        }
        if from.file() != to.file() && from.rank() != to.rank() {
            return Err(IllegalMove::NotInLine { from, to });
        }
        if self.steps(piece) && !BESIDE[from.index()].contains(to) {
            return Err(IllegalMove::SingleStep { from, to });
        }
        for square in between(from, to).chain([to]) {
            if let Some(other) = position.at(square) {
                return Err(IllegalMove::InTheWay { square, piece: other });
            }
            if self.walls(piece).contains(square) {
                return Err(IllegalMove::NoCrossing { square, piece });
            }
        }
        if !self.rest(piece).contains(to) {
            return Err(IllegalMove::NoRest { square: to, piece });
        }
        Ok(piece)
    }

    /// Returns whether the side to move has a legal move, ignoring repetition.
    #[must_use]
    #[inline]
    pub fn can_move(&self, position: &Position) -> bool {
        let piece = position.to_move().common_piece();
        let free = self.rest(piece) - position.occupied();
        // Nearly always some piece has a free square beside it, so lines need not be computed.
        any_beside(position.pieces(piece), free) || self.legal_moves(position).next().is_some()
    }

    fn targets_of(&self, piece: Piece, from: Square, occupied: SquareSet) -> SquareSet {
        let reached =
            if self.steps(piece) { BESIDE[from.index()] - occupied } else { reach(from, occupied | self.walls(piece)) };
        reached & self.rest(piece)
    }

    /// Returns whether this kind of piece moves only one square at a time.
    const fn steps(&self, piece: Piece) -> bool {
        matches!((piece, self.rules().king_moves), (Piece::King, KingMoves::Step))
    }
}

/// The legal moves of a position, one at a time.
#[derive(Clone, Debug)]
pub struct LegalMoves<'rulebook> {
    rulebook: &'rulebook Rulebook,
    king: SquareSet,
    /// The kind of the side's pieces other than the king.
    common: Piece,
    occupied: SquareSet,
    /// The pieces whose moves are still to come.
    pieces: SquareSet,
    from: Square,
    targets: SquareSet,
}

impl Iterator for LegalMoves<'_> {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        while self.targets.is_empty() {
            self.next_piece()?;
        }
        self.targets.pop().map(|to| Move { from: self.from, to })
    }

    /// Visits all moves in two plain loops, which is quicker than one at a time.
    fn fold<B, F: FnMut(B, Move) -> B>(mut self, init: B, mut visit: F) -> B {
        let mut result = init;
        loop {
            for to in self.targets {
                result = visit(result, Move { from: self.from, to });
            }
            if self.next_piece().is_none() {
                return result;
            }
        }
    }
}

impl LegalMoves<'_> {
    #[inline]
    fn next_piece(&mut self) -> Option<()> {
        self.from = self.pieces.pop()?;
        let piece = if self.king.contains(self.from) { Piece::King } else { self.common };
        self.targets = self.rulebook.targets_of(piece, self.from, self.occupied);
        Some(())
    }
}
