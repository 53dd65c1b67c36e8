//! Squares, pieces, boards, and how a position is written.

use std::collections::BTreeMap;

/// (file, rank), both from zero: a1 is (0, 0), b1 is (1, 0), a2 is (0, 1).
pub type Square = (i32, i32);

/// The two players.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub enum Side {
    /// `t`
    Attackers,
    /// `T` and `K`, the king's side
    Defenders,
}

/// A kind of piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub enum Piece {
    /// `t`
    Attacker,
    /// `T`
    Defender,
    /// `K`
    King,
}

/// A position: the pieces on the board and the side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    /// Squares along one edge.
    pub size: i32,
    /// The pieces. A square that is not in the map is empty.
    pub pieces: BTreeMap<Square, Piece>,
    /// The side to move.
    pub to_move: Side,
}

/// Up, right, down, left.
pub const DIRECTIONS: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

/// Returns the next square in a direction; it may be off the board.
pub fn step(square: Square, direction: (i32, i32)) -> Square {
    (square.0 + direction.0, square.1 + direction.1)
}

/// Returns the four squares beside a square; some may be off the board.
pub fn neighbours(square: Square) -> [Square; 4] {
    DIRECTIONS.map(|direction| step(square, direction))
}

/// Returns the square on the other side of `middle`, seen from `square` beside it; it may be off the board.
pub fn opposite(square: Square, middle: Square) -> Square {
    (2 * middle.0 - square.0, 2 * middle.1 - square.1)
}

impl Side {
    /// Returns the other player.
    pub fn opponent(self) -> Side {
        match self {
            Side::Attackers => Side::Defenders,
            Side::Defenders => Side::Attackers,
        }
    }
}

impl Piece {
    /// Returns the side of a piece: the king and the defenders are one side, the attackers are the other.
    pub fn side(self) -> Side {
        match self {
            Piece::Attacker => Side::Attackers,
            Piece::Defender | Piece::King => Side::Defenders,
        }
    }
}

impl Board {
    /// Reads a position: "`t` attacker, `T` defender, `K` king, top rank first, digits count empty
    /// squares", with a slash before, between and after the ranks. The error says what is wrong.
    pub fn parse(record: &str, to_move: Side) -> Result<Board, String> {
        let ranks: Vec<&str> = record.trim_matches('/').split('/').collect();
        let size = i32::try_from(ranks.len()).map_err(|_| format!("{record:?} has too many ranks"))?;
        let mut pieces = BTreeMap::new();
        for (rank, text) in (0..size).rev().zip(ranks) {
            let mut file = 0;
            let mut empty = 0;
            for letter in text.chars() {
                if let Some(digit) = letter.to_digit(10) {
                    empty = 10 * empty + digit.cast_signed();
                    continue;
                }
                file += empty;
                empty = 0;
                let piece = match letter {
                    't' => Piece::Attacker,
                    'T' => Piece::Defender,
                    'K' => Piece::King,
                    _ => return Err(format!("{letter:?} in {record:?} is not a piece")),
                };
                pieces.insert((file, rank), piece);
                file += 1;
            }
            if file + empty != size {
                return Err(format!("{text:?} in {record:?} has {} squares instead of {size}", file + empty));
            }
        }
        Ok(Board { size, pieces, to_move })
    }

    /// Writes the position as [`Board::parse`] reads it.
    pub fn record(&self) -> String {
        let mut record = String::from("/");
        for rank in (0..self.size).rev() {
            let mut empty = 0;
            for file in 0..self.size {
                let Some(piece) = self.piece((file, rank)) else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    record.push_str(&empty.to_string());
                    empty = 0;
                }
                record.push(match piece {
                    Piece::Attacker => 't',
                    Piece::Defender => 'T',
                    Piece::King => 'K',
                });
            }
            if empty > 0 {
                record.push_str(&empty.to_string());
            }
            record.push('/');
        }
        record
    }

    /// Returns the piece on a square.
    pub fn piece(&self, square: Square) -> Option<Piece> {
        self.pieces.get(&square).copied()
    }

    /// Returns whether a square is empty. (Squares off the board are empty, too.)
    pub fn is_empty(&self, square: Square) -> bool {
        !self.pieces.contains_key(&square)
    }

    /// Returns whether an attacker is on a square.
    pub fn is_attacker(&self, square: Square) -> bool {
        self.piece(square) == Some(Piece::Attacker)
    }

    /// Returns the square of the king.
    pub fn king(&self) -> Option<Square> {
        self.pieces.iter().find(|(_, piece)| **piece == Piece::King).map(|(square, _)| *square)
    }

    /// Returns whether a square is on the board.
    pub fn contains(&self, (file, rank): Square) -> bool {
        (0..self.size).contains(&file) && (0..self.size).contains(&rank)
    }

    /// Returns the square in the middle: throne, castle, marked square, refuge square.
    pub fn centre(&self) -> Square {
        (self.size / 2, self.size / 2)
    }

    /// Returns whether a square is one of the four corners.
    pub fn is_corner(&self, (file, rank): Square) -> bool {
        let last = self.size - 1;
        (file == 0 || file == last) && (rank == 0 || rank == last)
    }

    /// Returns whether a square is at the edge of the board, corners included.
    pub fn is_edge(&self, (file, rank): Square) -> bool {
        let last = self.size - 1;
        file == 0 || file == last || rank == 0 || rank == last
    }
}
