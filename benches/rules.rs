//! The speed of the rules beside that of the `hnefatafl` crate. Every move is made, with its captures and outcome.
//!
//! `cargo bench --bench rules` prints leaves a second for both.
#![allow(clippy::unwrap_used)]

mod workloads;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use hnefatafl::board::state::BoardState;
use hnefatafl::game::Game;
use ratatosk::rules::{Variant, notation};
use std::hint::black_box;
use std::time::Duration;
use workloads::rules::their_perft;

fn compare<B: BoardState>(c: &mut Criterion, variant: &str, depth: u32, theirs: Game<B>) {
    let variant = Variant::find(variant).unwrap();
    let (rulebook, start) = (variant.rulebook(), variant.start_position(variant.default_layout()));
    let mut group = c.benchmark_group(format!("{}, depth {depth}", variant.name));
    group.sample_size(10).warm_up_time(Duration::from_millis(500));
    group.throughput(Throughput::Elements(rulebook.perft(&start, depth)));
    group.bench_function("ratatosk", |b| b.iter(|| rulebook.perft(black_box(&start), depth)));
    group.throughput(Throughput::Elements(their_perft(&theirs.logic, &theirs.state, depth)));
    group.bench_function("hnefatafl", |b| b.iter(|| their_perft(&theirs.logic, black_box(&theirs.state), depth)));
    group.finish();
}

fn leaves(c: &mut Criterion) {
    compare(c, "brandubh", 4, workloads::rules::their_brandubh());
    compare(c, "fetlar", 3, workloads::rules::their_copenhagen());
}

fn one_move(c: &mut Criterion) {
    let variant = Variant::find("fetlar").unwrap();
    let (rulebook, start) = (variant.rulebook(), variant.start_position(variant.default_layout()));
    c.bench_function("read and play a typed move", |b| {
        b.iter(|| {
            let mv = notation::read_move(&rulebook, &start, black_box("d1-d4")).unwrap();
            rulebook.play(&start, mv)
        });
    });
}

/// Measures what a request does with the record of a long game: copy it, play a move, keep both.
fn long_game(c: &mut Criterion) {
    let record = workloads::rules::long_game(300);
    let mv = record.playable_moves().next().unwrap();
    c.bench_function("copy a record of 300 moves", |b| b.iter(|| black_box(&record).clone()));
    c.bench_function("play a move in a copy of it", |b| b.iter(|| black_box(&record).try_move(mv).unwrap()));
    let (rulebook, position) = (record.rulebook(), record.position());
    c.bench_function("find whether the king is in danger", |b| b.iter(|| rulebook.king_in_danger(black_box(position))));
}

criterion_group!(benches, leaves, one_move, long_game);
criterion_main!(benches);
