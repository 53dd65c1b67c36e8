//! Moves as text: how they are typed and how they are written.

use super::apply::{Outcome, Played};
use super::illegal_move::IllegalMove;
use super::moves::Move;
use super::piece::Piece;
use super::position::Position;
use super::rulebook::Rulebook;
use super::square::{Square, SquareSet};
use std::fmt;
use std::iter::Peekable;
use std::str::Chars;

/// Writes `d1-d4`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from, self.to)
    }
}

/// Writes `d1-d4xd5/e4`, with `K` before a move of the king, `++` after one that captures him (his square is not
/// listed) and `--` after his escape.
impl fmt::Display for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.piece == Piece::King {
            f.write_str("K")?;
        }
        write!(f, "{}", self.mv)?;
        for (n, square) in self.captures.into_iter().enumerate() {
            write!(f, "{}{square}", if n == 0 { 'x' } else { '/' })?;
        }
        f.write_str(match self.outcome {
            Some(Outcome::KingCaptured) => "++",
            Some(Outcome::KingEscaped) => "--",
            _ => "",
        })
    }
}

/// Reads a typed move that is legal in a position. Ignores repetition.
///
/// Generous in form: `d1-d4`, `d1d4`, `D1 D4`, `d1 to d4`, `Kd4-d7`, any dash or arrow. Strict in meaning: the captures
/// need not be written (`xd5/e4`, `xd5xe4`), but if they are, they must be right.
///
/// ```
/// use ratatosk::rules::{IllegalMove, Variant, notation};
///
/// let variant = Variant::find("brandubh").unwrap();
/// let (rulebook, start) = (variant.rulebook(), variant.start_position(variant.default_layout()));
/// for typed in ["d1-c1", "d1c1", "D1 → C1", " d1 to c1 "] {
///     assert_eq!(notation::read_move(&rulebook, &start, typed)?.to_string(), "d1-c1");
/// }
/// assert!(matches!(notation::read_move(&rulebook, &start, "d1-c1xc2"), Err(IllegalMove::WrongCaptures { .. })));
/// # Ok::<(), IllegalMove>(())
/// ```
///
/// # Errors
/// Says why the text is not a move, why the move is not legal, or how it differs from what its text says.
pub fn read_move(rulebook: &Rulebook, position: &Position, typed: &str) -> Result<Move, IllegalMove> {
    let written = read_written(rulebook, typed);
    let written = written.map_err(|error| error.with_example(|| rulebook.legal_moves(position).next()))?;
    apply_written(rulebook, position, written).map(|played| played.mv)
}

/// Applies a move to a position, after checking that it is legal there and does what its text says.
pub(super) fn apply_written(
    rulebook: &Rulebook,
    position: &Position,
    written: WrittenMove,
) -> Result<Played, IllegalMove> {
    let WrittenMove { king, mv, captures, mark } = written;
    if let (true, Some(piece)) = (king, position.at(mv.from).filter(|piece| *piece != Piece::King)) {
        return Err(IllegalMove::NotTheKing { square: mv.from, piece });
    }
    let played = rulebook.play(position, mv)?;
    if let Some(written) = captures
        && written != played.captures
        && written != played.all_captures()
    {
        return Err(IllegalMove::WrongCaptures { written, captured: played.all_captures() });
    }
    match (mark, played.outcome) {
        (Some(OutcomeMark::KingCaptured), outcome) if outcome != Some(Outcome::KingCaptured) => {
            Err(IllegalMove::KingNotCaptured)
        }
        (Some(OutcomeMark::KingEscaped), outcome) if outcome != Some(Outcome::KingEscaped) => {
            Err(IllegalMove::KingNotEscaped)
        }
        _ => Ok(played),
    }
}

/// What the text of a move says, not checked against a position.
///
/// If it was made from a [`Move`], it has only the two squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrittenMove {
    /// Whether it is written as the king's (`K`).
    pub king: bool,
    pub mv: Move,
    /// The captures, if they are written.
    pub captures: Option<SquareSet>,
    /// How the move ends the game, if that is written.
    pub mark: Option<OutcomeMark>,
}

impl From<Move> for WrittenMove {
    fn from(mv: Move) -> Self {
        Self { king: false, mv, captures: None, mark: None }
    }
}

/// Reads the text of a move without a position; its squares are on the board.
///
/// # Errors
/// Says that the text is not a move, or which square is not on the board.
pub fn read_written(rulebook: &Rulebook, typed: &str) -> Result<WrittenMove, IllegalMove> {
    let typed = Typed::read(typed).ok_or(IllegalMove::NotUnderstood { example: None })?;
    let mv = Move { from: typed.from.on_board(rulebook)?, to: typed.to.on_board(rulebook)? };
    let captures = typed.captures.map(|list| list.on_board(rulebook)).transpose()?;
    Ok(WrittenMove { king: typed.king, mv, captures, mark: typed.mark })
}

/// Reads a square, such as `d4`.
///
/// # Errors
/// Says that the text is not a square, or that the square is not on the board.
pub fn read_square(rulebook: &Rulebook, typed: &str) -> Result<Square, IllegalMove> {
    let mut cursor = Cursor::new(typed);
    let square = cursor.square();
    cursor.spaces();
    let square = square.filter(|_| cursor.next().is_none());
    square.ok_or(IllegalMove::NotUnderstood { example: None })?.on_board(rulebook)
}

/// A square as it was typed, on the board or not.
#[derive(Clone, Copy)]
struct SquareText {
    file: char,
    rank: u32,
}

impl SquareText {
    fn on_board(self, rulebook: &Rulebook) -> Result<Square, IllegalMove> {
        let Self { file, rank } = self;
        let number = u8::try_from(file).ok().and_then(|letter| letter.checked_sub(b'a'));
        let rank_number = rank.checked_sub(1).and_then(|rank| u8::try_from(rank).ok());
        let square = number.zip(rank_number).and_then(|(file, rank)| Square::new(file, rank));
        square.filter(|square| rulebook.board().contains(*square)).ok_or(IllegalMove::OffTheBoard {
            file,
            rank,
            size: rulebook.rules().size,
        })
    }
}

/// The parts of a typed move, not checked against a board.
struct Typed {
    king: bool,
    from: SquareText,
    to: SquareText,
    captures: Option<Captures>,
    mark: Option<OutcomeMark>,
}

/// The squares that are written as captured. A longer list is not a move: no move captures more than three pieces and the
/// king.
#[derive(Default)]
struct Captures {
    squares: [Option<SquareText>; Self::MAX],
}

/// How the text of a move says that it ends the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutcomeMark {
    /// `++`: the king is captured.
    KingCaptured,
    /// `--`: the king has escaped.
    KingEscaped,
}

impl Captures {
    const MAX: usize = 8;

    fn push(&mut self, square: SquareText) -> Option<()> {
        let free = self.squares.iter_mut().find(|square| square.is_none())?;
        *free = Some(square);
        Some(())
    }

    fn on_board(&self, rulebook: &Rulebook) -> Result<SquareSet, IllegalMove> {
        let mut set = SquareSet::EMPTY;
        for square in self.squares.iter().flatten() {
            let square = square.on_board(rulebook)?;
            if set.contains(square) {
                return Err(IllegalMove::NotUnderstood { example: None });
            }
            set |= SquareSet::of(square);
        }
        Ok(set)
    }
}

impl Typed {
    fn read(text: &str) -> Option<Self> {
        let mut cursor = Cursor::new(text);
        let king = cursor.king();
        let from = cursor.square()?;
        cursor.separator();
        let to = cursor.square()?;
        let captures = cursor.captures()?;
        let mark = cursor.outcome_mark();
        cursor.spaces();
        cursor.next().is_none().then_some(Self { king, from, to, captures, mark })
    }
}

/// What is left of a typed move: its characters in lower case and with every kind of dash as `-`.
struct Cursor<'t> {
    rest: Peekable<Chars<'t>>,
}

impl<'t> Cursor<'t> {
    fn new(text: &'t str) -> Self {
        Self { rest: text.chars().peekable() }
    }

    fn peek(&mut self) -> Option<char> {
        self.rest.peek().copied().map(plain)
    }

    fn next(&mut self) -> Option<char> {
        self.rest.next().map(plain)
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.next();
        }
        found
    }

    fn spaces(&mut self) {
        // Also invisible characters: byte order marks, direction marks and zero-width spaces.
        let invisible = |c: char| matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}');
        while self.peek().is_some_and(|c| c.is_whitespace() || invisible(c)) {
            self.next();
        }
    }

    /// Reads a `K` that means the king: one before another letter, because `k4` is a square.
    fn king(&mut self) -> bool {
        self.spaces();
        let mut ahead = self.rest.clone().map(plain);
        let found =
            ahead.next() == Some('k') && ahead.find(|c| !c.is_whitespace()).is_some_and(|c| c.is_ascii_lowercase());
        if found {
            self.next();
        }
        found
    }

    fn square(&mut self) -> Option<SquareText> {
        self.spaces();
        let file = self.next().filter(char::is_ascii_lowercase)?;
        let mut rank: Option<u32> = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            self.next();
            rank = Some(rank.unwrap_or(0).saturating_mul(10).saturating_add(digit));
        }
        rank.map(|rank| SquareText { file, rank })
    }

    /// Skips what is between the two squares: spaces, a dash, an arrow, the word "to", or nothing.
    fn separator(&mut self) {
        self.spaces();
        if self.rest.clone().map(plain).take(2).eq("to".chars()) {
            self.next();
            self.next();
        } else {
            while self.take('-') {}
            self.take('>');
        }
    }

    /// Reads a list such as `xd5/e4` or `xd5xe4`. Returns `None` for a broken list and `Some(None)` for no list.
    fn captures(&mut self) -> Option<Option<Captures>> {
        self.spaces();
        if !self.take('x') {
            return Some(None);
        }
        let mut captures = Captures::default();
        loop {
            self.king();
            captures.push(self.square()?)?;
            self.spaces();
            if !(self.take('/') || self.take(',') || self.take('x')) {
                return Some(Some(captures));
            }
            self.spaces();
            self.take('x');
        }
    }

    /// Reads `++` or `--`; a single `+` or `-` is a threat and says nothing about the outcome.
    fn outcome_mark(&mut self) -> Option<OutcomeMark> {
        self.spaces();
        if self.take('+') {
            return self.take('+').then_some(OutcomeMark::KingCaptured);
        }
        if self.take('-') {
            return self.take('-').then_some(OutcomeMark::KingEscaped);
        }
        None
    }
}

/// Returns a character in the form that the parser expects: lower case, ASCII, one kind of dash and arrow.
fn plain(c: char) -> char {
    match c {
        // Hyphens, dashes, minus signs, tildes, and those of East Asian keyboards.
        '\u{2010}'..='\u{2015}'
        | '\u{2043}'
        | '\u{2053}'
        | '\u{207B}'
        | '\u{208B}'
        | '\u{2212}'
        | '\u{2E3A}'
        | '\u{2E3B}'
        | '\u{2E40}'
        | '\u{301C}'
        | '\u{3030}'
        | '\u{30A0}'
        | '\u{30FC}'
        | '\u{FE31}'
        | '\u{FE32}'
        | '\u{FE58}'
        | '\u{FE63}'
        | '\u{FF0D}'
        | '\u{FF5E}'
        | '\u{AD}'
        | '\u{58A}'
        | '\u{5BE}'
        | '\u{2D7}'
        | '~' => '-',
        '→' | '⇒' | '➔' | '➝' => '>',
        '×' => 'x',
        // Full-width letters and digits have the order of the ASCII ones.
        '\u{FF01}'..='\u{FF5D}' => char::from_u32(c as u32 - 0xFEE0).map_or(c, plain),
        _ => c.to_ascii_lowercase(),
    }
}
