//! Fuzzes the cells of a damaged database.
#![no_main]

use ratatosk_fuzz::readers::damaged_database::Damaged;
use ratatosk_fuzz::readers::rows;
use std::cell::RefCell;

thread_local! {
    static DAMAGED: RefCell<Damaged> = RefCell::new(Damaged::new());
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    DAMAGED.with_borrow_mut(|damaged| rows::read(damaged, bytes));
});
