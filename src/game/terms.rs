//! What a game is started with.

use super::clock::Pace;
use super::ids::{Place, Players};
use crate::rules::rules::UnplayableRules;
use crate::rules::setup::BadSetup;
use crate::rules::{Layout, Record, Rulebook, Rules, Variant};
use std::fmt;
use std::sync::Arc;

/// Everything that a new game needs.
///
/// ```
/// use ratatosk::game::{ChannelId, GameTerms, Pace, Place, PlayerId, Players, ServerId};
/// use ratatosk::rules::Variant;
///
/// let variant = Variant::find("fetlar").unwrap();
/// let terms = GameTerms {
///     variant,
///     layout: variant.default_layout(),
///     rules: variant.rules,
///     players: Players { attackers: PlayerId(1), defenders: PlayerId(2) },
///     pace: Pace::default(),
///     place: Place { server: Some(ServerId(3)), channel: ChannelId(4), thread: None },
/// };
/// let record = terms.record()?;
/// assert!(record.plies().is_empty());
/// assert_eq!(record.position().to_move(), variant.rules.first);
/// # Ok::<(), ratatosk::game::CannotBegin>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct GameTerms {
    pub variant: &'static Variant,
    /// How the pieces are set up.
    pub layout: &'static Layout,
    /// The rules of this game. They stay the same even if the variant is corrected later.
    pub rules: Rules,
    pub players: Players,
    /// How long a move may take.
    pub pace: Pace,
    pub place: Place,
}

impl GameTerms {
    /// How many running games a player may have.
    pub const MAX_RUNNING: u32 = 50;

    /// Returns a record without moves that begins with the layout.
    ///
    /// # Errors
    /// Says why the rules or the layout cannot be played.
    pub fn record(&self) -> Result<Record, CannotBegin> {
        self.record_from(self.layout.start_position)
    }

    /// Returns a record without moves that begins with a stored position: the layout may have been corrected since.
    ///
    /// # Errors
    /// Says why the rules or the position cannot be played.
    pub fn record_from(&self, first_position: &str) -> Result<Record, CannotBegin> {
        let rulebook = Rulebook::new(self.rules).map_err(CannotBegin::Rules)?;
        let start = rulebook.read_position(first_position, self.rules.first).map_err(CannotBegin::Layout)?;
        Ok(Record::new(Arc::new(rulebook), start))
    }
}

/// Why a game cannot begin: it cannot be played by its rules or from its layout.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CannotBegin {
    /// The rules do not fit together.
    Rules(UnplayableRules),
    /// The first position cannot be played.
    Layout(BadSetup),
}

impl fmt::Display for CannotBegin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rules(error) => error.fmt(f),
            Self::Layout(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CannotBegin {}
