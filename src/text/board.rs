//! Draws a board with characters, for terminals and for players who prefer text.
//!
//! ```text
//!     a  b  c  d  e  f  g
//!  7  +  .  .  x  .  .  +  7
//!  6  .  .  . (.) .  .  .  6
//!  5  .  .  .  ~  . [x] .  5
//!  4  .  .  o <K+>~  .  .  4
//! ```
//!
//! Each piece or free square is one character, with its marks around it. A square that only the king may enter has its
//! `+` after the character if it is not simply empty, so that nothing hides it.

use crate::board_view::{BoardView, Orientation};
use crate::rules::{Piece, Square, SquareSet};

/// Whether a text board uses colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colouring {
    Plain,
    /// ANSI colours, which terminals understand, and Discord in a code block of type `ansi`.
    Ansi,
}

/// A colour or weight of text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextStyle {
    Plain,
    Attacker,
    Defender,
    King,
    Special,
    Marked,
}

impl TextStyle {
    /// Returns the escape code of this style. Each begins with a reset, so that styles do not add up.
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "\x1b[0m",
            Self::Attacker => "\x1b[0;31m",
            Self::Defender => "\x1b[0;36m",
            Self::King => "\x1b[1;33m",
            Self::Special => "\x1b[0;34m",
            Self::Marked => "\x1b[1;35m",
        }
    }
}

/// Draws the board with coordinates, special squares, the last move and a legend.
#[must_use]
pub fn board(view: &BoardView, colouring: Colouring) -> String {
    let mut page = Page { text: String::new(), style: TextStyle::Plain, colouring };
    let last = view.size - 1;
    let (files, ranks): (Vec<u8>, Vec<u8>) = match view.orientation {
        Orientation::Upright => ((0..=last).collect(), (0..=last).rev().collect()),
        Orientation::Flipped => ((0..=last).rev().collect(), (0..=last).collect()),
    };
    let letters: String = files.iter().map(|file| format!(" {} ", char::from(b'a' + file))).collect();
    let names = format!("   {}", letters.trim_end());
    page.line(&names);
    for rank in ranks {
        page.add(TextStyle::Plain, &format!("{:>2} ", rank + 1));
        // The closing bracket of the previous square, which replaces the space between the two.
        let mut before = None;
        for square in files.iter().filter_map(|file| Square::new(*file, rank)) {
            before = draw(&mut page, view, square, before);
        }
        page.add_mark(before);
        page.add(TextStyle::Plain, &format!("{}\n", rank + 1));
    }
    page.line(&names);
    page.line(&legend(view));
    page.text
}

/// Draws a square in three characters: a space or bracket, the piece, and a space or bracket. Returns a bracket that is
/// still to be written after these.
fn draw(page: &mut Page, view: &BoardView, square: Square, before: Option<char>) -> Option<char> {
    let (sign, style) = match view.position.at(square) {
        Some(Piece::Attacker) => ('x', TextStyle::Attacker),
        Some(Piece::Defender) => ('o', TextStyle::Defender),
        Some(Piece::King) => ('K', TextStyle::King),
        None if view.captured_squares().contains(square) => ('*', TextStyle::Marked),
        None if view.highlights.contains(square) => ('~', TextStyle::Marked),
        None if view.king_only.contains(square) => ('+', TextStyle::Special),
        None => ('.', TextStyle::Plain),
    };
    let (open, close) = brackets(view, square).map_or((None, None), |(open, close)| (Some(open), Some(close)));
    page.add_mark(open.or(before));
    page.add(style, sign.encode_utf8(&mut [0; 4]));
    if view.king_only.contains(square) && sign != '+' {
        page.add(TextStyle::Special, "+");
        return close;
    }
    page.add_mark(close);
    None
}

/// Returns the brackets around a square.
fn brackets(view: &BoardView, square: Square) -> Option<(char, char)> {
    let marked = held(view).contains(square);
    match view.last_move {
        Some(mv) if mv.from == square => Some(('(', ')')),
        Some(mv) if mv.to == square && marked => Some(('{', '}')),
        Some(mv) if mv.to == square => Some(('[', ']')),
        _ => marked.then_some(('<', '>')),
    }
}

/// Returns the highlighted squares with a piece.
fn held(view: &BoardView) -> SquareSet {
    view.highlights & view.position.occupied()
}

/// Explains the characters that are on this board.
fn legend(view: &BoardView) -> String {
    let words = &view.variant.words;
    let occupied = view.position.occupied();
    let (held, free) = (held(view), view.highlights - occupied - view.captured_squares());
    let target = view.last_move.map_or(SquareSet::EMPTY, |mv| SquareSet::of(mv.to));
    let has = |piece: Piece| !view.position.pieces(piece).is_empty();
    let only = format!("+ only for the {}", words.king);
    let signs = [
        (has(Piece::Attacker), format!("x {}", words.attackers)),
        (has(Piece::Defender), format!("o {}", words.defenders)),
        (has(Piece::King), format!("K {}", words.king)),
        (!view.king_only.is_empty(), only),
        (view.last_move.is_some(), String::from("( ) from")),
        (!(target - held).is_empty(), String::from("[ ] to")),
        (target.meets(held), String::from("{ } to and marked")),
        (!(view.captured_squares() - occupied).is_empty(), String::from("* taken")),
        (!free.is_empty(), String::from("~ marked")),
        (!(held - target).is_empty(), String::from("< > marked")),
    ];
    signs.into_iter().filter(|(shown, _)| *shown).map(|(_, sign)| sign).collect::<Vec<_>>().join(", ")
}

/// The text so far, and its current style.
struct Page {
    text: String,
    style: TextStyle,
    colouring: Colouring,
}

impl Page {
    /// Adds text in a style. Escape codes are written only where the style changes, which keeps the board short.
    fn add(&mut self, style: TextStyle, text: &str) {
        if self.colouring == Colouring::Ansi && style != self.style {
            self.text.push_str(style.code());
        }
        self.style = style;
        self.text.push_str(text);
    }

    /// Adds a mark, or a space in the current style.
    fn add_mark(&mut self, mark: Option<char>) {
        match mark {
            Some(mark) => self.add(TextStyle::Marked, mark.encode_utf8(&mut [0; 4])),
            None => self.add(self.style, " "),
        }
    }

    fn line(&mut self, text: &str) {
        self.add(TextStyle::Plain, text);
        self.text.push('\n');
    }
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;
    use crate::rules::notation::{read_move, read_square};
    use crate::rules::{Side, VARIANTS, Variant};

    #[test]
    fn a_board_shows_pieces_special_squares_and_the_last_move() {
        let variant = Variant::find("brandubh").expect("there is such a game");
        let rulebook = variant.rulebook();
        let before = rulebook.read_position("/7/3t3/3T3/7/2K4/3t3/7/", Side::Defenders).expect("sound");
        let mv = read_move(&rulebook, &before, "c3-d3").expect("legal");
        let played = rulebook.apply(&before, mv);
        let picture = board(&BoardView::after(variant, &rulebook, &played), Colouring::Plain);
        let expected = "    a  b  c  d  e  f  g
 7  +  .  .  .  .  .  +  7
 6  .  .  .  x  .  .  .  6
 5  .  .  .  o  .  .  .  5
 4  .  .  .  +  .  .  .  4
 3  .  . (.)[K] .  .  .  3
 2  .  .  .  x  .  .  .  2
 1  +  .  .  .  .  .  +  1
    a  b  c  d  e  f  g
x attackers, o defenders, K king, + only for the king, ( ) from, [ ] to
";
        assert_eq!(picture, expected);
    }

    #[test]
    fn marks_beside_each_other_can_be_told_apart_and_hide_no_special_square() {
        let variant = Variant::find("brandubh").expect("there is such a game");
        let rulebook = variant.rulebook();
        let before = rulebook.read_position("/7/3t3/3T3/2TK3/7/3t3/2t4/", Side::Defenders).expect("sound");
        let mv = read_move(&rulebook, &before, "d5-g5").expect("legal");
        let mut view = BoardView::after(variant, &rulebook, &rulebook.apply(&before, mv));
        let king = view.position.king().expect("he is there");
        view.highlights = rulebook.targets(&view.position, king)
            | view.position.side(Side::Defenders)
            | read_square(&rulebook, "a1").into_iter().collect();
        let expected = "    a  b  c  d  e  f  g
 7  +  .  .  .  .  .  +  7
 6  .  .  .  x  .  .  .  6
 5  .  .  . (~) .  . {o} 5
 4  .  . <o><K+>~  ~  ~  4
 3  .  .  .  ~  .  .  .  3
 2  .  .  .  x  .  .  .  2
 1  ~+ .  x  .  .  .  +  1
    a  b  c  d  e  f  g
x attackers, o defenders, K king, + only for the king, ( ) from, { } to and marked, ~ marked, < > marked
";
        assert_eq!(board(&view, Colouring::Plain), expected);
    }

    #[test]
    fn a_king_in_a_corner_closes_his_bracket_at_the_edge() {
        let variant = Variant::find("brandubh").expect("there is such a game");
        let rulebook = variant.rulebook();
        let before = rulebook.read_position("/3t1K1/7/7/7/7/7/3t3/", Side::Defenders).expect("sound");
        let mv = read_move(&rulebook, &before, "f7-g7").expect("legal");
        let picture = board(&BoardView::after(variant, &rulebook, &rulebook.apply(&before, mv)), Colouring::Plain);
        assert!(picture.contains("\n 7  +  .  .  x  . (.)[K+]7\n"), "{picture}");
    }

    #[test]
    fn a_legend_explains_what_is_there() {
        let variant = Variant::find("magpie").expect("there is such a game");
        let rulebook = variant.rulebook();
        let before = rulebook.read_position("/3t3/7/1t5/1Kt4/1t5/t6/5t1/", Side::Attackers).expect("sound");
        let mv = read_move(&rulebook, &before, "a2-a4++").expect("it takes him");
        let picture = board(&BoardView::after(variant, &rulebook, &rulebook.apply(&before, mv)), Colouring::Plain);
        assert!(picture.ends_with("\nx thieves, + only for the leprechaun, ( ) from, [ ] to, * taken\n"), "{picture}");
    }

    #[test]
    fn a_flipped_board_has_the_first_rank_on_top() {
        let variant = Variant::find("brandubh").expect("there is such a game");
        let mut view = BoardView::of(variant, &variant.rulebook(), &variant.start_position(variant.default_layout()));
        view.orientation = Orientation::Flipped;
        assert!(board(&view, Colouring::Plain).starts_with("    g  f  e  d  c  b  a\n 1  + "));
    }

    #[test]
    fn every_board_fits_into_a_message() {
        for variant in VARIANTS {
            let rulebook = variant.rulebook();
            let mut view = BoardView::of(variant, &rulebook, &variant.start_position(variant.default_layout()));
            // More marks than any game shows at once.
            view.highlights = rulebook.board();
            view.captured = vec![(Piece::Attacker, rulebook.board() - view.position.occupied())];
            view.last_move = rulebook.legal_moves(&view.position).next();
            let block = format!("```ansi\n{}```", board(&view, Colouring::Ansi));
            assert!(block.chars().count() <= 2000, "{}: {}", variant.id, block.chars().count());
        }
    }
}
