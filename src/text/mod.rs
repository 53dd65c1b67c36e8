//! Every sentence that a player reads, in the words of the game.
//!
//! The other rooms give typed reasons; here they become English. A further language is a second set of these functions.

mod alt_text;
pub mod answers;
mod board;
mod endings;
pub mod events;
mod markup;
mod refusals;
mod repetition;
mod rules_page;
pub mod sanitize;
pub mod settings;

pub use alt_text::{DESCRIPTION_LIMIT, caption, description};
pub use answers::offer_name;
pub use board::{Colouring, board};
pub use markup::Markup;
pub use refusals::refusal;
pub use repetition::recurrence;
pub use rules_page::{Clause, rules_in_words, rules_page};

use crate::game::Timestamp;
use crate::rules::variants::Words;
use crate::rules::{Outcome, Played, Reason, Side, Square, SquareSet};

/// Names squares for reading: `d5`, `d5 and e4`, `d5, e4 and f5`.
#[must_use]
pub fn squares(set: SquareSet) -> String {
    let names: Vec<String> = set.into_iter().map(|square: Square| square.to_string()).collect();
    list(&names, "and")
}

/// Puts things in a row: `a`, `a and b`, `a, b and c`.
fn list(things: &[String], joint: &str) -> String {
    match things {
        [] => String::from("nothing"),
        [one] => one.clone(),
        [most @ .., last] => format!("{} {joint} {last}", most.join(", ")),
    }
}

/// Names a side: "the thieves", "the leprechaun's side".
#[must_use]
pub fn side(side: Side, words: &Words) -> String {
    match side {
        Side::Attackers => format!("the {}", words.attackers),
        Side::Defenders => format!("the {}'s side", words.king),
    }
}

/// Tells how a game ended on the board, as half a sentence: "the thieves won by taking the leprechaun".
#[must_use]
pub fn outcome(outcome: Outcome, words: &Words) -> String {
    let king = words.king;
    let how = match outcome.reason {
        Reason::KingCaptured => format!("by taking the {king}"),
        Reason::KingEscaped => format!("because the {king} has escaped"),
        Reason::Encirclement => format!("by encircling the {king} and all {}", words.defenders),
        Reason::NoMoves => String::from("because a player could not move"),
        Reason::Repetition { aggressor: None } => String::from("because a position came about for the third time"),
        Reason::Repetition { aggressor: Some(aggressor) } => {
            format!("because {} kept a repetition going that they could have ended", side(aggressor, words))
        }
    };
    match outcome.winner {
        Some(winner) => format!("{} won {how}", side(winner, words)),
        None => format!("it was drawn {how}"),
    }
}

/// Tells whom a move takes: "takes the thief on d5"; nothing if nobody.
#[must_use]
pub fn takes(played: &Played, words: &Words) -> String {
    let victims = match (played.piece.side(), played.captures.len()) {
        (_, 0) => None,
        (Side::Attackers, 1) => Some(words.defender),
        (Side::Attackers, _) => Some(words.defenders),
        (Side::Defenders, 1) => Some(words.attacker),
        (Side::Defenders, _) => Some(words.attackers),
    };
    let mut taken = Vec::new();
    taken.extend(victims.map(|victims| format!("the {victims} on {}", squares(played.captures))));
    taken.extend(played.king_taken.map(|square| format!("the {} on {square}", words.king)));
    if taken.is_empty() { String::new() } else { format!("takes {}", taken.join(" and ")) }
}

/// Writes a day as records do: `2026.11.16`, in UTC.
#[must_use]
pub fn date(moment: Timestamp) -> String {
    let (year, month, day) = civil(moment.0.div_euclid(24 * 60 * 60));
    format!("{year:04}.{month:02}.{day:02}")
}

/// Writes a moment in full: `2026.11.16 08:53:20 UTC`.
#[must_use]
pub fn date_and_time(moment: Timestamp) -> String {
    let second = moment.0.rem_euclid(24 * 60 * 60);
    format!("{} {:02}:{:02}:{:02} UTC", date(moment), second / 3600, second / 60 % 60, second % 60)
}

/// Tells a time seen from now: "in 3 days", "2 hours ago".
#[must_use]
pub fn relative(now: Timestamp, then: Timestamp) -> String {
    let seconds = then.0.saturating_sub(now.0);
    // Rounded to the nearest: three days less a second are three days.
    let (count, unit) = match seconds.unsigned_abs() {
        0..30 => return String::from("now"),
        s @ 30..3_570 => ((s + 30) / 60, "minute"),
        s @ 3_570..127_800 => ((s + 1_800) / 3_600, "hour"),
        s => ((s + 43_200) / 86_400, "day"),
    };
    let plural = if count == 1 { "" } else { "s" };
    if seconds > 0 { format!("in {count} {unit}{plural}") } else { format!("{count} {unit}{plural} ago") }
}

/// Gives the year, month and day of a number of days since the beginning of 1970, in the Gregorian calendar.
fn civil(days: i64) -> (i64, i64, i64) {
    // Counted in eras of 400 years from the first of March of year 0, so that leap days come last.
    let days = days.saturating_add(719_468);
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// Names a player who was never seen.
#[must_use]
pub const fn somebody() -> &'static str {
    "somebody"
}

/// Gives a sentence its capital letter.
#[must_use]
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Puts "a" or "an" before a word.
fn a(word: &str) -> String {
    let article = if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {word}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_dates() {
        for (seconds, written) in [
            (0, "1970.01.01"),
            (951_782_400, "2000.02.29"),
            (951_868_800, "2000.03.01"),
            (1_794_787_200, "2026.11.16"),
            (1_798_761_599, "2026.12.31"),
            (-1, "1969.12.31"),
        ] {
            assert_eq!(date(Timestamp(seconds)), written);
        }
    }
}
