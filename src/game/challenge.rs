//! How a game begins: somebody challenges somebody, or anybody.

use super::clock::Pace;
use super::game::Start;
use super::ids::{Place, PlayerId, Players};
use super::refusal::Refusal;
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
    /// The attackers.
    Attackers,
    /// The king's side.
    Defenders,
    /// Whatever the dice say.
    #[default]
    Random,
}

impl SidePreference {
    /// All wishes.
    pub const ALL: [Self; 3] = [Self::Attackers, Self::Defenders, Self::Random];

    /// Names the wish as commands and the store do.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Attackers => "attackers",
            Self::Defenders => "defenders",
            Self::Random => "random",
        }
    }
}

/// What a challenger wants.
#[derive(Clone, Copy, Debug)]
pub struct Proposal {
    /// Who challenges.
    pub challenger: PlayerId,
    /// Whom; nobody in particular means anybody.
    pub opponent: Option<PlayerId>,
    /// Which game.
    pub variant: &'static Variant,
    /// How the men are set up.
    pub layout: &'static Layout,
    /// Which side the challenger wants.
    pub side: SidePreference,
    /// How long a move may take.
    pub pace: Pace,
    /// Where it was made and will be played.
    pub place: Place,
}

/// What has to be known about the players before a challenge is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChallengeContext {
    /// Whether the opponent is a bot.
    pub opponent_is_bot: bool,
    /// Whether the opponent has blocked the challenger, or the challenger the opponent.
    pub blocked: bool,
    /// How many open challenges the challenger has made.
    pub open_challenges: u32,
    /// How many games the challenger plays.
    pub running_games: u32,
    /// Whether there is an open challenge between the two for this game.
    pub same_challenge: bool,
}

/// What has become of a challenge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ChallengeState {
    /// It can be accepted.
    Open,
    /// It became a game.
    Accepted,
    /// The opponent did not want to.
    Declined,
    /// The challenger thought better of it.
    Withdrawn,
    /// Nobody answered in time.
    Expired,
}

impl ChallengeState {
    /// All states.
    pub const ALL: [Self; 5] = [Self::Open, Self::Accepted, Self::Declined, Self::Withdrawn, Self::Expired];

    /// Names the state as the store does.
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
#[derive(Clone, Copy, Debug)]
pub struct Challenge {
    /// Its number.
    pub id: ChallengeId,
    /// What was proposed.
    pub proposal: Proposal,
    /// When.
    pub made: Timestamp,
    /// What has become of it.
    pub state: ChallengeState,
}

impl Proposal {
    /// How many open challenges a player may have made.
    pub const MOST_OPEN: u32 = 10;

    /// Checks that the challenge may be made.
    pub fn check(&self, standing: &ChallengeContext) -> Result<(), Refusal> {
        if self.opponent == Some(self.challenger) {
            Err(Refusal::Yourself)
        } else if standing.opponent_is_bot {
            Err(Refusal::Bot)
        } else if standing.blocked {
            Err(Refusal::Unavailable)
        } else if standing.same_challenge {
            Err(Refusal::SameChallenge)
        } else if standing.open_challenges >= Self::MOST_OPEN {
            Err(Refusal::TooManyChallenges)
        } else if standing.running_games >= Start::MOST_RUNNING {
            Err(Refusal::TooManyGames { yours: true })
        } else {
            Ok(())
        }
    }
}

impl Challenge {
    /// How long a challenge can be accepted.
    pub const LIFE: Seconds = Seconds::days(7);

    /// Tells until when it can be accepted.
    #[must_use]
    pub fn expires(&self) -> Timestamp {
        self.made + Self::LIFE
    }

    /// Tells whether it can still be answered.
    #[must_use]
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.state == ChallengeState::Open && now < self.expires()
    }

    /// Accepts the challenge; the dice say who is who where the challenger left it open.
    pub fn accept(
        &self,
        player: PlayerId,
        standing: &Acceptance,
        now: Timestamp,
        dice: bool,
    ) -> Result<(Self, Start), Refusal> {
        let Proposal { challenger, variant, layout, side, pace, place, .. } = self.proposal;
        if player == challenger {
            return Err(Refusal::OwnChallenge);
        }
        self.check_addressee(player, now)?;
        standing.check()?;
        let attackers = match side {
            SidePreference::Attackers => true,
            SidePreference::Defenders => false,
            SidePreference::Random => dice,
        };
        let players = Players { attackers: challenger, defenders: player };
        let players = if attackers { players } else { players.swapped() };
        let start = Start { variant, layout, rules: variant.rules, players, pace, place };
        Ok((Self { state: ChallengeState::Accepted, ..*self }, start))
    }

    /// Declines the challenge.
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
    pub fn withdraw(&self, player: PlayerId, now: Timestamp) -> Result<Self, Refusal> {
        if self.proposal.challenger != player {
            return Err(Refusal::NotYourChallenge);
        }
        if !self.is_open(now) {
            return Err(Refusal::ChallengeClosed);
        }
        Ok(Self { state: ChallengeState::Withdrawn, ..*self })
    }

    /// Lets the challenge expire, if its time has come.
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

/// What has to be known about the players before a challenge or a rematch is accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Acceptance {
    /// Whether one has blocked the other.
    pub blocked: bool,
    /// How many games the one who accepts plays.
    pub your_games: u32,
    /// How many games the other one plays.
    pub their_games: u32,
}

impl Acceptance {
    /// Checks that a game between the two may begin.
    pub fn check(&self) -> Result<(), Refusal> {
        if self.blocked {
            Err(Refusal::Unavailable)
        } else if self.your_games >= Start::MOST_RUNNING {
            Err(Refusal::TooManyGames { yours: true })
        } else if self.their_games >= Start::MOST_RUNNING {
            Err(Refusal::TooManyGames { yours: false })
        } else {
            Ok(())
        }
    }
}
