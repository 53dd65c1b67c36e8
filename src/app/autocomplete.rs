//! What can be typed next: moves, games and layouts, never one that is impossible.

use super::game_summary::summary;
use super::resolve_game::{self, Resolved};
use super::{Ctx, Menu, Request, SessionNames, move_menu};
use crate::app::App;
use crate::commands::parse::split_game;
use crate::commands::{Command, GameCommand, OptionKind, Person};
use crate::game::{BotPermissions, Game, GameId, Place, PlayerId};
use crate::rules::{IllegalMove, Played, Square, Variant};
use crate::store::{GameRow, StoreError};
use crate::text::{MarkupFactory, labels, lists, lists::GameSummary};
use std::cell::Cell;

/// The most games to suggest moves for: every key press replays each of them.
const MAX_GAMES: usize = 5;

/// Something that could be typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suggestion {
    /// What is shown.
    pub label: String,
    /// What is typed.
    pub value: String,
}

/// The option that a player is filling in.
#[derive(Clone, Debug)]
pub struct FocusedOption<'t> {
    pub person: &'t Person,
    pub place: Place,
    pub kind: OptionKind,
    pub typed: &'t str,
    /// The game that was named in another option, if any.
    pub game: Option<GameId>,
    /// The variant that was named in another option, if any.
    pub variant: Option<&'t str>,
}

impl App {
    /// Suggests what could be typed; at most 25, the likeliest first.
    ///
    /// # Errors
    /// Fails if the store does.
    pub fn autocomplete(
        &self,
        focused: &FocusedOption<'_>,
        markups: &dyn MarkupFactory,
    ) -> Result<Vec<Suggestion>, StoreError> {
        // Suggestions depend only on the player and the place. The command and the permissions are placeholders.
        let request = Request {
            id: None,
            person: focused.person.clone(),
            place: focused.place,
            permissions: BotPermissions::ALL,
            command: Command::Help,
        };
        let (session, now) = (self.store.session()?, self.now());
        let names = SessionNames::new(&session);
        let markup = markups.markup(&names, now);
        let game = Cell::new(None);
        let ctx = Ctx::new(self, &request, &names, &*markup, now, &game);
        let mut suggestions = match focused.kind {
            OptionKind::Move => complete_move(&ctx, focused)?,
            OptionKind::Game => complete_game(&ctx, focused)?,
            OptionKind::AnyGame => complete_any_game(&ctx, focused)?,
            OptionKind::Layout => complete_layout(focused),
            OptionKind::Variant
            | OptionKind::Side
            | OptionKind::Pace
            | OptionKind::BoardForm
            | OptionKind::Theme
            | OptionKind::Switch
            | OptionKind::Reminders
            | OptionKind::View => complete_choice(focused),
            OptionKind::Player | OptionKind::FreeText => Vec::new(),
        };
        suggestions.truncate(Menu::MAX_ITEMS);
        Ok(suggestions)
    }
}

/// Suggests moves of the named game, or else of each game here that waits for the player.
fn complete_move(ctx: &Ctx<'_>, focused: &FocusedOption<'_>) -> Result<Vec<Suggestion>, StoreError> {
    let (typed, named) = split_game(focused.typed);
    let games = match focused.game.or(named) {
        Some(named) => vec![named],
        None => {
            let command = GameCommand::Move { typed: String::new(), confirmed: false };
            resolve_game::waiting(ctx, &command)?.iter().map(|game| game.id).collect()
        }
    };
    let mut suggestions: Vec<Suggestion> = Vec::new();
    // Each game gets an equal share of the list.
    let share = Menu::MAX_ITEMS / games.len().clamp(1, MAX_GAMES);
    for id in games.iter().take(MAX_GAMES) {
        let Resolved::Game(game) = resolve_game::load_visible(ctx, *id)? else { continue };
        if game.player_to_move() != Some(ctx.player()) {
            continue;
        }
        let moves = suggest_moves(&game, typed).into_iter().take(share);
        if games.len() > 1 {
            let and_where = |text: &str| format!("{text} in {id}");
            suggestions.extend(moves.map(|suggestion| Suggestion {
                label: and_where(&suggestion.label),
                value: and_where(&suggestion.value),
            }));
        } else {
            suggestions.extend(moves);
        }
    }
    Ok(suggestions)
}

fn complete_game(ctx: &Ctx<'_>, focused: &FocusedOption<'_>) -> Result<Vec<Suggestion>, StoreError> {
    let mut games = ctx.session.running_games(ctx.player())?.rows;
    games.extend(ctx.session.finished_games(ctx.player(), Menu::MAX_ITEMS as u32)?);
    suggest_games(ctx, &games, focused, |_| ctx.player())
}

/// Suggests the running games of all players in this channel or thread.
fn complete_any_game(ctx: &Ctx<'_>, focused: &FocusedOption<'_>) -> Result<Vec<Suggestion>, StoreError> {
    let games = ctx.session.games_in(focused.place)?.rows;
    suggest_games(ctx, &games, focused, |game| game.players.attackers)
}

/// Suggests the games that match the typed text, each described from the side of the player that `whose` returns.
fn suggest_games(
    ctx: &Ctx<'_>,
    games: &[GameRow],
    focused: &FocusedOption<'_>,
    whose: impl Fn(&GameRow) -> PlayerId,
) -> Result<Vec<Suggestion>, StoreError> {
    ctx.names.fetch(games.iter().flat_map(|game| game.players.both()))?;
    let typed = focused.typed.trim().trim_start_matches('#').to_lowercase();
    let suggestions = games.iter().map(|game| {
        let summary = GameSummary { reader: ctx.player(), ..summary(game, whose(game)) };
        let (label, detail) =
            (lists::game_label(game.id, game.variant), lists::game_detail(&summary, ctx.markup.plain()));
        Suggestion { label: format!("{label}: {detail}"), value: game.id.0.to_string() }
    });
    let fits = |suggestion: &Suggestion| {
        suggestion.value.starts_with(&typed) || suggestion.label.to_lowercase().contains(&typed)
    };
    Ok(suggestions.filter(fits).collect())
}

/// Suggests moves. If nothing was typed, the pieces that can move; after a piece, its moves; after a whole move, that
/// move.
fn suggest_moves(game: &Game, typed: &str) -> Vec<Suggestion> {
    match game.record.try_typed(typed) {
        Ok(candidate) => return vec![move_suggestion(game, &candidate.played().without_repetition())],
        Err(IllegalMove::MustVary(_)) => return Vec::new(),
        Err(_) => {}
    }
    // Only letters and digits matter: `Kd4 - d`, `D4D` and `d4-d` are the same beginning.
    let letters = |text: &str| text.to_lowercase().replace(|letter: char| !letter.is_alphanumeric(), "");
    let mut typed = letters(typed);
    let pieces = move_menu::movable_pieces(game);
    // A `k` before another letter is the king, not the file.
    if typed.starts_with('k') && typed[1..].starts_with(|letter: char| letter.is_ascii_lowercase()) {
        typed.remove(0);
    }
    // A `k` alone may be the king, too.
    if typed == "k" {
        let king = game.record.position().king();
        let meant = |square: &Square| Some(*square) == king || square.to_string().starts_with('k');
        let pieces = pieces.iter().filter(|(square, _)| meant(square));
        return pieces.map(|(square, takes)| piece_suggestion(game, *square, *takes)).collect();
    }
    let named = pieces.iter().find(|(square, _)| square.to_string() == typed);
    let begun: Vec<_> = pieces.iter().filter(|(square, _)| square.to_string().starts_with(&typed)).collect();
    if named.is_none() && !begun.is_empty() {
        return begun.into_iter().map(|(square, takes)| piece_suggestion(game, *square, *takes)).collect();
    }
    // A complete square selects its piece; otherwise the moves of all pieces are searched.
    let named_or_all = pieces.iter().filter(|piece| named.is_none_or(|named| *piece == named));
    let mut moves: Vec<Suggestion> = named_or_all
        .flat_map(|(square, _)| move_menu::moves_from(game, *square))
        .filter(|played| letters(&played.mv.to_string()).starts_with(&typed))
        .map(|played| move_suggestion(game, &played))
        .collect();
    // `d1` can also be the beginning of `d10` and `d11`.
    let longer = pieces.iter().filter(|(square, _)| {
        let name = square.to_string();
        name != typed && name.starts_with(&typed)
    });
    moves.extend(longer.map(|(square, takes)| piece_suggestion(game, *square, *takes)));
    moves
}

fn piece_suggestion(game: &Game, square: Square, takes: bool) -> Suggestion {
    let note = if takes { ", can take" } else { "" };
    Suggestion { label: format!("{}{note}", labels::piece_at(game, square)), value: square.to_string() }
}

fn move_suggestion(game: &Game, played: &Played) -> Suggestion {
    let effect = labels::move_effect(played, &game.terms.variant.words);
    let written = played.to_string();
    let label = if effect.is_empty() { written.clone() } else { format!("{written} ({effect})") };
    Suggestion { label, value: written }
}

fn complete_layout(focused: &FocusedOption<'_>) -> Vec<Suggestion> {
    let layouts = focused.variant.and_then(Variant::find).map_or(&[][..], |variant| variant.layouts);
    let fitting = layouts.iter().filter(|layout| layout.id.starts_with(&focused.typed.trim().to_lowercase()));
    fitting.map(|layout| Suggestion { label: layout.id.to_owned(), value: layout.id.to_owned() }).collect()
}

fn complete_choice(focused: &FocusedOption<'_>) -> Vec<Suggestion> {
    let typed = focused.typed.trim().to_lowercase();
    let choices = focused.kind.choices().into_iter().filter(|(id, _)| id.starts_with(&typed));
    choices.map(|(value, label)| Suggestion { label, value }).collect()
}
