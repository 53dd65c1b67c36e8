//! How fast the rules are, beside the `hnefatafl` crate: every leaf's move is really made, with captures and outcome.
//!
//! `cargo bench --bench rules` prints leaves a second for both.
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hnefatafl::aliases::{MediumBasicBoardState, SmallBasicBoardState};
use hnefatafl::board::state::BoardState;
use hnefatafl::game::Game;
use hnefatafl::game::GameStatus;
use hnefatafl::game::logic::GameLogic;
use hnefatafl::game::state::GameState;
use hnefatafl::preset::{boards, rules};
use ratatosk::rules::{Variant, notation};
use std::hint::black_box;
use std::time::Duration;

/// Counts leaves as our `perft` does, with the other crate.
fn their_perft<B: BoardState>(logic: &GameLogic<B>, state: &GameState<B>, depth: u32) -> u64 {
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

fn compare<B: BoardState>(c: &mut Criterion, variant: &str, depth: u32, theirs: Game<B>) {
    let variant = Variant::find(variant).unwrap();
    let (book, start) = (variant.book(), variant.start(variant.usual_layout()));
    let mut group = c.benchmark_group(format!("{}, depth {depth}", variant.name));
    group.sample_size(10).warm_up_time(Duration::from_millis(500));
    group.throughput(Throughput::Elements(book.perft(&start, depth)));
    group.bench_function("ratatosk", |b| b.iter(|| book.perft(black_box(&start), depth)));
    group.throughput(Throughput::Elements(their_perft(&theirs.logic, &theirs.state, depth)));
    group.bench_function("hnefatafl", |b| b.iter(|| their_perft(&theirs.logic, black_box(&theirs.state), depth)));
    group.finish();
}

fn leaves(c: &mut Criterion) {
    let brandubh: Game<SmallBasicBoardState> = Game::new(rules::BRANDUBH, boards::BRANDUBH).unwrap();
    compare(c, "brandubh", 4, brandubh);
    let copenhagen: Game<MediumBasicBoardState> = Game::new(rules::COPENHAGEN, boards::COPENHAGEN).unwrap();
    compare(c, "fetlar", 3, copenhagen);
}

fn one_move(c: &mut Criterion) {
    let variant = Variant::find("fetlar").unwrap();
    let (book, start) = (variant.book(), variant.start(variant.usual_layout()));
    c.bench_function("read and play a typed move", |b| {
        b.iter(|| {
            let mv = notation::read_move(&book, &start, black_box("d1-d4")).unwrap();
            book.play(&start, mv)
        });
    });
}

criterion_group!(benches, leaves, one_move);
criterion_main!(benches);
