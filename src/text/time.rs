//! Dates and durations.

use crate::game::Timestamp;

/// Formats a date as in game records: `2026.11.16`, in UTC.
#[must_use]
pub fn date(time: Timestamp) -> String {
    let (year, month, day) = civil(time.0.div_euclid(24 * 60 * 60));
    format!("{year:04}.{month:02}.{day:02}")
}

/// Formats a date as in ISO 8601: `2026-11-16`, in UTC.
#[must_use]
pub fn iso_date(time: Timestamp) -> String {
    date(time).replace('.', "-")
}

/// Formats a date and time: `2026.11.16 08:53:20 UTC`.
pub(super) fn date_and_time(time: Timestamp) -> String {
    let second = time.0.rem_euclid(24 * 60 * 60);
    format!("{} {:02}:{:02}:{:02} UTC", date(time), second / 3600, second / 60 % 60, second % 60)
}

/// Formats a time relative to now: "in 3 days", "2 hours ago".
#[must_use]
pub fn relative(now: Timestamp, then: Timestamp) -> String {
    let seconds = then.0.saturating_sub(now.0);
    // Rounded to the nearest unit: three days minus a second are three days.
    let (count, unit) = match seconds.unsigned_abs() {
        0..30 => return String::from("now"),
        s @ 30..3_570 => ((s + 30) / 60, "minute"),
        s @ 3_570..127_800 => ((s + 1_800) / 3_600, "hour"),
        s => ((s + 43_200) / 86_400, "day"),
    };
    let plural = if count == 1 { "" } else { "s" };
    if seconds > 0 { format!("in {count} {unit}{plural}") } else { format!("{count} {unit}{plural} ago") }
}

/// Returns the year, month and day of a number of days since 1970-01-01.
fn civil(days: i64) -> (i64, i64, i64) {
    // Counted from 1 March of year 0 in eras of 400 years, so that a leap day is the last day of its year.
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
