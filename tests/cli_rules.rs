//! `ratatosk rules`, run as people run it: through the real program.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use ratatosk::rules::{Layout, VARIANTS, Variant};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Output, Stdio};

fn ratatosk(arguments: &[&str], input: &[u8]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_ratatosk"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut pipe, input) = (program.stdin.take().unwrap(), input.to_vec());
    // In a thread, because the program writes while it reads. Writing fails if the program stops at wrong arguments.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let output = program.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

fn prints(arguments: &[&str]) -> String {
    let output = ratatosk(arguments, b"");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refuses(arguments: &[&str]) -> String {
    let output = ratatosk(arguments, b"");
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

fn replays(arguments: &[&str], input: &[u8]) -> Vec<Value> {
    let output = ratatosk(&[&["rules", "replay"], arguments].concat(), input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn list_has_a_line_for_every_variant_and_layout() {
    let list = prints(&["rules", "list"]);
    assert!(list.starts_with("magpie circle 7\nmagpie cross 7\nmagpie line 7\nbrandubh cross 7\n"), "{list}");
    let layouts = VARIANTS.iter().flat_map(|variant| variant.layouts.iter().map(move |layout| (variant, layout)));
    let line = |(variant, layout): (&Variant, &Layout)| format!("{} {} {}", variant.id, layout.id, variant.rules.size);
    assert!(list.lines().eq(layouts.map(line)), "{list}");
}

#[test]
fn show_prints_the_start_position_and_the_rules_in_the_words_of_the_variant() {
    let magpie = prints(&["rules", "show", "magpie", "--layout", "line"]);
    assert!(magpie.contains("/2t1t2/7/t2T2t/2TKT2/t2T2t/7/2t1t2/"));
    assert!(magpie.contains("The leprechaun moves only one square at a time."));
    assert!(!magpie.contains(" king"), "{magpie}");
    assert!(magpie.lines().any(|line| line.contains("`line`") && line.ends_with("(house)")));
    let brandubh = prints(&["rules", "show", "brandubh"]);
    assert!(
        brandubh.lines().any(|line| line.starts_with("- To move between enemies is safe") && !line.contains("house"))
    );
    let fetlar = prints(&["rules", "show", "fetlar"]);
    assert!(fetlar.contains("even when all attackers are taken"));
}

#[test]
fn moves_are_written_with_their_captures() {
    let at = ["--position", "/7/7/7/2tTK2/7/7/7/", "--to-move", "defenders"];
    let moves = prints(&[&["rules", "moves", "ard-ri"], &at[..]].concat());
    assert!(moves.lines().any(|line| line == "Ke4-e7--"), "{moves}");
    let at = ["--position", "/7/3t3/7/3T3/3K3/3t3/7/", "--to-move", "attackers"];
    let moves = prints(&[&["rules", "moves", "ard-ri"], &at[..]].concat());
    assert!(moves.lines().any(|line| line == "d6-d5"), "{moves}");
    assert_eq!(prints(&["rules", "moves", "brandubh"]).lines().count(), 40);
}

#[test]
fn perft_counts_leaves_and_divides_them() {
    assert_eq!(prints(&["rules", "perft", "brandubh", "0"]), "1\n");
    assert_eq!(prints(&["rules", "perft", "brandubh", "3"]), "39512\n");
    let divided = prints(&["rules", "perft", "brandubh", "3", "--divide"]);
    let mut lines: Vec<&str> = divided.lines().collect();
    assert_eq!(lines.pop(), Some("39512"));
    let sum: u64 = lines.iter().map(|line| line.split_once(' ').unwrap().1.parse::<u64>().unwrap()).sum();
    assert_eq!((lines.len(), sum), (40, 39_512));
    // The king wins at once on any edge square, so nothing follows those moves at depth 2.
    let over = prints(&[
        "rules",
        "perft",
        "ard-ri",
        "2",
        "--position",
        "/7/7/7/3K3/7/7/t6/",
        "--to-move",
        "defenders",
        "--divide",
    ]);
    assert!(over.lines().any(|line| line == "Kd4-d7-- 0"), "{over}");
}

#[test]
fn replay_prints_one_object_per_line() {
    let games = replays(
        &["ard-ri"],
        b"d2-e2 d5-c5 d6-c6 d4-d6 f4-f6 d6-d5 f6-f5 d5-d6 f5-d5\nd1-c1 e4-e1 d2-c2 d3-f3 c1-d1 d5-f5xf4\n",
    );
    assert_eq!(games.len(), 2);
    assert_eq!(games[0]["plies"], 9);
    assert_eq!(games[0]["captures"][8], json!(["d6"]));
    assert_eq!(games[0]["outcome"], json!({"winner": "attackers", "reason": "king-captured", "aggressor": null}));
    assert_eq!(games[0]["error"], Value::Null);
    assert_eq!(games[1]["captures"], json!([[], [], [], [], [], ["f4"]]));
    assert_eq!(games[1]["outcome"], Value::Null);
    assert_eq!(games[1]["to_move"], "attackers");
    assert_eq!(games[1]["position"], "/3t3/3t3/5T1/ttTK2t/5T1/2t4/3tT2/");
}

#[test]
fn replay_stops_at_an_illegal_move_and_says_why() {
    let games = replays(&["brandubh"], b"d2-c2 d1-d9\n\n\xff\xfe x\n");
    assert_eq!(games.len(), 3);
    assert_eq!(games[0]["plies"], 1);
    assert_eq!(games[0]["error"]["ply"], 2);
    assert_eq!(games[0]["error"]["move"], "d1-d9");
    assert!(games[0]["error"]["why"].as_str().unwrap().contains("a1 to g7"), "{}", games[0]);
    assert_eq!((&games[1]["plies"], &games[1]["error"]), (&json!(0), &Value::Null));
    assert_eq!(games[2]["error"]["ply"], 1);
}

#[test]
fn replay_can_ignore_repetition() {
    let moves_there_and_back = b"d2-c2 d3-c3 c2-d2 c3-d3 d2-c2 d3-c3 c2-d2 c3-d3 d2-c2\n";
    let magpie = replays(&["magpie", "--layout", "cross"], moves_there_and_back);
    assert_eq!(magpie[0]["plies"], 8);
    assert_eq!(magpie[0]["outcome"], json!({"winner": null, "reason": "repetition", "aggressor": null}));
    assert!(magpie[0]["error"]["why"].as_str().unwrap().contains("game is over"));
    let ignored = replays(&["magpie", "--layout", "cross", "--ignore-repetition"], moves_there_and_back);
    assert_eq!((&ignored[0]["plies"], &ignored[0]["outcome"]), (&json!(9), &Value::Null));
    let york = replays(&["york"], b"d1-d2 f4-g4 d2-d1 g4-f4 d1-d2 f4-g4 d2-d1 g4-f4\n");
    assert!(york[0]["error"]["why"].as_str().unwrap().contains("3rd time"), "{}", york[0]);
}

#[test]
fn replay_can_start_with_the_other_side() {
    let games = replays(&["sea-battle", "--first", "attackers"], b"h5-h7\n");
    assert_eq!(games[0]["plies"], 1);
    let games = replays(&["sea-battle"], b"h5-h7\n");
    assert!(games[0]["error"]["why"].as_str().unwrap().contains("belongs to your opponent"));
}

#[test]
fn replay_handles_thousands_of_games() {
    let line = "d2-c2 d3-c3 c2-d2 c3-d3 ".repeat(20) + "\n";
    let games = replays(&["brandubh", "--ignore-repetition"], line.repeat(5_000).as_bytes());
    assert_eq!(games.len(), 5_000);
    assert!(games.iter().all(|game| game["plies"] == 80));
}

#[test]
fn bad_positions_are_refused_with_a_reason() {
    for (variant, position, part) in [
        ("brandubh", "/7/7/7/7/7/7/7/", "no king"),
        ("brandubh", "/7/7/7/2KK3/7/7/7/", "2 kings"),
        ("brandubh", "/K6/7/7/7/7/7/7/", "already won"),
        ("ard-ri", "/3K3/7/7/7/7/7/7/", "already won"),
        ("brandubh", "/7/7/7/3t3/K6/7/7/", "only the king may rest"),
        ("magpie", "/6T/7/7/3K3/7/7/7/", "only the king may rest"),
        ("brandubh", "/8/7/7/3K3/7/7/7/", "rank 7 has 8 squares"),
        ("york", "/7/7/7/3K3/7/7/7/", "11x11"),
        ("brandubh", "3t3", "between slashes"),
        ("brandubh", "/q6/7/7/3K3/7/7/7/", "`q`"),
        ("brandubh", "/99999999999999999999999/7/7/3K3/7/7/7/", "rank 7"),
        ("brandubh", "", "between slashes"),
    ] {
        let why = refuses(&["rules", "moves", variant, "--position", position, "--to-move", "attackers"]);
        assert!(why.contains(part), "{position}: {why}");
    }
}

#[test]
fn wrong_command_lines_are_explained() {
    assert!(refuses(&["rules", "moves", "chess"]).contains("brandubh"));
    assert!(refuses(&["rules", "moves", "magpie", "--layout", "diamond"]).contains("circle, cross, line"));
    assert!(refuses(&["rules", "perft", "brandubh", "99"]).contains("99"));
    assert!(refuses(&["rules", "moves", "york", "--position", "/11/"]).contains("--to-move"));
    assert!(refuses(&["rulez"]).contains("rules"));
}

#[test]
fn a_closed_pipe_is_not_a_failure() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_ratatosk"))
        .args(["rules", "perft", "fetlar", "2", "--divide"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(program.stdout.take());
    let output = program.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
}
