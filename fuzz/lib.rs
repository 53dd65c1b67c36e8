//! What every target checks: the same as `cargo test --test resilience`.

#[path = "../tests/resilience/experiments/readers/mod.rs"]
#[allow(dead_code, clippy::unwrap_used, clippy::expect_used, reason = "written for tests")]
pub mod readers;
