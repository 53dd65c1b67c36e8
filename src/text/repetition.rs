//! What a repeated position leads to, and why: the same sentences before the move and after it.

use super::labels::{capitalized, side};
use crate::rules::repetition::Freedom;
use crate::rules::variants::Words;
use crate::rules::{Basis, Consequence, Repetition, Side, Verdict};

/// Says that a position is repeated, what follows and why.
#[must_use]
pub fn explain(repetition: &Repetition, words: &Words) -> String {
    let times = ordinal(repetition.occurrences.len());
    let earlier = &repetition.occurrences[..repetition.occurrences.len().saturating_sub(1)];
    let earlier: Vec<String> = earlier.iter().map(|plies| after(*plies)).collect();
    let follows = match repetition.consequence {
        Consequence::Draw => String::from("The game is drawn by it."),
        Consequence::Loss(loser) => format!("{} lose by it.", capitalized(&side_plural(loser, words))),
        Consequence::Refused => String::from("You are the one who has to do something else."),
        Consequence::GoesOn => String::from("The game goes on: it is your opponent who has to do something else."),
    };
    let why = repetition.verdict.as_ref().map_or_else(String::new, |verdict| format!(" {}", reasons(verdict, words)));
    format!("This position comes about for the {times} time; it stood {}. {follows}{why}", earlier.join(" and "))
}

/// Says how the aggressor was determined.
fn reasons(verdict: &Verdict, words: &Words) -> String {
    let freedoms = freedoms(verdict, words);
    let rule = match (verdict.basis, verdict.aggressor) {
        (Basis::NobodyFree, _) | (_, None) => String::from("So nobody could have ended it."),
        (Basis::OneMuchFreer, Some(aggressor)) => {
            format!("So it was {} who could have ended it more easily.", side_plural(aggressor, words))
        }
        (Basis::CompletedIt, Some(aggressor)) => {
            format!("So both could have ended it, and {} completed it.", side_plural(aggressor, words))
        }
    };
    format!("{freedoms} {rule}")
}

/// Says what each side could have done instead.
pub(super) fn freedoms(verdict: &Verdict, words: &Words) -> String {
    Side::BOTH.map(|of| freedom(of, verdict.freedom(of), words)).join(" ")
}

fn freedom(of: Side, freedom: &Freedom, words: &Words) -> String {
    let who = capitalized(&side_plural(of, words));
    let turn = freedom.turn + 1;
    match (freedom.others, freedom.example) {
        (0, _) => format!("{who} had no other move at move {turn}."),
        (others, None) => format!("{who} could not have ended it with any of {others} other moves at move {turn}."),
        (others, Some(example)) => {
            let ways = freedom.ways_out;
            format!("{who} could have ended it with {ways} of {others} other moves at move {turn}, such as {example}.")
        }
    }
}

fn side_plural(of: Side, words: &Words) -> String {
    match of {
        Side::Attackers => side(of, words),
        Side::Defenders => format!("the {} and the {}", words.king, words.defenders),
    }
}

fn after(plies: usize) -> String {
    match plies {
        0 => String::from("at the start"),
        plies => format!("after move {plies}"),
    }
}

/// Returns an ordinal number: "3rd".
pub(super) fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (1, last) if last != 11 => "st",
        (2, last) if last != 12 => "nd",
        (3, last) if last != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}
