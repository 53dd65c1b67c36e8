//! People who want to play in peace: all that is stored about them, before and after.

use crate::seats::Pair;
use crate::standin::Discord;
use crate::standin::model::Id;
use crate::standin::people::Person;
use ratatosk::app::Answer;
use ratatosk::store::Store;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::collections::BTreeSet;
use std::path::Path;
use tokio::sync::watch;

/// Pairs who play in channels of their own.
pub struct Quiet {
    pairs: Vec<Pair>,
    people: BTreeSet<Id>,
    server: Id,
    /// What was posted before anybody came who could disturb them.
    early: BTreeSet<Id>,
    stored: Vec<String>,
    /// Nobody kills the bot here.
    _lives: watch::Sender<usize>,
}

impl Quiet {
    /// Has so many pairs sit down: with a game, a challenge between the two, and in the first pair somebody who has
    /// preferences and has blocked somebody.
    pub async fn sit_down(discord: &Discord, database: &Path, pairs: usize, blocked: &Person) -> Self {
        let (tell, lives) = watch::channel(0);
        let mut sitting = Vec::new();
        for number in 0..pairs {
            let mut pair = Pair::sit_down(discord, number, lives.clone()).await;
            // A challenge to anybody is for anybody, who then plays with one of them.
            for n in 0..pair.invitations.len() {
                let known = pair.invitations[n];
                if known.opponent.is_none() {
                    let challenger = pair.people.iter().find(|person| person.id == known.challenger.0).unwrap();
                    pair.press(challenger, known.button(Answer::Withdraw)).await.unwrap();
                    pair.invitations[n] = known.answered(Answer::Withdraw);
                }
            }
            for _ in 0..3 {
                pair.step().await;
            }
            sitting.push(pair);
        }
        let first = &sitting[0].people[0];
        first.slash("preferences", &[("theme", "slate"), ("view", "flipped")]).await;
        first.slash("block", &[("player", blocked.mention())]).await;
        discord.settle().await;
        let people = sitting.iter().flat_map(|pair| pair.people.iter().map(|person| person.id)).collect();
        let early = discord.shared.look(|world| world.messages.keys().copied().collect());
        let (server, stored) = (discord.server, Vec::new());
        let mut quiet = Self { pairs: sitting, people, server, early, stored, _lives: tell };
        quiet.stored = quiet.rows(database);
        assert!(
            quiet.stored.iter().any(|row| row.starts_with("challenges"))
                && quiet.stored.iter().any(|row| row.starts_with("moves"))
        );
        quiet
    }

    pub fn people(&self) -> &BTreeSet<Id> {
        &self.people
    }

    /// Gives the channels where they play.
    pub fn channels(&self) -> Vec<Id> {
        self.pairs.iter().map(|pair| pair.channel).collect()
    }

    /// Tells whether a message may call one of them: those that were there before.
    pub fn knew(&self, message: Id) -> bool {
        self.early.contains(&message)
    }

    /// Finds that nothing about them has changed and that the whole file is sound.
    pub fn are_as_they_were(&self, database: &Path) {
        let now = self.rows(database);
        for (before, now) in self.stored.iter().zip(&now) {
            assert_eq!(now, before, "somebody has meddled with others");
        }
        assert_eq!(now.len(), self.stored.len(), "somebody has brought others something: {now:#?}");
        let faults = Store::open_beside(database).unwrap().check().unwrap();
        assert!(faults.is_empty(), "not sound: {faults:?}");
    }

    /// Has each pair go on.
    pub async fn go_on(&mut self) {
        for pair in &mut self.pairs {
            pair.step().await;
        }
    }

    /// Gives everything that is stored about them, their games and their challenges, and about the server.
    fn rows(&self, database: &Path) -> Vec<String> {
        let numbers: Vec<String> = self.people.iter().map(|id| id.cast_signed().to_string()).collect();
        let them = format!("IN ({})", numbers.join(", "));
        let games = format!("attackers {them} OR defenders {them}");
        let challenges = format!("challenger {them} OR opponent {them}");
        let theirs = format!(
            "game IN (SELECT id FROM games WHERE {games}) OR challenge IN (SELECT id FROM challenges WHERE {challenges})"
        );
        let tables = [
            ("players", format!("id {them}")),
            ("preferences", format!("player {them}")),
            ("blocks", format!("player {them} OR blocked {them}")),
            ("moves", format!("game IN (SELECT id FROM games WHERE {games})")),
            ("games", games),
            ("challenges", challenges),
            ("owed", theirs.clone()),
            ("posts", theirs.clone()),
            ("requests", theirs),
            ("servers", format!("id = {}", self.server.cast_signed())),
        ];
        let db = Connection::open(database).expect("the database can be opened");
        tables.iter().flat_map(|(table, which)| rows_of(&db, table, which)).collect()
    }
}

/// Gives rows of a table with all of their columns.
fn rows_of(db: &Connection, table: &str, which: &str) -> Vec<String> {
    let mut statement =
        db.prepare(&format!("SELECT * FROM {table} WHERE {which} ORDER BY 1, 2")).expect("it can be asked");
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        let values = (0..columns).map(|column| row.get::<_, Value>(column));
        Ok(format!("{table} {:?}", values.collect::<Result<Vec<_>, _>>()?))
    });
    rows.expect("it can be asked").map(|row| row.expect("it can be read")).collect()
}
