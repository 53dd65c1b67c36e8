//! Why something cannot be done, as data; the sentences are in `text`.

use super::offers::OfferKind;
use super::result::GameResult;
use super::time::Timestamp;
use crate::rules;
use std::fmt;

/// Why a player cannot do what he wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The player is not in this game.
    NotYourGame,
    /// It is the opponent's turn.
    NotYourTurn,
    /// The game is over.
    Over(GameResult),
    /// The game is not over.
    NotOver,
    /// The move cannot be played.
    Move(rules::IllegalMove),
    /// The move would bring a position about for the third time: this is what would happen, play it all the same?
    Confirm(Box<rules::Recurrence>),
    /// There is nothing of this kind to answer.
    NothingOffered(OfferKind),
    /// The player has offered this already, and it stands.
    AlreadyOffered(OfferKind),
    /// It is the player's own offer, which the opponent has to answer.
    OwnOffer(OfferKind),
    /// The opponent has refused this; both have to move before it can be asked again.
    TooSoon(OfferKind),
    /// The player has made no move that could be taken back.
    NothingToTakeBack,
    /// Both sides have moved, so the game can no longer be aborted.
    TooLateToAbort,
    /// The opponent's time is not up.
    TimeNotUp {
        /// When it is.
        deadline: Timestamp,
    },
    /// The opponent's time is up, but nobody was told yet, because the bot has only just come back.
    ClaimOpensSoon,
    /// It is the player's own time that runs.
    YourOwnTime,
    /// The opponent has more than a whole pace left.
    PlentyOfTime,
    /// The rematch has begun already.
    Rematched,
    /// The game has no limit of time.
    NoClock,
    /// One cannot challenge oneself.
    Yourself,
    /// It is the player's own challenge.
    OwnChallenge,
    /// Bots do not play.
    Bot,
    /// The other player does not want to play with this one. Said in neutral words.
    Unavailable,
    /// The player has blocked the other one himself.
    BlockedByYou,
    /// The player has as many open challenges as is allowed.
    TooManyChallenges,
    /// A player has as many running games as is allowed.
    TooManyGames {
        /// Whether it is the one who asks.
        yours: bool,
    },
    /// There is an open challenge between the two for this game.
    SameChallenge,
    /// The challenge is meant for somebody else.
    NotForYou,
    /// Only the challenger can do this.
    NotYourChallenge,
    /// The challenge is not open any more.
    ChallengeClosed,
}

/// Says in technical English what was refused, for logs and errors; players read `text`.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move(illegal) => return write!(f, "illegal move: {illegal}"),
            Self::TimeNotUp { deadline } => return write!(f, "the opponent's time is not up before {}", deadline.0),
            Self::NothingOffered(kind) => return write!(f, "no {} is offered", kind.id()),
            Self::AlreadyOffered(kind) => return write!(f, "a {} is offered already", kind.id()),
            Self::OwnOffer(kind) => return write!(f, "the {} is the player's own offer", kind.id()),
            Self::TooSoon(kind) => return write!(f, "a {} was refused, and not both have moved since", kind.id()),
            _ => {}
        }
        f.write_str(match self {
            Self::NotYourGame => "not a player of this game",
            Self::NotYourTurn => "not this player's turn",
            Self::Over(_) => "the game is over",
            Self::NotOver => "the game is not over",
            Self::Confirm(_) => "the move completes a third occurrence and needs a confirmation",
            Self::NothingToTakeBack => "no move to take back",
            Self::TooLateToAbort => "both sides have moved",
            Self::ClaimOpensSoon => "the opponent was not told yet that the time is up",
            Self::YourOwnTime => "it is the player's own time that runs",
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
            // Written above, with what they carry.
            Self::Move(_) | Self::TimeNotUp { .. } | Self::NothingOffered(_) | Self::AlreadyOffered(_) => "",
            Self::OwnOffer(_) | Self::TooSoon(_) => "",
        })
    }
}

impl std::error::Error for Refusal {}

impl From<rules::IllegalMove> for Refusal {
    fn from(refusal: rules::IllegalMove) -> Self {
        Self::Move(refusal)
    }
}
