//! What can differ between the games: the rules as plain data.
//!
//! A game is stored with its rules, so their JSON has to be read for good. The options of the first release are in all
//! stored rules: where one is missing, the rules are damaged and not played. An option that is added later needs
//! `#[serde(default = …, skip_serializing_if = …)]`. Its default is how games were played before the option existed. It
//! is not written, so that stored rules, which are looked up by their text, are still found. `tests/rules_stored.rs`
//! reads the JSON of every release.

use super::piece::{Piece, PieceSet, Side};
use super::square::MAX_SIZE;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The rules of one game.
///
/// Games differ in nothing but these options; a [`super::Rulebook`] turns them into the tables that moves need.
///
/// In JSON, a missing option is an error, because the game would be played by other rules than it began with; only
/// options that came after the first release have a default. An option that is unknown is an error, because the game
/// was stored by a later version and would be played wrongly. The names in JSON never change.
///
/// ```
/// use ratatosk::rules::{Rules, Variant};
///
/// let rules = Variant::find("fetlar").unwrap().rules;
/// let json = serde_json::to_string(&rules)?;
/// assert!(json.starts_with(r#"{"size":11,"first":"attackers","goal":"corner","#));
/// assert_eq!(serde_json::from_str::<Rules>(&json)?, rules);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Rules {
    /// How many squares a side of the board has: 5, 7, 9 or 11.
    pub size: u8,
    /// The side that moves first.
    pub first: Side,
    /// Where the king wins.
    pub goal: Goal,
    /// How far the king goes in one move.
    pub king_moves: KingMoves,
    /// Whether the king takes part in captures.
    pub king_armed: bool,
    /// How the centre square differs from others.
    pub centre: Centre,
    /// How the corner squares differ from others.
    pub corners: Corners,
    #[serde(rename = "siege")]
    pub king_capture: KingCapture,
    /// Whether a defender beside the king can be captured against him, while he is on the centre with attackers on his
    /// other three sides.
    #[serde(rename = "beleaguered-capture")]
    pub capture_against_besieged_king: bool,
    /// Whether the attackers win by cutting the king and all defenders off from the edge.
    pub encirclement: bool,
    /// What happens when the side to move has no legal move.
    pub no_moves: NoMoves,
    /// What happens when a position occurs for the third time.
    pub repetition: RepetitionRule,
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
    /// As far as the way is free, like every other piece.
    Line,
    /// One square.
    Step,
}

/// How the centre square differs from others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Centre {
    /// The pieces that may end a move there.
    pub rest: PieceSet,
    /// The pieces that may pass over it while it is empty, among them all that may rest there.
    pub cross: PieceSet,
    /// The pieces that can be captured against it even while it is occupied.
    pub hostile: PieceSet,
    /// The pieces that can be captured against it while it is empty; for the king, it counts as a closed side.
    pub hostile_when_empty: PieceSet,
}

impl Centre {
    /// A square like any other.
    pub const ORDINARY: Self =
        Self { rest: PieceSet::ALL, cross: PieceSet::ALL, hostile: PieceSet::NONE, hostile_when_empty: PieceSet::NONE };
}

/// How the corner squares differ from others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Corners {
    /// The pieces that may end a move there.
    pub rest: PieceSet,
    /// The pieces that can be captured against them; for the king, a corner counts as a closed side.
    pub hostile: PieceSet,
}

impl Corners {
    /// Squares like any other.
    pub const ORDINARY: Self = Self { rest: PieceSet::ALL, hostile: PieceSet::NONE };
}

/// How many sides of the king must be closed to capture him, depending on where he is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct KingCapture {
    /// Away from the centre.
    pub open: ClosedSides,
    pub on_centre: ClosedSides,
    pub beside_centre: ClosedSides,
    /// Whether the edge of the board closes a side.
    pub edge_closes: bool,
}

impl KingCapture {
    /// Returns the same number of sides everywhere.
    #[must_use]
    pub const fn everywhere(sides: ClosedSides) -> Self {
        Self { open: sides, on_centre: sides, beside_centre: sides, edge_closes: false }
    }
}

/// How many sides must be closed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClosedSides {
    /// Two opposite ones.
    Two,
    /// All four.
    Four,
}

/// What happens when the side to move has no legal move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoMoves {
    Loses,
    /// The game is drawn.
    Draws,
}

/// What happens when a position occurs for the third time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RepetitionRule {
    /// Nothing.
    Allowed,
    /// The game is drawn.
    Draws,
    /// The aggressor loses: the side that could have avoided it.
    AggressorLoses,
    /// The aggressor, the side that could have avoided it, may not repeat the position.
    AggressorMustVary,
}

/// Why rules cannot be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnplayableRules {
    /// There is no board of this size.
    Size(u8),
    /// A piece may rest on the centre but not pass over it.
    RestWithoutCrossing,
    /// The king may not rest on the corners, which may be his goal.
    GoalClosedToKing,
}

impl fmt::Display for UnplayableRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size(size) => write!(f, "a board has 5, 7, 9 or 11 squares a side, not {size}"),
            Self::RestWithoutCrossing => {
                f.write_str("a piece that may rest on the centre must be allowed to pass over it")
            }
            Self::GoalClosedToKing => f.write_str("the king must be allowed to rest on the corners to win there"),
        }
    }
}

impl std::error::Error for UnplayableRules {}

impl Rules {
    /// Checks that the options make a game together.
    ///
    /// # Errors
    /// Says which of them do not.
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
