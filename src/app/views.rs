//! What can be looked at: boards, histories, lists, rules; and whom one does not want to hear from.

use super::notice::{buttons, view_after, view_now};
use super::reply::{Audience, File, Item, Menu, Reply, Style};
use super::{App, Request};
use crate::commands::command::{Command, GameCommand, Person};
use crate::game::{Game, PlayerId, Start};
use crate::rules::opentafl;
use crate::rules::{Layout, Rules, VARIANTS, Variant};
use crate::store::{GameRow, StoreError};
use crate::text::{self, Markup, events, labels, lists, lists::GameSummary, refusals, settings, time};

impl App {
    /// Shows the board of a game, with what can be done.
    pub(super) fn show_board(
        &self,
        request: &Request,
        game: &Game,
        as_text: Option<bool>,
        public: bool,
        markup: &dyn Markup,
    ) -> Reply {
        let mut reply = Reply::private(events::status(game, markup)).board(view_now(game));
        reply.board_as_text = as_text.unwrap_or(false);
        if public {
            reply.audience = Audience::Public;
            return reply;
        }
        if let Some(side) = game.start.players.side_of(request.person.id) {
            reply = buttons(reply, game, &[]);
            // Nobody answers his own offer, or moves out of turn.
            reply.buttons.retain(|button| match &button.command {
                Command::InGame { game_command: GameCommand::ChoosePiece, .. } => {
                    game.player_to_move() == Some(request.person.id)
                }
                Command::InGame { game_command: GameCommand::Accept(kind) | GameCommand::Decline(kind), .. } => {
                    game.offers.standing(*kind) != Some(side)
                }
                _ => true,
            });
        }
        let show = GameCommand::Board { text: as_text, public: true };
        show_to_everybody(reply, request, Command::InGame { game: Some(game.id), version: None, game_command: show })
    }

    /// Shows a game as it stood after so many plies, with its record.
    pub(super) fn show_history(
        &self,
        request: &Request,
        game: &Game,
        ply: Option<usize>,
        public: bool,
        markup: &dyn Markup,
    ) -> Result<Reply, StoreError> {
        let last = game.record.plies().len();
        let at = ply.unwrap_or(last).min(last);
        let mut reply = Reply::private(events::history(game, at, markup)).board(view_after(game, at));
        if public {
            reply.audience = Audience::Public;
            return Ok(reply);
        }
        let look = |ply, public| Command::InGame {
            game: Some(game.id),
            version: None,
            game_command: GameCommand::History { ply, public },
        };
        let step = |to: usize| look(Some(to), false);
        // Where two buttons would lead to the same place, there is one.
        let ways = [
            (at > 1, "First", 0),
            (at > 0, "Back", at.saturating_sub(1)),
            (at < last, "Forward", at + 1),
            (at + 1 < last, "Last", last),
        ];
        for (_, label, to) in ways.into_iter().filter(|(possible, ..)| *possible) {
            reply = reply.button(label, Style::Plain, step(to));
        }
        // Where it cannot be attached it is written out below, for which once is enough.
        if ply.is_none() || request.rights.attach {
            let text = self.record_of(game)?;
            reply.file = Some(File { name: format!("ratatosk-{}.txt", game.id.0), text });
        }
        Ok(show_to_everybody(reply, request, look(Some(at), true)))
    }

    /// Writes a game as an OpenTafl record.
    pub fn record_of(&self, game: &Game) -> Result<String, StoreError> {
        let players = game.start.players;
        Ok(record_text(game, &self.name_of(players.attackers), &self.name_of(players.defenders)))
    }

    /// Names a player as plain text.
    #[must_use]
    pub fn name_of(&self, player: PlayerId) -> String {
        if player.is_former() {
            return labels::former_player().to_owned();
        }
        self.store.name_of(player).ok().flatten().unwrap_or_else(|| labels::somebody().to_owned())
    }

    pub(super) fn list_games(
        &self,
        request: &Request,
        player: Option<&Person>,
        markup: &dyn Markup,
    ) -> Result<Reply, StoreError> {
        let whose = player.map_or(request.person.id, |person| person.id);
        let own = whose == request.person.id;
        let visible = |game: &GameRow| {
            own || game.players.side_of(request.person.id).is_some() || request.is_in_server_of(game.place)
        };
        let mut running = self.store.running_games(whose)?;
        running.rows.retain(visible);
        let mut finished = self.store.finished_games(whose, 5)?;
        finished.rows.retain(visible);
        let view = |game: &GameRow| GameSummary { reader: request.person.id, ..summary(game, whose) };
        let summaries = |games: &[GameRow]| games.iter().map(view).collect::<Vec<_>>();
        let begin = lists::how_to_start(request.in_server());
        let mut text = lists::games(whose, own, begin, &summaries(&running), &summaries(&finished), markup);
        if own {
            text += &lists::challenges_to_answer(self.store.count_challenges_to(whose, self.now())?);
        }
        text += &lists::unreadable(running.unreadable + finished.unreadable, "game");
        let items = running.iter().chain(finished.iter()).map(|game| Item {
            label: lists::game_label(game.id, game.variant),
            detail: lists::game_detail(&view(game), markup.plain()),
            command: Command::InGame {
                game: Some(game.id),
                version: None,
                game_command: GameCommand::Board { text: None, public: false },
            },
        });
        let menu = Menu::new("Show a board", items);
        Ok(if menu.items.is_empty() { Reply::private(text) } else { Reply::private(text).menu(menu) })
    }

    pub(super) fn block(&self, request: &Request, person: &Person, markup: &dyn Markup) -> Result<Reply, StoreError> {
        if person.id == request.person.id {
            return Ok(Reply::private(refusals::cannot_block_yourself()));
        }
        self.store.remember_player(person.id, &person.name)?;
        let new = self.store.block(request.person.id, person.id, self.now())?;
        let closed = self.close_challenges(request.person.id, Some(person.id))?;
        let mut reply = Reply::private(settings::blocked(person.id, new, closed.len(), markup));
        reply.elsewhere = closed;
        Ok(reply)
    }

    pub(super) fn unblock(&self, request: &Request, person: &Person, markup: &dyn Markup) -> Result<Reply, StoreError> {
        let was = self.store.unblock(request.person.id, person.id)?;
        Ok(Reply::private(settings::unblocked(person.id, was, markup)))
    }

    pub(super) fn explain_rules(
        &self,
        request: &Request,
        variant: Option<&'static Variant>,
    ) -> Result<Reply, StoreError> {
        if let Some(variant) = variant {
            return Ok(explain(variant, &variant.rules, variant.usual_layout()));
        }
        let games = self.store.games_in(request.place)?;
        if let [only] = &*games {
            return Ok(explain(only.variant, &only.variant.rules, only.layout));
        }
        let items = VARIANTS.iter().map(|variant| Item {
            label: variant.name.to_owned(),
            detail: variant.summary.to_owned(),
            command: Command::Rules { variant: Some(variant) },
        });
        Ok(Reply::private("Which game do you want to read about?").menu(Menu::new("Which game?", items)))
    }

    /// Explains the rules of a game as they were when it began.
    pub(super) fn rules_reply(&self, start: &Start) -> Reply {
        explain(start.variant, &start.rules, start.layout)
    }
}

fn explain(variant: &Variant, rules: &Rules, layout: &Layout) -> Reply {
    Reply::private(format!("{}: {}\n{}", variant.name, variant.summary, text::rules_page(variant, rules, layout)))
}

/// Adds the button that shows something to everybody, where there is anybody else.
fn show_to_everybody(reply: Reply, request: &Request, command: Command) -> Reply {
    if request.in_server() { reply.button("Show to everybody", Style::Plain, command) } else { reply }
}

/// Tells how a game in a list looks to somebody.
pub(super) fn summary(game: &GameRow, viewer: PlayerId) -> GameSummary {
    GameSummary {
        id: game.id,
        variant: game.variant,
        players: game.players,
        viewer,
        reader: viewer,
        plies: game.plies,
        to_move: game.to_move,
        pace: game.pace,
        deadline: game.deadline,
        time_is_up: game.flagged.is_some(),
        offers: game.offers,
        result: game.result,
    }
}

/// Writes a game as an OpenTafl record, with who played and how it ended.
#[must_use]
pub fn record_text(game: &Game, attackers: &str, defenders: &str) -> String {
    let result = match game.result {
        None => "?",
        Some(result) if !result.ending.has_result() => "?",
        Some(result) => match result.winner {
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
        ("variant", game.start.variant.name),
        ("layout", game.start.layout.id),
        ("attackers", attackers),
        ("defenders", defenders),
        ("result", result),
    ];
    if let Some(result) = game.result {
        tags.push(("termination", result.ending.id()));
    }
    opentafl::write_game(&game.record, &tags)
}
