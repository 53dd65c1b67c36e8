//! Describes a board in words: the alternative text of its picture, and the caption on its frame.

use super::labels::{capitalized, side, squares};
use crate::board_view::{BoardStatus, BoardView};
use crate::rules::{Move, Piece, Side, SquareSet};

/// The length that Discord allows the description of a picture, in characters.
pub const DESCRIPTION_LIMIT: usize = 1024;

/// The end of a description that was shortened.
const CUT: &str = " …";

/// Returns the caption on the frame: whose turn it is, or who won.
#[must_use]
pub fn caption(view: &BoardView) -> String {
    let words = &view.variant.words;
    let who = |of: Side| match of {
        Side::Attackers => String::from(words.attackers),
        Side::Defenders => format!("{}'s side", words.king),
    };
    capitalized(&match view.status {
        BoardStatus::ToMove(of) => format!("{} to move", who(of)),
        BoardStatus::Won(of) => format!("{} won", who(of)),
        BoardStatus::Drawn => String::from("drawn"),
        BoardStatus::NoResult => String::from("no result"),
    })
}

/// Describes a board: the last move, whose turn it is, the king and his open roads, then the number of pieces and their
/// squares by rank.
///
/// The result has at most [`DESCRIPTION_LIMIT`] characters; a longer text is cut at the end, which is rare. A rank of
/// the largest board takes at most 62 characters with the following space ("Rank 11: ", two words of ten with their
/// spaces, eleven letters with two characters after each), or 67 with the king, so all ranks take less than
/// 690. Before them come at most the name (12), the last move ("attacker k10 to k11, taking defenders", three squares,
/// "and king", his square: 70), the turn (31), the king with his danger and four roads (62) and the number of pieces
/// (30): less than 210. Highlighted squares come last, where shortening does the least harm.
#[must_use]
pub fn description(view: &BoardView) -> String {
    let mut sentences = vec![format!("{}.", view.variant.name)];
    sentences.extend(view.last_move.map(|mv| last_move(view, mv)));
    sentences.push(format!("{}.", status(view)));
    sentences.push(king(view));
    sentences.push(totals(view));
    sentences.extend((0..view.size).rev().filter_map(|rank| pieces_of_rank(view, rank)));
    if !view.highlights.is_empty() {
        sentences.push(format!("Marked: {}.", squares(view.highlights)));
    }
    cut(&sentences.join(" "), DESCRIPTION_LIMIT)
}

fn last_move(view: &BoardView, mv: Move) -> String {
    let words = &view.variant.words;
    let who = view.position.at(mv.to).map_or("man", |piece| words.piece(piece));
    let mut text = format!("{} {} to {}", capitalized(who), mv.from, mv.to);
    for (n, (piece, taken)) in view.captured.iter().enumerate() {
        let name = if taken.has_two() { plural(*piece, view) } else { words.piece(*piece) };
        text += &format!("{} {name} {}", if n == 0 { ", taking" } else { " and" }, squares(*taken));
    }
    text + "."
}

fn plural(piece: Piece, view: &BoardView) -> &'static str {
    let words = &view.variant.words;
    match piece {
        Piece::Attacker => words.attackers,
        Piece::Defender => words.defenders,
        Piece::King => words.king,
    }
}

fn status(view: &BoardView) -> String {
    let words = &view.variant.words;
    capitalized(&match view.status {
        BoardStatus::ToMove(of) => format!("{} to move", side(of, words)),
        BoardStatus::Won(of) => format!("{} won", side(of, words)),
        BoardStatus::Drawn => String::from("the game was drawn"),
        BoardStatus::NoResult => String::from("the game ended without a result"),
    })
}

fn king(view: &BoardView) -> String {
    let name = capitalized(view.variant.words.king);
    let Some(square) = view.position.king() else { return format!("{name} taken.") };
    let mut text = format!("{name} on {square}");
    if view.king_in_danger {
        text += ", in danger";
    }
    if !view.escape_squares.is_empty() {
        let roads = if view.escape_squares.has_two() { "roads" } else { "road" };
        text += &format!(", open {roads} to {}", squares(view.escape_squares));
    }
    text + "."
}

/// Counts the pieces except the king: "24 attackers, 12 defenders."
fn totals(view: &BoardView) -> String {
    let count = |piece: Piece| match view.position.pieces(piece).len() {
        0 => format!("no {}", plural(piece, view)),
        1 => format!("1 {}", view.variant.words.piece(piece)),
        many => format!("{many} {}", plural(piece, view)),
    };
    capitalized(&format!("{}, {}.", count(Piece::Attacker), count(Piece::Defender)))
}

/// Lists the pieces of a rank by their files: "Rank 4: attackers a, b; defender c; king d."
fn pieces_of_rank(view: &BoardView, rank: u8) -> Option<String> {
    let groups: Vec<String> = Piece::ALL.into_iter().filter_map(|piece| group(view, piece, rank)).collect();
    (!groups.is_empty()).then(|| format!("Rank {}: {}.", rank + 1, groups.join("; ")))
}

fn group(view: &BoardView, piece: Piece, rank: u8) -> Option<String> {
    let here: SquareSet = view.position.pieces(piece).into_iter().filter(|square| square.rank() == rank).collect();
    let name = match here.len() {
        0 => return None,
        1 => view.variant.words.piece(piece),
        _ => plural(piece, view),
    };
    let files: Vec<String> = here.into_iter().map(|square| char::from(b'a' + square.file()).to_string()).collect();
    Some(format!("{name} {}", files.join(", ")))
}

/// Shortens a text to at most `limit` characters, between two words.
fn cut(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return String::from(text);
    }
    let room = limit.saturating_sub(CUT.chars().count());
    // The text is cut at the last space that fits.
    let mut end = 0;
    for (count, (at, letter)) in text.char_indices().enumerate() {
        if count > room {
            break;
        }
        if letter == ' ' {
            end = at;
        }
    }
    format!("{}{CUT}", &text[..end])
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;
    use crate::rules::{Rulebook, Square, VARIANTS, Variant};

    fn brandubh() -> (&'static Variant, Rulebook) {
        let variant = Variant::find("brandubh").expect("there is such a game");
        (variant, variant.rulebook())
    }

    #[test]
    fn a_move_with_a_capture_reads_as_a_sentence() {
        let (variant, rulebook) = brandubh();
        let before = rulebook.read_position("/7/2t4/2T4/t5K/7/7/7/", Side::Attackers).expect("sound");
        let mv = crate::rules::notation::read_move(&rulebook, &before, "a4-c4").expect("legal");
        let view = BoardView::after(variant, &rulebook, &rulebook.apply(&before, mv));
        assert_eq!(
            description(&view),
            "Brandubh. Attacker a4 to c4, taking defender c5. The king's side to move. King on g4, open roads to g1 and g7. \
             2 attackers, no defenders. Rank 6: attacker c. Rank 4: attacker c; king g."
        );
        assert_eq!(caption(&view), "King's side to move");
    }

    #[test]
    fn one_open_road_is_singular() {
        let (variant, rulebook) = brandubh();
        let position = rulebook.read_position("/7/2t4/6t/6K/7/7/3T3/", Side::Attackers).expect("sound");
        let text = description(&BoardView::of(variant, &rulebook, &position));
        assert!(text.contains("King on g4, open road to g1. 2 attackers, 1 defender. Rank 6"), "{text}");
    }

    #[test]
    fn every_variant_uses_its_own_words() {
        let spoken = |id: &str| {
            let variant = Variant::find(id).expect("there is such a game");
            description(&BoardView::of(variant, &variant.rulebook(), &variant.start_position(variant.default_layout())))
        };
        assert!(
            spoken("magpie")
                .starts_with("Magpie. The thieves to move. Leprechaun on d4. 8 thieves, 4 friends. Rank 7: thief d.")
        );
        assert!(spoken("sea-battle").starts_with("Sea Battle. The cargo ship's side to move. Cargo ship on e5."));
        assert!(spoken("sea-battle").contains("Rank 5: pirates a, b, h, i; convoy ships c, d, f, g; cargo ship e."));
    }

    /// Fills every square on which an ordinary piece may stand, with both sides in turn.
    fn crowded(variant: &'static Variant) -> BoardView {
        let rulebook = variant.rulebook();
        let size = variant.rules.size;
        let sign = |file: u8, rank: u8| {
            let square = Square::new(file, rank).expect("on the board");
            let common = rulebook.rest(Piece::Attacker).contains(square);
            match (file == size / 2 && rank == size / 2, common, file % 2) {
                (true, ..) => 'K',
                (_, false, _) => '1',
                (.., 0) => 't',
                _ => 'T',
            }
        };
        let ranks = (0..size).rev().map(|rank| (0..size).map(|file| sign(file, rank)).collect::<String>());
        let record = ranks.fold(String::from("/"), |record, rank| record + &rank + "/");
        let position = rulebook.read_position(&record, Side::Attackers).expect("a crowded board");
        BoardView::of(variant, &rulebook, &position)
    }

    #[test]
    fn full_boards_fit_without_shortening() {
        for variant in VARIANTS {
            let text = description(&crowded(variant));
            // The rest is enough for a last move with captures, danger and open roads.
            assert!(text.chars().count() <= DESCRIPTION_LIMIT - 200 && !text.ends_with(CUT), "{text}");
        }
    }

    #[test]
    fn a_description_that_is_too_long_is_shortened_to_the_limit() {
        for variant in VARIANTS.iter().filter(|variant| variant.rules.size == 11) {
            let mut view = crowded(variant);
            view.highlights = variant.rulebook().board();
            let text = description(&view);
            assert!(text.chars().count() <= DESCRIPTION_LIMIT && text.ends_with(CUT), "{text}");
        }
    }

    #[test]
    fn texts_are_shortened_between_words() {
        assert_eq!(cut("one two three", 13), "one two three");
        assert_eq!(cut("one two three", 12), "one two …");
        assert_eq!(cut("one two three", 9), "one two …");
        assert_eq!(cut("one two three", 8), "one …");
        assert_eq!(cut("word", 3), " …");
    }
}
