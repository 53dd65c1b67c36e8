//! What every reader of input promises, whatever the input is. The fuzz targets use the same, so this module depends on
//! nothing but the library.

pub mod buttons;
pub mod commands;
pub mod configuration;
pub mod damaged_database;
pub mod moves;
#[path = "../../../plain_markup/mod.rs"]
pub mod plain_markup;
pub mod records;
pub mod rows;
#[path = "../../../store_fixture/mod.rs"]
pub mod store_fixture;
#[path = "../../../temp_folder/mod.rs"]
pub mod temp_folder;

/// Reads any bytes. A reader of text skips those that are not UTF-8.
type Reader = fn(&[u8]);

/// Every reader by the name of its fuzz target and of its folder with seeds.
pub const READERS: [(&str, Reader); 6] = [
    ("buttons", |bytes| of_text(bytes, |text| _ = buttons::read(text))),
    ("commands", |bytes| of_text(bytes, |text| _ = commands::read(text))),
    ("configuration", |bytes| of_text(bytes, |text| configuration::Settings::new().read(text))),
    ("moves", |bytes| of_text(bytes, moves::read)),
    ("records", |bytes| of_text(bytes, |text| _ = records::read(text))),
    ("rows", |bytes| rows::read(&mut damaged_database::Damaged::new(), bytes)),
];

fn of_text(bytes: &[u8], read: impl FnOnce(&str)) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        read(text);
    }
}
