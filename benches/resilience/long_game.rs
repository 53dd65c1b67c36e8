//! Compares a move in a long game with one in a new game.

use crate::experiments::readers::plain_markup::Plain;
use crate::experiments::seeded_rng::Rng;
use crate::experiments::store_fixture::{CHANNEL, NOW, TempStore, begin, save, start, update};
use crate::workloads::store::middle;
use ratatosk::app::{App, Command, GameCommand, Person, Reply, Request};
use ratatosk::game::{Action, BotPermissions, Change, Game, GameTerms, Pace, PlayerId, Players};
use ratatosk::render::Renderer;
use ratatosk::rules::Move;
use std::fmt;
use std::time::Instant;

/// Milliseconds for a move, with storing.
pub struct Compared {
    plies: usize,
    pub new: f64,
    pub long: f64,
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plies, new, long } = self;
        write!(
            f,
            "a move, with all that is stored and its picture, takes {new:.2} ms in a new game and {long:.2} ms in one of \
             {plies} moves"
        )
    }
}

/// Moves in turn in a new game and in one of `plies` moves. Returns the median of each.
pub fn compare(plies: usize) -> Compared {
    const MOVES: usize = 200;
    let temp = TempStore::new("long");
    let store = temp.open();
    let mut rng = Rng::new(3);
    let game = |number: u64| {
        let players = Players { attackers: PlayerId(number), defenders: PlayerId(number + 1) };
        begin(&store, GameTerms { players, ..start("fetlar", Pace::default()) }, NOW)
    };
    let (mut new, mut long) = (game(10), game(20));
    for _ in 0..plies {
        let change = go_on(&long, &mut rng).0;
        save(&store, vec![update(&change)], NOW).unwrap();
        long = change.game;
    }
    let app = App::new(store, || NOW, || true);
    let renderer = Renderer::new();
    let (mut quick, mut slow) = (Vec::new(), Vec::new());
    for _ in 0..MOVES {
        for (game, times) in [(&mut new, &mut quick), (&mut long, &mut slow)] {
            let (next, mv) = go_on(game, &mut rng);
            let game_command = GameCommand::Move { typed: mv.to_string(), confirmed: false };
            let command = Command::InGame { game: Some(game.id), version: None, game_command };
            let id = game.player_to_move().unwrap();
            let person = Person { id, name: String::from("somebody"), is_bot: false, can_see_channel: true };
            let request = Request { id: None, person, place: CHANNEL, permissions: BotPermissions::ALL, command };
            let began = Instant::now();
            let reply = app.handle(&request, &Plain).unwrap();
            renderer.png(reply.content().board.as_ref().unwrap()).unwrap();
            times.push(began.elapsed().as_secs_f64() * 1e3);
            assert!(matches!(reply, Reply::Post(_)), "{reply:?}");
            *game = next.game;
        }
    }
    let [new, long] = [&mut quick, &mut slow].map(|times| middle(times));
    Compared { plies, new, long }
}

/// Plays a move that neither ends the game nor repeats a position.
fn go_on(game: &Game, rng: &mut Rng) -> (Change, Move) {
    let moves: Vec<Move> = game.record.playable_moves().collect();
    let mover = game.player_to_move().unwrap();
    loop {
        let mv = rng.pick(&moves);
        if let Ok(change) = game.act(mover, Action::Move { written: mv.into(), confirmed: false }, NOW)
            && change.game.result.is_none()
            && change.game.record.occurrences() == 1
        {
            return (change, mv);
        }
    }
}
