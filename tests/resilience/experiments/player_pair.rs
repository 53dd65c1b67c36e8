//! Two players who keep playing whatever happens to the bot, and who know exactly what must be stored and posted.

use crate::experiments::bot_process::POLL;
use crate::experiments::challenges::{ExpectedChallenge, shown_in, variant};
use crate::experiments::expected_post::ExpectedPost;
use crate::experiments::player_actions::{Outcome, PlayerAction, number_in};
use crate::experiments::seeded_rng::{self, Rng};
use crate::experiments::start_game;
use fake_discord::client::Person;
use fake_discord::state::Id;
use fake_discord::{FakeDiscord, WAIT_LIMIT};
use ratatosk::app::ChallengeAnswer;
use ratatosk::game::{
    Action, ChallengeState, Change, ChannelId, Game, GameEvent, GameId, GameTerms, OfferKind, Pace, Place, PlayerId,
    Players, ServerId, Timestamp,
};
use ratatosk::rules::{Move, Side, Variant};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Two people who play in a channel of their own.
pub struct PlayerPair {
    pub discord: FakeDiscord,
    pub people: [Person; 2],
    pub channel: Id,
    rng: Rng,
    /// Counts how often the bot was killed.
    pub lives: watch::Receiver<usize>,
    /// The game as it must be now.
    pub game: Game,
    /// The games before it, as they must have ended.
    pub ended: Vec<Game>,
    /// What must have been posted, in its order.
    pub expected_posts: Vec<ExpectedPost>,
    /// How many of those they have seen or do not wait for any more, and the last posts that they saw.
    seen: usize,
    last_seen: [Id; 2],
    /// The move that was just taken back, which may be played again.
    regretted: Option<Move>,
    /// The offer that they leave open in the end.
    leaves: Option<OfferKind>,
    /// All challenges that were made in the channel, as they must be; the first one became the first game.
    pub challenges_made: Vec<ExpectedChallenge>,
    /// How often they tried to do something.
    pub tries: usize,
    /// How often there was no answer, so that they tried again.
    pub unsure: usize,
    /// How many of those tries without an answer had taken effect.
    pub unseen: usize,
    /// How many posts they did not wait for any more.
    pub late: usize,
}

impl PlayerPair {
    /// Starts a game between two new users. Nothing fails meanwhile.
    pub async fn start(discord: &FakeDiscord, number: usize, lives: watch::Receiver<usize>) -> Self {
        let channel = discord.create_channel(&format!("table-{number}"));
        let person = |name: &str| discord.add_user(&format!("{name}{number}")).at(channel);
        let people = [person("Ann"), person("Bo")];
        let variant = variant(number);
        let challenge = start_game::challenge(&people[0], &people[1], variant.id).await;
        let first = discord.state.read(|state| shown_in(&state.messages[&challenge.id]));
        let board = people[1].click(&challenge, "Accept").await;
        let players = Players { attackers: PlayerId(people[0].id), defenders: PlayerId(people[1].id) };
        let place = Place { server: Some(ServerId(discord.server)), channel: ChannelId(channel), thread: None };
        let layout = variant.default_layout();
        let start = GameTerms { variant, layout, rules: variant.rules, players, pace: Pace::default(), place };
        let id = number_in(&board.text()).expect("the first board names the game");
        let game = begin(id, start);
        let accepted = ExpectedChallenge {
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
            rng: Rng::new(seeded_rng::seed() + number as u64),
            lives,
            expected_posts: vec![ExpectedPost::new(&game, &[GameEvent::Began], None)],
            seen: 1,
            last_seen: [board.id; 2],
            regretted: None,
            leaves: OfferKind::ALL.get(number % (OfferKind::ALL.len() + 1)).copied(),
            challenges_made: vec![accepted],
            game,
            ended: Vec::new(),
            tries: 0,
            unsure: 0,
            unseen: 0,
            late: 0,
        };
        // These two stay open: one for anybody, one for the opponent.
        pair.invite(players.defenders, number + 1, None).await;
        pair.invite(players.defenders, number + 2, Some(players.attackers)).await;
        pair
    }

    /// Returns all games that the two have played.
    pub fn games(&self) -> impl Iterator<Item = &Game> {
        self.ended.iter().chain([&self.game])
    }

    /// Returns whether a user is one of the two.
    pub fn has(&self, user: Id) -> bool {
        self.people.iter().any(|person| person.id == user)
    }

    /// Plays and chats until `over` is set, with short pauses. In the end most pairs leave an offer open.
    pub async fn play_until(mut self, over: Arc<AtomicBool>) -> Self {
        const MUCH: usize = 100;
        while !over.load(Ordering::Relaxed) {
            if self.rng.below(25) == 0 {
                self.people[self.rng.below(2)].chat(MUCH + self.rng.below(MUCH));
            }
            self.step().await;
            let thinking = 20 + self.rng.below(400) as u64;
            tokio::time::sleep(Duration::from_millis(thinking)).await;
        }
        if let Some(kind) = self.leaves {
            self.leave(kind).await;
        }
        self
    }

    /// Makes a move, unless an offer was left open.
    pub async fn play_on(&mut self) {
        if self.leaves.is_none() {
            self.step().await;
        }
    }

    /// Does one thing, and returns when it has certainly taken effect.
    pub async fn step(&mut self) {
        self.look_at_the_board().await;
        if self.rng.below(12) == 0 {
            return self.change_challenges().await;
        }
        let (player, action) = self.choose();
        let change = self.act(player, action);
        let reply = if self.rng.below(8) == 0 { self.reply_to(&change, action) } else { None };
        let Some((other, reply)) = reply else { return self.carry_out(player, action).await };
        // The opponent answers before the first move is posted.
        self.tries += 2;
        let (came, too_early) = tokio::join!(
            self.try_once(player, PlayerAction::Act(action), false),
            self.try_once(other, PlayerAction::Act(reply), false)
        );
        self.insist_after(came, player, PlayerAction::Act(action)).await;
        self.note(change, action).await;
        let change = self.act(other, reply);
        let came = if let Outcome::Refused(_) = too_early { Outcome::NotYet } else { too_early };
        self.insist_after(came, other, PlayerAction::Act(reply)).await;
        self.note(change, reply).await;
        self.expected_posts.last_mut().expect("it was just told").together = true;
    }

    /// Does something in the game.
    async fn carry_out(&mut self, player: PlayerId, action: Action) {
        let change = self.act(player, action);
        self.insist(player, PlayerAction::Act(action)).await;
        self.note(change, action).await;
    }

    /// Waits for the posts about earlier actions, but not for ever: then only their order is checked in the end.
    async fn look_at_the_board(&mut self) {
        // Longer than the bot waits for an answer before it lets later posts of the game wait.
        const SLOW: Duration = Duration::from_secs(2);
        let began = Instant::now();
        while let Some(expected) = self.expected_posts.get(self.seen) {
            let [before, last] = self.last_seen;
            let after = if expected.together { before } else { last };
            let shown = self.newest(|post| post.id > after && expected.is_told_by(post));
            if let Some(post) = shown {
                self.last_seen = [before.max(last.min(post.id)), last.max(post.id)];
                self.seen += 1;
            } else if began.elapsed() < SLOW {
                tokio::time::sleep(Duration::from_millis(10)).await;
            } else {
                self.late += self.expected_posts.len() - self.seen;
                let newest = self.newest(|_| true).map_or(last, |post| post.id);
                (self.seen, self.last_seen) = (self.expected_posts.len(), [newest; 2]);
            }
        }
    }

    /// Returns the change that an action makes, which the rules must allow.
    fn act(&self, player: PlayerId, action: Action) -> Change {
        self.game.act(player, action, Timestamp(0)).expect("only what is allowed is chosen")
    }

    /// Notes an action, and the post that must come of it.
    pub async fn note(&mut self, change: Change, action: Action) {
        let before = std::mem::replace(&mut self.game, change.game);
        if let Some(start) = change.rematch {
            let next = begin(self.next_number().await, start);
            self.expected_posts.push(ExpectedPost::new(&next, &[GameEvent::Began], None));
            self.ended.push(std::mem::replace(&mut self.game, next));
            return;
        }
        let moved = match action {
            Action::Move { written, .. } => Some(written.mv),
            _ => None,
        };
        let first_gone = before.record.plies().get(self.game.record.plies().len());
        self.regretted = first_gone.map(|played| played.mv);
        self.expected_posts.iter_mut().for_each(|expected| expected.age(&self.game));
        self.expected_posts.push(ExpectedPost::new(&self.game, &change.events, moved));
    }

    /// Plays until an offer of some kind is open.
    async fn leave(&mut self, kind: OfferKind) {
        while self.game.offers.offered_by(kind).is_none() {
            let players = self.game.terms.players;
            let mut both = [players.attackers, players.defenders].into_iter();
            let offer = Action::Offer(kind);
            let possible = both.find(|player| self.game.act(*player, offer, Timestamp(0)).is_ok());
            let (player, action) = match possible {
                Some(player) => (player, offer),
                None if kind == OfferKind::Rematch => (players.attackers, Action::Resign),
                // It was declined a moment ago, or the game is over.
                None => self.choose(),
            };
            self.look_at_the_board().await;
            self.carry_out(player, action).await;
        }
    }

    /// Makes a challenge, or answers the last one. Those that stay open are left alone.
    async fn change_challenges(&mut self) {
        /// How many of the first challenges stay open.
        const LEFT_OPEN: usize = 3;
        let Players { attackers, defenders } = self.invitations_by();
        match self.challenges_made.last().copied() {
            Some(last) if self.challenges_made.len() > LEFT_OPEN && last.state == ChallengeState::Open => {
                let (player, answer) =
                    self.rng.pick(&[(attackers, ChallengeAnswer::Withdraw), (defenders, ChallengeAnswer::Decline)]);
                self.insist(player, PlayerAction::Answer(answer)).await;
                self.challenges_made.pop();
                self.challenges_made.push(last.answered(answer));
            }
            _ => self.invite(attackers, self.challenges_made.len(), Some(defenders)).await,
        }
    }

    /// Returns the players of the first game. In a rematch they have swapped sides.
    fn invitations_by(&self) -> Players {
        Players { attackers: PlayerId(self.people[0].id), defenders: PlayerId(self.people[1].id) }
    }

    /// Makes a challenge in a variant in which none is open.
    async fn invite(&mut self, challenger: PlayerId, number: usize, opponent: Option<PlayerId>) {
        let taken = |variant: &Variant| {
            let mut open = self.challenges_made.iter().filter(|known| known.state == ChallengeState::Open);
            open.any(|known| known.variant.id == variant.id)
        };
        let free = (number..).map(variant).find(|variant| !taken(variant));
        let variant = free.expect("there are more variants than challenges");
        self.insist(challenger, PlayerAction::Challenge(variant, opponent)).await;
        let id = self.next_challenge().await;
        self.challenges_made.push(ExpectedChallenge { id, challenger, opponent, variant, state: ChallengeState::Open });
    }

    /// Chooses something that the rules allow: mostly moves, sometimes an offer, an answer to one, a resignation.
    fn choose(&mut self) -> (PlayerId, Action) {
        let players = self.game.terms.players;
        let mut anybody = || self.rng.pick(&[players.attackers, players.defenders]);
        let somebody = anybody();
        let chance = self.rng.below(100);
        let answer = |by: Side, action| (players.of(by.opponent()), action);
        if self.game.result.is_some() {
            return match self.game.offers.offered_by(OfferKind::Rematch) {
                Some(by) if chance < 40 => answer(by, Action::Decline(OfferKind::Rematch)),
                Some(by) => answer(by, Action::Accept(OfferKind::Rematch)),
                None => (somebody, Action::Offer(OfferKind::Rematch)),
            };
        }
        let wanted = match self.game.offers.offered_by(OfferKind::Takeback) {
            Some(by) if chance < 30 => Some(answer(by, Action::Accept(OfferKind::Takeback))),
            Some(by) if chance < 45 => Some(answer(by, Action::Decline(OfferKind::Takeback))),
            None if chance >= 90 => Some((somebody, Action::Offer(OfferKind::Takeback))),
            _ => None,
        };
        let wanted = wanted.or(match self.game.offers.offered_by(OfferKind::Draw) {
            Some(by) if chance < 15 => Some(answer(by, Action::Decline(OfferKind::Draw))),
            Some(by) if chance < 18 => Some(answer(by, Action::Accept(OfferKind::Draw))),
            None if chance < 6 => Some((somebody, Action::Offer(OfferKind::Draw))),
            None if chance < 8 => Some((somebody, Action::Resign)),
            _ => None,
        });
        let allowed = |(player, action): &(PlayerId, Action)| self.game.act(*player, *action, Timestamp(0)).is_ok();
        let mover = self.game.player_to_move().expect("the game goes on");
        // A move that was taken back is often played again.
        let again = self.regretted.filter(|_| chance.is_multiple_of(2));
        let again = again.map(|mv| (mover, Action::Move { written: mv.into(), confirmed: false }));
        if let Some(wanted) = wanted.filter(allowed).or(again.filter(allowed)) {
            return wanted;
        }
        let moves: Vec<Move> = self.game.record.playable_moves().collect();
        let first = self.rng.below(moves.len());
        let candidates = moves.iter().cycle().skip(first).take(moves.len());
        let mut candidates = candidates.map(|mv| (mover, Action::Move { written: (*mv).into(), confirmed: false }));
        // If every move completes a third occurrence, the player resigns.
        candidates.find(allowed).unwrap_or((mover, Action::Resign))
    }

    /// Chooses the opponent's answer to a move, if the game goes on.
    fn reply_to(&mut self, change: &Change, action: Action) -> Option<(PlayerId, Action)> {
        let (Action::Move { .. }, Some(other)) = (action, change.game.player_to_move()) else { return None };
        let moves: Vec<Move> = change.game.record.playable_moves().collect();
        let mv = moves.get(self.rng.below(moves.len().max(1)))?;
        let reply = Action::Move { written: (*mv).into(), confirmed: false };
        change.game.act(other, reply, Timestamp(0)).is_ok().then_some((other, reply))
    }

    /// Tries until it has certainly taken effect.
    async fn insist(&mut self, player: PlayerId, wanted: PlayerAction) {
        let first = match (self.rng.below(8), wanted) {
            // A challenge to anybody may be made twice, so it is not tried twice.
            (0, PlayerAction::Act(_) | PlayerAction::Answer(_) | PlayerAction::Challenge(_, Some(_))) => {
                self.tries += 2;
                self.try_twice(player, wanted).await
            }
            (n, _) => {
                self.tries += 1;
                self.try_once(player, wanted, n < 4).await
            }
        };
        self.insist_after(first, player, wanted).await;
    }

    /// Tries again after a first try until it is sure that it was done: accepted, or refused because it had been done
    /// before.
    async fn insist_after(&mut self, first: Outcome, player: PlayerId, wanted: PlayerAction) {
        let began = Instant::now();
        let (mut came, mut unsure) = (first, false);
        while began.elapsed() < WAIT_LIMIT {
            match came {
                Outcome::Accepted => return,
                Outcome::Refused(_) if unsure => {
                    self.unseen += 1;
                    return;
                }
                Outcome::Refused(why) => panic!("{wanted:?} beside {} was refused: {why}", self.game.id),
                Outcome::NotYet => tokio::time::sleep(POLL).await,
                Outcome::Unknown => {
                    (unsure, self.unsure) = (true, self.unsure + 1);
                    self.wait_for_the_bot().await;
                }
            }
            self.tries += 1;
            came = self.try_once(player, wanted, false).await;
        }
        panic!("{wanted:?} beside {} was tried for {WAIT_LIMIT:?} without success: {came:?}", self.game.id);
    }
}

fn begin(id: GameId, start: GameTerms) -> Game {
    Game::begin(id, start, Timestamp(0)).expect("every variant can be played")
}
