//! Being forgotten: what is kept is handed out first, running games are given up, and the name goes.

use super::play::effects_of;
use super::reply::{File, Reply, Style};
use super::{App, Request, once_more};
use crate::commands::command::Command;
use crate::game::{Action, GameId, PlayerId};
use crate::store::{Commit, CommitError, OutboxId, StoreError};
use crate::text::{lists, privacy};

/// How large a file gets before no further game is put into it, so that Discord takes it.
const LARGEST: usize = 8_000_000;

impl App {
    /// Asks whether somebody wants to be forgotten, and hands out what is kept.
    pub(super) fn ask_to_forget(&self, request: &Request) -> Result<Reply, StoreError> {
        if !request.rights.attach {
            return Ok(Reply::private(privacy::forget_needs_files()));
        }
        let player = request.person.id;
        let (running, finished) = (self.store.running_games(player)?, self.store.finished_games(player, u32::MAX)?);
        let mut text = self.everything_but_games(request)?;
        let (mut unreadable, mut left_out) = (running.unreadable + finished.unreadable, 0);
        for game_row in running.iter().chain(finished.iter()) {
            if text.len() > LARGEST {
                left_out += 1;
            } else if let Some(game) = self.readable_game(game_row.id)? {
                let times = self.store.move_times(game.id)?;
                text += &format!("\n{}{}\n", self.record_of(&game)?, privacy::export_game_details(&game, &times));
            } else {
                unreadable += 1;
            }
        }
        let missing = privacy::games_left_out(left_out, player) + &lists::unreadable(unreadable, "game");
        text += &missing;
        let question = privacy::confirm_forget(running.len(), finished.len()) + &missing;
        let mut reply = Reply::private(question);
        reply.file = Some(File { name: String::from("ratatosk-everything.txt"), text });
        Ok(reply.button("Forget me", Style::Danger, Command::ForgetMe { confirmed: true }).button(
            "Cancel",
            Style::Plain,
            Command::Cancel,
        ))
    }

    /// Writes what is kept about somebody besides games: name, preferences, blocks and challenges.
    fn everything_but_games(&self, request: &Request) -> Result<String, StoreError> {
        let player = request.person.id;
        let name = |player: PlayerId| self.name_of(player);
        let mut text =
            privacy::export_header(player, &request.person.name, &self.store.player_settings(player)?, self.now());
        for (blocked, since) in self.store.blocks_of(player)? {
            text += &privacy::export_block(blocked, &name(blocked), since);
        }
        let challenges = self.store.challenges_of(player)?;
        for challenge in challenges.iter() {
            text += &privacy::export_challenge(challenge, &name);
        }
        text += &lists::unreadable(challenges.unreadable, "challenge");
        Ok(text)
    }

    /// Gives up what is running, closes what is open, and forgets the player.
    pub(super) fn forget(&self, request: &Request) -> Result<Reply, StoreError> {
        let player = request.person.id;
        let mut owed = Vec::new();
        for game_row in self.store.running_games(player)? {
            let resigned = once_more(|| self.resign_to_leave(player, game_row.id))?;
            owed.extend(resigned.unwrap_or_default());
        }
        owed.extend(self.close_challenges(player, None)?);
        self.store.forget_player(player)?;
        let mut reply = Reply::private(privacy::forgotten());
        reply.elsewhere = owed;
        Ok(reply)
    }

    /// Resigns a game and gives the messages about it; nothing if somebody moved just now. One that cannot be read stays
    /// as it is, and the player is forgotten in it like in the others.
    fn resign_to_leave(&self, player: PlayerId, id: GameId) -> Result<Option<Vec<OutboxId>>, StoreError> {
        let Some(game) = self.readable_game(id)? else { return Ok(Some(Vec::new())) };
        let now = self.now();
        let Ok(change) = game.act(player, Action::Resign, now) else { return Ok(Some(Vec::new())) };
        let opponent = game.start.players.side_of(player).map(|side| game.start.players.of(side.opponent()));
        match self.store.commit(Commit { request: None, effects: effects_of(&change, opponent), now }) {
            Ok(saved) => Ok(Some(saved.owed)),
            Err(CommitError::Stale | CommitError::Repeated(_)) => Ok(None),
            Err(CommitError::Store(error)) => Err(error),
        }
    }
}
