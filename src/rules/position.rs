//! A position: where the pieces stand and which side is to move.

use super::piece::{Piece, Side};
use super::square::{Square, SquareSet};
use std::hash::{Hash, Hasher};

/// The pieces on the board and the side to move: a value, cheap to copy, to compare and to hash.
///
/// Positions come from a [`super::Rulebook`], which makes sure that they can be played.
///
/// ```
/// use ratatosk::rules::{Piece, Side, Variant};
///
/// let rulebook = Variant::find("brandubh").unwrap().rulebook();
/// let position = rulebook.read_position("/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/", Side::Attackers)?;
/// assert_eq!(position.king().map(|square| square.to_string()).as_deref(), Some("d4"));
/// assert_eq!(position.pieces(Piece::Attacker).len(), 8);
///
/// // A position that cannot be played says why.
/// let error = rulebook.read_position("/7/7/7/7/7/7/7/", Side::Attackers).unwrap_err();
/// assert_eq!(error.to_string(), "there is no king on the board");
/// # Ok::<(), ratatosk::rules::BadSetup>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// The squares of each kind of piece.
    pieces: [SquareSet; Piece::ALL.len()],
    key: u64,
    to_move: Side,
    /// Whether the king's side is known not to be encircled. This only saves the next check, and is not compared.
    pub(super) known_open: bool,
}

impl Position {
    /// Makes a position without checking it.
    pub(super) fn new(pieces: [SquareSet; Piece::ALL.len()], to_move: Side) -> Self {
        let mut key = key_of_turn(to_move);
        for (squares, keys) in pieces.into_iter().zip(&KEYS) {
            for square in squares {
                key ^= keys[square.index()];
            }
        }
        Self { pieces, key, to_move, known_open: false }
    }

    /// Returns the side to move.
    #[must_use]
    pub const fn to_move(&self) -> Side {
        self.to_move
    }

    /// Returns the squares of one kind of piece.
    #[must_use]
    pub const fn pieces(&self, piece: Piece) -> SquareSet {
        self.pieces[piece as usize]
    }

    /// Returns the squares of one side; the king is with the defenders.
    #[must_use]
    pub fn side(&self, side: Side) -> SquareSet {
        match side {
            Side::Attackers => self.pieces(Piece::Attacker),
            Side::Defenders => self.pieces(Piece::Defender) | self.pieces(Piece::King),
        }
    }

    /// Returns the square of the king, unless he was captured.
    #[must_use]
    pub const fn king(&self) -> Option<Square> {
        self.pieces(Piece::King).first()
    }

    /// Returns all squares with a piece.
    #[must_use]
    pub fn occupied(&self) -> SquareSet {
        let [attackers, defenders, king] = self.pieces;
        attackers | defenders | king
    }

    /// Returns the piece on a square.
    #[must_use]
    pub fn at(&self, square: Square) -> Option<Piece> {
        Piece::ALL.into_iter().find(|piece| self.pieces(*piece).contains(square))
    }

    /// Returns the Zobrist hash: the same for equal positions, and hardly ever the same for others.
    #[must_use]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// Returns the position with this side to move.
    pub(super) fn with_turn(&self, to_move: Side) -> Self {
        Self { key: self.key ^ key_of_turn(self.to_move) ^ key_of_turn(to_move), to_move, ..*self }
    }

    /// Moves a piece of the side to move and passes the turn, without checking the move.
    pub(super) fn shift(&mut self, piece: Piece, from: Square, to: Square) {
        self.pieces[piece as usize] = (self.pieces(piece) - SquareSet::of(from)) | SquareSet::of(to);
        let keys = &KEYS[piece as usize];
        self.key ^= keys[from.index()] ^ keys[to.index()] ^ TURN_KEY;
        self.to_move = piece.side().opponent();
    }

    /// Removes pieces of one kind from the board.
    pub(super) fn remove(&mut self, piece: Piece, squares: SquareSet) {
        self.pieces[piece as usize] = self.pieces(piece) - squares;
        for square in squares {
            self.key ^= KEYS[piece as usize][square.index()];
        }
    }
}

/// Compares the pieces and the side to move.
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

/// A random number for each kind of piece on each square; the key of a position is the XOR of those of its pieces.
static KEYS: [[u64; Square::COUNT]; Piece::ALL.len()] = keys();

const fn keys() -> [[u64; Square::COUNT]; Piece::ALL.len()] {
    let mut table = [[0; Square::COUNT]; Piece::ALL.len()];
    let mut state = 0x0072_6174_6174_6F73_u64;
    let mut piece = 0;
    while piece < table.len() {
        let mut square = 0;
        while square < Square::COUNT {
            // SplitMix64.
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
