//! How the six games differ: the tables of the rules, as plain data.

use super::board::{Board, Side};

/// King moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KingMoves {
    /// One square, orthogonally (Magpie).
    OneSquare,
    /// As a rook, like every other piece.
    AsARook,
}

/// When a marked square stands in for one of the two enemies that take a man.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hostile {
    /// It is an ordinary square in this respect.
    Never,
    /// Only while nobody stands on it.
    WhenEmpty,
    /// Whoever stands on it.
    Always,
}

/// Who has to stand around the king to take him, away from the edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KingInDanger {
    /// Attackers on two opposite sides.
    TwoOppositeSides,
    /// Attackers on all four sides.
    FourAttackers,
    /// Attackers on the three sides that are not the centre.
    ThreeAttackersAndCentre,
}

/// How the king is taken on an edge square (in Magpie and Brandubh also beside a corner).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KingOnTheEdge {
    /// Four sides, and the edge counts as a side, and so does a corner (Magpie).
    EdgeAndCornerCountAsSides,
    /// Two attackers along the edge; beside a corner, one attacker and the corner (Brandubh).
    TwoAlongTheEdge,
    /// He has won.
    HasWon,
    /// He cannot be taken there (Fetlar).
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

/// What happens when the player whose turn it is cannot move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoLegalMove {
    /// He loses.
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
    /// The player in control must find another move (York).
    MustFindAnotherMove,
}

/// The rules of one game: one column of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rules {
    /// The variant, as [`rules`] knows it.
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
    /// Corners hostile to men.
    pub corners_hostile_to_pieces: Hostile,
    /// King taken, in the open.
    pub king_in_the_open: KingInDanger,
    /// … on the centre.
    pub king_on_the_centre: KingInDanger,
    /// … beside the empty centre.
    pub king_beside_the_empty_centre: KingInDanger,
    /// … on the edge and beside a corner.
    pub king_on_the_edge: KingOnTheEdge,
    /// York only: a defender beside the king in his castle may be taken against the king.
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

/// The rules of a variant.
///
/// # Panics
/// If there is no such variant.
pub fn rules(variant: &str) -> Rules {
    match variant {
        "magpie" => magpie(),
        "brandubh" => brandubh(),
        "ard-ri" => ard_ri(),
        "sea-battle" => sea_battle(),
        "york" => york(),
        "fetlar" => fetlar(),
        _ => panic!("there is no variant {variant:?}"),
    }
}

fn magpie() -> Rules {
    Rules {
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
    }
}

fn brandubh() -> Rules {
    Rules {
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
    }
}

fn ard_ri() -> Rules {
    Rules {
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
    }
}

fn sea_battle() -> Rules {
    Rules {
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
    }
}

fn york() -> Rules {
    Rules {
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
    }
}

fn fetlar() -> Rules {
    Rules {
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
    }
}

/// The set-up of a variant, with the player to move who moves first.
///
/// # Panics
/// If there is no such variant or layout.
pub fn start(variant: &str, layout: &str) -> Board {
    let record = match (variant, layout) {
        ("magpie", "circle") => "/3t3/1t3t1/3T3/t1TKT1t/3T3/1t3t1/3t3/",
        ("magpie", "cross") => "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/",
        ("magpie", "line") => "/2t1t2/7/t2T2t/2TKT2/t2T2t/7/2t1t2/",
        ("brandubh", "cross") => "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/",
        ("ard-ri", "cross") => "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/",
        ("ard-ri", "ring") => "/7/2t1t2/1t1T1t1/2TKT2/1t1T1t1/2t1t2/7/",
        ("ard-ri", "full") => "/2ttt2/3t3/t1TTT1t/ttTKTtt/t1TTT1t/3t3/2ttt2/",
        ("sea-battle", "cross") => "/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/",
        ("york" | "fetlar", "diamond") => "/3ttttt3/5t5/11/t4T4t/t3TTT3t/tt1TTKTT1tt/t3TTT3t/t4T4t/11/5t5/3ttttt3/",
        _ => panic!("there is no layout {layout:?} of {variant:?}"),
    };
    Board::parse(record, rules(variant).moves_first)
}
