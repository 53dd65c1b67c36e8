//! Challenges: the post itself, its row in a list, and how it was closed.

use super::Markup;
use super::labels::{self, side};
use super::lists::LISTED;
use crate::game::{Challenge, ChallengeState, Proposal, SidePreference};
use crate::rules::Side;

/// Returns the post of a challenge.
#[must_use]
pub fn challenge(challenge: &Challenge, markup: &dyn Markup) -> String {
    let Proposal { challenger, opponent, variant, layout, side: preference, pace, .. } = challenge.proposal;
    let words = &variant.words;
    let whom = opponent.map_or_else(|| String::from("anybody"), |player| markup.player(player));
    let title = markup.bold(&format!("{} challenges {whom} to {}", markup.player(challenger), variant.name));
    let takes = match preference {
        SidePreference::Attackers => format!("{} takes {}", markup.player(challenger), side(Side::Attackers, words)),
        SidePreference::Defenders => format!("{} takes {}", markup.player(challenger), side(Side::Defenders, words)),
        SidePreference::Random => String::from("The dice choose the sides"),
    };
    let fate = match challenge.state {
        ChallengeState::Open => format!("It can be accepted until it expires {}.", markup.time(challenge.expires())),
        ChallengeState::Accepted => String::from("It was accepted."),
        ChallengeState::Declined => String::from("It was declined."),
        ChallengeState::Withdrawn => String::from("It was withdrawn."),
        ChallengeState::Expired => String::from("It has expired."),
    };
    format!("{title}\n{} Set-up `{}`. {takes}. {}. {fate}", variant.summary, layout.id, labels::pace(pace))
}

/// Says that there are no open challenges.
#[must_use]
pub fn none_open(in_server: bool) -> String {
    let how = if in_server { "`/challenge` makes one." } else { "Challenges are made in a server." };
    format!("There are no open challenges for you here. {how}")
}

/// Returns the label of a challenge in a list.
#[must_use]
pub fn label(challenge: &Challenge, markup: &dyn Markup) -> String {
    let Proposal { challenger, opponent, variant, .. } = challenge.proposal;
    let whom = opponent.map_or_else(|| String::from("anybody"), |player| markup.player(player));
    format!("{}: {} to {whom}", variant.name, markup.player(challenger))
}

/// Returns the second line of a challenge in a list.
#[must_use]
pub fn detail(challenge: &Challenge, markup: &dyn Markup) -> String {
    let pace = labels::pace(challenge.proposal.pace).replacen('N', "n", 1);
    format!("{pace}, expires {}", markup.time(challenge.expires()))
}

/// Lists open challenges.
#[must_use]
pub fn list(challenges: &[Challenge], markup: &dyn Markup) -> String {
    let line = |challenge: &Challenge| format!("- {}, {}", label(challenge, markup), detail(challenge, markup));
    let lines: Vec<String> = challenges.iter().take(LISTED).map(line).collect();
    format!("{} open challenges. Choose one to see it with its buttons:\n{}", challenges.len(), lines.join("\n"))
}

/// Says how a challenge was closed.
#[must_use]
pub fn closed(challenge: &Challenge, markup: &dyn Markup) -> String {
    let Proposal { challenger, opponent, variant, .. } = challenge.proposal;
    match (challenge.state, opponent) {
        (ChallengeState::Declined, Some(opponent)) => format!(
            "{} declines the challenge of {} to {}.",
            markup.player(opponent),
            markup.player(challenger),
            variant.name
        ),
        (ChallengeState::Expired, _) => {
            format!("{}'s challenge to {} was not accepted and has expired.", markup.player(challenger), variant.name)
        }
        _ => format!("{} has withdrawn the challenge to {}.", markup.player(challenger), variant.name),
    }
}
