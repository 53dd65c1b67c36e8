//! Positions from random games, for unit tests.

use super::position::Position;
use super::rulebook::Rulebook;
use super::variants::VARIANTS;

/// Returns this many positions from random games of all variants and layouts, the same ones every time.
pub(super) fn walk(count: usize) -> impl Iterator<Item = (Rulebook, Position)> {
    let mut state = 1u64;
    let mut dice = move |sides: usize| {
        // xorshift64*.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % sides
    };
    let starts: Vec<_> =
        VARIANTS.iter().flat_map(|variant| variant.layouts.iter().map(move |layout| (variant, layout))).collect();
    let mut here: Option<(Rulebook, Position, usize)> = None;
    (0..count).map(move |_| {
        let (rulebook, position, plies) = here.take().unwrap_or_else(|| {
            let (variant, layout) = starts[dice(starts.len())];
            (variant.rulebook(), variant.start_position(layout), 0)
        });
        let moves: Vec<_> = rulebook.legal_moves(&position).collect();
        let played = rulebook.apply(&position, moves[dice(moves.len())]);
        here = (played.outcome.is_none() && plies < 300).then(|| (rulebook.clone(), played.position, plies + 1));
        (rulebook, position)
    })
}
