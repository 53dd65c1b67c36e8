//! Magpie.

use super::{CROSS_7, DOCUMENTED, Emblem, Emblems, HouseRule, KING_EMBLEMS, OURS, Variant, Words, layout};
use crate::rules::piece::{PieceSet, Side};
use crate::rules::rules::{Centre, ClosedSides, Corners, Goal, KingCapture, KingMoves, NoMoves, RepetitionRule, Rules};

pub(super) const MAGPIE: Variant = Variant {
    id: "magpie",
    name: "Magpie",
    summary: "A leprechaun drags his gold home to a corner, one square at a time, past eight thieves.",
    rules: Rules {
        size: 7,
        first: Side::Attackers,
        goal: Goal::Corner,
        king_moves: KingMoves::Step,
        king_armed: true,
        centre: Centre {
            rest: PieceSet::KING,
            cross: PieceSet::ALL,
            hostile: PieceSet::NONE,
            hostile_when_empty: PieceSet::ALL,
        },
        corners: Corners { rest: PieceSet::KING, hostile: PieceSet::ALL },
        king_capture: KingCapture { edge_closes: true, ..KingCapture::everywhere(ClosedSides::Four) },
        capture_against_besieged_king: false,
        encirclement: false,
        no_moves: NoMoves::Loses,
        repetition: RepetitionRule::Draws,
    },
    layouts: &[
        layout("circle", "/3t3/1t3t1/3T3/t1TKT1t/3T3/1t3t1/3t3/", DOCUMENTED),
        layout("cross", CROSS_7, DOCUMENTED),
        layout("line", "/2t1t2/7/t2T2t/2TKT2/t2T2t/7/2t1t2/", OURS),
    ],
    words: Words {
        king: "leprechaun",
        defender: "friend",
        defenders: "friends",
        attacker: "thief",
        attackers: "thieves",
        centre: "marked square in the middle",
        corner: "marked corner square",
    },
    emblems: Emblems { king: Emblem::Shamrock, ..KING_EMBLEMS },
    house_rules: &[
        HouseRule::SafeBetweenEnemies,
        HouseRule::NoMoves,
        HouseRule::DrawnRepetition,
        HouseRule::AgreedDraw,
    ],
};
