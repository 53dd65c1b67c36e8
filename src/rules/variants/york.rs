//! York.

use super::{DIAMOND_11, DOCUMENTED, HouseRule, KING_EMBLEMS, KING_WORDS, Variant, Words, layout};
use crate::rules::piece::{PieceSet, Side};
use crate::rules::rules::{Centre, ClosedSides, Corners, Goal, KingCapture, KingMoves, NoMoves, RepetitionRule, Rules};

pub(super) const YORK: Variant = Variant {
    id: "york",
    name: "York",
    summary: "A king without arms, hard to take in his castle, makes for the edge of the large board.",
    rules: Rules {
        size: 11,
        first: Side::Attackers,
        goal: Goal::Edge,
        king_moves: KingMoves::Line,
        king_armed: false,
        centre: Centre {
            rest: PieceSet::KING,
            cross: PieceSet::ALL,
            hostile: PieceSet::NONE,
            hostile_when_empty: PieceSet::KING,
        },
        corners: Corners::ORDINARY,
        king_capture: KingCapture::everywhere(ClosedSides::Four),
        capture_against_besieged_king: true,
        encirclement: false,
        no_moves: NoMoves::Loses,
        repetition: RepetitionRule::AggressorMustVary,
    },
    layouts: &[layout("diamond", DIAMOND_11, DOCUMENTED)],
    words: Words { centre: "castle", ..KING_WORDS },
    emblems: KING_EMBLEMS,
    house_rules: &[
        HouseRule::SafeBetweenEnemies,
        HouseRule::ThirdOccurrence,
        HouseRule::Aggressor,
        HouseRule::AgreedDraw,
    ],
};
