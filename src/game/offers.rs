//! What the players have offered each other.

use crate::rules::Side;
use serde::{Deserialize, Serialize};

/// What a player can offer or ask for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OfferKind {
    Draw,
    /// Taking the last move back.
    Takeback,
    /// Another game with the sides swapped.
    Rematch,
}

impl OfferKind {
    pub const ALL: [Self; 3] = [Self::Draw, Self::Takeback, Self::Rematch];

    /// Returns the name in the store and on buttons.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Draw => "draw",
            Self::Takeback => "takeback",
            Self::Rematch => "rematch",
        }
    }
}

/// The state of one kind of offer: who made it, if it is open, and when each side's last one was declined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
struct Offer {
    /// The side that made the open offer.
    by: Option<Side>,
    /// After how many plies the attackers' last offer was declined.
    #[serde(rename = "attackers_refused")]
    attackers_declined: Option<u32>,
    /// After how many plies the defenders' last offer was declined.
    #[serde(rename = "defenders_refused")]
    defenders_declined: Option<u32>,
}

impl Offer {
    const fn declined(&self, side: Side) -> Option<u32> {
        match side {
            Side::Attackers => self.attackers_declined,
            Side::Defenders => self.defenders_declined,
        }
    }
}

/// All offers of a game. The names in JSON never change.
///
/// ```
/// use ratatosk::game::{Action, Game, OfferKind, Timestamp};
/// use ratatosk::rules::Side;
/// # use ratatosk::game::{ChannelId, GameId, GameTerms, Pace, Place, PlayerId, Players, Refusal};
/// # let variant = ratatosk::rules::Variant::find("brandubh").unwrap();
/// # let (ann, bo) = (PlayerId(1), PlayerId(2));
/// # let terms = GameTerms {
/// #     variant,
/// #     layout: variant.default_layout(),
/// #     rules: variant.rules,
/// #     players: Players { attackers: ann, defenders: bo },
/// #     pace: Pace::default(),
/// #     place: Place { server: None, channel: ChannelId(1), thread: None },
/// # };
/// # let game = Game::begin(GameId(1), terms, Timestamp(0)).unwrap();
/// let offered = game.act(ann, Action::Offer(OfferKind::Draw), Timestamp(60))?.game;
/// assert_eq!(offered.offers.offered_by(OfferKind::Draw), Some(Side::Attackers));
///
/// let declined = offered.act(bo, Action::Decline(OfferKind::Draw), Timestamp(120))?.game;
/// assert_eq!(declined.offers.offered_by(OfferKind::Draw), None);
/// // Both have to move before Ann can offer a draw again.
/// let again = declined.act(ann, Action::Offer(OfferKind::Draw), Timestamp(180));
/// assert_eq!(again.unwrap_err(), Refusal::TooSoon(OfferKind::Draw));
/// # Ok::<(), Refusal>(())
/// ```
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
    const fn get(&self, kind: OfferKind) -> &Offer {
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

    /// Returns the side that made the open offer of this kind, if there is one.
    #[must_use]
    pub const fn offered_by(&self, kind: OfferKind) -> Option<Side> {
        self.get(kind).by
    }

    /// Returns whether a side has to wait because its last offer was declined and not both have moved since.
    pub(super) fn too_soon(&self, kind: OfferKind, side: Side, plies: usize) -> bool {
        // There are no more moves to wait for when a rematch is offered.
        kind != OfferKind::Rematch && self.get(kind).declined(side).is_some_and(|at| plies < at as usize + 2)
    }

    /// Returns whether the rematch has begun.
    #[must_use]
    pub const fn rematched(&self) -> bool {
        self.rematched
    }

    /// Returns the offers with what the store knows about the rematch.
    #[must_use]
    pub const fn with_rematched(mut self, rematched: bool) -> Self {
        self.rematched = rematched;
        self
    }

    /// Records that the rematch has begun.
    pub(super) const fn note_rematch(&mut self) {
        self.rematched = true;
    }

    /// After moves were taken back, counts offers that were declined later as declined at the last move that is left.
    pub(super) fn take_back_to(&mut self, plies: usize) {
        let most = u32::try_from(plies).unwrap_or(u32::MAX);
        for offer in [&mut self.draw, &mut self.takeback] {
            offer.attackers_declined = offer.attackers_declined.map(|at| at.min(most));
            offer.defenders_declined = offer.defenders_declined.map(|at| at.min(most));
        }
    }

    /// Opens an offer.
    pub(super) fn make(&mut self, kind: OfferKind, side: Side) {
        self.get_mut(kind).by = Some(side);
    }

    /// Removes an offer because it was accepted or withdrawn.
    pub(super) fn clear(&mut self, kind: OfferKind) {
        self.get_mut(kind).by = None;
    }

    /// Removes an offer because it was declined, and remembers when.
    pub(super) fn decline(&mut self, kind: OfferKind, plies: usize) {
        let offer = self.get_mut(kind);
        let at = Some(u32::try_from(plies).unwrap_or(u32::MAX));
        match offer.by.take() {
            Some(Side::Attackers) => offer.attackers_declined = at,
            Some(Side::Defenders) => offer.defenders_declined = at,
            None => {}
        }
    }
}
