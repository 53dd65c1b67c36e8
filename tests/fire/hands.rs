//! How a pair does what it wants: by commands, buttons and menus; and how it learns what came of it.

use crate::invitations::shown_in;
use crate::seats::{A_MOMENT, Pair, TRIES};
use crate::standin::model::World;
use crate::standin::people::{Failure, Person, Post};
use ratatosk::app::Answer;
use ratatosk::game::{Action, ChallengeId, GameId, OfferKind, PlayerId};
use ratatosk::rules::Variant;
use serde_json::json;

/// What somebody does.
#[derive(Clone, Copy, Debug)]
pub enum Deed {
    /// Something in the game.
    Act(Action),
    /// A challenge to the other one, or to anybody.
    Challenge(&'static Variant, Option<PlayerId>),
    /// An answer to the last challenge of the pair.
    Answer(Answer),
}

impl Pair {
    /// Does something once, and gives what is answered.
    pub async fn perform(&self, player: PlayerId, deed: Deed, by_clicking: bool) -> Result<Post, Failure> {
        let person = self.people.iter().find(|person| person.id == player.0).expect("one of the two");
        let action = match deed {
            Deed::Act(action) => action,
            Deed::Challenge(variant, opponent) => {
                let whom = opponent.map(|opponent| format!("<@{}>", opponent.0));
                let options = [("variant", Some(variant.id)), ("opponent", whom.as_deref())];
                let said: Vec<_> = options.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
                return person.try_slash("challenge", &said).await;
            }
            Deed::Answer(answer) => {
                let last = self.invitations.last().expect("one was made");
                return self.press(person, last.button(answer)).await;
            }
        };
        match action {
            Action::Move { mv, .. } if by_clicking => {
                let menu = person.try_click(&self.newest("Move")?, "Move").await?;
                let squares = person.try_choose(&menu, &format!("{} ", mv.from)).await;
                // Of more men than a menu can list, the last ones have to be typed.
                let Ok(squares) = squares else { return person.try_slash("move", &[("move", &mv.to_string())]).await };
                let preview = person.try_choose(&squares, &mv.to_string()).await?;
                person.try_click(&preview, "Play it").await
            }
            Action::Move { mv, .. } => person.try_slash("move", &[("move", &mv.to_string())]).await,
            Action::Offer(kind) => person.try_slash(kind.id(), &[]).await,
            Action::Accept(kind @ (OfferKind::Draw | OfferKind::Rematch)) => person.try_slash(kind.id(), &[]).await,
            // The button of this very offer: whoever typed the command once more would ask for something of his own.
            Action::Accept(kind) => self.press(person, self.button("accept", kind)).await,
            Action::Decline(kind) => self.press(person, self.button("decline", kind)).await,
            Action::Resign => {
                let question = person.try_slash("resign", &[]).await?;
                if question.buttons().is_empty() { Ok(question) } else { person.try_click(&question, "Resign").await }
            }
            _ => unreachable!("nobody does this here"),
        }
    }

    fn button(&self, verb: &str, kind: OfferKind) -> String {
        format!("{}.{}/{verb}/{}", self.game.id.0, self.game.version, kind.id())
    }

    /// Presses a button, whether or not its post stands already or still.
    pub async fn press(&self, person: &Person, code: String) -> Result<Post, Failure> {
        let data = json!({ "component_type": 2, "custom_id": code, "id": 1 });
        let source = self.discord.shared.look(|world| world.posts(self.channel).last().copied().cloned());
        person.answer(person.interact(3, data, source)?).await
    }

    /// Finds the newest post with a button.
    fn newest(&self, label: &str) -> Result<Post, Failure> {
        let has = |world: &World| {
            let mut posts = world.messages.values().rev().filter(|m| m.channel == self.channel && m.reader.is_none());
            let found = posts.find(|post| post.labels().iter().any(|known| known == label));
            found.map(|post| post.id)
        };
        let found = self.discord.shared.look(has);
        let missing = || Failure::Impossible(format!("there is no button {label:?}"));
        found.map(|id| Post::new(self.discord.clone(), id)).ok_or_else(missing)
    }

    /// Waits for the post with a challenge that is newer than those that are known, and gives its number.
    pub async fn next_challenge(&self) -> ChallengeId {
        let last = self.invitations.iter().map(|known| known.id).max();
        for _ in 0..20 * TRIES {
            let newer = |world: &World| {
                let posts = world.messages.values().rev().filter(|m| m.channel == self.channel && m.reader.is_none());
                posts.take(5).filter_map(shown_in).find(|id| Some(*id) > last)
            };
            if let Some(id) = self.discord.shared.look(newer) {
                return id;
            }
            tokio::time::sleep(A_MOMENT).await;
        }
        panic!("a challenge beside {} was never posted", self.game.id)
    }

    /// Waits for the post that tells of the next game of the two, and gives its number.
    pub async fn next_number(&self) -> GameId {
        for _ in 0..20 * TRIES {
            let newer = |world: &World| {
                let posts = world.messages.values().rev().filter(|m| m.channel == self.channel && m.reader.is_none());
                posts.take(5).filter_map(|post| number_in(&post.content)).max().filter(|id| *id > self.game.id)
            };
            if let Some(id) = self.discord.shared.look(newer) {
                return id;
            }
            tokio::time::sleep(A_MOMENT).await;
        }
        panic!("the rematch of {} was never posted", self.game.id)
    }

    pub async fn wait_for_the_bot(&self) {
        tokio::time::sleep(A_MOMENT).await;
        while !self.discord.shared.look(|world| world.gateway.connected()) {
            tokio::time::sleep(A_MOMENT).await;
        }
        tokio::time::sleep(A_MOMENT).await;
    }
}

/// Reads the number of the game that a post is about: `**Brandubh #42**`.
pub fn number_in(text: &str) -> Option<GameId> {
    let title = text.lines().find(|line| line.contains("**") && line.contains(" #"))?;
    let digits: String = title.split(" #").nth(1)?.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().map(GameId)
}
