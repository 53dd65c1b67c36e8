//! What every target promises: the same checks that `cargo test --test resilience` makes.

#[path = "../tests/resilience/experiments/readers/mod.rs"]
#[allow(dead_code, missing_docs, clippy::unwrap_used, clippy::expect_used, reason = "written for tests")]
pub mod readers;
