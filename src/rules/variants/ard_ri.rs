//! Ard Ri.

use super::{CROSS_7, DOCUMENTED, HouseRule, KING_EMBLEMS, KING_WORDS, OURS, Variant, layout};
use crate::rules::piece::Side;
use crate::rules::rules::{Centre, ClosedSides, Corners, Goal, KingCapture, KingMoves, NoMoves, RepetitionRule, Rules};

pub(super) const ARD_RI: Variant = Variant {
    id: "ard-ri",
    name: "Ard Ri",
    summary: "No throne and no safe square: the high king runs for the edge, and two men take him anywhere.",
    rules: Rules {
        size: 7,
        first: Side::Attackers,
        goal: Goal::Edge,
        king_moves: KingMoves::Line,
        king_armed: true,
        centre: Centre::ORDINARY,
        corners: Corners::ORDINARY,
        king_capture: KingCapture::everywhere(ClosedSides::Two),
        capture_against_besieged_king: false,
        encirclement: true,
        no_moves: NoMoves::Loses,
        repetition: RepetitionRule::AggressorLoses,
    },
    layouts: &[
        layout("cross", CROSS_7, DOCUMENTED),
        layout("ring", "/7/2t1t2/1t1T1t1/2TKT2/1t1T1t1/2t1t2/7/", OURS),
        layout("full", "/2ttt2/3t3/t1TTT1t/ttTKTtt/t1TTT1t/3t3/2ttt2/", OURS),
    ],
    words: KING_WORDS,
    emblems: KING_EMBLEMS,
    house_rules: &[HouseRule::Encirclement, HouseRule::Aggressor, HouseRule::AgreedDraw],
};
