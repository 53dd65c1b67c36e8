//! Being forgotten: what is kept is handed out first, running games are given up, and the name goes.

use super::deeds::effects_of;
use super::reply::{File, Reply, Style};
use super::wish::Wish;
use super::{App, Request};
use crate::game::Action;
use crate::store::{Effect, SaveError, StoreError, Write};
use crate::text::house;

/// How many finished games a file holds at most, so that it can be attached.
const MOST_GAMES: u32 = 2_000;

impl App {
    /// Asks whether somebody wants to be forgotten, and hands out what is kept.
    pub(super) fn ask_to_forget(&self, request: &Request) -> Result<Reply, StoreError> {
        if !request.rights.attach {
            return Ok(Reply::private(house::forget_where_files_go()));
        }
        let player = request.person.id;
        let running = self.store.running_games(player)?;
        let finished = self.store.finished_games(player, MOST_GAMES)?;
        let mut text = house::export_header(player, &request.person.name, &self.store.taste(player)?);
        for listed in running.iter().chain(finished.iter()) {
            if let Some(game) = self.store.game(listed.id)? {
                text += &self.record_of(&game)?;
                text.push('\n');
            }
        }
        let mut reply = Reply::private(house::sure_to_be_forgotten(running.len(), finished.len()));
        reply.file = Some(File { name: String::from("ratatosk-everything.txt"), text });
        Ok(reply.button("Forget me", Style::Danger, Wish::ForgetMe { confirmed: true }).button(
            "Cancel",
            Style::Plain,
            Wish::Nothing,
        ))
    }

    /// Gives up what is running, closes what is open, and forgets the player.
    pub(super) fn forget(&self, request: &Request) -> Result<Reply, StoreError> {
        let player = request.person.id;
        let mut owed = Vec::new();
        for listed in self.store.running_games(player)? {
            // Somebody may move just now; then it is tried once more.
            for _ in 0..3 {
                let Some(game) = self.store.game(listed.id)? else { break };
                let Ok(change) = game.act(player, Action::Resign, self.now()) else { break };
                let opponent = game.start.players.side_of(player).map(|side| game.start.players.of(side.opponent()));
                let effects = effects_of(&change, opponent);
                match self.store.save(Write { request: None, effects, now: self.now() }) {
                    Ok(saved) => {
                        owed.extend(saved.owed);
                        break;
                    }
                    Err(SaveError::Stale | SaveError::Repeated(_)) => {}
                    Err(SaveError::Store(error)) => return Err(error),
                }
            }
        }
        let now = self.now();
        for challenge in self.store.open_challenges(player, None, now)? {
            let closed = challenge.withdraw(player, now).or_else(|_| challenge.decline(player, now));
            let Ok(challenge) = closed else { continue };
            match self.store.save(Write { request: None, effects: vec![Effect::Answer { challenge }], now }) {
                Ok(_) | Err(SaveError::Stale | SaveError::Repeated(_)) => {}
                Err(SaveError::Store(error)) => return Err(error),
            }
        }
        self.store.forget_player(player)?;
        let mut reply = Reply::private(house::forgotten());
        reply.elsewhere = owed;
        Ok(reply)
    }
}
