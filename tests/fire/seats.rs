//! Pairs who play through the stand-in whatever happens to the bot, and who know exactly what must have come of it.

use crate::dice::Dice;
use crate::hands::{Deed, number_in};
use crate::invitations::{Invitation, shown_in, variant};
use crate::standin::Discord;
use crate::standin::model::Id;
use crate::standin::people::{Failure, Person};
use ratatosk::app::Answer;
use ratatosk::game::{Action, ChallengeState, Game, GameId, Moment, OfferKind, Pace, Place, PlayerId, Players, Start};
use ratatosk::rules::{Move, Side, Variant};
use ratatosk::text::answers;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How often somebody tries before the experiment has failed.
pub const TRIES: usize = 2_000;
pub const A_MOMENT: Duration = Duration::from_millis(100);

/// Two people who play in a channel of their own.
pub struct Pair {
    pub discord: Discord,
    pub people: [Person; 2],
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
    /// All challenges that were made in the channel, as they must be; the first one became the first game.
    pub invitations: Vec<Invitation>,
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
        let variant = variant(number);
        let options = [("variant", variant.id), ("opponent", people[1].mention()), ("side", "attackers")];
        let challenge = people[0].slash("challenge", &options).await;
        let first = discord.shared.look(|world| shown_in(&world.messages[&challenge.id]));
        let board = people[1].click(&challenge, "Accept").await;
        let players = Players { attackers: PlayerId(people[0].id), defenders: PlayerId(people[1].id) };
        let place = Place { server: Some(discord.server), channel, thread: None };
        let layout = variant.usual_layout();
        let start = Start { variant, layout, rules: variant.rules, players, pace: Pace::default(), place };
        let id = number_in(&board.text()).expect("the first board names the game");
        let game = Game::begin(id, start, Moment(0)).expect("every variant can be played");
        let accepted = Invitation {
            id: first.expect("a challenge has buttons"),
            challenger: players.attackers,
            opponent: Some(players.defenders),
            variant,
            state: ChallengeState::Accepted,
        };
        let mut pair = Self {
            discord: discord.clone(),
            people,
            channel,
            dice: Dice::new(number as u64 + 1),
            lives,
            told: vec![(id, String::new())],
            invitations: vec![accepted],
            game,
            ended: Vec::new(),
            unsure: 0,
            took: Vec::new(),
        };
        // These two stand all the time: one for anybody, one for the other.
        pair.invite(players.defenders, number + 1, None).await;
        pair.invite(players.defenders, number + 2, Some(players.attackers)).await;
        pair
    }

    /// Has the challenges that stand accepted: one by a stranger, the others by the one they are for.
    pub async fn accept_standing(&self, stranger: &Person) -> usize {
        let open = self.invitations.iter().filter(|known| known.state == ChallengeState::Open);
        let mut accepted = 0;
        for known in open {
            let person = self.people.iter().find(|person| known.opponent == Some(PlayerId(person.id)));
            let came = self.press(person.unwrap_or(stranger), known.button(Answer::Accept)).await;
            let board = came.expect("the bot runs, and nothing goes wrong");
            assert!(board.is_public() && board.text().contains(known.variant.name), "{known:?}: {}", board.text());
            accepted += 1;
        }
        accepted
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
        if self.dice.throw(12) == 0 {
            return self.come_and_go().await;
        }
        let (player, action) = self.choose();
        let change = self.game.act(player, action, Moment(0)).expect("only what is allowed is chosen");
        self.insist(player, Deed::Act(action)).await;
        let words = match action {
            Action::Move { mv, .. } => format!("played **{mv}**"),
            Action::Offer(OfferKind::Draw) => String::from("offers a draw"),
            Action::Decline(OfferKind::Draw) => String::from("has declined"),
            Action::Offer(OfferKind::Takeback) => String::from("would like to take"),
            Action::Accept(OfferKind::Takeback) => String::from("taken back"),
            Action::Decline(OfferKind::Takeback) => String::from("has declined"),
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

    /// Makes a challenge, or answers the one that was made last; those that stand all the time are left alone.
    async fn come_and_go(&mut self) {
        const STANDING: usize = 3;
        let Players { attackers, defenders } = self.invitations_by();
        match self.invitations.last().copied() {
            Some(last) if self.invitations.len() > STANDING && last.state == ChallengeState::Open => {
                let (player, answer) = self.dice.pick(&[(attackers, Answer::Withdraw), (defenders, Answer::Decline)]);
                self.insist(player, Deed::Answer(answer)).await;
                self.invitations.pop();
                self.invitations.push(last.answered(answer));
            }
            _ => self.invite(attackers, self.invitations.len(), Some(defenders)).await,
        }
    }

    /// Gives the two as they sat down; in a rematch they have swapped sides.
    fn invitations_by(&self) -> Players {
        Players { attackers: PlayerId(self.people[0].id), defenders: PlayerId(self.people[1].id) }
    }

    /// Makes a challenge, of a variant in which there is none between the two.
    async fn invite(&mut self, challenger: PlayerId, number: usize, opponent: Option<PlayerId>) {
        let taken = |variant: &Variant| {
            let mut open = self.invitations.iter().filter(|known| known.state == ChallengeState::Open);
            open.any(|known| known.variant.id == variant.id)
        };
        let free = (number..).map(variant).find(|variant| !taken(variant));
        let variant = free.expect("there are more variants than challenges");
        self.insist(challenger, Deed::Challenge(variant, opponent)).await;
        let id = self.next_challenge().await;
        self.invitations.push(Invitation { id, challenger, opponent, variant, state: ChallengeState::Open });
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
        let answer = |by: Side, action| (players.of(by.opponent()), action);
        let wanted = match self.game.offers.standing(OfferKind::Takeback) {
            Some(by) if chance < 8 => Some(answer(by, Action::Accept(OfferKind::Takeback))),
            Some(by) if chance < 15 => Some(answer(by, Action::Decline(OfferKind::Takeback))),
            None if chance >= 94 => Some((somebody, Action::Offer(OfferKind::Takeback))),
            _ => None,
        };
        let wanted = wanted.or(match self.game.offers.standing(OfferKind::Draw) {
            Some(by) if chance < 15 => Some(answer(by, Action::Decline(OfferKind::Draw))),
            Some(by) if chance < 18 => Some(answer(by, Action::Accept(OfferKind::Draw))),
            None if chance < 6 => Some((somebody, Action::Offer(OfferKind::Draw))),
            None if chance == 6 => Some((somebody, Action::Resign)),
            _ => None,
        });
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
    async fn insist(&mut self, player: PlayerId, deed: Deed) {
        let mut by_clicking = self.dice.throw(3) == 0;
        let mut unsure = false;
        for _ in 0..TRIES {
            let began = Instant::now();
            match self.try_once(player, deed, by_clicking).await {
                Came::Accepted => {
                    self.took.push(began.elapsed());
                    return;
                }
                Came::Refused(_) if unsure => return,
                Came::Refused(why) => panic!("{deed:?} beside {} was refused: {why}", self.game.id),
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
        panic!("{deed:?} beside {} was tried {TRIES} times", self.game.id);
    }

    /// Tries once; whoever sees that the bot has gone does not wait for an answer any longer.
    async fn try_once(&mut self, player: PlayerId, deed: Deed, by_clicking: bool) -> Came {
        let mut lives = self.lives.clone();
        lives.mark_unchanged();
        let tried = tokio::select! {
            tried = self.perform(player, deed, by_clicking) => tried,
            _ = lives.changed() => Err(Failure::NoAnswer),
        };
        match tried {
            Ok(post) if post.is_public() || post.text().ends_with("The board follows below.") => Came::Accepted,
            // Where an earlier board is still on its way, this one follows it.
            Ok(post) if post.text().ends_with(&answers::all_see_it_soon()) => Came::Accepted,
            Ok(post) if post.text().contains("went wrong on my side") => Came::Unknown,
            Ok(post) => Came::Refused(post.text()),
            Err(Failure::NoAnswer) => Came::Unknown,
            Err(Failure::Impossible(_)) => Came::NotYet,
        }
    }
}
