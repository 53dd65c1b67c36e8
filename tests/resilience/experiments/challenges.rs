//! Challenges that a pair makes beside its game: some stay open, others are answered.

use fake_discord::state::Message;
use ratatosk::commands::{ChallengeAnswer, Command, custom_id};
use ratatosk::game::{ChallengeId, ChallengeState, PlayerId};
use ratatosk::rules::{VARIANTS, Variant};
use std::fmt;

/// A challenge as it must be stored and shown.
#[derive(Clone, Copy)]
pub struct ExpectedChallenge {
    pub id: ChallengeId,
    pub challenger: PlayerId,
    pub opponent: Option<PlayerId>,
    pub variant: &'static Variant,
    pub state: ChallengeState,
}

impl fmt::Debug for ExpectedChallenge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, challenger, opponent, variant, state } = self;
        write!(f, "{id:?} ({}) by {challenger:?} to {opponent:?}, {state:?}", variant.id)
    }
}

impl ExpectedChallenge {
    /// Returns how many posts there must be about it alone: one when it is made, one when it is declined or withdrawn.
    pub const fn posts(&self) -> usize {
        match self.state {
            ChallengeState::Declined | ChallengeState::Withdrawn => 2,
            _ => 1,
        }
    }

    /// Returns what it would be after an answer.
    pub const fn answered(self, answer: ChallengeAnswer) -> Self {
        let state = match answer {
            ChallengeAnswer::Accept => ChallengeState::Accepted,
            ChallengeAnswer::Decline => ChallengeState::Declined,
            ChallengeAnswer::Withdraw => ChallengeState::Withdrawn,
        };
        Self { state, ..self }
    }

    /// Returns the text of a button that answers it.
    pub fn button(&self, answer: ChallengeAnswer) -> String {
        custom_id::encode(&Command::AnswerChallenge { challenge: self.id, answer }).expect("such a button is known")
    }
}

/// Returns the challenge that a post shows, if it is one with buttons.
pub fn shown_in(post: &Message) -> Option<ChallengeId> {
    post.controls().filter_map(|part| custom_id::decode(part["custom_id"].as_str()?)).find_map(
        |command| match command {
            Command::AnswerChallenge { challenge, .. } => Some(challenge),
            _ => None,
        },
    )
}

/// Returns a variant by number.
pub fn variant(number: usize) -> &'static Variant {
    &VARIANTS[number % VARIANTS.len()]
}
