//! Properties of games: two players and an outsider act at random for weeks, while the bot is started, stopped and checks
//! deadlines at random times.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod game_script;
mod seeded_rng;

use game_script::{ANN, BO, DAY, EVE, HOUR, PLACE, START_TIME};
use proptest::prelude::*;
use ratatosk::game::{
    Action, Change, Game, GameEvent, GameId, GameResult, GameTerms, OfferKind, Pace, PlayerId, Players, Refusal,
    Seconds, Timestamp,
};
use ratatosk::rules::{Move, Record, Side, Square};
use seeded_rng::{Rng, set_ups};
use std::collections::{BTreeMap, BTreeSet};

/// One random step. What exactly it does depends on the game.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A player or an outsider acts, allowed or not.
    Act { who: u8, what: u8, which: u16 },
    /// The player to move makes a legal move.
    Move { which: u16 },
    /// The player to move returns a piece to where it came from, if that is legal.
    Return,
    /// Time passes.
    Wait { minutes: u32 },
    /// The bot checks the deadline.
    CheckDeadline,
    /// The bot starts again, perhaps after some time.
    Restart,
    /// The machine's clock is set back.
    SetBack { minutes: u32 },
}

/// Counts what happened, so that a test can check that it has covered everything.
#[derive(Default)]
struct Seen {
    endings: BTreeMap<&'static str, usize>,
    events: BTreeSet<String>,
    refusals: BTreeSet<String>,
    rematches: usize,
}

impl Seen {
    fn note(set: &mut BTreeSet<String>, thing: &impl std::fmt::Debug) {
        let text = format!("{thing:?}");
        let end = text.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(text.len());
        set.insert(text[..end].to_owned());
    }
}

/// A game, and its history as the test has recorded it.
struct CheckedGame<'s> {
    game: Game,
    now: Timestamp,
    grace_ends: Timestamp,
    result: Option<GameResult>,
    /// For each kind of offer and side: which sides have moved since its last offer was declined.
    refused: BTreeMap<(OfferKind, bool), [bool; 2]>,
    /// Whether there was a reminder since the clock was last started.
    reminded: bool,
    seen: &'s mut Seen,
}

const fn index(side: Side) -> usize {
    match side {
        Side::Attackers => 0,
        Side::Defenders => 1,
    }
}

fn key(kind: OfferKind, side: Side) -> (OfferKind, bool) {
    (kind, side == Side::Attackers)
}

fn full_time(pace: Pace) -> Seconds {
    pace.days().map_or(Seconds::days(90), |days| Seconds::days(days.into()))
}

/// Returns everything that can be compared of two games.
fn assert_same_game(one: &Game, other: &Game) {
    assert_eq!((one.id, one.version, one.began, one.changed), (other.id, other.version, other.began, other.changed));
    assert_eq!((one.clock, one.offers, one.result), (other.clock, other.offers, other.result));
    assert_eq!(one.record, other.record);
}

/// Returns everything that can be compared of two changes.
fn assert_same_change(one: &Change, other: &Change) {
    assert_same_game(&one.game, &other.game);
    assert_eq!(one.events, other.events);
    assert_eq!(one.rematch.map(|start| start.players), other.rematch.map(|start| start.players));
}

fn assert_replays(game: &Game) {
    let mut again: Record = game.terms.record().unwrap();
    for ply in game.record.plies() {
        again.play(ply.mv).unwrap();
    }
    assert_eq!(again, game.record, "the record does not replay");
    if let Some(outcome) = again.outcome() {
        assert_eq!(game.result, Some(GameResult::OnBoard(outcome)), "what ended on the board is over");
    }
}

impl<'s> CheckedGame<'s> {
    fn new(set_up: usize, pace: Pace, seen: &'s mut Seen) -> Self {
        let (variant, layout) = set_ups().nth(set_up).unwrap();
        let players = Players { attackers: ANN, defenders: BO };
        let start = GameTerms { variant, layout, rules: variant.rules, players, pace, place: PLACE };
        let game = Game::begin(GameId(1), start, START_TIME).unwrap();
        let refused = BTreeMap::new();
        Self { game, now: START_TIME, grace_ends: START_TIME, result: None, refused, reminded: false, seen }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Act { who, what, which } => {
                let player = [ANN, BO, EVE][usize::from(who) % 3];
                self.act(player, self.action(what, which));
            }
            Step::Move { which } => {
                if let Some(player) = self.game.player_to_move() {
                    self.act(player, self.legal_move(which));
                }
            }
            Step::Return => {
                let plies = self.game.record.plies();
                if let (Some(player), Some(before)) = (self.game.player_to_move(), plies.len().checked_sub(2)) {
                    let Move { from, to } = plies[before].mv;
                    self.act(player, Action::Move { written: Move { from: to, to: from }.into(), confirmed: true });
                }
            }
            Step::Wait { minutes } => self.now = self.now + Seconds(i64::from(minutes) * 60),
            Step::CheckDeadline => drop(self.check_deadline()),
            Step::Restart => self.grace_ends = self.now + HOUR,
            Step::SetBack { minutes } => self.now = self.now - Seconds(i64::from(minutes) * 60),
        }
    }

    fn legal_move(&self, which: u16) -> Action {
        let moves: Vec<Move> = self.game.record.playable_moves().collect();
        let anything = Move { from: Square::new(3, 0).unwrap(), to: Square::new(3, 1).unwrap() };
        let mv = if moves.is_empty() { anything } else { moves[usize::from(which) % moves.len()] };
        Action::Move { written: mv.into(), confirmed: which.is_multiple_of(2) }
    }

    fn action(&self, what: u8, which: u16) -> Action {
        let kind = OfferKind::ALL[usize::from(which) % 3];
        match what % 24 {
            0..=4 => Action::Offer(kind),
            5..=7 => Action::Accept(kind),
            8..=10 => Action::Decline(kind),
            11 => Action::Abort,
            12..=14 => Action::ClaimTime,
            15 => Action::GiveTime,
            16 if which.is_multiple_of(8) => Action::Resign,
            17..=19 => {
                let square = |n: u16| Square::new((n % 11) as u8, (n / 11 % 11) as u8).unwrap();
                Action::Move { written: Move { from: square(which), to: square(which / 121) }.into(), confirmed: true }
            }
            _ => self.legal_move(which),
        }
    }

    /// Acts, and checks whether it is allowed and what it changes.
    fn act(&mut self, player: PlayerId, action: Action) {
        let before = self.game.clone();
        let answer = before.act(player, action, self.now);
        assert_same_game(&before, &self.game);
        let change = match (answer, before.act(player, action, self.now)) {
            (Ok(change), Ok(again)) => {
                assert_same_change(&change, &again);
                change
            }
            (Err(refusal), Err(again)) => {
                assert_eq!(refusal, again);
                assert_eq!(refusal == Refusal::NotYourGame, player == EVE);
                Seen::note(&mut self.seen.refusals, &refusal);
                return;
            }
            _ => panic!("the same question has two answers"),
        };
        let side = before.terms.players.side_of(player).expect("an outsider has done something");
        let after = &change.game;
        self.check_any_change(&before, &change);

        if before.result.is_some() {
            let about_rematch = |kind| kind == OfferKind::Rematch;
            assert!(
                matches!(action, Action::Offer(kind) | Action::Accept(kind) | Action::Decline(kind) if about_rematch(kind)),
                "{action:?} after the end"
            );
            assert_eq!((&after.record, after.clock), (&before.record, before.clock));
        }
        match action {
            Action::Move { written, .. } => {
                assert_eq!(before.player_to_move(), Some(player), "nobody acts out of turn");
                assert_eq!(after.record.plies().len(), before.record.plies().len() + 1);
                assert_eq!(after.record.plies().last().unwrap().mv, written.mv);
                assert_eq!(
                    after.offers.offered_by(OfferKind::Takeback),
                    None,
                    "a move answers or withdraws a takeback"
                );
                assert_ne!(after.offers.offered_by(OfferKind::Draw), Some(side.opponent()), "a move answers a draw");
            }
            Action::Resign => {
                assert_eq!(after.result, Some(GameResult::Resigned { winner: side.opponent() }));
            }
            Action::Abort => {
                assert!(before.record.plies().len() < 2);
                assert_eq!(after.result, Some(GameResult::Aborted));
            }
            Action::ClaimTime => {
                assert_eq!(before.to_move(), Some(side.opponent()), "nobody claims on his own time");
                assert!(before.clock.flagged.is_some() && before.terms.pace != Pace::NONE);
                assert_eq!(after.result, Some(GameResult::Time { winner: side }));
            }
            Action::GiveTime => {
                assert_eq!(before.to_move(), Some(side.opponent()), "a player cannot extend their own time");
                assert!(after.clock.deadline >= before.clock.deadline + full_time(before.terms.pace));
                assert!(after.clock.deadline >= self.now + full_time(before.terms.pace));
            }
            Action::Offer(kind) | Action::Accept(kind) | Action::Decline(kind) => {
                self.check_offer(&before, &change, side, action, kind);
            }
        }
        let has_moved = matches!(action, Action::Move { .. });
        self.continue_from(change, has_moved.then_some(side));
    }

    /// Checks the effect of an offer or of an answer to one.
    fn check_offer(&self, before: &Game, change: &Change, side: Side, action: Action, kind: OfferKind) {
        let after = &change.game;
        let offered_by = before.offers.offered_by(kind);
        let asked = offered_by == Some(side.opponent());
        match action {
            Action::Offer(_) if !asked => {
                assert_eq!(offered_by, None, "one offer of a kind at a time");
                assert_eq!(after.offers.offered_by(kind), Some(side));
                if kind != OfferKind::Rematch {
                    let since = self.refused.get(&key(kind, side));
                    assert!(
                        since.is_none_or(|moved| *moved == [true; 2]),
                        "{kind:?} was refused, and not both have moved"
                    );
                }
                assert_eq!((&after.record, after.clock, after.result), (&before.record, before.clock, before.result));
            }
            Action::Decline(_) => {
                assert!(asked, "only what the opponent has offered is declined");
                assert_eq!(after.offers.offered_by(kind), None);
                assert_eq!((&after.record, after.clock, after.result), (&before.record, before.clock, before.result));
            }
            _ => {
                assert!(asked, "only what the opponent has offered is accepted");
                assert_eq!(after.offers.offered_by(kind), None);
                match kind {
                    OfferKind::Draw => {
                        assert_eq!(after.result, Some(GameResult::Agreed));
                    }
                    OfferKind::Takeback => {
                        let plies = if before.to_move() == Some(side) { 1 } else { 2 };
                        assert_eq!(after.record.plies().len() + plies, before.record.plies().len());
                        assert_eq!(after.to_move(), Some(side.opponent()), "the asker's own move was taken back");
                        assert_eq!(after.offers.offered_by(OfferKind::Draw), None, "it was offered somewhere else");
                    }
                    OfferKind::Rematch => {
                        let next = change.rematch.expect("a rematch begins");
                        assert_eq!(next.players, before.terms.players.swapped());
                        assert_eq!(
                            (next.variant.id, next.layout.id),
                            (before.terms.variant.id, before.terms.layout.id)
                        );
                        assert!(Game::begin(GameId(2), next, self.now).is_ok());
                    }
                }
            }
        }
    }

    /// Checks the deadline; returns whether anything was due.
    fn check_deadline(&mut self) -> bool {
        let before = self.game.clone();
        let change = before.tick(self.now, self.grace_ends);
        let again = before.tick(self.now, self.grace_ends);
        let Some(change) = change else {
            assert!(again.is_none());
            return false;
        };
        assert_same_change(&change, &again.unwrap());
        assert_eq!(before.result, None, "time does nothing to a game that is over");
        assert!(self.now >= before.clock.next_due());
        self.check_any_change(&before, &change);
        assert_eq!(change.game.record, before.record);
        assert!(change.rematch.is_none());
        let (late, clock, pace) = (before.to_move().unwrap(), before.clock, before.terms.pace);
        let in_grace = self.now < self.grace_ends;
        let both_have_moved = before.record.plies().len() >= 2;
        assert_eq!(change.events.len(), 1);
        match change.events[0] {
            GameEvent::Reminder { player, deadline } => {
                assert!(!self.reminded, "a reminder comes once");
                assert_eq!((Some(player), deadline), (before.player_to_move(), clock.deadline));
                let notice = pace.days().map_or(Seconds::days(7), |days| Seconds(Seconds::days(days.into()).0 / 4));
                assert!(self.now >= deadline - notice);
                assert_eq!((change.game.clock.deadline, change.game.clock.flagged), (clock.deadline, None));
            }
            GameEvent::TimeUp { late: told } => {
                assert!(!in_grace, "nobody is flagged in the first hour");
                assert!(self.now >= clock.deadline && clock.flagged.is_none() && both_have_moved);
                assert_ne!(pace, Pace::NONE);
                assert_eq!((told, change.game.result), (late, None));
            }
            GameEvent::Ended { result } => {
                assert!(!in_grace && self.now >= clock.deadline);
                let told = clock.flagged;
                match result {
                    GameResult::Time { winner } => {
                        assert_eq!(winner, late.opponent());
                        assert!(told.is_some_and(|told| self.now >= told + full_time(pace)) && both_have_moved);
                    }
                    GameResult::NeverBegan => assert!(pace != Pace::NONE && !both_have_moved),
                    GameResult::Idle => assert_eq!(pace, Pace::NONE),
                    other => panic!("time has ended a game by {other:?}"),
                }
            }
            ref other => panic!("time has done {other:?}"),
        }
        self.continue_from(change, None);
        true
    }

    /// Checks what holds for every change.
    fn check_any_change(&self, before: &Game, change: &Change) {
        let after = &change.game;
        let reminder = matches!(change.events.as_slice(), [GameEvent::Reminder { .. }]);
        assert_eq!(after.version, before.version + u64::from(!reminder), "a reminder changes nothing on the board");
        assert_eq!((after.id, after.began), (before.id, before.began));
        assert_eq!((after.terms.players, after.terms.rules), (before.terms.players, before.terms.rules));
        let changed = if reminder { before.changed } else { before.changed.max(self.now) };
        assert_eq!(after.changed, changed, "time never runs backwards");
        assert!(self.result.is_none() || after.result == self.result, "a result never changes");
        let ends: Vec<&GameEvent> =
            change.events.iter().filter(|event| matches!(event, GameEvent::Ended { .. })).collect();
        match (before.result, after.result) {
            (None, Some(result)) => assert_eq!(ends, [&GameEvent::Ended { result }], "the end is told once"),
            _ => assert!(ends.is_empty(), "an end that is none"),
        }
        if let Some(result) = after.result {
            assert_eq!(after.offers.offered_by(OfferKind::Draw), None, "no offer outlives its game");
            assert_eq!(after.offers.offered_by(OfferKind::Takeback), None, "no offer outlives its game");
            assert_eq!((after.to_move(), after.player_to_move()), (None, None));
            assert!(result.winner().is_none() || result.counts());
        } else {
            assert_eq!(after.offers.offered_by(OfferKind::Rematch), None, "no rematch of a game that goes on");
            assert!(after.clock.flagged.is_none() || after.clock.pace != Pace::NONE);
            assert!(after.clock.flagged.is_none_or(|told| told >= after.clock.deadline));
        }
        assert_eq!(after.clock.pace, after.terms.pace);
        let new_turn =
            change.events.iter().any(|event| matches!(event, GameEvent::Moved { .. } | GameEvent::TookBack { .. }));
        if new_turn {
            let left = after.clock.deadline.0 - self.now.0;
            assert!(left >= full_time(after.terms.pace).0, "a whole pace for a new turn");
            assert!(!after.clock.reminded && after.clock.flagged.is_none());
            if self.now >= before.changed {
                assert_eq!(left, full_time(after.terms.pace).0);
            }
        } else {
            assert!(after.clock.deadline >= before.clock.deadline, "nobody loses time");
        }
        // Not after each change: later replays cover earlier moves.
        if after.version.is_multiple_of(8) || change.game.result.is_some() {
            assert_replays(after);
        }
    }

    /// Records a change and continues from it.
    fn continue_from(&mut self, change: Change, moved: Option<Side>) {
        for event in &change.events {
            Seen::note(&mut self.seen.events, event);
            match *event {
                GameEvent::Reminder { .. } => self.reminded = true,
                GameEvent::Moved { .. } | GameEvent::TookBack { .. } | GameEvent::TimeGiven { .. } => {
                    self.reminded = false
                }
                GameEvent::Ended { result } => {
                    assert_eq!(self.result, None, "one result a game");
                    self.result = Some(result);
                    *self.seen.endings.entry(result.ending()).or_default() += 1;
                }
                _ => {}
            }
        }
        if let Some(side) = moved {
            for moved in self.refused.values_mut() {
                moved[index(side)] = true;
            }
        }
        for event in &change.events {
            if let GameEvent::Declined { kind, by } = *event {
                self.refused.insert(key(kind, by.opponent()), [false; 2]);
            }
        }
        self.seen.rematches += usize::from(change.rematch.is_some());
        self.game = change.game;
    }

    /// Lets only time pass until the game ends.
    fn run_out_of_time(&mut self) {
        self.now = self.now.max(self.game.changed);
        let end =
            self.game.clock.deadline.max(self.now).max(self.grace_ends) + full_time(self.game.terms.pace) + HOUR + DAY;
        for _ in 0..4 {
            if self.game.result.is_some() {
                break;
            }
            self.now = self.game.clock.next_due().max(self.now);
            if !self.check_deadline() {
                self.now = self.now.max(self.grace_ends).max(self.game.clock.deadline);
                self.check_deadline();
            }
        }
        assert!(self.game.result.is_some(), "the game does not end: {:?} at {:?}", self.game.clock, self.now);
        assert!(self.now <= end, "the game ends too late");
        self.now = self.now + Seconds::days(1000);
        assert!(!self.check_deadline());
        assert_replays(&self.game);
    }
}

fn play_steps(set_up: usize, pace: Pace, steps: &[Step], seen: &mut Seen) {
    let mut checked = CheckedGame::new(set_up, pace, seen);
    for step in steps {
        checked.step(*step);
    }
    checked.run_out_of_time();
    // A finished game stays finished.
    let result = checked.game.result;
    for step in steps.iter().rev().take(20) {
        checked.step(*step);
        assert_eq!(checked.game.result, result);
    }
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (any::<u8>(), any::<u8>(), any::<u16>()).prop_map(|(who, what, which)| Step::Act { who, what, which }),
        8 => any::<u16>().prop_map(|which| Step::Move { which }),
        4 => Just(Step::Return),
        5 => minutes().prop_map(|minutes| Step::Wait { minutes }),
        5 => Just(Step::CheckDeadline),
        1 => Just(Step::Restart),
        1 => minutes().prop_map(|minutes| Step::SetBack { minutes }),
    ]
}

/// Generates a random length of time: minutes, hours, days or weeks.
fn minutes() -> impl Strategy<Value = u32> {
    prop_oneof![0..60_u32, 60..24 * 60_u32, 24 * 60..7 * 24 * 60_u32, 7 * 24 * 60..20 * 24 * 60_u32]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_actions_over_weeks_keep_a_game_consistent(
        set_up in 0..set_ups().count(),
        pace in 0..Pace::ALL.len(),
        steps in prop::collection::vec(any_step(), 0..150),
    ) {
        play_steps(set_up, Pace::ALL[pace], &steps, &mut Seen::default());
    }
}

/// Plays with a fixed seed, on every layout with every pace. Checks that every kind of event has happened.
#[test]
fn random_games_of_every_layout_and_pace_cover_every_event() {
    let mut seen = Seen::default();
    let mut rng = Rng::new(4);
    for set_up in 0..set_ups().count() {
        for pace in Pace::ALL {
            for round in 0..8 {
                let steps: Vec<Step> = (0..20 + 20 * round).map(|_| random_step(&mut rng)).collect();
                play_steps(set_up, pace, &steps, &mut seen);
            }
        }
    }
    for ending in GameResult::ALL.map(GameResult::ending) {
        let rare = ["encirclement", "no-moves", "moderated"].contains(&ending);
        let often = seen.endings.get(ending).copied().unwrap_or(0);
        assert!(rare || often > 0, "{ending:?} in {:?}", seen.endings);
    }
    let expected =
        ["Moved", "Offered", "Declined", "Withdrawn", "TookBack", "TimeGiven", "Reminder", "TimeUp", "Ended"];
    assert_eq!(seen.events, expected.map(String::from).into());
    for refusal in [
        "NotYourGame",
        "NotYourTurn",
        "Over",
        "NotOver",
        "Move",
        "Confirm",
        "NothingOffered",
        "AlreadyOffered",
        "TooSoon",
        "NothingToTakeBack",
        "TooLateToAbort",
        "TimeNotUp",
        "NoClock",
    ] {
        assert!(seen.refusals.contains(refusal), "{refusal} in {:?}", seen.refusals);
    }
    assert!(seen.rematches > 0);
}

fn random_step(rng: &mut Rng) -> Step {
    let which = rng.below(1 << 16) as u16;
    let minutes = |rng: &mut Rng| {
        let most = rng.pick(&[60, 24 * 60, 4 * 24 * 60, 20 * 24 * 60]);
        rng.below(most) as u32
    };
    match rng.below(32) {
        0..=6 => Step::Act { who: rng.below(3) as u8, what: rng.below(256) as u8, which },
        7..=15 => Step::Move { which },
        16..=20 => Step::Return,
        21..=24 => Step::Wait { minutes: minutes(rng) },
        25..=29 => Step::CheckDeadline,
        30 => Step::Restart,
        _ => Step::SetBack { minutes: minutes(rng) },
    }
}
