//! The texts that tests look for in the log.

use crate::bot_process::log::{Allowed, PANICKED, first_bad_line};
use std::fs;
use std::path::Path;

#[test]
fn every_text_that_tests_look_for_in_the_log_occurs_in_the_sources() {
    let code = code_under(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let constants = include_str!("../bot_process/log.rs").lines().filter(|line| line.starts_with("pub const "));
    let texts: Vec<&str> = constants.map(|line| line.split('"').nth(1).expect("a constant is one line")).collect();
    assert!(texts.contains(&PANICKED) && texts.len() > 20, "the constants were not found: {texts:?}");
    let unknown: Vec<&str> = texts.into_iter().filter(|text| !code.contains(text)).collect();
    assert!(unknown.is_empty(), "the bot logs none of these: {unknown:?}");
}

/// Returns the code of all files in a folder, without comments and unit tests.
fn code_under(folder: &Path) -> String {
    let mut code = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            code += &code_under(&path);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            let text = fs::read_to_string(&path).unwrap();
            let before_tests = without_unit_tests(&text);
            let lines = before_tests.lines().filter(|line| !line.trim_start().starts_with("//"));
            code.extend(lines.flat_map(|line| [line, "\n"]));
        }
    }
    code
}

/// Returns the part of a file before its unit tests. Other parts of a file may be for tests, too.
fn without_unit_tests(text: &str) -> &str {
    let starts = text.match_indices("#[cfg(test)]\n").map(|(at, attribute)| (at, &text[at + attribute.len()..]));
    let mut starts = starts.filter(|(_, after)| after.lines().next().is_some_and(|line| line.contains("mod tests")));
    starts.next().map_or(text, |(at, _)| &text[..at])
}

#[test]
fn only_unit_tests_are_left_out_of_the_sources() {
    let file = "mod a;\n#[cfg(test)]\nmod test_bot;\nfn log() {}\n#[cfg(test)]\npub(super) mod tests {\n}\n";
    assert_eq!(without_unit_tests(file), "mod a;\n#[cfg(test)]\nmod test_bot;\nfn log() {}\n");
}

#[test]
fn a_line_about_a_panic_fails_a_test_that_allows_other_errors() {
    let panics = [
        format!("2026-11-16T20:00:00Z ERROR {} location=src/app/mod.rs:1:1", ratatosk::cli::PANIC_MESSAGE),
        String::from("2026-11-16T20:00:00Z ERROR request panicked, apologising to the player request=1"),
        String::from("2026-11-16T20:00:00Z ERROR request failed, apologising to the player error=the work panicked"),
        String::from("thread 'main' panicked at src/main.rs:1:1:"),
    ];
    for line in &panics {
        let errors = Allowed { errors: vec!["request", "location", "thread"], bugs: Vec::new() };
        let bugs = Allowed { errors: Vec::new(), bugs: vec!["request", "location", "thread"] };
        assert_eq!(first_bad_line(&format!("\n{line}\n"), &errors), Some(line.as_str()));
        assert_eq!(first_bad_line(line, &bugs), None);
    }
}

#[test]
fn an_error_fails_a_test_that_does_not_allow_it() {
    let allowed = Allowed { errors: vec!["the disk is full"], bugs: Vec::new() };
    for (line, is_bad) in [
        ("2026-11-16T20:00:00Z ERROR backup failed error=the disk is full", false),
        ("2026-11-16T20:00:00Z ERROR backup failed error=the disk is broken", true),
        ("{\"level\":\"ERROR\",\"message\":\"backup failed\"}", true),
        ("2026-11-16T20:00:00Z WARN posting failed, retrying in 4 s", false),
    ] {
        assert_eq!(first_bad_line(line, &allowed).is_some(), is_bad, "{line}");
    }
}
