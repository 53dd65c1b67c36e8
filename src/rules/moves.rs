//! Where men may go, and why not.

use super::geometry::{BESIDE, any_beside, between, reach};
use super::men::{Man, Side};
use super::options::KingMoves;
use super::position::Position;
use super::refusal::Refusal;
use super::rulebook::Rulebook;
use super::square::{Square, SquareSet};

/// A move: from where to where.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    /// Where the man stood.
    pub from: Square,
    /// Where he goes.
    pub to: Square,
}

impl Rulebook {
    /// Gives every legal move of the player whose turn it is, in the order of the squares; repetition is left out.
    #[must_use]
    pub fn legal_moves(&self, position: &Position) -> LegalMoves<'_> {
        LegalMoves {
            book: self,
            king: position.men(Man::King),
            common: common_man(position.to_move()),
            occupied: position.occupied(),
            men: position.side(position.to_move()),
            from: Square::from_index(0),
            targets: SquareSet::EMPTY,
        }
    }

    /// Gives the squares to which the man on `from` may go, whoever's turn it is.
    #[must_use]
    pub fn targets(&self, position: &Position, from: Square) -> SquareSet {
        position.at(from).map_or(SquareSet::EMPTY, |man| self.targets_of(man, from, position.occupied()))
    }

    /// Tells whether a move is legal; repetition is left out.
    #[must_use]
    pub fn is_legal(&self, position: &Position, mv: Move) -> bool {
        self.check(position, mv).is_ok()
    }

    /// Tells who would make this move, or why it is not legal; repetition is left out.
    pub fn check(&self, position: &Position, mv: Move) -> Result<Man, Refusal> {
        let Move { from, to } = mv;
        for square in [from, to] {
            if !self.board.contains(square) {
                return Err(Refusal::off_the_board(square, self.rules().size));
            }
        }
        let man = position.at(from).ok_or(Refusal::NoMan(from))?;
        if man.side() != position.to_move() {
            return Err(Refusal::OpponentsMan { square: from, man });
        }
        if from == to {
            return Err(Refusal::StandsStill(from));
        }
        if from.file() != to.file() && from.rank() != to.rank() {
            return Err(Refusal::NotInLine { from, to });
        }
        if self.steps(man) && !BESIDE[from.index()].contains(to) {
            return Err(Refusal::SingleStep { from, to });
        }
        for square in between(from, to).chain([to]) {
            if let Some(other) = position.at(square) {
                return Err(Refusal::InTheWay { square, man: other });
            }
            if self.walls(man).contains(square) {
                return Err(Refusal::NoCrossing { square, man });
            }
        }
        if !self.rest(man).contains(to) {
            return Err(Refusal::NoRest { square: to, man });
        }
        Ok(man)
    }

    /// Tells whether the player whose turn it is has a legal move; repetition is left out.
    #[must_use]
    #[inline]
    pub fn can_move(&self, position: &Position) -> bool {
        let man = common_man(position.to_move());
        let free = self.rest(man) - position.occupied();
        // Nearly always somebody can take a single step, which needs no look at lines.
        any_beside(position.men(man), free) || self.legal_moves(position).next().is_some()
    }

    fn targets_of(&self, man: Man, from: Square, occupied: SquareSet) -> SquareSet {
        let reached =
            if self.steps(man) { BESIDE[from.index()] - occupied } else { reach(from, occupied | self.walls(man)) };
        reached & self.rest(man)
    }

    /// Tells whether this kind of man goes only one square at a time.
    const fn steps(&self, man: Man) -> bool {
        matches!((man, self.rules().king_moves), (Man::King, KingMoves::Step))
    }
}

/// The kind of man of which a side has many.
pub(super) const fn common_man(side: Side) -> Man {
    match side {
        Side::Attackers => Man::Attacker,
        Side::Defenders => Man::Defender,
    }
}

/// The legal moves of a position, one at a time.
#[derive(Clone, Debug)]
pub struct LegalMoves<'book> {
    book: &'book Rulebook,
    king: SquareSet,
    common: Man,
    occupied: SquareSet,
    /// The men whose moves are still to come.
    men: SquareSet,
    from: Square,
    targets: SquareSet,
}

impl Iterator for LegalMoves<'_> {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        while self.targets.is_empty() {
            self.next_man()?;
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
            if self.next_man().is_none() {
                return result;
            }
        }
    }
}

impl LegalMoves<'_> {
    #[inline]
    fn next_man(&mut self) -> Option<()> {
        self.from = self.men.pop()?;
        let man = if self.king.contains(self.from) { Man::King } else { self.common };
        self.targets = self.book.targets_of(man, self.from, self.occupied);
        Some(())
    }
}
