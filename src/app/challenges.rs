//! How a game begins: challenges made, answered and listed.

use super::notice::{OutboxBody, captioned};
use super::reply::{Item, Menu, Reply, Style};
use super::{App, Request, answer_once_more};
use crate::board_view::BoardView;
use crate::commands::command::{ChallengeAnswer, Command, Person};
use crate::game::challenge::ChallengeContext;
use crate::game::{Challenge, ChallengeId, ChallengeState, Pace, PlayerId, Proposal, Refusal, SidePreference, Start};
use crate::rules::Variant;
use crate::rules::variants::Words;
use crate::store::{About, Commit, CommitError, Effect, OutboxId, StoreError};
use crate::text::{Markup, challenges, lists, refusals};
use tracing::info;

/// What a challenger has said.
pub(super) struct ChallengeTerms<'w> {
    pub(super) variant: &'w str,
    pub(super) opponent: &'w Option<Person>,
    pub(super) layout: &'w Option<String>,
    pub(super) side: Option<SidePreference>,
    pub(super) pace: Option<Pace>,
}

impl App {
    pub(super) fn challenge(
        &self,
        request: &Request,
        terms: &ChallengeTerms<'_>,
        markup: &dyn Markup,
    ) -> Result<Reply, StoreError> {
        let Some(variant) = Variant::find(terms.variant) else {
            return Ok(Reply::private(refusals::no_such_variant()));
        };
        let layout = terms.layout.as_deref().map_or(Some(variant.usual_layout()), |id| variant.layout(id));
        let Some(layout) = layout else { return Ok(Reply::private(refusals::no_such_layout(variant))) };
        let proposal = Proposal {
            challenger: request.person.id,
            opponent: terms.opponent.as_ref().map(|person| person.id),
            variant,
            layout,
            side: terms.side.unwrap_or_default(),
            pace: terms.pace.or(self.server_settings(request.place)?.pace).unwrap_or_default(),
            place: request.place,
        };
        if request.place.server.is_none() {
            return Ok(Reply::private(refusals::challenge_needs_server()));
        }
        if let Some(hidden) = terms.opponent.as_ref().filter(|person| !person.is_bot && !person.can_see_channel) {
            return Ok(Reply::private(refusals::opponent_cannot_see_channel(hidden.id, markup)));
        }
        answer_once_more(|| self.try_to_challenge(request, proposal, terms.opponent.as_ref(), markup))
    }

    /// Makes a challenge; nothing if something came between that forbids it.
    fn try_to_challenge(
        &self,
        request: &Request,
        proposal: Proposal,
        opponent: Option<&Person>,
        markup: &dyn Markup,
    ) -> Result<Option<Reply>, StoreError> {
        let (now, variant) = (self.now(), proposal.variant);
        let opponent_is_bot = opponent.is_some_and(|person| person.is_bot);
        let standing = ChallengeContext { opponent_is_bot, ..self.store.challenge_context(&proposal, now)? };
        if let Err(refusal) = proposal.check(&standing) {
            let refusal = self.blame(refusal, request, proposal.opponent)?;
            return Ok(Some(Reply::private(refusals::refused(&refusal, &variant.words, markup))));
        }
        if let Some(person) = opponent {
            self.store.remember_player(person.id, &person.name)?;
        }
        let news = OutboxBody::Challenged.write();
        let owe = Effect::Owe {
            about: About::NewChallenge,
            place: request.place,
            news: news.clone(),
            call: proposal.opponent,
        };
        let effects = vec![Effect::Challenge(proposal), owe];
        match self.store.commit(Commit { request: request.id.map(|id| (id, news)), effects, now }) {
            Ok(saved) => {
                let id = saved.challenge.unwrap_or(ChallengeId(0));
                let (player, server) = (request.person.id.0, request.place.server);
                info!(challenge = id.0, player, server, variant = variant.id, "a challenge is made");
                let challenge = Challenge { id, proposal, made: now, state: ChallengeState::Open };
                let mut reply = challenge_post(&challenge, markup);
                reply.owed = saved.owed.first().copied();
                Ok(Some(reply))
            }
            Err(CommitError::Repeated(done)) => self.answer_again(request, &done, markup).map(Some),
            Err(CommitError::Stale) => Ok(None),
            Err(CommitError::Store(error)) => Err(error),
        }
    }

    pub(super) fn answer_challenge(
        &self,
        request: &Request,
        id: ChallengeId,
        answer: ChallengeAnswer,
        markup: &dyn Markup,
    ) -> Result<Reply, StoreError> {
        answer_once_more(|| self.try_to_answer(request, id, answer, markup))
    }

    /// Answers a challenge; nothing if somebody else has answered it meanwhile, or something came between that forbids it.
    fn try_to_answer(
        &self,
        request: &Request,
        id: ChallengeId,
        answer: ChallengeAnswer,
        markup: &dyn Markup,
    ) -> Result<Option<Reply>, StoreError> {
        let Some(challenge) = self.store.challenge(id)?.filter(|challenge| may_see(request, challenge)) else {
            return Ok(Some(Reply::private(refusals::no_such_challenge())));
        };
        let now = self.now();
        let (answered, start) = match self.decide(request, &challenge, answer)? {
            Ok(decided) => decided,
            Err(refusal) => {
                let words: &Words = &challenge.proposal.variant.words;
                let refusal = self.blame(refusal, request, Some(challenge.proposal.challenger))?;
                return Ok(Some(Reply::private(refusals::refused(&refusal, words, markup))));
            }
        };
        let place = self.place_to_play(request, challenge.proposal.place)?;
        let mut effects = vec![Effect::Answer { challenge: answered }];
        let (notice, about, call) = match start {
            Some(start) => {
                effects.push(Effect::MayPlay(start.players));
                effects.push(Effect::Begin { start: Start { place, ..start } });
                (OutboxBody::began(), About::NewGame, Some(start.players.of(start.rules.first)))
            }
            None => {
                let call = (answer == ChallengeAnswer::Decline).then_some(challenge.proposal.challenger);
                (OutboxBody::ChallengeClosed, About::Challenge(id), call)
            }
        };
        let news = notice.write();
        effects.push(Effect::Owe { about, place, news: news.clone(), call });
        let saved = match self.store.commit(Commit { request: request.id.map(|id| (id, news)), effects, now }) {
            Ok(saved) => saved,
            Err(CommitError::Repeated(done)) => return self.answer_again(request, &done, markup).map(Some),
            Err(CommitError::Stale) => return Ok(None),
            Err(CommitError::Store(error)) => return Err(error),
        };
        let owed = saved.owed.first().copied();
        let (player, server, game) = (request.person.id.0, request.place.server, saved.game.map(|game| game.0));
        info!(challenge = id.0, player, server, game, "a challenge is answered");
        if let Some(game) = saved.game {
            return self.answer_with_stored(request, game, &notice, owed, markup).map(Some);
        }
        let mut reply = closed_post(&answered, markup);
        if request.place == place {
            reply.owed = owed;
        } else {
            reply.audience = super::Audience::Private;
            reply.call.clear();
            reply.elsewhere = Vec::from_iter(owed);
        }
        Ok(Some(reply))
    }

    /// Withdraws or declines for a player what is open between him and another, or all that is; gives the messages about
    /// it.
    pub(super) fn close_challenges(
        &self,
        player: PlayerId,
        between: Option<PlayerId>,
    ) -> Result<Vec<OutboxId>, StoreError> {
        let now = self.now();
        let mut owed = Vec::new();
        for challenge in self.store.open_challenges(player, None, now)? {
            let Proposal { challenger, opponent, place, .. } = challenge.proposal;
            if between.is_some_and(|other| challenger != other && opponent != Some(other)) {
                continue;
            }
            let closed = challenge.withdraw(player, now).or_else(|_| challenge.decline(player, now));
            let Ok(closed) = closed else { continue };
            let call = (closed.state == ChallengeState::Declined).then_some(challenger);
            let news = OutboxBody::ChallengeClosed.write();
            let owe = Effect::Owe { about: About::Challenge(challenge.id), place, news, call };
            let effects = vec![Effect::Answer { challenge: closed }, owe];
            match self.store.commit(Commit { request: None, effects, now }) {
                Ok(saved) => owed.extend(saved.owed),
                // Somebody has answered it just now.
                Err(CommitError::Stale | CommitError::Repeated(_)) => {}
                Err(CommitError::Store(error)) => return Err(error),
            }
        }
        Ok(owed)
    }

    /// Tells somebody who is kept from playing by his own block that it is his own.
    pub(super) fn blame(
        &self,
        refusal: Refusal,
        request: &Request,
        other: Option<PlayerId>,
    ) -> Result<Refusal, StoreError> {
        let (Refusal::Unavailable, Some(other)) = (&refusal, other) else { return Ok(refusal) };
        let own = self.store.blocked_by(request.person.id)?.contains(&other);
        Ok(if own { Refusal::BlockedByYou } else { refusal })
    }

    fn decide(
        &self,
        request: &Request,
        challenge: &Challenge,
        answer: ChallengeAnswer,
    ) -> Result<Result<(Challenge, Option<Start>), Refusal>, StoreError> {
        let (player, now) = (request.person.id, self.now());
        Ok(match answer {
            ChallengeAnswer::Accept => {
                let acceptance = self.store.acceptance(player, challenge.proposal.challenger)?;
                let accepted = challenge.accept(player, &acceptance, now, (self.dice)());
                accepted.map(|(challenge, start)| (challenge, Some(start)))
            }
            ChallengeAnswer::Decline => challenge.decline(player, now).map(|challenge| (challenge, None)),
            ChallengeAnswer::Withdraw => challenge.withdraw(player, now).map(|challenge| (challenge, None)),
        })
    }

    pub(super) fn list_challenges(&self, request: &Request, markup: &dyn Markup) -> Result<Reply, StoreError> {
        let here = Some(request.place).filter(|_| request.in_server());
        let open = self.store.open_challenges(request.person.id, here, self.now())?;
        let mut reply = match &*open {
            [] => Reply::private(challenges::none_open(request.in_server())),
            [only] => self.private_challenge(request, only, markup),
            several => {
                let items = several.iter().map(|challenge| Item {
                    label: challenges::label(challenge, markup.plain()),
                    detail: challenges::detail(challenge, markup.plain()),
                    command: Command::ShowChallenge(challenge.id),
                });
                let text = challenges::list(several, markup);
                Reply::private(text).menu(Menu::new("Which challenge?", items))
            }
        };
        reply.text += &lists::unreadable(open.unreadable, "challenge");
        Ok(reply)
    }

    pub(super) fn show_challenge(
        &self,
        request: &Request,
        id: ChallengeId,
        markup: &dyn Markup,
    ) -> Result<Reply, StoreError> {
        Ok(match self.store.challenge(id)?.filter(|challenge| may_see(request, challenge)) {
            Some(challenge) => self.private_challenge(request, &challenge, markup),
            None => Reply::private(refusals::no_such_challenge()),
        })
    }

    /// Shows a challenge as it is to be read once it is closed; nothing if it is open or forgotten.
    pub fn closed_challenge(&self, id: ChallengeId, markup: &dyn Markup) -> Result<Option<Reply>, StoreError> {
        let closed = self.store.challenge(id)?.filter(|challenge| challenge.state != ChallengeState::Open);
        Ok(closed.map(|challenge| challenge_post(&challenge, markup)))
    }

    /// Shows a challenge to one player, with the buttons that are his.
    fn private_challenge(&self, request: &Request, challenge: &Challenge, markup: &dyn Markup) -> Reply {
        let mine = challenge.proposal.challenger == request.person.id;
        let for_me = challenge.proposal.opponent == Some(request.person.id);
        let mut reply = challenge_post(challenge, markup);
        reply.audience = super::Audience::Private;
        reply.call.clear();
        reply.buttons.retain(|button| match button.command {
            Command::AnswerChallenge { answer: ChallengeAnswer::Withdraw, .. } => mine,
            Command::AnswerChallenge { answer: ChallengeAnswer::Decline, .. } => for_me,
            _ => !mine,
        });
        reply
    }
}

/// Tells whether somebody may see a challenge from here: it is his, for him, or made in this channel.
fn may_see(request: &Request, challenge: &Challenge) -> bool {
    let Proposal { challenger, opponent, place, .. } = challenge.proposal;
    let player = request.person.id;
    player == challenger || opponent == Some(player) || request.is_beside(place)
}

/// Shows a challenge to everybody, and calls the opponent while it can be answered.
pub(super) fn challenge_post(challenge: &Challenge, markup: &dyn Markup) -> Reply {
    let Proposal { variant, layout, opponent, .. } = challenge.proposal;
    let mut reply = Reply::public(challenges::challenge(challenge, markup));
    reply = reply.board(captioned(BoardView::of(variant, &variant.book(), &variant.start(layout))));
    if challenge.state != ChallengeState::Open {
        return reply;
    }
    reply.call.extend(opponent);
    let command = |answer| Command::AnswerChallenge { challenge: challenge.id, answer };
    reply = reply.button("Accept", Style::Main, command(ChallengeAnswer::Accept));
    if opponent.is_some() {
        reply = reply.button("Decline", Style::Plain, command(ChallengeAnswer::Decline));
    }
    reply.button("Withdraw", Style::Plain, command(ChallengeAnswer::Withdraw)).button(
        "Rules",
        Style::Plain,
        Command::Rules { variant: Some(variant) },
    )
}

/// Tells that a challenge was declined or withdrawn.
pub(super) fn closed_post(challenge: &Challenge, markup: &dyn Markup) -> Reply {
    let mut reply = Reply::public(challenges::closed(challenge, markup));
    reply.call.extend((challenge.state == ChallengeState::Declined).then_some(challenge.proposal.challenger));
    reply
}
