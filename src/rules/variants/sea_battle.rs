//! Sea Battle.

use super::{DOCUMENTED, Emblem, Emblems, HouseRule, Variant, Words, layout};
use crate::rules::piece::Side;
use crate::rules::rules::{Centre, ClosedSides, Corners, Goal, KingCapture, KingMoves, NoMoves, RepetitionRule, Rules};

pub(super) const SEA_BATTLE: Variant = Variant {
    id: "sea-battle",
    name: "Sea Battle",
    summary: "A cargo ship without arms and her convoy sail for the edge through a fleet of pirates.",
    rules: Rules {
        size: 9,
        first: Side::Defenders,
        goal: Goal::Edge,
        king_moves: KingMoves::Line,
        king_armed: false,
        centre: Centre::ORDINARY,
        corners: Corners::ORDINARY,
        king_capture: KingCapture::everywhere(ClosedSides::Four),
        capture_against_besieged_king: false,
        encirclement: false,
        no_moves: NoMoves::Loses,
        repetition: RepetitionRule::Draws,
    },
    layouts: &[layout("cross", "/3ttt3/4t4/4T4/t3T3t/ttTTKTTtt/t3T3t/4T4/4t4/3ttt3/", DOCUMENTED)],
    words: Words {
        king: "cargo ship",
        defender: "convoy ship",
        defenders: "convoy ships",
        attacker: "pirate",
        attackers: "pirates",
        centre: "middle of the sea",
        corner: "corner of the sea",
    },
    emblems: Emblems { king: Emblem::Ship, defender: Emblem::Anchor, attacker: Emblem::Sabres },
    house_rules: &[
        HouseRule::SafeBetweenEnemies,
        HouseRule::NoMoves,
        HouseRule::DrawnRepetition,
        HouseRule::AgreedDraw,
    ],
};
