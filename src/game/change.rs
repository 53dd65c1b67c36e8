//! What an action or the passing of time does to a game, and how a change is put together.

use super::clock::Clock;
use super::event::{GameEvent, GameNotice};
use super::game::Game;
use super::ids::Place;
use super::offers::OfferKind;
use super::result::GameResult;
use super::terms::GameTerms;
use crate::rules::{Move, Side};

/// What an action or the passing of time does to a game. The caller stores it.
///
/// ```
/// use ratatosk::game::{Action, ClockChange, Game, GameEvent, Timestamp};
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
/// let written = game.record.read_move("d1-c1")?;
/// let change = game.act(ann, Action::Move { written, confirmed: false }, Timestamp(60))?;
///
/// assert_eq!(change.events, [GameEvent::Moved { ply: 0 }]);
/// assert_eq!(change.mv().unwrap().to_string(), "d1-c1");
/// assert_eq!(change.game.version, game.version + 1);
/// // Now Bo's clock runs. The store writes it only if the stored clock is still the one before.
/// assert_eq!(change.clock, ClockChange::Replaces(game.clock));
/// # Ok::<(), Refusal>(())
/// ```
#[derive(Clone, Debug)]
pub struct Change {
    /// The game afterwards. Its version is one higher, unless only the clock changes ([`ClockChange::ReplacesOnly`]).
    pub game: Game,
    /// What happened, in order.
    pub events: Vec<GameEvent>,
    /// The rematch that begins, if an offered one was accepted.
    pub rematch: Option<GameTerms>,
    /// What happens to the clock. The store writes the clock only if this says so.
    pub clock: ClockChange,
    /// Whether the game goes on in another place. The store writes the place only if this says so.
    pub relocated: bool,
}

impl Change {
    /// Lets the game go on in another place.
    pub fn relocate_to(&mut self, place: Place) {
        self.game.terms.place = place;
        self.relocated = true;
    }

    /// Returns the move that was made, if one was.
    #[must_use]
    pub fn mv(&self) -> Option<Move> {
        self.events.iter().find_map(|event| match event {
            GameEvent::Moved { ply } => self.game.record.plies().get(*ply).map(|played| played.mv),
            _ => None,
        })
    }

    /// Returns what is told about the change, with the reason of a moderator if there is one.
    #[must_use]
    pub fn notice(&self, reason: Option<String>) -> GameNotice {
        let plies = self.game.record.plies();
        GameNotice {
            events: self.events.clone(),
            plies: plies.len(),
            reason,
            last_move: plies.last().map(|played| played.mv.to_string()),
            position: Some(self.game.record.rulebook().write_position(self.game.record.position())),
        }
    }

    /// Replaces the clock of the game, and keeps the one before for the store to compare.
    pub(super) fn set_clock(&mut self, clock: Clock) {
        self.clock = ClockChange::Replaces(self.game.clock);
        self.game.clock = clock;
    }

    /// Ends the game. Every ending goes through here.
    pub(super) fn end(&mut self, result: GameResult) {
        self.game.result = Some(result);
        self.game.offers.clear(OfferKind::Draw);
        self.game.offers.clear(OfferKind::Takeback);
        self.events.push(GameEvent::Ended { result });
    }

    /// Carries out an accepted offer of a side.
    pub(super) fn accept(&mut self, kind: OfferKind, by: Side) {
        let game = &mut self.game;
        game.offers.clear(kind);
        match kind {
            OfferKind::Draw => self.end(GameResult::Agreed),
            OfferKind::Takeback => {
                // There are enough moves: they were checked when the offer was made, and the next move ends the offer.
                let plies = game.takeback_plies(by).unwrap_or(0);
                game.record.take_back(plies);
                game.offers.take_back_to(game.record.plies().len());
                let draw_offered_by = game.offers.offered_by(OfferKind::Draw);
                game.offers.clear(OfferKind::Draw);
                let clock = Clock::start(game.terms.pace, game.changed);
                self.set_clock(clock);
                self.events.push(GameEvent::TookBack { plies, by });
                // The draw was offered in a position that is gone.
                if let Some(by) = draw_offered_by {
                    self.events.push(GameEvent::Withdrawn { kind: OfferKind::Draw, by });
                }
            }
            OfferKind::Rematch => {
                game.offers.note_rematch();
                let terms = game.terms;
                self.rematch =
                    Some(GameTerms { players: terms.players.swapped(), rules: terms.variant.rules, ..terms });
            }
        }
    }
}

/// What a change does to the clock of its game.
///
/// The clock can change without a new version of the game: by a reminder, or because a deleted channel is back. A
/// change that depends on the clock therefore carries the clock it was decided by, and the store refuses the change if
/// the stored clock is another one by then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClockChange {
    /// Leaves the clock alone and does not depend on it.
    Untouched,
    /// Leaves the clock alone, but was decided by this clock.
    ReliesOn(Clock),
    /// Replaces this clock by the one of the changed game.
    Replaces(Clock),
    /// Replaces this clock, and nothing else changes: the version stays, so that buttons that were posted before still
    /// work.
    ReplacesOnly(Clock),
}
