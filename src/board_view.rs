//! What there is to see of a game: the picture, the text board and the description all show the same scene.
//!
//! A scene knows only the rules. `render` paints it and `text` puts it into words, and neither needs the other.

use crate::rules::{Move, Piece, Played, Position, Rulebook, Side, SquareSet, Variant};

/// What to show: a position with everything that is marked on it.
#[derive(Clone, Debug)]
pub struct BoardView {
    /// The game, for its name and its words.
    pub variant: &'static Variant,
    /// How many squares a side of the board has.
    pub size: u8,
    /// The squares on which only the king may rest: throne, castle, refuges, corners.
    pub king_only: SquareSet,
    /// Where the men stand.
    pub position: Position,
    /// The move that led here.
    pub last_move: Option<Move>,
    /// The men that it took, and where they stood.
    pub taken: Vec<(Piece, SquareSet)>,
    /// Squares to point out, such as those to which the chosen man can go.
    pub highlights: SquareSet,
    /// Whether the attackers could take the king with one move.
    pub king_in_danger: bool,
    /// The squares of his goal that the king reaches with one move.
    pub open_roads: SquareSet,
    /// Whose turn it is, or how it ended.
    pub status: BoardStatus,
    /// What is written on the frame; nothing if it is empty.
    pub caption: String,
    /// From which side the board is seen.
    pub orientation: Orientation,
    /// How it is painted.
    pub theme: Theme,
}

/// Whose turn it is, or how the game ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BoardStatus {
    /// This side is to move.
    ToMove(Side),
    /// This side has won.
    Won(Side),
    /// Nobody has won.
    Drawn,
    /// The game was not played to its end.
    NoResult,
}

impl BoardStatus {
    /// Tells how a game stands that was played to its end.
    #[must_use]
    pub fn decided(winner: Option<Side>) -> Self {
        winner.map_or(Self::Drawn, Self::Won)
    }
}

/// From which side the board is seen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Orientation {
    /// The first rank is at the bottom.
    #[default]
    Upright,
    /// The first rank is at the top and the first file at the right.
    Flipped,
}

impl Orientation {
    /// Gives the view from the other side of the table.
    #[must_use]
    pub const fn flipped(self) -> Self {
        match self {
            Self::Upright => Self::Flipped,
            Self::Flipped => Self::Upright,
        }
    }
}

/// How a picture is painted; the colours are in `render`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Theme {
    /// Oak and walnut, ebony and ivory.
    #[default]
    Oak,
    /// Dark stone.
    Slate,
    /// Plain shapes for weak eyes.
    Contrast,
}

impl Theme {
    /// All themes, the usual one first.
    pub const ALL: [Self; 3] = [Self::Oak, Self::Slate, Self::Contrast];

    /// Names the theme as commands do.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Oak => "oak",
            Self::Slate => "slate",
            Self::Contrast => "contrast",
        }
    }

    /// Finds a theme by what commands call it.
    #[must_use]
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.id() == id)
    }
}

impl BoardView {
    /// Shows a position by itself, with what it threatens.
    #[must_use]
    pub fn of(variant: &'static Variant, book: &Rulebook, position: &Position) -> Self {
        Self {
            variant,
            // From the book and not from the variant: a game keeps the rules with which it was begun.
            size: book.rules().size,
            king_only: book.only_for_king(),
            position: *position,
            last_move: None,
            taken: Vec::new(),
            highlights: SquareSet::EMPTY,
            king_in_danger: king_in_danger(book, position),
            open_roads: book.open_roads(position),
            status: BoardStatus::ToMove(position.to_move()),
            caption: String::new(),
            orientation: Orientation::default(),
            theme: Theme::default(),
        }
    }

    /// Shows what a move led to.
    #[must_use]
    pub fn after(variant: &'static Variant, book: &Rulebook, played: &Played) -> Self {
        let victim = match played.piece.side() {
            Side::Attackers => Piece::Defender,
            Side::Defenders => Piece::Attacker,
        };
        let taken = [(victim, played.captures), (Piece::King, played.king_taken.into_iter().collect())];
        let mut view = Self::of(variant, book, &played.position);
        view.last_move = Some(played.mv);
        view.taken = taken.into_iter().filter(|(_, squares)| *squares != SquareSet::EMPTY).collect();
        if let Some(outcome) = played.outcome {
            view.end(BoardStatus::decided(outcome.winner));
        }
        view
    }

    /// Shows the game as ended: nothing threatens any more.
    pub fn end(&mut self, status: BoardStatus) {
        self.status = status;
        self.king_in_danger = false;
        self.open_roads = SquareSet::EMPTY;
    }

    /// Gives all squares on which a man was just taken.
    #[must_use]
    pub fn taken_squares(&self) -> SquareSet {
        self.taken.iter().fold(SquareSet::EMPTY, |all, (_, squares)| all | *squares)
    }
}

/// Tells whether the attackers could take the king if it were their turn.
fn king_in_danger(book: &Rulebook, position: &Position) -> bool {
    // A position whose king has arrived cannot be read back, and he is safe there.
    let record = book.write_position(position);
    book.read_position(&record, Side::Attackers)
        .is_ok_and(|theirs| book.legal_moves(&theirs).any(|mv| book.apply(&theirs, mv).king_taken.is_some()))
}
