//! What a move does: whom it takes, and whether it ends the game.

use super::geometry::{AROUND, BEHIND, BESIDE, DIRECTIONS, NEXT, grow};
use super::moves::{Move, common_piece};
use super::piece::{Piece, Side};
use super::position::Position;
use super::refusal::IllegalMove;
use super::rulebook::Rulebook;
use super::rules::{NoMoves, Sides};
use super::square::{Square, SquareSet};

/// A move that was made, with everything that came of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Played {
    /// The move.
    pub mv: Move,
    /// Who moved.
    pub piece: Piece,
    /// Where the men stood who were taken, the king left out.
    pub captures: SquareSet,
    /// Where the king stood, if he was taken.
    pub king_taken: Option<Square>,
    /// The position that came of it.
    pub position: Position,
    /// How the game ended by it, if it did.
    pub outcome: Option<Outcome>,
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Outcome {
    /// Who won; nobody did if it was drawn.
    pub winner: Option<Side>,
    /// What ended it.
    pub reason: Reason,
}

/// What ended a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// The king was taken.
    KingCaptured,
    /// The king reached his goal.
    KingEscaped,
    /// The king and all of his men were cut off from the edge.
    Encirclement,
    /// The player whose turn it was could not move.
    NoMoves,
    /// A position came about for the third time.
    Repetition {
        /// The side that could have done something else, where that matters.
        aggressor: Option<Side>,
    },
}

impl Reason {
    /// Tells which side could have ended the repetition, if that ended the game.
    #[must_use]
    pub const fn aggressor(self) -> Option<Side> {
        match self {
            Self::Repetition { aggressor } => aggressor,
            Self::KingCaptured | Self::KingEscaped | Self::Encirclement | Self::NoMoves => None,
        }
    }

    /// Names the reason as records do.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::KingCaptured => "king-captured",
            Self::KingEscaped => "king-escaped",
            Self::Encirclement => "encirclement",
            Self::NoMoves => "no-moves",
            Self::Repetition { .. } => "repetition",
        }
    }
}

impl Played {
    /// Gives the squares of all men who were taken, the king's included.
    #[must_use]
    pub fn taken(&self) -> SquareSet {
        self.captures | self.king_taken.map_or(SquareSet::EMPTY, SquareSet::of)
    }
}

impl Outcome {
    const fn won(winner: Side, reason: Reason) -> Option<Self> {
        Some(Self { winner: Some(winner), reason })
    }
}

impl Rulebook {
    /// Makes a move, or says why it cannot be made; repetition is left out.
    pub fn play(&self, position: &Position, mv: Move) -> Result<Played, IllegalMove> {
        self.check(position, mv).map(|_| self.apply(position, mv))
    }

    /// Makes a move that is known to be legal, such as one from [`Rulebook::legal_moves`].
    #[must_use]
    pub fn apply(&self, before: &Position, mv: Move) -> Played {
        // One copy of the code for each kind of man: with the kind known, most of its questions answer themselves.
        match before.to_move() {
            Side::Attackers => self.apply_by(Piece::Attacker, before, mv),
            Side::Defenders if before.pieces(Piece::King).contains(mv.from) => self.apply_by(Piece::King, before, mv),
            Side::Defenders => self.apply_by(Piece::Defender, before, mv),
        }
    }

    /// Moves a man of a known kind, takes whom he takes and looks whether the game is over.
    #[inline(always)]
    fn apply_by(&self, piece: Piece, before: &Position, mv: Move) -> Played {
        let side = piece.side();
        let mut played =
            Played { mv, piece, captures: SquareSet::EMPTY, king_taken: None, position: *before, outcome: None };
        let position = &mut played.position;
        position.shift(piece, mv.from, mv.to);

        let captures = self.taken_by(position, piece, mv.to);
        if !captures.is_empty() {
            position.remove(common_piece(side.opponent()), captures);
            played.captures = captures;
        }
        match piece {
            Piece::Attacker => {
                if self.takes_king(position, mv.to) {
                    played.king_taken = position.king();
                    position.remove(Piece::King, position.pieces(Piece::King));
                    played.outcome = Outcome::won(Side::Attackers, Reason::KingCaptured);
                } else if self.encircles(position, mv.to, captures) {
                    played.outcome = Outcome::won(Side::Attackers, Reason::Encirclement);
                }
            }
            Piece::King if self.goal.contains(mv.to) => {
                played.outcome = Outcome::won(Side::Defenders, Reason::KingEscaped);
            }
            Piece::King | Piece::Defender => {}
        }
        if played.outcome.is_none() && !self.can_move(&played.position) {
            played.outcome = Some(self.stuck(side.opponent()));
        }
        played
    }

    /// Tells what it means that this side cannot move.
    fn stuck(&self, side: Side) -> Outcome {
        let winner = match self.rules().no_moves {
            NoMoves::Loses => Some(side.opponent()),
            NoMoves::Draws => None,
        };
        Outcome { winner, reason: Reason::NoMoves }
    }

    /// Tells how a game has ended that stands like this, if the king is on the board and not at his goal.
    pub(super) fn blocked(&self, position: &Position) -> Option<Outcome> {
        if self.rules().encirclement && self.is_encircled(position) {
            return Outcome::won(Side::Attackers, Reason::Encirclement);
        }
        (!self.can_move(position)).then(|| self.stuck(position.to_move()))
    }

    /// Gives the men, other than the king, whom a man takes by having moved to `to`.
    #[inline(always)]
    fn taken_by(&self, position: &Position, mover: Piece, to: Square) -> SquareSet {
        let victim = common_piece(mover.side().opponent());
        let victims = position.pieces(victim);
        let armed_king = self.rules().king_armed;
        if !BESIDE[to.index()].meets(victims) || (mover == Piece::King && !armed_king) {
            return SquareSet::EMPTY;
        }
        let partners = match mover.side() {
            Side::Attackers => position.pieces(Piece::Attacker) | self.beleaguered_king(position),
            Side::Defenders if armed_king => position.side(Side::Defenders),
            Side::Defenders => position.pieces(Piece::Defender),
        };
        let anvils = partners | self.hostile(victim, position.occupied());
        let mut taken = SquareSet::EMPTY;
        for way in 0..DIRECTIONS {
            let neighbour = NEXT[to.index()][way];
            if neighbour.meets(victims) && BEHIND[to.index()][way].meets(anvils) {
                taken |= neighbour;
            }
        }
        taken
    }

    /// Gives the square of the king where his own men can be taken against him: on the centre, attackers on three
    /// sides and a defender on the fourth.
    fn beleaguered_king(&self, position: &Position) -> SquareSet {
        let king = position.pieces(Piece::King);
        let besieged = self.rules().beleaguered_capture
            && king == self.centre
            && (self.beside_centre & position.pieces(Piece::Attacker)).len() == 3
            && self.beside_centre.meets(position.pieces(Piece::Defender));
        if besieged { king } else { SquareSet::EMPTY }
    }

    /// Tells whether an attacker takes the king by having moved to `to`.
    fn takes_king(&self, position: &Position, to: Square) -> bool {
        let king = position.pieces(Piece::King);
        if !BESIDE[to.index()].meets(king) {
            return false;
        }
        (0..DIRECTIONS).any(|way| {
            NEXT[to.index()][way] == king
                && match self.sides_needed(king) {
                    Sides::Two => self.closes(position, BEHIND[to.index()][way]),
                    Sides::Four => position
                        .king()
                        .is_some_and(|king| NEXT[king.index()].iter().all(|side| self.closes(position, *side))),
                }
        })
    }

    /// Tells how many sides of a king who stands there must be closed to take him.
    pub(super) fn sides_needed(&self, king: SquareSet) -> Sides {
        let siege = &self.rules().siege;
        if king == self.centre {
            siege.on_centre
        } else if king.meets(self.beside_centre) {
            siege.beside_centre
        } else {
            siege.open
        }
    }

    /// Tells whether a side of the king is closed to him: a square beside him, or none where the board ends.
    pub(super) fn closes(&self, position: &Position, side: SquareSet) -> bool {
        if side.meets(self.board) {
            side.meets(position.pieces(Piece::Attacker) | self.hostile(Piece::King, position.occupied()))
        } else {
            self.rules().siege.edge_closes
        }
    }

    /// Tells whether the attackers have encircled the king's side by a move to `to` that took these men.
    fn encircles(&self, position: &mut Position, to: Square, captures: SquareSet) -> bool {
        if !self.rules().encirclement {
            return false;
        }
        // A ring is a chain of attackers, each touching two others at a side or a corner. So a move closes one only
        // where it touches two attackers; else the way over `to` could have gone around it. Or there was a ring
        // before, and the last man outside was taken. The king's side cannot close a ring around itself: its men
        // walk over free squares, which stay connected to where they came from.
        let may_have_closed = !captures.is_empty()
            || !position.known_open
            || (AROUND[to.index()] & position.pieces(Piece::Attacker)).has_two();
        let encircled = may_have_closed && self.is_encircled(position);
        position.known_open = !encircled;
        encircled
    }

    /// Tells whether no man of the king's side is connected to the edge over squares without attackers.
    #[must_use]
    pub fn is_encircled(&self, position: &Position) -> bool {
        let inside = position.side(Side::Defenders);
        let passable = self.board - position.pieces(Piece::Attacker);
        let mut reached = self.edge & passable;
        loop {
            if reached.meets(inside) {
                return false;
            }
            let next = reached | grow(reached, passable);
            if next == reached {
                return true;
            }
            reached = next;
        }
    }
}
