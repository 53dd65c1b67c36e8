//! Compares the README with the program.
#![allow(clippy::unwrap_used)]

use ratatosk::commands::COMMANDS;
use ratatosk::discord::invite::PERMISSIONS;
use ratatosk::rules::VARIANTS;
use std::path::Path;

const README: &str = include_str!("../README.md");

/// Returns the table rows with this first cell.
fn rows(first: &str) -> Vec<&'static str> {
    let begins = format!("| {first} |");
    README.lines().filter(|line| line.trim_start().starts_with(&begins)).collect()
}

#[test]
fn every_command_is_listed_once_with_an_example() {
    for command in COMMANDS {
        let found = rows(&format!("`/{}`", command.name));
        assert_eq!(found.len(), 1, "/{}: {found:?}", command.name);
        let example = found[0].rsplit_once("| `/").unwrap().1;
        assert!(example.starts_with(command.name), "{}", found[0]);
        for option in command.options.iter().filter(|option| option.required) {
            let bare = option.name == command.options[0].name;
            assert!(bare || example.contains(&format!("{}:", option.name)), "{} without {}", found[0], option.name);
        }
        for said in example.split('`').next().unwrap().split(' ').filter_map(|word| word.split_once(':')) {
            assert!(command.option(said.0).is_some(), "/{} has no option {}", command.name, said.0);
        }
    }
}

#[test]
fn every_permission_is_listed_with_its_reason() {
    for (name, _, why) in PERMISSIONS {
        assert_eq!(rows(name), [format!("   | {name} | {why} |")]);
    }
}

#[test]
fn every_variant_has_a_picture_and_every_link_works() {
    for variant in VARIANTS {
        let begins = format!("| ![{}](tests/golden/{}-oak.png) | **{}**, ", variant.name, variant.id, variant.name);
        let is_listed = README.lines().any(|line| line.starts_with(&begins));
        assert!(is_listed, "add a row to the table under \"The games\" in README.md that begins so: {begins}");
    }
    let linked: Vec<&str> = README.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    for file in linked.iter().filter(|link| !link.starts_with("http") && !link.starts_with('#')) {
        assert!(
            Path::new(env!("CARGO_MANIFEST_DIR")).join(file).is_file(),
            "README.md links to {file}, which does not exist"
        );
    }
    let headings: Vec<String> = README
        .lines()
        .filter_map(|line| line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')))
        .map(|heading| heading.to_lowercase().replace(' ', "-").replace([',', '/', '`'], ""))
        .collect();
    for anchor in linked.iter().filter_map(|link| link.strip_prefix('#')) {
        assert!(headings.iter().any(|heading| heading == anchor), "no heading #{anchor}");
    }
}

#[test]
fn the_first_screen_has_the_two_commands_and_a_picture() {
    let screen: String = README.lines().take(25).collect::<Vec<_>>().join("\n");
    for needed in ["\ncargo run --release\n", "\ncargo test\n", "![", "terminal"] {
        assert!(screen.contains(needed), "{needed:?}");
    }
}

#[test]
fn the_table_of_speeds_has_the_rows_that_the_benchmark_prints() {
    let printed = include_str!("../benches/resilience/speed.rs");
    let table = README.split("## How fast it is").nth(1).unwrap().split("\n## ").next().unwrap();
    let named: Vec<&str> = table.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next()).collect();
    let ours: Vec<&&str> = named.iter().filter(|name| !name.starts_with('|') && !name.starts_with("rules:")).collect();
    assert!(ours.len() >= 11, "{ours:?}");
    for name in ours {
        assert!(printed.contains(&format!("\"{name}\"")), "{name} is not printed");
    }
    assert!(table.contains("cargo bench --bench resilience -- speed") && table.contains("% apart"));
}

#[test]
fn the_copy_before_a_migration_is_named_after_the_newest_schema() {
    let migrations = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations")).unwrap();
    let newest = migrations.filter(|file| file.as_ref().unwrap().path().extension() == Some("sql".as_ref())).count();
    let named: Vec<&str> =
        README.split(".before-schema-").skip(1).filter_map(|rest| Some(rest.split_once(".bak")?.0)).collect();
    assert_eq!(named, [newest.to_string()]);
}
