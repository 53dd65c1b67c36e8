//! Checks which modules and crates each module uses, by its `use` lines and paths, that the map in `src/lib.rs` agrees,
//! and that files and functions stay short.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The modules that each module may use.
const KNOWS: &[(&str, &[&str])] = &[
    ("rules", &[]),
    ("game", &["rules"]),
    ("board_view", &["rules"]),
    ("store", &["rules", "game"]),
    ("render", &["rules", "board_view"]),
    ("config", &[]),
    ("commands", &["rules", "game", "board_view"]),
    ("text", &["rules", "game", "board_view", "commands"]),
    ("app", &["rules", "game", "board_view", "store", "commands", "text"]),
    ("terminal", &["rules", "game", "board_view", "store", "render", "commands", "text", "app"]),
    ("timer", &["game", "store", "app"]),
    ("backups", &["game", "store", "text"]),
    ("discord", &["rules", "game", "board_view", "store", "render", "commands", "text", "app", "timer", "config"]),
    (
        "cli",
        &[
            "rules",
            "game",
            "board_view",
            "store",
            "render",
            "commands",
            "text",
            "app",
            "timer",
            "config",
            "backups",
            "terminal",
            "discord",
        ],
    ),
];

/// The only module that may use a crate.
const CRATES: &[(&str, &str)] = &[
    ("rusqlite", "store"),
    ("image", "render"),
    ("imageproc", "render"),
    ("ab_glyph", "render"),
    ("png", "render"),
    ("simd_adler32", "render"),
    ("rustyline", "terminal"),
    ("toml", "config"),
    ("clap", "cli"),
    ("libc", "cli"),
    ("serenity", "discord"),
    ("reqwest", "discord"),
];

/// What `rules` and `game` must not use.
const IMPURE: &[&str] = &[
    "std::fs",
    "std::net",
    "std::env",
    "std::io",
    "std::thread",
    "SystemTime",
    "Instant",
    "tokio",
    "async fn",
    "async move",
];

/// The longest file and function in `src`, in lines.
const MAX_FILE: usize = 500;
const MAX_FUNCTION: usize = 60;

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

/// Returns the code of a file without comments and unit tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn module_of(path: &Path) -> String {
    let inside = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    let first = inside.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_owned()
}

/// Returns the words that follow `before` where a path begins with it.
fn names_after<'c>(code: &'c str, before: &str) -> BTreeSet<&'c str> {
    let word = |text: &'c str| text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
    let starts = code.match_indices(before).map(|(at, _)| at);
    let own = starts.filter(|at| !code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':'));
    own.map(|at| word(&code[at + before.len()..])).collect()
}

#[test]
fn modules_use_only_the_modules_and_crates_they_may() {
    let mut seen = BTreeSet::new();
    for path in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let module = module_of(&path);
        if matches!(module.as_str(), "lib" | "main") {
            continue;
        }
        let (_, allowed) = KNOWS
            .iter()
            .find(|(name, _)| *name == module)
            .unwrap_or_else(|| panic!("src/{module} is not on the map: add it to src/lib.rs and to this test"));
        let code = code(&path);
        for other in names_after(&code, "crate::").into_iter().filter(|other| *other != module) {
            assert!(allowed.contains(&other), "{} uses `{other}`, which {module} must not", path.display());
        }
        for (name, owner) in CRATES {
            let named = code.contains(&format!("use {name}::")) || !names_after(&code, &format!("{name}::")).is_empty();
            assert!(!named || module == *owner, "{} uses {name}, which only {owner} may", path.display());
        }
        if matches!(module.as_str(), "rules" | "game") {
            for word in IMPURE {
                assert!(!code.contains(word), "{} must not use {word}", path.display());
            }
        }
        seen.insert(module);
    }
    assert_eq!(seen.len(), KNOWS.len(), "a module of this test has no code: {seen:?}");
}

/// Returns the map of `src/lib.rs`: each module, and the modules in its last column.
fn map() -> Vec<(String, String)> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | [`"));
    let row = |row: &str| {
        let (module, columns) = row.split_once("`]").unwrap();
        (module.to_owned(), columns.trim_end_matches(" |").rsplit('|').next().unwrap().to_owned())
    };
    rows.map(row).collect()
}

#[test]
fn the_map_in_the_library_names_every_module_and_what_it_uses() {
    let map = map();
    let names = |list: &[String]| list.iter().cloned().collect::<BTreeSet<_>>();
    let known: Vec<String> = KNOWS.iter().map(|(module, _)| (*module).to_owned()).collect();
    assert_eq!(names(&map.iter().map(|(module, _)| module.clone()).collect::<Vec<_>>()), names(&known));
    for (n, (module, uses)) in map.iter().enumerate() {
        let (_, allowed) = KNOWS.iter().find(|(name, _)| name == module).unwrap();
        // "all of the above but `render`" names what is not used.
        let (used, unused) = uses.split_once(" but ").unwrap_or((uses, ""));
        let quoted = |text: &str| text.split('`').skip(1).step_by(2).map(str::to_owned).collect::<BTreeSet<_>>();
        let others = map.iter().map(|(other, _)| other.clone()).filter(|other| other != module);
        let mut expected: BTreeSet<String> = match used {
            used if used.contains("everything") => others.collect(),
            used if used.contains("all of the above") => others.take(n).collect(),
            _ => BTreeSet::new(),
        };
        expected.extend(quoted(used));
        expected.retain(|other| !quoted(unused).contains(other));
        assert_eq!(expected, allowed.iter().map(|other| (*other).to_owned()).collect(), "what {module} uses");
    }
}

/// Returns the functions of a file that is formatted by rustfmt, each with its first line and its length.
fn functions(text: &str) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let is_start = |line: &str| {
        let head = line.trim_start().split('(').next().unwrap_or("");
        !head.starts_with("//") && head.split_whitespace().rev().nth(1) == Some("fn")
    };
    let length = |start: usize| {
        let header_end = lines[start..].iter().position(|line| line.ends_with(['{', '}', ';']))?;
        if !lines[start + header_end].ends_with('{') {
            // A declaration without a body, or a function in one line.
            return Some(header_end);
        }
        let indent = lines[start].len() - lines[start].trim_start().len();
        let end = " ".repeat(indent) + "}";
        lines[start..].iter().position(|line| *line == end)
    };
    let starts = (0..lines.len()).filter(|n| is_start(lines[*n]));
    starts.filter_map(|start| Some((start + 1, length(start)? + 1))).collect()
}

#[test]
fn files_and_functions_are_short() {
    let mut counted = 0;
    for path in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.lines().count() <= MAX_FILE, "{} is longer than {MAX_FILE} lines", path.display());
        for (line, length) in functions(&text) {
            assert!(length <= MAX_FUNCTION, "{}:{line}: {length} lines, at most {MAX_FUNCTION}", path.display());
            counted += 1;
        }
    }
    assert!(counted > 1_000, "only {counted} functions were found");
}

#[test]
fn no_file_has_conflict_markers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Ok(listed) = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output() else {
        println!("skipped: there is no git here");
        return;
    };
    let listed = String::from_utf8(listed.stdout).unwrap();
    for name in listed.split_terminator('\0') {
        // A file that was deleted may still be listed.
        let Ok(bytes) = fs::read(root.join(name)) else { continue };
        for (n, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
            let is_marker = ["<", "|", ">"].iter().any(|sign| line.starts_with(&(sign.repeat(7) + " ")));
            assert!(!is_marker, "{name}:{}: {line}", n + 1);
        }
    }
}

#[test]
fn no_file_is_called_utils_and_each_says_what_it_is_for() {
    for path in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(!["utils", "util", "helpers", "common", "misc"].contains(&name.as_str()), "{}", path.display());
        assert!(
            fs::read_to_string(&path).unwrap().starts_with("//!"),
            "{} does not say what it is for",
            path.display()
        );
    }
}
