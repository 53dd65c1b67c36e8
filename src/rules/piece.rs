//! The two sides and the three kinds of pieces.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::BitOr;

/// One of the two sides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The side without the king, which begins around the edge.
    Attackers,
    /// The king and the defenders.
    Defenders,
}

impl Side {
    /// Both sides.
    pub const BOTH: [Self; 2] = [Self::Attackers, Self::Defenders];

    /// Returns the other side.
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::Attackers => Self::Defenders,
            Self::Defenders => Self::Attackers,
        }
    }

    /// Returns the side's ordinary kind of piece: not the king.
    #[must_use]
    #[inline]
    pub const fn common_piece(self) -> Piece {
        match self {
            Self::Attackers => Piece::Attacker,
            Self::Defenders => Piece::Defender,
        }
    }

    /// Returns the name of the side in JSON and on the command line.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Attackers => "attackers",
            Self::Defenders => "defenders",
        }
    }
}

/// A kind of piece.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Piece {
    Attacker,
    /// A piece of the defenders other than the king.
    Defender,
    King,
}

impl Piece {
    pub const ALL: [Self; 3] = [Self::Attacker, Self::Defender, Self::King];

    /// Returns the side that the piece belongs to.
    #[must_use]
    pub const fn side(self) -> Side {
        match self {
            Self::Attacker => Side::Attackers,
            Self::Defender | Self::King => Side::Defenders,
        }
    }

    /// Returns the letter of the piece in a position record.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Attacker => 't',
            Self::Defender => 'T',
            Self::King => 'K',
        }
    }

    /// Returns the technical name of the piece; what a variant calls it is in its words.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Attacker => "attacker",
            Self::Defender => "defender",
            Self::King => "king",
        }
    }

    /// Returns the technical name of the piece with its article, for error messages.
    pub(super) const fn id_with_article(self) -> &'static str {
        match self {
            Self::Attacker => "an attacker",
            Self::Defender => "a defender",
            Self::King => "the king",
        }
    }
}

/// A set of kinds of pieces.
///
/// ```
/// use ratatosk::rules::{Piece, PieceSet};
///
/// assert!(PieceSet::COMMON.contains(Piece::Defender) && !PieceSet::COMMON.contains(Piece::King));
/// assert_eq!(PieceSet::COMMON.to_string(), "tT");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PieceSet(u8);

impl PieceSet {
    /// No piece.
    pub const NONE: Self = Self(0);
    /// The attackers.
    pub const ATTACKERS: Self = Self::of(Piece::Attacker);
    /// The king alone.
    pub const KING: Self = Self::of(Piece::King);
    /// All pieces but the king.
    pub const COMMON: Self = Self(Self::of(Piece::Attacker).0 | Self::of(Piece::Defender).0);
    /// All pieces.
    pub const ALL: Self = Self(Self::COMMON.0 | Self::KING.0);

    /// Returns the set of one kind.
    #[must_use]
    pub const fn of(piece: Piece) -> Self {
        Self(1 << piece as u8)
    }

    /// Returns whether this kind is in the set.
    #[must_use]
    pub const fn contains(self, piece: Piece) -> bool {
        self.0 & Self::of(piece).0 != 0
    }

    /// Returns whether all kinds of the other set are in this one, too.
    #[must_use]
    pub const fn includes(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for PieceSet {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl FromIterator<Piece> for PieceSet {
    fn from_iter<I: IntoIterator<Item = Piece>>(pieces: I) -> Self {
        pieces.into_iter().fold(Self::NONE, |set, piece| set | Self::of(piece))
    }
}

/// Writes the letters of the kinds, such as `tT`.
impl fmt::Display for PieceSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Piece::ALL
            .into_iter()
            .filter(|piece| self.contains(*piece))
            .try_for_each(|piece| write!(f, "{}", piece.letter()))
    }
}

impl fmt::Debug for PieceSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PieceSet({self})")
    }
}

impl From<PieceSet> for String {
    fn from(pieces: PieceSet) -> Self {
        pieces.to_string()
    }
}

impl TryFrom<String> for PieceSet {
    type Error = UnknownPiece;

    fn try_from(letters: String) -> Result<Self, UnknownPiece> {
        letters
            .chars()
            .map(|letter| {
                let known = Piece::ALL.into_iter().find(|piece| piece.letter() == letter);
                known.ok_or(UnknownPiece(letter))
            })
            .collect()
    }
}

/// A letter that stands for no kind of piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownPiece(pub char);

impl std::error::Error for UnknownPiece {}

impl fmt::Display for UnknownPiece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a kind of piece: they are t, T and K", self.0)
    }
}
