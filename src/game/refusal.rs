//! Why something cannot be done, as data; the sentences are in `text`.

use super::game::GameResult;
use super::offers::OfferKind;
use super::time::Timestamp;
use crate::rules;

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

impl From<rules::IllegalMove> for Refusal {
    fn from(refusal: rules::IllegalMove) -> Self {
        Self::Move(refusal)
    }
}
