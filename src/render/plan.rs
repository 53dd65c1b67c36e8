//! What is laid where, from the lowest to the topmost: the one place that knows how a scene is shown.

use super::art::{Sprite, TOKEN};
use super::board::Marked;
use super::letters::{Letters, Size};
use super::marks::{Mark, Way};
use super::measures::{FRAME, MARGIN, Measures, SIDE};
use super::pieces::Figure;
use crate::board_view::{BoardStatus, BoardView, Orientation};
use crate::rules::{Piece, Side, Square, SquareSet};

/// Something, and where its middle goes.
pub(super) type Laid = (Sprite, i32, i32);

/// Tells what a scene shows, the lowest first.
pub(super) fn plan(view: &BoardView, letters: &Letters) -> Vec<Laid> {
    let measures = Measures::of(view.size);
    let mut plan = Plan { view, letters, measures, laid: Vec::with_capacity(192) };
    plan.marked_squares();
    plan.last_move();
    plan.roads();
    plan.ghosts();
    plan.pieces();
    plan.highlights();
    plan.coordinates();
    plan.status();
    plan.laid
}

struct Plan<'s> {
    view: &'s BoardView,
    letters: &'s Letters,
    measures: Measures,
    laid: Vec<Laid>,
}

impl Plan<'_> {
    fn lay(&mut self, sprite: Sprite, square: Square) {
        let (x, y) = self.measures.middle(square, self.view.orientation);
        self.laid.push((sprite, x, y));
    }

    /// Gives the squares of the board out of a set that came from elsewhere.
    fn on_board(&self, squares: SquareSet) -> SquareSet {
        squares & SquareSet::board(self.view.size)
    }

    fn figure(&self, piece: Piece) -> Figure {
        Figure::of(piece, &self.view.variant.words)
    }

    fn marked_squares(&mut self) {
        let middle = self.view.size / 2;
        for square in self.on_board(self.view.king_only) {
            let centre = square.file() == middle && square.rank() == middle;
            self.lay(Sprite::Marked(if centre { Marked::Centre } else { Marked::Corner }), square);
        }
    }

    fn last_move(&mut self) {
        let Some(mv) = self.view.last_move else { return };
        if self.on_board(SquareSet::of(mv.from) | SquareSet::of(mv.to)).len() != 2 {
            return;
        }
        self.lay(Sprite::Mark(Mark::Origin), mv.from);
        self.lay(Sprite::Mark(Mark::Target), mv.to);
        let Some((way, between)) = self.line(mv.from, mv.to) else { return };
        self.lay(Sprite::Mark(Mark::Tail(way)), mv.from);
        for square in between {
            self.lay(Sprite::Mark(Mark::Trail(way)), square);
        }
        let (x, y) = self.measures.middle(mv.to, self.view.orientation);
        let (right, down) = way.step();
        let half = self.measures.cell as i32 / 2;
        self.laid.push((Sprite::Mark(Mark::Head(way)), x - right * half, y - down * half));
    }

    /// Gives the way from one square to another in line with it, as it is seen, and the squares between.
    fn line(&self, from: Square, to: Square) -> Option<(Way, SquareSet)> {
        let place = |square| self.measures.place(square, self.view.orientation);
        let way = Way::between(place(from), place(to))?;
        let within = |low: u8, high: u8, value: u8| low.min(high) <= value && value <= low.max(high);
        let between = SquareSet::board(self.view.size).into_iter().filter(|square| {
            within(from.file(), to.file(), square.file()) && within(from.rank(), to.rank(), square.rank())
        });
        Some((way, between.collect::<SquareSet>() - SquareSet::of(from) - SquareSet::of(to)))
    }

    fn roads(&mut self) {
        let Some(king) = self.view.position.king() else { return };
        for goal in self.on_board(self.view.open_roads) {
            self.lay(Sprite::Mark(Mark::Goal), goal);
            let Some((way, between)) = self.line(king, goal) else { continue };
            for square in between | SquareSet::of(goal) {
                self.lay(Sprite::Mark(Mark::Endpoint(way)), square);
            }
        }
    }

    fn ghosts(&mut self) {
        // A man who stands where another was taken is the one to be seen.
        let free = SquareSet::board(self.view.size) - self.view.position.occupied();
        for &(piece, squares) in &self.view.taken {
            for square in squares & free {
                self.lay(Sprite::Ghost(self.figure(piece)), square);
            }
        }
    }

    fn pieces(&mut self) {
        let king = self.view.position.king();
        if let Some(king) = king.filter(|_| self.view.king_in_danger) {
            self.lay(Sprite::Mark(Mark::Danger), king);
        }
        for piece in Piece::ALL {
            for square in self.on_board(self.view.position.pieces(piece)) {
                self.lay(Sprite::Piece(self.figure(piece)), square);
            }
        }
    }

    fn highlights(&mut self) {
        for square in self.on_board(self.view.highlights) {
            let held = self.view.position.occupied().contains(square);
            self.lay(Sprite::Mark(if held { Mark::Circle } else { Mark::Dot }), square);
        }
    }

    fn coordinates(&mut self) {
        let last = self.view.size - 1;
        let near = (MARGIN + FRAME / 2) as i32;
        let far = SIDE as i32 - near;
        for place in 0..self.view.size {
            let at = self.measures.along(u32::from(place));
            let (file, rank) = match self.view.orientation {
                Orientation::Upright => (place, last - place),
                Orientation::Flipped => (last - place, place),
            };
            self.write(&char::from(b'A' + file).to_string(), Size::Coordinate, at, far);
            let rank = (rank + 1).to_string();
            let size = if rank.len() > 1 { Size::Narrow } else { Size::Coordinate };
            self.write(&rank, size, near, at);
            self.write(&rank, size, far, at);
        }
    }

    /// Writes a line around its middle; characters that we have no letter for leave a gap.
    fn write(&mut self, text: &str, size: Size, x: i32, y: i32) {
        let mut right = x as f32 - self.width(text, size) / 2.0;
        for letter in text.chars() {
            let advance = self.letters.advance(letter, size);
            self.laid.push((Sprite::Letter(letter, size), (right + advance / 2.0 + 0.5) as i32, y));
            right += advance;
        }
    }

    fn width(&self, text: &str, size: Size) -> f32 {
        text.chars().map(|letter| self.letters.advance(letter, size)).sum()
    }

    /// Shows at the top of the frame whose turn it is or who won.
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
        let text = self.width(&caption, Size::Caption) as i32;
        let signs = tokens.len() as i32 * (TOKEN as i32 + GAP);
        let y = (MARGIN + FRAME / 2) as i32;
        let mut x = (SIDE as i32 - signs - text) / 2;
        for piece in tokens {
            let middle = x + TOKEN as i32 / 2;
            if won {
                self.laid.push((Sprite::Wreath, middle, y));
            }
            self.laid.push((Sprite::Token(self.figure(piece)), middle, y));
            x += TOKEN as i32 + GAP;
        }
        self.write(&caption, Size::Caption, x + text / 2, y);
    }
}
