//! What a board shows. The picture, the text board and the description are all made from the same view.
//!
//! A view depends only on the rules. `render` paints it and `text` describes it, and neither needs the other.

use crate::rules::{Move, Piece, Played, Position, Rulebook, Side, SquareSet, Variant};

/// What to show: a position with everything that is marked on it.
#[derive(Clone, Debug)]
pub struct BoardView {
    /// The variant, for its name and its words.
    pub variant: &'static Variant,
    /// How many squares a side of the board has.
    pub size: u8,
    /// The squares on which only the king may rest: throne, castle, refuges, corners.
    pub king_only: SquareSet,
    pub position: Position,
    /// The move that led here.
    pub last_move: Option<Move>,
    /// The pieces that it captured, and their squares.
    pub captured: Vec<(Piece, SquareSet)>,
    /// Squares to point out, such as those to which the chosen piece can go.
    pub highlights: SquareSet,
    /// Whether the attackers could capture the king with one move.
    pub king_in_danger: bool,
    /// The winning squares that the king reaches with one move.
    pub escape_squares: SquareSet,
    /// The side to move, or how the game ended.
    pub status: BoardStatus,
    /// The text on the frame; may be empty.
    pub caption: String,
    /// Which way up the board is.
    pub orientation: Orientation,
    /// The style of the picture.
    pub theme: Theme,
}

/// The side to move, or how the game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BoardStatus {
    ToMove(Side),
    Won(Side),
    /// The game is drawn.
    Drawn,
    /// The game was not played to its end.
    NoResult,
}

impl BoardStatus {
    /// Returns the status of a game that was played to its end.
    #[must_use]
    pub fn decided(winner: Option<Side>) -> Self {
        winner.map_or(Self::Drawn, Self::Won)
    }
}

/// Which way up the board is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Orientation {
    /// The first rank is at the bottom.
    #[default]
    Upright,
    /// The first rank is at the top and the first file at the right.
    Flipped,
}

impl Orientation {
    /// Returns the other way up.
    #[must_use]
    pub const fn flipped(self) -> Self {
        match self {
            Self::Upright => Self::Flipped,
            Self::Flipped => Self::Upright,
        }
    }
}

/// The style of a picture; the colours are in `render`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Theme {
    /// Oak and walnut, ebony and ivory.
    #[default]
    Oak,
    /// Dark stone.
    Slate,
    /// Plain shapes with strong contrast.
    Contrast,
}

impl Theme {
    /// All themes, the default first.
    pub const ALL: [Self; 3] = [Self::Oak, Self::Slate, Self::Contrast];

    /// Returns the name of the theme in commands.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Oak => "oak",
            Self::Slate => "slate",
            Self::Contrast => "contrast",
        }
    }

    /// Finds a theme by its name in commands.
    #[must_use]
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.id() == id)
    }
}

impl BoardView {
    /// Returns the view of a position, with its threats.
    #[must_use]
    pub fn of(variant: &'static Variant, rulebook: &Rulebook, position: &Position) -> Self {
        Self {
            variant,
            // From the rulebook and not from the variant: a game keeps the rules that it was started with.
            size: rulebook.rules().size,
            king_only: rulebook.king_only(),
            position: *position,
            last_move: None,
            captured: Vec::new(),
            highlights: SquareSet::EMPTY,
            king_in_danger: rulebook.king_in_danger(position),
            escape_squares: rulebook.escape_squares(position),
            status: BoardStatus::ToMove(position.to_move()),
            caption: String::new(),
            orientation: Orientation::default(),
            theme: Theme::default(),
        }
    }

    /// Returns the view of the position after a move, with what it captured.
    #[must_use]
    pub fn after(variant: &'static Variant, rulebook: &Rulebook, played: &Played) -> Self {
        let victim = played.piece.side().opponent().common_piece();
        let taken = [(victim, played.captures), (Piece::King, played.captured_king.into_iter().collect())];
        let mut view = Self::of(variant, rulebook, &played.position);
        view.last_move = Some(played.mv);
        view.captured = taken.into_iter().filter(|(_, squares)| *squares != SquareSet::EMPTY).collect();
        if let Some(outcome) = played.outcome {
            view.end(BoardStatus::decided(outcome.winner()));
        }
        view
    }

    /// Marks the game as ended and removes the threats.
    pub fn end(&mut self, status: BoardStatus) {
        self.status = status;
        self.king_in_danger = false;
        self.escape_squares = SquareSet::EMPTY;
    }

    /// Returns all squares on which the last move captured a piece.
    #[must_use]
    pub fn captured_squares(&self) -> SquareSet {
        self.captured.iter().fold(SquareSet::EMPTY, |all, (_, squares)| all | *squares)
    }
}
