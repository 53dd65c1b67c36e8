//! Challenges: how a game is proposed, accepted, declined and withdrawn.

use super::clock::Pace;
use super::ids::{Place, PlayerId, Players};
use super::refusal::Refusal;
use super::terms::GameTerms;
use super::time::{Seconds, Timestamp};
use crate::rules::{Layout, Variant};
use serde::{Deserialize, Serialize};

/// The number of a challenge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChallengeId(pub u64);

/// Which side the challenger wants.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SidePreference {
    Attackers,
    /// The king's side.
    Defenders,
    #[default]
    Random,
}

impl SidePreference {
    /// All preferences.
    pub const ALL: [Self; 3] = [Self::Attackers, Self::Defenders, Self::Random];

    /// Returns the name in commands and in the store.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Attackers => "attackers",
            Self::Defenders => "defenders",
            Self::Random => "random",
        }
    }
}

/// What a challenger proposes.
#[derive(Clone, Copy, Debug)]
pub struct Proposal {
    pub challenger: PlayerId,
    /// The player who is challenged; `None` means that anybody can accept.
    pub opponent: Option<PlayerId>,
    pub variant: &'static Variant,
    /// How the pieces are set up.
    pub layout: &'static Layout,
    /// Which side the challenger wants.
    pub side: SidePreference,
    /// How long a move may take.
    pub pace: Pace,
    /// Where the challenge was made and the game will be played.
    pub place: Place,
}

/// What has to be known about the players to decide whether a challenge may be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChallengeContext {
    /// Whether the opponent is a bot.
    pub opponent_is_bot: bool,
    /// Whether one of the players has blocked the other.
    pub blocked: bool,
    /// How many open challenges the challenger has made.
    pub open_challenges: u32,
    /// How many running games the challenger has.
    pub running_games: u32,
    /// Whether there is an open challenge between the two for this game.
    pub same_challenge: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ChallengeState {
    Open,
    /// It became a game.
    Accepted,
    /// The opponent declined it.
    Declined,
    /// The challenger withdrew it.
    Withdrawn,
    /// Nobody answered in time.
    Expired,
}

impl ChallengeState {
    pub const ALL: [Self; 5] = [Self::Open, Self::Accepted, Self::Declined, Self::Withdrawn, Self::Expired];

    /// Returns the name in the store.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Accepted => "accepted",
            Self::Declined => "declined",
            Self::Withdrawn => "withdrawn",
            Self::Expired => "expired",
        }
    }
}

/// A challenge.
///
/// ```
/// use ratatosk::game::challenge::AcceptanceContext;
/// use ratatosk::game::{
///     Challenge, ChallengeId, ChallengeState, ChannelId, Pace, Place, PlayerId, Proposal, Refusal, SidePreference, Timestamp,
/// };
/// use ratatosk::rules::Variant;
///
/// let variant = Variant::find("brandubh").unwrap();
/// let (ann, bo) = (PlayerId(1), PlayerId(2));
/// let proposal = Proposal {
///     challenger: ann,
///     opponent: Some(bo),
///     variant,
///     layout: variant.default_layout(),
///     side: SidePreference::Defenders,
///     pace: Pace::default(),
///     place: Place { server: None, channel: ChannelId(1), thread: None },
/// };
/// let made = Timestamp(0);
/// let challenge = Challenge { id: ChallengeId(1), proposal, made, state: ChallengeState::Open };
/// assert_eq!(challenge.decline(ann, made).unwrap_err(), Refusal::OwnChallenge);
/// let (accepted, terms) = challenge.accept(bo, &AcceptanceContext::default(), made, true)?;
/// assert_eq!(accepted.state, ChallengeState::Accepted);
/// assert_eq!((terms.players.attackers, terms.players.defenders), (bo, ann));
/// # Ok::<(), Refusal>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Challenge {
    pub id: ChallengeId,
    pub proposal: Proposal,
    pub made: Timestamp,
    /// Whether it is open, or how it was closed.
    pub state: ChallengeState,
}

impl Proposal {
    /// Returns the challenger, and the opponent if there is one.
    pub fn players(&self) -> impl Iterator<Item = PlayerId> {
        std::iter::once(self.challenger).chain(self.opponent)
    }

    /// How many open challenges a player may have made.
    pub const MAX_OPEN: u32 = 10;

    /// Checks that the challenge may be made.
    ///
    /// # Errors
    /// Says why it may not.
    pub fn check_allowed(&self, context: &ChallengeContext) -> Result<(), Refusal> {
        if self.opponent == Some(self.challenger) {
            Err(Refusal::Yourself)
        } else if context.opponent_is_bot {
            Err(Refusal::Bot)
        } else if context.blocked {
            Err(Refusal::Unavailable)
        } else if context.same_challenge {
            Err(Refusal::SameChallenge)
        } else if context.open_challenges >= Self::MAX_OPEN {
            Err(Refusal::TooManyChallenges)
        } else if context.running_games >= GameTerms::MAX_RUNNING {
            Err(Refusal::TooManyGames { yours: true })
        } else {
            Ok(())
        }
    }
}

impl Challenge {
    /// How long a challenge can be accepted.
    pub const LIFE: Seconds = Seconds::days(7);

    /// Returns until when it can be accepted.
    #[must_use]
    pub fn expires(&self) -> Timestamp {
        self.made + Self::LIFE
    }

    /// Returns whether it can still be answered.
    #[must_use]
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.state == ChallengeState::Open && now < self.expires()
    }

    /// Accepts the challenge, and returns it with the game that begins. `coin_toss` chooses the challenger's side,
    /// `true` for the attackers, if a random one is wanted.
    ///
    /// # Errors
    /// Says why the player cannot accept it.
    pub fn accept(
        &self,
        player: PlayerId,
        context: &AcceptanceContext,
        now: Timestamp,
        coin_toss: bool,
    ) -> Result<(Self, GameTerms), Refusal> {
        let Proposal { challenger, variant, layout, side, pace, place, .. } = self.proposal;
        if player == challenger {
            return Err(Refusal::OwnChallenge);
        }
        self.check_addressee(player, now)?;
        context.check_allowed()?;
        let attackers = match side {
            SidePreference::Attackers => true,
            SidePreference::Defenders => false,
            SidePreference::Random => coin_toss,
        };
        let players = Players { attackers: challenger, defenders: player };
        let players = if attackers { players } else { players.swapped() };
        let terms = GameTerms { variant, layout, rules: variant.rules, players, pace, place };
        Ok((Self { state: ChallengeState::Accepted, ..*self }, terms))
    }

    /// Declines the challenge.
    ///
    /// # Errors
    /// Says why the player cannot decline it.
    pub fn decline(&self, player: PlayerId, now: Timestamp) -> Result<Self, Refusal> {
        if self.proposal.challenger == player {
            return Err(Refusal::OwnChallenge);
        }
        if self.proposal.opponent != Some(player) {
            return Err(Refusal::NotForYou);
        }
        self.check_addressee(player, now)?;
        Ok(Self { state: ChallengeState::Declined, ..*self })
    }

    /// Withdraws the challenge.
    ///
    /// # Errors
    /// Says why the player cannot withdraw it.
    pub fn withdraw(&self, player: PlayerId, now: Timestamp) -> Result<Self, Refusal> {
        if self.proposal.challenger != player {
            return Err(Refusal::NotYourChallenge);
        }
        if !self.is_open(now) {
            return Err(Refusal::ChallengeClosed);
        }
        Ok(Self { state: ChallengeState::Withdrawn, ..*self })
    }

    /// Returns the expired challenge, if its time is over.
    #[must_use]
    pub fn tick(&self, now: Timestamp) -> Option<Self> {
        let expired = self.state == ChallengeState::Open && now >= self.expires();
        expired.then_some(Self { state: ChallengeState::Expired, ..*self })
    }

    fn check_addressee(&self, player: PlayerId, now: Timestamp) -> Result<(), Refusal> {
        if self.proposal.opponent.is_some_and(|opponent| opponent != player) {
            return Err(Refusal::NotForYou);
        }
        if self.is_open(now) { Ok(()) } else { Err(Refusal::ChallengeClosed) }
    }
}

/// What has to be known about the players to decide whether a challenge or a rematch may be accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AcceptanceContext {
    /// Whether one of the players has blocked the other.
    pub blocked: bool,
    /// How many running games the accepting player has.
    pub your_games: u32,
    /// How many running games the other player has.
    pub their_games: u32,
}

impl AcceptanceContext {
    /// Checks that a game between the two may begin.
    ///
    /// # Errors
    /// Says why it may not.
    pub fn check_allowed(&self) -> Result<(), Refusal> {
        if self.blocked {
            Err(Refusal::Unavailable)
        } else if self.your_games >= GameTerms::MAX_RUNNING {
            Err(Refusal::TooManyGames { yours: true })
        } else if self.their_games >= GameTerms::MAX_RUNNING {
            Err(Refusal::TooManyGames { yours: false })
        } else {
            Ok(())
        }
    }
}
