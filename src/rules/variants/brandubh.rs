//! Brandubh.

use super::{CROSS_7, DOCUMENTED, HouseRule, KING_EMBLEMS, KING_WORDS, Variant, Words, layout};
use crate::rules::piece::{PieceSet, Side};
use crate::rules::rules::{Centre, ClosedSides, Corners, Goal, KingCapture, KingMoves, NoMoves, RepetitionRule, Rules};

pub(super) const BRANDUBH: Variant = Variant {
    id: "brandubh",
    name: "Brandubh",
    summary: "The king of the small board breaks out to a corner; two men take him in the open.",
    rules: Rules {
        size: 7,
        first: Side::Attackers,
        goal: Goal::Corner,
        king_moves: KingMoves::Line,
        king_armed: true,
        centre: Centre {
            rest: PieceSet::KING,
            cross: PieceSet::ALL,
            hostile: PieceSet::ATTACKERS,
            hostile_when_empty: PieceSet::ALL,
        },
        corners: Corners { rest: PieceSet::KING, hostile: PieceSet::ALL },
        king_capture: KingCapture {
            open: ClosedSides::Two,
            on_centre: ClosedSides::Four,
            beside_centre: ClosedSides::Four,
            edge_closes: false,
        },
        capture_against_besieged_king: false,
        encirclement: true,
        no_moves: NoMoves::Loses,
        repetition: RepetitionRule::AggressorLoses,
    },
    layouts: &[layout("cross", CROSS_7, DOCUMENTED)],
    words: Words { centre: "throne", ..KING_WORDS },
    emblems: KING_EMBLEMS,
    house_rules: &[HouseRule::Encirclement, HouseRule::Aggressor, HouseRule::AgreedDraw],
};
