//! Why a move cannot be made, as data. Players read the sentences of `text`; `Display` is for logs and the command line.

use super::apply::Outcome;
use super::moves::Move;
use super::piece::Piece;
use super::repetition::Repetition;
use super::square::{Square, SquareSet};
use std::fmt;

/// Why a move cannot be made.
///
/// ```
/// use ratatosk::rules::Variant;
///
/// let variant = Variant::find("brandubh").unwrap();
/// let game = variant.new_record(variant.default_layout());
/// assert_eq!(game.try_typed("d1-d4").unwrap_err().to_string(), "the way is blocked by the attacker on d2");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IllegalMove {
    NotUnderstood {
        /// A move that could be made now, if one is known.
        example: Option<Move>,
    },
    /// The square is not on this board.
    OffTheBoard {
        /// The letter of its file.
        file: char,
        rank: u32,
        /// How many squares a side of this board has.
        size: u8,
    },
    NoPiece(Square),
    /// The piece belongs to the other side.
    OpponentsPiece {
        square: Square,
        piece: Piece,
    },
    /// The move is written as the king's (`K`), but another piece is on the square.
    NotTheKing {
        square: Square,
        piece: Piece,
    },
    /// The move ends where it begins.
    StandsStill(Square),
    /// The squares are not on one row or column.
    NotInLine {
        from: Square,
        to: Square,
    },
    /// A piece is in the way.
    InTheWay {
        square: Square,
        piece: Piece,
    },
    /// This kind of piece may not end a move on the square.
    NoRest {
        square: Square,
        /// The piece that would go there.
        piece: Piece,
    },
    /// This kind of piece may not pass over the square.
    NoCrossing {
        square: Square,
        /// The piece that would pass.
        piece: Piece,
    },
    /// The king moves only one square at a time.
    SingleStep {
        from: Square,
        to: Square,
    },
    /// The move does not capture the pieces that are written.
    WrongCaptures {
        /// The captures that are written.
        written: SquareSet,
        /// The captures of the move.
        captured: SquareSet,
    },
    /// The move is written as capturing the king (`++`), but does not capture him.
    KingNotCaptured,
    /// The move is written as the king's escape (`--`), but he does not escape.
    KingNotEscaped,
    GameOver(Outcome),
    /// The move would repeat a position for the third time or more, and this side is the one that can avoid it.
    MustVary(Box<Repetition>),
}

impl IllegalMove {
    pub(super) fn off_the_board(square: Square, size: u8) -> Self {
        Self::OffTheBoard { file: char::from(b'a' + square.file()), rank: u32::from(square.rank()) + 1, size }
    }

    /// Adds an example to a text that is not a move.
    pub(super) fn with_example(self, example: impl FnOnce() -> Option<Move>) -> Self {
        match self {
            Self::NotUnderstood { .. } => Self::NotUnderstood { example: example() },
            other => other,
        }
    }
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUnderstood { example: Some(example) } => write!(f, "not a move; a move is written like {example}"),
            Self::NotUnderstood { example: None } => f.write_str("not a move"),
            Self::OffTheBoard { file, rank, size } => {
                write!(f, "{file}{rank} is not on the board of {size}x{size} squares")
            }
            Self::NoPiece(square) => write!(f, "there is no piece on {square}"),
            Self::OpponentsPiece { square, piece } => write!(f, "the {} on {square} is not to move", piece.id()),
            Self::NotTheKing { square, piece } => {
                write!(f, "the piece on {square} is not the king but {}", piece.id_with_article())
            }
            Self::StandsStill(square) => write!(f, "the move ends on {square}, where it begins"),
            Self::NotInLine { from, to } => write!(f, "{from} and {to} are not on one row or column"),
            Self::InTheWay { square, piece } => write!(f, "the way is blocked by the {} on {square}", piece.id()),
            Self::NoRest { square, piece } => write!(f, "{} may not end a move on {square}", piece.id_with_article()),
            Self::NoCrossing { square, piece } => write!(f, "{} may not pass over {square}", piece.id_with_article()),
            Self::SingleStep { from, to } => write!(f, "the king moves one square at a time, not from {from} to {to}"),
            Self::WrongCaptures { written, captured } => {
                write!(f, "captures are written as {}, but the move captures {}", list(*written), list(*captured))
            }
            Self::KingNotCaptured => f.write_str("written with ++, but the move does not capture the king"),
            Self::KingNotEscaped => f.write_str("written with --, but the king does not escape"),
            Self::GameOver(outcome) => write!(f, "the game is over: {}", outcome.id()),
            Self::MustVary(repetition) => {
                write!(f, "the move would repeat the position for occurrence {}", repetition.occurrences.len())?;
                f.write_str(", and the side to move has to vary")
            }
        }
    }
}

impl std::error::Error for IllegalMove {}

fn list(squares: SquareSet) -> String {
    if squares.is_empty() {
        return String::from("none");
    }
    squares.into_iter().map(|square| square.to_string()).collect::<Vec<_>>().join(", ")
}
