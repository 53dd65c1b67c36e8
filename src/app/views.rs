//! What can be looked at: boards, histories, lists of games, rules.

use super::game_summary::summary;
use super::notice::{view_after, view_now};
use super::reply::{Answer, Audience, ButtonStyle, Content, File, Item, Menu, Reply};
use super::resolve_game::readable_game;
use super::{Ctx, board_buttons};
use crate::commands::{Command, GameCommand, Person};
use crate::game::{Game, GameTerms};
use crate::rules::opentafl;
use crate::rules::{Layout, Rules, VARIANTS, Variant};
use crate::store::{CommitError, GameRow, StoreError};
use crate::text::{self, PlayerNames, events, lists, lists::GameSummary, time};

/// Shows the board of a game, with buttons for what the player can do.
pub(super) fn board(ctx: &Ctx<'_>, game: &Game, as_text: Option<bool>, public: bool) -> Reply {
    let mut content = Content::text(events::status(game, ctx.markup)).board(view_now(game));
    content.board_as_text = as_text.unwrap_or(false);
    if public {
        return Answer { content, audience: Audience::Public, ..Answer::default() }.into();
    }
    if let Some(side) = game.terms.players.side_of(ctx.player()) {
        content = board_buttons::add(content, game, &[]);
        // Nobody answers an offer of their own, or moves out of turn.
        content.buttons.retain(|button| match &button.command {
            Command::InGame { game_command: GameCommand::ChoosePiece, .. } => {
                game.player_to_move() == Some(ctx.player())
            }
            Command::InGame { game_command: GameCommand::Accept(kind) | GameCommand::Decline(kind), .. } => {
                game.offers.offered_by(*kind) != Some(side)
            }
            _ => true,
        });
    }
    let show = GameCommand::Board { text: as_text, public: true };
    with_show_to_everybody(ctx, content, show.for_any_version(game)).into()
}

/// Shows a game after a number of plies, with its record.
pub(super) fn history(ctx: &Ctx<'_>, game: &Game, ply: Option<usize>, public: bool) -> Result<Reply, CommitError> {
    let last = game.record.plies().len();
    let at = ply.unwrap_or(last).min(last);
    let mut content = Content::text(events::history(game, at, ctx.markup)).board(view_after(game, at));
    if public {
        return Ok(Answer { content, audience: Audience::Public, ..Answer::default() }.into());
    }
    let look = |ply, public| GameCommand::History { ply, public }.for_any_version(game);
    // First and Last are left out where Back and Forward lead to the same ply.
    let ways = [
        (at > 1, "First", 0),
        (at > 0, "Back", at.saturating_sub(1)),
        (at < last, "Forward", at + 1),
        (at + 1 < last, "Last", last),
    ];
    for (_, label, to) in ways.into_iter().filter(|(possible, ..)| *possible) {
        content = content.button(label, ButtonStyle::Plain, look(Some(to), false));
    }
    // Without permission to attach files, the record is written out as text, and only on the first page.
    if ply.is_none() || ctx.request.permissions.attach {
        content.file = Some(File { name: format!("ratatosk-{}.txt", game.id.0), text: record_of(ctx, game) });
    }
    Ok(with_show_to_everybody(ctx, content, look(Some(at), true)).into())
}

/// Writes a game as an OpenTafl record.
pub(super) fn record_of(ctx: &Ctx<'_>, game: &Game) -> String {
    let [attackers, defenders] = game.terms.players.both().map(|player| ctx.names.name(player));
    record_text(game, &attackers, &defenders)
}

/// Lists the games of a player: the one who asks, or another.
pub(super) fn games(ctx: &Ctx<'_>, player: Option<&Person>) -> Result<Reply, StoreError> {
    let reader = ctx.player();
    let whose = player.map_or(reader, |person| person.id);
    let own = whose == reader;
    let visible =
        |game: &GameRow| own || game.players.side_of(reader).is_some() || ctx.request.is_in_server_of(game.place);
    let mut running = ctx.session.running_games(whose)?;
    running.rows.retain(visible);
    let mut finished = ctx.session.finished_games(whose, 5)?;
    finished.rows.retain(visible);
    ctx.names.fetch(running.iter().chain(finished.iter()).flat_map(|game| game.players.both()))?;
    let summarise = |game: &GameRow| GameSummary { reader, ..summary(game, whose) };
    let summaries = |games: &[GameRow]| games.iter().map(summarise).collect::<Vec<_>>();
    let begin = lists::how_to_start(ctx.request.in_server());
    let mut text = lists::games(whose, own, begin, &summaries(&running), &summaries(&finished), ctx.markup);
    if own {
        text += &lists::challenges_to_answer(ctx.session.count_challenges_to(whose, ctx.now)?);
    }
    text += &lists::unreadable(running.unreadable + finished.unreadable, "game");
    let items = running.iter().chain(finished.iter()).map(|game| Item {
        label: lists::game_label(game.id, game.variant),
        detail: lists::game_detail(&summarise(game), ctx.markup.plain()),
        command: Command::InGame {
            game: Some(game.id),
            version: None,
            game_command: GameCommand::Board { text: None, public: false },
        },
    });
    let menu = Menu::new("Show a board", items);
    let content = Content::text(text);
    Ok(if menu.items.is_empty() { content } else { content.menu(menu) }.into())
}

/// Explains the rules of a variant; without one, those of the only game here; otherwise asks which.
pub(super) fn rules(ctx: &Ctx<'_>, variant: Option<&'static Variant>) -> Result<Reply, StoreError> {
    if let Some(variant) = variant {
        return Ok(explain(variant, &variant.rules, variant.default_layout()));
    }
    let games = ctx.session.games_in(ctx.request.place)?;
    if let [only] = &*games
        && let Some(game) = readable_game(ctx.session, only.id)?
    {
        return Ok(rules_of_game(&game.terms));
    }
    let items = VARIANTS.iter().map(|variant| Item {
        label: variant.name.to_owned(),
        detail: variant.summary.to_owned(),
        command: Command::Rules { variant: Some(variant) },
    });
    let menu = Menu::new("Which game?", items);
    Ok(Content::text("Which game do you want to read about?").menu(menu).into())
}

/// Explains the rules that a game was started with.
pub(super) fn rules_of_game(terms: &GameTerms) -> Reply {
    explain(terms.variant, &terms.rules, terms.layout)
}

fn explain(variant: &Variant, rules: &Rules, layout: &Layout) -> Reply {
    Reply::private(format!("{}: {}\n{}", variant.name, variant.summary, text::rules_page(variant, rules, layout)))
}

/// Adds the button that shows something to everybody, except in a direct message.
fn with_show_to_everybody(ctx: &Ctx<'_>, content: Content, command: Command) -> Content {
    if ctx.request.in_server() { content.button("Show to everybody", ButtonStyle::Plain, command) } else { content }
}

/// Writes a game as an OpenTafl record, with who played and how it ended.
#[must_use]
pub fn record_text(game: &Game, attackers: &str, defenders: &str) -> String {
    let result = match game.result {
        None => "?",
        Some(result) if !result.counts() => "?",
        Some(result) => match result.winner() {
            Some(crate::rules::Side::Attackers) => "1",
            Some(crate::rules::Side::Defenders) => "-1",
            None => "0",
        },
    };
    let id = game.id.0.to_string();
    let date = time::date(game.began);
    let mut tags = vec![
        ("event", "Ratatosk"),
        ("game", id.as_str()),
        ("date", date.as_str()),
        ("variant", game.terms.variant.name),
        ("layout", game.terms.layout.id),
        ("attackers", attackers),
        ("defenders", defenders),
        ("result", result),
    ];
    if let Some(result) = game.result {
        tags.push(("termination", result.ending()));
    }
    opentafl::write_game(&game.record, &tags)
}
