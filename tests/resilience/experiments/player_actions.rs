//! How a pair acts, by commands, buttons and menus, and how it learns whether that took effect.

use crate::experiments::bot_process::POLL;
use crate::experiments::challenges::shown_in;
use crate::experiments::player_pair::PlayerPair;
use fake_discord::client::{ClientError, Person, Post};
use fake_discord::state::{DiscordState, Message};
use ratatosk::app::ChallengeAnswer;
use ratatosk::game::{Action, ChallengeId, GameId, OfferKind, PlayerId};
use ratatosk::rules::Variant;
use ratatosk::text::delivery;
use serde_json::json;

/// What a player does.
#[derive(Clone, Copy, Debug)]
pub enum PlayerAction {
    /// Something in the game.
    Act(Action),
    /// A challenge to the opponent, or to anybody.
    Challenge(&'static Variant, Option<PlayerId>),
    /// An answer to the last challenge of the pair.
    Answer(ChallengeAnswer),
}

/// The outcome of one try.
#[derive(Debug)]
pub enum Outcome {
    /// It was accepted.
    Accepted,
    /// It was refused.
    Refused(String),
    /// There was no answer.
    Unknown,
    /// There is no such button, or not yet.
    NotYet,
}

impl PlayerPair {
    /// Returns one of the two.
    pub fn person(&self, player: PlayerId) -> &Person {
        self.people.iter().find(|person| person.id == player.0).expect("one of the two")
    }

    /// Tries once, and does not wait for an answer when the bot is killed.
    pub async fn try_once(&self, player: PlayerId, wanted: PlayerAction, by_clicking: bool) -> Outcome {
        let mut lives = self.lives.clone();
        lives.mark_unchanged();
        let tried = tokio::select! {
            tried = self.perform(player, wanted, by_clicking) => tried,
            _ = lives.changed() => Err(ClientError::NoResponse),
        };
        match tried {
            Ok(post) if post.is_public() || post.text().ends_with("The board follows below.") => Outcome::Accepted,
            // The player has pressed the button twice.
            Ok(post) if post.text().ends_with("is played already.") => Outcome::Accepted,
            // An earlier board is still on its way, and this one follows it.
            Ok(post) if post.text().ends_with(&delivery::posted_after_earlier_board()) => Outcome::Accepted,
            Ok(post) if post.text().contains("went wrong on my side") => Outcome::Unknown,
            Ok(post) => Outcome::Refused(post.text()),
            Err(ClientError::NoResponse) => Outcome::Unknown,
            Err(ClientError::NotPossible(_)) => Outcome::NotYet,
        }
    }

    /// Tries twice at the same time, like a double click. It must take effect once.
    pub async fn try_twice(&self, player: PlayerId, wanted: PlayerAction) -> Outcome {
        let both = tokio::join!(self.try_once(player, wanted, false), self.try_once(player, wanted, false));
        match both {
            (Outcome::Accepted, _) | (_, Outcome::Accepted) => Outcome::Accepted,
            (Outcome::Unknown, _) | (_, Outcome::Unknown) => Outcome::Unknown,
            (one, _) => one,
        }
    }

    /// Does something once, and returns the answer.
    async fn perform(&self, player: PlayerId, wanted: PlayerAction, by_clicking: bool) -> Result<Post, ClientError> {
        let person = self.person(player);
        let action = match wanted {
            PlayerAction::Act(action) => action,
            PlayerAction::Challenge(variant, opponent) => {
                let whom = opponent.map(|opponent| format!("<@{}>", opponent.0));
                let options = [("variant", Some(variant.id)), ("opponent", whom.as_deref())];
                let said: Vec<_> = options.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
                return person.try_slash("challenge", &said).await;
            }
            PlayerAction::Answer(answer) => {
                let last = self.challenges_made.last().expect("one was made");
                return self.press(person, last.button(answer)).await;
            }
        };
        match action {
            Action::Move { written, .. } if by_clicking => {
                let mv = written.mv;
                let shown = self.newest(|post| post.button_labels().iter().any(|label| label == "Move"));
                let board = shown.ok_or_else(|| ClientError::NotPossible(String::from("there is no board")))?;
                let menu = person.try_click(&board, "Move").await?;
                let squares = person.try_choose(&menu, &format!("{} ", mv.from)).await;
                // A menu cannot list all pieces; moves of the others are typed.
                let Ok(squares) = squares else {
                    return person.try_slash("move", &[("move", &written.mv.to_string())]).await;
                };
                let preview = person.try_choose(&squares, &mv.to_string()).await?;
                person.try_click(&preview, "Play it").await
            }
            Action::Move { written, .. } => person.try_slash("move", &[("move", &written.mv.to_string())]).await,
            Action::Offer(kind) => person.try_slash(kind.id(), &[]).await,
            Action::Accept(kind @ (OfferKind::Draw | OfferKind::Rematch)) => person.try_slash(kind.id(), &[]).await,
            // By the button of this offer, because the command would make a new one.
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

    /// Presses a button, whether or not it is shown now.
    pub async fn press(&self, person: &Person, code: String) -> Result<Post, ClientError> {
        let data = json!({ "component_type": 2, "custom_id": code, "id": 1 });
        let source = self.discord.state.read(|state| state.newest_posts(self.channel).next().cloned());
        person.answer(person.interact(3, data, source)?).await
    }

    /// Returns the newest post of the bot that matches.
    pub fn newest(&self, right: impl Fn(&Message) -> bool) -> Option<Post> {
        let newest =
            |state: &DiscordState| state.newest_posts(self.channel).find(|post| right(post)).map(|post| post.id);
        self.discord.state.read(newest).map(|id| Post::new(self.discord.clone(), id))
    }

    /// Waits for the post of a new challenge, and returns its id.
    pub async fn next_challenge(&self) -> ChallengeId {
        let last = self.challenges_made.iter().map(|known| known.id).max();
        let shown = |post: &Message| shown_in(post).filter(|id| Some(*id) > last);
        self.wait_for_post("the post of a challenge", shown).await
    }

    /// Waits for the first post of the next game, and returns its id.
    pub async fn next_number(&self) -> GameId {
        let newer = |post: &Message| number_in(&post.content).filter(|id| *id > self.game.id);
        self.wait_for_post("the first board of a rematch", newer).await
    }

    /// Waits for a post among the last ones.
    async fn wait_for_post<T>(&self, what: &str, read: impl Fn(&Message) -> Option<T>) -> T {
        const LAST: usize = 5;
        let find = |state: &DiscordState| state.newest_posts(self.channel).take(LAST).find_map(&read);
        self.discord.wait_until(&format!("{what} beside {}", self.game.id), find).await
    }

    /// Waits until the bot is connected.
    pub async fn wait_for_the_bot(&self) {
        tokio::time::sleep(POLL).await;
        self.discord.wait_until("the bot to come back", |state| state.gateway.connected().then_some(())).await;
    }
}

/// Reads the number of the game that a post is about: `**Brandubh #42**`.
pub fn number_in(text: &str) -> Option<GameId> {
    let title = text.lines().find(|line| line.contains("**") && line.contains(" #"))?;
    let digits: String = title.split(" #").nth(1)?.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().map(GameId)
}
