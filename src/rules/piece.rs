//! The two sides and the three kinds of men.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::BitOr;

/// One of the two sides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The many who come from the edges.
    Attackers,
    /// The king and his men.
    Defenders,
}

impl Side {
    /// Both sides.
    pub const BOTH: [Self; 2] = [Self::Attackers, Self::Defenders];

    /// Gives the other side.
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::Attackers => Self::Defenders,
            Self::Defenders => Self::Attackers,
        }
    }

    /// Names the side as records and the command line do.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Attackers => "attackers",
            Self::Defenders => "defenders",
        }
    }
}

/// A kind of man.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Man {
    /// One of those who come from the edges.
    Attacker,
    /// One of the king's men.
    Defender,
    /// The king.
    King,
}

impl Man {
    /// All kinds of men.
    pub const ALL: [Self; 3] = [Self::Attacker, Self::Defender, Self::King];

    /// Tells whose man it is.
    #[must_use]
    pub const fn side(self) -> Side {
        match self {
            Self::Attacker => Side::Attackers,
            Self::Defender | Self::King => Side::Defenders,
        }
    }

    /// Gives the letter that stands for him in a record.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Attacker => 't',
            Self::Defender => 'T',
            Self::King => 'K',
        }
    }
}

/// A set of kinds of men.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Men(u8);

impl Men {
    /// No man.
    pub const NONE: Self = Self(0);
    /// The attackers.
    pub const ATTACKERS: Self = Self::of(Man::Attacker);
    /// The king alone.
    pub const KING: Self = Self::of(Man::King);
    /// Everybody but the king.
    pub const COMMON: Self = Self(Self::of(Man::Attacker).0 | Self::of(Man::Defender).0);
    /// Everybody.
    pub const ALL: Self = Self(Self::COMMON.0 | Self::KING.0);

    /// Makes the set of one kind.
    #[must_use]
    pub const fn of(man: Man) -> Self {
        Self(1 << man as u8)
    }

    /// Tells whether this kind is in the set.
    #[must_use]
    pub const fn contains(self, man: Man) -> bool {
        self.0 & Self::of(man).0 != 0
    }

    /// Tells whether all of the other set's kinds are in this one, too.
    #[must_use]
    pub const fn includes(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Men {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl FromIterator<Man> for Men {
    fn from_iter<I: IntoIterator<Item = Man>>(men: I) -> Self {
        men.into_iter().fold(Self::NONE, |set, man| set | Self::of(man))
    }
}

/// Writes the letters of the kinds, such as `tT`.
impl fmt::Display for Men {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Man::ALL.into_iter().filter(|man| self.contains(*man)).try_for_each(|man| write!(f, "{}", man.letter()))
    }
}

impl fmt::Debug for Men {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Men({self})")
    }
}

impl From<Men> for String {
    fn from(men: Men) -> Self {
        men.to_string()
    }
}

impl TryFrom<String> for Men {
    type Error = String;

    fn try_from(letters: String) -> Result<Self, String> {
        letters
            .chars()
            .map(|letter| {
                let known = Man::ALL.into_iter().find(|man| man.letter() == letter);
                known.ok_or_else(|| format!("`{letter}` is not a kind of man: they are t, T and K"))
            })
            .collect()
    }
}
