//! How the games differ: the tables of the rules, as plain data.

use super::board::Side;

/// King moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KingMoves {
    /// One square, orthogonally (Magpie).
    OneSquare,
    /// As a rook, like every other piece.
    AsARook,
}

/// When a marked square counts as one of the two enemies that capture a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hostile {
    /// It is an ordinary square in this respect.
    Never,
    /// Only while nobody stands on it.
    WhenEmpty,
    /// Always, also while it is occupied.
    Always,
}

/// Which attackers capture the king, away from the edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KingInDanger {
    /// Attackers on two opposite sides.
    TwoOppositeSides,
    /// Attackers on all four sides.
    FourAttackers,
    /// Attackers on the three sides that are not the centre.
    ThreeAttackersAndCentre,
}

/// How the king is captured on an edge square (in Magpie and Brandubh also beside a corner).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KingOnTheEdge {
    /// Four sides, and the edge counts as a side, and so does a corner (Magpie).
    EdgeAndCornerCountAsSides,
    /// Two attackers along the edge; beside a corner, one attacker and the corner (Brandubh).
    TwoAlongTheEdge,
    /// He has won.
    HasWon,
    /// He cannot be captured there (Fetlar).
    CannotBeTaken,
}

/// The king's side wins when the king stands there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// One of the four corner squares.
    Corner,
    /// Any edge square, corners included.
    Edge,
}

/// What happens when the side to move has no legal move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoLegalMove {
    /// It loses.
    MoverLoses,
    /// The game is drawn (Fetlar).
    Draw,
}

/// What happens when a position occurs for the third time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThirdOccurrence {
    /// The game is drawn at once.
    Draw,
    /// The aggressor loses (Brandubh, Ard Ri).
    AggressorLoses,
    /// The aggressor must find another move (York).
    MustFindAnotherMove,
}

/// The rules of one game: one column of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rules {
    /// The id of the variant.
    pub name: &'static str,
    /// Squares along one edge.
    pub size: i32,
    /// Moves first.
    pub moves_first: Side,
    /// King moves.
    pub king_moves: KingMoves,
    /// King helps to capture.
    pub king_helps_to_capture: bool,
    /// Centre: only the king may rest on it (all may cross it when it is empty).
    pub centre_for_king_only: bool,
    /// Corners: king only.
    pub corners_for_king_only: bool,
    /// Centre hostile to attackers.
    pub centre_hostile_to_attackers: Hostile,
    /// Centre hostile to defenders.
    pub centre_hostile_to_defenders: Hostile,
    /// Corners hostile to pieces other than the king.
    pub corners_hostile_to_pieces: Hostile,
    /// King captured, in the open.
    pub king_in_the_open: KingInDanger,
    /// … on the centre.
    pub king_on_the_centre: KingInDanger,
    /// … beside the empty centre.
    pub king_beside_the_empty_centre: KingInDanger,
    /// … on the edge and beside a corner.
    pub king_on_the_edge: KingOnTheEdge,
    /// York only: a defender beside the king in his castle may be captured against the king.
    pub defender_taken_against_besieged_king: bool,
    /// King's side wins.
    pub goal: Goal,
    /// Encirclement wins.
    pub encirclement_wins: bool,
    /// No legal move.
    pub no_legal_move: NoLegalMove,
    /// Third occurrence. (The oracle judges who is the aggressor; it does not end games by it.)
    pub third_occurrence: ThirdOccurrence,
}

/// Every game that the oracle knows. It has its own table, because it has to understand the rules by itself.
pub const GAMES: &[Rules] = &[MAGPIE, BRANDUBH, ARD_RI, SEA_BATTLE, YORK, FETLAR];

const MAGPIE: Rules = Rules {
    name: "magpie",
    size: 7,
    moves_first: Side::Attackers,
    king_moves: KingMoves::OneSquare,
    king_helps_to_capture: true,
    centre_for_king_only: true,
    corners_for_king_only: true,
    centre_hostile_to_attackers: Hostile::WhenEmpty,
    centre_hostile_to_defenders: Hostile::WhenEmpty,
    // The leaflet: "between an enemy and an empty marked square".
    corners_hostile_to_pieces: Hostile::WhenEmpty,
    king_in_the_open: KingInDanger::FourAttackers,
    king_on_the_centre: KingInDanger::FourAttackers,
    king_beside_the_empty_centre: KingInDanger::ThreeAttackersAndCentre,
    king_on_the_edge: KingOnTheEdge::EdgeAndCornerCountAsSides,
    defender_taken_against_besieged_king: false,
    goal: Goal::Corner,
    encirclement_wins: false,
    no_legal_move: NoLegalMove::MoverLoses,
    third_occurrence: ThirdOccurrence::Draw,
};

const BRANDUBH: Rules = Rules {
    name: "brandubh",
    size: 7,
    moves_first: Side::Attackers,
    king_moves: KingMoves::AsARook,
    king_helps_to_capture: true,
    centre_for_king_only: true,
    corners_for_king_only: true,
    centre_hostile_to_attackers: Hostile::Always,
    centre_hostile_to_defenders: Hostile::WhenEmpty,
    corners_hostile_to_pieces: Hostile::Always,
    king_in_the_open: KingInDanger::TwoOppositeSides,
    king_on_the_centre: KingInDanger::FourAttackers,
    king_beside_the_empty_centre: KingInDanger::ThreeAttackersAndCentre,
    king_on_the_edge: KingOnTheEdge::TwoAlongTheEdge,
    defender_taken_against_besieged_king: false,
    goal: Goal::Corner,
    encirclement_wins: true,
    no_legal_move: NoLegalMove::MoverLoses,
    third_occurrence: ThirdOccurrence::AggressorLoses,
};

const ARD_RI: Rules = Rules {
    name: "ard-ri",
    size: 7,
    moves_first: Side::Attackers,
    king_moves: KingMoves::AsARook,
    king_helps_to_capture: true,
    centre_for_king_only: false,
    corners_for_king_only: false,
    centre_hostile_to_attackers: Hostile::Never,
    centre_hostile_to_defenders: Hostile::Never,
    corners_hostile_to_pieces: Hostile::Never,
    king_in_the_open: KingInDanger::TwoOppositeSides,
    king_on_the_centre: KingInDanger::TwoOppositeSides,
    king_beside_the_empty_centre: KingInDanger::TwoOppositeSides,
    king_on_the_edge: KingOnTheEdge::HasWon,
    defender_taken_against_besieged_king: false,
    goal: Goal::Edge,
    encirclement_wins: true,
    no_legal_move: NoLegalMove::MoverLoses,
    third_occurrence: ThirdOccurrence::AggressorLoses,
};

const SEA_BATTLE: Rules = Rules {
    name: "sea-battle",
    size: 9,
    moves_first: Side::Defenders,
    king_moves: KingMoves::AsARook,
    king_helps_to_capture: false,
    centre_for_king_only: false,
    corners_for_king_only: false,
    centre_hostile_to_attackers: Hostile::Never,
    centre_hostile_to_defenders: Hostile::Never,
    corners_hostile_to_pieces: Hostile::Never,
    king_in_the_open: KingInDanger::FourAttackers,
    king_on_the_centre: KingInDanger::FourAttackers,
    king_beside_the_empty_centre: KingInDanger::FourAttackers,
    king_on_the_edge: KingOnTheEdge::HasWon,
    defender_taken_against_besieged_king: false,
    goal: Goal::Edge,
    encirclement_wins: false,
    no_legal_move: NoLegalMove::MoverLoses,
    third_occurrence: ThirdOccurrence::Draw,
};

const YORK: Rules = Rules {
    name: "york",
    size: 11,
    moves_first: Side::Attackers,
    king_moves: KingMoves::AsARook,
    king_helps_to_capture: false,
    centre_for_king_only: true,
    corners_for_king_only: false,
    centre_hostile_to_attackers: Hostile::Never,
    centre_hostile_to_defenders: Hostile::Never,
    corners_hostile_to_pieces: Hostile::Never,
    king_in_the_open: KingInDanger::FourAttackers,
    king_on_the_centre: KingInDanger::FourAttackers,
    king_beside_the_empty_centre: KingInDanger::ThreeAttackersAndCentre,
    king_on_the_edge: KingOnTheEdge::HasWon,
    defender_taken_against_besieged_king: true,
    goal: Goal::Edge,
    encirclement_wins: false,
    no_legal_move: NoLegalMove::MoverLoses,
    third_occurrence: ThirdOccurrence::MustFindAnotherMove,
};

const FETLAR: Rules = Rules {
    name: "fetlar",
    size: 11,
    moves_first: Side::Attackers,
    king_moves: KingMoves::AsARook,
    king_helps_to_capture: true,
    centre_for_king_only: true,
    corners_for_king_only: true,
    centre_hostile_to_attackers: Hostile::Always,
    centre_hostile_to_defenders: Hostile::WhenEmpty,
    corners_hostile_to_pieces: Hostile::Always,
    king_in_the_open: KingInDanger::FourAttackers,
    king_on_the_centre: KingInDanger::FourAttackers,
    king_beside_the_empty_centre: KingInDanger::ThreeAttackersAndCentre,
    king_on_the_edge: KingOnTheEdge::CannotBeTaken,
    defender_taken_against_besieged_king: false,
    goal: Goal::Corner,
    encirclement_wins: false,
    no_legal_move: NoLegalMove::Draw,
    third_occurrence: ThirdOccurrence::Draw,
};
