//! Why a move cannot be made, as data; the sentences are in `text`.

use super::apply::Outcome;
use super::moves::Move;
use super::piece::Piece;
use super::repetition::Recurrence;
use super::square::{Square, SquareSet};

/// Why a move cannot be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IllegalMove {
    /// The words are not a move; here is one that is.
    NotUnderstood {
        /// A move that could be made now.
        example: Option<Move>,
    },
    /// The square is not on this board.
    OffTheBoard {
        /// The letter of its file.
        file: char,
        /// The number of its rank.
        rank: u32,
        /// How many squares a side of this board has.
        size: u8,
    },
    /// Nobody stands there.
    NoPiece(Square),
    /// A man of the other side stands there.
    OpponentsPiece {
        /// Where.
        square: Square,
        /// Who.
        piece: Piece,
    },
    /// The move was written as the king's, and somebody else stands there.
    NotTheKing {
        /// Where.
        square: Square,
        /// Who.
        piece: Piece,
    },
    /// The man would stay where he is.
    StandsStill(Square),
    /// The squares are not on one row or column.
    NotInLine {
        /// Where the man stands.
        from: Square,
        /// Where he should go.
        to: Square,
    },
    /// Somebody stands in the way.
    InTheWay {
        /// Where.
        square: Square,
        /// Who.
        piece: Piece,
    },
    /// This kind of man may not end a move there.
    NoRest {
        /// The square.
        square: Square,
        /// The man who would go there.
        piece: Piece,
    },
    /// This kind of man may not pass there.
    NoCrossing {
        /// The square.
        square: Square,
        /// The man who would pass.
        piece: Piece,
    },
    /// The king goes only one square at a time.
    SingleStep {
        /// Where he stands.
        from: Square,
        /// Where he should go.
        to: Square,
    },
    /// The move takes others than were written.
    WrongCaptures {
        /// What was written.
        written: SquareSet,
        /// Whom the move takes.
        taken: SquareSet,
    },
    /// The move was written as taking the king (`++`) and does not.
    KingNotTaken,
    /// The move was written as the king's escape (`--`) and is not.
    KingNotEscaped,
    /// The game is over.
    GameOver(Outcome),
    /// The move would bring a position about for the third time or more, and this player is the one who can do
    /// something else.
    MustVary(Box<Recurrence>),
}

impl IllegalMove {
    pub(super) fn off_the_board(square: Square, size: u8) -> Self {
        Self::OffTheBoard { file: char::from(b'a' + square.file()), rank: u32::from(square.rank()) + 1, size }
    }
}
