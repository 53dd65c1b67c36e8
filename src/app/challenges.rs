//! How a game begins: challenges made, answered and listed.

use super::commit::closing_effects;
use super::notice::{challenge_post, closed_post, reply_with_new_game};
use super::reply::{Answer, Content, Item, Menu, Post, Reply};
use super::{App, Ctx, Request, relocation};
use crate::commands::{ChallengeAnswer, Command, Person};
use crate::game::challenge::ChallengeContext;
use crate::game::{
    Challenge, ChallengeId, ChallengeState, GameTerms, Pace, Place, PlaceLogFields, PlayerId, Proposal, Refusal,
    SidePreference,
};
use crate::rules::Variant;
use crate::store::{CommitError, Effect, NewBody, PendingMessage, StoreError};
use crate::text::{MarkupFactory, challenges, lists, refusals};
use tracing::info;

/// The options of `/challenge`.
pub(super) struct ChallengeOptions<'c> {
    pub(super) variant: &'c str,
    pub(super) opponent: &'c Option<Person>,
    pub(super) layout: &'c Option<String>,
    pub(super) side: Option<SidePreference>,
    pub(super) pace: Option<Pace>,
}

/// Makes a challenge.
pub(super) fn challenge(ctx: &Ctx<'_>, options: &ChallengeOptions<'_>) -> Result<Reply, CommitError> {
    let Some(variant) = Variant::find(options.variant) else {
        return Ok(Reply::private(refusals::no_such_variant()));
    };
    let layout = options.layout.as_deref().map_or(Some(variant.default_layout()), |id| variant.layout(id));
    let Some(layout) = layout else { return Ok(Reply::private(refusals::no_such_layout(variant))) };
    let opponent = options.opponent.as_ref();
    let proposal = Proposal {
        challenger: ctx.player(),
        opponent: opponent.map(|person| person.id),
        variant,
        layout,
        side: options.side.unwrap_or_default(),
        pace: options.pace.or(ctx.server_settings(ctx.request.place)?.pace).unwrap_or_default(),
        place: ctx.request.place,
    };
    if !ctx.request.in_server() {
        return Ok(Reply::private(refusals::challenge_needs_server()));
    }
    if let Some(hidden) = opponent.filter(|person| !person.is_bot && !person.can_see_channel) {
        return Ok(Reply::private(refusals::opponent_cannot_see_channel(hidden.id, ctx.markup)));
    }
    let opponent_is_bot = opponent.is_some_and(|person| person.is_bot);
    let context = ChallengeContext { opponent_is_bot, ..ctx.session.challenge_context(&proposal, ctx.now)? };
    if let Err(refusal) = proposal.check_allowed(&context) {
        let refusal = name_own_block(ctx, refusal, proposal.opponent)?;
        return Ok(Reply::private(refusals::refused(&refusal, &variant.words, ctx.markup)));
    }
    make(ctx, proposal, opponent)
}

fn make(ctx: &Ctx<'_>, proposal: Proposal, opponent: Option<&Person>) -> Result<Reply, CommitError> {
    let mut effects = vec![Effect::AddChallenge(proposal)];
    effects.extend(opponent.map(|person| Effect::SetName { player: person.id, name: person.name.clone() }));
    effects.push(Effect::AddMessage { body: NewBody::ChallengeMade, place: proposal.place, ping: proposal.opponent });
    let committed = ctx.commit(effects)?;
    let id = committed.challenge.ok_or_else(|| StoreError::Bug(String::from("a commit made no challenge")))?;
    let (player, variant) = (ctx.player().0, proposal.variant.id);
    let PlaceLogFields { server, channel } = proposal.place.log_fields();
    info!(challenge = id.0, player, server, channel, variant, "challenge made");
    let challenge = Challenge { id, proposal, made: ctx.now, state: ChallengeState::Open };
    let pending = committed.messages.into_iter().next();
    Ok(Post { pending, ..challenge_post(&challenge, ctx.markup) }.into())
}

/// Accepts, declines or withdraws a challenge.
pub(super) fn answer(ctx: &Ctx<'_>, id: ChallengeId, answer: ChallengeAnswer) -> Result<Reply, CommitError> {
    let Some(challenge) = ctx.session.challenge(id)?.filter(|challenge| may_see(ctx.request, challenge)) else {
        return Ok(Reply::private(refusals::no_such_challenge()));
    };
    let (answered, terms) = match decide(ctx, &challenge, answer)? {
        Ok(decided) => decided,
        Err(refusal) => {
            let refusal = name_own_block(ctx, refusal, Some(challenge.proposal.challenger))?;
            let words = &challenge.proposal.variant.words;
            return Ok(Reply::private(refusals::refused(&refusal, words, ctx.markup)));
        }
    };
    let place = relocation::place_to_play(ctx, challenge.proposal.place)?;
    match terms {
        Some(terms) => begin(ctx, answered, GameTerms { place, ..terms }),
        None => close(ctx, answered, answer, place),
    }
}

fn decide(
    ctx: &Ctx<'_>,
    challenge: &Challenge,
    answer: ChallengeAnswer,
) -> Result<Result<(Challenge, Option<GameTerms>), Refusal>, StoreError> {
    let (player, now) = (ctx.player(), ctx.now);
    Ok(match answer {
        ChallengeAnswer::Accept => {
            let acceptance = ctx.session.acceptance_context(player, challenge.proposal.challenger)?;
            let accepted = challenge.accept(player, &acceptance, now, (ctx.app.coin_toss)());
            accepted.map(|(challenge, terms)| (challenge, Some(terms)))
        }
        ChallengeAnswer::Decline => challenge.decline(player, now).map(|challenge| (challenge, None)),
        ChallengeAnswer::Withdraw => challenge.withdraw(player, now).map(|challenge| (challenge, None)),
    })
}

/// Begins the game of an accepted challenge.
fn begin(ctx: &Ctx<'_>, accepted: Challenge, terms: GameTerms) -> Result<Reply, CommitError> {
    let first = terms.players.of(terms.rules.first);
    let committed = ctx.commit(vec![
        Effect::CloseChallenge(accepted),
        Effect::CheckMayPlay(terms.players),
        Effect::BeginGame(terms),
        Effect::AddMessage { body: NewBody::GameBegan, place: terms.place, ping: Some(first) },
    ])?;
    let (game, player) = (committed.game.map(|game| game.0), ctx.player().0);
    let PlaceLogFields { server, channel } = terms.place.log_fields();
    info!(challenge = accepted.id.0, game, player, server, channel, "challenge accepted");
    reply_with_new_game(ctx, committed, terms, false)
}

/// Closes a challenge that was declined or withdrawn.
fn close(ctx: &Ctx<'_>, closed: Challenge, answer: ChallengeAnswer, place: Place) -> Result<Reply, CommitError> {
    let committed = ctx.commit(closing_effects(closed, place))?;
    let PlaceLogFields { server, channel } = place.log_fields();
    info!(challenge = closed.id.0, player = ctx.player().0, server, channel, %answer, "challenge closed");
    let pending = committed.messages.into_iter().next();
    let post = Post { pending, ..closed_post(&closed, ctx.markup) };
    Ok(if ctx.request.place == place { post.into() } else { post.for_one_player().into() })
}

/// Withdraws or declines the open challenges of a player, all of them or those with one other player; returns the
/// messages about it.
pub(super) fn close_all(
    app: &App,
    player: PlayerId,
    other: Option<PlayerId>,
) -> Result<Vec<PendingMessage>, StoreError> {
    let now = app.now();
    let mut messages = Vec::new();
    let open = app.store.session()?.open_challenges(player, None, now)?;
    for challenge in open {
        let Proposal { challenger, opponent, place, .. } = challenge.proposal;
        if other.is_some_and(|other| challenger != other && opponent != Some(other)) {
            continue;
        }
        let closed = challenge.withdraw(player, now).or_else(|_| challenge.decline(player, now));
        let Ok(closed) = closed else { continue };
        // If the decision is stale, the challenge has been answered just now.
        let Some(committed) = app.commit_without_request(closing_effects(closed, place))? else { continue };
        // Without the player's id: the log would keep it after the player is forgotten.
        let PlaceLogFields { server, channel } = place.log_fields();
        info!(challenge = closed.id.0, server, channel, "challenge closed by /block or /forget-me");
        messages.extend(committed.messages);
    }
    Ok(messages)
}

/// Turns [`Refusal::Unavailable`] into [`Refusal::BlockedByYou`] if the player has blocked the other one.
pub(super) fn name_own_block(ctx: &Ctx<'_>, refusal: Refusal, other: Option<PlayerId>) -> Result<Refusal, StoreError> {
    let (Refusal::Unavailable, Some(other)) = (&refusal, other) else { return Ok(refusal) };
    let own = ctx.session.blocked_by(ctx.player())?.contains(&other);
    Ok(if own { Refusal::BlockedByYou } else { refusal })
}

/// Lists the challenges that the player can answer or withdraw here.
pub(super) fn list(ctx: &Ctx<'_>) -> Result<Reply, StoreError> {
    let here = Some(ctx.request.place).filter(|_| ctx.request.in_server());
    let open = ctx.session.open_challenges(ctx.player(), here, ctx.now)?;
    ctx.names.fetch(open.iter().flat_map(|challenge| challenge.proposal.players()))?;
    let mut answer = match &*open {
        [] => Answer::private(challenges::none_open(ctx.request.in_server())),
        [only] => private_challenge(ctx, only),
        several => {
            let items = several.iter().map(|challenge| Item {
                label: challenges::label(challenge, ctx.markup.plain()),
                detail: challenges::detail(challenge, ctx.markup.plain()),
                command: Command::ShowChallenge(challenge.id),
            });
            let text = challenges::list(several, ctx.markup);
            Content::text(text).menu(Menu::new("Which challenge?", items)).privately()
        }
    };
    answer.content.text += &lists::unreadable(open.unreadable, "challenge");
    Ok(answer.into())
}

/// Shows one challenge, with the buttons that the player may press.
pub(super) fn show(ctx: &Ctx<'_>, id: ChallengeId) -> Result<Reply, StoreError> {
    Ok(match ctx.session.challenge(id)?.filter(|challenge| may_see(ctx.request, challenge)) {
        Some(challenge) => private_challenge(ctx, &challenge).into(),
        None => Reply::private(refusals::no_such_challenge()),
    })
}

impl App {
    /// Makes the post of a challenge as it reads once it is closed; `None` if it is open or forgotten.
    ///
    /// # Errors
    /// Fails if the store does.
    pub fn closed_challenge(&self, id: ChallengeId, markups: &dyn MarkupFactory) -> Result<Option<Post>, StoreError> {
        let session = self.store.session()?;
        let names = super::SessionNames::new(&session);
        let markup = markups.markup(&names, self.now());
        let closed = session.challenge(id)?.filter(|challenge| challenge.state != ChallengeState::Open);
        Ok(closed.map(|challenge| challenge_post(&challenge, &*markup)))
    }
}

/// Shows a challenge to one player, with the buttons that the player may press.
fn private_challenge(ctx: &Ctx<'_>, challenge: &Challenge) -> Answer {
    let mine = challenge.proposal.challenger == ctx.player();
    let for_me = challenge.proposal.opponent == Some(ctx.player());
    let mut content = challenge_post(challenge, ctx.markup).content;
    content.buttons.retain(|button| match button.command {
        Command::AnswerChallenge { answer: ChallengeAnswer::Withdraw, .. } => mine,
        Command::AnswerChallenge { answer: ChallengeAnswer::Decline, .. } => for_me,
        // The rules help a player decide whether to accept, which the challenger cannot do.
        Command::AnswerChallenge { answer: ChallengeAnswer::Accept, .. } | Command::Rules { .. } => !mine,
        _ => true,
    });
    content.privately()
}

/// Returns whether a player may see a challenge from here: it is by or to the player, or was made in this channel.
fn may_see(request: &Request, challenge: &Challenge) -> bool {
    let Proposal { challenger, opponent, place, .. } = challenge.proposal;
    let player = request.person.id;
    player == challenger || opponent == Some(player) || request.is_in_channel_of(place)
}
