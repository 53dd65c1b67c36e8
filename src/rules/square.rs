//! Squares of the board, and sets of squares as bits.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, Sub};

/// The size of the largest board.
pub const MAX_SIZE: u8 = 11;

/// A square: its file (a is 0) and its rank (1 is 0).
///
/// ```
/// use ratatosk::rules::Square;
///
/// let square = Square::parse("d11").unwrap();
/// assert_eq!((square.file(), square.rank()), (3, 10));
/// assert_eq!(square.to_string(), "d11");
/// assert_eq!(Square::parse("d12"), None);
/// ```
///
/// Boards of every size lie in the bottom left corner of the largest one, so that a square has the same number, the same
/// name and the same neighbours on all of them. Squares sort as their names do: a1, a2, … b1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// How many squares the largest board has.
    pub const COUNT: usize = MAX_SIZE as usize * MAX_SIZE as usize;

    /// Returns the square at a file and a rank, if the largest board has it.
    #[must_use]
    pub const fn new(file: u8, rank: u8) -> Option<Self> {
        if file < MAX_SIZE && rank < MAX_SIZE { Some(Self(file * MAX_SIZE + rank)) } else { None }
    }

    /// Returns the square with a name such as `d4`, if the largest board has it.
    ///
    /// Only the name that `Display` writes is understood; [`super::notation::read_square`] reads what players type.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let mut letters = name.chars();
        let file = u8::try_from(letters.next()?).ok()?.checked_sub(b'a')?;
        let rank: u8 = letters.as_str().parse().ok()?;
        Self::new(file, rank.checked_sub(1)?).filter(|square| square.to_string() == name)
    }

    /// Returns the square with a number below [`Square::COUNT`].
    pub(super) const fn from_index(index: u8) -> Self {
        debug_assert!((index as usize) < Self::COUNT);
        Self(index)
    }

    /// Returns the number of the square, below [`Square::COUNT`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the file: 0 for a.
    #[must_use]
    pub const fn file(self) -> u8 {
        self.0 / MAX_SIZE
    }

    /// Returns the rank: 0 for 1.
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.0 % MAX_SIZE
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), self.rank() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of squares, one bit each.
///
/// ```
/// use ratatosk::rules::{Square, SquareSet};
///
/// let [a1, b2] = ["a1", "b2"].map(|name| Square::parse(name).unwrap());
/// let set: SquareSet = [b2, a1].into_iter().collect();
/// assert_eq!((set.len(), set.first()), (2, Some(a1)));
/// assert!((set - SquareSet::of(a1)).contains(b2) && set.meets(SquareSet::board(7)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SquareSet(u128);

impl SquareSet {
    /// The empty set.
    pub const EMPTY: Self = Self(0);

    pub(super) const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    pub(super) const fn bits(self) -> u128 {
        self.0
    }

    /// Returns the set of one square.
    #[must_use]
    pub const fn of(square: Square) -> Self {
        // A table, because shifting 128 bits by a variable takes longer than a read.
        static SINGLES: [SquareSet; Square::COUNT] = singles();
        SINGLES[square.index()]
    }

    /// Returns all squares of a board of this size.
    #[must_use]
    pub const fn board(size: u8) -> Self {
        let (mut bits, mut file) = (0, 0);
        while file < size {
            bits |= ((1u128 << size) - 1) << (file * MAX_SIZE);
            file += 1;
        }
        Self(bits)
    }

    /// Returns whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Counts the squares.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns whether two squares or more are in the set.
    #[must_use]
    pub const fn has_two(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Returns whether the square is in the set.
    #[must_use]
    pub const fn contains(self, square: Square) -> bool {
        self.meets(Self::of(square))
    }

    /// Returns whether the two sets share a square.
    #[must_use]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the first square in the order of names, if there is one.
    #[must_use]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square(self.0.trailing_zeros() as u8)) }
    }

    /// Removes the first square and returns it.
    pub const fn pop(&mut self) -> Option<Square> {
        let first = self.first();
        self.0 &= self.0.wrapping_sub(1);
        first
    }
}

impl BitAnd for SquareSet {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for SquareSet {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Sub for SquareSet {
    type Output = Self;
    /// Returns the squares of the first set that are not in the second.
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl Not for SquareSet {
    type Output = Self;
    /// Returns every other square of the largest board, and the bits beyond it.
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl BitAndAssign for SquareSet {
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for SquareSet {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

const fn singles() -> [SquareSet; Square::COUNT] {
    let mut table = [SquareSet::EMPTY; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        table[index] = SquareSet(1 << index);
        index += 1;
    }
    table
}

impl IntoIterator for SquareSet {
    type Item = Square;
    type IntoIter = Squares;

    fn into_iter(self) -> Squares {
        Squares(self)
    }
}

/// The squares of a set, in the order of their names.
#[derive(Clone, Debug)]
pub struct Squares(SquareSet);

impl Iterator for Squares {
    type Item = Square;

    fn next(&mut self) -> Option<Square> {
        self.0.pop()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len() as usize, Some(self.0.len() as usize))
    }
}

impl ExactSizeIterator for Squares {}

impl FromIterator<Square> for SquareSet {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, square| set | Self::of(square))
    }
}

impl fmt::Debug for SquareSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}
