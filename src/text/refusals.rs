//! Why a move cannot be made, and what to do instead.

use super::{a, outcome, recurrence, sentence, squares};
use crate::rules::variants::Words;
use crate::rules::{IllegalMove, SquareSet};

/// Says why a move cannot be made.
#[must_use]
pub fn refusal(refusal: &IllegalMove, words: &Words) -> String {
    let king = words.king;
    match refusal {
        IllegalMove::NotUnderstood { example } => {
            let example = example.map_or_else(String::new, |mv| format!(", for example {mv}"));
            format!("I do not understand this as a move. Write from where to where{example}.")
        }
        IllegalMove::OffTheBoard { file, rank, size } => {
            let last = char::from(b'a' + size.saturating_sub(1));
            // A rank of that many digits is not worth repeating.
            let square = if *rank < 1_000 { format!("{file}{rank}") } else { String::from("such square") };
            format!("There is no {square} on this board: it goes from a1 to {last}{size}.")
        }
        IllegalMove::NoPiece(square) => format!("Nobody stands on {square}."),
        IllegalMove::OpponentsPiece { square, piece } => {
            format!("The {} on {square} belongs to your opponent.", words.piece(*piece))
        }
        IllegalMove::NotTheKing { square, piece } => {
            format!("{} stands on {square}, not the {king}.", sentence(&a(words.piece(*piece))))
        }
        IllegalMove::StandsStill(square) => format!("A move has to end on another square than {square}."),
        IllegalMove::NotInLine { from, to } => {
            format!("{from} and {to} are not in line: moves go straight along a row or a column.")
        }
        IllegalMove::InTheWay { square, piece } => format!("The {} on {square} is in the way.", words.piece(*piece)),
        IllegalMove::NoRest { square, piece: _ } => format!("Only the {king} may end a move on {square}."),
        IllegalMove::NoCrossing { square, piece } => {
            format!("{} may not pass over {square}.", sentence(&a(words.piece(*piece))))
        }
        IllegalMove::SingleStep { from, to } => {
            format!("The {king} moves only one square at a time, which is not enough from {from} to {to}.")
        }
        IllegalMove::WrongCaptures { written, taken } => {
            let truth = if taken.is_empty() { String::from("nobody") } else { at(*taken) };
            format!(
                "This move takes {truth}; written was {}. Leave the captures out or write them as they are.",
                at(*written)
            )
        }
        IllegalMove::KingNotTaken => format!("This move does not take the {king}: write it without ++."),
        IllegalMove::KingNotEscaped => format!("This move is not the {king}'s escape: write it without --."),
        IllegalMove::GameOver(ended) => format!("The game is over: {}.", outcome(*ended, words)),
        IllegalMove::MustVary(why) => recurrence(why, words),
    }
}

fn at(set: SquareSet) -> String {
    format!("{} {}", if set.len() == 1 { "the man on" } else { "the men on" }, squares(set))
}
