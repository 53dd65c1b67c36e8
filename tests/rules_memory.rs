//! Playing a move asks for no memory, whatever comes of it.
#![allow(clippy::unwrap_used)]

mod seeded_rng;

use ratatosk::rules::{IllegalMove, Move, notation};
use seeded_rng::{Rng, scatter, set_ups};
use std::alloc::{GlobalAlloc, Layout as Block, System};
use std::cell::Cell;

/// Counts what the thread that runs a test asks of the memory.
struct Counting;

thread_local! {
    static BLOCKS: Cell<usize> = const { Cell::new(0) };
}

#[expect(unsafe_code, reason = "there is no other way to count allocations; it only counts and hands on")]
// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, block: Block) -> *mut u8 {
        BLOCKS.with(|count| count.set(count.get() + 1));
        // SAFETY: handed on as it came.
        unsafe { System.alloc(block) }
    }

    unsafe fn dealloc(&self, place: *mut u8, block: Block) {
        // SAFETY: handed on as it came.
        unsafe { System.dealloc(place, block) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn play_asks_for_no_memory() {
    let mut rng = Rng::new(16);
    let (mut outcomes, mut refusals) = (0, 0);
    for (variant, _) in set_ups() {
        let book = variant.book();
        for _ in 0..20 {
            let position = scatter(&mut rng, &book);
            let before = BLOCKS.with(Cell::get);
            for from in book.board() {
                for to in book.board() {
                    match book.play(&position, Move { from, to }) {
                        Ok(played) => outcomes += usize::from(played.outcome.is_some()),
                        Err(_) => refusals += 1,
                    }
                }
            }
            let read = notation::read_move(&book, &position, "nonsense");
            assert!(matches!(read, Err(IllegalMove::NotUnderstood { .. })));
            assert_eq!(BLOCKS.with(Cell::get), before, "memory was asked for");
        }
    }
    assert!(outcomes > 100 && refusals > 10_000);
}
