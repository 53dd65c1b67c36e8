//! Playing a move allocates no memory.
#![allow(clippy::unwrap_used)]

mod seeded_rng;

use ratatosk::rules::{IllegalMove, Move, notation};
use seeded_rng::{Rng, scatter, set_ups};
use std::alloc::{GlobalAlloc, Layout as Block, System};
use std::cell::Cell;

/// Counts the allocations of each thread.
struct Counting;

thread_local! {
    static BLOCKS: Cell<usize> = const { Cell::new(0) };
}

#[expect(unsafe_code, reason = "only a global allocator can count allocations")]
// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, block: Block) -> *mut u8 {
        BLOCKS.with(|count| count.set(count.get() + 1));
        // SAFETY: the arguments are passed on unchanged.
        unsafe { System.alloc(block) }
    }

    unsafe fn dealloc(&self, place: *mut u8, block: Block) {
        // SAFETY: the arguments are passed on unchanged.
        unsafe { System.dealloc(place, block) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn playing_a_move_allocates_nothing() {
    let mut rng = Rng::new(16);
    let (mut outcomes, mut refusals) = (0, 0);
    for (variant, _) in set_ups() {
        let rulebook = variant.rulebook();
        for _ in 0..20 {
            let position = scatter(&mut rng, &rulebook);
            let before = BLOCKS.with(Cell::get);
            for from in rulebook.board() {
                for to in rulebook.board() {
                    match rulebook.play(&position, Move { from, to }) {
                        Ok(played) => outcomes += usize::from(played.outcome.is_some()),
                        Err(_) => refusals += 1,
                    }
                }
            }
            let read = notation::read_move(&rulebook, &position, "nonsense");
            assert!(matches!(read, Err(IllegalMove::NotUnderstood { .. })));
            assert_eq!(BLOCKS.with(Cell::get), before, "memory was allocated");
        }
    }
    assert!(outcomes > 100 && refusals > 10_000);
}
