//! What a player does in a game: moves, offers, resignation, claims.

use super::notice::{OutboxBody, begins_in_its_thread, captioned, view_now};
use super::reply::{Item, Menu, Reply, Style};
use super::resolve_game::Resolved;
use super::{App, Request, answer_once_more};
use crate::board_view::BoardView;
use crate::commands::command::{Command, GameCommand};
use crate::game::{Action, Change, Game, GameEvent, GameId, OfferKind, Place, PlayerId, Refusal, Start};
use crate::rules::{Move, Played, Square, SquareSet, notation};
use crate::store::{About, Commit, CommitError, Effect, StoreError};
use crate::text::{self, Markup, answers};
use tracing::info;

/// More bytes than any move needs, with all its captures and spaces; so many have room on a button.
pub(super) const LONGEST_MOVE: usize = 60;

impl App {
    pub(super) fn act_in_game(
        &self,
        request: &Request,
        named: Option<GameId>,
        version: Option<u64>,
        game_command: &GameCommand,
        markup: &dyn Markup,
    ) -> Result<Reply, StoreError> {
        let mut named = named;
        answer_once_more(|| {
            let game = match self.find_game(request, named, game_command, markup)? {
                Resolved::Game(game) => game,
                Resolved::Reply(reply) => return Ok(Some(*reply)),
            };
            named = Some(game.id);
            if needs_this_board(game_command) && version.is_some_and(|seen| seen != game.version) {
                let words = match game_command {
                    GameCommand::Move { typed, .. } if is_the_last_move(&game, request.person.id, typed) => {
                        answers::played_already(typed)
                    }
                    _ => answers::moved_on(game.id),
                };
                return Ok(Some(Reply::private(words)));
            }
            self.do_game_command(request, &game, game_command, markup)
        })
    }

    /// Does a deed; nothing if the game changed meanwhile.
    fn do_game_command(
        &self,
        request: &Request,
        game: &Game,
        game_command: &GameCommand,
        markup: &dyn Markup,
    ) -> Result<Option<Reply>, StoreError> {
        let act = |action| self.act(request, game, action, markup);
        match game_command {
            GameCommand::Move { typed, confirmed } => self.play(request, game, typed, *confirmed, markup),
            GameCommand::ChoosePiece => Ok(Some(choose_piece(request, game, markup))),
            GameCommand::ChooseSquare(from) => Ok(Some(choose_square(request, game, *from, markup))),
            GameCommand::Preview(mv) => Ok(Some(preview(request, game, *mv, markup))),
            GameCommand::Cancel => Ok(Some(Reply::private(answers::cancelled()))),
            GameCommand::Resign { confirmed: false } => Ok(Some(ask_to_resign(request, game, markup))),
            GameCommand::Resign { confirmed: true } => act(Action::Resign),
            GameCommand::Offer(kind @ OfferKind::Rematch) => self.rematch(request, game, Action::Offer(*kind), markup),
            GameCommand::Accept(kind @ OfferKind::Rematch) => {
                self.rematch(request, game, Action::Accept(*kind), markup)
            }
            GameCommand::Offer(kind) => act(Action::Offer(*kind)),
            GameCommand::Accept(kind) => act(Action::Accept(*kind)),
            GameCommand::Decline(kind) => act(Action::Decline(*kind)),
            GameCommand::Abort => act(Action::Abort),
            GameCommand::Claim => act(Action::ClaimTime),
            GameCommand::GiveTime => act(Action::GiveTime),
            GameCommand::Board { text, public } => Ok(Some(self.show_board(request, game, *text, *public, markup))),
            GameCommand::History { ply, public } => self.show_history(request, game, *ply, *public, markup).map(Some),
            GameCommand::Rules => Ok(Some(self.rules_reply(&game.start))),
        }
    }

    fn play(
        &self,
        request: &Request,
        game: &Game,
        typed: &str,
        confirmed: bool,
        markup: &dyn Markup,
    ) -> Result<Option<Reply>, StoreError> {
        if let Some(reply) = not_to_move(request, game, markup) {
            return Ok(Some(reply));
        }
        if let Ok(square) = notation::read_square(game.record.book(), typed) {
            return Ok(Some(choose_square(request, game, square, markup)));
        }
        let read = if typed.len() > LONGEST_MOVE { "" } else { typed };
        match game.record.read(read) {
            Ok(candidate) => self.act(request, game, Action::Move { mv: candidate.mv(), confirmed }, markup),
            Err(refusal) => Ok(Some(refuse(&refusal.into(), game, markup))),
        }
    }

    fn rematch(
        &self,
        request: &Request,
        game: &Game,
        action: Action,
        markup: &dyn Markup,
    ) -> Result<Option<Reply>, StoreError> {
        if let Some(side) = game.start.players.side_of(request.person.id) {
            let opponent = game.start.players.of(side.opponent());
            if opponent.is_former() {
                return Ok(Some(refuse(&Refusal::Unavailable, game, markup)));
            }
            if let Err(refusal) = self.store.acceptance(request.person.id, opponent)?.check() {
                let refusal = self.blame(refusal, request, Some(opponent))?;
                return Ok(Some(refuse(&refusal, game, markup)));
            }
        }
        self.act(request, game, action, markup)
    }

    /// Lets the game decide, saves what comes of it and answers; nothing if the game changed meanwhile.
    fn act(
        &self,
        request: &Request,
        game: &Game,
        action: Action,
        markup: &dyn Markup,
    ) -> Result<Option<Reply>, StoreError> {
        let now = self.now();
        let mut change = match game.act(request.person.id, action, now) {
            Ok(change) => change,
            Err(Refusal::Confirm(recurrence)) => {
                let question = refuse(&Refusal::Confirm(recurrence), game, markup);
                return Ok(Some(ask_to_play(question, game, action)));
            }
            Err(refusal) => return Ok(Some(refuse(&refusal, game, markup))),
        };
        // A game that was over when its place went away moves only now, for its rematch.
        let place = self.place_to_play(request, game.start.place)?;
        change.game.start.place = place;
        if action == Action::ClaimTime && self.store.is_gone(place)? {
            self.stop_clock(game, now)?;
            return Ok(Some(Reply::private(answers::clock_stands_still())));
        }
        let mut effects = vec![Effect::Update { game: Box::new(change.game.clone()) }];
        let mut leaves_thread = false;
        let (told, owed) = match change.rematch {
            Some(start) => {
                // Each game has its own thread, where the server wants it. Until that is there the game is where the
                // former one was, and stays there if there can be none.
                let channel = Place { thread: None, ..place };
                leaves_thread = place.thread.is_some() && self.gets_thread(request, channel)?;
                effects.push(Effect::MayPlay(start.players));
                effects.push(Effect::Begin { start: Start { place, ..start } });
                let posted = if leaves_thread { channel } else { place };
                (OutboxBody::began(), (About::NewGame, posted, Some(start.players.of(start.rules.first))))
            }
            None => {
                let actor = game.start.players.side_of(request.person.id);
                let call = actor.map(|side| game.start.players.of(side.opponent()));
                (OutboxBody::of(&change.news, &change.game, None), (About::Game(game.id), place, call))
            }
        };
        let (news, (about, place, call)) = (told.write(), owed);
        effects.push(Effect::Owe { about, place, news: news.clone(), call });
        match self.store.commit(Commit { request: request.id.map(|id| (id, news)), effects, now }) {
            Ok(saved) => {
                let about = saved.game.unwrap_or(game.id);
                let (player, server) = (request.person.id.0, request.place.server);
                let moved = match action {
                    Action::Move { mv, .. } => Some(mv.to_string()),
                    _ => None,
                };
                info!(game = about.0, player, server, moved, news = ?change.news, "a game goes on");
                let owed = saved.owed.first().copied();
                let answered = match saved.game {
                    Some(_) if leaves_thread => Ok(begins_in_its_thread(owed)),
                    Some(begun) => self.answer_with_stored(request, begun, &told, owed, markup),
                    // What was saved is at hand: a long game need not be replayed once more.
                    None => self.answer_with_post(request, &change.game, &told, owed, markup),
                };
                answered.map(Some)
            }
            Err(CommitError::Stale) => Ok(None),
            Err(CommitError::Repeated(done)) => self.answer_again(request, &done, markup).map(Some),
            Err(CommitError::Store(error)) => Err(error),
        }
    }
}

/// Tells whether a move was made just now by the same player: he has pressed the button twice.
fn is_the_last_move(game: &Game, player: PlayerId, typed: &str) -> bool {
    let Some(last) = game.record.plies().last() else { return false };
    let his = game.start.players.side_of(player).is_some_and(|side| game.to_move() == Some(side.opponent()));
    his && (typed == last.to_string() || typed == last.mv.to_string())
}

/// Gives what is to be saved of a change: the game, and the message about it that is owed.
pub(super) fn effects_of(change: &Change, call: Option<PlayerId>) -> Vec<Effect> {
    let game = &change.game;
    let news = OutboxBody::of(&change.news, game, None).write();
    let owe = Effect::Owe { about: About::Game(game.id), place: game.start.place, news, call };
    let changed = match change.news.as_slice() {
        [GameEvent::Reminder { .. }] => Effect::Wind { game: game.id, version: game.version, clock: game.clock },
        _ => Effect::Update { game: Box::new(game.clone()) },
    };
    vec![changed, owe]
}

/// Tells whether a deed is meant for the board on which it was chosen, and must not be done on a later one.
const fn needs_this_board(game_command: &GameCommand) -> bool {
    game_command.acts() || matches!(game_command, GameCommand::ChooseSquare(_) | GameCommand::Preview(_))
}

fn refuse(refusal: &Refusal, game: &Game, markup: &dyn Markup) -> Reply {
    Reply::private(answers::refused(refusal, &game.start.variant.words, markup))
}

fn command(game: &Game, game_command: GameCommand) -> Command {
    Command::InGame { game: Some(game.id), version: Some(game.version), game_command }
}

/// Says why somebody cannot move here at all, if he cannot.
fn not_to_move(request: &Request, game: &Game, markup: &dyn Markup) -> Option<Reply> {
    let refusal = match (game.start.players.side_of(request.person.id), game.result) {
        (None, _) => Refusal::NotYourGame,
        (Some(_), Some(result)) => Refusal::Over(result),
        (side, None) if side != game.to_move() => Refusal::NotYourTurn,
        _ => return None,
    };
    Some(refuse(&refusal, game, markup))
}

/// Shows the men that can move, those that can take first.
fn choose_piece(request: &Request, game: &Game, markup: &dyn Markup) -> Reply {
    if let Some(reply) = not_to_move(request, game, markup) {
        return reply;
    }
    let pieces = movable_pieces(game);
    let items = pieces.iter().map(|(square, takes)| Item {
        label: answers::piece_label(game, *square),
        detail: if *takes { String::from("can take") } else { String::new() },
        command: command(game, GameCommand::ChooseSquare(*square)),
    });
    let mut view = view_now(game);
    view.highlights = pieces.iter().map(|(square, _)| *square).collect();
    Reply::private(answers::choose_piece(game)).board(view).menu(Menu::new("Who moves?", items)).button(
        "Cancel",
        Style::Plain,
        command(game, GameCommand::Cancel),
    )
}

/// Gives the men that can move, and whether they can take; those that can come first.
pub(super) fn movable_pieces(game: &Game) -> Vec<(Square, bool)> {
    let mut pieces: Vec<(Square, bool)> = Vec::new();
    for mv in game.record.offered_moves() {
        let played = game.record.book().apply(game.record.position(), mv);
        let takes = !played.taken().is_empty();
        match pieces.iter_mut().find(|(square, _)| *square == mv.from) {
            Some((_, any)) => *any |= takes,
            None => pieces.push((mv.from, takes)),
        }
    }
    pieces.sort_by_key(|(square, takes)| (!takes, *square));
    pieces
}

/// Shows where a man can go.
fn choose_square(request: &Request, game: &Game, from: Square, markup: &dyn Markup) -> Reply {
    if let Some(reply) = not_to_move(request, game, markup) {
        return reply;
    }
    let moves: Vec<Played> = moves_from(game, from);
    if moves.is_empty() {
        let why = match game.record.position().at(from) {
            None => Refusal::Move(crate::rules::IllegalMove::NoPiece(from)),
            Some(piece) if Some(piece.side()) != game.to_move() => {
                Refusal::Move(crate::rules::IllegalMove::OpponentsPiece { square: from, piece })
            }
            Some(piece) => return Reply::private(answers::cannot_move(game, piece, from)),
        };
        return refuse(&why, game, markup);
    }
    let items = moves.iter().map(|played| Item {
        label: played.to_string(),
        detail: answers::what_it_brings(played, &game.start.variant.words),
        command: command(game, GameCommand::Preview(played.mv)),
    });
    let mut view = view_now(game);
    view.highlights = moves.iter().map(|played| played.mv.to).collect::<SquareSet>() | SquareSet::of(from);
    Reply::private(answers::choose_square(game, from))
        .board(view)
        .menu(Menu::new(&answers::where_to(game, from), items))
        .button("Back", Style::Plain, command(game, GameCommand::ChoosePiece))
        .button("Cancel", Style::Plain, command(game, GameCommand::Cancel))
}

/// Gives the moves of one man, in the order of the squares.
pub(super) fn moves_from(game: &Game, from: Square) -> Vec<Played> {
    let moves = game.record.offered_moves().filter(|mv| mv.from == from);
    moves.map(|mv| game.record.book().apply(game.record.position(), mv)).collect()
}

/// Shows what a move would look like; nothing is played yet.
fn preview(request: &Request, game: &Game, mv: Move, markup: &dyn Markup) -> Reply {
    if let Some(reply) = not_to_move(request, game, markup) {
        return reply;
    }
    let candidate = match game.record.try_move(mv) {
        Ok(candidate) => candidate,
        Err(refusal) => return refuse(&refusal.into(), game, markup),
    };
    let (played, recurrence) = (candidate.played().without_repetition(), candidate.recurrence());
    let view = captioned(BoardView::after(game.start.variant, game.record.book(), &played));
    let mut line = answers::preview(game, &played);
    if let Some(recurrence) = recurrence {
        line = format!("{line}\n{}", text::recurrence(recurrence, &game.start.variant.words));
    }
    let play = GameCommand::Move { typed: played.to_string(), confirmed: recurrence.is_some() };
    Reply::private(line)
        .board(view)
        .button("Play it", Style::Main, command(game, play))
        .button("Back", Style::Plain, command(game, GameCommand::ChooseSquare(mv.from)))
        .button("Cancel", Style::Plain, command(game, GameCommand::Cancel))
}

/// Asks whether a move that completes a third occurrence is meant.
fn ask_to_play(question: Reply, game: &Game, action: Action) -> Reply {
    let Action::Move { mv, .. } = action else { return question };
    let play = GameCommand::Move { typed: mv.to_string(), confirmed: true };
    question.button("Play it", Style::Danger, command(game, play)).button(
        "Cancel",
        Style::Plain,
        command(game, GameCommand::Cancel),
    )
}

/// Asks whether a resignation is meant.
fn ask_to_resign(request: &Request, game: &Game, markup: &dyn Markup) -> Reply {
    if game.start.players.side_of(request.person.id).is_none() {
        return refuse(&Refusal::NotYourGame, game, markup);
    }
    if let Some(result) = game.result {
        return refuse(&Refusal::Over(result), game, markup);
    }
    Reply::private(answers::sure_to_resign(game))
        .button("Resign", Style::Danger, command(game, GameCommand::Resign { confirmed: true }))
        .button("Cancel", Style::Plain, command(game, GameCommand::Cancel))
}

/// Tells whom a change that nobody asked for is meant for.
pub(super) fn called_by_time(change: &Change) -> Option<PlayerId> {
    let players = change.game.start.players;
    change.news.iter().find_map(|news| match news {
        GameEvent::Reminder { player, .. } => Some(*player),
        // Whoever did not move in time knows; it is the other one who has waited.
        GameEvent::TimeUp { .. } | GameEvent::Ended { .. } => {
            Some(players.of(change.game.record.position().to_move().opponent()))
        }
        _ => None,
    })
}
