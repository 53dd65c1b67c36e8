//! Why an action is refused, as data. Players read the sentences of `text`; `Display` is for logs and errors.

use super::offers::OfferKind;
use super::result::GameResult;
use super::time::Timestamp;
use crate::rules;
use std::fmt;

/// Why an action of a player is refused.
///
/// ```
/// use ratatosk::game::{OfferKind, Refusal};
///
/// assert_eq!(Refusal::NothingOffered(OfferKind::Draw).to_string(), "no draw is offered");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    NotYourGame,
    /// It is the opponent's turn.
    NotYourTurn,
    Over(GameResult),
    /// The game is not over.
    NotOver,
    /// The move cannot be played.
    Move(rules::IllegalMove),
    /// The move would repeat a position for the third time. The player has to confirm it.
    Confirm {
        mv: rules::Move,
        /// What it repeats, with the consequences.
        repetition: Box<rules::Repetition>,
    },
    /// There is no open offer of this kind to answer.
    NothingOffered(OfferKind),
    /// The player has already made this offer, and it is still open.
    AlreadyOffered(OfferKind),
    /// It is the player's own offer, which only the opponent can answer.
    OwnOffer(OfferKind),
    /// The opponent has declined this offer; both have to move before it can be made again.
    TooSoon(OfferKind),
    /// The player has made no move that could be taken back.
    NothingToTakeBack,
    /// Both sides have moved, so the game can no longer be aborted.
    TooLateToAbort,
    /// The opponent's time is not up.
    TimeNotUp {
        /// When it will be up.
        deadline: Timestamp,
    },
    /// The opponent's time is up, but the bot was only just restarted and has not announced it yet.
    ClaimOpensSoon,
    /// It is the player's own turn, so the player's own clock runs.
    YourOwnTime,
    /// The opponent has more time left than a whole move may take.
    PlentyOfTime,
    /// The rematch has already begun.
    Rematched,
    /// The game has no time limit.
    NoClock,
    /// Players cannot challenge themselves.
    Yourself,
    OwnChallenge,
    /// Bots do not play.
    Bot,
    /// One of the players has blocked the other. The sentence for the player does not say who blocked whom.
    Unavailable,
    BlockedByYou,
    /// The player has as many open challenges as is allowed.
    TooManyChallenges,
    /// A player has as many running games as is allowed.
    TooManyGames {
        /// Whether it is the player who asks, rather than the opponent.
        yours: bool,
    },
    /// There is an open challenge between the two for this game.
    SameChallenge,
    /// The challenge is for another player.
    NotForYou,
    /// Only the challenger can do this.
    NotYourChallenge,
    /// The challenge is not open any more.
    ChallengeClosed,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Move(illegal) => return write!(f, "illegal move: {illegal}"),
            Self::TimeNotUp { deadline } => return write!(f, "the opponent's time is not up before {}", deadline.0),
            Self::NothingOffered(kind) => return write!(f, "no {} is offered", kind.id()),
            Self::AlreadyOffered(kind) => return write!(f, "a {} is offered already", kind.id()),
            Self::OwnOffer(kind) => return write!(f, "the {} is the player's own offer", kind.id()),
            Self::TooSoon(kind) => return write!(f, "a {} was declined, and not both have moved since", kind.id()),
            Self::NotYourGame => "not a player of this game",
            Self::NotYourTurn => "not this player's turn",
            Self::Over(_) => "the game is over",
            Self::NotOver => "the game is not over",
            Self::Confirm { .. } => "the move completes a third occurrence and needs a confirmation",
            Self::NothingToTakeBack => "no move to take back",
            Self::TooLateToAbort => "both sides have moved",
            Self::ClaimOpensSoon => "the opponent was not told yet that the time is up",
            Self::YourOwnTime => "it is the player's own turn",
            Self::PlentyOfTime => "the opponent has plenty of time",
            Self::Rematched => "the rematch has begun",
            Self::NoClock => "the game has no time limit",
            Self::Yourself => "a player cannot challenge themselves",
            Self::OwnChallenge => "it is the player's own challenge",
            Self::Bot => "bots do not play",
            Self::Unavailable => "one of the players has blocked the other",
            Self::BlockedByYou => "the player has blocked the other one",
            Self::TooManyChallenges => "too many open challenges",
            Self::TooManyGames { yours: true } => "the player has too many running games",
            Self::TooManyGames { yours: false } => "the opponent has too many running games",
            Self::SameChallenge => "there is an open challenge between the two for this game",
            Self::NotForYou => "the challenge is for another player",
            Self::NotYourChallenge => "the challenge is another player's",
            Self::ChallengeClosed => "the challenge is closed",
        })
    }
}

impl std::error::Error for Refusal {}

impl From<rules::IllegalMove> for Refusal {
    fn from(illegal: rules::IllegalMove) -> Self {
        Self::Move(illegal)
    }
}
