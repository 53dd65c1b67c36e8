//! Counts the continuations of a position, to check and to measure the rules.

use super::position::Position;
use super::rulebook::Rulebook;
use std::hint::black_box;

impl Rulebook {
    /// Counts the sequences of exactly `depth` moves; a game that ends earlier is not counted.
    ///
    /// Every move is really made, the last ones included, with its captures and its outcome. Repetition is left out.
    ///
    /// ```
    /// use ratatosk::rules::Variant;
    ///
    /// let variant = Variant::find("brandubh").unwrap();
    /// assert_eq!(variant.rulebook().perft(&variant.start_position(variant.default_layout()), 2), 960);
    /// ```
    #[must_use]
    pub fn perft(&self, position: &Position, depth: u32) -> u64 {
        match depth {
            0 => 1,
            1 => self.legal_moves(position).inspect(|mv| _ = black_box(&self.apply(position, *mv))).count() as u64,
            _ => self
                .legal_moves(position)
                .map(|mv| self.apply(position, mv))
                .filter(|played| played.outcome.is_none())
                .map(|played| self.perft(&played.position, depth - 1))
                .sum(),
        }
    }
}
