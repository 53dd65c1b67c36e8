//! Random numbers that are the same in every run with the same seed.

#![allow(dead_code, reason = "each test uses its own part")]

use ratatosk::rules::{Piece, Position, Rulebook, Setup, Side, Square, VARIANTS, Variant};
use std::sync::OnceLock;

/// A random number generator (xorshift64*).
pub struct Rng(u64);

/// Returns the seed of this run: `RATATOSK_SEED`, or another one each time.
pub fn seed() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    *SEED.get_or_init(|| match std::env::var("RATATOSK_SEED") {
        #[allow(clippy::expect_used, reason = "a wrong seed must not be ignored")]
        Ok(seed) => seed.parse().expect("RATATOSK_SEED is a number"),
        Err(_) => u64::from(std::process::id()),
    })
}

impl Rng {
    /// Makes the generator of an experiment, and prints the seed.
    pub fn for_experiment(experiment: &str) -> Self {
        println!("{experiment}: RATATOSK_SEED={}", seed());
        Self::new(seed())
    }

    /// Makes a generator from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % end
    }

    /// Picks one of several.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// Makes a position with pieces on any squares, mostly one that no game would reach.
pub fn scatter(rng: &mut Rng, rulebook: &Rulebook) -> Position {
    let size = rulebook.rules().size;
    // Sometimes a few pieces, sometimes so many that nobody can move.
    let crowd = if rng.below(4) == 0 { 100 - rng.below(4) } else { 1 + rng.below(90) };
    // Few defenders among many attackers are easily encircled.
    let defenders = rng.below(60);
    let mut board = vec![vec!['.'; size.into()]; size.into()];
    for (file, column) in board.iter_mut().enumerate() {
        for (rank, square) in column.iter_mut().enumerate() {
            let man = if rng.below(100) < defenders { Piece::Defender } else { Piece::Attacker };
            let here = Square::new(file as u8, rank as u8).unwrap();
            if rng.below(100) < crowd && rulebook.rest(man).contains(here) {
                *square = man.letter();
            }
        }
    }
    let thrones: Vec<Square> = (rulebook.rest(Piece::King) - rulebook.goal()).into_iter().collect();
    let king = rng.pick(&thrones);
    board[usize::from(king.file())][usize::from(king.rank())] = Piece::King.letter();
    let rank = |rank: usize| -> String {
        board.iter().map(|file| if file[rank] == '.' { String::from("1") } else { file[rank].to_string() }).collect()
    };
    let ranks: Vec<String> = (0..usize::from(size)).rev().map(|r| spaced(&rank(r))).collect();
    let setup = Setup::read(&format!("/{}/", ranks.join("/"))).unwrap();
    rulebook.position(&setup, rng.pick(&Side::BOTH)).unwrap()
}

/// Adds up empty squares: `11t1` becomes `2t1`.
fn spaced(rank: &str) -> String {
    let mut text = String::new();
    let mut gap = 0;
    for letter in rank.chars().chain(['.']) {
        match letter {
            '1' => gap += 1,
            _ => {
                if gap > 0 {
                    text += &gap.to_string();
                    gap = 0;
                }
                text.push(letter);
            }
        }
    }
    text.trim_end_matches('.').to_owned()
}

/// Returns every variant with each of its layouts.
pub fn set_ups() -> impl Iterator<Item = (&'static Variant, &'static ratatosk::rules::Layout)> {
    VARIANTS.iter().flat_map(|variant| variant.layouts.iter().map(move |layout| (variant, layout)))
}
