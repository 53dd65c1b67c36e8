//! Fetlar.

use super::{DIAMOND_11, DOCUMENTED, HouseRule, KING_EMBLEMS, KING_WORDS, Variant, Words, layout};
use crate::rules::piece::{PieceSet, Side};
use crate::rules::rules::{Centre, ClosedSides, Corners, Goal, KingCapture, KingMoves, NoMoves, RepetitionRule, Rules};

pub(super) const FETLAR: Variant = Variant {
    id: "fetlar",
    name: "Fetlar",
    summary: "The great game: the king needs a corner of the large board, and four men to be taken.",
    rules: Rules {
        size: 11,
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
        corners: Corners { rest: PieceSet::KING, hostile: PieceSet::COMMON },
        king_capture: KingCapture::everywhere(ClosedSides::Four),
        capture_against_besieged_king: false,
        encirclement: false,
        no_moves: NoMoves::Draws,
        repetition: RepetitionRule::Draws,
    },
    layouts: &[layout("diamond", DIAMOND_11, DOCUMENTED)],
    words: Words { centre: "central refuge square", corner: "corner refuge square", ..KING_WORDS },
    emblems: KING_EMBLEMS,
    house_rules: &[HouseRule::KingCaptureBesideCentre, HouseRule::AutomaticDraw, HouseRule::AgreedDraw],
};
