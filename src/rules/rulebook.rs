//! The rules of a game as sets of squares, which are computed once so that moves need not look at the options.

use super::geometry::{BESIDE, grow};
use super::piece::{Piece, PieceSet};
use super::rules::{Goal, Rules, UnplayableRules};
use super::square::{Square, SquareSet};

/// The rules of one game, ready to play by: which moves are legal, what they capture, how the game ends.
///
/// ```
/// use ratatosk::rules::{Rulebook, Rules, Variant, rules::KingMoves};
///
/// let brandubh = Variant::find("brandubh").unwrap();
/// let rulebook = Rulebook::new(Rules { king_moves: KingMoves::Step, ..brandubh.rules })?;
/// let start = brandubh.start_position(brandubh.default_layout());
/// assert_eq!(rulebook.legal_moves(&start).count(), 40);
/// let mv = rulebook.legal_moves(&start).next().unwrap();
/// let played = rulebook.play(&start, mv).unwrap();
/// assert!(played.outcome.is_none());
/// # Ok::<(), ratatosk::rules::rules::UnplayableRules>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rulebook {
    rules: Rules,
    pub(super) board: SquareSet,
    pub(super) edge: SquareSet,
    pub(super) centre: SquareSet,
    pub(super) beside_centre: SquareSet,
    pub(super) goal: SquareSet,
    /// The squares on which each kind of piece may end a move.
    rest: [SquareSet; Piece::ALL.len()],
    /// The squares that stop each kind of piece even when they are empty.
    walls: [SquareSet; Piece::ALL.len()],
    /// The squares against which each kind of piece can be captured at any time.
    hostile: [SquareSet; Piece::ALL.len()],
    /// The squares against which each kind of piece can be captured while they are empty.
    hostile_when_empty: [SquareSet; Piece::ALL.len()],
}

impl Rulebook {
    /// Makes a rulebook.
    ///
    /// # Errors
    /// Says which options do not fit together.
    pub fn new(rules: Rules) -> Result<Self, UnplayableRules> {
        rules.check().map(|()| Self::compile(rules))
    }

    /// Makes a rulebook of options that are known to fit together.
    pub(super) fn compile(rules: Rules) -> Self {
        let last = rules.size - 1;
        let set = |squares: &[(u8, u8)]| squares.iter().filter_map(|&(file, rank)| Square::new(file, rank)).collect();
        let board = SquareSet::board(rules.size);
        let corners: SquareSet = set(&[(0, 0), (0, last), (last, 0), (last, last)]);
        let centre: SquareSet = set(&[(last / 2, last / 2)]);
        let edge = board.into_iter().filter(|square| (BESIDE[square.index()] & board).len() < 4).collect();
        let if_in = |special: SquareSet, pieces: PieceSet, piece: Piece| {
            if pieces.contains(piece) { special } else { SquareSet::EMPTY }
        };
        let for_each_piece = |squares: &dyn Fn(Piece) -> SquareSet| Piece::ALL.map(squares);
        Self {
            board,
            edge,
            centre,
            beside_centre: grow(centre, board),
            goal: match rules.goal {
                Goal::Edge => edge,
                Goal::Corner => corners,
            },
            rest: for_each_piece(&|piece| {
                let barred = (centre - if_in(centre, rules.centre.rest, piece))
                    | (corners - if_in(corners, rules.corners.rest, piece));
                board - barred
            }),
            walls: for_each_piece(&|piece| !board | (centre - if_in(centre, rules.centre.cross, piece))),
            hostile: for_each_piece(&|piece| {
                if_in(centre, rules.centre.hostile, piece) | if_in(corners, rules.corners.hostile, piece)
            }),
            hostile_when_empty: for_each_piece(&|piece| if_in(centre, rules.centre.hostile_when_empty, piece)),
            rules,
        }
    }

    /// Returns the options that the rulebook was made from.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the squares of the board.
    #[must_use]
    pub const fn board(&self) -> SquareSet {
        self.board
    }

    /// Returns the squares on which the king wins.
    #[must_use]
    pub const fn goal(&self) -> SquareSet {
        self.goal
    }

    /// Returns the squares on which this kind of piece may end a move.
    #[must_use]
    pub const fn rest(&self, piece: Piece) -> SquareSet {
        self.rest[piece as usize]
    }

    /// Returns the squares on which only the king may end a move.
    #[must_use]
    pub fn king_only(&self) -> SquareSet {
        self.rest(Piece::King) - self.rest(Piece::Attacker) - self.rest(Piece::Defender)
    }

    /// Returns the squares that stop this kind of piece even when they are empty, with all beyond the board.
    pub(super) const fn walls(&self, piece: Piece) -> SquareSet {
        self.walls[piece as usize]
    }

    /// Returns the squares against which this kind of piece can be captured while these squares are occupied.
    pub(super) fn hostile(&self, piece: Piece, occupied: SquareSet) -> SquareSet {
        self.hostile[piece as usize] | (self.hostile_when_empty[piece as usize] - occupied)
    }
}
