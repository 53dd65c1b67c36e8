//! What a move does: what it captures, and whether it ends the game.

use super::geometry::{AROUND, BEHIND, BESIDE, DIRECTIONS, NEXT, grow};
use super::illegal_move::IllegalMove;
use super::moves::Move;
use super::piece::{Piece, Side};
use super::position::Position;
use super::rulebook::Rulebook;
use super::rules::{ClosedSides, NoMoves};
use super::square::{Square, SquareSet};

/// A move with everything that it did.
///
/// ```
/// use ratatosk::rules::{Side, Variant};
///
/// let rulebook = Variant::find("brandubh").unwrap().rulebook();
/// let position = rulebook.read_position("/7/2t4/2T4/t5K/7/7/7/", Side::Attackers)?;
/// let mv = ratatosk::rules::notation::read_move(&rulebook, &position, "a4-c4")?;
/// let played = rulebook.play(&position, mv)?;
/// assert_eq!(played.to_string(), "a4-c4xc5");
/// assert_eq!(played.position.to_move(), Side::Defenders);
/// assert!(played.outcome.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Played {
    pub mv: Move,
    /// The piece that moved.
    pub piece: Piece,
    /// The squares of the captured pieces, without the king's.
    pub captures: SquareSet,
    /// The square of the king, if he was captured.
    pub captured_king: Option<Square>,
    /// The position after the move.
    pub position: Position,
    /// How the move ends the game, if it does.
    pub outcome: Option<Outcome>,
}

/// How a game ended on the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// The king was captured: the attackers win.
    KingCaptured,
    /// The king reached his goal: the defenders win.
    KingEscaped,
    /// The king and all defenders were cut off from the edge: the attackers win.
    Encirclement,
    /// The side to move had no legal move.
    NoMoves {
        /// The winner; `None` under rules by which the game is drawn.
        winner: Option<Side>,
    },
    /// A position occurred for the third time.
    Repetition {
        /// The side that could have avoided it, which therefore loses. `None` if there is no such side, or if the rules
        /// do not ask: then the game is drawn.
        aggressor: Option<Side>,
    },
}

impl Outcome {
    /// Returns the winner; `None` if the game is drawn.
    #[must_use]
    pub const fn winner(self) -> Option<Side> {
        match self {
            Self::KingCaptured | Self::Encirclement => Some(Side::Attackers),
            Self::KingEscaped => Some(Side::Defenders),
            Self::NoMoves { winner } => winner,
            Self::Repetition { aggressor: Some(aggressor) } => Some(aggressor.opponent()),
            Self::Repetition { aggressor: None } => None,
        }
    }

    /// Returns the side that could have avoided a repetition, if a repetition ended the game.
    #[must_use]
    pub const fn aggressor(self) -> Option<Side> {
        match self {
            Self::Repetition { aggressor } => aggressor,
            Self::KingCaptured | Self::KingEscaped | Self::Encirclement | Self::NoMoves { .. } => None,
        }
    }

    /// Returns the name of what ended the game, in JSON and in the store.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::KingCaptured => "king-captured",
            Self::KingEscaped => "king-escaped",
            Self::Encirclement => "encirclement",
            Self::NoMoves { .. } => "no-moves",
            Self::Repetition { .. } => "repetition",
        }
    }
}

impl Played {
    /// Returns the squares of all captured pieces, the king included.
    #[must_use]
    pub fn all_captures(&self) -> SquareSet {
        self.captures | self.captured_king.map_or(SquareSet::EMPTY, SquareSet::of)
    }

    /// Returns the move with its effect on the board alone: without the outcome if repetition ended the game.
    #[must_use]
    pub fn without_repetition(self) -> Self {
        let outcome = self.outcome.filter(|outcome| !matches!(outcome, Outcome::Repetition { .. }));
        Self { outcome, ..self }
    }
}

impl Rulebook {
    /// Makes a move. Ignores repetition.
    ///
    /// # Errors
    /// Says why the move is not legal.
    pub fn play(&self, position: &Position, mv: Move) -> Result<Played, IllegalMove> {
        self.check_move(position, mv).map(|_| self.apply(position, mv))
    }

    /// Makes a move that is known to be legal, such as one from [`Rulebook::legal_moves`].
    #[must_use]
    pub fn apply(&self, before: &Position, mv: Move) -> Played {
        // One copy of the code for each kind of piece: with the kind known, most branches are decided at compile time.
        match before.to_move() {
            Side::Attackers => self.apply_by(Piece::Attacker, before, mv),
            Side::Defenders if before.pieces(Piece::King).contains(mv.from) => self.apply_by(Piece::King, before, mv),
            Side::Defenders => self.apply_by(Piece::Defender, before, mv),
        }
    }

    /// Moves a piece of a known kind, removes what it captures and checks whether the game is over.
    #[inline(always)]
    fn apply_by(&self, piece: Piece, before: &Position, mv: Move) -> Played {
        let side = piece.side();
        let mut played =
            Played { mv, piece, captures: SquareSet::EMPTY, captured_king: None, position: *before, outcome: None };
        let position = &mut played.position;
        position.shift(piece, mv.from, mv.to);

        let captures = self.captures_of(position, piece, mv.to);
        if !captures.is_empty() {
            position.remove(side.opponent().common_piece(), captures);
            played.captures = captures;
        }
        match piece {
            Piece::Attacker => {
                if self.captures_king(position, mv.to) {
                    played.captured_king = position.king();
                    position.remove(Piece::King, position.pieces(Piece::King));
                    played.outcome = Some(Outcome::KingCaptured);
                } else if self.encircles(position, mv.to, captures) {
                    played.outcome = Some(Outcome::Encirclement);
                }
            }
            Piece::King if self.goal.contains(mv.to) => {
                played.outcome = Some(Outcome::KingEscaped);
            }
            Piece::King | Piece::Defender => {}
        }
        if played.outcome.is_none() && !self.can_move(&played.position) {
            played.outcome = Some(self.outcome_without_moves(side.opponent()));
        }
        played
    }

    /// Returns how the game ends when this side has no legal move.
    fn outcome_without_moves(&self, side: Side) -> Outcome {
        let winner = match self.rules().no_moves {
            NoMoves::Loses => Some(side.opponent()),
            NoMoves::Draws => None,
        };
        Outcome::NoMoves { winner }
    }

    /// Returns how a game has ended in this position by encirclement or for lack of moves, if it has.
    pub(super) fn outcome_if_blocked(&self, position: &Position) -> Option<Outcome> {
        if self.rules().encirclement && self.is_encircled(position) {
            return Some(Outcome::Encirclement);
        }
        (!self.can_move(position)).then(|| self.outcome_without_moves(position.to_move()))
    }

    /// Returns the squares of the pieces, other than the king, that a piece captures by having moved to `to`.
    #[inline(always)]
    fn captures_of(&self, position: &Position, mover: Piece, to: Square) -> SquareSet {
        let victim = mover.side().opponent().common_piece();
        let victims = position.pieces(victim);
        let armed_king = self.rules().king_armed;
        if !BESIDE[to.index()].meets(victims) || (mover == Piece::King && !armed_king) {
            return SquareSet::EMPTY;
        }
        let partners = match mover.side() {
            Side::Attackers => position.pieces(Piece::Attacker) | self.besieged_king(position),
            Side::Defenders if armed_king => position.side(Side::Defenders),
            Side::Defenders => position.pieces(Piece::Defender),
        };
        let closing = partners | self.hostile(victim, position.occupied());
        let mut captured = SquareSet::EMPTY;
        for way in 0..DIRECTIONS {
            let neighbour = NEXT[to.index()][way];
            if neighbour.meets(victims) && BEHIND[to.index()][way].meets(closing) {
                captured |= neighbour;
            }
        }
        captured
    }

    /// Returns the square of the king if defenders can be captured against him: he stands on the centre with attackers
    /// on three sides and a defender on the fourth.
    fn besieged_king(&self, position: &Position) -> SquareSet {
        let king = position.pieces(Piece::King);
        let besieged = self.rules().capture_against_besieged_king
            && king == self.centre
            && (self.beside_centre & position.pieces(Piece::Attacker)).len() == 3
            && self.beside_centre.meets(position.pieces(Piece::Defender));
        if besieged { king } else { SquareSet::EMPTY }
    }

    /// Returns whether an attacker captures the king by having moved to `to`.
    fn captures_king(&self, position: &Position, to: Square) -> bool {
        let king = position.pieces(Piece::King);
        if !BESIDE[to.index()].meets(king) {
            return false;
        }
        (0..DIRECTIONS).any(|way| {
            NEXT[to.index()][way] == king
                && match self.sides_needed(king) {
                    ClosedSides::Two => self.closes(position, BEHIND[to.index()][way]),
                    ClosedSides::Four => position
                        .king()
                        .is_some_and(|king| NEXT[king.index()].iter().all(|side| self.closes(position, *side))),
                }
        })
    }

    /// Returns how many sides of a king on this square must be closed to capture him.
    pub(super) fn sides_needed(&self, king: SquareSet) -> ClosedSides {
        let sides = &self.rules().king_capture;
        if king == self.centre {
            sides.on_centre
        } else if king.meets(self.beside_centre) {
            sides.beside_centre
        } else {
            sides.open
        }
    }

    /// Returns whether a side of the king is closed. The side is a square beside him, or empty beyond the edge.
    pub(super) fn closes(&self, position: &Position, side: SquareSet) -> bool {
        if side.meets(self.board) {
            side.meets(position.pieces(Piece::Attacker) | self.hostile(Piece::King, position.occupied()))
        } else {
            self.rules().king_capture.edge_closes
        }
    }

    /// Returns whether the attackers have encircled the king's side by a move to `to` with these captures.
    fn encircles(&self, position: &mut Position, to: Square, captures: SquareSet) -> bool {
        if !self.rules().encirclement {
            return false;
        }
        // A ring is a chain of attackers, each touching two others at a side or a corner. So a move can only close one
        // where it touches two attackers; otherwise a path over `to` could go around it. The other way is that there
        // was a ring before, and the last defender outside was captured. The king's side cannot close a ring around
        // itself: its pieces move over free squares, which stay connected to where they came from.
        let may_have_closed = !captures.is_empty()
            || !position.known_open
            || (AROUND[to.index()] & position.pieces(Piece::Attacker)).has_two();
        let encircled = may_have_closed && self.is_encircled(position);
        position.known_open = !encircled;
        encircled
    }

    /// Returns whether no piece of the king's side is connected to the edge over squares without attackers.
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
