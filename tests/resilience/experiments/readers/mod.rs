//! What every reader promises, whatever it is given. Fuzzing asks the same, so that each of these files stands alone.

pub mod buttons;
pub mod commands;
pub mod configuration;
pub mod moves;
pub mod records;
pub mod rows;

/// Reads whatever it is given. What is no text it passes over, as fuzzing does.
type Reader = fn(&[u8]);

/// Every reader by the name of its folder with seeds, as fuzzing calls it.
pub const READERS: [(&str, Reader); 6] = [
    ("buttons", |bytes| of_text(bytes, |text| _ = buttons::read(text))),
    ("commands", |bytes| of_text(bytes, |text| _ = commands::read(text))),
    ("configuration", |bytes| of_text(bytes, |text| configuration::Settings::new().read(text))),
    ("moves", |bytes| of_text(bytes, moves::read)),
    ("records", |bytes| of_text(bytes, |text| _ = records::read(text))),
    ("rows", |bytes| rows::read(&mut crate::damage::Damaged::new(), bytes)),
];

fn of_text(bytes: &[u8], read: impl FnOnce(&str)) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        read(text);
    }
}
