//! Posts about games and challenges: what they show, where they go, and what becomes of them when they are late.

use super::reply::{Answer, ButtonStyle, Content, Handover, Post, Reply};
use super::{App, Ctx, SessionNames, board_buttons, settings};
use crate::board_view::{BoardStatus, BoardView};
use crate::commands::{ChallengeAnswer, Command};
use crate::game::{
    BotPermissions, Challenge, ChallengeMessage, ChallengeState, Game, GameEvent, GameId, GameMessage, GameNotice,
    GameTerms, OfferKind, OutboxBody, Place, PlayerId, PlayerSettings, Players, Proposal, Reminders, ServerSettings,
};
use crate::store::{CommitError, Committed, HandledRequest, OutboxMessage, PendingMessage, Session, StoreError};
use crate::text::{Markup, MarkupFactory, PlayerNames, challenges, delivery, endings, events, refusals};

/// Where an outbox message goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Destination {
    Place,
    /// To a thread that is made for the game.
    NewThread {
        game: GameId,
        name: String,
        players: Players,
        /// Where the game is until then.
        from: Place,
    },
    /// To a player alone.
    Direct(PlayerId),
    /// Nowhere: the player has turned reminders off.
    Nowhere,
    /// Nowhere yet: its place is gone. The game moves when a player uses a command somewhere else.
    Gone,
    /// To the channel, where the game goes on because its thread is gone.
    Channel {
        game: GameId,
    },
}

impl App {
    /// Makes the post of an outbox message; `None` if there is nothing left to tell.
    ///
    /// # Errors
    /// Fails if the store does, and with [`StoreError::BadRow`] if the game cannot be read.
    pub fn post(&self, message: &OutboxMessage, markups: &dyn MarkupFactory) -> Result<Option<Post>, StoreError> {
        let session = self.store.session()?;
        let names = SessionNames::new(&session);
        let markup = markups.markup(&names, self.now());
        let Some(mut post) = post_of(&session, message, &*markup)? else { return Ok(None) };
        settings::set_theme(&settings::server_settings_at(&session, message.place)?, &mut post.content);
        let OutboxMessage { id, revision, .. } = *message;
        post.pending = Some(PendingMessage { id, subject: message.body.subject(), revision, earlier: Vec::new() });
        Ok(Some(post))
    }

    /// Returns where an outbox message goes.
    ///
    /// # Errors
    /// Fails if the store does.
    pub fn destination(&self, message: &OutboxMessage) -> Result<Destination, StoreError> {
        let session = self.store.session()?;
        if let Some(player) = message.body.reminded_player() {
            match session.player_settings(player)?.reminders.unwrap_or_default() {
                Reminders::Channel => {}
                Reminders::Direct => return Ok(Destination::Direct(player)),
                Reminders::Off => return Ok(Destination::Nowhere),
            }
        }
        if session.is_gone(message.place)? {
            let channel = Place { thread: None, ..message.place };
            return Ok(match message.body {
                OutboxBody::Game(game, _) if !session.is_gone(channel)? => Destination::Channel { game },
                OutboxBody::Game(..) | OutboxBody::Challenge(..) => Destination::Gone,
            });
        }
        let OutboxBody::Game(game, _) = message.body else { return Ok(Destination::Place) };
        if !message.body.is_beginning()
            || !wants_thread(&settings::server_settings_at(&session, message.place)?, message.place)
        {
            return Ok(Destination::Place);
        }
        let Some(game) = session.game_row(game)? else { return Ok(Destination::Place) };
        let names = SessionNames::new(&session);
        let (attackers, defenders) = (names.name(game.players.attackers), names.name(game.players.defenders));
        let name = delivery::thread_name(game.variant.name, game.id, &attackers, &defenders);
        Ok(Destination::NewThread { game: game.id, name, players: game.players, from: game.place })
    }

    /// Sends the reminders of a player to the game's channel from now on, because the player takes no direct messages.
    ///
    /// # Errors
    /// Fails if the store does.
    pub fn give_up_direct_messages(&self, player: PlayerId) -> Result<(), StoreError> {
        let settings = PlayerSettings { reminders: Some(Reminders::Channel), ..PlayerSettings::default() };
        self.store.change_player_settings(player, settings)
    }
}

/// Makes the post of an outbox message as the game or challenge is now; `None` if there is nothing left to tell.
fn post_of(session: &Session<'_>, message: &OutboxMessage, markup: &dyn Markup) -> Result<Option<Post>, StoreError> {
    let ping = message.ping;
    match &message.body {
        OutboxBody::Game(game, told) => {
            Ok(session.game(*game)?.and_then(|game| post_about_game(&game, told, ping, markup)))
        }
        OutboxBody::Challenge(challenge, told) => {
            Ok(session.challenge(*challenge)?.map(|challenge| post_about_challenge(&challenge, *told, ping, markup)))
        }
    }
}

fn post_about_game(game: &Game, told: &GameMessage, ping: Option<PlayerId>, markup: &dyn Markup) -> Option<Post> {
    match told {
        GameMessage::Notice(notice) => {
            let taken_back = taken_back(game, notice);
            if has_moved_on(game, notice) || taken_back.is_some() {
                return late_post(game, notice, taken_back, markup);
            }
            Some(game_post(game, notice, ping, markup))
        }
        // If the version has changed, a later post already shows the game in its new place.
        GameMessage::Relocated { version } => (game.version == *version).then(|| {
            let content = Content::text(events::relocated(game, markup)).board(view_now(game));
            Post { content: board_buttons::add(content, game, &[]), ping: Vec::from_iter(ping), ..Post::default() }
        }),
    }
}

fn post_about_challenge(
    challenge: &Challenge,
    told: ChallengeMessage,
    ping: Option<PlayerId>,
    markup: &dyn Markup,
) -> Post {
    match told {
        // A challenge pings its opponent only while it is open, so the message's own ping is not used.
        ChallengeMessage::Made => challenge_post(challenge, markup),
        ChallengeMessage::Closed => {
            let post = closed_post(challenge, markup);
            if post.ping.is_empty() { Post { ping: Vec::from_iter(ping), ..post } } else { post }
        }
    }
}

/// Makes the post of a challenge, which pings the opponent while it can be answered.
pub(super) fn challenge_post(challenge: &Challenge, markup: &dyn Markup) -> Post {
    let Proposal { variant, layout, opponent, .. } = challenge.proposal;
    let view = BoardView::of(variant, &variant.rulebook(), &variant.start_position(layout));
    let mut content = Content::text(challenges::challenge(challenge, markup)).board(view);
    if challenge.state != ChallengeState::Open {
        return Post { content, ..Post::default() };
    }
    let command = |answer| Command::AnswerChallenge { challenge: challenge.id, answer };
    content = content.button("Accept", ButtonStyle::Main, command(ChallengeAnswer::Accept));
    if opponent.is_some() {
        content = content.button("Decline", ButtonStyle::Plain, command(ChallengeAnswer::Decline));
    }
    content = content.button("Withdraw", ButtonStyle::Plain, command(ChallengeAnswer::Withdraw)).button(
        "Rules",
        ButtonStyle::Plain,
        Command::Rules { variant: Some(variant) },
    );
    Post { content, ping: Vec::from_iter(opponent), ..Post::default() }
}

/// Makes the post that says that a challenge was declined or withdrawn, or has expired.
pub(super) fn closed_post(challenge: &Challenge, markup: &dyn Markup) -> Post {
    let declined = challenge.state == ChallengeState::Declined;
    let ping = Vec::from_iter(declined.then_some(challenge.proposal.challenger));
    Post { content: Content::text(challenges::closed(challenge, markup)), ping, ..Post::default() }
}

/// Returns whether a game that begins in a place gets a thread there, judging by the request's permissions.
pub(super) fn gets_thread(ctx: &Ctx<'_>, place: Place) -> Result<bool, StoreError> {
    let BotPermissions { see, make_threads, post_in_threads, .. } = ctx.request.permissions;
    Ok(see && make_threads && post_in_threads && wants_thread(&ctx.server_settings(place)?, place))
}

fn wants_thread(settings: &ServerSettings, place: Place) -> bool {
    place.thread.is_none() && settings.threads == Some(true)
}

/// Answers a request that was handled before: by an earlier process, or by this one while the same request was handled
/// twice at once. Its message was posted, or is being posted, so this answer is private: another public one would be a
/// second board with buttons.
pub(super) fn answer_again(handled: HandledRequest) -> Reply {
    Reply::private(match handled.message.map(|message| message.body) {
        Some(OutboxBody::Game(game, GameMessage::Notice(GameNotice { reason: Some(_), .. }))) => {
            endings::ended_by_moderator(game)
        }
        _ => refusals::already_done(),
    })
}

/// Replies with the post about a game, if the request comes from the game's place. Otherwise only the player sees the
/// reply, and the post is handed over to be delivered in the game's place.
pub(super) fn reply_with_post(ctx: &Ctx<'_>, place: Place, post: Post) -> Result<Reply, CommitError> {
    if ctx.request.place == place {
        return Ok(post.into());
    }
    let mut answer = post.for_one_player();
    for post in answer.handovers.iter_mut().filter_map(|handover| handover.post.as_mut()) {
        settings::set_theme(&ctx.server_settings(place)?, &mut post.content);
    }
    Ok(answer.into())
}

/// Replies with the first board of a game that has just begun, or says that it begins in its own thread.
pub(super) fn reply_with_new_game(
    ctx: &Ctx<'_>,
    committed: Committed,
    terms: GameTerms,
    leaves_thread: bool,
) -> Result<Reply, CommitError> {
    let pending = committed.messages.into_iter().next();
    let id = committed.game.ok_or_else(|| StoreError::Bug(String::from("a commit began no game")))?;
    let game = Game::begin(id, terms, ctx.now).map_err(StoreError::from)?;
    if leaves_thread || gets_thread(ctx, terms.place)? {
        let handovers = pending.map(Handover::without_post).into_iter().collect();
        return Ok(Answer { handovers, ..Answer::private(delivery::game_starts_in_thread()) }.into());
    }
    let post = game_post(&game, &GameNotice::began(), game.player_to_move(), ctx.markup);
    reply_with_post(ctx, terms.place, Post { pending, ..post })
}

/// Makes the post that tells what happened in a game, and to whom.
pub(super) fn game_post(game: &Game, notice: &GameNotice, ping: Option<PlayerId>, markup: &dyn Markup) -> Post {
    let GameNotice { events, plies, reason, .. } = notice;
    let mut text = events::post(game, events, markup);
    if let Some(reason) = reason {
        text = format!("{text}\n{}", endings::moderator_reason(reason, markup));
    }
    let content = Content::text(text).board(view_after(game, *plies));
    // Neither player asked for what the moderator did, so both are pinged.
    let ping = if reason.is_some() { game.terms.players.both().to_vec() } else { Vec::from_iter(ping) };
    Post { content: board_buttons::add(content, game, events), ping, ..Post::default() }
}

/// Makes a post about something after which the game has moved on: it pings nobody, and has no buttons.
fn late_post(game: &Game, notice: &GameNotice, taken_back: Option<&str>, markup: &dyn Markup) -> Option<Post> {
    let GameNotice { events, plies, .. } = notice;
    let mut content = Content::text(events::late_post(game, events, *plies, taken_back, markup)?);
    // A position that was taken back since is not shown any more.
    if taken_back.is_none() && *plies <= game.record.plies().len() {
        let was_over = tells_the_end(events) || is_about_a_rematch(events);
        content = content.board(if was_over { view_after(game, *plies) } else { view_at(game, *plies) });
    }
    Some(Post { content, ..Post::default() })
}

fn tells_the_end(events: &[GameEvent]) -> bool {
    events.iter().any(|event| matches!(event, GameEvent::Ended { .. }))
}

/// Returns whether the events are about a rematch, which can be offered only after the end.
fn is_about_a_rematch(events: &[GameEvent]) -> bool {
    events.iter().any(|event| match event {
        GameEvent::Offered { kind, .. } | GameEvent::Declined { kind, .. } => *kind == OfferKind::Rematch,
        _ => false,
    })
}

/// Returns whether the game has changed since the notice was written.
fn has_moved_on(game: &Game, notice: &GameNotice) -> bool {
    let GameNotice { events, plies, .. } = notice;
    let still_so = || tells_the_end(events) || events.iter().all(|event| still_holds(game, event));
    *plies != game.record.plies().len() || !still_so()
}

/// Returns whether an event still describes the game. Once the game is over, only its end and a rematch do.
fn still_holds(game: &Game, event: &GameEvent) -> bool {
    match event {
        GameEvent::Offered { kind, by } => game.offers.offered_by(*kind) == Some(*by),
        GameEvent::Declined { kind: OfferKind::Rematch, .. } | GameEvent::Ended { .. } => true,
        GameEvent::Reminder { deadline, .. } => game.result.is_none() && game.clock.deadline == *deadline,
        GameEvent::TimeUp { .. } => game.result.is_none() && game.clock.flagged.is_some(),
        GameEvent::Began
        | GameEvent::Moved { .. }
        | GameEvent::Declined { kind: OfferKind::Draw | OfferKind::Takeback, .. }
        | GameEvent::Withdrawn { .. }
        | GameEvent::TookBack { .. }
        | GameEvent::TimeGiven { .. } => game.result.is_none(),
    }
}

/// Returns the last move at the time of the notice, if the game does not have it any more.
fn taken_back<'n>(game: &Game, notice: &'n GameNotice) -> Option<&'n str> {
    let GameNotice { plies, last_move: Some(last_move), position, .. } = notice else { return None };
    let in_game = plies.checked_sub(1).and_then(|last| game.record.plies().get(last)).is_some_and(|played| {
        let led_to = || game.record.rulebook().write_position(&played.position);
        played.mv.to_string() == *last_move && position.as_ref().is_none_or(|position| *position == led_to())
    });
    (!in_game).then_some(last_move)
}

/// Shows a game as it is now.
pub(super) fn view_now(game: &Game) -> BoardView {
    view_after(game, game.record.plies().len())
}

/// Shows a game after a number of plies, with the result if the game has no more plies.
pub(super) fn view_after(game: &Game, plies: usize) -> BoardView {
    let mut view = view_at(game, plies);
    if plies >= game.record.plies().len()
        && let Some(result) = game.result
    {
        let decided = BoardStatus::decided(result.winner());
        view.end(if result.counts() { decided } else { BoardStatus::NoResult });
    }
    view
}

/// Shows the position after a number of plies, without the result.
fn view_at(game: &Game, plies: usize) -> BoardView {
    let (variant, rulebook) = (game.terms.variant, game.record.rulebook());
    match plies.checked_sub(1).and_then(|last| game.record.plies().get(last)) {
        Some(played) => BoardView::after(variant, rulebook, played),
        None => BoardView::of(variant, rulebook, game.record.start_position()),
    }
}
