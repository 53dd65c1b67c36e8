//! What several benches measure.

#![allow(dead_code, reason = "each bench measures its own part")]

pub mod render;
pub mod rules;
pub mod store;
