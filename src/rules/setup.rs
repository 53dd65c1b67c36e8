//! Reads, checks and writes position records such as `/3t3/1t3t1/…/`.

use super::apply::Outcome;
use super::moves::Move;
use super::piece::{Piece, Side};
use super::position::Position;
use super::rulebook::Rulebook;
use super::rules::Rules;
use super::square::{MAX_SIZE, Square, SquareSet};
use std::fmt::{self, Write};

/// The pieces of a position record, not checked yet; a [`Rulebook`] makes a [`Position`] of it.
///
/// ```
/// use ratatosk::rules::{BadSetup, Setup, Side, Variant};
///
/// let setup = Setup::read("/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/")?;
/// let rulebook = Variant::find("brandubh").unwrap().rulebook();
/// let position = rulebook.position(&setup, Side::Attackers)?;
/// assert_eq!(rulebook.write_position(&position), "/3t3/3t3/3T3/ttTKTtt/3T3/3t3/3t3/");
/// assert_eq!(Setup::read("/3x3/"), Err(BadSetup::UnknownLetter('x')));
/// # Ok::<(), BadSetup>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setup {
    /// How many squares a side has.
    pub size: u8,
    /// The squares of each kind of piece.
    pieces: [SquareSet; Piece::ALL.len()],
}

/// Why a record is not a position that can be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BadSetup {
    /// The ranks are not between slashes.
    NoSlashes,
    /// A letter that stands for no piece.
    UnknownLetter(char),
    /// A rank has more or fewer squares than there are ranks.
    RankLength {
        /// Which rank; 1 is the lowest.
        rank: usize,
        /// How many squares it has.
        squares: usize,
        /// How many ranks there are.
        ranks: usize,
    },
    /// There are more or fewer ranks than this game has.
    Ranks {
        /// How many there are.
        ranks: usize,
        /// How many squares a side has in this game.
        needed: u8,
    },
    /// There are more ranks than the largest board has.
    TooLarge,
    /// The board has another size in this game.
    WrongSize {
        /// The size in the record.
        given: u8,
        /// The size in this game.
        needed: u8,
    },
    /// There is no king, or more than one.
    Kings(u32),
    /// The king has already won.
    KingAtGoal(Square),
    /// A piece stands where it may not rest.
    NoRest { square: Square, piece: Piece },
}

impl fmt::Display for BadSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSlashes => {
                f.write_str("a position is written rank by rank from the top between slashes, such as /3t3/…/3t3/")
            }
            Self::UnknownLetter(letter) => {
                write!(f, "`{letter}` is no piece: t is an attacker, T a defender, K the king, a number empty squares")
            }
            Self::RankLength { rank, squares, .. } if *squares > usize::from(MAX_SIZE) => {
                write!(f, "rank {rank} has more than the {MAX_SIZE} squares that there is room for")
            }
            Self::RankLength { rank, squares, ranks } => {
                write!(f, "rank {rank} has {squares} squares, but there are {ranks} ranks; a board is square")
            }
            Self::Ranks { ranks, needed } => {
                write!(
                    f,
                    "this game is played on {needed}x{needed} squares; the position has {ranks} rank{}",
                    if *ranks == 1 { "" } else { "s" }
                )
            }
            Self::TooLarge => write!(f, "the largest board has {MAX_SIZE} ranks"),
            Self::WrongSize { given, needed } => {
                write!(f, "this game is played on {needed}x{needed} squares; the position has {given}x{given}")
            }
            Self::Kings(0) => f.write_str("there is no king on the board"),
            Self::Kings(count) => write!(f, "there are {count} kings on the board; one is needed"),
            Self::KingAtGoal(square) => write!(f, "the king on {square} has already won"),
            Self::NoRest { square, piece } => {
                write!(f, "{} stands on {square}, where only the king may rest", piece.id_with_article())
            }
        }
    }
}

impl std::error::Error for BadSetup {}

impl Setup {
    /// Reads a record, top rank first.
    ///
    /// # Errors
    /// Says what is wrong with the text.
    pub fn read(record: &str) -> Result<Self, BadSetup> {
        let inner = record.trim().strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
        let ranks: Vec<&str> = inner.ok_or(BadSetup::NoSlashes)?.split('/').collect();
        Self::from_ranks(ranks.len(), ranks.into_iter().rev())
    }

    /// Reads ranks, the lowest first.
    pub(super) fn from_ranks<'r>(count: usize, ranks: impl Iterator<Item = &'r str>) -> Result<Self, BadSetup> {
        let size = u8::try_from(count).ok().filter(|size| *size <= MAX_SIZE).ok_or(BadSetup::TooLarge)?;
        let mut setup = Self { size, pieces: Default::default() };
        for (rank, text) in (0u8..).zip(ranks) {
            let squares = setup.add_rank(rank, text)?;
            if squares != count {
                return Err(BadSetup::RankLength { rank: usize::from(rank) + 1, squares, ranks: count });
            }
        }
        Ok(setup)
    }

    /// Adds the pieces of one rank and returns how many squares it has.
    fn add_rank(&mut self, rank: u8, text: &str) -> Result<usize, BadSetup> {
        let mut squares: usize = 0;
        let mut empty: usize = 0;
        for letter in text.chars() {
            if let Some(digit) = letter.to_digit(10) {
                // Saturation keeps a huge number from wrapping around to one that fits.
                empty = empty.saturating_mul(10).saturating_add(digit as usize);
                continue;
            }
            squares = squares.saturating_add(std::mem::take(&mut empty));
            let piece =
                Piece::ALL.into_iter().find(|piece| piece.letter() == letter).ok_or(BadSetup::UnknownLetter(letter))?;
            if let Some(square) = u8::try_from(squares).ok().and_then(|file| Square::new(file, rank)) {
                self.pieces[piece as usize] |= SquareSet::of(square);
            }
            squares = squares.saturating_add(1);
        }
        Ok(squares.saturating_add(empty))
    }
}

impl Rulebook {
    /// Makes a position of a set-up.
    ///
    /// # Errors
    /// Says why it cannot be played.
    pub fn position(&self, setup: &Setup, to_move: Side) -> Result<Position, BadSetup> {
        let position = self.position_to_show(setup, to_move)?;
        let kings = setup.pieces[Piece::King as usize];
        if kings.is_empty() {
            return Err(BadSetup::Kings(0));
        }
        match (kings & self.goal).first() {
            Some(square) => Err(BadSetup::KingAtGoal(square)),
            None => Ok(position),
        }
    }

    /// Makes a position that may be the last one of a game: the king may be captured or at his goal.
    fn position_to_show(&self, setup: &Setup, to_move: Side) -> Result<Position, BadSetup> {
        let Rules { size, .. } = *self.rules();
        if setup.size != size {
            return Err(BadSetup::WrongSize { given: setup.size, needed: size });
        }
        let kings = setup.pieces[Piece::King as usize];
        if kings.has_two() {
            return Err(BadSetup::Kings(kings.len()));
        }
        for piece in Piece::ALL {
            if let Some(square) = (setup.pieces[piece as usize] - self.rest(piece)).first() {
                return Err(BadSetup::NoRest { square, piece });
            }
        }
        Ok(Position::new(setup.pieces, to_move))
    }

    /// Reads a position record that is only shown, and returns how the game ended there, if it did.
    ///
    /// Where the king is captured or at his goal, the loser is to move, whatever `to_move` says.
    ///
    /// # Errors
    /// Says why no game can lead to such a position.
    pub fn read_position_to_show(&self, record: &str, to_move: Side) -> Result<(Position, Option<Outcome>), BadSetup> {
        let setup = Setup::read(record)?;
        let position = self.position_to_show(&setup, to_move)?;
        let (loser, outcome) = match position.king() {
            None => (Side::Defenders, Outcome::KingCaptured),
            Some(king) if self.goal.contains(king) => (Side::Attackers, Outcome::KingEscaped),
            Some(_) => return Ok((position, self.outcome_if_blocked(&position))),
        };
        Ok((Position::new(setup.pieces, loser), Some(outcome)))
    }

    /// Takes a move back: returns the position before it, with the pieces that it captured.
    ///
    /// # Errors
    /// Says why that position cannot be played.
    pub fn unmake(&self, after: &Position, mv: Move, captured: &[(Piece, SquareSet)]) -> Result<Position, BadSetup> {
        let mut pieces = Piece::ALL.map(|piece| after.pieces(piece));
        for squares in &mut pieces {
            if squares.contains(mv.to) {
                *squares = (*squares - SquareSet::of(mv.to)) | SquareSet::of(mv.from);
            }
        }
        for (piece, squares) in captured {
            pieces[*piece as usize] |= *squares;
        }
        self.position(&Setup { size: self.rules().size, pieces }, after.to_move().opponent())
    }

    /// Reads a position record.
    ///
    /// # Errors
    /// Says what is wrong with the text, or why the position cannot be played.
    pub fn read_position(&self, record: &str, to_move: Side) -> Result<Position, BadSetup> {
        let needed = self.rules().size;
        let setup = Setup::read(record).map_err(|error| match error {
            // If the number of ranks is wrong, too, that is the more helpful error.
            BadSetup::RankLength { ranks, .. } if ranks != usize::from(needed) => BadSetup::Ranks { ranks, needed },
            error => error,
        })?;
        self.position(&setup, to_move)
    }

    /// Writes a position record, top rank first.
    #[must_use]
    pub fn write_position(&self, position: &Position) -> String {
        let ranks = (0..self.rules().size).rev().map(|rank| self.write_rank(position, rank));
        ranks.fold(String::from("/"), |record, rank| record + &rank + "/")
    }

    /// Writes one rank of a position record.
    pub(super) fn write_rank(&self, position: &Position, rank: u8) -> String {
        let (mut text, mut empty) = (String::new(), 0);
        let end_gap = |text: &mut String, empty: &mut u8| {
            if *empty > 0 {
                // Writing to a string cannot fail.
                let _ = write!(text, "{empty}");
                *empty = 0;
            }
        };
        for square in (0..self.rules().size).filter_map(|file| Square::new(file, rank)) {
            match position.at(square) {
                Some(piece) => {
                    end_gap(&mut text, &mut empty);
                    text.push(piece.letter());
                }
                None => empty += 1,
            }
        }
        end_gap(&mut text, &mut empty);
        text
    }
}
