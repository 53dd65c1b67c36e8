//! What can differ between the games: the rules as plain data.

use super::piece::{Piece, PieceSet, Side};
use super::square::MAX_SIZE;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The rules of one game.
///
/// Nothing but these options tells the games apart; [`super::Rulebook`] turns them into the tables that play asks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Rules {
    /// How many squares a side of the board has: 5, 7, 9 or 11.
    pub size: u8,
    /// Who moves first.
    pub first: Side,
    /// Where the king wins.
    pub goal: Goal,
    /// How far the king goes in one move.
    pub king_moves: KingMoves,
    /// Whether the king helps to take men.
    pub king_armed: bool,
    /// What the middle square is.
    pub centre: Centre,
    /// What the corner squares are.
    pub corners: Corners,
    /// How the king is taken.
    pub siege: KingCapture,
    /// Whether a defender can be taken against the king who sits on the centre, besieged on the other three sides.
    pub beleaguered_capture: bool,
    /// Whether the attackers win by cutting the king and all of his men off from the edge.
    pub encirclement: bool,
    /// What happens when the player whose turn it is cannot move.
    pub no_moves: NoMoves,
    /// What happens when a position comes about for the third time.
    pub repetition: Repetition,
}

/// Where the king wins.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// On any square of the edge.
    Edge,
    /// On any of the four corners.
    Corner,
}

/// How far the king goes in one move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KingMoves {
    /// As far as he likes, like everybody else.
    Line,
    /// One square.
    Step,
}

/// What the middle square is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Centre {
    /// Who may end a move there.
    pub rest: PieceSet,
    /// Who may pass over it while it is empty; whoever may rest there may pass.
    pub cross: PieceSet,
    /// Who can be taken against it even while somebody is on it.
    pub hostile: PieceSet,
    /// Who can be taken against it while it is empty; for the king, it counts as one of the sides.
    pub hostile_when_empty: PieceSet,
}

impl Centre {
    /// A square like any other.
    pub const ORDINARY: Self =
        Self { rest: PieceSet::ALL, cross: PieceSet::ALL, hostile: PieceSet::NONE, hostile_when_empty: PieceSet::NONE };
}

/// What the corner squares are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Corners {
    /// Who may end a move there.
    pub rest: PieceSet,
    /// Who can be taken against them; for the king, a corner counts as one of the sides.
    pub hostile: PieceSet,
}

impl Corners {
    /// Squares like any other.
    pub const ORDINARY: Self = Self { rest: PieceSet::ALL, hostile: PieceSet::NONE };
}

/// How many sides of the king must be closed to take him, depending on where he stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct KingCapture {
    /// Away from the centre.
    pub open: Sides,
    /// On the centre.
    pub on_centre: Sides,
    /// Beside the centre.
    pub beside_centre: Sides,
    /// Whether the edge of the board closes a side.
    pub edge_closes: bool,
}

impl KingCapture {
    /// The same number of sides everywhere.
    #[must_use]
    pub const fn everywhere(sides: Sides) -> Self {
        Self { open: sides, on_centre: sides, beside_centre: sides, edge_closes: false }
    }
}

/// How many sides must be closed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sides {
    /// Two opposite ones.
    Two,
    /// All four.
    Four,
}

/// What happens when the player whose turn it is cannot move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoMoves {
    /// He loses.
    Loses,
    /// The game is drawn.
    Draws,
}

/// What happens when a position comes about for the third time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repetition {
    /// Nothing.
    Allowed,
    /// The game is drawn.
    Draws,
    /// The side that could have done something else loses.
    AggressorLoses,
    /// The side that could have done something else may not bring it about.
    AggressorMustVary,
}

/// Why rules cannot be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnplayableRules {
    /// The board is none of the sizes that there are.
    Size(u8),
    /// Somebody may rest on the centre who may not pass over it.
    RestWithoutCrossing,
    /// The king may not rest where he has to go.
    GoalClosedToKing,
}

impl fmt::Display for UnplayableRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size(size) => write!(f, "a board has 5, 7, 9 or 11 squares a side, not {size}"),
            Self::RestWithoutCrossing => f.write_str("whoever may rest on the centre may pass over it"),
            Self::GoalClosedToKing => f.write_str("the king must be allowed to rest on the corners to win there"),
        }
    }
}

impl std::error::Error for UnplayableRules {}

impl Rules {
    /// Checks that the options make a game together.
    pub const fn check(&self) -> Result<(), UnplayableRules> {
        if self.size.is_multiple_of(2) || self.size < 5 || self.size > MAX_SIZE {
            return Err(UnplayableRules::Size(self.size));
        }
        if !self.centre.cross.includes(self.centre.rest) {
            return Err(UnplayableRules::RestWithoutCrossing);
        }
        if !self.corners.rest.contains(Piece::King) {
            return Err(UnplayableRules::GoalClosedToKing);
        }
        Ok(())
    }
}
