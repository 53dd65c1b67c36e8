//! A long game, and counting leaves with the `hnefatafl` crate as our `perft` does.

#![allow(dead_code, clippy::unwrap_used, reason = "each measurement uses its own part")]

use hnefatafl::aliases::{MediumBasicBoardState, SmallBasicBoardState};
use hnefatafl::board::state::BoardState;
use hnefatafl::game::Game;
use hnefatafl::game::GameStatus;
use hnefatafl::game::logic::GameLogic;
use hnefatafl::game::state::GameState;
use hnefatafl::preset::{boards, rules};
use ratatosk::rules::{Move, Record, Variant};
use std::hint::black_box;

/// Plays a game of Fetlar of this many plies, the same one every time.
pub fn long_game(plies: usize) -> Record {
    let variant = Variant::find("fetlar").unwrap();
    let mut state = 1_u64;
    loop {
        let mut record = variant.new_record(variant.default_layout());
        while record.outcome().is_none() && record.plies().len() < plies {
            let moves: Vec<Move> = record.playable_moves().collect();
            // A linear congruential generator is random enough to vary the moves.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            record.play(moves[(state >> 33) as usize % moves.len()]).unwrap();
        }
        if record.outcome().is_none() {
            return record;
        }
    }
}

/// Returns their game that is most like our Brandubh.
pub fn their_brandubh() -> Game<SmallBasicBoardState> {
    Game::new(rules::BRANDUBH, boards::BRANDUBH).unwrap()
}

/// Returns their game that is most like our Fetlar.
pub fn their_copenhagen() -> Game<MediumBasicBoardState> {
    Game::new(rules::COPENHAGEN, boards::COPENHAGEN).unwrap()
}

/// Counts leaves as our `perft` does, with the other crate.
pub fn their_perft<B: BoardState>(logic: &GameLogic<B>, state: &GameState<B>, depth: u32) -> u64 {
    let mut leaves = 0;
    for tile in state.board.occupied_by_side(state.side_to_play) {
        for play in logic.iter_plays(tile, state).unwrap() {
            let played = black_box(logic.do_valid_play(play, *state));
            if depth == 1 {
                leaves += 1;
            } else if played.new_state.status == GameStatus::Ongoing {
                leaves += their_perft(logic, &played.new_state, depth - 1);
            }
        }
    }
    leaves
}
