//! The local table, through the real program: whole games, odd input, restarts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod seeded_rng;

use ratatosk::rules::{Layout, Move, Piece, Record, Side, Variant, opentafl};
use seeded_rng::{Rng, set_ups};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A table of its own for each test, cleared away afterwards.
struct Table {
    folder: PathBuf,
}

impl Table {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("ratatosk-table-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Self { folder }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ratatosk"));
        command.args(arguments).env("RATATOSK_DATABASE", self.folder.join("table.db")).env_remove("DISCORD_TOKEN");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str], input: &str) -> Output {
        let mut program = self.command(arguments).spawn().unwrap();
        let (mut pipe, input) = (program.stdin.take().unwrap(), input.to_owned());
        let writer = std::thread::spawn(move || drop(pipe.write_all(input.as_bytes())));
        let output = program.wait_with_output().unwrap();
        writer.join().unwrap();
        output
    }

    /// Types lines and gives what is answered; all of them have to be understood.
    fn types(&self, lines: &[&str]) -> String {
        let output = self.run(&[], &(lines.join("\n") + "\n"));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{text}");
        text
    }

    /// Changes or reads the database while no program has it open.
    fn sql<T>(&self, run: impl FnOnce(&rusqlite::Connection) -> rusqlite::Result<T>) -> T {
        run(&rusqlite::Connection::open(self.folder.join("table.db")).unwrap()).unwrap()
    }

    fn prints(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments, "");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Ann has the attackers, Bo the king's side.
const BEGIN: [&str; 4] = ["/as ann", "/challenge opponent:bo variant:brandubh side:attackers", "/as bo", "1"];

/// Plays at random until somebody wins.
fn decided_game(rng: &mut Rng, variant: &Variant, layout: &Layout) -> Record {
    loop {
        let mut record = variant.begin(layout);
        for _ in 0..150 {
            let moves: Vec<Move> = record.offered_moves().collect();
            // Who can win does, so that games have an end.
            let wins = |mv: &&Move| {
                let played = record.book().apply(record.position(), **mv);
                played.outcome.is_some_and(|outcome| outcome.winner == Some(played.piece.side()))
            };
            let mv = moves.iter().find(wins).copied().unwrap_or_else(|| rng.pick(&moves));
            if record.try_move(mv).unwrap().recurrence().is_some() {
                break;
            }
            if record.play(mv).unwrap().outcome.is_some() {
                return record;
            }
        }
    }
}

#[test]
fn whole_games_of_every_variant_and_layout_are_played_kept_and_written_out() {
    let mut rng = Rng::new(21);
    for (variant, layout) in set_ups() {
        let table = Table::new();
        let record = decided_game(&mut rng, variant, layout);
        let challenge = format!("/challenge opponent:bo variant:{} layout:{} side:attackers", variant.id, layout.id);
        let mut lines = vec![String::from("/as ann"), challenge, String::from("/as bo"), String::from("1")];
        for ply in record.plies() {
            let who = if ply.piece == Piece::Attacker { "ann" } else { "bo" };
            lines.push(format!("/as {who}"));
            lines.push(format!("/move {ply}"));
        }
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let said = table.types(&lines);
        let winner = record.outcome().unwrap().winner.unwrap();
        let name = if winner == Side::Attackers { "ann" } else { "bo" };
        let end = said.rsplit("played").next().unwrap();
        assert!(end.contains(&format!("{name} wins with")), "{end}");
        assert!(said.contains(variant.words.attackers) && said.contains(variant.words.king));
        // What is kept is the game that was played.
        assert!(table.prints(&["check"]).contains("1 game and "));
        let written = table.prints(&["export", "--game", "1"]);
        let read = opentafl::read_game(&written).unwrap();
        assert_eq!(read.game, record, "{written}");
        assert!(read.tags.contains(&(String::from("attackers"), String::from("ann"))));
        let json: serde_json::Value = serde_json::from_str(&table.prints(&["export", "--format", "json"])).unwrap();
        assert_eq!(json["moves"].as_array().unwrap().len(), record.plies().len());
        assert_eq!(json["winner"], winner.id());
    }
}

#[test]
fn a_game_goes_on_after_the_table_was_left() {
    let table = Table::new();
    table.types(&BEGIN);
    table.types(&["/as ann", "/move d2-c2"]);
    let said = table.types(&["/as bo", "/board", "/move d3-e3"]);
    assert!(said.contains("ann played d2-c2"), "{said}");
    assert!(said.contains("bo played d3-e3"), "{said}");
    let picture = fs::read(table.folder.join("board.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG"));
}

#[test]
fn a_move_by_numbers_is_shown_before_it_is_played() {
    let table = Table::new();
    table.types(&BEGIN);
    // The board's Move button, the first man, his first square, and then Play it.
    let said = table.types(&["/as ann", "/board", "1", "1", "1"]);
    assert!(said.contains("Nothing is played yet."), "{said}");
    assert!(!table.types(&["/as ann", "/history"]).contains("After move 1"));
    let said = table.types(&["/as ann", "/board", "1", "1", "1", "1"]);
    assert!(said.contains("ann played "), "{said}");
}

#[test]
fn what_is_not_understood_is_said_and_counts_at_the_end() {
    let table = Table::new();
    let lines = "/nonsense\nhello\n/challenge variant:chess\n/move\n7\n/as\n/games player:nobody\n/board colour:red\n";
    let output = table.run(&[], lines);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.lines().count(), 8, "{said}");
    for part in [
        "no /nonsense",
        "begin with a slash",
        "brandubh",
        "needs `move`, such as `/move d1-d4`",
        "nothing to press",
        "/as ivar",
        "Nobody called `nobody`",
        "no option `colour`",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_refusal_is_an_answer_and_loses_nothing() {
    let table = Table::new();
    table.types(&BEGIN);
    let said = table.types(&[
        "/as ann",
        "/move d1-d9",
        "/move d3-c3",
        "/move d2-c2xd3",
        "/move a1-b2",
        "/claim",
        "/rematch",
        "/takeback",
        "/as bo",
        "/move d3-c3",
        "/as eve",
        "/move d2-c2 game:1",
        "/resign game:1",
        "/draw game:1",
    ]);
    for part in [
        "a1 to g7",
        "belongs to your opponent",
        "takes nobody",
        "Nobody stands on a1",
        "It is your own turn",
        "Game #1 still goes on",
        "not made a move yet",
        "your opponent's turn",
        "You are not playing in this game",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(table.types(&["/as ann", "/move d2-c2"]).contains("ann played d2-c2"));
}

#[test]
fn where_several_games_could_be_meant_the_move_is_kept() {
    let table = Table::new();
    table.types(&BEGIN);
    table.types(&["/as ann", "/challenge opponent:bo variant:york side:attackers", "/as bo", "1"]);
    let said = table.types(&["/as ann", "/move d1-d2 game:2", "/move d2-c2"]);
    // The only game that waits for her is meant.
    assert!(said.contains("Brandubh #1\nann played d2-c2"), "{said}");
    table.types(&["/as bo", "/move d3-e3 game:1", "/move f4-g4 game:2"]);
    let said = table.types(&["/as ann", "/move c2-c1", "1"]);
    assert!(said.contains("Which one do you mean with `c2-c1`?"), "{said}");
    assert!(said.contains("ann played c2-c1"), "{said}");
}

#[test]
fn a_third_occurrence_is_asked_about_first() {
    let table = Table::new();
    table.types(&["/as ann", "/challenge opponent:bo variant:magpie layout:cross side:attackers", "/as bo", "1"]);
    let there_and_back = ["/as ann", "/move d2-c2", "/as bo", "/move d3-c3", "/as ann", "/move c2-d2", "/as bo"];
    let mut lines: Vec<&str> = there_and_back.to_vec();
    lines.push("/move c3-d3");
    let said = table.types(&lines);
    assert!(said.contains("This position has occurred twice."), "{said}");
    let said = table.types(&lines);
    assert!(said.contains("comes about for the 3rd time"), "{said}");
    assert!(said.contains("Play it all the same?") && !said.contains("drawn:"), "{said}");
    let said = table.types(&["/as bo", "/move c3-d3", "1"]);
    assert!(said.contains("The game is drawn between ann and bo: the position came about for the 3rd time."), "{said}");
}

#[test]
fn offers_are_made_answered_and_remembered() {
    let table = Table::new();
    table.types(&BEGIN);
    table.types(&["/as ann", "/move d2-c2"]);
    assert!(
        table.types(&["/as ann", "/takeback"]).contains("ann would like to take the last move back; bo can grant it.")
    );
    assert!(table.types(&["/as bo", "/takeback"]).contains("one move was taken back"));
    table.types(&["/as ann", "/move d2-e2", "/draw"]);
    assert!(table.types(&["/as bo", "/move d3-c3"]).contains("bo has declined the draw."));
    assert!(table.types(&["/as ann", "/draw"]).contains("when both of you have moved"));
    assert!(
        table.types(&["/as ann", "/resign", "1"]).contains("bo wins with the king's side against ann: ann resigns.")
    );
    assert!(table.types(&["/as bo", "/rematch"]).contains("bo offers ann a rematch"));
    let said = table.types(&["/as ann", "/rematch", "/games"]);
    assert!(said.contains("bo has the attackers, ann has the king's side"), "{said}");
    assert!(said.contains("You have 1 running game"), "{said}");
}

#[test]
fn numbers_press_what_is_on_the_last_answer_and_nothing_older() {
    let table = Table::new();
    table.types(&BEGIN);
    let output = table.run(&[], "/as ann\n/board\n/challenge opponent:ann variant:york\n2\n");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("nothing to press now") && !said.contains("offers a draw"), "{said}");
}

#[test]
fn an_offer_is_found_among_several_games() {
    let table = Table::new();
    table.types(&BEGIN);
    table.types(&["/as ann", "/challenge opponent:bo variant:york side:attackers", "/as bo", "1"]);
    table.types(&["/as ann", "/move d2-c2 game:1", "/draw game:2"]);
    assert!(table.types(&["/as bo", "/draw"]).contains("York #2\nThe game is drawn between ann and bo: both agreed."));
}

#[test]
fn who_sits_down_can_be_named() {
    let table = Table::new();
    let said = table.types(&["/as ivar", "/as anna", "/block ivar", "/games ivar"]);
    assert!(said.contains("ivar can no longer challenge you"), "{said}");
}

#[test]
fn only_one_table_at_a_time_has_the_games() {
    let table = Table::new();
    table.types(&BEGIN);
    let mut first = table.command(&[]).spawn().unwrap();
    // It answers when it is open.
    let mut pipe = first.stdin.take().unwrap();
    pipe.write_all(b"/help\n").unwrap();
    std::io::Read::read_exact(first.stdout.as_mut().unwrap(), &mut [0; 10]).unwrap();
    let second = table.run(&[], "/games\n");
    assert_eq!(second.status.code(), Some(75));
    assert!(String::from_utf8_lossy(&second.stderr).contains("another ratatosk has this database open"));
    // Looking after the games goes on beside it.
    let copy = table.folder.join("copy.db");
    assert!(table.run(&["backup", copy.to_str().unwrap()], "").status.success());
    assert!(table.prints(&["check"]).contains("no errors"));
    assert!(table.prints(&["export"]).contains("[variant:Brandubh]"));
    assert!(!table.run(&["backup", copy.to_str().unwrap()], "").status.success(), "a copy was overwritten");
    drop(pipe);
    assert!(first.wait().unwrap().success());
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let table = Table::new();
    let file = table.folder.join("table.db");
    fs::write(&file, "dear diary ".repeat(1000)).unwrap();
    let output = table.run(&[], "/games\n");
    assert_eq!(output.status.code(), Some(74));
    assert!(!output.stderr.is_empty());
    assert!(fs::read_to_string(&file).unwrap().starts_with("dear diary"));
    assert_eq!(table.run(&["check", "--database", "/nowhere/at/all.db"], "").status.code(), Some(74));
}

#[test]
fn a_game_without_moves_has_a_history_of_nothing() {
    let table = Table::new();
    table.types(&BEGIN);
    let said = table.types(&["/as ann", "/history"]);
    assert!(said.contains("Nobody has moved yet.") && !said.contains("0 moves"), "{said}");
}

#[test]
fn an_export_of_nothing_says_so() {
    let table = Table::new();
    table.types(&BEGIN);
    for (asked, said) in [
        (["export", "--player", "77"], "player 77 has no games here"),
        (["export", "--game", "9"], "there is no game #9"),
    ] {
        let output = table.run(&asked, "");
        assert_eq!(output.status.code(), Some(1), "{asked:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), format!("ratatosk: {said}\n"));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_list_of_games_mentions_a_challenge_that_waits_for_an_answer() {
    let table = Table::new();
    table.types(&["/as ann", "/challenge york opponent:bo"]);
    assert!(table.types(&["/as bo", "/games"]).contains("A challenge waits for your answer: `/challenges` shows it."));
    assert!(!table.types(&["/as ann", "/games"]).contains("waits for your answer"));
}

#[test]
fn what_was_just_offered_is_said_once() {
    let table = Table::new();
    table.types(&BEGIN);
    let said = table.types(&["/as ann", "/draw"]);
    assert!(said.contains("ann offers a draw to bo.") && !said.contains("ann offers a draw."), "{said}");
    assert!(table.types(&["/as bo", "/board"]).contains("ann offers a draw."));
}

#[test]
fn the_reason_of_end_game_is_kept_as_it_was_typed() {
    let table = Table::new();
    table.types(&BEGIN);
    let said = table.types(&["/as ann", "/end-game 1 reason:Ivar LEFT the club. Note: he said so HIMSELF"]);
    assert!(said.contains("The reason: Ivar LEFT the club. Note: he said so HIMSELF\n"), "{said}");
}

#[test]
fn a_game_that_cannot_be_read_does_not_keep_the_others_from_being_played() {
    let table = Table::new();
    table.types(&BEGIN);
    table.types(&["/as ann", "/challenge opponent:bo variant:york side:attackers", "/as bo", "1"]);
    // The last post of each game is to be shown again, and game 1 cannot be read.
    table.sql(|db| {
        db.execute_batch(
            "UPDATE owed SET closed = NULL WHERE game IS NOT NULL; UPDATE games SET variant = 'chess' WHERE id = 1",
        )
    });
    for _ in 0..2 {
        let said = table.types(&["/as ann", "/board game:2"]);
        assert!(said.contains("A message about game #1 cannot be shown: "), "{said}");
        assert!(said.contains("York #2"), "{said}");
    }
    assert!(table.types(&["/as ann", "/move d1-d2 game:2"]).contains("ann played d1-d2"));
}
