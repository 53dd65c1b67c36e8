//! Where the men stand and whose turn it is.

use super::piece::{Piece, Side};
use super::square::{Square, SquareSet};
use std::hash::{Hash, Hasher};

/// The men on the board and whose turn it is: a value, cheap to copy, to compare and to hash.
///
/// Positions come from a [`super::Rulebook`], which makes sure that they can be played.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// Where each kind of man stands.
    pieces: [SquareSet; Piece::ALL.len()],
    key: u64,
    to_move: Side,
    /// Known not to be encircled. Not a part of the position: only what spares the next look.
    pub(super) known_open: bool,
}

impl Position {
    /// Puts men on the board; nothing is checked.
    pub(super) fn new(pieces: [SquareSet; Piece::ALL.len()], to_move: Side) -> Self {
        let mut key = key_of_turn(to_move);
        for (squares, keys) in pieces.into_iter().zip(&KEYS) {
            for square in squares {
                key ^= keys[square.index()];
            }
        }
        Self { pieces, key, to_move, known_open: false }
    }

    /// Tells whose turn it is.
    #[must_use]
    pub const fn to_move(&self) -> Side {
        self.to_move
    }

    /// Gives the squares of one kind of men.
    #[must_use]
    pub const fn pieces(&self, piece: Piece) -> SquareSet {
        self.pieces[piece as usize]
    }

    /// Gives the squares of one side, the king's with his own.
    #[must_use]
    pub fn side(&self, side: Side) -> SquareSet {
        match side {
            Side::Attackers => self.pieces(Piece::Attacker),
            Side::Defenders => self.pieces(Piece::Defender) | self.pieces(Piece::King),
        }
    }

    /// Gives the square of the king, unless he was taken.
    #[must_use]
    pub const fn king(&self) -> Option<Square> {
        self.pieces(Piece::King).first()
    }

    /// Gives all squares that hold a man.
    #[must_use]
    pub fn occupied(&self) -> SquareSet {
        let [attackers, defenders, king] = self.pieces;
        attackers | defenders | king
    }

    /// Tells who stands on a square.
    #[must_use]
    pub fn at(&self, square: Square) -> Option<Piece> {
        Piece::ALL.into_iter().find(|piece| self.pieces(*piece).contains(square))
    }

    /// Gives the number by which equal positions are found quickly; unequal ones can share it, though hardly ever.
    #[must_use]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// Moves a man of the player whose turn it is and hands the turn over; nothing is checked.
    pub(super) fn shift(&mut self, piece: Piece, from: Square, to: Square) {
        self.pieces[piece as usize] = (self.pieces(piece) - SquareSet::of(from)) | SquareSet::of(to);
        let keys = &KEYS[piece as usize];
        self.key ^= keys[from.index()] ^ keys[to.index()] ^ TURN_KEY;
        self.to_move = piece.side().opponent();
    }

    /// Takes men of one kind off the board.
    pub(super) fn remove(&mut self, piece: Piece, squares: SquareSet) {
        self.pieces[piece as usize] = self.pieces(piece) - squares;
        for square in squares {
            self.key ^= KEYS[piece as usize][square.index()];
        }
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.to_move == other.to_move && self.pieces == other.pieces
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.key);
    }
}

const fn key_of_turn(side: Side) -> u64 {
    match side {
        Side::Attackers => 0,
        Side::Defenders => TURN_KEY,
    }
}

const TURN_KEY: u64 = 0x9E37_79B9_7F4A_7C15;

/// A number for each kind of man on each square; a position's key is the sum without carry of those of its men.
static KEYS: [[u64; Square::COUNT]; Piece::ALL.len()] = keys();

const fn keys() -> [[u64; Square::COUNT]; Piece::ALL.len()] {
    let mut table = [[0; Square::COUNT]; Piece::ALL.len()];
    let mut state = 0x0072_6174_6174_6F73_u64;
    let mut piece = 0;
    while piece < table.len() {
        let mut square = 0;
        while square < Square::COUNT {
            // SplitMix64: well mixed, and the same numbers on every machine.
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            table[piece][square] = z ^ (z >> 31);
            square += 1;
        }
        piece += 1;
    }
    table
}
