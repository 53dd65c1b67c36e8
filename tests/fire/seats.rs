//! Pairs who play through the stand-in whatever happens to the bot, and who know exactly what must have come of it.

use crate::dice::Dice;
use crate::standin::Discord;
use crate::standin::model::{Id, World};
use crate::standin::people::{Failure, Person, Post};
use ratatosk::game::{Action, Game, GameId, Moment, OfferKind, Pace, Place, PlayerId, Players, Start};
use ratatosk::rules::{Move, VARIANTS};
use ratatosk::text::answers;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How often somebody tries before the experiment has failed.
const TRIES: usize = 2_000;
const A_MOMENT: Duration = Duration::from_millis(100);

/// Two people who play in a channel of their own.
pub struct Pair {
    discord: Discord,
    people: [Person; 2],
    pub channel: Id,
    dice: Dice,
    /// Counts how often the bot was killed.
    lives: watch::Receiver<usize>,
    /// The game as it must be now.
    pub game: Game,
    /// The games before it, as they must have ended.
    pub ended: Vec<Game>,
    /// What must have been posted, in its order: of which game, and words that stand in it.
    pub told: Vec<(GameId, String)>,
    /// How often it was not known whether something had been done, and it was tried again.
    pub unsure: usize,
    /// How long each answer took.
    pub took: Vec<Duration>,
}

/// What came of one try.
enum Came {
    /// It was accepted.
    Accepted,
    /// It was refused.
    Refused(String),
    /// Nobody knows.
    Unknown,
    /// There is no such button, or not yet.
    NotYet,
}

impl Pair {
    /// Has two people sit down: one challenges, the other accepts. Nothing goes wrong meanwhile.
    pub async fn sit_down(discord: &Discord, number: usize, lives: watch::Receiver<usize>) -> Self {
        let channel = discord.channel(&format!("table-{number}"));
        let person = |name: &str| discord.user(&format!("{name}{number}")).at(channel);
        let people = [person("Ann"), person("Bo")];
        let variant = &VARIANTS[number % VARIANTS.len()];
        let options = [("variant", variant.id), ("opponent", people[1].mention()), ("side", "attackers")];
        let challenge = people[0].slash("challenge", &options).await;
        let board = people[1].click(&challenge, "Accept").await;
        let players = Players { attackers: PlayerId(people[0].id), defenders: PlayerId(people[1].id) };
        let place = Place { server: Some(discord.server), channel, thread: None };
        let layout = variant.usual_layout();
        let start = Start { variant, layout, rules: variant.rules, players, pace: Pace::default(), place };
        let id = number_in(&board.text()).expect("the first board names the game");
        let game = Game::begin(id, start, Moment(0)).expect("every variant can be played");
        Self {
            discord: discord.clone(),
            people,
            channel,
            dice: Dice::new(number as u64 + 1),
            lives,
            told: vec![(id, String::new())],
            game,
            ended: Vec::new(),
            unsure: 0,
            took: Vec::new(),
        }
    }

    /// Gives all games that the two have played.
    pub fn games(&self) -> impl Iterator<Item = &Game> {
        self.ended.iter().chain([&self.game])
    }

    /// Tells whether somebody is one of the two.
    pub fn has(&self, user: Id) -> bool {
        self.people.iter().any(|person| person.id == user)
    }

    /// Plays until it is over; people think a little before they move.
    pub async fn play_until(mut self, over: Arc<AtomicBool>) -> Self {
        while !over.load(Ordering::Relaxed) {
            self.step().await;
            let thinking = 20 + self.dice.throw(400) as u64;
            tokio::time::sleep(Duration::from_millis(thinking)).await;
        }
        self
    }

    /// Does one thing, and comes back when it is sure that it was done.
    pub async fn step(&mut self) {
        let (player, action) = self.choose();
        let change = self.game.act(player, action, Moment(0)).expect("only what is allowed is chosen");
        self.insist(player, action).await;
        let words = match action {
            Action::Move { mv, .. } => format!("played **{mv}**"),
            Action::Offer(OfferKind::Draw) => String::from("offers a draw"),
            Action::Decline(OfferKind::Draw) => String::from("has declined"),
            Action::Offer(OfferKind::Rematch) => String::from("a rematch"),
            _ => String::new(),
        };
        self.game = change.game;
        if let Some(start) = change.rematch {
            let id = self.next_number().await;
            self.told.push((id, words));
            let next = Game::begin(id, start, Moment(0)).expect("it could be played before");
            self.ended.push(std::mem::replace(&mut self.game, next));
        } else {
            self.told.push((self.game.id, words));
        }
    }

    /// Chooses something that the rules allow: mostly moves, now and then an offer, an answer to one, a resignation.
    fn choose(&mut self) -> (PlayerId, Action) {
        let players = self.game.start.players;
        let mut anybody = || self.dice.pick(&[players.attackers, players.defenders]);
        if self.game.result.is_some() {
            return match self.game.offers.standing(OfferKind::Rematch) {
                Some(by) => (players.of(by.opponent()), Action::Accept(OfferKind::Rematch)),
                None => (anybody(), Action::Offer(OfferKind::Rematch)),
            };
        }
        let somebody = anybody();
        let chance = self.dice.throw(100);
        let wanted = match self.game.offers.standing(OfferKind::Draw) {
            Some(by) if chance < 40 => Some((players.of(by.opponent()), Action::Decline(OfferKind::Draw))),
            Some(by) if chance < 45 => Some((players.of(by.opponent()), Action::Accept(OfferKind::Draw))),
            None if chance < 6 => Some((somebody, Action::Offer(OfferKind::Draw))),
            None if chance == 6 => Some((somebody, Action::Resign)),
            _ => None,
        };
        let allowed = |(player, action): &(PlayerId, Action)| self.game.act(*player, *action, Moment(0)).is_ok();
        if let Some(wanted) = wanted.filter(allowed) {
            return wanted;
        }
        let mover = self.game.player_to_move().expect("the game goes on");
        let moves: Vec<Move> = self.game.record.offered_moves().collect();
        let first = self.dice.throw(moves.len());
        let candidates = moves.iter().cycle().skip(first).take(moves.len());
        let mut candidates = candidates.map(|mv| (mover, Action::Move { mv: *mv, confirmed: false }));
        // Where every move completes a third occurrence, somebody has to give up.
        candidates.find(allowed).unwrap_or((mover, Action::Resign))
    }

    /// Tries until it is sure that it was done: accepted, or refused because it had been done before.
    async fn insist(&mut self, player: PlayerId, action: Action) {
        let mut by_clicking = self.dice.throw(3) == 0;
        let mut unsure = false;
        for _ in 0..TRIES {
            let began = Instant::now();
            match self.try_once(player, action, by_clicking).await {
                Came::Accepted => {
                    self.took.push(began.elapsed());
                    return;
                }
                Came::Refused(_) if unsure => return,
                Came::Refused(why) => panic!("{action:?} in {} was refused: {why}", self.game.id),
                Came::NotYet => {
                    by_clicking = false;
                    tokio::time::sleep(A_MOMENT).await;
                }
                Came::Unknown => {
                    (unsure, self.unsure) = (true, self.unsure + 1);
                    self.wait_for_the_bot().await;
                }
            }
        }
        panic!("{action:?} in {} was tried {TRIES} times", self.game.id);
    }

    /// Tries once; whoever sees that the bot has gone does not wait for an answer any longer.
    async fn try_once(&mut self, player: PlayerId, action: Action, by_clicking: bool) -> Came {
        let mut lives = self.lives.clone();
        lives.mark_unchanged();
        let tried = tokio::select! {
            tried = self.perform(player, action, by_clicking) => tried,
            _ = lives.changed() => Err(Failure::NoAnswer),
        };
        match tried {
            Ok(post) if post.is_public() || post.text() == answers::see_the_post() => Came::Accepted,
            // Where an earlier board is still on its way, this one follows it.
            Ok(post) if post.text().ends_with(&answers::all_see_it_soon()) => Came::Accepted,
            Ok(post) if post.text().contains("went wrong on my side") => Came::Unknown,
            Ok(post) => Came::Refused(post.text()),
            Err(Failure::NoAnswer) => Came::Unknown,
            Err(Failure::Impossible(_)) => Came::NotYet,
        }
    }

    async fn perform(&self, player: PlayerId, action: Action, by_clicking: bool) -> Result<Post, Failure> {
        let person = self.people.iter().find(|person| person.id == player.0).expect("one of the two");
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
            Action::Offer(OfferKind::Draw) | Action::Accept(OfferKind::Draw) => person.try_slash("draw", &[]).await,
            Action::Decline(OfferKind::Draw) => {
                // The button of this very offer, whether or not its post stands already or still.
                let code = format!("{}.{}/decline/draw", self.game.id.0, self.game.version);
                let data = json!({ "component_type": 2, "custom_id": code, "id": 1 });
                let source = self.discord.shared.look(|world| world.posts(self.channel).last().copied().cloned());
                person.answer(person.interact(3, data, source)?).await
            }
            Action::Resign => {
                let question = person.try_slash("resign", &[]).await?;
                if question.buttons().is_empty() { Ok(question) } else { person.try_click(&question, "Resign").await }
            }
            Action::Offer(OfferKind::Rematch) | Action::Accept(OfferKind::Rematch) => {
                person.try_slash("rematch", &[]).await
            }
            _ => unreachable!("nobody does this here"),
        }
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

    /// Waits for the post that tells of the next game of the two, and gives its number.
    async fn next_number(&self) -> GameId {
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

    async fn wait_for_the_bot(&self) {
        tokio::time::sleep(A_MOMENT).await;
        while !self.discord.shared.look(|world| world.gateway.connected()) {
            tokio::time::sleep(A_MOMENT).await;
        }
        tokio::time::sleep(A_MOMENT).await;
    }
}

/// Reads the number of the game that a post is about: `**Brandubh #42**`.
fn number_in(text: &str) -> Option<GameId> {
    let title = text.lines().find(|line| line.contains("**") && line.contains(" #"))?;
    let digits: String = title.split(" #").nth(1)?.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().map(GameId)
}
