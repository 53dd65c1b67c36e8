//! How a game begins: challenges made, answered and listed.

use super::post::{Notice, captioned};
use super::reply::{Item, Menu, Reply, Style};
use super::wish::{Answer, Person, Wish};
use super::{App, Request};
use crate::game::{Challenge, ChallengeId, ChallengeState, Pace, PlayerId, Proposal, Refusal, SideWish, Start};
use crate::rules::Variant;
use crate::rules::variants::Words;
use crate::scene::Scene;
use crate::store::{About, Effect, Listing, OwedId, SaveError, StoreError, Write};
use crate::text::{Voice, answers};
use tracing::info;

/// What a challenger has said.
pub(super) struct Terms<'w> {
    pub(super) variant: &'w str,
    pub(super) opponent: &'w Option<Person>,
    pub(super) layout: &'w Option<String>,
    pub(super) side: Option<SideWish>,
    pub(super) pace: Option<Pace>,
}

impl App {
    pub(super) fn challenge(
        &self,
        request: &Request,
        terms: &Terms<'_>,
        voice: &dyn Voice,
    ) -> Result<Reply, StoreError> {
        let Some(variant) = Variant::find(terms.variant) else {
            return Ok(Reply::private(answers::no_such_variant()));
        };
        let layout = terms.layout.as_deref().map_or(Some(variant.usual_layout()), |id| variant.layout(id));
        let Some(layout) = layout else { return Ok(Reply::private(answers::no_such_layout(variant))) };
        let proposal = Proposal {
            challenger: request.person.id,
            opponent: terms.opponent.as_ref().map(|person| person.id),
            variant,
            layout,
            side: terms.side.unwrap_or_default(),
            pace: terms.pace.or(self.house(request.place)?.pace).unwrap_or_default(),
            place: request.place,
        };
        if request.place.server.is_none() {
            return Ok(Reply::private(answers::challenge_in_a_server()));
        }
        if let Some(hidden) = terms.opponent.as_ref().filter(|person| !person.bot && !person.sees) {
            return Ok(Reply::private(answers::cannot_see_this(hidden.id, voice)));
        }
        let now = self.now();
        let mut standing = self.store.standing(&proposal, now)?;
        standing.opponent_is_bot = terms.opponent.as_ref().is_some_and(|person| person.bot);
        if let Err(refusal) = proposal.check(&standing) {
            let refusal = self.blame(refusal, request, proposal.opponent)?;
            return Ok(Reply::private(answers::refused(&refusal, &variant.words, voice)));
        }
        if let Some(person) = terms.opponent {
            self.store.remember_player(person.id, &person.name)?;
        }
        let notice = Notice::Challenged;
        let owe = Effect::Owe {
            about: About::NewChallenge,
            place: request.place,
            news: notice.write(),
            call: proposal.opponent,
        };
        let effects = vec![Effect::Challenge(proposal), owe];
        let write = Write { request: request.id.map(|id| (id, notice.write())), effects, now };
        match self.store.save(write) {
            Ok(saved) => {
                let id = saved.challenge.unwrap_or(ChallengeId(0));
                let (player, server) = (request.person.id.0, request.place.server);
                info!(challenge = id.0, player, server, variant = variant.id, "a challenge is made");
                let challenge = Challenge { id, proposal, made: now, state: ChallengeState::Open };
                let mut reply = challenge_post(&challenge, voice);
                reply.owed = saved.owed.first().copied();
                Ok(reply)
            }
            Err(SaveError::Repeated(done)) => self.answer_again(request, &done, voice),
            Err(SaveError::Stale) => {
                Ok(Reply::private(answers::refused(&Refusal::SameChallenge, &variant.words, voice)))
            }
            Err(SaveError::Store(error)) => Err(error),
        }
    }

    pub(super) fn answer_challenge(
        &self,
        request: &Request,
        id: ChallengeId,
        answer: Answer,
        voice: &dyn Voice,
    ) -> Result<Reply, StoreError> {
        let Some(challenge) = self.store.challenge(id)?.filter(|challenge| self.may_see(request, challenge)) else {
            return Ok(Reply::private(answers::no_such_challenge()));
        };
        let now = self.now();
        let decided = self.decide(request, &challenge, answer)?;
        let (answered, start) = match decided {
            Ok(decided) => decided,
            Err(refusal) => {
                let words: &Words = &challenge.proposal.variant.words;
                let refusal = self.blame(refusal, request, Some(challenge.proposal.challenger))?;
                return Ok(Reply::private(answers::refused(&refusal, words, voice)));
            }
        };
        let notice = match start {
            Some(_) => Notice::began(),
            None => Notice::ChallengeClosed,
        };
        let place = self.place_to_play(request, challenge.proposal.place)?;
        let mut effects = vec![Effect::Answer { challenge: answered }];
        if let Some(start) = start.map(|start| Start { place, ..start }) {
            let first = start.players.of(start.rules.first);
            effects.push(Effect::Begin { start });
            effects.push(Effect::Owe { about: About::NewGame, place, news: notice.write(), call: Some(first) });
        } else {
            let call = (answer == Answer::Decline).then_some(challenge.proposal.challenger);
            effects.push(Effect::Owe { about: About::Challenge(id), place, news: notice.write(), call });
        }
        let write = Write { request: request.id.map(|id| (id, notice.write())), effects, now };
        match self.store.save(write) {
            Ok(saved) => {
                let owed = saved.owed.first().copied();
                let (player, server, game) = (request.person.id.0, request.place.server, saved.game.map(|game| game.0));
                info!(challenge = id.0, player, server, game, "a challenge is answered");
                match saved.game {
                    Some(game) => self.answer_with_stored(request, game, &notice, owed, voice),
                    None => {
                        let mut reply = closed_post(&answered, voice);
                        if request.place == place {
                            reply.owed = owed;
                        } else {
                            reply.audience = super::Audience::Private;
                            reply.call.clear();
                            reply.elsewhere = Vec::from_iter(owed);
                        }
                        Ok(reply)
                    }
                }
            }
            Err(SaveError::Repeated(done)) => self.answer_again(request, &done, voice),
            Err(SaveError::Stale) => {
                let words: &Words = &challenge.proposal.variant.words;
                Ok(Reply::private(answers::refused(&Refusal::ChallengeClosed, words, voice)))
            }
            Err(SaveError::Store(error)) => Err(error),
        }
    }

    /// Withdraws or declines for a player what is open between him and another; gives the messages about it.
    pub(super) fn close_challenges_between(
        &self,
        player: PlayerId,
        other: PlayerId,
    ) -> Result<Vec<OwedId>, StoreError> {
        let now = self.now();
        let mut owed = Vec::new();
        for challenge in self.store.open_challenges(player, None, now)? {
            let Proposal { challenger, opponent, place, .. } = challenge.proposal;
            if challenger != other && opponent != Some(other) {
                continue;
            }
            let closed = challenge.withdraw(player, now).or_else(|_| challenge.decline(player, now));
            let Ok(closed) = closed else { continue };
            let call = (closed.state == ChallengeState::Declined).then_some(challenger);
            let news = Notice::ChallengeClosed.write();
            let owe = Effect::Owe { about: About::Challenge(challenge.id), place, news, call };
            match self.store.save(Write {
                request: None,
                effects: vec![Effect::Answer { challenge: closed }, owe],
                now,
            }) {
                Ok(saved) => owed.extend(saved.owed),
                // Somebody has answered it just now.
                Err(SaveError::Stale | SaveError::Repeated(_)) => {}
                Err(SaveError::Store(error)) => return Err(error),
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
        answer: Answer,
    ) -> Result<Result<(Challenge, Option<Start>), Refusal>, StoreError> {
        let (player, now) = (request.person.id, self.now());
        Ok(match answer {
            Answer::Accept => {
                let acceptance = self.store.acceptance(player, challenge.proposal.challenger)?;
                let accepted = challenge.accept(player, &acceptance, now, (self.dice)());
                accepted.map(|(challenge, start)| (challenge, Some(start)))
            }
            Answer::Decline => challenge.decline(player, now).map(|challenge| (challenge, None)),
            Answer::Withdraw => challenge.withdraw(player, now).map(|challenge| (challenge, None)),
        })
    }

    /// Tells whether somebody may see a challenge: it is his, for him, or made in this server.
    fn may_see(&self, request: &Request, challenge: &Challenge) -> bool {
        let Proposal { challenger, opponent, place, .. } = challenge.proposal;
        let player = request.person.id;
        player == challenger
            || opponent == Some(player)
            || (request.place.server.is_some() && place.server == request.place.server)
    }

    /// Gives the challenges that somebody can answer or withdraw here.
    pub(super) fn open_challenges(&self, request: &Request) -> Result<Listing<Challenge>, StoreError> {
        let player = request.person.id;
        let mut open = self.store.open_challenges(player, request.place.server, self.now())?;
        let mut rows = Vec::new();
        for challenge in open.rows {
            // What could not be accepted anyway is not shown.
            let challenger = challenge.proposal.challenger;
            if challenger == player || !self.store.acceptance(player, challenger)?.blocked {
                rows.push(challenge);
            }
        }
        open.rows = rows;
        Ok(open)
    }

    pub(super) fn list_challenges(&self, request: &Request, voice: &dyn Voice) -> Result<Reply, StoreError> {
        let open = self.open_challenges(request)?;
        let mut reply = match &*open {
            [] => Reply::private(answers::no_challenges(request.in_server())),
            [only] => self.private_challenge(request, only, voice),
            several => {
                let items = several.iter().map(|challenge| Item {
                    label: answers::challenge_label(challenge, voice.on_labels()),
                    detail: answers::challenge_detail(challenge, voice.on_labels()),
                    wish: Wish::ShowChallenge(challenge.id),
                });
                let text = answers::challenge_list(several, voice);
                Reply::private(text).menu(Menu::new("Which challenge?", items))
            }
        };
        reply.text += &answers::unreadable(open.unreadable, "challenge");
        Ok(reply)
    }

    pub(super) fn show_challenge(
        &self,
        request: &Request,
        id: ChallengeId,
        voice: &dyn Voice,
    ) -> Result<Reply, StoreError> {
        Ok(match self.store.challenge(id)?.filter(|challenge| self.may_see(request, challenge)) {
            Some(challenge) => self.private_challenge(request, &challenge, voice),
            None => Reply::private(answers::no_such_challenge()),
        })
    }

    /// Shows a challenge as it is to be read once it is closed; nothing if it is open or forgotten.
    pub fn closed_challenge(&self, id: ChallengeId, voice: &dyn Voice) -> Result<Option<Reply>, StoreError> {
        let closed = self.store.challenge(id)?.filter(|challenge| challenge.state != ChallengeState::Open);
        Ok(closed.map(|challenge| challenge_post(&challenge, voice)))
    }

    /// Shows a challenge to one player, with the buttons that are his.
    fn private_challenge(&self, request: &Request, challenge: &Challenge, voice: &dyn Voice) -> Reply {
        let mine = challenge.proposal.challenger == request.person.id;
        let for_me = challenge.proposal.opponent == Some(request.person.id);
        let mut reply = challenge_post(challenge, voice);
        reply.audience = super::Audience::Private;
        reply.call.clear();
        reply.buttons.retain(|button| match button.wish {
            Wish::Answer { answer: Answer::Withdraw, .. } => mine,
            Wish::Answer { answer: Answer::Decline, .. } => for_me,
            _ => !mine,
        });
        reply
    }
}

/// Shows a challenge to everybody.
pub(super) fn challenge_post(challenge: &Challenge, voice: &dyn Voice) -> Reply {
    let Proposal { variant, layout, opponent, .. } = challenge.proposal;
    let mut reply = Reply::public(answers::challenge(challenge, voice));
    reply.call.extend(opponent);
    reply = reply.board(captioned(Scene::of(variant, &variant.book(), &variant.start(layout))));
    if challenge.state != ChallengeState::Open {
        return reply;
    }
    let wish = |answer| Wish::Answer { challenge: challenge.id, answer };
    reply = reply.button("Accept", Style::Main, wish(Answer::Accept));
    if opponent.is_some() {
        reply = reply.button("Decline", Style::Plain, wish(Answer::Decline));
    }
    reply.button("Withdraw", Style::Plain, wish(Answer::Withdraw)).button(
        "Rules",
        Style::Plain,
        Wish::Rules { variant: Some(variant) },
    )
}

/// Tells that a challenge was declined or withdrawn.
pub(super) fn closed_post(challenge: &Challenge, voice: &dyn Voice) -> Reply {
    let mut reply = Reply::public(answers::challenge_closed(challenge, voice));
    reply.call.extend((challenge.state == ChallengeState::Declined).then_some(challenge.proposal.challenger));
    reply
}
