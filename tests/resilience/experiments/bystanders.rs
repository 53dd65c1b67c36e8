//! Players who must not be disturbed: everything that is stored about them, before and after an experiment.

use crate::experiments::bot_process::BotProcess;
use crate::experiments::bot_process::database::Database;
use crate::experiments::player_pair::PlayerPair;
use fake_discord::FakeDiscord;
use fake_discord::client::Person;
use fake_discord::state::Id;
use ratatosk::app::ChallengeAnswer;
use ratatosk::store::Store;
use std::collections::BTreeSet;
use std::path::Path;
use tokio::sync::watch;

/// Pairs who play in channels of their own.
pub struct Bystanders {
    pairs: Vec<PlayerPair>,
    people: BTreeSet<Id>,
    server: Id,
    /// The posts from before the experiment.
    early: BTreeSet<Id>,
    stored: Vec<String>,
    /// Nobody kills the bot here.
    _lives: watch::Sender<usize>,
}

impl Bystanders {
    /// Starts the games of some pairs, each with a challenge between the two. One player has preferences and blocks a
    /// user.
    pub async fn start(discord: &FakeDiscord, bot: &BotProcess, pairs: usize, blocked: &Person) -> Self {
        let (tell, lives) = watch::channel(0);
        let mut playing = Vec::new();
        for number in 0..pairs {
            let mut pair = PlayerPair::start(discord, number, lives.clone()).await;
            // A user of the experiment could accept a challenge to anybody.
            for n in 0..pair.challenges_made.len() {
                let known = pair.challenges_made[n];
                if known.opponent.is_none() {
                    let challenger = pair.people.iter().find(|person| person.id == known.challenger.0).unwrap();
                    pair.press(challenger, known.button(ChallengeAnswer::Withdraw)).await.unwrap();
                    pair.challenges_made[n] = known.answered(ChallengeAnswer::Withdraw);
                }
            }
            // They may resign, or take their moves back, so it can take more than three steps until there is a move.
            let mut steps = 0;
            while steps < 3 || pair.game.record.plies().is_empty() {
                pair.step().await;
                steps += 1;
            }
            playing.push(pair);
        }
        let first = &playing[0].people[0];
        first.slash("preferences", &[("theme", "slate"), ("view", "flipped")]).await;
        first.slash("block", &[("player", blocked.mention())]).await;
        bot.wait_until_idle().await;
        let people = playing.iter().flat_map(|pair| pair.people.iter().map(|person| person.id)).collect();
        let early = discord.state.read(|state| state.messages.keys().copied().collect());
        let (server, stored) = (discord.server, Vec::new());
        let mut bystanders = Self { pairs: playing, people, server, early, stored, _lives: tell };
        bystanders.stored = bystanders.rows(&bot.database());
        assert!(
            bystanders.stored.iter().any(|row| row.starts_with("challenges"))
                && bystanders.stored.iter().any(|row| row.starts_with("moves"))
        );
        bystanders
    }

    pub fn people(&self) -> &BTreeSet<Id> {
        &self.people
    }

    /// Returns the channels where they play.
    pub fn channels(&self) -> Vec<Id> {
        self.pairs.iter().map(|pair| pair.channel).collect()
    }

    /// Returns whether a message is from before the experiment, and may ping a bystander.
    pub fn knew(&self, message: Id) -> bool {
        self.early.contains(&message)
    }

    /// Checks that nothing about them has changed and that the database is sound.
    pub fn assert_unchanged(&self, database: &Path) {
        let now = self.rows(database);
        for (before, now) in self.stored.iter().zip(&now) {
            assert_eq!(now, before, "a row of a bystander has changed");
        }
        assert_eq!(now.len(), self.stored.len(), "bystanders have new rows: {now:#?}");
        let faults = Store::open_read_only(database).unwrap().check().unwrap();
        assert!(faults.is_empty(), "not sound: {faults:?}");
    }

    /// Lets each pair make a move.
    pub async fn play_on(&mut self) {
        for pair in &mut self.pairs {
            pair.step().await;
        }
    }

    /// Returns everything that is stored about them, their games and their challenges, and about the server.
    fn rows(&self, database: &Path) -> Vec<String> {
        Database::open(database).rows_about(self.people.iter().copied(), self.server)
    }
}
