//! Decides which sprites show a view, and where.

use super::board::KingSquare;
use super::dimensions::{Dimensions, FRAME, MARGIN, PICTURE_SIZE};
use super::font::{BoardFont, TextSize};
use super::marks::{Direction, Mark};
use super::pieces::PieceStyle;
use super::sprites::{Placed, Sprite, TOKEN};
use crate::board_view::{BoardStatus, BoardView, Orientation};
use crate::rules::{Piece, Side, Square, SquareSet};

/// Returns the sprites that show a view, from the lowest to the topmost.
pub(super) fn draw_list(view: &BoardView, font: &BoardFont) -> Vec<Placed> {
    let dimensions = Dimensions::of(view.size);
    let mut list = DrawList { view, font, dimensions, placed: Vec::with_capacity(192) };
    list.king_squares();
    list.last_move();
    list.escape_squares();
    list.captured();
    list.pieces();
    list.highlights();
    list.placed.extend(coordinates(view.size, view.orientation, font));
    list.status();
    list.placed
}

struct DrawList<'s> {
    view: &'s BoardView,
    font: &'s BoardFont,
    dimensions: Dimensions,
    placed: Vec<Placed>,
}

impl DrawList<'_> {
    fn place(&mut self, sprite: Sprite, square: Square) {
        let (x, y) = self.dimensions.middle(square, self.view.orientation);
        self.placed.push((sprite, x, y));
    }

    /// Returns the squares of a set that are on the board.
    fn on_board(&self, squares: SquareSet) -> SquareSet {
        squares & SquareSet::board(self.view.size)
    }

    fn style(&self, piece: Piece) -> PieceStyle {
        PieceStyle::of(piece, self.view.variant)
    }

    fn king_squares(&mut self) {
        let middle = self.view.size / 2;
        for square in self.on_board(self.view.king_only) {
            let centre = square.file() == middle && square.rank() == middle;
            self.place(Sprite::KingSquare(if centre { KingSquare::Centre } else { KingSquare::Corner }), square);
        }
    }

    fn last_move(&mut self) {
        let Some(mv) = self.view.last_move else { return };
        if self.on_board(SquareSet::of(mv.from) | SquareSet::of(mv.to)).len() != 2 {
            return;
        }
        self.place(Sprite::Mark(Mark::Origin), mv.from);
        self.place(Sprite::Mark(Mark::Target), mv.to);
        let Some((direction, between)) = self.line(mv.from, mv.to) else { return };
        self.place(Sprite::Mark(Mark::Tail(direction)), mv.from);
        for square in between {
            self.place(Sprite::Mark(Mark::Trail(direction)), square);
        }
        let (x, y) = self.dimensions.middle(mv.to, self.view.orientation);
        let (right, down) = direction.step();
        let half = self.dimensions.cell as i32 / 2;
        self.placed.push((Sprite::Mark(Mark::Head(direction)), x - right * half, y - down * half));
    }

    /// Returns the direction in the picture from one square to another in line with it, and the squares between.
    fn line(&self, from: Square, to: Square) -> Option<(Direction, SquareSet)> {
        let cell = |square| self.dimensions.column_and_row(square, self.view.orientation);
        let direction = Direction::between(cell(from), cell(to))?;
        let within = |low: u8, high: u8, value: u8| low.min(high) <= value && value <= low.max(high);
        let between = SquareSet::board(self.view.size).into_iter().filter(|square| {
            within(from.file(), to.file(), square.file()) && within(from.rank(), to.rank(), square.rank())
        });
        Some((direction, between.collect::<SquareSet>() - SquareSet::of(from) - SquareSet::of(to)))
    }

    fn escape_squares(&mut self) {
        let Some(king) = self.view.position.king() else { return };
        for goal in self.on_board(self.view.escape_squares) {
            self.place(Sprite::Mark(Mark::EscapeSquare), goal);
            let Some((direction, between)) = self.line(king, goal) else { continue };
            for square in between | SquareSet::of(goal) {
                self.place(Sprite::Mark(Mark::EscapePath(direction)), square);
            }
        }
    }

    fn captured(&mut self) {
        // A piece may stand where another was captured; then only the piece is shown.
        let free = SquareSet::board(self.view.size) - self.view.position.occupied();
        for &(piece, squares) in &self.view.captured {
            for square in squares & free {
                self.place(Sprite::Ghost(self.style(piece)), square);
            }
        }
    }

    fn pieces(&mut self) {
        let king = self.view.position.king();
        if let Some(king) = king.filter(|_| self.view.king_in_danger) {
            self.place(Sprite::Mark(Mark::Danger), king);
        }
        for piece in Piece::ALL {
            for square in self.on_board(self.view.position.pieces(piece)) {
                self.place(Sprite::Piece(self.style(piece)), square);
            }
        }
    }

    fn highlights(&mut self) {
        for square in self.on_board(self.view.highlights) {
            let held = self.view.position.occupied().contains(square);
            self.place(Sprite::Mark(if held { Mark::Circle } else { Mark::Dot }), square);
        }
    }

    /// Shows whose turn it is, or who won, at the top of the frame.
    fn status(&mut self) {
        const GAP: i32 = 10;
        let side = |side: Side| match side {
            Side::Attackers => Piece::Attacker,
            Side::Defenders => Piece::King,
        };
        let (tokens, won) = match self.view.status {
            BoardStatus::ToMove(who) => (vec![side(who)], false),
            BoardStatus::Won(who) => (vec![side(who)], true),
            BoardStatus::Drawn | BoardStatus::NoResult => (vec![Piece::Attacker, Piece::King], false),
        };
        let caption = self.view.caption.clone();
        let text = width(self.font, &caption, TextSize::Caption) as i32;
        let signs = tokens.len() as i32 * (TOKEN as i32 + GAP);
        let y = (MARGIN + FRAME / 2) as i32;
        let mut x = (PICTURE_SIZE as i32 - signs - text) / 2;
        for piece in tokens {
            let middle = x + TOKEN as i32 / 2;
            if won {
                self.placed.push((Sprite::Wreath, middle, y));
            }
            self.placed.push((Sprite::Token(self.style(piece)), middle, y));
            x += TOKEN as i32 + GAP;
        }
        write(&mut self.placed, self.font, (&caption, TextSize::Caption), x + text / 2, y);
    }
}

/// Returns the names of files and ranks on the frame.
pub(super) fn coordinates(size: u8, orientation: Orientation, font: &BoardFont) -> Vec<Placed> {
    let dimensions = Dimensions::of(size);
    let near = (MARGIN + FRAME / 2) as i32;
    let far = PICTURE_SIZE as i32 - near;
    let mut placed = Vec::new();
    for index in 0..size {
        let at = dimensions.middle_of(u32::from(index));
        let other = size - 1 - index;
        let (file, rank) = match orientation {
            Orientation::Upright => (index, other),
            Orientation::Flipped => (other, index),
        };
        let file = char::from(b'A' + file).to_string();
        write(&mut placed, font, (&file, TextSize::Coordinate), at, far);
        let rank = (rank + 1).to_string();
        let text_size = if rank.len() > 1 { TextSize::Narrow } else { TextSize::Coordinate };
        write(&mut placed, font, (&rank, text_size), near, at);
        write(&mut placed, font, (&rank, text_size), far, at);
    }
    placed
}

/// Writes a line of text centred at `x`. Characters that the font does not have leave a gap.
fn write(placed: &mut Vec<Placed>, font: &BoardFont, (text, size): (&str, TextSize), x: i32, y: i32) {
    let mut right = x as f32 - width(font, text, size) / 2.0;
    for letter in text.chars() {
        let advance = font.advance(letter, size);
        placed.push((Sprite::Letter(letter, size), (right + advance / 2.0 + 0.5) as i32, y));
        right += advance;
    }
}

fn width(font: &BoardFont, text: &str, size: TextSize) -> f32 {
    text.chars().map(|letter| font.advance(letter, size)).sum()
}
