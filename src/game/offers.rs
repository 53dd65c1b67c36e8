//! What the players have offered each other.

use crate::rules::Side;
use serde::{Deserialize, Serialize};

/// What can be offered or asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OfferKind {
    /// To call it a draw.
    Draw,
    /// To take a move back.
    Takeback,
    /// To play again with the sides swapped.
    Rematch,
}

impl OfferKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Draw, Self::Takeback, Self::Rematch];

    /// Names the kind as the store and buttons do.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Draw => "draw",
            Self::Takeback => "takeback",
            Self::Rematch => "rematch",
        }
    }
}

/// One kind of offer: who made it, if it stands, and when each side's last one was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Offer {
    /// Who has made it, if it stands.
    pub by: Option<Side>,
    /// After how many plies the attackers' last one was refused.
    pub attackers_refused: Option<u32>,
    /// After how many plies the last one of the king's side was refused.
    pub defenders_refused: Option<u32>,
}

impl Offer {
    const fn refused(&self, side: Side) -> Option<u32> {
        match side {
            Side::Attackers => self.attackers_refused,
            Side::Defenders => self.defenders_refused,
        }
    }
}

/// All offers of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Offers {
    draw: Offer,
    takeback: Offer,
    rematch: Offer,
    /// Whether the rematch has begun. Not part of the JSON, because the store has a column for it.
    #[serde(skip)]
    rematched: bool,
}

impl Offers {
    /// Gives what stands of one kind.
    #[must_use]
    pub const fn get(&self, kind: OfferKind) -> &Offer {
        match kind {
            OfferKind::Draw => &self.draw,
            OfferKind::Takeback => &self.takeback,
            OfferKind::Rematch => &self.rematch,
        }
    }

    const fn get_mut(&mut self, kind: OfferKind) -> &mut Offer {
        match kind {
            OfferKind::Draw => &mut self.draw,
            OfferKind::Takeback => &mut self.takeback,
            OfferKind::Rematch => &mut self.rematch,
        }
    }

    /// Tells who has made an offer of this kind that stands.
    #[must_use]
    pub const fn standing(&self, kind: OfferKind) -> Option<Side> {
        self.get(kind).by
    }

    /// Tells whether a side has to wait because its last offer was refused and not both have moved since.
    #[must_use]
    pub fn too_soon(&self, kind: OfferKind, side: Side, plies: usize) -> bool {
        // Nobody moves any more when a rematch is offered.
        kind != OfferKind::Rematch && self.get(kind).refused(side).is_some_and(|at| plies < at as usize + 2)
    }

    /// Tells whether the rematch has begun.
    #[must_use]
    pub const fn rematched(&self) -> bool {
        self.rematched
    }

    /// Returns the same offers, with a rematch that has begun or not.
    #[must_use]
    pub const fn with_rematched(mut self, rematched: bool) -> Self {
        self.rematched = rematched;
        self
    }

    /// Notes that the rematch has begun.
    pub(super) const fn note_rematch(&mut self) {
        self.rematched = true;
    }

    /// Counts the moves since refusals anew after some were taken back.
    pub(super) fn take_back_to(&mut self, plies: usize) {
        let most = u32::try_from(plies).unwrap_or(u32::MAX);
        for offer in [&mut self.draw, &mut self.takeback] {
            offer.attackers_refused = offer.attackers_refused.map(|at| at.min(most));
            offer.defenders_refused = offer.defenders_refused.map(|at| at.min(most));
        }
    }

    pub(super) fn make(&mut self, kind: OfferKind, side: Side) {
        self.get_mut(kind).by = Some(side);
    }

    /// Takes an offer off the table because it was accepted or withdrawn.
    pub(super) fn clear(&mut self, kind: OfferKind) {
        self.get_mut(kind).by = None;
    }

    /// Takes an offer off the table because it was refused, and remembers when.
    pub(super) fn refuse(&mut self, kind: OfferKind, plies: usize) {
        let offer = self.get_mut(kind);
        let at = Some(u32::try_from(plies).unwrap_or(u32::MAX));
        match offer.by.take() {
            Some(Side::Attackers) => offer.attackers_refused = at,
            Some(Side::Defenders) => offer.defenders_refused = at,
            None => {}
        }
    }
}
