//! The result of a game: how it ended and who won. The winner is a field only where the ending allows either side.

use crate::rules::{Outcome, Side};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// How a game ended.
///
/// As JSON it is its winner and the name of its ending:
///
/// ```
/// use ratatosk::game::GameResult;
/// use ratatosk::rules::Side;
///
/// let result: GameResult = serde_json::from_str(r#"{"winner":"attackers","ending":"resigned"}"#)?;
/// assert_eq!(result, GameResult::Resigned { winner: Side::Attackers });
/// // An agreed draw has no winner.
/// assert!(serde_json::from_str::<GameResult>(r#"{"winner":"attackers","ending":"agreed"}"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "StoredResult", into = "StoredResult")]
pub enum GameResult {
    /// It ended on the board, by the rules.
    OnBoard(Outcome),
    Resigned {
        /// The opponent's side.
        winner: Side,
    },
    /// The players agreed on a draw.
    Agreed,
    /// A player's time ran out.
    Time {
        /// The opponent's side.
        winner: Side,
    },
    /// It was called off before both had moved: no result.
    Aborted,
    /// Time ran out before both had moved: no result.
    NeverBegan,
    /// Nobody had moved for a long time: no result.
    Idle,
    /// A moderator ended it: no result.
    Moderated,
}

impl GameResult {
    pub const ALL: [Self; 18] = [
        Self::OnBoard(Outcome::KingCaptured),
        Self::OnBoard(Outcome::KingEscaped),
        Self::OnBoard(Outcome::Encirclement),
        Self::OnBoard(Outcome::NoMoves { winner: Some(Side::Attackers) }),
        Self::OnBoard(Outcome::NoMoves { winner: Some(Side::Defenders) }),
        Self::OnBoard(Outcome::NoMoves { winner: None }),
        Self::OnBoard(Outcome::Repetition { aggressor: Some(Side::Attackers) }),
        Self::OnBoard(Outcome::Repetition { aggressor: Some(Side::Defenders) }),
        Self::OnBoard(Outcome::Repetition { aggressor: None }),
        Self::Resigned { winner: Side::Attackers },
        Self::Resigned { winner: Side::Defenders },
        Self::Agreed,
        Self::Time { winner: Side::Attackers },
        Self::Time { winner: Side::Defenders },
        Self::Aborted,
        Self::NeverBegan,
        Self::Idle,
        Self::Moderated,
    ];

    /// Finds the result with this ending and this winner, as both are stored.
    ///
    /// # Errors
    /// Says that there is no such ending, or that a game with this ending has another winner.
    pub fn find(ending: &str, winner: Option<Side>) -> Result<Self, BadResult> {
        let with_ending = || Self::ALL.into_iter().filter(|result| result.ending() == ending);
        with_ending().find(|result| result.winner() == winner).ok_or_else(|| match with_ending().next() {
            Some(other) => BadResult::WrongWinner { ending: other.ending(), winner },
            None => BadResult::UnknownEnding(ending.to_owned()),
        })
    }

    /// Returns the name of what ended the game, as the store and records have it.
    #[must_use]
    pub const fn ending(self) -> &'static str {
        match self {
            Self::OnBoard(outcome) => outcome.id(),
            Self::Resigned { .. } => "resigned",
            Self::Agreed => "agreed",
            Self::Time { .. } => "time",
            Self::Aborted => "aborted",
            Self::NeverBegan => "never-began",
            Self::Idle => "idle",
            Self::Moderated => "moderated",
        }
    }

    /// Returns the winner; `None` if the game was drawn or does not count.
    #[must_use]
    pub const fn winner(self) -> Option<Side> {
        match self {
            Self::OnBoard(outcome) => outcome.winner(),
            Self::Resigned { winner } | Self::Time { winner } => Some(winner),
            Self::Agreed | Self::Aborted | Self::NeverBegan | Self::Idle | Self::Moderated => None,
        }
    }

    /// Returns whether the game counts: whether somebody won or it was drawn.
    #[must_use]
    pub const fn counts(self) -> bool {
        !matches!(self, Self::Aborted | Self::NeverBegan | Self::Idle | Self::Moderated)
    }
}

/// Why an ending and a winner are not the result of any game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BadResult {
    /// There is no such ending.
    UnknownEnding(String),
    /// A game with this ending has another winner.
    WrongWinner {
        ending: &'static str,
        /// The winner that it cannot have.
        winner: Option<Side>,
    },
}

impl fmt::Display for BadResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownEnding(ending) => write!(f, "this version does not know the ending `{ending}`"),
            Self::WrongWinner { ending, winner: Some(winner) } => {
                write!(f, "a game that ended with `{ending}` cannot be won by the {}", winner.id())
            }
            Self::WrongWinner { ending, winner: None } => {
                write!(f, "a game that ended with `{ending}` has a winner, and none is stored")
            }
        }
    }
}

impl std::error::Error for BadResult {}

/// A result as it is written in JSON.
#[derive(Serialize, Deserialize)]
struct StoredResult {
    winner: Option<Side>,
    ending: Cow<'static, str>,
}

impl From<GameResult> for StoredResult {
    fn from(result: GameResult) -> Self {
        Self { winner: result.winner(), ending: Cow::Borrowed(result.ending()) }
    }
}

impl TryFrom<StoredResult> for GameResult {
    type Error = BadResult;

    fn try_from(stored: StoredResult) -> Result<Self, BadResult> {
        Self::find(&stored.ending, stored.winner)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_result_is_read_back_from_its_ending_and_its_winner() {
        for result in GameResult::ALL {
            assert_eq!(GameResult::find(result.ending(), result.winner()), Ok(result));
            let json = serde_json::to_string(&result).unwrap();
            assert_eq!(serde_json::from_str::<GameResult>(&json).unwrap(), result, "{json}");
        }
        let json = |result| serde_json::to_string(&result).unwrap();
        let escaped = GameResult::OnBoard(Outcome::KingEscaped);
        assert_eq!(json(escaped), r#"{"winner":"defenders","ending":"king-escaped"}"#);
        assert_eq!(json(GameResult::Moderated), r#"{"winner":null,"ending":"moderated"}"#);
    }

    #[test]
    fn every_other_pair_of_an_ending_and_a_winner_is_a_contradiction() {
        let endings = BTreeSet::from(GameResult::ALL.map(GameResult::ending));
        let winners = [None, Some(Side::Attackers), Some(Side::Defenders)];
        for ending in &endings {
            for winner in winners {
                let known = GameResult::ALL.iter().any(|result| (result.ending(), result.winner()) == (ending, winner));
                let expected = BadResult::WrongWinner { ending, winner };
                assert_eq!(GameResult::find(ending, winner).err(), (!known).then_some(expected));
            }
        }
        assert_eq!(endings.len(), 12);
        assert_eq!(GameResult::find("magic", None), Err(BadResult::UnknownEnding(String::from("magic"))));
    }
}
