//! Cells of a damaged database: no value makes the app panic.

use super::damaged_database::Damaged;
use rusqlite::types::Value;

/// Damages the cell that the first byte chooses, with a value of the type that the second chooses, made from the others.
pub fn read(damaged: &mut Damaged, bytes: &[u8]) {
    let [cell, kind, value @ ..] = bytes else { return };
    let number = || value.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let wrong = match kind % 8 {
        0 => Value::Null,
        1 => Value::Blob(value.to_vec()),
        2 => Value::Real(f64::from_bits(number())),
        3 | 4 => Value::Integer(number().cast_signed()),
        _ => Value::Text(String::from_utf8_lossy(value).into_owned()),
    };
    let cell = usize::from(*cell) % damaged.cells();
    damaged.read_with(cell, &wrong);
    damaged.run_tasks();
}
