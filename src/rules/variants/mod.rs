//! The games that can be played: a list of rules, boards and words, with one file for each game.
//!
//! Another game is one more file and one more entry of `LIST`; menus, rules in words, pictures and most tests go
//! through the list. CONTRIBUTING.md says what else it takes.

mod ard_ri;
mod brandubh;
mod fetlar;
mod magpie;
mod sea_battle;
mod york;

use crate::rules::piece::{Piece, Side};
use crate::rules::position::Position;
use crate::rules::record::Record;
use crate::rules::rulebook::Rulebook;
use crate::rules::rules::Rules;
use std::sync::Arc;

/// A game: its rules, how the pieces can be set up, and what it calls things.
///
/// ```
/// use ratatosk::rules::{Side, Variant};
///
/// let magpie = Variant::find("magpie").unwrap();
/// assert_eq!((magpie.name, magpie.rules.size), ("Magpie", 7));
/// assert_eq!(magpie.words.side(Side::Attackers), "thieves");
/// let game = magpie.new_record(magpie.layout("cross").unwrap());
/// assert_eq!(game.position().to_move(), magpie.rules.first);
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Variant {
    /// Its name in commands and records.
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// One sentence that says how it differs from the others.
    pub summary: &'static str,
    pub rules: Rules,
    /// How the pieces can be set up; the first is the default.
    pub layouts: &'static [Layout],
    /// What it calls the pieces and the squares.
    pub words: Words,
    /// What is drawn on the pieces.
    pub emblems: Emblems,
    /// The rules that are ours, because the variant's document is silent or unclear.
    pub house_rules: &'static [HouseRule],
}

/// A way to set the pieces up.
#[derive(Debug)]
#[non_exhaustive]
pub struct Layout {
    /// Its name in commands and records.
    pub id: &'static str,
    /// The first position, top rank first.
    pub start_position: &'static str,
    /// Whether it is ours rather than the document's.
    pub is_house_rule: bool,
}

/// What a game calls the pieces and the squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Words {
    pub king: &'static str,
    pub defender: &'static str,
    pub defenders: &'static str,
    pub attacker: &'static str,
    pub attackers: &'static str,
    /// The middle square.
    pub centre: &'static str,
    /// A corner square.
    pub corner: &'static str,
}

/// The emblems on the pieces of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Emblems {
    pub king: Emblem,
    pub defender: Emblem,
    pub attacker: Emblem,
}

/// An emblem on a piece. Every kind of piece can have any of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Emblem {
    /// Two crossed bars.
    Cross,
    /// A ring around a disc.
    Rings,
    /// A crown with three points.
    Crown,
    /// A leaf of clover with its stem.
    Shamrock,
    /// A ship under sail.
    Ship,
    Anchor,
    /// Two crossed sabres.
    Sabres,
}

/// A rule that is ours in some games.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HouseRule {
    /// Going between two enemies is safe.
    SafeBetweenEnemies,
    /// The king beside the empty centre is captured by three attackers.
    KingCaptureBesideCentre,
    /// What exactly counts as encircled.
    Encirclement,
    /// What happens to a side without a legal move.
    NoMoves,
    /// A third occurrence is drawn.
    DrawnRepetition,
    /// A third occurrence is drawn by itself and not only on request.
    AutomaticDraw,
    /// "Repeated three times" means the third occurrence.
    ThirdOccurrence,
    /// How the aggressor is found, and the draw if there is none.
    Aggressor,
    /// The players can agree on a draw.
    AgreedDraw,
}

impl Variant {
    /// Finds a variant by its name in commands.
    #[must_use]
    pub fn find(id: &str) -> Option<&'static Self> {
        VARIANTS.iter().find(|variant| variant.id == id)
    }

    /// Finds a layout by its name in commands.
    #[must_use]
    pub fn layout(&self, id: &str) -> Option<&'static Layout> {
        self.layouts.iter().find(|layout| layout.id == id)
    }

    /// Returns the layout that is used if none is chosen.
    #[must_use]
    pub const fn default_layout(&self) -> &'static Layout {
        // The assertion below the list proves that there is one.
        &self.layouts[0]
    }

    /// Returns the rulebook of the game.
    #[must_use]
    pub fn rulebook(&self) -> Rulebook {
        // The assertion below the list proves that the rules fit together.
        Rulebook::compile(self.rules)
    }

    /// Returns the first position of a layout.
    ///
    /// # Panics
    /// Panics if the layout is one of another variant.
    #[must_use]
    #[expect(
        clippy::expect_used,
        reason = "a unit test below reads every layout with its variant; callers pass no other"
    )]
    pub fn start_position(&self, layout: &Layout) -> Position {
        self.rulebook()
            .read_position(layout.start_position, self.rules.first)
            .expect("every layout of the list can be played")
    }

    /// Returns a record without moves that begins with a layout.
    ///
    /// # Panics
    /// Panics if the layout is one of another variant.
    #[must_use]
    pub fn new_record(&self, layout: &Layout) -> Record {
        Record::new(Arc::new(self.rulebook()), self.start_position(layout))
    }
}

const CROSS_7: &str = "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/";
const DIAMOND_11: &str = "/3ttttt3/5t5/11/t4T4t/t3TTT3t/tt1TTKTT1tt/t3TTT3t/t4T4t/11/5t5/3ttttt3/";

const DOCUMENTED: bool = false;
const OURS: bool = true;

const KING_WORDS: Words = Words {
    king: "king",
    defender: "defender",
    defenders: "defenders",
    attacker: "attacker",
    attackers: "attackers",
    centre: "centre",
    corner: "corner",
};

const KING_EMBLEMS: Emblems = Emblems { king: Emblem::Crown, defender: Emblem::Rings, attacker: Emblem::Cross };

const fn layout(id: &'static str, start_position: &'static str, is_house_rule: bool) -> Layout {
    Layout { id, start_position, is_house_rule }
}

/// Every game that can be played.
pub static VARIANTS: &[Variant] = LIST;

const LIST: &[Variant] =
    &[magpie::MAGPIE, brandubh::BRANDUBH, ard_ri::ARD_RI, sea_battle::SEA_BATTLE, york::YORK, fetlar::FETLAR];

// What `default_layout` and `rulebook` rely on, checked at compile time.
const _: () = {
    let mut n = 0;
    while n < LIST.len() {
        assert!(LIST[n].rules.check().is_ok());
        assert!(!LIST[n].layouts.is_empty());
        n += 1;
    }
};

impl Words {
    /// Returns the word for a piece.
    #[must_use]
    pub const fn piece(&self, piece: Piece) -> &'static str {
        match piece {
            Piece::Attacker => self.attacker,
            Piece::Defender => self.defender,
            Piece::King => self.king,
        }
    }

    /// Returns the word for a side.
    #[must_use]
    pub const fn side(&self, side: Side) -> &'static str {
        match side {
            Side::Attackers => self.attackers,
            Side::Defenders => self.defenders,
        }
    }
}

impl Emblems {
    /// Returns the emblem of a kind of piece.
    #[must_use]
    pub const fn piece(&self, piece: Piece) -> Emblem {
        match piece {
            Piece::Attacker => self.attacker,
            Piece::Defender => self.defender,
            Piece::King => self.king,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_can_be_played() {
        for variant in VARIANTS {
            for layout in variant.layouts {
                let record = variant.new_record(layout);
                assert_eq!(record.rulebook().write_position(record.position()), layout.start_position);
                assert!(record.rulebook().can_move(record.position()), "{} {}", variant.id, layout.id);
            }
        }
    }
}
